/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by acts*.c.
 */
#ifndef DVMDBG_FRONTEND_ACTS_IMPL_H
#define DVMDBG_FRONTEND_ACTS_IMPL_H

#include "common/protocol/report.h"
#include "frontend/action/action.h"
#include "frontend/model/actionpoints.h"
#include "frontend/model/session.h"

/* Ranks for which an actionpoint is, or is not, the reason of their stop. */
struct acts_mark {
	uint32_t id;
	struct point point;
	struct rankset ranks;
};

struct acts_marks {
	struct acts_mark *list; /* owned */
	size_t n;
};

struct acts_values; /* what a watch has seen last */

struct acts {
	struct session *s; /* borrowed */
	bool busy;
	struct rankset judged;	/* their present stop is decided about */
	struct rankset pending; /* see acts_pending */
	struct rankset held;
	struct rankset shown;	   /* see acts_take_shown */
	struct acts_marks quiet;   /* conditions that were false, values that have not changed */
	struct acts_marks yes;	   /* votes that were not all "no": for those who come late */
	struct acts_marks voted;   /* who has been asked there */
	struct acts_marks looked;  /* of watches: whose values have been compared there */
	struct acts_marks arrived; /* at barriers; empty: nobody so far */
	int64_t vote_at;	   /* when those that are pending are decided about, 0: nobody is */
	struct acts_values *values; /* owned, a list */
};

/* Ranks that have stopped alike. */
struct acts_stop {
	struct report_stop r;
	struct rankset ranks; /* that are to be decided about */
	struct rankset real;  /* of them those with a reason to stay */
};

/* acts.c */
struct acts_mark *acts_mark_find(const struct acts_marks *m, uint32_t id, const struct point *p);
struct acts_mark *acts_mark_add(struct acts_marks *m, uint32_t id, const struct point *p,
				const struct rankset *ranks);
void acts_marks_remove(struct acts_marks *m, const struct rankset *ranks);
void acts_marks_drop(struct acts_marks *m, struct acts_mark *x);
void acts_marks_clear(struct acts_marks *m);
/* The place is one where all ranks come: a numbered point outside tasks. */
bool acts_common(const struct report_stop *r);
/* The members of ap's set. */
int acts_trigger(const struct acts *a, const struct actionpoint *ap, struct rankset *out);

/* Halts the members of ap's stop set (none given: all) that run. */
void acts_stop_others(struct acts *a, const struct actionpoint *ap);

/* acts_vote.c: those who came before to this point stay there; and makes it so. */
bool acts_decided(const struct acts *a, const struct actionpoint *ap, const struct acts_stop *stop);
void acts_decide(struct acts *a, const struct actionpoint *ap, const struct acts_stop *stop);
/* Whether others may still come that the vote should wait for; then the vote. */
bool acts_vote_waits(struct acts *a, const struct actionpoint *ap, const struct acts_stop *stop);
void acts_vote(struct acts *a, const struct actionpoint *ap, struct acts_stop *stop);
/* acts_barrier.c */
void acts_arrive(struct acts *a, const struct actionpoint *ap, struct acts_stop *stop);
/* Lets barriers go that all have come to, or that are no more. */
void acts_barriers(struct acts *a);
/* acts_watch.c */
void acts_watch(struct acts *a, struct actionpoint *ap, struct acts_stop *stop);
void acts_values_clear(struct acts *a);

#endif
