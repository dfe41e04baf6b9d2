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
 *
 * A quick sum (plan.quick) is for comparing many points: one pass near the speed of memory. Its
 * hash is another one, and its sums, SUM_BLOCK_SIGNS signed ones for each block, are sums of
 * doubles: they depend in their last places on how the array is distributed, by some 32 sqrt(n)
 * units in the last place of the greatest number of a block of n. Hashes, counts and extremes do
 * not.
 *
 * A complex number counts as two numbers, with a sum, least, greatest and counts for each part.
 *
 * An element is known by its global position, from 0 in every dimension; the linear one has the
 * last dimension run fastest whatever the language, so C and Fortran programs agree when their
 * indices do. Blocks are boxes and follow from the shape alone. Dimensions of at most
 * SUM_COMPONENTS are components and are cut into single indices first, the shortest first, while
 * blocks are at most max_blocks; where all of several dimensions are that short, the longest (the
 * first of several) is none. Then the dimension in which blocks are longest (the first of several)
 * is halved again and again, while blocks are at most max_blocks and would have 64 elements each;
 * edges are rounded up.
 *
 * Nothing here prints, calls MPI, or depends on the caller's rounding mode, flush-to-zero or trap
 * settings, which are put back. sum_add* allocates nothing but on its first use for a sum of
 * sum_create. One thread at a time may use a sum;
 * several threads take a sum each and merge.
 */
#ifndef DVMDBG_COMMON_CHECKSUM_CHECKSUM_H
#define DVMDBG_COMMON_CHECKSUM_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/layout.h"
#include "common/core/codec.h"

struct array_desc;
struct buf;
struct codec;
struct err;
struct sum;
struct value;

#define SUM_BLOCKS 256 /* the most blocks */
#define SUM_COMPONENTS \
	16	    /* the most indices of a dimension whose numbers are judged by themselves */
#define SUM_SIGNS 8 /* signed sums of the whole array */
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
	bool quick;		   /* sums are rounded; see above */
};

/*
 * Fills *p; ndim 0 is a scalar. max_blocks 1 … SUM_BLOCKS, 0 for SUM_BLOCKS. Fails for a type
 * without arithmetic, a negative extent, and more than 2^60 elements.
 */
int sum_plan_make(struct sum_plan *p, unsigned ndim, const int64_t *extent, unsigned type,
		  unsigned max_blocks, struct err *err);
/*
 * The plan that programs' arrays are summed by: components are apart, and else blocks have so many
 * elements that all their bytes would not be cheaper to report.
 */
int sum_plan_array(struct sum_plan *p, unsigned ndim, const int64_t *extent, unsigned type,
		   struct err *err);
/* The box of a block: positions from 0, both ends inclusive. */
void sum_plan_box(const struct sum_plan *p, uint32_t block, int64_t lo[ARRAY_DIMS],
		  int64_t hi[ARRAY_DIMS]);
/* The block of the element at these positions from 0. */
uint32_t sum_plan_block(const struct sum_plan *p, const int64_t *at);
/* Blocks of one component have the same number, below SUM_BLOCKS. */
uint32_t sum_plan_component(const struct sum_plan *p, uint32_t block);
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

/* SCALED is the default; RELATIVE and ABSOLUTE are the documents' forms. */
enum sum_mode { SUM_ABSOLUTE, SUM_RELATIVE, SUM_EXACT, SUM_SCALED };

/* What the tolerance is of doubles and floats, when it is not set. */
#define TOLERANCE_DOUBLE 1e-9
#define TOLERANCE_FLOAT 1e-5

struct sum_tolerance {
	enum sum_mode mode;
	double exp;	/* |a - b| <= exp, or … */
	double rel_min; /* … |a - b| <= exp * max(rel_min, |a|, |b|), or … */
	/* … |a - b| <= exp * scale, the largest magnitude that the reference has had in the block,
	 * as far as it is known; borrowed, one for each block of the plan; NULL: nothing is known
	 * beforehand */
	const double *scale;
	/* the same of each block's component; for elements, sum_compare finds it itself */
	const double *component;
};

/*
 * The scaled form's limit of a block: exp * scale, and at least as much as rounding leaves where
 * numbers as large as the largest of the component cancel, 16 units in its last place: where the
 * reference has 0, or only such noise, noise is no fault.
 */
double sum_limit(double exp, unsigned type, double scale, double component);
/* Of each block the largest scale of its component's; of one dimension, of the whole array's. */
void sum_components(const struct sum_plan *p, const double *scale, double *largest);

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
	/* SUM_SCALED: blocks within tolerance in which numbers differ by more than exp of their own
	 */
	uint32_t small;
};

/* The greatest magnitude of the finite numbers of a block of the plan; 0 without any. */
double sum_block_magnitude(const struct sum_plan *p, const struct sum_block *b);

