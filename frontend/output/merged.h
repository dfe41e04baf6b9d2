/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What ranks print, line by line, with the ranks that have printed it: "[0:3] hello". A line waits
 * a moment for other ranks that print the same; a rank's lines keep their order. What is not ended
 * by a newline is shown when its rank is quiet.
 */
#ifndef DVMDBG_FRONTEND_OUTPUT_MERGED_H
#define DVMDBG_FRONTEND_OUTPUT_MERGED_H

#include <stddef.h>

#include "common/logical/rankset.h"

struct loop;
struct merged;

struct merged_watch {
	void *arg;
	/* A line of one rank, with its newline where it has one, as soon as it is whole. */
	void (*line)(void *arg, int stream, const char *text, size_t len);
	/* Equal lines of ranks, to be shown. */
	void (*lines)(void *arg, const struct rankset *ranks, int stream, const char *text,
		      size_t len);
};

struct merged *merged_create(struct loop *loop, const struct merged_watch *watch);
void merged_destroy(struct merged *m); /* NULL is fine; shows what waits */
/* These have printed that. n: how many ranks there are. */
void merged_take(struct merged *m, const struct rankset *ranks, size_t n, int stream,
		 const char *text, size_t len);
/* Shows the lines that wait. */
void merged_flush(struct merged *m);
/* And what is not ended: the ranks are gone. */
void merged_end(struct merged *m);

#endif
