/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterations and tasks of this rank: each is found in the reference by construct and index. What
 * comes in several parts is carried until it is whole, or joined when it is too much for that.
 */
#include <stdlib.h>
#include <string.h>

#include "common/tracediff/internal.h"

/* ---- finding it ---- */

/* Beside the one before, in the file in which that was, then in others; then anywhere. NULL:
 * nowhere.
 */
static const struct ref_at *find(struct tracediff *c, struct cmp_loop *l, const struct ref_want *w)
{
	uint32_t files = c->ref->files, f = l->file;
	struct ref_at at;

	for (uint32_t k = 0; k < files; k++, f = f + 1 < files ? f + 1 : 0)
		if (trace_index_near(c->ref, w, &l->hint[f])) {
			l->file = f;
			return &l->hint[f];
		}
	for (uint32_t k = 0; k < files; k++, f = f + 1 < files ? f + 1 : 0)
		if (trace_index_find(c->ref, f, w, &l->hint[f], &at)) {
			l->hint[f] = at;
			l->file = f;
			return &l->hint[f];
		}
	return NULL;
}

static void unexpected(struct tracediff *c, const struct cmp_now *n, unsigned kind,
		       const struct ref_at *at)
{
	struct cmp_suspicion s = { .kind = (uint8_t)kind, .ident = -1 };
	struct ref_seg *seg;

	/* behind all that the reference has, in the order of the indices; but before what it does
	 */
	s.order[0] = INT64_MAX;
	memcpy(&s.order[1], n->index,
	       (n->s->nidx < ARRAY_DIMS ? n->s->nidx : ARRAY_DIMS) * sizeof(*n->index));
	if (at && trace_index_scope(c->ref, at, &seg)) {
		trace_index_sort_key(c->ref, at, seg, s.order);
		ref_seg_put(seg);
	}
	s.order[ARRAY_DIMS + 1] = s.order[ARRAY_DIMS] = -1;
	cmp_scope_spot(c, n, n->n, &s);
	cmp_suspect(c, &s);
}

/* Whether what is not found in the reference was not executed there. Of loops without marks, and of
 * those without iterations, that is not known. */
static bool absent(struct tracediff *c, const struct trace_scope *s)
{
	return trace_index_is_whole(c->ref, &s->point) &&
	       (s->kind == TRACE_SCOPE_TASK || trace_index_marked(c->ref, &s->point));
}

static void compare(struct tracediff *c, struct cmp_loop *l, const struct cmp_now *n, bool lossy)
{
	struct ref_want w = { n->s->kind, n->s->nidx, n->s->point, n->index };
	const struct ref_at *at = find(c, l, &w);
	struct cmp_join *j;

	if (!at) {
		l->extra = true;
		if (n->complete && absent(c, n->s))
			unexpected(c, n, FINDING_ITERATION, NULL);
		else
			c->state.unknown += n->n;
		return;
	}
	l->mode = CMP_MARKED;
	if (!cmp_scope(c, l, &w, n, at, lossy))
		return;
	j = cmp_join_scope(c, &w, at);
	if (j) {
		cmp_join_feed(c, j, n);
		cmp_join_settle(c, j);
		cmp_join_finish(c, j, n->complete && !lossy, NULL);
	}
	cmp_join_free(j);
}

/* ---- our side ---- */

void cmp_carry_clear(struct cmp_carry *k)
{
	struct trace_acc *acc = k->acc;
	uint32_t cap = k->cap;

	cmp_join_free(k->join);
	*k = (struct cmp_carry){ .acc = acc, .cap = cap };
}

static void carry_begin(struct cmp_carry *k, const struct tracediff *c, const struct trace_scope *s)
{
	cmp_carry_clear(k);
	k->open = true;
	k->scope = *s;
	k->level = s->level;
	memcpy(k->index, &c->seg.index[s->index], s->nidx * sizeof(*k->index));
}

static struct cmp_now carried(const struct cmp_carry *k, bool complete)
{
	return (struct cmp_now){ .acc = k->acc,
				 .n = k->n,
				 .gone = k->gone,
				 .old = k->old,
				 .rec = k->gone ? 0 : k->scope.rec,
				 .s = &k->scope,
				 .index = k->index,
				 .level = k->level,
				 .lossy = k->lossy,
				 .complete = complete && !k->lossy };
}

