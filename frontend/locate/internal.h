/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What locate has found out, shared by locate*.c.
 */
#ifndef DVMDBG_FRONTEND_LOCATE_PRIV_H
#define DVMDBG_FRONTEND_LOCATE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "frontend/verify/checker.h"
#include "frontend/sumdiff/compare.h"
#include "frontend/diff/diff.h"
#include "frontend/data/fetch.h"
#include "frontend/halo/halo.h"
#include "frontend/locate/locate.h"

struct reference;
struct run_watch;
struct second;
struct session;

#define LOCATE_DATED 16 /* arrays with stale halos, whose dates are reported */
#define LOCATE_COPIES 8 /* groups of copies that are looked into */

enum locate_verdict {
	LOCATE_EQUAL,
	LOCATE_ROUNDING,
	LOCATE_MISMATCH,
	LOCATE_BLIND,	    /* there was nothing to compare */
	LOCATE_FAILED,	    /* a run failed before anything was found */
	LOCATE_INTERRUPTED, /* Ctrl-C */
};

/* The elements of the mismatching object that were looked at, in both runs. */
struct locate_values {
	bool there;
	struct fetched ref, now;
	struct diff diff;	  /* total 0: of a scalar */
	struct owner *owner; /* owned */
	size_t nowner;
	bool image; /* the picture was made */
	/* That first element in each group of copies, the first ncopy of them. */
	struct value copy[LOCATE_COPIES];
	size_t ncopy;
	struct sum_tolerance tol;
	/* The same elements where the construct begins; of the first one the values there. */
	struct fetched ref_begin, now_begin;
	bool began;
	struct value first_ref_begin, first_now_begin;
	bool spoilt;	/* the first was wrong there already */
	bool unwritten; /* the construct has set none of those that are wrong, and should have */
	/* On a rank: how far in the dimension the elements are that have these values in the
	 * reference; 0: nowhere. */
	int64_t shift;
	int shift_dim; /* -1: rows and columns are exchanged */
	uint32_t shift_rank;
	bool shift_local; /* that is where its part begins */
};

/* A stale halo, and the end of the construct since when its owner has what it has; main 0: not
 * known. */
struct locate_stale {
	const struct halo_entry *e; /* borrowed from a report */
	struct point since;
};

/* Halos that the construct may have read while they were stale. */
struct locate_halo {
	bool asked, ended;
	bool reads; /* what the construct reads is known */
	struct halo_report begin, end;
	struct locate_stale dated[LOCATE_DATED]; /* arrays with stale halos at the beginning */
	size_t ndated;
	struct locate_stale *reported; /* owned; those that wrong elements lie beside */
	size_t n;
	bool refuted;			 /* traces have shown that none of it is the cause */
	const struct halo_entry *cause;	 /* why the first is wrong; NULL: not known */
	bool sure;			 /* … and not only perhaps */
	const struct halo_entry *origin; /* what that may have been computed from; NULL: nothing */
};

/* What is traced: the interval in which it became wrong. */
struct locate_interval {
	struct point from, to;	  /* from.main 0: from the start */
	struct checker_only only; /* arrays */
	char *top;		  /* owned; a directory with these two: */
	char *dir, *now;	  /* owned; for the traces of the reference, of this program */
	uint64_t room;		  /* bytes that they may take; 0: not known */
};

/* Whether what was found was there when that run was made again. */
enum locate_again { AGAIN_UNKNOWN, AGAIN_SAME, AGAIN_OTHER };

