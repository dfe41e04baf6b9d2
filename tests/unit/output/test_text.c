/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/render/render.h"
#include "frontend/output/output.h"
#include "frontend/output/format.h"
#include "frontend/output/text.h"

static char *text, whole_answer[1000];
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
		shown("{\"type\":\"stop\",\"point\":\"3.B\",\"ranks\":\"[1]\",\"construct\":"
		      "\"parallel loop\",\"file\":\"heat.c\",\"line\":61,\"actionpoints\":[0,12],"
		      "\"held\":true}"),
		"Point 3.B  [1]  parallel loop  heat.c:61  actionpoints 0,12  held\n");
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

	out_program(out, 1, "one\ntwo\n\nthr", 12);
	out_program(out, 1, "ee", 2);
	out_hold(out, true);
	out_note(out, "held");
	fflush(f);
	assert_string_equal(text, "one\ntwo\n\nthree");
	out_hold(out, false);
	fflush(f);
	assert_string_equal(text, "one\ntwo\n\nthree\nheld\n");
	out_destroy(out);
	fclose(f);
	free(text);
}

static ssize_t disk_full(void *cookie, const char *bytes, size_t n)
{
	errno = ENOSPC;
	return 0;
}

static void output_of_the_program_in_files(void **state)
{
	FILE *f = open_memstream(&text, &text_len), *full, *file;
	struct out *out = out_create(f, false);
	char *kept;
	size_t len;

	out_set_errors(out, NULL, "");
	file = open_memstream(&kept, &len);
	full = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = disk_full });
	out_set_program(out, full, file);
	out_program(out, 1, "one\n", 4);
	out_program(out, 1, "two\n", 4);
	out_program(out, 2, "three", 5);
	out_set_program(out, NULL, file);
	out_program(out, 2, "four\n", 5);
	out_program(out, 1, "five\n", 5);
	fflush(f);
	assert_string_equal(text, "warning: the program's standard output cannot be written to its "
				  "file: No space left on device; later output is lost\nfive\n");
	assert_string_equal(kept, "threefour\n");
	fclose(full);
	fclose(file);
	free(kept);
	out_destroy(out);
	fclose(f);
	free(text);
}

/* An answer of that type with a list of so many entries. */
static const char *listed(const char *type, const char *entry, int n, const char *more)
{
	static char answer[8000];
	size_t used = (size_t)snprintf(answer, sizeof(answer), "{\"type\":\"%s\"%s,\"list\":[",
				       type, more);

	for (int i = 0; i < n; i++)
		used += (size_t)snprintf(answer + used, sizeof(answer) - used, "%s%s", i ? "," : "",
					 entry);
	snprintf(answer + used, sizeof(answer) - used, "]}");
	return shown(answer);
}

static void lists_end_where_nothing_pages(void **state)
{
	static const char action[] = "{\"id\":7,\"location\":\"3.B\",\"enabled\":true}";
	static const char object[] =
		"{\"name\":\"n\",\"kind\":\"int\",\"held\":\"replicated\",\"ranks\":\"[0]\"}";
	static const char set[] = "{\"name\":\"a\",\"text\":\"0\",\"ranks\":\"[0]\"}";
	static const char one[] = "actionpoint 7: 3.B\n";
	char whole[400], want[400];

	out_text_limit(2, 3);
	snprintf(whole, sizeof(whole), "%s%s%s", one, one, one);
	assert_string_equal(listed("actions", action, 3, ""), whole);
	snprintf(want, sizeof(want), "%s... 2 more actionpoints: actions -all\n", whole);
	assert_string_equal(listed("actions", action, 5, ""), want);
	snprintf(want, sizeof(want), "%s... 1 more\n4 actionpoints deleted\n", whole);
	assert_string_equal(listed("actions", action, 4, ",\"deleted\":4"), want);
	snprintf(want, sizeof(want), "%s%s", whole, one);
	assert_string_equal(listed("actions", action, 4, ",\"all\":true"), want);
	assert_non_null(strstr(listed("what", object, 9, ""), "\n... 6 more objects: what -all\n"));
	assert_non_null(strstr(listed("sets", set, 4, ""), "\n... 1 more set: viewset -all\n"));
	assert_non_null(strstr(listed("findings", "{\"kind\":\"x\"}", 5, ""),
			       "\n... 2 more findings: findings -all\n"));
	assert_non_null(strstr(listed("sums", "{\"name\":\"u\"}", 5, ""),
			       "\n... 2 more arrays: sums -all\n"));
	assert_string_equal(listed("aliases", "{\"name\":\"a\",\"text\":\"b\"}", 5, ""),
			    "a  b\na  b\na  b\n... 2 more: set MAX_LIST = 5 shows all\n");
	assert_non_null(strstr(listed("differ", "{\"expr\":\"a\"}", 5, ""),
			       "... 2 more objects: differ -all\n"));
	snprintf(whole_answer, sizeof(whole_answer), "{\"type\":\"search\",\"groups\":[%s]}",
		 "{\"in\":\"a\",\"total\":1,\"shown\":1},{\"in\":\"b\",\"total\":1,\"shown\":1},"
		 "{\"in\":\"c\",\"total\":1,\"shown\":1},{\"in\":\"d\",\"total\":1,\"shown\":1}");
	assert_string_equal(shown(whole_answer),
			    "a: 1\nb: 1\nc: 1\n... 1 more: set MAX_LIST = 4 shows all\n");
	/* those of ranks */
	assert_string_equal(listed("whichsets", "{\"ranks\":\"[0]\",\"sets\":[\"a\"]}", 4, ""),
			    "[0]  a\n[0]  a\n... 2 more groups: whichsets -all\n");
	assert_non_null(strstr(listed("halo", "{\"array\":\"u\"}", 5, ",\"elements\":9"),
			       "\n  ... 3 more rows: halo -all\n"));
	/* what there is a fixed number of */
	assert_null(strstr(listed("info", "{\"name\":\"a\",\"text\":\"b\"}", 9, ""), "more"));
	out_text_limit(20, 20);
}

