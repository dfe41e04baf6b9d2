/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/out.h"
#include "frontend/out_text.h"

static char *text;
static size_t text_len;

/* What an answer, written as JSON, looks like as text. */
static const char *shown(const char *answer)
{
	static char copy[8000];
	json_error_t why;
	json_t *o = json_loads(answer, 0, &why);
	FILE *f = open_memstream(&text, &text_len);
	struct out *out = out_create(f, false);

	if (!o)
		fail_msg("%s in %s", why.text, answer);
	out_answer(out, o);
	out_destroy(out);
	fclose(f);
	snprintf(copy, sizeof(copy), "%s", text);
	free(text);
	return copy;
}

static void stops(void **state)
{
	assert_string_equal(
		shown("{\"type\":\"stop\",\"reason\":\"actionpoint\",\"point\":\"3.B\",\"ranks\":"
		      "\"[0:3]\",\"construct\":\"parallel "
		      "loop\",\"file\":\"/a/heat.c\",\"line\":61}"),
		"Point 3.B  [0:3]  parallel loop  heat.c:61\n");
	assert_string_equal(
		shown("{\"type\":\"stop\",\"reason\":\"step\",\"point\":\"4.E\",\"ranks\":\"[0:3]"
		      "\","
		      "\"construct\":\"sequential loop\",\"file\":\"heat.c\",\"line\":52,"
		      "\"iteration\":[2]}"),
		"Iteration 2  [0:3]  sequential loop  heat.c:52\n");
	assert_string_equal(
		shown("{\"type\":\"stop\",\"reason\":\"actionpoint\",\"ranks\":\"[0]\","
		      "\"construct\":\"function\",\"name\":\"main\",\"file\":\"heat.c\","
		      "\"line\":20}"),
		"Function main  [0]  heat.c:20\n");
	assert_string_equal(
		shown("{\"type\":\"stop\",\"reason\":\"signal\",\"signal\":\"SIGSEGV\",\"code\":11,"
		      "\"point\":\"13.B\",\"ranks\":\"[1]\",\"construct\":\"parallel loop\","
		      "\"file\":\"heat.c\",\"line\":61}"),
		"Signal SIGSEGV  [1]  parallel loop  heat.c:61  last point 13.B\n");
	assert_string_equal(shown("{\"type\":\"stop\",\"reason\":\"MPI_Abort\",\"code\":7,"
				  "\"ranks\":\"[1]\"}"),
			    "MPI_Abort(7)  [1]  last point start\n");
}

static void ends(void **state)
{
	assert_string_equal(
		shown("{\"type\":\"exit\",\"ranks\":\"[1]\",\"how\":\"killed\",\"signal\":"
		      "\"SIGKILL\","
		      "\"point\":\"13.B\",\"stack\":[{\"construct\":\"function\",\"name\":\"main\"}"
		      ","
		      "{\"construct\":\"PL\",\"name\":\"main\",\"file\":\"heat.c\",\"line\":61}]}"),
		"Rank [1] was killed by SIGKILL; last seen at 13.B, in PL heat.c:61\n"
		"    in main\n");
	assert_string_equal(shown("{\"type\":\"exit\",\"ranks\":\"[0:3]\",\"how\":\"exited\","
				  "\"code\":0,\"stack\":[]}"),
			    "Ranks [0:3] exited with code 0\n");
	assert_string_equal(
		shown("{\"type\":\"exit\",\"ranks\":\"[12]\",\"how\":\"exited\","
		      "\"code\":3,\"mpi\":\"before MPI_Init\",\"stack\":[]}"),
		"Rank [12] exited with code 3 before MPI_Init; no point had been passed\n");
	assert_string_equal(shown("{\"type\":\"exit\",\"ranks\":\"[0,2]\",\"how\":\"not started\","
				  "\"code\":2,\"text\":\"No such file or directory\"}"),
			    "Ranks [0,2] could not be started: No such file or directory\n");
	assert_string_equal(
		shown("{\"type\":\"waiting\",\"ranks\":\"[3]\",\"state\":\"running\",\"point\":"
		      "\"13.B\",\"seconds\":40}"),
		"[3] running, last seen at 13.B, 40 s ago\n");
}

