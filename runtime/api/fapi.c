/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the Fortran module dvmdbg.f90 binds to. Callers have no file and line: their return address
 * is the place. Everything of any type and rank comes as a descriptor in the form of gfortran's
 * ISO_Fortran_binding.h (version 1, from gcc 12 on).
 */
#include "runtime/base/base.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/array/value.h"
#include "runtime/dvmdbg.h"
#include "runtime/stop/stop.h"
#include "runtime/record/record.h"

#define CALLER ((uintptr_t)__builtin_return_address(0))
#define FRAME __builtin_frame_address(0)
#define CFI_DIMS 15

struct cfi {
	void *base;
	size_t elem_len;
	int version;
	int8_t rank, attribute;
	int16_t type; /* intrinsic type, and its kind << 8 */
	struct {
		ptrdiff_t lower, extent, sm; /* sm: bytes between neighbours */
	} dim[CFI_DIMS];
};

enum { CFI_INTEGER = 1, CFI_LOGICAL = 2, CFI_REAL = 3, CFI_COMPLEX = 4, CFI_CHARACTER = 5 };

#define ARRAY_PARAMS                                                                           \
	const struct cfi *a, const struct cfi *name, const struct cfi *shape,                  \
		const struct cfi *own_lo, const struct cfi *own_hi, const struct cfi *halo,    \
		const struct cfi *halo_lo, const struct cfi *halo_hi, const struct cfi *lower, \
		const int *nothing
RT_PUBLIC void dvmdbg_f_array(ARRAY_PARAMS);
#define LIST_PARAMS                                                                       \
	const struct cfi *index1, const struct cfi *index2, const struct cfi *index3,     \
		const struct cfi *index4, const struct cfi *index5, const struct cfi *index6, \
		const struct cfi *index7, const struct cfi *index8
RT_PUBLIC void dvmdbg_f_array_lists(ARRAY_PARAMS, LIST_PARAMS);
RT_PUBLIC void dvmdbg_f_array_first(ARRAY_PARAMS, LIST_PARAMS, const int *first);
RT_PUBLIC void dvmdbg_f_array_copies(ARRAY_PARAMS, LIST_PARAMS, const int *first,
				     const int *copies, const int *copy);
RT_PUBLIC void dvmdbg_f_array_periodic(ARRAY_PARAMS, LIST_PARAMS, const int *first,
				       const int *copies, const int *copy,
				       const struct cfi *periodic);
RT_PUBLIC void dvmdbg_f_field(const struct cfi *structure, const struct cfi *component,
			      const struct cfi *name);
RT_PUBLIC void dvmdbg_f_replicated(const struct cfi *a, const struct cfi *name,
				   const struct cfi *lower);
RT_PUBLIC void dvmdbg_f_mapped(const struct cfi *a, const struct cfi *name, const int *owns);
RT_PUBLIC void dvmdbg_f_forget(const struct cfi *name);
RT_PUBLIC void dvmdbg_f_pl_begin(const struct cfi *first, const struct cfi *last,
				 const struct cfi *on);
RT_PUBLIC void dvmdbg_f_pl_open(const struct cfi *first, const struct cfi *last,
				const struct cfi *on, const struct cfi *writes,
				const struct cfi *reads);
RT_PUBLIC void dvmdbg_f_pl_mapped(const struct cfi *first, const struct cfi *last,
				  const struct cfi *on, const struct cfi *writes,
				  const struct cfi *reads, const struct cfi *shift,
				  const struct cfi *by);
RT_PUBLIC void dvmdbg_f_private(const struct cfi *a);
RT_PUBLIC void dvmdbg_f_readonly(const struct cfi *a);
RT_PUBLIC void dvmdbg_f_reduces(const struct cfi *a);
RT_PUBLIC void dvmdbg_f_across(const struct cfi *a, const struct cfi *below,
			       const struct cfi *above);
RT_PUBLIC void dvmdbg_f_computes_halo(const struct cfi *a);
RT_PUBLIC void dvmdbg_f_after(const struct cfi *k);
RT_PUBLIC void dvmdbg_f_halo_start(const struct cfi *a);
RT_PUBLIC void dvmdbg_f_halo(const struct cfi *a);
RT_PUBLIC void dvmdbg_f_reduction_start(const struct cfi *a);
RT_PUBLIC void dvmdbg_f_remote(const struct cfi *a);
RT_PUBLIC void dvmdbg_f_tr_open(const struct cfi *first, const struct cfi *last,
				const struct cfi *writes, const struct cfi *reads);
