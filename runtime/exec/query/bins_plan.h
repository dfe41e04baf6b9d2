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

#include "common/array/layout.h"
#include "common/array/section.h"
#include "common/array/bins.h"
#include "runtime/exec/sys/memory.h"

struct err;
struct target;

#define BINS_CHUNK (512u << 10) /* bytes read at once: they stay in the cache */
#define BINS_GAP 256		/* bytes between two elements that are rather read than skipped */

/* Elements that lie in one row, column or point of the picture. */
struct bins_seg {
	uint64_t i; /* number of the first; they go down when plan.down */
	uint32_t n;
	uint32_t cell; /* along the inner dimension; 0 when that is not shown */
	uint32_t off;  /* bytes from the bite's first one */
};

struct bins_bite {
	size_t seg, nseg, span, nspan;
	uint32_t bytes;
};

struct bins_plan {
	const struct section *section; /* borrowed; steps are 1 */
	struct layout part;	       /* owned; what of it is read */
	struct layout_walk lines;      /* through part; the last dimension is that of lines */
	unsigned inner;		       /* that dimension */
	bool down;
	uint32_t step; /* bytes between neighbours of a segment, when they have been read */
	struct bins_seg *seg;
	struct memory_span *span; /* addresses count from a line's first element */
	struct bins_bite *bite;
	size_t nseg, nspan, nbite;
	bool bad; /* out of memory */
};

/* s is bound and stays, with steps of 1; spec.part is left, and nothing else. */
int bins_plan_make(struct bins_plan *p, const struct target *t, const struct section *s,
		   const struct bins_spec *spec, struct err *err);
void bins_plan_clear(struct bins_plan *p);

#endif
