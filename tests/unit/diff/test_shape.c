/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/diff/diff.h"

#define MOST 4096 /* elements of the arrays here */

static unsigned ndim;
static int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];
static int ref[MOST], now[MOST];
static struct owner owner[16];
static size_t nowner;

/* An array without owners, nothing differs. */
static void array(unsigned n, int64_t a, int64_t b, int64_t c, int64_t d)
{
	const int64_t all[] = { a, b, c, d };

	memset(now, 0, sizeof(now));
	memset(lower, 0, sizeof(lower));
	memset(owner, 0, sizeof(owner));
	nowner = 0;
	ndim = n;
	memcpy(extent, all, sizeof(all));
}

/* Dealt out in blocks: so many in the first and second dimension. */
static void blocks(unsigned rows, unsigned columns)
{
	nowner = rows * columns;
	for (unsigned r = 0; r < nowner; r++) {
		struct array_desc *a = &owner[r].desc;
		const int64_t at[] = { r / columns, r % columns }, n[] = { rows, columns };

		owner[r].rank = r;
		a->ndim = ndim;
		for (unsigned d = 0; d < ndim; d++) {
			int64_t k = d < 2 ? at[d] : 0, of = d < 2 ? n[d] : 1;

			a->own_lo[d] = lower[d] + extent[d] * k / of;
			a->own_hi[d] = lower[d] + extent[d] * (k + 1) / of - 1;
		}
	}
}

static void set(const int64_t *index)
{
	int64_t at = 0;

	for (unsigned d = 0; d < ndim; d++)
		at = at * extent[d] + index[d] - lower[d];
	now[at] = 1;
}

/* first … last, in steps, in each of two dimensions. */
static void box(int64_t r0, int64_t r1, int64_t rs, int64_t c0, int64_t c1, int64_t cs)
{
	for (int64_t r = r0; r <= r1; r += rs)
		for (int64_t c = c0; c <= c1; c += cs)
			set((int64_t[]){ r, c });
}

static void rows(int64_t a, int64_t b)
{
	box(a, b, 1, lower[1], lower[1] + extent[1] - 1, 1);
}

static void columns(int64_t a, int64_t b)
{
	box(lower[0], lower[0] + extent[0] - 1, 1, a, b, 1);
}

static enum diff_where where; /* of the last shape */

static const char *shape_in(struct section *s, uint8_t order)
{
	static char text[400];
	struct err err = { "" };
	struct diff_input in = { .name = "u",
				 .type = VALUE_INT,
				 .order = order,
				 .section = s,
				 .lower = lower,
				 .extent = extent,
				 .ref = ref,
				 .now = now,
				 .owner = nowner ? owner : NULL,
				 .nowner = nowner };
	struct diff d;

	if (section_bind(s, "u", ndim, lower, extent, &err) || diff_make(&d, &in, &err))
		fail_msg("%s", err.text);
	snprintf(text, sizeof(text), "%s", d.shape);
	where = d.where;
	diff_clear(&d);
	return text;
}

static const char *shape(void)
{
	struct section s = { 0 };

	return shape_in(&s, 'C');
}

static void one_element(void **state)
{
	array(2, 40, 60, 0, 0);
	set((int64_t[]){ 7, 8 });
	assert_string_equal(shape(), "one element");
	blocks(2, 2);
	assert_string_equal(shape(), "one element");
}

static void corner_of_a_block(void **state)
{
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	set((int64_t[]){ 19, 29 });
	assert_string_equal(shape(), "one element, a corner of what rank 0 owns");
	assert_int_equal(where, DIFF_AT_EDGES);
	set((int64_t[]){ 19, 30 });
	set((int64_t[]){ 20, 29 });
	set((int64_t[]){ 20, 30 });
	assert_string_equal(shape(), "4 elements, corners of what [0:3] own");
	assert_int_equal(where, DIFF_AT_EDGES);
}

static void one_element_at_a_boundary(void **state)
{
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	set((int64_t[]){ 19, 5 });
	assert_string_equal(shape(), "one element, the boundary between ranks 0 and 2: the last "
				     "row of rank 0");
	array(1, 100, 0, 0, 0);
	blocks(4, 1);
	set((int64_t[]){ 50 });
	assert_string_equal(shape(), "one element, the boundary between ranks 1 and 2: the first "
				     "element of rank 2");
}

static void everywhere(void **state)
{
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	rows(0, 39);
	assert_string_equal(shape(), "everywhere");
	assert_int_equal(where, DIFF_EVERYWHERE);
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	box(1, 38, 1, 1, 58, 1);
	assert_string_equal(shape(), "everywhere but on the boundary");
	assert_int_equal(where, DIFF_EVERYWHERE);
}

