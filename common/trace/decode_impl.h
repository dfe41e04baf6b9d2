/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the cursor: where it is in a block's columns, and what the next records are made of.
 * For those who read records; nobody else needs it.
 */
#ifndef DVMDBG_COMMON_TRACE_DEC_IMPL_H
#define DVMDBG_COMMON_TRACE_DEC_IMPL_H

#include "common/trace/code.h"
#include "common/trace/decode.h"

struct trace_cursor_impl {
	const unsigned char *p[TRACE_COLS], *end[TRACE_COLS];
	uint32_t prev;
	struct point point; /* the last one passed */
	struct trace_iter iter;
	struct trace_slot_state {
		struct trace_track track;
		uint64_t last[2]; /* its last value that was not expected */
		uint32_t entry;	  /* what its object adds to the entry of a value */
		uint8_t size, shift;
	} * slot;
	uint32_t nslot; /* room */
	bool damaged;
	uint64_t value[TRACE_VALUES];
};

/* The code of the next record; beyond all codes: there is none. */
static inline unsigned trace_next_code(const struct trace_cursor *c)
{
	const struct trace_cursor_impl *i = c->impl;

	if (i->damaged || i->p[TRACE_COL_OPS] == i->end[TRACE_COL_OPS])
		return 64;
	return *i->p[TRACE_COL_OPS] >> 2;
}

static inline int trace_number(struct trace_cursor_impl *i, uint64_t *v)
{
	const unsigned char *p = i->p[TRACE_COL_NUMBERS], *end = i->end[TRACE_COL_NUMBERS];

	/* one byte, as nearly always */
	if (__builtin_expect(p < end && *p < 0x80, 1)) {
		*v = *p;
		i->p[TRACE_COL_NUMBERS] = p + 1;
		return 0;
	}
	p = trace_get(p, end, v);
	if (!p)
		return -1;
	i->p[TRACE_COL_NUMBERS] = p;
	return 0;
}

/* A number that is below limit. */
static inline int trace_number_below(struct trace_cursor_impl *i, uint64_t limit, uint64_t *v)
{
	return trace_number(i, v) || *v >= limit ? -1 : 0;
}

/* The value of an access of the slot that was not expected. */
static inline int trace_unexpected(struct trace_cursor_impl *i, struct trace_slot_state *slot,
				   unsigned size, uint64_t v[2])
{
	unsigned lane = size >= 8   ? TRACE_COL_WORDS
			: size == 4 ? TRACE_COL_HALVES
				    : TRACE_COL_BYTES;

	if (__builtin_expect(size > (size_t)(i->end[lane] - i->p[lane]), 0))
		return -1;
	trace_value_get(i->p[lane], slot->last, v, size);
	i->p[lane] += size;
	return 0;
}

/* Where an access of the slot is. */
static inline int trace_position(struct trace_cursor_impl *i, struct trace_slot_state *slot,
				 unsigned op, unsigned size, uint64_t *at)
{
	uint64_t v;

	if (op & TRACE_PREDICTED_AT) {
		*at = trace_follow(&slot->track);
		return 0;
	}
	if (trace_number(i, &v))
		return -1;
	*at = trace_follow_turn(&slot->track, size, v);
	return 0;
}

#endif
