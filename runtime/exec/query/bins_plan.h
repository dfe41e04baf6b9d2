/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the part of a section that a rank owns is read: as lines along the dimension whose elements
 * lie closest, each in bites of bounded size, each bite in segments that go into one cell.
 */
#ifndef DVMDBG_EXEC_ZOOM_PLAN_H
#define DVMDBG_EXEC_ZOOM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/section.h"
#include "common/array/bins.h"
#include "runtime/exec/sys/memory.h"

struct err;
struct target;

#define ZOOM_CHUNK (512u << 10) /* bytes read at once: they stay in the cache */
#define ZOOM_GAP 256		/* bytes between two elements that are rather read than skipped */

/* Indices of one dimension of the section that are owned here, from number `from` on. */
struct zoom_axis {
	uint64_t n;
	uint64_t at0;	/* of a box: the first one's position in the section … */
	int64_t local0; /* … and in local memory */
	uint32_t *at;	/* owned; of an index list, likewise for each; NULL: a box */
	int64_t *local;
	uint64_t from;
	int64_t first;	/* the section's first index … */
	uint64_t count; /* … and how many it has */
};

static inline uint64_t zoom_axis_at(const struct zoom_axis *a, uint64_t i)
{
	return a->at ? a->at[a->from + i] : a->at0 + a->from + i;
}
static inline int64_t zoom_axis_local(const struct zoom_axis *a, uint64_t i)
{
	return a->at ? a->local[a->from + i] : a->local0 + (int64_t)(a->from + i);
}

/* Elements that lie in one row, column or point of the picture. */
struct zoom_seg {
	uint64_t i; /* number of the first in the axis; they go down when plan.down */
	uint32_t n;
	uint32_t cell; /* along the inner dimension; 0 when that is not shown */
	uint32_t off;  /* bytes from the bite's first one */
};

struct zoom_bite {
	size_t seg, nseg, span, nspan;
	uint32_t bytes;
};

struct zoom_plan {
	struct zoom_axis axis[ARRAY_DIMS];
	unsigned ndim, inner;
	unsigned outer[ARRAY_DIMS]; /* ndim - 1 dimensions, the one whose elements lie closest last
				     */
	uint64_t lines;
	bool down;
	uint32_t step; /* bytes between neighbours of a segment, when they have been read */
	struct zoom_seg *seg;
	struct memory_span *span; /* addresses are those of a line whose other positions are 0 */
	struct zoom_bite *bite;
	size_t nseg, nspan, nbite;
	bool bad; /* out of memory */
};

/* s is bound, with steps of 1; spec.part is left, and nothing else. */
int zoom_plan_make(struct zoom_plan *p, const struct target *t, const struct section *s,
		   const struct zoom_spec *spec, struct err *err);
void zoom_plan_clear(struct zoom_plan *p);

#endif
