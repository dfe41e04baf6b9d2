/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdvmdbg: the queue of checksums when it is full, and the wait for the verdict.
 */
#include "tests/unit/ring.h"

#include <stdio.h>
#include <string.h>

#include "common/protocol/report.h"

#define FLOOD 1500 /* points of sums flood */

/* Until the value is not what it was, or the program has ended. */
#define WAIT_FOR(condition)                              \
	do                                               \
		for (int ms_ = 0; !(condition); ms_++) { \
			assert_true(ms_ < PATIENCE);     \
			pause_ms(1);                     \
		}                                        \
	while (0)

static uint64_t key(const char *point)
{
	struct point p;

	assert_int_equal(point_parse(&p, point, NULL), 0);
	return point_order_number(&p);
}

static void verdict(const char *point, bool stop)
{
	atomic_store(&s.p->verdict_stop, stop);
	atomic_store(&s.p->verdict, key(point));
	ring_wake();
}

static void freeze(bool on)
{
	atomic_store(&s.p->freeze, on);
	ring_wake();
}

static void hold(const char *situation)
{
	use("arrays/sums");
	trace_config_on();
	s.trace_config.hold = 1;
	start(situation, PLAN_CONT, 0, NULL);
}

/* The program waits at that point for the verdict. */
static void expect_hold(const char *point)
{
	WAIT_FOR(atomic_load(&s.p->sums_hold) == key(point));
	assert_string_equal(ring_take()->point, point);
	assert_int_equal(s.p->state, PAGE_RUNNING);
}

/* All points come, in order and without a gap, though the queue takes a part of them at a time. */
static void test_full(void **state)
{
	const struct ring_record *r;

	use("arrays/sums");
	trace_config_on();
	start("flood", PLAN_CONT, 0, NULL);
	WAIT_FOR(atomic_load(&s.p->sums_waiting));
	assert_true(s.p->sums_head > PAGE_SUMS - 65536);
	for (unsigned i = 1; i <= FLOOD; i++) {
		r = ring_take();
		assert_non_null(r);
		assert_int_equal(r->head.point.main, i);
		assert_int_equal(r->head.point.side, POINT_END);
		assert_int_equal(r->head.dropped, 0);
		sum_destroy(ring_decode(ring_sum(r, "u")));
	}
	assert_true(s.p->sums_head > PAGE_SUMS + 65536); /* it has gone round */
	expect_exit(0);
	assert_int_equal(s.p->sums_waiting, 0);
}

/* Points are given up, and the next one that is not says how many. */
static void test_drop(void **state)
{
	const struct ring_record *r;
	unsigned next = 1;

	use("arrays/sums");
	trace_config_on();
	s.trace_config.drop = 1;
	rule_at(1, "1400.B");
	start("flood", PLAN_CONT, 0, NULL);
	expect_stop("1400.B", STOP_POINT);
	while (s.p->sums_head != s.p->sums_tail)
		assert_int_equal(ring_take()->head.point.main, next++);
	assert_true(next < 1400);
	report(PLAN_CONT, 0, NULL, true);
	r = ring_expect("1400.E", 1);
	assert_int_equal(r->head.dropped, 1400 - next);
	r = ring_expect("1401.E", 1);
	assert_int_equal(r->head.dropped, 0);
	while (ring_take())
		;
	expect_exit(0);
}

/* A program that waits for room can be halted; that point is given up. */
static void test_freeze_when_full(void **state)
{
	char stopped_at[POINT_TEXT];
	unsigned last = 0;

	use("arrays/sums");
	trace_config_on();
	start("flood", PLAN_CONT, 0, NULL);
	WAIT_FOR(atomic_load(&s.p->sums_waiting));
	freeze(true);
	assert_true(stopped());
	assert_int_equal(s.p->reason, STOP_HALT);
	snprintf(stopped_at, sizeof(stopped_at), "%s", where());
	freeze(false);
	while (s.p->sums_head != s.p->sums_tail)
		last = ring_take()->head.point.main;
	report(PLAN_CONT, 0, NULL, true);
	assert_int_equal(ring_take()->head.dropped, 1);
	snprintf(stopped_at + 16, 16, "%u.E", last + 1);
	assert_string_equal(stopped_at, stopped_at + 16);
}

static void test_unwanted_when_full(void **state)
{
	use("arrays/sums");
	trace_config_on();
	start("flood", PLAN_CONT, 0, NULL);
	WAIT_FOR(atomic_load(&s.p->sums_waiting));
	s.trace_config.level = TRACE_CONFIG_NONE;
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
}

