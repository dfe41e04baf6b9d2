/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One gdb on each of several ranks: what is typed goes to all of them, and equal answers are shown
 * once. They are the session's, from gdb_begin to gdb_end or to the end of its job.
 */
#ifndef DVMDBG_FRONTEND_GDB_GDB_H
#define DVMDBG_FRONTEND_GDB_GDB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct rankset;
struct session;

struct gdb_rank {
	uint32_t rank;
	pid_t pid;
	const char *frame; /* borrowed; chooses the user's innermost frame; NULL: it is not known */
	bool parked;	   /* at a point: it has to leave the runtime before it can be stepped */
};

/*
 * Starts gdb (its path) on each, and brings those that are parked out of the runtime, into the
 * user's frame. -1 and err: none is there.
 */
int gdb_begin(struct session *s, const char *gdb, const struct gdb_rank *list, size_t n,
	      struct err *err);
/* The ranks that have one; NULL: there are none. */
const struct rankset *gdb_ranks(const struct session *s);
/* Why a verb cannot have them now; NULL: none of these has one. */
const char *gdb_why(const struct session *s, const struct rankset *who);
/*
 * Sends a command to those of who that have one and waits until all stand; Ctrl-C interrupts the
 * program. An answer of the type "gdb". NULL and err: none of them has one, or any more.
 */
json_t *gdb_command(struct session *s, const struct rankset *who, const char *text,
		    struct err *err);
/* Ranks go on to their next points, without gdb: these are halted, and become *ranks, who are to be
 * waited for. */
void gdb_end(struct session *s, struct rankset *ranks);
#endif
