/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the reference knows of a construct as a whole. Of the one that was asked for last the answer
 * is kept.
 */
#include <string.h>

#include "common/logical/construct.h"
#include "common/traceindex/traceindex.h"

static struct ref_loop *loop_of(struct trace_index *r, const struct point *p)
{
	if (!ref_same(&r->loop.point, p))
		r->loop = (struct ref_loop){ .point = *p };
	return &r->loop;
}

/* Iterations of the loop, or tasks of the region, that begin in the file, as far as recorded. */
struct point_sums {
	uint64_t iterations;
	bool lossy;
	unsigned level; /* the lowest */
};

static void point_sums_file(struct trace_index *r, uint32_t f, const struct point *p,
			    struct point_sums *t)
{
	struct ref_parts parts;

	*t = (struct point_sums){ .level = 3 };
	ref_parts_whole(&parts, r, f, p);
	while (ref_parts_next(&parts)) {
		const struct trace_scope *s = parts.scope;

		t->iterations += s->kind != TRACE_SCOPE_BODY && !(s->flags & TRACE_SCOPE_CONT);
		t->lossy = t->lossy || s->flags & TRACE_SCOPE_LOSSY;
		if (s->level < t->level)
			t->level = s->level;
	}
}

static bool marked_in(struct trace_index *r, uint32_t f, const struct point *p)
{
	size_t first, end;
	bool look = false;
	struct point_sums t;

	ref_range(r, f, p, &first, &end);
	for (size_t b = first; b < end; b++) {
		const struct trace_info *x = ref_info(r, f, b);

		if (x->loops == 1 && x->boxed) {
			if (ref_same(&x->box_of, p))
				return true;
		} else if (x->loops) {
			look = true;
		}
	}
	if (!look)
		return false;
	point_sums_file(r, f, p, &t);
	return t.iterations > 0;
}

bool trace_index_marked(struct trace_index *r, const struct point *p)
{
	struct ref_loop *l = loop_of(r, p);

	for (uint32_t f = 0; !l->known_marked && f < r->files; f++)
		l->marked = l->marked || marked_in(r, f, p);
	l->known_marked = true;
	return l->marked;
}

/* Its beginning and end in the file (op of what is not there: TRACE_OPS). False: neither. */
static bool ends_of(struct trace_index *r, uint32_t f, const struct point *p,
		    struct trace_event *begin, struct trace_event *end)
{
	struct ref_walk w;

	*begin = *end = (struct trace_event){ .op = TRACE_OPS };
	ref_walk_begin(&w, r, f);
	if (ref_walk_seek(&w, TRACE_BEGIN, p)) {
		*begin = *w.event;
		if (ref_walk_seek(&w, TRACE_END, p))
			*end = *w.event;
	}
	ref_walk_end(&w);
	return begin->op == TRACE_BEGIN;
}

/* Not of those ranks that have no part in it: loops in tasks of others. */
static bool whole_in(struct trace_index *r, uint32_t f, const struct point *p, unsigned *level)
{
	struct trace_event begin, end;
	struct point_sums t;

	if (!ends_of(r, f, p, &begin, &end))
		return p->sub && trace_reader_complete(r->file[f].map);
	if (trace_level(begin.level) < *level)
		*level = trace_level(begin.level);
	if (end.op != TRACE_END || !trace_level(begin.level))
		return false;
	point_sums_file(r, f, p, &t);
	return !t.lossy && (end.count == UINT64_MAX || end.count == t.iterations);
}

bool trace_index_cut(const struct trace_index *r, uint32_t file, const struct point *p)
{
	const struct trace_reader *m = r->file[file].map;
	size_t n = r->file[file].n;

	if (r->damaged || r->files != trace_reader_meta(m)->ranks)
		return true;
	return !trace_reader_complete(m) &&
	       (!n || ref_order(&ref_info(r, file, n - 1)->last) < (uint64_t)p->main * 4 + 3);
}

unsigned trace_index_level(struct trace_index *r, const struct point *p)
{
	for (uint32_t f = 0; f < r->files; f++) {
		struct trace_event begin = { .op = TRACE_OPS };
		struct ref_walk w;

		ref_walk_begin(&w, r, f);
		if (ref_walk_seek(&w, TRACE_BEGIN, p))
			begin = *w.event;
		ref_walk_end(&w);
		if (begin.op == TRACE_BEGIN)
			return trace_level(begin.level);
	}
	return 0;
}

bool trace_index_is_whole(struct trace_index *r, const struct point *p)
{
	struct ref_loop *l = loop_of(r, p);
	unsigned level = 3;

	if (l->known_whole)
		return l->whole;
	l->whole = r->files > 0 && r->files == trace_reader_meta(r->file[0].map)->ranks;
	for (uint32_t f = 0; l->whole && f < r->files; f++)
		l->whole = whole_in(r, f, p, &level) && !r->damaged;
	l->known_whole = true;
	l->level = (uint8_t)level;
	return l->whole;
}

uint64_t trace_index_executed(struct trace_index *r, uint32_t file, const struct point *p)
{
	struct ref_walk w;
	uint64_t n = UINT64_MAX;

	ref_walk_begin(&w, r, file);
	if (ref_walk_seek(&w, TRACE_END, p))
		n = w.event->count;
	ref_walk_end(&w);
	return n;
}

void trace_index_meet(struct trace_index *r, uint32_t file)
{
	for (size_t i = 0; !r->met && i < r->file[file].n; i++) {
		struct trace_block *b = ref_block_load(r, file, i);

		for (uint32_t k = 0; b && k < b->nobject; k++) {
			const struct trace_object *o = &b->object[k];
			int id = -1;

			if (o->kind != TRACE_HEAP && o->desc.name && o->desc.elem_size)
				id = object_id_of(r->idents, &o->desc);
			if (id >= 0)
				object_id_get(r->idents, (unsigned)id)->in_ref = true;
		}
		trace_block_free(b);
	}
	r->met = true;
}

void trace_index_sort_key(struct trace_index *r, const struct ref_at *at, const struct ref_seg *seg,
			  int64_t key[ARRAY_DIMS])
{
	const struct trace_scope *s = &seg->s.scope[at->i];
	bool used[ARRAY_DIMS] = { false };

	memset(key, 0, ARRAY_DIMS * sizeof(*key));
	if (ref_in_line(r)) {
		key[0] = (int64_t)at->block;
		key[1] = s->rec;
		return;
	}
	/* of several the index that changes least often is the outermost loop's */
	for (unsigned i = 0; i < s->nidx; i++) {
		unsigned least = ARRAY_DIMS;

		for (unsigned d = 0; d < s->nidx; d++)
			if (!used[d] &&
			    (least == ARRAY_DIMS || seg->s.changes[d] < seg->s.changes[least]))
				least = d;
		used[least] = true;
		key[i] = seg->s.index[s->index + least];
		if (seg->s.falls[least] * 2 > seg->s.changes[least])
			key[i] = -key[i];
	}
}
