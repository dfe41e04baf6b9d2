/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the macros of dvmdbg.h call, and the preloaded MPI library.
 */
#include "runtime/dvmdbg.h"
#include "common/array/array.h"
#include "common/array/value.h"
#include "runtime/base/base.h"
#include "runtime/base/elsewhere.h"
#include "runtime/base/mpi_table.h"
#include "runtime/base/omp_table.h"
#include "runtime/stop/stop.h"
#include "runtime/record/record.h"

#include <assert.h>
#include <string.h>

#define CALLER ((uintptr_t)__builtin_return_address(0))
#define FRAME __builtin_frame_address(0)

static_assert(DVMDBG_DIMS == ARRAY_DIMS, "dvmdbg.h and the page must agree");

static int kind_of(int letter)
{
	switch (letter) {
	case 'P':
		return CONSTRUCT_PL;
	case 'S':
		return CONSTRUCT_SL;
	case 'R':
		return CONSTRUCT_TR;
	case 'T':
		return CONSTRUCT_TASK;
	case 'D':
		return CONSTRUCT_DISPATCH;
	}
	return CONSTRUCT_FUNCTION;
}

/* How the iterations are mapped; where nothing is said, each index of the array is the loop's. */
static void map_of(struct stack_range *r, const struct dvmdbg_construct *c)
{
	r->non = 0;
	for (uint32_t d = 0; c->abi >= 5 && d < DVMDBG_DIMS; d++) {
		r->shift[d] = c->shift[d];
		r->by[d] = c->by[d] ? c->by[d] < 0 ? -1 : c->by[d] - 1 : (int64_t)d;
		if (c->shift[d] || c->by[d])
			r->non = DVMDBG_DIMS;
	}
}

static void range_of(struct stack_range *r, const struct dvmdbg_construct *c)
{
	int n = c->ndim;

	if (n <= 0)
		for (n = 0; n < DVMDBG_DIMS && (c->range[n].first || c->range[n].last);)
			n++;
	r->ndim = n < DVMDBG_DIMS ? (uint32_t)n : DVMDBG_DIMS;
	r->on = var_field_first((uintptr_t)elsewhere_here(c->on));
	map_of(r, c);
	for (uint32_t d = 0; d < r->ndim; d++) {
		r->first[d] = c->range[d].first;
		r->last[d] = c->range[d].last;
	}
}

/* Which arrays it writes and reads, in *a; NULL: it does not say. */
static const struct access *access_of(struct access *a, const struct dvmdbg_construct *c)
{
	a->n = 0;
	if (c->abi < 2)
		return NULL;
	for (unsigned i = 0; i < DVMDBG_DIMS; i++) {
		if (c->writes[i])
			a->array[a->n++] = (struct access_array){ elsewhere_here(c->writes[i]),
								  VAR_NONE, POINT_SUMS_WRITE, false };
		if (c->reads[i])
			a->array[a->n++] = (struct access_array){ elsewhere_here(c->reads[i]),
								  VAR_NONE, POINT_SUMS_READ, false };
	}
	return a->n ? a : NULL;
}

unsigned dvmdbg_open_at(int letter, long number, const struct dvmdbg_construct *c, const char *file,
			int line, const char *func)
{
	struct stack_range r;
	struct access a;
	int kind = kind_of(letter);
	unsigned id;

	if (!rt_enter()) {
		if (!rt_owner)
			find_thread(construct_words((unsigned)kind), file, line);
		return 0;
	}
	range_of(&r, c);
	r.access = access_of(&a, c);
	rt_called_by(&r, FRAME, CALLER);
	if (c->name)
		func = c->name;
	id = stack_open(
		kind, number,
		arena_loc_of_line(kind, file, line, func, c->name || kind == CONSTRUCT_FUNCTION),
		&r);
	rt_leave();
	return id;
}

void dvmdbg_close_at(unsigned id, int left)
{
	if (!rt_enter())
		return;
	stack_close(id, left);
	rt_leave();
}

