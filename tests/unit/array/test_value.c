/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/value.h"

static struct value integer(int64_t i)
{
	return (struct value){ .class = VALUE_IS_INT, .i = i };
}

static struct value natural(uint64_t u)
{
	return (struct value){ .class = VALUE_IS_UINT, .i = (int64_t)u };
}

static struct value real(double d)
{
	return (struct value){ .class = VALUE_IS_REAL, .re = d };
}

static struct value complex_(double re, double im)
{
	return (struct value){ .class = VALUE_IS_COMPLEX, .re = re, .im = im };
}

static void types_have_the_numbers_of_traces(void **state)
{
	assert_int_equal(VALUE_CHAR, 0);
	assert_int_equal(VALUE_INT, 1);
	assert_int_equal(VALUE_LONG, 2);
	assert_int_equal(VALUE_FLOAT, 3);
	assert_int_equal(VALUE_DOUBLE, 4);
	assert_int_equal(VALUE_FCOMPLEX, 5);
	assert_int_equal(VALUE_DCOMPLEX, 6);
	assert_int_equal(VALUE_LOGICAL, 7);
	assert_int_equal(VALUE_LLONG, 8);
	assert_int_equal(value_size(VALUE_DCOMPLEX), 16);
	assert_int_equal(value_size(VALUE_TYPES), 0);
	assert_int_equal(value_size(VALUE_STRUCT), 0);
	assert_string_equal(value_type_name(VALUE_UCHAR), "unsigned char");
	assert_string_equal(value_type_name(VALUE_STRUCT), "structure");
	assert_string_equal(value_type_name(200), "?");
	assert_int_equal(value_class(VALUE_FCOMPLEX), VALUE_IS_COMPLEX);
}

/* Loads *p as the type, from an address that is not aligned. */
static const char *shown(unsigned type, const void *p)
{
	static char out[VALUE_TEXT];
	char raw[32];
	struct value v;

	memcpy(raw + 1, p, value_size(type));
	v = value_load(type, raw + 1);
	return value_format(type, &v, 0, out);
}

#define SHOWN(type, ctype, ...) shown(type, &(ctype){ __VA_ARGS__ })

static void every_type_is_loaded_and_shown(void **state)
{
	assert_string_equal(SHOWN(VALUE_CHAR, char, 'A'), "65 'A'");
	assert_string_equal(SHOWN(VALUE_CHAR, char, '\n'), "10");
	assert_string_equal(SHOWN(VALUE_SCHAR, signed char, -3), "-3");
	assert_string_equal(SHOWN(VALUE_UCHAR, unsigned char, 253), "253");
	assert_string_equal(SHOWN(VALUE_SHORT, short, -30000), "-30000");
	assert_string_equal(SHOWN(VALUE_USHORT, unsigned short, 65535), "65535");
	assert_string_equal(SHOWN(VALUE_INT, int, INT32_MIN), "-2147483648");
	assert_string_equal(SHOWN(VALUE_UINT, unsigned, UINT32_MAX), "4294967295");
	assert_string_equal(SHOWN(VALUE_LONG, long, INT64_MIN), "-9223372036854775808");
	assert_string_equal(SHOWN(VALUE_ULONG, unsigned long, UINT64_MAX), "18446744073709551615");
	assert_string_equal(SHOWN(VALUE_BOOL, _Bool, 1), "true");
	assert_string_equal(SHOWN(VALUE_LOGICAL, int, 0), "false");
	assert_string_equal(SHOWN(VALUE_LOGICAL, int, -1), "true");
	assert_string_equal(SHOWN(VALUE_POINTER, uint64_t, 0xffff800000001000),
			    "0xffff800000001000");
	assert_string_equal(SHOWN(VALUE_FCOMPLEX, float _Complex, 0.1f), "(0.1, 0)");
	assert_string_equal(SHOWN(VALUE_DCOMPLEX, double _Complex, __builtin_complex(1.5, -2.0)),
			    "(1.5, -2)");
}

