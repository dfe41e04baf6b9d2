/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication: whether an epoch is open when data are accessed. Only what this process
 * does itself is known here; what conflicts is found by those who see all ranks (race.c).
 */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/core/fingerprint.h"
#include "common/protocol/finding_kind.h"
#include "runtime/mpi/internal.h"
#include "runtime/mpi/race.h"

#define STACK_MOST (8u << 20) /* bytes above a call, in which variables of functions are */
#define TARGETS 1024 /* of locks that are followed */
/* A window, at the index of its object. */
struct epoch {
	uint32_t serial;
	bool fenced, started, posted, all;
	uintptr_t stack; /* its memory, on the stack of the thread `owner`; 0: elsewhere */
	uint32_t owner;
	uint32_t since; /* the newest access since the fence: enum mpistate_call + 1; 0: none */
	uint32_t nlocked;
	uint64_t locked[TARGETS / 64], shared[TARGETS / 64];
	int32_t *target, *origin; /* owned: the ranks of MPI_Win_start, and of MPI_Win_post */
	int ntarget, norigin;
};

static struct epoch epochs[MPISTATE_OBJECTS];

static struct epoch *epoch_at(const struct mpi_thread *t, const struct mpistate_object *window)
{
	struct epoch *e = &epochs[window - t->page->object];

	if (e->serial != window->serial) {
		free(e->target);
		free(e->origin);
		memset(e, 0, sizeof(*e));
		e->serial = window->serial;
	}
	return e;
}

static struct epoch *epoch_of(const struct mpi_thread *t)
{
	return epoch_at(t, t->object);
}

/* Of MPI_Win_create: its memory may be a variable of a function. */
static void keep_stack(const struct mpi_thread *t, const mpi_word *arg)
{
	const void *at = (const void *)arg[t->shape->made_win];
	const struct mpistate_object *window =
		objects_find(t->page, MPISTATE_WIN, t->fortran,
			     objects_handle_at(MPISTATE_WIN, t->fortran, at));
	struct epoch *e = window ? epoch_at(t, window) : NULL;

	if (!e || (uintptr_t)arg[0] - (uintptr_t)t->frame >= STACK_MOST)
		return;
	e->stack = (uintptr_t)arg[0];
	e->owner = t->slot->tid;
}