void dvmdbg_end_at(int letter)
{
	if (!rt_enter())
		return;
	stack_end(kind_of(letter), CALLER);
	rt_leave();
}

static void iteration(int n, const long *index, bool parallel, uint64_t pc, const void *frame)
{
	int64_t idx[ARRAY_DIMS];

	if (n < 0)
		return;
	if (n > ARRAY_DIMS)
		n = ARRAY_DIMS;
	for (int d = 0; d < n; d++)
		idx[d] = index[d];
	stack_mark_iteration((unsigned)n, idx, parallel, pc, frame);
}

void dvmdbg_iteration_at(int n, const long *index)
{
	iteration(n, index, false, CALLER, FRAME);
}

void dvmdbg_sl_iteration_at(int n, long i, long j, long k, long l, long p, long q, long r, long s)
{
	iteration(n, (const long[]){ i, j, k, l, p, q, r, s }, false, CALLER, FRAME);
}

void dvmdbg_pl_iteration_at(int n, long i, long j, long k, long l, long p, long q, long r, long s)
{
	if (rt_iterations())
		iteration(n, (const long[]){ i, j, k, l, p, q, r, s }, true, CALLER, FRAME);
}

void dvmdbg_reduction_at(const void *addr, const char *name, int type, size_t size, int op,
			 const char *file, int line)
{
	struct page_entity e = { .kind = ARRAY_REPLICATED, .order = 'C' };
	uint32_t loc;

	if (!rt_enter())
		return;
	loc = arena_loc_of_line(CONSTRUCT_KINDS, file, line, NULL, false);
	e.addr = (uintptr_t)addr;
	e.type = (uint8_t)type;
	e.elem_size = (uint32_t)(var_size(e.type) ? var_size(e.type) : size);
	if (size > e.elem_size && e.elem_size) {
		e.ndim = 1;
		e.extent[0] = (int64_t)(size / e.elem_size);
		e.own_hi[0] = e.extent[0] - 1;
		e.stride[0] = 1;
	}
	gate_reduction(&e, name, strlen(name), loc, (unsigned)op);
	rt_leave();
}

void dvmdbg_skip_at(const char *file, int line)
{
	if (!rt_enter())
		return;
	gate_skip(arena_loc_of_line(CONSTRUCT_KINDS, file, line, NULL, false));
	rt_leave();
}

/* Whether the text of a description names member: ".own" after its start or a comma. */
static bool names(const char *given, const char *member)
{
	size_t n = strlen(member);

	for (const char *p = given; (p = strstr(p, member)); p++) {
		const char *before = p;

		while (before > given && (before[-1] == ' ' || before[-1] == '\t'))
			before--;
		if ((before == given || before[-1] == ',') &&
		    (p[n] == ' ' || p[n] == '=' || p[n] == '['))
			return true;
	}
	return false;
}

static void array_own(struct page_entity *e, const struct dvmdbg_array *a, const char *given)
{
	bool whole = !names(given, ".own");

	for (uint32_t d = 0; d < e->ndim; d++) {
		e->own_lo[d] = whole ? e->lower[d] : a->own[d].first;
		e->own_hi[d] = whole ? e->lower[d] + e->extent[d] - 1 : a->own[d].last;
		if (a->nothing)
			e->own_hi[d] = (e->own_lo[d] = e->lower[d]) - 1;
	}
}

/* The dimensions in ".shape = { n, m }"; 0: it is not there like that. */
static int shape_dims(const char *given)
{
	const char *p = strstr(given, ".shape");
	int depth = 0, n = 0;

	p = p && names(given, ".shape") ? strchr(p, '{') : NULL;
	for (; p && *p; p++) {
		if (strchr("({[", *p))
			depth++;
		else if (strchr(")}]", *p) && !--depth)
			return n + 1;
		else if (*p == ',' && depth == 1 && p[1 + strspn(p + 1, " \t")] != '}')
			n++;
	}
	return 0;
}

