/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "frontend/util/literal.h"

static struct value parsed(const char *text, unsigned type)
{
	struct value v;

	if (!literal_parse(text, type, &v))
		fail_msg("'%s' is no literal", text);
	return v;
}

static void assert_complex(const char *text, double re, double im)
{
	struct value v = parsed(text, VALUE_DCOMPLEX);

	assert_int_equal(v.class, VALUE_IS_COMPLEX);
	assert_true(v.re == re && v.im == im);
}

static void assert_none(const char *text, unsigned type)
{
	struct value v;

	if (literal_parse(text, type, &v))
		fail_msg("'%s' is a literal", text);
}

static void test_complex_numbers(void **state)
{
	assert_complex("(1,2)", 1, 2);
	assert_complex(" ( 1.5 , -2e3 ) ", 1.5, -2000);
	assert_complex("(1d-3,2D0)", 1e-3, 2);
	assert_complex("1+2i", 1, 2);
	assert_complex("1.5 - 2.5i", 1.5, -2.5);
	assert_complex("-1e2-3e1i", -100, -30);
	assert_complex("2i", 0, 2);
	assert_complex("-2j", 0, -2);
	assert_complex("1+infi", 1, INFINITY);
	assert_true(signbit(parsed("(2,-0)", VALUE_DCOMPLEX).im));
	assert_true(isnan(parsed("(nan, 1)", VALUE_FCOMPLEX).re));
	assert_int_equal(parsed("3", VALUE_DCOMPLEX).class, VALUE_IS_REAL);
	/* i and j may be names of objects */
	assert_none("i", VALUE_DCOMPLEX);
	assert_none("1+i", VALUE_DCOMPLEX);
	assert_none("(1,2", VALUE_DCOMPLEX);
	assert_none("(1,2)3", VALUE_DCOMPLEX);
	assert_none("(1,2,3)", VALUE_DCOMPLEX);
	assert_none("1+2", VALUE_DCOMPLEX);
	assert_none("1+-2i", VALUE_DCOMPLEX);
	assert_none("1 2i", VALUE_DCOMPLEX);
}

static void test_real_numbers(void **state)
{
	assert_true(parsed("0.1", VALUE_DOUBLE).re == 0.1);
	assert_true(signbit(parsed("-0", VALUE_DOUBLE).re));
	assert_true(parsed("1d-3", VALUE_FLOAT).re == 1e-3);
	assert_true(parsed("5e-324", VALUE_DOUBLE).re > 0);
	assert_true(isnan(parsed("NaN", VALUE_DOUBLE).re));
	assert_true(parsed("-inf", VALUE_DOUBLE).re == -INFINITY);
	assert_none("1e400", VALUE_DOUBLE);
	assert_none("1 + 2", VALUE_DOUBLE);
	assert_none("u[3]", VALUE_DOUBLE);
	assert_none("", VALUE_DOUBLE);
	assert_none("  ", VALUE_DOUBLE);
}

static void test_whole_numbers_keep_all_digits(void **state)
{
	assert_true(parsed("9007199254740993", VALUE_LONG).i == 9007199254740993);
	assert_true(parsed("-9223372036854775808", VALUE_LLONG).i == INT64_MIN);
	assert_true((uint64_t)parsed("18446744073709551615", VALUE_ULONG).i == UINT64_MAX);
	assert_true(parsed("0x1d", VALUE_POINTER).i == 0x1d);
	assert_int_equal(parsed("3.5", VALUE_INT).class, VALUE_IS_REAL);
	assert_none("true", VALUE_INT);
}

static void test_truth(void **state)
{
	assert_int_equal(parsed("true", VALUE_LOGICAL).i, 1);
	assert_int_equal(parsed(".FALSE.", VALUE_LOGICAL).i, 0);
	assert_int_equal(parsed("1", VALUE_BOOL).i, 1);
	assert_none("truth", VALUE_BOOL);
}

/* What is offered for a change leaves all bits as they are. */
static void test_what_is_offered_is_the_same_again(void **state)
{
	static const double odd[] = { 0.1, -0.0, 1e300, 5e-324, INFINITY, -INFINITY, 1.0 / 3, 7 };
	char text[VALUE_TEXT];
	unsigned char now[16] = { 0 }, again[16] = { 0 };

	for (unsigned type = 0; type < VALUE_TYPES; type++) {
		size_t size = value_size(type);

		for (unsigned i = 0; i < 256; i++) {
			struct value v, back;

			memset(now, (int)i, sizeof(now));
			if (value_class(type) == VALUE_IS_BOOL) {
				memset(now, 0, sizeof(now));
				now[0] = i & 1;
			}
			v = value_load(type, now);
			if (value_class(type) == VALUE_IS_REAL ||
			    value_class(type) == VALUE_IS_COMPLEX) {
				v.re = odd[i % 8];
				v.im = value_class(type) == VALUE_IS_COMPLEX ? odd[i / 8 % 8] : 0;
				if (size == 4 || type == VALUE_FCOMPLEX) {
					v.re = (double)(float)fmin(fmax(v.re, -1e30), 1e30);
					v.im = (double)(float)fmin(fmax(v.im, -1e30), 1e30);
				}
				assert_int_equal(value_store(type, now, &v, NULL), 0);
			}
			assert_true(literal_parse(literal_text(type, &v, text), type, &back));
			assert_int_equal(value_store(type, again, &back, NULL), 0);
			if (memcmp(now, again, size))
				fail_msg("%s: '%s' is another", value_type_name(type), text);
		}
	}
}

static void test_what_is_allowed(void **state)
{
	assert_non_null(strstr(literal_allowed(VALUE_DCOMPLEX), "(re,im)"));
	assert_non_null(strstr(literal_allowed(VALUE_FLOAT), "nan"));
	assert_non_null(strstr(literal_allowed(VALUE_LOGICAL), "true"));
	assert_non_null(strstr(literal_allowed(VALUE_INT), "whole"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complex_numbers),
		cmocka_unit_test(test_real_numbers),
		cmocka_unit_test(test_whole_numbers_keep_all_digits),
		cmocka_unit_test(test_truth),
		cmocka_unit_test(test_what_is_offered_is_the_same_again),
		cmocka_unit_test(test_what_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