static void reals_have_the_shortest_text_that_reads_back(void **state)
{
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, 0.1), "0.1");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, 0.1 + 0.2), "0.30000000000000004");
	assert_string_equal(SHOWN(VALUE_FLOAT, float, 0.1f), "0.1");
	assert_string_equal(SHOWN(VALUE_FLOAT, float, 16777216.0f), "16777216");
	assert_string_equal(SHOWN(VALUE_FLOAT, float, 1e15f), "1e+15");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, 1e-6), "1e-06");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, 0.75), "0.75");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, 100000), "100000");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, 1234567890123456.0), "1234567890123456");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, 1e16), "1e+16");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, 0), "0");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, -0.0), "-0");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, 5e-324), "5e-324");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, DBL_MAX), "1.7976931348623157e+308");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, NAN), "nan");
	assert_string_equal(SHOWN(VALUE_DOUBLE, double, -INFINITY), "-inf");
}

static void random_reals_read_back(void **state)
{
	uint64_t x = 88172645463325252;
	double d;
	float f;

	for (int i = 0; i < 20000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(&d, &x, sizeof d);
		memcpy(&f, &x, sizeof f);
		if (isfinite(d))
			assert_true(strtod(shown(VALUE_DOUBLE, &d), NULL) == d);
		if (isfinite(f))
			assert_true(strtof(shown(VALUE_FLOAT, &f), NULL) == f);
	}
}

static void digits_cut(void **state)
{
	char out[VALUE_TEXT];
	struct value v = real(3.14159265);

	assert_string_equal(value_format(VALUE_DOUBLE, &v, 3, out), "3.14");
	v = real(0.5);
	assert_string_equal(value_format(VALUE_DOUBLE, &v, 3, out), "0.5");
	v = real(123456);
	assert_string_equal(value_format(VALUE_DOUBLE, &v, 3, out), "1.23e+05");
	v = complex_(1.0 / 3, 2);
	assert_string_equal(value_format(VALUE_DCOMPLEX, &v, 2, out), "(0.33, 2)");
}

static void fails_to_store(unsigned type, struct value v, const char *text)
{
	unsigned char raw[16];
	struct err err;

	assert_int_equal(value_store(type, raw, &v, &err), -1);
	assert_string_equal(err.text, text);
}

static void storing_converts_or_says_why_not(void **state)
{
	struct value v = real(200);
	unsigned char u8 = 0;
	float f;
	double z[2];
	int32_t logical;

	assert_int_equal(value_store(VALUE_UCHAR, &u8, &v, NULL), 0);
	assert_int_equal(u8, 200);
	v = real(0.1);
	assert_int_equal(value_store(VALUE_FLOAT, &f, &v, NULL), 0);
	assert_true(f == 0.1f);
	v = real(INFINITY);
	assert_int_equal(value_store(VALUE_FLOAT, &f, &v, NULL), 0);
	assert_true(isinf(f));
	v = integer(-7);
	assert_int_equal(value_store(VALUE_DCOMPLEX, z, &v, NULL), 0);
	assert_true(z[0] == -7 && z[1] == 0);
	v = integer(5);
	assert_int_equal(value_store(VALUE_LOGICAL, &logical, &v, NULL), 0);
	assert_int_equal(logical, 1);
	fails_to_store(VALUE_UCHAR, integer(256),
		       "256 does not fit into type unsigned char: it holds 0 to 255");
	fails_to_store(VALUE_CHAR, integer(-129),
		       "-129 does not fit into type char: it holds -128 to 127");
	fails_to_store(VALUE_ULONG, integer(-1),
		       "-1 does not fit into type unsigned long: "
		       "it holds 0 to 18446744073709551615");
	fails_to_store(VALUE_LONG, natural(UINT64_MAX),
		       "18446744073709551615 does not fit into type long: it holds "
		       "-9223372036854775808 to 9223372036854775807");
	fails_to_store(VALUE_INT, real(0.5),
		       "0.5 does not fit into type int: it is not a whole number of this size");
	fails_to_store(VALUE_INT, real(NAN),
		       "nan does not fit into type int: it is not a whole number of this size");
	fails_to_store(VALUE_FLOAT, real(1e39),
		       "1e+39 does not fit into type float: it is too large");
	fails_to_store(VALUE_DOUBLE, complex_(1, 2),
		       "(1, 2) does not fit into type double: it has an imaginary part");
	fails_to_store(VALUE_STRUCT, integer(1), "a value cannot be stored in a structure");
}