static void stacks(void **state)
{
	assert_string_equal(
		shown("{\"type\":\"where\",\"ranks\":\"[0:3]\",\"level\":0,\"total\":3,\"frames\":["
		      "{\"index\":0,\"kind\":\"synchronized\",\"ranks\":\"[0:3]\",\"variants\":[{"
		      "\"ranks\":\"[0:3]\",\"construct\":\"PL\",\"file\":\"heat.c\",\"line\":61,"
		      "\"point\":\"3.B\"}]},"
		      "{\"index\":1,\"kind\":\"synchronized\",\"ranks\":\"[0:3]\",\"variants\":[{"
		      "\"ranks\":\"[0:3]\",\"construct\":\"SL\",\"file\":\"heat.c\",\"line\":52,"
		      "\"iteration\":[1]}]},"
		      "{\"index\":2,\"kind\":\"synchronized\",\"ranks\":\"[0:3]\",\"variants\":[{"
		      "\"ranks\":\"[0:3]\",\"construct\":\"function\",\"name\":\"main\",\"file\":"
		      "\"heat.c\",\"line\":20}]}]}"),
		"  0  synchronized    [0:3]  PL  heat.c:61   3.B\n"
		"  1  synchronized    [0:3]  SL  heat.c:52   iteration 1\n"
		"  2  synchronized    [0:3]  main  heat.c:20\n");
	assert_string_equal(
		shown("{\"type\":\"where\",\"ranks\":\"[0:3]\",\"level\":0,\"total\":2,\"frames\":["
		      "{\"index\":0,\"kind\":\"unsynchronized\",\"ranks\":\"[0:3]\",\"variants\":["
		      "{\"ranks\":\"[3]\",\"construct\":\"SL\",\"file\":\"heat.c\",\"line\":52,"
		      "\"iteration\":[1,2]},{\"ranks\":\"[0:2]\",\"construct\":\"SL\",\"file\":"
		      "\"heat.c\",\"line\":52,\"iteration\":[2,2]}]}]}"),
		"  0  unsynchronized  [0:3]\n"
		"       [3]    SL  heat.c:52   iteration (1,2)\n"
		"       [0:2]  SL  heat.c:52   iteration (2,2)\n"
		"1 more frames: where -all\n");
}

static void scalars(void **state)
{
	assert_string_equal(
		shown("{\"type\":\"print\",\"expr\":\"eps\",\"dims\":[],\"groups\":[{\"ranks\":"
		      "\"[0:3]\",\"kind\":\"double\",\"values\":[0.5]}]}"),
		"eps = 0.5\n");
	assert_string_equal(shown("{\"type\":\"print\",\"expr\":\"eps\",\"dims\":[],\"groups\":["
				  "{\"ranks\":\"[3]\",\"kind\":\"double\",\"values\":[0.75]},"
				  "{\"ranks\":\"[0:2]\",\"kind\":\"double\",\"values\":[0.5]}]}"),
			    "eps = <differing>   [3]: 0.75    [0:2]: 0.5\n");
	assert_string_equal(shown("{\"type\":\"print\",\"expr\":\"x\",\"dims\":[],\"groups\":[{"
				  "\"ranks\":\"[0]\",\"kind\":\"double\",\"values\":[\"nan\"]}]}"),
			    "x = nan\n");
	assert_string_equal(
		shown("{\"type\":\"print\",\"expr\":\"n\",\"format\":\"x\",\"dims\":[],"
		      "\"groups\":[{\"ranks\":\"[0]\",\"kind\":\"int\",\"values\":[255]}]}"),
		"n = 0xff\n");
	assert_string_equal(
		shown("{\"type\":\"print\",\"expr\":\"x\",\"format\":\".2f\",\"dims\":[],"
		      "\"groups\":[{\"ranks\":\"[0]\",\"kind\":\"double\",\"values\":["
		      "3.14159]}]}"),
		"x = 3.14\n");
	assert_string_equal(shown("{\"type\":\"print\",\"expr\":\"on\",\"dims\":[],\"groups\":[{"
				  "\"ranks\":\"[0]\",\"kind\":\"bool\",\"values\":[true]}]}"),
			    "on = true\n");
	assert_string_equal(shown("{\"type\":\"print\",\"expr\":\"p\",\"dims\":[],\"groups\":[{"
				  "\"ranks\":\"[0]\","
				  "\"fields\":[{\"name\":\"dt\",\"kind\":\"double\",\"values\":[0."
				  "1]},{\"name\":"
				  "\"v\",\"kind\":\"int\",\"values\":[1,2]}]}]}"),
			    "p = {dt = 0.1, v = {1, 2}}\n");
}

