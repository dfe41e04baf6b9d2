/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the encoder: its state, and what is done at each access. Included by encode.h.
 *
 * The bytes of a raw block behind struct trace_raw and the frames are, record by record, an op byte
 * and what it asks for. raw.c separates them into columns; doc/TRACE.md shows what they mean.
 */
#ifndef DVMDBG_COMMON_TRACE_ENC_IMPL_H
#define DVMDBG_COMMON_TRACE_ENC_IMPL_H

#ifndef DVMDBG_COMMON_TRACE_ENC_H
#error "include common/trace/encode.h"
#endif

#include "common/trace/code.h"

#define TRACE_RAW_MAGIC 0x57525444u /* "DTRW" */

/* What a raw block begins with. nframe times struct trace_frame follow, then the records. */
struct trace_raw {
	uint32_t magic;
	uint32_t room;
	_Atomic uint32_t used;	 /* bytes from here on that are whole */
	_Atomic uint32_t closed; /* 1: nothing is added any more */
	uint32_t rank, thread;
	uint64_t seq;
	struct point point;
	uint32_t nframe, pad;
};

/* What is known of a slot: a place in the code with an object. */
struct trace_enc_slot {
	uint64_t pc;
	uint64_t tag; /* object << 8 | flags; 0: free */
	struct trace_track track;
	uint32_t number;
	uint32_t pad;
};

#define TRACE_ENC_BITS 12     /* of the table of slots */
#define TRACE_ENC_SLOTS 3072u /* a block takes no more */
#define TRACE_ENC_ACCESS 64u  /* bytes of one access, at the most */

struct trace_enc {
	unsigned char *at;    /* where the next record goes */
	unsigned char *limit; /* behind it there may be no room for one */
	unsigned char *end;
	struct trace_raw *raw; /* NULL: no block is open */
	uint64_t records;
	uint32_t iterations; /* that begin in the block */
	uint32_t nslot;
	uint32_t prev; /* slot of the last access */
	struct trace_iter iter;
	/* behind one that is free, by their numbers: an access is mostly that of the next one */
	struct trace_enc_slot slot[TRACE_ENC_SLOTS + 2];
	uint16_t index[1u << TRACE_ENC_BITS]; /* by hash, of slot; 0: free */
	uint64_t value[TRACE_VALUES];
};

/* For those who have memory in bytes. */
#define TRACE_ENC sizeof(struct trace_enc)

static inline bool trace_enc_is_open(const struct trace_enc *e)
{
	return e->raw != NULL;
}

static inline uint64_t trace_enc_records(const struct trace_enc *e)
{
	return e->records;
}

/* The slot of the access, made when it is new: then nslot is one more. NULL: no more slots. */
struct trace_enc_slot *trace_enc_find(struct trace_enc *e, uint64_t pc, uint64_t tag);

/* The record that ends at p is whole. */
static inline void trace_enc_done(struct trace_enc *e, unsigned char *p)
{
	e->at = p;
	e->records++;
	atomic_store_explicit(&e->raw->used, (uint32_t)(p - (unsigned char *)e->raw),
			      memory_order_release);
}

static inline unsigned trace_enc_hash(uint64_t pc, uint64_t tag)
{
	return (unsigned)(((pc ^ tag << 20) * UINT64_C(0x9e3779b97f4a7c15)) >>
			  (64 - TRACE_ENC_BITS));
}

/* The slot of the access where it is found at once, else another. */
static inline struct trace_enc_slot *trace_enc_look(struct trace_enc *e, uint64_t pc, uint64_t tag)
{
	struct trace_enc_slot *s = &e->slot[(uint32_t)(e->prev + 2)];

	if (__builtin_expect(s->pc == pc && s->tag == tag, 1))
		return s;
	return &e->slot[e->index[trace_enc_hash(pc, tag)]];
}