RT_PUBLIC void dvmdbg_f_sl_begin(const struct cfi *first, const struct cfi *last);
RT_PUBLIC void dvmdbg_f_tr_begin(const struct cfi *first, const struct cfi *last);
RT_PUBLIC void dvmdbg_f_task_begin(const struct cfi *k);
RT_PUBLIC void dvmdbg_f_function_begin(const struct cfi *name);
RT_PUBLIC void dvmdbg_f_dispatch_begin(void);
RT_PUBLIC void dvmdbg_f_dispatch_end(void);
RT_PUBLIC void dvmdbg_f_pl_end(void);
RT_PUBLIC void dvmdbg_f_sl_end(void);
RT_PUBLIC void dvmdbg_f_tr_end(void);
RT_PUBLIC void dvmdbg_f_task_end(void);
RT_PUBLIC void dvmdbg_f_function_end(void);
RT_PUBLIC void dvmdbg_f_iteration_4(int i);
RT_PUBLIC void dvmdbg_f_iteration_44(int i, int j);
RT_PUBLIC void dvmdbg_f_iteration_444(int i, int j, int k);
RT_PUBLIC void dvmdbg_f_iteration_8(int64_t i);
RT_PUBLIC void dvmdbg_f_iteration_88(int64_t i, int64_t j);
RT_PUBLIC void dvmdbg_f_iteration_888(int64_t i, int64_t j, int64_t k);
RT_PUBLIC void dvmdbg_f_pl_iteration_4(int i);
RT_PUBLIC void dvmdbg_f_pl_iteration_44(int i, int j);
RT_PUBLIC void dvmdbg_f_pl_iteration_444(int i, int j, int k);
RT_PUBLIC void dvmdbg_f_pl_iteration_8(int64_t i);
RT_PUBLIC void dvmdbg_f_pl_iteration_88(int64_t i, int64_t j);
RT_PUBLIC void dvmdbg_f_pl_iteration_888(int64_t i, int64_t j, int64_t k);
RT_PUBLIC void dvmdbg_f_pl_iteration_end(void);
RT_PUBLIC void dvmdbg_f_reduction(const struct cfi *a, int op);
RT_PUBLIC void dvmdbg_f_skip(void);

/*
 * What the module's object has, as it was compiled. That they are named here makes the linker show
 * them in programs, where the debugger looks before the start.
 */
extern const int dvmdbg_fortran_without_hooks_ __attribute__((weak, visibility("default")));
extern const int dvmdbg_fortran_with_hooks_ __attribute__((weak, visibility("default")));
static const int *const marks[] __attribute__((used)) = { &dvmdbg_fortran_without_hooks_,
							   &dvmdbg_fortran_with_hooks_ };

/* enum value_type of the elements; 255: none of ours. */
static uint8_t type_of(const struct cfi *a)
{
	static const struct {
		uint8_t intrinsic, kind, type;
	} types[] = {
		{ CFI_INTEGER, 1, VALUE_SCHAR },    { CFI_INTEGER, 2, VALUE_SHORT },
		{ CFI_INTEGER, 4, VALUE_INT },	    { CFI_INTEGER, 8, VALUE_LONG },
		{ CFI_REAL, 4, VALUE_FLOAT },	    { CFI_REAL, 8, VALUE_DOUBLE },
		{ CFI_COMPLEX, 4, VALUE_FCOMPLEX }, { CFI_COMPLEX, 8, VALUE_DCOMPLEX },
		{ CFI_LOGICAL, 1, VALUE_BOOL },	    { CFI_LOGICAL, 4, VALUE_LOGICAL },
		{ CFI_CHARACTER, 1, VALUE_CHAR },
	};

	for (unsigned i = 0; a->version == 1 && i < sizeof(types) / sizeof(types[0]); i++)
		if (a->type == types[i].intrinsic + (types[i].kind << 8))
			return types[i].type;
	return 255;
}

/*
 * Bytes between neighbours in dimension d. gfortran 12 leaves them out when an allocatable has been
 * allocated by a = pack(b, c), cshift, or another function of its library: 0 in a variable of a
 * module, anything in one on the stack. Such an array is contiguous.
 */
static ptrdiff_t step_of(const struct cfi *a, unsigned d)
{
	const ptrdiff_t sm = a->dim[d].sm, least = (ptrdiff_t)a->elem_len;
	ptrdiff_t step = least;

	if (a->dim[d].extent < 2 || ((sm >= least || sm <= -least) && llabs(sm) >> 40 == 0))
		return sm;
	for (unsigned i = 0; i < d; i++)
		step *= a->dim[i].extent;
	return step;
}

