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

struct groups;

#define BINS_HISTOGRAM 64
#define BINS_CELLS (1u << 20) /* the most cells of one picture */
#define BINS_MIXED (UINT32_MAX - 1)
#define BINS_PARTS (1u << 20)

/* What is asked beside the section, whose steps are 1. */
struct bins_spec {
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
struct bins_cell {
	uint64_t count;		 /* elements that some rank owns */
	double sum, least, most; /* of the finite ones; least > most: there are none */
	uint64_t nan, inf;
	uint32_t owner; /* the rank that owns them; BINS_MIXED: several; UINT32_MAX: none */
};

struct bins {
	uint32_t rows, cols;
	struct bins_cell *cell; /* owned; rows * cols, row by row */
	unsigned ndim;
	bool fortran; /* "first" is in the order of Fortran: the last index is the slowest */
	/* Where the extremes of all cells are, the first of equals; when any element is finite. */
	struct bins_cell all;
	int64_t at_least[ARRAY_DIMS], at_most[ARRAY_DIMS];
	bool found_nan; /* the first one, or the first behind the asked index */
	int64_t at_nan[ARRAY_DIMS];
	uint64_t bin[BINS_HISTOGRAM]; /* of finite ones; the last has its upper bound in it */
	uint64_t below, above;
};

/* 0, or -1: memory. */
int bins_make(struct bins *z, unsigned ndim, bool fortran, uint32_t rows, uint32_t cols);
void bins_clear(struct bins *z);
/* An empty cell. */
void bins_cell_init(struct bins_cell *c);
/* Adds `from` to c; the result does not depend on the order but for the rounding of sums. */
void bins_cell_add(struct bins_cell *c, const struct bins_cell *from);
/* Adds a picture of the same shape; -1: it is of another. */
int bins_merge(struct bins *z, const struct bins *from);

/* The cell of position `at` of n, in `cells`; and the first position in a cell (n for cell
 * `cells`). */
static inline uint32_t bins_cell_of(uint64_t at, uint64_t n, uint32_t cells)
{
	return (uint32_t)((unsigned __int128)at * cells / n);
}
static inline uint64_t bins_first(uint32_t cell, uint64_t n, uint32_t cells)
{
	return (uint64_t)(((unsigned __int128)cell * n + cells - 1) / cells);
}
/* Whether a comes before b in the array. */
bool bins_before(const struct bins *z, const int64_t *a, const int64_t *b);

/* n numbers go into the cell c; count and owner are not touched. */
void bins_reduce(struct bins_cell *c, const double *x, size_t n);
/* n elements of a type, `step` bytes apart, as numbers. */
void bins_numbers(unsigned type, const void *from, size_t step, double *out, size_t n);

int bins_spec_code(struct codec *c, struct bins_spec *s);
/* An answer: u8 1 and the picture. */
int bins_code(struct codec *c, struct bins *z);
CODEC_PAIR(bins, bins_clear(x))
/* Makes one group of all groups that are pictures of one shape; others stay. -1: memory. */
int bins_fold(struct groups *d);

#endif
