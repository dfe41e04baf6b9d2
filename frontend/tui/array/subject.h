/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The array a view looks at: found again when something has changed, and what is asked of it only
 * once until then.
 */
#ifndef DVMDBG_FRONTEND_TUI_SUBJECT_H
#define DVMDBG_FRONTEND_TUI_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/rankset.h"
#include "common/array/bins.h"
#include "frontend/data/halo_block.h"
#include "frontend/data/pieces.h"

struct cut;
struct owner;
struct err;
struct session;
struct tui;
struct view;

/* Zeroed: none. */
struct subject {
	char *name;	    /* owned; NULL: none is chosen */
	struct rankset who; /* ranks of the focus that stand */
	struct pieces p;    /* all of it */
	bool found;
	unsigned epoch;		  /* when it was */
	struct owner *owner; /* owned; by rank; none of what is replicated */
	size_t nowner;
	struct bins whole; /* statistics, when summed */
	bool summed, binned;
	struct halo_block halo; /* of the rank that was asked last */
	bool of_pair; /* what is beside another run: it is the session's own, whichever is seen */
	struct session *run; /* borrowed; where it was found; another one is another array */
};

void subject_clear(struct subject *x);
/*
 * All that follow ask ranks, between tui_asking(true) and (false).
 *
 * Chooses and finds the array that text names; its section, to be cleared by the caller, is in
 * *sec, without dimensions when there is none. -1 and err: x is as it was.
 */
int subject_choose(struct subject *x, struct tui *t, const char *text, struct section *sec,
		   struct err *err);
/* Finds it, if need be. -1 and err: it cannot be looked at now. */
int subject_find(struct subject *x, struct tui *t, struct err *err);
/* Statistics of all of it: one cell, in x->whole; with a histogram when bins is set. */
int subject_sum(struct subject *x, bool bins, struct err *err);
/* The same of its section s (bound), with a histogram between the extremes of `all` when there are
 * any. */
int subject_bins(struct subject *x, const struct section *s, const struct bins_cell *all,
		 struct bins *out, struct err *err);
/* The bounds of a histogram of what is in the cell; false: there is nothing finite. */
bool subject_bounds(const struct bins_cell *c, double *from, double *to);
/* pieces_find's result for another section of it, which is borrowed; not to be cleared. */
struct pieces subject_part(const struct subject *x, const struct section *s);
/* What that rank has of the array and its halo; NULL and err when it has nothing. Stays until the
 * next question. */
const struct halo_block *subject_halo(struct subject *x, uint32_t rank, struct err *err);

/* The rest asks nobody. */
void subject_cut(const struct subject *x, struct cut *c);
/* The rank that owns an element; UINT32_MAX: none that is known. */
uint32_t subject_owner(const struct subject *x, const int64_t *index);
/* The rank after that one that has a part of it; after the last and UINT32_MAX the first. */
uint32_t subject_next(const struct subject *x, uint32_t rank);
/* The index goes to the first element that a rank owns, unless it is at one. */
void subject_enter(const struct subject *x, uint32_t rank, int64_t *index);
/* Where its part with the halo begins; false: it has none. */
bool subject_corner(const struct subject *x, uint32_t rank, int64_t *index);
/* "table is replicated: every rank has all of it" when no rank owns a part; else "". Returns out.
 */
const char *subject_unowned(const struct subject *x, char *out, size_t size);
/* Fills the view's list with the arrays that can be chosen, or shows why there is none; asks. Rows
 * have their answer's object. */
void subject_load_list(struct view *v);

#endif
