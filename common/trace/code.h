/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code of records, for both sides: numbers, and the predictions that the writer and the reader
 * make alike. See doc/TRACE.md.
 */
#ifndef DVMDBG_COMMON_TRACE_CODE_H
#define DVMDBG_COMMON_TRACE_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/trace/trace.h"

/* An op byte is code << 2 | bits. Codes below TRACE_CODE_FAR: slot = last one + 1 + unzigzag(code).
 */
enum {
	TRACE_CODE_FAR = 57,  /* the number of the slot follows */
	TRACE_CODE_NEW = 58,  /* defines the next slot */
	TRACE_CODE_ITER = 59, /* bits: enum trace_iter_how */
	TRACE_CODE_RARE = 60, /* a byte with enum trace_op follows */
};
#define TRACE_PREDICTED_VALUE 1u
#define TRACE_PREDICTED_AT 2u

#define TRACE_NUMBER 10 /* most bytes of a number */
#define TRACE_AT_MASK ((UINT64_C(1) << TRACE_AT_BITS) - 1)
#define TRACE_VALUES (1u << 15) /* entries of the table of values */

static inline uint64_t trace_zigzag(uint64_t v)
{
	return v << 1 ^ (uint64_t)((int64_t)v >> 63);
}

static inline uint64_t trace_unzigzag(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

/* Seven bits a byte, the lowest first; the top bit says that more follow. Returns what is behind
 * it. */
static inline unsigned char *trace_put(unsigned char *p, uint64_t v)
{
	while (__builtin_expect(v >= 0x80, 0)) {
		*p++ = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	*p++ = (unsigned char)v;
	return p;
}

/* Returns what is behind it, NULL when it does not end before `end` or has more than 64 bits. */
static inline const unsigned char *trace_get(const unsigned char *p, const unsigned char *end,
					     uint64_t *v)
{
	unsigned shift = 0;

	*v = 0;
	while (p < end && shift < 64) {
		*v |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p++ & 0x80))
			return p;
		shift += 7;
	}
	return NULL;
}

/* Where a slot was last, and how it moves. */
struct trace_track {
	uint64_t at;
	int64_t stride; /* the step that is expected */
	int64_t turn;	/* the last step that was not */
};

static inline bool trace_aligned(int64_t step, unsigned size)
{
	return !(step & (int64_t)(size - 1));
}

/* A step that was not expected: when it comes twice running it is the one from now on. */
static inline void trace_track_turn(struct trace_track *t, int64_t step)
{
	if (step == t->turn)
		t->stride = step;
	t->turn = step;
}

/* True: at is as expected. Else *position is the number to be written. */
static inline bool trace_track(struct trace_track *t, uint64_t at, unsigned size,
			       uint64_t *position)
{
	int64_t step = (int64_t)((at - t->at) << (64 - TRACE_AT_BITS)) >> (64 - TRACE_AT_BITS);

	t->at = at;
	if (__builtin_expect(step == t->stride, 1))
		return true;
	trace_track_turn(t, step);
	*position = trace_aligned(step, size)
			    ? trace_zigzag((uint64_t)(step >> __builtin_ctz(size))) << 1
			    : trace_zigzag((uint64_t)step) << 1 | 1;
	return false;
}

/* The reader's side: moves as expected, or as the number says. Returns at. */
static inline uint64_t trace_follow(struct trace_track *t)
{
	t->at = (t->at + (uint64_t)t->stride) & TRACE_AT_MASK;
	return t->at;
}

static inline uint64_t trace_follow_turn(struct trace_track *t, unsigned size, uint64_t position)
{
	uint64_t step = trace_unzigzag(position >> 1);

	if (!(position & 1))
		step <<= __builtin_ctz(size);
	step = (uint64_t)((int64_t)(step << (64 - TRACE_AT_BITS)) >> (64 - TRACE_AT_BITS));
	t->at = (t->at + step) & TRACE_AT_MASK;
	trace_track_turn(t, (int64_t)step);
	return t->at;
}

static inline bool trace_size_good(unsigned size)
{
	return size && size <= 16 && !(size & (size - 1));
}

/* The bytes at p as numbers. */
static inline void trace_load(uint64_t v[2], const void *p, unsigned size)
{
	uint32_t word;
	uint16_t half;

	v[1] = 0;
	switch (size) {
	case 8:
		memcpy(v, p, 8);
		break;
	case 4:
		memcpy(&word, p, 4);
		v[0] = word;
		break;
	case 1:
		v[0] = *(const unsigned char *)p;
		break;
	case 2:
		memcpy(&half, p, 2);
		v[0] = half;
		break;
	default:
		memcpy(v, p, 16);
	}
}

