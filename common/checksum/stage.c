/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From elements in memory to the cells and exact sums of a block, SUM_STAGE numbers at a time.
 *
 * The sums: numbers of magnitude up to 2^e are rounded to multiples of 2^(e - 44), which leaves
 * enough room to add SUM_STAGE of them in doubles without any error; the rests, which are exact
 * too, go through the same again with smaller e until nothing is left: two rounds as a rule, one
 * for floats and integers of similar magnitude (Rump, Ogita, Oishi: Accurate floating-point
 * summation, part I, 2008). Only the few results go into the long fixed-point numbers.
 */
#include "common/checksum/checksum.h"

#include <math.h>
#include <string.h>

#include "common/array/value.h"

#define ROOM (52 - SUM_STAGE_LOG + 1) /* bits that one round takes */
/* Rounds work between these exponents: no step overflows, or needs a place below denormals. */
#define EXPONENT_MOST (1022 - SUM_STAGE_LOG - 1)
#define EXPONENT_LEAST (-1074 + ROOM)
/* So few numbers are cheaper to add one by one. All exponents take 25 times two rounds. */
#define FEW 16
#define ROUNDS_MOST 40
#define NAN_BITS UINT64_C(0x7ff8000000000000)

static uint64_t bits_of(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static double of_bits(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

int64_t sum_key(double v)
{
	uint64_t bits = bits_of(v);

	if (bits << 1 == 0)
		bits = 0; /* -0 and +0 are one number here */
	return (int64_t)(bits >> 63 ? bits ^ INT64_MAX : bits);
}

double sum_unkey(int64_t key)
{
	return of_bits((uint64_t)(key < 0 ? key ^ INT64_MAX : key));
}

#define LOADER(name, ctype, ...)                                                  \
	static void load_##name(struct sum_stage *st, size_t at, const char *src, \
				ptrdiff_t stride, size_t n)                       \
	{                                                                         \
		for (size_t i = at; i < at + n; i++, src += stride) {             \
			ctype v;                                                  \
                                                                                  \
			memcpy(&v, src, sizeof v);                                \
			__VA_ARGS__;                                              \
		}                                                                 \
	}                                                                         \
	static void pick_##name(struct sum_stage *st, size_t at, const char *src, \
				const int64_t *off, size_t n)                     \
	{                                                                         \
		for (size_t i = at; i < at + n; i++, off++) {                     \
			ctype v;                                                  \
                                                                                  \
			memcpy(&v, src + *off, sizeof v);                         \
			__VA_ARGS__;                                              \
		}                                                                 \
	}

#define ONE_NUMBER(name, ctype) LOADER(name, ctype, st->num[0][i] = (double)v)
#define TWO_NUMBERS(name, ctype) \
	LOADER(name, ctype, st->num[0][i] = (double)v[0]; st->num[1][i] = (double)v[1])
/* by halves, for 64 bits are more than a double holds */
#define WIDE_NUMBER(name, ctype, half)                                     \
	LOADER(name, ctype, st->bits[i] = (uint64_t)v;                     \
	       st->num[0][i] = (double)(half)((uint64_t)v >> 32) * 0x1p32; \
	       st->num[1][i] = (double)(uint32_t)(uint64_t)v)

ONE_NUMBER(char, char)
ONE_NUMBER(schar, int8_t)
ONE_NUMBER(uchar, uint8_t)
ONE_NUMBER(short, int16_t)
ONE_NUMBER(ushort, uint16_t)
ONE_NUMBER(int, int32_t)
ONE_NUMBER(uint, uint32_t)
ONE_NUMBER(float, float)
ONE_NUMBER(double, double)
WIDE_NUMBER(long, int64_t, int32_t)
WIDE_NUMBER(ulong, uint64_t, uint32_t)
LOADER(logical, uint32_t, st->num[0][i] = v != 0)
LOADER(bool, uint8_t, st->num[0][i] = v != 0)
typedef float two_floats[2];
typedef double two_doubles[2];
TWO_NUMBERS(fcomplex, two_floats)
TWO_NUMBERS(dcomplex, two_doubles)

/* rows as they are */
static void load_doubles(struct sum_stage *st, size_t at, const char *src, ptrdiff_t stride,
			 size_t n)
{
	if (stride == sizeof(double) && n >= 16) {
		memcpy(st->num[0] + at, src, n * sizeof(double));
		return;
	}
	load_double(st, at, src, stride, n);
}

#define LOADERS(name)                    \
	{                                \
		load_##name, pick_##name \
	}

