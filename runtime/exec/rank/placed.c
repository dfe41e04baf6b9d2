/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables that the program has not registered, and that are watched: where they are here, and
 * what they have.
 */
#include "runtime/exec/rank/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"

#define MOST 1000000 /* elements of a watch */

_Static_assert(NATIVE_HOPS == WATCH_HOPS, "a watch goes the whole way");

static const struct native_placed *find(const struct control *c, uint32_t id)
{
	for (uint32_t i = 0; i < PLACED_MOST; i++)
		if (c->placed[i].used && c->placed[i].id == id)
			return &c->placed[i].at;
	return NULL;
}

static bool is_watched(const struct control *c, uint32_t id)
{
	for (uint32_t i = 0; i < c->nwatch; i++)
		if (c->watch[i].id == id)
			return true;
	return false;
}

/* Its own, or one that no actionpoint needs any more; WATCH_MOST are needed at a time. */
static struct placed *room_for(struct control *c, uint32_t id)
{
	struct placed *room = NULL;

	for (uint32_t i = 0; i < PLACED_MOST; i++) {
		struct placed *p = &c->placed[i];

		if (p->used && p->id == id)
			return p;
		if (p->used && is_watched(c, p->id))
			continue;
		/* rules that need the newest may be on their way */
		if (!room || (room->used && (!p->used || p->id < room->id)))
			room = p;
	}
	return room;
}

void placed_fill(const struct control *c, struct watch *w)
{
	const struct native_placed *p = find(c, w->id);

	w->addr = 0;
	if (!p)
		return;
	w->size = p->size;
	w->mask = native_placed_mask(p);
	w->addr = p->way.n ? p->way.base : p->addr;
	w->nhop = (uint8_t)p->way.n;
	memcpy(w->hop, p->way.off, sizeof(w->hop));
	w->ndim = p->ndim;
	w->call = p->call;
	w->from = p->from;
	for (unsigned i = 0; i < p->ndim; i++) {
		w->first[i] = 0;
		w->last[i] = (int64_t)p->count[i];
		w->step[i] = p->stride[i];
	}
}

/* The call that the variable was of has returned, as far as the stack shows. */
static bool has_returned(struct control *c, const struct native_placed *p)
{
	const struct memory_span span = { p->call, sizeof(p->from) };
	uint64_t now, bad;

	if (!p->call)
		return false;
	return (control_is_parked(c) && c->page->regs.stack > p->call) || memory_read(&c->memory, &span, 1, &now, &bad) ||
	       now != p->from;
}

/* Where the elements are by now; false: nowhere. */
static bool follow(struct control *c, const struct native_placed *p, uint64_t *addr)
{
	uint64_t at = p->way.base, word, bad;

	*addr = p->addr;
	for (unsigned i = 0; i < p->way.n; i++) {
		const struct memory_span span = { at, sizeof(word) };

		if (memory_read(&c->memory, &span, 1, &word, &bad) || !word)
			return false;
		*addr = at = word + (uint64_t)p->way.off[i];
	}
	return true;
}

/* Their numbers, the last dimension fastest; false: some cannot be read. */
static bool read_values(struct control *c, const struct native_placed *p, unsigned char *room,
			unsigned char *to)
{
	struct layout l = { .ndim = p->ndim, .size = p->size };
	struct layout_walk w;
	struct layout_run r;
	uint64_t addr, bad;

	for (unsigned i = 0; i < p->ndim; i++) {
		l.count[i] = (int64_t)p->count[i];
		l.stride[i] = p->stride[i];
	}
	if (!follow(c, p, &addr))
		return false;
	layout_walk(&w, &l, LAYOUT_C);
	while (layout_next(&w, &r)) {
		bool dense = r.stride == p->size;

		for (uint64_t k = 0; k < r.n; k++, to += p->packed) {
			struct memory_span span = { addr + (uint64_t)(r.offset +
								      (int64_t)k * r.stride),
						    dense ? r.n * p->size : p->size };
			unsigned char *from = room + (dense ? k * p->size : 0);

			if ((!dense || !k) && memory_read(&c->memory, &span, 1, from, &bad))
				return false;
			native_placed_pack(p, from, to);
		}
	}
	return true;
}

