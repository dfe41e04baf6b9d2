/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who wants to do something about it learns here that there is no memory: the front end ends then,
 * instead of looking at each result. Else functions say so, and their callers go on with what there
 * is.
 */
#ifndef DVMDBG_COMMON_CORE_MEMORY_H
#define DVMDBG_COMMON_CORE_MEMORY_H

#include <stddef.h>

/* Called when an allocation has failed; NULL: nothing is. */
extern void (*memory_failed)(void);

/* Returns p, what malloc or the like has given. */
static inline void *memory_got(void *p)
{
	if (!p && memory_failed)
		memory_failed();
	return p;
}

#endif
