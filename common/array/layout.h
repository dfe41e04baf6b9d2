/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one rank has of an array, or of a section of it: a product of index lists. In each dimension
 * there are `count` indices with the numbers 0, 1, …; each has a coordinate (its global index less
 * `lower`, or its position in a section) and a place in memory. It is made from the description of
 * an array and cut by sections; a walk goes over what is left in runs.
 */
#ifndef DVMDBG_COMMON_ARRAY_LAYOUT_H
#define DVMDBG_COMMON_ARRAY_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/section.h"

struct array_desc;
struct err;

/* Members that are not set may be zero. All counts and offsets in memory are in bytes. */
struct layout {
	const void *data; /* borrowed; what offsets count from. NULL where only they are used */
	int64_t origin;	  /* the offset of the element with number 0 in every dimension */
	unsigned ndim;
	uint32_t size; /* of an element */
	int64_t lower[ARRAY_DIMS], first[ARRAY_DIMS], count[ARRAY_DIMS];
	int64_t stride[ARRAY_DIMS];	  /* between neighbours (with places: in the array); may be
					     negative */
	const int64_t *list[ARRAY_DIMS];  /* indices; NULL: first, first + 1, … */
	const int64_t *place[ARRAY_DIMS]; /* of each, added to origin; NULL: number * stride */
	int64_t *room[ARRAY_DIMS];	  /* owned; what lists and places were made in */
};

/* One dimension as arrays are registered; own_lo … own_hi or a list of n; stride in elements. */
struct layout_dim {
	int64_t lower, extent, own_lo, own_hi, halo_lo, halo_hi, stride;
	const int64_t *list; /* borrowed; NULL: a box */
	uint32_t n;
	bool periodic; /* its halo may go beyond the array */
};

/*
 * Appends a dimension to a layout with size and ndim set; the offset 0 is that of local element 0,
 * halo included. halo: with what is held around a box, as far as it is inside the array. False:
 * offsets do not fit 64 bits.
 */
bool layout_add(struct layout *l, const struct layout_dim *dim, bool halo);
/*
 * What the array's rank owns, with elements of `size` bytes; lists are borrowed. Of an array that is
 * partly replicated only copy 0 is owned. False as above.
 */
bool layout_own(struct layout *l, const struct array_desc *a, uint32_t size);
/* The same of whichever copy it has. */
bool layout_part(struct layout *l, const struct array_desc *a, uint32_t size);
/* Its part with the halo, as far as that is inside the array, or the array is periodic there. */
bool layout_held(struct layout *l, const struct array_desc *a, uint32_t size);
/* The box lo … hi (both inclusive) in dense memory, the last dimension fastest. */
void layout_box(struct layout *l, unsigned ndim, const int64_t *lo, const int64_t *hi,
		uint32_t size);
void layout_clear(struct layout *l);

/* Of a periodic array: the indices of boxes are so many extents less. False: nothing is there. */
bool layout_wrap(struct layout *l, const struct array_desc *a, const int8_t *wrap);
/* Leaves the indices lo … hi of a dimension that is a box. */
void layout_within(struct layout *l, unsigned d, int64_t lo, int64_t hi);
/* Leaves `count` numbers, from `from` on. */
void layout_numbers(struct layout *l, unsigned d, int64_t from, int64_t count);
/*
 * Leaves what is in the section (bound, with l->ndim dimensions), in its order: coordinates become
 * positions in it. A box needs no memory but for index vectors. -1: memory.
 */
int layout_cut(struct layout *l, const struct section *s, struct err *err);
int layout_cut_dim(struct layout *l, unsigned d, const struct section *s, struct err *err);

/*
 * layout_own and layout_cut. Fails also when the section has other dimensions, or more indices in
 * one than 32 bits count.
 */
int layout_section(struct layout *l, const struct array_desc *a, uint32_t size,
		   const struct section *s, struct err *err);
/* The same elements with their numbers as coordinates; it borrows what l owns. */
struct layout layout_numbered(const struct layout *l);

/* How many elements; UINT64_MAX on overflow. */
uint64_t layout_total(const struct layout *l);
/* The offsets of the memory in use: *lo … *hi - 1. False: none, or they do not fit 64 bits. */
bool layout_reach(const struct layout *l, int64_t *lo, int64_t *hi);

