/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/protocol/msg.h"
#include "common/array/value.h"

static struct rankset ranks(const char *text)
{
	struct rankset s = { 0 };

	assert_int_equal(rankset_parse(&s, text, NULL), 0);
	return s;
}

static void assert_ranks(const struct rankset *s, const char *text)
{
	char out[64];

	assert_string_equal(rankset_format(s, out, sizeof(out)), text);
}

/* Tries to read a message and frees it; so leaks and bad reads show under the sanitizers. */
typedef int (*try_get)(struct buf *b);

static int try_params(struct buf *b)
{
	struct msg_params m;

	return msg_params_get(&m, b);
}

static int try_parent(struct buf *b)
{
	struct msg_parent m;

	return msg_parent_get(&m, b);
}

/* Leaves nothing to free when it fails. */
#define TRY(name, clear)                          \
	static int try_##name(struct buf *b)      \
	{                                         \
		struct msg_##name m;              \
		int rc = msg_##name##_get(&m, b); \
                                                  \
		if (rc == 0)                      \
			clear;                    \
		return rc;                        \
	}

TRY(join, rankset_clear(&m.subtree))
TRY(attach, rankset_clear(&m.subtree))
TRY(rules, msg_rules_clear(&m))
TRY(go, rankset_clear(&m.who))
TRY(freeze, rankset_clear(&m.who))
TRY(query, msg_query_clear(&m))
TRY(kill, rankset_clear(&m.who))
TRY(verdict, (void)0)
TRY(trace, (void)0)
TRY(reply, msg_reply_clear(&m))
TRY(event, msg_event_clear(&m))

/* Cut anywhere, or with bytes behind it, it is no message; a changed bit does no harm. Frees b. */
static void check_bytes(struct buf *b, try_get get)
{
	struct buf whole = buf_view(b->data, b->len);

	assert_false(b->bad);
	assert_int_equal(get(&whole), 0);
	for (size_t len = 0; len < b->len; len++) {
		struct buf cut = buf_view(b->data, len);

		assert_int_equal(get(&cut), -1);
	}
	for (size_t i = 0; i < b->len * 8; i++) {
		struct buf view = buf_view(b->data, b->len);

		b->data[i / 8] ^= (unsigned char)(1u << i % 8);
		if (get(&view) == 0)
			assert_int_equal(buf_left(&view), 0);
		b->data[i / 8] ^= (unsigned char)(1u << i % 8);
	}
	b->pos = 0;
	buf_put_u8(b, 0);
	assert_int_equal(get(b), -1);
	buf_clear(b);
}

/* A field that is not what it may be. Frees b. */
static void check_refused(struct buf *b, try_get get)
{
	assert_int_equal(get(b), -1);
	buf_clear(b);
}

static void test_names(void **state)
{
	assert_string_equal(msg_name(MSG_JOIN), "JOIN");
	assert_string_equal(msg_name(MSG_LOST), "LOST");
	assert_string_equal(msg_name(0), "?");
	assert_string_equal(msg_name(100), "?");
	assert_string_equal(msg_name(UINT32_MAX), "?");
}

static void test_params(void **state)
{
	struct msg_params in = { .on_exit_run = 1, .fpe = FPE_TRAP_OVERFLOW }, out = { 0 };
	struct buf b = BUF_INIT;

	msg_params_put(&in, &b);
	assert_int_equal(msg_params_get(&out, &b), 0);
	assert_int_equal(out.on_exit_run, 1);
	assert_int_equal(out.fpe, FPE_TRAP_OVERFLOW);
	check_bytes(&b, try_params);
	in.on_exit_run = 2;
	msg_params_put(&in, &b);
	check_refused(&b, try_params);
}

static struct msg_join example_join(void)
{
	return (struct msg_join){ .rank = 3,
				  .size = 16,
				  .pid = 4711,
				  .version = "0.1",
				  .host = "node3",
				  .listen = "unix:/tmp/x tcp:node3:5000",
				  .orphan = 1 };
}