static void a_column_and_a_row(void **state)
{
	array(2, 40, 60, 0, 0);
	columns(12, 12);
	assert_string_equal(shape(), "column 12 (dimension 2)");
	blocks(1, 4);
	assert_string_equal(shape(), "column 12 (dimension 2)");
	array(2, 40, 60, 0, 0);
	rows(12, 12);
	assert_string_equal(shape(), "row 12 (dimension 1)");
	/* a single row or column that the array has is not worth a word */
	array(2, 1, 60, 0, 0);
	set((int64_t[]){ 0, 4 });
	set((int64_t[]){ 0, 5 });
	assert_string_equal(shape(), "columns 4 to 5");
}

static void boundary_between_ranks(void **state)
{
	array(2, 40, 60, 0, 0);
	blocks(1, 4);
	columns(29, 29);
	assert_string_equal(shape(), "column 29 (dimension 2), the boundary between ranks 1 and 2: "
				     "the last column of rank 1");
	array(2, 40, 60, 0, 0);
	blocks(1, 4);
	columns(30, 30);
	assert_string_equal(shape(), "column 30 (dimension 2), the boundary between ranks 1 and 2: "
				     "the first column of rank 2");
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	rows(19, 19);
	assert_string_equal(shape(), "row 19 (dimension 1), the boundary between [0:1] and [2:3]: "
				     "the last row of ranks [0:1]");
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	rows(39, 39);
	assert_string_equal(shape(), "row 39 (dimension 1), the last row of ranks [2:3]");
	assert_int_equal(where, DIFF_AT_EDGES);
}

static void both_sides_of_a_boundary(void **state)
{
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	rows(19, 20);
	assert_string_equal(shape(), "rows 19 to 20, both sides of the boundary between [0:1] and "
				     "[2:3]");
	rows(17, 21);
	assert_string_equal(shape(), "rows 17 to 21, around the boundary between [0:1] and [2:3]");
}

static void rows_at_the_end_of_a_block(void **state)
{
	array(2, 40, 60, 0, 0);
	blocks(2, 1);
	rows(17, 19);
	assert_string_equal(shape(), "rows 17 to 19, the boundary between ranks 0 and 1: the last "
				     "3 rows of rank 0");
	array(2, 40, 60, 0, 0);
	blocks(2, 1);
	rows(3, 7);
	assert_string_equal(shape(), "rows 3 to 7");
	assert_int_equal(where, DIFF_ANYWHERE);
}

static void part_of_a_row(void **state)
{
	array(2, 40, 60, 0, 0);
	box(19, 19, 1, 1, 58, 1);
	assert_string_equal(shape(), "part of row 19: columns 1 to 58");
	blocks(2, 2);
	assert_string_equal(shape(), "part of row 19: columns 1 to 58, the boundary between [0:1] "
				     "and [2:3]: the last row of ranks [0:1]");
	array(2, 40, 60, 0, 0);
	box(3, 9, 2, 30, 30, 1);
	assert_string_equal(shape(), "part of column 30: every 2nd row from 3 to 9");
	array(2, 40, 60, 0, 0);
	box(3, 3, 1, 1, 4, 1);
	box(3, 3, 1, 10, 30, 1);
	assert_string_equal(shape(), "part of row 3: 25 of the columns 1 to 30");
}

static void all_that_a_rank_owns(void **state)
{
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	box(20, 39, 1, 30, 59, 1);
	assert_string_equal(shape(), "all that rank 3 owns");
	assert_int_equal(where, DIFF_OWNED);
	box(20, 39, 1, 0, 29, 1);
	assert_string_equal(shape(), "all that [2:3] own");
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	box(20, 39, 1, 30, 59, 1);
	box(0, 19, 1, 0, 29, 1);
	assert_string_equal(shape(), "all that [0,3] own");
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	box(20, 38, 1, 30, 58, 1);
	assert_string_equal(shape(), "all that rank 3 owns, but the boundary of the array");
}

/* Elements that are right by chance, as where values are near zero. */
static void nearly_all(void **state)
{
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	box(19, 19, 1, 1, 58, 1);
	now[19 * 60 + 20] = now[19 * 60 + 40] = 0;
	assert_string_equal(shape(), "part of row 19: nearly all columns 1 to 58, the boundary "
				     "between [0:1] and [2:3]: the last row of ranks [0:1]");
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	box(20, 38, 1, 30, 44, 1);
	box(20, 38, 1, 46, 58, 1);
	assert_string_equal(shape(), "nearly all that rank 3 owns, but the boundary of the array");
	assert_int_equal(where, DIFF_NEARLY_OWNED);
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	box(1, 38, 1, 1, 30, 1);
	box(1, 38, 1, 32, 58, 1);
	assert_string_equal(shape(), "nearly everywhere but on the boundary");
	array(3, 8, 10, 40, 0);
	for (int64_t k = 1; k < 39; k++)
		if (k != 17)
			set((int64_t[]){ 3, 4, k });
	assert_string_equal(shape(), "part of plane i = 3: j = 4, nearly all of k = 1 to 38");
}

