/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the commands of a session remember between them. What is done with it is in session/shell.h.
 */
#ifndef DVMDBG_FRONTEND_MODEL_SHELL_H
#define DVMDBG_FRONTEND_MODEL_SHELL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/logical/rankset.h"
#include "frontend/util/redirect.h"

struct shell {
	struct focus *focus;
	struct alias *alias;
	struct history *history;
	struct source *source;
	unsigned level;	 /* the frame chosen with up and down, from the innermost */
	char *file;	 /* owned; the current file, NULL before any */
	uint32_t line;	 /* the current line in it; 0: none */
	uint32_t listed; /* the last line that list has shown; 0: none since the last stop */
	uint32_t listed_from; /* the first of them */
	struct logs *logs; /* of the verb log */
	struct redirect redirect; /* of run … <in >out */
	const char *script; /* the file whose commands are run, NULL at the prompt; borrowed */
	unsigned script_line;
	unsigned nesting; /* of scripts and aliases */
	char *pending;	  /* owned; lines that ended in a backslash */
	char *draft;	  /* owned; a line that was being typed when the full screen came or went */
	char *show;	  /* owned; what the full screen shall show, as the verb tui was given it */
	struct rankset gone; /* ranks that `go` has sent off and that nobody waits for */
	bool failed_program; /* a run of the program has failed by itself */
	bool proginput;	     /* what is typed is for the program, until Ctrl-C */
	bool awaited;	     /* the verb wait waits: what is typed is for the program */
};

#endif