/* The entry where the element's last value is expected, whoever put it there. */
static inline uint8_t trace_entry_shift(unsigned size)
{
	return size < 8 ? (uint8_t)__builtin_ctz(size) : 3;
}

static inline uint32_t trace_entry(uint32_t object, uint64_t at, unsigned size)
{
	return ((uint32_t)(at >> trace_entry_shift(size)) + object * 40503u) & (TRACE_VALUES - 1);
}

/* Whether the table has this value there; it has it then. */
static inline bool trace_guess(uint64_t *table, uint32_t object, uint64_t at, unsigned size,
			       const uint64_t v[2])
{
	uint32_t i = trace_entry(object, at, size);
	bool hit = table[i] == v[0];

	table[i] = v[0];
	if (__builtin_expect(size == 16, 0)) {
		i = (i + 1) & (TRACE_VALUES - 1);
		hit = hit && table[i] == v[1];
		table[i] = v[1];
	}
	return hit;
}

/* The reader's side, when the value was as expected. */
static inline void trace_guessed(const uint64_t *table, uint32_t object, uint64_t at, unsigned size,
				 uint64_t v[2])
{
	uint32_t i = trace_entry(object, at, size);

	v[0] = table[i];
	v[1] = size == 16 ? table[(i + 1) & (TRACE_VALUES - 1)] : 0;
}

/*
 * A value that was not expected is kept as its difference, taken as a number, from the one that the
 * slot had the last time: neighbours in a smooth field differ little. Only values of 4, 8 and 16
 * bytes; each half of 16 by itself. last: of the slot, zeros at first.
 */
static inline void trace_value_put(unsigned char *p, uint64_t last[2], const uint64_t v[2],
				   unsigned size)
{
	uint64_t step[2];
	uint32_t half;

	if (size == 4) {
		half = (uint32_t)(v[0] - last[0]);
		half = half << 1 ^ (uint32_t)((int32_t)half >> 31);
		memcpy(p, &half, 4);
	} else if (size >= 8) {
		step[0] = trace_zigzag(v[0] - last[0]);
		step[1] = trace_zigzag(v[1] - last[1]);
		memcpy(p, step, size);
	} else {
		memcpy(p, v, size);
	}
	last[0] = v[0];
	last[1] = v[1];
}

static inline void trace_value_get(const unsigned char *p, uint64_t last[2], uint64_t v[2],
				   unsigned size)
{
	trace_load(v, p, size);
	if (size == 4) {
		v[0] = (uint32_t)(last[0] + trace_unzigzag(v[0]));
	} else if (size >= 8) {
		v[0] = last[0] + trace_unzigzag(v[0]);
		v[1] = size == 16 ? last[1] + trace_unzigzag(v[1]) : 0;
	}
	last[0] = v[0];
	last[1] = v[1];
}

/* Nearly always few: no call. */
static inline void trace_copy_index(int64_t *to, const int64_t *from, unsigned n)
{
	switch (n) {
	case 3:
		to[2] = from[2]; /* fallthrough */
	case 2:
		to[1] = from[1]; /* fallthrough */
	case 1:
		to[0] = from[0]; /* fallthrough */
	case 0:
		break;
	default:
		memcpy(to, from, n * sizeof(*to));
	}
}

/* The last iteration, of whatever construct. */
struct trace_iter {
	int64_t last[ARRAY_DIMS], step[ARRAY_DIMS];
	unsigned n;
};

enum trace_iter_how {
	TRACE_ITER_SAID,  /* n and n differences follow */
	TRACE_ITER_LAST,  /* the last index is one more */
	TRACE_ITER_FIRST, /* the first index is one more */
	TRACE_ITER_AGAIN, /* the differences that were said last */
};

static inline unsigned trace_iter_how(const struct trace_iter *t, unsigned n, const int64_t *index)
{
	bool last = true, first = true, again = true;

	if (n != t->n || !n)
		return TRACE_ITER_SAID;
	for (unsigned d = 0; d < n; d++) {
		uint64_t step = (uint64_t)index[d] - (uint64_t)t->last[d];

		last = last && step == (d == n - 1);
		first = first && step == (d == 0);
		again = again && step == (uint64_t)t->step[d];
	}
	return last    ? TRACE_ITER_LAST
	       : first ? TRACE_ITER_FIRST
	       : again ? TRACE_ITER_AGAIN
		       : TRACE_ITER_SAID;
}

static inline void trace_iter_set(struct trace_iter *t, unsigned n, const int64_t *index,
				  unsigned how)
{
	t->n = n;
	for (unsigned d = 0; d < n; d++) {
		if (how == TRACE_ITER_SAID)
			t->step[d] = (int64_t)((uint64_t)index[d] - (uint64_t)t->last[d]);
		t->last[d] = index[d];
	}
}

#endif
