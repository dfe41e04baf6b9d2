/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums and extremes taken in pieces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/reduce.h"

static struct value of(enum reduce what, unsigned type, const void *elements, uint64_t n)
{
	struct reduction r;
	struct value v;
	unsigned result;

	assert_int_equal(reduce_type(what, type, &result, NULL), 0);
	reduce_begin(&r, what, type);
	/* in two pieces */
	reduce_add(&r, elements, n / 2);
	reduce_add(&r, (const char *)elements + n / 2 * value_size(type), n - n / 2);
	assert_int_equal(r.n, n);
	assert_int_equal(reduce_end(&r, &v, NULL), 0);
	return v;
}

static void integers_are_exact(void **state)
{
	const int64_t big[] = { INT64_MAX, -3, INT64_MIN + 10, 3 };
	const uint64_t wide[] = { UINT64_MAX - 5, 5, UINT64_MAX };
	const int8_t small[] = { 100, 100, -128 };

	assert_int_equal(of(REDUCE_SUM, VALUE_LONG, big, 4).i, 9);
	assert_int_equal(of(REDUCE_MOST, VALUE_LONG, big, 4).i, INT64_MAX);
	assert_int_equal(of(REDUCE_LEAST, VALUE_LONG, big, 4).i, INT64_MIN + 10);
	assert_true((uint64_t)of(REDUCE_SUM, VALUE_ULONG, wide, 2).i == UINT64_MAX);
	assert_true((uint64_t)of(REDUCE_MOST, VALUE_ULONG, wide, 3).i == UINT64_MAX);
	assert_int_equal(of(REDUCE_LEAST, VALUE_ULONG, wide, 3).i, 5);
	assert_int_equal(of(REDUCE_SUM, VALUE_SCHAR, small, 3).i, 72);
	assert_int_equal(of(REDUCE_SUM, VALUE_BOOL, (uint8_t[]){ 1, 0, 2, 1 }, 4).i, 3);
}

static void what_is_no_number_is_not_lost(void **state)
{
	const double x[] = { NAN, 2, -INFINITY, 7, NAN }, nans[] = { NAN, NAN };

	assert_true(isnan(of(REDUCE_SUM, VALUE_DOUBLE, x, 5).re));
	assert_true(of(REDUCE_SUM, VALUE_DOUBLE, x + 1, 3).re == -(double)INFINITY);
	assert_true(of(REDUCE_LEAST, VALUE_DOUBLE, x, 5).re == -(double)INFINITY);
	assert_true(of(REDUCE_MOST, VALUE_DOUBLE, x, 5).re == 7);
	assert_true(isnan(of(REDUCE_MOST, VALUE_DOUBLE, nans, 2).re));
}

static void sums_keep_what_is_small(void **state)
{
	const double x[] = { 1e17, 1, 1, 1, 1, -1e17 };
	const float z[] = { 1.5f, -2, 0.25f, 4 };
	struct value v = of(REDUCE_SUM, VALUE_FCOMPLEX, z, 2);

	assert_true(of(REDUCE_SUM, VALUE_DOUBLE, x, 6).re == 4);
	assert_true(v.re == 1.75 && v.im == 2);
}

static void types_of_results(void **state)
{
	unsigned t;
	struct err err;

	reduce_type(REDUCE_SUM, VALUE_CHAR, &t, NULL);
	assert_int_equal(t, VALUE_LONG);
	reduce_type(REDUCE_SUM, VALUE_USHORT, &t, NULL);
	assert_int_equal(t, VALUE_ULONG);
	reduce_type(REDUCE_SUM, VALUE_FLOAT, &t, NULL);
	assert_int_equal(t, VALUE_DOUBLE);
	reduce_type(REDUCE_SUM, VALUE_FCOMPLEX, &t, NULL);
	assert_int_equal(t, VALUE_DCOMPLEX);
	reduce_type(REDUCE_MOST, VALUE_SHORT, &t, NULL);
	assert_int_equal(t, VALUE_SHORT);
	assert_int_equal(reduce_type(REDUCE_LEAST, VALUE_DCOMPLEX, &t, &err), -1);
	assert_string_equal(err.text, "complex numbers have no order: min needs real ones");
	assert_int_equal(reduce_type(REDUCE_SUM, VALUE_STRUCT, &t, &err), -1);
	assert_string_equal(err.text, "sum needs numbers, not a structure: choose a field");
}

static void what_cannot_be_reported(void **state)
{
	const int64_t big[] = { INT64_MAX, INT64_MAX };
	struct reduction r;
	struct value v;
	struct err err;

	reduce_begin(&r, REDUCE_SUM, VALUE_LONG);
	reduce_add(&r, big, 2);
	assert_int_equal(reduce_end(&r, &v, &err), -1);
	assert_string_equal(err.text, "the sum does not fit into 64 bits: it is about 1.84467e+19");
	reduce_begin(&r, REDUCE_MOST, VALUE_LONG);
	assert_int_equal(reduce_end(&r, &v, &err), -1);
	assert_string_equal(err.text, "max needs elements, and there are none");
	reduce_begin(&r, REDUCE_SUM, VALUE_LONG);
	assert_int_equal(reduce_end(&r, &v, &err), 0);
	assert_int_equal(v.i, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_exact),
		cmocka_unit_test(what_is_no_number_is_not_lost),
		cmocka_unit_test(sums_keep_what_is_small),
		cmocka_unit_test(types_of_results),
		cmocka_unit_test(what_cannot_be_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