/* Elements that the rank stores, in dimension d. */
static size_t stored(const struct page_entity *e, uint32_t d)
{
	int64_t own = e->list_n[d] ? (int64_t)e->list_n[d] : e->own_hi[d] - e->own_lo[d] + 1;
	int64_t all = own + e->halo_lo[d] + e->halo_hi[d];

	return all > 0 ? (size_t)all : 0;
}

/* Its elements are elsewhere: they are brought to memory of ours, which becomes its address. */
static void bring(struct var *v, const struct dvmdbg_array *a)
{
	struct page_entity *e = &v->e;
	struct elsewhere x = { a->fetch, a->store, a->context, e->elem_size, 1, v->loc };
	uint64_t value = e->addr, here;

	if (e->by_pointer)
		memcpy(&value, (const void *)(uintptr_t)e->addr, sizeof(value));
	for (uint32_t d = 0; d < e->ndim && d < DVMDBG_DIMS; d++)
		if (__builtin_mul_overflow(x.count, stored(e, d), &x.count))
			x.count = SIZE_MAX;
	here = elsewhere_add(e->addr, value, &x, &e->away);
	if (!here)
		return;
	e->addr = here;
	e->by_pointer = 0;
	v->room = x.count;
	v->row = 0;
	memset(e->stride, 0, sizeof(e->stride));
}

/* It is an array of structures, whose fields are given. */
static void fields_of(struct var *v, const struct dvmdbg_array *a)
{
	uint32_t n = 0;

	while (a->abi >= 7 && n < DVMDBG_FIELD_MOST && a->fields[n].name)
		n++;
	if (!n)
		return;
	v->field = a->fields;
	v->e.nfield = n;
	v->e.type = VALUE_STRUCT;
}

/* apart: bytes from an element to the next one, 0: they are packed; rows: as in struct var. */
static void array_at(const void *addr, int by_pointer, const char *name, int type, size_t row,
		     size_t whole, size_t apart, size_t rows, const struct dvmdbg_array *a,
		     const char *given, const char *file, int line)
{
	struct var v = { .name = name,
			 .len = strlen(name),
			 .declared = -1,
			 .rows = (uint32_t)rows };
	struct page_entity *e = &v.e;
	int n = a->ndim;

	if (!rt_enter()) {
		if (!rt_owner)
			find_thread(name, file, line);
		return;
	}
	/* one may be 0: an array without elements */
	if (!n)
		n = shape_dims(given);
	if (!n)
		for (n = 0; n < DVMDBG_DIMS && a->shape[n];)
			n++;
	v.loc = arena_loc_of_line(CONSTRUCT_KINDS, file, line, NULL, false);
	e->ndim = n < 1 || n > DVMDBG_DIMS ? DVMDBG_DIMS + 1 : (uint32_t)n;
	e->kind = a->replicated ? ARRAY_REPLICATED : ARRAY_DISTRIBUTED;
	e->type = (uint8_t)(a->type ? a->type - 1 : type);
	if (a->type < 0 || a->type - 1 > DVMDBG_STRUCTURE)
		e->type = UINT8_MAX;
	fields_of(&v, a);
	/* pointers are numbers only where that is said */
	v.declared = a->type == DVMDBG_POINTER + 1 ? -1 : type;
	v.first_own = a->abi >= 3 && a->first == DVMDBG_OWN;
	e->order = a->fortran ? 'F' : 'C';
	e->by_pointer = (uint8_t)by_pointer;
	e->addr = (uintptr_t)addr;
	e->elem_size = (uint32_t)(var_size(e->type)		    ? var_size(e->type)
				  : e->nfield && a->bytes ? a->bytes
							    : row);
	v.room = e->elem_size ? whole / e->elem_size : 0;
	for (uint32_t d = 0; d < e->ndim && d < DVMDBG_DIMS; d++) {
		e->lower[d] = a->lower[d];
		e->extent[d] = a->shape[d];
		e->halo_lo[d] = a->halo_lo[d] ? a->halo_lo[d] : a->halo[d];
		e->halo_hi[d] = a->halo_hi[d] ? a->halo_hi[d] : a->halo[d];
		e->stride[d] = a->stride[d];
		v.index[d] = (struct var_list){ .first = a->index[d],
						.bytes = sizeof(long),
						.step = sizeof(long) };
		e->list_n[d] = a->index[d] ? (uint32_t)a->count[d] : 0;
	}
	if (e->ndim == 2 && e->elem_size && !a->fortran && !a->stride[0] && row > e->elem_size)
		e->stride[0] = (int64_t)(row / e->elem_size);
	else if (e->ndim > 2 && e->elem_size && !a->fortran && !a->stride[0] && row > e->elem_size)
		v.row = row / e->elem_size;
	if (apart && e->ndim && e->ndim <= DVMDBG_DIMS && e->elem_size && !e->stride[e->ndim - 1])
		e->stride[e->ndim - 1] = (int64_t)(apart / e->elem_size);
	if (e->ndim <= DVMDBG_DIMS)
		array_own(e, a, given);
	for (uint32_t d = 0; a->abi >= 4 && !a->nothing && d < e->ndim && d < DVMDBG_DIMS; d++)
		if (!a->index[d])
			var_every(&v, d, a->step[d], a->block[d]);
	if (a->abi >= 7)
		var_copies(&v, a->copies, a->copy);
	for (uint32_t d = 0; a->abi >= 8 && d < e->ndim && d < DVMDBG_DIMS; d++)
		e->periodic |= (uint32_t)(a->periodic[d] != 0) << d;
	if (a->abi >= 6 && a->fetch)
		bring(&v, a);
	if (e->nfield)
		var_register_fields(&v);
	else
		var_register(&v);
	gate_objects();
	rt_leave();
}

