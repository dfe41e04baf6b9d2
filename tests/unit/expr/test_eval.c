/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/err.h"
#include "common/expr/expr.h"

/*
 * The objects of a job of 4 ranks: u is 5 x 4, distributed, u[i][j] = 10 i + j, lower bounds 0; f
 * the same in Fortran's way with lower bounds 1; eps differs on rank 3; the others are told by
 * their names.
 */
static unsigned resolved; /* how often an object was asked for */

static int set_ranks(struct values *q, uint32_t lo, uint32_t hi, const void *bytes)
{
	struct rankset ranks = { 0 };
	int rc;

	rankset_add(&ranks, lo, hi);
	rc = values_add(q, &ranks, bytes);
	rankset_clear(&ranks);
	return rc;
}

static int matrix(const char *name, int64_t low, const struct section *sec, struct values *out,
		  struct err *err)
{
	struct section s = { 0 };
	int rc = -1;
	double *v;

	if (sec && section_copy(&s, sec))
		return -1;
	if (!section_bind(&s, name, 2, (int64_t[]){ low, low }, (int64_t[]){ 5, 4 }, err)) {
		uint64_t n = section_count(&s, 0), m = section_count(&s, 1);

		out->type = VALUE_DOUBLE;
		out->elem_size = 8;
		for (unsigned d = 0; d < 2; d++)
			if (!s.dim[d].scalar)
				out->count[out->ndim++] = section_count(&s, d);
		v = calloc(n * m, sizeof *v);
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t j = 0; j < m; j++)
				v[i * m + j] = (double)(10 * section_index(&s, 0, i) +
							section_index(&s, 1, j));
		rc = set_ranks(out, 0, 3, v);
		free(v);
	}
	section_clear(&s);
	return rc;
}

/* A scalar that is a on ranks 0 … 2 and b on rank 3. */
static int scalar(struct values *out, unsigned type, const void *a, const void *b)
{
	out->type = type;
	out->elem_size = (uint32_t)value_size(type);
	return set_ranks(out, 0, 2, a) || set_ranks(out, 3, 3, b);
}

#define SCALAR(type, ctype, a, b) scalar(out, type, &(ctype){ a }, &(ctype){ b })

struct pair {
	char tag; /* three bytes of padding follow */
	int32_t value;
};

static int structure(struct values *out, int last)
{
	static const struct array_field field[] = { { "tag", VALUE_CHAR, 0, 1 },
						    { "value", VALUE_INT, 4, 1 } };
	struct pair p;

	out->type = VALUE_STRUCT;
	out->elem_size = sizeof p;
	out->field = field;
	out->nfield = 2;
	for (uint32_t r = 0; r < 4; r++) {
		memset(&p, (int)(0x11 * r), sizeof p);
		p.tag = 'x';
		p.value = r < 3 ? 7 : last;
		if (set_ranks(out, r, r, &p))
			return -1;
	}
	return 0;
}

static int resolve(void *arg, const char *name, const struct section *sec, struct values *out,
		   struct err *err)
{
	resolved++;
	if (!strcmp(name, "u"))
		return matrix(name, 0, sec, out, err);
	if (!strcmp(name, "f"))
		return matrix(name, 1, sec, out, err);
	if (!strcmp(name, "eps"))
		return SCALAR(VALUE_DOUBLE, double, 0.5, 0.75);
	if (!strcmp(name, "i"))
		return SCALAR(VALUE_INT, int32_t, 2, 2);
	if (!strcmp(name, "k"))
		return SCALAR(VALUE_INT, int32_t, 1, 3);
	if (!strcmp(name, "flag"))
		return SCALAR(VALUE_LOGICAL, int32_t, 1, -1);
	if (!strcmp(name, "small"))
		return SCALAR(VALUE_FLOAT, float, 0.1f, 0.1f);
	if (!strcmp(name, "undefined"))
		return SCALAR(VALUE_DOUBLE, double, (double)NAN, -(double)NAN);
	if (!strcmp(name, "p"))
		return structure(out, 7);
	if (!strcmp(name, "q"))
		return structure(out, 8);
	if (!strcmp(name, "rank")) {
		out->type = VALUE_INT;
		out->elem_size = 4;
		for (uint32_t r = 0; r < 4; r++)
			set_ranks(out, r, r, &(int32_t){ (int32_t)r });
		return 0;
	}
	if (!strcmp(name, "low")) { /* ranks 0 and 1 only */
		out->type = VALUE_INT;
		out->elem_size = 4;
		return set_ranks(out, 0, 1, &(int32_t){ 9 });
	}
	if (!strcmp(name, "high")) {
		out->type = VALUE_INT;
		out->elem_size = 4;
		return set_ranks(out, 2, 3, &(int32_t){ 9 });
	}
	if (!strcmp(name, "idx")) {
		out->type = VALUE_INT;
		out->elem_size = 4;
		out->ndim = 1;
		out->count[0] = 3;
		return set_ranks(out, 0, 3, (int32_t[]){ 4, 0, 4 });
	}
	if (!strcmp(name, "silent"))
		return 0;
	return err_set(err, "there is no object %s", name);
}

