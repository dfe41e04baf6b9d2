/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tool that an OpenMP runtime looks for when it starts, in the program's own threads: it writes
 * what they do into their traces, as notes (TRACE_NOTE_OPENMP), where reads are recorded. Where no
 * accesses are to be recorded there is no tool, and the OpenMP runtime calls nothing.
 */
#ifndef DVMDBG_RUNTIME_OMPT_OMPT_H
#define DVMDBG_RUNTIME_OMPT_OMPT_H

struct omp_tool;

struct omp_tool *ompt_start_tool(unsigned version, const char *runtime);

#endif
