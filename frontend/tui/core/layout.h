/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which views are on the screen and where: panes above one another in columns. Kept between
 * sessions in $XDG_CONFIG_HOME/dvmdbg/layout, a line each: "pane COLUMN WEIGHT VIEW", and a last:
 * "focus PANE ALONE".
 */
#ifndef DVMDBG_FRONTEND_TUI_LAYOUT_H
#define DVMDBG_FRONTEND_TUI_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/tui/screen/screen.h"

struct view_class;

#define LAYOUT_PANES 12

struct pane {
	const struct view_class *view;
	int column, weight;
	bool shown;	  /* there was room for it */
	struct area area; /* with its title row */
};

struct layout {
	struct pane pane[LAYOUT_PANES]; /* by column, in a column from above */
	size_t n, focus;
	bool zoom; /* the focus alone */
};

/* As it was kept, else as at first. */
void layout_load(struct layout *l);
void layout_save(const struct layout *l);
/* Gives panes their areas inside a. The focus is always shown; others where they are not too small.
 */
void layout_place(struct layout *l, struct area a);
/* The pane of that view; NULL when it has none. */
struct pane *layout_find(struct layout *l, const struct view_class *view);
/* The focus goes to the view's pane; it gets the pane of the focus when it has none. */
void layout_show(struct layout *l, const struct view_class *view);
/* The focus goes to the next pane (1) or the one before (-1). */
void layout_turn(struct layout *l, int step);
/* A pane with a view that has none yet, below the focus or in a new column; false: no room. */
bool layout_split(struct layout *l, bool right);
/* Takes the focus' pane away; the last one stays. */
void layout_close(struct layout *l);
/* More rows for the focus (1) or fewer (-1). */
void layout_grow(struct layout *l, int step);

#endif
