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
#include "common/core/buf.h"
#include "common/logical/groups.h"
#include "common/logical/rankset.h"

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

static void the_others(void **state)
{
	const double x[] = { 3, -4, 0, NAN, 12 };
	const int32_t whole[] = { 1, 2, 2, 0 };

	assert_true(isnan(of(REDUCE_MEAN, VALUE_DOUBLE, x, 5).re));
	assert_true(of(REDUCE_MEAN, VALUE_INT, whole, 4).re == 1.25);
	assert_true(of(REDUCE_NORM, VALUE_DOUBLE, x, 3).re == 5);
	assert_int_equal(of(REDUCE_COUNT, VALUE_DOUBLE, x, 5).i, 4);
	assert_int_equal(of(REDUCE_ANY, VALUE_INT, whole, 4).i, 1);
	assert_int_equal(of(REDUCE_ALL, VALUE_INT, whole, 4).i, 0);
	assert_int_equal(of(REDUCE_LEAST_AT, VALUE_DOUBLE, x, 5).i, 1);
	assert_int_equal(of(REDUCE_MOST_AT, VALUE_DOUBLE, x, 5).i, 4);
	assert_int_equal(of(REDUCE_MOST_AT, VALUE_INT, whole, 4).i, 1); /* the first of equals */
}

/* Parts as ranks have them, over the wire: in any order they come to the same. */
static void parts_are_merged(void **state)
{
	const double a[] = { 1, 1e12, 4 }, b[] = { -1e12, 1e-3, 4 };
	struct reduce_part p[2] = { { .kind = REDUCE_DONE, .same = 7 },
				    { .kind = REDUCE_DONE, .same = 7 } };
	struct groups d = { 0 };
	struct reduce_part got;
	struct rankset r = { 0 };
	struct value v;
	struct buf view;

	for (int order = 0; order < 2; order++) {
		for (int i = 0; i < 2; i++) {
			struct reduce_part *x = &p[i ^ order];
			struct buf out = BUF_INIT;

			reduce_begin(&x->r, REDUCE_SUM, VALUE_DOUBLE);
			reduce_add(&x->r, i ^ order ? b : a, 3);
			reduce_part_put(x, &out);
			rankset_clear(&r);
			r = (struct rankset){ 0 };
			rankset_add(&r, (uint32_t)i, (uint32_t)i);
			assert_int_equal(groups_add(&d, &r, out.data, out.len), 0);
			buf_clear(&out);
		}
		assert_int_equal(reduce_fold(&d), 0);
		assert_int_equal(d.n, 1);
		view = buf_view(d.group[0].blob, d.group[0].len);
		assert_int_equal(reduce_part_get(&got, &view), 0);
		assert_int_equal(got.r.n, 6);
		assert_int_equal(reduce_end(&got.r, &v, NULL), 0);
		assert_true(fabs(v.re - 9.001) < 1e-6);
		groups_clear(&d);
	}
	/* equal parts of two ranks both count */
	p[0].r = p[1].r;
	p[0].rank = 3;
	for (uint32_t i = 0; i < 2; i++) {
		struct buf out = BUF_INIT;

		reduce_part_put(&p[i], &out);
		rankset_clear(&r);
		r = (struct rankset){ 0 };
		rankset_add(&r, i, i);
		groups_add(&d, &r, out.data, out.len);
		buf_clear(&out);
	}
	assert_int_equal(reduce_fold(&d), 0);
	view = buf_view(d.group[0].blob, d.group[0].len);
	assert_int_equal(reduce_part_get(&got, &view), 0);
	assert_int_equal(got.r.n, 6);
	groups_clear(&d);
	/* of other replicated values they stay apart */
	p[1].same = 8;
	for (uint32_t i = 0; i < 2; i++) {
		struct buf out = BUF_INIT;

		reduce_part_put(&p[i], &out);
		rankset_clear(&r);
		r = (struct rankset){ 0 };
		rankset_add(&r, i, i);
		groups_add(&d, &r, out.data, out.len);
		buf_clear(&out);
	}
	assert_int_equal(reduce_fold(&d), 0);
	assert_int_equal(d.n, 2);
	groups_clear(&d);
	rankset_clear(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_exact),
		cmocka_unit_test(what_is_no_number_is_not_lost),
		cmocka_unit_test(sums_keep_what_is_small),
		cmocka_unit_test(types_of_results),
		cmocka_unit_test(what_cannot_be_reported),
		cmocka_unit_test(the_others),
		cmocka_unit_test(parts_are_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
