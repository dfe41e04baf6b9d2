/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of a block is compared, in a form that is quick to compare: accesses to elements of
 * distributed arrays by their keys (object_id.h), cut into scopes, and the events of the
 * sequential branch. A block is read in segments of a bounded size.
 *
 * A scope is an iteration of a parallel loop, what a parallel loop does outside its iterations (all
 * it does when they are not marked), or what a task does outside its loops. A scope may have
 * several parts: MORE says that another one follows, in the next segment or block of the thread
 * (or, of a task, behind a loop), CONT that there was one before. A part can be empty.
 */
#ifndef DVMDBG_COMMON_TRACE_SEG_H
#define DVMDBG_COMMON_TRACE_SEG_H

#include "common/trace/decode.h"
#include "common/traceindex/object_id.h"

#define TRACE_SEG_ACCESSES 8192u /* a segment ends with the scope in which it gets so many … */
#define TRACE_SEG_MOST 16384u	 /* … or in the middle of one that has so many */

enum { TRACE_ACC_WRITE = 1, TRACE_ACC_OWN = 2 };

struct trace_acc {
	uint64_t key, value;
	uint32_t rec;  /* which record of the block, from 0 */
	uint16_t site; /* in block->site; the last one for those that are further back */
	uint8_t size;
	uint8_t flags;
};

enum trace_scope_kind { TRACE_SCOPE_BODY, TRACE_SCOPE_ITER, TRACE_SCOPE_TASK };
enum { TRACE_SCOPE_CONT = 1, TRACE_SCOPE_MORE = 2, TRACE_SCOPE_LOSSY = 4 };

struct trace_scope {
	struct point point; /* of the loop's or region's beginning */
	uint32_t acc, nacc; /* in seg->acc */
	uint32_t rec;	    /* the record that opened it */
	uint32_t index;	    /* in seg->index */
	uint8_t kind;	    /* enum trace_scope_kind */
	uint8_t nidx;
	uint8_t level; /* the lowest in force inside: what is recorded; TRACE_CONFIG_FULL at the most */
	uint8_t flags;
};

/* Anything else, of the thread that runs main: BEGIN, END, ITER (of a sequential loop), VALUE,
 * REDUCTION, SKIP, LOST. Inside parallel loops only their ends, VALUE, REDUCTION and LOST. */
struct trace_event {
	uint8_t op, kind, left, nidx, level, hashed;
	bool in_task;
	uint32_t rec, task; /* task: its number when in_task; also of its own BEGIN and END */
	struct point point; /* as in the record; of a task's BEGIN and END: its region's */
	uint64_t place;	    /* a hash of the source position; 0: not known */
	uint32_t where;	    /* in block->place, or TRACE_NONE */
	uint64_t count;	    /* END: iterations. VALUE: bytes of it behind these */
	uint64_t before;    /* VALUE: bytes of it before them */
	int32_t ident;	    /* VALUE, REDUCTION: of the object; -1 none */
	uint32_t index, bytes, nbytes; /* in seg->index, seg->bytes */
};

/* Owned; zeroed: empty. */
struct segment {
	struct trace_acc *acc;
	struct trace_scope *scope;
	struct trace_event *event;
	int64_t *index;
	unsigned char *bytes;
	uint32_t nacc, nscope, nevent, nindex, nbytes;
	uint32_t cap_acc, cap_scope, cap_event, cap_index, cap_bytes;
	uint32_t changes[ARRAY_DIMS]; /* how often each index of iterations changed, … */
	uint32_t falls[ARRAY_DIMS];   /* … and became smaller when it was the only one that did */
};

void segment_clear(struct segment *s);
size_t segment_bytes(const struct segment *s);

struct segment_reader;

/* file: of the reference, or anything beyond its files for the run that is compared. */
struct segment_reader *segment_reader_create(struct object_ids *idents, uint32_t file);
void segment_reader_destroy(struct segment_reader *r);
/* Begins a block, which has to stay. resumed: a part of a scope may have come before. -1: memory.
 */
int segment_reader_start(struct segment_reader *r, const struct trace_block *b);
/*
 * Fills s (what it had is given up, its memory is kept): 1 there may be more, 0 the block has
 * ended, -1 it is damaged or there is no memory: what s has holds.
 */
int segment_reader_fill(struct segment_reader *r, struct segment *s);
size_t segment_reader_bytes(const struct segment_reader *r);

/* A hash of a source position that is equal for equal ones in runs of one program; 0: none. */
uint64_t segment_place_hash(const struct place *p);
/* Equal index vectors; they have few dimensions. */
static inline bool trace_same_index(const int64_t *a, const int64_t *b, unsigned n)
{
	for (unsigned d = 0; d < n; d++)
		if (a[d] != b[d])
			return false;
	return true;
}

/* What a level records; CHECKSUM records begin and end only. */
static inline unsigned trace_level(unsigned level)
{
	return level <= 3 ? level : 0;
}

#endif
