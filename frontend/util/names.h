/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names that are like another.
 */
#ifndef DVMDBG_FRONTEND_NAMES_H
#define DVMDBG_FRONTEND_NAMES_H

#include <stdbool.h>

/* Differs by case, by at most two letters (one in short names), or begins alike. */
bool names_near(const char *a, const char *b);

#endif
