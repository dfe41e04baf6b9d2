/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of checksums, for the sum_*.c files and their tests.
 */
#ifndef DVMDBG_COMMON_SUM_IMPL_H
#define DVMDBG_COMMON_SUM_IMPL_H

#include "common/checksum/sum.h"
#include "common/core/codec.h"

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
};

extern const struct sum_ops sum_ops_list[];
extern const unsigned sum_ops_count;
/* The fastest this processor can run. */
const struct sum_ops *sum_ops_best(void);
/* The hash of one number, as scan adds it. */
uint64_t sum_mix(uint64_t t);

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
struct sum_work {
	struct sum_stage stage;
	struct sum_tile tile;
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
	/* Reads n elements that lie stride bytes apart into the stage, from place at on. */
	void (*load)(struct sum_stage *st, size_t at, const char *src, ptrdiff_t stride, size_t n);
	/* … that lie at src + off[0 … n - 1] */
	void (*pick)(struct sum_stage *st, size_t at, const char *src, const int64_t *off,
		     size_t n);
	bool wide;	       /* 64-bit integers */
	struct sum_work *work; /* NULL until elements are added: sums of others are only merged */
	struct sum_stage *stage;
	struct sum_tile *tile;
	struct sum_cell *cell; /* plan.blocks of them */
	/* digit[i * slots + slot]: digits that are never touched cost no memory */
	int64_t *digit;
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

/* sum_exact.c: v must be finite */
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

/* Makes it ready for elements; -1: no memory. */
int sum_prepare(struct sum *s, struct err *err);

/* sum_stage.c */
int sum_loader(struct sum *s);
/* Adds the staged numbers to a block and empties the stage. */
void sum_flush(struct sum *s, uint32_t block);

/* Keys of numbers: integers that are ordered as the numbers are. */
int64_t sum_key(double v);
double sum_unkey(int64_t key);
/* Whether it represents a finite number that the plan's type can have. */
bool sum_key_fits(const struct sum_plan *p, int64_t key);

/* sum_wire.c */
int sum_plan_code(struct codec *c, struct sum_plan *p);

#endif
