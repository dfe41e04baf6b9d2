/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/trace/encode.h"

#include "common/trace/call.h"

/* Bytes that any record has room for behind the limit, when it carries none of its own. */
#define RECORD 512u

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "values are written as they lie in memory");
_Static_assert(sizeof(struct trace_enc) < 1u << 20, "the state of a thread");
_Static_assert(sizeof(struct trace_raw) % 8 == 0, "frames are behind it");
_Static_assert(14 + 6 + TRACE_NUMBER + 16 <= TRACE_ENC_ACCESS, "a new slot, its number, at, value");
_Static_assert(sizeof(struct trace_raw) + TRACE_FRAMES * sizeof(struct trace_frame) + RECORD +
			       TRACE_BYTES_MOST + 64 <=
		       TRACE_BLOCK_LEAST,
	       "a block takes any record");

void trace_enc_open(struct trace_enc *e, void *mem, size_t room, const struct trace_start *start)
{
	struct trace_raw *raw = mem;
	uint32_t n = start->nframe < TRACE_FRAMES ? start->nframe : TRACE_FRAMES;
	unsigned char *at = (unsigned char *)(raw + 1);

	if (room > TRACE_BLOCK_MOST)
		room = TRACE_BLOCK_MOST;
	memset(e->slot, 0, sizeof(e->slot));
	memset(e->index, 0, sizeof(e->index));
	memset(e->value, 0, sizeof(e->value));
	memset(&e->iter, 0, sizeof(e->iter));
	e->records = 0;
	e->iterations = 0;
	e->nslot = 0;
	e->prev = UINT32_MAX;
	/* nobody may take what was here before for a block */
	atomic_store_explicit(&raw->used, 0, memory_order_release);
	raw->magic = TRACE_RAW_MAGIC;
	raw->room = (uint32_t)room;
	raw->rank = start->rank;
	raw->thread = start->thread;
	raw->seq = start->seq;
	raw->point = start->point;
	raw->nframe = n;
	raw->pad = 0;
	atomic_store_explicit(&raw->closed, 0, memory_order_relaxed);
	if (n)
		memcpy(at, start->frame, n * sizeof(struct trace_frame));
	at += n * sizeof(struct trace_frame);
	e->raw = raw;
	e->at = at;
	e->end = (unsigned char *)mem + room;
	e->limit = e->end - RECORD;
	atomic_store_explicit(&raw->used, (uint32_t)(at - (unsigned char *)mem),
			      memory_order_release);
}

size_t trace_enc_close(struct trace_enc *e)
{
	size_t used;

	if (!e->raw)
		return 0;
	used = (size_t)(e->at - (unsigned char *)e->raw);
	atomic_store_explicit(&e->raw->closed, 1, memory_order_release);
	e->raw = NULL;
	/* whoever forgets to open the next one learns that there is no room */
	e->at = e->end;
	return used;
}

struct trace_enc_slot *trace_enc_find(struct trace_enc *e, uint64_t pc, uint64_t tag)
{
	uint32_t i = trace_enc_hash(pc, tag);
	struct trace_enc_slot *s;

	for (; e->index[i]; i = (i + 1) & ((1u << TRACE_ENC_BITS) - 1)) {
		s = &e->slot[e->index[i]];
		if (s->pc == pc && s->tag == tag)
			return s;
	}
	if (e->nslot == TRACE_ENC_SLOTS)
		return NULL;
	e->index[i] = (uint16_t)(e->nslot + 1);
	s = &e->slot[e->nslot + 1];
	s->pc = pc;
	s->tag = tag;
	s->number = e->nslot++;
	return s;
}

/* Begins a rare record that carries n bytes; NULL: no room. */
static unsigned char *rare(struct trace_enc *e, enum trace_op op, size_t n)
{
	unsigned char *p = e->at;

	if (p > e->limit || n > (size_t)(e->limit - p))
		return NULL;
	*p++ = TRACE_CODE_RARE << 2;
	*p++ = (unsigned char)op;
	return p;
}

static unsigned char *put_point(unsigned char *p, const struct point *at)
{
	p = trace_put(p, at->main);
	p = trace_put(p, at->task);
	return trace_put(p, at->sub);
}

static unsigned char *put_bytes(unsigned char *p, const void *bytes, size_t n)
{
	p = trace_put(p, n);
	if (n)
		memcpy(p, bytes, n);
	return p + n;
}

bool trace_enc_begin(struct trace_enc *e, const struct trace_opening *o)
{
	unsigned char *p = rare(e, TRACE_BEGIN, 0);
	unsigned n = o->ndim < ARRAY_DIMS ? o->ndim : ARRAY_DIMS;

	if (!p)
		return false;
	p = trace_put(p, o->kind);
	p = trace_put(p, o->level);
	p = trace_put(p, o->place);
	p = put_point(p, &o->point);
	p = trace_put(p, n);
	for (unsigned d = 0; d < n; d++) {
		p = trace_put(p, trace_zigzag((uint64_t)o->first[d]));
		p = trace_put(p, trace_zigzag((uint64_t)o->last[d]));
		p = trace_put(p, trace_zigzag(o->step[d] ? (uint64_t)o->step[d] : 1));
	}
	trace_enc_done(e, p);
	return true;
}

