/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/util/xalloc.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "common/core/memory.h"

#include "common/core/err.h"

enum { HANDLERS = 8, STATUS = 2 };

static void (*handler[HANDLERS])(void);
static size_t nhandler;

/* Elements come by mebibytes: their pages are kept from one piece to the next, which the kernel
 * would fill with zeros each time. */
#define KEEP_PIECE (32 << 20)
#define KEEP_FREE (64 << 20)

void xalloc_init(void)
{
	mallopt(M_MMAP_THRESHOLD, KEEP_PIECE);
	mallopt(M_TRIM_THRESHOLD, KEEP_FREE);
	json_set_alloc_funcs(xmalloc, free);
	memory_failed = xalloc_failed;
}

void xalloc_at_failure(void (*fn)(void))
{
	for (size_t i = 0; i < nhandler; i++)
		if (handler[i] == fn)
			return;
	if (nhandler == HANDLERS)
		abort();
	handler[nhandler++] = fn;
}

void xalloc_failed(void)
{
	static const char text[] = "dvmdbg: out of memory\n";

	while (nhandler)
		handler[--nhandler](); /* one that fails itself is not called again */
	fflush(stdout);
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(STATUS);
}

void xalloc_check(int rc)
{
	if (rc)
		xalloc_failed();
}

void *xalloc_checked(void *p)
{
	if (!p)
		xalloc_failed();
	return p;
}

int xalloc_refused(uint64_t bytes, const char *advice, struct err *err)
{
	if (bytes == UINT64_MAX)
		return err_set_code(
			err, ERR_MEMORY,
			"out of memory: more bytes are needed than there are addresses; %s",
			advice);
	return err_set_code(err, ERR_MEMORY, "out of memory: %" PRIu64 " MiB are needed; %s",
			    (bytes >> 20) + ((bytes & 0xfffff) != 0), advice);
}

void *xmalloc(size_t size)
{
	return xalloc_checked(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return xalloc_checked(n && size ? calloc(n, size) : calloc(1, 1));
}

void *xrealloc(void *p, size_t size)
{
	return xalloc_checked(realloc(p, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	return xalloc_checked(n && size ? reallocarray(p, n, size) : realloc(p, 1));
}

void *xmemdup(const void *p, size_t size)
{
	void *copy = xmalloc(size);

	if (size)
		memcpy(copy, p, size);
	return copy;
}

char *xstrdup(const char *s)
{
	return s ? xalloc_checked(strdup(s)) : NULL;
}

char *xstrndup(const char *s, size_t n)
{
	return xalloc_checked(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	return text;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		xalloc_failed();
	return text;
}

/* What is written so far. open_memstream loses it when it cannot make it smaller at the end. */
struct memory {
	char **text; /* borrowed, as size */
	size_t *size, room;
};

static ssize_t memory_write(void *arg, const char *data, size_t n)
{
	struct memory *m = arg;

	if (m->room - *m->size <= n) {
		m->room = 2 * m->room + n;
		*m->text = xrealloc(*m->text, m->room);
	}
	memcpy(*m->text + *m->size, data, n);
	*m->size += n;
	(*m->text)[*m->size] = '\0';
	return (ssize_t)n;
}

static int memory_close(void *arg)
{
	free(arg);
	return 0;
}

FILE *xmemstream(char **text, size_t *size)
{
	static const cookie_io_functions_t io = { .write = memory_write, .close = memory_close };
	struct memory *m = xmalloc(sizeof(*m));

	*m = (struct memory){ .text = text, .size = size, .room = 256 };
	*text = xmalloc(m->room);
	**text = '\0';
	*size = 0;
	return xalloc_checked(fopencookie(m, "w", io));
}

void xmemstream_close(FILE *f)
{
	int rc = ferror(f);

	if (fclose(f) || rc)
		xalloc_failed();
}

char *xalloc_read(FILE *f)
{
	size_t n = 0, room = 1 << 16;
	char *text = xmalloc(room);

	while ((n += fread(text + n, 1, room - n - 1, f)) == room - 1)
		text = xrealloc(text, room *= 2);
	text[n] = 0;
	return text;
}
