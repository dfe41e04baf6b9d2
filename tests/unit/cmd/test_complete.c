/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/report.h"
#include "common/array/value.h"
#include "frontend/cmd/cmd.h"
#include "frontend/session/session.h"
#include "tests/unit/fake_job.h"

static char *text;
static struct session *s;

static int set_up(void **state)
{
	s = fake_begin(&text, false);
	return 0;
}

static int tear_down(void **state)
{
	fake_end(s);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The candidates for the last word of the line, sorted, with blanks between; "+files" behind them.
 */
static const char *offered(const char *line)
{
	static char out[4000];
	const char *last = strrchr(line, ' ');
	struct complete c =
		complete_line(s, line, last ? (size_t)(last + 1 - line) : 0, strlen(line));

	*out = 0;
	if (c.n)
		qsort(c.word, c.n, sizeof(*c.word), by_name);
	for (size_t i = 0; i < c.n; i++) {
		if (strlen(out) + strlen(c.word[i]) + 10 < sizeof(out))
			strcat(strcat(out, i ? " " : ""), c.word[i]);
		free(c.word[i]);
	}
	free(c.word);
	return c.files ? strcat(out, *out ? " +files" : "+files") : out;
}

static struct array_field fields[] = {
	{ (char *)"dt", VALUE_DOUBLE, 0, 1 },
	{ (char *)"steps", VALUE_INT, 8, 1 },
};
static const struct array_desc objects[] = {
	{ .name = (char *)"u",
	  .file = (char *)"heat.c",
	  .line = 32,
	  .kind = ARRAY_DISTRIBUTED,
	  .type = VALUE_INT,
	  .order = 'C',
	  .elem_size = 4,
	  .ndim = 1,
	  .extent = { 4 } },
	{ .name = (char *)"eps",
	  .file = (char *)"heat.c",
	  .line = 30,
	  .kind = ARRAY_REPLICATED,
	  .type = VALUE_DOUBLE,
	  .order = 'C',
	  .elem_size = 8 },
	{ .name = (char *)"par",
	  .file = (char *)"heat.c",
	  .line = 31,
	  .kind = ARRAY_REPLICATED,
	  .type = VALUE_STRUCT,
	  .order = 'C',
	  .elem_size = 16,
	  .field = fields,
	  .nfield = 2 },
};

static void know_objects(void)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		array_desc_put_global(&objects[i], &b);
	fake_answer(QUERY_NAMES, "", "0:3", &b);
}

/* Number n at heat.c:line has begun and ended. */
static void put_points(struct buf *b, uint32_t n, uint32_t line)
{
	for (uint32_t side = 0; side < 2; side++) {
		struct report_point r = { .kind = CONSTRUCT_PL,
					  .place = { .file = "/src/heat.c",
						     .func = "solve",
						     .line = line,
						     .module = "" } };

		r.point.main = n;
		r.point.side = side;
		report_point_put(&r, b);
	}
}

static void know_points(void)
{
	static struct report_stack stack;
	struct buf b = BUF_INIT;

	buf_put_u32(&b, 4);
	put_points(&b, 12, 61);
	put_points(&b, 13, 70);
	fake_answer(QUERY_POINTS, NULL, "0:3", &b);
	stack.n = 1;
	stack.frame[0].kind = CONSTRUCT_FUNCTION;
	stack.frame[0].place =
		(struct place){ .file = "heat.c", .func = "solve", .line = 20, .module = "" };
	report_stack_put(&stack, &b);
	fake_answer(QUERY_STACK, NULL, "0:3", &b);
}

static void verbs(void **state)
{
	assert_string_equal(offered("whe"), "where");
	assert_string_equal(offered("  whe"), "where");
	assert_string_equal(offered("[0:1] vi"), "viewset");
	assert_string_equal(offered("[0:1]vi"), "[0:1]viewset");
	assert_string_equal(offered("finish-"), "finish-loop");
	cmd_line(s, "alias whereabouts where");
	assert_string_equal(offered("wher"), "where whereabouts");
	assert_string_equal(offered("qqq"), "");
	assert_string_equal(offered("qqq x"), "");
}

static void options(void **state)
{
	assert_string_equal(offered("[0:1] step -f"), "-finish");
	assert_string_equal(offered("s -o"), "-over");
	assert_string_equal(offered("search x -"), "-context -ignorecase -in -max");
	assert_string_equal(offered("print -form"), "-format");
}

static void values_of_options(void **state)
{
	assert_string_equal(offered("search x -in s"), "source");
	assert_string_equal(offered("heatmap u -show ma"), "max");
	assert_string_equal(offered("heatmap u -sh m"), "max mean min");
	assert_string_equal(offered("heatmap u -image "), "+files");
	assert_string_equal(offered("diff u -tolerance e"), "exact");
	assert_string_equal(offered("findings -kind num"), "numbering");
	assert_string_equal(offered("list -length "), "");
	/* behind the value the object is asked for again */
	know_objects();
	assert_string_equal(offered("heatmap -show max u"), "u");
}

