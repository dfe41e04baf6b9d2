/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fills raw blocks, in the program, at each access: no allocation, no library function but memcpy,
 * no errors: a function that returns false has written nothing, because the block is full; close
 * it, open the next one, call again (a block of TRACE_BLOCK_LEAST bytes takes any one record, but
 * for bytes that are longer: see trace_enc_value).
 *
 * A raw block begins with struct trace_raw. `used` is stored (release) after each record, so that
 * the block is readable up to it at any time, also when the thread is dead.
 *
 * struct trace_enc has TRACE_ENC bytes, one per thread: too much for thread-local storage of a
 * preloaded library (it comes out of the stacks): put it into memory of its own and keep a pointer.
 * Zeroed memory is a good start; trace_enc_open need not be preceded by anything.
 */
#ifndef DVMDBG_COMMON_TRACE_ENC_H
#define DVMDBG_COMMON_TRACE_ENC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/trace/trace.h"

#define TRACE_BLOCK_LEAST 16384u     /* bytes of a raw block, at the least */
#define TRACE_BLOCK_MOST (64u << 20) /* and at the most */
/* Iterations that begin in a block: whoever looks for one of them reads no more than so many. */
#define TRACE_BLOCK_ITERATIONS (1u << 16)
#define TRACE_BYTES_MOST 4096u	     /* bytes that VALUE, REDUCTION, NOTE can carry */

/* What a block begins with; the construct stack is borrowed for the call. */
struct trace_start {
	uint32_t rank, thread;
	uint64_t seq; /* may be set later, in trace_raw.seq: the order in which blocks are closed */
	struct point point;		 /* the last point passed; main 0: none */
	const struct trace_frame *frame; /* outermost first; place: the writer's number */
	uint32_t nframe; /* at most TRACE_FRAMES; deeper ones are left out by the caller */
};

struct trace_enc;

/* mem: room bytes, aligned to 8. Nothing is written beyond. */
void trace_enc_open(struct trace_enc *e, void *mem, size_t room, const struct trace_start *start);
/* The bytes used. The block is whole; e waits for the next trace_enc_open. */
size_t trace_enc_close(struct trace_enc *e);
/* Whether a block is open, and how many records it has. */
static inline bool trace_enc_is_open(const struct trace_enc *e);
static inline uint64_t trace_enc_records(const struct trace_enc *e);

/*
 * A read (flags without TRACE_WRITES) or a completed write of flags & TRACE_SIZE bytes at `value`,
 * which need not be aligned. pc: any number that the resolver understands. object: the version of
 * an object, any number but TRACE_NOWHERE; at: bytes from its address.
 */
static inline bool trace_enc_access(struct trace_enc *e, uint64_t pc, unsigned flags,
				    uint32_t object, uint64_t at, const void *value);
/* The same without a call: short where the compiler knows the size in flags. */
static inline bool trace_enc_access_here(struct trace_enc *e, uint64_t pc, unsigned flags,
					 uint32_t object, uint64_t at, const void *value);
/* The same into what a full block has kept: a few at the least, for what has to go into this
 * one. */
static inline bool trace_enc_access_last(struct trace_enc *e, uint64_t pc, unsigned flags,
					 uint32_t object, uint64_t at, const void *value);
/* An iteration of the innermost construct begins. n <= ARRAY_DIMS. */
static inline bool trace_enc_iter(struct trace_enc *e, unsigned n, const int64_t *index);

/* A construct that begins; place is the writer's number for it, which the resolver understands. */
struct trace_opening {
	uint8_t kind, level, ndim; /* ndim 0: the range was not said */
	uint32_t place;
	struct point point; /* main 0 when the kind has none; side is not looked at */
	int64_t first[ARRAY_DIMS], last[ARRAY_DIMS]; /* of a task: ndim 1, first[0] its number */
	int64_t step[ARRAY_DIMS];		     /* 0 is 1 */
};
bool trace_enc_begin(struct trace_enc *e, const struct trace_opening *o);
/*
 * The innermost construct ends. iterations: how many were executed, UINT64_MAX: not known. point:
 * its number, main 0 when it has none.
 */
bool trace_enc_end(struct trace_enc *e, unsigned kind, const struct point *point, uint32_t place,
		   bool left, uint64_t iterations);
/*
 * The value of a replicated object: its n bytes or a fingerprint of them (hashed). n <=
 * TRACE_BYTES_MOST: more is cut.
 */
bool trace_enc_value(struct trace_enc *e, uint32_t object, uint32_t place, const void *bytes,
		     size_t n, bool hashed);
/* n bytes of it, that many of it come before and behind them, in records of their own. */
bool trace_enc_value_part(struct trace_enc *e, uint32_t object, uint32_t place, const void *bytes,
			  size_t n, uint64_t before, uint64_t behind);
/* The result of a reduction into the object (TRACE_NOWHERE: not registered), n bytes; kind: the
 * operation. */
bool trace_enc_reduction(struct trace_enc *e, uint64_t pc, uint32_t object, unsigned kind,
			 const void *bytes, size_t n);
bool trace_enc_skip(struct trace_enc *e, uint32_t place);
bool trace_enc_lost(struct trace_enc *e, unsigned kind, uint64_t records);
bool trace_enc_note(struct trace_enc *e, unsigned kind, const char *text);
/* An imported checksum: text as it stood. */
bool trace_enc_sum(struct trace_enc *e, uint32_t object, const char *text);
/* An imported write begins; as trace_enc_access. */
bool trace_enc_before(struct trace_enc *e, uint64_t pc, unsigned flags, uint32_t object,
		      uint64_t at);
/* A call of MPI has returned to pc. */
struct trace_call;
bool trace_enc_call(struct trace_enc *e, uint64_t pc, const struct trace_call *c);

#include "common/trace/encode_impl.h"

#endif