/* Bytes from the first element to the last, when they follow each other; else 0. */
static uint64_t bytes_of(const struct cfi *a)
{
	uint64_t bytes = a->elem_len;

	for (unsigned d = 0; d < (unsigned)a->rank; d++) {
		if (step_of(a, d) != (ptrdiff_t)bytes || a->dim[d].extent < 0)
			return 0;
		bytes *= (uint64_t)a->dim[d].extent;
	}
	return bytes;
}

/* A list of integers, or the number itself. */
static struct var_list list_of(const struct cfi *c)
{
	return (struct var_list){ c->base, (unsigned)c->elem_len, c->rank ? step_of(c, 0) : 0 };
}

static int64_t list_value(const struct cfi *c, unsigned i)
{
	const struct var_list l = list_of(c);

	return var_list_at(&l, i);
}

static bool list_is(const struct cfi *c)
{
	uint8_t t = c && c->base ? type_of(c) : 255;

	return t == VALUE_SCHAR || t == VALUE_SHORT || t == VALUE_INT || t == VALUE_LONG;
}

/* How many values a list has; a number counts for every dimension. 0: none or not integers. */
static unsigned list_count(const struct cfi *c, unsigned ndim)
{
	if (!list_is(c) || c->rank > 1)
		return 0;
	if (!c->rank)
		return ndim;
	return c->dim[0].extent < (ptrdiff_t)ndim ? (unsigned)c->dim[0].extent : ndim;
}

/* Copies the values of a list that is given. False: it is given and does not have ndim integers. */
static bool list_take(int64_t *to, const struct cfi *c, unsigned ndim)
{
	if (!c)
		return true;
	if (list_count(c, ndim) != ndim || (c->rank && c->dim[0].extent != (ptrdiff_t)ndim))
		return false;
	for (unsigned d = 0; d < ndim; d++)
		to[d] = list_value(c, d);
	return true;
}

/* What a descriptor says: address, type, strides; shape is all that is here. */
static void entity_of(struct var *v, const struct cfi *a)
{
	struct page_entity *e = &v->e;

	e->order = 'F';
	e->addr = (uintptr_t)a->base;
	e->type = type_of(a);
	e->elem_size = (uint32_t)a->elem_len;
	e->ndim = (uint32_t)a->rank;
	for (uint32_t d = 0; d < e->ndim && d < ARRAY_DIMS; d++) {
		e->lower[d] = 1;
		e->extent[d] = a->dim[d].extent;
		if (a->elem_len && step_of(a, d) % (ptrdiff_t)a->elem_len)
			e->type = 255; /* a component of an array of structures */
		if (a->elem_len)
			e->stride[d] = step_of(a, d) / (ptrdiff_t)a->elem_len;
	}
	/* one character string is an array of characters */
	if (e->type == VALUE_CHAR && a->elem_len != 1) {
		e->type = a->rank ? 255 : VALUE_CHAR;
		e->elem_size = 1;
		e->ndim = 1;
		e->lower[0] = 1;
		e->stride[0] = 1;
		e->extent[0] = (int64_t)a->elem_len;
	}
}

static void name_of(struct var *v, const struct cfi *name)
{
	v->by_name = true;
	v->name = name->base;
	for (v->len = name->elem_len; v->len && v->name[v->len - 1] == ' ';)
		v->len--;
}

/* A finding about a name, which need not end with NUL. */
static void find_name(enum finding_kind kind, uint32_t loc, const char *name, size_t len,
		      const char *what)
{
	char detail[160];
	struct text t = { detail, 0, sizeof(detail) };

	for (size_t i = 0; i < len && i < 64; i++)
		text_str(&t, (char[]){ name[i], 0 });
	text_str(&t, what);
	find_add(kind, loc, detail);
}

static void fault(const struct var *v, const char *what)
{
	find_name(FINDING_REGISTER, v->loc, v->name, v->len, what);
}

/* Own, or the index list, and halo against what the memory has. What is wrong, NULL: nothing. */
static const char *extents_wrong(const struct var *v, const struct cfi *a)
{
	const struct page_entity *e = &v->e;
	bool fits = true, fits_own = true, fits_turned = true;

	for (uint32_t d = 0; d < e->ndim; d++) {
		int64_t own =
			var_is_list(&v->index[d]) ? e->list_n[d] : e->own_hi[d] - e->own_lo[d] + 1;
		int64_t all = own + (v->first_own ? 0 : e->halo_lo[d] + e->halo_hi[d]);

		if (own <= 0)
			return NULL;
		fits &= all <= a->dim[d].extent;
		fits_own &= own == a->dim[d].extent;
		fits_turned &= all == a->dim[e->ndim - 1 - d].extent;
	}
	return fits ? NULL
	       : fits_own
		       ? ": own needs all of the array, and nothing is left for the halo: give the "
			 "array with its halo, or first=dvmdbg_own if that lies around it"
	       : fits_turned
		       ? ": own and halo need more elements than the array has: they fit in the "
			 "other order of the dimensions"
		       : ": own and halo need more elements than the array has";
}

