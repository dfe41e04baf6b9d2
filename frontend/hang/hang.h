/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hangs: what ranks wait for, the verdict whether any of them can go on, and when that is reported.
 */
#ifndef DVMDBG_FRONTEND_HANG_HANG_H
#define DVMDBG_FRONTEND_HANG_HANG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/rankset.h"
#include "common/mpistate/report.h"

struct err;
struct session;

/*
 * The wait-for graph. It knows nothing but the reports of all ranks, taken while nothing moved.
 */

enum hang_verdict {
	HANG_NO_PROGRESS, /* nothing moves, and that may change */
	HANG_DEADLOCK,	  /* some ranks can never go on */
};

/* Why a rank cannot go on, the strongest reason. */
#define HANG_WHY_LIST(X)                                                                     \
	X(NOT, "")                                                                           \
	X(CYCLE, "cycle")     /* ranks wait for each other */                                \
	X(KNOT, "knot")	      /* for ranks that cannot go on themselves */                   \
	X(GONE, "gone")	      /* for one that has finalized or ended */                      \
	X(KIND, "kind")	      /* another collective was called there */                      \
	X(ROOT, "root")	      /* the same, with another root */                              \
	X(MISSED, "missed")   /* a message is there that only nearly fits */
enum hang_why {
#define X(name, words) HANG_WHY_##name,
	HANG_WHY_LIST(X)
#undef X
};
const char *hang_why_name(unsigned why);

struct hang_rank {
	bool stuck;   /* it can never go on */
	uint8_t why;  /* enum hang_why, when it is stuck */
	uint32_t op;  /* index of the op that this is about */
	int32_t other; /* the rank that this is about; -1: none */
	uint32_t
		with; /* KIND, ROOT: index of the other's past collective; MISSED: of its traffic */
	uint32_t with_comm; /* and of the communicator there */
	struct rankset waits; /* for whom it waits, of those that have not done their part */
};

struct hang_graph {
	enum hang_verdict verdict;
	uint32_t n;
	struct hang_rank *rank;		/* owned */
	struct rankset stuck;
	uint32_t *cycle,
		ncycle; /* owned; ranks that wait each for the next, the last for the first */
};

/* r: of ranks 0 … n - 1; borrowed for the call. To be cleared. */
void hang_graph_make(struct hang_graph *g, const struct mpistate_report *const *r, uint32_t n);
void hang_graph_clear(struct hang_graph *g);
/*
 * Whether some of the messages of the rank's i-th traffic are received by nobody any more, as all
 * ranks are in MPI_Finalize.
 */
bool hang_unreceived(const struct mpistate_report *const *r, uint32_t n, uint32_t rank, uint32_t i);

/*
 * A message of rank `from`, its traffic *i, that the receive of rank could have taken if it had
 * asked for that rank; nobody has received it.
 */
bool hang_candidate(const struct mpistate_report *const *r, uint32_t rank,
		    const struct mpistate_op *o, uint32_t from, uint32_t *i);

/*
 * The report, an answer of the type "hang"; NULL: nobody can be asked. verdict may be NULL.
 */
json_t *hang_report(struct session *s, enum hang_verdict *verdict);
/*
 * The same of a job that was attached to, by its stacks now and ms later; *still: some wait in a
 * call and nothing moves. NULL and err: nobody can be asked.
 */
json_t *hang_stacks(struct session *s, int ms, bool *still, struct err *err);
/* Whether none of these ranks has moved for so long. */
bool hang_still(struct session *s, const struct rankset *ranks, int64_t ms);
/* Whether all of these ranks have been in a call of MPI that can block for so many tenths of a
 * second. */
bool hang_blocked(struct session *s, const struct rankset *ranks, uint32_t tenths);
/*
 * The newest collective since the numbered construct `since` whose result goes to that registered
 * object: "MPI_Allreduce at heat.c:88"; to be freed. NULL: none is known.
 */
char *hang_result_of(struct session *s, const char *object, uint32_t since);
/* As that: the last collective in those lines of the file. */
char *hang_collective_in(struct session *s, const char *file, uint32_t first, uint32_t last,
			 uint32_t since);
/* Adds the calls that all ranks are in to a report; those that run are paused for a moment. */
void hang_put_calls(struct session *s, json_t *report);
/* Adds to a status group what a rank does in MPI. */
void hang_put_call(struct session *s, json_t *o, const struct mpistate_report *r);

/*
 * The watch, called while ranks are waited for: when nothing has moved for HANG_TIMER it reports
 * that, once and when the report has changed; before that it shows for whom is waited. In a batch
 * session a deadlock, or HANG_LIMIT, ends the job: true. Without a terminal it only ends the wait
 * (session.hang.left), as nobody can interrupt it.
 */
bool hang_watch(struct session *s);
/*
 * A wait has ended although ranks run: reports a deadlock, if it is one. For ranks that wait for
 * one that has died.
 */
void hang_watch_last(struct session *s);
/* The same, once, where nobody waits. */
void hang_look(struct session *s);
/* What is waited for goes on, or is over. */
void hang_watch_reset(struct session *s);

#endif