static const struct expr_scope objects = { .resolve = resolve };

static int eval(const char *text, struct values *q, struct err *err)
{
	struct expr *e = expr_parse(text, err);
	struct rankset who = { 0 };
	int rc;

	if (!e)
		fail_msg("%s: %s", text, err->text);
	rankset_add(&who, 0, 3);
	resolved = 0;
	rc = expr_eval(e, &who, &objects, q, err);
	expr_destroy(e);
	rankset_clear(&who);
	return rc;
}

/* "type[shape] ranks: values ranks: values" */
static void gives(const char *text, const char *want)
{
	struct values q;
	struct err err = { "" };
	char got[1024], value[VALUE_TEXT], ranks[64];
	int n;

	if (eval(text, &q, &err))
		fail_msg("%s: %s", text, err.text);
	n = snprintf(got, sizeof got, "%s", value_type_name(q.type));
	for (unsigned d = 0; d < q.ndim; d++)
		n += snprintf(got + n, sizeof got - (size_t)n, "[%d]", (int)q.count[d]);
	for (size_t g = 0; g < q.n; g++) {
		n += snprintf(got + n, sizeof got - (size_t)n,
			      " %s:", rankset_format(&q.group[g].ranks, ranks, sizeof ranks));
		for (uint64_t i = 0; q.type != VALUE_STRUCT && i < values_total(&q); i++) {
			struct value v = values_value(&q, g, i);

			n += snprintf(got + n, sizeof got - (size_t)n, " %s",
				      value_format(q.type, &v, 0, value));
		}
	}
	assert_string_equal(got, want);
	values_clear(&q);
}

static void fails(const char *text, const char *want)
{
	struct values q;
	struct err err = { "" };

	if (!eval(text, &q, &err))
		fail_msg("%s has a value", text);
	assert_string_equal(err.text, want);
	assert_int_equal(q.n, 0);
	assert_null(q.group);
}

static void numbers_hold_for_the_ranks_asked(void **state)
{
	struct expr *e = expr_parse("6 * 7", NULL);
	struct rankset none = { 0 };
	struct values q;

	gives("6 * 7", "long [0:3]: 42");
	gives("1 / 4.", "double [0:3]: 0.25");
	gives("-2 < 1", "bool [0:3]: true");
	assert_int_equal(expr_eval(e, &none, &objects, &q, NULL), 0);
	assert_int_equal(values_value(&q, 0, 0).i, 42);
	values_clear(&q);
	expr_destroy(e);
}

static void differing_values_are_grouped_minority_first(void **state)
{
	gives("eps", "double [3]: 0.75 [0:2]: 0.5");
	gives("eps * 2 + 1", "double [3]: 2.5 [0:2]: 2");
	gives("-eps", "double [3]: -0.75 [0:2]: -0.5");
	gives("eps < 0.6", "bool [3]: false [0:2]: true");
}

