/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of replicated objects, whole, as they are compared by name at the boundaries of
 * constructs: elements in the order of the language, of structures the fields one behind the other,
 * without what is between them. Small ones each time; larger ones, in parts, when they are not what
 * they were when they were recorded last, else a fingerprint says that they are; very large ones as
 * a fingerprint only.
 */
#include "runtime/record/record.h"

#include <string.h>

#include "common/array/layout.h"
#include "common/core/fingerprint.h"
#include "common/array/value.h"
#include "runtime/base/peek.h"

#define SMALL 256	 /* bytes of a value that is recorded each time */
#define LARGE (1u << 20) /* bytes of one that is recorded at all */
#define ROOM TRACE_BYTES_MOST
#define REPORTED_BITS 8

/* Where the bytes of a value go. */
struct sink {
	enum { PLAIN, PRINT, PARTS } how;
	unsigned char bytes[ROOM]; /* PLAIN: all of it, cut; else what waits for being enough */
	size_t n;
	struct fingerprint print;
	/* PARTS */
	struct tracer *t;
	uint32_t version, place;
	uint64_t done, total;
};

/* What was recorded of a version last. */
static struct reported {
	uint32_t version;
	unsigned char print[FINGERPRINT_BYTES];
} reported[1u << REPORTED_BITS];

/* What waits goes on; false: nothing is recorded any more. */
static bool drain(struct sink *s)
{
	size_t n = s->n;

	if (s->how == PLAIN || !n)
		return true;
	fingerprint_add(&s->print, s->bytes, n);
	s->n = 0;
	if (s->how == PRINT)
		return true;
	s->done += n;
	return TRACE_PUT(s->t, trace_enc_value_part(&s->t->enc, s->version, s->place, s->bytes, n,
						    s->done - n, s->total - s->done));
}

/* False: it cannot be read, or not recorded. */
static bool add(struct sink *s, uint64_t addr, uint64_t n)
{
	for (uint64_t some; n; n -= some, addr += some) {
		some = n < ROOM - s->n ? n : ROOM - s->n;
		if (!some)
			return true;
		if (!peek_bytes(s->bytes + s->n, addr, some))
			return false;
		s->n += some;
		if (s->n == ROOM && !drain(s))
			return false;
	}
	return true;
}

static const struct page_field *fields_of(const struct page_entity *e)
{
	return arena_at(e->field);
}

static uint64_t field_bytes(const struct page_field *f)
{
	return (uint64_t)value_size(f->type) * f->count;
}

/* Of one element. */
static uint64_t element_bytes(const struct page_entity *e)
{
	uint64_t n = 0;

	if (!e->nfield)
		return e->elem_size;
	for (uint32_t i = 0; i < e->nfield; i++)
		n += field_bytes(&fields_of(e)[i]);
	return n;
}

static bool add_element(struct sink *s, const struct page_entity *e, uint64_t addr)
{
	if (!e->nfield)
		return add(s, addr, e->elem_size);
	for (uint32_t i = 0; i < e->nfield; i++)
		if (!add(s, addr + fields_of(e)[i].offset, field_bytes(&fields_of(e)[i])))
			return false;
	return true;
}

/* n elements, so many bytes apart. */
static bool add_run(struct sink *s, const struct page_entity *e, uint64_t addr, uint64_t n,
		    int64_t stride)
{
	if (!e->nfield && stride == e->elem_size)
		return add(s, addr, n * e->elem_size);
	for (uint64_t i = 0; i < n; i++)
		if (!add_element(s, e, addr + i * (uint64_t)stride))
			return false;
	return true;
}

/* All elements, in the order of the language. */
static bool add_all(struct sink *s, const struct page_entity *e, uint64_t addr)
{
	struct layout l = { .size = e->elem_size };
	struct layout_walk w;
	struct layout_run r;

	for (uint32_t d = 0; d < e->ndim; d++)
		layout_add(&l,
			   &(struct layout_dim){ .extent = e->extent[d],
						 .own_hi = e->extent[d] - 1,
						 .stride = e->stride[d] },
			   false);
	layout_join(&l, e->order == 'F' ? LAYOUT_F : LAYOUT_C);
	layout_walk(&w, &l, LAYOUT_C);
	while (layout_next(&w, &r))
		if (!add_run(s, e, addr + (uint64_t)r.offset, r.n, r.stride))
			return false;
	return true;
}

/* Bytes of the whole value; 0: it is too large for a number. */
static uint64_t value_bytes(const struct page_entity *e)
{
	uint64_t n = element_bytes(e);

	for (uint32_t d = 0; d < e->ndim; d++)
		if (__builtin_mul_overflow(n, (uint64_t)e->extent[d], &n))
			return 0;
	return n;
}

/* Into the sink, which says how. */
static bool read_value(struct sink *s, const struct page_entity *e, uint64_t addr)
{
	s->n = 0;
	s->print = (struct fingerprint){ 0 };
	return add_all(s, e, addr) && drain(s);
}

static bool put(struct tracer *t, uint32_t version, uint32_t place, const void *bytes, size_t n,
		bool print)
{
	return TRACE_PUT(t, trace_enc_value(&t->enc, version, place, bytes, n, print));
}

static struct reported *reported_of(uint32_t version)
{
	return &reported[version * 0x9e3779b9u >> (32 - REPORTED_BITS)];
}

/* One of more than a few bytes; false: nothing is recorded any more. */
static bool put_large(struct tracer *t, const struct trace_object_item *o, uint32_t place,
		      struct sink *s, uint64_t bytes)
{
	struct reported *last = reported_of(o->version);
	unsigned char print[FINGERPRINT_BYTES];

	s->how = PRINT;
	if (!read_value(s, o->e, o->addr))
		return true;
	fingerprint_end(&s->print, print);
	if (bytes > LARGE ||
	    (last->version == o->version && !memcmp(last->print, print, sizeof(print))))
		return put(t, o->version, place, print, sizeof(print), true);
	s->how = PARTS;
	s->t = t;
	s->version = o->version;
	s->place = place;
	s->done = 0;
	s->total = bytes;
	last->version = 0;
	if (!read_value(s, o->e, o->addr))
		return tracer_ready(t);
	/* another thread may have changed it meanwhile */
	fingerprint_end(&s->print, last->print);
	last->version = o->version;
	return true;
}

void values_record(struct tracer *t, uint32_t place)
{
	struct trace_object_item o;
	struct sink s;
	uint64_t bytes;
	bool more = true;

	place = place ? place : TRACE_NONE;
	for (uint32_t i = 0; more && objects_replicated(i, &o); i++) {
		bytes = value_bytes(o.e);
		s.how = PLAIN;
		if (bytes > SMALL)
			more = put_large(t, &o, place, &s, bytes);
		else if (bytes && read_value(&s, o.e, o.addr))
			more = put(t, o.version, place, s.bytes, s.n, false);
	}
}

void values_reduction(struct tracer *t, const struct page_entity *e, uint32_t version,
		      uint32_t place, unsigned op)
{
	struct sink s = { .how = PLAIN };

	if (value_bytes(e) && read_value(&s, e, e->addr))
		TRACE_PUT(t, trace_enc_reduction(&t->enc, PAGE_SITE_LOC | place, version, op,
						 s.bytes, s.n));
}
