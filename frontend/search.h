/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patterns (PCRE2).
 */
#ifndef DVMDBG_FRONTEND_SEARCH_H
#define DVMDBG_FRONTEND_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct search;

/* NULL and err, which tells the column in the pattern, when it is no pattern. */
struct search *search_create(const char *pattern, struct err *err);
/* The same; where it is wrong goes to *wrong, in bytes from 0. */
struct search *search_create_at(const char *pattern, size_t *wrong, struct err *err);
void search_destroy(struct search *s);
/* Whether it matches anywhere in text. */
bool search_match(const struct search *s, const char *text);

#endif
