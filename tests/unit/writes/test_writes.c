/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes to watched memory, as hooks report them to the table itself.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/writes/writes.h"

#define PC 77u
#define N 64

struct rt rt; /* of the program that is debugged */
__thread bool rt_owner;
static _Atomic uint32_t on[4];
static double memory[N][N];
static bool open;
static uint32_t registered;
static unsigned reports;
static uint64_t last_pc;
static bool last_other;

uint32_t var_changes(void)
{
	return registered;
}

static void changed(bool is_open)
{
	open = is_open;
}

static void report(uint64_t pc, bool other)
{
	assert_true(rt.busy);
	reports++;
	last_pc = pc;
	last_other = other;
}

static void first(void)
{
	rt.announced = true;
}

static int set_up(void **state)
{
	(void)state;
	memset(memory, 0, sizeof(memory));
	rt = (struct rt){ .on = on, .at_first = first };
	on[0] = 1;
	rt_owner = true;
	reports = 0;
	writes_use(changed);
	writes_report_to(report);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	writes_watch(NULL, 0);
	assert_false(open);
	return 0;
}

static uint64_t at(const double *p)
{
	return (uintptr_t)p;
}

/* The program writes it, and comes to its next access. */
static void write_one(double *p, double value)
{
	writes_access(at(p), sizeof(*p), true, PC);
	*p = value;
	writes_access(at(memory[0]), sizeof(*p), false, PC + 100);
}

static void watch(double *first_one, unsigned n, unsigned stride)
{
	struct writes_run run = { at(first_one), at(first_one + (n - 1) * stride + 1),
				  8ul * stride, 8 };

	writes_watch(&run, 1);
	assert_true(open);
}

static void test_elements(void **state)
{
	(void)state;
	watch(&memory[3][5], 4, N); /* a part of a column */
	for (unsigned i = 0; i < N; i++)
		for (unsigned j = 0; j < N; j++) {
			reports = 0;
			write_one(&memory[i][j], 1);
			assert_int_equal(reports, j == 5 && i >= 3 && i < 7);
		}
	assert_int_equal(last_pc, PC);
	assert_false(last_other);
}

static void test_same_value(void **state)
{
	(void)state;
	watch(&memory[1][0], N, 1);
	write_one(&memory[1][7], 0);
	assert_int_equal(reports, 0);
	write_one(&memory[1][7], 2);
	write_one(&memory[1][7], 2);
	assert_int_equal(reports, 1);
}

/* gcc reports the copy of a structure before it is made: the write, then the read. */
static void test_copy(void **state)
{
	struct {
		double v[4];
	} *to = (void *)memory[2], from = { { 1, 2, 3, 4 } };

	(void)state;
	watch(&memory[2][0], N, 1);
	for (unsigned n = 1; n <= 4; n++) {
		reports = 0;
		memset(to, 0, sizeof(*to));
		writes_access(at(to->v), n * sizeof(double), true, PC);
		writes_access(at(from.v), n * sizeof(double), false, PC + 9);
		assert_int_equal(reports, 0);
		memcpy(to, &from, n * sizeof(double));
		writes_access(at(memory[0]), sizeof(double), false, PC + 20);
		assert_int_equal(reports, 1);
		assert_int_equal(last_pc, PC);
	}
}

/* Rows that overlap in what they span, and many of them. */
static void test_many_runs(void **state)
{
	static struct writes_run run[N];

	(void)state;
	for (unsigned i = 0; i < N; i++)
		run[N - 1 - i] = (struct writes_run){ at(&memory[0][i]), at(&memory[N - 1][i]) + 8,
						      8 * N * 2, 8 };
	run[0].stride = 8 * N;
	writes_watch(run, N);
	for (unsigned i = 0; i < N; i++)
		for (unsigned j = 0; j < N; j++) {
			reports = 0;
			write_one(&memory[i][j], 1);
			assert_int_equal(reports, i % 2 == 0 || j == N - 1);
		}
}

/* A range that begins before what is watched, and ends in it. */
static void test_range(void **state)
{
	(void)state;
	watch(&memory[2][4], 1, 1);
	writes_access(at(&memory[2][0]), 4 * 8, true, PC);
	writes_flush();
	assert_int_equal(reports, 0);
	writes_access(at(&memory[2][0]), 4 * 8 + 1, true, PC);
	writes_flush();
	assert_int_equal(reports, 1);
}

static void test_marks_and_mpi(void **state)
{
	(void)state;
	watch(&memory[0][0], 1, 1);
	writes_access(at(memory[0]), 8, true, PC);
	memory[0][0] = 4;
	assert_true(rt_enter());
	assert_int_equal(reports, 1);
	rt_leave();
	writes_mpi();
	assert_int_equal(reports, 1);
	write_one(&memory[9][9], 1);
	assert_int_equal(reports, 2);
	assert_int_equal(last_pc, 0);
	registered++;
	write_one(&memory[9][9], 2);
	assert_int_equal(reports, 3);
	assert_int_equal(last_pc, 0);
}

static void *other_thread(void *arg)
{
	(void)arg;
	writes_access(at(memory[0]), 8, true, PC + 9);
	assert_true(writes_of_others());
	memory[0][0] = 6;
	writes_flush();
	return NULL;
}

static void test_other_thread(void **state)
{
	pthread_t t;

	(void)state;
	watch(&memory[0][0], 1, 1);
	assert_false(writes_of_others());
	assert_int_equal(pthread_create(&t, NULL, other_thread, NULL), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_int_equal(reports, 0);
	assert_true(writes_of_others());
	write_one(&memory[9][9], 1);
	assert_int_equal(reports, 1);
	assert_int_equal(last_pc, PC + 9);
	assert_true(last_other);
	assert_false(writes_of_others());
}

/* In the runtime itself, as a handler of signals may be, nothing is reported, but later. */
static void test_busy(void **state)
{
	(void)state;
	watch(&memory[0][0], 1, 1);
	assert_true(rt_enter());
	write_one(&memory[0][0], 3);
	assert_int_equal(reports, 0);
	rt_leave();
	write_one(&memory[9][9], 1);
	assert_int_equal(reports, 1);
	assert_int_equal(last_pc, PC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_elements, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_copy, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_same_value, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_many_runs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_range, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_marks_and_mpi, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_thread, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_busy, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
