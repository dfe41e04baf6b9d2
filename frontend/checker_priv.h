/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of a checker.
 */
#ifndef DVMDBG_FRONTEND_CHECKER_PRIV_H
#define DVMDBG_FRONTEND_CHECKER_PRIV_H

#include "frontend/checker.h"
#include "frontend/compare.h"

struct job;
struct replicas;

#define CHECKER_POINTS 16 /* where whole arrays are written */
#define CHECKER_TASKS 256 /* whose last points are kept */

/* What the user wants of the next run. */
struct checker_wish {
	char *record, *compare; /* owned directories; NULL: not */
	char **array;		/* owned; NULL-terminated names, NULL: none */
	struct point at[CHECKER_POINTS];
	size_t nat;
	bool reads; /* what constructs read is told, whatever the reference has of that */
};

/* Warnings that are given once for each text. */
struct checker_once {
	char **text; /* owned */
	size_t n;
};

struct checker {
	struct session *s;
	struct checker_wish wish;
	void (*tap)(void *arg, struct sums_point *p);
	void *tap_arg;

	/* the run */
	bool begun;
	bool quiet; /* nobody asks any more what came of it */
	struct gauge gauge;
	struct reference *made;	 /* owned; what is recorded, or has been */
	struct reference *known; /* owned; what is compared with */
	struct compare *compare; /* owned; with known, or else of copies only */
	struct replicas *replicas;
	struct sums_point *last; /* owned */
	struct sums_point *task[CHECKER_TASKS]; /* owned; the last of other tasks of its region */
	size_t ntask;
	struct checker_once once;
	size_t told;	       /* mismatches that were told */
	size_t cursor;	       /* points of known that lie behind */
	bool blind;	       /* what lies right before the cursor is damaged: nobody knows which points */
	uint64_t points, sums; /* that came */
	uint64_t beyond;       /* points that known does not have, as its run was shorter */
	uint64_t given_up;     /* points after which ranks said that some were dropped */
	bool moved;	       /* known is of another version of the program */
	bool unfit;	       /* the run was not kept, or not compared, as it was meant to be */
	bool deaf;	       /* the comparison has ended: MaxErrors, or known cannot be read */
	struct point released; /* ranks that held there were let go on, as others did not come */
	bool owed; /* after that sums have been found to differ: ranks stop at the next point */
	bool length_told; /* whether it was as long as that of the reference */
	bool array_saved; /* SaveArrayFilename of a mismatch */
	uint32_t errands; /* arrays were saved at these of the points where they are to be; bits */
};

/* checker_at.c: before p becomes the last point; main 0: all are forgotten. */
void checker_forget_points(struct checker *c, const struct point *p);
/* checker_wish.c */
void checker_forget(struct checker *c);
bool checker_setting_is(const struct checker *c, const char *name, const char *value);
/* The messages of the documents. */
int checker_check_interval(const struct gauge *g, struct err *err);

/* checker_tell.c */
/* A warning that is given once in a run; it may be long. */
void checker_warn(struct checker *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void checker_once_clear(struct checker_once *o);
/* Tells mismatches that were not told. Returns how many. */
size_t checker_tell(struct checker *c);
/* What was recorded, or how the runs compare. complete: the run came to its end. */
void checker_sum_up(struct checker *c, bool complete);
/* What differs between what the reference is of and this run, and what the reference lacks. */
void checker_tell_reference(struct checker *c, const char *build_id);

/* checker_save.c: whether SaveArrayID is an identifier. */
int checker_save_check(const struct checker *c, struct err *err);
/* The run is over: tells where arrays were to be saved and it did not come to. */
void checker_save_over(struct checker *c);

#endif
