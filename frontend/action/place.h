/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places and variables of actionpoints, checked as far as they can be known when they are given.
 */
#ifndef DVMDBG_FRONTEND_ACTS_PLACE_H
#define DVMDBG_FRONTEND_ACTS_PLACE_H

#include <stdbool.h>

struct err;
struct location;
struct rankset;
struct session;
struct watch;

/* The file that a line alone is in: the current one, at first that of main; NULL: none. */
const char *action_place_file(struct session *s);
/* -1 and err for a file or line that the program cannot have; what cannot be known is a warning. */
int action_place_check(struct session *s, const struct location *loc, struct err *err);
/* What the source shows of a parallel loop that begins there. */
enum action_loop {
	ACTS_LOOP_NONE,	  /* there is none, or the source is not found */
	ACTS_LOOP_BARE,	  /* its iterations are not marked */
	ACTS_LOOP_HOOKED, /* they are in programs with access hooks: DVMDBG_PL_ITERATION */
	ACTS_LOOP_MARKED, /* they are in all: DVMDBG_ITERATION */
};
/* The source shows that no construct is announced there. */
bool action_place_bare(struct session *s, const struct location *loc);
enum action_loop action_place_loop(struct session *s, const struct location *loc);
/* "u[3][4]" and, when it is not NULL, the bytes from there on. The id is not set. */
int action_watch_parse(struct session *s, const char *text, const char *length,
		     const struct rankset *who, struct watch *w, struct err *err);

#endif