struct locate {
	struct session *s;
	const struct locate_spec *spec;
	char *dir; /* owned; of the reference */
	bool temporary;
	struct reference *ref; /* owned; NULL: there is none so far */
	int ref_ranks;
	bool annotated;	   /* the program announces something */
	int64_t ref_quiet; /* the longest time that the reference took without a point; 0: not known
			    */
	unsigned runs;
	int64_t begun, stage_begun;
	bool interrupted; /* Ctrl-C: nothing more is begun */
	enum locate_verdict verdict;
	const char *stage; /* what was being done */
	int stage_ranks;
	char *failure;		  /* owned; why a run has failed; NULL: none has */
	const struct mismatch *m; /* borrowed from the session's comparison */
	struct compare_state state;
	uint64_t bytes, points; /* of the reference */
	struct point last;	/* of its main points */
	struct locate_values values;
	struct locate_halo halo;
	enum locate_again ref_again, now_again;
	json_t *notes;
	bool passing; /* not all ranks can stand at the end of the interval: it is passed */
	struct run_watch *watch; /* borrowed; of a run that writes traces; NULL: of none */
	const struct locate_interval *interval; /* borrowed; of that */
	/* Of the mismatch's point, unless `elsewhere`; of what is wrong since something between two
	 * points also that of the first. */
	json_t *stack, *stack_before;
	bool elsewhere;
	bool ambiguous;		     /* other objects have the name of the mismatch's, too */
	struct checker_only touched; /* arrays that the construct names; none: it is not known */
	char *because;		     /* owned; the cause that traces have shown; NULL: none */
	char *advice;		     /* owned; what to try then; NULL: nothing of its own */
	json_t *trace; /* what traces of the interval show; NULL: that was not asked */
	json_t *parts; /* the owners of an array that is not distributed correctly */
};

/* locate.c */
void locate_note(struct locate *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The name to ask the ranks for: with its place where there is one. */
const char *locate_name(const struct mismatch *m, char *out, size_t size);

/* A new directory, to be freed; NULL and err. And away with it. */
char *locate_temporary(struct err *err);
void locate_remove(const char *dir);

/* locate_run.c. The first two: 0 went well, 1 it ended before that (l says why), -1 it could not
 * begin. */
int locate_reference(struct locate *l, struct err *err);
int locate_compare(struct locate *l, struct err *err);
/*
 * The reference's program (else this one) run again up to p, compared with the reference in the
 * construct of p; for second_retire. NULL: a note says why, or there was Ctrl-C.
 */
struct second *locate_again(struct locate *l, bool ref, const struct point *p);
/*
 * The reference's program run again up to the interval's end, its traces written into the
 * interval's directory; else this one, compared with them. Where ranks that stand there keep others
 * from coming, it is run once more, to its own end (l->passing). For second_retire. NULL: a note
 * says why, or there was Ctrl-C.
 */
struct second *locate_traced(struct locate *l, bool ref, const struct locate_interval *x);
/* It goes on to p, where locate_differs can be asked. 0 or -1. */
int locate_on(struct locate *l, struct second *r, const struct point *p);
/* What differs from the reference where r stands, of the mismatch's object; NULL: nothing. */
const struct mismatch *locate_differs(struct locate *l, struct second *r);

/* locate_inspect.c: fills values, halo, stack; what cannot be had becomes a note. */
void locate_inspect(struct locate *l);
void locate_look_clear(struct locate *l);
/* What of the object differs, from the ranks of who of s; of the reference, made again. 0 or -1. */
int locate_fetch(struct locate *l, struct session *s, const struct rankset *who,
		 struct fetched *out);
int locate_fetch_ref(struct locate *l);

/*
 * locate_begin.c. The construct's point at its end shows what it reads, NULL: nothing is known.
 * Sets spoilt and unwritten; shift.
 */
void locate_judge_begin(struct locate *l, const struct sums_point *at);
void locate_look_shift(struct locate *l);

/*
 * locate_halo.c. Where s stands at the beginning: since when its stale halos are that. Later, of
 * both reports the causes.
 */
void locate_date_halos(struct locate *l, struct session *s);
void locate_choose_halos(struct locate *l, const struct sums_point *at);

/* locate_copies.c: values for copies that do not match, before and after they are compared. */
int locate_fetch_copies(struct locate *l);
void locate_look_copies(struct locate *l);
/* The ranks whose copies are wrong, or else fewer than the others; none: nobody can say. */
void locate_wrong_ranks(const struct mismatch *m, struct rankset *out);
json_t *locate_copies_json(struct locate *l);

/*
 * locate_trace.c. Keeps the names of what the construct reads and writes. Later, of a program with
 * access hooks: one more pair of runs, and from them trace.
 */
void locate_touched(struct locate *l, const struct sums_point *at);
void locate_trace(struct locate *l);
/* locate_parts.c: fills parts. */
void locate_look_parts(struct locate *l);

/* locate_report.c: the answer. */
json_t *locate_report(struct locate *l);
/* hints.c: what to try, an array of texts. */
json_t *locate_hints(struct locate *l);

#endif
