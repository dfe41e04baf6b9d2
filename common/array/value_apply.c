/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic, comparison and conversion of single values. Integers are computed exactly: what does
 * not fit is an error, not a wrong number.
 */
#include "common/array/value.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/core/err.h"

static bool is_integer(const struct value *v)
{
	return v->class != VALUE_IS_REAL && v->class != VALUE_IS_COMPLEX;
}

static bool is_logic(const char *op)
{
	return !strcmp(op, "&&") || !strcmp(op, "||") || !strcmp(op, "!");
}

static bool is_comparison(const char *op)
{
	return !strcmp(op, "==") || !strcmp(op, "!=") ||
	       ((op[0] == '<' || op[0] == '>') && op[1] != op[0]);
}

/* long double holds every double and every 64-bit integer exactly on x86-64 and arm64. */
static long double as_real(const struct value *v)
{
	if (!is_integer(v))
		return (long double)v->re;
	return v->class == VALUE_IS_UINT ? (long double)(uint64_t)v->i : (long double)v->i;
}

static double as_double(const struct value *v)
{
	return (double)as_real(v);
}

static double complex as_complex(const struct value *v)
{
	return __builtin_complex(as_double(v), v->class == VALUE_IS_COMPLEX ? v->im : 0.0);
}

bool value_equal(const struct value *a, const struct value *b)
{
	__int128 x, y;
	double aim = a->class == VALUE_IS_COMPLEX ? a->im : 0;
	double bim = b->class == VALUE_IS_COMPLEX ? b->im : 0;
	long double are = as_real(a), bre = as_real(b);

	if (is_integer(a) && is_integer(b))
		return value_as_int(a, &x) && value_as_int(b, &y) && x == y;
	return (are == bre || (isnan(are) && isnan(bre))) &&
	       (aim == bim || (isnan(aim) && isnan(bim)));
}

static void set_bool(struct value *out, bool truth)
{
	*out = (struct value){ .class = VALUE_IS_BOOL, .i = truth };
}

static int compare(const char *op, const struct value *a, const struct value *b, struct value *out,
		   struct err *err)
{
	bool orders = strcmp(op, "==") != 0 && strcmp(op, "!=") != 0;
	bool less, more, equal;
	__int128 x = 0, y = 0;

	if (a->class == VALUE_IS_COMPLEX || b->class == VALUE_IS_COMPLEX) {
		if (orders)
			return err_set(err, "complex numbers have no order: \"%s\" needs real ones",
				       op);
		less = more = false;
		equal = as_complex(a) == as_complex(b);
	} else if (is_integer(a) && is_integer(b)) {
		value_as_int(a, &x);
		value_as_int(b, &y);
		less = x < y;
		more = x > y;
		equal = x == y;
	} else {
		less = as_real(a) < as_real(b);
		more = as_real(a) > as_real(b);
		equal = as_real(a) == as_real(b);
	}
	if (op[0] == '=')
		set_bool(out, equal);
	else if (op[0] == '!')
		set_bool(out, !equal);
	else
		set_bool(out, (op[0] == '<' ? less : more) || (op[1] == '=' && equal));
	return 0;
}

static int integers(const char *op, const struct value *a, const struct value *b, struct value *out,
		    struct err *err)
{
	__int128 x = 0, y = 0, r;
	char at[VALUE_TEXT], bt[VALUE_TEXT];
	bool any = a->class == VALUE_IS_UINT || b->class == VALUE_IS_UINT;
	bool uns = a->class == VALUE_IS_UINT && b->class == VALUE_IS_UINT && *op != '-';

	value_as_int(a, &x);
	value_as_int(b, &y);
	if ((*op == '/' || *op == '%') && y == 0)
		return err_set(err, "division by zero");
	switch (*op) {
	case '+':
		r = x + y;
		break;
	case '-':
		r = x - y;
		break;
	case '*':
		/* |x|, |y| < 2^64; only a product of two large unsigned ones leaves 128 bits */
		if (__builtin_mul_overflow(x, y, &r))
			r = (__int128)1 << 126;
		break;
	case '/':
		r = x / y;
		break;
	default:
		r = x % y;
	}
	/* beyond the numbers with a sign where C has none: the value is exact in either */
	uns |= any && r > INT64_MAX;
	if (!x && *op == '-' && r < INT64_MIN)
		return err_set(err,
			       "-%s has no room in 64 bits: cast it before the sign, as in "
			       "-(double)x",
			       value_format(VALUE_ULONG, b, 0, bt));
	if (uns ? r < 0 || r > (__int128)UINT64_MAX : r < INT64_MIN || r > INT64_MAX)
		return err_set(err, "integer overflow in %s %s %s",
			       value_format(VALUE_LONG, a, 0, at), op,
			       value_format(VALUE_LONG, b, 0, bt));
	*out = (struct value){ .class = uns ? VALUE_IS_UINT : VALUE_IS_INT, .i = (int64_t)r };
	return 0;
}

