/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of tasks: the runtime has a copy for each thread, which is its own. What gcc and clang
 * pass is in libgomp's task.c of gcc 12 and in LLVM's kmp.h. The linker puts these in the place of
 * the runtime's (--wrap; dvmdbg-cc has the names).
 */
#include "runtime/hooks/gate.h"

#include <stdatomic.h>
#include <stdbool.h>

#define WRAP(type, name, ...)                      \
	type __real_##name(__VA_ARGS__);           \
	STANDS_IN type __wrap_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)

typedef unsigned long long ull;
typedef void body(void *data);

static void reduces(void *p, size_t n)
{
	if (gate_is_open() && dvmdbg_hooks_.reduces)
		dvmdbg_hooks_.reduces(p, n);
}

/* ---- gcc ---- */

/* Words of what gcc describes: the copies of all threads, the next description. */
enum { REDUCED = 2, REDUCED_NEXT = 4, REDUCED_END = 6 };
#define MOST ((uintptr_t)1 << 32)

static void reduced(const uintptr_t *r)
{
	for (; r; r = (const uintptr_t *)r[REDUCED_NEXT])
		if (r[REDUCED_END] - r[REDUCED] - 1 < MOST)
			reduces((void *)r[REDUCED], r[REDUCED_END] - r[REDUCED]);
}

struct region {
	uintptr_t *reduced; /* the runtime looks at the first word */
	body *fn;
	void *data;
};

/* In each thread: there the copies are known, which are gone behind the region. */
static void run(void *arg)
{
	const struct region *r = arg;

	reduced(r->reduced);
	r->fn(r->data);
}

/* Of a region with task reductions, for how many threads it was. */
WRAP(unsigned, GOMP_parallel_reductions, body *fn, void *data, unsigned threads, unsigned flags)
{
	struct region r = { *(uintptr_t **)data, fn, data };

	report_region(fn, data);
	if (!gate_is_open())
		return __real_GOMP_parallel_reductions(fn, data, threads, flags);
	return __real_GOMP_parallel_reductions(run, &r, threads, flags);
}

WRAP(void, GOMP_taskgroup_reduction_register, uintptr_t *r)
{
	__real_GOMP_taskgroup_reduction_register(r);
	reduced(r);
	reduces(NULL, HOOK_REDUCTION_BEGINS);
}

WRAP(void, GOMP_taskgroup_end, void)
{
	__real_GOMP_taskgroup_end();
	reduces(NULL, HOOK_REDUCTION_ENDS);
}

enum { TASK_REDUCES = 1 << 12 };
#define LOOP_REDUCED 2 /* the word of the data of a taskloop */

#define TASKLOOP(name, type)                                                                      \
	WRAP(void, name, body *fn, void *data, void (*copy)(void *, void *), long size,           \
	     long align, unsigned flags, unsigned long tasks, int priority, type from, type to,   \
	     type by)                                                                             \
	{                                                                                         \
		__real_##name(fn, data, copy, size, align, flags, tasks, priority, from, to, by); \
		if (!(flags & TASK_REDUCES))                                                      \
			return;                                                                   \
		reduced(((const uintptr_t **)data)[LOOP_REDUCED]);                                \
		reduces(NULL, HOOK_REDUCTION_COMBINES);                                           \
	}
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, ull)

/* ---- clang ---- */

/* A variable that is reduced; its copies are as large. */
struct item {
	void *shared, *original;
	size_t bytes;
	void *begin, *end, *combine;
	unsigned flags;
};

#define ITEMS 256u /* that are known */

static struct {
	_Atomic(void *) shared;
	_Atomic size_t bytes;
} item[ITEMS];
static _Atomic unsigned nitem;

static size_t bytes_of(const void *shared)
{
	for (unsigned i = 0; i < ITEMS; i++)
		if (item[i].shared == shared)
			return item[i].bytes;
	return 0;
}

static void item_add(void *shared, size_t bytes)
{
	unsigned i = 0;

	if (!shared || bytes_of(shared) == bytes)
		return;
	while (i < ITEMS && item[i].shared != shared)
		i++;
	if (i == ITEMS)
		i = nitem++ % ITEMS;
	item[i].bytes = bytes;
	item[i].shared = shared;
}

static void items_add(int n, const struct item *x)
{
	for (int i = 0; i < n && gate_is_open(); i++) {
		item_add(x[i].shared, x[i].bytes);
		item_add(x[i].original, x[i].bytes);
	}
}

WRAP(void *, __kmpc_taskred_init, int thread, int n, void *items)
{
	items_add(n, items);
	return __real___kmpc_taskred_init(thread, n, items);
}

WRAP(void *, __kmpc_taskred_modifier_init, void *place, int thread, int shares, int n, void *items)
{
	items_add(n, items);
	return __real___kmpc_taskred_modifier_init(place, thread, shares, n, items);
}

WRAP(void *, __kmpc_task_reduction_get_th_data, int thread, void *group, void *shared)
{
	void *own = __real___kmpc_task_reduction_get_th_data(thread, group, shared);
	size_t n = gate_is_open() ? bytes_of(shared) : 0;

	if (n && own != shared) {
		reduces(own, n);
		/* of a task of that one */
		item_add(own, n);
	}
	return own;
}
