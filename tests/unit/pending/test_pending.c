/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accesses of a program while MPI may access some of its memory, told to the table itself.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/mpistate/mpistate.h"
#include "runtime/base/base.h"
#include "runtime/base/mpi_table.h"
#include "runtime/pending/pending.h"

#define AT 0x10000u /* where memory begins that is accessed: the table never looks into it */
#define PC 77u
#define SEND MPISTATE_CALL_Isend
#define MANY (2 << 20)

struct rt rt; /* of the program that is debugged */
static _Atomic uint32_t on = 1;
static bool open;
static struct mpistate_race *race;

static void changed(bool is_open)
{
	open = is_open;
}

static int set_up(void **state)
{
	(void)state;
	rt.page = calloc(1, sizeof(*rt.page));
	rt.on = &on;
	race = &rt.page->mpi_calls.race;
	pending_use(changed);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	race->over = 1;
	dvmdbg_mpi_pending_changed();
	free(rt.page);
	return 0;
}

static int add(uint64_t lo, uint64_t block, uint64_t stride, uint64_t n, bool writes)
{
	const struct mpistate_piece piece = { (int64_t)lo, block, stride, n };

	return dvmdbg_mpi_pending_add(&piece, writes, SEND, 1, (const void *)0x55);
}

static void test_gate(void **state)
{
	int a, b;

	assert_false(pending_is_open());
	a = add(AT, 64, 64, 1, false);
	assert_true(open && pending_is_open());
	b = add(AT, 64, 64, 1, false);
	dvmdbg_mpi_pending_remove(a);
	assert_true(open && pending_is_open());
	dvmdbg_mpi_pending_remove(b);
	assert_false(open || pending_is_open());
}

static void test_clash(void **state)
{
	int place = add(AT + 64, 64, 64, 1, false);
	const struct mpistate_clash *c = &race->clash[0];

	pending_access(AT + 64, 8, false, PC);
	pending_access(AT + 56, 8, true, PC);
	pending_access(AT + 128, 8, true, PC);
	assert_int_equal(race->nclash, 0);
	pending_access(AT + 60, 8, true, PC);
	pending_access(AT + 64, 8, true, PC);
	assert_int_equal(race->nclash, 1);
	assert_true(c->there && c->call == SEND + 1 && c->arg == 1 && !c->writes && c->pc == 0x55);
	assert_true(!c->by && c->by_writes && c->by_pc == PC);
	pending_access(AT + 127, 1, true, PC + 1);
	assert_int_equal(race->nclash, 2);
	dvmdbg_mpi_pending_remove(place);
	pending_access(AT + 64, 8, true, PC + 2);
	assert_int_equal(race->nclash, 2);
}

/* What MPI writes is not to be read either. */
static void test_reads(void **state)
{
	int place = add(AT, 64, 64, 1, true);

	pending_access(AT, 8, false, PC);
	assert_int_equal(race->nclash, 1);
	assert_true(race->clash[0].writes && !race->clash[0].by_writes);
	dvmdbg_mpi_pending_remove(place);
}

/* A column, of which the gaps are free; over many pages. */
static void test_stride(void **state)
{
	int place = add(AT, 8, 4096, 5000, true);

	for (uint64_t i = 0; i < 5000; i += 999) {
		pending_access(AT + i * 4096 + 8, 4088, true, PC + i);
		assert_int_equal(race->nclash, i / 999);
		pending_access(AT + i * 4096 + 7, 1, true, PC + i);
		assert_int_equal(race->nclash, i / 999 + 1);
	}
	pending_access(AT + 5000 * 4096u, 8, true, PC);
	assert_int_equal(race->nclash, 6);
	dvmdbg_mpi_pending_remove(place);
}

static void test_full(void **state)
{
	int place[MPI_PENDING];

	for (unsigned i = 0; i < MPI_PENDING; i++)
		place[i] = add(AT + i * 64, 64, 64, 1, false);
	assert_int_equal(add(AT, 64, 64, 1, false), -1);
	dvmdbg_mpi_pending_remove(place[10]);
	assert_int_equal(add(AT + 10 * 64, 64, 64, 1, false), place[10]);
	pending_access(AT + MPI_PENDING * 64 - 1, 1, true, PC);
	assert_int_equal(race->nclash, 1);
	for (unsigned i = 0; i < MPI_PENDING; i++)
		dvmdbg_mpi_pending_remove(place[i]);
	assert_false(open);
}

/* A program that computes for long between two calls is not looked at for long. */
static void test_long(void **state)
{
	int place = add(AT, 64, 64, 1, false);

	for (int i = 0; i < MANY && open; i++)
		pending_access(AT + 4096, 8, true, PC);
	assert_false(open);
	dvmdbg_mpi_pending_changed();
	assert_true(open);
	dvmdbg_mpi_pending_remove(place);
}

static void window(uint64_t size)
{
	race->window[0] = (struct mpistate_window){ .id = 7, .base = AT, .size = size, .unit = 1 };
	race->nwindow = 1;
	race->on = 1;
	dvmdbg_mpi_pending_changed();
}

static void expect(uint32_t i, int64_t lo, uint64_t block, uint64_t stride, uint64_t n)
{
	const struct mpistate_access *a = &race->access[i];

	assert_int_equal(race->naccess, i + 1);
	assert_true(a->id == 7 && a->target == MPISTATE_OWN && !a->call);
	assert_int_equal(a->piece.lo, lo);
	assert_int_equal(a->piece.block, block);
	assert_int_equal(a->piece.n, n);
	if (n > 1)
		assert_int_equal(a->piece.stride, stride);
}

/* A place of the code that goes through a window is one access. */
static void test_window(void **state)
{
	window(65536);
	assert_true(open);
	for (unsigned i = 0; i < 100; i++)
		pending_access(AT + 8 * i, 8, true, PC);
	expect(0, 0, 800, 800, 1);
	assert_int_equal(race->access[0].kind, MPISTATE_WRITE);
	for (unsigned i = 0; i < 100; i++)
		pending_access(AT + 4 + 64 * i, 4, false, PC + 1);
	expect(1, 4, 4, 64, 100);
	for (unsigned i = 10; i--;)
		pending_access(AT + 1000 + 8 * i, 8, true, PC + 2);
	expect(2, 1000, 80, 80, 1);
	/* behind it */
	pending_access(AT + 65536, 8, true, PC + 3);
	expect(2, 1000, 80, 80, 1);
	/* another event has come between */
	race->nevent++;
	pending_access(AT + 800, 8, true, PC);
	expect(3, 800, 8, 8, 1);
	assert_int_equal(race->access[3].begin, 1);
}

static void *elsewhere(void *arg)
{
	pending_access(AT, 8, true, PC);
	return arg;
}

static void test_window_ends(void **state)
{
	pthread_t thread;

	window(64);
	/* of those of other threads it is not known between which calls they are */
	assert_int_equal(pthread_create(&thread, NULL, elsewhere, NULL), 0);
	pthread_join(thread, NULL);
	assert_int_equal(race->naccess, 0);
	race->fresh = 1;
	pending_access(AT, 8, true, PC);
	assert_int_equal(race->naccess, 0);
	race->fresh = 0;
	pending_access(AT, 8, true, PC);
	assert_int_equal(race->naccess, 1);
	race->window[0].gone = 1;
	dvmdbg_mpi_pending_changed();
	assert_false(open);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(gate), TEST(clash), TEST(reads),  TEST(stride),
		TEST(full), TEST(long),  TEST(window), TEST(window_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