static int reals(const char *op, const struct value *a, const struct value *b, struct value *out,
		 struct err *err)
{
	double x = as_double(a), y = as_double(b), r;

	switch (*op) {
	case '+':
		r = x + y;
		break;
	case '-':
		r = x - y;
		break;
	case '*':
		r = x * y;
		break;
	case '/':
		r = x / y;
		break;
	default:
		return err_set(err, "\"%s\" needs whole numbers", op);
	}
	*out = (struct value){ .class = VALUE_IS_REAL, .re = r };
	return 0;
}

static int complexes(const char *op, const struct value *a, const struct value *b,
		     struct value *out, struct err *err)
{
	double complex x = as_complex(a), y = as_complex(b), r;

	switch (*op) {
	case '+':
		r = x + y;
		break;
	case '-':
		r = x - y;
		break;
	case '*':
		r = x * y;
		break;
	case '/':
		r = x / y;
		break;
	default:
		return err_set(err, "\"%s\" needs whole numbers", op);
	}
	*out = (struct value){ .class = VALUE_IS_COMPLEX, .re = creal(r), .im = cimag(r) };
	return 0;
}

static bool is_negative(const struct value *a)
{
	return a->class == VALUE_IS_INT && a->i < 0;
}

/* Of a complex number its magnitude. */
static int absolute(const struct value *a, struct value *out, struct err *err)
{
	const struct value zero = { .class = VALUE_IS_INT };

	if (is_negative(a))
		return integers("-", &zero, a, out, err);
	*out = *a;
	if (a->class == VALUE_IS_BOOL)
		out->class = VALUE_IS_INT;
	if (a->class == VALUE_IS_REAL)
		out->re = fabs(a->re);
	if (a->class == VALUE_IS_COMPLEX)
		*out = (struct value){ .class = VALUE_IS_REAL, .re = hypot(a->re, a->im) };
	return 0;
}

/* The type that a cast as "(double)" names; VALUE_TYPES: it is none. */
static unsigned cast_type(const char *op)
{
	size_t n = *op == '(' ? strcspn(op + 1, ")") : 0;

	for (unsigned t = 0; n && t < VALUE_TYPES; t++)
		if (strlen(value_type_name(t)) == n && !strncmp(value_type_name(t), op + 1, n))
			return t;
	return VALUE_TYPES;
}

/* A whole number in so many bytes, as C cuts it. */
static void cut(unsigned type, struct value *v)
{
	unsigned rest = 64 - 8 * (unsigned)value_size(type);
	bool has_sign = value_class(type) == VALUE_IS_INT && !(type == VALUE_CHAR && (char)-1 > 0);
	uint64_t word = (uint64_t)v->i << rest;

	v->class = has_sign ? VALUE_IS_INT : VALUE_IS_UINT;
	v->i = has_sign ? (int64_t)word >> rest : (int64_t)(word >> rest);
}

/* As C does it; a real number that has no room in the type is found when it is stored. */
static int cast(unsigned type, const struct value *a, struct value *out)
{
	enum value_class class = value_class(type);

	*out = *a;
	if (class == VALUE_IS_BOOL)
		set_bool(out, value_truth(a));
	else if (class == VALUE_IS_REAL)
		*out = (struct value){ .class = VALUE_IS_REAL, .re = as_double(a) };
	else if (class == VALUE_IS_COMPLEX)
		*out = (struct value){ .class = VALUE_IS_COMPLEX,
				       .re = as_double(a),
				       .im = cimag(as_complex(a)) };
	else if (!is_integer(a))
		*out = (struct value){ .class = VALUE_IS_REAL, .re = trunc(a->re) };
	else
		cut(type, out);
	return 0;
}