static void equal_results_collapse(void **state)
{
	gives("eps > 0.1", "bool [0:3]: true");
	gives("eps - eps", "double [0:3]: 0");
	gives("rank / 2", "long [0:1]: 0 [2:3]: 1");
	gives("rank * 0", "long [0:3]: 0");
	gives("i", "int [0:3]: 2");
	/* true is true, whatever its bits */
	gives("flag", "logical [0:3]: true");
	gives("undefined", "double [0:3]: nan");
}

static void groups_are_refined_against_each_other(void **state)
{
	gives("rank + 10 * k", "long [0]: 10 [1]: 11 [2]: 12 [3]: 33");
	gives("rank / 2 + eps", "double [2]: 1.5 [3]: 1.75 [0:1]: 0.5");
	gives("low + rank", "long [0]: 9 [1]: 10");
	fails("1 + (low + high)", "column 10: no rank has both operands of \"+\"");
}

static void arithmetic_is_elementwise(void **state)
{
	gives("u[1:2][0:1]", "double[2][2] [0:3]: 10 11 20 21");
	gives("u[1:2][0:1] * 2", "double[2][2] [0:3]: 20 22 40 42");
	gives("1 - u[1][0:2]", "double[3] [0:3]: -9 -10 -11");
	gives("u[1][*] - u[0][*]", "double[4] [0:3]: 10 10 10 10");
	gives("u[1:2][0] * eps", "double[2] [3]: 7.5 15 [0:2]: 5 10");
	gives("u[*][0] > 15", "bool[5] [0:3]: false false true true true");
	fails("u[1][*] + u[*][1]",
	      "column 9: \"+\" needs equal shapes: dimension 1 has 4 and 5 elements");
	fails("u + u[*][1]", "column 3: \"+\" needs equal shapes: these have 2 and 1 dimensions");
}

static void sections_reach_the_array_in_its_own_order(void **state)
{
	gives("u[3][2]", "double [0:3]: 32");
	gives("f(3,2)", "double [0:3]: 32");
	gives("f(5:1:-2,4)", "double[3] [0:3]: 54 34 14");
	gives("u[{3,0,3}][1]", "double[3] [0:3]: 31 1 31");
	gives("u[3:][:1]", "double[2][2] [0:3]: 30 31 40 41");
	gives("u[::2][0]", "double[3] [0:3]: 0 20 40");
	fails("u[5][0]", "u: index 5 of dimension 1 is outside 0:4");
	fails("f(1,5)", "f: index 5 of dimension 2 is outside 1:4");
	fails("u[1]", "u has 2 dimensions, but 1 is given");
}

static void indices_are_expressions(void **state)
{
	gives("u[i][i+1]", "double [0:3]: 23");
	gives("u[i-1:i][2*i-4]", "double[2] [0:3]: 10 20");
	gives("u[idx][0]", "double[3] [0:3]: 40 0 40");
	gives("u[{i,i-2}][0]", "double[2] [0:3]: 20 0");
	/* it differs, but not in what counts */
	gives("u[k*0][1]", "double [0:3]: 1");
	fails("u[1][k]", "column 6: the index differs between ranks: [3]: 3   [0:2]: 1");
	fails("u[rank+1][0]",
	      "column 7: the index differs between ranks: [0]: 1   [1]: 2   [2]: 3   [3]: 4");
	fails("u[0:k][0]", "column 5: the index differs between ranks: [3]: 3   [0:2]: 1");
	fails("u[idx + k][0]", "column 7: the index vector differs between ranks");
	fails("u[eps][0]", "column 3: an index must be an integer, this is of type double");
	fails("u[1.0][0]", "column 3: an index must be an integer, this is of type double");
	fails("u[flag][0]", "column 3: an index must be an integer, this is of type logical");
	fails("u[p][0]", "column 3: an index must be an integer, this is of type structure");
	fails("u[0:idx][0]", "column 5: a single index is needed, this has 1 dimension");
	fails("u[u[*][*] > 0][0]", "column 11: an index must be an integer, this is of type bool");
	fails("u[18446744073709551615][0]",
	      "column 3: the index 18446744073709551615 is too large");
	fails("u[0:3:i-2][0]", "column 8: the step is 0");
}

