/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of equal answers with their rank sets: what every reply that climbs the tree is made of.
 * Adding and merging are associative and commutative; groups are kept in the order of their bytes,
 * so equal inputs give equal bytes on the wire whatever the order of arrival.
 */
#ifndef DVMDBG_COMMON_DIFFER_H
#define DVMDBG_COMMON_DIFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/core/codec.h"
#include "common/logical/rankset.h"

struct rank_group {
	struct rankset ranks;
	unsigned char *blob; /* owned */
	size_t len;
};

/* Zeroed: empty. */
struct groups {
	struct rank_group *group;
	size_t n, cap;
};

void groups_clear(struct groups *d);
/*
 * Adds the ranks to the group with these bytes; no ranks, no group. Copies what it keeps. 0 or -1
 * (memory).
 */
int groups_add(struct groups *d, const struct rankset *ranks, const void *blob, size_t len);
int groups_merge(struct groups *d, const struct groups *other);
/* The same, and what other has moves to d where it can; other is empty then. */
int groups_take(struct groups *d, struct groups *other);
/*
 * Makes one group of those whose bytes take accepts, which adds them to arg; put writes that, and
 * the others stay as they are. 0, or -1 (memory): d is as it was.
 */
int groups_fold(struct groups *d, bool (*take)(void *arg, const struct rank_group *g),
		void (*put)(const void *arg, struct buf *out), void *arg);
/* Orders groups for people: the smallest first, then by lowest rank. Do not add afterwards. */
void groups_sort_minority(struct groups *d);
int groups_code(struct codec *c, struct groups *d);
static inline void groups_put(const struct groups *x, struct buf *b)
{
	groups_code(CODEC_PUT(b), (struct groups *)x);
}
/* Replaces x; empty when it returns -1. */
static inline int groups_get(struct groups *x, struct buf *b)
{
	groups_clear(x);
	if (!groups_code(CODEC_GET(b), x))
		return 0;
	groups_clear(x);
	return -1;
}

#endif
