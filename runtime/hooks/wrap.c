/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Library functions that the linker puts these in the place of (--wrap; the list is in dvmdbg-cc):
 * copies, which have no hooks of their own, and what makes and takes memory. Only calls from what
 * is linked with the archive come here; the C library's own do not.
 */
#include "runtime/hooks/gate.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

#define WRAP(type, name, ...)                      \
	type __real_##name(__VA_ARGS__);           \
	STANDS_IN type __wrap_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)

/* clang calls those named __tsan_ from version 16 on. */
#define WRAP_COPY(name)                                            \
	WRAP(void *, name, void *to, const void *from, size_t n)   \
	{                                                          \
		report_copy(to, from, n, CALLER);                  \
		return __real_##name(to, from, n);                 \
	}                                                          \
	void *__tsan_##name(void *to, const void *from, size_t n); \
	void *__tsan_##name(void *to, const void *from, size_t n)  \
	{                                                          \
		report_copy(to, from, n, CALLER);                  \
		return __real_##name(to, from, n);                 \
	}
WRAP_COPY(memcpy)
WRAP_COPY(memmove)

WRAP(void *, memset, void *to, int byte, size_t n)
{
	report_copy(to, NULL, n, CALLER);
	return __real_memset(to, byte, n);
}

void *__tsan_memset(void *to, int byte, size_t n);
void *__tsan_memset(void *to, int byte, size_t n)
{
	report_copy(to, NULL, n, CALLER);
	return __real_memset(to, byte, n);
}

WRAP(void *, mempcpy, void *to, const void *from, size_t n)
{
	report_copy(to, from, n, CALLER);
	return __real_mempcpy(to, from, n);
}

/* With _FORTIFY_SOURCE; what does not fit ends the program, so it is reported as far as it fits. */
#define FITS(n, room) ((n) < (room) ? (n) : (room))

WRAP(void *, __memcpy_chk, void *to, const void *from, size_t n, size_t room)
{
	report_copy(to, from, FITS(n, room), CALLER);
	return __real___memcpy_chk(to, from, n, room);
}

WRAP(void *, __memmove_chk, void *to, const void *from, size_t n, size_t room)
{
	report_copy(to, from, FITS(n, room), CALLER);
	return __real___memmove_chk(to, from, n, room);
}

WRAP(void *, __memset_chk, void *to, int byte, size_t n, size_t room)
{
	report_copy(to, NULL, FITS(n, room), CALLER);
	return __real___memset_chk(to, byte, n, room);
}

static void *made(void *p, size_t n, const void *pc)
{
	if (p && heap_is_reported())
		dvmdbg_hooks_.allocated(p, n, pc);
	return p;
}

static void goes(void *p)
{
	if (!p)
		return;
	report_flush();
	if (heap_is_reported())
		dvmdbg_hooks_.freed(p);
}

WRAP(void *, malloc, size_t n)
{
	return made(__real_malloc(n), n, CALLER);
}

/* The content is set: zero, or what it was. */
static void *settled(void *p, size_t n)
{
	if (p && dvmdbg_hooks_.settled && heap_is_reported())
		dvmdbg_hooks_.settled(p, n);
	return p;
}

WRAP(void *, calloc, size_t count, size_t n)
{
	return settled(made(__real_calloc(count, n), count * n, CALLER), count * n);
}

WRAP(void *, memalign, size_t align, size_t n)
{
	return made(__real_memalign(align, n), n, CALLER);
}

WRAP(void *, aligned_alloc, size_t align, size_t n)
{
	return made(__real_aligned_alloc(align, n), n, CALLER);
}

WRAP(int, posix_memalign, void **p, size_t align, size_t n)
{
	int failed = __real_posix_memalign(p, align, n);

	if (!failed)
		made(*p, n, CALLER);
	return failed;
}

WRAP(void, free, void *p)
{
	goes(p);
	__real_free(p);
}

/* The C library fills what it allocates when MALLOC_PERTURB_ is set, but not what a block grows
 * by. */
static void fill(char *p, size_t n)
{
	static _Atomic int byte = -1; /* of the environment, as the C library reads it, once */
	const char *fills = byte < 0 ? getenv("MALLOC_PERTURB_") : NULL;

	if (byte < 0)
		byte = fills ? atoi(fills) & 0xff : 0;
	if (byte)
		__real_memset(p, byte ^ 0xff, n);
}

/*
 * The old block must be reported before it goes, as another thread may be given it at once; if it
 * has not gone, it is reported again.
 */
static void *resized(void *old, size_t room, void *p, size_t n, const void *pc)
{
	if (p) {
		if (room && room < n)
			fill((char *)p + room, n - room);
		return settled(made(p, n, pc), room < n ? room : n);
	}
	if (n)
		settled(made(old, room, pc), room);
	return p;
}

WRAP(void *, realloc, void *p, size_t n)
{
	size_t room = p && heap_is_reported() ? malloc_usable_size(p) : 0;

	goes(p);
	return resized(p, room, __real_realloc(p, n), n, CALLER);
}

WRAP(void *, reallocarray, void *p, size_t count, size_t n)
{
	size_t room = p && heap_is_reported() ? malloc_usable_size(p) : 0, whole;

	if (__builtin_mul_overflow(count, n, &whole))
		whole = SIZE_MAX;
	goes(p);
	return resized(p, room, __real_reallocarray(p, count, n), whole, CALLER);
}

WRAP(int, munmap, void *p, size_t n)
{
	report_flush();
	return __real_munmap(p, n);
}

void *__real_mremap(void *p, size_t n, size_t to, int flags, ...);
STANDS_IN void *__wrap_mremap(void *p, size_t n, size_t to, int flags, ...);
void *__wrap_mremap(void *p, size_t n, size_t to, int flags, ...)
{
	void *at = NULL;
	va_list args;

	if (flags & MREMAP_FIXED) {
		va_start(args, flags);
		at = va_arg(args, void *);
		va_end(args);
	}
	report_flush();
	return __real_mremap(p, n, to, flags, at);
}
