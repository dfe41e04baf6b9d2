/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes trace files: a head, blocks one by one, an index at the end. At any moment the file is
 * readable up to its last whole block; when the disk is full the half block is cut off.
 */
#ifndef DVMDBG_COMMON_TRACE_FILE_H
#define DVMDBG_COMMON_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/trace/decode.h"

struct err;

#define TRACE_FORMAT 2

/* What a file is of. Texts are borrowed while it is written. */
struct trace_meta {
	uint32_t rank, ranks;
	uint8_t level;		    /* enum trace_config_level of the program */
	struct point start, finish; /* main 0: from the start, to the end */
	const char *program;	    /* path */
	const char *build_id;	    /* hexadecimal, "" none */
	const char *version;	    /* of dvmdbg */
	const char *origin;	    /* "" recorded; else what it was imported from */
	/* since the epoch; 0: not known */
	uint64_t seconds;
};

/*
 * A new file at the path, in place of one that is there. beside: it is made as PATH.partial and
 * takes its place when it is closed as complete; what was made up to a death stays in PATH.partial.
 */
struct trace_writer *trace_writer_create(const char *path, const struct trace_meta *m, struct err *err);
struct trace_writer *trace_writer_create_adjacent(const char *path, const struct trace_meta *m,
					    struct err *err);
/*
 * Compresses and writes one block. -1: no room (ENOSPC, EFBIG, EDQUOT …) or no memory; err names
 * the path and says what; from then on every call fails and the file stays as it is, readable.
 */
int trace_writer_put(struct trace_writer *f, const struct trace_block *b, struct err *err);
/* Blocks, records and bytes so far. */
size_t trace_writer_blocks(const struct trace_writer *f);
uint64_t trace_writer_records(const struct trace_writer *f);
uint64_t trace_writer_bytes(const struct trace_writer *f);
/* zstd's level, 1 … 9; 1 unless said. */
void trace_writer_effort(struct trace_writer *f, int level);
/*
 * Writes the index, closes, frees. complete: the run came to its end. -1: the index or the new name
 * could not be written: the blocks are readable all the same.
 */
int trace_writer_close(struct trace_writer *f, bool complete, struct err *err);

#endif
