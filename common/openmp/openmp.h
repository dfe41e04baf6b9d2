/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control of OpenMP programs (SEMANTICS 7): from the notes of a rank's trace (TRACE_NOTE_OPENMP) it
 * makes the tree of regions and tasks, and from that and the accesses of each finds all pairs of
 * places that access the same memory at the same time, where one of them writes. What may run at
 * the same time follows from the program's structure (regions, barriers, tasks, dependences), not
 * from when this run's threads did it. It needs traces of level FULL.
 *
 * Memory is kept for the interval between two barriers of an outermost region, until all of its
 * threads have passed it.
 */
#ifndef DVMDBG_COMMON_OPENMP_OPENMP_H
#define DVMDBG_COMMON_OPENMP_OPENMP_H

#include <stdint.h>

#include "common/stream/stream.h"

struct openmp_options {
	uint32_t rank;
	uint32_t most;	 /* findings that are kept; 0: no bound */
	uint64_t memory; /* bytes for what is known of an interval; 0: as many as usual */
};

/* Why something was not checked; texts for people. */
#define OPENMP_WHY(X)                                                                             \
	X(LIMIT, "interval", "more was accessed in it than can be kept")                          \
	X(LOST, "gap", "records are missing")                                                     \
	X(FOREIGN, "conflict", "the memory is of a library without hooks, which may order them")  \
	X(NUMBER, "place",                                                                        \
	  "only one thread accesses it, in a region that uses the number of its thread or "       \
	  "variables that each thread has: that it is shared is not known")                       \
	X(ITERATIONS, "loop",                                                                     \
	  "what one thread executes of it counts as one iteration: that nothing is found among "  \
	  "its iterations is no proof")                                                           \
	X(DOACROSS, "region",                                                                     \
	  "iterations wait for each other (ordered), more often than is followed")                \
	X(ATOMIC, "conflict",                                                                     \
	  "atomic operations or locks ordered the accesses in this run: that they do in each is " \
	  "not known")                                                                            \
	X(FOREIGN_THREAD, "thread",                                                               \
	  "neither OpenMP nor the program has begun it, or both have: what it accesses is not "   \
	  "compared with what others do")
enum openmp_why {
#define X(name, what, text) OPENMP_WHY_##name,
	OPENMP_WHY(X)
#undef X
		OPENMP_WHYS
};
/* "interval", "more was …"; *what is what is counted, of which there is one. */
const char *openmp_why_text(unsigned why, const char **what);

struct openmp;
/* The reader of a rank's stream, for stream_add with openmp_reader. NULL: no memory. */
struct openmp *openmp_create(const struct openmp_options *o);
extern const struct stream_class openmp_reader;

#endif
