/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdvmdbg: numbering, the construct stack, rules, steps and halts.
 */
#include "tests/unit/super.h"

#include <string.h>

#include "common/logical/construct.h"
#include "common/protocol/report.h"

static void test_numbering(void **state)
{
	static const char *const points[] = {
		"1.B",	   "1.E",     "2.B",	 "2.1.1.B", "2.1.1.E", "2.2.1.B",
		"2.2.1.E", "2.2.2.B", "2.2.2.E", "2.E",	    "3.B",     "3.E",
		"4.B",	   "4.E",     "5.B",	 "5.1.1.B", "5.1.1.E",
	};

	start("plain", PLAN_STEP, 1, NULL);
	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
		expect_stop(points[i], STOP_STEP);
		report(PLAN_STEP, 1, NULL, true);
	}
	assert_true(stopped());
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	assert_string_equal(where(), "10.E");
	assert_int_equal(s.p->hash_n, 10);
	assert_int_equal(faults(), 0);
	assert_int_equal(s.p->depth, 0);
	assert_int_equal(s.p->history_n, 10 + 3 * 3);
	for (uint32_t i = 0; i < s.p->history_n; i++)
		assert_true(s.p->history[i].end_usec >= s.p->history[i].begin_usec);
}

static void test_stack(void **state)
{
	rule_at(7, "5.2.1.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("5.2.1.B", STOP_POINT);
	assert_int_equal(s.p->nact, 1);
	assert_int_equal(s.p->act[0], 7);
	assert_int_equal(s.p->depth, 5);
	assert_int_equal(s.p->frame[0].kind, CONSTRUCT_FUNCTION);
	assert_string_equal(text(place(&s.p->frame[0])->func), "plain");
	assert_int_equal(s.p->frame[1].kind, CONSTRUCT_SL);
	assert_int_equal(s.p->frame[1].nidx, 1);
	assert_int_equal(s.p->frame[1].idx[0], 2);
	assert_int_equal(s.p->range[1].ndim, 1);
	assert_int_equal(s.p->range[1].last[0], 3);
	assert_int_equal(s.p->frame[2].kind, CONSTRUCT_TR);
	assert_int_equal(s.p->frame[2].main, 5);
	assert_int_equal(s.p->frame[3].kind, CONSTRUCT_TASK);
	assert_int_equal(s.p->frame[3].idx[0], 2);
	assert_int_equal(top()->kind, CONSTRUCT_PL);
	assert_non_null(strstr(text(place(top())->file), "marks.c"));
	assert_int_equal(s.p->annotated, 1);
}

static void test_end_frame(void **state)
{
	rule_at(0, "1.E");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("1.E", STOP_POINT);
	assert_int_equal(top()->kind, CONSTRUCT_PL);
	assert_int_equal(top()->ending, 1);
	assert_int_equal(s.p->history[0].main, 1);
	/* the loop that ends is over: the next end is that of the loop around it */
	report(PLAN_FINISH, 0, NULL, true);
	expect_stop("9.E", STOP_STEP);
	assert_int_equal(top()->kind, CONSTRUCT_SL);
}

static void test_finish(void **state)
{
	rule_at(0, "2.2.1.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("2.2.1.B", STOP_POINT);
	s.n = 0;
	report(PLAN_FINISH, 0, NULL, true);
	expect_stop("2.2.1.E", STOP_STEP);
	report(PLAN_FINISH, 0, NULL, true);
	expect_stop("2.2.2.E", STOP_STEP); /* of the task */
	assert_int_equal(top()->kind, CONSTRUCT_TASK);
	assert_int_equal(top()->ending, 1);
	report(PLAN_FINISH, 0, NULL, true);
	expect_stop("2.E", STOP_STEP);
	report(PLAN_FINISH, 0, NULL, true);
	expect_stop("9.E", STOP_STEP); /* of the sequential loop */
	assert_int_equal(top()->kind, CONSTRUCT_SL);
	report(PLAN_FINISH, 0, NULL, true);
	expect_stop("10.E", STOP_STEP); /* of the function */
	report(PLAN_FINISH, 0, NULL, true);
	expect_exit(0);
}

static void test_iterations(void **state)
{
	rule_at(0, "1.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("1.B", STOP_POINT);
	report(PLAN_ITER, 1, NULL, true);
	expect_stop("3.E", STOP_STEP);
	assert_int_equal(top()->kind, CONSTRUCT_SL);
	assert_int_equal(top()->idx[0], 2);
	report(PLAN_ITER, 1, NULL, true);
	expect_stop("6.E", STOP_STEP);
	assert_int_equal(top()->idx[0], 3);
	report(PLAN_STEP, 3, NULL, true); /* 8.B */
	expect_stop("8.B", STOP_STEP);
	report(PLAN_ITER, 2, NULL, true);
	expect_stop("8.1.1.E", STOP_STEP);
	assert_int_equal(top()->kind, CONSTRUCT_TASK);
	assert_int_equal(top()->idx[0], 2);
}

static uint32_t line_of_first_loop;

static void test_places(void **state)
{
	struct rule *r;

	rule_at(0, "1.B");
	r = rule_add(9, RULE_NAME);
	strcpy(r->file, "plain");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("start", STOP_POINT);
	assert_int_equal(s.p->act[0], 9);
	assert_int_equal(top()->kind, CONSTRUCT_FUNCTION);
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("1.B", STOP_POINT);
	line_of_first_loop = place(top())->line;
	s.n = 0;
	rule_line(1, "points/marks.c", line_of_first_loop)->count = 2;
	rule_line(0, "other.c", line_of_first_loop);
	rule_line(3, "marks.c", line_of_first_loop);
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("4.B", STOP_POINT);
	assert_int_equal(s.p->nact, 1);
	assert_int_equal(s.p->act[0], 3);
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("7.B", STOP_POINT);
	assert_int_equal(s.p->nact, 2);
	assert_int_equal(s.p->act[0], 1);
	assert_int_equal(s.p->act[1], 3);
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
}

static void test_from_and_count(void **state)
{
	struct rule *r;

	rule_at(0, "1.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("1.B", STOP_POINT);
	r = rule_line(4, "marks.c", place(top())->line);
	assert_int_equal(point_parse(&r->from, "5.B", NULL), 0);
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("7.B", STOP_POINT);
	assert_int_equal(s.p->act[0], 4);
}

/* Counts go on when the rules change. */
static void test_count_kept(void **state)
{
	rule_at(0, "1.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("1.B", STOP_POINT);
	rule_line(5, "marks.c", place(top())->line)->count = 2;
	rule_at(6, "5.B");
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("5.B", STOP_POINT);
	rule_at(8, "9.B");
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("7.B", STOP_POINT);
	assert_int_equal(s.p->act[0], 5);
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("9.B", STOP_POINT);
}

static void test_many_rules(void **state)
{
	for (uint32_t i = 0; i < 10000; i++)
		rule_add(i, RULE_POINT)->point =
			(struct point){ .main = 100000 - i * 10, .side = i % 2 };
	start("many", PLAN_CONT, 0, NULL);
	expect_stop("10.E", STOP_POINT);
	assert_int_equal(s.p->act[0], 9999);
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("20.B", STOP_POINT);
	s.n = 0;
	rule_at(0, "100000.E");
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("100000.E", STOP_POINT);
	assert_int_equal(s.p->history_n, 100000);
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
}

static void test_halt(void **state)
{
	rule_at(1, "1.E");
	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	atomic_store(&s.p->freeze, 1);
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("1.B", STOP_HALT);
	atomic_store(&s.p->freeze, 0);
	report(PLAN_TO, 0, "8.2.1.E", true);
	expect_stop("1.E", STOP_POINT);
	report(PLAN_TO, 0, "8.2.1.E", true);
	expect_stop("8.2.1.E", STOP_HALT);
	/* a target that has been passed keeps it parked, under the new plan */
	report(PLAN_TO, 0, "3.B", true);
	expect_stop("8.2.1.E", STOP_HALT);
	/* inside another task of the same region there is no before and after */
	report(PLAN_TO, 0, "8.1.1.B", true);
	expect_stop("8.E", STOP_HALT);
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
}

/* A plan that arrives while the program runs. */
static void test_plan_while_running(void **state)
{
	rule_at(0, "90000.B");
	start("many", PLAN_CONT, 0, NULL);
	while (!s.p->point_main_side)
		pause_ms(1);
	atomic_store(&s.p->freeze, 1);
	assert_true(stopped());
	atomic_store(&s.p->freeze, 0);
	s.n = 0;
	report(PLAN_TO, 0, "99999.E", true);
	expect_stop("99999.E", STOP_HALT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_numbering),	       TEST(test_stack),
		TEST(test_end_frame),	       TEST(test_finish),
		TEST(test_iterations),	       TEST(test_places),
		TEST(test_from_and_count),     TEST(test_count_kept),
		TEST(test_many_rules),	       TEST(test_halt),
		TEST(test_plan_while_running),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
