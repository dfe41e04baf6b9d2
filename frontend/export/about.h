/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What numbers in a file are, in words that stand at its top: array, section, axes, and where the
 * ranks were.
 */
#ifndef DVMDBG_FRONTEND_ABOUT_H
#define DVMDBG_FRONTEND_ABOUT_H

#include <stddef.h>

#include "frontend/data/pieces.h"

#define ABOUT_SECTION 400

/* "u[3][0:9]" or "u(3,0:9:2)", of a bound section, as it can be typed; returns out. */
const char *about_section(const char *name, char order, const struct section *s, char *out,
			  size_t size);

struct about {
	const struct pieces *p;
	unsigned type; /* of the numbers, enum value_type */
	bool plane;    /* the dimensions `row`, `col` go down and to the right; else the last two */
	unsigned row, col;
	const char *more; /* one more line; NULL: there is none */
};

/* Lines, each with a newline; to be freed. */
char *about_text(const struct about *a);

#endif