/* The coordinate of number i. */
static inline uint64_t layout_at(const struct layout *l, unsigned d, int64_t i)
{
	return (uint64_t)(l->list[d] ? l->list[d][i] : l->first[d] + i) - (uint64_t)l->lower[d];
}

/* What number i adds to the offset. */
static inline int64_t layout_offset(const struct layout *l, unsigned d, int64_t i)
{
	return l->place[d] ? l->place[d][i] : (int64_t)((uint64_t)i * (uint64_t)l->stride[d]);
}

enum layout_order {
	LAYOUT_MEMORY, /* the closer in memory, the faster; single indices are slowest */
	LAYOUT_C,      /* the last dimension fastest */
	LAYOUT_F,      /* the first dimension fastest */
};

/*
 * The way through a window of a layout: in each dimension the numbers from … to - 1. Beside the
 * offset a key is counted: the sum of coordinate * weight, for a place in another array.
 */
struct layout_walk {
	const struct layout *l;		  /* borrowed */
	unsigned ndim, order[ARRAY_DIMS]; /* dimensions, the fastest last */
	unsigned outer;			  /* the first so many of them are stepped by layout_step */
	int64_t from[ARRAY_DIMS], to[ARRAY_DIMS];
	uint64_t weight[ARRAY_DIMS], seed; /* the key begins with seed; set by the user, or 0 */
	/* of layout_next */
	int64_t n; /* elements of the last run */
	struct layout_cursor {
		int64_t i[ARRAY_DIMS]; /* numbers */
		int64_t offset;
		uint64_t key;
		bool end;
	} at;
};

/* Elements that are equally far apart in memory and by their keys. */
struct layout_run {
	uint64_t n;
	int64_t offset, stride;
	uint64_t key, step;
};

/* All of the layout. All but the fastest dimension are stepped. */
void layout_walk(struct layout_walk *w, const struct layout *l, enum layout_order order);
/* Only the order, for l and ndim that are set. */
void layout_walk_order(struct layout_walk *w, enum layout_order order);
/* Weights for the place in a dense array with so many elements in each dimension, the last fastest.
 */
void layout_walk_dense(struct layout_walk *w, const uint64_t *extent);
/* The next run; false after the last. w->at.i are the numbers of its first element. */
bool layout_next(struct layout_walk *w, struct layout_run *r);
/* The coordinates of element k (from 0) of the run that layout_next gave last. */
void layout_coordinates(const struct layout_walk *w, uint64_t k, uint64_t *at);
/*
 * Makes one dimension of those that follow one another in memory without a gap, in the given order;
 * coordinates are lost.
 */
void layout_join(struct layout *l, enum layout_order order);

/* To the first element of the window, which is not empty. */
static inline void layout_begin(const struct layout_walk *w, struct layout_cursor *c)
{
	*c = (struct layout_cursor){ .offset = w->l->origin, .key = w->seed };
	for (unsigned d = 0; d < w->ndim; d++) {
		c->i[d] = w->from[d];
		c->offset += layout_offset(w->l, d, c->i[d]);
		c->key += layout_at(w->l, d, c->i[d]) * w->weight[d];
	}
}

/* To the next one, with the dimensions that are not stepped at their beginning. */
static inline void layout_step(const struct layout_walk *w, struct layout_cursor *c)
{
	const struct layout *l = w->l;

	for (unsigned k = w->outer; k-- > 0;) {
		unsigned d = w->order[k];
		int64_t old = c->i[d];
		bool wrapped = old + 1 == w->to[d];

		c->i[d] = wrapped ? w->from[d] : old + 1;
		if (l->place[d])
			c->offset += l->place[d][c->i[d]] - l->place[d][old];
		else
			c->offset += (int64_t)((uint64_t)(c->i[d] - old) * (uint64_t)l->stride[d]);
		if (l->list[d])
			c->key += (layout_at(l, d, c->i[d]) - layout_at(l, d, old)) * w->weight[d];
		else
			c->key += (uint64_t)(c->i[d] - old) * w->weight[d];
		if (!wrapped)
			return;
	}
	c->end = true;
}

#endif
