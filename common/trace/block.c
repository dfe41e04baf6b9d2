/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The content of a block, as it is in files: tables, then the columns of its records. Everything is
 * checked here but the records themselves: their reader does that one by one.
 */
#include "common/trace/block.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/trace/code.h"

void trace_block_clear(struct trace_block *b)
{
	for (uint32_t i = 0; i < b->nobject; i++)
		array_desc_clear(&b->object[i].desc);
	free(b->frame);
	free(b->module);
	free(b->site);
	free(b->object);
	free(b->place);
	free(b->slot);
	free(b->data);
	*b = (struct trace_block){ 0 };
}

void trace_block_free(struct trace_block *b)
{
	if (!b)
		return;
	trace_block_clear(b);
	free(b);
}

size_t trace_block_bytes(const struct trace_block *b)
{
	return sizeof(*b) + b->ndata + b->nframe * sizeof(*b->frame) +
	       b->nmodule * sizeof(*b->module) + b->nsite * sizeof(*b->site) +
	       b->nobject * sizeof(*b->object) + b->nplace * sizeof(*b->place) +
	       b->nslot * sizeof(*b->slot);
}

bool trace_block_module(const struct trace_block *b, uint64_t address, struct trace_site *out)
{
	for (uint32_t i = 0; i < b->nmodule; i++) {
		const struct trace_module *m = &b->module[i];
		/* `at` is without the top bits */
		uint64_t own = (address - m->load) & TRACE_AT_MASK;

		if (own < m->lo || own >= m->hi)
			continue;
		*out = (struct trace_site){
			.place = { .file = "", .func = "", .module = m->path, .vaddr = own },
			.build_id = m->build_id,
			.nbuild_id = m->nbuild_id,
			.module = m
		};
		return true;
	}
	return false;
}

/* A count of things that take `least` bytes each; *out is an array for them, NULL when it is 0. */
static int get_count(struct buf *in, size_t least, size_t size, uint32_t *n, void **out)
{
	uint32_t count = buf_get_u32(in);

	*n = 0;
	*out = NULL;
	if (in->bad || count > buf_left(in) / least) {
		in->bad = true;
		return 0;
	}
	if (count && !(*out = calloc(count, size)))
		return -1;
	*n = count;
	return 0;
}

/* A position in a table of n, from 1; 0 is none. */
static uint32_t get_position(struct buf *in, uint32_t n)
{
	uint32_t v = buf_get_u32(in);

	if (v > n)
		in->bad = true;
	return v - 1;
}

static int get_modules(struct trace_block *b, struct buf *in)
{
	void *table;
	size_t n;

	if (get_count(in, 29, sizeof(*b->module), &b->nmodule, &table))
		return -1;
	b->module = table;
	for (uint32_t i = 0; i < b->nmodule; i++) {
		struct trace_module *m = &b->module[i];

		m->path = buf_get_str(in);
		m->build_id = buf_get_blob(in, &n);
		m->nbuild_id = (uint32_t)n;
		m->load = buf_get_u64(in);
		m->lo = buf_get_u64(in);
		m->hi = buf_get_u64(in);
		in->bad = in->bad || m->lo > m->hi;
	}
	return 0;
}

static int get_sites(struct trace_block *b, struct buf *in)
{
	void *table;

	if (get_count(in, 18, sizeof(*b->site), &b->nsite, &table))
		return -1;
	b->site = table;
	for (uint32_t i = 0; i < b->nsite; i++) {
		struct trace_site *s = &b->site[i];
		uint32_t m = get_position(in, b->nmodule);

		s->place.module = "";
		s->place.vaddr = buf_get_u64(in);
		s->place.file = buf_get_str(in);
		s->place.func = buf_get_str(in);
		s->place.line = buf_get_u32(in);
		if (in->bad || m == TRACE_NONE)
			continue;
		s->place.module = b->module[m].path;
		s->build_id = b->module[m].build_id;
		s->nbuild_id = b->module[m].nbuild_id;
		s->module = &b->module[m];
	}
	return 0;
}

