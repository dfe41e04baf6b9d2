/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums, extremes and the like of many elements, taken in pieces, which may be of several ranks.
 * Integers are added exactly, the others in long double. A sum is NaN when an element is; extremes
 * leave NaN out, as fmin and fmax do, unless there is nothing else.
 */
#ifndef DVMDBG_COMMON_REDUCE_H
#define DVMDBG_COMMON_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array/section.h"
#include "common/array/value.h"
#include "common/core/codec.h"

struct err;
struct groups;
struct values;

enum reduce {
	REDUCE_SUM,
	REDUCE_LEAST,
	REDUCE_MOST,
	REDUCE_MEAN,
	REDUCE_NORM,  /* the root of the sum of squares, of complex numbers of their magnitudes */
	REDUCE_COUNT, /* of those that are not 0 */
	REDUCE_ANY,
	REDUCE_ALL,
	REDUCE_LEAST_AT, /* where it is: the number of the element, the first of equals */
	REDUCE_MOST_AT,
	REDUCE_KINDS
};

/* Members are for reading. */
struct reduction {
	uint8_t what; /* enum reduce */
	uint8_t type; /* of the elements, enum value_type */
	uint64_t n;   /* elements so far */
	uint64_t set; /* those that are not 0; of extremes those that are not NaN */
	__int128 whole;
	long double re, im;
	struct value best;
	uint64_t at; /* its number */
	bool any;    /* best is one that is not NaN */
};

/* As users write it: "sum", "min", … */
const char *reduce_name(enum reduce what);
/*
 * The type of the result: LONG or ULONG, DOUBLE or DCOMPLEX for a sum, that of the elements for an
 * extreme. Fails for a type without arithmetic, and for extremes of complex numbers.
 */
int reduce_type(enum reduce what, unsigned type, unsigned *result, struct err *err);
/* Nothing so far; for a type that reduce_type has taken. */
void reduce_begin(struct reduction *r, enum reduce what, unsigned type);
/* n elements behind one another, which need not be aligned; they are numbered on from r->n. */
void reduce_add(struct reduction *r, const void *elements, uint64_t n);
/* The same with their numbers. */
void reduce_add_numbered(struct reduction *r, const void *elements, const uint64_t *number,
			 uint64_t n);
/* Adds what another one has of the same kind and type; -1: it is of another. */
int reduce_merge(struct reduction *r, const struct reduction *from);
/* The result; of REDUCE_LEAST_AT the number. Fails for an extreme of nothing, and for a sum that
 * has no room in 64 bits. */
int reduce_end(const struct reduction *r, struct value *out, struct err *err);

/* The NaN that an extreme leaves out. */
uint64_t reduce_left_out(const struct reduction *r);

/*
 * Each group of q by itself; out is overwritten, a scalar with the same groups, not collapsed; of
 * REDUCE_LEAST_AT the indices, a vector unless q has one dimension. *left_out: as above, of all.
 */
int reduce_quantity(enum reduce what, const struct values *q, struct values *out,
		    uint64_t *left_out, struct err *err);
/* The shape of the result for elements of the shape of q; fails for the place in a scalar. */
int reduce_shape(enum reduce what, const struct values *q, struct values *out, struct err *err);
/* Writes the result to bytes, for out as reduce_shape left it. bytes: ARRAY_DIMS * 16. */
int reduce_store(const struct reduction *r, const struct values *q, const struct values *out,
		 unsigned char *bytes, struct err *err);
/* The number of an element by which the first of equals is found: in Fortran the first index is
 * fastest. */
uint64_t reduce_number(const struct values *q, uint64_t i);

/*
 * What a rank has of a reduction: the answer to QUERY_REDUCE. Answers of ranks that had the same
 * replicated values become one on their way.
 */
struct reduce_part {
	uint8_t kind;	 /* enum reduce_answer */
	const char *why; /* REDUCE_FAILED */
	uint32_t rank;	 /* the first of them: parts of two ranks are never equal, and both count */
	uint64_t same;	 /* a hash over the replicated values that were needed */
	struct reduction r;
	/* of the array */
	uint8_t order, ndim;
	uint64_t count[ARRAY_DIMS];
	int64_t first[ARRAY_DIMS], step[ARRAY_DIMS];
};
enum reduce_answer {
	REDUCE_FAILED = 0,
	REDUCE_DONE = 1,
	REDUCE_ELSEWHERE = 2, /* it needs elements that this rank does not own */
	REDUCE_COPIES = 3,    /* nothing in it is distributed */
};
int reduce_part_code(struct codec *c, struct reduce_part *p);
CODEC_PAIR(reduce_part, (void)0)
int reduce_fold(struct groups *d);

#endif
