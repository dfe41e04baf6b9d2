/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace_synth_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/trace_config.h"
#include "common/tracefile/tracefile.h"
#include "common/array/value.h"

/* ---- objects ---- */

static struct synth_object *make(struct synth *s, const char *name, bool replicated, long n0,
				 long n1, long n2)
{
	struct synth_object *o = calloc(1, sizeof(*o));
	static char file[] = "syn.c";

	assert_non_null(o);
	snprintf(o->name, sizeof(o->name), "%s", name);
	o->number = o->version = s->nobject;
	o->replicated = replicated;
	o->n[0] = n0, o->n[1] = n1, o->n[2] = n2;
	o->ndim = !n0 ? 0 : !n1 ? 1 : !n2 ? 2 : 3;
	o->data = calloc((size_t)((n0 ? n0 : 1) * (n1 ? n1 : 1) * (n2 ? n2 : 1)), sizeof(double));
	o->at = calloc(s->p->ranks, sizeof(*o->at));
	assert_non_null(o->at);
	for (unsigned r = 0; r < s->p->ranks; r++) {
		struct array_desc *a = &o->at[r].desc;

		*a = (struct array_desc){ .name = o->name,
					  .file = file,
					  .line = 5 + o->number,
					  .kind = replicated ? ARRAY_REPLICATED : ARRAY_DISTRIBUTED,
					  .type = VALUE_DOUBLE,
					  .order = (uint8_t)(s->p->order ? s->p->order : 'C'),
					  .elem_size = 8,
					  .ndim = o->ndim };
		for (unsigned d = 0; d < o->ndim; d++)
			a->extent[d] = o->n[d];
		if (!replicated)
			synth_part(s->p, o, r);
	}
	assert_true(s->nobject < OBJECTS);
	s->object[s->nobject++] = o;
	return o;
}

struct synth_object *synth_array(struct synth *s, const char *name, long n0, long n1, long n2)
{
	return make(s, name, false, n0, n1, n2);
}

struct synth_object *synth_replicated(struct synth *s, const char *name, double value)
{
	struct synth_object *o = make(s, name, true, 0, 0, 0);

	o->data[0] = value;
	return o;
}

void synth_set(struct synth *s, struct synth_object *o, double value)
{
	o->data[0] = value;
}

/* The names stay, what they stand for is exchanged: that is a new registration of both. */
void synth_swap(struct synth_object *a, struct synth_object *b)
{
	double *data = a->data;

	a->data = b->data;
	b->data = data;
	a->version += 16;
	b->version += 16;
}

void synth_reduce(struct synth *s, struct synth_object *o, double value, unsigned line)
{
	o->data[0] = value;
	for (unsigned r = 0; r < s->p->ranks; r++) {
		double v = value;

		if (s->fault->wrong == SYNTH_VALUE && s->fault->access == 1000 &&
		    s->fault->construct == s->main_n &&
		    (s->fault->rank < 0 || s->fault->rank == (int)r))
			v += s->fault->by;
		if (synth_open_now(s, &s->rank[r]))
			PUT(s, r, 0, trace_enc_reduction(e, line, o->version, 1, &v, 8));
	}
}

static double *element(const struct synth_object *o, const int64_t *index)
{
	int64_t at = 0;

	for (unsigned d = 0; d < o->ndim; d++) {
		assert_true(index[d] >= 0 && index[d] < o->n[d]);
		at = at * o->n[d] + index[d];
	}
	return &o->data[at];
}

static bool concerns(const struct synth *s, unsigned rank)
{
	return s->only < 0 || (unsigned)s->only == rank;
}

/* ---- loops ---- */

uint32_t synth_construct(const struct synth *s)
{
	return s->main_n;
}

static struct point next_point(struct synth *s)
{
	if (s->task)
		return (struct point){ s->main_n, s->task, ++s->task_n, POINT_BEGIN };
	return (struct point){ ++s->main_n, 0, 0, POINT_BEGIN };
}

