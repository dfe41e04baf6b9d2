/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each key does, in one table, from which the help screen is made. A key runs a verb, or acts
 * on the view that has the keys, or on the layout.
 */
#ifndef DVMDBG_FRONTEND_TUI_KEYS_H
#define DVMDBG_FRONTEND_TUI_KEYS_H

#include <stddef.h>

/* What a key does that runs no verb by itself. A view gets those it knows by its `act`. */
enum key_action {
	KEY_ACT_NONE,
	/* in a view */
	KEY_ACT_UP,
	KEY_ACT_DOWN,
	KEY_ACT_PAGE_UP,
	KEY_ACT_PAGE_DOWN,
	KEY_ACT_TOP,
	KEY_ACT_END,
	KEY_ACT_LEFT,
	KEY_ACT_RIGHT,
	KEY_ACT_OPEN,
	KEY_ACT_FOLD,
	KEY_ACT_FOLD_ALL,
	KEY_ACT_BREAK,
	KEY_ACT_ENABLE,
	KEY_ACT_HERE,
	KEY_ACT_KIND,
	KEY_ACT_RANK,
	KEY_ACT_START,
	KEY_ACT_FINISH,
	KEY_ACT_STOP_ON,
	KEY_ACT_FINDING_NEXT,
	KEY_ACT_FINDING_PREVIOUS,
	KEY_ACT_PAGE_LEFT,
	KEY_ACT_PAGE_RIGHT,
	KEY_ACT_FIRST_COLUMN,
	KEY_ACT_LAST_COLUMN,
	KEY_ACT_TURN_ROWS,
	KEY_ACT_TURN_COLUMNS,
	KEY_ACT_SWAP,
	KEY_ACT_SLIDER,
	KEY_ACT_SLIDE_UP,
	KEY_ACT_SLIDE_DOWN,
	KEY_ACT_SLIDE_FAR_UP,
	KEY_ACT_SLIDE_FAR_DOWN,
	KEY_ACT_FORM,
	KEY_ACT_DIGITS_MORE,
	KEY_ACT_DIGITS_FEWER,
	KEY_ACT_AS_MAP,
	KEY_ACT_SHOW,
	KEY_ACT_SCALE,
	KEY_ACT_NEARER,
	KEY_ACT_FURTHER,
	KEY_ACT_WHOLE,
	KEY_ACT_MOST,
	KEY_ACT_LEAST,
	KEY_ACT_NAN,
	KEY_ACT_OWNERS,
	KEY_ACT_BLOCK,
	KEY_ACT_STAT,
	KEY_ACT_JUMP,
	KEY_ACT_SAVE,
	KEY_ACT_ARRAYS,
	KEY_ACT_DIFF,
	KEY_ACT_TOLERANCE_UP,
	KEY_ACT_TOLERANCE_DOWN,
	KEY_ACT_EXACT,
	/* everywhere */
	KEY_ACT_FIRST_GLOBAL,
	KEY_ACT_SEARCH = KEY_ACT_FIRST_GLOBAL,
	KEY_ACT_NEXT,
	KEY_ACT_PREVIOUS,
	KEY_ACT_COMMAND,
	KEY_ACT_TYPE, /* the command line with the entry's verb in it */
	KEY_ACT_HELP,
	KEY_ACT_VIEW, /* the view called as the entry's verb */
	KEY_ACT_PANE_NEXT,
	KEY_ACT_PANE_PREVIOUS,
	KEY_ACT_ZOOM,
	KEY_ACT_SPLIT,
	KEY_ACT_SPLIT_RIGHT,
	KEY_ACT_CLOSE,
	KEY_ACT_TALLER,
	KEY_ACT_LOWER,
	KEY_ACT_REDRAW,
	KEY_ACT_SIDE,
};

struct key {
	const char *keys; /* one or more, with blanks between: "j Down", two after one another:
			     "C-w,s" */
	const char *view; /* only there; NULL everywhere */
	enum key_action action; /* KEY_ACT_NONE: the verb is run */
	const char *verb; /* the line that is run; with an action what the view runs, in words */
	const char *help;
};

/* All, in the order of the help screen; one with keys NULL is a heading, the last has no help. */
extern const struct key key_table[];

/*
 * The entry for a key, or for two after one another (first 0: none), in that view; NULL when there
 * is none. Codes as screen_key gives them.
 */
const struct key *key_find(int first, int code, const char *view);
/* Whether a key of two begins with this one. */
int key_begins(int code);

#endif
