/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/expr/expr.h"

/* The tree as text: (+ a (* b 2)), a section as a<1:3,all>. */
static void show(const struct expr *e, FILE *out)
{
	char text[VALUE_TEXT];

	switch (e->kind) {
	case EXPR_NUMBER:
		fputs(value_format(VALUE_DOUBLE, &e->number, 0, text), out);
		return;
	case EXPR_TYPED:
		fprintf(out, "(%s%s%s%s", e->op, e->name ? " " : "", e->name ? e->name : "",
			e->a ? " " : "");
		if (e->a)
			show(e->a, out);
		fputc(')', out);
		break;
	case EXPR_UNARY:
	case EXPR_BINARY:
		fprintf(out, "(%s ", e->op);
		show(e->a, out);
		if (e->b)
			fputc(' ', out), show(e->b, out);
		fputc(')', out);
		return;
	default:
		fputs(e->name, out);
	}
	for (size_t i = 0; i < e->nsub; i++) {
		const struct expr_subscript *s = &e->sub[i];

		fputc(i ? ',' : '<', out);
		for (size_t k = 0; k < s->nvector; k++)
			fputc(k ? ' ' : '{', out), show(s->vector[k], out);
		fputs(s->nvector ? "}" : "", out);
		fputs(s->all ? "all" : "", out);
		if (s->first)
			show(s->first, out);
		if (s->range)
			fputc(':', out);
		if (s->last)
			show(s->last, out);
		if (s->step)
			fputc(':', out), show(s->step, out);
	}
	if (e->nsub)
		fprintf(out, ">%c", e->spelling);
}

static void reads(const char *text, const char *want)
{
	struct err err = { "" };
	struct expr *e = expr_parse(text, &err);
	char *got = NULL;
	size_t n;
	FILE *out = open_memstream(&got, &n);

	if (!e)
		fail_msg("%s: %s", text, err.text);
	show(e, out);
	fclose(out);
	assert_string_equal(got, want);
	free(got);
	expr_destroy(e);
}

static void refuses(const char *text, const char *want)
{
	struct err err = { "" };
	struct expr *e = expr_parse(text, &err);

	if (e)
		fail_msg("\"%s\" was read", text);
	assert_string_equal(err.text, want);
}

static void operators_bind_as_in_c(void **state)
{
	reads("a + b * 2", "(+ a (* b 2))");
	reads("(a + b) * 2", "(* (+ a b) 2)");
	reads("a - b - c", "(- (- a b) c)");
	reads("a / b % c", "(% (/ a b) c)");
	reads("a < b == c > d", "(== (< a b) (> c d))");
	reads("a || b && c == d", "(|| a (&& b (== c d)))");
	reads("a<=b", "(<= a b)");
	reads("a>=b&&a!=c", "(&& (>= a b) (!= a c))");
	reads("-a * -b", "(* (- a) (- b))");
	reads("!a == b", "(== (! a) b)");
	reads("- - + a", "(- (- (+ a)))");
	reads("  a\t", "a");
}

static void bits_powers_and_casts(void **state)
{
	reads("a | b ^ c & d == e", "(| a (^ b (& c (== d e))))");
	reads("a || b | c", "(|| a (| b c))");
	reads("a && b & c", "(&& a (& b c))");
	reads("a ** b ** c * d", "(* (** a (** b c)) d)");
	reads("-a ** -b", "(- (** a (- b)))");
	reads("a * *b", "(* a *b)");
	reads("(double) a / b", "(/ ((double) a) b)");
	reads("( unsigned int )-a ** 2", "((unsigned) (- (** a 2)))");
	reads("(long)(float complex)a", "((long) ((float complex) a))");
	reads("(int)", "int");
	reads("(int) / 2", "(/ int 2)");
	reads("(integer) + 2", "(+ integer 2)");
	refuses("a **", "column 5: expected a number, a name or '(', found the end");
	refuses("(double) + ", "column 12: expected a number, a name or '(', found the end");
}

static void fortran_words_are_operators(void **state)
{
	reads("a .and. .not. b .or. c", "(|| (&& a (! b)) c)");
	reads("a.lt.1.or.b.GE.2", "(|| (< a 1) (>= b 2))");
	reads("i /= j", "(!= i j)");
	reads("1.eq.n", "(== 1 n)");
	reads("x .ne. 1.5d-3", "(!= x 0.0015)");
	refuses("ok .eqv", "column 4: expected an operator or the end, found '.'");
}

static void numbers(void **state)
{
	struct expr *e;

	reads("0x1F", "31");
	reads("1e3", "1000");
	reads("1.", "1");
	reads(".5", "0.5");
	reads("2.5E-1", "0.25");
	reads("1D2", "100");
	reads(".true. == false", "(== true false)");
	reads("9223372036854775807", "9223372036854775807");
	reads("18446744073709551615", "18446744073709551615");
	e = expr_parse("7", NULL);
	assert_int_equal(e->number.class, VALUE_IS_INT);
	expr_destroy(e);
	e = expr_parse("18446744073709551615", NULL);
	assert_int_equal(e->number.class, VALUE_IS_UINT);
	expr_destroy(e);
	e = expr_parse("7.0", NULL);
	assert_int_equal(e->number.class, VALUE_IS_REAL);
	expr_destroy(e);
	refuses("18446744073709551616", "column 1: the number 18446744073709551616 is too large");
	refuses("x + 1e999", "column 5: the number 1e999 is too large");
	refuses("12ab", "column 3: expected an operator or the end after the number, found 'a'");
}

