/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The full screen's inside, shared by tui.c (start and end), turn.c (keys), frame.c (what is around
 * the views), verbs.c (what is run and asked), and prompt.c (the line at the bottom).
 */
#ifndef DVMDBG_FRONTEND_TUI_TUI_PRIV_H
#define DVMDBG_FRONTEND_TUI_TUI_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/err.h"
#include "frontend/term/line.h"
#include "frontend/output/output.h"
#include "frontend/tui/core/panes.h"
#include "frontend/tui/core/offer.h"
#include "frontend/tui/core/view.h"

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
	size_t said;	/* rows of the log since the screen was taken */
	size_t unread;	/* lines of the program that have not been on the screen yet */

	/* prompt.c */
	struct line *line;
	struct line_drawer drawer;
	enum prompt_kind prompt;
	struct offer offer;
	char *prompt_text; /* owned; as it is drawn */
	int prompt_cursor; /* its cell */
	struct search *pattern;

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
void prompt_stop(struct tui *t);

/* turn.c */
void turn_keys(struct tui *t);
/* Keys wait, until what they are for has been loaded. */
bool turn_waits(const struct tui *t);

/* frame.c */
/* Panes get their areas, as they will be drawn. */
void frame_place(struct tui *t);
void frame_draw(struct tui *t);

#endif
