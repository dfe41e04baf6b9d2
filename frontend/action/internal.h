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

/* What some ranks have; of a distributed object there is one, for whoever owns what. */
struct action_seen {
	struct rankset ranks;
	unsigned char *bytes;	/* owned */
	unsigned char *missing; /* owned; a byte per element, NULL: all came */
};

/* What a watch has seen last. */
struct action_values {
	struct action_values *next;
	uint32_t id;
	uint64_t total;
	uint32_t elem_size;
	struct action_seen *seen; /* owned */
	size_t n;
	/* of what is no registered object: ranks that know where it is, and that have been asked */
	struct rankset placed, asked;
};

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
struct action_values *action_values_of(struct action *a, uint32_t id);

/* native.c: what is no registered object */
struct expr;
struct fetched;
/* Whether it has a place in memory on the ranks of who that are stopped, and what its elements are
 * called; w has the name and the section that text says. -1 and err. */
int action_native_parse(struct session *s, const char *text, const struct expr *e,
			const struct rankset *who, struct watch *w, struct err *err);
/* Its values on those of who that know where it is. */
int action_native_fetch(struct action *a, const struct watch *w, const struct rankset *who,
			struct fetched *out, struct err *err);
/* Ranks that have stopped since find out where it is, of what does not end with a call. */
void action_native_find(struct action *a);
/* Some have not yet: all stop for that at 1.B, by the rule of this id, and go on. */
#define ACTION_FIND_ID 0xffffffefu
bool action_native_wanted(struct action *a);

#endif
