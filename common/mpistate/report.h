/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one rank does in MPI, as its supervisor reports it: the answer to QUERY_MPI. Ranks are those
 * of MPI_COMM_WORLD, unless "local" is said. Texts of places are borrowed, from the buffer when it
 * was got.
 */
#ifndef DVMDBG_COMMON_MPISTATE_REPORT_H
#define DVMDBG_COMMON_MPISTATE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/codec.h"
#include "common/logical/rankset.h"
#include "common/mpistate/mpistate.h"
#include "common/protocol/report.h"

/* What a rank is doing. words are what a user reads */
#define MPISTATE_DOING_LIST(X)                                                               \
	X(UNKNOWN, "not known")	     /* the runtime is off, or threads have no slot */       \
	X(NO_MPI, "before MPI_Init") /* or never there */                                    \
	X(INITS, "inside MPI_Init")                                                            \
	X(COMPUTES, "computes")	     /* not in a call that can block */                      \
	X(CALL, "waits")	     /* in one */                                            \
	X(POLLS, "polls")	     /* in or between tests or probes without success */     \
	X(STOPPED, "stopped")	     /* the debugger holds it */                             \
	X(FINALIZES, "inside MPI_Finalize")                                                  \
	X(FINALIZED, "after MPI_Finalize")                                                   \
	X(ENDED, "ended")
enum mpistate_doing {
#define X(name, words) MPISTATE_DOES_##name,
	MPISTATE_DOING_LIST(X)
#undef X
		MPISTATE_DOINGS
};
const char *mpistate_doing_words(unsigned doing);

enum mpistate_op_kind { MPISTATE_OP_SEND, MPISTATE_OP_RECV, MPISTATE_OP_COLL, MPISTATE_OP_OTHER,
			MPISTATE_OP_KINDS };

/* One thing that a call waits for: its own message or collective, or that of a request. */
struct mpistate_op {
	uint8_t kind;
	uint8_t request; /* made by another call, at place */
	uint16_t call;	 /* enum mpistate_call; MPISTATE_CALLS: not known */
	int32_t peer;	 /* of a collective the root: a rank, MPISTATE_ANY, MPISTATE_UNKNOWN */
	int32_t local;	 /* the same in its communicator; MPI_Intercomm_create: the own leader */
	int32_t tag;	 /* MPISTATE_ANY */
	int32_t root;	 /* local; -1: none */
	uint32_t comm;	 /* index + 1 in the report's comms; 0: not known */
	uint32_t number; /* of a collective among those of comm */
	uint64_t count;
	char type[24]; /* "": not known */
	struct place place;
};

struct mpistate_past {
	uint32_t number;
	uint16_t call;
	int32_t root;
	uint32_t main;		     /* the newest numbered construct when it was begun */
	char object[MPISTATE_NAME]; /* that is registered where its result goes; "" none */
	struct place place;
};

/* A communicator, window or file that is mentioned. */
struct mpistate_comm {
	uint64_t id; /* the same on all its ranks */
	uint8_t what, inter;
	uint16_t made_by; /* MPISTATE_CALL_Init: predefined */
	uint32_t size;
	char name[MPISTATE_NAME];
	struct place made;
	struct rankset members; /* empty: not known, or not asked for */
	uint32_t begun_n;
	uint32_t npast; /* the newest collectives, oldest first */
	struct mpistate_past past[MPISTATE_RECENT];
};

/* Messages so far between this rank and another. */
struct mpistate_traffic {
	uint32_t comm; /* index + 1 */
	int32_t peer, tag;
	uint32_t sends, recvs;
	uint16_t call; /* the newest send */
	uint32_t count;
	struct place place;
};

struct mpistate_report {
	uint8_t doing; /* enum mpistate_doing */
	uint8_t any;   /* the call waits for one of its ops, not for all */
	uint8_t threads; /* others are in calls, or may be: what it waits for is not all */
	uint8_t partial; /* requests or messages were not kept */
	uint8_t wild;	 /* receives may have ended without a message */
	uint16_t call;	 /* enum mpistate_call; MPISTATE_CALLS: none so far */
	uint32_t tenths; /* of a second since it has moved */
	uint32_t requests; /* of the call, also those that are not kept */
	struct place place;
	uint32_t nop, ncomm, ntraffic;
	struct mpistate_op *op;		  /* owned */
	struct mpistate_comm *comm;	  /* owned */
	struct mpistate_traffic *traffic; /* owned */
};
#define MPISTATE_REPORT_OPS (2 * MPISTATE_REQUESTS)

void mpistate_report_clear(struct mpistate_report *r);
int mpistate_report_code(struct codec *c, struct mpistate_report *r);
CODEC_PAIR(mpistate_report, mpistate_report_clear(x))

#endif
