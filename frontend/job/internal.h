/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of a job, shared by the job_*.c files.
 */
#ifndef DVMDBG_FRONTEND_JOB_INTERNAL_H
#define DVMDBG_FRONTEND_JOB_INTERNAL_H

#include "common/core/buf.h"
#include "frontend/job/job.h"
#include "frontend/launch/launch.h"

#define JOB_FREEZE_MS 3000 /* how long a freeze waits for answers */
#define JOB_LOST_MS 2000   /* how long a node whose connection broke may take to come back … */
#define JOB_STRAY_MS 6000  /* … and those that were below it */
#define JOB_ALONE_MS 700   /* all of them, when the launcher has ended */

/* A connection to a node of the tree: rank 0's, and those that have lost all ancestors. */
struct job_link {
	struct job *j;
	struct job_link *next;
	struct conn *c;
	uint32_t rank;
	uint32_t since; /* generation of the job when it came */
	struct rankset subtree;
};

/* Ranks whose connection broke and that have not come back so far. */
struct job_gone {
	struct job_gone *next;
	int64_t until;
	struct rankset ranks;
};

/* Ranks that were sent this plan last. Each rank is in one of them, or was never started. */
struct job_plan {
	struct plan plan;
	/* Sent to running ranks behind a change of rules: one that had stopped by then stays
	 * stopped. */
	bool keep;
	bool halt; /* the target is that of a halt */
	struct rankset ranks;
};

/* A question that is under way. */
struct job_req {
	struct job_req *next;
	uint32_t req;
	struct rankset want, covered;
	struct groups answers;
	int64_t until; /* 0: whoever asks watches the time */
	/* All have answered or time is up; frees nothing. NULL: whoever asks looks. */
	void (*done)(struct job *j, struct job_req *r);
};

enum job_freeze_why { FREEZE_NOT, FREEZE_HALT, FREEZE_RULES };

struct job_freeze {
	enum job_freeze_why why;
	struct rankset who;
	struct groups held; /* stops by the freeze itself: no stops for others until the target is
			       known */
};

/* Ranks that the last halt is for, until they are sent on. */
struct job_halted {
	struct rankset ranks;
	struct point target; /* to which all go; main 0: not known, or all had stopped already */
};

/* The search for the first number on which ranks disagree. */
struct job_numbering {
	bool done, busy;
	uint32_t lo, hi; /* equal below lo, different at hi */
	uint32_t agreed; /* equal up to here */
	struct rankset who;
	bool before_end; /* the number before the least has been asked for */
	bool late;	 /* some differ, ranks that run are waited for */
	int64_t until;	 /* for how long; 0: not yet */
};

/* Checksums of points that are not complete; see sums.c. */
struct job_sums {
	struct job_sum *list; /* owned */
	size_t n, cap;
	size_t cost;		    /* of all in the list */
	struct point reported;	    /* the last main point that was reported */
	struct point until;	    /* up to here everything is reported, complete or not */
	uint64_t *furthest;	    /* owned; by rank, how far it has come */
	bool busy;		    /* the watcher is being told */
	bool gave_up;		    /* and the user has been informed */
	struct msg_verdict verdict; /* the last; main 0: none */
};