/* A block inside has no rim; a strip wider than a block is not around its boundary. */
static void words_that_do_not_fit(void **state)
{
	array(2, 36, 36, 0, 0);
	blocks(3, 3);
	box(12, 23, 1, 12, 23, 1);
	assert_string_equal(shape(), "all that rank 4 owns");
	array(2, 40, 60, 0, 0);
	blocks(2, 1);
	rows(5, 35);
	assert_string_equal(shape(), "rows 5 to 35");
}

static void all_that_a_rank_owns_of_a_list(void **state)
{
	static int64_t even[20], odd[20];

	array(2, 40, 60, 0, 0);
	blocks(2, 1);
	for (int64_t i = 0; i < 20; i++) {
		even[i] = 2 * i;
		odd[i] = 2 * i + 1;
	}
	owner[0].desc.list[0] = even;
	owner[1].desc.list[0] = odd;
	owner[0].desc.list_n[0] = owner[1].desc.list_n[0] = 20;
	box(1, 39, 2, 0, 59, 1);
	assert_string_equal(shape(), "all that rank 1 owns");
	box(2, 2, 1, 0, 59, 1);
	assert_string_equal(shape(), "21 of the rows 1 to 39");
}

static void strides(void **state)
{
	array(2, 40, 60, 0, 0);
	box(0, 39, 1, 3, 59, 4);
	assert_string_equal(shape(), "every 4th column from 3");
	array(2, 40, 60, 0, 0);
	box(2, 11, 3, 0, 59, 1);
	assert_string_equal(shape(), "every 3rd row from 2 to 11");
	array(2, 40, 60, 0, 0);
	box(0, 39, 1, 0, 55, 11);
	assert_string_equal(shape(), "every 11th column from 0");
	array(2, 40, 60, 0, 0);
	blocks(4, 1);
	box(9, 39, 10, 0, 59, 1);
	assert_string_equal(shape(), "every 10th row from 9, the last row of each of ranks [0:3]");
	array(2, 40, 60, 0, 0);
	blocks(4, 1);
	box(9, 29, 10, 0, 59, 1);
	box(10, 30, 10, 0, 59, 1);
	assert_string_equal(shape(), "6 of the rows 9 to 30, at both sides of boundaries of ranks "
				     "[0:3]");
}

static void a_few_rows(void **state)
{
	array(2, 40, 60, 0, 0);
	rows(3, 3);
	rows(9, 9);
	rows(11, 11);
	assert_string_equal(shape(), "rows 3, 9 and 11");
	rows(20, 25);
	assert_string_equal(shape(), "9 of the rows 3 to 25");
}

static void boxes(void **state)
{
	array(2, 40, 60, 0, 0);
	box(3, 9, 1, 1, 5, 1);
	assert_string_equal(shape(), "rows 3 to 9, columns 1 to 5");
	blocks(2, 2);
	assert_string_equal(shape(), "rows 3 to 9, columns 1 to 5, within what rank 0 owns");
}

static void scattered(void **state)
{
	array(2, 40, 60, 0, 0);
	for (int64_t i = 0; i < 37; i++)
		set((int64_t[]){ 2 + i % 31, 1 + (i * 7) % 13 });
	assert_string_equal(shape(), "scattered: 37 elements in [2:32][1:13]");
	array(2, 40, 60, 0, 0);
	blocks(4, 1);
	box(11, 18, 1, 11, 20, 1);
	now[12 * 60 + 15] = 0;
	assert_string_equal(shape(),
			    "most of [11:18][11:20]: 79 of 80 elements, within what rank 1 "
			    "owns");
}

static void scattered_in_fortran(void **state)
{
	struct section s = { 0 };

	array(2, 40, 60, 0, 0);
	lower[0] = 1;
	lower[1] = -2;
	set((int64_t[]){ 3, -1 });
	set((int64_t[]){ 5, 30 });
	set((int64_t[]){ 11, 4 });
	assert_string_equal(shape_in(&s, 'F'), "scattered: 3 elements in (3:11,-1:30)");
}

static void edges_of_blocks(void **state)
{
	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	box(19, 20, 1, 1, 58, 1);
	box(1, 38, 1, 29, 30, 1);
	assert_string_equal(shape(),
			    "188 elements at the edges of what [0:3] own, in [1:38][1:58]");
}

