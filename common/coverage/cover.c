/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/coverage/cover.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/vec.h"
#include "common/coverage/index_set.h"
#include "common/logical/construct.h"

static void item_clear(struct trace_cover_item *i)
{
	free(i->name);
	free(i->file);
	trace_set_destroy(i->written);
	trace_set_destroy(i->unwritten);
	trace_set_destroy(i->fewer);
}

void trace_cover_clear(struct trace_cover *c)
{
	for (size_t i = 0; i < c->nitem; i++)
		item_clear(&c->item[i]);
	free(c->item);
	trace_set_destroy(c->iterations);
	trace_owners_clear(&c->owners);
	free((char *)c->place.file);
	free((char *)c->place.func);
	free((char *)c->place.module);
	*c = (struct trace_cover){ 0 };
}

void trace_cover_put(const struct trace_cover *c, struct buf *b)
{
	point_put(&c->point, b);
	buf_put_u8(b, c->kind);
	place_put(&c->place, b);
	buf_put_u32(b, c->ranks);
	buf_put_u8(b, (uint8_t)(c->partial | c->extra << 1 | (c->iterations != NULL) << 2 |
				c->heard << 3));
	buf_put_u32(b, c->ref_files);
	buf_put_u64(b, c->ref_count);
	if (c->iterations)
		trace_set_put(c->iterations, b);
	buf_put_u32(b, (uint32_t)c->nitem);
	for (size_t i = 0; i < c->nitem; i++) {
		const struct trace_cover_item *item = &c->item[i];

		buf_put_str(b, item->name);
		buf_put_str(b, item->file);
		buf_put_u32(b, item->line);
		buf_put_u32(b, item->counter);
		buf_put_u8(b, item->order);
		buf_put_u8(b, item->ndim);
		trace_set_put(item->written, b);
		trace_set_put(item->unwritten, b);
		trace_set_put(item->fewer, b);
	}
	trace_owners_put(&c->owners, b);
}

static int item_get(struct trace_cover_item *i, struct buf *b)
{
	unsigned dims;

	i->name = strdup(buf_get_str(b));
	i->file = strdup(buf_get_str(b));
	i->line = buf_get_u32(b);
	i->counter = buf_get_u32(b);
	i->order = buf_get_u8(b);
	i->ndim = buf_get_u8(b);
	i->written = trace_set_get(b);
	i->unwritten = trace_set_get(b);
	i->fewer = trace_set_get(b);
	dims = i->ndim ? i->ndim : 1;
	return b->bad || !i->name || !i->file || i->ndim > ARRAY_DIMS ||
			       trace_set_dims(i->written) != dims ||
			       trace_set_dims(i->unwritten) != dims ||
			       trace_set_dims(i->fewer) != dims
		       ? -1
		       : 0;
}

static int get(struct trace_cover *c, struct buf *b)
{
	struct place p;
	uint8_t flags;
	uint32_t n;

	point_get(&c->point, b);
	c->kind = buf_get_u8(b);
	place_get(&p, b);
	c->place =
		(struct place){ strdup(p.file), strdup(p.func), p.line, strdup(p.module), p.vaddr };
	c->ranks = buf_get_u32(b);
	flags = buf_get_u8(b);
	c->partial = flags & 1;
	c->extra = flags & 2;
	c->heard = flags & 8;
	c->ref_files = buf_get_u32(b);
	c->ref_count = buf_get_u64(b);
	if (b->bad || flags > 15 || c->kind >= CONSTRUCT_KINDS)
		return -1;
	if (flags & 4)
		c->iterations = trace_set_get(b);
	n = buf_get_u32(b);
	/* an item has at least two texts and three sets */
	if (b->bad || n > buf_left(b) / 30)
		return -1;
	while (c->nitem < n) {
		struct trace_cover_item *item = vec_add(c->item, c->nitem);

		if (!item || item_get(item, b))
			return -1;
	}
	return trace_owners_get(&c->owners, b);
}

int trace_cover_get(struct trace_cover *c, struct buf *b)
{
	*c = (struct trace_cover){ 0 };
	if (!get(c, b))
		return 0;
	trace_cover_clear(c);
	b->bad = true;
	return -1;
}

static struct trace_cover_item *item_of(struct trace_cover *c, const struct trace_cover_item *from)
{
	struct trace_cover_item *item;

	for (size_t i = 0; i < c->nitem; i++) {
		item = &c->item[i];
		if (!strcmp(item->name, from->name) && !strcmp(item->file, from->file) &&
		    item->counter == from->counter && item->ndim == from->ndim)
			return item;
	}
	item = vec_add(c->item, c->nitem);
	if (!item)
		return NULL;
	*item = *from;
	item->name = strdup(from->name);
	item->file = strdup(from->file);
	item->written = trace_set_create(trace_set_dims(from->written));
	item->unwritten = trace_set_create(trace_set_dims(from->unwritten));
	item->fewer = trace_set_create(trace_set_dims(from->fewer));
	return item->name && item->file && item->written && item->unwritten && item->fewer ? item
											   : NULL;
}

/* In the order of names, so that equal covers are equal bytes however they were merged. */
static int item_order(const void *a, const void *b)
{
	const struct trace_cover_item *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->file, y->file);
	if (!order)
		order = (x->counter > y->counter) - (x->counter < y->counter);
	return order ? order : x->ndim - y->ndim;
}

int trace_cover_merge(struct trace_cover *a, const struct trace_cover *b)
{
	a->ranks += b->ranks;
	a->partial = a->partial || b->partial;
	a->extra = a->extra || b->extra;
	a->heard = a->heard || b->heard;
	a->ref_files += b->ref_files;
	a->ref_count += b->ref_count;
	if (b->iterations && !a->iterations)
		a->iterations = trace_set_create(trace_set_dims(b->iterations));
	if (b->iterations && !a->iterations)
		return -1;
	if (b->iterations)
		trace_set_merge(a->iterations, b->iterations);
	for (size_t i = 0; i < b->nitem; i++) {
		struct trace_cover_item *item = item_of(a, &b->item[i]);

		if (!item)
			return -1;
		trace_set_merge(item->written, b->item[i].written);
		trace_set_merge(item->unwritten, b->item[i].unwritten);
		trace_set_merge(item->fewer, b->item[i].fewer);
	}
	if (a->nitem)
		qsort(a->item, a->nitem, sizeof(*a->item), item_order);
	return 0;
}