static void names_have_fields_and_places(void **state)
{
	reads("p.x", "p.x");
	reads("p%x%y", "p.x.y");
	reads("p.x_1 + _q", "(+ p.x_1 _q)");
	reads("n % m", "(% n m)");
	reads("n%2", "(% n 2)");
	reads("eps@src/heat.c:12", "eps@src/heat.c:12");
	reads("p.x@heat-2.c:12 - 1", "(- p.x@heat-2.c:12 1)");
	reads("p@heat.c:12.x", "p.x@heat.c:12");
	reads("u@heat.c:12[1]", "u@heat.c:12<1>[");
	reads("u[i@a.c:3:5]", "u<i@a.c:3:5>[");
	reads("a[3].x", "a.x<3>[");
	reads("a[].x", "a.x");
	reads("a[][]%p%x[3][4] + 1", "(+ a.p.x<3,4>[ 1)");
	reads("[2]a[].x", "[2]a.x");
	reads("a@h.c:1[3].x.y", "a.x.y@h.c:1<3>[");
	reads("a(3)%x", "a.x<3>(");
	reads("a[3]%m", "(% a<3>[ m)");
	refuses("a[3] . x", "column 6: expected an operator or the end, found '.'");
	reads("s->u[1:2]", "s->u<1:2>[");
	reads("s->p.x->y@h.c:1", "s->p.x->y@h.c:1");
	reads("x-y > z->n", "(> (- x y) z->n)");
	refuses("s ->u", "column 4: expected a number, a name or '(', found '>'");
	reads("2 * *n", "(* 2 *n)");
	reads("*p.x*m", "(* *p.x m)");
	reads("a[*][*n]", "a<all,*n>[");
}

static void sections_in_both_spellings(void **state)
{
	reads("u[2:5][*]", "u<2:5,all>[");
	reads("u(2:5,3)", "u<2:5,3>(");
	reads("u [1] [2]", "u<1,2>[");
	reads("u[:][0:9:2]", "u<all,0:9:2>[");
	reads("u(*,:)", "u<all,all>(");
	reads("u[9:0:-1]", "u<9:0:(- 1)>[");
	reads("u[2:][:5][::2]", "u<2:,:5,::2>[");
	reads("u[{1, 4,9}]", "u<{1 4 9}>[");
	reads("u({1,4},2)", "u<{1 4},2>(");
	reads("u[i+1][v[j]]", "u<(+ i 1),v<j>[>[");
	reads("u[a*b]", "u<(* a b)>[");
	reads("u(1,2) * 3", "(* u<1,2>( 3)");
	reads("max - min*u[*]", "(- max (* min u<all>[))");
	reads("a[1][2][3][4][5][6][7][8]", "a<1,2,3,4,5,6,7,8>[");
}

static void types_of_the_program(void **state)
{
	reads("(struct p *)x", "(cast struct p * x)");
	reads("(real)k / 2", "(/ (cast real k) 2)");
	reads("(k) / 2 + (k)-1", "(- (+ (/ k 2) k) 1)");
	reads("((struct p *)q)[3].t", "(. .t ([ (cast struct p * q))<3>[)");
	reads("*(p + 1)", "(* (+ p 1))");
	reads("a * *p", "(* a *p)");
	reads("(p + 1)->x->y", "(. ->x->y (+ p 1))");
	reads("(p + 1)@3 + 1", "(+ (@ 3 (+ p 1)) 1)");
	reads("*&x", "(* &x)");
	reads("&a[3] - &p->x", "(- &a<3>[ &p->x)");
	reads("sizeof(struct p *) + sizeof *q", "(+ (sizeof struct p *) (sizeof *q))");
	reads("(box<int> *)p", "(cast box<int> * p)");
	reads("#f.c#g#x.y[1] + #g#x", "(+ #f.c#g#x.y<1>[ #g#x)");
	reads("[2.0#1]x + [#3]y - [1]z[2]", "(- (+ [2.0#1]x [#3]y) [1]z<2>[)");
	reads("ns::x + ::y", "(+ ns::x ::y)");
	reads("a[i::k]", "a<i::k>[");
	reads("a[(ns::i)]", "a<ns::i>[");
	reads("f(\"a, b)\", 2) + f()", "(+ f<\"a, b)\",2>( f)");
	reads("(1, 2)", "(cmplx 1 2)");
}

