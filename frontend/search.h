/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patterns (PCRE2).
 */
#ifndef DVMDBG_FRONTEND_SEARCH_H
#define DVMDBG_FRONTEND_SEARCH_H

#include <stdbool.h>

struct err;
struct search;

/* NULL and err, which tells the column in the pattern, when it is no pattern. */
struct search *search_create(const char *pattern, struct err *err);
void search_destroy(struct search *s);
/* Whether it matches anywhere in text. */
bool search_match(const struct search *s, const char *text);

#endif
