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
struct trace_ref;

#define TRACE_REF_MEMORY ((size_t)14 << 20)

/*
 * Opens trace.RANK.bin of all ranks in the directory (of a rank that did not come to its end,
 * trace.RANK.bin.partial). memory: bytes that decoded blocks may take, 0 for TRACE_REF_MEMORY; two
 * blocks are kept in any case. NULL and err: no directory, no trace in it.
 */
struct trace_ref *trace_ref_open(const char *dir, size_t memory, struct err *err);
void trace_ref_close(struct trace_ref *r); /* NULL is fine */
/* The directory has a trace, of whatever rank. */
bool trace_ref_there(const char *dir);
uint32_t trace_ref_files(const struct trace_ref *r);
/* In the order of ranks. Borrowed. */
const struct trace_map *trace_ref_map(const struct trace_ref *r, uint32_t file);
/* Every rank has a file, and each is whole. */
bool trace_ref_whole(const struct trace_ref *r);
/* A block that was asked for was damaged, and is as if it were not there. */
bool trace_ref_damaged(const struct trace_ref *r);
/* That was for lack of memory. */
bool trace_ref_no_memory(const struct trace_ref *r);
/* What is not, in words; "" nothing. */
const char *trace_ref_note(const struct trace_ref *r);
/* How often a block was decoded from its beginning, and bytes that are held now. */
uint64_t trace_ref_decoded(const struct trace_ref *r);
size_t trace_ref_held(const struct trace_ref *r);

#endif
