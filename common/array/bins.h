/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A section of an array seen from afar: each rank reduces what it owns of it to cells, and nodes of
 * the tree merge what comes from below, so that what crosses is in proportion to the cells that are
 * looked at and not to the array. Halos do not count: each element is taken from its owner, once.
 */
#ifndef DVMDBG_COMMON_ZOOM_H
#define DVMDBG_COMMON_ZOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/codec.h"
#include "common/array/section.h"

struct differ;

#define ZOOM_BINS 64
#define ZOOM_CELLS (1u << 20) /* the most cells of one picture */
#define ZOOM_PARTS (1u << 20)

/* What is asked beside the section, whose steps are 1. */
struct zoom_spec {
	uint8_t row, col;     /* dimensions shown; equal: only that one, and rows is 1 */
	uint32_t rows, cols;  /* cells; at least 1 */
	uint32_t part, parts; /* only this part of what each rank owns, from 0; all: 0 of 1 */
	bool bins;	      /* also a histogram … */
	double from, to;      /* … between these; from < to */
	bool after;	      /* the first NaN behind this index, not the very first */
	int64_t index[ARRAY_DIMS];
};

/* What is known of the elements in a cell; of complex ones the magnitude, of logical ones 0 and 1.
 */
struct zoom_cell {
	uint64_t count;		 /* elements that some rank owns */
	double sum, least, most; /* of the finite ones; least > most: there are none */
	uint64_t nan, inf;
	uint32_t owner; /* the least rank that owns one; UINT32_MAX: none */
};

struct zoom {
	uint32_t rows, cols;
	struct zoom_cell *cell; /* owned; rows * cols, row by row */
	unsigned ndim;
	bool fortran; /* "first" is in the order of Fortran: the last index is the slowest */
	/* Where the extremes of all cells are, the first of equals; when any element is finite. */
	struct zoom_cell all;
	int64_t at_least[ARRAY_DIMS], at_most[ARRAY_DIMS];
	bool found_nan; /* the first one, or the first behind the asked index */
	int64_t at_nan[ARRAY_DIMS];
	uint64_t bin[ZOOM_BINS]; /* of finite ones; the last has its upper bound in it */
	uint64_t below, above;
};

/* 0, or -1: memory. */
int zoom_make(struct zoom *z, unsigned ndim, bool fortran, uint32_t rows, uint32_t cols);
void zoom_clear(struct zoom *z);
/* An empty cell. */
void zoom_cell_init(struct zoom_cell *c);
/* Adds `from` to c; the result does not depend on the order but for the rounding of sums. */
void zoom_cell_add(struct zoom_cell *c, const struct zoom_cell *from);
/* Adds a picture of the same shape; -1: it is of another. */
int zoom_merge(struct zoom *z, const struct zoom *from);

/* The cell of position `at` of n, in `cells`; and the first position in a cell (n for cell
 * `cells`). */
static inline uint32_t zoom_cell_of(uint64_t at, uint64_t n, uint32_t cells)
{
	return (uint32_t)((unsigned __int128)at * cells / n);
}
static inline uint64_t zoom_first(uint32_t cell, uint64_t n, uint32_t cells)
{
	return (uint64_t)(((unsigned __int128)cell * n + cells - 1) / cells);
}
/* Whether a comes before b in the array. */
bool zoom_before(const struct zoom *z, const int64_t *a, const int64_t *b);

/* n numbers go into the cell c; count and owner are not touched. */
void zoom_reduce(struct zoom_cell *c, const double *x, size_t n);
/* n elements of a type, `step` bytes apart, as numbers. */
void zoom_numbers(unsigned type, const void *from, size_t step, double *out, size_t n);

int zoom_spec_code(struct codec *c, struct zoom_spec *s);
/* An answer: u8 1 and the picture. */
int zoom_code(struct codec *c, struct zoom *z);
CODEC_PAIR(zoom, zoom_clear(x))
/* Makes one group of all groups that are pictures of one shape; others stay. -1: memory. */
int zoom_fold(struct differ *d);

#endif
