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
#include "common/logical/groups.h"
#include "common/protocol/msg.h"
#include "common/array/value.h"
#include "common/array/bins.h"

static void test_cells(void **state)
{
	/* each position is in the cell whose first position is not behind it */
	for (uint64_t n = 1; n < 40; n++)
		for (uint32_t cells = 1; cells <= n; cells++)
			for (uint64_t at = 0; at < n; at++) {
				uint32_t c = bins_cell_of(at, n, cells);

				assert_true(c < cells);
				assert_true(bins_first(c, n, cells) <= at);
				assert_true(bins_first(c + 1, n, cells) > at);
			}
	assert_int_equal(bins_cell_of(UINT32_MAX, UINT64_C(1) << 33, 1 << 20), (1 << 19) - 1);
}

static void test_reduce(void **state)
{
	double x[200];
	struct bins_cell c;

	/* every length, so that vectors and what is left over are both met */
	for (size_t n = 0; n <= 200; n++) {
		for (size_t i = 0; i < n; i++)
			x[i] = (double)((i * 37) % 101) - 50;
		bins_cell_init(&c);
		bins_reduce(&c, x, n);
		if (!n) {
			assert_true(c.least > c.most);
			continue;
		}
		double sum = 0, least = x[0], most = x[0];

		for (size_t i = 0; i < n; i++) {
			sum += x[i];
			least = fmin(least, x[i]);
			most = fmax(most, x[i]);
		}
		assert_true(c.sum == sum && c.least == least && c.most == most);
		x[n / 2] = NAN;
		x[n - 1] = -INFINITY;
		bins_cell_init(&c);
		bins_reduce(&c, x, n);
		assert_int_equal(c.inf, 1);
		assert_int_equal(c.nan, n > 1 && n / 2 != n - 1);
		assert_true(isfinite(c.sum));
	}
	/* the sum is too large for a number, the values are not */
	x[0] = x[1] = 1e308;
	bins_cell_init(&c);
	bins_reduce(&c, x, 2);
	assert_true(c.most == 1e308 && !c.inf && isinf(c.sum));
}

static void test_numbers(void **state)
{
	const struct {
		unsigned type;
		const void *at;
		double want;
	} list[] = {
		{ VALUE_CHAR, "\xff", -1 },
		{ VALUE_UCHAR, "\xff", 255 },
		{ VALUE_SHORT, (const int16_t[]){ -300 }, -300 },
		{ VALUE_USHORT, (const uint16_t[]){ 65000 }, 65000 },
		{ VALUE_INT, (const int32_t[]){ -7 }, -7 },
		{ VALUE_UINT, (const uint32_t[]){ 4000000000u }, 4e9 },
		{ VALUE_LONG, (const int64_t[]){ -9 }, -9 },
		{ VALUE_ULONG, (const uint64_t[]){ UINT64_C(1) << 63 }, 0x1p63 },
		{ VALUE_FLOAT, (const float[]){ 0.5f }, 0.5 },
		{ VALUE_DOUBLE, (const double[]){ 1e300 }, 1e300 },
		{ VALUE_FCOMPLEX, (const float[]){ 3, -4 }, 5 },
		{ VALUE_DCOMPLEX, (const double[]){ 3e200, 4e200 }, 5e200 },
		{ VALUE_LOGICAL, (const int32_t[]){ -1 }, 1 },
		{ VALUE_BOOL, "\1", 1 },
	};
	double got;

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		bins_numbers(list[i].type, list[i].at, value_size(list[i].type), &got, 1);
		assert_true(fabs(got - list[i].want) <= 1e-15 * fabs(got));
	}
}

/* 2 x 3 cells of two dimensions, of which a rank has one. */
static void picture(struct bins *z, uint32_t rank, size_t cell, double v, unsigned n)
{
	struct bins_cell one;

	assert_int_equal(bins_make(z, 2, false, 2, 3), 0);
	bins_cell_init(&one);
	one = (struct bins_cell){ .count = n, .sum = v * n, .least = v, .most = v, .owner = rank };
	bins_cell_add(&z->cell[cell], &one);
	bins_cell_add(&z->all, &one);
	z->at_least[0] = z->at_most[0] = (int64_t)cell;
	z->at_least[1] = z->at_most[1] = rank;
}

static void bytes_of(const struct bins *z, struct buf *b)
{
	bins_put(z, b);
	assert_false(b->bad);
}

