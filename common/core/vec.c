/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/core/vec.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/core/memory.h"

#define VEC_FIRST 4 /* items, of an array that knows its room */

void *vec_grow(void *p, size_t *room, size_t need, size_t size)
{
	size_t cap = *room ? *room : VEC_FIRST, bytes;
	void *grown;

	while (cap < need)
		if (__builtin_mul_overflow(cap, (size_t)2, &cap))
			cap = need;
	if (__builtin_mul_overflow(cap, size, &bytes) || bytes > PTRDIFF_MAX)
		return NULL;
	grown = memory_got(realloc(p, bytes));
	if (grown)
		*room = cap;
	return grown;
}

/* n rounded up to a power of two; 0 stays 0, also when there is no such number. */
static size_t vec_rounded(size_t n)
{
	size_t room = n ? 1 : 0;

	while (room && room < n)
		room *= 2;
	return room;
}

void *vec_extend(void *p, size_t n, size_t add, size_t size)
{
	size_t room = vec_rounded(n), need, bytes;

	if (__builtin_add_overflow(n, add, &need))
		return NULL;
	if (p && need <= room)
		return p;
	room = vec_rounded(need);
	if (!room || __builtin_mul_overflow(room, size, &bytes) || bytes > PTRDIFF_MAX)
		return NULL;
	return memory_got(realloc(p, bytes));
}
