/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of the tree over ranks: rank 0 is below the front end, rank r > 0 below (r - 1) /
 * FANOUT.
 */
#ifndef DVMDBG_COMMON_TREE_H
#define DVMDBG_COMMON_TREE_H

#include <stdint.h>

#define TREE_FANOUT 16

/* The parent of rank r, or -1 for rank 0 (the front end). */
static inline int64_t tree_parent(uint32_t r)
{
	return r == 0 ? -1 : (int64_t)((r - 1) / TREE_FANOUT);
}

#endif
