/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank does with memory that others, or MPI itself, may access at the same time, as it is
 * kept in the shared page: accesses to windows, the events that order them between ranks, and uses
 * of buffers of calls that were not complete. The program writes, from one thread, until a list is
 * full or something happens that is not understood: what is kept is the beginning of it all,
 * without gaps.
 */
#ifndef DVMDBG_COMMON_MPISTATE_RACE_H
#define DVMDBG_COMMON_MPISTATE_RACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MPISTATE_EVENTS 8192
#define MPISTATE_ACCESSES 4096
#define MPISTATE_LOCAL_ACCESSES 3072 /* the most that loads and stores may take of these */
#define MPISTATE_WINDOWS 64
#define MPISTATE_CLASHES 128

/* What orders ranks, or completes accesses. */
enum mpistate_event_kind {
	MPISTATE_EVENT_NONE,
	MPISTATE_EVENT_SEND,	 /* id, peer, tag, n: the n-th message of these */
	MPISTATE_EVENT_RECV,	 /* that has come; or one before it */
	MPISTATE_EVENT_ACK,	 /* a synchronous send has ended */
	MPISTATE_EVENT_ALL,	 /* collective n on id: after all have begun it */
	MPISTATE_EVENT_FROM,	 /* after the root */
	MPISTATE_EVENT_TO,	 /* the root after all */
	MPISTATE_EVENT_BEGUN,	 /* one of class, which is one of these three, only begins */
	MPISTATE_EVENT_ENDED,	 /* and is complete */
	MPISTATE_EVENT_LOCK,	 /* id; peer: the target, -1: all; n: 1 exclusive */
	MPISTATE_EVENT_UNLOCK,	 /* id, peer; between these times */
	MPISTATE_EVENT_FLUSH,	 /* id, peer: accesses are complete at the target */
	MPISTATE_EVENT_SYNC,	 /* MPI_Win_sync */
	MPISTATE_EVENT_COMPLETE, /* id: accesses of the epoch are complete */
	MPISTATE_EVENTS_KINDS
};
/* Tags of messages that others than the program send. */
#define MPISTATE_TAG_POST (-10)
#define MPISTATE_TAG_COMPLETE (-11)

struct mpistate_event {
	uint32_t kind;
	uint32_t n, size; /* size: ranks that take part in a collective */
	int32_t peer, tag; /* ranks of MPI_COMM_WORLD */
	uint32_t is_root, class; /* of a collective */
	uint64_t id;
	uint64_t begin, end; /* ns, the clock of the host */
};

enum mpistate_access_kind {
	MPISTATE_READ,
	MPISTATE_WRITE,
	MPISTATE_ATOMIC_READ, /* an accumulate with MPI_NO_OP */
	MPISTATE_ATOMIC,
	MPISTATE_ACCESS_KINDS
};

/* n blocks of so many bytes, the first at lo, the others each a stride behind. */
struct mpistate_piece {
	int64_t lo;
	uint64_t block, stride;
	uint64_t n;
};

/* An access to the memory of a window. */
struct mpistate_access {
	uint64_t id, pc;
	int64_t disp; /* in units of the target */
	struct mpistate_piece piece; /* bytes, from there */
	uint32_t begin, end; /* events before it; before it was complete (own memory alone) */
	int32_t target; /* rank of MPI_COMM_WORLD; MPISTATE_OWN: own memory */
	uint32_t call; /* enum mpistate_call + 1; 0: of the program's code */
	uint32_t kind;
	uint32_t base, op; /* of accumulates: as in struct mpistate_sig; MPISTATE_GIVEN_… */
	uint32_t gives; /* it returns what was there */
};
#define MPISTATE_OWN (-4)
#define MPISTATE_NOT_ENDED UINT32_MAX

/* Memory of this rank that a window has. */
struct mpistate_window {
	uint64_t id, base, size, pc;
	uint32_t unit, call; /* call: + 1, that has made it */
	_Atomic uint32_t gone, pad;
};

/* A buffer of a call that is not complete is used. */
struct mpistate_clash {
	_Atomic uint32_t there; /* all else is written */
	uint32_t call, arg; /* whose buffer: enum mpistate_call + 1, the number of its argument */
	uint32_t by, by_arg; /* by which call; 0: the program's code */
	uint32_t writes, by_writes;
	uint32_t pad;
	uint64_t pc, by_pc;
};

struct mpistate_race {
	_Atomic uint32_t on;   /* all ranks are followed from here on */
	_Atomic uint32_t over; /* what comes now is no longer kept */
	_Atomic uint32_t nevent, naccess, nwindow, nclash;
	_Atomic uint32_t
		fresh; /* no call since the newest window was made: stores are first values */
	uint32_t pad;
	struct mpistate_event event[MPISTATE_EVENTS];
	struct mpistate_access access[MPISTATE_ACCESSES];
	struct mpistate_window window[MPISTATE_WINDOWS];
	struct mpistate_clash clash[MPISTATE_CLASHES];
};

/* The end of a piece. */
static inline int64_t mpistate_piece_end(const struct mpistate_piece *p)
{
	return p->lo + (int64_t)((p->n - 1) * p->stride + p->block);
}

/* Whether a byte from lo up to hi is in the piece. */
static inline bool mpistate_piece_has(const struct mpistate_piece *p, int64_t lo, int64_t hi)
{
	int64_t first;

	if (hi <= p->lo || lo >= mpistate_piece_end(p) || lo >= hi)
		return false;
	if (p->n == 1 || p->stride <= p->block || lo < p->lo)
		return true;
	first = (lo - p->lo) % (int64_t)p->stride;
	return first < (int64_t)p->block || hi - lo > (int64_t)p->stride - first;
}

#define MPISTATE_PIECE_LOOK 65536 /* blocks of a piece that are compared */

static inline bool mpistate_pieces_meet(const struct mpistate_piece *a,
					const struct mpistate_piece *b)
{
	const struct mpistate_piece *few = a->n <= b->n ? a : b, *other = few == a ? b : a;

	if (a->lo >= mpistate_piece_end(b) || b->lo >= mpistate_piece_end(a))
		return false;
	for (uint64_t i = 0; i < few->n && i < MPISTATE_PIECE_LOOK; i++) {
		int64_t lo = few->lo + (int64_t)(i * few->stride);

		if (mpistate_piece_has(other, lo, lo + (int64_t)few->block))
			return true;
	}
	return false;
}

#endif