/*
 * a is the reference. Equal hashes (and counts): EQUAL. Integers and logicals, and SUM_EXACT:
 * otherwise FAULT. A block is within tolerance when the estimated 2-norm of its error is at most
 * exp, in relative mode exp * max(rel_min, greatest |number| in it), in scaled mode exp * the
 * greatest |number| that the reference has in it now or is known to have had (and at least the
 * noise of sum_limit, for the 2-norm that of all its elements), its extremes moved no further than
 * that, and its NaN and infinities are the same ones. When every block is, and the estimate for the
 * whole array is within the root of the sum of squares of the differing blocks' tolerances:
 * ROUNDING. Being a 2-norm, the estimate bounds every single element; in relative mode an element
 * much smaller than the greatest of its block is judged by that one's measure. Fails when the plans
 * differ; the text names both shapes.
 */
int sum_compare(const struct sum_result *a, const struct sum_result *b,
		const struct sum_tolerance *tol, struct sum_difference *out, struct err *err);
bool sum_in(const uint8_t set[SUM_BLOCKS / 8], uint32_t block);

/*
 * Inside of checksums, for the sum_*.c files and their tests.
 */

/*
 * An exact sum is a number in digits of 32 bits, each in an int64_t that may run over for a while.
 * Digit 0 counts 2^SUM_LOW: below the smallest double by 32 bits, which division uses; the last
 * leaves 2^64 room above the largest.
 */
#define SUM_LOW (-1106)
#define SUM_DIGITS 70
#define SUM_LOAD (UINT64_C(1) << 30) /* so many additions do not overflow a digit */

/* Numbers staged for one block. A power of two: SUM_STAGE_LOG bits of room in sums of so many. */
#define SUM_STAGE_LOG 10
#define SUM_STAGE (1 << SUM_STAGE_LOG)

/* The linear index times this, modulo 2^64, plus the seed is the key of a number. */
#define SUM_STEP UINT64_C(0x9e3779b97f4a7c15)
#define SUM_SEED UINT64_C(0x6a09e667f3bcc909)

struct sum_scan {
	uint64_t hash;
	double least, most; /* as numbers, NaN left out; the sign of a zero is arbitrary */
	bool odd;	    /* not all of them finite */
};

/* What a quick sum has of some numbers. */
struct sum_quick {
	uint64_t hash;
	double least, most, sum, sign[SUM_BLOCK_SIGNS];
};

/* The same on its way, in lanes of vectors; sign: as the instruction set has it. */
struct sum_lanes {
	_Alignas(64) uint64_t hash[8];
	double sum[8], least[8], most[8], sign[SUM_BLOCK_SIGNS][8];
};

/* The loops over staged numbers. n is a multiple of 8; arrays are aligned to 64 bytes. */
struct sum_ops {
	const char *name;
	bool (*usable)(void);
	/* at[i] = first + i * step, n as it comes, no alignment needed */
	void (*keys)(uint64_t *at, uint64_t first, uint64_t step, size_t n);
	/* at[i] = first + step[i] */
	void (*moved)(uint64_t *at, uint64_t first, const uint64_t *step, size_t n);
	/* Hashes bits[i] with key[i] + off, and sets turn[i], whose bits 63 … 56 are signs. */
	void (*scan)(const uint64_t *bits, const uint64_t *key, uint64_t off, uint64_t *turn,
		     size_t n, struct sum_scan *out);
	/*
	 * Rounds num[i] to the last place of big, what is left of it to that of next, and leaves
	 * the rest in num[i]; false when every rest is nothing. upper and lower: the sums of what
	 * was rounded, plain and then with the signs of turn[i].
	 */
	bool (*fold)(double *num, const uint64_t *turn, size_t n, double big, double next,
		     double upper[1 + SUM_SIGNS], double lower[1 + SUM_SIGNS]);
	/*
	 * Add what quick sums have of a row with the keys first, first + step, …, n as it comes, no
	 * alignment needed; or of staged numbers. False: one is not finite, and nothing was added.
	 */
	bool (*quick_row)(const double *num, uint64_t first, uint64_t step, size_t n,
			  struct sum_lanes *to);
	bool (*quick_keys)(const double *num, const uint64_t *key, uint64_t off, size_t n,
			   struct sum_lanes *to);
	/* Adds up the lanes. */
	void (*quick_end)(const struct sum_lanes *to, struct sum_quick *out);
};

extern const struct sum_ops sum_ops_list[];
extern const unsigned sum_ops_count;
/* The fastest this processor can run. */
const struct sum_ops *sum_ops_best(void);
/* The hash of one number, as scan adds it. */
uint64_t sum_mix(uint64_t t);

