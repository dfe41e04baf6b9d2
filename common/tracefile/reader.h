/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads trace files, which anybody may have written. A file without its index (its writer died, the
 * disk was full) is read by its blocks, up to the last whole one.
 */
#ifndef DVMDBG_COMMON_TRACE_MAP_H
#define DVMDBG_COMMON_TRACE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/trace/decode.h"
#include "common/tracefile/writer.h"

struct err;
struct trace_reader;

/* NULL: not there, no trace, another format. A file that shrinks while it is open is an error of
 * the block, not a crash. */
struct trace_reader *trace_reader_open(const char *path, struct err *err);
void trace_reader_close(struct trace_reader *m);
/* Texts are owned by the map. */
const struct trace_meta *trace_reader_meta(const struct trace_reader *m);
/* The run came to its end and all its blocks are here. */
bool trace_reader_complete(const struct trace_reader *m);
/* What is wrong ("… is cut off at byte N: …"), "" nothing. */
const char *trace_reader_note(const struct trace_reader *m);
size_t trace_reader_blocks(const struct trace_reader *m);
/* Block i, from 0, in the order in which they were closed. Borrowed; NULL beyond the last. */
const struct trace_info *trace_reader_info(const struct trace_reader *m, size_t i);
/* Checks, unpacks; trace_block_free it. NULL and err: damaged, or no memory. Several threads may.
 */
struct trace_block *trace_reader_block(const struct trace_reader *m, size_t i, struct err *err);
/*
 * The first block, of those from `from` on, in which the point can have been passed (or in whose
 * beginning it is the last one passed); trace_reader_blocks when there is none.
 */
size_t trace_reader_find(const struct trace_reader *m, const struct point *p, size_t from);
/* Whether block i can hold an iteration of the construct that began at p. */
bool trace_reader_may_hold(const struct trace_reader *m, size_t i, const struct point *p, unsigned nidx,
			const int64_t *index);

#endif
