/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/trace/decode_impl.h"

#include <stdlib.h>

#include "common/core/vec.h"
#include "common/logical/construct.h"

struct trace_cursor *trace_cursor_open(const struct trace_block *b)
{
	struct trace_cursor *c = calloc(1, sizeof(*c));

	if (c) {
		c->frame = calloc(TRACE_FRAMES, sizeof(*c->frame));
		c->impl = malloc(sizeof(*c->impl));
		if (c->impl)
			c->impl->slot = NULL, c->impl->nslot = 0;
	}
	if (!c || !c->frame || !c->impl || trace_cursor_start(c, b)) {
		trace_cursor_free(c);
		return NULL;
	}
	return c;
}

int trace_cursor_start(struct trace_cursor *c, const struct trace_block *b)
{
	struct trace_cursor_impl *i = c->impl;

	if (vec_room(i->slot, i->nslot, b->nslot))
		return -1;
	for (uint32_t k = 0; k < b->nslot; k++) {
		const struct trace_slot *s = &b->slot[k];
		unsigned size = s->flags & TRACE_SIZE;
		uint32_t version =
			s->object == TRACE_NOWHERE ? TRACE_NOWHERE : b->object[s->object].version;

		i->slot[k] = (struct trace_slot_state){ .entry = trace_entry(version, 0, size),
							.size = (uint8_t)size,
							.shift = trace_entry_shift(size) };
	}
	memset(i->value, 0, sizeof(i->value));
	i->iter = (struct trace_iter){ 0 };
	i->prev = UINT32_MAX;
	i->point = b->info.first;
	i->damaged = false;
	for (unsigned k = 0; k < TRACE_COLS; k++) {
		i->p[k] = b->col[k].data;
		i->end[k] = b->col[k].data ? b->col[k].data + b->col[k].n : NULL;
	}
	if (b->nframe)
		memcpy(c->frame, b->frame, b->nframe * sizeof(*c->frame));
	c->depth = b->nframe;
	c->block = b;
	c->record = 0;
	return 0;
}

void trace_cursor_free(struct trace_cursor *c)
{
	if (!c)
		return;
	if (c->impl)
		free(c->impl->slot);
	free(c->impl);
	free(c->frame);
	free(c);
}

/* A position in a table of n, from 1; 0 is none. */
static int position(struct trace_cursor_impl *i, uint32_t n, uint32_t *at)
{
	uint64_t v;

	if (trace_number_below(i, (uint64_t)n + 1, &v))
		return -1;
	*at = (uint32_t)v - 1;
	return 0;
}

static int get_point(struct trace_cursor_impl *i, unsigned side, struct point *at)
{
	uint64_t v[3];

	for (unsigned k = 0; k < 3; k++)
		if (trace_number_below(i, UINT64_C(1) << 32, &v[k]))
			return -1;
	*at = point_clean((uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], side);
	return 0;
}

static int get_bytes(struct trace_cursor_impl *i, struct trace_rec *out)
{
	uint64_t n;

	if (trace_number(i, &n) || n > UINT32_MAX ||
	    n > (size_t)(i->end[TRACE_COL_BYTES] - i->p[TRACE_COL_BYTES]))
		return -1;
	out->bytes = i->p[TRACE_COL_BYTES];
	out->nbytes = (uint32_t)n;
	i->p[TRACE_COL_BYTES] += n;
	return 0;
}

static inline int get_access(struct trace_cursor *c, unsigned op, struct trace_rec *out)
{
	struct trace_cursor_impl *i = c->impl;
	const struct trace_block *b = c->block;
	uint32_t n = i->prev + 1 + (uint32_t)trace_unzigzag(op >> 2), version = TRACE_NOWHERE;
	const struct trace_slot *s;
	uint64_t v;
	unsigned size;

	if (__builtin_expect(op >> 2 == TRACE_CODE_FAR, 0)) {
		if (trace_number_below(i, b->nslot, &v))
			return -1;
		n = (uint32_t)v;
	}
	if (__builtin_expect(n >= b->nslot, 0))
		return -1;
	i->prev = n;
	s = &b->slot[n];
	size = s->flags & TRACE_SIZE;
	if (trace_position(i, &i->slot[n], op, size, &out->at))
		return -1;
	if (s->object != TRACE_NOWHERE)
		version = b->object[s->object].version;
	if (op & TRACE_PREDICTED_VALUE)
		trace_guessed(i->value, version, out->at, size, out->value);
	else if (trace_unexpected(i, &i->slot[n], size, out->value))
		return -1;
	else
		(void)trace_guess(i->value, version, out->at, size, out->value);
	out->op = s->flags & TRACE_WRITES ? TRACE_WRITE : TRACE_READ;
	out->size = (uint8_t)size;
	out->flags = s->flags & (uint8_t)~TRACE_SIZE;
	out->site = s->site;
	out->object = s->object;
	return 0;
}

