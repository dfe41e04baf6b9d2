/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes checksums out of the queue in the shared page. Each record is copied before it is looked
 * at; a queue that holds what cannot be is given up for good: from then on it is only kept empty,
 * so that the program does not wait for room.
 */
#ifndef DVMDBG_EXEC_PAGE_SUMS_H
#define DVMDBG_EXEC_PAGE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/point.h"

struct page_read;
struct point_sums;

struct page_sums {
	struct page_read *read; /* borrowed */
	uint32_t rank;		/* ours: that in the page may be overwritten */
	uint64_t tail;		/* bytes taken */
	uint64_t start;		/* page.start_usec of the program whose queue this is */
	bool broken;
	bool lost; /* the record that was taken last, for lack of memory; of it is known: */
	uint8_t lost_kind;
	struct point lost_point;
};

void page_sums_init(struct page_sums *s, struct page_read *read, uint32_t rank);
/*
 * The oldest record: 1 and *t, which the caller clears, and the bytes it had; 0 when there is none.
 * -1, and *t empty, when it could not be read, by lack of memory or because the queue is broken
 * now.
 */
int page_sums_take(struct page_sums *s, struct point_sums *t, size_t *bytes);
/* How many blocks of traces come before the oldest record; 0 when there is none. */
uint64_t page_sums_blocks(struct page_sums *s);
/* Empties the queue. True when there was something in it. */
bool page_sums_discard(struct page_sums *s);
/* A tally of p that says only that this rank has passed it. 0 or -1 (memory). */
int page_sums_empty(struct page_sums *s, const struct point *p, struct point_sums *t);

#endif
