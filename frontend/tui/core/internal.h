/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The full screen's inside, shared by tui.c (start and end), turn.c (keys), frame.c (what is around
 * the views), verbs.c (what is run and asked), and prompt.c (the line at the bottom).
 */
#ifndef DVMDBG_FRONTEND_TUI_CORE_INTERNAL_H
#define DVMDBG_FRONTEND_TUI_CORE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/err.h"
#include "frontend/output/output.h"
#include "frontend/term/term.h"
#include "frontend/tui/core/core.h"
#include "frontend/tui/screen/screen.h"

struct screen;
struct view;
struct view_class;

/*
 * Which views are on the screen and where: panes above one another in columns. Kept between
 * sessions in $XDG_CONFIG_HOME/dvmdbg/layout, a line each: "pane COLUMN WEIGHT VIEW", and a last:
 * "focus PANE ALONE".
 */

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

/* The words that a line can be completed to, in columns above it. */

/* Zeroed: none. */
struct offer {
	char **word; /* owned */
	size_t n;
	int width; /* of the widest */
};

/* Words are copied; without memory there are none. */
void offer_set(struct offer *o, char *const *word, size_t n);
void offer_clear(struct offer *o);
/* Above row y, as many rows as are needed, half of those above y at most; how many there are is
 * reported. */
void offer_draw(const struct offer *o, struct screen *sc, int y, int columns);

#define ESC 27
#define TUI_VIEWS 16
#define TUI_QUEUE 16
#define TUI_KEPT 8
#define TUI_LEAST_ROWS 10
#define TUI_LEAST_COLUMNS 40

enum prompt_kind { PROMPT_NONE, PROMPT_COMMAND, PROMPT_SEARCH };

/* An answer that tui_ask has got, for others that ask the same. */
struct kept {
	char *line;
	json_t *answer;	 /* NULL: it failed … */
	struct err *why; /* … for this reason */
};

struct tui {
	struct session *s;
	struct screen *sc;	      /* NULL: the terminal is not ours */
	struct view *view[TUI_VIEWS]; /* in the order of view_table, then help */
	struct panes panes;
	bool help;  /* the help screen is over all */
	bool other; /* of a pair A is seen */
	bool chosen; /* the layout is no longer only as it was kept */
	struct out_sink sink;

	/* verbs.c */
	char *queue[TUI_QUEUE]; /* owned; lines that wait for what runs */
	size_t queued;
	const char *busy;   /* the line that runs; borrowed */
	int64_t busy_since; /* of busy, or of asking */
	unsigned asking;    /* questions inside one another */
	const char *want;   /* type of the answer that is asked for; borrowed */
	json_t *got;	    /* owned; that answer */
	struct kept kept[TUI_KEPT];
	size_t next_kept;
	unsigned epoch; /* rises with whatever may have changed what views show */
	unsigned moves; /* of the job, job_moves, when it was looked at last */
	size_t log_seen;	/* rows of the log since the screen was taken */
	size_t unread;	/* lines of the program that have not been on the screen yet */

	/* prompt.c */
	struct line *line;
	struct line_drawer drawer;
	enum prompt_kind prompt;
	struct offer offer;
	char *prompt_text; /* owned; as it is drawn */
	int prompt_cursor; /* its cell */
	struct search *pattern;
	const char *question; /* borrowed; that is asked at the bottom; NULL: none */
	char answer;	      /* 'y' or 'n'; 0: none so far */

	/* frame.c, turn.c */
	char message[512];
	char progress[300];    /* how far busy is, in words */
	bool drawing, ticking; /* are planned */
	int first_key;
};

/* tui.c */
const struct view_class *tui_focus(const struct tui *t);
/* Of any run. */
bool tui_any_run(const struct tui *t);
/* Each second as long as something runs, its seconds are counted and live views are loaded. */
void tui_tick(struct tui *t);

/* verbs.c */
void verbs_listen(struct tui *t);
/* Runs one waiting line; false when there is none. */
bool verbs_next(struct tui *t);
void verbs_drop(struct tui *t);
/* Loads the views that are seen and out of date. */
void verbs_load(struct tui *t, bool live);
/* Of a pair the other run is seen. */
void verbs_side(struct tui *t);
/* Something has changed: answers are forgotten. */
void verbs_changed(struct tui *t);
/* Looks whether ranks have come to another state by themselves. */
void verbs_notice(struct tui *t);

/* prompt.c */
int prompt_open(struct tui *t, enum prompt_kind kind, const char *text);
void prompt_close(struct tui *t);
void prompt_key(struct tui *t, int code);
int prompt_start(struct tui *t);
/* Asks at the bottom while the loop turns, as shell_confirm does; Ctrl-C and Esc are no. */
bool prompt_ask(void *arg, const char *question);
/* A key for the question. */
void prompt_answer(struct tui *t, int code);
void prompt_stop(struct tui *t);

/* turn.c */
void turn_keys(struct tui *t);
/* Keys wait, until what they are for has been loaded. */
bool turn_waits(const struct tui *t);

/* frame.c */
/* Panes get their areas, as they will be drawn. */
void frame_place(struct tui *t);
void frame_draw(struct tui *t);

/*
 * The views that others write into: log (answers) and output (of the program).
 */

/* Lines of text, with a switch of style or "" before each. */
void log_append(struct view *v, const char *style, const char *text);
/* What the program has written to stream 1 or 2. */
void log_program(struct view *v, char side, int stream, const char *text, size_t len);

#endif