static void single_precision_stays_single(void **state)
{
	gives("small", "float [0:3]: 0.1");
	gives("small * 3", "float [0:3]: 0.3");
	gives("small * 1000000000000000000 * 1000000000000000000 * 1000000000000000000",
	      "float [0:3]: inf");
	gives("small * 1e-3", "double [0:3]: 0.00010000000149011613");
}

static void structures_are_shown_but_not_computed_with(void **state)
{
	/* padding differs between ranks, values do not */
	gives("p", "structure [0:3]:");
	gives("q", "structure [3]: [0:2]:");
	fails("p + 1", "column 1: p is a structure: choose a field, as in p.x");
	fails("1 == (p)", "column 7: p is a structure: choose a field, as in p.x");
	fails("!p", "column 2: p is a structure: choose a field, as in p.x");
}

static void the_left_side_alone_may_decide(void **state)
{
	gives("i > 5 && nothing > 0", "bool [0:3]: false");
	assert_int_equal(resolved, 1);
	gives("i || nothing", "bool [0:3]: true");
	gives("eps > 0.6 && i == 2", "bool [3]: true [0:2]: false");
	gives("eps > 0.6 || k == 1", "bool [0:3]: true");
	fails("i && nothing", "column 6: there is no object nothing");
}

static void errors_say_where_and_on_which_ranks(void **state)
{
	fails("1 / rank", "column 3: [0]: division by zero");
	fails("1 + i / (i - 2)", "column 7: [0:3]: division by zero");
	fails("nothing + 1", "column 1: there is no object nothing");
	fails("silent", "no rank has a value of silent");
	fails("u[*][*] % 2", "column 9: [0:3]: \"%\" needs whole numbers");
}

static void sections_for_assignments(void **state)
{
	struct expr *e = expr_parse("u[i][0:9:3]", NULL);
	struct rankset who = { 0 };
	struct section s;

	rankset_add(&who, 0, 3);
	assert_int_equal(expr_section(e, &who, &objects, &s, NULL), 0);
	assert_int_equal(s.ndim, 2);
	assert_true(s.dim[0].scalar);
	assert_int_equal(s.dim[0].first, 2);
	assert_int_equal(s.dim[1].last, 9);
	assert_int_equal(s.dim[1].step, 3);
	section_clear(&s);
	expr_destroy(e);
	e = expr_parse("eps", NULL);
	assert_int_equal(expr_section(e, &who, &objects, &s, NULL), 0);
	assert_int_equal(s.ndim, 0);
	expr_destroy(e);
	rankset_clear(&who);
}

static void functions_reduce_and_go_by_element(void **state)
{
	/* rows 0 10 … 40 plus columns 0 … 3 */
	gives("sum(u)", "double [0:3]: 430");
	gives("SUM(f(1:2,*))", "double [0:3]: 140");
	gives("min(u[2:3][*])", "double [0:3]: 20");
	gives("maxval(u[*][0])", "double [0:3]: 40");
	gives("sum(u[*][1] > 15)", "long [0:3]: 3");
	gives("max(idx)", "int [0:3]: 4");
	gives("sum(idx) * 2", "long [0:3]: 16");
	gives("sum(7)", "long [0:3]: 7");
	gives("abs(0 - eps)", "double [3]: 0.75 [0:2]: 0.5");
	gives("abs(u[1][0:2] - 11)", "double[3] [0:3]: 1 0 1");
	gives("max(abs(1 - u[1][*]))", "double [0:3]: 12");
	gives("max(u[1][0:2], 11)", "double[3] [0:3]: 11 11 12");
	gives("min(rank, 2, 4 - rank)", "long [0]: 0 [2]: 2 [1,3]: 1");
	gives("min(undefined, 3)", "double [0:3]: 3");
	gives("u[min(4, 1)][sum(idx) - 8]", "double [0:3]: 10");
	gives("mod(7, i)", "long [0:3]: 1");
	gives("MOD(7.5, 2)", "double [0:3]: 1.5");
	gives("iand(12, 10) + ior(12, 10) * ieor(12, 10)", "long [0:3]: 92");
	gives("int(u[1][0:1] / 4)", "long[2] [0:3]: 2 2");
	gives("real(small)", "float [0:3]: 0.1");
	gives("dble(small)", "double [0:3]: 0.10000000149011612");
	gives("cmplx(eps, 2)", "float complex [3]: (0.75, 2) [0:2]: (0.5, 2)");
	gives("real(cmplx(1, 2)) + abs(cmplx(3, 4))", "float [0:3]: 6");
}

