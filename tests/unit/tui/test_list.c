/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/pattern.h"
#include "frontend/tui/core/core.h"

#define ROWS 5

static char drawn[ROWS][200]; /* the text of each row … */
static int styles[ROWS], skips[ROWS], widths[ROWS];
static bool cut[ROWS]; /* … ends in a mark */

/* Stands in for the terminal. */
void screen_text(struct screen *sc, int y, int x, int columns, int style, int skip,
		 const char *text)
{
	assert_in_range(y, 0, ROWS - 1);
	cut[y] = x > 0;
	if (cut[y]) {
		assert_string_equal(text, "…");
		return;
	}
	widths[y] = columns;
	snprintf(drawn[y], sizeof(drawn[y]), "%s", text);
	styles[y] = style;
	skips[y] = skip;
}

static void draw(struct list *l)
{
	list_draw(l, NULL, (struct area){ 0, 0, ROWS, 40 }, true);
}

/* Rows "row 0" … with ids of ten times their number. */
static void fill(struct list *l, int first, int n)
{
	list_begin(l);
	for (int i = first; i < first + n; i++)
		list_add(l, 10 * i, NULL, SAY_BAD "row %d", i);
	list_end(l);
}

static void test_the_cursor_is_always_to_be_seen(void **state)
{
	struct list l = { 0 };

	fill(&l, 0, 20);
	draw(&l);
	assert_string_equal(drawn[0], SAY_BAD "row 0");
	assert_int_equal(styles[0], STYLE_NORMAL | STYLE_CURSOR);
	assert_int_equal(styles[1], STYLE_NORMAL);
	for (int i = 0; i < 6; i++)
		assert_true(list_act(&l, KEY_ACT_DOWN));
	draw(&l);
	assert_string_equal(drawn[4], SAY_BAD "row 6");
	assert_int_equal(styles[4], STYLE_NORMAL | STYLE_CURSOR);
	list_act(&l, KEY_ACT_END);
	draw(&l);
	assert_string_equal(drawn[0], SAY_BAD "row 15");
	assert_int_equal(l.at, 19);
	list_act(&l, KEY_ACT_DOWN);
	assert_int_equal(l.at, 19);
	list_act(&l, KEY_ACT_PAGE_UP);
	draw(&l);
	assert_int_equal(l.at, 15);
	assert_string_equal(drawn[0], SAY_BAD "row 11");
	list_act(&l, KEY_ACT_TOP);
	list_act(&l, KEY_ACT_UP);
	assert_int_equal(l.at, 0);
	list_act(&l, KEY_ACT_RIGHT);
	draw(&l);
	assert_int_equal(skips[0], 8);
	list_act(&l, KEY_ACT_LEFT);
	list_act(&l, KEY_ACT_LEFT);
	draw(&l);
	assert_int_equal(skips[0], 0);
	assert_false(list_act(&l, KEY_ACT_OPEN));
	list_clear(&l);
}

static void test_new_rows_keep_the_cursor(void **state)
{
	struct list l = { 0 };

	fill(&l, 5, 10);
	list_go(&l, 3); /* row 8 */
	draw(&l);
	fill(&l, 0, 20);
	assert_int_equal(list_row(&l)->id, 80);
	draw(&l);
	assert_string_equal(drawn[3], SAY_BAD "row 8");
	/* it is gone: to the end of what is left */
	fill(&l, 0, 3);
	assert_int_equal(list_row(&l)->id, 20);
	fill(&l, 0, 0);
	assert_null(list_row(&l));
	draw(&l);
	assert_string_equal(drawn[0], "");
	list_clear(&l);
}

static void test_a_log_follows_and_forgets(void **state)
{
	struct list l = { .follow = true, .most = 8 };

	list_add_lines(&l, -1, SAY_DIM, "one\n\ntwo\033[31m\nthree");
	assert_int_equal(l.n, 4);
	assert_string_equal(l.row[1].text, SAY_DIM);
	assert_string_equal(l.row[2].text, SAY_DIM "two");
	assert_int_equal(l.at, 3);
	list_act(&l, KEY_ACT_UP);
	list_add_lines(&l, -1, "", "four");
	assert_int_equal(l.at, 2); /* moved away it stays */
	list_act(&l, KEY_ACT_END);
	for (int i = 0; i < 100; i++)
		list_add(&l, -1, NULL, "%d", i);
	assert_in_range(l.n, 6, 8);
	assert_int_equal(l.n + l.dropped, 105); /* it knows how many it has forgotten */
	assert_string_equal(list_row(&l)->text, "99");
	list_clear(&l);
}

