/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/sum_help.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"

/* The sum, in one block: stages are full. */
static double total_of(const double *v, int64_t n)
{
	struct sum_plan p;
	struct sum_result *r;
	struct sum *s;
	double sum;

	assert_int_equal(sum_plan_make(&p, 1, &n, VALUE_DOUBLE, 1, NULL), 0);
	s = sum_create(&p, NULL);
	assert_non_null(s);
	add(s, &(struct layout){ .data = v, .count = { n }, .stride = { 8 } });
	r = finish(s);
	sum = r->all.part[0].sum;
	sum_result_destroy(r);
	sum_destroy(s);
	return sum;
}

#define TOTAL(...) \
	total_of((double[]){ __VA_ARGS__ }, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double))

static void sums_are_exact_and_rounded_once(void **state)
{
	assert_true(same_bits(TOTAL(1e16, 1, -1e16), 1));
	assert_true(same_bits(TOTAL(1e308, 1e-308, -1e308), 1e-308));
	assert_true(same_bits(TOTAL(DBL_MAX, DBL_MAX, -DBL_MAX, 3), DBL_MAX));
	assert_true(same_bits(TOTAL(DBL_MAX, DBL_MAX), INFINITY));
	assert_true(same_bits(TOTAL(-DBL_MAX, -DBL_MAX), -INFINITY));
	assert_true(same_bits(TOTAL(0x1p-1074, 0x1p-1074, 0x1p-1074), 0x3p-1074));
	assert_true(same_bits(TOTAL(0x1p-1022, -0x1p-1074), 0x1p-1022 - 0x1p-1074));
	assert_true(same_bits(TOTAL(-1.0, 1.0), 0));
	assert_true(same_bits(TOTAL(-0.0, -0.0), 0));
	/* ties to even, and what breaks a tie from far below, in both signs */
	assert_true(same_bits(TOTAL(0x1p53, 1), 0x1p53));
	assert_true(same_bits(TOTAL(0x1p53, 3), 0x1p53 + 4));
	assert_true(same_bits(TOTAL(0x1p53, 1, 0x1p-1074), 0x1p53 + 2));
	assert_true(same_bits(TOTAL(0x1p53, 3, -0x1p-1074), 0x1p53 + 2));
	assert_true(same_bits(TOTAL(-0x1p53, -1, -0x1p-1074), -0x1p53 - 2));
	assert_true(same_bits(TOTAL(0x1.fffffffffffffp+0, 0x1p-53), 2));
	assert_true(same_bits(TOTAL(DBL_MAX, 0x1p969), DBL_MAX));
	assert_true(same_bits(TOTAL(DBL_MAX, 0x1p970), INFINITY));
}

/* Numbers whose sum a __float128 holds exactly: of two magnitudes, of one sign or of both. */
static void sums_equal_those_of_wider_arithmetic(void **state)
{
	static double v[3000];

	for (unsigned round = 0; round < 400; round++) {
		int64_t n = 1 + (int64_t)(draw() % 3000);
		int apart = (int)(round % 47);
		__float128 sum = 0;

		for (int64_t i = 0; i < n; i++) {
			int64_t mantissa = (int64_t)draw() >> 11;

			if (round & 1)
				mantissa |= INT64_C(1) << 52 | 1;
			if (round & 2 && mantissa < 0)
				mantissa = -mantissa;
			v[i] = ldexp((double)mantissa, draw() % 8 ? 0 : apart);
			sum += v[i];
		}
		assert_true(same_bits(total_of(v, n), (double)sum));
	}
}

static void quotients_are_rounded_by_all_that_is_left(void **state)
{
	int64_t digit[SUM_DIGITS] = { 0 };

	/* 2^32 + 1 of the smallest double: by 2^33 it is a bit more than half of that */
	digit[1] = digit[2] = 1;
	assert_true(same_bits(sum_round(digit, UINT64_C(1) << 33), 0x1p-1074));
	digit[1] = 0;
	assert_true(same_bits(sum_round(digit, UINT64_C(1) << 33), 0));
	digit[2] = -1;
	digit[1] = -1;
	assert_true(same_bits(sum_round(digit, UINT64_C(1) << 33), -0x1p-1074));
}

