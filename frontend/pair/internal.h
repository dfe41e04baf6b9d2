/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parts of a pair share: pair.c makes and ends it, pair_go.c lets both sides go on and
 * stops them, pair_value.c looks at the values of both.
 */
#ifndef DVMDBG_FRONTEND_PAIR_PRIV_H
#define DVMDBG_FRONTEND_PAIR_PRIV_H

#include "frontend/pair/pair.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/pair/match.h"
#include "frontend/session/session.h"

struct compare;
struct second;
struct sums_point;

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
	size_t reported;	       /* mismatches that have been shown */
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