static void test_a_row_that_is_cut_tells_so(void **state)
{
	struct list l = { 0 };

	list_add(&l, 0, NULL, SAY_BAD "%040d", 1);
	list_add(&l, 1, NULL, SAY_BAD "%041d", 2);
	draw(&l);
	assert_false(cut[0]);
	assert_int_equal(widths[0], 40);
	assert_true(cut[1]);
	assert_int_equal(widths[1], 39);
	list_act(&l, KEY_ACT_RIGHT);
	draw(&l);
	assert_false(cut[1]);
	list_clear(&l);
}

static void test_long_rows_of_a_log_are_folded(void **state)
{
	struct list l = { .follow = true, .wrap = true };

	for (int i = 0; i < 4; i++)
		list_add(&l, i, NULL, "row %d", i);
	/* 38 cells, then a word that has no room: three rows */
	list_add(&l, 4, NULL, SAY_BAD "%038d behind it and more than one row of it: %d more", 4, 4);
	draw(&l);
	assert_int_equal(l.top, 2);
	assert_int_equal(l.shown, 3);
	assert_string_equal(drawn[1], "row 3");
	assert_int_equal(skips[2], 0);
	assert_int_equal(widths[2], 39); /* with the blank behind it */
	assert_int_equal(skips[3], 39);
	assert_int_equal(widths[3], 40);
	assert_int_equal(skips[4], 80);
	assert_int_equal(styles[4], STYLE_NORMAL | STYLE_CURSOR);
	list_click(&l, 1);
	assert_int_equal(l.at, 3);
	list_click(&l, 4);
	assert_int_equal(l.at, 4);
	list_act(&l, KEY_ACT_PAGE_UP);
	draw(&l);
	assert_int_equal(l.at, 2);
	assert_int_equal(l.top, 0);
	/* above the last one there is room for a part of a row that does not fit whole */
	list_act(&l, KEY_ACT_END);
	for (int i = 0; i < 3; i++)
		list_add(&l, -1, NULL, "short");
	draw(&l);
	assert_int_equal(l.top, 5);
	assert_int_equal(l.part, 2);
	assert_int_equal(skips[0], 39);
	assert_int_equal(skips[1], 80);
	assert_string_equal(drawn[2], "short");
	list_click(&l, 1);
	assert_int_equal(l.at, 4);
	list_click(&l, 3);
	assert_int_equal(l.at, 6);
	/* one that is higher than the view: from its beginning */
	list_add(&l, 5, NULL, "%0300d", 5);
	list_act(&l, KEY_ACT_END);
	draw(&l);
	assert_int_equal(l.top, 8);
	assert_int_equal(l.shown, 1);
	assert_int_equal(skips[4], 160);
	list_clear(&l);
}

static void test_search_goes_round(void **state)
{
	struct search *p = search_create("row (3|11)$", NULL);
	struct list l = { 0 };

	fill(&l, 0, 20);
	assert_true(list_find(&l, p, 1));
	assert_int_equal(l.at, 3);
	assert_true(list_find(&l, p, 1));
	assert_int_equal(l.at, 11);
	draw(&l);
	assert_int_equal(styles[l.at - l.top], STYLE_CURSOR | STYLE_FOUND);
	assert_true(list_find(&l, p, 1));
	assert_int_equal(l.at, 3);
	assert_true(list_find(&l, p, -1));
	assert_int_equal(l.at, 11);
	search_destroy(p);
	/* styles are no text */
	p = search_create("^row 0$", NULL);
	assert_true(list_find(&l, p, 1));
	assert_int_equal(l.at, 0);
	search_destroy(p);
	p = search_create("none", NULL);
	assert_false(list_find(&l, p, 1));
	assert_int_equal(l.at, 0);
	search_destroy(p);
	list_clear(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_cursor_is_always_to_be_seen),
		cmocka_unit_test(test_new_rows_keep_the_cursor),
		cmocka_unit_test(test_a_log_follows_and_forgets),
		cmocka_unit_test(test_a_row_that_is_cut_tells_so),
		cmocka_unit_test(test_long_rows_of_a_log_are_folded),
		cmocka_unit_test(test_search_goes_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
