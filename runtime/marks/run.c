/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What marks do. A loop ends at the first mark behind it, however it was left: what is open in
 * frames that are no more, and loops in whose lines the code is not, end in front of every mark.
 */
#include <string.h>

#include "common/array/array.h"
#include "runtime/base/base.h"
#include "runtime/base/elsewhere.h"
#include "runtime/dvmdbg.h"
#include "runtime/marks/internal.h"
#include "runtime/record/record.h"
#include "runtime/stop/stop.h"

/* What marks have opened and not closed. */
static struct opened {
	uint32_t id; /* of the construct stack */
	uint32_t function;
	uint64_t cfa;
	const struct markcode_mark *mark;
} opened[RT_FRAMES];
static uint32_t nopened;
static uint64_t
	*kept; /* by the mark's number: pointers that are in no memory, as of their last mark */

/* A site at work. */
struct work {
	const struct markcode_site *site;
	const struct markcode_frame *frame;
	const struct markcode_mark *mark;
	uint64_t pc, cfa;
	bool failed; /* a number could not be computed */
};

static const char *text_at(uint32_t off)
{
	return marks_code.text + off;
}

static int64_t number(struct work *w, const struct markcode_piece *p)
{
	int64_t v = 0;

	if (p->n && markcode_eval(marks_code.op + p->at, p->n, w->frame, &v))
		w->failed = true;
	return v;
}

static uint32_t loc_of(const struct markcode_mark *m, unsigned kind)
{
	bool function = kind == CONSTRUCT_FUNCTION;

	return arena_loc_of_line((int)kind, text_at(m->file), (int)m->line,
				 kind < CONSTRUCT_KINDS ? text_at(m->func) : NULL, function);
}

static void report_failed(struct work *w)
{
	char detail[160];
	struct text t = { detail, 0, sizeof(detail) };

	text_str(&t, "a mark beside the source is left out");
	if (*text_at(w->mark->name)) {
		text_str(&t, ", of ");
		text_str(&t, text_at(w->mark->name));
	}
	text_str(&t, ": a number in it cannot be computed there");
	find_add(FINDING_PARTIAL, loc_of(w->mark, CONSTRUCT_KINDS), detail);
}

/* ---- what is open ---- */

static void close_last(void)
{
	uint32_t id = opened[--nopened].id;

	stack_close(id, false);
}

static bool has_line(const struct opened *o, const struct markcode_site *s)
{
	return o->mark->kind != MARKCODE_LOOP ||
	       (o->mark->file == s->file && s->line >= o->mark->line && s->line <= o->mark->last);
}

static bool is_over(const struct opened *o, const struct work *w)
{
	if (o->cfa != w->cfa)
		return o->cfa < w->cfa;
	return o->function != w->site->function || !has_line(o, w->site);
}

static void close_what_is_over(const struct work *w)
{
	while (nopened && is_over(&opened[nopened - 1], w))
		close_last();
}

/* Of this call, and of calls in it. */
static void close_call(const struct work *w)
{
	while (nopened && opened[nopened - 1].cfa <= w->cfa)
		close_last();
}

/* The innermost that is open is this loop, in this call. */
static bool is_in_loop(const struct work *w)
{
	const struct opened *o = nopened ? &opened[nopened - 1] : NULL;

	return o && o->cfa == w->cfa && o->function == w->site->function &&
	       o->mark->kind == MARKCODE_LOOP && o->mark->loop == w->mark->loop;
}

static void open_construct(struct work *w, int kind, const struct stack_range *range)
{
	uint32_t id;

	if (nopened == RT_FRAMES)
		return;
	id = stack_open(kind, 0, loc_of(w->mark, (unsigned)kind), range);
	if (!id)
		return;
	opened[nopened++] = (struct opened){
		.id = id, .function = w->site->function, .cfa = w->cfa, .mark = w->mark
	};
}

/* ---- each kind ---- */

static void run_function(struct work *w)
{
	close_call(w);
	open_construct(w, CONSTRUCT_FUNCTION, NULL);
}

static void run_access(struct work *w, struct access *a)
{
	const struct markcode_mark *m = w->mark;

	a->n = 0;
	for (unsigned i = 0; i < m->naccess; i++) {
		struct access_array *to = &a->array[a->n];
		const char *name = text_at(m->access_name[i]);

		to->flags = m->writes[i] ? POINT_SUMS_WRITE : POINT_SUMS_READ;
		to->at = elsewhere_here((const void *)(uintptr_t)number(w, &m->access[i]));
		to->var = to->at ? VAR_NONE : var_find(name, strlen(name));
		a->n += to->at || to->var != VAR_NONE;
	}
}

static void run_loop(struct work *w)
{
	const struct markcode_mark *m = w->mark;
	struct stack_range r = { .ndim = m->ndim };
	struct access a;

	if (is_in_loop(w)) {
		if (m->again)
			return;
		close_last();
	}
	for (unsigned d = 0; d < m->ndim; d++) {
		r.first[d] = number(w, &m->from[d]);
		r.last[d] = number(w, &m->to[d]);
	}
	r.on = (uintptr_t)elsewhere_here((const void *)(uintptr_t)number(w, &m->on));
	run_access(w, &a);
	r.access = a.n ? &a : NULL;
	if (w->failed) {
		report_failed(w);
		r.ndim = 0;
		r.on = 0;
		r.access = NULL;
	}
	open_construct(w, m->parallel ? CONSTRUCT_PL : CONSTRUCT_SL, &r);
}

