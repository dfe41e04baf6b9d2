/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checksums on their way up: what this rank and those below say of a point is merged here until all
 * of the subtree have, or for a short time. No rank's points overtake one another. Times are in
 * milliseconds of CLOCK_MONOTONIC; -1 is always "out of memory".
 */
#ifndef DVMDBG_EXEC_GATHER_H
#define DVMDBG_EXEC_GATHER_H

#include <stddef.h>
#include <stdint.h>

#include "common/logical/rankset.h"

struct buf;
struct gather;
struct point_sums;

#define GATHER_MS 20
#define GATHER_MOST 512 /* points; with more the oldest are sent at once */
#define GATHER_BYTES (32u << 20) /* of one point, encoded; more are sent at once */

struct gather *gather_create(void);
void gather_destroy(struct gather *g); /* NULL is fine */

/* The ranks whose checksums can come: this one and all below. */
int gather_subtree(struct gather *g, const struct rankset *ranks);
/*
 * Takes t over, which is empty then; bytes: about as many as it has encoded. 1: without memory to add what
 * is in it, the point is given up for all that have passed it. -1: t has still to be sent.
 */
int gather_add(struct gather *g, struct point_sums *t, size_t bytes, int64_t now);

/* When gather_send has something to do, or -1. */
int64_t gather_due(const struct gather *g);

typedef void (*gather_send_fn)(void *arg, unsigned type, const struct buf *payload);
/* Hands what is due to send, and all that is of points before; INT64_MAX: all there is. */
void gather_send(struct gather *g, int64_t now, gather_send_fn send, void *arg);

#endif
