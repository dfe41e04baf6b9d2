/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All the trace files of one run, as a reference to compare with: of any number of ranks. Blocks
 * are decoded when something in them is asked for, and what was decoded is kept while it fits a
 * bound. One thread at a time.
 */
#ifndef DVMDBG_COMMON_TRACE_REF_H
#define DVMDBG_COMMON_TRACE_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/tracefile/reader.h"

struct err;
struct trace_index;

#define TRACE_REF_MEMORY ((size_t)14 << 20)

/*
 * Opens trace.RANK.bin of all ranks in the directory (of a rank that did not come to its end,
 * trace.RANK.bin.partial). memory: bytes that decoded blocks may take, 0 for TRACE_REF_MEMORY; two
 * blocks are kept in any case. NULL and err: no directory, no trace in it.
 */
struct trace_index *trace_index_open(const char *dir, size_t memory, struct err *err);
void trace_index_close(struct trace_index *r); /* NULL is fine */
/* The directory has a trace, of whatever rank. */
bool trace_index_there(const char *dir);
uint32_t trace_index_files(const struct trace_index *r);
/* In the order of ranks. Borrowed. */
const struct trace_reader *trace_index_map(const struct trace_index *r, uint32_t file);
/* Every rank has a file, and each is whole. */
bool trace_index_whole(const struct trace_index *r);
/* A block that was asked for was damaged, and is as if it were not there. */
bool trace_index_damaged(const struct trace_index *r);
/* That was for lack of memory. */
bool trace_index_no_memory(const struct trace_index *r);
/* What is not, in words; "" nothing. */
const char *trace_index_note(const struct trace_index *r);
/* How often a block was decoded from its beginning, and bytes that are held now. */
uint64_t trace_index_decoded(const struct trace_index *r);
size_t trace_index_held(const struct trace_index *r);

#endif
