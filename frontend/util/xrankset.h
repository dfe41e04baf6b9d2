/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of ranks (common/logical/rankset.h) without paths for a lack of memory.
 */
#ifndef DVMDBG_FRONTEND_UTIL_XRANKSET_H
#define DVMDBG_FRONTEND_UTIL_XRANKSET_H

#include <errno.h>

#include "common/logical/rankset.h"
#include "frontend/util/xalloc.h"

/* -1: these are no ranks, and nothing is added. */
static inline int xrankset_add(struct rankset *s, uint32_t lo, uint32_t hi)
{
	int rc = rankset_add(s, lo, hi);

	if (rc && errno != ERANGE)
		xalloc_failed();
	return rc;
}

static inline void xrankset_add_set(struct rankset *s, const struct rankset *other)
{
	xalloc_check(rankset_add_set(s, other));
}

static inline void xrankset_remove_set(struct rankset *s, const struct rankset *other)
{
	xalloc_check(rankset_remove_set(s, other));
}

static inline void xrankset_copy(struct rankset *to, const struct rankset *from)
{
	xalloc_check(rankset_copy(to, from));
}

static inline void xrankset_intersect(struct rankset *s, const struct rankset *other)
{
	xalloc_check(rankset_intersect(s, other));
}

#endif