/* A part of the segment that is read. Field by field into its place: this is done for each. */
static inline void part_of(struct cmp_now *n, const struct tracediff *c,
			   const struct trace_scope *s, const int64_t *index)
{
	n->acc = &c->seg.acc[s->acc];
	n->n = s->nacc;
	n->gone = n->old = 0;
	n->rec = s->rec;
	n->s = s;
	n->index = index;
	n->level = s->level;
	n->lossy = s->flags & TRACE_SCOPE_LOSSY;
	n->complete = true;
}

/* What is too much to be kept is joined as it comes. */
static void carry_join(struct tracediff *c, struct cmp_carry *k, struct cmp_loop *l)
{
	struct ref_want w = { k->scope.kind, k->scope.nidx, k->scope.point, k->index };
	const struct ref_at *at = find(c, l, &w);

	if (!at) {
		k->dead = l->extra = true;
		if (absent(c, &k->scope)) {
			struct cmp_now n = { .s = &k->scope, .index = k->index, .gone = 1 };

			unexpected(c, &n, FINDING_ITERATION, NULL);
		}
		return;
	}
	k->join = cmp_join_scope(c, &w, at);
	if (k->join) {
		struct cmp_now n = carried(k, false);

		cmp_join_feed(c, k->join, &n);
	} else {
		k->dead = true;
	}
	k->n = k->old = k->gone = 0;
}

static void carry_add(struct tracediff *c, struct cmp_carry *k, struct cmp_loop *l,
		      const struct trace_scope *s)
{
	struct cmp_now n;

	part_of(&n, c, s, k->index);
	k->lossy = k->lossy || s->flags & TRACE_SCOPE_LOSSY;
	k->level = s->level < k->level ? s->level : k->level;
	if (k->dead)
		return;
	if (!k->join && k->n + s->nacc > CMP_CARRY)
		carry_join(c, k, l);
	if (k->join) {
		cmp_join_feed(c, k->join, &n);
		return;
	}
	if (k->dead || !cmp_room((void **)&k->acc, &k->cap, k->n + s->nacc, sizeof(*k->acc))) {
		k->dead = true;
		return;
	}
	if (n.n)
		memcpy(&k->acc[k->n], n.acc, n.n * sizeof(*n.acc));
	k->n += s->nacc;
}

static void carry_compare(struct tracediff *c, struct cmp_carry *k, struct cmp_loop *l,
			  bool complete)
{
	struct cmp_now n = carried(k, complete);

	if (k->dead)
		cmp_lost(c, k->n);
	else if (k->join)
		cmp_join_finish(c, k->join, n.complete, NULL);
	else
		compare(c, l, &n, k->lossy);
	cmp_carry_clear(k);
}

void cmp_carry_end(struct tracediff *c, struct cmp_carry *k, bool complete)
{
	struct cmp_loop *l = k->open ? cmp_loop_get(c, &k->scope.point) : NULL;

	if (l && !l->foreign && l->mode != CMP_UNMARKED)
		carry_compare(c, k, l, complete);
	cmp_carry_clear(k);
}

/* An iteration begins. */
static void begin(struct tracediff *c, struct cmp_loop *l, const struct trace_scope *s,
		  const int64_t *index)
{
	struct cmp_now n = { .s = s, .index = index, .rec = s->rec };
	struct ref_want w = { s->kind, s->nidx, s->point, index };
	int fresh = 1;

	l->recorded++;
	if (!s->nidx || l->foreign)
		return;
	if (!l->set)
		l->set = index_set_create(s->nidx);
	else if (index_set_dims(l->set) != s->nidx)
		index_set_lose(l->set);
	if (!l->set)
		c->failed = true;
	else
		fresh = index_set_add(l->set, index);
	if (fresh)
		return;
	unexpected(c, &n, FINDING_TWICE, find(c, l, &w));
}

/* The reference's marks decide. What it did not record cannot be joined. */
static void decide(struct tracediff *c, struct cmp_loop *l, const struct trace_scope *s,
		   const int64_t *index)
{
	struct ref_want w = { s->kind, s->nidx, s->point, index };

	l->mode = CMP_MARKED;
	if (s->kind == TRACE_SCOPE_TASK || (s->kind == TRACE_SCOPE_ITER && find(c, l, &w)) ||
	    trace_index_marked(c->ref, &s->point) || trace_index_level(c->ref, &s->point) < 2)
		return;
	l->join = cmp_join_loop(c, &s->point);
	if (l->join)
		l->mode = CMP_UNMARKED;
}

