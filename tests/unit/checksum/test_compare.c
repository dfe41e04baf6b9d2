/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/checksum/checksum.h"
#include "common/array/value.h"
#include "tests/unit/set.h"

#define ROWS 150
#define COLS 200
#define ALL (ROWS * COLS)

static double a[ALL], b[ALL];
static uint64_t random_state = 7;

static uint64_t draw(void)
{
	random_state += UINT64_C(0x9e3779b97f4a7c15);
	return sum_mix(random_state);
}

static double draw_unit(void)
{
	return (double)(int64_t)draw() * 0x1p-63;
}

static struct sum_result *result_of(const double *v, unsigned max_blocks)
{
	struct sum_plan p;
	struct sum *s;
	struct sum_result *r;

	assert_int_equal(
		sum_plan_make(&p, 2, (int64_t[]){ ROWS, COLS }, VALUE_DOUBLE, max_blocks, NULL), 0);
	s = sum_create(&p, NULL);
	assert_non_null(s);
	assert_int_equal(
		sum_add(s,
			&(struct layout){ v, .count = { ROWS, COLS }, .stride = { COLS * 8, 8 } },
			NULL),
		0);
	r = sum_finish(s, NULL);
	assert_non_null(r);
	sum_destroy(s);
	return r;
}

static struct sum_difference compare(const double *x, const double *y, unsigned max_blocks,
				     struct sum_tolerance tol)
{
	struct sum_result *r = result_of(x, max_blocks), *q = result_of(y, max_blocks);
	struct sum_difference d;

	assert_int_equal(sum_compare(r, q, &tol, &d, NULL), 0);
	sum_result_destroy(r);
	sum_result_destroy(q);
	return d;
}

static void fill(void)
{
	for (int i = 0; i < ALL; i++)
		b[i] = a[i] = 10 * sin(i * 1e-3) + draw_unit();
}

/* Patterns that real faults and rounding make. */
enum pattern {
	SCATTERED,
	PAIR, /* equal and opposite: two elements exchanged */
	ROW,
	COLUMN,
	DIAGONAL,
	BOX,
	SMOOTH, /* every element, slowly varying */
	SAME,	/* every element by the same */
	STRIDED,
	EVERYWHERE, /* rounding */
	PATTERNS,
};

static double error_at(enum pattern p, int i, const int *by, double size)
{
	int r = i / COLS, c = i % COLS;

	switch (p) {
	case ROW:
		return r == by[0] % ROWS ? size : 0;
	case COLUMN:
		return c == by[0] % COLS ? size : 0;
	case DIAGONAL:
		return (r + c) % 64 == by[0] % 64 ? size : 0;
	case BOX:
		return abs(r - by[0] % ROWS) < 2 + by[2] % 9 &&
				       abs(c - by[1] % COLS) < 2 + by[3] % 9
			       ? size * (1 + r % 3)
			       : 0;
	case SMOOTH:
		return size * cos((r + by[0] % 50) * 0.02) * cos(c * 0.03);
	case SAME:
		return size;
	case STRIDED:
		return i % (1 + by[0] % 90) == 0 ? (i & 1 ? size : -size) : 0;
	default:
		return size * draw_unit();
	}
}

static void make_errors(enum pattern p, double size, double *norm)
{
	int by[4], n = 1 + (int)(draw() % 40);
	double square = 0;

	for (int i = 0; i < 4; i++)
		by[i] = (int)(draw() >> 40);
	fill();
	if (p == PAIR) {
		b[by[0] % ALL] += size;
		b[by[1] % ALL] -= size;
	} else if (p == SCATTERED) {
		while (n-- > 0)
			b[draw() % ALL] += size * draw_unit();
	} else {
		for (int i = 0; i < ALL; i++)
			b[i] += error_at(p, i, by, size);
	}
	for (int i = 0; i < ALL; i++)
		square += (b[i] - a[i]) * (b[i] - a[i]);
	*norm = sqrt(square);
}

