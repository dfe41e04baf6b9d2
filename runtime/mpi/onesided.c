/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication: whether an epoch is open when data are accessed. Only what this process does itself is
 * known here; what conflicts is found by those who see all ranks (race.c).
 */
#include <mpi.h>

#include <string.h>

#include "common/protocol/finding_kind.h"
#include "runtime/mpi/internal.h"
#include "runtime/mpi/race.h"

#define TARGETS 1024 /* of locks that are followed */
/* A window, at the index of its object. */
struct epoch {
	uint32_t serial;
	bool fenced, started, posted, all;
	uint32_t nlocked;
	uint64_t locked[TARGETS / 64];
};

static struct epoch epochs[MPISTATE_OBJECTS];

static struct epoch *epoch_of(const struct mpi_thread *t)
{
	struct epoch *e = &epochs[t->object - t->page->object];

	if (e->serial != t->object->serial) {
		memset(e, 0, sizeof(*e));
		e->serial = t->object->serial;
	}
	return e;
}

static bool is_locked(const struct epoch *e, int32_t rank)
{
	return rank < 0 || rank >= TARGETS || e->locked[rank / 64] >> rank % 64 & 1;
}

static void lock(struct epoch *e, int32_t rank, bool on)
{
	uint64_t bit;

	if (rank < 0 || rank >= TARGETS)
		return;
	bit = UINT64_C(1) << rank % 64;
	if (on && !is_locked(e, rank))
		e->nlocked++;
	else if (!on && is_locked(e, rank))
		e->nlocked--;
	e->locked[rank / 64] = on ? e->locked[rank / 64] | bit : e->locked[rank / 64] & ~bit;
}

#define wrong(t, ...) check_report(t, FINDING_ONESIDED, __VA_ARGS__)

/* An access of data. */
static void access(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;
	struct epoch *e = epoch_of(t);
	int32_t target = (int32_t)t->slot->word[h->dest];

	if (target == t->page->numbers.proc_null)
		return;
	if (target < 0 || (uint32_t)target >= t->object->size) {
		check_report(t, FINDING_MISUSE,
			     "the target (argument %d) is rank %d, of a window with %u ranks",
			     h->dest + 1, target, t->object->size);
		return;
	}
	if (!e->fenced && !e->started && !e->all && !is_locked(e, target))
		wrong(t,
		      "no epoch is open for the target (argument %d): call MPI_Win_fence, "
		      "MPI_Win_start or MPI_Win_lock before",
		      h->dest + 1);
	race_access(t, arg);
}

static void check_passive(const struct mpi_thread *t, bool all)
{
	struct epoch *e = epoch_of(t);

	if (all ? e->all : e->all || is_locked(e, (int32_t)t->slot->word[t->shape->dest]))
		return;
	wrong(t, "the window is not locked");
}

static bool is_access(unsigned call)
{
	switch (call) {
	case MPISTATE_CALL_Put:
	case MPISTATE_CALL_Rput:
	case MPISTATE_CALL_Get:
	case MPISTATE_CALL_Rget:
	case MPISTATE_CALL_Accumulate:
	case MPISTATE_CALL_Raccumulate:
	case MPISTATE_CALL_Get_accumulate:
	case MPISTATE_CALL_Rget_accumulate:
	case MPISTATE_CALL_Fetch_and_op:
	case MPISTATE_CALL_Compare_and_swap:
		return true;
	default:
		return false;
	}
}

void onesided_begin(const struct mpi_thread *t, const mpi_word *arg)
{
	struct epoch *e;

	if (!t->object || t->object->what != MPISTATE_WIN)
		return;
	e = epoch_of(t);
	switch (t->call) {
	case MPISTATE_CALL_Win_unlock:
		if (!is_locked(e, (int32_t)t->slot->word[t->shape->dest]))
			wrong(t, "the target (argument %d) is not locked", t->shape->dest + 1);
		break;
	case MPISTATE_CALL_Win_unlock_all:
		if (!e->all)
			wrong(t, "MPI_Win_lock_all has not been called");
		break;
	case MPISTATE_CALL_Win_flush:
	case MPISTATE_CALL_Win_flush_local:
		check_passive(t, false);
		break;
	case MPISTATE_CALL_Win_lock:
		if (e->all || is_locked(e, (int32_t)t->slot->word[t->shape->dest]))
			wrong(t, "the target (argument %d) is locked already", t->shape->dest + 1);
		break;
	case MPISTATE_CALL_Win_complete:
		if (!e->started)
			wrong(t, "MPI_Win_start has not been called");
		break;
	case MPISTATE_CALL_Win_wait:
	case MPISTATE_CALL_Win_test:
		if (!e->posted)
			wrong(t, "MPI_Win_post has not been called");
		break;
	case MPISTATE_CALL_Win_fence:
		if (e->all || e->nlocked)
			wrong(t, "the window is locked");
		break;
	case MPISTATE_CALL_Win_free:
		if (e->all || e->nlocked)
			wrong(t, "the window is locked");
		else if (e->started || e->posted)
			wrong(t, "an epoch is open: call %s before",
			      e->started ? "MPI_Win_complete" : "MPI_Win_wait");
		break;
	default:
		if (is_access(t->call))
			access(t, arg);
	}
}

void onesided_end(const struct mpi_thread *t, const mpi_word *arg)
{
	struct epoch *e;
	int32_t rank;

	if (!t->object || t->object->what != MPISTATE_WIN)
		return;
	e = epoch_of(t);
	rank = t->shape->dest >= 0 ? (int32_t)t->slot->word[t->shape->dest] : -1;
	switch (t->call) {
	case MPISTATE_CALL_Win_fence: {
		int how = t->fortran ? *(const int *)arg[0] : (int)arg[0];

		e->fenced = !(how & MPI_MODE_NOSUCCEED);
		buffers_window(t, -1);
		break;
	}
	case MPISTATE_CALL_Win_start:
		e->started = true;
		break;
	case MPISTATE_CALL_Win_complete:
		e->started = false;
		buffers_window(t, -1);
		break;
	case MPISTATE_CALL_Win_post:
		e->posted = true;
		break;
	case MPISTATE_CALL_Win_wait:
		e->posted = false;
		break;
	case MPISTATE_CALL_Win_test:
		if (*(const int *)arg[t->shape->flag])
			e->posted = false;
		break;
	case MPISTATE_CALL_Win_lock:
		lock(e, rank, true);
		break;
	case MPISTATE_CALL_Win_unlock:
		lock(e, rank, false);
		buffers_window(t, rank);
		break;
	case MPISTATE_CALL_Win_lock_all:
		e->all = true;
		break;
	case MPISTATE_CALL_Win_unlock_all:
		e->all = false;
		buffers_window(t, -1);
		break;
	case MPISTATE_CALL_Win_flush:
	case MPISTATE_CALL_Win_flush_local:
		buffers_window(t, rank);
		break;
	case MPISTATE_CALL_Win_flush_all:
	case MPISTATE_CALL_Win_flush_local_all:
		buffers_window(t, -1);
		break;
	default:
		if (is_access(t->call))
			buffers_accessed(t, arg);
	}
}
