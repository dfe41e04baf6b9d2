/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What checksums a run is to take: the settings that the front end sends with the stop rules and
 * the runtime obeys at each mark.
 */
#ifndef DVMDBG_COMMON_GAUGE_H
#define DVMDBG_COMMON_GAUGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/point.h"

struct buf;

/* Levels of detail (SEMANTICS 2), with the documents' numbers. */
#define GAUGE_LEVEL_LIST(X)                                                   \
	X(NONE, 0, "NONE")                                                    \
	X(CHECKSUM, 4, "CHECKSUM") /* sums of arrays at the ends of PL and TR */
enum gauge_level {
#define X(name, number, word) GAUGE_##name = number,
	GAUGE_LEVEL_LIST(X)
#undef X
};

/* Zeroed: nothing is taken. */
struct gauge {
	uint8_t level;	/* enum gauge_level */
	uint8_t reads;	/* ChecksumMode 2: arrays that are only read as well */
	uint8_t drop;	/* when the queue is full points are given up; else the program waits */
	uint8_t hold;	/* STOP_ON mismatch: at each point wait for the verdict */
	struct point start, finish; /* inclusive; main 0: from the start, to the end */
};

void gauge_put(const struct gauge *g, struct buf *b);
int gauge_get(struct gauge *g, struct buf *b);
/*
 * Whether sums are taken at p: level CHECKSUM and start <= p <= finish. A point in another task than
 * start's or finish's of the same region is outside.
 */
bool gauge_open(const struct gauge *g, const struct point *p);

#endif