static void test_join(void **state)
{
	struct msg_join in = example_join(), out;
	struct buf b = BUF_INIT;

	in.subtree = ranks("3,10:12");
	msg_join_put(&in, &b);
	assert_int_equal(msg_join_get(&out, &b), 0);
	assert_int_equal(out.rank, 3);
	assert_int_equal(out.size, 16);
	assert_int_equal(out.pid, 4711);
	assert_string_equal(out.version, "0.1");
	assert_string_equal(out.host, "node3");
	assert_string_equal(out.listen, in.listen);
	assert_int_equal(out.orphan, 1);
	assert_ranks(&out.subtree, "[3,10:12]");
	rankset_clear(&out.subtree);
	check_bytes(&b, try_join);
	in.rank = 4; /* not in its own subtree */
	msg_join_put(&in, &b);
	check_refused(&b, try_join);
	in.rank = RANKSET_MAX;
	msg_join_put(&in, &b);
	check_refused(&b, try_join);
	in.rank = 3;
	in.size = RANKSET_MAX + 1;
	msg_join_put(&in, &b);
	check_refused(&b, try_join);
	rankset_clear(&in.subtree);
}

static void test_parent(void **state)
{
	struct msg_parent in = { .n = 2,
				 .addr = { "unix:/a", "tcp:h:1" },
				 .params = { .on_exit_run = 1 } };
	struct msg_parent out;
	struct buf b = BUF_INIT;

	msg_parent_put(&in, &b);
	assert_int_equal(msg_parent_get(&out, &b), 0);
	assert_int_equal(out.n, 2);
	assert_string_equal(out.addr[0], "unix:/a");
	assert_string_equal(out.addr[1], "tcp:h:1");
	assert_int_equal(out.params.on_exit_run, 1);
	check_bytes(&b, try_parent);
	in = (struct msg_parent){ .n = MSG_ADDRS };
	msg_parent_put(&in, &b);
	assert_int_equal(msg_parent_get(&out, &b), 0);
	assert_string_equal(out.addr[MSG_ADDRS - 1], "");
	buf_clear(&b);
	buf_put_u32(&b, MSG_ADDRS + 1);
	for (int i = 0; i < 20; i++)
		buf_put_u8(&b, 0);
	check_refused(&b, try_parent);
}

static void test_attach(void **state)
{
	struct msg_attach in = { .rank = 17, .subtree = ranks("17") }, out;
	struct buf b = BUF_INIT;

	msg_attach_put(&in, &b);
	assert_int_equal(msg_attach_get(&out, &b), 0);
	assert_int_equal(out.rank, 17);
	assert_ranks(&out.subtree, "[17]");
	rankset_clear(&out.subtree);
	check_bytes(&b, try_attach);
	in.rank = 18;
	msg_attach_put(&in, &b);
	check_refused(&b, try_attach);
	rankset_clear(&in.subtree);
}