/* Its n and indices. */
static inline int next_iteration(struct trace_cursor_impl *i, unsigned how, uint8_t *nidx,
				 int64_t *index)
{
	uint64_t n = i->iter.n, step;

	if (how == TRACE_ITER_SAID && trace_number_below(i, ARRAY_DIMS + 1, &n))
		return -1;
	if (__builtin_expect(n && (how == TRACE_ITER_LAST || how == TRACE_ITER_FIRST), 1)) {
		int64_t *one = &i->iter.last[how == TRACE_ITER_LAST ? n - 1 : 0];

		*one = (int64_t)((uint64_t)*one + 1);
		trace_copy_index(index, i->iter.last, (unsigned)n);
	} else {
		for (unsigned d = 0; d < n; d++) {
			if (how != TRACE_ITER_SAID)
				step = (uint64_t)i->iter.step[d];
			else if (trace_number(i, &step))
				return -1;
			else
				step = trace_unzigzag(step);
			index[d] = (int64_t)((uint64_t)i->iter.last[d] + step);
		}
		trace_iter_set(&i->iter, (unsigned)n, index, how);
	}
	*nidx = (uint8_t)n;
	return 0;
}

static inline void enter(struct trace_cursor *c, uint8_t n, const int64_t *index)
{
	struct trace_frame *f;

	if (!c->depth || c->depth > TRACE_FRAMES)
		return;
	f = &c->frame[c->depth - 1];
	f->nidx = n;
	trace_copy_index(f->index, index, n);
}

static inline int get_iteration(struct trace_cursor *c, unsigned how, uint8_t *nidx, int64_t *index)
{
	if (next_iteration(c->impl, how, nidx, index))
		return -1;
	enter(c, *nidx, index);
	return 0;
}

static int get_begin(struct trace_cursor *c, struct trace_rec *out)
{
	struct trace_cursor_impl *i = c->impl;
	uint64_t kind, level, n, v[3];
	struct trace_frame *f;

	if (trace_number_below(i, CONSTRUCT_KINDS, &kind) || trace_number_below(i, 256, &level) ||
	    position(i, c->block->nplace, &out->place) || get_point(i, POINT_BEGIN, &out->point) ||
	    trace_number_below(i, ARRAY_DIMS + 1, &n))
		return -1;
	for (unsigned d = 0; d < n; d++) {
		if (trace_number(i, &v[0]) || trace_number(i, &v[1]) || trace_number(i, &v[2]))
			return -1;
		out->index[d] = (int64_t)trace_unzigzag(v[0]);
		out->last[d] = (int64_t)trace_unzigzag(v[1]);
		out->step[d] = (int64_t)trace_unzigzag(v[2]);
	}
	out->kind = (uint8_t)kind;
	out->level = (uint8_t)level;
	out->nidx = (uint8_t)n;
	if (out->point.main && construct_numbered(out->kind))
		i->point = out->point;
	if (c->depth++ >= TRACE_FRAMES)
		return 0;
	f = &c->frame[c->depth - 1];
	*f = (struct trace_frame){
		.kind = out->kind, .level = out->level, .place = out->place, .point = out->point
	};
	/* a task is an iteration of its region */
	if (kind == CONSTRUCT_TASK && n) {
		f->nidx = 1;
		f->index[0] = out->index[0];
	}
	return 0;
}

static int get_end(struct trace_cursor *c, struct trace_rec *out)
{
	struct trace_cursor_impl *i = c->impl;
	uint64_t kind, left;

	if (trace_number_below(i, CONSTRUCT_KINDS, &kind) || trace_number_below(i, 2, &left) ||
	    position(i, c->block->nplace, &out->place) || get_point(i, POINT_END, &out->point) ||
	    trace_number(i, &out->value[0]))
		return -1;
	out->kind = (uint8_t)kind;
	out->left = (uint8_t)left;
	out->value[0]--;
	if (out->point.main && construct_numbered(out->kind))
		i->point = out->point;
	if (c->depth)
		c->depth--;
	return 0;
}

