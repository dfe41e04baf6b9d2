/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of the OpenMP runtime that give a thread its next part of a construct that shares work,
 * those by which gcc divides a loop, and those by which clang gets memory for tasks: the linker
 * puts these in their place (--wrap; dvmdbg-cc has the names). What they return is not changed.
 */
#include "runtime/hooks/gate.h"
#include "runtime/hooks/gomp.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define WRAP(type, name, ...)                      \
	type __real_##name(__VA_ARGS__);           \
	STANDS_IN type __wrap_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)

typedef unsigned long long ull;

static void part(enum hook_part what)
{
	if (gate_is_open() && dvmdbg_hooks_.part)
		dvmdbg_hooks_.part(what);
}

static int given(int some)
{
	part(some ? HOOK_PART : HOOK_NO_PART);
	return some;
}

/* Loops of gcc: with a chunk, and without. */
#define LOOP_NEXT(kind)                                                       \
	WRAP(bool, GOMP_loop_##kind##_next, long *first, long *end)           \
	{                                                                     \
		return given(__real_GOMP_loop_##kind##_next(first, end));     \
	}                                                                     \
	WRAP(bool, GOMP_loop_ull_##kind##_next, ull *first, ull *end)         \
	{                                                                     \
		return given(__real_GOMP_loop_ull_##kind##_next(first, end)); \
	}
#define LOOP_CHUNKS(kind)                                                                          \
	LOOP_NEXT(kind)                                                                            \
	WRAP(bool, GOMP_loop_##kind##_start, long from, long to, long by, long chunk, long *first, \
	     long *end)                                                                            \
	{                                                                                          \
		return given(__real_GOMP_loop_##kind##_start(from, to, by, chunk, first, end));    \
	}                                                                                          \
	WRAP(bool, GOMP_loop_ull_##kind##_start, bool up, ull from, ull to, ull by, ull chunk,     \
	     ull *first, ull *end)                                                                 \
	{                                                                                          \
		return given(                                                                      \
			__real_GOMP_loop_ull_##kind##_start(up, from, to, by, chunk, first, end)); \
	}
#define LOOP_RUNTIME(kind)                                                                        \
	LOOP_NEXT(kind)                                                                           \
	WRAP(bool, GOMP_loop_##kind##_start, long from, long to, long by, long *first, long *end) \
	{                                                                                         \
		return given(__real_GOMP_loop_##kind##_start(from, to, by, first, end));          \
	}                                                                                         \
	WRAP(bool, GOMP_loop_ull_##kind##_start, bool up, ull from, ull to, ull by, ull *first,   \
	     ull *end)                                                                            \
	{                                                                                         \
		return given(__real_GOMP_loop_ull_##kind##_start(up, from, to, by, first, end));  \
	}
LOOP_CHUNKS(dynamic)
LOOP_CHUNKS(guided)
LOOP_CHUNKS(nonmonotonic_dynamic)
LOOP_CHUNKS(nonmonotonic_guided)
LOOP_CHUNKS(ordered_dynamic)
LOOP_CHUNKS(ordered_guided)
LOOP_RUNTIME(runtime)
LOOP_RUNTIME(nonmonotonic_runtime)
LOOP_RUNTIME(maybe_nonmonotonic_runtime)
LOOP_RUNTIME(ordered_runtime)

WRAP(unsigned, GOMP_sections_start, unsigned count)
{
	return (unsigned)given((int)__real_GOMP_sections_start(count));
}

WRAP(unsigned, GOMP_sections_next, void)
{
	return (unsigned)given((int)__real_GOMP_sections_next());
}

/* Regions of gcc: what their threads share is in data, which has variables of its own in it. */
typedef void body(void *data);
#define REGION(name, parameters, ...)                      \
	WRAP(void, name, body *fn, void *data, parameters) \
	{                                                  \
		report_region(fn, data);                   \
		__real_##name(fn, data, __VA_ARGS__);      \
	}
GOMP_REGIONS

/* Critical regions, of both compilers. */
static void enters(const void *variable)
{
	if (gate_is_open() && dvmdbg_hooks_.enters)
		dvmdbg_hooks_.enters(variable);
}

WRAP(void, GOMP_critical_start, void)
{
	enters(NULL);
	__real_GOMP_critical_start();
}

WRAP(void, GOMP_critical_name_start, void **variable)
{
	enters(variable);
	__real_GOMP_critical_name_start(variable);
}

WRAP(void, __kmpc_critical, void *place, int thread, void *variable)
{
	enters(variable);
	__real___kmpc_critical(place, thread, variable);
}

WRAP(void, __kmpc_critical_with_hint, void *place, int thread, void *variable, unsigned hint)
{
	enters(variable);
	__real___kmpc_critical_with_hint(place, thread, variable, hint);
}

/* Loops of clang. */
#define DISPATCH(kind, type, stride)                                                              \
	WRAP(int, __kmpc_dispatch_next_##kind, void *place, int thread, int *last, type *first,   \
	     type *end, stride *by)                                                               \
	{                                                                                         \
		return given(                                                                     \
			__real___kmpc_dispatch_next_##kind(place, thread, last, first, end, by)); \
	}
DISPATCH(4, int, int)
DISPATCH(4u, unsigned, int)
DISPATCH(8, long long, long long)
DISPATCH(8u, ull, long long)

/* gcc asks for the number of threads where a loop begins that it divides itself. */
WRAP(int, omp_get_num_threads, void)
{
	if (gate_is_open() && dvmdbg_hooks_.loop)
		dvmdbg_hooks_.loop(CALLER);
	return __real_omp_get_num_threads();
}

/* The program's own calls of that: dvmdbg-omp-marks gives them other names, Fortran has others. */
STANDS_IN int dvmdbg_omp_get_num_threads(void);
int dvmdbg_omp_get_num_threads(void)
{
	return __real_omp_get_num_threads();
}

STANDS_IN int dvmdbg_omp_get_thread_num(void);
int dvmdbg_omp_get_thread_num(void)
{
	extern int omp_get_thread_num(void);

	part(HOOK_HAS_A_NUMBER);
	return omp_get_thread_num();
}

WRAP(int, omp_get_thread_num_, void)
{
	part(HOOK_HAS_A_NUMBER);
	return __real_omp_get_thread_num_();
}

/* Marks that dvmdbg-omp-marks puts into sources; Fortran may add no underscore to its names, or
 * two. */
#define MARK(name, what)           \
	STANDS_IN void name(void); \
	void name(void)            \
	{                          \
		part(what);        \
	}
MARK(dvmdbg_iteration, HOOK_ITERATION)
MARK(dvmdbg_iteration_, HOOK_ITERATION)
MARK(dvmdbg_iteration__, HOOK_ITERATION)
MARK(dvmdbg_loop_end, HOOK_LOOP_ENDS)
MARK(dvmdbg_loop_end_, HOOK_LOOP_ENDS)
MARK(dvmdbg_loop_end__, HOOK_LOOP_ENDS)
MARK(dvmdbg_elements, HOOK_ELEMENTS)
MARK(dvmdbg_elements_, HOOK_ELEMENTS)
MARK(dvmdbg_elements__, HOOK_ELEMENTS)

/* A private variable, which has no value yet. */
STANDS_IN void dvmdbg_private(void *p, size_t n, const char *name);
void dvmdbg_private(void *p, size_t n, const char *name)
{
	if (p && gate_is_open() && dvmdbg_hooks_.fresh)
		dvmdbg_hooks_.fresh(p, n, name, CALLER);
}

#define PRIVATE_OF_FORTRAN(name)                                                              \
	STANDS_IN void name(const intptr_t *at, const intptr_t *n, const char *variable,      \
			    size_t length);                                                   \
	void name(const intptr_t *at, const intptr_t *n, const char *variable, size_t length) \
	{                                                                                     \
		char text[64] = "";                                                           \
                                                                                              \
		for (size_t i = 0; i < length && i < sizeof(text) - 1; i++)                   \
			text[i] = variable[i];                                                \
		if (gate_is_open() && dvmdbg_hooks_.fresh)                                    \
			dvmdbg_hooks_.fresh((void *)*at, (size_t)*n, text, CALLER);           \
	}
PRIVATE_OF_FORTRAN(dvmdbg_fprivate)
PRIVATE_OF_FORTRAN(dvmdbg_fprivate_)
PRIVATE_OF_FORTRAN(dvmdbg_fprivate__)

/* A SIMD loop's. */
static void simd(int length, const void *pc, const void *frame)
{
	if (gate_is_open() && dvmdbg_hooks_.simd)
		dvmdbg_hooks_.simd(length, pc, frame);
}

STANDS_IN void dvmdbg_simd(int length);
void dvmdbg_simd(int length)
{
	simd(length, CALLER, __builtin_frame_address(0));
}

STANDS_IN void dvmdbg_simd_end(void);
void dvmdbg_simd_end(void)
{
	simd(-1, NULL, NULL);
}

#define MARKS_OF_FORTRAN(begin, end)                               \
	STANDS_IN void begin(const int *length);                   \
	void begin(const int *length)                              \
	{                                                          \
		simd(*length, CALLER, __builtin_frame_address(0)); \
	}                                                          \
	STANDS_IN void end(void);                                  \
	void end(void)                                             \
	{                                                          \
		simd(-1, NULL, NULL);                              \
	}
MARKS_OF_FORTRAN(dvmdbg_fsimd, dvmdbg_fsimd_end)
MARKS_OF_FORTRAN(dvmdbg_fsimd_, dvmdbg_fsimd_end_)
MARKS_OF_FORTRAN(dvmdbg_fsimd__, dvmdbg_fsimd_end__)

/*
 * An untied task may be resumed by any thread, and so by its own: where such tasks have others,
 * LLVM's runtime fails. It does not know gcc's tasks that end with an event.
 */
enum { GOMP_UNTIED = 1, GOMP_DETACH = 1 << 13 };

WRAP(void, GOMP_task, body *fn, void *data, void (*copy)(void *, void *), long size, long align,
     bool deferred, unsigned flags, void **depend, int priority, void *event)
{
	if (flags & GOMP_DETACH) {
		fputs("dvmdbg: tasks with detach do not run on LLVM's OpenMP runtime when gcc has "
		      "compiled them; use clang for them\n",
		      stderr);
		abort();
	}
	__real_GOMP_task(fn, data, copy, size, align, deferred, flags & ~(unsigned)GOMP_UNTIED,
			 depend, priority, event);
}

/*
 * Clang has the copies of a task in memory of the runtime, which it gives again for other tasks: a
 * description of the task, and behind it what is shared.
 */
WRAP(void *, __kmpc_omp_task_alloc, void *place, int thread, int flags, size_t bytes, size_t shared,
     void *code)
{
	void *task = __real___kmpc_omp_task_alloc(place, thread, flags, bytes, shared, code);
	const size_t most = sizeof(void *) - 1;

	if (task && gate_is_open() && dvmdbg_hooks_.task)
		dvmdbg_hooks_.task(task, ((bytes + most) & ~most) + shared);
	return task;
}
