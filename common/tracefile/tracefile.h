/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compressed blocks with a hash, as references and traces keep them: zstd frames, BLAKE2b. Never in
 * programs: it is in libtrace.la, not in libcommon.la.
 */
#ifndef DVMDBG_COMMON_TRACEFILE_TRACEFILE_H
#define DVMDBG_COMMON_TRACEFILE_TRACEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/trace/decode.h"

struct err;
struct trace_reader;

#define PACK_HASH 16

/* Bytes that n bytes take at the most. */
size_t pack_bound(size_t n);
/* Compresses; the bytes written, 0: no memory. Level 1 … 9. */
size_t pack_bytes(void *out, size_t room, const void *in, size_t n, int level);
/* Decompresses m bytes that anybody may have made; -1 unless they are exactly n. */
int pack_undo(void *out, size_t n, const void *in, size_t m);
/* Of what is in two places, one after the other. */
void pack_hash(unsigned char out[PACK_HASH], const void *a, size_t na, const void *b, size_t nb);

/*
 * Writes trace files: a head, blocks one by one, an index at the end. At any moment the file is
 * readable up to its last whole block; when the disk is full the half block is cut off.
 */

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
	/*
	 * What the head of a text trace says of it, in that form (common/dvmtext); "" (NULL to a
	 * writer): nothing.
	 */
	const char *head;
	/* since the epoch; 0: not known */
	uint64_t seconds;
};

/*
 * A new file at the path (NULL: none, all that is done for one is done, and dropped), in place of
 * one that is there. beside: it is made as PATH.partial and takes its place when it is closed as
 * complete; what was made up to a death stays in PATH.partial.
 */
struct trace_writer *trace_writer_create(const char *path, const struct trace_meta *m,
					 struct err *err);
struct trace_writer *trace_writer_create_adjacent(const char *path, const struct trace_meta *m,
						  struct err *err);
/*
 * Compresses and writes one block. -1: no room (ENOSPC, EFBIG, EDQUOT …) or no memory; err names
 * the path and says what; from then on every call fails and the file stays as it is, readable.
 */
int trace_writer_put(struct trace_writer *f, const struct trace_block *b, struct err *err);
/* Bytes so far. */
uint64_t trace_writer_bytes(const struct trace_writer *f);
/* zstd's level, 1 … 9; 1 unless said. */
void trace_writer_effort(struct trace_writer *f, int level);
/*
 * Writes the index, closes, frees. complete: the run came to its end. -1: the index or the new name
 * could not be written: the blocks are readable all the same.
 */
int trace_writer_close(struct trace_writer *f, bool complete, struct err *err);

/*
 * Reads trace files, which anybody may have written. A file without its index (its writer died, the
 * disk was full) is read by its blocks, up to the last whole one.
 */

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

#endif