void synth_loop(struct synth *s, const struct synth_object *on, unsigned line)
{
	s->on = on;
	s->line = line;
	s->nit = s->nacc = 0;
}

void synth_iteration(struct synth *s, unsigned n, const int64_t *index)
{
	struct iteration *it;

	if (s->nit == s->it_cap) {
		s->it_cap = s->it_cap ? 2 * s->it_cap : 256;
		s->it = realloc(s->it, s->it_cap * sizeof(*s->it));
		assert_non_null(s->it);
	}
	it = &s->it[s->nit++];
	*it = (struct iteration){ .n = n, .first = s->nacc };
	memcpy(it->index, index, n * sizeof(*index));
}

static struct access *more(struct synth *s)
{
	struct access *a;

	if (s->nacc == s->acc_cap) {
		s->acc_cap = s->acc_cap ? 2 * s->acc_cap : 1024;
		s->acc = realloc(s->acc, s->acc_cap * sizeof(*s->acc));
		assert_non_null(s->acc);
	}
	a = &s->acc[s->nacc++];
	*a = (struct access){ 0 };
	s->it[s->nit - 1].count++;
	return a;
}

double synth_read(struct synth *s, const struct synth_object *o, unsigned line, long i, long j,
		  long k)
{
	struct access *a = more(s);

	*a = (struct access){ .line = (uint16_t)line,
			      .o = (struct synth_object *)o,
			      .index = { i, j, k } };
	a->value = *element(o, a->index);
	return a->value;
}

void synth_write(struct synth *s, struct synth_object *o, unsigned line, long i, long j, long k,
		 double value)
{
	struct access *a = more(s);

	*a = (struct access){ .write = true, .line = (uint16_t)line, .o = o, .index = { i, j, k } };
	a->value = *element(o, a->index) = value;
}

void synth_local(struct synth *s, unsigned line, bool write, double value)
{
	*more(s) = (struct access){
		.local = true, .write = write, .line = (uint16_t)line, .value = value
	};
}

void synth_inner(struct synth *s, unsigned line)
{
	*more(s) = (struct access){ .kind = 1, .line = (uint16_t)line };
}

void synth_inner_iteration(struct synth *s, int64_t index)
{
	*more(s) = (struct access){ .kind = 2, .index = { index } };
}

void synth_inner_end(struct synth *s)
{
	*more(s) = (struct access){ .kind = 3 };
}

static bool fault_at(const struct synth *s, enum synth_wrong wrong, const struct iteration *it)
{
	const struct synth_fault *f = s->fault;

	if (f->wrong != wrong || f->construct != s->main_n)
		return false;
	for (unsigned d = 0; d < it->n; d++)
		if (it->index[d] != f->index[d])
			return false;
	return true;
}

bool synth_backwards(const struct synth *s)
{
	return s->p->backwards;
}

double synth_bad(const struct synth *s)
{
	const struct iteration *it = &s->it[s->nit - 1];
	const struct synth_fault *f = s->fault;

	/* the construct has its number when it is dealt out */
	if (f->wrong != SYNTH_GLOBAL || f->construct != s->main_n + !s->task)
		return 0;
	for (unsigned d = 0; d < it->n; d++)
		if (it->index[d] != f->index[d])
			return 0;
	return f->by;
}

static bool fault_here(const struct synth *s, enum synth_wrong wrong, const struct iteration *it,
		       unsigned rank)
{
	return fault_at(s, wrong, it) && (s->fault->rank < 0 || s->fault->rank == (int)rank);
}