static void functions_of_all_elements(void **state)
{
	gives("mean(u)", "double [0:3]: 21.5");
	gives("mean(idx)", "double [0:3]: 2.6666666666666665");
	gives("norm(u[0:1][0])", "double [0:3]: 10");
	gives("norm2(cmplx(3, 4))", "double [0:3]: 5");
	gives("count(u > 30)", "long [0:3]: 7");
	gives("any(u > 42)", "bool [0:3]: true");
	gives("all(u > 0)", "bool [0:3]: false");
	gives("minloc(abs(u - 21))", "long[2] [0:3]: 2 1");
	gives("maxloc(u[1:2][3])", "long [0:3]: 1");
	gives("maxloc(rank * u[*][0])", "long [0]: 0 [1:3]: 4");
	gives("sizeof(u)", "unsigned long [0:3]: 160");
	gives("sizeof(double) + sizeof( char * )", "unsigned long [0:3]: 16");
	gives("sum(u[1][*], u[1][*] > 11)", "double [0:3]: 25");
	gives("maxval(u[1][*], u[1][*] < 12)", "double [0:3]: 11");
	gives("mean(u[1][*], u[1][*] > 11)", "double [0:3]: 12.5");
	gives("sum(u[1][0:1], rank == 1)", "double [1]: 21 [0,2:3]: 0");
	gives("sum(rank * u[1][0:1], u[1][0:1] > 10)", "double [0]: 0 [1]: 11 [2]: 22 [3]: 33");
	fails("sum(u, 1)", "column 8: behind the array sum takes a mask, as in sum(u, u > 0); for one "
			   "dimension give a section");
	fails("count(u, 1)", "column 1: count takes 1 argument, not 2");
	gives("size(u)", "long [0:3]: 20");
	gives("size(u, 1) * 10 + size(u, 2)", "long [0:3]: 54");
	gives("size(u[1:2][3])", "long [0:3]: 2");
	gives("ubound(u)", "long[2] [0:3]: 4 3");
	gives("lbound(u, 1) + ubound(u[1:2][3], 1)", "long [0:3]: 1");
	fails("size(i)", "column 6: size needs an array, and this is one number");
	fails("size(u, 3)", "column 9: dimensions are 1 to 2 here");
	fails("minloc(i)", "column 1: minloc needs an array, and this is one number");
	fails("maxloc(cmplx(u, 1))",
	      "column 1: complex numbers have no order: maxloc needs real ones");
}

static void functions_of_elements(void **state)
{
	gives("sqrt(16)", "double [0:3]: 4");
	gives("sqrt(small * 0)", "float [0:3]: 0");
	gives("sqrt(cmplx(-4, 0, 8))", "double complex [0:3]: (0, 2)");
	gives("exp(0) + log(1) + log10(100) + sin(0) + cos(0) + tan(0)", "double [0:3]: 4");
	gives("isnan(0.0 / 0)", "bool [0:3]: true");
	gives("isinf(1 / 0.0) && !isnan(1)", "bool [0:3]: true");
	gives("merge(1, 2, eps > 0.6)", "long [3]: 1 [0:2]: 2");
	gives("merge(u[1][*], -1, u[1][*] > 11)", "double[4] [0:3]: -1 -1 12 13");
	gives("merge(u[1][0:1], rank, rank == 1)",
	      "double[2] [0]: 0 0 [1]: 10 11 [2]: 2 2 [3]: 3 3");
	gives("asin(1) - acos(0) + atan(0) + sinh(0) + cosh(0) + tanh(0)", "double [0:3]: 1");
	gives("atan2(0, -1) > 3.14 && atan2(0, 1) == 0", "bool [0:3]: true");
	gives("fabs(-2.5)", "double [0:3]: 2.5");
	gives("sign(3, -1) + sign(-2.5, 1)", "double [0:3]: -0.5");
	gives("sign(u[1][0:1], -1)", "double[2] [0:3]: -10 -11");
	gives("nint(2.5) + nint(-2.5) + nint(i)", "long [0:3]: 2");
	fails("nint(1e30)", "column 1: [0:3]: nint has no whole number for 1e+30");
	fails("sign(cmplx(1, 2), 1)", "column 1: [0:3]: sign needs real numbers");
	fails("merge(1, 2)", "column 1: merge takes 3 arguments, not 2");
	fails("log10(cmplx(1, 2))", "column 1: [0:3]: log10 needs real numbers");
}