/* What dvmdbg_array is given; NULL: left out. */
struct described {
	const struct cfi *a, *name, *shape, *own_lo, *own_hi, *halo, *halo_lo, *halo_hi, *lower;
	const struct cfi *index[ARRAY_DIMS];
	const int *nothing;
	const struct cfi *periodic;
	bool first_own; /* a is the own part, and its halo is around it */
	int copies, copy; /* as in struct dvmdbg_array */
};

static bool periodic_take(struct page_entity *e, const struct cfi *c)
{
	int64_t is[ARRAY_DIMS] = { 0 };

	if (!list_take(is, c, e->ndim))
		return false;
	for (uint32_t d = 0; d < e->ndim; d++)
		e->periodic |= (uint32_t)(is[d] != 0) << d;
	return true;
}

/* Takes the index lists that are given. What is wrong with them, NULL: nothing. */
static const char *lists_take(struct var *v, const struct described *g)
{
	for (uint32_t d = 0; d < ARRAY_DIMS; d++) {
		const struct cfi *c = g->index[d];

		if (!c)
			continue;
		if (d >= v->e.ndim)
			return ": an index list is of a dimension that the array does not have";
		if (!list_is(c) || c->rank != 1)
			return ": an index list is not a list of integers";
		if (c->dim[0].extent > INT32_MAX)
			return ": an index list has more than 2147483647 indices";
		if (!g->shape)
			return ": an index list needs shape, the extents of the global array";
		v->index[d] = list_of(c);
		v->e.list_n[d] = (uint32_t)(c->dim[0].extent > 0 ? c->dim[0].extent : 0);
	}
	return NULL;
}

/* Takes what is given into the description of the memory. What is wrong with it, NULL: nothing. */
static const char *described_take(struct var *v, const struct described *g)
{
	struct page_entity *e = &v->e;
	const char *wrong;

	if (!e->ndim || e->ndim > ARRAY_DIMS)
		return ": the number of dimensions is not 1 to 8";
	if (!list_take(e->lower, g->lower, e->ndim))
		return ": lower is not one integer per dimension";
	if (!list_take(e->halo_lo, g->halo_lo ? g->halo_lo : g->halo, e->ndim) ||
	    !list_take(e->halo_hi, g->halo_hi ? g->halo_hi : g->halo, e->ndim))
		return ": halo is not one integer per dimension";
	v->first_own = g->first_own;
	for (uint32_t d = 0; d < e->ndim && !g->first_own; d++)
		e->extent[d] -= e->halo_lo[d] + e->halo_hi[d];
	if (!list_take(e->extent, g->shape, e->ndim))
		return ": shape is not one integer per dimension";
	for (uint32_t d = 0; d < e->ndim; d++) {
		e->own_lo[d] = e->lower[d];
		e->own_hi[d] = e->lower[d] + e->extent[d] - 1;
	}
	if (!list_take(e->own_lo, g->own_lo, e->ndim) || !list_take(e->own_hi, g->own_hi, e->ndim))
		return ": own_lo or own_hi is not one integer per dimension";
	wrong = lists_take(v, g);
	if (wrong)
		return wrong;
	var_copies(v, g->copies, g->copy);
	if (!periodic_take(e, g->periodic))
		return ": periodic is not one integer per dimension";
	for (uint32_t d = 0; g->nothing && *g->nothing && d < e->ndim; d++)
		e->own_hi[d] = e->own_lo[d] - 1;
	return extents_wrong(v, g->a);
}

/* Fields that have been named, of the array or variable that is registered next. */
static struct {
	struct dvmdbg_field field[DVMDBG_FIELD_MOST];
	char name[DVMDBG_FIELD_MOST][64];
	unsigned n;
	size_t bytes; /* of their structure */
} fields;