static void test_rules(void **state)
{
	struct rule rule[2] = { { .id = 1, .kind = RULE_LINE, .line = 61, .file = "heat.c" },
				{ .id = 2, .kind = RULE_POINT, .point = { 3, 0, 0, POINT_END } } };
	struct watch watch = { .id = 3,
			       .set = 1,
			       .stop = 1,
			       .ndim = 1,
			       .first = { 4 },
			       .last = { INT64_MAX },
			       .step = { 2 },
			       .name = "u" };
	struct trace_config_place at = {
		.kind = RULE_LINE, .level = TRACE_CONFIG_FULL, .line = 9, .file = "lu.f90"
	};
	struct rankset set = { 0 };
	struct msg_rules in = { .trace_config = { .level = TRACE_CONFIG_CHECKSUM,
						  .reads = 1,
						  .hold = 1,
						  .start = { 5, 0, 0, POINT_BEGIN },
						  .finish = { 7, 2, 1, POINT_END } },
				.nset = 1,
				.set = &set,
				.n = 2,
				.rule = rule,
				.nwatch = 1,
				.watch = &watch,
				.nplace = 1,
				.place = &at },
			 out;
	struct buf b = BUF_INIT;
	size_t trace_config;

	rankset_add(&set, 2, 5);
	rule[1].set = rule[1].stop = 1;
	rule[1].niter = 2;
	rule[1].any = 2;
	rule[1].iter[0] = -5;
	msg_rules_put(&in, &b);
	assert_int_equal(msg_rules_get(&out, &b), 0);
	assert_int_equal(out.trace_config.level, TRACE_CONFIG_CHECKSUM);
	assert_int_equal(out.trace_config.reads, 1);
	assert_int_equal(out.trace_config.drop, 0);
	assert_int_equal(out.trace_config.hold, 1);
	assert_int_equal(out.trace_config.start.main, 5);
	assert_int_equal(out.trace_config.finish.task, 2);
	assert_int_equal(out.n, 2);
	assert_string_equal(out.rule[0].file, "heat.c");
	assert_int_equal(out.rule[1].id, 2);
	assert_int_equal(out.rule[1].point.main, 3);
	assert_int_equal(out.rule[0].set, 0);
	assert_int_equal(out.rule[1].set, 1);
	assert_int_equal(out.rule[1].stop, 1);
	assert_int_equal(out.rule[1].niter, 2);
	assert_int_equal(out.rule[1].any, 2);
	assert_int_equal(out.rule[1].iter[0], -5);
	assert_int_equal(out.nset, 1);
	assert_true(rankset_equal(&out.set[0], &set));
	assert_int_equal(out.nwatch, 1);
	assert_string_equal(out.watch[0].name, "u");
	assert_true(out.watch[0].last[0] == INT64_MAX);
	assert_int_equal(out.watch[0].step[0], 2);
	assert_int_equal(out.nplace, 1);
	assert_string_equal(out.place[0].file, "lu.f90");
	assert_int_equal(out.place[0].level, TRACE_CONFIG_FULL);
	msg_rules_clear(&out);
	assert_int_equal(out.n, 0);
	check_bytes(&b, try_rules);
	/* sets that are not there, and steps that lead nowhere */
	rule[0].stop = 2;
	msg_rules_put(&in, &b);
	check_refused(&b, try_rules);
	rule[0].stop = 0;
	watch.set = 2;
	msg_rules_put(&in, &b);
	check_refused(&b, try_rules);
	watch.set = 1;
	watch.step[0] = 0;
	msg_rules_put(&in, &b);
	check_refused(&b, try_rules);
	watch.step[0] = 2;
	at.level = TRACE_CONFIG_CHECKSUM;
	msg_rules_put(&in, &b);
	check_refused(&b, try_rules);
	in.nset = in.n = in.nwatch = in.nplace = 0;
	rankset_clear(&set);
	rule[1] = (struct rule){ .id = 2, .kind = RULE_POINT };
	msg_rules_put(&in, &b);
	assert_int_equal(msg_rules_get(&out, &b), 0);
	assert_int_equal(out.n, 0);
	msg_rules_clear(&out);
	buf_clear(&b);
	trace_config_put(&in.trace_config, &b);
	trace_config = b.len;
	buf_put_u32(&b, 0);
	buf_put_u32(&b, UINT32_MAX); /* more rules than bytes: nothing is allocated for them */
	rule_put(&rule[0], &b);
	check_refused(&b, try_rules);
	/* the smallest rule has as many bytes as the check of the count assumes */
	rule[0].file[0] = '\0';
	in.n = 1;
	msg_rules_put(&in, &b);
	assert_int_equal(b.len, trace_config + 16 + 54);
	check_bytes(&b, try_rules);
	in.n = 0;
	in.trace_config.level = 3;
	msg_rules_put(&in, &b);
	check_refused(&b, try_rules);
	in.trace_config.level = TRACE_CONFIG_CHECKSUM;
	in.trace_config.drop = 2;
	msg_rules_put(&in, &b);
	check_refused(&b, try_rules);
	in.trace_config.drop = 0;
	in.trace_config.finish.side = 2;
	msg_rules_put(&in, &b);
	check_refused(&b, try_rules);
}

static void test_trace(void **state)
{
	struct msg_trace in = { .record = "/home/a/ref",
				.compare = "",
				.program = "/home/a/heat",
				.build_id = "0badc0de",
				.ranks = 4,
				.memory = 64 << 20,
				.effort = 1,
				.tolerance = { SUM_RELATIVE, -1, 0.5 },
				.max_errors = 100 };
	struct msg_trace out;
	struct buf b = BUF_INIT;

	msg_trace_put(&in, &b);
	assert_int_equal(msg_trace_get(&out, &b), 0);
	assert_string_equal(out.record, "/home/a/ref");
	assert_string_equal(out.compare, "");
	assert_string_equal(out.program, "/home/a/heat");
	assert_string_equal(out.build_id, "0badc0de");
	assert_int_equal(out.ranks, 4);
	assert_int_equal(out.memory, 64 << 20);
	assert_int_equal(out.effort, 1);
	assert_int_equal(out.tolerance.mode, SUM_RELATIVE);
	assert_true(out.tolerance.exp == -1 && out.tolerance.rel_min == 0.5);
	assert_int_equal(out.max_errors, 100);
	check_bytes(&b, try_trace);
	in.memory = MSG_TRACE_LEAST - 1;
	msg_trace_put(&in, &b);
	check_refused(&b, try_trace);
	in.memory = MSG_TRACE_MOST + 1;
	msg_trace_put(&in, &b);
	check_refused(&b, try_trace);
	in.memory = MSG_TRACE_LEAST;
	in.effort = 0;
	msg_trace_put(&in, &b);
	check_refused(&b, try_trace);
	in.effort = 9;
	in.tolerance.mode = SUM_SCALED + 1;
	msg_trace_put(&in, &b);
	check_refused(&b, try_trace);
	in.tolerance.mode = SUM_EXACT;
	in.tolerance.exp = 0.0 / 0.0;
	msg_trace_put(&in, &b);
	check_refused(&b, try_trace);
	in.tolerance.exp = 0;
	in.ranks = RANKSET_MAX + 1;
	msg_trace_put(&in, &b);
	check_refused(&b, try_trace);
}

