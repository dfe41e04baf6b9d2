/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commands typed so far, numbered from 1, and "!" that repeats them.
 */
#ifndef DVMDBG_FRONTEND_HISTORY_H
#define DVMDBG_FRONTEND_HISTORY_H

#include <stddef.h>

struct err;
struct history;

struct history *history_create(void);
void history_destroy(struct history *h);
/* Keeps a line. */
void history_add(struct history *h, const char *line);
size_t history_count(const struct history *h);
/* Number n, from 1; NULL when there is none. */
const char *history_at(const struct history *h, size_t n);
/*
 * A line that begins with "!!", "!n", "!-n" or "!text": the line it represents with what follows,
 * to be freed. NULL and err when nothing fits.
 */
char *history_expand(const struct history *h, const char *line, struct err *err);

#endif