int sum_loader(struct sum *s)
{
	static const struct {
		void (*load)(struct sum_stage *, size_t, const char *, ptrdiff_t, size_t);
		void (*pick)(struct sum_stage *, size_t, const char *, const int64_t *, size_t);
	} loaders[VALUE_TYPES] = {
		[VALUE_CHAR] = LOADERS(char),
		[VALUE_INT] = LOADERS(int),
		[VALUE_LONG] = LOADERS(long),
		[VALUE_FLOAT] = LOADERS(float),
		[VALUE_DOUBLE] = { load_doubles, pick_double },
		[VALUE_FCOMPLEX] = LOADERS(fcomplex),
		[VALUE_DCOMPLEX] = LOADERS(dcomplex),
		[VALUE_LOGICAL] = LOADERS(logical),
		[VALUE_LLONG] = LOADERS(long),
		[VALUE_SCHAR] = LOADERS(schar),
		[VALUE_UCHAR] = LOADERS(uchar),
		[VALUE_SHORT] = LOADERS(short),
		[VALUE_USHORT] = LOADERS(ushort),
		[VALUE_UINT] = LOADERS(uint),
		[VALUE_ULONG] = LOADERS(ulong),
		[VALUE_BOOL] = LOADERS(bool),
		[VALUE_POINTER] = LOADERS(ulong),
	};

	if (s->plan.type >= VALUE_TYPES || !loaders[s->plan.type].load)
		return -1;
	s->load = loaders[s->plan.type].load;
	s->pick = loaders[s->plan.type].pick;
	s->wide = s->load == load_long || s->load == load_ulong;
	return 0;
}

/* Adds one number by itself, and leaves a zero. */
static void add_single(struct sum *s, uint32_t block, unsigned part, double *num, uint64_t turn)
{
	double v = *num;

	sum_reserve(s, 1);
	sum_deposit(s, sum_slot(s, block, part), v);
	for (unsigned k = 0; k < SUM_SIGNS; k++)
		sum_deposit(s, sum_slot(s, block, s->plan.parts + k), turn << k >> 63 ? -v : v);
	*num = 0;
}

/*
 * The greatest exponent of the numbers, after adding those above `most`, which are left out, one by
 * one; INT32_MIN when there are none but zeros. *few: not enough are left to be worth a round.
 */
static int measure(struct sum *s, uint32_t block, unsigned part, double *num, size_t n, int most,
		   bool *few)
{
	int greatest = INT32_MIN;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t bits = bits_of(num[i]) << 1;
		int exponent = (int)(bits >> 53) - 1022;

		if (!bits)
			continue;
		if (exponent > most) {
			add_single(s, block, part, &num[i], s->stage->turn[i]);
			continue;
		}
		count++;
		if (exponent > greatest)
			greatest = exponent;
	}
	*few = count <= FEW;
	return greatest;
}

/* 1.5 * 2^(exponent + SUM_STAGE_LOG - 1): its last place is 2^(exponent - ROOM) */
static double big_number(int exponent)
{
	if (exponent < EXPONENT_LEAST)
		exponent = EXPONENT_LEAST;
	return of_bits(((uint64_t)(exponent + SUM_STAGE_LOG - 1 + 1023) << 52) | UINT64_C(1) << 51);
}

static void deposit_all(struct sum *s, uint32_t block, unsigned part,
			const double sum[1 + SUM_SIGNS])
{
	sum_reserve(s, 1);
	sum_deposit(s, sum_slot(s, block, part), sum[0]);
	for (unsigned k = 0; k < SUM_SIGNS; k++)
		sum_deposit(s, sum_slot(s, block, s->plan.parts + k), sum[1 + k]);
}

/* Two rounds. False when nothing is left. */
static bool add_rounds(struct sum *s, uint32_t block, unsigned part, double *num, size_t n,
		       int exponent)
{
	double big = big_number(exponent), next = big_number(exponent - ROOM - 1);
	double upper[1 + SUM_SIGNS], lower[1 + SUM_SIGNS];
	bool more = s->ops->fold(num, s->stage->turn, n, big, next, upper, lower);

	deposit_all(s, block, part, upper);
	deposit_all(s, block, part, lower);
	return more;
}

/* Adds n finite numbers, none above 2^exponent in magnitude, and leaves zeros. */
static void add_exactly(struct sum *s, uint32_t block, unsigned part, double *num, size_t n,
			int exponent)
{
	bool more = true, few = false;

	if (exponent > EXPONENT_MOST)
		exponent = measure(s, block, part, num, n, EXPONENT_MOST, &few);
	for (unsigned round = 0; more && !few && exponent != INT32_MIN; round++) {
		more = add_rounds(s, block, part, num, n, exponent);
		if (!more)
			return;
		exponent = measure(s, block, part, num, n, EXPONENT_MOST, &few);
		if (round == ROUNDS_MOST)
			break; /* arithmetic is not what it should be */
	}
	if (more && exponent != INT32_MIN)
		measure(s, block, part, num, n, INT32_MIN, &few);
}