static void test_verdict(void **state)
{
	struct msg_verdict in = { .point = { 13, 0, 0, POINT_END }, .stop = 1 }, out;
	struct buf b = BUF_INIT;

	msg_verdict_put(&in, &b);
	assert_int_equal(msg_verdict_get(&out, &b), 0);
	assert_int_equal(out.point.main, 13);
	assert_int_equal(out.point.side, POINT_END);
	assert_int_equal(out.stop, 1);
	check_bytes(&b, try_verdict);
	in.stop = 2;
	msg_verdict_put(&in, &b);
	check_refused(&b, try_verdict);
	in.stop = 0;
	in.point = (struct point){ 13, 2, 1, POINT_END };
	msg_verdict_put(&in, &b);
	check_refused(&b, try_verdict);
	in.point = (struct point){ 0 };
	msg_verdict_put(&in, &b);
	check_refused(&b, try_verdict);
}

static void test_go(void **state)
{
	struct msg_go in = { .who = ranks("0:3"), .plan = { .gen = 5, .mode = PLAN_STEP, .n = 4 } };
	struct msg_go out;
	struct buf b = BUF_INIT;

	msg_go_put(&in, &b);
	assert_int_equal(msg_go_get(&out, &b), 0);
	assert_ranks(&out.who, "[0:3]");
	assert_int_equal(out.plan.gen, 5);
	assert_int_equal(out.plan.mode, PLAN_STEP);
	assert_int_equal(out.plan.n, 4);
	rankset_clear(&out.who);
	check_bytes(&b, try_go);
	in.plan.mode = 99;
	msg_go_put(&in, &b);
	check_refused(&b, try_go);
	rankset_clear(&in.who);
}

static void test_freeze(void **state)
{
	struct msg_freeze in = { .req = 8, .who = ranks("1,3") }, out;
	struct buf b = BUF_INIT;

	msg_freeze_put(&in, &b);
	assert_int_equal(msg_freeze_get(&out, &b), 0);
	assert_int_equal(out.req, 8);
	assert_ranks(&out.who, "[1,3]");
	rankset_clear(&out.who);
	rankset_clear(&in.who);
	check_bytes(&b, try_freeze);
}

static void test_query(void **state)
{
	struct msg_query in = {
		.req = 3, .kind = QUERY_FETCH, .who = ranks("0:7"), .name = "u", .n = 2, .rank = 1
	};
	struct msg_query out;
	struct buf b = BUF_INIT;

	in.section.ndim = 2;
	in.section.dim[0] = (struct section_dim){ .first = 498, .last = 501, .step = 1 };
	in.section.dim[1] =
		(struct section_dim){ .scalar = true, .first = -3, .last = -3, .step = 1 };
	msg_query_put(&in, &b);
	assert_int_equal(msg_query_get(&out, &b), 0);
	assert_int_equal(out.req, 3);
	assert_int_equal(out.kind, QUERY_FETCH);
	assert_ranks(&out.who, "[0:7]");
	assert_string_equal(out.name, "u");
	assert_int_equal(out.n, 2);
	assert_int_equal(out.rank, 1);
	assert_int_equal(out.section.ndim, 2);
	assert_int_equal(out.section.dim[0].first, 498);
	assert_int_equal(out.section.dim[0].last, 501);
	assert_true(out.section.dim[1].scalar);
	assert_true(out.section.dim[1].first == -3);
	msg_query_clear(&out);
	check_bytes(&b, try_query);
	in.kind = QUERY_KINDS;
	msg_query_put(&in, &b);
	check_refused(&b, try_query);
	rankset_clear(&in.who);
}

