/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which views are on the screen and where: panes above one another in columns. Kept between
 * sessions in $XDG_CONFIG_HOME/dvmdbg/layout, a line each: "pane COLUMN WEIGHT VIEW", and a last:
 * "focus PANE ALONE".
 */
#ifndef DVMDBG_FRONTEND_TUI_PANES_H
#define DVMDBG_FRONTEND_TUI_PANES_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/tui/screen/screen.h"

struct view_class;

#define PANES_MOST 12

struct pane {
	const struct view_class *view;
	int column, weight;
	bool shown;	  /* there was room for it */
	struct area area; /* with its title row */
};

struct panes {
	struct pane pane[PANES_MOST]; /* by column, in a column from above */
	size_t n, focus;
	bool zoom; /* the focus alone */
};

/* As it was kept, else as at first. */
void panes_load(struct panes *l);
void panes_save(const struct panes *l);
/* Gives panes their areas inside a. The focus is always shown; others where they are not too small.
 */
void panes_place(struct panes *l, struct area a);
/* The pane of that view; NULL when it has none. */
struct pane *panes_find(struct panes *l, const struct view_class *view);
/* The focus goes to the view's pane; it gets the pane of the focus when it has none. */
void panes_show(struct panes *l, const struct view_class *view);
/* The focus goes to the next pane (1) or the one before (-1). */
void panes_turn(struct panes *l, int step);
/* A pane with a view that has none yet, below the focus or in a new column; false: no room. */
bool panes_split(struct panes *l, bool right);
/* Takes the focus' pane away; the last one stays. */
void panes_close(struct panes *l);
/* More rows for the focus (1) or fewer (-1). */
void panes_grow(struct panes *l, int step);

#endif
