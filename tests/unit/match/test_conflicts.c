/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accesses to a window that four ranks say they have made, and what orders them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/rankset.h"
#include "common/protocol/finding_kind.h"
#include "frontend/match/internal.h"
#include "tests/unit/fake_job.h"

#define RANKS 4
#define WIN 7  /* the window's identity */
#define COMM 9 /* that of a communicator */

static struct {
	struct mpistate_window window;
	struct mpistate_event event[16];
	struct mpistate_access access[16];
	struct place place;
	struct agree_race log;
} rank[RANKS];
static char found[2048];

static void begin(void)
{
	memset(rank, 0, sizeof(rank));
	for (unsigned i = 0; i < RANKS; i++) {
		rank[i].window =
			(struct mpistate_window){ .id = WIN, .base = 4096, .size = 64, .unit = 4 };
		rank[i].log = (struct agree_race){ .host = 1,
						   .nwindow = 1,
						   .nplace = 1,
						   .window = &rank[i].window,
						   .event = rank[i].event,
						   .access = rank[i].access,
						   .place = &rank[i].place };
	}
}

static struct mpistate_event *event(unsigned r, unsigned kind)
{
	struct mpistate_event *e = &rank[r].event[rank[r].log.nevent++];

	*e = (struct mpistate_event){ .kind = kind, .id = WIN, .peer = -1 };
	return e;
}

/* To the memory of `target`, from its element `at` on. */
static struct mpistate_access *access_to(unsigned r, unsigned call, unsigned kind, int target,
					 int64_t at, uint64_t n)
{
	struct mpistate_access *a = &rank[r].access[rank[r].log.naccess++];

	*a = (struct mpistate_access){ .id = WIN, .disp = at, .piece = { 0, n * 4, n * 4, 1 },
				       .begin = rank[r].log.nevent, .end = MPISTATE_NOT_ENDED,
				       .target = target, .call = call + 1, .kind = kind };
	return a;
}

static void put(unsigned r, int target, int64_t at, uint64_t n)
{
	access_to(r, MPISTATE_CALL_Put, MPISTATE_WRITE, target, at, n);
}

static void get(unsigned r, int target, int64_t at, uint64_t n)
{
	access_to(r, MPISTATE_CALL_Get, MPISTATE_READ, target, at, n);
}

static struct mpistate_access *add(unsigned r, int target, uint32_t op)
{
	struct mpistate_access *a =
		access_to(r, MPISTATE_CALL_Accumulate, MPISTATE_ATOMIC, target, 0, 1);

	a->base = 'i' << 8 | 4;
	a->op = op;
	return a;
}

/* The program's own accesses. */
static void own(unsigned r, unsigned kind, int64_t at)
{
	struct mpistate_access *a = access_to(r, 0, kind, MPISTATE_OWN, 0, 1);

	a->call = 0;
	a->piece.lo = at * 4;
	a->end = a->begin;
}

/* The n-th of all ranks. */
static void fence(uint32_t n)
{
	for (unsigned i = 0; i < RANKS; i++) {
		struct mpistate_event *e = event(i, MPISTATE_EVENT_ALL);

		e->n = n;
		e->size = RANKS;
		e->class = MPISTATE_EVENT_ALL;
	}
}

static void message(unsigned r, unsigned kind, int peer)
{
	struct mpistate_event *e = event(r, kind);

	e->id = COMM;
	e->peer = peer;
	e->n = 1;
}

static void flush(unsigned r, int target)
{
	event(r, MPISTATE_EVENT_FLUSH)->peer = target;
}

/* With what is accessed between. */
static void lock(unsigned r, int target, bool exclusive)
{
	struct mpistate_event *e = event(r, MPISTATE_EVENT_LOCK);

	e->peer = target;
	e->n = exclusive;
}

static void unlock(unsigned r, int target, uint64_t when)
{
	struct mpistate_event *e = event(r, MPISTATE_EVENT_UNLOCK);

	e->peer = target;
	e->begin = when;
	e->end = when + 1;
}

static void take(void *arg, const struct rankset *ranks, const struct report_finding *f)
{
	size_t n = strlen(found);

	(void)arg;
	snprintf(found + n, sizeof(found) - n, "%s: %s\n", finding_kind_key(f->kind), f->detail);
}

/* What is found in all that was said since begin. */
static const char *conflicts(void)
{
	char *text = NULL;
	struct session *s = fake_begin(&text, false);
	struct match m = { s, take, NULL };

	found[0] = 0;
	for (unsigned i = 0; i < RANKS; i++) {
		const char name[] = { (char)('0' + i), 0 };
		struct buf b = { 0 };

		agree_race_put(&rank[i].log, &b);
		fake_answer(QUERY_AGREE, NULL, name, &b);
	}
	match_conflicts(&m);
	fake_end(s);
	free(text);
	return found;
}

static void test_puts(void **state)
{
	begin();
	fence(1);
	put(0, 2, 1, 2);
	put(1, 2, 2, 2);
	put(3, 2, 4, 2);
	fence(2);
	assert_string_equal(conflicts(),
			    "conflict: MPI_Put on [0] and MPI_Put on [1] overlap in bytes "
			    "8:11 of the window on [2]\n");
}

static void test_reads(void **state)
{
	begin();
	fence(1);
	get(0, 2, 0, 4);
	get(1, 2, 0, 4);
	own(2, MPISTATE_READ, 0);
	fence(2);
	assert_string_equal(conflicts(), "");
	own(2, MPISTATE_WRITE, 0);
	get(3, 2, 0, 1);
	fence(3);
	assert_string_equal(conflicts(),
			    "conflict: store on [2] and MPI_Get on [3] overlap in bytes "
			    "0:3 of the window on [2]\n");
}

