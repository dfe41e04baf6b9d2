/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/coverage/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"
#include "common/logical/construct.h"

void cover_item_clear(struct cover_item *i)
{
	free(i->name);
	free(i->file);
	index_set_destroy(i->written);
	index_set_destroy(i->unwritten);
	index_set_destroy(i->fewer);
}

void cover_clear(struct cover *c)
{
	for (size_t i = 0; i < c->nitem; i++)
		cover_item_clear(&c->item[i]);
	free(c->item);
	index_set_destroy(c->iterations);
	ownership_clear(&c->owners);
	free((char *)c->place.file);
	free((char *)c->place.func);
	free((char *)c->place.module);
	*c = (struct cover){ 0 };
}

static int item_code(struct codec *c, struct cover_item *i)
{
	codec_text_copy(c, &i->name);
	codec_text_copy(c, &i->file);
	codec_u32(c, &i->line);
	codec_u32(c, &i->counter);
	codec_u8(c, &i->order);
	codec_below(c, &i->ndim, ARRAY_DIMS + 1);
	index_set_code(c, &i->written);
	index_set_code(c, &i->unwritten);
	index_set_code(c, &i->fewer);
	codec_check(c, index_set_dims(i->written) == (i->ndim ? i->ndim : 1));
	codec_check(c, index_set_dims(i->unwritten) == index_set_dims(i->written));
	codec_check(c, index_set_dims(i->fewer) == index_set_dims(i->written));
	return codec_end(c);
}

/* The texts of the place are owned. */
static void own_place_code(struct codec *c, struct place *own)
{
	struct place p = *own;

	place_code(c, &p);
	if (c->get && codec_good(c))
		*own = (struct place){ strdup(p.file), strdup(p.func), p.line, strdup(p.module),
				       p.vaddr };
	codec_check(c, own->file && own->func && own->module);
}

int cover_code(struct codec *c, struct cover *v)
{
	/* an item has at least two texts and three sets */
	enum { PARTIAL = 1, EXTRA = 2, ITERATIONS = 4, HEARD = 8, ALL = 15, ITEM_LEAST = 30 };
	unsigned flags = (v->partial ? PARTIAL : 0) | (v->extra ? EXTRA : 0) |
			 (v->iterations ? ITERATIONS : 0) | (v->heard ? HEARD : 0);

	point_code(c, &v->point);
	codec_below(c, &v->kind, CONSTRUCT_KINDS);
	own_place_code(c, &v->place);
	codec_u32(c, &v->ranks);
	codec_below(c, &flags, ALL + 1);
	if (c->get) {
		v->partial = flags & PARTIAL;
		v->extra = flags & EXTRA;
		v->heard = flags & HEARD;
	}
	codec_u32(c, &v->ref_files);
	codec_u64(c, &v->ref_count);
	if (flags & ITERATIONS)
		index_set_code(c, &v->iterations);
	codec_each(c, &v->item, &v->nitem, UINT32_MAX, ITEM_LEAST, item_code);
	return ownership_code(c, &v->owners);
}

static struct cover_item *item_of(struct cover *c, const struct cover_item *from)
{
	struct cover_item *item;

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
	item->written = index_set_create(index_set_dims(from->written));
	item->unwritten = index_set_create(index_set_dims(from->unwritten));
	item->fewer = index_set_create(index_set_dims(from->fewer));
	return item->name && item->file && item->written && item->unwritten && item->fewer ? item
											   : NULL;
}

/* In the order of names, so that equal covers are equal bytes however they were merged. */
static int item_order(const void *a, const void *b)
{
	const struct cover_item *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->file, y->file);
	if (!order)
		order = (x->counter > y->counter) - (x->counter < y->counter);
	return order ? order : x->ndim - y->ndim;
}

int cover_merge(struct cover *a, const struct cover *b)
{
	a->ranks += b->ranks;
	a->partial = a->partial || b->partial;
	a->extra = a->extra || b->extra;
	a->heard = a->heard || b->heard;
	a->ref_files += b->ref_files;
	a->ref_count += b->ref_count;
	if (b->iterations && !a->iterations)
		a->iterations = index_set_create(index_set_dims(b->iterations));
	if (b->iterations && !a->iterations)
		return -1;
	if (b->iterations)
		index_set_merge(a->iterations, b->iterations);
	for (size_t i = 0; i < b->nitem; i++) {
		struct cover_item *item = item_of(a, &b->item[i]);

		if (!item)
			return -1;
		index_set_merge(item->written, b->item[i].written);
		index_set_merge(item->unwritten, b->item[i].unwritten);
		index_set_merge(item->fewer, b->item[i].fewer);
	}
	if (a->nitem)
		qsort(a->item, a->nitem, sizeof(*a->item), item_order);
	return 0;
}
