/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decodable blocks and their records. A block comes from a raw block of a program (which may have
 * run wild) or from a file (which anybody may have written): nothing in it is trusted.
 */
#ifndef DVMDBG_COMMON_TRACE_DEC_H
#define DVMDBG_COMMON_TRACE_DEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/codec.h"
#include "common/trace/trace.h"

struct err;

enum trace_column { /* of a block's records, see doc/TRACE.md */
		    TRACE_COL_OPS,
		    TRACE_COL_NUMBERS,
		    TRACE_COL_WORDS,  /* values of 8 and 16 bytes */
		    TRACE_COL_HALVES, /* of 4 */
		    TRACE_COL_BYTES,  /* of 1 and 2, and what has any length */
		    TRACE_COLS
};

/* An access site with an object: records name these, from 0 in order of appearance. */
struct trace_slot {
	uint32_t site, object;
	uint8_t flags;
};

/* Owned, all of it; texts and bytes are in `data`. */
struct trace_block {
	struct trace_info info;
	struct trace_frame *
		frame; /* open where the block begins, outermost first; their place as in records */
	struct trace_module *module;
	struct trace_site *site;
	struct trace_object *object;
	struct place *place;
	struct trace_slot *slot;
	uint32_t nframe, nmodule, nsite, nobject, nplace, nslot;
	struct trace_col {
		const unsigned char *data;
		size_t n;
	} col[TRACE_COLS];
	unsigned char *data; /* the content, as doc/TRACE.md describes it */
	size_t ndata;
	unsigned kept; /* by so many others than the first who has it; trace_block_keep */
};

/*
 * Explains the numbers of a raw block. Each is called once per number and block, fills *out and
 * returns 0, or -1 when it does not know (the record keeps an unnamed entry then), or
 * TRACE_NO_MEMORY (there is no block then). What out points
 * to is copied before the next call: strings, build id, lists and fields of a description.
 */
#define TRACE_NO_MEMORY (-2)
struct trace_resolver {
	void *arg;
	int (*site)(void *arg, uint64_t pc, struct trace_site *out);
	int (*object)(void *arg, uint32_t version, struct trace_object *out); /* version is set */
	int (*place)(void *arg, uint32_t place, struct place *out);
	/* The i-th of those that were loaded while the block was filled; -1: no more. Asked for
	 * when there are accesses to memory that is no object. */
	int (*module)(void *arg, uint32_t i, struct trace_module *out);
};

/*
 * Makes *b of a raw block: n bytes at mem, which may change while it is read (the program may still
 * write behind `used`); a copy is made, so mem is free afterwards. half: what was dead or still
 * being filled is taken up to its last whole record. -1: no raw block, damaged beyond that, or no
 * memory.
 */
int trace_block_from_raw(struct trace_block *b, const void *mem, size_t n,
			 const struct trace_resolver *r, struct err *err);
/*
 * An address that a record of the block without an object has: true, and *out, borrowed from the
 * block, is what has it: place.module and place.vaddr, its address there, and module. False: it is
 * in no module that the block knows (but on a stack, in memory that was allocated …).
 */
bool trace_block_module(const struct trace_block *b, uint64_t address, struct trace_site *out);
/* Frees what b owns, not b. */
void trace_block_clear(struct trace_block *b);
/* Both; for what trace_reader_block returned. When others keep it, it goes with the last of
 * them. */
void trace_block_free(struct trace_block *b);
/* The same block once more, to be freed once more, by the same thread. Returns b. */
struct trace_block *trace_block_keep(struct trace_block *b);
/* Bytes of memory it takes, for those who keep some of them. */
size_t trace_block_bytes(const struct trace_block *b);

/*
 * Goes through the records of a block, which has to stay. frame[0 … depth - 1] are the constructs
 * that are open after the record that was read last, with their iterations; deeper ones are counted
 * only.
 */
struct trace_cursor {
	const struct trace_block *block;
	struct trace_frame *frame; /* TRACE_FRAMES; owned */
	unsigned depth;
	uint64_t record; /* how many were read */
	struct trace_cursor_impl *impl;
};

/* NULL: no memory. */
struct trace_cursor *trace_cursor_open(const struct trace_block *b);
/* Begins another block with the same memory. 0, -1: no memory. */
int trace_cursor_start(struct trace_cursor *c, const struct trace_block *b);
void trace_cursor_free(struct trace_cursor *c);
/* 1, 0 at the end, -1 damaged: what was read before holds, nothing follows. */
int trace_block_next(struct trace_cursor *c, struct trace_rec *out);
/* When the next record is an iteration: 1 and its indices, quicker; else 0 and nothing is read. -1
 * damaged. */
int trace_block_next_iter(struct trace_cursor *c, uint8_t *nidx, int64_t *index);

/*
 * Accesses and iterations as they follow each other, many at once: for readers that look at each of
 * millions.
 */
#define TRACE_BATCH 256
struct trace_batch_item {
	uint32_t slot;	/* in block->slot; TRACE_NONE: an iteration begins */
	uint32_t nidx;	/* of an iteration: its indices */
	uint64_t at; /* of an access, as in a record; of an iteration: where in `index` they are */
	uint64_t value; /* of an access: the first word */
};
struct trace_batch {
	unsigned n, nindex;
	struct trace_batch_item step[TRACE_BATCH];
	uint64_t more[TRACE_BATCH]; /* the second word of an access of 16 bytes */
	int64_t index[TRACE_BATCH * ARRAY_DIMS];
	/* the iteration that ran before them */
	uint8_t nidx;
	int64_t before[ARRAY_DIMS];
};

/*
 * The next steps, none where another record comes next, or the end. -1: damaged behind them. The
 * cursor's frames are as they were before them: trace_batch_enter.
 */
int trace_block_batch(struct trace_cursor *c, struct trace_batch *s);
/* The innermost frame is in that iteration of the steps; NULL: in the one before them. */
void trace_batch_enter(struct trace_cursor *c, const struct trace_batch *s,
		       const struct trace_batch_item *iter);
/* A step as a record. */
void trace_batch_record(const struct trace_cursor *c, const struct trace_batch *s,
			const struct trace_batch_item *step, struct trace_rec *out);

/*
 * For traceindex/segment_reader.c: the tables of content that b takes over (n bytes from malloc),
 * also when it fails. b->info has to be set.
 */
int trace_block_get(struct trace_block *b, unsigned char *data, size_t n, struct err *err);
/* What is known of a block without decoding, for the file. */
int trace_info_code(struct codec *c, struct trace_info *i);
CODEC_PAIR(trace_info, (void)0)

#endif