static void test_fence(void **state)
{
	begin();
	fence(1);
	put(0, 2, 0, 4);
	own(1, MPISTATE_WRITE, 0);
	fence(2);
	put(1, 2, 0, 4);
	own(3, MPISTATE_WRITE, 0);
	fence(3);
	own(2, MPISTATE_READ, 0);
	fence(4);
	assert_string_equal(conflicts(), "");
}

/* A message orders what is complete when it is sent, and nothing else. */
static void messages(bool flushed)
{
	begin();
	put(0, 2, 0, 1);
	if (flushed)
		flush(0, 2);
	message(0, MPISTATE_EVENT_SEND, 1);
	message(1, MPISTATE_EVENT_RECV, 0);
	put(1, 2, 0, 1);
}

static void test_messages(void **state)
{
	messages(true);
	assert_string_equal(conflicts(), "");
	messages(false);
	assert_non_null(
		strstr(conflicts(), "MPI_Put on [0] and MPI_Put on [1] overlap in bytes 0:3"));
	/* what was sent before anything was kept is no reason to say nothing */
	messages(true);
	rank[0].log.nevent = 1;
	assert_non_null(strstr(conflicts(), "overlap"));
	/* but when it may have been sent later, nothing is known of what follows its receive */
	rank[0].log.over = 1;
	assert_string_equal(conflicts(), "");
}

/* A get may be complete when its rank sends. */
static void test_local(void **state)
{
	begin();
	get(0, 1, 0, 1);
	message(0, MPISTATE_EVENT_SEND, 1);
	own(1, MPISTATE_WRITE, 1);
	message(1, MPISTATE_EVENT_RECV, 0);
	own(1, MPISTATE_WRITE, 0);
	assert_string_equal(conflicts(), "");
	get(2, 1, 0, 1);
	assert_non_null(strstr(conflicts(), "MPI_Get on [2]"));
}

static void test_same_rank(void **state)
{
	begin();
	put(0, 2, 0, 1);
	flush(0, 2);
	get(0, 2, 0, 1);
	flush(0, 2);
	assert_string_equal(conflicts(), "");
	put(0, 2, 0, 1);
	flush(0, 3);
	get(0, 2, 0, 1);
	assert_non_null(strstr(conflicts(), "MPI_Put on [0] and MPI_Get on [0] overlap"));
}

static void locks(bool exclusive)
{
	begin();
	for (unsigned i = 0; i < 2; i++) {
		lock(i, 2, exclusive);
		put(i, 2, 0, 1);
		unlock(i, 2, 10 * (i + 1));
	}
}

static void test_locks(void **state)
{
	locks(true);
	assert_string_equal(conflicts(), "");
	locks(false);
	assert_non_null(strstr(conflicts(), "MPI_Put on [0] and MPI_Put on [1] overlap"));
}

static void test_accumulates(void **state)
{
	enum { SUM = 3, PROD = 4 };

	begin();
	add(0, 2, SUM);
	add(1, 2, SUM);
	assert_string_equal(conflicts(), "");
	add(3, 2, PROD);
	assert_non_null(strstr(conflicts(), "MPI_Accumulate on [3]"));
	begin();
	add(0, 2, SUM);
	add(1, 2, SUM)->base = 'f' << 8 | 4;
	assert_non_null(strstr(conflicts(), "overlap in bytes 0:3"));
	begin();
	add(0, 2, SUM);
	put(1, 2, 0, 1);
	assert_non_null(strstr(conflicts(), "MPI_Accumulate on [0] and MPI_Put on [1]"));
}

/* A rank that waits for what another one puts there. */
static void test_polls(void **state)
{
	begin();
	put(0, 2, 0, 1);
	flush(0, 2);
	own(2, MPISTATE_READ, 0);
	assert_non_null(strstr(conflicts(), "MPI_Put on [0] and load on [2]"));
	event(2, MPISTATE_EVENT_SYNC);
	own(2, MPISTATE_READ, 0);
	assert_string_equal(conflicts(), "");
	own(2, MPISTATE_WRITE, 0);
	assert_non_null(strstr(conflicts(), "MPI_Put on [0] and store on [2]"));
}

/* Columns of a matrix with rows of 16 bytes. */
static void test_pieces(void **state)
{
	begin();
	for (int i = 0; i < 2; i++) {
		put(0 + (unsigned)i, 2, i, 1);
		rank[i].access[0].piece = (struct mpistate_piece){ 0, 4, 16, 4 };
	}
	assert_string_equal(conflicts(), "");
	rank[1].access[0].piece = (struct mpistate_piece){ 12, 4, 16, 3 };
	assert_non_null(strstr(conflicts(), "overlap in bytes 16:19 of"));
}

static void test_outside(void **state)
{
	begin();
	put(0, 2, 12, 4);
	put(1, 2, 15, 2);
	assert_non_null(strstr(conflicts(),
			       "onesided: MPI_Put: it accesses bytes 60:67 of the window on [2], "
			       "which has 64 bytes\n"));
	assert_null(strstr(found, "48:63"));
}

/* The same places on whatever ranks are one finding. */
static void test_once(void **state)
{
	begin();
	for (unsigned i = 0; i < RANKS; i++)
		for (unsigned k = 0; k < 3; k++)
			put(i, 2, 0, 1);
	conflicts();
	assert_ptr_equal(strchr(found, '\n'), found + strlen(found) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_puts),	   cmocka_unit_test(test_reads),
		cmocka_unit_test(test_fence),	   cmocka_unit_test(test_messages),
		cmocka_unit_test(test_same_rank),  cmocka_unit_test(test_locks),
		cmocka_unit_test(test_accumulates), cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_outside),	   cmocka_unit_test(test_once),
		cmocka_unit_test(test_polls),	   cmocka_unit_test(test_local),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
