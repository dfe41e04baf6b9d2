/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of joins: a scope of this run beside the same of the reference, each as a stream.
 */
#ifndef DVMDBG_COMMON_TRACE_CMP_JOIN_H
#define DVMDBG_COMMON_TRACE_CMP_JOIN_H

#include "common/tracediff/internal.h"
#include "common/tracediff/match_table.h"

#define JOIN_ROWS 8u
#define JOIN_LATE 65536u /* accesses that wait to be looked up in the reference */
#define JOIN_DEEP 32u	 /* reads of one element, of which more are looked up by their values first */

/* Neighbours in an array, and which of them lie on this rank. */
struct join_row {
	uint64_t key, n;      /* bytes */
	uint64_t keep, nkeep; /* of those */
};

/* What one rank of the reference did there. */
struct join_stream {
	struct ref_parts parts;
	bool begun, over;
	uint32_t pos; /* in the part */
	struct join_row row[JOIN_ROWS];
};

/* An access whose counterpart is not in the table. */
struct join_second {
	uint64_t key, now, ref;
	uint32_t rec, nth;     /* which write of the element; 0: a read, … */
	uint32_t after;	       /* … after so many writes */
	uint32_t next, writes; /* next with the key, + 1; of the first: writes that were counted */
	uint32_t same, behind; /* next with the key and the value, + 1; of the first: reads behind it */
	uint64_t end; /* what the reference writes last; of the first: in one of its files */
	uint16_t site;
	uint8_t size, block; /* block: 0 this one, 1 the one before, 2 an older one */
	bool write, has_ref, settled;
	bool ended, right; /* end is known; and this is the same */
};

/* Whether another statement of the reference makes the nth of so many writes of an element. */
struct join_turn {
	uint64_t place;
	int32_t ident;
	uint32_t nth, of;
	bool other;
};

#define JOIN_SPANS 8
#define JOIN_TURNS 64u /* looked up: each is a look at all of the reference's construct */

/* Of an object: the reference reads it; some statement writes an element of it several times; and
 * not in the reference's order; a wrong last write of it is reported. */
enum { JOIN_READ = 1, JOIN_LOOSE = 2, JOIN_ANY = 4, JOIN_TOLD = 8, JOIN_WRITTEN = 16 };

struct cmp_join {
	bool whole; /* a construct without marks; else a scope */
	struct ref_want want;
	int64_t index[ARRAY_DIMS];
	struct ref_at at;
	struct join_table t;
	struct join_stream *stream; /* owned */
	uint32_t n;
	uint8_t level, trace_index_level;
	bool lossy;	/* something is missing, here or there: order says nothing */
	uint8_t *flags; /* owned; by ident: JOIN_READ, … */
	uint32_t nflags;
	struct join_second *late; /* owned */
	uint32_t nlate, second_cap;
	uint32_t *second_table; /* owned; the first with a key, + 1; then writes by their number */
	uint32_t nspan;	      /* more than JOIN_SPANS: not kept */
	struct ref_keys span[JOIN_SPANS]; /* of keys that wait, by object */
	uint64_t seq;
	struct join_turn turn[JOIN_TURNS];
	unsigned nturn;
	struct join_deferred *held; /* owned; NULL: nothing was held back */
};

/* tracediff_join.c: a new look at all of stream f of the reference. */
void join_parts(struct tracediff *c, const struct cmp_join *j, uint32_t f, struct ref_parts *p);
static inline uint8_t join_flags(const struct cmp_join *j, unsigned ident)
{
	return ident < j->nflags ? j->flags[ident] : 0;
}
static inline bool join_reads(const struct cmp_join *j, unsigned ident)
{
	return join_flags(j, ident) & JOIN_READ;
}
/* A write that counts: what is copied into a halo does not. */
static inline bool join_is_write(const struct cmp_join *j, const struct trace_acc *a)
{
	return a->flags & TRACE_ACC_WRITE && (!j->whole || a->flags & TRACE_ACC_OWN);
}
/* An array that is written here, and nowhere there, by ranks that may have received it, unseen. */
static inline bool join_received(const struct cmp_join *j, bool write, unsigned ident)
{
	return write && j->whole && j->n > 1 && !(join_flags(j, ident) & JOIN_WRITTEN);
}
void join_mark(struct tracediff *c, struct cmp_join *j, unsigned ident, uint8_t flag);
/* All of the reference is read: how often it writes the element. */
unsigned join_writes(struct tracediff *c, struct cmp_join *j, uint64_t key);
/* A write of a construct without marks beside the reference's writes of the element. */
struct join_write {
	uint32_t nth, of;     /* which it is; how many the reference has */
	bool newest;	      /* there was none since then */
	bool right;	      /* it is what the reference's last one is, … */
	const uint64_t *last; /* … which is this; NULL: not known */
};
/*
 * tracediff_held.c: the nth write is not what the reference's is, though both may be right. It is
 * reported when the construct ends, unless it turns out that only the order was another one.
 */
void join_hold(struct tracediff *c, struct cmp_join *j, const struct join_element *e,
	       struct cmp_suspicion *s, const struct join_write *w);
/* Something is written here. */
void join_written(struct tracediff *c, struct cmp_join *j, const struct trace_acc *a);
/* An element of which something is held is written again. */
void join_rewritten(struct cmp_join *j, const struct join_element *e, uint64_t key, bool right);
/* All has been written, as far as it goes: reports what is deferred. */
void join_decide(struct tracediff *c, struct cmp_join *j, bool complete);
/* Whether an element that was written less often than in the reference is right, or reported
 * already. */
bool join_ended(struct tracediff *c, struct cmp_join *j, const struct join_element *e, uint64_t key,
		unsigned now, unsigned ref);
size_t join_deferred_bytes(const struct join_deferred *h);
void join_deferred_free(struct join_deferred *h); /* NULL is fine */
/* tracediff_late.c */
/* An access that is to be looked up later. */
void join_later(struct tracediff *c, struct cmp_join *j, const struct cmp_now *n, uint32_t i,
		uint32_t nth, uint32_t after);
/* Where it comes in the reference's order, when it is the first of its kind; seq: in this run's. */
void join_order(struct tracediff *c, struct cmp_join *j, struct cmp_suspicion *s, uint32_t nth,
		uint32_t after, uint64_t seq);
/* Raises it, so placed. */
void join_suspect(struct tracediff *c, struct cmp_join *j, struct cmp_suspicion *s, uint32_t nth,
		  uint32_t after);

#endif
