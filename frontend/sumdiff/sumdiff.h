/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The checksums of a point when all ranks have reported theirs: what is compared, kept in
 * references and shown.
 */
#ifndef DVMDBG_FRONTEND_SUMDIFF_SUMDIFF_H
#define DVMDBG_FRONTEND_SUMDIFF_SUMDIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/checksum/checksum.h"
#include "common/logical/groups.h"
#include "common/logical/point.h"
#include "common/logical/rankset.h"

struct buf;
struct compare;
struct err;
struct point_sums;
struct rankset;
struct replicas;
struct session;
struct settings;

/* An array or replicated object at a point; identifier and geometry as in struct point_sums_item.
 */
struct sums_array {
	char *name, *file; /* owned; file "" where it is not known: from Fortran */
	char *shown;	   /* owned; then: "adi.f90:93", where that is; NULL: not known. Not kept */
	uint32_t line, counter;
	uint8_t kind, order, flags;
	int64_t lower[ARRAY_DIMS];
	struct sum_result
		*sum; /* owned; of a replicated one that of the largest group; NULL: failed */
	char *failed; /* owned; why there is no sum: "1500 of 2000 elements; not registered on [2]"
		       */
	bool uneven; /* … as ranks, which all have it, own elements twice or not at all; not kept */
	struct rankset ranks; /* that have it registered */
	struct groups copies; /* copies of a replicated one that do not match; empty: all do */
	bool split; /* it is distributed, in several copies; sum is that of copy 0. Not kept */
};

struct sums_point {
	struct point point;
	uint8_t kind; /* enum construct_kind */
	char *where,
		*func; /* owned; "heat.c:61", and the function or the construct's name, or "" */
	struct sums_array *array; /* owned; in the order of identifiers */
	size_t n;
	bool partial; /* ranks have given it up (SUMS drop), or are gone: not to be compared */
};

/*
 * Finishes the sums of t. missing: the ranks that will never say more, NULL: none. A distributed
 * array is complete when every element was added exactly once, a replicated one when all ranks that
 * have passed the point have it; else it is failed, with the reason in words.
 * symbols of s give the place of Fortran constructs.
 */
struct sums_point *sums_point_make(struct session *s, const struct point_sums *t,
				   const struct rankset *missing, struct err *err);
void sums_point_destroy(struct sums_point *p); /* NULL is fine */
/* ("frct", "lu.f90", 68, 0), as the documents write an identifier; returns out. */
const char *sums_array_id(const struct sums_array *a, char *out, size_t size);
/* The same array in another run: name, counter, and base name of the file; lines may have moved. */
bool sums_array_same(const struct sums_array *a, const struct sums_array *b);
const struct sums_array *sums_point_find(const struct sums_point *p, const struct sums_array *a);

/* An array alone, with its sum or without; _get overwrites a, which is to be cleared even when it
 * fails. */
void sums_array_put(const struct sums_array *a, bool with_sum, struct buf *b);
int sums_array_get(struct sums_array *a, struct buf *b, struct err *err);
void sums_array_clear(struct sums_array *a);
/* Whether what was read fits together: a sum or the reason why not, copies of the same shape. */
int sums_array_check(const struct sums_array *a, struct err *err);
/* A point without its arrays; _get gives one with n empty arrays, to be read. */
void sums_point_put_head(const struct sums_point *p, struct buf *b);
struct sums_point *sums_point_get_head(struct buf *b, struct err *err);
void sums_point_put(const struct sums_point *p, struct buf *b);
struct sums_point *sums_point_get(struct buf *b, struct err *err);

/*
 * Compares the points of a run with those of another, as they come, and remembers what it has seen
 * (SEMANTICS 4 and 5). Knows neither files nor ranks.
 */

/*
 * How equal two numbers have to be. exp < 0: by type, 1e-9 for double, 1e-5 for float. Scaled:
 * relative to the largest magnitude that the reference has had in the block of the array so far.
 */