#define ROW                                                                                        \
	"\"dims\":[{\"n\":4,\"first\":498,\"step\":1}],\"groups\":[{\"ranks\":\"[0:3]\",\"kind\":" \
	"\"int\",\"values\":[1,2,null,4]}]"

static void rows(void **state)
{
	assert_string_equal(shown("{\"type\":\"print\",\"expr\":\"u[498:501][3]\"," ROW "}"),
			    "u[498:501][3] = 1 2 ? 4\n");
	assert_string_equal(
		shown("{\"type\":\"print\",\"expr\":\"u\",\"name\":\"u\",\"named\":true,"
		      "\"spelling\":\"[\",\"subscripts\":[null,3]," ROW "}"),
		"u =\nu[498][3] = 1\nu[499][3] = 2\nu[500][3] = ?\nu[501][3] = 4\n");
	assert_string_equal(
		shown("{\"type\":\"print\",\"expr\":\"u\",\"name\":\"u\",\"indexed\":true,"
		      "\"spelling\":\"(\",\"subscripts\":[null,3]," ROW "}"),
		"u =\n(498,3) = 1\n(499,3) = 2\n(500,3) = ?\n(501,3) = 4\n");
	assert_string_equal(shown("{\"type\":\"print\",\"expr\":\"u\"," ROW
				  ",\"notes\":[\"[2] did not answer\"]}"),
			    "u = 1 2 ? 4\n   [2] did not answer\n");
}

static void tables(void **state)
{
	assert_string_equal(
		shown("{\"type\":\"print\",\"expr\":\"u[8:9][{1,30}]\",\"order\":\"C\",\"dims\":["
		      "{\"n\":2,\"first\":8,\"step\":1},{\"n\":2,\"list\":[1,30]}],\"groups\":[{"
		      "\"ranks\":\"[0]\",\"kind\":\"int\",\"values\":[1,200,3,4]}]}"),
		"u[8:9][{1,30}] =\n"
		"       1   30\n"
		"  8    1  200\n"
		"  9    3    4\n");
}

/* Three dimensions: C shows slices of the last two, Fortran of the first two. */
static void slices(void **state)
{
	assert_string_equal(
		shown("{\"type\":\"print\",\"expr\":\"w\",\"order\":\"C\",\"dims\":[{\"n\":2,"
		      "\"first\":0,\"step\":1},{\"n\":1,\"first\":5,\"step\":1},{\"n\":2,\"first\":"
		      "0,"
		      "\"step\":2}],\"groups\":[{\"ranks\":\"[0]\",\"kind\":\"int\",\"values\":[1,"
		      "2,"
		      "3,4]}]}"),
		"w =\n"
		"  [0][*][*]:\n"
		"     0  2\n"
		"  5  1  2\n"
		"  [1][*][*]:\n"
		"     0  2\n"
		"  5  3  4\n");
	assert_string_equal(
		shown("{\"type\":\"print\",\"expr\":\"w\",\"order\":\"F\",\"dims\":[{\"n\":2,"
		      "\"first\":1,\"step\":1},{\"n\":1,\"first\":5,\"step\":1},{\"n\":2,\"first\":"
		      "1,"
		      "\"step\":1}],\"groups\":[{\"ranks\":\"[0]\",\"kind\":\"int\",\"values\":[1,"
		      "2,"
		      "3,4]}]}"),
		"w =\n"
		"  (*,*,1):\n"
		"     5\n"
		"  1  1\n"
		"  2  3\n"
		"  (*,*,2):\n"
		"     5\n"
		"  1  2\n"
		"  2  4\n");
}

static void ctrl_c_cuts_a_table_short(void **state)
{
	const char *table = "{\"type\":\"print\",\"expr\":\"m\",\"dims\":[{\"n\":2,\"first\":0,"
			    "\"step\":1},{\"n\":1,\"first\":0,\"step\":1}],\"groups\":[{\"ranks\":"
			    "\"[0]\",\"kind\":\"int\",\"values\":[7,8]}]}";
	sigset_t set;
	int sig;

	assert_non_null(strstr(shown(table), "1  8\n"));
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGINT);
	assert_null(strstr(shown(table), "1  8\n"));
	assert_non_null(strstr(shown(table), "(cut short)\n"));
	sigwait(&set, &sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	assert_non_null(strstr(shown(table), "1  8\n"));
}