static struct value apply(const char *op, struct value a, struct value b)
{
	struct value out;
	struct err err = { "" };

	if (value_apply(op, &a, &b, &out, &err))
		fail_msg("%s: %s", op, err.text);
	return out;
}

#define IS(v, class_, i_)                             \
	do {                                          \
		struct value got_ = (v);              \
		assert_int_equal(got_.class, class_); \
		assert_int_equal(got_.i, i_);         \
	} while (0)
#define TRUE(v) IS(v, VALUE_IS_BOOL, 1)
#define FALSE(v) IS(v, VALUE_IS_BOOL, 0)

static void arithmetic(void **state)
{
	struct value v, zero = integer(0);

	IS(apply("+", integer(2), integer(3)), VALUE_IS_INT, 5);
	IS(apply("/", integer(-7), integer(2)), VALUE_IS_INT, -3);
	IS(apply("%", integer(-7), integer(2)), VALUE_IS_INT, -1);
	IS(apply("*", natural(1u << 31), natural(1ull << 32)), VALUE_IS_UINT,
	   (int64_t)(1ull << 63));
	IS(apply("-", natural(3), natural(5)), VALUE_IS_INT, -2);
	IS(apply("%", natural(UINT64_MAX), integer(10)), VALUE_IS_INT, 5);
	IS(apply("+", natural(UINT64_MAX), integer(-1)), VALUE_IS_UINT, -2);
	IS(apply("-", natural(UINT64_MAX), integer(0)), VALUE_IS_UINT, -1);
	IS(apply("|", natural(UINT64_C(1) << 63), integer(1)), VALUE_IS_UINT, INT64_MIN + 1);
	v = apply("/", integer(1), real(4));
	assert_int_equal(v.class, VALUE_IS_REAL);
	assert_true(v.re == 0.25);
	v = apply("*", complex_(0, 1), complex_(0, 1));
	assert_int_equal(v.class, VALUE_IS_COMPLEX);
	assert_true(v.re == -1 && v.im == 0);
	v = apply("/", real(1), zero);
	assert_true(isinf(v.re));
}

static struct value of(const char *op, struct value a)
{
	struct value out;
	struct err err;

	if (value_apply(op, &a, NULL, &out, &err))
		fail_msg("%s: %s", op, err.text);
	return out;
}

static void powers_bits_and_extremes(void **state)
{
	IS(apply("**", integer(-2), integer(63)), VALUE_IS_INT, INT64_MIN);
	IS(apply("**", integer(-1), integer(INT64_MAX)), VALUE_IS_INT, -1);
	IS(apply("**", integer(2), integer(-3)), VALUE_IS_INT, 0);
	IS(apply("**", integer(-1), integer(-3)), VALUE_IS_INT, -1);
	IS(apply("**", integer(0), integer(0)), VALUE_IS_INT, 1);
	IS(apply("**", natural(UINT64_MAX), integer(1)), VALUE_IS_UINT, -1);
	assert_true(apply("**", real(2), integer(-2)).re == 0.25);
	assert_true(fabs(apply("**", complex_(0, 1), integer(2)).re + 1) < 1e-15);
	IS(apply("&", integer(-1), natural(12)), VALUE_IS_INT, 12);
	IS(apply("|", natural(1), natural(6)), VALUE_IS_UINT, 7);
	IS(apply("^", integer(5), integer(6)), VALUE_IS_INT, 3);
	IS(apply("mod", integer(-7), integer(4)), VALUE_IS_INT, -3);
	assert_true(apply("mod", real(7.5), integer(2)).re == 1.5);
	IS(apply("min", integer(-1), natural(1)), VALUE_IS_INT, -1);
	assert_true(apply("max", real(2.5), integer(2)).re == 2.5);
	assert_true(apply("max", real(NAN), real(2)).re == 2);
	assert_true(apply("min", real(2), real(NAN)).re == 2);
	assert_true(apply("cmplx", real(2), integer(3)).im == 3);
}

