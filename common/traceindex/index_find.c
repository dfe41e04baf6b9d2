/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding a scope in the reference: beside the one found last, else by the boxes of blocks and
 * segments and a table of the segment's scopes.
 */
#include <stdlib.h>
#include <string.h>

#include "common/traceindex/traceindex.h"

static uint32_t hash_of(unsigned kind, const struct point *p, unsigned nidx, const int64_t *index)
{
	uint64_t h = ((uint64_t)p->main << 32 | p->sub) * UINT64_C(0x9e3779b97f4a7c15) + kind +
		     ((uint64_t)p->task << 8);

	for (unsigned d = 0; d < nidx; d++)
		h = (h ^ (uint64_t)index[d]) * UINT64_C(0xff51afd7ed558ccd);
	return (uint32_t)(h >> 32 ^ h >> 13);
}

static bool scope_is(const struct segment *s, uint32_t i, const struct ref_want *w)
{
	const struct trace_scope *scope = &s->scope[i];

	return !(scope->flags & TRACE_SCOPE_CONT) && scope->kind == w->kind &&
	       scope->nidx == w->nidx && ref_same(&scope->point, &w->point) &&
	       trace_same_index(&s->index[scope->index], w->index, w->nidx);
}

/*
 * A table of the scopes that begin in the segment; without memory there is none. One of its own, of
 * 16 bits: many segments are kept, and their memory is bounded.
 */
static void seg_hash(struct ref_seg *s)
{
	uint32_t mask = 63;

	while (mask < 2 * s->s.nscope)
		mask = mask * 2 + 1;
	s->hash = calloc(mask + 1, sizeof(*s->hash));
	s->mask = mask;
	for (uint32_t i = 0; s->hash && i < s->s.nscope && i < UINT16_MAX; i++) {
		const struct trace_scope *scope = &s->s.scope[i];
		uint32_t at = hash_of(scope->kind, &scope->point, scope->nidx,
				      &s->s.index[scope->index]) &
			      mask;

		if (scope->flags & TRACE_SCOPE_CONT)
			continue;
		while (s->hash[at])
			at = (at + 1) & mask;
		s->hash[at] = (uint16_t)(i + 1);
	}
}

static bool seg_find(struct ref_seg *s, const struct ref_want *w, uint32_t *i)
{
	uint32_t at;

	if (!s->hash)
		seg_hash(s);
	if (!s->hash)
		return false;
	at = hash_of(w->kind, &w->point, w->nidx, w->index) & s->mask;
	for (; s->hash[at]; at = (at + 1) & s->mask)
		if (scope_is(&s->s, s->hash[at] - 1u, w)) {
			*i = s->hash[at] - 1u;
			return true;
		}
	return false;
}

const struct trace_scope *trace_index_scope(struct trace_index *r, const struct ref_at *at,
					    struct ref_seg **seg)
{
	*seg = ref_seg_get(r, at->file, at->block, at->k);
	if (!*seg)
		return NULL;
	if (at->i < (*seg)->s.nscope)
		return &(*seg)->s.scope[at->i];
	ref_seg_put(*seg);
	*seg = NULL;
	return NULL;
}

void ref_range(const struct trace_index *r, uint32_t file, const struct point *p, size_t *first,
	       size_t *end)
{
	uint64_t begin = (uint64_t)p->main * 4, over = begin + 3;
	size_t lo = 0, hi = r->file[file].n;

	/* blocks are in the order in which they were closed: where they end never falls */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ref_order(&ref_info(r, file, mid)->last) < begin)
			lo = mid + 1;
		else
			hi = mid;
	}
	*first = lo;
	/* those of other threads may begin early; the first thread's says that nothing follows */
	for (; lo < r->file[file].n; lo++) {
		const struct trace_info *x = ref_info(r, file, lo);

		if (!x->thread && ref_order(&x->first) >= over)
			break;
	}
	*end = lo;
}

static bool block_may(const struct trace_info *x, const struct ref_want *w)
{
	if (w->kind != TRACE_SCOPE_ITER)
		return x->count[TRACE_BEGIN] > 0;
	if (!x->loops)
		return false;
	if (x->loops != 1 || !x->boxed)
		return true;
	if (!ref_same(&x->box_of, &w->point) || x->boxed != w->nidx)
		return false;
	for (unsigned d = 0; d < w->nidx; d++)
		if (w->index[d] < x->lo[d] || w->index[d] > x->hi[d])
			return false;
	return true;
}