static void vectors(void **state)
{
	array(1, 100, 0, 0, 0);
	blocks(4, 1);
	for (int64_t i = 24; i <= 25; i++)
		set((int64_t[]){ i });
	assert_string_equal(shape(),
			    "elements 24 to 25, both sides of the boundary between ranks 0 "
			    "and 1");
	array(1, 100, 0, 0, 0);
	for (int64_t i = 5; i < 100; i += 21)
		set((int64_t[]){ i });
	assert_string_equal(shape(), "every 21st element from 5");
}

static void three_dimensions(void **state)
{
	array(3, 8, 10, 12, 0);
	blocks(2, 1);
	for (int64_t i = 0; i < 8; i++)
		for (int64_t j = 0; j < 10; j++)
			set((int64_t[]){ i, j, 5 });
	assert_string_equal(shape(), "plane k = 5 (dimension 3)");
	array(3, 8, 10, 12, 0);
	blocks(2, 1);
	for (int64_t j = 0; j < 10; j++)
		for (int64_t k = 0; k < 12; k++)
			set((int64_t[]){ 3, j, k });
	assert_string_equal(shape(), "plane i = 3 (dimension 1), the boundary between ranks 0 and "
				     "1: the last plane of rank 0");
	for (int64_t j = 0; j < 10; j++)
		for (int64_t k = 0; k < 12; k++)
			set((int64_t[]){ 4, j, k });
	assert_string_equal(shape(), "planes i = 3 to 4 (dimension 1), both sides of the boundary "
				     "between ranks 0 and 1");
	array(3, 8, 10, 12, 0);
	for (int64_t k = 0; k < 12; k++)
		set((int64_t[]){ 3, 4, k });
	assert_string_equal(shape(), "line i = 3, j = 4");
	array(3, 8, 10, 12, 0);
	for (int64_t j = 1; j < 9; j++)
		for (int64_t k = 0; k < 12; k++)
			set((int64_t[]){ 2, j, k });
	assert_string_equal(shape(), "part of plane i = 2: j = 1 to 8");
	array(3, 8, 10, 12, 0);
	for (int64_t i = 0; i < 8; i++)
		for (int64_t j = 1; j < 10; j += 2)
			for (int64_t k = 0; k < 12; k++)
				set((int64_t[]){ i, j, k });
	assert_string_equal(shape(), "every 2nd j from 1 (dimension 2)");
}

static void four_dimensions(void **state)
{
	array(4, 3, 4, 5, 6);
	for (int64_t i = 0; i < 3 * 4 * 5; i++)
		set((int64_t[]){ i / 20, i / 5 % 4, i % 5, 2 });
	assert_string_equal(shape(), "dimension 4 = 2");
	array(4, 3, 4, 5, 6);
	for (int64_t i = 0; i < 3 * 5; i++)
		set((int64_t[]){ i / 5, 1, i % 5, 2 });
	assert_string_equal(shape(), "part of dimension 2 = 1: dimension 4 = 2");
}

static void of_a_section(void **state)
{
	struct section s = { .ndim = 2,
			     .dim = { { .first = 10, .last = 19, .step = 1 },
				      { .first = 0, .last = 58, .step = 2 } } };

	array(2, 40, 60, 0, 0);
	blocks(2, 2);
	for (int64_t i = 0; i < 30; i++)
		now[9 * 30 + i] = 1;
	assert_string_equal(shape_in(&s, 'C'),
			    "part of row 19: every 2nd column from 0, the boundary between [0:1] "
			    "and [2:3]: the last row of ranks [0:1]");
	for (int64_t i = 0; i < 300; i++)
		now[i] = 1;
	assert_string_equal(shape_in(&s, 'C'), "everywhere");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_element),
		cmocka_unit_test(corner_of_a_block),
		cmocka_unit_test(one_element_at_a_boundary),
		cmocka_unit_test(everywhere),
		cmocka_unit_test(a_column_and_a_row),
		cmocka_unit_test(boundary_between_ranks),
		cmocka_unit_test(both_sides_of_a_boundary),
		cmocka_unit_test(rows_at_the_end_of_a_block),
		cmocka_unit_test(part_of_a_row),
		cmocka_unit_test(all_that_a_rank_owns),
		cmocka_unit_test(nearly_all),
		cmocka_unit_test(words_that_do_not_fit),
		cmocka_unit_test(all_that_a_rank_owns_of_a_list),
		cmocka_unit_test(strides),
		cmocka_unit_test(a_few_rows),
		cmocka_unit_test(boxes),
		cmocka_unit_test(scattered),
		cmocka_unit_test(scattered_in_fortran),
		cmocka_unit_test(edges_of_blocks),
		cmocka_unit_test(vectors),
		cmocka_unit_test(three_dimensions),
		cmocka_unit_test(four_dimensions),
		cmocka_unit_test(of_a_section),
	};

	return cmocka_run_group_tests_name("diff shape", tests, NULL, NULL);
}