/* A definition in front of the record that uses the slot for the first time. */
static inline unsigned char *trace_enc_define(unsigned char *p, struct trace_enc_slot *s)
{
	uint32_t object = (uint32_t)(s->tag >> 8);

	*p++ = TRACE_CODE_NEW << 2;
	memcpy(p, &s->pc, 8);
	memcpy(p + 8, &object, 4);
	p[12] = (unsigned char)s->tag;
	return p + 13;
}

/* The op byte of an access in the slot; its number is behind it when it is far from the last one.
 */
static inline unsigned char *trace_enc_op(struct trace_enc *e, unsigned char *p, uint32_t slot)
{
	int32_t step = (int32_t)(slot - e->prev - 1);
	uint32_t code = (uint32_t)step << 1 ^ (uint32_t)(step >> 31);

	e->prev = slot;
	if (__builtin_expect(code < TRACE_CODE_FAR, 1)) {
		*p = (unsigned char)(code << 2);
		return p + 1;
	}
	*p = TRACE_CODE_FAR << 2;
	return trace_put(p + 1, slot);
}

static inline __attribute__((always_inline)) bool
trace_enc_access_here(struct trace_enc *e, uint64_t pc, unsigned flags, uint32_t object,
		      uint64_t at, const void *value)
{
	uint64_t tag = (uint64_t)object << 8 | (flags & 0xff), position = 0, v[2];
	struct trace_enc_slot *s = trace_enc_look(e, pc, tag);
	unsigned size = flags & TRACE_SIZE, bits = 0;
	unsigned char *p = e->at, *op;

	if (__builtin_expect(p > e->limit, 0))
		return false;
	if (__builtin_expect(s->pc != pc || s->tag != tag, 0)) {
		uint32_t known = e->nslot;

		s = trace_enc_find(e, pc, tag);
		if (!s)
			return false;
		if (e->nslot != known)
			p = trace_enc_define(p, s);
	}
	op = p;
	p = trace_enc_op(e, p, s->number);
	if (trace_track(&s->track, at & TRACE_AT_MASK, size, &position))
		bits = TRACE_PREDICTED_AT;
	else
		p = trace_put(p, position);
	trace_load(v, value, size);
	if (trace_guess(e->value, object, at & TRACE_AT_MASK, size, v)) {
		bits |= TRACE_PREDICTED_VALUE;
	} else {
		/* there is room for 16 always */
		memcpy(p, v, 16);
		p += size;
	}
	*op |= (unsigned char)bits;
	trace_enc_done(e, p);
	return true;
}

static inline bool trace_enc_access(struct trace_enc *e, uint64_t pc, unsigned flags,
				    uint32_t object, uint64_t at, const void *value)
{
	return trace_enc_access_here(e, pc, flags, object, at, value);
}

static inline bool trace_enc_access_last(struct trace_enc *e, uint64_t pc, unsigned flags,
					 uint32_t object, uint64_t at, const void *value)
{
	unsigned char *limit = e->limit;
	bool put;

	if (!e->raw)
		return false;
	e->limit = e->end - TRACE_ENC_ACCESS;
	put = trace_enc_access(e, pc, flags, object, at, value);
	e->limit = limit;
	return put;
}

static inline bool trace_enc_iter(struct trace_enc *e, unsigned n, const int64_t *index)
{
	unsigned char *p = e->at;
	unsigned how;

	if (__builtin_expect(p > e->limit || n > ARRAY_DIMS ||
				     e->iterations == TRACE_BLOCK_ITERATIONS,
			     0))
		return false;
	how = trace_iter_how(&e->iter, n, index);
	*p++ = (unsigned char)(TRACE_CODE_ITER << 2 | how);
	if (how == TRACE_ITER_SAID) {
		p = trace_put(p, n);
		for (unsigned d = 0; d < n; d++)
			p = trace_put(p,
				      trace_zigzag((uint64_t)index[d] - (uint64_t)e->iter.last[d]));
	}
	trace_iter_set(&e->iter, n, index, how);
	e->iterations++;
	trace_enc_done(e, p);
	return true;
}

#endif
