/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plane through an array: two of its dimensions as rows and columns, an index in each of the
 * others, a cursor, and the window of the plane that is seen. An array of one dimension is folded
 * into rows. Asks nobody and draws nothing.
 */
#ifndef DVMDBG_FRONTEND_TUI_CUT_H
#define DVMDBG_FRONTEND_TUI_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/section.h"

struct cut {
	unsigned ndim; /* at least 1 */
	bool fortran;
	int64_t lower[ARRAY_DIMS];
	uint64_t extent[ARRAY_DIMS];
	unsigned row, col; /* the dimensions shown; equal: the only one, folded */
	unsigned slider;   /* of the others the one that cut_slide moves; ndim: there is none */
	int64_t at[ARRAY_DIMS]; /* the cursor; in the others the index that is shown */
	uint64_t fold;		/* columns of a folded dimension; at least 1 */
	uint64_t top, left;	/* first row and column seen, from 0 */
};

/* A rectangle of a plane, in rows and columns from 0. */
struct cut_window {
	uint64_t top, left, rows, cols;
};

/*
 * For an array of that shape: the last two dimensions, in Fortran the first two; those with one
 * index only when there are no others. What c had before is kept when its shape was the same.
 */
void cut_make(struct cut *c, unsigned ndim, bool fortran, const int64_t *lower,
	      const uint64_t *extent);
bool cut_folded(const struct cut *c);
uint64_t cut_rows(const struct cut *c);
uint64_t cut_cols(const struct cut *c);
/* Row and column of the cursor. */
void cut_cursor(const struct cut *c, uint64_t *row, uint64_t *col);
/* The cursor goes there, or as far as there is something. */
void cut_go(struct cut *c, int64_t row, int64_t col);
/* The cursor moves by so many rows and columns. */
void cut_move(struct cut *c, int64_t rows, int64_t cols);
/* Indices in all dimensions of a place in the plane; false: behind the end of what is folded. */
bool cut_index(const struct cut *c, uint64_t row, uint64_t col, int64_t *index);
/* All dimensions but the two get other indices as well. */
void cut_jump(struct cut *c, const int64_t *index);
/* The window, of so many rows and columns at most, in which the cursor is. */
struct cut_window cut_settle(struct cut *c, uint64_t rows, uint64_t cols);
/* The window begins with that element, if the cursor stays in it. */
void cut_corner(struct cut *c, const int64_t *index);
/* Rows (or columns) become the next dimension; the same as the others': they change places. */
void cut_turn(struct cut *c, bool columns);
void cut_swap(struct cut *c);
/* These two are shown; false: they are not two dimensions of it. */
bool cut_show(struct cut *c, unsigned row, unsigned col);
void cut_next_slider(struct cut *c);
void cut_slide(struct cut *c, int64_t by);
/* The elements of the window as a bound section, without steps. A folded one has whole rows. */
void cut_section(const struct cut *c, const struct cut_window *w, struct section *out);
/* "u[*][*][3]", with ranges in place of * when w is not NULL; returns out. */
const char *cut_text(const struct cut *c, const struct cut_window *w, const char *name, char *out,
		     size_t size);
/* "u[3][↓][→]": which dimension goes where; returns out. */
const char *cut_title(const struct cut *c, const char *name, char *out, size_t size);

#endif