/* What lies below whoever calls is of functions that have returned. */
static bool has_returned(const struct mpi_thread *t, const struct epoch *e)
{
	return e->stack && e->owner == t->slot->tid && (uintptr_t)t->frame > e->stack;
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

static void set_shared(struct epoch *e, int32_t rank, bool on)
{
	uint64_t bit;

	if (rank < 0 || rank >= TARGETS)
		return;
	bit = UINT64_C(1) << rank % 64;
	e->shared[rank / 64] = on ? e->shared[rank / 64] | bit : e->shared[rank / 64] & ~bit;
}

static bool is_shared(const struct epoch *e, int32_t rank)
{
	return rank >= 0 && rank < TARGETS && e->shared[rank / 64] >> rank % 64 & 1;
}

/* What others of the window wait for, or are waited for: see MPISTATE_TAG_POSTED. */
static struct mpistate_pair *pair(const struct mpi_thread *t, int32_t rank, int32_t tag)
{
	return rank == MPISTATE_UNKNOWN ? NULL : state_pair(t->page, t->object, rank, tag);
}

static void sends(const struct mpi_thread *t, const int32_t *rank, int n, int32_t tag)
{
	for (int i = 0; i < n; i++) {
		struct mpistate_pair *e = pair(t, rank[i], tag);

		if (e)
			e->sends++;
	}
}

/* receives: it is waited for; received: no longer. */
static void receives(const struct mpi_thread *t, const int32_t *rank, int n, int32_t tag)
{
	for (int i = 0; i < n; i++) {
		struct mpistate_pair *e = pair(t, rank[i], tag);

		if (e)
			e->recvs++;
	}
}

static void received(const struct mpi_thread *t, const int32_t *rank, int n, int32_t tag)
{
	for (int i = 0; i < n; i++) {
		struct mpistate_pair *e = pair(t, rank[i], tag);

		if (e)
			e->received = e->recvs;
	}
}

/* The group of MPI_Win_start or MPI_Win_post, the first argument, in place of the former one. */
static void take_group(const struct mpi_thread *t, const mpi_word *arg, int32_t **rank, int *n)
{
	free(*rank);
	*n = objects_group(t->page, t->object, t->fortran, arg[0], rank);
}

static bool is_exclusive(const struct mpi_thread *t, const mpi_word *arg)
{
	return (t->fortran ? *(const int *)arg[0] : (int)arg[0]) == MPI_LOCK_EXCLUSIVE;
}

/* A lock of the target is waited for (on), or that has ended. */
static void wait_lock(const struct mpi_thread *t, int32_t rank, bool exclusive, bool on)
{
	struct mpistate_pair *e =
		pair(t, rank, exclusive ? MPISTATE_TAG_EXCLUSIVE : MPISTATE_TAG_SHARED);

	if (e)
		e->any = on;
}

/* It is taken, or given back. */
static void count_lock(const struct mpi_thread *t, int32_t rank, bool exclusive, bool taken)
{
	struct mpistate_pair *e =
		pair(t, rank, exclusive ? MPISTATE_TAG_EXCLUSIVE : MPISTATE_TAG_SHARED);

	if (!e)
		return;
	e->any = 0;
	if (taken)
		e->sends++;
	else
		e->recvs++;
}

#define wrong(t, ...) check_report(t, FINDING_ONESIDED, __VA_ARGS__)

/* Its first argument is data; those of others are of one element, or of none with some operation. */
static bool has_origin(unsigned call)
{
	switch (call) {
	case MPISTATE_CALL_Put:
	case MPISTATE_CALL_Rput:
	case MPISTATE_CALL_Get:
	case MPISTATE_CALL_Rget:
	case MPISTATE_CALL_Accumulate:
	case MPISTATE_CALL_Raccumulate:
		return true;
	default:
		return false;
	}
}

/* An access of data. */
static void accesses(const struct mpi_thread *t, const mpi_word *arg)
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
	if (has_origin(t->call))
		check_origin(t, arg);
	if (e->fenced && !e->started && !e->all && !is_locked(e, target))
		e->since = t->call + 1;
	race_access(t, arg);
}

/* A fence that says that nothing was accessed before. */
static bool precedes_nothing(const struct mpi_thread *t, const mpi_word *arg)
{
	return (t->fortran ? *(const int *)arg[0] : (int)arg[0]) & MPI_MODE_NOPRECEDE;
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
	case MPISTATE_CALL_Get_accumulate:
	case MPISTATE_CALL_Rget_accumulate:
	case MPISTATE_CALL_Fetch_and_op:
	case MPISTATE_CALL_Compare_and_swap:
		return true;
	default:
		return has_origin(call);
	}
}

void onesided_begin(const struct mpi_thread *t, const mpi_word *arg)
{
	struct epoch *e;

	if (!t->object || t->object->what != MPISTATE_WIN)
		return;
	e = epoch_of(t);
	if (has_returned(t, e)) {
		wrong(t, "the memory of the window was of a function that has returned");
		e->stack = 0;
	}
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
		wait_lock(t, (int32_t)t->slot->word[t->shape->dest], is_exclusive(t, arg), true);
		break;
	case MPISTATE_CALL_Win_start:
		take_group(t, arg, &e->target, &e->ntarget);
		receives(t, e->target, e->ntarget, MPISTATE_TAG_POSTED);
		break;
	case MPISTATE_CALL_Win_post:
		take_group(t, arg, &e->origin, &e->norigin);
		sends(t, e->origin, e->norigin, MPISTATE_TAG_POSTED);
		receives(t, e->origin, e->norigin, MPISTATE_TAG_COMPLETED);
		break;
	case MPISTATE_CALL_Win_complete:
		if (!e->started)
			wrong(t, "MPI_Win_start has not been called");
		sends(t, e->target, e->ntarget, MPISTATE_TAG_COMPLETED);
		break;
	case MPISTATE_CALL_Win_wait:
	case MPISTATE_CALL_Win_test:
		if (!e->posted)
			wrong(t, "MPI_Win_post has not been called");
		break;
	case MPISTATE_CALL_Win_fence:
		if (e->all || e->nlocked)
			wrong(t, "the window is locked");
		else if (e->since && precedes_nothing(t, arg))
			wrong(t, "MPI_MODE_NOPRECEDE is given, and %s was called since the last one",
			      mpistate_call_name(e->since - 1));
		break;
	case MPISTATE_CALL_Win_free:
		if (e->all || e->nlocked)
			wrong(t, "the window is locked");
		else if (e->started || e->posted)
			wrong(t, "an epoch is open: call %s before",
			      e->started ? "MPI_Win_complete" : "MPI_Win_wait");
		else if (e->since)
			wrong(t, "%s is not complete: call MPI_Win_fence before",
			      mpistate_call_name(e->since - 1));
		break;
	default:
		if (is_access(t->call))
			accesses(t, arg);
	}
}

