/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++'s new and delete, which end in the C++ library's own calls of malloc and free. Apart from the
 * others, for only a program in C++ has what they replace. Names as the Itanium C++ ABI makes
 * them.
 */
#include "runtime/hooks/gate.h"

#define WRAP_NEW(name)                                         \
	void *__real_##name(size_t n);                         \
	STANDS_IN void *__wrap_##name(size_t n);               \
	void *__wrap_##name(size_t n)                          \
	{                                                      \
		void *p = __real_##name(n);                    \
                                                               \
		if (p && heap_is_reported())                   \
			dvmdbg_hooks_.allocated(p, n, CALLER); \
		return p;                                      \
	}
WRAP_NEW(_Znwm)
WRAP_NEW(_Znam)

static void goes(void *p)
{
	if (!p)
		return;
	report_flush();
	if (heap_is_reported())
		dvmdbg_hooks_.freed(p);
}

#define WRAP_DELETE(name, params, ...)       \
	void __real_##name params;           \
	STANDS_IN void __wrap_##name params; \
	void __wrap_##name params            \
	{                                    \
		goes(p);                     \
		__real_##name(__VA_ARGS__);  \
	}
WRAP_DELETE(_ZdlPv, (void *p), p)
WRAP_DELETE(_ZdaPv, (void *p), p)
WRAP_DELETE(_ZdlPvm, (void *p, size_t n), p, n)
WRAP_DELETE(_ZdaPvm, (void *p, size_t n), p, n)
