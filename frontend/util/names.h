/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names that are like another, and names as their language writes them.
 */
#ifndef DVMDBG_FRONTEND_NAMES_H
#define DVMDBG_FRONTEND_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A source file of Fortran, by its suffix. */
bool names_fortran(const char *file);
/* "u[3][4]", in Fortran "u(3,4)"; returns out. */
const char *names_element(const char *name, bool fortran, unsigned ndim, const int64_t *index,
			  char *out, size_t size);
/* Differs by case, by at most two letters (one in short names), or begins alike. */
bool names_near(const char *a, const char *b);

#endif
