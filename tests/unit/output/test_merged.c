/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks print: cut into lines, equal ones of several ranks shown once, the order of each rank
 * kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/output/merged.h"
#include "frontend/util/loop.h"

#define RANKS 4

static struct loop *loop;
static struct merged *m;
static char shown[100000]; /* "[0:3]1 text" a line: who, stream, text, "/" where it is not ended */
static char logged[100000];

static void put(char *to, size_t size, const char *who, int stream, const char *text, size_t len)
{
	size_t used = strlen(to);
	bool ended = len && text[len - 1] == '\n';

	snprintf(to + used, size - used, "%s%d %.*s%s\n", who, stream, (int)(len - ended), text,
		 ended ? "" : "/");
}

static void line(void *arg, int stream, const char *text, size_t len)
{
	put(logged, sizeof(logged), "", stream, text, len);
}

static void lines(void *arg, const struct rankset *ranks, int stream, const char *text, size_t len)
{
	char who[80];

	put(shown, sizeof(shown), rankset_format(ranks, who, sizeof(who)), stream, text, len);
}

static int set_up(void **state)
{
	static const struct merged_watch watch = { .line = line, .lines = lines };

	shown[0] = logged[0] = '\0';
	m = merged_create(loop, &watch);
	return 0;
}

static int tear_down(void **state)
{
	merged_destroy(m);
	return 0;
}

static void take_on(uint32_t lo, uint32_t hi, int stream, const char *text)
{
	struct rankset who = { 0 };

	rankset_add(&who, lo, hi);
	merged_take(m, &who, RANKS, stream, text, strlen(text));
	rankset_clear(&who);
}

static void take(uint32_t lo, uint32_t hi, const char *text)
{
	take_on(lo, hi, 1, text);
}

/* Turns the loop until something more is shown, two seconds at most. */
static void wait_for_more(void)
{
	size_t before = strlen(shown);
	int64_t until = loop_now() + 2000;

	while (strlen(shown) == before && loop_now() < until)
		loop_turn(loop, 20);
}

static void what_all_have_printed_is_shown_at_once(void **state)
{
	take(0, 0, "hello\n");
	take(2, 3, "hello\n");
	assert_string_equal(shown, "");
	take(1, 1, "hello\n");
	assert_string_equal(shown, "[0:3]1 hello\n");
	/* a log has each rank's */
	assert_string_equal(logged, "1 hello\n1 hello\n1 hello\n1 hello\n");
}

static void the_others_are_waited_for_a_moment(void **state)
{
	take(1, 2, "only two\n");
	take(3, 3, "only one\n");
	assert_string_equal(shown, "");
	wait_for_more();
	wait_for_more();
	assert_string_equal(shown, "[1:2]1 only two\n[3]1 only one\n");
	/* too late for those */
	take(0, 0, "only two\n");
	merged_flush(m);
	assert_string_equal(shown, "[1:2]1 only two\n[3]1 only one\n[0]1 only two\n");
}

static void each_rank_keeps_its_order(void **state)
{
	take(0, 0, "a\nb\n");
	take(1, 1, "b\na\n");
	merged_flush(m);
	/* b of rank 1 joins that of rank 0; its a comes behind and cannot join the first */
	assert_string_equal(shown, "[0]1 a\n[0:1]1 b\n[1]1 a\n");
}

static void equal_lines_of_one_rank_are_two(void **state)
{
	take(0, 1, "x\n");
	take(0, 0, "x\n");
	merged_flush(m);
	assert_string_equal(shown, "[0:1]1 x\n[0]1 x\n");
}

static void streams_are_not_mixed(void **state)
{
	take(0, 0, "same\n");
	take_on(1, 1, 2, "same\n");
	take_on(0, 0, 2, "un");
	take(0, 0, "other\n");
	take_on(0, 0, 2, "til\n");
	merged_flush(m);
	assert_string_equal(shown, "[0]1 same\n[1]2 same\n[0]1 other\n[0]2 until\n");
}

static void a_line_in_pieces_is_one(void **state)
{
	take(0, 3, "one ");
	take(0, 0, "line\n");
	take(1, 3, "li");
	assert_string_equal(shown, "");
	take(1, 3, "ne\nmore");
	assert_string_equal(shown, "[0:3]1 one line\n");
	assert_string_equal(logged, "1 one line\n1 one line\n1 one line\n1 one line\n");
}

static void what_is_not_ended_is_shown_when_it_is_quiet(void **state)
{
	int64_t before = loop_now();

	take(2, 2, "name? ");
	wait_for_more();
	assert_string_equal(shown, "[2]1 name? /\n");
	assert_true(loop_now() - before >= 150);
	take(2, 2, "\n");
	merged_flush(m);
	assert_string_equal(shown, "[2]1 name? /\n[2]1 \n");
	take(0, 3, "the end");
	merged_end(m);
	assert_string_equal(shown, "[2]1 name? /\n[2]1 \n[0:3]1 the end/\n");
}

/* A rank that prints much does not wait with all of it for others, and a line without an end is
 * cut. */
static void much_does_not_wait(void **state)
{
	static char text[70000];

	for (int i = 0; i < 2001; i++)
		take(1, 1, "x\n");
	assert_true(strlen(shown) > 1000 * strlen("[1]1 x\n"));
	merged_flush(m);
	assert_int_equal(strlen(shown), 2001 * strlen("[1]1 x\n"));
	shown[0] = '\0';
	memset(text, 'y', sizeof(text) - 1);
	take(0, 0, text);
	merged_flush(m);
	assert_true(strlen(shown) >= 65536);
}

static void what_has_no_bytes_is_no_line(void **state)
{
	take(0, 3, "");
	merged_end(m);
	merged_destroy(NULL);
	assert_string_equal(shown, "");
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_all_have_printed_is_shown_at_once),
		T(the_others_are_waited_for_a_moment),
		T(each_rank_keeps_its_order),
		T(equal_lines_of_one_rank_are_two),
		T(streams_are_not_mixed),
		T(a_line_in_pieces_is_one),
		T(what_is_not_ended_is_shown_when_it_is_quiet),
		T(much_does_not_wait),
		T(what_has_no_bytes_is_no_line),
	};
	int rc;

	loop = loop_create(NULL);
	if (!loop)
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	loop_destroy(loop);
	return rc;
}
