/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Another run of the session's program beside it, without a user: its output and notes are
 * dropped. For locate and pair.
 */
#ifndef DVMDBG_FRONTEND_SECOND_H
#define DVMDBG_FRONTEND_SECOND_H

#include <stdbool.h>
#include <stdint.h>

#include "common/logical/point.h"

struct err;
struct second;
struct session;

/*
 * The same program, launcher and settings, on n ranks; argv NULL: the same arguments. Loaded by
 * session_load or second_run_to.
 */
struct second *second_create(struct session *s, int n, char *const *argv, struct err *err);
void second_destroy(struct second *r);			/* ends its program; NULL is fine */
struct session *second_session(const struct second *r); /* borrowed */
/* The last that the program and its launcher have printed, whole lines; "" nothing. */
const char *second_output(struct second *r); /* turns the loop for a moment */
/* Lines of warnings that nobody has seen, the last ones. */
const char *second_warnings(struct second *r);
/*
 * Ends its program without waiting for the launcher, which takes its time: s keeps r until
 * second_reap finds that all of it is gone. NULL is fine.
 */
void second_retire(struct session *s, struct second *r);
/* Destroys what was retired and is gone; all: waits for the others. */
void second_reap(struct session *s, bool all);

/* What became of a run. */
enum run_end {
	RUN_THERE,  /* all ranks stand at the point */
	RUN_OVER,   /* ended by itself, well or with an exit code: err says so */
	RUN_HELD,   /* stands somewhere else: for a verdict, or an actionpoint */
	RUN_STUCK,  /* some stand at the point, and others do not arrive: err says who */
	RUN_FAILED, /* err says what happened: a rank died, or does not go on */
	RUN_INTERRUPTED,
};

/* How a run goes. */
struct run_watch {
	int64_t quiet_ms; /* it is given up when no point comes for so long; 0: never */
	void (*tick)(void *arg, struct session *s); /* now and then; NULL: not */
	void *arg;
	const char *enough; /* tick may set it: the run is given up, as … */
	/* second_run_to fills in the longest time without a point, and whether it was given up */
	int64_t longest_ms;
	bool hung;
	/* its own */
	struct session *s;
	uint64_t points;
	int64_t since;
};

/*
 * Lets all ranks go on to p, NULL: to the end, and waits. The program must be loaded. Nothing is
 * printed. w may be NULL.
 */
enum run_end second_run_to(struct session *s, const struct point *p, struct run_watch *w, struct err *err);

#endif
