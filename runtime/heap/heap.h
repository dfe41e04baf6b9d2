/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks that malloc has given, as their headers have them: for glibc, whose chunks follow one
 * another from the beginning of the heap; a large one has a mapping of its own. Source: glibc,
 * malloc/malloc.c, "Chunk representations".
 */
#ifndef DVMDBG_RUNTIME_HEAP_H
#define DVMDBG_RUNTIME_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How many bytes of the block that has the address lie from there to its end; malloc may have given
 * up to 15 less. 0: it is in none, or that is not known. Takes as long as the heap has blocks, and
 * gives up after many calls.
 */
uint64_t heap_left(uint64_t addr);

#endif
