/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Another run of the session's program beside it, without a user: its output and notes are
 * dropped. For locate and pair.
 */
#ifndef DVMDBG_FRONTEND_SECOND_H
#define DVMDBG_FRONTEND_SECOND_H

#include "common/point.h"

struct err;
struct second;
struct session;

/* The same program, arguments, launcher and settings, on n ranks; loaded by second_run. */
struct second *second_create(struct session *s, int n, struct err *err);
void second_destroy(struct second *r); /* ends its program; NULL is fine */
struct session *second_session(const struct second *r); /* borrowed */

/* What became of a run. */
enum run_end {
	RUN_THERE, /* all ranks stand at the point */
	RUN_OVER,  /* ended by itself, well */
	RUN_HELD,  /* stands somewhere else: for a verdict, or an actionpoint */
	RUN_FAILED, /* err says what happened: a rank died, or does not go on */
	RUN_INTERRUPTED,
};

/*
 * Lets all ranks go on to p, NULL: to the end, and waits. The program must be loaded. Nothing is
 * printed.
 */
enum run_end run_to(struct session *s, const struct point *p, struct err *err);

#endif