void dvmdbg_array_at(const void *addr, int by_pointer, const char *name, int type, size_t row,
		     size_t whole, const struct dvmdbg_array *a, const char *given,
		     const char *file, int line)
{
	array_at(addr, by_pointer, name, type, row, whole, 0, 0, a, given, file, line);
}

/* A member of g[0][0][], an array g of three dimensions, is named as all of it: g[][][].x. */
static const char *whole_name(const char *name, char *out, size_t room)
{
	size_t n = 0;

	for (; *name && n + 1 < room; name++)
		if (strncmp(name, "0]", 2) || !n || name[-1] != '[')
			out[n++] = *name;
	out[n] = 0;
	return out;
}

void dvmdbg_member_at(const void *addr, const char *name, int type, size_t size, size_t row,
		      const struct dvmdbg_array *a, const char *given, const char *file, int line)
{
	char whole[VAR_NAME];

	/* distances in each dimension: it is one array, and no table of them */
	if (a->stride[0] && strlen(name) < sizeof(whole))
		name = whole_name(name, whole, sizeof(whole));
	array_at(addr, 0, name, row % size ? -1 : type, size, 0, row, 0, a, given, file, line);
}

void dvmdbg_rows_at(const void *addr, size_t apart, const char *name, int type, size_t size,
		    const struct dvmdbg_array *a, const char *given, const char *file, int line)
{
	array_at(addr, 1, name, type, size, 0, 0, apart, a, given, file, line);
}

/* A variable: one value, or all of a fixed array. */
static void variable_of(struct page_entity *e, const void *addr, int type, size_t size)
{
	e->type = (uint8_t)type;
	e->order = 'C';
	e->addr = (uintptr_t)addr;
	e->elem_size = (uint32_t)(var_size(e->type) ? var_size(e->type) : size);
	if (size <= e->elem_size || !e->elem_size)
		return;
	e->ndim = 1;
	e->extent[0] = (int64_t)(size / e->elem_size);
	e->own_hi[0] = e->extent[0] - 1;
}

static void variable_at(struct var *v, int kind, const char *file, int line)
{
	v->loc = arena_loc_of_line(CONSTRUCT_KINDS, file, line, NULL, false);
	v->e.kind = (uint8_t)kind;
	var_register(v);
	gate_objects();
}

