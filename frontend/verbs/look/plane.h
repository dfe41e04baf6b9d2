/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options of verbs that show a plane of an array as cells: -cells, -rows, -columns.
 */
#ifndef DVMDBG_FRONTEND_CMD_PLANE_H
#define DVMDBG_FRONTEND_CMD_PLANE_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct section;

struct plane_words {
	const char *verb;		    /* for errors */
	const char *cells, *rows, *columns; /* the options' values; NULL: not given */
};

struct plane {
	unsigned row, col;   /* dimensions of the section, from 0; equal: only one, and rows is 1 */
	uint32_t rows, cols; /* cells, no more than there are indices */
	uint32_t columns;    /* cells of a line; less than cols where one dimension is folded */
};

/*
 * s is bound. Without options the last two dimensions of more than one index, in Fortran the first
 * two. The error names verb, option and what is allowed.
 */
int plane_parse(struct plane *p, const struct plane_words *words, const struct section *s,
		bool fortran, struct err *err);
/* "3,4": an index in each of ndim dimensions; what: "stat -after", for the error. */
int plane_index(const char *what, const char *text, unsigned ndim, int64_t *index, struct err *err);

#endif
