/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory of the front end: these functions never return NULL. Without memory the front end restores
 * the terminal, prints one line and exits with status 2; the guard and the supervisors then end the
 * job as ON_EXIT says. Not for sizes that come from arrays, files or the wire: those are allocated
 * with malloc, and the error names the size.
 */
#ifndef DVMDBG_FRONTEND_UTIL_XALLOC_H
#define DVMDBG_FRONTEND_UTIL_XALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct err;

/*
 * jansson's memory comes from here too, and what the core of common/ lacks ends the front end.
 * readline calls xmalloc and xrealloc by these names.
 */
void xalloc_init(void);

/*
 * Runs fn before the exit, in the reverse order of registration; the same fn is registered once.
 * It must not allocate.
 */
void xalloc_at_failure(void (*fn)(void));

/* What to do without memory; never allocates. */
_Noreturn void xalloc_failed(void);
/* For functions of common/ that return 0, or -1 only without memory. */
void xalloc_check(int rc);
/* For functions of common/ that return NULL only without memory. Returns p. */
void *xalloc_checked(void *p) __attribute__((returns_nonnull));

/*
 * The error for memory whose size comes from an array, a file or the wire: how much was asked for,
 * and what to do, as "choose a smaller section". Returns -1.
 */
int xalloc_refused(uint64_t bytes, const char *advice, struct err *err);

/* All results are freed with free. */
__attribute__((malloc, returns_nonnull, visibility("default"))) void *xmalloc(size_t size);
__attribute__((malloc, returns_nonnull)) void *xcalloc(size_t n, size_t size);
__attribute__((returns_nonnull, visibility("default"))) void *xrealloc(void *p, size_t size);
__attribute__((returns_nonnull)) void *xreallocarray(void *p, size_t n, size_t size);
/* A copy of size bytes. */
__attribute__((malloc, returns_nonnull)) void *xmemdup(const void *p, size_t size);
/* NULL only for NULL. */
__attribute__((malloc)) char *xstrdup(const char *s);
__attribute__((malloc, returns_nonnull)) char *xstrndup(const char *s, size_t n);
__attribute__((malloc, returns_nonnull, format(printf, 1, 2))) char *xasprintf(const char *fmt,
									       ...);
__attribute__((malloc, returns_nonnull, format(printf, 1, 0))) char *xvasprintf(const char *fmt,
										va_list ap);

/* A stream that is written into *text, which is to be freed after xmemstream_close. */
FILE *xmemstream(char **text, size_t *size) __attribute__((returns_nonnull));
void xmemstream_close(FILE *f);

/* All that can still be read from the stream, as text; to be freed. */
char *xalloc_read(FILE *f) __attribute__((returns_nonnull));

#endif
