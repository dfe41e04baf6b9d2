/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between libdvmdbg and the preloaded library of OpenMP. Outside a debugged program it does
 * nothing.
 */
#ifndef DVMDBG_RUNTIME_OMP_TABLE_H
#define DVMDBG_RUNTIME_OMP_TABLE_H

/*
 * The calling thread begins a parallel region at pc, or has ended the last one. With POINTS
 * marks,omp the outermost of the main thread are points: it may be parked here.
 */
void dvmdbg_region(const void *pc, int begins) __attribute__((visibility("default"), weak));

#endif
