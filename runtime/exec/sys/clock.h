/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DVMDBG_EXEC_CLOCK_H
#define DVMDBG_EXEC_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, the clock of the page as well. */
static inline int64_t clock_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static inline int64_t clock_msec(void)
{
	return clock_usec() / 1000;
}

/* The earlier of two deadlines, where -1 is none. */
static inline int64_t clock_earlier(int64_t a, int64_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

#endif