/* The component's place in the structure. What is wrong with it, NULL: nothing. */
static const char *field_take(const struct cfi *structure, const struct cfi *c, const struct var *v)
{
	uint64_t offset = (uintptr_t)c->base - (uintptr_t)structure->base, bytes = bytes_of(c);
	uint8_t type = type_of(c);
	char *name;

	if (fields.n == DVMDBG_FIELD_MOST)
		return ": of a derived type at most 32 fields can be named";
	if (!v->len || v->len >= sizeof(fields.name[0]))
		return ": the name of a field has 1 to 63 characters";
	if (fields.n && fields.bytes != structure->elem_len)
		return ": it is of another derived type than the fields that were named before";
	if (type == 255)
		return ": the type of the field is not known: numbers are, and of components that "
		       "are of a derived type those, as p%x";
	if (!c->base || offset >= structure->elem_len || bytes > structure->elem_len - offset)
		return ": it is no part of the structure, as a pointer or an allocatable is not";
	name = fields.name[fields.n];
	for (size_t i = 0; i < v->len; i++)
		name[i] = v->name[i] == '%' ? '.' : v->name[i];
	name[v->len] = 0;
	fields.field[fields.n++] =
		(struct dvmdbg_field){ name, type, (unsigned)offset, (unsigned)bytes };
	fields.bytes = structure->elem_len;
	return NULL;
}

void dvmdbg_f_field(const struct cfi *structure, const struct cfi *component,
		    const struct cfi *name)
{
	struct var v = { .by_name = true };
	const char *wrong;
	uint64_t pc = CALLER;

	if (!dvmdbg_active || !rt_enter())
		return;
	name_of(&v, name);
	v.loc = arena_loc_of_pc(CONSTRUCT_KINDS, pc, NULL, 0);
	wrong = field_take(structure, component, &v);
	if (wrong)
		fault(&v, wrong);
	rt_leave();
}

/* The fields that have been named are those of a. What is wrong with that, NULL: nothing. */
static const char *fields_use(struct var *v, const struct cfi *a)
{
	struct page_entity *e = &v->e;

	if (!fields.n)
		return NULL;
	if (fields.bytes != a->elem_len)
		return ": the fields that were named before are those of another type";
	for (uint32_t d = 0; d < e->ndim && d < ARRAY_DIMS; d++)
		if (step_of(a, d) % (ptrdiff_t)a->elem_len)
			return ": its elements are no whole number of structures apart";
	e->type = VALUE_STRUCT;
	e->nfield = fields.n;
	v->field = fields.field;
	return NULL;
}

/* With the fields that have been named, which are those of no other. */
static void register_named(struct var *v, const struct cfi *a)
{
	const char *wrong = fields_use(v, a);

	if (wrong)
		fault(v, wrong);
	else if (v->e.nfield && v->e.ndim)
		var_register_fields(v);
	else
		var_register(v);
}

static void array_at(const struct described *g, uint64_t pc)
{
	struct var v = { .by_name = true, .declared = -1 };
	const char *wrong;

	if (!rt_enter()) {
		if (!rt_owner)
			find_thread("an array is registered", NULL, 0);
		return;
	}
	name_of(&v, g->name);
	v.loc = arena_loc_of_pc(CONSTRUCT_KINDS, pc, NULL, 0);
	entity_of(&v, g->a);
	wrong = described_take(&v, g);
	if (wrong)
		fault(&v, wrong);
	else
		register_named(&v, g->a);
	fields.n = 0;
	gate_objects();
	rt_leave();
}

#define ARRAY_GIVEN                                                                             \
	.a = a, .name = name, .shape = shape, .own_lo = own_lo, .own_hi = own_hi, .halo = halo, \
	.halo_lo = halo_lo, .halo_hi = halo_hi, .lower = lower, .nothing = nothing

#define LISTS_GIVEN .index = { index1, index2, index3, index4, index5, index6, index7, index8 }

void dvmdbg_f_array_periodic(ARRAY_PARAMS, LIST_PARAMS, const int *first, const int *copies,
			     const int *copy, const struct cfi *periodic)
{
	array_at(&(struct described){ ARRAY_GIVEN, LISTS_GIVEN,
				      .first_own = first && *first == DVMDBG_OWN,
				      .copies = copies ? *copies : 0,
				      .copy = copy ? *copy : 0,
				      .periodic = periodic },
		 CALLER);
}

/* As it was called before it had periodic, before it had copies, before it had first, and before it
 * had index lists. */
void dvmdbg_f_array_copies(ARRAY_PARAMS, LIST_PARAMS, const int *first, const int *copies,
			   const int *copy)
{
	array_at(&(struct described){ ARRAY_GIVEN, LISTS_GIVEN,
				      .first_own = first && *first == DVMDBG_OWN,
				      .copies = copies ? *copies : 0,
				      .copy = copy ? *copy : 0 },
		 CALLER);
}

void dvmdbg_f_array_first(ARRAY_PARAMS, LIST_PARAMS, const int *first)
{
	array_at(&(struct described){ ARRAY_GIVEN, LISTS_GIVEN,
				      .first_own = first && *first == DVMDBG_OWN },
		 CALLER);
}