/* Whether it is a call that takes or gives back locks. */
static bool end_lock(const struct mpi_thread *t, struct epoch *e, int32_t rank, const mpi_word *arg)
{
	switch (t->call) {
	case MPISTATE_CALL_Win_lock:
		lock(e, rank, true);
		set_shared(e, rank, !is_exclusive(t, arg));
		count_lock(t, rank, is_exclusive(t, arg), true);
		break;
	case MPISTATE_CALL_Win_unlock:
		lock(e, rank, false);
		count_lock(t, rank, !is_shared(e, rank), false);
		buffers_window(t, rank);
		break;
	case MPISTATE_CALL_Win_lock_all:
		e->all = true;
		count_lock(t, MPISTATE_ANY, false, true);
		break;
	case MPISTATE_CALL_Win_unlock_all:
		e->all = false;
		count_lock(t, MPISTATE_ANY, false, false);
		buffers_window(t, -1);
		break;
	default:
		return false;
	}
	return true;
}

void onesided_end(const struct mpi_thread *t, const mpi_word *arg)
{
	struct epoch *e;
	int32_t rank;

	if (t->call == MPISTATE_CALL_Win_create)
		keep_stack(t, arg);
	if (!t->object || t->object->what != MPISTATE_WIN)
		return;
	e = epoch_of(t);
	rank = t->shape->dest >= 0 ? (int32_t)t->slot->word[t->shape->dest] : -1;
	switch (t->call) {
	case MPISTATE_CALL_Win_fence: {
		int how = t->fortran ? *(const int *)arg[0] : (int)arg[0];

		e->fenced = !(how & MPI_MODE_NOSUCCEED);
		e->since = 0;
		buffers_window(t, -1);
		break;
	}
	case MPISTATE_CALL_Win_start:
		e->started = true;
		break;
	case MPISTATE_CALL_Win_complete:
		e->started = false;
		received(t, e->target, e->ntarget, MPISTATE_TAG_POSTED);
		buffers_window(t, -1);
		break;
	case MPISTATE_CALL_Win_post:
		e->posted = true;
		break;
	case MPISTATE_CALL_Win_test:
		if (!*(const int *)arg[t->shape->flag])
			break;
		/* fall through */
	case MPISTATE_CALL_Win_wait:
		e->posted = false;
		received(t, e->origin, e->norigin, MPISTATE_TAG_COMPLETED);
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
		if (!end_lock(t, e, rank, arg) && is_access(t->call))
			buffers_accessed(t, arg);
	}
}

/*
 * A loop of calls that only read windows waits for what others write. It moves when a read finds
 * something else than the same read did before; so it is like a test without success.
 */
#define READS 16
#define READ_BYTES 4096u

static __thread struct spin {
	struct {
		unsigned call;
		uint64_t pc;
		const void *at;
		uint64_t bytes;
		bool waits, known; /* to be complete; found is that of the one before */
		unsigned char found[FINGERPRINT_BYTES];
	} read[READS];
	unsigned nread, still; /* still: epochs, or parts of them, without anything new */
} spin __attribute__((tls_model("initial-exec")));

enum spinning { SPIN_NOT, SPIN_READS, SPIN_COMPLETES, SPIN_OPENS };

/* Its result is argument result, one of the type behind `of`; 0: as many of a type as those
 * behind it say. */