/*
 * The hash of one number in a quick sum, and *turn, four bits of which are its signs: a product of
 * the halves of (bits + mixed key), as in NH of UMAC (Black, Halevi, Krawczyk, Krovetz, Rogaway
 * 1999), and what is multiplied, so that one wrong number always changes it.
 */
static inline uint64_t sum_quick_hash(uint64_t bits, uint64_t key, uint64_t *turn)
{
	key += (key & 0xffffffff) * (key >> 32);
	key ^= key >> 29;
	*turn = (key & 0xffffffff) * (key >> 32);
	bits += key;
	return (bits & 0xffffffff) * (bits >> 32) + bits;
}
void sum_quick_one(double num, uint64_t key, struct sum_quick *out);

struct sum_stage {
	double num[2][SUM_STAGE]; /* by part; high and low half of 64-bit integers */
	uint64_t bits[SUM_STAGE]; /* of 64-bit integers */
	uint64_t key[SUM_STAGE], turn[SUM_STAGE];
	size_t n;
};

/* Elements that are staged at once, where rows are short: bytes and keys from the first of them. */
struct sum_tile {
	int64_t at[SUM_STAGE];
	uint64_t key[SUM_STAGE];
	size_t n; /* 0: row by row */
};

/* What adding needs; aligned to SUM_ALIGNMENT. */
#define SUM_ALIGNMENT 64
#define SUM_ABREAST 32 /* blocks of a quick sum that rows go through */
struct sum_work {
	struct sum_stage stage;
	struct sum_tile tile;
	struct sum_lanes lanes; /* of part 0 of a quick sum's block */
	struct sum_quick rest;	/* of numbers that are no whole vector */
	size_t in_lanes;	/* how many numbers both have */
	struct sum_lanes abreast[SUM_ABREAST]; /* of blocks beside one another */
	size_t in_abreast[SUM_ABREAST];
};

struct sum_point_sums { /* sum_numbers without the sum */
	int64_t least, most;
	uint64_t nan, up, dn;
};

struct sum_cell {
	uint64_t count, hash, odd;
	struct sum_point_sums part[2];
};

struct sum {
	struct sum_plan plan;
	uint64_t step[ARRAY_DIMS]; /* what a step in the dimension adds to the key */
	const struct sum_ops *ops; /* borrowed */
	/* Reads n elements that are stride bytes apart into the stage, from place at on. */
	void (*load)(struct sum_stage *st, size_t at, const char *src, ptrdiff_t stride, size_t n);
	/* … that are at src + off[0 … n - 1] */
	void (*pick)(struct sum_stage *st, size_t at, const char *src, const int64_t *off,
		     size_t n);
	bool wide;	       /* 64-bit integers */
	struct sum_work *work; /* NULL until elements are added: sums of others are only merged */
	struct sum_stage *stage;
	struct sum_tile *tile;
	struct sum_cell *cell; /* plan.blocks of them */
	/* digit[i * slots + slot]: digits that are never touched cost no memory */
	int64_t *digit;
	double (*rounded)[2]; /* the place of digit in a quick sum: by slot, the sum and its rest */
	size_t slots;
	unsigned low, high; /* digits low … high - 1 are in use */
	uint64_t load_count;
};

/* Slots: per block a sum of each part and SUM_BLOCK_SIGNS signed ones; then the other signed. */
static inline size_t sum_slot(const struct sum *s, uint32_t block, unsigned which)
{
	unsigned own = s->plan.parts + SUM_BLOCK_SIGNS;

	return which < own ? (size_t)block * own + which
			   : (size_t)s->plan.blocks * own + which - own;
}

/* exact.c: v must be finite */
void sum_deposit(struct sum *s, size_t slot, double v);
/* Room for load more additions. */
void sum_reserve(struct sum *s, uint64_t load);
/* Marks digits low … high - 1 as used. */
void sum_touch(struct sum *s, unsigned low, unsigned high);
/* Brings digits into -2^31 … 2^31 - 1, which makes them unique. */
void sum_settle(int64_t digit[SUM_DIGITS]);
/* The number in slot, settled. */
void sum_take(const struct sum *s, size_t slot, int64_t digit[SUM_DIGITS]);
/* digit / by (by > 0), correctly rounded to nearest, ties to even; digit settled. */
double sum_round(const int64_t digit[SUM_DIGITS], uint64_t by);

/* Quick sums: adds v to a slot; what is in it. */
void sum_round_add(struct sum *s, size_t slot, double v);
double sum_rounded(const struct sum *s, size_t slot);

/* Makes it ready for elements; -1: no memory. */
int sum_prepare(struct sum *s, struct err *err);