static bool sum_may(const struct ref_sum *sum, const struct ref_want *w)
{
	if (!sum->n || sum->n == 255)
		return sum->n == 255;
	if (w->kind != TRACE_SCOPE_ITER || sum->n != w->nidx || !ref_same(&sum->of, &w->point))
		return false;
	for (unsigned d = 0; d < w->nidx; d++)
		if (w->index[d] < sum->lo[d] || w->index[d] > sum->hi[d])
			return false;
	return true;
}

/* Whether the segment, which exists as far as is known, has it. -1: there is no such segment. */
static int seg_try(struct trace_index *r, struct ref_at *at, const struct ref_want *w)
{
	const struct ref_block *b = r->file[at->file].block[at->block];
	struct ref_seg *s;
	int found;

	if (b && at->k < b->nseg && !sum_may(&b->sum[at->k], w))
		return 0;
	s = ref_seg_get(r, at->file, at->block, at->k);
	if (!s)
		return -1;
	found = seg_find(s, w, &at->i);
	ref_seg_put(s);
	return found;
}

static bool block_find(struct trace_index *r, struct ref_at *at, const struct ref_want *w,
		       uint32_t from)
{
	const struct ref_block *b;
	int rc = 0;

	/* from the hint on, for what follows is near; then what is before it */
	for (at->k = from; !rc; at->k += !rc)
		rc = seg_try(r, at, w);
	b = r->file[at->file].block[at->block];
	if (rc < 0 && from && b) {
		rc = 0;
		for (at->k = 0; at->k < from && !rc; at->k += !rc)
			rc = seg_try(r, at, w);
	}
	return rc > 0;
}

/* The segment ends with the hint: what is wanted is the first of the next one, perhaps. */
static bool next_seg(struct trace_index *r, const struct ref_want *w, struct ref_at *at)
{
	struct ref_at next = *at;
	struct ref_seg *s;
	bool found = false;

	next.k++;
	s = ref_seg_get(r, next.file, next.block, next.k);
	if (!s && next.block + 1 < r->file[next.file].n &&
	    block_may(ref_info(r, next.file, next.block + 1), w)) {
		next.block++;
		next.k = 0;
		s = ref_seg_get(r, next.file, next.block, next.k);
	}
	for (next.i = 0; s && next.i < 2 && next.i < s->s.nscope && !found; next.i += !found)
		found = scope_is(&s->s, next.i, w);
	ref_seg_put(s);
	if (found)
		*at = next;
	return found;
}

bool trace_index_near(struct trace_index *r, const struct ref_want *w, struct ref_at *at)
{
	const struct ref_block *b;
	struct ref_seg *s;
	bool found;

	if (!at->valid)
		return false;
	b = r->file[at->file].block[at->block];
	s = b && at->k < b->nseg ? b->seg[at->k] : NULL;
	if (!s)
		return false;
	if (at->i + 1 < s->s.nscope && scope_is(&s->s, at->i + 1, w)) {
		at->i++;
		return true;
	}
	s->pins++; /* the next one may need its room */
	found = at->i + 1 >= s->s.nscope && next_seg(r, w, at);
	if (!found && sum_may(&b->sum[s->k], w))
		found = seg_find(s, w, &at->i);
	ref_seg_put(s);
	return found;
}

bool trace_index_find(struct trace_index *r, uint32_t file, const struct ref_want *w,
		      const struct ref_at *hint, struct ref_at *out)
{
	bool hinted = hint->valid && hint->file == file;
	size_t first, end, start;

	*out = hinted ? *hint : (struct ref_at){ .file = file };
	out->valid = true;
	ref_range(r, file, &w->point, &first, &end);
	start = hinted && hint->block >= first && hint->block < end ? hint->block : first;
	for (size_t n = 0; n < end - first; n++) {
		size_t at = start + n < end ? start + n : start + n - (end - first);

		if (!block_may(ref_info(r, file, at), w))
			continue;
		out->block = at;
		if (block_find(r, out, w, hinted && at == hint->block ? hint->k : 0))
			return true;
	}
	out->valid = false;
	return false;
}