static int get_places(struct trace_block *b, struct buf *in)
{
	void *table;

	if (get_count(in, 15, sizeof(*b->place), &b->nplace, &table))
		return -1;
	b->place = table;
	for (uint32_t i = 0; i < b->nplace; i++)
		place_get(&b->place[i], in);
	return 0;
}

static void get_object(const struct trace_block *b, struct trace_object *o, struct buf *in)
{
	uint64_t addr;

	o->version = buf_get_u32(in);
	o->kind = buf_get_u8(in);
	o->site = get_position(in, b->nsite);
	addr = buf_get_u64(in);
	if (in->bad || o->kind > TRACE_OPERAND || o->version == TRACE_NOWHERE ||
	    array_desc_get_global(&o->desc, in) || array_desc_get_local(&o->desc, in)) {
		in->bad = true;
		return;
	}
	o->desc.addr = addr;
	for (unsigned d = 0; d < o->desc.ndim; d++)
		o->desc.stride[d] = buf_get_i64(in);
}

static int get_objects(struct trace_block *b, struct buf *in)
{
	void *table;

	if (get_count(in, 40, sizeof(*b->object), &b->nobject, &table))
		return -1;
	b->object = table;
	for (uint32_t i = 0; i < b->nobject && !in->bad; i++)
		get_object(b, &b->object[i], in);
	return 0;
}

static int get_slots(struct trace_block *b, struct buf *in)
{
	void *table;

	if (get_count(in, 9, sizeof(*b->slot), &b->nslot, &table))
		return -1;
	b->slot = table;
	for (uint32_t i = 0; i < b->nslot; i++) {
		struct trace_slot *s = &b->slot[i];

		s->site = get_position(in, b->nsite);
		s->object = get_position(in, b->nobject);
		s->flags = buf_get_u8(in);
		if (s->site == TRACE_NONE || !trace_size_good(s->flags & TRACE_SIZE))
			in->bad = true;
	}
	return 0;
}

static int get_frames(struct trace_block *b, struct buf *in)
{
	void *table;

	if (get_count(in, 19, sizeof(*b->frame), &b->nframe, &table))
		return -1;
	b->frame = table;
	in->bad = in->bad || b->nframe > TRACE_FRAMES;
	for (uint32_t i = 0; i < b->nframe && !in->bad; i++) {
		struct trace_frame *f = &b->frame[i];
		uint32_t n[3];

		f->kind = buf_get_u8(in);
		f->level = buf_get_u8(in);
		f->place = get_position(in, b->nplace);
		n[0] = buf_get_u32(in);
		n[1] = buf_get_u32(in);
		n[2] = buf_get_u32(in);
		f->point = point_clean(n[0], n[1], n[2], POINT_BEGIN);
		f->nidx = buf_get_u8(in);
		in->bad = in->bad || f->kind >= CONSTRUCT_KINDS || f->nidx > ARRAY_DIMS;
		for (unsigned d = 0; !in->bad && d < f->nidx; d++)
			f->index[d] = buf_get_i64(in);
	}
	return 0;
}

static void get_columns(struct trace_block *b, struct buf *in)
{
	for (unsigned c = 0; c < TRACE_COLS; c++)
		b->col[c].n = buf_get_u32(in);
	for (unsigned c = 0; c < TRACE_COLS; c++)
		b->col[c].data = buf_get_raw(in, b->col[c].n);
	if (buf_left(in))
		in->bad = true;
}

int trace_block_get(struct trace_block *b, unsigned char *data, size_t n, struct err *err)
{
	struct buf in = buf_view(data, n);
	int rc;

	b->data = data;
	b->ndata = n;
	rc = get_modules(b, &in) || get_sites(b, &in) || get_places(b, &in) ||
	     get_objects(b, &in) || get_slots(b, &in) || get_frames(b, &in);
	if (!rc)
		get_columns(b, &in);
	if (!rc && !in.bad)
		return 0;
	trace_block_clear(b);
	return err_set(err,
		       rc ? "out of memory" : "the tables of a block of the trace are damaged");
}
