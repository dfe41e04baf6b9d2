/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What gcc calls for a parallel region and returns when the region has ended (gcc's libgomp.h):
 * GOMP_REGIONS is REGION(name, parameters, arguments) for each, behind the region's function and
 * data, with AND where a parameter ends.
 */
#ifndef DVMDBG_RUNTIME_HOOKS_GOMP_H
#define DVMDBG_RUNTIME_HOOKS_GOMP_H

#define AND ,
#define GOMP_CHUNKS(kind)                                                            \
	REGION(GOMP_parallel_loop_##kind,                                            \
	       unsigned threads AND long from AND long to AND long by AND long chunk \
		       AND unsigned flags,                                           \
	       threads, from, to, by, chunk, flags)
#define GOMP_RUNTIME(kind)                                                                         \
	REGION(GOMP_parallel_loop_##kind,                                                          \
	       unsigned threads AND long from AND long to AND long by AND unsigned flags, threads, \
	       from, to, by, flags)
#define GOMP_REGIONS                                                                              \
	REGION(GOMP_parallel, unsigned threads AND unsigned flags, threads, flags)                \
	REGION(GOMP_parallel_sections, unsigned threads AND unsigned count AND unsigned flags,    \
	       threads, count, flags)                                                             \
	GOMP_CHUNKS(static)                                                                       \
	GOMP_CHUNKS(dynamic)                                                                      \
	GOMP_CHUNKS(guided)                                                                       \
	GOMP_CHUNKS(nonmonotonic_dynamic)                                                         \
	GOMP_CHUNKS(nonmonotonic_guided)                                                          \
	GOMP_RUNTIME(runtime)                                                                     \
	GOMP_RUNTIME(nonmonotonic_runtime)                                                        \
	GOMP_RUNTIME(maybe_nonmonotonic_runtime)

#endif