void dvmdbg_f_array_lists(ARRAY_PARAMS, LIST_PARAMS)
{
	array_at(&(struct described){ ARRAY_GIVEN, LISTS_GIVEN }, CALLER);
}

void dvmdbg_f_array(ARRAY_PARAMS)
{
	array_at(&(struct described){ ARRAY_GIVEN }, CALLER);
}

/* A variable or a whole array; owns: whether it is this rank's alone, NULL: it is replicated. */
static void variable_at(const struct cfi *a, const struct cfi *name, const struct cfi *lower,
			const int *owns, uint64_t pc)
{
	struct var v = { .by_name = true, .declared = -1 };
	struct page_entity *e = &v.e;

	if (!rt_enter()) {
		if (!rt_owner)
			find_thread("a variable is registered", NULL, 0);
		return;
	}
	name_of(&v, name);
	v.loc = arena_loc_of_pc(CONSTRUCT_KINDS, pc, NULL, 0);
	entity_of(&v, a);
	e->kind = owns ? ARRAY_DISTRIBUTED : ARRAY_REPLICATED;
	if (e->ndim > ARRAY_DIMS || !list_take(e->lower, lower, e->ndim)) {
		fault(&v, ": lower is not one integer per dimension");
	} else {
		for (uint32_t d = 0; d < e->ndim; d++) {
			e->own_lo[d] = e->lower[d];
			e->own_hi[d] = e->lower[d] + e->extent[d] - 1;
		}
		if (owns)
			var_mapped(&v, *owns);
		register_named(&v, a);
		gate_objects();
	}
	fields.n = 0;
	rt_leave();
}

void dvmdbg_f_replicated(const struct cfi *a, const struct cfi *name, const struct cfi *lower)
{
	variable_at(a, name, lower, NULL, CALLER);
}

void dvmdbg_f_mapped(const struct cfi *a, const struct cfi *name, const int *owns)
{
	variable_at(a, name, NULL, owns, CALLER);
}

void dvmdbg_f_forget(const struct cfi *name)
{
	struct var v;

	if (!rt_enter())
		return;
	name_of(&v, name);
	var_forget_name(v.name, v.len);
	gate_objects();
	rt_leave();
}

static void access_one(struct access_array *to, const char *name, size_t len, uint8_t flags,
		       uint32_t loc)
{
	to->at = NULL;
	to->flags = flags;
	to->var = var_find(name, len);
	to->all = to->var != VAR_NONE && var_is_field_of(to->var, name, len);
	if (to->var == VAR_NONE && !var_empty_name(name, len) && !var_refused_name(name, len))
		find_name(FINDING_ACCESS, loc, name, len, "");
}

/* Adds the arrays of a list of names, "rsd, flux", to what a construct accesses. */
static void access_add(struct access *a, const struct cfi *names, uint8_t flags, uint32_t loc)
{
	const char *p = names ? names->base : NULL, *end = p ? p + names->elem_len : NULL;
	const uint32_t most = sizeof(a->array) / sizeof(a->array[0]);

	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma ? comma : end, *next = stop + 1;

		while (p < stop && *p == ' ')
			p++;
		while (p < stop && stop[-1] == ' ')
			stop--;
		if (p < stop && a->n == most)
			find_name(FINDING_PARTIAL, loc, p, (size_t)(stop - p),
				  ": more than 16 arrays are named");
		else if (p < stop)
			access_one(&a->array[a->n++], p, (size_t)(stop - p), flags, loc);
		p = next;
	}
}

/* What the mark of a construct is given; NULL: left out. */
struct given {
	const struct cfi *first, *last, *on, *name, *writes, *reads, *shift, *by;
};

/* How the iterations are mapped; where nothing is said, each index of the array is the loop's. */
static void map_of(struct stack_range *r, const struct given *g)
{
	unsigned n = g->on ? (unsigned)g->on->rank : 0;

	if ((!g->shift && !g->by) || n > ARRAY_DIMS)
		return;
	r->non = n;
	for (unsigned d = 0; d < n; d++) {
		int64_t by = list_count(g->by, n) > d ? list_value(g->by, d) : 0;

		r->shift[d] = list_count(g->shift, n) > d ? list_value(g->shift, d) : 0;
		r->by[d] = by ? by < 0 ? -1 : by - 1 : (int64_t)d;
	}
}

