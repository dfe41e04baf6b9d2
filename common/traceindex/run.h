/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs: elements of an array that lie one behind the other, both here and in the dense global
 * array, so that keys of accesses follow from where they are without looking at indices.
 */
#ifndef DVMDBG_COMMON_TRACE_RUN_H
#define DVMDBG_COMMON_TRACE_RUN_H

#include "common/trace/trace.h"
#include "common/traceindex/object_id.h"

struct trace_run {
	uint64_t at, n;	    /* bytes of the object */
	uint64_t own, nown; /* those of them that are owned */
	uint64_t key;	    /* of the first */
};

/* How an object lies on a rank. */
struct trace_lie {
	int id;
	const struct object_id *ident; /* borrowed */
	struct trace_shape shape;	 /* borrows the description */
	unsigned whole;			 /* see object_id_desc_whole */
	uint64_t piece;
};

/* The number, lie->id, is set already. */
void trace_lie_make(struct trace_lie *lie, const struct object_id *ident,
		    const struct array_desc *a);
/* The run in which byte `at` lies; false: no element that has a global index. */
bool trace_run_find(const struct trace_lie *lie, uint64_t at, struct trace_run *run);

#endif
