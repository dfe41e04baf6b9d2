/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/core/parse.h"
#include "common/core/err.h"

static void is_int(const char *text, int64_t want)
{
	int64_t v = ~want;

	assert_int_equal(parse_int(text, INT64_MIN, INT64_MAX, &v), 0);
	assert_true(v == want);
}

static void no_int(const char *text, int64_t lo, int64_t hi)
{
	int64_t v = 77;

	assert_int_equal(parse_int(text, lo, hi, &v), -1);
	assert_int_equal(v, 77);
}

static void test_int(void **state)
{
	is_int("0", 0);
	is_int("-0", 0);
	is_int("+5", 5);
	is_int("007", 7);
	is_int("-42", -42);
	is_int("9223372036854775807", INT64_MAX);
	is_int("-9223372036854775808", INT64_MIN);
	no_int("9223372036854775808", INT64_MIN, INT64_MAX);
	no_int("-9223372036854775809", INT64_MIN, INT64_MAX);
	no_int("99999999999999999999999", INT64_MIN, INT64_MAX);
	no_int("18446744073709551616", INT64_MIN, INT64_MAX);
}

static void test_no_int(void **state)
{
	static const char *const bad[] = { "",	  " ",	 "-",	"+",   "--1", "+-1", " 1",  "1 ",
					   "1.0", "0x1", "1e3", "one", "1,",  "\t1", "1\n", "- 1" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		no_int(bad[i], INT64_MIN, INT64_MAX);
	no_int(NULL, INT64_MIN, INT64_MAX);
}

static void test_int_limits(void **state)
{
	int64_t v;

	assert_int_equal(parse_int("1", 1, 3, &v), 0);
	assert_int_equal(parse_int("3", 1, 3, &v), 0);
	no_int("0", 1, 3);
	no_int("4", 1, 3);
	no_int("-1", 0, 3);
	no_int("-4", -3, -1);
}

static void test_uint(void **state)
{
	uint64_t v = 5;

	assert_int_equal(parse_uint("18446744073709551615", 0, UINT64_MAX, &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(parse_uint("+7", 7, 7, &v), 0);
	assert_int_equal(v, 7);
	assert_int_equal(parse_uint("18446744073709551616", 0, UINT64_MAX, &v), -1);
	assert_int_equal(parse_uint("-1", 0, UINT64_MAX, &v), -1);
	assert_int_equal(parse_uint("-0", 0, UINT64_MAX, &v), -1);
	assert_int_equal(parse_uint("6", 7, 9, &v), -1);
	assert_int_equal(parse_uint("10", 7, 9, &v), -1);
	assert_int_equal(parse_uint("8x", 7, 9, &v), -1);
	assert_int_equal(parse_uint("", 0, 9, &v), -1);
	assert_int_equal(parse_uint(NULL, 0, 9, &v), -1);
	assert_int_equal(v, 7);
}

static void test_real(void **state)
{
	double v = 3;

	assert_int_equal(parse_real("1e-3", 0, 1, &v), 0);
	assert_true(v == 1e-3);
	assert_int_equal(parse_real("-.5", -1, 1, &v), 0);
	assert_true(v == -.5);
	assert_int_equal(parse_real("0x1p-2", 0, 1, &v), 0);
	assert_true(v == .25);
	assert_int_equal(parse_real("2", 0, 1, &v), -1);
	assert_int_equal(parse_real("-1", 0, 1, &v), -1);
	assert_int_equal(parse_real("inf", 0, DBL_MAX, &v), -1);
	assert_int_equal(parse_real("nan", -DBL_MAX, DBL_MAX, &v), -1);
	assert_int_equal(parse_real("1e999", 0, DBL_MAX, &v), -1);
	assert_int_equal(parse_real(" 1", 0, 1, &v), -1);
	assert_int_equal(parse_real("1 ", 0, 1, &v), -1);
	assert_int_equal(parse_real("0,5", 0, 1, &v), -1);
	assert_int_equal(parse_real("", 0, 1, &v), -1);
	assert_int_equal(parse_real(NULL, 0, 1, &v), -1);
	assert_true(v == .25);
}

/* What comes behind the number is the caller's. */
static void test_at(void **state)
{
	const char *p = "12:-3,x";
	int64_t v = 0;
	uint64_t u = 0;
	double d = 0;

	assert_int_equal(parse_uint_at(&p, &u), 0);
	assert_int_equal(u, 12);
	assert_string_equal(p, ":-3,x");
	assert_int_equal(parse_int_at(&p, &v), -1);
	assert_string_equal(p, ":-3,x");
	p++;
	assert_int_equal(parse_uint_at(&p, &u), -1);
	assert_int_equal(parse_int_at(&p, &v), 0);
	assert_int_equal(v, -3);
	assert_string_equal(p, ",x");
	p = "99999999999999999999;";
	assert_int_equal(parse_uint_at(&p, &u), -1);
	assert_int_equal(u, 12);
	assert_string_equal(p, "99999999999999999999;");
	p = "2.5:nan";
	assert_int_equal(parse_real_at(&p, &d), 0);
	assert_true(d == 2.5);
	assert_string_equal(p, ":nan");
	assert_int_equal(parse_real_at(&p, &d), -1);
	p++;
	assert_int_equal(parse_real_at(&p, &d), 0);
	assert_true(isnan(d));
	assert_string_equal(p, "");
	assert_int_equal(parse_real_at(&p, &d), -1);
	p = " 1";
	assert_int_equal(parse_real_at(&p, &d), -1);
}

static void test_errors(void **state)
{
	struct err err;
	uint64_t u = 1;
	double d = 1;

	assert_int_equal(parse_uint_of("-ranks", "-1", 0, UINT64_MAX, &u, &err), -1);
	assert_string_equal(err.text, "-ranks: '-1' is not a whole number from 0 to "
				      "18446744073709551615");
	assert_int_equal(parse_uint_of("-ranks", "7", 0, 9, &u, NULL), 0);
	assert_int_equal(u, 7);
	assert_int_equal(parse_uint_of("-ranks", "70", 0, 9, &u, NULL), -1);
	assert_int_equal(parse_real_of("eps", "-1", 0, 0.5, &d, &err), -1);
	assert_string_equal(err.text, "eps: '-1' is not a number from 0 to 0.5");
	assert_int_equal(parse_real_of("eps", "0.1", 0, 0.5, &d, &err), 0);
	assert_true(d == 0.1);
}

/* errno is nobody's channel here. */
static void test_errno(void **state)
{
	int64_t v;
	double d;

	errno = EPERM;
	assert_int_equal(parse_int("99999999999999999999", 0, 9, &v), -1);
	assert_int_equal(parse_real("1e999", 0, 9, &d), -1);
	assert_int_equal(errno, EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_int),	   cmocka_unit_test(test_no_int),
		cmocka_unit_test(test_int_limits), cmocka_unit_test(test_uint),
		cmocka_unit_test(test_real),	   cmocka_unit_test(test_at),
		cmocka_unit_test(test_errors),	   cmocka_unit_test(test_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
