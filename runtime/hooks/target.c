/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entry points of gcc for target regions, which LLVM's OpenMP runtime does not have: they run on
 * the host, as where there is no device. Memory is the host's, so there is nothing to be mapped;
 * but what is firstprivate is given as the host's own, and copied here. What gcc passes is in
 * include/gomp-constants.h and libgomp's target.c of gcc 12.
 */
#include <alloca.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/hooks/gate.h"

/* The runtime's: of these there is one, also where we stand in for others. */
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
	       bool deferred, unsigned flags, void **depend, int priority);
void GOMP_taskwait_depend(void **depend);
void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned limit, unsigned flags);

#define ENTRY(type, name, ...)            \
	STANDS_IN type name(__VA_ARGS__); \
	type name(__VA_ARGS__)

enum { MAP_FIRSTPRIVATE = 12 };
enum { TARGET_NOWAIT = 1 };
enum { TASK_DEPENDS = 8 };
/* An argument: what it is, and its value behind that, or in the next word. */
enum { ARGUMENT_NEXT = 0x80, ARGUMENT_ID = 0xff00, ARGUMENT_TEAMS = 0x100, ARGUMENT_LIMIT = 0x200 };
#define ARGUMENT_VALUE 16

struct target {
	void (*fn)(void *);
	size_t n, bytes; /* of what is mapped; of this and all behind it */
	intptr_t teams, limit;
	void **addr;
	const size_t *size;
	const unsigned short *kind; /* and the power of two that is its alignment, 8 bits up */
	const void *pc, *frame;	    /* of the call; NULL: a task's */
};

static size_t alignment(unsigned short kind)
{
	return (size_t)1 << (kind >> 8);
}

static bool is_copied(const struct target *t, size_t i)
{
	return (t->kind[i] & 0xff) == MAP_FIRSTPRIVATE;
}

static void *aligned(void *p, size_t to)
{
	return (void *)(((uintptr_t)p + to - 1) & ~(uintptr_t)(to - 1));
}

/* Each team calls the function of the region, which finds itself in it (GOMP_teams4). */
static void run(struct target *t)
{
	void **addr = alloca((t->n + 1) * sizeof(*addr));

	for (size_t i = 0; i < t->n; i++) {
		addr[i] = t->addr[i];
		if (!is_copied(t, i))
			continue;
		addr[i] =
			aligned(alloca(t->size[i] + alignment(t->kind[i])), alignment(t->kind[i]));
		memcpy(addr[i], t->addr[i], t->size[i]);
	}
	if (t->teams == 1) {
		t->fn(addr);
		return;
	}
	if (gate_is_open() && dvmdbg_hooks_.begins)
		dvmdbg_hooks_.begins(t->pc, t->frame, NULL, NULL);
	GOMP_teams_reg(t->fn, addr, t->teams > 0 ? (unsigned)t->teams : 0,
		       t->limit > 0 ? (unsigned)t->limit : 0, 0);
	if (gate_is_open() && dvmdbg_hooks_.begins)
		dvmdbg_hooks_.begins(NULL, NULL, NULL, NULL);
}

static void run_task(void *data)
{
	run(data);
}

/* Puts what the region needs behind it, for it runs when its function may have returned. */
static void copy_task(void *to, void *from)
{
	struct target *t = to;
	char *at = (char *)(t + 1);

	*t = *(const struct target *)from;
	t->pc = t->frame = NULL;
	t->addr = memcpy(at, t->addr, t->n * sizeof(*t->addr));
	at += t->n * sizeof(*t->addr);
	t->size = memcpy(at, t->size, t->n * sizeof(*t->size));
	at += t->n * sizeof(*t->size);
	t->kind = memcpy(at, t->kind, t->n * sizeof(*t->kind));
	at += t->n * sizeof(*t->kind);
	for (size_t i = 0; i < t->n; i++)
		if (is_copied(t, i)) {
			t->addr[i] = memcpy(at, t->addr[i], t->size[i]);
			at += t->size[i];
		}
}