static void powers_bits_and_casts(void **state)
{
	gives("2 ** 3 ** i", "long [0:3]: 512");
	gives("-i ** 2", "long [0:3]: -4");
	gives("u[1][0:2] ** 2", "double[3] [0:3]: 100 121 144");
	gives("rank & 1 | 2", "long [0,2]: 2 [1,3]: 3");
	gives("6 ^ 3 & 1", "long [0:3]: 7");
	gives("(int) eps * 4", "long [0:3]: 0");
	gives("(int)(eps * 4)", "int [3]: 3 [0:2]: 2");
	gives("(double) i / 4", "double [0:3]: 0.5");
	gives("(float) 0.1", "float [0:3]: 0.1");
	gives("(unsigned char) u[2][*]", "unsigned char[4] [0:3]: 20 21 22 23");
	gives("(bool) rank", "bool [0]: false [1:3]: true");
	gives("(signed char) 300 + (unsigned char) -1", "long [0:3]: 299");
	fails("(short) 1e9", "column 1: [0:3]: 1000000000 does not fit into type short: it holds "
			     "-32768 to 32767");
	gives("cmplx(1, 2, 8)", "double complex [0:3]: (1, 2)");
	gives("(3, 4) * 2", "double complex [0:3]: (6, 8)");
	gives("real(1d0 / 4)", "float [0:3]: 0.25");
	gives("real(1, 8)", "double [0:3]: 1");
	gives("real(cmplx(1, 2, 8))", "double [0:3]: 1");
	gives("aimag(cmplx(1, 2))", "float [0:3]: 2");
	gives("int(3.9, 2)", "short [0:3]: 3");
	fails("real(1, 3)", "column 1: a kind of real is 4 or 8");
	fails("\"abc\"",
	      "column 1: a text is no number; functions of the program take texts");
	fails("*(k + 1)", "column 1: types and addresses are known of variables of a program "
			  "alone");
	fails("eps & 1", "column 5: [3]: \"&\" needs whole numbers");
}

static void functions_of_differing_values_are_by_rank(void **state)
{
	gives("sum(u[0:1][0] * eps)", "double [3]: 7.5 [0:2]: 5");
	gives("sum(idx * rank) / 8", "long [0]: 0 [1]: 1 [2]: 2 [3]: 3");
	gives("max(idx + k * 0)", "long [0:3]: 4");
	gives("sum(eps) < 0.6", "bool [3]: false [0:2]: true");
}

static void functions_that_cannot_be(void **state)
{
	fails("1 + mean(u, i, 2)", "column 5: mean takes 1 or 2 arguments, not 3");
	fails("abs(i, k)", "column 1: abs takes 1 argument, not 2");
	fails("mod(7)", "column 1: mod takes 2 arguments, not 1");
	fails("2 * max(p)", "column 5: max needs numbers, not a structure: choose a field");
	fails("max(p, 1)", "column 5: p is a structure: choose a field, as in p.x");
	fails("sum(nothing)", "column 5: there is no object nothing");
	/* a name with a section in brackets, or with ranges, is an object's */
	fails("sum[3]", "there is no object sum");
	fails("sum(1:2)", "there is no object sum");
	fails("max", "there is no object max");
}

static int reductions;

