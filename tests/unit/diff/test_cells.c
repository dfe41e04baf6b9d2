/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences reduced to cells, and gone through one after the other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/diff/diff.h"

enum { PLANES = 3, ROWS = 7, COLS = 11, TOTAL = PLANES * ROWS * COLS };

/* u[3][10:16][0:10], seen as a section that goes down in its last dimension. */
struct block {
	double ref[TOTAL], now[TOTAL];
	struct section s;
	struct diff_input in;
	struct diff d;
};

static const int64_t lower[3] = { 0, 10, 0 }, extent[3] = { PLANES, ROWS, COLS };

static void begin(struct block *b, uint8_t order)
{
	*b = (struct block){ 0 };
	b->s.ndim = 3;
	b->s.dim[0] = (struct section_dim){ .first = 0, .last = 2, .step = 1 };
	b->s.dim[1] = (struct section_dim){ .first = 10, .last = 16, .step = 1 };
	b->s.dim[2] = (struct section_dim){ .first = 10, .last = 0, .step = -1 };
	b->in = (struct diff_input){ .name = "u",
				     .type = VALUE_DOUBLE,
				     .order = order,
				     .section = &b->s,
				     .lower = lower,
				     .extent = extent,
				     .ref = b->ref,
				     .now = b->now,
				     .tol = { .mode = SUM_ABSOLUTE, .exp = 0.5 } };
}

static void change(struct block *b, int plane, int row, int col, double by)
{
	b->now[(plane * ROWS + row - 10) * COLS + 10 - col] += by;
}

static void test_cells(void **state)
{
	struct diff_cell c[2 * 3];
	struct block b;

	begin(&b, 'C');
	change(&b, 0, 10, 10, 1);	/* the first element of the block */
	change(&b, 2, 10, 10, -4);	/* of another plane, in the same cell */
	change(&b, 1, 16, 0, INFINITY); /* the last row and column */
	change(&b, 1, 16, 5, 0.25);	/* within tolerance */
	assert_int_equal(diff_make(&b.d, &b.in, NULL), 0);
	diff_cells(&b.d, &b.in, &(struct diff_plane){ 1, 2, 2, 3 }, c);
	/* rows 4 and 3, columns 4, 4 and 3, three planes */
	assert_int_equal(c[0].count, 4 * 4 * 3);
	assert_int_equal(c[2].count, 4 * 3 * 3);
	assert_int_equal(c[5].count, 3 * 3 * 3);
	assert_int_equal(c[0].differ, 2);
	assert_true(c[0].largest == 4);
	assert_int_equal(c[5].differ, 1);
	assert_true(isinf(c[5].largest));
	for (int i = 1; i < 5; i++) {
		assert_int_equal(c[i].differ, 0);
		assert_true(c[i].largest == 0);
	}
	/* one dimension; the other way round */
	diff_cells(&b.d, &b.in, &(struct diff_plane){ 0, 0, 1, 3 }, c);
	assert_int_equal(c[0].count, ROWS * COLS);
	assert_int_equal(c[0].differ, 1);
	assert_int_equal(c[1].differ, 1);
	assert_int_equal(c[2].differ, 1);
	diff_cells(&b.d, &b.in, &(struct diff_plane){ 2, 1, 3, 2 }, c);
	assert_int_equal(c[0].differ, 2);
	assert_int_equal(c[5].differ, 1);
	diff_clear(&b.d);
}

static void test_equal(void **state)
{
	struct diff_cell c[2];
	struct diff_item item;
	struct block b;
	int64_t from[3] = { -1, -1, -1 };

	begin(&b, 'C');
	change(&b, 0, 10, 3, 0.25);
	assert_int_equal(diff_make(&b.d, &b.in, NULL), 0);
	diff_cells(&b.d, &b.in, &(struct diff_plane){ 1, 2, 1, 2 }, c);
	assert_int_equal(c[0].differ + c[1].differ, 0);
	assert_false(diff_next(&b.d, &b.in, from, 1, &item));
	diff_clear(&b.d);
}

static void expect(struct block *b, int64_t *at, int step, int plane, int row, int col)
{
	struct diff_item item;

	assert_true(diff_next(&b->d, &b->in, at, step, &item));
	assert_int_equal(item.index[0], plane);
	assert_int_equal(item.index[1], row);
	assert_int_equal(item.index[2], col);
	assert_int_equal(item.owner, UINT32_MAX);
	memcpy(at, item.index, 3 * sizeof(*at));
}

static void test_next(void **state)
{
	int64_t at[3] = { 0, 0, 0 };
	struct diff_item item;
	struct block b;

	begin(&b, 'C');
	change(&b, 0, 12, 9, 2);
	change(&b, 0, 12, 3, 1);
	change(&b, 1, 11, 0, 1);
	assert_int_equal(diff_make(&b.d, &b.in, NULL), 0);
	/* in the array's order, though the section goes down */
	expect(&b, at, 1, 0, 12, 3);
	expect(&b, at, 1, 0, 12, 9);
	assert_true(diff_next(&b.d, &b.in, (int64_t[]){ 0, 12, 8 }, 1, &item));
	assert_true(item.difference == 2 && item.ref.re == 0 && item.now.re == 2);
	expect(&b, at, 1, 1, 11, 0);
	assert_false(diff_next(&b.d, &b.in, at, 1, &item));
	expect(&b, at, -1, 0, 12, 9);
	/* in Fortran the first index is the fastest */
	b.in.order = 'F';
	at[0] = at[1] = at[2] = 0;
	expect(&b, at, 1, 1, 11, 0);
	expect(&b, at, 1, 0, 12, 3);
	expect(&b, at, 1, 0, 12, 9);
	diff_clear(&b.d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
