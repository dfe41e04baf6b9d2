/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the linker puts in the place of functions that allocate, in our own objects (--wrap).
 */
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "tests/oom/fail.h"

#define WRAP(type, name, fails, args, call)                                                \
	type __real_##name args;                                                           \
	type __wrap_##name args;                                                           \
	type __wrap_##name args                                                            \
	{                                                                                  \
		return fail_now(__builtin_return_address(0)) ? fails : __real_##name call; \
	}

WRAP(void *, malloc, NULL, (size_t n), (n))
WRAP(void *, calloc, NULL, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, NULL, (void *p, size_t n), (p, n))
WRAP(void *, reallocarray, NULL, (void *p, size_t n, size_t size), (p, n, size))
WRAP(char *, strdup, NULL, (const char *s), (s))
WRAP(char *, strndup, NULL, (const char *s, size_t n), (s, n))
WRAP(FILE *, open_memstream, NULL, (char **p, size_t *n), (p, n))
WRAP(FILE *, fopen, NULL, (const char *path, const char *mode), (path, mode))
WRAP(FILE *, fdopen, NULL, (int fd, const char *mode), (fd, mode))
WRAP(ssize_t, getline, -1, (char **line, size_t *n, FILE *f), (line, n, f))
WRAP(void *, mmap, MAP_FAILED, (void *at, size_t n, int prot, int flags, int fd, off_t off),
     (at, n, prot, flags, fd, off))

int __wrap_asprintf(char **out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **out, const char *fmt, ...)
{
	va_list ap;
	int n = -1;

	if (fail_now(__builtin_return_address(0)))
		return -1;
	va_start(ap, fmt);
	n = vasprintf(out, fmt, ap);
	va_end(ap);
	return n;
}
