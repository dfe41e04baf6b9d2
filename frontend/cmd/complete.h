/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a word of a command line can be: candidates from the command table and the session.
 */
#ifndef DVMDBG_FRONTEND_COMPLETE_H
#define DVMDBG_FRONTEND_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

struct session;

struct complete {
	char **word; /* owned, each to be freed or taken by the caller */
	size_t n;
	bool files; /* names of files fit as well */
	bool open;  /* a candidate need not be the whole word: no blank after it */
};

/*
 * Candidates for the word that begins at `start` of line and is typed up to `end`. The caller frees
 * words and array.
 */
struct complete complete_line(struct session *s, const char *line, size_t start, size_t end);

/* Whether there is a kind of words with this name, for tests of the table of verbs. */
int complete_known(const char *kind, size_t n);

#endif