static void sets(void **state)
{
	cmd_line(s, "defset edge [0,3]");
	assert_string_equal(offered("[sto"), "[stopped]");
	assert_string_equal(offered("[ed"), "[edge]");
	assert_string_equal(offered("[0,ed"), "[0,edge]");
	assert_string_equal(offered("{0,ed"), "{0,edge}");
	assert_string_equal(offered("focus [sto"), "[stopped]");
	assert_string_equal(offered("focus sto"), "stopped");
	assert_string_equal(offered("focus [!ed"), "[!edge]");
	assert_string_equal(offered("undefset "), "edge");
	assert_string_equal(offered("viewset [ru"), "[runnable] [running]");
}

static void settings_and_their_values(void **state)
{
	assert_string_equal(offered("set stop_t"), "STOP_TIMER");
	assert_string_equal(offered("unset stop_t"), "STOP_TIMER");
	assert_string_equal(offered("set STOP_ON m"), "mismatch");
	assert_string_equal(offered("set STOP_ON = "), "mismatch none");
	assert_string_equal(offered("set stop_on=mi"), "stop_on=mismatch");
	assert_string_equal(offered("set VERBOSE = e"), "ERR");
	assert_string_equal(offered("set VERBOSE "), "= ALL ERR WARN");
	assert_string_equal(offered("set = x"), "");
}

static void objects_and_fields(void **state)
{
	know_objects();
	assert_string_equal(offered("print "), "eps par u");
	assert_string_equal(offered("p e"), "eps");
	assert_string_equal(offered("print u[0]+e"), "u[0]+eps");
	assert_string_equal(offered("print par."), "par.dt par.steps");
	assert_string_equal(offered("print 2*par.s"), "2*par.steps");
	assert_string_equal(offered("what pa"), "par");
	assert_string_equal(offered("break 3.B -if e"), "eps");
	assert_string_equal(offered("break 3.B -if eps < 2*pa"), "2*par");
	assert_string_equal(offered("break 3.B -if eps < 1 -sto"), "-stop");
	assert_string_equal(offered("save u u.n"), "+files");
	assert_string_equal(offered("tui arr"), "array");
	assert_string_equal(offered("tui array u"), "u +files");
	fake_state("0:3", JOB_RUNNING);
	assert_string_equal(offered("print "), "");
}

static void points_and_constructs(void **state)
{
	know_points();
	assert_string_equal(offered("break 13"), "13.B 13.E +files");
	assert_string_equal(offered("b heat.c:"), "heat.c:61 heat.c:70 +files");
	assert_string_equal(offered("break so"), "solve +files");
	assert_string_equal(offered("list $"), "$EXEC +files");
	assert_string_equal(offered("start 12."), "12.B 12.E");
}

static void actionpoints_and_words_of_help(void **state)
{
	cmd_line(s, "break 3.B");
	cmd_line(s, "break 4.B");
	assert_string_equal(offered("delete "), "0 1");
	assert_string_equal(offered("disable 1"), "1");
	assert_string_equal(offered("help expr"), "expressions");
	assert_string_equal(offered("help STOP_O"), "STOP_ON");
	assert_string_equal(offered("help wher"), "where");
	assert_string_equal(offered("info brea"), "breakpoints");
	assert_string_equal(offered("unalias finish-"), "finish-loop");
	assert_string_equal(offered("level C"), "CHECKSUM");
	assert_string_equal(offered("input x"), "+files");
}

/* Aliases are completed as what they stand for. */
static void through_aliases(void **state)
{
	cmd_line(s, "alias both where; print");
	cmd_line(s, "alias keep save u");
	know_objects();
	assert_string_equal(offered("both e"), "eps");
	assert_string_equal(offered("keep x"), "+files");
	assert_string_equal(offered("bt -a"), "-all -args");
}

static void odd_lines_are_no_harm(void **state)
{
	static const char *const lines[] = { "",       " ",	 "[",	     "[]",	 "[] ",
					     "{",      "[0,",	 "A:",	     "A: ",	 "set",
					     "set ",   "set = ", "print .",  "print ].", "= =",
					     "help -", "- -",	 "save u -", "unset =" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		offered(lines[i]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(verbs),
		TEST(options),
		TEST(values_of_options),
		TEST(sets),
		TEST(settings_and_their_values),
		TEST(objects_and_fields),
		TEST(points_and_constructs),
		TEST(actionpoints_and_words_of_help),
		TEST(through_aliases),
		TEST(odd_lines_are_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