/* stage.c */
int sum_loader(struct sum *s);
/* Adds the staged numbers to a block and empties the stage. */
void sum_flush(struct sum *s, uint32_t block);
/*
 * Adds a row of n doubles to a block of a quick sum, the one that `abreast` lanes are of, with the
 * keys first, first + step, …; sum_quick_flush then adds the lanes to it.
 */
void sum_quick_row(struct sum *s, uint32_t block, unsigned abreast, const double *num,
		   uint64_t first, uint64_t step, size_t n);
void sum_quick_flush(struct sum *s, uint32_t block, unsigned abreast);
void sum_quick_start(struct sum_work *w);

/* Keys of numbers: integers that are ordered as the numbers are. */
int64_t sum_key(double v);
double sum_unkey(int64_t key);
/* Whether it represents a finite number that the plan's type can have. */
bool sum_key_fits(const struct sum_plan *p, int64_t key);

/* wire.c */
int sum_plan_code(struct codec *c, struct sum_plan *p);

/*
 * Whether a value is that of the reference (SEMANTICS 4). Real numbers, by one of
 *	absolute	|a - b| <= exp
 *	relative	|a - b| <= exp * max(rel_min, |a|, |b|)
 *	exact		the same bits
 * and NaN equals NaN in each. Everything else has to be equal; truth values as such. Addresses are
 * never compared.
 */

/* exp < 0: by type, 1e-9 for double, 1e-5 for float. */
struct trace_tolerance {
	uint8_t mode; /* enum sum_mode */
	double exp, rel_min;
	/* SCALED: what is known of the reference's arrays, borrowed or NULL; and, by
	 * tolerance_scaled, what differences are relative to at the least; 0, not known: rel_min */
	struct sum_scales *scales;
	double unit;
};

/*
 * The largest magnitudes that a reference has had in the blocks of arrays; they are stored with its
 * traces.
 */
struct sum_scale {
	char *name, *file; /* owned; file "" where it is not known */
	uint32_t line, counter;
	int64_t lower[ARRAY_DIMS];
	struct sum_plan plan;
	double *block; /* owned; of each block, then of each block's component */
};

struct sum_scales {
	struct sum_scale *list; /* owned */
	size_t n, last;		/* last: found last */
};

#define SUM_SCALES_FILE "scales.bin"

void sum_scales_clear(struct sum_scales *s);
/* Takes over what the array has now; of id the identifier and lower. -1: no memory. */
int sum_scales_take(struct sum_scales *s, const struct sum_scale *id, const struct sum_result *r);
/* What a difference of exp is relative to at the global index; 0: not known. */
double sum_scales_unit(struct sum_scales *s, const struct sum_scale *id, const int64_t *index,
		       double exp);
int sum_scales_put(struct sum_scales *s, struct buf *b);
/* -1: damaged, or no memory. */
int sum_scales_get(struct sum_scales *s, const void *data, size_t n);
int sum_scales_save(struct sum_scales *s, const char *path, struct err *err);
/* -1: there is none that can be read. */
int sum_scales_load(struct sum_scales *s, const char *path);

/* The tolerance of the element at the global index of what id names. */
struct trace_tolerance tolerance_scaled(const struct trace_tolerance *t, unsigned type,
					const struct sum_scale *id, const int64_t *index);

enum tolerance_verdict {
	TRACE_SAME,    /* the same bits, or the same to everybody */
	TRACE_CLOSE,   /* within the tolerance */
	TRACE_OTHER,   /* beyond */
	TRACE_UNKNOWN, /* cannot be said: a part of a number, an address, a hash of real numbers */
};

/* Two values of `size` bytes, as numbers; type: enum value_type, VALUE_TYPES: none of its own. */
enum tolerance_verdict tolerance_check(const struct trace_tolerance *t, unsigned type,
				       unsigned size, uint64_t a, uint64_t b);
/* How far apart, in the measure of the mode, and the limit; 0 and 0 where there is none. */
double tolerance_off(const struct trace_tolerance *t, unsigned type, uint64_t a, uint64_t b,
		     double *limit);

/* A value inside of an object as traces have it: elements one behind the other, of structures only
 * the fields. */
struct tolerance_at {
	size_t packed; /* where it is in these bytes */
	size_t byte;   /* and in the object itself, element by element_size */
	uint8_t type, size;
};

/*
 * Two whole objects of one description, n bytes each (fewer than the object has: it was cut). The
 * worst of all values; *at: the first one that is as bad. hashed: a hash of it.
 */
enum tolerance_verdict tolerance_object(const struct trace_tolerance *t, const struct array_desc *d,
				   const unsigned char *a, const unsigned char *b, size_t n,
				   bool hashed, struct tolerance_at *at);
/* The bytes as a number. */
uint64_t tolerance_load(const unsigned char *p, unsigned size);

#endif