static void magnitudes_and_casts(void **state)
{
	IS(of("abs", integer(-5)), VALUE_IS_INT, 5);
	IS(of("abs", natural(5)), VALUE_IS_UINT, 5);
	assert_true(of("abs", real(-0.5)).re == 0.5);
	assert_true(of("abs", complex_(3, -4)).re == 5);
	assert_true(of("(int)", real(-2.7)).re == -2);
	assert_true(of("(double)", integer(3)).re == 3);
	assert_true(of("(double complex)", real(3)).im == 0);
	IS(of("(bool)", real(0.5)), VALUE_IS_BOOL, 1);
	assert_true(of("real", complex_(3, -4)).re == 3);
	assert_int_equal(value_result_type("(short)", VALUE_DOUBLE, VALUE_DOUBLE), VALUE_SHORT);
	assert_int_equal(value_result_type("abs", VALUE_FCOMPLEX, VALUE_FCOMPLEX), VALUE_FLOAT);
	assert_int_equal(value_result_type("real", VALUE_INT, VALUE_INT), VALUE_DOUBLE);
	assert_int_equal(value_result_type("cmplx", VALUE_FLOAT, VALUE_FLOAT), VALUE_FCOMPLEX);
	assert_int_equal(value_result_type("cmplx", VALUE_FLOAT, VALUE_INT), VALUE_DCOMPLEX);
	assert_int_equal(value_result_type("**", VALUE_FLOAT, VALUE_INT), VALUE_FLOAT);
}

static void comparison_and_logic(void **state)
{
	struct value a = integer(0), out;

	TRUE(apply("==", integer(1), real(1.0)));
	TRUE(apply("<", integer(-1), natural(0)));
	TRUE(apply(">", natural(UINT64_MAX), integer(-1)));
	/* 2^53 + 1 is no double: comparison is exact all the same */
	TRUE(apply("!=", integer((1LL << 53) + 1), real(0x1p53)));
	FALSE(apply("==", real(NAN), real(NAN)));
	TRUE(apply("!=", real(NAN), real(NAN)));
	FALSE(apply("<=", real(NAN), real(1)));
	TRUE(apply("<=", real(1), real(1)));
	FALSE(apply(">=", integer(1), integer(2)));
	TRUE(apply("==", complex_(1, 2), complex_(1, 2)));
	FALSE(apply("==", complex_(1, 2), integer(1)));
	TRUE(apply("||", integer(0), real(0.5)));
	FALSE(apply("&&", integer(0), real(0.5)));
	assert_int_equal(value_apply("!", &a, NULL, &out, NULL), 0);
	TRUE(out);
	a = natural(7);
	assert_int_equal(value_apply("-", &a, NULL, &out, NULL), 0);
	IS(out, VALUE_IS_INT, -7);
	a = natural(UINT64_MAX);
	assert_int_equal(value_apply("+", &a, NULL, &out, NULL), 0);
	IS(out, VALUE_IS_UINT, -1);
}

static void fails_to_apply(const char *op, struct value a, struct value b, const char *text)
{
	struct value out;
	struct err err;

	assert_int_equal(value_apply(op, &a, &b, &out, &err), -1);
	assert_string_equal(err.text, text);
}

