/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the points of a run with those of another, as they come, and remembers what it has seen
 * (SEMANTICS 4 and 5). Knows neither files nor ranks.
 */
#ifndef DVMDBG_FRONTEND_COMPARE_H
#define DVMDBG_FRONTEND_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/sumdiff/sums.h"

struct compare;

/*
 * How equal two numbers have to be. exp < 0: by type, 1e-9 for double, 1e-4 for float. Relative: to
 * the largest magnitude that the array has had so far in either run, and at least rel_min.
 */
struct compare_tolerance {
	enum sum_mode mode;
	double exp, rel_min;
	bool moved; /* of another version of the program: lines of constructs may be others */
};

enum mismatch_kind {
	MISMATCH_VALUE,	    /* an array or replicated object has other values */
	MISMATCH_COPIES,    /* copies of a replicated object are not equal */
	MISMATCH_CONSTRUCT, /* another construct has this number, or there is none */
	MISMATCH_SHAPE,	    /* other shape or type */
	MISMATCH_PARTS,	 /* elements that no rank owns, or more than one; the reference has all */
	MISMATCH_ABSENT, /* only one run has the array here */
};

struct mismatch {
	enum mismatch_kind kind;
	struct point point;    /* where it was seen first */
	struct point previous; /* last point at which it was compared and right; main 0: absent */
	/* For a replicated object that is first wrong at a beginning N.B: what ran last before it.
	 */
	bool between;
	struct point after;    /* … the end of that */
	char *where, *func;    /* owned; the construct's; of `between` the one that ended last */
	uint8_t construct;     /* enum construct_kind of that */
	struct sums_array id;  /* owned; identifier and geometry; not for CONSTRUCT; ref's and now's
				  sums are below */
	double ref[2], now[2]; /* means; VALUE */
	struct sum_difference diff; /* VALUE */
	struct sum_plan plan;	    /* VALUE: of the blocks in diff */
	/* COPIES: sum_put blobs by ranks, in the order of the lowest ranks; and where there is a
	 * reference: what it has (owned; NULL: there is none), whose copies are not that, and whose
	 * are that to the last bit. */
	struct groups copies;
	struct sum_result *truth;
	struct rankset wrong, same;
	bool unwritten; /* neither run has changed it since the first point that reports it */
	bool idle;	/* the reference has, this run has not; of a replicated object */
	char *text;	/* owned; one line, in the documents' wording */
};

struct compare_state {
	uint64_t points, arrays; /* compared so far; arrays: one for each at each point */
	uint64_t equal, rounding, faults, skipped; /* of arrays; skipped: FAILED in one run */
	uint64_t ref_elements;			   /* elements that were looked at */
	uint64_t names; /* different arrays and replicated objects among them */
	bool rounds;	/* somewhere only rounding differs: from here on … */
	struct point rounds_from;
	char rounds_array[128], rounds_where[128];
	double rounds_most; /* … by at most so much (estimated 2-norm) */
};

struct compare *compare_create(const struct compare_tolerance *tol);
void compare_destroy(struct compare *c); /* NULL is fine */
/*
 * Compares one point of both runs; ref NULL: the reference does not have it. Points come in the
 * order of the run. Returns how many mismatches were added (of each array only the first is kept;
 * -1: out of memory).
 *
 * A distributed array that the program has not written in either run, and that is zero in one of
 * them, is not compared: that is memory before its first use. A replicated object may differ at an
 * end N.E, as a reduction may be under way: that counts only if it has the same wrong value still
 * when the next construct begins, and then it was wrong from N.E on.
 */
int compare_point(struct compare *c, const struct sums_point *ref, const struct sums_point *now);
/*
 * A point that only the reference has. Replicated objects that it reports are compared with what
 * this run said of them last when it has passed the point with nothing to report; else, when it had
 * its sums given up or not asked for, nothing is compared. Returns as compare_point.
 */
int compare_missing(struct compare *c, const struct sums_point *ref, bool passed);
/*
 * The run has ended, and the reference has ref next, a main point. Adds that as a mismatch, once;
 * returns as compare_point.
 */
int compare_ended(struct compare *c, const struct sums_point *ref);
/*
 * What the reference said last of a replicated object; NULL: nothing, or no such object. Borrowed
 * until the next point.
 */
const struct sum_result *compare_known(const struct compare *c, const struct sums_array *a);
/* The tolerance that an array of this identifier and plan is judged by now. */
struct sum_tolerance compare_limit(const struct compare *c, const struct sums_array *a,
				   const struct sum_plan *plan);
/* In the order in which they were found. The first is the one with the earliest point. */
size_t compare_count(const struct compare *c);
const struct mismatch *compare_mismatch(const struct compare *c, size_t i);
const struct mismatch *compare_first(const struct compare *c);
const struct compare_state *compare_state(const struct compare *c);
/* What a group of copies holds, to be destroyed. */
struct sum_result *compare_copy(const struct rank_group *g);
/* "0.5", of a replicated array "mean 0.75"; r NULL: "?". Returns out. */
const char *compare_sum_text(const struct sum_result *r, char *out, size_t size);

#endif
