/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quick sums: what does not depend on the distribution, what they detect, and how they judge. */
#include "tests/unit/sum_help.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"

#define N 300
#define M 200

static double field[N][M], other[N][M];

static struct sum *create_quick(unsigned ndim, const int64_t *extent, unsigned type, unsigned most)
{
	struct sum_plan p;
	struct sum *s;

	assert_int_equal(sum_plan_make(&p, ndim, extent, type, most, NULL), 0);
	p.quick = true;
	s = sum_create(&p, NULL);
	assert_non_null(s);
	return s;
}

/* Rows from row on, columns from column on. */
static void add_box(struct sum *s, double (*v)[M], int64_t row, int64_t rows, int64_t column,
		    int64_t columns)
{
	add(s, &(struct layout){ .data = &v[row][column],
				 .first = { row, column },
				 .count = { rows, columns },
				 .stride = { sizeof v[0], sizeof v[0][0] } });
}

static struct sum_result *quick_of(double (*v)[M], unsigned most)
{
	struct sum *s = create_quick(2, (int64_t[]){ N, M }, VALUE_DOUBLE, most);
	struct sum_result *r;

	add_box(s, v, 0, N, 0, M);
	r = finish(s);
	sum_destroy(s);
	return r;
}

static void fill(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			field[i][j] =
				300 + 100 * sin(0.01 * i * j) + 1e-3 * (double)(draw() % 1000);
	memcpy(other, field, sizeof field);
}

static struct sum_difference compare(double exp, unsigned most)
{
	struct sum_result *a = quick_of(field, most), *b = quick_of(other, most);
	struct sum_tolerance tol = { SUM_RELATIVE, exp, 0 };
	struct sum_difference d;

	assert_int_equal(sum_compare(a, b, &tol, &d, NULL), 0);
	sum_result_destroy(a);
	sum_result_destroy(b);
	return d;
}

static void check_any_distribution(unsigned most)
{
	struct sum_result *whole = quick_of(field, most), *parts;

	for (unsigned o = 0; o < sum_ops_count; o++) {
		struct sum *s = create_quick(2, (int64_t[]){ N, M }, VALUE_DOUBLE, most);
		struct sum *t = create_quick(2, (int64_t[]){ N, M }, VALUE_DOUBLE, most);

		if (sum_ops_list[o].usable())
			s->ops = t->ops = &sum_ops_list[o];
		for (int64_t row = 0; row < N; row += 37)
			for (int64_t column = 0; column < M; column += 67)
				add_box((row + column) % 2 ? s : t, field, row,
					row + 37 > N ? N - row : 37, column,
					column + 67 > M ? M - column : 67);
		assert_int_equal(sum_merge(s, t, NULL), 0);
		parts = finish(s);
		for (uint32_t b = 0; b < whole->plan.blocks; b++) {
			const struct sum_block *x = &whole->block[b], *y = &parts->block[b];

			assert_true(x->hash == y->hash && x->count == y->count && x->odd == y->odd);
			assert_memory_equal(&x->part[0].least, &y->part[0].least,
					    sizeof x->part[0] - sizeof x->part[0].sum);
			assert_true(fabs(x->part[0].sum - y->part[0].sum) <=
				    1e-13 * fabs(x->part[0].sum));
		}
		assert_int_equal(parts->all.part[0].nan, 1);
		assert_int_equal(parts->all.part[0].dn, 1);
		assert_true(isnan(sum_mean(parts, 0)));
		assert_true(fabs(whole->sign[1] - parts->sign[1]) < 1e-8);
		sum_result_destroy(parts);
		sum_destroy(s);
		sum_destroy(t);
	}
	sum_result_destroy(whole);
}

/*
 * Each instruction set, and any cut into parts, gives one hash, one count, the same extremes: in
 * small blocks, which are gone through one by one, and in larger ones, which rows go through.
 */
static void test_any_distribution(void **state)
{
	fill();
	field[7][11] = NAN;
	field[8][130] = -INFINITY;
	field[299][199] = -0.0;
	check_any_distribution(0);
	check_any_distribution(16);
	check_any_distribution(1);
}

/* A last bit that differs, two elements exchanged, rows moved by one: never the same hash. */
static void test_hash(void **state)
{
	struct sum_difference d;

	for (int k = 0; k < 200; k++) {
		int i = (int)(draw() % N), j = (int)(draw() % M);

		fill();
		other[i][j] = nextafter(other[i][j], INFINITY);
		d = compare(1e-9, 0);
		assert_int_equal(d.verdict, SUM_ROUNDING);
		assert_int_equal(d.differ, 1);
	}
	/* whole numbers, exchanged in pairs at equal distances: what linear hashes miss */
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			field[i][j] = other[i][j] = j % 2;
	for (int i = 10; i < 14; i++) {
		other[i][20] = field[i][21];
		other[i][21] = field[i][20];
		other[i][30] = field[i][31];
		other[i][31] = field[i][30];
	}
	assert_int_equal(compare(1e-9, 1).verdict, SUM_FAULT);
	for (int i = 1; i < N; i++)
		memcpy(other[i], field[i - 1], sizeof field[i]);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			field[i][j] = i;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			other[i][j] = i ? i - 1 : N - 1;
	assert_int_equal(compare(1e-9, 1).verdict, SUM_FAULT);
}