static void the_norm_is_estimated_within_a_factor_of_three(void **state)
{
	static const struct sum_tolerance tol = { SUM_ABSOLUTE, 1e-4, 0 };
	const unsigned cases = in_set_all() ? 200 : 100;
	unsigned off = 0, off_in[PATTERNS] = { 0 };

	for (enum pattern p = 0; p < PATTERNS; p++) {
		for (unsigned k = 0; k < cases; k++) {
			double norm, size = ldexp(1, -(int)(draw() % 30));
			struct sum_difference d;

			make_errors(p, size, &norm);
			d = compare(a, b, k % 2 ? 0 : 1, tol);
			if (norm > 0 && !(d.norm <= 3 * norm && d.norm >= norm / 3))
				off_in[p]++;
		}
		/* a pattern of its own: 98 % */
		assert_true(off_in[p] <= cases / 50);
		off += off_in[p];
	}
	assert_true(off * 100 <= cases * PATTERNS);
}

/* The mean square of the estimate is that of the error: signs do not depend on each other. */
static void the_estimate_has_no_bias(void **state)
{
	double ratio = 0;
	const unsigned cases = in_set_times(600, 600, 200);

	for (unsigned k = 0; k < cases; k++) {
		struct sum_result *r, *q;
		double norm, square = 0;

		make_errors((enum pattern)(k % 2 ? DIAGONAL : STRIDED), 0.5, &norm);
		r = result_of(a, 1);
		q = result_of(b, 1);
		for (unsigned i = 0; i < SUM_SIGNS; i++)
			square += (r->sign[i] - q->sign[i]) * (r->sign[i] - q->sign[i]);
		ratio += square / SUM_SIGNS / (norm * norm);
		sum_result_destroy(r);
		sum_result_destroy(q);
	}
	ratio /= cases;
	/* the standard error is sqrt(2 / 8 / 600) = 0.02, of 200 cases 0.035 */
	assert_true(ratio > 0.9 && ratio < 1.1);
}

/*
 * Signs of numbers a fixed distance apart agree half of the time, whatever the distance; for
 * distances that a multiplicative key brings close together, too.
 */
static void signs_at_a_distance_are_unrelated(void **state)
{
	static const uint64_t distances[] = { 1,
					      2,
					      3,
					      5,
					      8,
					      13,
					      64,
					      100,
					      233,
					      1000,
					      1024,
					      46368,
					      65536,
					      1346269,
					      1u << 20,
					      UINT64_C(1) << 32,
					      UINT64_C(1) << 40,
					      701408733 };
	enum { N = SUM_STAGE, ROUNDS = 64 };
	static _Alignas(64) uint64_t key[2][N], turn[2][N], zero[N];
	const struct sum_ops *ops = sum_ops_best();
	struct sum_scan scan;

	for (size_t d = 0; d < sizeof distances / sizeof distances[0]; d++) {
		int agree[SUM_SIGNS] = { 0 }, plus[SUM_SIGNS] = { 0 }, n = N * ROUNDS;
		int limit = (int)(6 * sqrt(n)); /* six standard deviations */

		for (uint64_t r = 0; r < ROUNDS; r++) {
			for (unsigned k = 0; k < 2; k++) {
				ops->keys(key[k], SUM_SEED + (r * N + k * distances[d]) * SUM_STEP,
					  SUM_STEP, N);
				ops->scan(zero, key[k], 0, turn[k], N, &scan);
			}
			for (int i = 0; i < N; i++)
				for (unsigned k = 0; k < SUM_SIGNS; k++) {
					bool x = turn[0][i] << k >> 63, y = turn[1][i] << k >> 63;

					agree[k] += x == y ? 1 : -1;
					plus[k] += x ? -1 : 1;
				}
		}
		for (unsigned k = 0; k < SUM_SIGNS; k++) {
			assert_true(abs(agree[k]) < limit);
			assert_true(abs(plus[k]) < limit);
		}
	}
}

