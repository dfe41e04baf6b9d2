/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a view is, and what it can use. A view is one file that ends in a const table; there is one
 * instance of each for the life of the program, on the screen or not.
 */
#ifndef DVMDBG_FRONTEND_TUI_VIEW_H
#define DVMDBG_FRONTEND_TUI_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "frontend/tui/core/keys.h"
#include "frontend/tui/core/list.h"
#include "frontend/tui/screen/screen.h"

struct err;
struct search;
struct session;
struct tui;
struct view;

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
