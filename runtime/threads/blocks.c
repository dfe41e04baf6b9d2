/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What C++'s library allocates by itself for objects of the program, as long strings: its blocks
 * are one thread's after the other. Calls of the program come here, too, behind those of its hooks.
 * Names as the Itanium C++ ABI makes them.
 */
#include "runtime/threads/internal.h"

#include <stddef.h>

#include "runtime/base/omp_table.h"

#define NEW(name)                                              \
	void *name(size_t n);                                  \
	STANDS_IN void *name(size_t n)                         \
	{                                                      \
		REAL(void *, name, size_t);                    \
		void *p = real(n);                             \
                                                               \
		if (p && thread_is_one())                      \
			dvmdbg_thread_allocated(p, n, CALLER); \
		return p;                                      \
	}
NEW(_Znwm)
NEW(_Znam)

#define AND ,
#define DELETE(name, parameters, types, ...)    \
	void name parameters;                   \
	STANDS_IN void name parameters          \
	{                                       \
		REAL(void, name, types);        \
                                                \
		if (p && thread_is_one())       \
			dvmdbg_thread_freed(p); \
		real(__VA_ARGS__);              \
	}
DELETE(_ZdlPv, (void *p), void *, p)
DELETE(_ZdaPv, (void *p), void *, p)
DELETE(_ZdlPvm, (void *p, size_t n), void *AND size_t, p, n)
DELETE(_ZdaPvm, (void *p, size_t n), void *AND size_t, p, n)
