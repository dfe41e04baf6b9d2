/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What two runs print: which lines are pairs, which numbers are equal, and what is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/verify/printed.h"

static struct printed made(const char *text)
{
	struct printed p = { 0 };

	if (text)
		printed_add(&p, text, strlen(text));
	return p;
}

/* Compares the texts; "pairs/numbers compared/lines alone" and what differs first. */
static const char *compared(const char *ref, const char *now, const char *again, const char *ignore)
{
	struct printed a = made(ref), b = made(now), c = made(again);
	static char out[300];
	struct printed_diff d;

	printed_compare(&a, &b, again ? &c : NULL, 1e-9, ignore, &d);
	snprintf(out, sizeof(out), "%zu/%zu/%zu%s%s%s%s", d.n, d.compared, d.alone,
		 d.n ? " " : "", d.n ? d.pair[0].number : "", d.n ? " not " : "",
		 d.n ? d.pair[0].number_ref : "");
	printed_diff_clear(&d);
	printed_clear(&a);
	printed_clear(&b);
	printed_clear(&c);
	return out;
}

static void check(const char *ref, const char *now, const char *wanted)
{
	assert_string_equal(compared(ref, now, NULL, ""), wanted);
}

static void test_numbers(void **state)
{
	(void)state;
	check("sum 0.124\n", "sum 0.125\n", "0/1/0"); /* a unit of the last digit */
	check("sum 0.124\n", "sum 0.126\n", "1/1/0 0.126 not 0.124");
	check("n 12\n", "n 13\n", "1/1/0 13 not 12"); /* whole ones are the same or not */
	check("x 1.0E-03\n", "x 1.1E-03\n", "0/1/0");
	check("x 1.0D-03\n", "x 1.2D-03\n", "1/1/0 1.2D-03 not 1.0D-03");
	check("x 1.5000000-103\n", "x 1.5000009-103\n", "1/1/0 1.5000009-103 not 1.5000000-103");
	check("e 1e-20 of 5.0\n", "e -3e-20 of 5.0\n", "0/2/0"); /* what is left of a zero */
	check("e 1e-20\n", "e 3e-20\n", "1/1/0 3e-20 not 1e-20");
	check("a -.5 b +2.\n", "a -.5 b +3.\n", "0/2/0"); /* a unit of "2." is 1 */
	check("x nan\n", "x 1.0\n", "0/0/1");		   /* no number, no pair */
}

static void test_words(void **state)
{
	(void)state;
	check("grid16x16 at 0x1f: 1\n", "grid16x16 at 0x2f: 1\n", "0/1/0"); /* addresses */
	check("run2b 5\n", "run3b 5\n", "0/0/2"); /* inside of words they are text */
	check("x =    1.5\n", "x = 1.5\n", "0/1/0"); /* columns move */
	check("text alone\n", "other text\n", "0/0/0"); /* lines without numbers are nothing */
	check("a 1\n\nb 2", "b 2\na 1", "0/2/0");
}

static void test_pairs(void **state)
{
	(void)state;
	check("x 1\nx 2\nx 3\n", "x 3\nx 1\nx 2\n", "0/3/0"); /* in any order */
	check("x 1\nx 2\n", "x 2\nx 4\n", "1/2/0 4 not 1");   /* equal ones first */
	check("x 1\n", "x 1\nx 1\nx 1\n", "0/3/0"); /* several ranks print what one has printed */
	check("x 1\n", "x 1\nx 1\nx 2\n", "1/3/0 2 not 1");
	check("x 1\ny 2\n", "x 1\nz 2\n", "0/1/2"); /* those without a partner are counted */
	check("", "x 1\n", "0/0/1");
}

static void test_left_out(void **state)
{
	static const char words[] = "time, sec,rank";

	(void)state;
	assert_string_equal(compared("Time 3.2\nx 1\n", "Time 4.8\nx 1\n", NULL, words), "0/1/0");
	assert_string_equal(compared("5 secs\n", "9 secs\n", NULL, words), "0/0/0");
	assert_string_equal(compared("nranks 5\n", "nranks 9\n", NULL, words), "0/0/0");
	assert_string_equal(compared("second 5\n", "second 9\n", NULL, words), "1/1/0 9 not 5");
	/* what another run of the reference prints otherwise is no basis of anything */
	assert_string_equal(compared("seed 5\nx 1\n", "seed 9\nx 1\n", "seed 7\nx 1\n", words),
			    "0/1/0");
	assert_string_equal(compared("seed 5\nx 1\n", "seed 9\nx 2\n", "seed 7\nx 1\n", words),
			    "1/1/0 2 not 1");
}

/* What is kept of a run has an end, and half a line is not compared. */
static void test_cut(void **state)
{
	struct printed ref = { 0 }, now = { 0 };
	struct printed_diff d;
	char *line = malloc(1001);

	(void)state;
	memset(line, 'x', 1000);
	memcpy(line, "v 1.5 ", 6);
	line[999] = '\n';
	line[1000] = '\0';
	while (!ref.cut)
		printed_add(&ref, line, 1000);
	assert_int_equal(ref.n, PRINTED_MOST);
	assert_int_equal(strlen(ref.text), PRINTED_MOST);
	printed_add(&now, line, 1000);
	printed_add(&ref, line, 1000);
	assert_int_equal(ref.n, PRINTED_MOST);
	/* as many whole lines as there are, the half one at the end not */
	printed_compare(&now, &ref, NULL, 1e-9, "", &d);
	assert_int_equal(d.n, 0);
	assert_int_equal(d.compared, PRINTED_MOST / 1000);
	assert_int_equal(d.alone, 0);
	printed_diff_clear(&d);
	printed_clear(&ref);
	printed_clear(&now);
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_numbers),
					    cmocka_unit_test(test_words),
					    cmocka_unit_test(test_pairs),
					    cmocka_unit_test(test_left_out),
					    cmocka_unit_test(test_cut) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
