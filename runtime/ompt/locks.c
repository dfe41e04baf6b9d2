/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks that a thread has while it waits at a barrier. They are few, and known before the barrier
 * is over, so that what any thread does with them behind it can be marked.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "runtime/ompt/locks.h"
#include "runtime/record/record.h"

#define HELD 16u
#define KEPT 64u

static OPENMP_THREAD uint64_t held[HELD];
static OPENMP_THREAD unsigned nheld;

static _Atomic uint64_t kept[KEPT]; /* 0 behind the last */

void lock_acquired(uint64_t id)
{
	if (nheld < HELD)
		held[nheld++] = id;
}

void lock_released(uint64_t id)
{
	for (unsigned i = nheld; i-- > 0;)
		if (held[i] == id) {
			held[i] = held[--nheld];
			return;
		}
}

/* More than there is room for are as any other lock. */
static void keep(uint64_t id)
{
	for (unsigned i = 0; i < KEPT; i++) {
		uint64_t there = 0;

		if (atomic_compare_exchange_strong(&kept[i], &there, id) || there == id)
			return;
	}
}

void locks_keep(void)
{
	for (unsigned i = 0; i < nheld; i++)
		keep(held[i]);
}

bool lock_was_kept(uint64_t id)
{
	for (unsigned i = 0; i < KEPT; i++) {
		uint64_t there = atomic_load_explicit(&kept[i], memory_order_relaxed);

		if (!there || there == id)
			return there == id;
	}
	return false;
}