bool trace_enc_end(struct trace_enc *e, unsigned kind, const struct point *point, uint32_t place,
		   bool left, uint64_t iterations)
{
	unsigned char *p = rare(e, TRACE_END, 0);

	if (!p)
		return false;
	p = trace_put(p, kind & 0xff);
	p = trace_put(p, left);
	p = trace_put(p, place);
	p = put_point(p, point);
	p = trace_put(p, iterations + 1);
	trace_enc_done(e, p);
	return true;
}

/* The beginning of a VALUE, n bytes of which follow; NULL: no room. */
static unsigned char *value(struct trace_enc *e, uint32_t object, uint32_t place, unsigned form,
			    size_t n)
{
	unsigned char *p = rare(e, TRACE_VALUE, n);

	return p ? trace_put(trace_put(trace_put(p, object), place), form) : NULL;
}

bool trace_enc_value(struct trace_enc *e, uint32_t object, uint32_t place, const void *bytes,
		     size_t n, bool hashed)
{
	unsigned char *p;

	if (n > TRACE_BYTES_MOST)
		n = TRACE_BYTES_MOST;
	p = value(e, object, place, hashed ? TRACE_VALUE_PRINT : TRACE_VALUE_WHOLE, n);
	if (p)
		trace_enc_done(e, put_bytes(p, bytes, n));
	return p;
}

bool trace_enc_value_part(struct trace_enc *e, uint32_t object, uint32_t place, const void *bytes,
			  size_t n, uint64_t before, uint64_t behind)
{
	unsigned char *p;

	if (n > TRACE_BYTES_MOST)
		n = TRACE_BYTES_MOST;
	p = value(e, object, place, TRACE_VALUE_PART, n);
	if (p)
		trace_enc_done(e, put_bytes(trace_put(trace_put(p, before), behind), bytes, n));
	return p;
}

bool trace_enc_reduction(struct trace_enc *e, uint64_t pc, uint32_t object, unsigned kind,
			 const void *bytes, size_t n)
{
	unsigned char *p;

	if (n > TRACE_BYTES_MOST)
		n = TRACE_BYTES_MOST;
	p = rare(e, TRACE_REDUCTION, n);
	if (!p)
		return false;
	p = trace_put(p, object);
	p = trace_put(p, pc);
	p = trace_put(p, kind & 0xff);
	trace_enc_done(e, put_bytes(p, bytes, n));
	return true;
}

bool trace_enc_skip(struct trace_enc *e, uint32_t place)
{
	unsigned char *p = rare(e, TRACE_SKIP, 0);

	if (p)
		trace_enc_done(e, trace_put(p, place));
	return p;
}

bool trace_enc_lost(struct trace_enc *e, unsigned kind, uint64_t records)
{
	unsigned char *p = rare(e, TRACE_LOST, 0);

	if (p)
		trace_enc_done(e, trace_put(trace_put(p, kind & 0xff), records));
	return p;
}

/* A number and a text, which is cut when it is too long. */
static bool put_text(struct trace_enc *e, enum trace_op op, uint64_t number, const char *text)
{
	size_t n = strlen(text);
	unsigned char *p;

	if (n > TRACE_BYTES_MOST)
		n = TRACE_BYTES_MOST;
	p = rare(e, op, n);
	if (p)
		trace_enc_done(e, put_bytes(trace_put(p, number), text, n));
	return p;
}

bool trace_enc_note(struct trace_enc *e, unsigned kind, const char *text)
{
	return put_text(e, TRACE_NOTE, kind & 0xff, text);
}

bool trace_enc_sum(struct trace_enc *e, uint32_t object, const char *text)
{
	return put_text(e, TRACE_SUM, object, text);
}

bool trace_enc_before(struct trace_enc *e, uint64_t pc, unsigned flags, uint32_t object,
		      uint64_t at)
{
	unsigned char *p = rare(e, TRACE_BEFORE, 0);

	if (!p)
		return false;
	p = trace_put(trace_put(p, object), pc);
	trace_enc_done(e, trace_put(trace_put(p, flags & 0xff), at & TRACE_AT_MASK));
	return true;
}

bool trace_enc_call(struct trace_enc *e, uint64_t pc, const struct trace_call *c)
{
	unsigned char bytes[TRACE_CALL_ROOM];
	size_t n = trace_call_put(bytes, c);
	unsigned char *p = rare(e, TRACE_CALL, n);

	if (p)
		trace_enc_done(e, put_bytes(trace_put(trace_put(trace_put(p, pc), c->begin), c->ns),
					    bytes, n));
	return p;
}
