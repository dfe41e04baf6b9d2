/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The words of a line, with quotes and brackets as a shell has them.
 */
#ifndef DVMDBG_FRONTEND_WORDS_H
#define DVMDBG_FRONTEND_WORDS_H

#include <stdbool.h>

struct err;

/* Words in memory of their own. */
struct words {
	char **word;  /* NULL-terminated */
	bool *quoted; /* it began with a quote */
	int n;
	char **typed; /* as they were split, with their quotes */
	int ntyped;
};

/*
 * Splits at blanks outside quotes and brackets. Quotes are taken away; a backslash keeps the
 * character behind it outside single quotes. -1 and err when a quote or bracket is open.
 */
int words_split(struct words *w, const char *text, bool brackets, struct err *err);
void words_clear(struct words *w);

/* A list of words that ends with NULL, as argv is: a copy, and its end; NULL is no list. */
char **words_list_copy(char *const *list);
void words_list_free(char **list);

#endif