static enum spinning spinning(unsigned call, int8_t *result, int8_t *of)
{
	*result = *of = 0;
	switch (call) {
	case MPISTATE_CALL_Get:
		return SPIN_READS;
	case MPISTATE_CALL_Fetch_and_op:
		*result = *of = 1;
		return SPIN_READS;
	case MPISTATE_CALL_Compare_and_swap:
		*result = *of = 2;
		return SPIN_READS;
	case MPISTATE_CALL_Win_lock:
	case MPISTATE_CALL_Win_lock_all:
		return SPIN_OPENS;
	case MPISTATE_CALL_Win_unlock:
	case MPISTATE_CALL_Win_unlock_all:
	case MPISTATE_CALL_Win_flush:
	case MPISTATE_CALL_Win_flush_all:
	case MPISTATE_CALL_Win_flush_local:
	case MPISTATE_CALL_Win_flush_local_all:
	case MPISTATE_CALL_Win_sync:
		return SPIN_COMPLETES;
	default:
		return SPIN_NOT;
	}
}

/* What the call reads; false: that cannot be followed. */
static bool spin_read(const struct mpi_thread *t, const mpi_word *arg, int8_t result, int8_t of)
{
	/* how many of a type */
	const uint64_t what[] = { of ? 1 : t->slot->word[1], t->slot->word[of ? of + 1 : 2] };
	uint64_t bytes = check_bytes(t, 0, 1, what), pc = t->slot->pc;
	unsigned i = 0;

	while (i < spin.nread && (spin.read[i].pc != pc || spin.read[i].at != (void *)arg[result]))
		i++;
	if (!bytes || bytes > READ_BYTES || i == READS)
		return false;
	if (i == spin.nread) {
		memset(&spin.read[i], 0, sizeof(spin.read[i]));
		spin.read[i].call = t->call;
		spin.read[i].pc = pc;
		spin.read[i].at = (const void *)arg[result];
		spin.nread++;
	}
	spin.read[i].known &= spin.read[i].bytes == bytes;
	spin.read[i].bytes = bytes;
	spin.read[i].waits = true;
	return true;
}

/* By the kernel: the buffer may be a device's. */
static bool found_at(const void *at, uint64_t bytes, unsigned char out[FINGERPRINT_BYTES])
{
	unsigned char room[READ_BYTES];
	struct iovec to = { room, bytes }, from = { (void *)(uintptr_t)at, bytes };
	struct fingerprint f = { 0 };

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)bytes)
		return false;
	fingerprint_add(&f, room, bytes);
	fingerprint_end(&f, out);
	return true;
}

/* Whether the reads that are complete by now have found what they had found before. */
static bool spin_is_same(void)
{
	bool same = true;

	for (unsigned i = 0; i < spin.nread; i++) {
		unsigned char found[FINGERPRINT_BYTES];
		bool read;

		if (!spin.read[i].waits)
			continue;
		read = found_at(spin.read[i].at, spin.read[i].bytes, found);
		same &= read && spin.read[i].known &&
			!memcmp(found, spin.read[i].found, sizeof(found));
		spin.read[i].known = read;
		if (read)
			memcpy(spin.read[i].found, found, sizeof(found));
		spin.read[i].waits = false;
	}
	return same;
}

bool onesided_spins(unsigned call)
{
	int8_t result, of;

	return spin.still > 1 && spinning(call, &result, &of) != SPIN_NOT;
}

/* A loop that reads is known by one of its reads, another by the call that it is in. */
static void begin_spin(struct mpistate_slot *s, bool spins)
{
	unsigned call = s->call - 1;
	uint64_t pc = s->pc;

	if (spins && spin.nread) {
		call = spin.read[0].call;
		pc = spin.read[0].pc;
	}
	atomic_store_explicit(&s->spin_pc, pc, memory_order_relaxed);
	atomic_store_explicit(&s->spin_call, spins ? call + 1 : 0, memory_order_relaxed);
}

bool onesided_found_nothing(struct mpi_thread *t, const mpi_word *arg)
{
	unsigned before = spin.still;
	int8_t result, of;

	switch (spinning(t->call, &result, &of)) {
	case SPIN_READS:
		if (!spin_read(t, arg, result, of))
			spin.still = 0;
		break;
	case SPIN_COMPLETES:
		spin.still = spin_is_same() ? spin.still + 1 : 0;
		break;
	case SPIN_OPENS:
		break;
	case SPIN_NOT:
		spin.still = spin.nread = 0;
		break;
	}
	t->windows = spin.nread || spin.still;
	if (before > 1 ? !spin.still : spin.still == 2)
		begin_spin(t->slot, spin.still > 1);
	return spin.still > 1;
}