static void parts_know_where_they_are(void **state)
{
	struct expr *e = expr_parse(" 2 * (p + 1 )->x ", NULL);

	assert_int_equal(e->from, 1);
	assert_int_equal(e->end, 16);
	assert_int_equal(e->b->from, 5);
	assert_int_equal(e->b->end, 16);
	assert_int_equal(e->b->a->from, 5);
	assert_int_equal(e->b->a->end, 13);
	expr_destroy(e);
}

static void names_are_taken_apart(void **state)
{
	struct expr_name n;

	assert_int_equal(expr_name_split("**[1.0#2]#e#f.c#p#ns::x.y->z@4", &n), 0);
	assert_int_equal(n.stars, 2);
	assert_int_equal(n.process, 1);
	assert_int_equal(n.thread, 0);
	assert_int_equal(n.frame, 2);
	assert_int_equal(n.nqualifier, strlen("#e#f.c#p#"));
	assert_int_equal(n.nword, strlen("ns::x"));
	assert_string_equal(n.fields, ".y->z@4");
	assert_int_equal(expr_name_split("&x", &n), 0);
	assert_true(n.address && n.process < 0 && !n.nqualifier);
	assert_int_equal(expr_name_split("*&x", &n), -1);
	assert_int_equal(expr_name_split("3", &n), -1);
}

static void errors_report_the_column(void **state)
{
	refuses("", "column 1: expected a number, a name or '(', found the end");
	refuses("   ", "column 4: expected a number, a name or '(', found the end");
	refuses("a +", "column 4: expected a number, a name or '(', found the end");
	refuses("a b", "column 3: expected an operator or the end, found 'b'");
	refuses("(a + b", "column 7: expected an operator or ')', found the end");
	refuses("a + b)", "column 6: expected an operator or the end, found ')'");
	refuses("u[1", "column 4: expected ']', found the end");
	refuses("u[1,2]", "column 4: expected ']', found ','");
	refuses("u[]", "column 3: expected an index, a range lo:hi, '*' or {i,j,…}, found ']'");
	refuses("u(1,)", "column 5: expected an index, a range lo:hi, '*' or {i,j,…}, found ')'");
	refuses("\"abc", "column 5: expected a quote behind the text, found the end");
	refuses("(struct p *)", "column 13: expected a number, a name or '(', found the end");
	refuses("[0", "column 1: expected a number, a name or '(', found '['");
	refuses("#f#", "column 1: expected a number, a name or '(', found '#'");
	refuses("u(1)(2)", "column 5: expected an operator or the end, found '('");
	refuses("u[1:2:]", "column 7: expected a number, a name or '(', found ']'");
	refuses("u[{1,}]", "column 6: expected a number, a name or '(', found '}'");
	refuses("u[{1:2}]", "column 5: expected ',' or '}', found ':'");
	refuses("u[*:2]", "column 4: expected ']', ')' or ',' after '*', found ':'");
	refuses("u(1,2", "column 6: expected ',' or ')', found the end");
	refuses("a = 5", "column 3: expected an operator or the end, found '='");
	refuses("x@heat.c", "column 3: expected a number or file:line after '@', found 'h'");
	refuses("p.", "column 2: expected an operator or the end, found '.'");
	refuses("$1", "column 1: expected a number, a name or '(', found '$'");
	refuses("a \xc3\xa4", "column 3: expected an operator or the end, found byte 0xc3");
	refuses("a[1][2][3][4][5][6][7][8][9]", "column 27: more than 8 subscripts");
}

static void columns_are_kept_in_the_tree(void **state)
{
	struct expr *e = expr_parse("  a + bb[ 3]", NULL);

	assert_int_equal(e->column, 4);
	assert_int_equal(e->a->column, 2);
	assert_int_equal(e->b->column, 6);
	assert_int_equal(e->b->sub[0].first->column, 10);
	expr_destroy(e);
}

static void hostile_texts_are_bounded(void **state)
{
	char text[8192];

	memset(text, '(', 4000);
	text[4000] = '\0';
	refuses(text, "column 101: the expression is nested too deeply");
	memset(text, '-', 4000);
	refuses(text, "column 100: the expression is nested too deeply");
	for (int i = 0; i < 2000; i++)
		memcpy(text + 2 * i, "1+", 3);
	refuses(text, "column 1001: the expression is too long");
	for (int i = 0; i < 1000; i++)
		memcpy(text + 2 * i, "a[", 3);
	refuses(text, "column 201: the expression is nested too deeply");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators_bind_as_in_c),
		cmocka_unit_test(bits_powers_and_casts),
		cmocka_unit_test(fortran_words_are_operators),
		cmocka_unit_test(numbers),
		cmocka_unit_test(names_have_fields_and_places),
		cmocka_unit_test(sections_in_both_spellings),
		cmocka_unit_test(types_of_the_program),
		cmocka_unit_test(parts_know_where_they_are),
		cmocka_unit_test(names_are_taken_apart),
		cmocka_unit_test(errors_report_the_column),
		cmocka_unit_test(columns_are_kept_in_the_tree),
		cmocka_unit_test(hostile_texts_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
