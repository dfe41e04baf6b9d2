/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside compare: what is remembered of each array, and the wordings.
 */
#ifndef DVMDBG_FRONTEND_SUMDIFF_INTERNAL_H
#define DVMDBG_FRONTEND_SUMDIFF_INTERNAL_H

#include "frontend/sumdiff/sumdiff.h"

/* What one run last said of a replicated object. */
struct known {
	struct sum_result *sum; /* owned; NULL: failed, or nothing was said */
	struct groups copies;
	bool there;    /* it has been reported */
	bool reported; /* at the point that is being compared */
};

/* A construct, as points report it. */
struct site {
	char *where, *func; /* owned */
	uint8_t kind;
	struct point point;
};

/* An array or replicated object through the run. */
struct track {
	struct sums_array id; /* owned; without sum, ranks and copies */
	/* owned; of each block the largest magnitude that the reference has had in it; NULL: none
	 * yet */
	double *scale;
	uint32_t nscale;
	struct point good; /* the last point at which it was compared and right */
	bool done;	   /* its mismatch is known */
	bool lost[2];	   /* what this run, the reference said last is not known */
	bool counted;	   /* it is in compare_state.names */
	bool ended;	      /* it was compared last when it went, or where the program ends */
	/* of replicated ones */
	struct known ref, now;
	bool ref_written;  /* the reference has changed it; this run: flags of id */
	bool pending;	   /* it is wrong since an end, where a reduction may be under way */
	struct site since; /* then: that end … */
	uint64_t hash;	   /* … and what it was there */
};

/* How one array compares. */
enum comparison {
	COMPARISON_EQUAL,
	COMPARISON_ROUNDING,
	COMPARISON_FAULT,
	COMPARISON_SHAPE,
	COMPARISON_PARTS,
	COMPARISON_COPIES
};

/* Lines of two versions of a program that represent the same construct. */
struct moved {
	char *ref, *now; /* owned */
};

struct compare {
	struct compare_tolerance tol;
	struct compare_state state;
	struct track **track; /* owned; by name, counter and base name of the file */
	size_t ntrack, track_cap;
	struct mismatch **list; /* owned; pointers stay */
	size_t n, cap;
	struct site last_end; /* the construct that ended last */
	struct point before;  /* the main point before the one that is compared */
	bool other_construct; /* that is reported once */
	bool finish;	      /* that point is the end of the program */
	bool at_end;	      /* what is compared now is the end of the program, or of an object */
	struct moved *moved;  /* owned */
	size_t nmoved;
	bool lost[2]; /* of objects that are reported first from now on, too */
	bool failed;  /* out of memory */
};

/* track.c */
void compare_site_clear(struct site *s);
void compare_site_set(struct site *s, const struct sums_point *p);
/* Identifier and geometry, and the ranks; no sums. */
void compare_id_copy(struct sums_array *dst, const struct sums_array *src);
void compare_id_clear(struct sums_array *a);
/* Where it was registered, which references do not have. */
void compare_id_show(struct sums_array *dst, const struct sums_array *src);
/* The track of a, made when there is none */
struct track *compare_track(struct compare *c, const struct sums_array *a);
void compare_track_destroy(struct track *t);
/* Whether these lines have stood for the same construct so far; "heat.c:61" both. */
bool compare_same_moved(struct compare *c, const char *ref, const char *now);
/* NULL for NULL. */
struct sum_result *compare_sum_copy(const struct sum_result *r);
/* Takes over what a run reports of a replicated object. */
void compare_known_set(struct known *k, const struct sums_array *a);
/* The greatest magnitude of the finite numbers. */
double compare_magnitude(const struct sum_result *r);
/* Takes over what the reference has now. */
void compare_scale(struct track *t, const struct sum_result *ref);
/* How equal arrays of that track and type have to be. */
struct sum_tolerance compare_limit_of(const struct compare *c, const struct track *t,
				      unsigned type);

/* compare.c: by the tolerance of the track's scale, which grows with what the reference has. */
enum comparison compare_sum(struct compare *c, struct track *t, const struct sum_result *ref,
			  const struct sum_result *now, struct sum_difference *d);

/* copies.c */
/* Whether copies of this run are no further apart than equal numbers may be. */
bool compare_copies_match(struct compare *c, struct track *t);
/* What the reference has of it, when that is one value; else NULL. */
const struct sum_result *compare_truth(const struct track *t);
/* Adds the ranks whose copies are not the reference's, and those whose are to the last bit. */
void compare_copies_wrong(struct compare *c, struct track *t, struct rankset *wrong,
			  struct rankset *same);
/* By their lowest ranks. Do not add afterwards. */
void compare_copies_sort(struct groups *d);

/* text.c. What a mismatch says; all return an owned text. */
char *compare_value_text(const struct mismatch *m);
char *compare_copies_text(const struct mismatch *m);
char *compare_shape_text(const struct mismatch *m, const struct sum_plan *ref,
			 const struct sum_plan *now);
/* why: what is wrong with how it is distributed. */
char *compare_parts_text(const struct mismatch *m, const char *why);
/* here: this run has it, the reference has not. */
char *compare_absent_text(const struct mismatch *m, bool here);
/* ref NULL: the reference has no construct with the number. */
char *compare_construct_text(const struct sums_point *ref, const struct sums_point *now);
/* The run ended after last, main 0: at its start; the reference goes on with ref. */
char *compare_ended_text(const struct point *last, const struct sums_point *ref);

#endif
