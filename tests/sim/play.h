/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session of the real front end over a simulated tree: runs commands, and tells what each
 * answered, how long it took, and how many bytes came to the root.
 */
#ifndef DVMDBG_TESTS_PLAY_H
#define DVMDBG_TESTS_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct play;
struct session;

struct play_result {
	const char *text; /* borrowed until the next command */
	size_t lines, columns; /* the longest line */
	uint64_t bytes;	       /* over the tree links */
	double seconds;
	int rc; /* of cmd_line */
};

/* json: answers are objects. NULL when the job did not start, which is told on standard error. */
struct play *play_begin(uint32_t ranks, const char *scenario, bool json);
struct play_result play_run(struct play *p, const char *line);
struct session *play_session(struct play *p);
void play_end(struct play *p);

#endif
