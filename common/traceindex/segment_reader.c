/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a block's records into segments: keys of elements, scopes, events.
 */
#include "common/traceindex/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/vec.h"
#include "common/logical/construct.h"
#include "common/trace/decode_impl.h"

#define EVENTS 4096u	   /* a segment ends with so many events … */
#define BYTES (256u << 10) /* … or bytes of values */
#define FIRST 64u	   /* items that a list of a segment has room for at the least */

struct reader_object {
	bool compared, replicated;
	uint8_t unit;
	struct local_layout layout;
};

struct segment_reader {
	struct object_ids *idents; /* borrowed */
	uint32_t file;
	const struct trace_block *block; /* borrowed */
	struct trace_cursor *cursor;
	struct reader_object *object; /* of the block */
	uint32_t nobject, cap;
	struct access_reader *take; /* by slot */
	uint32_t cap_slots;
	struct trace_again again;
	struct trace_rec rec;
	bool held;	/* rec is to be taken once more */
	unsigned loops; /* parallel loops that are open */
	bool in_task;
	uint32_t task;
	/* the scope that is open */
	bool open, cont;
	struct trace_scope now; /* without acc, index */
	int64_t index[ARRAY_DIMS];
};

/* Room for more in a list of a segment; false: no memory. */
#define ROOM(seg, list, more)                                                             \
	({                                                                                \
		size_t need_ = (size_t)(seg)->n##list + (more);                           \
                                                                                          \
		!vec_room((seg)->list, (seg)->cap_##list, need_ < FIRST ? FIRST : need_); \
	})

struct segment_reader *segment_reader_create(struct object_ids *idents, uint32_t file)
{
	struct segment_reader *r = calloc(1, sizeof(*r));

	if (r) {
		r->idents = idents;
		r->file = file;
	}
	return r;
}

void segment_reader_destroy(struct segment_reader *r)
{
	if (!r)
		return;
	trace_cursor_free(r->cursor);
	free(r->object);
	free(r->take);
	free(r);
}

size_t segment_reader_bytes(const struct segment_reader *r)
{
	/* the cursor has a table of 2^15 values */
	return sizeof(*r) + r->cap * sizeof(*r->object) + (r->cursor ? (size_t)300 << 10 : 0);
}

static void scope_level(struct segment_reader *r, unsigned level)
{
	level = trace_level(level);
	if (level < r->now.level)
		r->now.level = (uint8_t)level;
}

static void scope_set(struct segment_reader *r, unsigned kind, const struct point *point,
		      unsigned nidx, const int64_t *index, unsigned level)
{
	r->now = (struct trace_scope){ .point = *point,
				       .kind = (uint8_t)kind,
				       .nidx = (uint8_t)nidx,
				       .level = (uint8_t)trace_level(level) };
	r->now.point.side = POINT_BEGIN;
	trace_copy_index(r->index, index, nidx);
	r->open = true;
	r->cont = false;
}

static unsigned depth_of(const struct trace_cursor *c)
{
	return c->depth < TRACE_FRAMES ? c->depth : TRACE_FRAMES;
}

/* The point of the task region around frame i. */
static struct point region_of(const struct trace_cursor *c, unsigned i)
{
	while (i-- > 0)
		if (c->frame[i].kind == CONSTRUCT_TR)
			return c->frame[i].point;
	return (struct point){ 0 };
}

/* What is open says which scope is. Levels of constructs inside it count. */
static void scope_find(struct segment_reader *r)
{
	const struct trace_cursor *c = r->cursor;

	r->open = r->in_task = false;
	r->loops = 0;
	for (unsigned i = 0; i < depth_of(c); i++) {
		const struct trace_frame *f = &c->frame[i];
		struct point region;

		if (f->kind == CONSTRUCT_PL && !r->loops++) {
			scope_set(r, f->nidx ? TRACE_SCOPE_ITER : TRACE_SCOPE_BODY, &f->point,
				  f->nidx, f->index, f->level);
		} else if (f->kind == CONSTRUCT_TASK && !r->in_task) {
			r->in_task = true;
			r->task = f->nidx ? (uint32_t)f->index[0] : 0;
			region = region_of(c, i);
			scope_set(r, TRACE_SCOPE_TASK, &region, 1, f->index, f->level);
		} else if (r->open) {
			scope_level(r, f->level);
		}
	}
}

/* Only elements of distributed arrays are compared in scopes, and replicated objects outside. */
static void object_make(struct segment_reader *r, uint32_t i)
{
	const struct trace_object *t = &r->block->object[i];
	struct reader_object *o = &r->object[i];
	struct array_desc one;
	const struct array_desc *a = &t->desc;
	struct object_id *id;

	o->compared = o->replicated = false;
	o->layout.id = -1;
	if (t->kind == TRACE_HEAP || !t->desc.name || !t->desc.elem_size)
		return;
	o->layout.folded = object_folds_find(object_ids_folds(r->idents), a, &one);
	a = o->layout.folded ? &one : a;
	o->layout.id = object_id_of(r->idents, a);
	if (o->layout.id < 0 ||
	    object_id_place(r->idents, (unsigned)o->layout.id, r->file, t->version, a))
		return;
	id = object_id_get(r->idents, (unsigned)o->layout.id);
	id->folded = o->layout.folded;
	o->compared = id->bytes <= TRACE_KEY_MASK;
	o->replicated = o->compared && a->kind == ARRAY_REPLICATED;
	o->compared = o->compared && a->kind == ARRAY_DISTRIBUTED;
	/* a field of a structure is written as a whole */
	o->unit = o->replicated && id->unit_type == VALUE_STRUCT ? 8 : id->unit;
	local_layout_make(&o->layout, id, &t->desc);
}

/* Whether accesses of the slot are compared, enum access_dull. */
static unsigned slot_dull(const struct segment_reader *r, const struct trace_slot *s)
{
	if (s->object == TRACE_NOWHERE || s->flags & (TRACE_ATOMIC | TRACE_REDUCED))
		return ACCESS_DULL;
	if (r->object[s->object].compared)
		return ACCESS_LIVE;
	return r->object[s->object].replicated && s->flags & TRACE_WRITES && !r->block->info.thread
		       ? ACCESS_OUTSIDE
		       : ACCESS_DULL;
}

static int slots_make(struct segment_reader *r)
{
	const struct trace_block *b = r->block;

	if (vec_room(r->take, r->cap_slots, b->nslot))
		return -1;
	for (uint32_t i = 0; i < b->nobject; i++)
		object_make(r, i);
	for (uint32_t i = 0; i < b->nslot; i++) {
		const struct trace_slot *from = &b->slot[i];
		struct access_reader *to = &r->take[i];

		access_reader_slot(to, b, i);
		to->dull = (uint8_t)slot_dull(r, from);
		if (to->dull == ACCESS_OUTSIDE && from->site != TRACE_NONE)
			to->place = segment_place_hash(&b->site[from->site].place);
		to->layout = to->dull == ACCESS_DULL ? NULL : &r->object[from->object].layout;
		to->unit = to->dull == ACCESS_DULL ? 0 : r->object[from->object].unit;
	}
	return 0;
}

int segment_reader_start(struct segment_reader *r, const struct trace_block *b)
{
	r->block = b;
	r->held = false;
	if (vec_room(r->object, r->cap, b->nobject))
		return -1;
	r->nobject = b->nobject;
	if (!r->cursor)
		r->cursor = trace_cursor_open(b);
	else if (trace_cursor_start(r->cursor, b))
		return -1;
	if (!r->cursor)
		return -1;
	r->again = (struct trace_again){ 0 };
	scope_find(r);
	r->cont = r->open;
	return slots_make(r);
}

/* A write of a replicated object outside of parallel loops. */
static int put_write(struct segment_reader *r, struct segment *s, uint32_t slot, uint64_t at,
		     const uint64_t value[2])
{
	struct access_reader *t = &r->take[slot];
	unsigned unit = t->size > t->unit ? t->unit : t->size;
	struct trace_run run;
	struct trace_event *e;

	if (!trace_run_find(t->layout, at, &run))
		return 0;
	if (!ROOM(s, event, 16))
		return -1;
	for (unsigned k = 0; k < t->size; k += unit) {
		e = &s->event[s->nevent++];
		*e = (struct trace_event){ .op = TRACE_WRITE,
					   .size = (uint8_t)unit,
					   .in_task = r->in_task,
					   .rec = (uint32_t)(r->cursor->record - 1),
					   .task = r->in_task ? r->task : 0,
					   .point = r->cursor->impl->point,
					   .place = t->place,
					   .where = TRACE_NONE,
					   .before = run.key + (at - run.at) + k,
					   .ident = t->layout->id };
		memcpy(&e->count, (const unsigned char *)value + k, unit);
	}
	return 0;
}

/* An access that is not one value of the elements that its slot goes through. */
static int put_access(struct segment_reader *r, struct segment *s, uint32_t slot, uint64_t at,
		      const uint64_t value[2])
{
	struct access_reader *t = &r->take[slot];
	struct trace_acc one = { .rec = (uint32_t)(r->cursor->record - 1), .site = t->site };
	unsigned unit = t->size > t->unit ? t->unit : t->size;

	if (at - t->run.at >= t->run.n && !trace_run_find(t->layout, at, &t->run)) {
		t->run.n = 0;
		return 0;
	}
	if (!ROOM(s, acc, 16))
		return -1;
	one.flags = (uint8_t)(t->flags | (at - t->run.own < t->run.nown ? TRACE_ACC_OWN : 0));
	one.size = (uint8_t)unit;
	for (unsigned k = 0; k < t->size; k += unit) {
		one.key = t->run.key + (at - t->run.at) + k;
		memcpy(&one.value, (const unsigned char *)value + k, unit);
		s->acc[s->nacc++] = one;
	}
	return 0;
}

static inline int put_index(struct segment *s, const int64_t *index, unsigned n)
{
	if (s->nindex + ARRAY_DIMS > s->cap_index && !ROOM(s, index, ARRAY_DIMS))
		return -1;
	for (unsigned d = 0; d < n; d++)
		s->index[s->nindex++] = index[d];
	return 0;
}

static int scope_begin(struct segment_reader *r, struct segment *s)
{
	struct trace_scope *scope;

	if (s->nscope == s->cap_scope && !ROOM(s, scope, 1))
		return -1;
	/* field by field: what was stored in parts a moment ago is slow to load as a whole */
	scope = &s->scope[s->nscope];
	scope->point = r->now.point;
	scope->kind = r->now.kind;
	scope->nidx = r->now.nidx;
	scope->acc = s->nacc;
	scope->rec = (uint32_t)(r->cursor->record - (r->held || !r->cont));
	scope->index = s->nindex;
	scope->flags = r->cont ? TRACE_SCOPE_CONT : 0;
	if (put_index(s, r->index, r->now.nidx))
		return -1;
	s->nscope++;
	return 0;
}

/* The part that is open ends. A body in which nothing happened is forgotten. */
static void scope_end(struct segment_reader *r, struct segment *s, bool more)
{
	struct trace_scope *scope = &s->scope[s->nscope - 1];

	scope->nacc = s->nacc - scope->acc;
	scope->level = r->now.level;
	scope->flags |= r->now.flags | (more ? TRACE_SCOPE_MORE : 0);
	if (scope->kind == TRACE_SCOPE_BODY && !scope->nacc && !scope->flags)
		s->nscope--;
}

static int event_put(struct segment_reader *r, struct segment *s)
{
	const struct trace_rec *rec = &r->rec;
	const struct trace_block *b = r->block;
	struct trace_event *e;

	if (b->info.thread && rec->op != TRACE_LOST)
		return 0;
	if (!ROOM(s, event, 1) || (rec->nbytes && !ROOM(s, bytes, rec->nbytes)))
		return -1;
	e = &s->event[s->nevent];
	*e = (struct trace_event){ .op = rec->op,
				   .kind = rec->kind,
				   .left = rec->left,
				   .nidx = rec->nidx,
				   .level = rec->level,
				   .hashed = rec->hashed,
				   .in_task = r->in_task,
				   .rec = (uint32_t)(r->cursor->record - 1),
				   .task = r->in_task ? r->task : 0,
				   .point = rec->point,
				   .count = rec->value[0],
				   .before = rec->at,
				   .where = rec->place,
				   .ident = -1,
				   .index = s->nindex,
				   .bytes = s->nbytes,
				   .nbytes = rec->nbytes };
	if (rec->kind == CONSTRUCT_TASK && (rec->op == TRACE_BEGIN || rec->op == TRACE_END))
		e->point = region_of(r->cursor, depth_of(r->cursor));
	if (rec->place != TRACE_NONE)
		e->place = segment_place_hash(&b->place[rec->place]);
	else if (rec->site != TRACE_NONE)
		e->place = segment_place_hash(&b->site[rec->site].place);
	if (rec->object != TRACE_NOWHERE) {
		e->ident = r->object[rec->object].layout.id;
	}
	if (rec->nidx && put_index(s, rec->index, rec->nidx))
		return -1;
	if (rec->nbytes)
		memcpy(s->bytes + s->nbytes, rec->bytes, rec->nbytes);
	s->nbytes += rec->nbytes;
	s->nevent++;
	return 0;
}

/* How the iterations follow one another: which index runs fastest, and which way. */
static void count_changes(struct segment *s, const int64_t *before, const int64_t *now, unsigned n)
{
	unsigned changed = 0, which = 0;

	for (unsigned d = 0; d < n; d++)
		if (before[d] != now[d]) {
			s->changes[d]++;
			changed++;
			which = d;
		}
	if (changed == 1 && now[which] < before[which])
		s->falls[which]++;
}

static int on_iteration(struct segment_reader *r, struct segment *s)
{
	const struct trace_cursor *c = r->cursor;
	const struct trace_frame *f;

	if (!c->depth || c->depth > TRACE_FRAMES)
		return 0;
	f = &c->frame[c->depth - 1];
	if (f->kind != CONSTRUCT_PL)
		return r->loops || f->kind != CONSTRUCT_SL ? 0 : event_put(r, s);
	if (r->loops != 1)
		return 0;
	if (r->open) {
		if (r->now.kind == TRACE_SCOPE_ITER && r->now.nidx == r->rec.nidx)
			count_changes(s, r->index, r->rec.index, r->rec.nidx);
		scope_end(r, s, false);
	}
	/* without indices: what follows is in no iteration */
	scope_set(r, r->rec.nidx ? TRACE_SCOPE_ITER : TRACE_SCOPE_BODY, &f->point, r->rec.nidx,
		  r->rec.index, f->level);
	return scope_begin(r, s);
}

static int on_begin(struct segment_reader *r, struct segment *s)
{
	const struct trace_rec *rec = &r->rec;
	struct point region;
	bool loop = rec->kind == CONSTRUCT_PL, task = rec->kind == CONSTRUCT_TASK;

	if (r->loops) {
		r->loops += loop;
		scope_level(r, rec->level);
		return 0;
	}
	if (task && !r->in_task) {
		r->in_task = true;
		r->task = rec->nidx ? (uint32_t)rec->index[0] : 0;
	}
	if (event_put(r, s))
		return -1;
	if (!loop && !task) {
		if (r->open && rec->kind != CONSTRUCT_TR)
			scope_level(r, rec->level);
		return 0;
	}
	if (r->open)
		scope_end(r, s, loop);
	r->loops = loop;
	region = loop ? rec->point : region_of(r->cursor, depth_of(r->cursor));
	scope_set(r, loop ? TRACE_SCOPE_BODY : TRACE_SCOPE_TASK, &region, task && rec->nidx,
		  rec->index, rec->level);
	return scope_begin(r, s);
}

static int on_end(struct segment_reader *r, struct segment *s)
{
	bool loop = r->rec.kind == CONSTRUCT_PL, task = r->rec.kind == CONSTRUCT_TASK;

	if (r->loops > loop)
		return r->loops -= loop, 0;
	if (event_put(r, s))
		return -1;
	if (!loop && !task)
		return 0;
	if (r->open)
		scope_end(r, s, false);
	scope_find(r);
	if (task)
		r->open = false;
	r->cont = true;
	return r->open ? scope_begin(r, s) : 0;
}

static int on_other(struct segment_reader *r, struct segment *s)
{
	if (r->rec.op == TRACE_LOST && r->open)
		r->now.flags |= TRACE_SCOPE_LOSSY;
	if (r->rec.op == TRACE_NOTE || r->rec.op == TRACE_SUM || r->rec.op == TRACE_BEFORE ||
	    r->rec.op == TRACE_CALL)
		return 0;
	return event_put(r, s);
}

static int take(struct segment_reader *r, struct segment *s)
{
	switch (r->rec.op) {
	case TRACE_ITER:
		return on_iteration(r, s);
	case TRACE_BEGIN:
		return on_begin(r, s);
	case TRACE_END:
		return on_end(r, s);
	default:
		return on_other(r, s);
	}
}

static bool full(const struct segment *s)
{
	return s->nacc >= TRACE_SEG_ACCESSES || s->nscope >= TRACE_SEG_ACCESSES ||
	       s->nevent >= EVENTS || s->nbytes >= BYTES;
}

/* The record that the next segment begins with ends an iteration: nothing of it is left over. */
static void iteration_over(struct segment_reader *r, struct segment *s)
{
	const struct trace_cursor *c = r->cursor;

	if (r->rec.op == TRACE_ITER && r->open && r->loops == 1 && c->depth &&
	    c->depth <= TRACE_FRAMES && c->frame[c->depth - 1].kind == CONSTRUCT_PL) {
		scope_end(r, s, false);
		r->open = false;
	}
}

/* The next iteration of the loop whose iteration is open. 1, 0: the next record is not one, -1. */
static int next_iteration(struct segment_reader *r, struct segment *s)
{
	const struct trace_cursor *c = r->cursor;
	int64_t index[ARRAY_DIMS];
	const struct trace_frame *f;
	uint8_t n;
	int rc;

	if (r->loops != 1 || !r->open || r->now.kind != TRACE_SCOPE_ITER || !c->depth ||
	    c->depth > TRACE_FRAMES || c->frame[c->depth - 1].kind != CONSTRUCT_PL || full(s))
		return 0;
	rc = trace_block_next_iter(r->cursor, &n, index);
	if (rc <= 0)
		return rc;
	f = &c->frame[c->depth - 1];
	scope_end(r, s, false);
	if (n == r->now.nidx) {
		count_changes(s, r->index, index, n);
		trace_copy_index(r->index, index, n);
		r->now.level = (uint8_t)trace_level(f->level);
		r->now.flags = 0;
		r->cont = false;
	} else {
		scope_set(r, n ? TRACE_SCOPE_ITER : TRACE_SCOPE_BODY, &f->point, n, index,
			  f->level);
	}
	if (scope_begin(r, s) || access_reader_again(r->cursor, &r->again, r->take, s))
		return -1;
	if (!n)
		return 1;
	return access_reader_iterations(r->cursor, &r->again, r->take, s, r->index, r->now.level)
		       ? -1
		       : 1;
}

/* Accesses up to the next record that is none. 1, 0: as many as there is room for, -1. */
static int accesses(struct segment_reader *r, struct segment *s)
{
	unsigned mute = 1u << ACCESS_DULL | (r->open ? 0 : 1u << ACCESS_LIVE) |
			(r->loops ? 1u << ACCESS_OUTSIDE : 0);
	uint64_t at, value[2];
	uint32_t slot;

	for (;;)
		switch (access_reader(r->cursor, r->take, mute, s, &slot, &at, value)) {
		case TRACE_TAKEN_OTHER:
			return 1;
		case TRACE_TAKEN_ONE:
			if (r->take[slot].dull == ACCESS_OUTSIDE
				    ? put_write(r, s, slot, at, value)
				    : put_access(r, s, slot, at, value))
				return -1;
			if (s->nevent >= EVENTS)
				return 0;
			break;
		case TRACE_TAKEN_ROOM:
			if (s->nacc >= TRACE_SEG_MOST)
				return 0;
			if (!ROOM(s, acc, 1))
				return -1;
			break;
		default:
			return -1;
		}
}

/* 1 the segment is full, 0 the block has ended, -1. */
static int fill(struct segment_reader *r, struct segment *s)
{
	unsigned code;
	int rc;

	for (;;) {
		if (!r->held) {
			code = trace_next_code(r->cursor);
			if (code <= TRACE_CODE_FAR) {
				rc = accesses(r, s);
				if (rc <= 0)
					return rc < 0 ? -1 : 1;
				continue;
			}
			rc = code == TRACE_CODE_ITER ? next_iteration(r, s) : 0;
			if (rc > 0)
				continue;
			if (!rc)
				rc = trace_block_next(r->cursor, &r->rec);
			if (rc <= 0)
				return rc;
		}
		r->held = full(s);
		if (r->held) {
			iteration_over(r, s);
			return 1;
		}
		if (take(r, s))
			return -1;
	}
}

/* Where there are none of a kind is a place all the same. */
static bool there(struct segment *s)
{
	return (s->acc || ROOM(s, acc, 1)) && (s->scope || ROOM(s, scope, 1)) &&
	       (s->event || ROOM(s, event, 1)) && (s->index || ROOM(s, index, 1)) &&
	       (s->bytes || ROOM(s, bytes, 1));
}

int segment_reader_fill(struct segment_reader *r, struct segment *s)
{
	int rc;

	s->nacc = s->nscope = s->nevent = s->nindex = s->nbytes = 0;
	if (!there(s))
		return -1;
	memset(s->changes, 0, sizeof(s->changes));
	memset(s->falls, 0, sizeof(s->falls));
	if (r->open && scope_begin(r, s))
		return -1;
	rc = fill(r, s);
	if (r->open)
		scope_end(r, s, true);
	r->cont = true;
	r->now.flags = 0;
	return rc;
}
