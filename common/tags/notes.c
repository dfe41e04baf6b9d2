/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the file of a rank. */
#include "common/tags/tags.h"

int tags_array_code(struct codec *c, struct tags_array *a)
{
	if (c->get)
		*a = (struct tags_array){ 0 };
	codec_u32_below(c, &a->number, TAGS_ARRAYS);
	codec_u32(c, &a->counter);
	codec_u32(c, &a->since);
	codec_text(c, &a->name);
	codec_text(c, &a->file);
	codec_text(c, &a->module);
	codec_u32(c, &a->line);
	codec_u64(c, &a->vaddr);
	codec_u8(c, &a->type);
	codec_u8(c, &a->order);
	codec_below(c, &a->why, TAGS_WHYS);
	codec_u32_below(c, &a->ndim, ARRAY_DIMS + 1);
	for (uint32_t d = 0; d < a->ndim && codec_good(c); d++) {
		codec_i64(c, &a->lower[d]);
		codec_i64(c, &a->extent[d]);
		codec_i64(c, &a->own_lo[d]);
		codec_i64(c, &a->own_hi[d]);
		codec_i64(c, &a->halo_lo[d]);
		codec_i64(c, &a->halo_hi[d]);
		codec_u32(c, &a->list_n[d]);
		codec_check(c, a->extent[d] > 0 && a->extent[d] < INT64_MAX / 4 &&
				       a->lower[d] > INT64_MIN / 4 && a->lower[d] < INT64_MAX / 4);
		codec_check(c, a->halo_lo[d] >= 0 && a->halo_hi[d] >= 0 &&
				       a->halo_lo[d] < INT64_MAX / 8 &&
				       a->halo_hi[d] < INT64_MAX / 8);
		codec_check(c, a->own_lo[d] >= a->lower[d] && a->own_hi[d] >= a->own_lo[d] - 1 &&
				       a->own_hi[d] - a->lower[d] < a->extent[d]);
	}
	return codec_end(c);
}

int tags_list_code(struct codec *c, struct tags_list *l)
{
	codec_u32_below(c, &l->number, TAGS_ARRAYS);
	codec_u32_below(c, &l->dim, ARRAY_DIMS);
	codec_u32(c, &l->first);
	codec_u32_below(c, &l->n, TAGS_LIST + 1);
	if (!c->get)
		codec_i64s(c, (int64_t *)l->index, l->n);
	return codec_end(c);
}

int tags_interval_code(struct codec *c, struct tags_interval *i)
{
	codec_u32(c, &i->main);
	codec_u32(c, &i->from);
	codec_u32(c, &i->to);
	return codec_end(c);
}

int tags_moved_code(struct codec *c, struct tags_moved *m)
{
	codec_u32_below(c, &m->array, TAGS_ARRAYS);
	codec_u32_below(c, &m->from_rank, TAGS_RANKS);
	codec_u32_below(c, &m->from_array, TAGS_ARRAYS);
	codec_u64(c, &m->n);
	codec_u64(c, &m->at);
	codec_u64(c, &m->from);
	codec_i64(c, &m->step);
	codec_i64(c, &m->from_step);
	codec_check(c, m->n <= TAGS_ELEMENTS && m->at < TAGS_ELEMENTS && m->from < TAGS_ELEMENTS);
	return codec_end(c);
}

int tags_halves_code(struct codec *c, struct tags_halves *h)
{
	codec_u32_below(c, &h->array, TAGS_ARRAYS);
	codec_u32_below(c, &h->half, 2);
	codec_u32_below(c, &h->n, TAGS_HALVES + 1);
	codec_u64(c, &h->at);
	codec_i64(c, &h->step);
	codec_check(c, h->at < TAGS_ELEMENTS);
	for (uint32_t i = 0; i < h->n && codec_good(c); i++)
		codec_u32(c, &h->bits[i]);
	return codec_end(c);
}

int tags_between_code(struct codec *c, struct tags_between *b)
{
	codec_u32_below(c, &b->array, TAGS_ARRAYS);
	codec_u32_below(c, &b->from_rank, TAGS_RANKS);
	codec_u64(c, &b->n);
	codec_u64(c, &b->at);
	codec_u64(c, &b->from);
	codec_check(c, b->at < TAGS_ELEMENTS && b->from < TAGS_ELEMENTS);
	return codec_end(c);
}