/* The eight signs of a number are unrelated to each other as well. */
static void signs_of_one_number_are_unrelated(void **state)
{
	enum { N = SUM_STAGE, ROUNDS = 64 };
	static _Alignas(64) uint64_t key[N], turn[N], zero[N];
	int seen[256] = { 0 };
	struct sum_scan scan;

	for (uint64_t r = 0; r < ROUNDS; r++) {
		sum_ops_best()->keys(key, SUM_SEED + r * N * SUM_STEP, SUM_STEP, N);
		sum_ops_best()->scan(zero, key, 0, turn, N, &scan);
		for (int i = 0; i < N; i++)
			seen[turn[i] >> 56]++;
	}
	for (int i = 0; i < 256; i++)
		assert_true(abs(seen[i] - N * ROUNDS / 256) < 7 * sqrt(N * ROUNDS / 256));
}

static void equal_arrays_are_equal(void **state)
{
	struct sum_difference d;

	fill();
	a[5] = b[5] = NAN;
	d = compare(a, b, 0, (struct sum_tolerance){ SUM_EXACT, 0, 0 });
	assert_int_equal(d.verdict, SUM_EQUAL);
	assert_int_equal(d.differ, 0);
	assert_true(d.norm == 0);
}

static void rounding_is_told_from_a_fault(void **state)
{
	static const struct sum_tolerance absolute = { SUM_ABSOLUTE, 1e-4, 0 };
	static const struct sum_tolerance relative = { SUM_RELATIVE, 1e-9, 1e-3 };
	static const struct sum_tolerance exact = { SUM_EXACT, 0, 0 };
	struct sum_difference d;
	unsigned at = 77 * COLS + 31;

	fill();
	for (int i = 0; i < ALL; i++)
		b[i] = a[i] * (1 + 0x1p-50 * draw_unit());
	d = compare(a, b, 0, absolute);
	assert_int_equal(d.verdict, SUM_ROUNDING);
	assert_true(d.norm > 0 && d.norm < 1e-11 && d.wrong == 0 && d.differ > 200);
	assert_int_equal(compare(a, b, 0, relative).verdict, SUM_ROUNDING);
	assert_int_equal(compare(a, b, 0, exact).verdict, SUM_FAULT);
	/* one wrong element in the midst of rounding */
	b[at] += 0.01;
	d = compare(a, b, 0, absolute);
	assert_int_equal(d.verdict, SUM_FAULT);
	assert_int_equal(d.wrong, 1);
	assert_true(fabs(d.norm - 0.01) < 1e-6);
	{
		struct sum_result *r = result_of(a, 0);
		int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];

		assert_true(sum_in(d.in_wrong, d.worst));
		sum_plan_box(&r->plan, d.worst, lo, hi);
		assert_true(lo[0] <= 77 && 77 <= hi[0] && lo[1] <= 31 && 31 <= hi[1]);
		sum_result_destroy(r);
	}
	assert_int_equal(compare(a, b, 0, relative).verdict, SUM_FAULT);
	b[at] = a[at] + 0.5e-4;
	assert_int_equal(compare(a, b, 0, absolute).verdict, SUM_ROUNDING);
	/* relative mode goes by the magnitude, and by rel_min when that is larger */
	for (int i = 0; i < ALL; i++)
		a[i] = b[i] = 1e9 + i;
	b[at] += 0.5;
	assert_int_equal(compare(a, b, 0, absolute).verdict, SUM_FAULT);
	assert_int_equal(compare(a, b, 0, relative).verdict, SUM_ROUNDING);
	for (int i = 0; i < ALL; i++)
		a[i] = b[i] = 1e-20 * i;
	b[at] += 1e-13;
	assert_int_equal(compare(a, b, 0, relative).verdict, SUM_ROUNDING);
	b[at] += 1e-11;
	assert_int_equal(compare(a, b, 0, relative).verdict, SUM_FAULT);
}

