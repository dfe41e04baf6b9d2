/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "common/logical/thread_set.h"

static void put(struct thread_set *s, uint32_t lo, uint32_t hi, uint32_t first, uint32_t last)
{
	assert_int_equal(thread_set_add(s, &(struct thread_part){ lo, hi, first, last, true }), 0);
}

static void test_members(void **state)
{
	struct thread_set s = { 0 };
	struct rankset ranks = { 0 };
	char text[40];

	put(&s, 0, 3, 1, 2);
	assert_true(thread_set_has(&s, 3, 2) && thread_set_has(&s, 0, 1));
	assert_false(thread_set_has(&s, 3, 0) || thread_set_has(&s, 3, 3) ||
		     thread_set_has(&s, 4, 1));
	assert_int_equal(thread_set_greatest(&s), 2);
	put(&s, 5, 5, 2, THREAD_LAST);
	assert_int_equal(thread_set_greatest(&s), THREAD_LAST);
	assert_true(thread_set_has(&s, 5, 700));
	rankset_add(&ranks, 2, 6);
	assert_int_equal(thread_set_only(&s, 2, &ranks), 0);
	assert_string_equal(rankset_format(&ranks, text, sizeof(text)), "[2:3,5]");
	assert_int_equal(thread_set_only(&s, 0, &ranks), 0);
	assert_int_equal(ranks.n, 0);
	assert_true(thread_set_meets(&s, &(struct thread_part){ 3, 9, 0, 1, true }));
	assert_false(thread_set_meets(&s, &(struct thread_part){ 4, 9, 0, 1, true }));
	rankset_clear(&ranks);
	thread_set_clear(&s);
}

static void test_whole_ranks(void **state)
{
	struct thread_set s = { 0 };
	struct rankset ranks = { 0 };
	char text[40];

	rankset_add(&ranks, 0, 1);
	rankset_add(&ranks, 4, 4);
	assert_int_equal(thread_set_add_ranks(&s, &ranks), 0);
	assert_false(thread_set_names(&s));
	assert_true(thread_set_has(&s, 4, 9));
	assert_string_equal(thread_set_format(&s, text, sizeof(text)), "[0:1,4]");
	put(&s, 7, 7, 0, THREAD_LAST);
	assert_true(thread_set_names(&s));
	assert_string_equal(thread_set_format(&s, text, sizeof(text)), "[0:1,4,7.*]");
	rankset_clear(&ranks);
	thread_set_clear(&s);
}

static void test_text_is_cut(void **state)
{
	struct thread_set s = { 0 };
	char text[16];

	for (uint32_t i = 0; i < 9; i++)
		put(&s, i, i, 1, 1);
	thread_set_format(&s, text, sizeof(text));
	assert_true(strlen(text) < sizeof(text));
	assert_string_equal(text, "[0.1,1.1...]");
	thread_set_clear(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_whole_ranks),
		cmocka_unit_test(test_text_is_cut),
	};

	return cmocka_run_group_tests_name("thread_set", tests, NULL, NULL);
}