static void widen(struct sum_point_sums *t, int64_t least, int64_t most)
{
	if (least < t->least)
		t->least = least;
	if (most > t->most)
		t->most = most;
}

/* Counts NaN and infinities, and makes them zeros; all NaNs get the same bits in `bits`. */
static void take_odd(struct sum *s, struct sum_cell *cell, struct sum_point_sums *t, double *num,
		     uint64_t *bits, uint64_t off, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bits[i] = bits_of(num[i]);
		if (isfinite(num[i])) {
			widen(t, sum_key(num[i]), sum_key(num[i]));
			continue;
		}
		if (isnan(num[i])) {
			bits[i] = NAN_BITS;
			t->nan++;
		} else if (num[i] > 0) {
			t->up++;
		} else {
			t->dn++;
		}
		cell->odd += sum_mix(bits[i] + s->stage->key[i] + off);
		num[i] = 0;
	}
}

static void wide_extremes(const struct sum *s, struct sum_point_sums *t, size_t n)
{
	/* unsigned ones are ordered when the top bit is turned */
	uint64_t turn = value_class(s->plan.type) == VALUE_IS_UINT ? UINT64_C(1) << 63 : 0;

	for (size_t i = 0; i < n; i++) {
		int64_t key = (int64_t)(s->stage->bits[i] ^ turn);

		widen(t, key, key);
	}
}

static void flush_wide(struct sum *s, uint32_t block, size_t n, size_t padded)
{
	struct sum_cell *cell = &s->cell[block];
	struct sum_stage *st = s->stage;
	struct sum_scan scan;

	for (size_t i = n; i < padded; i++) {
		st->bits[i] = st->key[i] = 0; /* mixes to 0 */
		st->num[0][i] = st->num[1][i] = 0;
	}
	s->ops->scan(st->bits, st->key, 0, st->turn, padded, &scan);
	cell->hash += scan.hash;
	wide_extremes(s, &cell->part[0], n);
	add_exactly(s, block, 0, st->num[0], padded, 64);
	add_exactly(s, block, 0, st->num[1], padded, 32);
}

static void flush_part(struct sum *s, uint32_t block, unsigned part, size_t n, size_t padded)
{
	struct sum_cell *cell = &s->cell[block];
	struct sum_point_sums *t = &cell->part[part];
	struct sum_stage *st = s->stage;
	double *num = st->num[part], largest;
	uint64_t off = part * SUM_STEP;
	struct sum_scan scan;

	for (size_t i = n; i < padded; i++) {
		num[i] = num[0];			/* extremes do not see it */
		st->key[i] = 0 - bits_of(num[0]) - off; /* mixes to 0 */
	}
	s->ops->scan((uint64_t *)num, st->key, off, st->turn, padded, &scan);
	for (size_t i = n; i < padded; i++)
		num[i] = 0;
	if (scan.odd) {
		take_odd(s, cell, t, num, st->bits, off, n);
		for (size_t i = n; i < padded; i++)
			st->bits[i] = 0 - st->key[i] - off;
		s->ops->scan(st->bits, st->key, off, st->turn, padded, &scan);
		add_exactly(s, block, part, num, padded, EXPONENT_MOST + 1);
	} else {
		widen(t, sum_key(scan.least), sum_key(scan.most));
		largest = -scan.least > scan.most ? -scan.least : scan.most;
		if (largest > 0)
			add_exactly(s, block, part, num, padded,
				    (int)(bits_of(largest) >> 52) - 1022);
	}
	cell->hash += scan.hash;
}

static void rest_start(struct sum_quick *q)
{
	*q = (struct sum_quick){ .least = INFINITY, .most = -INFINITY };
}

static void lanes_start(struct sum_lanes *lanes)
{
	*lanes = (struct sum_lanes){ 0 };
	for (unsigned l = 0; l < 8; l++) {
		lanes->least[l] = INFINITY;
		lanes->most[l] = -INFINITY;
	}
}

void sum_quick_start(struct sum_work *w)
{
	lanes_start(&w->lanes);
	rest_start(&w->rest);
	w->in_lanes = 0;
	memset(w->in_abreast, 0, sizeof w->in_abreast);
}

/* Adds what is in the lanes, and in *q, to a block, and empties them. */
static void lanes_flush(struct sum *s, uint32_t block, unsigned part, struct sum_lanes *lanes,
			struct sum_quick *q)
{
	s->ops->quick_end(lanes, q);
	s->cell[block].hash += q->hash;
	sum_round_add(s, sum_slot(s, block, part), q->sum);
	for (unsigned k = 0; k < SUM_BLOCK_SIGNS; k++)
		sum_round_add(s, sum_slot(s, block, s->plan.parts + k), q->sign[k]);
	if (q->least <= q->most)
		widen(&s->cell[block].part[part], sum_key(q->least), sum_key(q->most));
	lanes_start(lanes);
	rest_start(q);
}