void dvmdbg_scalar_at(const void *addr, const char *name, int type, size_t size,
		      const struct dvmdbg_field *field, int nfield, const char *file, int line)
{
	struct var v = { .name = name, .len = strlen(name), .field = field, .declared = -1 };

	if (!rt_enter()) {
		if (!rt_owner)
			find_thread(name, file, line);
		return;
	}
	variable_of(&v.e, addr, type, size);
	v.e.nfield = (uint32_t)nfield;
	variable_at(&v, ARRAY_REPLICATED, file, line);
	rt_leave();
}

/* It is an array, of one element when it is no array, which one rank owns. */
void dvmdbg_mapped_at(const void *addr, const char *name, int type, size_t size, int owns,
		      const char *file, int line)
{
	struct var v = { .name = name, .len = strlen(name), .declared = -1 };

	if (!rt_enter()) {
		if (!rt_owner)
			find_thread(name, file, line);
		return;
	}
	variable_of(&v.e, addr, type, size);
	var_mapped(&v, owns);
	variable_at(&v, ARRAY_DISTRIBUTED, file, line);
	rt_leave();
}

void dvmdbg_forget_at(const void *addr)
{
	if (!rt_enter())
		return;
	var_forget(elsewhere_forget((uintptr_t)addr));
	gate_objects();
	rt_leave();
}

int dvmdbg_mpi_on(void)
{
	return rt_is_on();
}

const _Atomic unsigned *dvmdbg_mpi_switch(void)
{
	return rt.on;
}

struct mpistate_page *dvmdbg_mpi_page(void)
{
	return rt_is_on() ? &rt.page->mpi_calls : NULL;
}

void dvmdbg_mpi_state(int state, int abi)
{
	if (!rt_is_on())
		return;
	rt.page->mpi_abi = (uint32_t)abi;
	atomic_store(&rt.page->mpi, (uint32_t)state);
	wait_notify();
}

void dvmdbg_mpi_attach(const struct rt_mpi_ops *ops)
{
	if (!rt_is_on())
		return;
	if (ops && (rt_owner || !ops->same_thread))
		rt.mpi = ops;
	crash_install();
}

int dvmdbg_mpi_points(void)
{
	return rt_is_on() && rt.page->points == POINT_KIND_MPI;
}

/* Tasks are executed by some ranks only, and by other ones in another run: nothing is numbered
 * there. */
unsigned dvmdbg_mpi_begin(const char *name, const void *pc, const void *result)
{
	struct stack_range range = { .on = (uintptr_t)result };
	unsigned id = 0;

	if (!rt_enter())
		return 0;
	/* one that was left by a jump out of it */
	if (rt.open[CONSTRUCT_MPI])
		stack_end(CONSTRUCT_MPI, (uintptr_t)pc);
	if (!rt.open[CONSTRUCT_TASK])
		id = stack_open(CONSTRUCT_MPI, 0,
				arena_loc_of_pc(CONSTRUCT_MPI, (uintptr_t)pc, name, strlen(name)),
				&range);
	rt_leave();
	return id;
}

void dvmdbg_mpi_end(unsigned id)
{
	if (!rt_enter())
		return;
	stack_close(id, false);
	rt_leave();
}

void dvmdbg_region(const void *pc, int begins)
{
	if (!rt_is_on() || rt.page->points != POINT_KIND_OMP || !rt_enter())
		return;
	stack_region(pc, begins);
	rt_leave();
}

void dvmdbg_mpi_finish(const void *pc)
{
	if (!rt.announced || !rt_enter())
		return;
	stack_finish((uintptr_t)pc);
	rt_leave();
}

void dvmdbg_mpi_reduces(const struct rt_mpi_reduces *r)
{
	if (!rt_enter_unmarked())
		return;
	gate_reduces(r);
	rt_leave();
}

void dvmdbg_mpi_traced(const struct trace_call *c, const void *pc)
{
	int e = errno;

	if (rt_is_on())
		gate_call(c, (uintptr_t)pc);
	errno = e;
}