/* The estimate of an error of any pattern is near its 2-norm. */
static void test_estimate(void **state)
{
	static const char *const name[] = { "a row", "a column", "a chessboard", "all",
					    "a quarter" };

	for (int pattern = 0; pattern < 5; pattern++) {
		double square = 0;
		struct sum_difference d;

		fill();
		for (int i = 0; i < N; i++)
			for (int j = 0; j < M; j++) {
				bool in = pattern == 0	 ? i == 100
					  : pattern == 1 ? j == 50
					  : pattern == 2 ? (i + j) % 2
					  : pattern == 3 ? true
							 : i >= N / 2 && j >= M / 2;

				other[i][j] += in ? 1e-3 : 0;
				square += in ? 1e-6 : 0;
			}
		d = compare(1e-9, 1);
		if (d.verdict != SUM_FAULT || d.norm < 0.2 * sqrt(square) ||
		    d.norm > 3 * sqrt(square))
			fail_msg("%s: %g for %g", name[pattern], d.norm, sqrt(square));
	}
}

/* Rounding of every element is rounding, whatever the size of the numbers. */
static void test_scales(void **state)
{
	static const double scale[] = { 1, 1e-12, 1e12, 1e-300, 1e300 };

	for (unsigned k = 0; k < sizeof scale / sizeof scale[0]; k++) {
		fill();
		for (int i = 0; i < N; i++)
			for (int j = 0; j < M; j++) {
				field[i][j] *= scale[k];
				other[i][j] = field[i][j] * (1 + 1e-15 * (double)(draw() % 5));
			}
		assert_int_equal(compare(1e-9, 0).verdict, SUM_ROUNDING);
		other[17][3] *= 1.5;
		assert_int_equal(compare(1e-9, 0).verdict, SUM_FAULT);
		memcpy(other, field, sizeof field);
		assert_int_equal(compare(1e-9, 0).verdict, SUM_EQUAL);
	}
}

static void test_types(void **state)
{
	static char data[512 * 16];
	int64_t n = 512;

	for (unsigned type = 0; type < VALUE_TYPES; type++) {
		int64_t size = (int64_t)value_size(type);
		struct sum_result *r[2];

		if (type == VALUE_STRUCT || type == VALUE_POINTER || !size)
			continue;
		fill_any(type, data, (size_t)n);
		for (int k = 0; k < 2; k++) {
			struct sum *s = create_quick(1, &n, type, 4);

			add(s,
			    &(struct layout){ .data = data, .count = { n }, .stride = { size } });
			r[k] = finish(s);
			sum_destroy(s);
			data[137 * size] ^= 1;
		}
		if (value_class(type) == VALUE_IS_INT || value_class(type) == VALUE_IS_UINT)
			assert_true(r[0]->block[1].hash != r[1]->block[1].hash);
		assert_true(r[0]->block[0].hash == r[1]->block[0].hash);
		assert_int_equal(r[0]->all.count, n);
		sum_result_destroy(r[0]);
		sum_result_destroy(r[1]);
	}
}

/* As they are put, so they are got; those of the other kind do not merge with them. */
static void test_wire(void **state)
{
	struct sum *s = create_quick(2, (int64_t[]){ N, M }, VALUE_DOUBLE, 16), *got;
	struct sum *exact = create(2, (int64_t[]){ N, M }, VALUE_DOUBLE);
	struct sum_result *r, *q;
	struct buf b = BUF_INIT;
	size_t len;

	fill();
	add_box(s, field, 0, N, 0, M);
	assert_int_equal(sum_merge(exact, s, NULL), -1);
	sum_put(s, &b);
	len = b.len;
	assert_true(len <= sum_put_most(sum_plan_of(s)));
	got = sum_get(&b, NULL);
	assert_non_null(got);
	assert_true(sum_plan_of(got)->quick);
	assert_same(s, got);
	r = finish(got);
	b.len = b.pos = 0;
	sum_result_put(r, &b);
	q = sum_result_get(&b, NULL);
	assert_non_null(q);
	assert_memory_equal(q->sign, r->sign, sizeof q->sign);
	assert_true(same_bits(sum_mean(q, 0), sum_mean(r, 0)));
	for (; len > 0; len--) {
		struct buf cut = BUF_INIT;
		struct sum *bad;

		sum_put(s, &cut);
		cut.len = len - 1;
		bad = sum_get(&cut, NULL);
		assert_null(bad);
		buf_clear(&cut);
	}
	buf_clear(&b);
	sum_result_destroy(r);
	sum_result_destroy(q);
	sum_destroy(s);
	sum_destroy(got);
	sum_destroy(exact);
}

/* Memory of an exact sum is used for a quick one after it, and again. */
static void test_memory(void **state)
{
	struct sum_plan p;
	void *memory = NULL;
	uint64_t hash[2] = { 0 };
	double mean[4];

	fill();
	assert_int_equal(posix_memalign(&memory, SUM_ALIGNMENT, sum_memory(NULL)), 0);
	memset(memory, 0, sum_memory(NULL));
	assert_int_equal(sum_plan_make(&p, 2, (int64_t[]){ N, M }, VALUE_DOUBLE, 8, NULL), 0);
	for (int k = 0; k < 4; k++) {
		struct sum_result *r;
		struct sum *s;

		p.quick = k % 2;
		s = sum_create_in(memory, &p, NULL);
		assert_non_null(s);
		add_box(s, field, 0, N, 0, M);
		r = finish(s);
		mean[k] = sum_mean(r, 0);
		if (k >= 2)
			assert_true(hash[k % 2] == sum_hash(s));
		hash[k % 2] = sum_hash(s);
		sum_result_destroy(r);
		sum_reset(s);
	}
	assert_true(same_bits(mean[0], mean[2]) && same_bits(mean[1], mean[3]));
	assert_true(fabs(mean[0] - mean[1]) < 1e-12 * mean[0]);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_distribution), cmocka_unit_test(test_hash),
		cmocka_unit_test(test_estimate),	 cmocka_unit_test(test_scales),
		cmocka_unit_test(test_types),		 cmocka_unit_test(test_wire),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
