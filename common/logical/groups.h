/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of equal answers with their rank sets: what every reply that climbs the tree is made of.
 * Adding and merging are associative and commutative; groups are kept in the order of their bytes, so
 * equal inputs give equal bytes on the wire whatever the order of arrival.
 */
#ifndef DVMDBG_COMMON_DIFFER_H
#define DVMDBG_COMMON_DIFFER_H

#include <stddef.h>

#include "common/core/codec.h"
#include "common/logical/rankset.h"

struct differ_group {
	struct rankset ranks;
	unsigned char *blob; /* owned */
	size_t len;
};

/* Zeroed: empty. */
struct differ {
	struct differ_group *group;
	size_t n, cap;
};

void differ_clear(struct differ *d);
/*
 * Adds the ranks to the group with these bytes; no ranks, no group. Copies what it keeps. 0 or -1
 * (memory).
 */
int differ_add(struct differ *d, const struct rankset *ranks, const void *blob, size_t len);
int differ_merge(struct differ *d, const struct differ *other);
/* Orders groups for people: the smallest first, then by lowest rank. Do not add afterwards. */
void differ_sort_minority(struct differ *d);
int differ_code(struct codec *c, struct differ *d);
static inline void differ_put(const struct differ *x, struct buf *b)
{
	differ_code(CODEC_PUT(b), (struct differ *)x);
}
/* Replaces x; empty when it returns -1. */
static inline int differ_get(struct differ *x, struct buf *b)
{
	differ_clear(x);
	if (!differ_code(CODEC_GET(b), x))
		return 0;
	differ_clear(x);
	return -1;
}

#endif
