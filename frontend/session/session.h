/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is done with a session: loading and ending its job, waiting for a logical stop, showing it.
 */
#ifndef DVMDBG_FRONTEND_SESSION_H
#define DVMDBG_FRONTEND_SESSION_H

#include "frontend/model/session.h"

/* How a wait for a logical stop ended. */
enum stop_verdict {
	VERDICT_STOPPED,   /* all members have stopped or ended */
	VERDICT_PARTIAL,   /* some have, the timer ran out for the others */
	VERDICT_BAD,	   /* one stopped badly, the others were halted */
	VERDICT_OVER,	   /* the job is over */
	VERDICT_INTERRUPT, /* Ctrl-C: members were halted */
};

struct session *session_create(struct loop *loop, struct out *out);
/* Ends the job as ON_EXIT says. */
void session_destroy(struct session *s);
/* Loads the program of spec: supervisors are started, the program is not. */
int session_load(struct session *s, struct err *err);
/* Ends what runs, loads again, sends the rules. */
int session_reload(struct session *s, struct err *err);
/* Turns the loop until the members have stopped, by the policies STOP_TIMER and BAD_STOP
 * (entity.c). */
enum stop_verdict session_wait(struct session *s, const struct rankset *who);
/* The same until any member has stopped or ended; the others run on. */
enum stop_verdict session_wait_any(struct session *s, const struct rankset *who);
/* As these two, but Ctrl-C only ends the waiting: the members run on. */
enum stop_verdict session_watch(struct session *s, const struct rankset *who, bool any);
/* The same for two sessions at once; done is called as soon as one is waited for no longer. */
void session_wait_both(struct session *const s[2], const struct rankset *const who[2],
		       enum stop_verdict verdict[2], void (*done)(void *arg, int i), void *arg);
/* Prints where the members are: "Point 3.B  [0:3]  parallel loop  heat.c:61", ends, reasons. */
void session_show_stop(struct session *s, const struct rankset *who, enum stop_verdict verdict);

#endif