static void run_iteration(struct work *w)
{
	const struct markcode_mark *m = w->mark;
	int64_t index[MARKCODE_DIMS];

	if (!is_in_loop(w) || (m->parallel && !rt_iterations()))
		return;
	for (unsigned d = 0; d < m->ndim; d++)
		index[d] = number(w, &m->shape[d]);
	if (!w->failed)
		stack_iteration(m->ndim, index, m->parallel, w->pc);
}

/* Of a pointer that is in no memory: our own, which is said to be the variable. */
static uint64_t keep(struct work *w)
{
	kept[w->mark->loop] = (uint64_t)number(w, &w->mark->addr);
	return (uintptr_t)&kept[w->mark->loop];
}

/* What is said of the variable itself. */
static void entity_of(struct work *w, struct var *v)
{
	const struct markcode_mark *m = w->mark;
	struct page_entity *e = &v->e;

	*v = (struct var){ .name = text_at(m->name),
			   .len = strlen(text_at(m->name)),
			   .by_name = m->by_name,
			   .declared = m->type,
			   .loc = loc_of(m, CONSTRUCT_KINDS) };
	e->kind = ARRAY_REPLICATED;
	e->type = m->type;
	e->order = m->by_name ? 'F' : 'C';
	e->by_pointer = m->by_pointer != 0;
	e->addr = m->by_pointer == 2 ? keep(w) : (uint64_t)number(w, &m->addr);
	e->elem_size = m->elem_size;
}

/* One value, or all of a fixed array. */
static void whole_of(const struct markcode_mark *m, struct page_entity *e)
{
	if (!e->elem_size || m->whole <= e->elem_size)
		return;
	e->ndim = 1;
	e->lower[0] = e->own_lo[0] = m->by_name;
	e->extent[0] = (int64_t)(m->whole / e->elem_size);
	e->own_hi[0] = e->own_lo[0] + e->extent[0] - 1;
	e->stride[0] = 1;
}

static void dims_of(struct work *w, struct var *v)
{
	const struct markcode_mark *m = w->mark;
	struct page_entity *e = &v->e;

	e->ndim = m->ndim;
	var_copies(v, (int)number(w, &m->copies), (int)number(w, &m->copy));
	v->rows = m->rows;
	v->room = e->elem_size && !m->by_pointer ? m->whole / e->elem_size : 0;
	for (unsigned d = 0; d < m->ndim; d++) {
		e->lower[d] = number(w, &m->lower[d]);
		e->extent[d] = number(w, &m->shape[d]);
		e->own_lo[d] = m->from[d].n ? number(w, &m->from[d]) : e->lower[d];
		e->own_hi[d] = m->to[d].n ? number(w, &m->to[d]) : e->lower[d] + e->extent[d] - 1;
		var_every(v, d, number(w, &m->step[d]), number(w, &m->block[d]));
		e->halo_lo[d] = number(w, &m->halo_lo[d]);
		e->halo_hi[d] = number(w, &m->halo_hi[d]);
		e->periodic |= (uint32_t)(number(w, &m->periodic[d]) != 0) << d;
		if (m->stride[d].n && e->elem_size)
			e->stride[d] = number(w, &m->stride[d]) / (int64_t)e->elem_size;
	}
}

static void run_registration(struct work *w)
{
	struct var v;

	entity_of(w, &v);
	if (w->mark->ndim)
		dims_of(w, &v);
	else
		whole_of(w->mark, &v.e);
	if (w->mark->kind == MARKCODE_ARRAY)
		v.e.kind = ARRAY_DISTRIBUTED;
	if (w->failed) {
		report_failed(w);
		return;
	}
	var_register(&v);
	gate_objects();
}

static void run_reduction(struct work *w)
{
	struct var v;

	entity_of(w, &v);
	if (w->mark->ndim)
		dims_of(w, &v);
	else
		whole_of(w->mark, &v.e);
	if (w->failed)
		report_failed(w);
	else
		gate_reduction(&v.e, v.name, v.len, v.loc, w->mark->op);
}

static void run_forget(struct work *w)
{
	const char *name = text_at(w->mark->name);
	int64_t at = number(w, &w->mark->addr);

	if (w->mark->by_name)
		var_forget_name(name, strlen(name));
	else if (!w->failed)
		var_forget(w->mark->by_pointer == 2 ? (uintptr_t)&kept[w->mark->loop]
						    : elsewhere_forget((uint64_t)at));
	gate_objects();
}

static void run_skip(struct work *w)
{
	gate_skip(loc_of(w->mark, CONSTRUCT_KINDS));
}

static void run_mark(struct work *w)
{
	switch (w->mark->kind) {
	case MARKCODE_RETURN: close_call(w); break;
	case MARKCODE_POINTER: keep(w); break;
	case MARKCODE_FUNCTION: run_function(w); break;
	case MARKCODE_LOOP: run_loop(w); break;
	case MARKCODE_ITERATION: run_iteration(w); break;
	case MARKCODE_REPLICATED:
	case MARKCODE_ARRAY: run_registration(w); break;
	case MARKCODE_REDUCTION: run_reduction(w); break;
	case MARKCODE_FORGET: run_forget(w); break;
	case MARKCODE_SKIP: run_skip(w); break;
	}
}

int run_init(void)
{
	kept = rt_pages(marks_code.head->nmark * sizeof(*kept));
	return kept ? 0 : -1;
}

void run_site(const struct markcode_site *s, const struct markcode_frame *f, uint64_t pc)
{
	struct work w = { .site = s, .frame = f, .pc = pc };

	w.cfa = (uint64_t)number(&w, &s->cfa);
	if (w.failed)
		return;
	close_what_is_over(&w);
	for (uint32_t i = 0; i < s->n && rt_is_on(); i++) {
		w.mark = &marks_code.mark[s->first + i];
		w.failed = false;
		run_mark(&w);
	}
}
