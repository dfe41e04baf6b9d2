/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library in the place of libdvmdbg that counts what access hooks tell within the memory that the
 * program names: count_begin(p, n), the code, count_end("name"). That prints a line: bytes read and
 * written; atomic accesses; `at`, the sum of the places of all these bytes; `values`, the sum of
 * the doubles that were written, each read at its thread's next event, as a debugger would.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/hooks/hooks.h"

#define OBJECTS 16
#define EXPORT __attribute__((visibility("default")))

EXPORT void dvmdbg_hooks_part(struct dvmdbg_hooks *h);
EXPORT void count_begin(const void *p, size_t n);
EXPORT void count_end(const char *name);
EXPORT int count_joined(void);
EXPORT void count_heap_begin(void);
EXPORT void count_heap_end(const char *name);

static struct dvmdbg_hooks *object[OBJECTS];
static const char *area;
static size_t area_bytes;
static atomic_long read_bytes, written_bytes, atomics, place, made, freed, wrong;
static double values; /* of one thread only */
static __thread const void *pending;

static int inside(const void *addr)
{
	return (const char *)addr >= area && (const char *)addr < area + area_bytes;
}

static void on_event(void)
{
	double v;

	if (!pending)
		return;
	memcpy(&v, pending, sizeof(v));
	values += v;
	pending = NULL;
}

static void bytes(const void *addr, size_t n, int reads, int writes)
{
	size_t at = (size_t)((const char *)addr - area);

	if ((const char *)addr < area || at >= area_bytes)
		return;
	if (n > area_bytes - at)
		n = area_bytes - at;
	if (reads)
		read_bytes += (long)n;
	if (writes)
		written_bytes += (long)n;
	place += (long)((reads + writes) * (n * at + n * (n - 1) / 2));
}

static void on_access(const void *addr, unsigned flags, const void *pc)
{
	unsigned n = flags & HOOK_SIZE;

	if (!pc || !n || (n & (n - 1)) ||
	    (flags & ~(HOOK_SIZE | HOOK_WRITE | HOOK_ATOMIC | HOOK_RMW)))
		wrong++;
	on_event();
	if (n == sizeof(double) && (flags & (HOOK_WRITE | HOOK_RMW)) && inside(addr))
		pending = addr;
	bytes(addr, n, !(flags & HOOK_WRITE), (flags & (HOOK_WRITE | HOOK_RMW)) != 0);
	if (flags & HOOK_ATOMIC && inside(addr))
		atomics++;
}

static void on_range(const void *addr, size_t n, unsigned flags, const void *pc)
{
	wrong += !pc;
	on_event();
	bytes(addr, n, !(flags & HOOK_WRITE), (flags & HOOK_WRITE) != 0);
}

static void on_copy(void *to, const void *from, size_t n, const void *pc)
{
	wrong += !pc;
	on_event();
	if (from)
		bytes(from, n, 1, 0);
	bytes(to, n, 0, 1);
}

static void on_allocated(void *p, size_t n, const void *pc)
{
	made++;
	wrong += !p || !pc || n > (size_t)1 << 40;
}

static void on_freed(void *p)
{
	freed++;
	wrong += !p;
}

EXPORT int dvmdbg_hooks_join(struct dvmdbg_hooks *h)
{
	for (int i = 0; i < OBJECTS; i++) {
		if (object[i])
			continue;
		if (h->abi != HOOKS_ABI || h->size != sizeof(*h))
			return -1;
		h->access = on_access;
		h->range = on_range;
		h->copy = on_copy;
		h->flush = on_event;
		h->allocated = on_allocated;
		h->freed = on_freed;
		object[i] = h;
		return 0;
	}
	return -1;
}

void dvmdbg_hooks_part(struct dvmdbg_hooks *h)
{
	for (int i = 0; i < OBJECTS; i++)
		if (object[i] == h)
			object[i] = NULL;
}

static void gate(unsigned open)
{
	for (int i = 0; i < OBJECTS; i++)
		if (object[i])
			atomic_store(&object[i]->gate, open);
}

/* How many objects (the program, shared libraries) have hooks. */
int count_joined(void)
{
	int n = 0;

	for (int i = 0; i < OBJECTS; i++)
		n += object[i] != NULL;
	return n;
}

static void heap(unsigned on)
{
	for (int i = 0; i < OBJECTS; i++)
		if (object[i])
			atomic_store(&object[i]->heap, on);
}

void count_heap_begin(void)
{
	made = freed = 0;
	heap(1);
}

void count_heap_end(const char *name)
{
	heap(0);
	printf("%s made %ld freed %ld%s\n", name, made, freed, wrong ? " WRONG" : "");
	fflush(stdout);
}

void count_begin(const void *p, size_t n)
{
	area = p;
	area_bytes = n;
	read_bytes = written_bytes = atomics = place = 0;
	values = 0;
	gate(1);
}

void count_end(const char *name)
{
	on_event();
	gate(0);
	printf("%s read %ld written %ld atomic %ld at %ld values %g%s\n", name, read_bytes,
	       written_bytes, atomics, place, values, wrong ? " WRONG" : "");
	fflush(stdout);
}
