/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes that miss their elements: iteration by iteration, the writes of both runs side by side.
 */
#include <stdlib.h>
#include <string.h>

#include "common/traceindex/traceindex.h"
#include "frontend/fit/fit.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define MOST_SCOPES 20000 /* iterations that are compared */
#define MOST_WRITES 4096  /* writes that are kept */

/* The writes of one scope, of the object. */
struct write_list {
	struct trace_acc *acc;
	size_t n;
};

struct walk {
	const struct fit_loop *x;
	int now, ref; /* the object's number in both */
	struct write_list a, b;
	struct ref_at *hint; /* one a file of the reference */
	struct fit_write *out;
	size_t n;
};

/* The object's number in the run; -1: it is not there. */
static int number_of(struct trace_index *r, const struct fit_loop *x)
{
	for (uint32_t f = 0; f < r->files; f++)
		trace_index_meet(r, f);
	for (unsigned i = 0; i < object_id_count(r->idents); i++) {
		const struct array_desc *a = &object_id_get(r->idents, i)->desc;

		if (a->counter == x->counter && a->ndim && array_is_named(a, x->name))
			return (int)i;
	}
	return -1;
}

static void collect(struct write_list *l, const struct segment *seg, const struct trace_scope *s,
		    int number)
{
	l->n = 0;
	for (uint32_t i = 0; i < s->nacc; i++) {
		const struct trace_acc *a = &seg->acc[s->acc + i];

		if (!(a->flags & TRACE_ACC_WRITE) || a->key >> TRACE_KEY_BITS != (uint64_t)number)
			continue;
		xvec_more(l->acc, l->n, 1);
		l->acc[l->n] = *a;
		l->acc[l->n++].key &= TRACE_KEY_MASK;
	}
}

static bool has(const struct write_list *l, uint64_t key)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->acc[i].key == key)
			return true;
	return false;
}

/*
 * Whether the k-th write of both is of one value that went to another element: when each of the two
 * elements is written by the other run as well, the order may be another one, and values decide.
 */
static bool missed(const struct walk *w, size_t k)
{
	const struct trace_acc *a = &w->a.acc[k], *b = &w->b.acc[k];

	if (a->key == b->key)
		return false;
	return (a->value == b->value && a->size == b->size) || !has(&w->b, a->key) ||
	       !has(&w->a, b->key);
}

static void put(struct walk *w, const struct ref_parts *p, size_t k)
{
	struct fit_write *f;
	uint32_t within;

	xvec_more(w->out, w->n, 1);
	f = &w->out[w->n++];
	*f = (struct fit_write){ .nidx = p->scope->nidx };
	memcpy(f->index, &p->seg->s.index[p->scope->index], f->nidx * sizeof(*f->index));
	object_id_index(object_id_get(w->x->ref->idents, (unsigned)w->ref), w->b.acc[k].key,
			f->pair.want, &within);
	object_id_index(object_id_get(w->x->now->idents, (unsigned)w->now), w->a.acc[k].key,
			f->pair.got, &within);
}

/* The same iteration of the reference, whatever rank has it; false: none has, or not in one piece.
 */
static bool counterpart(struct walk *w, const struct ref_parts *p)
{
	const struct trace_scope *s = p->scope;
	const struct ref_want want = { .kind = s->kind,
				       .nidx = s->nidx,
				       .point = s->point,
				       .index = &p->seg->s.index[s->index] };
	struct ref_seg *seg = NULL;
	bool there = false;

	for (uint32_t f = 0; f < w->x->ref->files && !there; f++) {
		struct ref_at at;

		if (!trace_index_find(w->x->ref, f, &want, &w->hint[f], &at))
			continue;
		w->hint[f] = at;
		s = trace_index_scope(w->x->ref, &at, &seg);
		there = s && !(s->flags & TRACE_SCOPE_MORE);
		if (there)
			collect(&w->b, &seg->s, s, w->ref);
		ref_seg_put(seg);
	}
	return there;
}

static void compare(struct walk *w, const struct ref_parts *p)
{
	const struct trace_scope *s = p->scope;

	if (s->kind != TRACE_SCOPE_ITER || s->flags & (TRACE_SCOPE_CONT | TRACE_SCOPE_MORE))
		return;
	collect(&w->a, &p->seg->s, s, w->now);
	if (!w->a.n || !counterpart(w, p) || w->a.n != w->b.n)
		return;
	for (size_t k = 0; k < w->a.n; k++)
		if (missed(w, k))
			put(w, p, k);
}

/* The file of the rank; files: none. */
static uint32_t file_of(const struct trace_index *r, uint32_t rank)
{
	uint32_t f = 0;

	while (f < r->files && r->file[f].rank != rank)
		f++;
	return f;
}

size_t fit_writes(const struct fit_loop *x, struct fit_write **out)
{
	struct walk w = { .x = x };
	uint32_t file = file_of(x->now, x->rank);
	struct point begin = x->point;
	struct ref_parts p;

	*out = NULL;
	begin.side = POINT_BEGIN;
	w.now = number_of(x->now, x);
	w.ref = number_of(x->ref, x);
	if (w.now < 0 || w.ref < 0 || file == x->now->files)
		return 0;
	w.hint = xcalloc(x->ref->files, sizeof(*w.hint));
	ref_parts_whole(&p, x->now, file, &begin);
	for (unsigned n = 0; n < MOST_SCOPES && w.n < MOST_WRITES && ref_parts_next(&p); n++)
		compare(&w, &p);
	ref_parts_end(&p);
	free(w.hint);
	free(w.a.acc);
	free(w.b.acc);
	*out = w.out;
	return w.n;
}
