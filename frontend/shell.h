/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the commands of a session keep between them: named sets, aliases, history, where list is,
 * the frame that up and down have chosen, the script that is read.
 */
#ifndef DVMDBG_FRONTEND_SHELL_H
#define DVMDBG_FRONTEND_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/rankset.h"

struct alias;
struct err;
struct focus;
struct focus_env;
struct history;
struct report_frame;
struct session;
struct source;

/* The most ranks that can be asked for. */
#define SHELL_MAX_RANKS 65536

struct shell {
	struct focus *focus;
	struct alias *alias;
	struct history *history;
	struct source *source;
	unsigned level;	 /* the frame chosen with up and down, from the innermost */
	char *file;	 /* owned; the current file, NULL before any */
	uint32_t line;	 /* the current line in it; 0: none */
	uint32_t listed; /* the last line that list has shown; 0: none since the last stop */
	FILE *log;	 /* owned; of the verb log */
	bool log_input, log_output;
	FILE *output;	    /* owned; of run … >file */
	const char *script; /* the file whose commands are run, NULL at the prompt; borrowed */
	unsigned script_line;
	unsigned nesting; /* of scripts and aliases */
	char *pending;	  /* owned; lines that ended in a backslash */
	char *draft;	  /* owned; a line that was being typed when the full screen came or went */
	char *show;	  /* owned; what the full screen shall show, as the verb tui was given it */
	struct rankset gone; /* ranks that `go` has sent off and that nobody waits for */
	bool failed_program; /* a run of the program has failed by itself */
};

/* Makes it and hangs it into the session; NULL and err when out of memory. */
struct shell *shell_create(struct session *s, struct err *err);
/* Takes it out of the session. */
void shell_destroy(struct session *s);
/* Copies program and arguments into the session's spec; 0 or -1 (memory). */
int shell_set_argv(struct session *s, char *const *argv, int argc);
/* Sets a setting and makes it work at once. */
int shell_set(struct session *s, const char *name, const char *value, struct err *err);
int shell_unset(struct session *s, const char *name, struct err *err);
/* The environment that sets are evaluated in. */
struct focus_env shell_sets(struct session *s);
/* Evaluates a set without brackets; a repeated member is a warning. */
int shell_eval(struct session *s, const char *text, struct rankset *out, struct err *err);
/* After ranks have stopped: the current place is where they are. */
void shell_stopped(struct session *s);
/* Remembers how the present run ends, before it is replaced or the session ends. */
void shell_keep_result(struct session *s);
/* Tells the actionpoints that a run that is over has not reached. */
void shell_tell_unreached(struct session *s);
/* The file and line of the innermost frame of the first stopped group; false when there is none. */
bool shell_place(struct session *s, char *file, size_t size, uint32_t *line);

#endif
