/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job: one run of the program. It owns the launcher process, the rendezvous, the tree links, and
 * what is known of every rank. It knows no commands and prints nothing.
 */
#ifndef DVMDBG_FRONTEND_JOB_JOB_H
#define DVMDBG_FRONTEND_JOB_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "common/logical/groups.h"
#include "common/logical/rankset.h"
#include "common/protocol/msg.h"
#include "common/protocol/report.h"
#include "common/protocol/rule.h"

struct cover;
struct reduction;
struct err;
struct job;
struct job_req;
struct loop;
struct msg_trace;
struct point_sums;
struct processes;
struct report_finding;
struct report_trace;
struct trace_findings;

struct job_spec {
	int n;		       /* ranks; 0: not given */
	char **argv;	       /* program and arguments, NULL-terminated; borrowed */
	const char *launcher;  /* "srun --mpi=pmix"; NULL: chosen by what the program needs */
	const char *transport; /* "auto", "unix", "tcp" */
	const char *input;     /* file for the program's standard input; NULL: /dev/null … */
	bool typed;	       /* … or, with this, what job_input gives */
	bool on_exit_run;
	uint8_t fpe; /* enum fpe_trap, or'ed */
	bool labelled; /* it is to be known which rank has printed what */
	bool synchronous; /* sends wait for their receives */
	/* Directories where the order of messages is kept, and whose is followed; NULL: not. */
	const char *order_keep, *order_follow;
	enum point_kind points; /* what is numbered beside marks; MARKS: nothing */
	int threads; /* of OpenMP (OMP_NUM_THREADS); 0: as the environment has it */
	/* Marks beside the source, compiled; they stay as long as the job. nmarks: bytes, 0:
	 * none. */
	const void *marks;
	size_t nmarks;
	/* Processes that run already, in place of a start; NULL: not. */
	const struct processes *attach;
};

/* What the job reports while the loop turns. Any member may be NULL. */
struct job_watch {
	void *arg;
	/* The program's output, whole lines where possible, with the newline. stream 1 or 2. */
	void (*output)(void *arg, int stream, const char *text, size_t len);
	/* What ranks have printed, in pieces, where spec.labelled. */
	void (*printed)(void *arg, const struct rankset *ranks, int stream, const char *text,
			size_t len);
	/* A finding of the ranks' runtimes, or NUMBERING made here (detail names both places). */
	void (*finding)(void *arg, const struct rankset *ranks, const struct report_finding *f);
	/* Something a user should know: a supervisor is lost, a library is missing, … (one line).
	 */
	void (*notice)(void *arg, const char *text);
	/*
	 * The checksums of a point are complete, or as complete as they will be: missing ranks have
	 * ended or are lost. Main points come in their order; those inside a region before its end.
	 */
	void (*sums)(void *arg, struct point_sums *t, const struct rankset *missing);
	/* What has become of the traces of ranks. */
	void (*trace)(void *arg, const struct rankset *ranks, const struct report_trace *r);
	/* What is new of the findings of a rank's comparison, and what it has executed; taken
	 * over. */
	void (*found)(void *arg, struct trace_findings *l);
	void (*cover)(void *arg, struct cover *cover);
	void (*reduced)(void *arg, struct reduction *r);
	/*
	 * Ranks have stopped or ended; outside of the message that says so. Before any that are
	 * ordered to go on do so: which, and rules that were not worth sending before can be sent
	 * now.
	 */
	void (*stopped)(void *arg);
	void (*going)(void *arg, const struct rankset *who);
	/* A source position in words, for details of findings; returns out. */
	const char *(*place)(void *arg, const struct place *p, char *out, size_t size);
};

/* Ranks by state; they part JOB_ALL, except JOB_ALL and JOB_BAD. */
enum job_set {
	JOB_ALL,     /* 0 … n - 1; of a job that was attached to, those that are here */
	JOB_ABSENT,  /* not heard of so far */
	JOB_LOADED,  /* waiting to be started */
	JOB_RUNNING, /* started or gone on, not stopped since */
	JOB_STOPPED,
	JOB_EXITED, /* the program is gone */
	JOB_LOST,   /* the supervisor is gone */
	JOB_BAD, /* stopped by SIGNAL or ABORT, died of a signal, left without MPI_Finalize, lost */
	JOB_SETS
};

/*
 * Checks the program (exists, executable, ELF, architecture) and the launcher, starts both, and
 * turns the loop until all supervisors have come, the launcher has died, timeout_ms has passed or
 * Ctrl-C; ranks that are missing then stay JOB_ABSENT. NULL and err when nothing could be started.
 */
struct job *job_start(const struct job_spec *spec, struct loop *loop, const struct job_watch *watch,
		      int timeout_ms, struct err *err);
/*
 * Kills the program (or lets it run: job_detach first) and waits until nothing of it is left. One
 * that was attached to always runs on.
 */
void job_destroy(struct job *j);
/*
 * Kills the program, without waiting for what has started it: that leaves while the loop turns.
 * Only job_gone and job_destroy may follow.
 */
void job_end(struct job *j);
/* What has started it is gone; job_destroy does not wait. */
bool job_gone(const struct job *j);
int job_detach(struct job *j, struct err *err);

