/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "frontend/tui/core/core.h"
#include "frontend/tui/screen/screen.h"

static const char *verb_of(int first, int code, const char *view)
{
	const struct key *k = key_find(first, code, view);

	return k && k->verb ? k->verb : "";
}

static void test_a_view_has_keys_of_its_own(void **state)
{
	assert_string_equal(verb_of(0, 's', "source"), "step");
	assert_string_equal(verb_of(0, 's', "points"), "start");
	assert_string_equal(verb_of(0, 'f', "stack"), "step -finish");
	assert_string_equal(verb_of(0, 'f', "points"), "finish");
	assert_string_equal(verb_of(0, ' ', "points"), "step");
	assert_int_equal(key_find(0, ' ', "stack")->action, KEY_ACT_FOLD);
	assert_null(key_find(0, ' ', "log"));
	assert_string_equal(verb_of(0, 'r', "points"), "rerun");
}

static void test_names_of_keys(void **state)
{
	assert_int_equal(key_find(0, SCREEN_DOWN, "log")->action, KEY_ACT_DOWN);
	assert_int_equal(key_find(0, 'j', "log")->action, KEY_ACT_DOWN);
	assert_int_equal(key_find(0, SCREEN_PGUP, "log")->action, KEY_ACT_PAGE_UP);
	assert_int_equal(key_find(0, 'b' & 0x1f, "log")->action, KEY_ACT_PAGE_UP);
	assert_int_equal(key_find(0, '\t', "log")->action, KEY_ACT_PANE_NEXT);
	/* Enter comes as either */
	assert_int_equal(key_find(0, '\r', "points")->action, KEY_ACT_OPEN);
	assert_int_equal(key_find(0, '\n', "points")->action, KEY_ACT_OPEN);
	assert_null(key_find(0, SCREEN_OTHER, "points"));
}

static void test_two_after_one_another(void **state)
{
	assert_true(key_begins('w' & 0x1f));
	assert_true(key_begins('x' & 0x1f));
	assert_false(key_begins('w'));
	assert_int_equal(key_find('w' & 0x1f, 's', "points")->action, KEY_ACT_SPLIT);
	assert_string_equal(verb_of('x' & 0x1f, 'a', "log"), "tui");
	assert_null(key_find('w' & 0x1f, 'b', "source"));
}

/* No key of a view, or of all, is there twice: the second would never be found. */
static void test_each_key_is_found(void **state)
{
	for (const struct key *k = key_table; k->help; k++)
		for (const struct key *o = key_table; k->keys && o < k; o++)
			if (o->keys && !strcmp(o->keys, k->keys) &&
			    (o->view == k->view ||
			     (o->view && k->view && !strcmp(o->view, k->view))))
				fail_msg("%s is there twice", k->keys);
	for (const struct key *k = key_table; k->help; k++)
		if (k->keys && k->action == KEY_ACT_NONE)
			assert_non_null(k->verb);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_view_has_keys_of_its_own),
		cmocka_unit_test(test_names_of_keys),
		cmocka_unit_test(test_two_after_one_another),
		cmocka_unit_test(test_each_key_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
