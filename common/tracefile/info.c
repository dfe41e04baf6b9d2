/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What files keep in plain beside the compressed blocks.
 */
#include "common/core/buf.h"
#include "common/tracefile/store.h"

/* Any numbers may have been said: those that are none read as no point. */
static void put_point(const struct point *p, struct buf *b)
{
	buf_put_u32(b, p->main);
	buf_put_u32(b, p->task);
	buf_put_u32(b, p->sub);
	buf_put_u8(b, (uint8_t)p->side);
}

static void get_point(struct point *p, struct buf *b)
{
	uint32_t main = buf_get_u32(b), task = buf_get_u32(b), sub = buf_get_u32(b);
	uint8_t side = buf_get_u8(b);

	if (side > POINT_END)
		b->bad = true;
	*p = point_clean(main, task, sub, side);
}

void trace_info_put(const struct trace_info *i, struct buf *b)
{
	buf_put_u32(b, i->rank);
	buf_put_u32(b, i->thread);
	buf_put_u64(b, i->seq);
	put_point(&i->first, b);
	put_point(&i->last, b);
	buf_put_u8(b, i->half);
	buf_put_u8(b, TRACE_OPS);
	for (unsigned k = 0; k < TRACE_OPS; k++)
		buf_put_u64(b, i->count[k]);
	buf_put_u8(b, i->loops);
	buf_put_u8(b, i->boxed);
	if (!i->boxed)
		return;
	put_point(&i->box_of, b);
	for (unsigned d = 0; d < i->boxed; d++) {
		buf_put_i64(b, i->lo[d]);
		buf_put_i64(b, i->hi[d]);
	}
}

int trace_info_get(struct trace_info *i, struct buf *b)
{
	*i = (struct trace_info){ .rank = buf_get_u32(b), .thread = buf_get_u32(b) };
	i->seq = buf_get_u64(b);
	get_point(&i->first, b);
	get_point(&i->last, b);
	i->half = buf_get_u8(b);
	if (buf_get_u8(b) != TRACE_OPS)
		b->bad = true;
	for (unsigned k = 0; k < TRACE_OPS; k++) {
		i->count[k] = buf_get_u64(b);
		if (__builtin_add_overflow(i->records, i->count[k], &i->records))
			b->bad = true;
	}
	i->loops = buf_get_u8(b);
	i->boxed = buf_get_u8(b);
	if (i->loops > 2 || i->boxed > ARRAY_DIMS || (i->boxed && i->loops != 1))
		b->bad = true;
	if (i->boxed)
		get_point(&i->box_of, b);
	for (unsigned d = 0; !b->bad && d < i->boxed; d++) {
		i->lo[d] = buf_get_i64(b);
		i->hi[d] = buf_get_i64(b);
	}
	return b->bad ? -1 : 0;
}

void trace_meta_put(const struct trace_meta *m, struct buf *b)
{
	buf_put_u32(b, TRACE_FORMAT);
	buf_put_u32(b, m->rank);
	buf_put_u32(b, m->ranks);
	buf_put_u8(b, m->level);
	put_point(&m->start, b);
	put_point(&m->finish, b);
	buf_put_u64(b, m->seconds);
	buf_put_str(b, m->program);
	buf_put_str(b, m->build_id);
	buf_put_str(b, m->version);
	buf_put_str(b, m->origin);
}

int trace_meta_get(struct trace_meta *m, uint32_t *format, struct buf *b)
{
	*m = (struct trace_meta){ 0 };
	*format = buf_get_u32(b);
	if (b->bad || *format != TRACE_FORMAT)
		return -1;
	m->rank = buf_get_u32(b);
	m->ranks = buf_get_u32(b);
	m->level = buf_get_u8(b);
	get_point(&m->start, b);
	get_point(&m->finish, b);
	m->seconds = buf_get_u64(b);
	m->program = buf_get_str(b);
	m->build_id = buf_get_str(b);
	m->version = buf_get_str(b);
	m->origin = buf_get_str(b);
	return b->bad ? -1 : 0;
}