static void test_verdicts(void **state)
{
	static const char *const points[] = { "1.B", "1.E", "2.B", "2.E", "3.B", "3.E", "4.B" };

	hold("verdicts");
	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
		if (!strcmp(points[i], "2.E")) /* inside tasks nothing holds */
			assert_string_equal(ring_take()->point, "2.1.1.E");
		expect_hold(points[i]);
		verdict(points[i], false);
	}
	expect_hold("4.E");
	verdict("9.E", false);
	expect_exit(0);
	assert_int_equal(s.p->sums_hold, 0);
	assert_int_equal(s.p->stop_count, 0);
}

static void test_mismatch(void **state)
{
	rule_at(1, "3.E");
	hold("verdicts");
	expect_hold("1.B");
	verdict("1.B", false);
	expect_hold("1.E");
	verdict("1.E", true);
	expect_stop("1.E", STOP_MISMATCH);
	assert_int_equal(s.p->sums_hold, 0);
	report(PLAN_CONT, 0, NULL, true);
	/* said of an earlier point, it stops nobody */
	expect_hold("2.B");
	verdict("2.B", false);
	ring_take();
	expect_hold("2.E");
	verdict("3.E", true);
	/* said before the program came there */
	expect_stop("3.E", STOP_MISMATCH);
	while (s.p->sums_head != s.p->sums_tail)
		ring_take();
	report(PLAN_STEP, 1, NULL, true);
	expect_hold("4.B");
	verdict("4.B", false);
	expect_stop("4.B", STOP_STEP);
	s.trace_config.hold = 0;
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
}

/* A rank that holds can be halted; it does not hold there once more. */
static void test_freeze_in_hold(void **state)
{
	hold("verdicts");
	expect_hold("1.B");
	freeze(true);
	expect_stop("1.B", STOP_HALT);
	freeze(false);
	report(PLAN_CONT, 0, NULL, true);
	expect_hold("1.E");
	verdict("9.E", false);
	while (ring_take())
		;
	expect_exit(0);
}

/* New rules and plans reach a rank that holds; without `hold` it goes on. */
static void test_rules_in_hold(void **state)
{
	hold("verdicts");
	expect_hold("1.B");
	rule_at(7, "1.B");
	report(PLAN_CONT, 0, NULL, false);
	ring_wake();
	verdict("1.B", false);
	expect_stop("1.B", STOP_POINT);
	assert_int_equal(s.p->act[0], 7);
	report(PLAN_CONT, 0, NULL, true);
	expect_hold("1.E");
	s.trace_config.hold = 0;
	report(PLAN_TO, 0, "1.E", false);
	ring_wake();
	expect_stop("1.E", STOP_HALT);
	report(PLAN_CONT, 0, NULL, true);
	while (ring_take())
		;
	expect_exit(0);
}

/* The supervisor is gone: the program dies with it, or runs on without rules. */
static void test_orphan_in_hold(void **state)
{
	hold("verdicts");
	expect_hold("1.B");
	atomic_store(&s.p->on_exit_run, 1);
	s.p->exec_pid = 1;
	expect_exit(0);
	assert_int_equal(s.p->state, PAGE_OFF);
	teardown(NULL);
	setup(NULL);
	hold("verdicts");
	expect_hold("1.B");
	s.p->exec_pid = 1;
	expect_death(9);
}

/* To hold is more than to drop: the point is told. */
static void test_hold_and_drop(void **state)
{
	use("arrays/sums");
	trace_config_on();
	s.trace_config.drop = 1;
	rule_at(1, "1400.B");
	start("flood", PLAN_CONT, 0, NULL);
	expect_stop("1400.B", STOP_POINT);
	s.trace_config.hold = 1;
	s.n = 0;
	report(PLAN_CONT, 0, NULL, true);
	WAIT_FOR(atomic_load(&s.p->sums_waiting));
	while (s.p->sums_hold != key("1400.E"))
		ring_take();
	assert_string_equal(where(), "1400.E");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_full),
		TEST(test_drop),
		TEST(test_freeze_when_full),
		TEST(test_unwanted_when_full),
		TEST(test_verdicts),
		TEST(test_mismatch),
		TEST(test_freeze_in_hold),
		TEST(test_rules_in_hold),
		TEST(test_orphan_in_hold),
		TEST(test_hold_and_drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
