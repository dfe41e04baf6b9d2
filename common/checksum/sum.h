/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checksums of global arrays. Each rank adds the elements it owns to a struct sum; sums of parts
 * merge in any order and any grouping, and the merged value is the same bits for every
 * distribution, because everything in it is exact: sums are kept as long fixed-point numbers.
 *
 * A struct sum is for collecting and merging; sum_finish makes the struct sum_result of it, which
 * holds plain (correctly rounded) numbers and is what is compared, shown and kept.
 *
 * What a sum holds, for each block of the global index space:
 *  - how many elements, and an order-independent 64-bit hash of (index, bits). One wrong element
 *    always changes it. All NaNs are alike; -0 and +0 differ.
 *  - the exact sum, least and greatest of the finite numbers; counts of NaN, +inf, -inf, and a hash
 *    of where those are.
 *  - SUM_BLOCK_SIGNS exact sums of sign(k, index) * number; for the whole array SUM_SIGNS of them.
 *    Their differences between two runs estimate the 2-norm of the error (Alon, Matias, Szegedy:
 *    The space complexity of approximating the frequency moments, 1996).
 * A complex number counts as two numbers, with a sum, least, greatest and counts for each part.
 *
 * An element is known by its global position, from 0 in every dimension; the linear one has the
 * last dimension run fastest whatever the language, so C and Fortran programs agree when their
 * indices do. Blocks are boxes and follow from the shape alone: beginning with one block, the
 * dimension in which blocks are longest (the first of several) is halved again and again, while
 * blocks are at most max_blocks and would have 64 elements each; edges are rounded up.
 *
 * Nothing here prints, calls MPI, or depends on the caller's rounding mode, flush-to-zero or trap
 * settings, which are put back. sum_add* allocates nothing but on its first use for a sum of
 * sum_create. One thread at a time may use a sum;
 * several threads take a sum each and merge.
 */
#ifndef DVMDBG_COMMON_SUM_H
#define DVMDBG_COMMON_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/layout.h"

struct buf;
struct codec;
struct err;
struct sum;
struct value;

#define SUM_BLOCKS 256	  /* the most blocks */
#define SUM_SIGNS 8	  /* signed sums of the whole array */
#define SUM_BLOCK_SIGNS 4 /* of them also kept for each block */

/* The geometry, equal on all ranks. Members are for reading. */
struct sum_plan {
	unsigned ndim;
	uint8_t type;	/* enum value_type */
	unsigned parts; /* 2 for complex types, else 1 */
	int64_t extent[ARRAY_DIMS];
	int64_t edge[ARRAY_DIMS];  /* of a block, in elements; the last block may be shorter */
	uint32_t grid[ARRAY_DIMS]; /* blocks in each dimension */
	uint32_t blocks;	   /* all of them; numbered with the last dimension fastest */
	uint16_t most_blocks;	   /* max_blocks as it was asked for */
	uint64_t total;		   /* elements of the global array */
};

/*
 * Fills *p; ndim 0 is a scalar. max_blocks 1 … SUM_BLOCKS, 0 for SUM_BLOCKS. Fails for a type
 * without arithmetic, a negative extent, and more than 2^60 elements.
 */
int sum_plan_make(struct sum_plan *p, unsigned ndim, const int64_t *extent, unsigned type,
		  unsigned max_blocks, struct err *err);
/* The box of a block: positions from 0, both ends inclusive. */
void sum_plan_box(const struct sum_plan *p, uint32_t block, int64_t lo[ARRAY_DIMS],
		  int64_t hi[ARRAY_DIMS]);
bool sum_plan_equal(const struct sum_plan *a, const struct sum_plan *b);

/* An empty sum with a copy of the plan; NULL without memory. Up to 0.8 MB for 256 blocks. */
struct sum *sum_create(const struct sum_plan *p, struct err *err);
void sum_destroy(struct sum *s); /* NULL is fine */
void sum_reset(struct sum *s);	 /* empties it, keeps the memory */
const struct sum_plan *sum_plan_of(const struct sum *s);
/*
 * The same in memory of the caller: sum_memory(p) bytes (p NULL: enough for every plan), aligned to
 * 64, that are all zero or hold a former sum after sum_reset. What is not touched stays zero, so
 * the pages may be sparse. Not to be destroyed. NULL: a type without arithmetic.
 */
size_t sum_memory(const struct sum_plan *p);
struct sum *sum_create_in(void *memory, const struct sum_plan *p, struct err *err);

/*
 * Adds the elements of a layout without places; coordinates are positions in the global array, and
 * alignment does not matter. ndim is the plan's. Fails, with nothing added, when an index is
 * outside the global array.
 */