/* Of whole numbers; a negative power of one is what integer division gives. */
static int whole_power(const struct value *a, int64_t n, struct value *out, struct err *err)
{
	bool uns = a->class == VALUE_IS_UINT;
	const struct value one = { .class = uns ? VALUE_IS_UINT : VALUE_IS_INT, .i = 1 };
	bool small = a->i == 0 || a->i == 1 || (a->i == -1 && !uns);
	struct value base = *a;

	if (n < 0 && !small) {
		*out = (struct value){ .class = VALUE_IS_INT };
		return 0;
	}
	if (n < 0 && !a->i)
		return err_set(err, "division by zero");
	/* of 0 and 1 and -1 it only matters whether n is even */
	if (small)
		n = n ? 2 - (n & 1) : 0;
	*out = one;
	for (; n; n >>= 1) {
		if ((n & 1) && integers("*", out, &base, out, err))
			return -1;
		if (n > 1 && integers("*", &base, &base, &base, err))
			return -1;
	}
	return 0;
}

static int power(const struct value *a, const struct value *b, struct value *out, struct err *err)
{
	double complex z;

	if (is_integer(a) && is_integer(b) && !(b->class == VALUE_IS_UINT && b->i < 0))
		return whole_power(a, b->i, out, err);
	if (a->class != VALUE_IS_COMPLEX && b->class != VALUE_IS_COMPLEX) {
		*out = (struct value){ .class = VALUE_IS_REAL,
				       .re = pow(as_double(a), as_double(b)) };
		return 0;
	}
	z = cpow(as_complex(a), as_complex(b));
	*out = (struct value){ .class = VALUE_IS_COMPLEX, .re = creal(z), .im = cimag(z) };
	return 0;
}

static int bits(const char *op, const struct value *a, const struct value *b, struct value *out,
		struct err *err)
{
	bool large =
		(a->class == VALUE_IS_UINT && a->i < 0) || (b->class == VALUE_IS_UINT && b->i < 0);
	bool uns = large || (a->class == VALUE_IS_UINT && b->class == VALUE_IS_UINT);

	if (!is_integer(a) || !is_integer(b))
		return err_set(err, "\"%s\" needs whole numbers", op);
	*out = (struct value){ .class = uns ? VALUE_IS_UINT : VALUE_IS_INT };
	out->i = *op == '&' ? a->i & b->i : *op == '|' ? a->i | b->i : a->i ^ b->i;
	return 0;
}

static bool is_shift(const char *op)
{
	return !strcmp(op, "<<") || !strcmp(op, ">>");
}

/* In 64 bits; those that leave a number with a sign are missed, others not. */
static int shift(const char *op, const struct value *a, const struct value *b, struct value *out,
		 struct err *err)
{
	bool uns = a->class == VALUE_IS_UINT;
	char text[VALUE_TEXT];

	if (!is_integer(a) || !is_integer(b))
		return err_set(err, "\"%s\" needs whole numbers", op);
	if (b->i < 0 || b->i > 63)
		return err_set(err, "\"%s\" moves by 0 to 63 bits, not by %s", op,
			       value_format(b->class == VALUE_IS_UINT ? VALUE_ULONG : VALUE_LONG, b,
					    0, text));
	*out = (struct value){ .class = uns ? VALUE_IS_UINT : VALUE_IS_INT };
	if (*op == '<')
		out->i = (int64_t)((uint64_t)a->i << b->i);
	else
		out->i = uns ? (int64_t)((uint64_t)a->i >> b->i) : a->i >> b->i;
	if (*op == '<' && !uns && out->i >> b->i != a->i)
		return err_set(err, "integer overflow in %" PRId64 " << %" PRId64, a->i, b->i);
	return 0;
}

static int modulo(const struct value *a, const struct value *b, struct value *out, struct err *err)
{
	if (a->class == VALUE_IS_COMPLEX || b->class == VALUE_IS_COMPLEX)
		return err_set(err, "complex numbers have no remainder: mod needs real ones");
	if (is_integer(a) && is_integer(b))
		return integers("%", a, b, out, err);
	*out = (struct value){ .class = VALUE_IS_REAL, .re = fmod(as_double(a), as_double(b)) };
	return 0;
}

static int make_complex(const struct value *a, const struct value *b, struct value *out,
			struct err *err)
{
	if (b && (a->class == VALUE_IS_COMPLEX || b->class == VALUE_IS_COMPLEX))
		return err_set(err, "cmplx takes real numbers, when there are two");
	*out = (struct value){ .class = VALUE_IS_COMPLEX,
			       .re = as_double(a),
			       .im = b ? as_double(b) : cimag(as_complex(a)) };
	return 0;
}

static bool is_nan(const struct value *a)
{
	return a->class == VALUE_IS_REAL && isnan(a->re);
}

/* The lesser or the greater; the other one of NaN, as fmin and fmax have it. */
static int extreme(const char *op, const struct value *a, const struct value *b, struct value *out,
		   struct err *err)
{
	struct value less;

