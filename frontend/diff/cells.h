/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A difference seen from afar: reduced to cells, as arrays are (common/array/bins.h), and gone
 * through one element after the other.
 */
#ifndef DVMDBG_FRONTEND_DIFF_CELLS_H
#define DVMDBG_FRONTEND_DIFF_CELLS_H

#include <stdbool.h>
#include <stdint.h>

struct diff;
struct diff_input;
struct diff_item;

/* The elements of a cell. */
struct diff_cell {
	uint64_t count, differ; /* all, and those beyond tolerance */
	double largest;		/* of |ref - now| of these; inf when only one is finite */
};

/* Dimensions of the section that are shown, from 0; equal: only that one, and rows is 1. */
struct diff_plane {
	unsigned row, col;
	uint32_t rows, cols; /* cells; no more than there are indices */
};

/* rows * cols cells into out, row by row. */
void diff_cells(const struct diff *d, const struct diff_input *in, const struct diff_plane *p,
		struct diff_cell *out);
/* 0 … 1: how large a difference is compared with the largest; six decades are distinguished. */
double diff_cell_size(double difference, double largest);
/* 0xRRGGBB: the larger the brighter. */
uint32_t diff_cell_colour(const struct diff_cell *c, double largest);
/*
 * The next element beyond tolerance behind that global index (step 1), or the one before it (-1),
 * in the order of the array's language; false: there is none.
 */
bool diff_next(const struct diff *d, const struct diff_input *in, const int64_t *index, int step,
	       struct diff_item *out);

#endif