static void put_inner(struct synth *s, unsigned r, unsigned t, const struct access *a)
{
	struct trace_opening o = { .kind = CONSTRUCT_SL,
				   .level = (uint8_t)s->p->level,
				   .place = a->line };
	const struct point none = { 0 };
	struct rank *k = &s->rank[r];
	struct trace_frame *f = &k->frame[k->depth];

	/* a block that begins inside of it says so */
	if (a->kind == 1) {
		PUT(s, r, t, trace_enc_begin(e, &o));
		*f = (struct trace_frame){ .kind = CONSTRUCT_SL,
					   .level = o.level,
					   .place = a->line };
		k->depth++;
	} else if (a->kind == 2) {
		PUT(s, r, t, trace_enc_iter(e, 1, a->index));
		f[-1].nidx = 1;
		f[-1].index[0] = a->index[0];
	} else {
		PUT(s, r, t, trace_enc_end(e, CONSTRUCT_SL, &none, 0, false, UINT64_MAX));
		k->depth--;
	}
}

static void put_access(struct synth *s, unsigned r, unsigned t, struct access a)
{
	unsigned flags = 8 | (a.write ? TRACE_WRITES : 0);
	uint64_t at = 0x7fff0000u + a.line * 8;
	uint32_t object = TRACE_NOWHERE;
	bool own;

	if (s->p->level < (a.write ? 2 : 3))
		return;
	if (!a.local && synth_local_at(a.o, r, a.index, &at, &own))
		object = a.o->version;
	else if (!a.local)
		at = 0x7fee0000u;
	PUT(s, r, t, trace_enc_access(e, a.line, flags, object, at, &a.value));
}

static void put_iteration(struct synth *s, unsigned r, unsigned t, const struct iteration *it,
			  int64_t shift)
{
	struct rank *k = &s->rank[r];
	int64_t index[3] = { it->index[0] + shift, it->index[1], it->index[2] };
	struct trace_frame *f = &k->frame[k->depth - 1];

	if (s->p->marks) {
		PUT(s, r, t, trace_enc_iter(e, it->n, index));
		f->nidx = (uint8_t)it->n;
		memcpy(f->index, index, it->n * sizeof(*index));
	}
	if (s->p->level < 2)
		return;
	if (fault_here(s, SYNTH_LOST, it, r))
		PUT(s, r, t, trace_enc_lost(e, 0, it->count));
	for (size_t i = 0; i < it->count; i++) {
		struct access a = s->acc[it->first + i];
		bool hit = s->fault->access == i && !shift;

		if (a.kind) {
			put_inner(s, r, t, &a);
			continue;
		}
		if (fault_here(s, SYNTH_LOST, it, r) || (hit && fault_here(s, SYNTH_OMIT, it, r)))
			continue;
		if (hit && fault_here(s, SYNTH_VALUE, it, r))
			a.value += s->fault->by;
		if (hit && fault_here(s, SYNTH_ELEMENT, it, r))
			a.index[a.o->ndim - 1]++;
		put_access(s, r, t, a);
	}
}

static bool recorded(const struct synth *s, const struct iteration *it)
{
	if (s->p->limit <= 0)
		return true;
	for (unsigned d = 0; d < it->n; d++)
		if (it->index[d] < s->p->limit || it->index[d] >= s->on->n[d] - s->p->limit)
			return true;
	return false;
}

/* Whether the rank executes it. */
static bool runs(const struct synth *s, unsigned r, const struct iteration *it)
{
	uint64_t at;
	bool own, here = synth_local_at(s->on, r, it->index, &at, &own);

	if (s->only >= 0)
		return (unsigned)s->only == r;
	return here && (own || s->p->redundant);
}

static uint64_t deal(struct synth *s, unsigned r)
{
	unsigned threads = s->p->threads ? s->p->threads : 1;
	uint64_t n = 0;

	for (size_t i = 0; i < s->nit; i++) {
		size_t which = s->p->backwards ? s->nit - 1 - i : i;
		const struct iteration *it = &s->it[which];
		unsigned t = (unsigned)(i * threads / s->nit);

		if (!runs(s, r, it) || fault_here(s, SYNTH_SKIPPED, it, r))
			continue;
		n++;
		if (!recorded(s, it))
			continue;
		put_iteration(s, r, t, it, 0);
		if (fault_here(s, SYNTH_TWICE, it, r)) {
			put_iteration(s, r, t, it, 0);
			n++;
		}
		if (fault_here(s, SYNTH_EXTRA, it, r)) {
			put_iteration(s, r, t, it, 100);
			n++;
		}
	}
	for (unsigned t = 1; t < threads; t++)
		synth_pen_close(s, r, t);
	return n;
}