static void lists_go_on_where_they_scroll(void **state)
{
	json_t *o = json_pack("{s:s s:[{s:s s:s},{s:s s:s}]}", "type", "aliases", "list", "name",
			      "a", "text", "b", "name", "c", "text", "d");
	char *got;

	out_text_limit(2, 1);
	got = out_render(o);
	assert_string_equal(got, "a  b\nc  d\n");
	free(got);
	json_decref(o);
	out_text_limit(20, 20);
}

static void long_sets_are_cut(void **state)
{
	char set[400] = "[0";

	for (int i = 2; i < 200; i += 2)
		snprintf(set + strlen(set), sizeof(set) - strlen(set), ",%d", i);
	strcat(set, "]");
	snprintf(whole_answer, sizeof(whole_answer),
		 "{\"type\":\"actionpoint\",\"id\":1,\"location\":\"3.B\",\"enabled\":true,"
		 "\"kind\":\"barrier\",\"held\":\"%s\",\"missing\":\"[1]\",\"set\":\"odd\"}",
		 set);
	assert_string_equal(shown(whole_answer),
			    "barrier 1: 3.B, for odd, holds [0,2,4,6,8,10,12,14,16,18,20,22,...] "
			    "(100), waits for [1]\n");
	snprintf(whole_answer, sizeof(whole_answer),
		 "{\"type\":\"vote\",\"id\":1,\"location\":\"3.B\",\"condition\":\"x\",\"true\":"
		 "\"%s\",\"false\":\"[1]\"}",
		 set);
	assert_string_equal(shown(whole_answer),
			    "Actionpoint 1, 3.B: x differs: true on "
			    "[0,2,4,6,8,10,12,14,16,18,20,22,...] (100), false on [1]\n");
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
			   "distributed correctly\",\"ranks\":\"[0:1]\"}";
	FILE *f = open_memstream(&text, &text_len);
	struct out *out = out_create(f, false);

	out_answer(out, json_loads(said, 0, NULL));
	out_set_columns(out, 40);
	out_answer(out, json_loads(said, 0, NULL));
	out_set_columns(out, 120);
	out_destroy(out);
	fclose(f);
	assert_string_equal(text, "Finding parts  [0:1]  an array is not distributed correctly\n"
				  "Finding parts  [0:1]  an array is not\n"
				  "               distributed correctly\n");
	free(text);
}

/* Programs that read the answer are told that there is nothing only when there is nothing. */
static void lists(void **state)
{
	json_t *o = out_json_list("aliases", json_array(), "no aliases");

	assert_string_equal(json_string_value(json_object_get(o, "text")), "no aliases");
	json_decref(o);
	o = out_json_list("aliases", json_pack("[{s:s}]", "name", "b"), "no aliases");
	assert_null(json_object_get(o, "text"));
	assert_int_equal(json_array_size(json_object_get(o, "list")), 1);
	json_decref(o);
}

/* A number in a form of `print -format`. */
static const char *formed(const char *form, unsigned type, struct value v)
{
	static char out[VALUE_TEXT];
	struct out_format f;

	assert_int_equal(out_format_parse(form, &f, NULL), 0);
	return out_format_value(&f, type, &v, out);
}