static int get_kind(struct trace_cursor_impl *i, struct trace_rec *out)
{
	uint64_t kind;

	if (trace_number_below(i, 256, &kind))
		return -1;
	out->kind = (uint8_t)kind;
	return 0;
}

/* The flags and place of a write that begins. */
static int get_before(struct trace_cursor_impl *i, struct trace_rec *out)
{
	uint64_t flags;

	if (trace_number_below(i, 256, &flags) || !trace_size_good(flags & TRACE_SIZE) ||
	    trace_number_below(i, TRACE_AT_MASK + 1, &out->at))
		return -1;
	out->size = flags & TRACE_SIZE;
	out->flags = flags & 0xff & ~TRACE_SIZE;
	return 0;
}

static int get_form(struct trace_cursor_impl *i, struct trace_rec *out)
{
	uint64_t form;

	if (trace_number_below(i, TRACE_VALUE_FORMS, &form))
		return -1;
	out->hashed = (uint8_t)form;
	if (form != TRACE_VALUE_PART)
		return 0;
	return trace_number(i, &out->at) || trace_number(i, &out->value[0]);
}

static int get_rare(struct trace_cursor *c, struct trace_rec *out)
{
	struct trace_cursor_impl *i = c->impl;
	const struct trace_block *b = c->block;

	if (i->p[TRACE_COL_OPS] == i->end[TRACE_COL_OPS])
		return -1;
	out->op = *i->p[TRACE_COL_OPS]++;
	switch (out->op) {
	case TRACE_BEGIN:
		return get_begin(c, out);
	case TRACE_END:
		return get_end(c, out);
	case TRACE_VALUE:
		return position(i, b->nobject, &out->object) ||
		       position(i, b->nplace, &out->place) || get_form(i, out) || get_bytes(i, out);
	case TRACE_REDUCTION:
		return position(i, b->nobject, &out->object) || position(i, b->nsite, &out->site) ||
		       get_kind(i, out) || get_bytes(i, out);
	case TRACE_SKIP:
		return position(i, b->nplace, &out->place);
	case TRACE_LOST:
		return get_kind(i, out) || trace_number(i, &out->value[0]);
	case TRACE_NOTE:
		return get_kind(i, out) || get_bytes(i, out);
	case TRACE_SUM:
		return position(i, b->nobject, &out->object) || get_bytes(i, out);
	case TRACE_BEFORE:
		return position(i, b->nobject, &out->object) || position(i, b->nsite, &out->site) ||
		       get_before(i, out);
	case TRACE_CALL:
		return position(i, b->nsite, &out->site) || trace_number(i, &out->value[0]) ||
		       trace_number(i, &out->value[1]) || get_bytes(i, out);
	default:
		return -1;
	}
}

/* All but the three lists of indices, which nidx says the length of. */
static inline void clear(struct trace_rec *out, const struct point *at)
{
	out->size = out->kind = out->left = out->nidx = 0;
	out->flags = out->hashed = out->level = 0;
	out->site = out->place = TRACE_NONE;
	out->object = TRACE_NOWHERE;
	out->point = *at;
	out->at = 0;
	out->value[0] = out->value[1] = 0;
	out->bytes = NULL;
	out->nbytes = 0;
}

int trace_block_next(struct trace_cursor *c, struct trace_rec *out)
{
	struct trace_cursor_impl *i = c->impl;
	unsigned op;
	int rc;

	if (i->damaged)
		return -1;
	if (i->p[TRACE_COL_OPS] == i->end[TRACE_COL_OPS])
		return 0;
	clear(out, &i->point);
	op = *i->p[TRACE_COL_OPS]++;
	if (__builtin_expect(op >> 2 <= TRACE_CODE_FAR, 1))
		rc = get_access(c, op, out);
	else if (op >> 2 == TRACE_CODE_ITER)
		rc = get_iteration(c, op & 3, &out->nidx, out->index), out->op = TRACE_ITER;
	else
		rc = op == TRACE_CODE_RARE << 2 ? get_rare(c, out) : -1;
	if (__builtin_expect(rc != 0, 0)) {
		i->damaged = true;
		return -1;
	}
	c->record++;
	return 1;
}

int trace_block_next_iter(struct trace_cursor *c, uint8_t *nidx, int64_t *index)
{
	struct trace_cursor_impl *i = c->impl;
	unsigned op;

	if (trace_next_code(c) != TRACE_CODE_ITER)
		return 0;
	op = *i->p[TRACE_COL_OPS]++;
	if (get_iteration(c, op & 3, nidx, index)) {
		i->damaged = true;
		return -1;
	}
	c->record++;
	return 1;
}

