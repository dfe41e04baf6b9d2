/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the difference view, shared by diff.c (keys and drawing) and diff_load.c. */
#ifndef DVMDBG_FRONTEND_TUI_DIFF_PRIV_H
#define DVMDBG_FRONTEND_TUI_DIFF_PRIV_H

#include "frontend/diff/diff.h"
#include "frontend/diff/cells.h"
#include "frontend/diff/source.h"
#include "frontend/tui/array/cut.h"
#include "frontend/tui/array/raster.h"
#include "frontend/tui/array/subject.h"
#include "frontend/tui/core/view.h"

/* Both versions of an array, in memory. */
struct versions {
	char *name; /* owned; NULL: nothing was taken */
	unsigned epoch;
	struct section section;
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];
	void *ref, *now;	  /* owned */
	struct owner *owner; /* owned */
	struct diff_input in;	  /* points to all of that */
	char from[DIFF_FROM];	  /* where ref comes from */
};

struct diff_view {
	struct view v;
	struct subject x;
	char *request; /* owned; an array or an element that was asked for */
	struct cut cut;
	struct sum_tolerance tol;
	bool tol_set;
	struct versions *taken; /* owned; NULL: nothing yet */
	struct diff d;		/* of taken, beyond made_tol */
	bool made;
	struct sum_tolerance made_tol;
	struct raster r;
	struct diff_cell *cell; /* owned; of r */
	char *old;		/* owned; why it could not be taken again; NULL: it was */
	/* as it was drawn last */
	int rows, columns;
	bool halves;
};

/* diff_load.c */
void diff_load(struct view *v);
void diff_drop(struct diff_view *dv);

/* diff.c */
/* Rows for the map, and columns of the indices beside it. */
int diff_body(const struct diff_view *dv);
int diff_label(const struct diff_view *dv);

#endif
