/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between libdvmdbg and the preloaded libraries of OpenMP and of threads. Outside a debugged program
 * they do nothing.
 */
#ifndef DVMDBG_RUNTIME_OMP_TABLE_H
#define DVMDBG_RUNTIME_OMP_TABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The calling thread begins a parallel region at pc, or has ended the last one. With POINTS
 * marks,omp the outermost of the main thread are points: it may be parked here.
 */
void dvmdbg_region(const void *pc, int begins) __attribute__((visibility("default"), weak));

/* Accesses are recorded, reads too. */
int dvmdbg_thread_recorded(void) __attribute__((visibility("default"), weak));
/* An event of the calling thread: a note of TRACE_NOTE_OPENMP. */
void dvmdbg_thread_note(const char *text) __attribute__((visibility("default"), weak));
/* The number of what comes next, in the order of the run. */
uint64_t dvmdbg_thread_clock(void) __attribute__((visibility("default"), weak));
/* The program has threads of its own: small blocks are known, too, from here on. */
void dvmdbg_thread_first(void) __attribute__((visibility("default"), weak));
/* A block that a library has allocated for the thread, by the call before pc; it is going to be
 * freed. */
void dvmdbg_thread_allocated(void *p, size_t n, const void *pc)
	__attribute__((visibility("default"), weak));
void dvmdbg_thread_freed(void *p) __attribute__((visibility("default"), weak));

#endif
