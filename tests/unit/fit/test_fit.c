/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules that pairs of indices follow, and values that are looked up. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "frontend/fit/fit.h"

enum { MOST = 400 };

struct pairs {
	struct fit_pair pair[MOST];
	size_t n;
};

/* A grid of 60 × 120 on one of two ranks that are above each other, with a halo of two. */
static const struct array_desc grid = { .ndim = 2,
					.order = 'C',
					.extent = { 120, 120 },
					.own_lo = { 60, 0 },
					.own_hi = { 119, 119 },
					.halo_lo = { 2, 2 },
					.halo_hi = { 2, 2 } };
/* Five components behind one distributed dimension. */
static const struct array_desc parts = {
	.ndim = 2, .order = 'C', .extent = { 40, 5 }, .own_lo = { 20, 0 }, .own_hi = { 39, 4 }
};
/* In the order of Fortran, from 1. */
static const struct array_desc box = { .ndim = 3,
				       .order = 'F',
				       .lower = { 1, 1, 1 },
				       .extent = { 10, 12, 8 },
				       .own_lo = { 1, 1, 5 },
				       .own_hi = { 10, 12, 8 },
				       .halo_lo = { 1, 1, 1 },
				       .halo_hi = { 1, 1, 1 } };

static void put(struct pairs *p, int64_t i, int64_t j, int64_t k, int64_t l)
{
	p->pair[p->n++] = (struct fit_pair){ .want = { i, j }, .got = { k, l } };
}

static const char *rule(const struct array_desc *a, const struct pairs *p)
{
	static char text[200];
	struct fit f;

	fit_pairs(a, NULL, p->pair, p->n, &f);
	return fit_text(&f, text, sizeof(text));
}

static void test_component(void **state)
{
	struct pairs p = { .n = 0 };

	put(&p, 21, 3, 21, 2);
	assert_string_equal(rule(&parts, &p), "component 2 where 3 belongs");
	put(&p, 22, 3, 22, 2);
	assert_string_equal(rule(&parts, &p), "component 2 where 3 belongs");
	put(&p, 22, 4, 22, 2);
	assert_string_equal(rule(&parts, &p), "");
	/* a distributed dimension has no components */
	p.n = 0;
	put(&p, 21, 3, 22, 3);
	assert_string_equal(rule(&parts, &p), "");
	(void)state;
}

static void test_shift(void **state)
{
	struct pairs p = { .n = 0 };

	put(&p, 70, 5, 73, 5);
	assert_string_equal(rule(&grid, &p), "");
	put(&p, 71, 6, 74, 6);
	assert_string_equal(rule(&grid, &p), "as if the index were 3 higher in dimension 1");
	p.n = 0;
	put(&p, 70, 5, 10, 5);
	put(&p, 70, 6, 10, 6);
	assert_string_equal(rule(&grid, &p),
			    "as if the part began at the first index: 60 lower in dimension 1");
	(void)state;
}

static void test_halo(void **state)
{
	struct pairs p = { .n = 0 };

	for (int j = 0; j < 3; j++)
		put(&p, 58, j, 59, j);
	assert_string_equal(rule(&grid, &p), "layer 1 for layer 2, below in dimension 1");
	p.n = 0;
	for (int i = 70; i < 73; i++)
		put(&p, i, 120, i, -1);
	assert_string_equal(rule(&grid, &p), "as if the two sides of dimension 2 were exchanged");
	(void)state;
}

static void test_turned(void **state)
{
	struct pairs p = { .n = 0 };

	for (int j = 3; j < 9; j++)
		put(&p, 70, j, 70, 119 - j);
	assert_string_equal(rule(&grid, &p), "reversed along dimension 2");
	p.n = 2;
	assert_string_equal(rule(&grid, &p), "");
	p.n = 0;
	for (int j = 3; j < 9; j++)
		put(&p, 70, j, j, 70);
	assert_string_equal(rule(&grid, &p), "as if indices 1 and 2 were exchanged");
	/* of many nine of ten are enough */
	for (int j = 10; j < 40; j++)
		put(&p, 70, j, j, 70);
	put(&p, 71, 1, 80, 80);
	assert_string_equal(rule(&grid, &p), "as if indices 1 and 2 were exchanged");
	for (int j = 0; j < 5; j++)
		put(&p, 71, 1, 80, 81);
	assert_string_equal(rule(&grid, &p), "");
	(void)state;
}

/* Where (i, j) of the grid's part comes to when rows are `length` long. */
static void put_row(struct pairs *p, int64_t i, int64_t j, int64_t length)
{
	int64_t at = (i - 58) * length + j + 2;

	put(p, i, j, 58 + at / 124, at % 124 - 2);
}

static void test_row(void **state)
{
	struct pairs p = { .n = 0 };

	for (int i = 60; i < 64; i++)
		put_row(&p, i, 7, 64);
	assert_string_equal(rule(&grid, &p), "as if the row were 64 long, not 124");
	/* two rows show any length: only one that is known is reported */
	p.n = 2;
	assert_string_equal(rule(&grid, &p), "as if the row were 64 long, not 124");
	p.n = 0;
	put_row(&p, 60, 7, 57);
	put_row(&p, 61, 7, 57);
	assert_string_equal(rule(&grid, &p), "");
	put_row(&p, 65, 9, 57);
	assert_string_equal(rule(&grid, &p), "as if the row were 57 long, not 124");
	(void)state;
}

/* Planes too near to each other, in the order of Fortran. */
static void test_plane(void **state)
{
	struct pairs p = { .n = 0 };

	for (int k = 5; k < 9; k++) {
		int64_t at = 3 + 12 * (2 + 10 * (k - 4));
		struct fit_pair *x = &p.pair[p.n++];

		*x = (struct fit_pair){ .want = { 3, 2, k } };
		x->got[0] = at % 12;
		x->got[1] = at / 12 % 14;
		x->got[2] = 4 + at / 12 / 14;
	}
	assert_string_equal(rule(&box, &p), "as if dimension 2 were 10 long, not 14");
	(void)state;
}

static void test_search(void **state)
{
	double value[3][4];
	struct fit_box b = {
		.ndim = 2, .lo = { 10, 0 }, .hi = { 12, 3 }, .size = 8, .value = (void *)value
	};
	const int64_t place[4][ARRAY_DIMS] = { { 9, 0 }, { 9, 1 }, { 9, 2 }, { 9, 3 } };
	const double held[4] = { 21, 7, 5, 23 };
	struct fit_pair *pair;
	struct fit f;
	char text[200];

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++)
			value[i][j] = 10 * i + j;
	value[0][0] = value[1][1] = 7; /* twice: it shows nothing */
	assert_int_equal(fit_search(&b, place, (const void *)held, 4, &pair), 2);
	assert_int_equal(pair[0].want[1], 0);
	assert_int_equal(pair[0].got[0], 12);
	assert_int_equal(pair[0].got[1], 1);
	assert_int_equal(pair[1].want[1], 3);
	assert_int_equal(pair[1].got[1], 3);
	assert_false(fit_pairs(&grid, NULL, pair, 2, &f));
	assert_string_equal(fit_text(&f, text, sizeof(text)), "");
	free(pair);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_component), cmocka_unit_test(test_shift),
		cmocka_unit_test(test_halo),	  cmocka_unit_test(test_turned),
		cmocka_unit_test(test_row),	  cmocka_unit_test(test_plane),
		cmocka_unit_test(test_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
