/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by the files of this room.
 */
#ifndef DVMDBG_FRONTEND_ACTION_INTERNAL_H
#define DVMDBG_FRONTEND_ACTION_INTERNAL_H

#include "common/protocol/report.h"
#include "frontend/action/action.h"
#include "frontend/model/actionpoints.h"
#include "frontend/model/session.h"

/* Ranks for which an actionpoint is, or is not, the reason of their stop. */
struct action_mark {
	uint32_t id;
	struct point point;
	struct rankset ranks;
};

struct action_marks {
	struct action_mark *list; /* owned */
	size_t n;
};

struct action_values; /* what a watch has seen last */

struct action {
	struct session *s; /* borrowed */
	bool busy;
	struct rankset decided; /* their present stop is decided about */
	struct rankset pending; /* see action_pending */
	struct rankset held;
	struct rankset shown; /* see action_shown */
	struct rankset going; /* decided about, and to be sent on */
	struct rankset stay;  /* stopped, and not sent on: others have stopped for good meanwhile */
	struct action_marks quiet; /* conditions that were false, values that have not changed */
	struct action_marks yes;   /* votes that were not all "no": for those who come late */
	struct action_marks voted; /* who has been asked there */
	struct action_marks inspected; /* of watches: whose values have been compared there */
	struct action_marks arrived;   /* at barriers; empty: nobody so far */
	int64_t vote_at; /* when those that are pending are decided about, 0: nobody is */
	struct action_values *values; /* owned, a list */
};

/* Ranks that have stopped alike. */
struct action_stop {
	struct report_stop r;
	struct rankset ranks; /* that are to be decided about */
	struct rankset real;  /* of them those with a reason to stay */
};

/* action.c */
struct action_mark *action_mark_find(const struct action_marks *m, uint32_t id,
				     const struct point *p);
struct action_mark *action_mark_add(struct action_marks *m, uint32_t id, const struct point *p,
				    const struct rankset *ranks);
void action_marks_remove(struct action_marks *m, const struct rankset *ranks);
void action_marks_drop(struct action_marks *m, struct action_mark *x);
void action_marks_clear(struct action_marks *m);
/* The place is one where all ranks come: a numbered point outside tasks. */
bool action_common(const struct report_stop *r);
/* The members of ap's set. */
int action_trigger(const struct action *a, const struct actionpoint *ap, struct rankset *out);

/* Halts the members of ap's stop set (none given: all) that run. */
void action_stop_others(struct action *a, const struct actionpoint *ap);

/* vote.c: those who came before to this point stay there; and makes it so. */
bool action_decided(const struct action *a, const struct actionpoint *ap,
		    const struct action_stop *stop);
void action_decide(struct action *a, const struct actionpoint *ap, const struct action_stop *stop);
/* Whether others may still come that the vote should wait for; then the vote. */
bool action_vote_waits(struct action *a, const struct actionpoint *ap,
		       const struct action_stop *stop);
void action_vote(struct action *a, const struct actionpoint *ap, struct action_stop *stop);
/* barrier.c */
void action_arrive(struct action *a, const struct actionpoint *ap, struct action_stop *stop);
/* Lets barriers go that all have come to, or that are no more. */
void action_barriers(struct action *a);
/* watch.c */
void action_watch(struct action *a, struct actionpoint *ap, struct action_stop *stop);
void action_values_clear(struct action *a);

#endif
