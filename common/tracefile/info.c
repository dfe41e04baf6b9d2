/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What files keep in plain beside the compressed blocks.
 */
#include "common/tracefile/internal.h"

/* Any numbers may have been said: those that are none read as no point. */
static void loose_point_code(struct codec *c, struct point *p)
{
	codec_u32(c, &p->main);
	codec_u32(c, &p->task);
	codec_u32(c, &p->sub);
	codec_below(c, &p->side, POINT_END + 1);
	if (c->get)
		*p = point_clean(p->main, p->task, p->sub, p->side);
}

/* Kinds that came later are there when they occur: what has none older versions can read. */
#define KINDS_LEAST (TRACE_SUM + 1u)

static unsigned kinds(const struct trace_info *i)
{
	unsigned n = TRACE_OPS;

	while (n > KINDS_LEAST && !i->count[n - 1])
		n--;
	return n;
}

int trace_info_code(struct codec *c, struct trace_info *i)
{
	unsigned ops = kinds(i);

	codec_u32(c, &i->rank);
	codec_u32(c, &i->thread);
	codec_u64(c, &i->seq);
	loose_point_code(c, &i->first);
	loose_point_code(c, &i->last);
	codec_u8(c, &i->half);
	codec_u8(c, &ops);
	codec_check(c, ops >= KINDS_LEAST && ops <= TRACE_OPS);
	for (unsigned k = 0; k < ops && k < TRACE_OPS; k++) {
		codec_u64(c, &i->count[k]);
		codec_check(c, !__builtin_add_overflow(i->records, i->count[k], &i->records));
	}
	codec_below(c, &i->loops, 3);
	codec_below(c, &i->boxed, ARRAY_DIMS + 1);
	codec_check(c, !i->boxed || i->loops == 1);
	if (i->boxed)
		loose_point_code(c, &i->box_of);
	for (unsigned d = 0; d < i->boxed; d++) {
		codec_i64(c, &i->lo[d]);
		codec_i64(c, &i->hi[d]);
	}
	return codec_end(c);
}

int trace_piece_code(struct codec *c, struct trace_piece *p)
{
	codec_u32(c, &p->magic);
	codec_u32(c, &p->head);
	codec_u32(c, &p->raw);
	codec_u32(c, &p->packed);
	return codec_end(c);
}

int trace_index_head_code(struct codec *c, struct trace_index_head *h)
{
	codec_u8(c, &h->complete);
	codec_u64(c, &h->blocks);
	codec_u64(c, &h->records);
	return codec_end(c);
}

int trace_index_entry_code(struct codec *c, struct trace_index_entry *e)
{
	codec_u64(c, &e->offset);
	codec_u32(c, &e->bytes);
	codec_u32(c, &e->raw);
	codec_blob(c, &e->head, &e->nhead);
	return codec_end(c);
}

int trace_tail_code(struct codec *c, struct trace_tail *t)
{
	codec_u64(c, &t->index);
	codec_u32(c, &t->magic);
	return codec_end(c);
}

static const char *trace_meta_head(const struct trace_meta *m)
{
	return m->head ? m->head : "";
}

static int meta_code(struct codec *c, struct trace_meta *m, uint32_t *format)
{
	codec_u32(c, format);
	codec_check(c, *format == TRACE_FORMAT);
	codec_u32(c, &m->rank);
	codec_u32(c, &m->ranks);
	codec_u8(c, &m->level);
	loose_point_code(c, &m->start);
	loose_point_code(c, &m->finish);
	codec_u64(c, &m->seconds);
	codec_text(c, &m->program);
	codec_text(c, &m->build_id);
	codec_text(c, &m->version);
	codec_text(c, &m->origin);
	if (c->get ? buf_left(c->b) > 0 : *trace_meta_head(m))
		codec_text(c, &m->head);
	if (c->get && !m->head)
		m->head = "";
	return codec_end(c);
}

void trace_meta_put(const struct trace_meta *m, struct buf *b)
{
	uint32_t format = TRACE_FORMAT;

	meta_code(CODEC_PUT(b), (struct trace_meta *)m, &format);
}

int trace_meta_get(struct trace_meta *m, uint32_t *format, struct buf *b)
{
	*m = (struct trace_meta){ 0 };
	return meta_code(CODEC_GET(b), m, format);
}