static void every_exchange_of_two_elements_is_found(void **state)
{
	static const struct sum_tolerance tol = { SUM_ABSOLUTE, 1e-4, 0 };
	unsigned missed = 0;

	for (unsigned k = 0; k < 1000; k++) {
		unsigned x = draw() % ALL, y = draw() % ALL;
		struct sum_difference d;

		fill();
		b[x] = a[y];
		b[y] = a[x];
		d = compare(a, b, k % 2 ? 0 : 1, tol);
		if (fabs(a[x] - a[y]) < 1e-3)
			continue;
		assert_int_not_equal(d.verdict, SUM_EQUAL);
		missed += d.verdict != SUM_FAULT;
	}
	/* by chance 1 of 16 in the same block for its 4 signs, 1 of 256 for all 8 */
	assert_true(missed <= 15);
}

static void a_moved_extreme_is_a_fault_though_sums_agree(void **state)
{
	static const struct sum_tolerance tol = { SUM_ABSOLUTE, 1e-4, 0 };
	struct sum_difference d;
	struct sum_result *r, *q;

	fill();
	r = result_of(a, 0);
	q = result_of(a, 0);
	q->block[9].hash++;
	assert_int_equal(sum_compare(r, q, &tol, &d, NULL), 0);
	assert_int_equal(d.verdict, SUM_ROUNDING);
	q->block[9].part[0].most = sum_key(sum_unkey(q->block[9].part[0].most) + 0.5);
	assert_int_equal(sum_compare(r, q, &tol, &d, NULL), 0);
	assert_int_equal(d.verdict, SUM_FAULT);
	assert_true(d.wrong == 1 && sum_in(d.in_wrong, 9) && fabs(d.most - 0.5) < 1e-9);
	sum_result_destroy(r);
	sum_result_destroy(q);
}

static void moved_nans_are_a_fault(void **state)
{
	static const struct sum_tolerance tol = { SUM_ABSOLUTE, 1e-4, 0 };
	struct sum_difference d;

	memset(a, 0, sizeof a);
	memset(b, 0, sizeof b);
	a[17] = NAN;
	b[18] = NAN;
	d = compare(a, b, 0, tol);
	assert_int_equal(d.verdict, SUM_FAULT);
	assert_true(d.odd && d.wrong == 1);
	b[17] = NAN;
	b[18] = 0;
	assert_int_equal(compare(a, b, 0, tol).verdict, SUM_EQUAL);
}

static void results_travel(void **state)
{
	static const struct sum_tolerance tol = { SUM_EXACT, 0, 0 };

	for (unsigned blocks = 0; blocks <= 1; blocks++) {
		struct sum_result *r, *q;
		struct sum_difference d;
		struct buf wire = BUF_INIT, cut, again = BUF_INIT;
		struct err err = { "" };

		fill();
		a[1] = INFINITY;
		r = result_of(a, blocks);
		sum_result_put(r, &wire);
		q = sum_result_get(&wire, &err);
		assert_non_null(q);
		assert_int_equal(buf_left(&wire), 0);
		sum_result_put(q, &again);
		assert_int_equal(again.len, wire.len);
		assert_memory_equal(again.data, wire.data, wire.len);
		assert_int_equal(sum_compare(r, q, &tol, &d, NULL), 0);
		assert_int_equal(d.verdict, SUM_EQUAL);
		for (size_t n = 0; n < wire.len; n += 1 + n / 40) {
			cut = buf_view(wire.data, n);
			assert_null(sum_result_get(&cut, &err));
		}
		sum_result_destroy(q);
		for (unsigned k = 0; k < 2000; k++) {
			size_t at = draw() % (k % 2 ? wire.len : 40);
			unsigned char old = wire.data[at];

			wire.data[at] = (unsigned char)draw();
			cut = buf_view(wire.data, wire.len);
			q = sum_result_get(&cut, NULL);
			if (q) {
				sum_compare(r, q, &tol, &d, NULL);
				sum_compare(q, r, &(struct sum_tolerance){ SUM_ABSOLUTE, 1, 1 }, &d,
					    NULL);
			}
			sum_result_destroy(q);
			wire.data[at] = old;
		}
		sum_result_destroy(r);
		buf_clear(&wire);
		buf_clear(&again);
	}
}

