/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line that is typed: readline with the verbs' completion and the history, either on the
 * terminal or drawn by somebody else (the full screen). There is one at a time, for readline has
 * one.
 */
#ifndef DVMDBG_FRONTEND_TERM_TERM_H
#define DVMDBG_FRONTEND_TERM_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct line;
struct session;

/* For a line that readline does not draw itself. */
struct line_drawer {
	void *arg;
	/* cursor is an index into text, in bytes. */
	void (*draw)(void *arg, const char *prompt, const char *text, size_t cursor);
	/* Tab has found several. */
	void (*candidates)(void *arg, char *const *word, size_t n);
};

/* drawer is borrowed; NULL: readline draws on the terminal. */
struct line *line_create(struct session *s, const struct line_drawer *drawer);
/* Writes the history. */
void line_destroy(struct line *l);
/*
 * Begins a line. A command has completion and history, goes on with the session's draft, and Ctrl-X
 * a in it makes the line "tui" and leaves what was typed as the draft.
 */
void line_begin(struct line *l, const char *prompt, bool command);
/* Puts text into the line that has begun. */
void line_insert(struct line *l, const char *text);
/* The cursor goes before that byte of it. */
void line_go(struct line *l, size_t at);
/* Takes the line away; nothing happens when none has begun. */
void line_end(struct line *l);
/* A line has begun and is not complete. */
bool line_open(const struct line *l);
/* Inside completion, which turns the loop to ask ranks for names: nothing may be read meanwhile. */
bool line_completing(const struct line *l);
/* The complete line, to be freed; NULL when there is none so far. */
char *line_take(struct line *l);
/* Ctrl-D on an empty line. */
bool line_eof(const struct line *l);

/* With a drawer: what was typed, in bytes as a terminal sends them. */
void line_feed(struct line *l, const char *bytes, size_t n);
/* What has been typed so far is the draft of the next line. */
void line_keep_draft(struct line *l);

/* On the terminal: something is there to be read. */
void line_read(struct line *l);
/*
 * No line is open: what was typed in the terminal's own way, a line at a time; "" after Ctrl-D. The
 * bytes read, without waiting; -1: there are none.
 */
ssize_t line_plain(struct line *l, char *out, size_t size);
/* Ctrl-C: drops what was typed; the caller begins again. */
void line_drop(struct line *l);
/* Around output while a line is open. */
void line_hide(struct line *l);
void line_show(struct line *l);
/* After fg: the shell has had the terminal in its own modes. */
void line_continued(struct line *l);
/* Columns of the terminal; fresh: its size has changed. */
int line_columns(struct line *l, bool fresh);

#endif