static void quick_flush(struct sum *s, uint32_t block, unsigned part)
{
	if (s->work->in_lanes)
		lanes_flush(s, block, part, &s->work->lanes, &s->work->rest);
	s->work->in_lanes = 0;
}

void sum_quick_flush(struct sum *s, uint32_t block, unsigned abreast)
{
	struct sum_quick rest;

	rest_start(&rest);
	if (s->work->in_abreast[abreast])
		lanes_flush(s, block, 0, &s->work->abreast[abreast], &rest);
	s->work->in_abreast[abreast] = 0;
}

/* Staged numbers of which some are not finite, one by one. */
static void quick_odd(struct sum *s, uint32_t block, unsigned part, size_t n)
{
	struct sum_stage *st = s->stage;
	struct sum_cell *cell = &s->cell[block];
	double *num = st->num[part];
	uint64_t off = part * SUM_STEP, turn;
	struct sum_quick q;

	take_odd(s, cell, &cell->part[part], num, st->bits, off, n);
	rest_start(&q);
	for (size_t i = 0; i < n; i++) {
		cell->hash += sum_quick_hash(st->bits[i], st->key[i] + off, &turn);
		sum_quick_one(num[i], st->key[i] + off, &q);
	}
	s->work->rest.sum += q.sum;
	for (unsigned k = 0; k < SUM_BLOCK_SIGNS; k++)
		s->work->rest.sign[k] += q.sign[k];
}

static void flush_quick(struct sum *s, uint32_t block, unsigned part, size_t n)
{
	const struct sum_stage *st = s->stage;
	const double *num = st->num[part];
	uint64_t off = part * SUM_STEP;
	size_t whole = n & ~(size_t)7;
	bool finite = true;

	s->work->in_lanes += n;
	for (size_t i = whole; i < n; i++)
		finite &= isfinite(num[i]) != 0;
	if (!finite || !s->ops->quick_keys(num, st->key, off, whole, &s->work->lanes)) {
		quick_odd(s, block, part, n);
		return;
	}
	for (size_t i = whole; i < n; i++)
		sum_quick_one(num[i], st->key[i] + off, &s->work->rest);
}

/* Integers of 64 bits: what differs in them is never rounding, so signs are not needed. */
static void flush_quick_wide(struct sum *s, uint32_t block, size_t n)
{
	const struct sum_stage *st = s->stage;
	struct sum_cell *cell = &s->cell[block];
	double sum = 0;
	uint64_t turn;

	for (size_t i = 0; i < n; i++) {
		cell->hash += sum_quick_hash(st->bits[i], st->key[i], &turn);
		sum += st->num[0][i] + st->num[1][i];
	}
	wide_extremes(s, &cell->part[0], n);
	sum_round_add(s, sum_slot(s, block, 0), sum);
}

void sum_quick_row(struct sum *s, uint32_t block, unsigned abreast, const double *num,
		   uint64_t first, uint64_t step, size_t n)
{
	struct sum_work *w = s->work;

	for (size_t i = 0, some; i < n; i += some) {
		some = n - i < SUM_STAGE ? n - i : SUM_STAGE;
		if (!w->in_abreast[abreast])
			lanes_start(&w->abreast[abreast]);
		if (s->ops->quick_row(num + i, first + i * step, step, some,
				      &w->abreast[abreast])) {
			s->cell[block].count += some;
			w->in_abreast[abreast] += some;
			if (w->in_abreast[abreast] >= SUM_STAGE)
				sum_quick_flush(s, block, abreast);
			continue;
		}
		s->load(s->stage, 0, (const char *)(num + i), sizeof *num, some);
		s->ops->keys(s->stage->key, first + i * step, step, some);
		s->stage->n = some;
		sum_flush(s, block);
	}
}

static void flush_all_quick(struct sum *s, uint32_t block, size_t n)
{
	if (s->wide) {
		flush_quick_wide(s, block, n);
		return;
	}
	for (unsigned part = 0; part < s->plan.parts; part++) {
		flush_quick(s, block, part, n);
		quick_flush(s, block, part);
	}
}

void sum_flush(struct sum *s, uint32_t block)
{
	size_t n = s->stage->n, padded = (n + 7) & ~(size_t)7;

	if (!n)
		return;
	s->cell[block].count += n;
	if (s->rounded) {
		flush_all_quick(s, block, n);
	} else if (s->wide) {
		flush_wide(s, block, n, padded);
	} else {
		for (unsigned part = 0; part < s->plan.parts; part++)
			flush_part(s, block, part, n, padded);
	}
	s->stage->n = 0;
}
