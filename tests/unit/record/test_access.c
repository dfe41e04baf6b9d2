/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdvmdbg: what is recorded of accesses and marks, told by a program that plays the hooks itself.
 */
#include "tests/unit/taker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/protocol/report.h"

#define MIB ((size_t)1 << 20)

/* The program with that level, up to its end. */
static void begin(const char *situation, unsigned level)
{
	taken_reset();
	if (!s.area)
		s.area = 4 * MIB;
	s.prog = "hooks/access";
	s.trace_config.trace = (uint8_t)level;
	s.trace_config.others = 1;
	start(situation, PLAN_CONT, 0, NULL);
}

static void run(const char *situation, unsigned level)
{
	begin(situation, level);
	expect_exit(0);
	taken();
}

static void test_deferred(void **state)
{
	run("deferred", TRACE_CONFIG_FULL);
	assert_string_equal(only("read write begin end"), "begin 1.B PL 3\n"
							  "write u+0=1.5\n"
							  "read v+0=0\n"
							  "write u+8=2.5\n"
							  "write u+8=4.5\n"
							  "write u+16=6.5\n"
							  "end 1.E PL -\n"
							  "begin 2.B PL 3\n"
							  "read v+8=0\n"
							  "write u+24=9.5\n"
							  "read u+24=9.5\n"
							  "end 2.E PL -\n"
							  "write u+32=11.5");
	assert_int_equal(faults(), 0);
}

static void test_sizes(void **state)
{
	run("sizes", TRACE_CONFIG_FULL);
	assert_string_equal(only("read write"), "read nobody=1:1\n"
						"read nobody=2:2\n"
						"read nobody=3:4\n"
						"read nobody=5:16\n"
						"read small+0=7:4!\n"
						"write small+0=8:4!\n"
						"read nobody=0:4");
}

static void test_ranges(void **state)
{
	run("ranges", TRACE_CONFIG_FULL);
	assert_string_equal(only("read write"),
			    "read u+16=2\nread u+24=3\nread u+32=4\nread u+40=5\n"
			    "write v+0=2\nwrite v+8=3\nwrite v+16=4\nwrite v+24=5\n"
			    "write v+64=0\nwrite v+72=0\n"
			    "read u+4=0:4\nread u+8=1\nread u+16=2");
}

static void test_swap(void **state)
{
	run("swap", TRACE_CONFIG_FULL);
	assert_string_equal(only("iter read write"), "iter 1\nwrite v+24=1\nread u+24=0\n"
						     "iter 2\nwrite v+24=2\nread u+24=1\n"
						     "iter 3\nwrite v+24=3\nread u+24=2\n"
						     "read nobody=0\nread v+0=0");
}

static void test_levels(void **state)
{
	run("levels", TRACE_CONFIG_MINIMAL);
	assert_string_equal(only("read write"), "");
	assert_int_equal(lines_like("iter"), 6 * 4 + 3);
	assert_int_equal(lines_like("begin"), 6 + 1 + 2 + 1 + 3);
	assert_int_equal(lines_like("end"), 6 + 1 + 2 + 1 + 3);
	assert_int_equal(lines_like("value eps+0=0.5"), 2 * (6 + 1 + 3));
	assert_int_equal(lines_like("end 1.E PL 4"), 1);
	assert_int_equal(lines_like("end 3.E TR 2"), 1);
	assert_int_equal(lines_like("end start SL 3") + lines_like("end 6.E SL 3"), 1);
	teardown(NULL);
	setup(NULL);
	run("levels", TRACE_CONFIG_MODIFY);
	assert_int_equal(lines_like("write"), 6 * 4 + 3);
	assert_int_equal(lines_like("read"), 0);
	teardown(NULL);
	setup(NULL);
	run("levels", TRACE_CONFIG_FULL);
	assert_int_equal(lines_like("write"), 6 * 4 + 3);
	assert_int_equal(lines_like("read"), 6 * 4 + 3);
	assert_int_equal(lines_like("begin 1.B PL 3"), 1);
}

