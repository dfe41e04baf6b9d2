/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks for a program that has none: training runs of different sizes on different numbers of ranks
 * show its arrays, own parts, halos and loops; what holds in all of them becomes a patch.
 */
#ifndef DVMDBG_FRONTEND_ANNOTATE_H
#define DVMDBG_FRONTEND_ANNOTATE_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct symbols;

#define ANNOTATE_SIZES 4
#define ANNOTATE_STOP UINT_MAX /* the answer to a question that a signal interrupted */

struct annotate_request {
	char *const *argv;   /* the program and its arguments, NULL at the end */
	const char *tried; /* what the marks are tried on, where argv[0] is a build of it with hooks; NULL:
			    * that */
	char *const *other[ANNOTATE_SIZES]; /* arguments of other sizes, the same way; NULL behind
					       the last */
	uint32_t ranks;
	const char *marks;   /* file that is written: the marks beside the source */
	const char *patch;   /* likewise, the patch; may be NULL */
	bool trial;	     /* the marks are tried */
	bool sizes_known;    /* they are used for these arguments, on these ranks or one, alone */
	/* what is being done, a line a call; may be NULL */
	void (*progress)(void *arg, const char *text);
	/*
	 * Asks which of n choices is meant, n > 1, or with n 0 whether it is so: the number, or 1
	 * for yes; ANNOTATE_STOP: nothing is written. NULL: the first, and yes.
	 */
	unsigned (*ask)(void *arg, const char *question, char *const *choice, unsigned n);
	void *arg;
};

/*
 * The answer "annotation": runs, arrays, loops, what was left out and why. The patch is written
 * when there is a mark. NULL and err: no run succeeded, or the patch cannot be written.
 */
json_t *annotate(const struct annotate_request *r, struct symbols *symbols, struct err *err);

#endif