static void open_at(int kind, const struct given *g, const void *frame, uint64_t pc)
{
	const struct cfi *first = g->first, *last = g->last;
	struct stack_range r = { 0 };
	struct var v = { .len = 0 };
	struct access a = { .n = 0 };
	int64_t task = 0;
	uint32_t loc;

	if (!rt_enter()) {
		if (!rt_owner)
			find_thread(construct_words((unsigned)kind), NULL, 0);
		return;
	}
	if (g->name)
		name_of(&v, g->name);
	loc = arena_loc_of_pc(kind, pc, v.name, v.len);
	if (kind == CONSTRUCT_TASK) {
		task = list_is(first) ? list_value(first, 0) : 0;
	} else if (list_is(first) && list_is(last)) {
		r.ndim = list_count(first, first->rank ? ARRAY_DIMS : 1);
		if (list_count(last, last->rank ? ARRAY_DIMS : 1) != r.ndim)
			r.ndim = 0;
		for (uint32_t d = 0; d < r.ndim; d++) {
			r.first[d] = list_value(first, d);
			r.last[d] = list_value(last, d);
		}
	}
	r.on = g->on ? var_field_first((uintptr_t)g->on->base) : 0;
	map_of(&r, g);
	rt_called_by(&r, frame, pc);
	access_add(&a, g->writes, POINT_SUMS_WRITE, loc);
	access_add(&a, g->reads, POINT_SUMS_READ, loc);
	r.access = a.n ? &a : NULL;
	stack_open(kind, task, loc, &r);
	rt_leave();
}

void dvmdbg_f_pl_mapped(const struct cfi *first, const struct cfi *last, const struct cfi *on,
			const struct cfi *writes, const struct cfi *reads,
			const struct cfi *shift, const struct cfi *by)
{
	struct given g = { first, last, on, NULL, writes, reads, shift, by };

	if (dvmdbg_active)
		open_at(CONSTRUCT_PL, &g, FRAME, CALLER);
}

/* Before it had shift and by. */
void dvmdbg_f_pl_open(const struct cfi *first, const struct cfi *last, const struct cfi *on,
		      const struct cfi *writes, const struct cfi *reads)
{
	struct given g = {
		.first = first, .last = last, .on = on, .writes = writes, .reads = reads
	};

	if (dvmdbg_active)
		open_at(CONSTRUCT_PL, &g, FRAME, CALLER);
}

void dvmdbg_f_tr_open(const struct cfi *first, const struct cfi *last, const struct cfi *writes,
		      const struct cfi *reads)
{
	struct given g = { .first = first, .last = last, .writes = writes, .reads = reads };

	if (dvmdbg_active)
		open_at(CONSTRUCT_TR, &g, FRAME, CALLER);
}

/* pl_begin and tr_begin as they were called before they had writes and reads. */
void dvmdbg_f_pl_begin(const struct cfi *first, const struct cfi *last, const struct cfi *on)
{
	if (dvmdbg_active)
		open_at(CONSTRUCT_PL, &(struct given){ .first = first, .last = last, .on = on },
			FRAME, CALLER);
}

void dvmdbg_f_sl_begin(const struct cfi *first, const struct cfi *last)
{
	if (dvmdbg_active)
		open_at(CONSTRUCT_SL, &(struct given){ .first = first, .last = last }, FRAME,
			CALLER);
}

void dvmdbg_f_tr_begin(const struct cfi *first, const struct cfi *last)
{
	if (dvmdbg_active)
		open_at(CONSTRUCT_TR, &(struct given){ .first = first, .last = last }, FRAME,
			CALLER);
}

void dvmdbg_f_task_begin(const struct cfi *k)
{
	if (dvmdbg_active)
		open_at(CONSTRUCT_TASK, &(struct given){ .first = k }, FRAME, CALLER);
}

void dvmdbg_f_function_begin(const struct cfi *name)
{
	if (dvmdbg_active)
		open_at(CONSTRUCT_FUNCTION, &(struct given){ .name = name }, FRAME, CALLER);
}

void dvmdbg_f_dispatch_begin(void)
{
	if (dvmdbg_active)
		open_at(CONSTRUCT_DISPATCH, &(struct given){ 0 }, FRAME, CALLER);
}

static void end_at(int kind, uint64_t pc)
{
	if (!rt_enter())
		return;
	stack_end(kind, pc);
	rt_leave();
}

void dvmdbg_f_pl_end(void)
{
	if (dvmdbg_active)
		end_at(CONSTRUCT_PL, CALLER);
}

void dvmdbg_f_sl_end(void)
{
	if (dvmdbg_active)
		end_at(CONSTRUCT_SL, CALLER);
}

void dvmdbg_f_tr_end(void)
{
	if (dvmdbg_active)
		end_at(CONSTRUCT_TR, CALLER);
}

