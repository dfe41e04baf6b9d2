/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside libdvmdbg: what a run with DVMDBG_TAGS does, whose value is the folder of the ranks'
 * files. All of it is local to a rank: no message is sent, nothing waits.
 */
#ifndef DVMDBG_RUNTIME_TAGS_H
#define DVMDBG_RUNTIME_TAGS_H

#include <stdbool.h>
#include <stdint.h>

extern bool tags_on;

void tags_init(void);
/*
 * An outermost parallel construct is about to begin there, or the program to end (0): what has come
 * is noted, and contents are put back; while requests are pending this waits for the next one.
 */
void tags_begin(uint32_t loc);
/* One has ended: arrays are filled. */
void tags_end(uint32_t loc);
/* n bytes there are about to be freed: contents are put back. */
void tags_freed(uint64_t addr, uint64_t n);
/* The program ends: the file is complete. */
void tags_finish(void);

#endif
