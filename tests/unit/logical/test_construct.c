/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/logical/construct.h"

static void test_words(void **state)
{
	assert_string_equal(construct_brief(CONSTRUCT_PL), "PL");
	assert_string_equal(construct_words(CONSTRUCT_PL), "parallel loop");
	assert_string_equal(construct_brief(CONSTRUCT_SL), "SL");
	assert_string_equal(construct_words(CONSTRUCT_SL), "sequential loop");
	assert_string_equal(construct_brief(CONSTRUCT_TR), "TR");
	assert_string_equal(construct_words(CONSTRUCT_TR), "task region");
	assert_string_equal(construct_brief(CONSTRUCT_TASK), "task");
	assert_string_equal(construct_words(CONSTRUCT_FUNCTION), "function");
}

static void test_none(void **state)
{
	assert_string_equal(construct_brief(CONSTRUCT_KINDS), "?");
	assert_string_equal(construct_words(CONSTRUCT_KINDS), "?");
	assert_string_equal(construct_brief(UINT32_MAX), "?");
	assert_string_equal(construct_words(255), "?");
	assert_false(construct_numbered(CONSTRUCT_KINDS));
}

static void test_numbered(void **state)
{
	assert_true(construct_numbered(CONSTRUCT_PL));
	assert_true(construct_numbered(CONSTRUCT_TR));
	assert_false(construct_numbered(CONSTRUCT_SL));
	assert_false(construct_numbered(CONSTRUCT_TASK));
	assert_false(construct_numbered(CONSTRUCT_FUNCTION));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_numbered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