/* Never a part of a number, and no integer where there is none. */
static void formats(void **state)
{
	struct value v = { .class = VALUE_IS_REAL, .re = -2.5, .im = 1e300 };

	assert_string_equal(formed("d", VALUE_DOUBLE, v), "-2");
	assert_string_equal(formed(".3f", VALUE_DOUBLE, v), "-2.500");
	v.re = 1e300;
	assert_string_equal(formed("d", VALUE_DOUBLE, v), "1.0000000000000001e+300");
	assert_string_equal(formed(".3f", VALUE_DOUBLE, v), "1.0000000000000001e+300");
	assert_string_equal(formed("u", VALUE_DOUBLE, v), "1.0000000000000001e+300");
	v.re = -1 / 0.0;
	assert_string_equal(formed("d", VALUE_DOUBLE, v), "-inf");
	assert_string_equal(formed("c", VALUE_DOUBLE, v), "-inf");
	assert_string_equal(formed(".3f", VALUE_DOUBLE, v), "-inf");
	v.re = -9.5e17;
	assert_string_equal(formed("d", VALUE_DOUBLE, v), "-950000000000000000");
	assert_string_equal(formed("f7.1", VALUE_DOUBLE, v), "-950000000000000000.0");
	v = (struct value){ .class = VALUE_IS_COMPLEX, .re = 1, .im = -1e-300 };
	assert_string_equal(formed(".40e", VALUE_DCOMPLEX, v),
			    "(1.0000000000000000e+00, -1.0000000000000000e-300)");
	assert_string_equal(formed("e12.4E3", VALUE_DCOMPLEX, v), "(1.0000e+000, -1.0000e-300)");
	assert_string_equal(formed("b", VALUE_DCOMPLEX, v),
			    "(0x3ff0000000000000, 0x81a56e1fc2f8f359)");
	v = (struct value){ .class = VALUE_IS_INT, .i = -1 };
	assert_string_equal(formed("x", VALUE_INT, v), "0xffffffff");
	assert_int_equal(strlen(formed("b", VALUE_LONG, v)), 66);
}

static char *cleaned(const char *dirty, bool json)
{
	size_t size = 0;
	char *clean = out_text_clean(dirty, strlen(dirty), json, &size);

	assert_true(!clean || size == strlen(clean));
	return clean;
}

static void control_characters_are_shown(void **state)
{
	const struct {
		const char *dirty, *clean, *json;
	} t[] = {
		{ "a\033[31mb\n", "a\\x1b[31mb\n", "a\\u001b[31mb\n" },
		{ "\a\177\r", "\\x07\\x7f\\x0d", "\\u0007\\u007f\\u000d" },
		{ "\302\233m", "\\x9bm", "\\u009bm" }, /* as UTF-8 */
		{ "\233m", "\\x9bm", "\\u009bm" },     /* and alone */
		{ "\343\201\302\233", "\343\\x81\\x9b", "\343\\u0081\\u009b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		char *clean = cleaned(t[i].dirty, false), *json = cleaned(t[i].dirty, true);

		assert_string_equal(clean, t[i].clean);
		assert_string_equal(json, t[i].json);
		free(json);
		free(clean);
	}
	assert_null(cleaned("tab\t, \303\233, \342\202\233 and \360\237\230\200\n", false));
}

/* Whatever a name, a message or a line of a file has in it. */
static void answers_have_no_control_characters(void **state)
{
	FILE *f = open_memstream(&text, &text_len);
	struct out *out = out_create(f, false);

	(void)state;
	out_set_errors(out, f, "dvmdbg: ");
	out_error(out, "%s", "no file \033]0;x\a");
	out_note(out, "%s", "\033[2J");
	out_answer(out, json_pack("{s:s s:s}", "type", "warning", "text", "b\033"));
	out_destroy(out);
	fclose(f);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "dvmdbg: no file \\x1b]0;x\\x07\n\\x1b[2J\n"));
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
		cmocka_unit_test(output_of_the_program_in_files),
		cmocka_unit_test(lists_end_where_nothing_pages),
		cmocka_unit_test(lists_go_on_where_they_scroll),
		cmocka_unit_test(long_sets_are_cut),
		cmocka_unit_test(long_lines_are_folded),
		cmocka_unit_test(answers_are_folded_on_a_terminal),
		cmocka_unit_test(lists),
		cmocka_unit_test(formats),
		cmocka_unit_test(control_characters_are_shown),
		cmocka_unit_test(answers_have_no_control_characters),
	};

	render_use();
	return cmocka_run_group_tests_name("out_text", tests, NULL, NULL);
}
