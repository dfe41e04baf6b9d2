/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic control (EnableDynControl, SEMANTICS 6): follows each element that the accesses in a
 * rank's trace touch, and finds what a program may not do when its iterations and tasks are
 * executed by different processors. It needs traces of level FULL.
 *
 * On one rank a grid of processors may be emulated: each has a block of every distributed array,
 * and the halo that the array was registered with; an iteration belongs to the processor that owns
 * the element it is mapped on. Otherwise the rank is the processor, and what it owns is what it has
 * registered.
 *
 * What other ranks have written into elements that are in the halo here is concluded from what this
 * rank writes in the same loop, and the loop's range: ranks execute the same program.
 */
#ifndef DVMDBG_COMMON_CONTROL_CONTROL_H
#define DVMDBG_COMMON_CONTROL_CONTROL_H

#include <stdint.h>

#include "common/stream/stream.h"

/* The kinds of a NOTE of control (TRACE_NOTE_CONTROL) are in common/trace/trace.h. */

struct dyncontrol_options {
	uint32_t rank, ranks;
	unsigned ngrid; /* dimensions of the emulated grid; 0: none */
	uint32_t grid[ARRAY_DIMS];
	int pattern;   /* byte that memory is filled with when it is allocated; -1: it is not */
	uint32_t most; /* findings that are kept; 0: no bound */
};

/* Why something was not checked; texts for people. */
#define CONTROL_WHY(X)                                                                \
	X(UNMARKED, "its iterations are not marked (DVMDBG_PL_ITERATION)")            \
	X(UNMAPPED, "it does not say which array its iterations are mapped on (.on)") \
	X(HALOS, "no renewal of its halo is marked (DVMDBG_HALO)")                    \
	X(LOST, "records are missing, or too many messages were under way")
enum control_why {
#define X(name, text) CONTROL_WHY_##name,
	CONTROL_WHY(X)
#undef X
		CONTROL_WHYS
};
const char *dyncontrol_why_text(unsigned why);

struct dyncontrol;
/* The reader of a rank's stream; for stream_add with dyncontrol_reader. NULL: no memory. */
struct dyncontrol *dyncontrol_create(const struct dyncontrol_options *o);
extern const struct stream_class dyncontrol_reader;

/*
 * "2x3": the grid; *n dimensions. -1: err. At most ARRAY_DIMS of 1 … 4096 each, and as many
 * processors.
 */
int dyncontrol_grid_parse(const char *text, unsigned *n, uint32_t grid[ARRAY_DIMS],
			  struct err *err);

#endif