/* It ran already: it has no points, and is never killed. */
bool job_attached(const struct job *j);

int job_size(const struct job *j);
const struct rankset *job_set(const struct job *j, enum job_set which);
/* No rank is absent, loaded, running or stopped. */
bool job_over(const struct job *j);
/* The program announces constructs or objects, as far as is known: from its ELF file, later its
 * ranks. */
bool job_annotated(const struct job *j);
bool job_marked(const struct job *j); /* it has marks of its own, whatever else makes points */
/* What the program's file becomes is not known before its ranks report. */
bool job_script(const struct job *j);
/* The program's file has access hooks (dvmdbg-cc). */
bool job_hooked(const struct job *j);
/* It has annotations, by the Fortran module. */
bool job_fortran(const struct job *j);
uint32_t job_gen(const struct job *j);
/* Bytes received over the tree links, for the benchmarks. */
uint64_t job_bytes_in(const struct job *j);
/* The program's file, as found; it needs an MPI, as far as is known. */
const char *job_path(const struct job *j);
bool job_needs_mpi(const struct job *j);
/*
 * What is numbered beside marks, from now on; false: a rank has begun, and keeps its numbers.
 */
bool job_points(struct job *j, enum point_kind points);
/* What becomes of the program when the front end ends; takes effect at once. */
void job_on_exit(struct job *j, bool run);
/* Which floating-point operations raise SIGFPE from now on: enum fpe_trap, or'ed. */
void job_fpe(struct job *j, unsigned traps);

/* Stop rules for all ranks. While ranks run this freezes, finds the furthest point, and sets
 * `from`. */
void job_rules(struct job *j, const struct rule *rule, uint32_t n);
/* The same with sets of ranks and watched elements; takes over what m has. Its trace config is not
 * used. */
void job_orders(struct job *j, struct msg_rules *m);
/* What checksums are taken; goes out with the rules, at once. */
void job_trace_config(struct job *j, const struct trace_config *g);
/*
 * What becomes of the traces that the trace config asks for; copied. For a program that has not
 * been started; told to all ranks, at once.
 */
void job_trace(struct job *j, const struct msg_trace *m);
/* Ranks that hold at p or before it go on, or stop there. p is no point inside a task. */
void job_verdict(struct job *j, const struct point *p, bool stop);
/*
 * The earliest main point behind `after` that some ranks have reported and others have not: who is
 * missing there and who waits (empty sets before), and since when (loop_now). False: there is none.
 */
bool job_held(const struct job *j, const struct point *after, struct point *p,
	      struct rankset *missing, struct rankset *waiting, int64_t *since);
/* Starts loaded members and lets stopped ones go on, with the next generation. Returns at once. */
int job_go(struct job *j, const struct rankset *who, enum plan_mode mode, uint32_t n,
	   const struct point *target, struct err *err);
/*
 * Lets stopped members of who go on with the plans they have, as if they had not stopped; when a
 * halt is under way, with that.
 */
void job_resume(struct job *j, const struct rankset *who);
/* The plan that the rank was sent last; NULL: it was never started. */
const struct plan *job_plan(const struct job *j, uint32_t rank);
/* Freezes who, takes the furthest point, lets the others run to it. Returns when that is under way.
 */
void job_halt(struct job *j, const struct rankset *who);
/* Turns the loop until that, and each other search for the furthest point, is over. */
void job_settle(struct job *j);
/* A halt is under way for running members of who: they will come to a stop, if they can. */
bool job_halting(const struct job *j, const struct rankset *who);
/* report_stop blobs of the ranks in JOB_STOPPED; report_exit blobs of those in JOB_EXITED. */
const struct groups *job_stops(const struct job *j);
const struct groups *job_exits(const struct job *j);
/* When the rank came to the state that it is in, as time() shows; 0: not known. */
int64_t job_since(const struct job *j, uint32_t rank);
/* Rises whenever ranks come to another state. */
unsigned job_moves(const struct job *j);

/* Looks whether the ranks agree about the numbering; true while questions about it are under
 * way. */
bool job_checking(struct job *j);

/*
 * Asks who and turns the loop until all have answered, timeout_ms passed or Ctrl-C. Fills answers
 * (to be cleared by the caller) and silent (members without an answer). -1 only when nothing could
 * be asked. q->req and q->who are filled in here.
 */
int job_query(struct job *j, struct msg_query *q, const struct rankset *who, int timeout_ms,
	      struct groups *answers, struct rankset *silent, struct err *err);
/*
 * The same in two steps, so that several questions are on their way: job_ask, of which NULL and err
 * come when nobody can be asked, and job_await, which frees the question and fills answers. One
 * whose answers are not wanted any more is dropped.
 */
struct job_req *job_ask(struct job *j, struct msg_query *q, const struct rankset *who,
			struct err *err);
void job_await(struct job *j, struct job_req *r, int timeout_ms, struct groups *answers);
void job_req_drop(struct job *j, struct job_req *r);
/* Kills the programs of who; they become JOB_EXITED. */
int job_kill(struct job *j, const struct rankset *who, struct err *err);
/* For the program's standard input (rank 0's, as launchers have it), whole lines; NULL: its end. */
int job_input(struct job *j, const char *text, size_t len, struct err *err);

#endif
