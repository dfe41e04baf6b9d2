/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses from a block straight into a segment: what most of a comparison's time would go into.
 * For trace_reader.c.
 */
#ifndef DVMDBG_COMMON_TRACE_TAKE_H
#define DVMDBG_COMMON_TRACE_TAKE_H

#include "common/traceindex/run.h"
#include "common/traceindex/segment.h"

/* How accesses of a slot are taken, and through which elements it went last. */
struct trace_take {
	struct trace_run run;
	const struct trace_lie *lie; /* of its object; not of those that are dull */
	uint32_t object;	     /* its share in the entries of values */
	uint16_t site;
	uint8_t size, unit, flags;
	uint8_t shift; /* of `at` in entries */
	bool dull;     /* they are not compared */
};

void trace_take_slot(struct trace_take *t, const struct trace_block *b, uint32_t slot);

enum trace_taken {
	TRACE_TAKEN_OTHER, /* the next record is no access, or there is none */
	TRACE_TAKEN_ROOM,  /* the segment's list is full */
	TRACE_TAKEN_ONE,   /* *at, value[] are an access of slot *slot that is not simply taken */
	TRACE_TAKEN_BAD,   /* the block is damaged */
};

/*
 * Takes the accesses up to there; those of dull slots, or all of them, are passed over. slot: by
 * slot of the block.
 */
enum trace_taken trace_take(struct trace_cursor *c, struct trace_take *take, bool all_dull,
			    struct trace_seg *s, uint32_t *slot, uint64_t *at, uint64_t value[2]);

#endif
