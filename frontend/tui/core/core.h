/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The full screen: keys, panes, lists, views, and what views run and ask.
 */
#ifndef DVMDBG_FRONTEND_TUI_CORE_CORE_H
#define DVMDBG_FRONTEND_TUI_CORE_CORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/tui/screen/screen.h"

/*
 * Answers that several views show, and parts of answers as text.
 */

struct err;
struct rankset;
struct search;
struct session;
struct tui;
struct view;

#define DATA_POINTS 2000
/* The newest of the points passed, as `points` answers, DATA_POINTS and one more when there are
 * older ones; a new reference, NULL and err. */
json_t *data_points(struct tui *t, struct err *err);
/* What is behind the last '/'. */
const char *data_base(const char *path);
/* "heat.c:61" of an answer's file and line; "" without. Returns out. */
const char *data_place(const json_t *o, char *out, size_t size);
/* "3", "(1,2)": an answer's iteration; "" without. Returns out. */
const char *data_iteration(const json_t *o, char *out, size_t size);
/* Bytes of text that fill at most that many columns, up to a blank where there is one. */
size_t data_fitting(const char *text, int columns);
/* The set that a text as "[0:3,5]" names; false when it is none. set is zeroed before, and cleared
 * by the caller after. */
bool data_ranks(struct rankset *set, const char *text);
/* How many ranks a text as "[0:3,5]" names. */
size_t data_count(const char *ranks);
/* Before any stop: the session's place becomes the program's beginning, when it can be found. */
void data_first_place(struct session *s);

/*
 * What each key does, in one table, from which the help screen is made. A key runs a verb, or acts
 * on the view that has the keys, or on the layout.
 */

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

/*
 * Rows of text with a cursor, which most views are: it scrolls, is drawn, and is searched here.
 */

struct row {
	char *text;   /* owned; with switches of style, see tui/screen/screen.h */
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

/*
 * The full screen. It is made once, listens to what is reported from then on, and takes the
 * terminal when it is wanted.
 */

/* The session must outlive it. */
struct tui *tui_create(struct session *s);
void tui_destroy(struct tui *t);
/*
 * Takes the terminal until the session is quitting or the full screen is not wanted any more
 * (session.fill_screen). -1 and err when the terminal will not do; it is not wanted then.
 */
int tui_run_screen(struct tui *t, struct err *err);

/*
 * What a view is, and what it can use. A view is one file that ends in a const table; there is one
 * instance of each for the life of the program, on the screen or not.
 */

struct view_class {
	const char *name; /* in titles, keys.c, and the kept layout */
	size_t size; /* of its struct, which begins with a struct view and is zeroed at first */
	const char *hint; /* its keys at the bottom, with two blanks between; NULL: those of all */
	const char *(*hints)(
		const struct view *v); /* instead, where they are not always the same */
	bool live;		       /* loaded each second as long as ranks run */
	void (*open)(struct view *v);  /* once; may be NULL */
	/*
	 * Takes its data again: a verb has run, or the ranks have stopped. Called only for views
	 * that are to be seen. It may ask (tui_ask); keys come in meanwhile, so it asks all it
	 * needs before it changes what is drawn. NULL: others bring what it shows.
	 */
	void (*load)(struct view *v);
	/* Draws what was loaded, and asks nobody. NULL: v->list. */
	void (*draw)(struct view *v, struct screen *sc, struct area a, bool focused);
	bool without_job; /* it has something to show without a program */
	bool of_files;	  /* what it shows is recorded, and is no older than that */
	bool of_both;	  /* it is of both runs of a pair, not of one of them */
	/* A key of this view, or one that moves; false: not for it. NULL: v->list moves. */
	bool (*act)(struct view *v, enum key_action action);
	/* Goes to the next place that fits, 1 onwards or -1 back. NULL: v->list. */
	bool (*find)(struct view *v, const struct search *pattern, int step);
	/* A point is looked at: its cursor goes there when it has it. May be NULL. */
	void (*look)(struct view *v, const char *point);
	/* Shows another object, as `tui VIEW OBJECT` says; as typed, "" for none. May be NULL. */
	void (*object)(struct view *v, const char *text);
	/* A click in its area, counted from its first row and column. NULL: v->list's. */
	void (*click)(struct view *v, int y, int x);
	/* What stands behind its name in the title: a file, a count. May be NULL. */
	void (*title)(const struct view *v, char *out, size_t size);
	void (*close)(struct view *v); /* frees what it owns beside the list; may be NULL */
};

struct view {
	const struct view_class *class;
	struct tui *tui;
	struct list list;
	unsigned epoch; /* of what it shows; tui.c */
	bool moving;	/* ranks ran when it was loaded */
	bool loaded;	/* since it was shown first; keys wait for that, if it is not long */
	bool picture;	/* what it had can be drawn until it is loaded again (epoch 0) */
	char *why;	/* owned; drawn in place of rows: why there is nothing to be shown */
};

/* The views that there are, in the order of their keys, NULL-terminated, and the help; borrowed. */
void views_use(const struct view_class *const *table, const struct view_class *help);
extern const struct view_class *const *view_table;
extern const struct view_class *view_of_help;
/* Those of this folder, written to all the time. */
extern const struct view_class view_output, view_log;

/* What keys do in a list from which an object is chosen, for .hints. */
extern const char view_chooses[];

/* The run that views show: in a pair one of the two. */
struct session *tui_session(const struct tui *t);
/* The session's own, B of a pair. */
struct session *tui_own(const struct tui *t);
/* What stands before a verb that is for the run that is seen: "A: "; "" without a pair. */
const char *tui_prefix(const struct tui *t);
/* Ranks of the run that is seen run. */
bool tui_ranks_run(const struct tui *t);
/* Keys wait until the view has been loaded, when that can be now: something is to be typed then. */
void tui_hold(struct view *v);
/* The instance of a view. */
struct view *tui_view(const struct tui *t, const struct view_class *class);
/*
 * Runs a verb for its answer: the JSON object of that type (a new reference), nothing else is
 * shown. NULL and err, when it failed or gave none. Equal questions between two changes are asked
 * once.
 */
json_t *tui_ask(struct tui *t, const char *type, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * Said by whoever asks the ranks without a verb, before and after: it is shown that this goes on,
 * and no other view asks meanwhile.
 */
void tui_asking(struct tui *t, bool begins);
/* Rises with whatever may have changed what views show. */
unsigned tui_epoch(const struct tui *t);
/* Opens the command line with this text in it, unless it is open. */
void tui_type(struct tui *t, const char *text);
/* Runs a verb as if it had been typed, when nothing else runs any more. */
void tui_run(struct tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One line at the bottom, until the next key. */
void tui_say(struct tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The screen is to be drawn again, soon. */
void tui_draw(struct tui *t);
/* That view gets the keys; it is shown if it was not. */
void tui_show(struct tui *t, const struct view_class *class);
/* The view is to be seen: it gets the keys if it has no pane, or one that has no room. */
void tui_reveal(struct tui *t, const struct view_class *class);
/* A point is looked at: all views that know points go there. */
void tui_inspect(struct tui *t, const char *point);
/* The view has nothing to show for that reason (copied); NULL: it has. */
void view_why(struct view *v, const char *why);

#endif