	if (compare(!strcmp(op, "min") ? "<" : ">", b, a, &less, NULL))
		return err_set(err, "complex numbers have no order: %s needs real ones", op);
	*out = (less.i && !is_nan(b)) || is_nan(a) ? *b : *a;
	return 0;
}

static int unary(const char *op, const struct value *a, struct value *out, struct err *err)
{
	/* +a stays unsigned, -a is a difference */
	const struct value zero = { .class = a->class == VALUE_IS_UINT ? VALUE_IS_UINT
								       : VALUE_IS_INT };

	if (is_integer(a))
		return integers(op, &zero, a, out, err);
	*out = *a;
	if (*op == '-') {
		out->re = -a->re;
		out->im = -a->im;
	}
	return 0;
}

/* Functions of one number; of a complex one where there is such a function. */
static const struct {
	const char *op;
	double (*on_real)(double);
	double complex (*on_complex)(double complex);
} functions[] = {
	{ "sqrt", sqrt, csqrt },  { "exp", exp, cexp }, { "log", log, clog },
	{ "sin", sin, csin },	  { "cos", cos, ccos }, { "tan", tan, ctan },
	{ "asin", asin, casin },  { "acos", acos, cacos }, { "atan", atan, catan },
	{ "sinh", sinh, csinh },  { "cosh", cosh, ccosh }, { "tanh", tanh, ctanh },
	{ "log10", log10, NULL },
};

/* Its number in the table; -1: it is none of them. */
static int function_of(const char *op)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].op, op))
			return (int)i;
	return -1;
}

static int call_function(int f, const struct value *a, struct value *out, struct err *err)
{
	double complex z;

	if (a->class != VALUE_IS_COMPLEX) {
		*out = (struct value){ .class = VALUE_IS_REAL,
				       .re = functions[f].on_real(as_double(a)) };
		return 0;
	}
	if (!functions[f].on_complex)
		return err_set(err, "%s needs real numbers", functions[f].op);
	z = functions[f].on_complex(as_complex(a));
	*out = (struct value){ .class = VALUE_IS_COMPLEX, .re = creal(z), .im = cimag(z) };
	return 0;
}

/* Fortran's nint: to the nearest whole number, halves away from zero. */
static int nearest(const struct value *a, struct value *out, struct err *err)
{
	double x = round(a->re);

	if (a->class == VALUE_IS_COMPLEX)
		return err_set(err, "nint needs real numbers");
	if (is_integer(a)) {
		*out = *a;
		return 0;
	}
	if (!(x >= -0x1p63 && x < 0x1p63))
		return err_set(err, "nint has no whole number for %g", a->re);
	*out = (struct value){ .class = VALUE_IS_INT, .i = (int64_t)x };
	return 0;
}

/* sign: a with the sign of b. atan2. */
static int of_two(const char *op, const struct value *a, const struct value *b, struct value *out,
		  struct err *err)
{
	if (a->class == VALUE_IS_COMPLEX || b->class == VALUE_IS_COMPLEX)
		return err_set(err, "%s needs real numbers", op);
	*out = *a;
	if (*op == 'a')
		*out = (struct value){ .class = VALUE_IS_REAL,
				       .re = atan2(as_double(a), as_double(b)) };
	else if (!is_integer(a))
		out->re = copysign(a->re, as_double(b));
	else if (a->class == VALUE_IS_INT && (a->i < 0) != signbit(as_double(b)))
		out->i = (int64_t)-(uint64_t)a->i;
	return 0;
}

static bool is_of_two(const char *op)
{
	return !strcmp(op, "sign") || !strcmp(op, "atan2");
}

static bool is_test(const char *op)
{
	return !strcmp(op, "isnan") || !strcmp(op, "isinf");
}

/* isnan, isinf; of a complex number: one of its parts is. */
static bool test(const char *op, const struct value *a)
{
	double im = a->class == VALUE_IS_COMPLEX ? a->im : 0;

	if (is_integer(a))
		return false;
	return !strcmp(op, "isnan") ? isnan(a->re) || isnan(im) : isinf(a->re) || isinf(im);
}