static bool fault_of(const struct synth *s, enum synth_wrong wrong, unsigned r)
{
	return s->fault->wrong == wrong && s->fault->construct == s->main_n && !s->task &&
	       (s->fault->rank < 0 || s->fault->rank == (int)r);
}

/* Values of replicated objects; wrong ones when the fault is there: access 2000 at a beginning,
 * 3000 at an end. */
static void say_values(struct synth *s, unsigned r, unsigned line, unsigned access)
{
	bool bad = fault_of(s, SYNTH_VALUE, r) && s->fault->access == access;

	for (unsigned i = 0; i < s->nobject && bad; i++)
		if (s->object[i]->replicated)
			s->object[i]->data[0] += s->fault->by;
	synth_values(s, r, line);
	for (unsigned i = 0; i < s->nobject && bad; i++)
		if (s->object[i]->replicated)
			s->object[i]->data[0] -= s->fault->by;
}

void synth_loop_end(struct synth *s)
{
	struct point p = next_point(s);

	for (unsigned r = 0; r < s->p->ranks; r++) {
		unsigned line = s->line + (fault_of(s, SYNTH_LINE, r) ? 1 : 0);
		uint64_t n = 0;

		if (!concerns(s, r))
			continue;
		synth_begin(s, r, CONSTRUCT_PL, line, &p, 0);
		say_values(s, r, line, 2000);
		if (synth_open_now(s, &s->rank[r]))
			n = deal(s, r);
		synth_end(s, r, CONSTRUCT_PL, line, &p, fault_of(s, SYNTH_LEFT, r),
			  s->p->marks && n ? n : UINT64_MAX);
		say_values(s, r, line, 3000);
	}
}

/* ---- around loops ---- */

void synth_sequential(struct synth *s, unsigned line)
{
	for (unsigned r = 0; r < s->p->ranks; r++)
		synth_begin(s, r, CONSTRUCT_SL, line, NULL, 0);
}

void synth_step(struct synth *s, int64_t index)
{
	for (unsigned r = 0; r < s->p->ranks; r++) {
		struct rank *k = &s->rank[r];

		if (!synth_open_now(s, k))
			continue;
		PUT(s, r, 0, trace_enc_iter(e, 1, &index));
		k->frame[k->depth - 1].nidx = 1;
		k->frame[k->depth - 1].index[0] = index;
	}
}

void synth_sequential_end(struct synth *s, bool left)
{
	for (unsigned r = 0; r < s->p->ranks; r++)
		synth_end(s, r, CONSTRUCT_SL, 0, NULL, left, UINT64_MAX);
}

void synth_region(struct synth *s, unsigned line)
{
	struct point p = { ++s->main_n, 0, 0, POINT_BEGIN };

	for (unsigned r = 0; r < s->p->ranks; r++) {
		synth_begin(s, r, CONSTRUCT_TR, line, &p, 0);
		synth_values(s, r, line);
	}
}

void synth_task(struct synth *s, unsigned line, int64_t number, const struct synth_object *on)
{
	const int64_t row[3] = { number - 1 };
	bool own = false;
	uint64_t at;

	for (unsigned r = 0; r < s->p->ranks && !own; r++)
		if (synth_local_at(on, r, row, &at, &own) && own)
			s->only = (int)r;
	assert_true(own);
	s->task = (uint32_t)number;
	s->task_n = 0;
	synth_begin(s, (unsigned)s->only, CONSTRUCT_TASK, line, NULL, number);
}