static void test_wire(void **state)
{
	struct bins z, back;
	struct buf b = BUF_INIT;

	picture(&z, 7, 4, 2.5, 3);
	z.cell[5] = (struct bins_cell){
		.count = 1000, .sum = 4, .least = -1, .most = 3, .nan = 2, .inf = 1, .owner = 9
	};
	bins_cell_add(&z.all, &z.cell[5]);
	z.found_nan = true;
	z.at_nan[1] = -5;
	z.bin[63] = 300;
	z.above = 1;
	bytes_of(&z, &b);
	assert_int_equal(bins_get(&back, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(back.rows, 2);
	assert_int_equal(back.cols, 3);
	assert_int_equal(back.cell[0].count, 0);
	assert_int_equal(back.cell[4].count, 3);
	assert_true(back.cell[4].sum == 7.5);
	assert_int_equal(back.cell[4].owner, 7);
	assert_int_equal(back.cell[5].owner, 9);
	assert_int_equal(back.all.owner, BINS_MIXED);
	assert_int_equal(back.cell[5].nan, 2);
	assert_int_equal(back.cell[5].inf, 1);
	assert_true(back.all.least == -1 && back.all.most == 3);
	assert_int_equal(back.all.count, 1003);
	assert_true(back.found_nan && back.at_nan[1] == -5);
	assert_int_equal(back.bin[63], 300);
	assert_int_equal(back.above, 1);
	bins_clear(&back);
	/* no part of it is taken for the whole */
	for (size_t n = 0; n < b.len; n++) {
		struct buf part = buf_view(b.data, n);

		assert_int_equal(bins_get(&back, &part), -1);
		assert_null(back.cell);
	}
	buf_clear(&b);
	bins_clear(&z);
}

/* What crosses is in proportion to the cells that are not empty. */
static void test_small(void **state)
{
	struct bins z;
	struct buf b = BUF_INIT;

	assert_int_equal(bins_make(&z, 2, false, 100, 100), 0);
	bytes_of(&z, &b);
	assert_true(b.len < 40);
	buf_reset(&b);
	for (unsigned i = 0; i < 50; i++)
		z.cell[4000 + i] =
			(struct bins_cell){ .count = 9, .sum = 9, .least = 0, .most = 2 };
	bytes_of(&z, &b);
	assert_true(b.len < 40 + 50 * 26);
	buf_clear(&b);
	bins_clear(&z);
}

static void test_refused(void **state)
{
	/* offsets of the head: 1 dimensions, 2 rows, 6 columns, 10 … 22 the window, 26 flags */
	static const struct {
		unsigned at;
		uint8_t value;
	} wrong[] = { { 0, 0 },	 { 1, 9 },  { 2, 0 },  { 6, 0 },   { 5, 1 }, { 14, 3 },
		      { 22, 4 }, { 10, 3 }, { 26, 8 }, { 27, 64 }, { 27, 2 } };
	struct bins z, back;
	struct buf b = BUF_INIT;

	picture(&z, 0, 0, 1, 1);
	bytes_of(&z, &b);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint8_t right = b.data[wrong[i].at];

		b.data[wrong[i].at] = wrong[i].value;
		b.pos = 0;
		b.bad = false;
		assert_int_equal(bins_get(&back, &b), -1);
		b.data[wrong[i].at] = right;
	}
	buf_clear(&b);
	bins_clear(&z);
}

static void add(struct groups *d, uint32_t rank, const struct buf *b)
{
	struct rankset ranks = { 0 };

	rankset_add(&ranks, rank, rank);
	assert_int_equal(groups_add(d, &ranks, b->data, b->len), 0);
	rankset_clear(&ranks);
}

/* Pictures of many ranks become one; an error stays beside it. */
static void test_fold(void **state)
{
	struct groups d = { 0 };
	struct buf b = BUF_INIT;
	struct bins z;
	char text[32];

	for (uint32_t rank = 0; rank < 4; rank++) {
		picture(&z, rank, rank / 2, 2, 5);
		buf_reset(&b);
		bytes_of(&z, &b);
		add(&d, rank, &b);
		bins_clear(&z);
	}
	buf_reset(&b);
	buf_put_u8(&b, 0);
	buf_put_str(&b, "running");
	add(&d, 4, &b);
	assert_int_equal(bins_fold(&d), 0);
	assert_int_equal(d.n, 2);
	assert_string_equal(rankset_format(&d.group[0].ranks, text, sizeof(text)), "[4]");
	assert_string_equal(rankset_format(&d.group[1].ranks, text, sizeof(text)), "[0:3]");
	buf_clear(&b);
	b = buf_view(d.group[1].blob, d.group[1].len);
	assert_int_equal(bins_get(&z, &b), 0);
	assert_int_equal(z.cell[0].count, 10);
	assert_int_equal(z.cell[1].count, 10);
	assert_int_equal(z.cell[0].owner, BINS_MIXED);
	assert_int_equal(z.cell[1].owner, BINS_MIXED);
	assert_true(z.cell[1].sum == 20);
	/* of equal extremes the first */
	assert_int_equal(z.at_most[0], 0);
	assert_int_equal(z.at_most[1], 0);
	bins_clear(&z);
	groups_clear(&d);
}

static void test_spec(void **state)
{
	struct msg_query in = { .kind = QUERY_BINS,
				.name = "u",
				.bins = { .row = 1,
					  .rows = 3,
					  .cols = 4,
					  .part = 1,
					  .parts = 2,
					  .bins = true,
					  .from = -1,
					  .to = 2,
					  .after = true,
					  .index = { 5, 6 } } },
			 out;
	struct buf b = BUF_INIT;

	msg_query_put(&in, &b);
	assert_int_equal(msg_query_get(&out, &b), 0);
	assert_int_equal(out.bins.row, 1);
	assert_int_equal(out.bins.parts, 2);
	assert_true(out.bins.bins && out.bins.from == -1 && out.bins.to == 2);
	assert_int_equal(out.bins.index[1], 6);
	msg_query_clear(&out);
	for (int i = 0; i < 6; i++) {
		struct msg_query bad = in;

		bad.bins.cols = i == 0 ? 0 : i == 1 ? BINS_CELLS : 4;
		bad.bins.row = i == 2 ? ARRAY_DIMS : 1;
		bad.bins.part = i == 3 ? 2 : 1;
		bad.bins.to = i == 4 ? -1 : i == 5 ? NAN : 2;
		buf_reset(&b);
		msg_query_put(&bad, &b);
		assert_int_equal(msg_query_get(&out, &b), -1);
	}
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),	cmocka_unit_test(test_reduce),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_wire),
		cmocka_unit_test(test_small),	cmocka_unit_test(test_refused),
		cmocka_unit_test(test_fold),	cmocka_unit_test(test_spec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
