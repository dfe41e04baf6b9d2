/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What verbs that move programs share.
 */
#ifndef DVMDBG_FRONTEND_VERBS_RUN_RUN_H
#define DVMDBG_FRONTEND_VERBS_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/logical/rankset.h"
#include "common/protocol/rule.h"
#include "frontend/session/session.h"

/*
 * Starting the program, for several groups of verbs.
 */

struct err;
struct point;
struct session;

/*
 * Letting ranks go on, for several groups of verbs.
 */

/*
 * Lets those members of who that stand go on, and puts them into movable. told: all others are
 * reported, with the reason, else only those that run. When none can go on, all are reported.
 */
int go_resume(struct session *s, const char *verb, const struct rankset *who, bool reported,
	      enum plan_mode mode, uint32_t n, struct rankset *movable, struct err *err);
/*
 * The same, then waits for a logical stop of those and shows it, of shown when that is not NULL;
 * with CHECK_HALO ON halos are compared on the way. A plan without steps also waits for those that
 * ran already; with steps -1 and err when none can go on.
 */
int go_and_wait(struct session *s, const char *verb, const struct rankset *who, bool reported,
		enum plan_mode mode, uint32_t n, const struct rankset *shown, struct err *err);
/* Waits for a logical stop of who and shows it; reports unreached actionpoints when the job is
 * over. */
void go_wait(struct session *s, const struct rankset *who);
/*
 * Lets all ranks go on to the first point that is not before target, past actionpoints on the way,
 * and waits. Nothing is shown: go_show does that.
 */
int go_to(struct session *s, const char *verb, const struct point *target,
	  enum stop_verdict *verdict, struct err *err);
void go_show(struct session *s, const struct rankset *who, enum stop_verdict verdict);
/* Reports, once, where those are that `go` has sent off, when all of them have stopped or ended. */
void go_report_gone(struct session *s);

/*
 * A run that lives would be ended: the user agrees, or none lives, or nobody is at the prompt to be
 * asked. what: "Run it from its beginning".
 */
bool run_may_end(struct session *s, const char *what);

/* Ends what runs and loads what the session's spec says. */
int run_reload(struct session *s, struct err *err);
/* The same, with the files its streams were redirected to begun again. */
int run_same(struct session *s, struct err *err);
/* Lets all ranks run to the first actionpoint, and shows where they are. */
int run_all(struct session *s, const char *verb, struct err *err);

#endif
