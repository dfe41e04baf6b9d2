/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What diff*.c share.
 */
#ifndef DVMDBG_FRONTEND_DIFF_IMPL_H
#define DVMDBG_FRONTEND_DIFF_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/diff/diff.h"

enum diff_verdict { DIFF_SAME, DIFF_ROUNDING, DIFF_BEYOND };

/* Two elements of the input's type; *by is |ref - now|. */
enum diff_verdict diff_element_compare(const struct diff_input *in, const void *ref,
				       const void *now, double *by);
/* Global indices of element i of the blocks. */
void diff_index(const struct section *s, uint64_t i, int64_t *index);

/* What an owner has of the section. */
struct diff_share {
	uint64_t owns, differ;
	uint64_t inner; /* of what it owns, not on the rim of the array */
};

/* Where the elements that differ are, for words. */
struct diff_map {
	const struct diff_input *in;
	uint64_t total, differ;
	uint64_t *hist[ARRAY_DIMS]; /* owned; how many at each position of the section */
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS]; /* box of global indices */
	struct diff_share *share;		/* owned; one for each owner */
	uint64_t corners,
		edges; /* how many lie in corners, at inner edges of what their owner has */
};

/* Fills hist, lo, hi from d->bits, then share, corners and edges from the owners. -1: memory. */
int diff_map_make(struct diff_map *m, const struct diff_input *in, const struct diff *d);
void diff_map_clear(struct diff_map *m);
/* The shape in words, to be freed; NULL: out of memory. */
char *diff_shape(const struct diff_map *m);

#endif