void cmp_body_part(struct tracediff *c, const struct trace_scope *s)
{
	struct cmp_loop *l = s->level >= 2 ? cmp_loop_get(c, &s->point) : NULL;
	struct cmp_now n;

	part_of(&n, c, s, &c->seg.index[s->index]);
	if (!l || l->foreign || (!s->nacc && !n.lossy))
		return;
	l->body = true;
	if (l->mode == CMP_UNDECIDED)
		decide(c, l, s, n.index);
	if (l->mode == CMP_UNMARKED)
		cmp_join_feed(c, l->join, &n);
}

void cmp_iter_part(struct tracediff *c, const struct trace_scope *s)
{
	struct cmp_carry *k = s->kind == TRACE_SCOPE_TASK ? &c->now->task : &c->now->iter;
	struct cmp_loop *l = cmp_loop_get(c, &s->point);
	const int64_t *index = &c->seg.index[s->index];
	bool cont = s->flags & TRACE_SCOPE_CONT, more = s->flags & TRACE_SCOPE_MORE;
	struct cmp_now n;

	/* the last iteration of a thread is over when it begins something else */
	if (!cont && k->open) {
		cmp_carry_end(c, k, true);
		l = cmp_loop_get(c, &s->point);
	}
	if (!l)
		return;
	if (l->mode == CMP_UNDECIDED && !l->foreign)
		decide(c, l, s, index);
	if (!cont)
		begin(c, l, s, index);
	if (l->foreign) {
		cmp_carry_clear(k);
		return;
	}
	if (l->mode == CMP_UNMARKED) {
		part_of(&n, c, s, index);
		cmp_join_feed(c, l->join, &n);
		return;
	}
	if (!cont && !more) {
		part_of(&n, c, s, index);
		compare(c, l, &n, n.lossy);
		return;
	}
	if (!cont)
		carry_begin(k, c, s);
	else if (!k->open) /* it began before all that we have seen */
		return;
	carry_add(c, k, l, s);
	if (!more)
		carry_compare(c, k, l, true);
}

/* ---- one after the other ---- */

/* Both are all of an iteration, and the same one. */
static inline bool same_iteration(const struct segment *a, const struct trace_scope *x,
				  const struct segment *b, const struct trace_scope *y)
{
	return x->kind == TRACE_SCOPE_ITER && y->kind == TRACE_SCOPE_ITER && !x->flags &&
	       !y->flags && x->nidx && x->nidx == y->nidx && x->level && x->level == y->level &&
	       (x->level >= 2 || !x->nacc) && x->nacc == y->nacc &&
	       ref_same(&x->point, &y->point) &&
	       trace_same_index(&a->index[x->index], &b->index[y->index], x->nidx);
}

/* The same accesses with the same values. */
static inline bool same_accesses(const struct trace_acc *a, const struct trace_acc *b, uint32_t n)
{
	for (; n--; a++, b++)
		if (a->key != b->key || a->value != b->value || a->size != b->size ||
		    (a->flags ^ b->flags) & TRACE_ACC_WRITE)
			return false;
	return true;
}

uint32_t cmp_iter_same(struct tracediff *c, uint32_t from, uint32_t before)
{
	const struct segment *s = &c->seg;
	struct cmp_loop *l = c->loop;
	struct ref_at *at = l ? &l->hint[l->file] : NULL;
	uint32_t i = from;
	struct ref_seg *ref;

	if (c->astray || !at || !at->valid || l->mode != CMP_MARKED || l->foreign || !l->set ||
	    c->now->iter.open || from == s->nscope || !ref_same(&s->scope[from].point, &l->point))
		return from;
	ref = ref_seg_get(c->ref, at->file, at->block, at->k);
	if (!ref)
		return from;
	for (; i < s->nscope && s->scope[i].rec < before && at->i + 1 < ref->s.nscope; i++) {
		const struct trace_scope *x = &s->scope[i], *y = &ref->s.scope[at->i + 1];

		if (!same_iteration(s, x, &ref->s, y) || index_set_dims(l->set) != x->nidx ||
		    !same_accesses(&s->acc[x->acc], &ref->s.acc[y->acc], x->nacc) ||
		    !index_set_add(l->set, &s->index[x->index]))
			break;
		l->recorded++;
		at->i++;
		c->state.iterations++;
		c->state.compared += x->nacc;
		c->state.equal += x->nacc;
	}
	ref_seg_put(ref);
	return i;
}
