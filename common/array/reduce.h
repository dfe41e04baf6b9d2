/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sum and extremes of many elements, taken in pieces. Integers are added exactly, the others in
 * long double. A sum is NaN when an element is; extremes leave NaN out, as fmin and fmax do, unless
 * there is nothing else.
 */
#ifndef DVMDBG_COMMON_REDUCE_H
#define DVMDBG_COMMON_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array/value.h"

struct err;
struct values;

enum reduce { REDUCE_SUM, REDUCE_LEAST, REDUCE_MOST };

/* Members are for reading. */
struct reduction {
	enum reduce what;
	unsigned type; /* of the elements, enum value_type */
	uint64_t n;    /* elements so far */
	__int128 whole;
	long double re, im;
	struct value best;
	bool any; /* best is one that is not NaN */
};

/*
 * The type of the result: LONG or ULONG, DOUBLE or DCOMPLEX for a sum, that of the elements for an
 * extreme. Fails for a type without arithmetic, and for extremes of complex numbers.
 */
int reduce_type(enum reduce what, unsigned type, unsigned *result, struct err *err);
/* Nothing so far; for a type that reduce_type has taken. */
void reduce_begin(struct reduction *r, enum reduce what, unsigned type);
/* n elements behind one another; they need not be aligned. */
void reduce_add(struct reduction *r, const void *elements, uint64_t n);
/* The result. Fails for an extreme of nothing, and for a sum that has no room in 64 bits. */
int reduce_end(const struct reduction *r, struct value *out, struct err *err);

/* Each group of q by itself; out is overwritten, a scalar with the same groups, not collapsed. */
int reduce_quantity(enum reduce what, const struct values *q, struct values *out, struct err *err);

#endif