void dvmdbg_f_task_end(void)
{
	if (dvmdbg_active)
		end_at(CONSTRUCT_TASK, CALLER);
}

void dvmdbg_f_function_end(void)
{
	if (dvmdbg_active)
		end_at(CONSTRUCT_FUNCTION, CALLER);
}

void dvmdbg_f_dispatch_end(void)
{
	if (dvmdbg_active)
		end_at(CONSTRUCT_DISPATCH, CALLER);
}

#define ITERATION(name, parallel, n, params, ...)                                           \
	void name params                                                                    \
	{                                                                                   \
		if ((parallel) ? rt_iterations() : dvmdbg_active)                           \
			stack_mark_iteration(n, (const int64_t[]){ __VA_ARGS__ }, parallel, \
					     CALLER, FRAME);                                \
	}
#define ITERATIONS(prefix, parallel)                                         \
	ITERATION(prefix##_4, parallel, 1, (int i), i)                       \
	ITERATION(prefix##_44, parallel, 2, (int i, int j), i, j)            \
	ITERATION(prefix##_444, parallel, 3, (int i, int j, int k), i, j, k) \
	ITERATION(prefix##_8, parallel, 1, (int64_t i), i)                   \
	ITERATION(prefix##_88, parallel, 2, (int64_t i, int64_t j), i, j)    \
	ITERATION(prefix##_888, parallel, 3, (int64_t i, int64_t j, int64_t k), i, j, k)
ITERATIONS(dvmdbg_f_iteration, false)
ITERATIONS(dvmdbg_f_pl_iteration, true)

void dvmdbg_f_pl_iteration_end(void)
{
	if (rt_iterations())
		stack_mark_iteration(0, NULL, true, CALLER, FRAME);
}

void dvmdbg_f_reduction(const struct cfi *a, int op)
{
	struct var v = { .by_name = true, .declared = -1 };
	uint64_t pc = CALLER;

	if (!dvmdbg_active || !rt_enter())
		return;
	entity_of(&v, a);
	v.e.kind = ARRAY_REPLICATED;
	for (uint32_t d = 0; d < v.e.ndim && d < ARRAY_DIMS; d++)
		v.e.own_hi[d] = (v.e.own_lo[d] = v.e.lower[d]) + v.e.extent[d] - 1;
	if (v.e.ndim <= ARRAY_DIMS && v.e.elem_size)
		gate_reduction(&v.e, "result", strlen("result"),
			       arena_loc_of_pc(CONSTRUCT_KINDS, pc, NULL, 0), (unsigned)op);
	rt_leave();
}

void dvmdbg_f_skip(void)
{
	uint64_t pc = CALLER;

	if (!dvmdbg_active || !rt_enter())
		return;
	gate_skip(arena_loc_of_pc(CONSTRUCT_KINDS, pc, NULL, 0));
	rt_leave();
}

static void declare(char kind, const struct cfi *a, uintptr_t pc)
{
	if (!dvmdbg_active || !a->base || !rt_enter())
		return;
	declare_range(kind, (uintptr_t)a->base, bytes_of(a), pc);
	rt_leave();
}

#define DECLARE(name, kind)                           \
	void dvmdbg_f_##name(const struct cfi *a)     \
	{                                             \
		declare(kind, a, CALLER);             \
	}
DECLARE(private, 'P')
DECLARE(readonly, 'R')
DECLARE(reduces, 'D')
DECLARE(computes_halo, 'C')
DECLARE(halo_start, 'H')
DECLARE(halo, 'h')
DECLARE(reduction_start, 'S')
DECLARE(remote, 'B')

void dvmdbg_f_across(const struct cfi *a, const struct cfi *below, const struct cfi *above)
{
	int64_t lo[ARRAY_DIMS] = { 0 }, hi[ARRAY_DIMS] = { 0 };
	unsigned n = 0;

	if (!dvmdbg_active || !a->base || !rt_enter())
		return;
	for (unsigned d = 0; d < ARRAY_DIMS; d++) {
		lo[d] = list_count(below, ARRAY_DIMS) > d ? list_value(below, d) : 0;
		hi[d] = list_count(above, ARRAY_DIMS) > d ? list_value(above, d) : 0;
		if (lo[d] || hi[d])
			n = ARRAY_DIMS;
	}
	declare_across((uintptr_t)a->base, n, lo, hi, CALLER);
	rt_leave();
}

void dvmdbg_f_after(const struct cfi *k)
{
	if (!dvmdbg_active || !rt_enter())
		return;
	if (list_is(k))
		declare_after(list_value(k, 0));
	rt_leave();
}
