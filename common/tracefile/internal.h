/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of trace files, for those who write and read them; see doc/TRACE.md.
 */
#ifndef DVMDBG_COMMON_TRACEFILE_INTERNAL_H
#define DVMDBG_COMMON_TRACEFILE_INTERNAL_H

#include "common/core/codec.h"
#include "common/tracefile/tracefile.h"

struct buf;

#define TRACE_MAGIC "dvmdbg trace bin" /* 16 bytes */
#define TRACE_MAGIC_BYTES 16u
#define TRACE_BLOCK_MAGIC 0x4b425444u /* "DTBK" */
#define TRACE_INDEX_MAGIC 0x58495444u /* "DTIX" */
#define TRACE_END_MAGIC 0x444e4554u   /* "TEND" */
#define TRACE_PIECE 16u	       /* what a block and the index begin with: magic, head, raw, packed */
#define TRACE_INDEX_HEAD 17u   /* bytes of the head of the index */
#define TRACE_TAIL 12u	       /* at the end of a file with an index: u64 where it is, u32 magic */
#define TRACE_HEAD_MOST 65536u /* bytes of a head */

/* What blocks and the index begin with: bytes of the head, of the content, and of that packed. */
struct trace_piece {
	uint32_t magic, head, raw, packed;
};
int trace_piece_code(struct codec *c, struct trace_piece *p);

/* The head of the index. */
struct trace_index_head {
	uint8_t complete; /* the program has ended by itself, and all it did is there */
	uint64_t blocks, records;
};
int trace_index_head_code(struct codec *c, struct trace_index_head *h);
CODEC_PAIR(trace_index_head, (void)0)
/* One block in the index: where it is, all its bytes, those of its content, and its head. */
struct trace_index_entry {
	uint64_t offset;
	uint32_t bytes, raw;
	const void *head; /* borrowed */
	size_t nhead;
};
int trace_index_entry_code(struct codec *c, struct trace_index_entry *e);
CODEC_PAIR(trace_index_entry, (void)0)
/* The end of a file with an index: where that is. */
struct trace_tail {
	uint64_t index;
	uint32_t magic;
};
int trace_tail_code(struct codec *c, struct trace_tail *t);
CODEC_PAIR(trace_tail, (void)0)

void trace_meta_put(const struct trace_meta *m, struct buf *b);
/* Texts are borrowed from b. -1: *format shows whether it is another one. */
int trace_meta_get(struct trace_meta *m, uint32_t *format, struct buf *b);

#endif