int sum_add(struct sum *s, const struct layout *part, struct err *err);
/* Adds count elements in dimension dim beginning at position at[] (from 0); a part for a run. */
int sum_add_run(struct sum *s, const int64_t *at, unsigned dim, int64_t stride_bytes, int64_t count,
		const void *data, struct err *err);

/* dst += src; fails when the plans differ. */
int sum_merge(struct sum *dst, const struct sum *src, struct err *err);
/* Got, *s is a new sum, owned, or NULL; to be destroyed also when it failed. */
int sum_code(struct codec *c, struct sum **s);
/* Only blocks that have elements are written. Equal sums give equal bytes. */
void sum_put(const struct sum *s, struct buf *b);
/* No sum of the plan needs more bytes than this; p NULL: of any plan. */
size_t sum_put_most(const struct sum_plan *p);
/* NULL when the bytes are no sum. The caller owns it. */
struct sum *sum_get(struct buf *b, struct err *err);
/* How many elements were added. */
uint64_t sum_count(const struct sum *s);
/* The hash of the elements that were added, wherever they are. */
uint64_t sum_hash(const struct sum *s);

/* One part (real, imaginary) of the numbers in a block or in the whole array. */
struct sum_numbers {
	double sum;	      /* of the finite ones, correctly rounded; may overflow to inf */
	int64_t least, most;  /* keys; see sum_key_value. least > most: nothing finite */
	uint64_t nan, up, dn; /* NaN, +inf, -inf */
};

struct sum_block {
	uint64_t count, hash;
	uint64_t odd; /* hash of (index, kind) of NaN and infinities */
	struct sum_numbers part[2];
	double sign[SUM_BLOCK_SIGNS];
};

struct sum_result {
	struct sum_plan plan;
	struct sum_block all;	 /* the whole array; sign[] is as the first of signs[] */
	double mean[2];		 /* of the finite numbers, correctly rounded; 0 without any */
	double sign[SUM_SIGNS];	 /* of the whole array */
	struct sum_block *block; /* owned; plan.blocks of them */
};

struct sum_result *sum_finish(const struct sum *s, struct err *err);
void sum_result_destroy(struct sum_result *r); /* NULL is fine */
/* As sum_code. */
int sum_result_code(struct codec *c, struct sum_result **r);
void sum_result_put(const struct sum_result *r, struct buf *b);
struct sum_result *sum_result_get(struct buf *b, struct err *err);
/*
 * The checksum of the documents: the mean of part 0 or 1 as arithmetic gives it: NaN when a number
 * is NaN or both infinities are there, an infinity when that is.
 */
double sum_mean(const struct sum_result *r, unsigned part);
/* The number a key of this plan (sum_numbers.least, most) represents. */
struct value sum_key_value(const struct sum_plan *p, int64_t key);

enum sum_mode { SUM_ABSOLUTE, SUM_RELATIVE, SUM_EXACT };

struct sum_tolerance {
	enum sum_mode mode;
	double exp;	/* |a - b| <= exp, or … */
	double rel_min; /* … |a - b| <= exp * max(rel_min, |a|, |b|) */
};

enum sum_verdict { SUM_EQUAL, SUM_ROUNDING, SUM_FAULT };

struct sum_difference {
	enum sum_verdict verdict;
	double norm; /* estimated 2-norm of the error; no element is further off than that */
	double most; /* what the extremes of some block prove an element to be off, at least */
	uint32_t differ, wrong;		   /* how many blocks differ; are beyond tolerance */
	uint8_t in_differ[SUM_BLOCKS / 8]; /* bit b % 8 of byte b / 8 is block b */
	uint8_t in_wrong[SUM_BLOCKS / 8];
	uint32_t worst; /* the block with the largest estimate; 0 when nothing differs */
	double worst_norm;
	bool counts; /* not as many elements on both sides: some are missing, or were added twice */
	bool odd;    /* NaN or infinities differ in number or place */
};

/*
 * Equal hashes (and counts): EQUAL. Integers and logicals, and SUM_EXACT: otherwise FAULT.
 * A block is within tolerance when the estimated 2-norm of its error is at most exp, in relative
 * mode exp * max(rel_min, greatest |number| in it), its extremes moved no further than that,
 * and its NaN and infinities are the same ones. When every block is, and the estimate for the whole
 * array is within the root of the sum of squares of the differing blocks' tolerances: ROUNDING.
 * Being a 2-norm, the estimate bounds every single element; in relative mode an element much
 * smaller than the greatest of its block is judged by that one's measure. Fails when the plans
 * differ; the text names both shapes.
 */
int sum_compare(const struct sum_result *a, const struct sum_result *b,
		const struct sum_tolerance *tol, struct sum_difference *out, struct err *err);
bool sum_in(const uint8_t set[SUM_BLOCKS / 8], uint32_t block);

#endif
