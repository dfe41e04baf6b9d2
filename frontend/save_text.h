/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sections of arrays as text: a line for each index of all dimensions but the last, an empty line
 * where another plane begins.
 */
#ifndef DVMDBG_FRONTEND_SAVE_TEXT_H
#define DVMDBG_FRONTEND_SAVE_TEXT_H

#include <stdbool.h>

struct err;
struct pieces;

/* path ends in ".txt" */
bool save_text_wanted(const char *path);
/* Written beside and renamed: an error leaves what was there. */
int save_text(const struct pieces *p, const char *path, struct err *err);

#endif