/* The scope knows sums of u, as 1000; those of others it has not. */
static int reduced(void *arg, enum reduce what, const struct expr *e, const char *text,
		   struct values *out, struct err *err)
{
	if (e->kind != EXPR_NAME || strcmp(e->name, "u"))
		return 1;
	reductions++;
	assert_int_equal(what, REDUCE_SUM);
	assert_string_equal(text, "    u[i][*]");
	out->type = VALUE_LONG;
	out->elem_size = 8;
	return set_ranks(out, 0, 3, &(int64_t){ 1000 });
}

static bool hides_max(void *arg, const char *name)
{
	return !strcmp(name, "max");
}

static void the_scope_may_know_better(void **state)
{
	const struct expr_scope scope = { .resolve = resolve,
					  .reduce = reduced,
					  .known = hides_max };
	struct expr *e = expr_parse("sum(u[i][*]) + sum(idx) + sum(u[2][0:1] * 2)", NULL);
	struct rankset who = { 0 };
	struct err err = { "" };
	struct values q;

	rankset_add(&who, 0, 3);
	assert_int_equal(expr_eval(e, &who, &scope, &q, NULL), 0);
	assert_int_equal(reductions, 1);
	assert_true(values_value(&q, 0, 0).re == 1000 + 8 + 82);
	values_clear(&q);
	expr_destroy(e);
	e = expr_parse("1 + max(i)", NULL);
	assert_int_equal(expr_eval(e, &who, &scope, &q, &err), -1);
	assert_string_equal(err.text, "column 5: there is no object max");
	expr_destroy(e);
	e = expr_parse("1 + average(i)", NULL);
	assert_int_equal(expr_eval(e, &who, &scope, &q, &err), -1);
	assert_non_null(strstr(
		err.text,
		"column 5: there is no object and no function 'average'; functions are: sum"));
	expr_destroy(e);
	rankset_clear(&who);
}

/* An object with a value of its own on each of 10,000 ranks. */
static int wide(void *arg, const char *name, const struct section *sec, struct values *out,
		struct err *err)
{
	out->type = VALUE_LONG;
	out->elem_size = 8;
	for (uint32_t r = 0; r < 10000; r++)
		if (set_ranks(out, r, r, &(int64_t){ *name == 'a' ? r : 10000 - (int64_t)r }))
			return -1;
	return 0;
}

static void ten_thousand_values_take_part(void **state)
{
	struct rankset who = { 0 };
	struct expr *e = expr_parse("a + b", NULL);
	struct values q;

	rankset_add(&who, 0, 9999);
	assert_int_equal(expr_eval(e, &who, &(struct expr_scope){ .resolve = wide }, &q, NULL), 0);
	assert_int_equal(q.n, 1);
	assert_int_equal(values_value(&q, 0, 0).i, 10000);
	assert_int_equal(rankset_count(&q.group[0].ranks), 10000);
	values_clear(&q);
	expr_destroy(e);
	rankset_clear(&who);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_hold_for_the_ranks_asked),
		cmocka_unit_test(differing_values_are_grouped_minority_first),
		cmocka_unit_test(equal_results_collapse),
		cmocka_unit_test(groups_are_refined_against_each_other),
		cmocka_unit_test(arithmetic_is_elementwise),
		cmocka_unit_test(sections_reach_the_array_in_its_own_order),
		cmocka_unit_test(indices_are_expressions),
		cmocka_unit_test(single_precision_stays_single),
		cmocka_unit_test(structures_are_shown_but_not_computed_with),
		cmocka_unit_test(the_left_side_alone_may_decide),
		cmocka_unit_test(errors_say_where_and_on_which_ranks),
		cmocka_unit_test(sections_for_assignments),
		cmocka_unit_test(functions_reduce_and_go_by_element),
		cmocka_unit_test(functions_of_all_elements),
		cmocka_unit_test(functions_of_elements),
		cmocka_unit_test(powers_bits_and_casts),
		cmocka_unit_test(functions_of_differing_values_are_by_rank),
		cmocka_unit_test(functions_that_cannot_be),
		cmocka_unit_test(the_scope_may_know_better),
		cmocka_unit_test(ten_thousand_values_take_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
