/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patterns (PCRE2) over texts in UTF-8. Bytes that are none fit only what names no character.
 */
#ifndef DVMDBG_FRONTEND_SEARCH_H
#define DVMDBG_FRONTEND_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct search;

/* NULL and err, which shows the column in the pattern, when it is no pattern. */
struct search *search_create(const char *pattern, struct err *err);
/*
 * The same, in any case of letters when asked for. The error has lines of its own for the pattern
 * and for a ^ below the column.
 */
struct search *search_create_pointing(const char *pattern, bool ignorecase, struct err *err);
/* The same; where it is wrong goes to *wrong, in bytes from 0. */
struct search *search_create_at(const char *pattern, size_t *wrong, struct err *err);
void search_destroy(struct search *s);
/* Whether it matches anywhere in text. A text that takes too many steps does not. */
bool search_match(const struct search *s, const char *text);
/*
 * 1 and the bytes [from, to) of the first match, 0 when there is none, -1 and err when looking for
 * it takes more steps or memory than is allowed.
 */
int search_find(const struct search *s, const char *text, size_t *from, size_t *to,
		struct err *err);

#endif
