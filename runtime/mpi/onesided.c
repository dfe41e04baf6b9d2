/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication: whether an epoch is open when data are accessed, and accesses of one
 * epoch that conflict. Only what this process does itself is known here.
 */
#include <mpi.h>

#include <string.h>

#include "common/protocol/finding_kind.h"
#include "runtime/mpi/internal.h"

#define TARGETS 1024 /* of locks that are followed */
#define RECENT 64    /* accesses that are remembered; a power of two */

enum access { ACCESS_GET, ACCESS_PUT, ACCESS_ACCUMULATE };

/* What has been accessed since it was last complete. */
struct recent {
	uint32_t since; /* the window's number of completions then */
	int32_t target;
	uint64_t disp;
	uint8_t access;
	unsigned call;
};

/* A window, at the index of its object. */
struct epoch {
	uint32_t serial;
	uint32_t completions;
	bool fenced, started, posted, all;
	uint32_t nlocked;
	uint64_t locked[TARGETS / 64];
	struct recent recent[RECENT];
};

static struct epoch epochs[MPISTATE_OBJECTS];

static struct epoch *epoch_of(const struct mpi_thread *t)
{
	struct epoch *e = &epochs[t->object - t->page->object];

	if (e->serial != t->object->serial) {
		memset(e, 0, sizeof(*e));
		e->serial = t->object->serial;
		e->completions = 1;
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

static void check_conflict(const struct mpi_thread *t, struct epoch *e, int32_t target,
			   uint64_t disp, enum access access)
{
	struct recent *r = &e->recent[mpistate_mix(disp, (uint32_t)target) & (RECENT - 1)];
	bool same = r->since == e->completions && r->target == target && r->disp == disp;

	if (same && (access == ACCESS_PUT || r->access == ACCESS_PUT))
		wrong(t, "%s of the same epoch accesses the same place of the target (argument %d)",
		      mpistate_call_name(r->call), t->shape->dest + 1);
	if (same && r->access == ACCESS_PUT)
		return;
	*r = (struct recent){ e->completions, target, disp, (uint8_t)access, t->call };
}

/* An access of data; disp: its displacement's argument. */
static void access(const struct mpi_thread *t, const mpi_word *arg, int disp, enum access kind)
{
	const struct mpistate_shape *h = t->shape;
	struct epoch *e = epoch_of(t);
	int32_t target = (int32_t)t->slot->word[h->dest];
	uint64_t at = t->fortran ? *(const uint64_t *)arg[disp] : arg[disp];

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
	if (h->count < 0 || (int32_t)t->slot->word[h->count] > 0)
		check_conflict(t, e, target, at, kind);
}

static void check_passive(const struct mpi_thread *t, bool all)
{
	struct epoch *e = epoch_of(t);

	if (all ? e->all : e->all || is_locked(e, (int32_t)t->slot->word[t->shape->dest]))
		return;
	wrong(t, "the window is not locked");
}

void onesided_begin(const struct mpi_thread *t, const mpi_word *arg)
{
	struct epoch *e;

	if (!t->object || t->object->what != MPISTATE_WIN)
		return;
	e = epoch_of(t);
	switch (t->call) {
	case MPISTATE_CALL_Put:
	case MPISTATE_CALL_Rput:
		access(t, arg, 4, ACCESS_PUT);
		break;
	case MPISTATE_CALL_Get:
	case MPISTATE_CALL_Rget:
		access(t, arg, 4, ACCESS_GET);
		break;
	case MPISTATE_CALL_Accumulate:
	case MPISTATE_CALL_Raccumulate:
		access(t, arg, 4, ACCESS_ACCUMULATE);
		break;
	case MPISTATE_CALL_Get_accumulate:
	case MPISTATE_CALL_Rget_accumulate:
		access(t, arg, 7, ACCESS_ACCUMULATE);
		break;
	case MPISTATE_CALL_Fetch_and_op:
		access(t, arg, 4, ACCESS_ACCUMULATE);
		break;
	case MPISTATE_CALL_Compare_and_swap:
		access(t, arg, 5, ACCESS_ACCUMULATE);
		break;
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
		e->completions++;
		break;
	}
	case MPISTATE_CALL_Win_start:
		e->started = true;
		break;
	case MPISTATE_CALL_Win_complete:
		e->started = false;
		e->completions++;
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
		e->completions++;
		break;
	case MPISTATE_CALL_Win_lock_all:
		e->all = true;
		break;
	case MPISTATE_CALL_Win_unlock_all:
		e->all = false;
		e->completions++;
		break;
	case MPISTATE_CALL_Win_flush:
	case MPISTATE_CALL_Win_flush_all:
		e->completions++;
		break;
	}
}