/* A value goes along, of its type and no longer. */
static void test_query_value(void **state)
{
	struct msg_query in = { .kind = QUERY_ASSIGN, .name = "u", .func = "" }, out;
	struct buf b = BUF_INIT;
	double v = 2.5, back;

	in.value.type = VALUE_DOUBLE;
	memcpy(in.value.bytes, &v, sizeof(v));
	msg_query_put(&in, &b);
	assert_int_equal(msg_query_get(&out, &b), 0);
	assert_int_equal(out.value.type, VALUE_DOUBLE);
	memcpy(&back, out.value.bytes, sizeof(back));
	assert_true(back == v);
	msg_query_clear(&out);
	check_bytes(&b, try_query);
	in.value.type = VALUE_TYPES;
	msg_query_put(&in, &b);
	check_refused(&b, try_query);
}

/* A query without a section or name, as most are. */
static void test_query_plain(void **state)
{
	struct msg_query in = { .req = 1, .kind = QUERY_STATUS, .who = ranks("0") }, out;
	struct buf b = BUF_INIT;

	msg_query_put(&in, &b);
	assert_int_equal(msg_query_get(&out, &b), 0);
	assert_string_equal(out.name, "");
	assert_int_equal(out.section.ndim, 0);
	msg_query_clear(&out);
	rankset_clear(&in.who);
	check_bytes(&b, try_query);
}

static void test_kill(void **state)
{
	struct msg_kill in = { .who = ranks("0:1"), .final = 1 }, out;
	struct buf b = BUF_INIT;

	msg_kill_put(&in, &b);
	assert_int_equal(msg_kill_get(&out, &b), 0);
	assert_ranks(&out.who, "[0:1]");
	assert_int_equal(out.final, 1);
	rankset_clear(&out.who);
	rankset_clear(&in.who);
	check_bytes(&b, try_kill);
}

static struct groups example_groups(void)
{
	struct groups d = { 0 };
	struct rankset a = ranks("0:2"), b = ranks("3");

	assert_int_equal(groups_add(&d, &a, "most", 4), 0);
	assert_int_equal(groups_add(&d, &b, "one", 3), 0);
	rankset_clear(&a);
	rankset_clear(&b);
	return d;
}

static void test_reply(void **state)
{
	struct msg_reply in = { .req = 6, .covered = ranks("0:3"), .groups = example_groups() };
	struct msg_reply out;
	struct buf b = BUF_INIT;

	msg_reply_put(&in, &b);
	assert_int_equal(msg_reply_get(&out, &b), 0);
	assert_int_equal(out.req, 6);
	assert_ranks(&out.covered, "[0:3]");
	assert_int_equal(out.groups.n, 2);
	assert_ranks(&out.groups.group[1].ranks, "[3]");
	assert_memory_equal(out.groups.group[1].blob, "one", 3);
	msg_reply_clear(&out);
	assert_int_equal(out.groups.n, 0);
	msg_reply_clear(&in);
	check_bytes(&b, try_reply);
}

static void test_event(void **state)
{
	struct msg_event in = { .kind = EVENT_STOP, .gen = 2, .groups = example_groups() };
	struct msg_event out;
	struct buf b = BUF_INIT;

	msg_event_put(&in, &b);
	assert_int_equal(msg_event_get(&out, &b), 0);
	assert_int_equal(out.kind, EVENT_STOP);
	assert_int_equal(out.gen, 2);
	assert_int_equal(out.groups.n, 2);
	assert_ranks(&out.groups.group[0].ranks, "[0:2]");
	msg_event_clear(&out);
	check_bytes(&b, try_event);
	in.kind = EVENT_KINDS;
	msg_event_put(&in, &b);
	check_refused(&b, try_event);
	msg_event_clear(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),  cmocka_unit_test(test_params),
		cmocka_unit_test(test_join),   cmocka_unit_test(test_parent),
		cmocka_unit_test(test_attach), cmocka_unit_test(test_rules),
		cmocka_unit_test(test_go),     cmocka_unit_test(test_freeze),
		cmocka_unit_test(test_query),  cmocka_unit_test(test_query_plain),
		cmocka_unit_test(test_query_value),
		cmocka_unit_test(test_kill),   cmocka_unit_test(test_reply),
		cmocka_unit_test(test_event),  cmocka_unit_test(test_verdict),
		cmocka_unit_test(test_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
