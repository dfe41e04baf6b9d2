/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of text with a cursor, which most views are: it scrolls, is drawn, and is searched here.
 */
#ifndef DVMDBG_FRONTEND_TUI_LIST_H
#define DVMDBG_FRONTEND_TUI_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "frontend/tui/core/keys.h"
#include "frontend/tui/screen/screen.h"

struct search;

struct row {
	char *text;   /* owned; with switches of style, see screen.h */
	int64_t id;   /* what the view knows it by, so that the cursor finds it again */
	json_t *data; /* owned; may be NULL */
};

/* Zeroed: empty. */
struct list {
	struct row *row; /* owned */
	size_t n, cap;
	size_t at, top;		    /* the cursor's row, the first on the screen */
	int left;		    /* cells that are scrolled away to the left */
	bool wrap;		    /* rows that are too long are folded, not cut */
	int rows, columns;	    /* of the screen, when it was drawn last … */
	size_t shown;		    /* … and how many of ours were on it … */
	int part;		    /* … below so many of the last ones of the row before top */
	int64_t at_id;		    /* list_begin … list_end: where the cursor was */
	bool follow;		    /* the cursor stays on the last row when rows come */
	size_t most;		    /* rows that are kept; 0: all … */
	size_t dropped;		    /* … and how many were not */
	const struct search *found; /* borrowed; rows it matches are marked */
};

void list_clear(struct list *l);
/* New rows take the place of the old; the cursor then goes to the row with the same id, if any. */
void list_begin(struct list *l);
void list_end(struct list *l);
/* data is borrowed. */
void list_add(struct list *l, int64_t id, const json_t *data, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Each line of text as a row, cleaned, with what stands before it (a switch of style). */
void list_add_lines(struct list *l, int64_t id, const char *before, const char *text);
/* The row of the cursor; NULL when there is none. */
const struct row *list_row(const struct list *l);
/* The cursor goes to that row, in the middle when it was not to be seen. */
void list_go(struct list *l, size_t at);
/* The cursor goes to the row that was drawn in that row of the screen. */
void list_click(struct list *l, int y);
/* Moves by one of the actions for moving; false when it is none. */
bool list_act(struct list *l, enum key_action action);
void list_draw(struct list *l, struct screen *sc, struct area a, bool focused);
/* The next row that matches, after the cursor (step 1) or before it (-1), round the end. */
bool list_find(struct list *l, const struct search *pattern, int step);

#endif