static void read_arguments(struct target *t, void **args)
{
	for (; args && *args; args++) {
		intptr_t id = (intptr_t)*args, value = id >> ARGUMENT_VALUE;

		if (id & ARGUMENT_NEXT)
			value = (intptr_t)(++args)[0];
		if ((id & ARGUMENT_ID) == ARGUMENT_TEAMS)
			t->teams = value;
		else if ((id & ARGUMENT_ID) == ARGUMENT_LIMIT)
			t->limit = value;
	}
}

ENTRY(void, GOMP_target_ext, int device, void (*fn)(void *), size_t n, void **addr, size_t *size,
      unsigned short *kind, unsigned flags, void **depend, void **args)
{
	struct target t = { .fn = fn,
			    .n = n,
			    .bytes = sizeof(t),
			    .teams = 1,
			    .addr = addr,
			    .size = size,
			    .kind = kind,
			    .pc = CALLER,
			    .frame = __builtin_frame_address(0) };

	(void)device;
	read_arguments(&t, args);
	if (!(flags & TARGET_NOWAIT)) {
		if (depend)
			GOMP_taskwait_depend(depend);
		run(&t);
		return;
	}
	t.bytes += n * (sizeof(*addr) + sizeof(*size) + sizeof(*kind));
	for (size_t i = 0; i < n; i++)
		t.bytes += is_copied(&t, i) ? size[i] : 0;
	GOMP_task(run_task, &t, copy_task, (long)t.bytes, _Alignof(struct target), true,
		  depend ? TASK_DEPENDS : 0, depend, 0);
}

/* The runtime has made the team. Of a number that it could not know there is one. */
ENTRY(bool, GOMP_teams4, unsigned low, unsigned high, unsigned limit, bool first)
{
	(void)low;
	(void)high;
	(void)limit;
	return first;
}

/* Nothing is moved, but with nowait this is a task, which others may depend on. */
static void nothing(void *data)
{
	(void)data;
}

static void depends(unsigned flags, void **depend)
{
	if (depend && flags & TARGET_NOWAIT)
		GOMP_task(nothing, NULL, NULL, 0, 1, true, TASK_DEPENDS, depend, 0);
	else if (depend)
		GOMP_taskwait_depend(depend);
}

#define MOVES(name)                                                                              \
	ENTRY(void, name, int device, size_t n, void **addr, size_t *size, unsigned short *kind, \
	      unsigned flags, void **depend)                                                     \
	{                                                                                        \
		(void)device;                                                                    \
		(void)n;                                                                         \
		(void)addr;                                                                      \
		(void)size;                                                                      \
		(void)kind;                                                                      \
		depends(flags, depend);                                                          \
	}
MOVES(GOMP_target_update_ext)
MOVES(GOMP_target_enter_exit_data)

ENTRY(void, GOMP_target_data_ext, int device, size_t n, void **addr, size_t *size,
      unsigned short *kind)
{
	(void)device;
	(void)n;
	(void)addr;
	(void)size;
	(void)kind;
}

/* The directive error; n is SIZE_MAX for a text that ends by itself. */
static void say(const char *word, const char *text, size_t n)
{
	if (n == SIZE_MAX)
		n = text ? strlen(text) : 0;
	fprintf(stderr, "%s: directive error of OpenMP%s%.*s\n", word, n ? ": " : "", (int)n,
		n ? text : "");
}

ENTRY(void, GOMP_warning, const char *text, size_t n)
{
	say("warning", text, n);
}

ENTRY(void, GOMP_error, const char *text, size_t n)
{
	say("error", text, n);
	exit(1);
}

/* The construct scope with reductions of tasks. */
ENTRY(void, GOMP_scope_start, uintptr_t *reductions)
{
	(void)reductions;
	fputs("dvmdbg: the construct scope with reductions of tasks does not run on LLVM's OpenMP "
	      "runtime; use a parallel or worksharing construct for them\n",
	      stderr);
	abort();
}