static void unknown_types_and_json(void **state)
{
	struct out *out;
	FILE *f;

	assert_string_equal(shown("{\"type\":\"nothing of the kind\",\"a\":1}"),
			    "{\"type\":\"nothing of the kind\",\"a\":1}\n");
	f = open_memstream(&text, &text_len);
	out = out_create(f, true);
	out_program(out, 1, "a\xff\n", 3);
	out_error_at(out, "x.dbg", 3, "wrong");
	out_set_verbose(out, OUT_ERR);
	out_note(out, "not told");
	out_destroy(out);
	fclose(f);
	assert_string_equal(text, "{\"type\":\"output\",\"stream\":1,\"text\":\"a\xc3\xbf\\n\"}\n"
				  "{\"type\":\"error\",\"file\":\"x.dbg\",\"line\":3,\"text\":"
				  "\"wrong\"}\n");
	free(text);
}

static void output_of_the_program(void **state)
{
	FILE *f = open_memstream(&text, &text_len);
	struct out *out = out_create(f, false);

	out_program(out, 1, "one\ntwo\n\nthree", 14);
	out_hold(out, true);
	out_note(out, "held");
	fflush(f);
	assert_string_equal(text, "| one\n| two\n| \n| three\n");
	out_hold(out, false);
	fflush(f);
	assert_string_equal(text, "| one\n| two\n| \n| three\nheld\n");
	out_destroy(out);
	fclose(f);
	free(text);
}

static const char *folded(const char *line, size_t columns)
{
	static char copy[2000];
	char *out = out_text_fold(line, strlen(line), columns);

	assert_non_null(out);
	snprintf(copy, sizeof(copy), "%s", out);
	free(out);
	return copy;
}

static void long_lines_are_folded(void **state)
{
	assert_string_equal(folded("one two three\n\nfour\n", 13), "one two three\n\nfour\n");
	assert_string_equal(folded("one two three four five\n", 13),
			    "one two three\n  four five\n");
	/* below the text that a label or a dash begins */
	assert_string_equal(folded("  point      2.B; previous correct point 1.E\n", 36),
			    "  point      2.B; previous correct\n             point 1.E\n");
	assert_string_equal(folded("  - look where it is set, and waited for\n", 24),
			    "  - look where it is\n    set, and waited for\n");
	assert_string_equal(folded("->    19  for (;;) { a(); b(); }\n", 24),
			    "->    19  for (;;) {\n          a(); b(); }\n");
	/* what has no blank stays whole; a label is not parted from its text */
	assert_string_equal(folded("abcdefghijklmnop qrs\n", 8), "abcdefghijklmnop\n  qrs\n");
	assert_string_equal(folded("  point      abcdefghijklmnop q\n", 20),
			    "  point      abcdefghijklmnop\n    q\n");
	/* characters count, not bytes; blanks at the end go */
	assert_string_equal(folded("\u00e4\u00f6\u00fc \u00e4\u00f6\u00fc\n", 7),
			    "\u00e4\u00f6\u00fc \u00e4\u00f6\u00fc\n");
	assert_string_equal(folded("one two   three   \n", 9), "one two\n    three\n");
}

static void answers_are_folded_on_a_terminal(void **state)
{
	const char *said = "{\"type\":\"finding\",\"kind\":\"parts\",\"text\":\"an array is not "
			   "dealt out whole\",\"ranks\":\"[0:1]\"}";
	FILE *f = open_memstream(&text, &text_len);
	struct out *out = out_create(f, false);

	out_answer(out, json_loads(said, 0, NULL));
	out_set_columns(out, 40);
	out_answer(out, json_loads(said, 0, NULL));
	out_set_columns(out, 120);
	out_destroy(out);
	fclose(f);
	assert_string_equal(text, "Finding parts  [0:1]  an array is not dealt out whole\n"
				  "Finding parts  [0:1]  an array is not\n"
				  "               dealt out whole\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stops),
		cmocka_unit_test(ends),
		cmocka_unit_test(stacks),
		cmocka_unit_test(scalars),
		cmocka_unit_test(rows),
		cmocka_unit_test(tables),
		cmocka_unit_test(slices),
		cmocka_unit_test(ctrl_c_cuts_a_table_short),
		cmocka_unit_test(unknown_types_and_json),
		cmocka_unit_test(output_of_the_program),
		cmocka_unit_test(long_lines_are_folded),
		cmocka_unit_test(answers_are_folded_on_a_terminal),
	};

	return cmocka_run_group_tests_name("out_text", tests, NULL, NULL);
}
