/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "common/core/buf.h"
#include "common/protocol/trace_config.h"
#include "common/protocol/rule.h"

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

/* Whether sums are taken at the point when they are from start to finish ("": open). */
static bool open_at(const char *start, const char *finish, const char *point)
{
	struct trace_config g = { .level = TRACE_CONFIG_CHECKSUM };
	struct point p;
	bool open;

	assert_int_equal(point_parse(&p, point, NULL), 0);
	if (*start)
		assert_int_equal(point_parse(&g.start, start, NULL), 0);
	if (*finish)
		assert_int_equal(point_parse(&g.finish, finish, NULL), 0);
	open = trace_config_open(&g, &p);
	g.level = TRACE_CONFIG_NONE;
	assert_false(trace_config_open(&g, &p));
	return open;
}

static void test_trace_config_open(void **state)
{
	assert_true(open_at("", "", "1.B"));
	assert_true(open_at("", "", "7.2.1.E"));
	assert_true(open_at("3.B", "", "3.B"));
	assert_false(open_at("3.E", "", "3.B"));
	assert_true(open_at("3.E", "", "4.B"));
	assert_true(open_at("", "3.E", "3.E"));
	assert_false(open_at("", "3.E", "4.B"));
	assert_true(open_at("2.E", "4.B", "3.1.2.B"));
	assert_false(open_at("2.E", "4.B", "2.B"));
	assert_false(open_at("2.E", "4.B", "4.E"));
}

static void test_trace_config_open_in_tasks(void **state)
{
	/* a region that the interval begins or ends with is inside with all its tasks */
	assert_true(open_at("7.B", "7.E", "7.2.1.E"));
	assert_false(open_at("7.E", "", "7.2.1.E"));
	assert_false(open_at("", "7.B", "7.2.1.E"));
	/* a point inside a task is one for that task only */
	assert_true(open_at("7.2.3.B", "", "7.2.3.B"));
	assert_false(open_at("7.2.3.B", "", "7.2.2.E"));
	assert_true(open_at("7.2.3.B", "", "7.2.4.B"));
	assert_false(open_at("7.2.3.B", "", "7.1.4.B"));
	assert_false(open_at("", "7.2.3.E", "7.3.1.B"));
	assert_true(open_at("7.2.3.B", "", "7.E"));
	assert_true(open_at("7.2.3.B", "", "8.1.1.B"));
	assert_true(open_at("", "7.2.3.E", "7.B"));
	assert_true(open_at("7.2.3.B", "7.2.5.E", "7.2.4.E"));
	assert_false(open_at("7.2.3.B", "7.2.5.E", "7.2.6.B"));
}

static void test_trace_config_wire(void **state)
{
	struct trace_config in = { .level = TRACE_CONFIG_CHECKSUM,
				   .reads = 1,
				   .drop = 1,
				   .start = { 5, 0, 0, POINT_END },
				   .finish = { 9, 2, 1, POINT_BEGIN } },
			    out;
	struct buf b = BUF_INIT;

	trace_config_put(&in, &b);
	assert_int_equal(trace_config_get(&out, &b), 0);
	assert_int_equal(out.level, TRACE_CONFIG_CHECKSUM);
	assert_true(out.reads && out.drop && !out.hold);
	assert_int_equal(point_compare(&out.start, &in.start), POINT_EQUAL);
	assert_int_equal(point_compare(&out.finish, &in.finish), POINT_EQUAL);
	for (size_t len = 0; len < b.len; len++) {
		struct buf cut = buf_view(b.data, len);

		assert_int_equal(trace_config_get(&out, &cut), -1);
		assert_int_equal(out.level, TRACE_CONFIG_NONE);
	}
	for (size_t i = 0; i < 4; i++) {
		struct buf bad = buf_view(b.data, b.len);

		b.data[i] += 2;
		assert_int_equal(trace_config_get(&out, &bad), -1);
		b.data[i] -= 2;
	}
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_matches),
		cmocka_unit_test(test_rule_wire),
		cmocka_unit_test(test_rule_hostile),
		cmocka_unit_test(test_plan_wire),
		cmocka_unit_test(test_trace_config_open),
		cmocka_unit_test(test_trace_config_open_in_tasks),
		cmocka_unit_test(test_trace_config_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
