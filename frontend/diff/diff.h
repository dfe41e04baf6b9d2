/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two versions of an array's section, element by element: how many differ, by how much, where, and
 * the shape of where in words.
 */
#ifndef DVMDBG_FRONTEND_DIFF_DIFF_H
#define DVMDBG_FRONTEND_DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/array/value.h"
#include "common/checksum/checksum.h"
#include "common/logical/rankset.h"
#include "frontend/data/owners.h"

struct compare;
struct diff;
struct diff_input;
struct diff_item;
struct err;
struct pieces;
struct rankset;
struct session;

/*
 * A difference seen from afar: reduced to cells, as arrays are (common/array/bins.h), and gone
 * through one element after the other.
 */

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

/* What a rank owns, for shapes in words; from QUERY_LAYOUT. */
/* Both blocks: the bound section's elements, last dimension fastest, of one type. */
struct diff_input {
	const char *name;
	unsigned type;
	uint8_t order; /* 'C' or 'F': spelling, and what "first" means: in memory order of the
			  language */
	const struct section *section;	/* bound */
	const int64_t *lower, *extent;	/* of the array */
	const void *ref, *now;
	struct sum_tolerance tol; /* scale, for SUM_SCALED: by diff_scale */
	struct sum_plan plan;	  /* of the blocks that scale is of */
	const struct owner *owner; /* may be NULL */
	size_t nowner;
};

/* Where the elements that differ are, as far as that says something of the cause. */
enum diff_where {
	DIFF_ANYWHERE,
	DIFF_AT_EDGES, /* of what ranks own: at boundaries, in corners */
	DIFF_EVERYWHERE,
	DIFF_NEARLY_OWNED, /* nearly all that some ranks own */
	DIFF_OWNED	   /* all that they own */
};

struct diff {
	uint64_t total, differ; /* elements; differ: beyond tolerance */
	uint64_t rounding;	/* differ in bits, but not beyond tolerance */
	uint64_t small;		/* of these: by more than the tolerance of their own value */
	double largest;		/* of |ref - now|; inf when only one is finite */
	int64_t first[ARRAY_DIMS], worst[ARRAY_DIMS]; /* global indices */
	struct value first_ref, first_now, worst_ref, worst_now;
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS]; /* box around those that differ */
	struct rankset owners;			/* of those that differ */
	uint32_t first_owner;			/* UINT32_MAX: not known */
	/*
	 * "column 512 (dimension 2), the boundary between ranks 1 and 2", "one element", "all that
	 * rank 3 owns", "everywhere", "scattered: 37 elements in [3:90][1:5]". Owned.
	 */
	char *shape;
	enum diff_where where; /* the same for programs */
	/* Owned; bit i % 64 of word i / 64: element i of the blocks is one of them. NULL: none
	 * is. */
	uint64_t *bits;
};

/*
 * Sets in->tol.scale to the largest magnitudes in the blocks of the reference: of what in->ref has,
 * and of what the comparison, which may be NULL, has seen of the array a. To be freed after the
 * last use of in; NULL: none.
 */
double *diff_scale(struct diff_input *in, const struct compare *known, const struct array_desc *a);
/* Sets them once more, from what diff_scale returned, after tol was changed. */
void diff_scale_use(struct diff_input *in, const double *scale);
/* When only rounding differs, first is the first of that, the box is empty, shape is "nowhere". */
int diff_make(struct diff *d, const struct diff_input *in, struct err *err);
void diff_clear(struct diff *d);

/* One element that differs. */
struct diff_item {
	uint64_t at; /* in the blocks */
	int64_t index[ARRAY_DIMS];
	struct value ref, now;
	double difference;
	uint32_t owner; /* UINT32_MAX: not known */
};
/* The first n of those that differ, in memory order, into list; returns how many there are. */
size_t diff_list(const struct diff *d, const struct diff_input *in, size_t n,
		 struct diff_item *list);
/* "u[17][4]" or "u(17,4)"; returns out. */
const char *diff_element(const char *name, uint8_t order, unsigned ndim, const int64_t *index,
			 char *out, size_t size);
/*
 * The document's pixel map: a pixel an element of two dimensions of the section (the others must
 * have one index each, else the error says which to fix): within tolerance dark by value, beyond it
 * red, brighter with the size of the difference. Rows go down with the first of the two dimensions
 * in C, the first in Fortran.
 */
int diff_image(const struct diff_input *in, const char *path, struct err *err);
/* The same picture in memory that the caller frees: 3 bytes a pixel, row by row. */
uint8_t *diff_pixels(const struct diff_input *in, uint32_t *width, uint32_t *height,
		     struct err *err);

/*
 * What a difference is made of beside the values of the job: who owns them, and the values that
 * they are compared with.
 */

#define DIFF_FROM 600

/*
 * The values of the section p to compare with, the last dimension fastest, to be freed: from the
 * .npy file with, when it is not NULL; else in a pair from the other run; else the array that the
 * session's reference has of the point where the ranks stand. from: in words where they come from.
 * NULL and err, which says how to get values when there are none.
 */
void *diff_reference(struct session *s, const struct pieces *p, const char *with,
		     char from[DIFF_FROM], struct err *err);

#endif
