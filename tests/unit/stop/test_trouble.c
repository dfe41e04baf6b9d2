/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdvmdbg: misplaced marks, crashes, forks, execs, a supervisor that reads memory, kills or is
 * gone.
 */
#include "tests/unit/super.h"

#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/logical/construct.h"
#include "common/protocol/finding_kind.h"
#include "common/protocol/report.h"

static void test_nesting(void **state)
{
	start("nesting", PLAN_CONT, 0, NULL);
	expect_exit(0);
	assert_int_equal(findings(FINDING_NESTING, "a parallel loop inside a parallel loop"), 1);
	assert_int_equal(findings(FINDING_NESTING, "a task outside a task region"), 1);
	assert_int_equal(findings(FINDING_NESTING, "in none of its tasks"), 1);
	assert_int_equal(findings(FINDING_NESTING, "the number of a task is negative"), 1);
	assert_int_equal(findings(FINDING_NESTING, "an iteration mark outside any loop"), 1);
	assert_int_equal(s.p->finding_n, 5);
	assert_string_equal(where(), "3.E");
	assert_int_equal(s.p->depth, 0);
}

static void test_left(void **state)
{
	start("left", PLAN_CONT, 0, NULL);
	expect_exit(0);
	assert_int_equal(findings(FINDING_LEFT, "parallel loop"), 1); /* once per place */
	assert_int_equal(findings(FINDING_LEFT, "task region"), 1);
	assert_int_equal(findings(FINDING_UNBALANCED, "parallel loop"), 1);
	assert_int_equal(s.p->finding_n, 3);
	assert_int_equal(s.p->depth, 0);
	/* how 1: loop and region; 2, 3: the loop; 4: both; then one more */
	assert_string_equal(where(), "7.E");
}

/* A forgotten end is the one finding, and numbers are from then on as if it were there. */
static void test_forgotten(void **state)
{
	start("forgotten", PLAN_CONT, 0, NULL);
	expect_exit(0);
	assert_int_equal(findings(FINDING_LEFT, "parallel loop, which is open when the loop around "
						"it goes on: is DVMDBG_PL_END() missing?"),
			 1);
	assert_int_equal(s.p->finding_n, 1);
	assert_int_equal(s.p->depth, 0);
	/* 1: the first loop alone; from then on three an iteration */
	assert_string_equal(where(), "7.E");
}

static void test_forgotten_last(void **state)
{
	start("forgotten_last", PLAN_CONT, 0, NULL);
	expect_exit(0);
	assert_int_equal(findings(FINDING_LEFT, "which begins again before it has ended"), 1);
	assert_int_equal(findings(FINDING_LEFT, "is missing, or was not reached"), 1);
	assert_int_equal(s.p->finding_n, 2);
}

static void test_thread(void **state)
{
	start("thread", PLAN_CONT, 0, NULL);
	expect_exit(0);
	assert_int_equal(findings(FINDING_THREAD, "parallel loop at marks.c:"), 1);
	assert_int_equal(s.p->finding_n, 1);
	assert_string_equal(where(), "1.E");
	assert_int_equal(s.p->first_entity, 0);
}

