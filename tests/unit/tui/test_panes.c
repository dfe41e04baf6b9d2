/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tui/core/internal.h"
#include "frontend/tui/core/core.h"

/* Views with names and nothing else. */
#define VIEWS(X) X(source) X(stack) X(points) X(findings) X(log)
#define X(word) const struct view_class view_##word = { .name = #word };
VIEWS(X)
#undef X
static const struct view_class *const views[] = {
#define X(word) &view_##word,
	VIEWS(X)
#undef X
		NULL,
};
const struct view_class *const *view_table = views;

static char dir[] = "/tmp/test_tui_panes.XXXXXX", path[100];

static const struct area screen = { 1, 0, 22, 80 };

static int make_dir(void **state)
{
	assert_non_null(mkdtemp(dir));
	setenv("XDG_CONFIG_HOME", dir, 1);
	snprintf(path, sizeof(path), "%s/dvmdbg/layout", dir);
	return 0;
}

static int remove_dir(void **state)
{
	char inner[100];

	unlink(path);
	snprintf(inner, sizeof(inner), "%s/dvmdbg", dir);
	rmdir(inner);
	return rmdir(dir);
}

static void keep(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void assert_area(struct panes *l, const struct view_class *view, int y, int x, int rows,
			int columns)
{
	const struct pane *p = panes_find(l, view);

	assert_non_null(p);
	assert_true(p->shown);
	assert_int_equal(p->area.y, y);
	assert_int_equal(p->area.x, x);
	assert_int_equal(p->area.rows, rows);
	assert_int_equal(p->area.columns, columns);
}

static void test_columns_where_there_is_room(void **state)
{
	struct panes l;

	panes_load(&l);
	panes_place(&l, (struct area){ 1, 0, 38, 120 });
	assert_area(&l, &view_source, 1, 0, 25, 59);
	assert_area(&l, &view_log, 26, 0, 13, 59);
	assert_area(&l, &view_stack, 1, 60, 13, 60);
	assert_area(&l, &view_points, 14, 60, 25, 60);
	/* else the column of the focus, else what is around it */
	panes_place(&l, screen);
	assert_area(&l, &view_source, 1, 0, 15, 80);
	assert_area(&l, &view_log, 16, 0, 7, 80);
	assert_false(panes_find(&l, &view_points)->shown);
	panes_show(&l, &view_points);
	panes_place(&l, (struct area){ 1, 0, 8, 40 });
	assert_area(&l, &view_points, 1, 0, 8, 40);
	assert_false(panes_find(&l, &view_stack)->shown);
	l.zoom = true;
	panes_place(&l, (struct area){ 1, 0, 38, 120 });
	assert_area(&l, &view_points, 1, 0, 38, 120);
	assert_false(panes_find(&l, &view_source)->shown);
}

static void test_panes_come_and_go(void **state)
{
	struct panes l;

	panes_load(&l);
	assert_int_equal(l.n, 4);
	panes_show(&l, &view_findings); /* takes the place of the focus */
	assert_ptr_equal(l.pane[0].view, &view_findings);
	assert_null(panes_find(&l, &view_source));
	assert_true(panes_split(&l, false));
	assert_ptr_equal(l.pane[l.focus].view, &view_source);
	assert_int_equal(l.pane[l.focus].column, 0);
	assert_false(panes_split(&l, true)); /* none is left */
	panes_turn(&l, 1);
	assert_ptr_equal(l.pane[l.focus].view, &view_stack);
	panes_turn(&l, -1);
	panes_close(&l);
	assert_null(panes_find(&l, &view_source));
	for (int i = 0; i < 10; i++)
		panes_close(&l);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.focus, 0);
}

static void test_heights(void **state)
{
	struct panes l;

	panes_load(&l);
	for (int i = 0; i < 100; i++)
		panes_grow(&l, 1);
	panes_place(&l, screen);
	/* the other keeps what it needs */
	assert_area(&l, &view_source, 1, 0, 17, 80);
	assert_area(&l, &view_log, 18, 0, 5, 80);
	for (int i = 0; i < 100; i++)
		panes_grow(&l, -1);
	panes_place(&l, screen);
	assert_area(&l, &view_source, 1, 0, 5, 80);
}

static void test_it_is_kept(void **state)
{
	struct panes l, again;

	panes_load(&l);
	panes_close(&l);
	panes_show(&l, &view_findings);
	panes_grow(&l, 1);
	panes_save(&l);
	panes_load(&again);
	assert_int_equal(again.n, 3);
	for (size_t i = 0; i < again.n; i++) {
		assert_ptr_equal(again.pane[i].view, l.pane[i].view);
		assert_int_equal(again.pane[i].column, l.pane[i].column);
		assert_int_equal(again.pane[i].weight, l.pane[i].weight);
	}
}

static void test_a_file_that_is_none(void **state)
{
	struct panes l;

	keep("pane 0 10 points\npane 0 10 points\npane 1 99 stack\npane -1 1 log\npane 0 5 "
	     "nothing\n"
	     "pane 3 7 source\nhello\npane 0 1 log\n");
	panes_load(&l);
	assert_int_equal(l.n, 2);
	assert_ptr_equal(l.pane[0].view, &view_points);
	assert_ptr_equal(l.pane[1].view, &view_source);
	assert_int_equal(l.pane[1].weight, 7);
	/* With nothing in it that makes sense: the first layout. */
	keep("nothing of all\n");
	panes_load(&l);
	assert_int_equal(l.n, 4);
	assert_ptr_equal(l.pane[0].view, &view_source);
	assert_ptr_equal(l.pane[1].view, &view_log);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_where_there_is_room),
		cmocka_unit_test(test_panes_come_and_go),
		cmocka_unit_test(test_heights),
		cmocka_unit_test(test_it_is_kept),
		cmocka_unit_test(test_a_file_that_is_none),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