/* What is written where it is open, as the first digits of the values of levels(). */
static void test_interval(void **state)
{
	static const struct {
		const char *start, *finish, *writes, *iterations;
	} cases[] = {
		{ "2.B", "2.E", "20 21 22 23", "7" },
		{ "1.E", "2.B", "", "3" },
		{ "3.2.1.B", "3.2.1.E", "320 321 322 323", "7" },
		{ "2.E", "3.1.1.E", "310 311 312 313", "7" },
		{ "3.2.2.B", "4.B", "420 421 422 423 1", "7" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char values[256] = "", number[16];

		assert_int_equal(point_parse(&s.trace_config.start, cases[i].start, NULL), 0);
		assert_int_equal(point_parse(&s.trace_config.finish, cases[i].finish, NULL), 0);
		run("levels", TRACE_CONFIG_FULL);
		for (const char *at = only("write"); *at; at += *at == '\n') {
			sscanf(strchr(at, '=') + 1, "%15[0-9]", number);
			snprintf(values + strlen(values), sizeof(values) - strlen(values), "%s%s",
				 *values ? " " : "", number);
			at += strcspn(at, "\n");
		}
		assert_string_equal(values, cases[i].writes);
		snprintf(number, sizeof(number), "%u", lines_like("iter"));
		assert_string_equal(number, cases[i].iterations);
		/* where it is closed beginnings and ends are told, and the iterations round them */
		assert_int_equal(lines_like("begin"), 13);
		assert_int_equal(lines_like("end"), 13);
		teardown(NULL);
		setup(NULL);
	}
}

static void test_limits(void **state)
{
	s.trace_config.limits.ig_left = trace_config_limit(0);
	run("levels", TRACE_CONFIG_FULL);
	assert_int_equal(lines_like("iter 0"), 6);
	assert_int_equal(lines_like("iter"), 6 + 3);
	assert_int_equal(lines_like("write u+0"), 6);
	assert_int_equal(lines_like("write u"), 6);
	assert_int_equal(lines_like("end 1.E PL 4"), 1);
	teardown(NULL);
	setup(NULL);
	/* of a sequential loop the first two; what else is in the third only begins and ends */
	s.trace_config.limits.irep_left = trace_config_limit(2);
	run("levels", TRACE_CONFIG_FULL);
	assert_int_equal(lines_like("write v"), 2);
	assert_int_equal(lines_like("read v"), 2);
	assert_non_null(strstr(taken(), "iter 3\nbegin 6.B PL 0\nend 6.E PL -\n"));
}

static void test_places(void **state)
{
	struct trace_config_place *p = &s.place[0];

	/* the second loop of all, at any level of the others */
	s.nplace = 1;
	*p = (struct trace_config_place){ .kind = RULE_LINE, .level = TRACE_CONFIG_MODIFY };
	strcpy(p->file, "access.c");
	rule_at(1, "1.B");
	begin("levels", TRACE_CONFIG_NONE);
	expect_stop("1.B", STOP_POINT);
	p->line = place(top())->line;
	p->nrange = 1;
	p->first[0] = 1;
	p->last[0] = 3;
	p->step[0] = 2;
	s.n = 0;
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	taken();
	/* from the loop on where it was told so */
	assert_int_equal(lines_like("write u+8="), 6);
	assert_int_equal(lines_like("write u+24="), 6);
	assert_int_equal(lines_like("write"), 12);
	assert_int_equal(lines_like("read"), 0);
	assert_int_equal(lines_like("iter"), 12 + 3);
}

/* Of a task region the tasks that its place names; the others begin and end. */
static void test_tasks(void **state)
{
	struct trace_config_place *p = &s.place[0];

	s.nplace = 1;
	*p = (struct trace_config_place){ .kind = RULE_LINE, .level = TRACE_CONFIG_FULL };
	strcpy(p->file, "access.c");
	rule_at(1, "3.B");
	begin("levels", TRACE_CONFIG_NONE);
	expect_stop("3.B", STOP_POINT);
	p->line = place(top())->line;
	p->nrange = 1;
	p->first[0] = p->last[0] = 2;
	p->step[0] = 1;
	s.n = 0;
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	taken();
	assert_int_equal(lines_like("write u"), 4 * lines_like("begin 3.2."));
	assert_int_equal(lines_like("write u+0=320"), 1);
	assert_int_equal(lines_like("write u+0=310"), 0);
	assert_int_equal(lines_like("begin 3.1.1.B"), 1);
}

static void test_filter(void **state)
{
	s.trace_config.nname = 1;
	strcpy(s.trace_config.name[0], "V");
	run("ranges", TRACE_CONFIG_FULL);
	assert_int_equal(lines_like("write v"), 6);
	assert_int_equal(lines_like("write"), 6);
	assert_int_equal(lines_like("read"), 0);
}

static void test_no_others(void **state)
{
	begin("levels", TRACE_CONFIG_FULL);
	teardown(NULL);
	setup(NULL);
	taken_reset();
	s.area = 4 * MIB;
	s.prog = "hooks/access";
	s.trace_config.trace = TRACE_CONFIG_FULL;
	start("sizes", PLAN_CONT, 0, NULL);
	expect_exit(0);
	taken();
	assert_string_equal(only("read write"), "read small+0=7:4!\nwrite small+0=8:4!");
}

static void test_threads(void **state)
{
	run("threads", TRACE_CONFIG_FULL);
	assert_int_equal(lines_like("write u+0="), 6);
	for (int k = 0; k < 4; k++) {
		char text[32];

		snprintf(text, sizeof(text), "write u+%d=", 8 * k);
		assert_int_equal(lines_like(text), 6);
		snprintf(text, sizeof(text), "iter %d\n", 10 * k + 1);
		assert_int_equal(lines_like(text), 2);
	}
	assert_int_equal(lines_like("read eps+0=0.5"), 24);
	/* all threads' iterations are counted, and their blocks lie between begin and end */
	assert_int_equal(lines_like("end 1.E PL 12"), 1);
	assert_int_equal(lines_like("end 2.E PL 12"), 1);
	for (const char *at = taken(), *b; (b = strstr(at, "block ")); at = b + 1) {
		unsigned thread;
		char where[8];

		if (sscanf(b, "block %u %7s", &thread, where) == 2 && thread)
			assert_memory_equal(where, "PL", 2);
	}
	assert_true(strstr(taken(), "begin 1.B") < strstr(taken(), "block 1"));
	assert_true(strstr(taken(), "end 2.E") > strstr(taken(), "begin 2.B"));
}

static void test_overlap(void **state)
{
	run("overlap", TRACE_CONFIG_FULL);
	assert_int_equal(lines_like("block 1 PL"), 2);
	assert_int_equal(lines_like("write u+40=5.5"), 1);
	assert_int_equal(lines_like("write u+40=6.5"), 1);
	assert_true(strstr(taken(), "write u+40=5.5") < strstr(taken(), "end 1.E"));
	assert_true(strstr(taken(), "write u+40=6.5") > strstr(taken(), "begin 2.B"));
	assert_true(strstr(taken(), "write u+40=6.5") < strstr(taken(), "end 2.E"));
}

static void test_crowd(void **state)
{
	begin("crowd", TRACE_CONFIG_FULL);
	take_for_ever();
	expect_exit(0);
	assert_true(take_ended() >= 1);
}

static void test_signals(void **state)
{
	run("signals", TRACE_CONFIG_FULL);
	assert_string_equal(only("read write"), "write u+0=1.5\nwrite nobody=11:4\nread u+0=1.5");
}

/* It waits for free blocks, and goes on as they come. */
static void test_full(void **state)
{
	uint64_t blocks;

	begin("much", TRACE_CONFIG_MODIFY);
	for (int ms = 0; ms < PATIENCE && !atomic_load(&s.p->trace.waiting); ms++)
		pause_ms(1);
	assert_int_equal(atomic_load(&s.p->trace.waiting), 1);
	assert_int_equal(atomic_load(&s.p->trace.closed), PAGE_BLOCKS);
	take_for_ever();
	expect_exit(0);
	blocks = take_ended();
	assert_int_equal(blocks, atomic_load(&s.p->trace.closed));
	assert_true(blocks > 2 * PAGE_BLOCKS);
	assert_int_equal(atomic_load(&s.p->trace.waiting), 0);
}

/* Nothing is recorded any more: whoever waits goes on. */
static void test_given_up(void **state)
{
	begin("much", TRACE_CONFIG_MODIFY);
	for (int ms = 0; ms < PATIENCE && !atomic_load(&s.p->trace.waiting); ms++)
		pause_ms(1);
	atomic_store(&s.p->trace.stopped, 1);
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	assert_int_equal(atomic_load(&s.p->trace.closed), PAGE_BLOCKS);
}

/* Who waits for a block whose supervisor is gone dies with it, or runs on, as was asked. */
static void test_orphan(void **state)
{
	for (unsigned run_on = 0; run_on < 2; run_on++) {
		begin("much", TRACE_CONFIG_MODIFY);
		for (int ms = 0; ms < PATIENCE && !atomic_load(&s.p->trace.waiting); ms++)
			pause_ms(1);
		assert_int_equal(atomic_load(&s.p->trace.waiting), 1);
		atomic_store(&s.p->on_exit_run, run_on);
		s.p->exec_pid = 1;
		if (run_on)
			expect_exit(0);
		else
			expect_death(SIGKILL);
		assert_int_equal(s.p->state, run_on ? PAGE_OFF : PAGE_RUNNING);
		teardown(NULL);
		setup(NULL);
	}
}

static void test_forks(void **state)
{
	run("forks", TRACE_CONFIG_FULL);
	assert_string_equal(only("read write"), "write u+0=1.5\nread u+8=0");
}

static void test_values(void **state)
{
	run("values", TRACE_CONFIG_MINIMAL);
	assert_string_equal(only("begin end value reduction"), "begin 1.B PL 1\n"
							       "value eps+0=0.5\n"
							       "value big+0#800\n"
							       "value pair+0#9\n"
							       "end 1.E PL -\n"
							       "value eps+0=0.75\n"
							       "value big+0#800\n"
							       "value pair+0#9\n"
							       "reduction total+0=6 1\n"
							       "reduction eps+0=0.75 3");
}

static void test_heap(void **state)
{
	run("heap", TRACE_CONFIG_FULL);
	assert_string_equal(only("read write"),
			    "write heap+16=1.5\nread heap+16=1.5\nread nobody=0\nread heap+24=0\n"
			    "read w+16=1.5\nread w+24=0\n"
			    "read nobody=1.5\nread nobody=0");
}

/* Before a program that crashes is parked, all it did is handed over, but for the write that
 * failed. */
static void test_crash(void **state)
{
	begin("crash", TRACE_CONFIG_FULL);
	assert_true(stopped());
	assert_int_equal(s.p->reason, STOP_SIGNAL);
	assert_int_equal(s.p->fault, 16);
	taken();
	assert_string_equal(only("begin write"), "begin 1.B PL 3\nwrite u+0=1.5");
	report(PLAN_CONT, 0, NULL, true);
	expect_death(SIGSEGV);
}

/* Of one that is killed the half block is there. */
static void test_killed(void **state)
{
	begin("killed", TRACE_CONFIG_FULL);
	expect_death(SIGKILL);
	assert_int_equal(atomic_load(&s.p->trace.closed), 0);
	taken();
	assert_string_equal(only("begin write read"),
			    "begin 1.B PL 3\nwrite u+0=1.5\nread u+0=1.5");
}

static void test_leaves(void **state)
{
	run("leaves", TRACE_CONFIG_FULL);
	assert_string_equal(only("begin end iter write"),
			    "begin start SL 3\niter 0\nbegin 1.B PL 3\nwrite u+0=1.5");
}

/* At a stop all is handed over, and it goes on in another block. */
static void test_stop(void **state)
{
	rule_at(1, "2.B");
	begin("levels", TRACE_CONFIG_FULL);
	expect_stop("2.B", STOP_POINT);
	taken();
	assert_int_equal(lines_like("write"), 4);
	assert_int_equal(lines_like("begin"), 2);
	assert_int_equal(lines_like("end"), 1);
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	taken();
	assert_int_equal(lines_like("write"), 6 * 4 + 3);
	assert_int_equal(lines_like("block 0 PL"), 1);
}

static void test_exec(void **state)
{
	begin("execs", TRACE_CONFIG_FULL);
	/* the second program waits until the blocks of the first are taken */
	for (int ms = 0; ms < PATIENCE && !lines_like("write"); ms++) {
		taken();
		pause_ms(1);
	}
	expect_exit(0);
	taken();
	assert_int_equal(lines_like("write u+0=1.5"), 1);
	assert_int_equal(lines_like("write small+0=8:4!"), 1);
	assert_int_equal(lines_like("begin 1.B"), 2);
}

/* Without an area, and at no level, nothing is recorded and the hooks stay shut. */
static void test_off(void **state)
{
	run("shut", TRACE_CONFIG_NONE);
	assert_int_equal(atomic_load(&s.p->trace.opened), 0);
	teardown(NULL);
	setup(NULL);
	s.trace_config.limits.irep_left = 1;
	taken_reset();
	s.area = 4 * MIB;
	s.prog = "hooks/access";
	s.trace_config.trace = TRACE_CONFIG_MINIMAL;
	start("shut", PLAN_CONT, 0, NULL);
	expect_exit(0);
	teardown(NULL);
	setup(NULL);
	taken_reset();
	s.prog = "hooks/access";
	s.trace_config.trace = TRACE_CONFIG_FULL;
	s.trace_config.others = 1;
	start("shut", PLAN_CONT, 0, NULL);
	expect_exit(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_deferred), TEST(test_sizes),	   TEST(test_ranges),  TEST(test_swap),
		TEST(test_levels),   TEST(test_interval),  TEST(test_limits),  TEST(test_places),
		TEST(test_filter),   TEST(test_no_others), TEST(test_threads), TEST(test_overlap),
		TEST(test_crowd),    TEST(test_signals),   TEST(test_full),    TEST(test_given_up),
		TEST(test_forks),    TEST(test_values),	   TEST(test_heap),    TEST(test_crash),
		TEST(test_killed),   TEST(test_leaves),	   TEST(test_stop),    TEST(test_exec),
		TEST(test_off),	     TEST(test_orphan),    TEST(test_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
