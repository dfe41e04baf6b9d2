/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parts of a pair share: pair.c makes and ends it, go.c lets both sides go on and
 * stops them, value.c looks at the values of both.
 */
#ifndef DVMDBG_FRONTEND_PAIR_INTERNAL_H
#define DVMDBG_FRONTEND_PAIR_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/sumdiff/sumdiff.h"

struct compare;
struct err;
struct pair_match;
struct second;
struct sums_point;

/*
 * What of two runs is tied by name, and what each of them has reported at all, so that a tie to
 * what is not there can be explained.
 */

enum { PAIR_A, PAIR_B };

/* An array at the end of a construct of each side. */
struct tie {
	char *array[2], *where[2]; /* owned; where: "heat.c:61", without folders */
	uint64_t compared;
	/* A replicated object is reported when it changes: what was reported of it last. */
	struct sums_array known[2];
	bool reported[2];
};

/* A construct that a side has reported. */
struct tie_place {
	char *where; /* owned */
	char **name; /* owned; n arrays and objects that were reported there */
	size_t n;
	uint64_t ends; /* how often it has ended */
};

/* Zeroed: nothing. */
struct ties {
	struct tie *list;
	size_t n;
	struct tie_place *place[2];
	size_t nplace[2];
};

/* Whether it is like "A.u@heat.c:61". */
int tie_check(const char *text, int side, struct err *err);
/* "A.u@heat.c:61" and "B.phi@solver.f90:120"; -1 and err when they are not like that, or tied
 * already. */
int ties_add(struct ties *t, const char *a, const char *b, struct err *err);
/* Takes all ties away; what the sides have reported stays. */
void ties_clear(struct ties *t);
/* Both runs begin again: nothing has been reported or compared. */
void ties_forget(struct ties *t);
/* A point of a side has come. */
void ties_inspect(struct ties *t, int side, const struct sums_point *p);
/* "A.u@heat.c:61 = B.phi@solver.f90:120"; returns out. */
const char *tie_text(const struct tie *tie, char *out, size_t size);
/*
 * Why a tie has not been compared, or not as often as it could have been: "A has reported no
 * construct at heat.c:62, but at heat.c:35, heat.c:61". False: there is nothing to report.
 */
bool tie_trouble(const struct ties *t, const struct tie *tie, char *out, size_t size);

/*
 * Which points of two runs belong together. Knows no jobs: says through a callback which side may
 * go on.
 */

/*
 * What holds at `at` goes on, or stops there. at NULL (stop is true then): it has been let go on
 * before what it was to be compared with had come, and is to stop now, wherever it is.
 */
typedef void (*pair_verdict_fn)(void *arg, int side, const struct point *at, bool stop);

struct pair_match *pair_match_create(pair_verdict_fn verdict, void *arg);
void pair_match_destroy(struct pair_match *m); /* NULL is fine */
/* Both runs begin; c is borrowed. Ties stay. */
void pair_match_begin(struct pair_match *m, struct compare *c);
/* A point of a side; takes p over. */
void pair_match_take(struct pair_match *m, int side, struct sums_point *p);
/* A point of this side holds until its counterpart has come. */
bool pair_match_waits(const struct pair_match *m, int side);
/* What holds goes on before its counterpart has come, with which it is compared all the same. */
void pair_match_release(struct pair_match *m, int side);
/* The same, but it stops there. */
void pair_match_stop(struct pair_match *m, int side);
/*
 * A side has no more points: the other one need not wait for it. well: it has ended by itself. Then
 * a construct that only the other has is a mismatch, unless the runs differ by rounding, which may
 * decide how often a loop is gone through, or something is tied. Else the other stops once.
 */
void pair_match_over(struct pair_match *m, int side, bool well);
/* Constructs of this side that have ended when the other one was over. */
uint64_t pair_match_beyond(const struct pair_match *m, int side);

/*
 * See pair_tie. What waits is let go on uncompared, here and in _untie, as points correspond in
 * another way from then on.
 */
int pair_match_tie(struct pair_match *m, const char *a, const char *b, struct err *err);
void pair_match_untie(struct pair_match *m);
/* Borrowed. */
const struct ties *pair_match_ties(const struct pair_match *m);

/* How one side goes on. */
struct pair_side {
	struct pair *pair; /* borrowed: it is in it */
	int which;
	bool given_up; /* the wait for it is over; what of it still runs does not come to a stop */
	int64_t stood; /* since when it stands, loop_now; 0: it goes on, or that is not known */
};

struct pair {
	struct session *b; /* borrowed: it owns us */
	struct second *a;
	struct out *out, *hushed; /* A's printer, owned, and one that prints nothing, borrowed */
	struct pair_match *match;
	struct compare *compare; /* owned */
	struct pair_side side[2];
	bool moved;	       /* A, since it was shown last … */
	enum stop_verdict end; /* … and how that ended */
	bool end_shown;	       /* of A's run */
	size_t reported;       /* mismatches that have been shown */
	char *stop_on;	       /* owned; what the user's STOP_ON was */
	int64_t stop_at;       /* both are to stop since then; 0: they are not */
	bool mute;	       /* one is loaded or ended: what is left of the other is not for it */
	bool summed;	       /* what was compared has been reported */
	bool halo_reported;
};

struct session *pair_session(const struct pair *p, int which);
/* For pair_match and the checkers. */
void pair_verdict(void *arg, int which, const struct point *at, bool stop);
void pair_point(void *arg, struct sums_point *point);
/* Reports mismatches that were not reported. */
void pair_report(struct session *s);
/* Reports what was compared, and ties that were not compared; once a run. */
void pair_sum_up(struct session *s);
/* Timers go. */
void pair_rest(struct pair *p);

#endif