/* ---- many at once ---- */

static inline int step_access(struct trace_cursor *c, unsigned op, struct trace_batch_item *to,
			      uint64_t *more)
{
	struct trace_cursor_impl *i = c->impl;
	uint32_t n = i->prev + 1 + (uint32_t)trace_unzigzag(op >> 2);
	struct trace_slot_state *slot;
	uint64_t v[2], *entry;

	if (__builtin_expect(op >> 2 == TRACE_CODE_FAR, 0)) {
		if (trace_number_below(i, c->block->nslot, &v[0]))
			return -1;
		n = (uint32_t)v[0];
	}
	if (__builtin_expect(n >= c->block->nslot, 0))
		return -1;
	i->prev = to->slot = n;
	slot = &i->slot[n];
	if (trace_position(i, slot, op, slot->size, &to->at))
		return -1;
	entry = &i->value[((uint32_t)(to->at >> slot->shift) + slot->entry) & (TRACE_VALUES - 1)];
	if (__builtin_expect(slot->size == 16, 0)) {
		uint64_t *second = entry == &i->value[TRACE_VALUES - 1] ? i->value : entry + 1;

		if (!(op & TRACE_PREDICTED_VALUE)) {
			if (trace_unexpected(i, slot, 16, v))
				return -1;
			*entry = v[0];
			*second = v[1];
		}
		to->value = *entry;
		*more = *second;
		return 0;
	}
	if (!(op & TRACE_PREDICTED_VALUE)) {
		if (trace_unexpected(i, slot, slot->size, v))
			return -1;
		*entry = v[0];
	}
	to->value = *entry;
	return 0;
}

static int step_iteration(struct trace_cursor_impl *i, unsigned op, struct trace_batch *s,
			  struct trace_batch_item *to)
{
	uint8_t n;

	if (next_iteration(i, op & 3, &n, &s->index[s->nindex]))
		return -1;
	to->slot = TRACE_NONE;
	to->nidx = n;
	to->at = s->nindex;
	s->nindex += n;
	return 0;
}

int trace_block_batch(struct trace_cursor *c, struct trace_batch *s)
{
	struct trace_cursor_impl *i = c->impl;
	unsigned n = 0;
	int rc = 0;

	s->n = s->nindex = s->nidx = 0;
	if (c->depth && c->depth <= TRACE_FRAMES) {
		s->nidx = c->frame[c->depth - 1].nidx;
		trace_copy_index(s->before, c->frame[c->depth - 1].index, s->nidx);
	}
	while (n < TRACE_BATCH && !rc) {
		unsigned op, code = trace_next_code(c);

		if (code > TRACE_CODE_ITER || code == TRACE_CODE_NEW)
			break;
		op = *i->p[TRACE_COL_OPS]++;
		rc = code == TRACE_CODE_ITER ? step_iteration(i, op, s, &s->step[n])
					     : step_access(c, op, &s->step[n], &s->more[n]);
		n += !rc;
	}
	if (rc)
		i->damaged = true;
	s->n = n;
	c->record += n;
	return rc;
}

void trace_batch_enter(struct trace_cursor *c, const struct trace_batch *s,
		       const struct trace_batch_item *iter)
{
	if (iter)
		enter(c, (uint8_t)iter->nidx, &s->index[iter->at]);
	else
		enter(c, s->nidx, s->before);
}

void trace_batch_record(const struct trace_cursor *c, const struct trace_batch *s,
			const struct trace_batch_item *step, struct trace_rec *out)
{
	const struct trace_slot *slot;

	clear(out, &c->impl->point);
	if (step->slot == TRACE_NONE) {
		out->op = TRACE_ITER;
		out->nidx = (uint8_t)step->nidx;
		trace_copy_index(out->index, &s->index[step->at], step->nidx);
		return;
	}
	slot = &c->block->slot[step->slot];
	out->op = slot->flags & TRACE_WRITES ? TRACE_WRITE : TRACE_READ;
	out->size = slot->flags & TRACE_SIZE;
	out->flags = slot->flags & (uint8_t)~TRACE_SIZE;
	out->site = slot->site;
	out->object = slot->object;
	out->at = step->at;
	out->value[0] = step->value;
	out->value[1] = out->size == 16 ? s->more[step - s->step] : 0;
}