struct compare_tolerance {
	enum sum_mode mode;
	double exp, rel_min;
	bool moved; /* of another version of the program: lines of constructs may be others */
	bool alone; /* both runs have one rank: what an object is at a construct's end is no part of
		       a sum */
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
	uint64_t now_hash;     /* of all elements in this run; VALUE */
	struct sum_difference diff; /* VALUE */
	struct sum_plan plan;	    /* VALUE: of the blocks in diff */
	/* COPIES: sum_put blobs by ranks, in the order of the lowest ranks; and where there is a
	 * reference: what it has (owned; NULL: there is none), whose copies are not that, and whose
	 * are that to the last bit. */
	struct groups copies;
	struct sum_result *truth;
	struct rankset wrong, same;
	bool unwritten;	   /* neither run has changed it since the first point that reports it */
	bool idle;	   /* the reference has, this run has not; of a replicated object */
	bool gone;	   /* as it was when it was forgotten or freed, before that point */
	bool finish;	   /* at the end of the program */
	struct point last; /* … and then: the last point of a construct; main 0: there is none */
	char *text;	   /* owned; one line, in the documents' wording */
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
	bool rounds_single; /* … in numbers of single precision, too */
	/* of `rounding`: those with small differences, in which numbers differ by more than the
	 * tolerance of their own value, and where the first is */
	uint64_t small;
	struct point small_from;
	char small_array[128], small_where[128];
	struct point last;  /* of a construct, at which something was compared; main 0: none */
	bool finish;	    /* the end of the program was compared */
	uint64_t ends;	    /* objects that were, there or when they went; not in arrays */
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
 * A point of a kind that only one of the runs numbers: nothing is compared, but what it says of
 * replicated objects is what its run has said of them last.
 */
void compare_other_kind(struct compare *c, const struct sums_point *p, bool is_ref);
/*
 * Points of this run, or of the reference, cannot be read: of replicated objects what that said
 * before does not hold any more, and they are not compared before it reports them again.
 */
void compare_lose(struct compare *c, bool ref);
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
/* The tolerance that an array of this identifier and plan is judged by now; its scale is borrowed
 * until the next point. */
struct sum_tolerance compare_limit(const struct compare *c, const struct sums_array *a,
				   const struct sum_plan *plan);
/* In the order in which they were found. The first is the one with the earliest point. */
size_t compare_count(const struct compare *c);
const struct mismatch *compare_mismatch(const struct compare *c, size_t i);
const struct mismatch *compare_first(const struct compare *c);
const struct compare_state *compare_state(const struct compare *c);
/*
 * The i-th array that was not compared when it went, nor at the end of the program, and the point
 * at which it was compared last; NULL: there are no more. Its identifier, borrowed.
 */
const struct sums_array *compare_unended(const struct compare *c, size_t i, struct point *last);
/* What a group of copies holds, to be destroyed. */
struct sum_result *compare_copy(const struct rank_group *g);
/* "0.5", of a replicated array "mean 0.75"; r NULL: "?". Returns out. */
const char *compare_sum_text(const struct sum_result *r, char *out, size_t size);

/*
 * The newest copies of replicated objects, rank by rank. Ranks report a copy only when it is not as
 * they told it last, so what a point says of an object is completed from what was said before.
 */

struct replicas *replicas_create(void);
void replicas_destroy(struct replicas *r); /* NULL is fine */
/*
 * Completes the objects of t with the copies of ranks that have not reported theirs again; gone:
 * ranks whose copies do not count any more, may be NULL. Objects that are reported inside tasks are
 * taken out and appear at the end of the region. -1: out of memory.
 */
int replicas_complete(struct replicas *r, struct point_sums *t, const struct rankset *gone);
/* Adds all objects that are known to t, which has none. -1: out of memory. */
int replicas_all(const struct replicas *r, struct point_sums *t);

/*
 * How equal two numbers have to be, from the settings COMPARE, Exp, RelCompareMin and
 * StrictCompare: when one of the last three is set the documents' form holds, else they are judged
 * by the scale of the block.
 */

/* For elements of the type, without a scale; Exp "auto" is 1e-9 for double, 1e-5 for float. */
struct sum_tolerance tolerance_of(const struct settings *set, unsigned type);
/* The same for a comparison of whole runs. */
struct compare_tolerance tolerance_compare(const struct settings *set);
/* The same for traces. */
struct trace_tolerance tolerance_trace(const struct settings *set);
/*
 * Changes tol as text says: "exact", "1e-6", "scaled:1e-6", "relative:1e-6", "absolute:0.1". A
 * number alone keeps the kind; after exact it is scaled. The error shows what is allowed.
 */
int tolerance_parse(const char *text, struct sum_tolerance *tol, struct err *err);
/*
 * "1e-09 of its block's largest value", "1e-06 of the larger of both values and 1",
 * "0.0001 absolute", "exact"; returns out.
 */
const char *tolerance_text(const struct sum_tolerance *tol, char *out, size_t size);
/* "scaled", "relative", "absolute", "exact" */
const char *tolerance_mode(const struct sum_tolerance *tol);

#endif
