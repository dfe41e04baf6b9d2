/* SPDX-License-Identifier: BSD-3-Clause */
/* Which locks threads have had while they waited at barriers. */
#ifndef DVMDBG_RUNTIME_OMPT_LOCKS_H
#define DVMDBG_RUNTIME_OMPT_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* The thread has the lock from here on, or no longer. */
void lock_acquired(uint64_t id);
void lock_released(uint64_t id);
/* It waits at a barrier. */
void locks_keep(void);
/* Some thread had that lock then. */
bool lock_was_kept(uint64_t id);

#endif