static void test_crash(void **state)
{
	static const struct {
		const char *situation;
		int sig;
		bool fault;
	} cases[] = {
		{ "segv", SIGSEGV, true },	 { "overflow", SIGSEGV, true },
		{ "other_segv", SIGSEGV, true }, { "aborts", SIGABRT, false },
		{ "killed", SIGFPE, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setup(NULL);
		start(cases[i].situation, PLAN_CONT, 0, NULL);
		assert_true(stopped());
		assert_int_equal(s.p->reason, STOP_SIGNAL);
		assert_int_equal(s.p->code, cases[i].sig);
		assert_int_equal(s.p->fault != 0, cases[i].fault);
		if (strcmp(cases[i].situation, "other_segv")) {
			assert_string_equal(where(), "1.B");
			assert_int_equal(top()->kind, CONSTRUCT_PL);
		}
		report(PLAN_CONT, 0, NULL, true);
		expect_death(cases[i].sig);
		if (i + 1 < sizeof(cases) / sizeof(*cases))
			teardown(NULL);
	}
}

static void test_own_handler(void **state)
{
	start("handler", PLAN_CONT, 0, NULL);
	expect_exit(40 + SIGSEGV);
}

static void test_fork(void **state)
{
	start("forks", PLAN_CONT, 0, NULL);
	expect_exit(0);
	assert_string_equal(where(), "2.E");
	assert_int_equal(s.p->hash_n, 2);
	assert_int_equal(s.p->first_entity, 0);
}

static void test_closed_descriptors(void **state)
{
	start("closes", PLAN_STEP, 4, NULL);
	expect_stop("2.1.1.B", STOP_STEP);
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	assert_string_equal(where(), "10.E");
}

static void test_exec(void **state)
{
	rule_at(0, "1.B");
	start("execs", PLAN_CONT, 0, NULL);
	expect_stop("1.B", STOP_POINT);
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("1.B", STOP_POINT); /* of the next image */
	assert_non_null(object("eps"));
	assert_int_equal(s.p->history_n, 1);
	s.n = 0;
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	assert_string_equal(where(), "10.E");
}

/* Rank of a stack that is deeper than is kept, or followed. */
static void test_deep(void **state)
{
	start("deep", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	assert_int_equal(s.p->depth, 72);
	s.n = 0;
	report(PLAN_STEP, 2, NULL, true);
	expect_stop("2.B", STOP_STEP); /* that in the deeper one is not seen */
	assert_int_equal(s.p->depth, 1);
	assert_int_equal(findings(FINDING_PARTIAL, "deeper than 1024"), 1);
}

static int bounce(bool write_it, uint64_t addr, void *data, uint32_t len)
{
	struct page_bounce *b = &s.p->bounce;

	b->addr = addr;
	b->len = len;
	b->write = write_it;
	if (write_it && len <= PAGE_BOUNCE)
		memcpy(b->data, data, len);
	atomic_fetch_add(&b->request, 1);
	atomic_fetch_add(&s.p->wake, 1);
	syscall(SYS_futex, &s.p->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	for (int ms = 0; atomic_load(&b->answer) != b->request; ms++) {
		assert_true(ms < PATIENCE);
		pause_ms(1);
	}
	if (!write_it && !b->error)
		memcpy(data, b->data, len);
	return b->error;
}

static void test_bounce(void **state)
{
	double value = 0;
	uint64_t addr;

	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	addr = object("eps")->addr;
	assert_int_equal(bounce(false, addr, &value, sizeof(value)), 0);
	assert_true(value == 0.5);
	value = 0.75;
	assert_int_equal(bounce(true, addr, &value, sizeof(value)), 0);
	value = 0;
	assert_int_equal(bounce(false, addr, &value, sizeof(value)), 0);
	assert_true(value == 0.75);
	assert_int_equal(bounce(false, 16, &value, sizeof(value)), EFAULT);
	assert_int_equal(bounce(false, addr, &value, PAGE_BOUNCE + 1), EINVAL);
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
}

static void test_fatal(void **state)
{
	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	atomic_store(&s.p->fatal, 1);
	atomic_fetch_add(&s.p->wake, 1);
	syscall(SYS_futex, &s.p->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	expect_death(SIGKILL);
}

/* The supervisor is gone (another process than the parent): dies, or runs on, as was asked. */
static void test_orphan(void **state)
{
	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	atomic_store(&s.p->on_exit_run, 1);
	s.p->exec_pid = 1;
	expect_exit(0);
	assert_int_equal(s.p->state, PAGE_OFF);
	teardown(NULL);
	setup(NULL);
	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	s.p->exec_pid = 1;
	expect_death(SIGKILL);
}

/* Without a page, or with one for another process, the marks do nothing. */
static void test_off(void **state)
{
	start("plain", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	teardown(NULL);
	setup(NULL);
	s.fd = memfd_create("page", MFD_CLOEXEC);
	assert_int_equal(ftruncate(s.fd, sizeof(*s.p)), 0);
	s.p = mmap(NULL, sizeof(*s.p), PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, 0);
	s.p->magic = PAGE_MAGIC;
	s.p->version = PAGE_VERSION;
	s.p->program_pid = 1;
	s.pid = fork();
	if (!s.pid)
		child_run("plain");
	expect_exit(0);
	assert_int_equal(s.p->state, PAGE_FRESH);
	assert_int_equal(s.p->event_seq, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nesting),
		TEST(test_left),
		TEST(test_forgotten),
		TEST(test_forgotten_last),
		TEST(test_thread),
		TEST(test_crash),
		TEST(test_own_handler),
		TEST(test_fork),
		TEST(test_closed_descriptors),
		TEST(test_exec),
		TEST(test_deep),
		TEST(test_bounce),
		TEST(test_fatal),
		TEST(test_orphan),
		TEST(test_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