static void shuffle(double *v, int64_t n)
{
	for (int64_t i = n - 1; i > 0; i--) {
		int64_t k = (int64_t)(draw() % (uint64_t)(i + 1));
		double t = v[i];

		v[i] = v[k];
		v[k] = t;
	}
}

/* Any numbers: a sum of v, w, and -v in any order is that of w. */
static void what_cancels_leaves_no_trace(void **state)
{
	static double v[4001];

	for (unsigned round = 0; round < 600; round++) {
		int64_t n = 1 + (int64_t)(draw() % 2000);
		double w = draw_double(900);

		for (int64_t i = 0; i < n; i++) {
			/* of all magnitudes; or of two, all positive ones first, in full stages */
			v[i] = round & 1 ? draw_double(1 + (int)round * 3 / 2)
					 : ldexp((double)(draw() >> 11 | 1),
						 draw() % 9 ? 0 : (int)round % 120);
			v[n + i] = -v[i];
		}
		v[2 * n] = w;
		if (round & 1)
			shuffle(v, 2 * n + 1);
		else
			shuffle(v + n, n);
		assert_true(same_bits(total_of(v, 2 * n + 1), w == 0 ? 0 : w));
	}
}

static void means_are_rounded_once(void **state)
{
	double third[] = { 1, 0, 0 }, small[] = { 0x1p-1074, 0, 0x1p-1074 };
	double huge[] = { DBL_MAX, DBL_MAX, DBL_MAX }, large[] = { DBL_MAX, DBL_MAX / 2 };
	struct {
		double *v;
		int64_t n;
		double mean;
	} cases[] = {
		{ third, 3, 1.0 / 3 },
		{ small, 3, 0x1p-1074 }, /* two thirds of the smallest */
		{ small, 2, 0 },	 /* half of it, to even */
		{ huge, 3, DBL_MAX },	 /* though the sum overflows */
		{ large, 2, DBL_MAX * 0.75 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sum *s = sum_doubles(cases[i].v, cases[i].n);
		struct sum_result *r = finish(s);

		assert_true(same_bits(sum_mean(r, 0), cases[i].mean));
		sum_result_destroy(r);
		sum_destroy(s);
	}
}

static void nan_and_infinities_are_apart(void **state)
{
	double v[] = { 2, NAN, INFINITY, 6, -INFINITY, -NAN, INFINITY, -1 }, mean;
	struct sum *s = sum_doubles(v, 8);
	struct sum_result *r = finish(s);

	assert_int_equal(r->all.count, 8);
	assert_int_equal(r->all.part[0].nan, 2);
	assert_int_equal(r->all.part[0].up, 2);
	assert_int_equal(r->all.part[0].dn, 1);
	assert_true(same_bits(r->all.part[0].sum, 7));
	assert_true(same_bits(r->mean[0], 7.0 / 3));
	assert_true(isnan(sum_mean(r, 0)));
	assert_true(sum_key_value(&r->plan, r->all.part[0].least).re == -1);
	assert_true(sum_key_value(&r->plan, r->all.part[0].most).re == 6);
	sum_result_destroy(r);
	sum_destroy(s);
	s = sum_doubles((double[]){ 1, -INFINITY }, 2);
	r = finish(s);
	mean = sum_mean(r, 0);
	assert_true(same_bits(mean, -INFINITY));
	sum_result_destroy(r);
	sum_destroy(s);
	/* nothing finite */
	s = sum_doubles((double[]){ NAN }, 1);
	r = finish(s);
	assert_true(r->all.part[0].least > r->all.part[0].most);
	sum_result_destroy(r);
	sum_destroy(s);
}

static void sums_by_type_are_right(void **state)
{
	enum { N = 1500 };
	static char data[N * 16];

	for (unsigned type = 0; type < VALUE_TYPES; type++) {
		int64_t n = N, size = (int64_t)value_size(type);
		struct sum *s = create(1, &n, type);
		struct sum_result *r;
		enum value_class class = value_class(type);
		__int128 whole = 0, least = 0, most = 0;

		if (class == VALUE_IS_REAL || class == VALUE_IS_COMPLEX) {
			sum_destroy(s);
			continue; /* tested above */
		}
		fill_any(type, data, N);
		memset(data, 0xff, (size_t)size); /* the extremes of 64 bits */
		add(s, &(struct layout){ .data = data, .count = { N }, .stride = { size } });
		for (int64_t i = 0; i < N; i++) {
			struct value v = value_load(type, data + i * size);
			__int128 w;

			assert_true(value_as_int(&v, &w));
			whole += w;
			least = i == 0 || w < least ? w : least;
			most = i == 0 || w > most ? w : most;
		}
		r = finish(s);
		assert_true(same_bits(r->all.part[0].sum, (double)whole));
		for (unsigned k = 0; k < 2; k++) {
			struct value v = sum_key_value(&r->plan, k ? r->all.part[0].most
								   : r->all.part[0].least);
			__int128 w;

			assert_true(value_as_int(&v, &w));
			assert_true(w == (k ? most : least));
		}
		sum_result_destroy(r);
		sum_destroy(s);
	}
}

static void parts_of_complex_numbers_are_apart(void **state)
{
	double v[][2] = { { 1, -3 }, { 2, NAN }, { 6, 5 } };
	int64_t n = 3;
	struct sum *s = create(1, &n, VALUE_DCOMPLEX);
	struct sum_result *r;

	add(s, &(struct layout){ .data = v, .count = { 3 }, .stride = { 16 } });
	r = finish(s);
	assert_int_equal(r->all.count, 3);
	assert_true(sum_mean(r, 0) == 3 && isnan(sum_mean(r, 1)));
	assert_true(r->mean[1] == 1);
	assert_int_equal(r->all.part[0].nan, 0);
	assert_int_equal(r->all.part[1].nan, 1);
	assert_true(sum_key_value(&r->plan, r->all.part[1].most).re == 5);
	sum_result_destroy(r);
	sum_destroy(s);
}

static void exchanged_parts_change_the_hash(void **state)
{
	double v[][2] = { { 1, 2 } };
	struct layout part = { .data = v, .count = { 1 }, .stride = { 16 } };
	struct sum *x = create(1, (int64_t[]){ 1 }, VALUE_DCOMPLEX);
	uint64_t before;

	add(x, &part);
	before = x->cell[0].hash;
	sum_reset(x);
	v[0][0] = 2;
	v[0][1] = 1;
	add(x, &part);
	assert_true(x->cell[0].hash != before);
	sum_destroy(x);
}

static void one_bit_changes_the_hash_of_its_block_only(void **state)
{
	enum { N = 20000 };
	static double v[N];
	struct sum *s;
	struct sum_result *a, *b;

	for (int i = 0; i < N; i++)
		v[i] = draw_double(100);
	s = sum_doubles(v, N);
	a = finish(s);
	for (unsigned round = 0; round < 200; round++) {
		uint64_t at = draw() % N, bits, before;
		uint32_t block = (uint32_t)(at / (uint64_t)a->plan.edge[0]);

		memcpy(&before, &v[at], 8);
		bits = before ^ UINT64_C(1) << draw() % 64;
		memcpy(&v[at], &bits, 8);
		sum_reset(s);
		add(s, &(struct layout){ .data = v, .count = { N }, .stride = { 8 } });
		b = finish(s);
		assert_true(a->all.hash != b->all.hash);
		for (uint32_t i = 0; i < a->plan.blocks; i++)
			assert_int_equal(a->block[i].hash == b->block[i].hash, i != block);
		memcpy(&v[at], &before, 8);
		sum_result_destroy(b);
	}
	sum_result_destroy(a);
	sum_destroy(s);
}

static void all_nans_are_alike_and_places_matter(void **state)
{
	double a[] = { NAN, 1, 1, 2 }, b[4], c[] = { 1, NAN, 1, 2 }, d[] = { NAN, 1, 2, 1 };
	uint64_t odd_nan = UINT64_C(0xfff0000000000123); /* a signalling one */
	struct sum *x = sum_doubles(a, 4), *y, *z, *w;

	memcpy(b, a, sizeof a);
	memcpy(b, &odd_nan, 8);
	y = sum_doubles(b, 4);
	z = sum_doubles(c, 4);
	w = sum_doubles(d, 4);
	assert_same(x, y);
	assert_true(sum_hash(x) != sum_hash(z) && x->cell[0].odd != z->cell[0].odd);
	assert_true(sum_hash(x) != sum_hash(w) && x->cell[0].odd == w->cell[0].odd);
	sum_destroy(x);
	sum_destroy(y);
	sum_destroy(z);
	sum_destroy(w);
}

#if defined(__x86_64__)
#include <immintrin.h>
static void the_callers_arithmetic_is_put_back(void **state)
{
	double v[] = { 0x1p-1074, 1, 0x1.8p-1060, 1e300 };
	struct sum *a = sum_doubles(v, 4), *b;
	unsigned before = _mm_getcsr(),
		 odd = 0x8040 | 0x6000; /* no denormals, towards zero; traps */

	_mm_setcsr(odd);
	b = sum_doubles(v, 4);
	assert_int_equal(_mm_getcsr(), odd);
	_mm_setcsr(before);
	assert_same(a, b);
	sum_destroy(a);
	sum_destroy(b);
}
#else
static void the_callers_arithmetic_is_put_back(void **state)
{
	double v[] = { 0x1p-1074, 1, 0x1.8p-1060, 1e300 };
	struct sum *a = sum_doubles(v, 4), *b;

	fesetround(FE_TOWARDZERO);
	b = sum_doubles(v, 4);
	assert_int_equal(fegetround(), FE_TOWARDZERO);
	fesetround(FE_TONEAREST);
	assert_same(a, b);
	sum_destroy(a);
	sum_destroy(b);
}
#endif

static void many_additions_do_not_overflow(void **state)
{
	double v[] = { DBL_MAX, -1.5, 0x1p-1074 };
	struct sum *s = sum_doubles(v, 3), *t = sum_doubles(v, 3);
	struct sum_result *r;

	/* s doubles 40 times: 2^40 times v, by way of the settling of digits */
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(sum_merge(s, s, NULL), 0);
	r = finish(s);
	assert_true(same_bits(r->mean[0], DBL_MAX / 3));
	sum_result_destroy(r);
	s->load_count = SUM_LOAD; /* and when digits settle in the middle of adding */
	assert_int_equal(sum_merge(s, t, NULL), 0);
	r = finish(s);
	assert_int_equal(r->all.count, 3 * ((UINT64_C(1) << 40) + 1));
	assert_true(same_bits(r->mean[0], DBL_MAX / 3));
	sum_result_destroy(r);
	sum_destroy(s);
	sum_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_exact_and_rounded_once),
		cmocka_unit_test(sums_equal_those_of_wider_arithmetic),
		cmocka_unit_test(quotients_are_rounded_by_all_that_is_left),
		cmocka_unit_test(what_cancels_leaves_no_trace),
		cmocka_unit_test(means_are_rounded_once),
		cmocka_unit_test(nan_and_infinities_are_apart),
		cmocka_unit_test(sums_by_type_are_right),
		cmocka_unit_test(parts_of_complex_numbers_are_apart),
		cmocka_unit_test(exchanged_parts_change_the_hash),
		cmocka_unit_test(one_bit_changes_the_hash_of_its_block_only),
		cmocka_unit_test(all_nans_are_alike_and_places_matter),
		cmocka_unit_test(the_callers_arithmetic_is_put_back),
		cmocka_unit_test(many_additions_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
