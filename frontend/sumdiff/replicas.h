/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The newest copies of replicated objects, rank by rank. Ranks report a copy only when it is not as
 * they told it last, so what a point says of an object is completed from what was said before.
 */
#ifndef DVMDBG_FRONTEND_REPLICAS_H
#define DVMDBG_FRONTEND_REPLICAS_H

#include <stddef.h>

struct rankset;
struct replicas;
struct point_sums;

struct replicas *replicas_create(void);
void replicas_destroy(struct replicas *r); /* NULL is fine */
/*
 * Completes the objects of t with the copies of ranks that have not reported theirs again; gone:
 * ranks whose copies do not count any more, may be NULL. Objects that are reported inside tasks are
 * taken out and appear at the end of the region. -1: out of memory.
 */
int replicas_complete(struct replicas *r, struct point_sums *t, const struct rankset *gone);
/* Adds all objects that are known to t, which has none. -1: out of memory. */
int replicas_all(const struct replicas *r, struct point_sums *t);

#endif
