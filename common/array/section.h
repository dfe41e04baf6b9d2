/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sections of arrays: per dimension a list of global indices, first:last:step, both ends inclusive,
 * or an index vector.
 */
#ifndef DVMDBG_COMMON_SECTION_H
#define DVMDBG_COMMON_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/codec.h"

struct err;

#define ARRAY_DIMS 8 /* the most dimensions an array can have */

struct section_dim {
	bool all;    /* "*": the whole dimension; first, last, step are filled by section_bind */
	bool scalar; /* a single index, first: the dimension vanishes from the result */
	bool open_first; /* "…:hi": first is filled by section_bind with the end that step leaves */
	bool open_last;		   /* "lo:…": last likewise with the end that step goes to */
	int64_t first, last, step; /* step 0 is 1 before section_bind */
	int64_t *vector;	   /* owned; index vector of n entries, else NULL */
	uint32_t n;
};

/* Zeroed: no dimensions. */
struct section {
	unsigned ndim;
	struct section_dim dim[ARRAY_DIMS];
};

void section_clear(struct section *s);
/* dst is overwritten, not cleared; 0 or -1 (memory). */
int section_copy(struct section *dst, const struct section *src);
/*
 * Checks s against an array's global bounds lower[d] … lower[d] + extent[d] - 1 and fills in "*"
 * and open ends; last becomes the last index that is reached. A section without dimensions is the
 * whole array. Errors name the array, the dimension (from 1), the index and the range that is
 * allowed.
 */
int section_bind(struct section *s, const char *array, unsigned ndim, const int64_t *lower,
		 const int64_t *extent, struct err *err);
/* The same of dimension d (from 0) alone. */
int section_bind_dim(struct section_dim *dim, const char *array, unsigned d, int64_t lower,
		     int64_t extent, struct err *err);
/* How many indices dimension d has; after section_bind. */
uint64_t section_count(const struct section *s, unsigned d);
/* The product over all dimensions; UINT64_MAX on overflow. */
uint64_t section_total(const struct section *s);
/* The i-th (from 0) global index in dimension d. */
int64_t section_index(const struct section *s, unsigned d, uint64_t i);
/* Of a bound section. */
int section_code(struct codec *c, struct section *s);
CODEC_PAIR(section, section_clear(x))

#endif
