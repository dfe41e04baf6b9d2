/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Going through the reference: the parts of a scope, the events of a rank.
 */
#include <string.h>

#include "common/logical/construct.h"
#include "common/traceindex/traceindex.h"

/* ---- parts ---- */

void ref_parts_begin(struct ref_parts *p, struct trace_index *r, const struct ref_want *w,
		     const struct ref_at *at)
{
	*p = (struct ref_parts){ .ref = r, .want = *w, .at = *at };
	memcpy(p->index, w->index, w->nidx * sizeof(*w->index));
	p->want.index = p->index;
	p->thread = ref_info(r, at->file, at->block)->thread;
	p->end = r->file[at->file].n;
}

void ref_parts_whole(struct ref_parts *p, struct trace_index *r, uint32_t file,
		     const struct point *point)
{
	*p = (struct ref_parts){ .ref = r, .whole = true };
	p->want.point = *point;
	p->want.index = p->index;
	p->at.file = file;
	ref_range(r, file, point, &p->at.block, &p->end);
}

void ref_parts_end(struct ref_parts *p)
{
	ref_seg_put(p->seg);
	p->seg = NULL;
	p->over = true;
}

static bool part_of(const struct ref_parts *p, const struct trace_scope *s)
{
	if (!ref_same(&s->point, &p->want.point))
		return false;
	if (p->whole)
		return true;
	return s->flags & TRACE_SCOPE_CONT && s->kind == p->want.kind && s->nidx == p->want.nidx &&
	       trace_same_index(&p->seg->s.index[s->index], p->index, s->nidx);
}

/* To the next block that can have a part; false: none. */
static bool next_block(struct ref_parts *p)
{
	for (p->at.block++; p->at.block < p->end; p->at.block++)
		if (p->whole || ref_info(p->ref, p->at.file, p->at.block)->thread == p->thread)
			return true;
	return false;
}

/* Whether a segment that was looked through once has nothing of interest. */
static bool dull(const struct ref_parts *p)
{
	const struct ref_block *b = p->ref->file[p->at.file].block[p->at.block];
	const struct ref_sum *sum;

	if (!p->wanted || !b || p->at.k >= b->nseg)
		return false;
	sum = &b->sum[p->at.k];
	if (sum->nkeys == 255)
		return false;
	for (unsigned i = 0; i < sum->nkeys; i++)
		if (p->wanted(p->arg, sum->keys[i].lo, sum->keys[i].hi))
			return false;
	return true;
}

/* Has the segment of p->at, or the next one that there is, pinned. */
static bool next_seg(struct ref_parts *p)
{
	for (;;) {
		if (p->at.block >= p->end)
			return false;
		while (dull(p)) {
			p->at.k++;
			p->at.i = 0;
		}
		p->seg = ref_seg_get(p->ref, p->at.file, p->at.block, p->at.k);
		if (p->seg)
			return true;
		p->at.k = 0;
		p->at.i = 0;
		if (!next_block(p))
			return false;
	}
}

bool ref_parts_next(struct ref_parts *p)
{
	bool first = !p->started;

	if (p->over || (p->started && !p->whole && !(p->scope->flags & TRACE_SCOPE_MORE))) {
		ref_parts_end(p);
		return false;
	}
	p->at.i += p->started;
	p->started = true;
	while (p->seg || next_seg(p)) {
		for (; p->at.i < p->seg->s.nscope; p->at.i++) {
			p->scope = &p->seg->s.scope[p->at.i];
			if ((first && !p->whole) || part_of(p, p->scope))
				return true;
			/* what an iteration goes on with is what comes next */
			if (!p->whole && p->want.kind == TRACE_SCOPE_ITER)
				break;
		}
		if (p->at.i < p->seg->s.nscope)
			break;
		ref_seg_put(p->seg);
		p->seg = NULL;
		p->at.k++;
		p->at.i = 0;
	}
	ref_parts_end(p);
	return false;
}

/* ---- events ---- */

void ref_walk_begin(struct ref_walk *w, struct trace_index *r, uint32_t file)
{
	*w = (struct ref_walk){ .ref = r, .file = file };
}

void ref_walk_end(struct ref_walk *w)
{
	ref_seg_put(w->seg);
	w->seg = NULL;
	w->event = NULL;
	w->over = true;
}

/* Nothing but accesses and iterations of a loop that is open all the time. */
static bool block_dull(const struct trace_info *x)
{
	if (x->thread)
		return true;
	if (x->count[TRACE_BEGIN] || x->count[TRACE_END] || x->count[TRACE_VALUE] ||
	    x->count[TRACE_REDUCTION] || x->count[TRACE_SKIP] || x->count[TRACE_LOST])
		return false;
	if (x->loops)
		return true;
	/* inside of a loop whose iterations are not marked nothing written is an event */
	return !x->count[TRACE_ITER] &&
	       (!x->count[TRACE_WRITE] || (x->last.main && x->last.side == POINT_BEGIN));
}

bool ref_walk_next(struct ref_walk *w)
{
	if (w->over)
		return false;
	w->i += w->event != NULL;
	for (; w->block < w->ref->file[w->file].n; w->block++, w->k = 0) {
		if (block_dull(ref_info(w->ref, w->file, w->block)))
			continue;
		for (;; w->k++, w->i = 0) {
			if (!w->seg)
				w->seg = ref_seg_get(w->ref, w->file, w->block, w->k);
			if (!w->seg)
				break;
			if (w->i < w->seg->s.nevent) {
				w->event = &w->seg->s.event[w->i];
				return true;
			}
			ref_seg_put(w->seg);
			w->seg = NULL;
		}
		w->i = 0;
	}
	ref_walk_end(w);
	return false;
}

/* Begins again in the blocks that can have something of the construct; returns what is behind. */
static size_t walk_to(struct ref_walk *w, const struct point *p)
{
	struct trace_index *r = w->ref;
	uint32_t file = w->file;
	size_t first, end;

	ref_walk_end(w);
	ref_walk_begin(w, r, file);
	ref_range(r, file, p, &first, &end);
	w->block = first;
	/* its END may be the first record of the block that begins behind it */
	while (end < r->file[file].n && ref_info(r, file, end)->thread)
		end++;
	return end + 1;
}

static bool is_point(const struct trace_event *e, unsigned op, const struct point *p)
{
	return e->op == op && construct_numbered(e->kind) && ref_same(&e->point, p);
}

bool ref_walk_seek(struct ref_walk *w, unsigned op, const struct point *p)
{
	size_t end;

	/* nearly always a little further on */
	for (unsigned n = 0; n < 64 && w->event; n++) {
		if (is_point(w->event, op, p))
			return true;
		if (!ref_walk_next(w))
			break;
	}
	end = walk_to(w, p);
	while (ref_walk_next(w) && w->block < end)
		if (is_point(w->event, op, p))
			return true;
	ref_walk_end(w);
	return false;
}

bool ref_walk_task(struct ref_walk *w, const struct point *region, uint32_t task)
{
	size_t end = walk_to(w, region);

	while (ref_walk_next(w) && w->block < end) {
		const struct trace_event *e = w->event;

		if (e->op == TRACE_BEGIN && e->kind == CONSTRUCT_TASK && e->task == task &&
		    ref_same(&e->point, region))
			return true;
	}
	ref_walk_end(w);
	return false;
}