void synth_task_write(struct synth *s, struct synth_object *o, unsigned line, int64_t row, long n,
		      double value)
{
	unsigned r = (unsigned)s->only;

	for (int64_t j = 0; j < n; j++) {
		struct access a = { .line = (uint16_t)line,
				    .o = o,
				    .index = { row, s->p->backwards ? n - 1 - j : j } };
		double *to = element(o, a.index);

		a.value = *to;
		if (synth_open_now(s, &s->rank[r]))
			put_access(s, r, 0, a);
		*to += value;
		/* the task's number as a fault's index, and its element */
		if (s->fault->wrong == SYNTH_GLOBAL && s->fault->construct == s->main_n &&
		    s->fault->index[0] == (int64_t)s->task && s->fault->index[1] == a.index[1] &&
		    s->fault->access == line)
			*to += s->fault->by;
		a.write = true;
		a.value = *to;
		if (synth_open_now(s, &s->rank[r]))
			put_access(s, r, 0, a);
	}
}

void synth_task_end(struct synth *s)
{
	synth_end(s, (unsigned)s->only, CONSTRUCT_TASK, 0, NULL, false, UINT64_MAX);
	s->only = -1;
	s->task = 0;
}

void synth_region_end(struct synth *s)
{
	struct point p = { s->main_n, 0, 0, POINT_BEGIN };

	for (unsigned r = 0; r < s->p->ranks; r++) {
		synth_end(s, r, CONSTRUCT_TR, 0, &p, false, UINT64_MAX);
		synth_values(s, r, 0);
	}
}

/* ---- the whole ---- */

void synth_run(const struct synth_plan *p, synth_program *program, long n, long steps,
	       const struct synth_fault *fault, synth_sink *sink, void *arg)
{
	static const struct synth_fault none;
	struct synth *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	assert_true(p->ranks <= RANKS && p->threads <= THREADS);
	s->p = p;
	s->fault = fault ? fault : &none;
	s->sink = sink;
	s->arg = arg;
	s->only = -1;
	program(s, n, steps);
	for (unsigned r = 0; r < p->ranks; r++)
		for (unsigned t = 0; t < THREADS; t++) {
			synth_pen_close(s, r, t);
			free(s->rank[r].pen[t].e);
			free(s->rank[r].pen[t].raw);
		}
	for (unsigned i = 0; i < s->nobject; i++) {
		free(s->object[i]->data);
		free(s->object[i]->at);
		free(s->object[i]);
	}
	free(s->it);
	free(s->acc);
	free(s);
}

struct recording {
	struct trace_writer *file[RANKS];
	size_t n[RANKS], cut;
};

static void record(void *arg, unsigned rank, struct trace_block *b)
{
	struct recording *r = arg;
	struct err err;

	if ((!r->cut || r->n[rank]++ < r->cut) && trace_writer_put(r->file[rank], b, &err))
		fail_msg("%s", err.text);
	trace_block_free(b);
}

void synth_record(const char *dir, const struct synth_plan *p, synth_program *program, long n,
		  long steps, const struct synth_fault *fault, size_t cut)
{
	struct recording r = { .cut = cut };
	char path[4096];
	struct err err;

	for (unsigned i = 0; i < p->ranks; i++) {
		struct trace_meta meta = { .rank = i,
					   .ranks = p->ranks,
					   .level = (uint8_t)p->level,
					   .start = p->start,
					   .finish = p->finish,
					   .program = "/bin/syn",
					   .build_id = "",
					   .version = "0",
					   .origin = "" };

		snprintf(path, sizeof(path), "%s/trace.%u.bin", dir, i);
		r.file[i] = trace_writer_create(path, &meta, &err);
		assert_non_null(r.file[i]);
	}
	synth_run(p, program, n, steps, fault, record, &r);
	for (unsigned i = 0; i < p->ranks; i++)
		assert_int_equal(trace_writer_close(r.file[i], !cut, &err), 0);
}