/* What the parts of structures are, as the answer has them. */
static int put_fields(const struct native_placed *p, struct answer_elements *a)
{
	uint32_t at = 0;

	a->field = calloc(p->npart, sizeof(*a->field));
	a->nfield = a->field ? p->npart : 0;
	for (uint32_t i = 0; i < a->nfield; i++) {
		const struct native_part *q = &p->part[i];

		a->field[i] = (struct array_field){ q->name, q->type, at, q->count };
		at += (uint32_t)value_size(q->type) * q->count;
	}
	return a->field ? 0 : -1;
}

static void refuse(struct buf *out, const char *why)
{
	answer_locals_put(&(struct answer_locals){ .head = { .kind = ANSWER_ERROR, .why = why } },
			  out);
}

static void put(const struct native_placed *p, const unsigned char *bytes, size_t n,
		struct buf *out)
{
	struct answer_locals head = { .head = { .kind = ANSWER_DONE, .why = "" }, .n = 1 };
	const struct native_part *q = p->part;
	struct answer_elements a = {
		.order = p->order, .ndim = p->ndim, .n = n, .bytes = bytes, .elem_size = p->packed
	};

	a.type = p->npart == 1 && !*q->name && q->count == 1 ? q->type : VALUE_STRUCT;
	if (a.type == VALUE_STRUCT && put_fields(p, &a)) {
		refuse(out, "out of memory");
		return;
	}
	memcpy(a.count, p->count, sizeof(a.count));
	memcpy(a.first, p->first, sizeof(a.first));
	memcpy(a.step, p->step, sizeof(a.step));
	answer_locals_put(&head, out);
	answer_elements_put(&a, out);
	free(a.field);
}

static void answer_values(struct control *c, const struct native_placed *p, struct buf *out)
{
	uint64_t total = 1;
	unsigned char *bytes, *room;

	for (unsigned i = 0; i < p->ndim; i++)
		total *= p->count[i];
	bytes = malloc(total * p->packed + 1);
	room = malloc(total * p->size + 1);
	if (!bytes || !room)
		refuse(out, "out of memory");
	else if (has_returned(c, p))
		refuse(out, "the call that the variable is of has returned");
	else if (!read_values(c, p, room, bytes))
		refuse(out, "its memory is not there any more");
	else
		put(p, bytes, total * p->packed, out);
	free(bytes);
	free(room);
}

/* What has been found becomes what is watched, if q wants that; clears p. */
static void keep(struct control *c, const struct msg_query *q, struct native_placed *p,
		 struct buf *out)
{
	struct placed *to = room_for(c, q->id);
	uint64_t total = p->npart;

	for (unsigned i = 0; i < p->ndim; i++)
		if (__builtin_mul_overflow(total, p->count[i], &total))
			total = UINT64_MAX;
	if (total > MOST) {
		refuse(out, "these are more elements than can be watched: choose a section");
	} else if (q->n & LOCALS_LASTING && p->call) {
		refuse(out, "it is a variable of a call");
	} else if (!to) {
		refuse(out, "out of memory");
	} else {
		put(p, NULL, 0, out);
		if (!(q->n & LOCALS_SHAPE)) {
			native_placed_clear(&to->at);
			*to = (struct placed){ .used = true, .id = q->id, .at = *p };
			return;
		}
	}
	native_placed_clear(p);
}

/* It is where the expression comes to. */
static void place(struct control *c, const struct msg_query *q, struct buf *out)
{
	struct native_placed p;
	struct err err = { "" };
	int found = native_place(c->native, true, q, &p, &err);

	if (found > 0) {
		keep(c, q, &p, out);
		return;
	}
	if (found < 0)
		refuse(out, err.text);
	else
		answer_locals_put(&(struct answer_locals){ .head = { ANSWER_DONE, "" } }, out);
	native_placed_clear(&p);
}

void placed_clear(struct control *c)
{
	for (uint32_t i = 0; i < PLACED_MOST; i++)
		native_placed_clear(&c->placed[i].at);
}

void placed_answer(struct control *c, const struct msg_query *q, struct buf *out)
{
	const struct native_placed *p = find(c, q->id);

	if (*q->name)
		place(c, q, out);
	else if (p)
		answer_values(c, p, out);
	else
		refuse(out, "it is not watched here");
}
