/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that MPI or other ranks may access while the program does: buffers of calls that are not
 * complete, and windows. An access to the first is a clash, those to the second are kept in the
 * page (common/mpistate/ race.h). It costs something only while there is such memory, and not for
 * ever then: after many accesses nothing is looked at until the next call.
 */
#ifndef DVMDBG_RUNTIME_PENDING_H
#define DVMDBG_RUNTIME_PENDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether accesses are to be looked at. */
extern _Atomic uint32_t pending_open;
/* What to call when that has changed. */
void pending_use(void (*changed)(bool open));
/* n bytes are accessed, by the code that returns to pc. */
void pending_access(uint64_t addr, size_t n, bool writes, uint64_t pc);

static inline bool pending_is_open(void)
{
	return __builtin_expect(atomic_load_explicit(&pending_open, memory_order_relaxed) != 0, 0);
}

#endif