struct job {
	struct loop *loop;
	struct job_watch watch;
	struct program program;
	struct launch *launch;
	struct rendezvous *rdv;
	uint32_t n; /* 0: not known yet */
	struct job_link *links;
	struct job_gone *gone;
	struct rankset set[JOB_SETS];
	struct rankset unmanned; /* their supervisors are gone, also of ranks that have exited */
	int64_t *since; /* owned; by rank, when it came to its state; 0: never moved */
	uint32_t nsince;
	unsigned moves; /* rises with each change of set */
	struct groups stops, exits;
	uint32_t gen;
	struct job_plan *plan;
	size_t nplan;
	struct trace_config trace_config;
	struct msg_rules rules; /* its trace config is not used */
	struct buf trace;	/* msg_trace; empty: nothing was said */
	struct job_req *reqs;
	uint32_t last_req;
	struct job_freeze freeze;
	struct job_halted halted;
	struct job_numbering numbering;
	struct job_sums sums;
	bool on_exit_run;
	uint8_t fpe; /* enum fpe_trap, or'ed */
	uint32_t *printed; /* owned; by rank, the number of the last piece of output */
	bool annotated, marked, needs_mpi;
	enum point_kind points; /* numbered beside marks */
	const void *marks; /* borrowed from the spec */
	uint32_t nmarks;
	bool up;      /* job_start has returned it */
	bool leaving; /* being destroyed */
	int64_t leave_until; /* then what is left is killed; 0: it was not asked to leave */
	bool detached;
	bool attached; /* the program was started by others */
	struct rankset started; /* ranks whose runtime has been looked at */
	bool cores;    /* there are core files alone */
	int64_t refused_at; /* 0: none was refused */
	uint64_t bytes_in;  /* of links that are gone */
	char launcher_name[64];
	char refused[256];
	char launcher_text[2048];
};

/* tree.c */
/* Callbacks of the rendezvous; arg is the job. */
void job_linked(void *arg, struct conn *c, const struct msg_join *m);
void job_vanished(void *arg, uint32_t rank);
/* Sends to every link. */
void job_broadcast(struct job *j, unsigned type, const struct buf *payload);
void job_send_rules(struct job *j);
void job_send_params(struct job *j);
void job_send_verdict(struct job *j);
void job_send_go(struct job *j, const struct rankset *who, const struct plan *p);
/* Those that were attached to run on under a plan of ours. */
void job_run_on(struct job *j);
void job_send_kill(struct job *j, const struct rankset *who, bool final);
void job_links_close(struct job *j);
/* The launcher has ended: who is not linked will hardly come back. */
void job_hurry(struct job *j);

/* state.c */
void job_move(struct job *j, const struct rankset *ranks, enum job_set to);
/* Frees everything that is known of ranks. */
void job_forget_all(struct job *j);
/* Takes the ranks out of all groups. */
void job_forget(struct groups *d, const struct rankset *ranks);
/* l: where it came from. */
void job_take_event(struct job *j, struct job_link *l, const struct msg_event *e);
void job_take_lost(struct job *j, const struct rankset *ranks);
/* Takes stops by a freeze that count after all, those at or after target. */
void job_take_held(struct job *j, const struct point *target);
/* Reads a blob of stops; false when it is none. */
bool job_read_stop(const void *blob, size_t len, struct report_stop *r);
bool job_read_exit(const void *blob, size_t len, struct report_exit *r);
/* Stopped where only the end can follow. */
bool job_stop_is_bad(const struct report_stop *r);

/* go.c */
/* The plan that rank was sent last; NULL when it was never started. */
const struct job_plan *job_plan_of(const struct job *j, uint32_t rank);

/* query.c */
/* Makes a request for the members that can answer. */
struct job_req *job_req_new(struct job *j, const struct rankset *who, int timeout_ms,
			    void (*done)(struct job *, struct job_req *));
void job_req_drop_all(struct job *j);
void job_send_query(struct job *j, struct msg_query *q, const struct job_req *r);
void job_take_reply(struct job *j, const struct msg_reply *m);
/* These cannot answer any more. */
void job_req_gone(struct job *j, const struct rankset *ranks);

/* sums.c */
/* -1: the bytes are no checksums. */
int job_take_sums(struct job *j, struct buf *b);
/* Ranks have ended, or are lost: informs the watcher of what is not awaited any more. */
void job_sums_check(struct job *j);
/* trace.c */
void job_take_trace(struct job *j, unsigned kind, struct rank_group *g);
void job_sums_clear(struct job *j);

/* numbering.c */
/* Looks at the stops and ends whether the ranks agree, and begins a search if not. */
void job_check_numbering(struct job *j);
void job_numbering_clear(struct job *j);

#endif
