/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside the archive: one load and one branch when the gate is closed. Everything is hidden, so
 * that each shared library has an archive of its own, or protected.
 */
#ifndef HOOKS_GATE_H
#define HOOKS_GATE_H

#include <stdatomic.h>

#include "runtime/hooks/hooks.h"

#define CALLER __builtin_return_address(0)

/*
 * What replaces a function of a library. The linker takes a shared library's need of that
 * function for a need of this when no version is said with it, and refuses one that is hidden.
 */
#define STANDS_IN __attribute__((visibility("protected")))

extern struct dvmdbg_hooks dvmdbg_hooks_ __attribute__((visibility("hidden")));

static inline int gate_is_open(void)
{
	return __builtin_expect(
		atomic_load_explicit(&dvmdbg_hooks_.gate, memory_order_relaxed) != 0, 0);
}

static inline int heap_is_reported(void)
{
	return __builtin_expect(
		atomic_load_explicit(&dvmdbg_hooks_.heap, memory_order_relaxed) != 0, 0);
}

/* Macros, so that pc, the return address, is fetched only when it is reported. */
#define report_access(addr, flags, pc)                                             \
	do {                                                                       \
		if (gate_is_open())                                                \
			dvmdbg_hooks_.access((const void *)(addr), (flags), (pc)); \
	} while (0)
#define report_range(addr, n, flags, pc)                                               \
	do {                                                                           \
		if (gate_is_open())                                                    \
			dvmdbg_hooks_.range((const void *)(addr), (n), (flags), (pc)); \
	} while (0)
#define report_copy(to, from, n, pc)                                 \
	do {                                                         \
		if ((n) && gate_is_open())                           \
			dvmdbg_hooks_.copy((to), (from), (n), (pc)); \
	} while (0)

/* In a function that the program calls instead of the OpenMP runtime's. */
#define report_region(code, data)                                                         \
	do {                                                                              \
		if (gate_is_open() && dvmdbg_hooks_.begins)                               \
			dvmdbg_hooks_.begins(CALLER, __builtin_frame_address(0),          \
					     (const void *)(code), (const void *)(data)); \
	} while (0)

static inline void report_flush(void)
{
	if (gate_is_open())
		dvmdbg_hooks_.flush();
}

#endif