static void different_shapes_are_reported(void **state)
{
	struct sum_result *r = result_of(a, 0), *q = result_of(a, 4);
	struct sum_tolerance tol = { SUM_EXACT, 0, 0 };
	struct sum_difference d;
	struct err err = { "" };

	assert_int_equal(sum_compare(r, q, &tol, &d, &err), -1);
	assert_string_equal(err.text, "checksums of different arrays: double 150 x 200 in 240 "
				      "blocks, and double 150 x 200 in 4 blocks");
	sum_result_destroy(r);
	sum_result_destroy(q);
}

static void missing_and_repeated_elements_are_reported(void **state)
{
	struct sum_tolerance tol = { SUM_ABSOLUTE, 1, 0 };
	struct sum_difference d;
	struct sum_result *r, *q;
	struct sum_plan p;
	struct sum *s;

	memset(a, 0, sizeof a);
	r = result_of(a, 0);
	assert_int_equal(sum_plan_make(&p, 2, (int64_t[]){ ROWS, COLS }, VALUE_DOUBLE, 0, NULL), 0);
	s = sum_create(&p, NULL);
	assert_non_null(s);
	assert_int_equal(sum_add(s,
				 &(struct layout){ a, .count = { ROWS, COLS - 1 },
						   .stride = { COLS * 8, 8 } },
				 NULL),
			 0);
	q = sum_finish(s, NULL);
	assert_non_null(q);
	assert_int_equal(sum_compare(r, q, &tol, &d, NULL), 0);
	assert_int_equal(d.verdict, SUM_FAULT);
	assert_true(d.counts);
	sum_result_destroy(r);
	sum_result_destroy(q);
	sum_destroy(s);
}

static void integers_are_never_rounded(void **state)
{
	int64_t n = 100, v[100] = { 0 };
	struct sum_tolerance tol = { SUM_ABSOLUTE, 10, 0 };
	struct sum_difference d;
	struct sum_result *r[2];
	struct sum_plan p;

	assert_int_equal(sum_plan_make(&p, 1, &n, VALUE_LONG, 0, NULL), 0);
	for (unsigned k = 0; k < 2; k++) {
		struct sum *s = sum_create(&p, NULL);

		v[50] = k;
		assert_non_null(s);
		assert_int_equal(
			sum_add(s, &(struct layout){ v, .count = { n }, .stride = { 8 } }, NULL),
			0);
		r[k] = sum_finish(s, NULL);
		assert_non_null(r[k]);
		sum_destroy(s);
	}
	assert_int_equal(sum_compare(r[0], r[1], &tol, &d, NULL), 0);
	assert_int_equal(d.verdict, SUM_FAULT);
	assert_true(d.norm == 1 || fabs(d.norm - 1) < 1e-12);
	sum_result_destroy(r[0]);
	sum_result_destroy(r[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_norm_is_estimated_within_a_factor_of_three),
		cmocka_unit_test(the_estimate_has_no_bias),
		cmocka_unit_test(signs_at_a_distance_are_unrelated),
		cmocka_unit_test(signs_of_one_number_are_unrelated),
		cmocka_unit_test(equal_arrays_are_equal),
		cmocka_unit_test(rounding_is_told_from_a_fault),
		cmocka_unit_test(every_exchange_of_two_elements_is_found),
		cmocka_unit_test(a_moved_extreme_is_a_fault_though_sums_agree),
		cmocka_unit_test(moved_nans_are_a_fault),
		cmocka_unit_test(results_travel),
		cmocka_unit_test(different_shapes_are_reported),
		cmocka_unit_test(missing_and_repeated_elements_are_reported),
		cmocka_unit_test(integers_are_never_rounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