int value_apply(const char *op, const struct value *a, const struct value *b, struct value *out,
		struct err *err)
{
	if (!strcmp(op, "!"))
		return set_bool(out, !value_truth(a)), 0;
	if (!b && (!strcmp(op, "-") || !strcmp(op, "+")))
		return unary(op, a, out, err);
	if (!b && !strcmp(op, "abs"))
		return absolute(a, out, err);
	if (!b && !strcmp(op, "real"))
		return cast(VALUE_DOUBLE, a, out);
	if (!b && !strcmp(op, "aimag")) {
		*out = (struct value){ .class = VALUE_IS_REAL, .re = cimag(as_complex(a)) };
		return 0;
	}
	if (!b && is_test(op))
		return set_bool(out, test(op, a)), 0;
	if (!b && function_of(op) >= 0)
		return call_function(function_of(op), a, out, err);
	if (!b && !strcmp(op, "nint"))
		return nearest(a, out, err);
	if (!b && cast_type(op) < VALUE_TYPES)
		return cast(cast_type(op), a, out);
	if (!strcmp(op, "cmplx"))
		return make_complex(a, b, out, err);
	if (!b || !*op)
		return err_set(err, "\"%s\" is not an operator for one operand", op);
	if (!strcmp(op, "&&"))
		return set_bool(out, value_truth(a) && value_truth(b)), 0;
	if (!strcmp(op, "||"))
		return set_bool(out, value_truth(a) || value_truth(b)), 0;
	if (is_comparison(op))
		return compare(op, a, b, out, err);
	if (!strcmp(op, "min") || !strcmp(op, "max"))
		return extreme(op, a, b, out, err);
	if (is_of_two(op))
		return of_two(op, a, b, out, err);
	if (!strcmp(op, "mod"))
		return modulo(a, b, out, err);
	if (!strcmp(op, "**"))
		return power(a, b, out, err);
	if (!op[1] && strchr("&|^", *op))
		return bits(op, a, b, out, err);
	if (is_shift(op))
		return shift(op, a, b, out, err);
	if (op[1] || !strchr("+-*/%", *op))
		return err_set(err, "\"%s\" is not an operator", op);
	if (a->class == VALUE_IS_COMPLEX || b->class == VALUE_IS_COMPLEX)
		return complexes(op, a, b, out, err);
	if (is_integer(a) && is_integer(b))
		return integers(op, a, b, out, err);
	return reals(op, a, b, out, err);
}

static bool is_double(unsigned type)
{
	return type == VALUE_DOUBLE || type == VALUE_DCOMPLEX;
}

unsigned value_result_type(const char *op, unsigned a, unsigned b)
{
	enum value_class ac = value_class(a), bc = value_class(b);

	if (is_logic(op) || is_comparison(op) || is_test(op))
		return VALUE_BOOL;
	if (function_of(op) >= 0) {
		bool single = a == VALUE_FLOAT || a == VALUE_FCOMPLEX;

		if (ac == VALUE_IS_COMPLEX)
			return single ? VALUE_FCOMPLEX : VALUE_DCOMPLEX;
		return single ? VALUE_FLOAT : VALUE_DOUBLE;
	}
	if (cast_type(op) < VALUE_TYPES)
		return cast_type(op);
	if (!strcmp(op, "nint"))
		return ac == VALUE_IS_UINT ? VALUE_ULONG : VALUE_LONG;
	if (!strcmp(op, "sign"))
		return ac == VALUE_IS_REAL ? a : ac == VALUE_IS_UINT ? VALUE_ULONG : VALUE_LONG;
	if (!strcmp(op, "atan2"))
		return a == VALUE_FLOAT && b == VALUE_FLOAT ? VALUE_FLOAT : VALUE_DOUBLE;
	if (!strcmp(op, "real") || !strcmp(op, "aimag") ||
	    (!strcmp(op, "abs") && ac == VALUE_IS_COMPLEX))
		return a == VALUE_FLOAT || a == VALUE_FCOMPLEX ? VALUE_FLOAT : VALUE_DOUBLE;
	if (!strcmp(op, "cmplx"))
		return (a == VALUE_FLOAT || a == VALUE_FCOMPLEX) && (b == VALUE_FLOAT || b == a)
			       ? VALUE_FCOMPLEX
			       : VALUE_DCOMPLEX;
	if (is_shift(op))
		return ac == VALUE_IS_UINT ? VALUE_ULONG : VALUE_LONG;
	if (ac == VALUE_IS_COMPLEX || bc == VALUE_IS_COMPLEX)
		return is_double(a) || is_double(b) ? VALUE_DCOMPLEX : VALUE_FCOMPLEX;
	if (ac == VALUE_IS_REAL || bc == VALUE_IS_REAL)
		return is_double(a) || is_double(b) ? VALUE_DOUBLE : VALUE_FLOAT;
	return ac == VALUE_IS_UINT && bc == VALUE_IS_UINT && *op != '-' ? VALUE_ULONG : VALUE_LONG;
}