static void what_cannot_be_computed_is_said(void **state)
{
	struct value a = integer(INT64_MIN), out;
	struct err err;

	fails_to_apply("/", integer(1), integer(0), "division by zero");
	fails_to_apply("%", integer(1), natural(0), "division by zero");
	fails_to_apply("+", integer(INT64_MAX), integer(1),
		       "integer overflow in 9223372036854775807 + 1");
	fails_to_apply("-", integer(1), natural(UINT64_MAX),
		       "integer overflow in 1 - 18446744073709551615");
	fails_to_apply("*", natural(UINT64_MAX), natural(UINT64_MAX),
		       "integer overflow in 18446744073709551615 * 18446744073709551615");
	fails_to_apply("/", integer(INT64_MIN), integer(-1),
		       "integer overflow in -9223372036854775808 / -1");
	fails_to_apply("%", real(1), integer(2), "\"%\" needs whole numbers");
	fails_to_apply("|", real(1), integer(2), "\"|\" needs whole numbers");
	fails_to_apply("**", integer(0), integer(-1), "division by zero");
	fails_to_apply("**", integer(10), integer(19),
		       "integer overflow in 1000 * 10000000000000000");
	fails_to_apply("mod", integer(1), integer(0), "division by zero");
	fails_to_apply("max", complex_(1, 0), integer(0),
		       "complex numbers have no order: max needs real ones");
	fails_to_apply("cmplx", complex_(1, 0), integer(0),
		       "cmplx takes real numbers, when there are two");
	fails_to_apply("<", complex_(1, 0), integer(2),
		       "complex numbers have no order: \"<\" needs real ones");
	fails_to_apply("~", integer(1), integer(2), "\"~\" is not an operator");
	assert_int_equal(value_apply("-", &a, NULL, &out, &err), -1);
	assert_int_equal(value_apply("*", &a, NULL, &out, &err), -1);
	assert_string_equal(err.text, "\"*\" is not an operator for one operand");
}

static void equality_is_that_of_a_user(void **state)
{
	assert_true(value_equal(&(struct value){ .class = VALUE_IS_REAL, .re = NAN },
				&(struct value){ .class = VALUE_IS_REAL, .re = -NAN }));
	assert_true(value_equal(&(struct value){ .class = VALUE_IS_INT, .i = 1 },
				&(struct value){ .class = VALUE_IS_REAL, .re = 1 }));
	assert_false(value_equal(&(struct value){ .class = VALUE_IS_INT, .i = -1 },
				 &(struct value){ .class = VALUE_IS_UINT, .i = -1 }));
	assert_false(value_equal(&(struct value){ .class = VALUE_IS_COMPLEX, .re = 1, .im = 1 },
				 &(struct value){ .class = VALUE_IS_REAL, .re = 1 }));
}

static void result_types_follow_the_operands(void **state)
{
	assert_int_equal(value_result_type("+", VALUE_INT, VALUE_CHAR), VALUE_LONG);
	assert_int_equal(value_result_type("+", VALUE_UINT, VALUE_UCHAR), VALUE_ULONG);
	assert_int_equal(value_result_type("-", VALUE_UINT, VALUE_UCHAR), VALUE_LONG);
	assert_int_equal(value_result_type("*", VALUE_FLOAT, VALUE_INT), VALUE_FLOAT);
	assert_int_equal(value_result_type("*", VALUE_FLOAT, VALUE_DOUBLE), VALUE_DOUBLE);
	assert_int_equal(value_result_type("*", VALUE_FCOMPLEX, VALUE_FLOAT), VALUE_FCOMPLEX);
	assert_int_equal(value_result_type("*", VALUE_FCOMPLEX, VALUE_DOUBLE), VALUE_DCOMPLEX);
	assert_int_equal(value_result_type("<", VALUE_DOUBLE, VALUE_DOUBLE), VALUE_BOOL);
	assert_int_equal(value_result_type("!", VALUE_DOUBLE, VALUE_DOUBLE), VALUE_BOOL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_have_the_numbers_of_traces),
		cmocka_unit_test(every_type_is_loaded_and_shown),
		cmocka_unit_test(reals_have_the_shortest_text_that_reads_back),
		cmocka_unit_test(random_reals_read_back),
		cmocka_unit_test(digits_cut),
		cmocka_unit_test(storing_converts_or_says_why_not),
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(powers_bits_and_extremes),
		cmocka_unit_test(magnitudes_and_casts),
		cmocka_unit_test(comparison_and_logic),
		cmocka_unit_test(what_cannot_be_computed_is_said),
		cmocka_unit_test(equality_is_that_of_a_user),
		cmocka_unit_test(result_types_follow_the_operands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
