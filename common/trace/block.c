/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The content of a block, as it is in files: tables, then the columns of its records. Everything is
 * checked here but the records themselves: their reader does that one by one.
 */
#include "common/trace/block.h"

#include <stdlib.h>
#include <string.h>

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
	if (b->kept) {
		b->kept--;
		return;
	}
	trace_block_clear(b);
	free(b);
}

struct trace_block *trace_block_keep(struct trace_block *b)
{
	b->kept++;
	return b;
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

/* A position in a table of n, from 1; 0 is none. */
static void position_code(struct codec *c, uint32_t *at, uint32_t n)
{
	uint32_t from_1 = *at + 1;

	codec_u32(c, &from_1);
	codec_check(c, from_1 <= n);
	if (c->get)
		*at = from_1 - 1;
}

void trace_module_code(struct codec *c, struct trace_module *m)
{
	codec_text(c, &m->path);
	codec_blob(c, &m->build_id, &m->nbuild_id);
	codec_u64(c, &m->load);
	codec_u64(c, &m->lo);
	codec_u64(c, &m->hi);
	codec_check(c, m->lo <= m->hi);
}

void trace_site_code(struct codec *c, struct trace_site *s, uint32_t *module, uint32_t nmodule)
{
	position_code(c, module, nmodule);
	codec_u64(c, &s->place.vaddr);
	codec_text(c, &s->place.file);
	codec_text(c, &s->place.func);
	codec_u32(c, &s->place.line);
}

void trace_object_code(struct codec *c, struct trace_object *o, uint32_t nsite)
{
	codec_u32(c, &o->version);
	codec_check(c, o->version != TRACE_NOWHERE);
	codec_below(c, &o->kind, TRACE_OPERAND + 1);
	position_code(c, &o->site, nsite);
	codec_u64(c, &o->desc.addr);
	array_global_code(c, &o->desc);
	array_local_code(c, &o->desc);
	codec_i64s(c, o->desc.stride, o->desc.ndim);
}

void trace_slot_code(struct codec *c, struct trace_slot *s, uint32_t nsite, uint32_t nobject)
{
	position_code(c, &s->site, nsite);
	position_code(c, &s->object, nobject);
	codec_u8(c, &s->flags);
	codec_check(c, s->site != TRACE_NONE && trace_size_good(s->flags & TRACE_SIZE));
}

void trace_frame_code(struct codec *c, struct trace_frame *f, uint32_t nplace)
{
	codec_below(c, &f->kind, CONSTRUCT_KINDS);
	codec_u8(c, &f->level);
	position_code(c, &f->place, nplace);
	codec_u32(c, &f->point.main);
	codec_u32(c, &f->point.task);
	codec_u32(c, &f->point.sub);
	if (c->get)
		f->point = point_clean(f->point.main, f->point.task, f->point.sub, POINT_BEGIN);
	codec_below(c, &f->nidx, ARRAY_DIMS + 1);
	codec_i64s(c, f->index, f->nidx);
}

/* What a site says of its module is the module's. */
static void get_site(struct codec *c, struct trace_block *b, struct trace_site *s)
{
	uint32_t m = TRACE_NONE;

	trace_site_code(c, s, &m, b->nmodule);
	s->place.module = "";
	if (!codec_good(c) || m == TRACE_NONE)
		return;
	s->place.module = b->module[m].path;
	s->build_id = b->module[m].build_id;
	s->nbuild_id = b->module[m].nbuild_id;
	s->module = &b->module[m];
}

static void get_tables(struct codec *c, struct trace_block *b)
{
	/* bytes that each takes at least */
	enum { MODULE = 29, SITE = 18, PLACE = 15, OBJECT = 40, SLOT = 9, FRAME = 19 };

	codec_each(c, &b->module, &b->nmodule, UINT32_MAX, MODULE, trace_module_code);
	codec_list(c, &b->site, &b->nsite, UINT32_MAX, SITE);
	for (uint32_t i = 0; i < b->nsite && codec_good(c); i++)
		get_site(c, b, &b->site[i]);
	codec_each(c, &b->place, &b->nplace, UINT32_MAX, PLACE, place_code);
	codec_list(c, &b->object, &b->nobject, UINT32_MAX, OBJECT);
	for (uint32_t i = 0; i < b->nobject && codec_good(c); i++)
		trace_object_code(c, &b->object[i], b->nsite);
	codec_list(c, &b->slot, &b->nslot, UINT32_MAX, SLOT);
	for (uint32_t i = 0; i < b->nslot && codec_good(c); i++)
		trace_slot_code(c, &b->slot[i], b->nsite, b->nobject);
	codec_list(c, &b->frame, &b->nframe, TRACE_FRAMES, FRAME);
	for (uint32_t i = 0; i < b->nframe && codec_good(c); i++)
		trace_frame_code(c, &b->frame[i], b->nplace);
}

static void get_columns(struct codec *c, struct trace_block *b)
{
	for (unsigned k = 0; k < TRACE_COLS; k++)
		codec_u32(c, &b->col[k].n);
	for (unsigned k = 0; k < TRACE_COLS; k++)
		b->col[k].data = buf_get_raw(c->b, b->col[k].n);
}

int trace_block_get(struct trace_block *b, unsigned char *data, size_t n, struct err *err)
{
	struct buf in = buf_view(data, n);
	struct codec c = { .b = &in, .get = true };

	b->data = data;
	b->ndata = n;
	get_tables(&c, b);
	get_columns(&c, b);
	if (!codec_whole(&c))
		return 0;
	trace_block_clear(b);
	return err_set(err, c.no_memory ? "out of memory"
					: "the tables of a block of the trace are damaged");
}
