/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "common/buf.h"
#include "common/rule.h"

static void test_file_matches(void **state)
{
	assert_true(rule_file_matches("heat.c", "heat.c"));
	assert_true(rule_file_matches("heat.c", "/home/a/src/heat.c"));
	assert_true(rule_file_matches("src/heat.c", "/home/a/src/heat.c"));
	assert_true(rule_file_matches("/home/a/src/heat.c", "/home/a/src/heat.c"));
	assert_true(rule_file_matches("heat.c", "./heat.c"));
	assert_false(rule_file_matches("eat.c", "/home/a/src/heat.c"));
	assert_false(rule_file_matches("rc/heat.c", "/home/a/src/heat.c"));
	assert_false(rule_file_matches("/src/heat.c", "/home/a/src/heat.c"));
	assert_false(rule_file_matches("src/heat.c", "heat.c"));
	assert_false(rule_file_matches("heat.c", "/home/heat.c/x"));
	assert_false(rule_file_matches("Heat.c", "heat.c"));
	assert_false(rule_file_matches("", "heat.c"));
	assert_false(rule_file_matches("", ""));
	assert_false(rule_file_matches("heat.c", ""));
}

static struct rule example(void)
{
	return (struct rule){ .id = 7,
			      .kind = RULE_LINE,
			      .count = 100,
			      .point = { 256, 3, 4, POINT_BEGIN },
			      .from = { 12, 0, 0, POINT_END },
			      .line = 61,
			      .vaddr = UINT64_C(0x123456789abc),
			      .file = "src/heat.c" };
}

static void test_rule_wire(void **state)
{
	struct rule in = example(), out;
	struct buf b = BUF_INIT;

	memset(&out, 0xff, sizeof(out));
	rule_put(&in, &b);
	assert_int_equal(rule_get(&out, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(out.id, 7);
	assert_int_equal(out.kind, RULE_LINE);
	assert_int_equal(out.count, 100);
	assert_int_equal(point_compare(&out.point, &in.point), POINT_EQUAL);
	assert_int_equal(point_compare(&out.from, &in.from), POINT_EQUAL);
	assert_int_equal(out.line, 61);
	assert_true(out.vaddr == in.vaddr);
	assert_string_equal(out.file, "src/heat.c");
	for (size_t len = 0; len < b.len; len++) {
		struct buf cut = buf_view(b.data, len);

		assert_int_equal(rule_get(&out, &cut), -1);
	}
	buf_clear(&b);
}

static void test_rule_hostile(void **state)
{
	struct rule in = example(), out;
	struct buf b = BUF_INIT;
	char name[RULE_FILE + 1];

	in.kind = RULE_ADDR + 1;
	rule_put(&in, &b);
	assert_int_equal(rule_get(&out, &b), -1);
	assert_true(b.bad);
	buf_reset(&b);
	in = example();
	in.point.side = 2;
	rule_put(&in, &b);
	assert_int_equal(rule_get(&out, &b), -1);
	/* the longest name fits, one more byte does not */
	memset(name, 'x', sizeof(name));
	name[RULE_FILE] = '\0';
	for (int longer = 0; longer <= 1; longer++) {
		in = example();
		in.file[0] = '\0';
		buf_reset(&b);
		rule_put(&in, &b);
		b.len--; /* another string instead of "" */
		buf_put_str(&b, name + 1 - longer);
		assert_int_equal(rule_get(&out, &b), longer ? -1 : 0);
		assert_int_equal(strlen(out.file), longer ? 0 : RULE_FILE - 1);
	}
	buf_clear(&b);
}

static void test_plan_wire(void **state)
{
	struct plan in = { .gen = 9, .mode = PLAN_TO, .n = 3, .target = { 13, 0, 0, POINT_END } };
	struct plan out;
	struct buf b = BUF_INIT;

	plan_put(&in, &b);
	assert_int_equal(plan_get(&out, &b), 0);
	assert_int_equal(out.gen, 9);
	assert_int_equal(out.mode, PLAN_TO);
	assert_int_equal(out.n, 3);
	assert_int_equal(point_compare(&out.target, &in.target), POINT_EQUAL);
	for (size_t len = 0; len < b.len; len++) {
		struct buf cut = buf_view(b.data, len);

		assert_int_equal(plan_get(&out, &cut), -1);
	}
	buf_reset(&b);
	in.mode = PLAN_TO + 1;
	plan_put(&in, &b);
	assert_int_equal(plan_get(&out, &b), -1);
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_matches),
		cmocka_unit_test(test_rule_wire),
		cmocka_unit_test(test_rule_hostile),
		cmocka_unit_test(test_plan_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