void dvmdbg_mpi_moved(int kind, const struct rt_mpi_moved *m, const void *pc)
{
	int e = errno;

	if (rt_is_on())
		declare_moved((char)kind, m, (uintptr_t)pc);
	errno = e;
}

void dvmdbg_mpi_window(const void *at, unsigned long bytes)
{
	if (rt_is_on() && at && bytes)
		declare_range('W', (uintptr_t)at, bytes, 0);
}

void dvmdbg_declare_at(int kind, const void *addr, size_t bytes)
{
	if (!rt_enter())
		return;
	declare_range((char)kind, (uintptr_t)addr, bytes, CALLER);
	rt_leave();
}

void dvmdbg_across_at(const void *addr, const struct dvmdbg_across *a)
{
	int64_t below[DVMDBG_DIMS], above[DVMDBG_DIMS];
	unsigned n = 0;

	if (!rt_enter())
		return;
	for (unsigned d = 0; d < DVMDBG_DIMS; d++) {
		below[d] = a->below[d];
		above[d] = a->above[d];
		if (below[d] || above[d])
			n = DVMDBG_DIMS;
	}
	declare_across((uintptr_t)addr, n, below, above, CALLER);
	rt_leave();
}

void dvmdbg_after_at(long task)
{
	if (!rt_enter())
		return;
	declare_after(task);
	rt_leave();
}

void dvmdbg_mpi_order(const char *why)
{
	if (!rt_enter_unmarked())
		return;
	find_add(FINDING_ORDER, 0, why);
	rt_leave();
}

void dvmdbg_mpi_detach(void)
{
	rt.mpi = NULL;
}

/* Parks in whatever thread it is: the others go on until they stop, or the real call ends them. */
static void park_before_end(unsigned reason, int code)
{
	struct park p = { .reason = reason, .code = code };
	int e = errno;

	p.gen = rt.plan.gen;
	while (!park(&p, rt_owner))
		p.gen = atomic_load(&rt.page->go_gen);
	errno = e;
}

void dvmdbg_mpi_misuse(int kind, const char *text, const void *pc)
{
	if (rt_enter_unmarked()) {
		find_add((enum finding_kind)kind,
			 pc ? arena_loc_of_pc(CONSTRUCT_FUNCTION, (uintptr_t)pc - 1, NULL, 0) : 0,
			 text);
		rt_leave();
	} else {
		find_at((enum finding_kind)kind, (uintptr_t)pc, text);
	}
}

void dvmdbg_mpi_abort(int code)
{
	if (!rt_is_on())
		return;
	rt.page->abort_code = code;
	rt.page->aborted = 1;
	park_before_end(STOP_ABORT, code);
}

#define BLOCKS 1000 /* that are looked for, as each goes over the heap */

unsigned long dvmdbg_mpi_block(const void *at)
{
	static unsigned looked;
	uint64_t lo, hi;
	bool found;

	if (!rt_is_on() || !rt_enter_unmarked())
		return 0;
	found = looked < BLOCKS && ++looked && block_find((uintptr_t)at, &lo, &hi);
	rt_leave();
	return found ? hi - (uintptr_t)at : 0;
}

#define LOOKED_AT 256 /* objects, so that programs with very many are not held up */

unsigned dvmdbg_mpi_object(const void *at, unsigned *newest)
{
	unsigned found = 0;

	if (!at || !rt_enter_unmarked())
		return 0;
	if (var_count() <= LOOKED_AT)
		found = var_having((uintptr_t)at);
	*newest = rt.last.main;
	rt_leave();
	return found;
}

/* As MPI_Abort, but MPI cannot be called meanwhile. */
void dvmdbg_mpi_error(int code, const char *text, const void *pc)
{
	if (!rt_is_on())
		return;
	rt.mpi = NULL;
	if (rt_enter_unmarked()) {
		find_add(FINDING_MPI,
			 pc ? arena_loc_of_pc(CONSTRUCT_FUNCTION, (uintptr_t)pc - 1, NULL, 0) : 0,
			 text);
		rt_leave();
	}
	park_before_end(STOP_ERROR, code);
}
