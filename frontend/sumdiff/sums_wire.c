/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points as bytes, for references: see doc/REFERENCE.md.
 */
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/util/xalloc.h"

/* Whether the last index of each dimension is a number. */
static bool bounds_fit(const struct sums_array *a)
{
	int64_t high;

	for (unsigned d = 0; a->sum && d < a->sum->plan.ndim; d++)
		if (__builtin_add_overflow(a->lower[d], a->sum->plan.extent[d], &high))
			return false;
	return true;
}

/* A text of its own, NULL when it is empty. */
static void optional_text_code(struct codec *c, char **text)
{
	codec_text_copy(c, text);
	if (c->get && codec_good(c) && !**text) {
		free(*text);
		*text = NULL;
	}
}

static int array_code(struct codec *c, struct sums_array *a, bool with_sum)
{
	bool sum = a->sum && with_sum;

	codec_text_copy(c, &a->name);
	codec_text_copy(c, &a->file);
	codec_u32(c, &a->line);
	codec_u32(c, &a->counter);
	codec_below(c, &a->kind, ARRAY_REPLICATED + 1);
	codec_u8(c, &a->order);
	codec_check(c, a->order == 'C' || a->order == 'F');
	codec_u8(c, &a->flags);
	codec_i64s(c, a->lower, ARRAY_DIMS);
	optional_text_code(c, &a->failed);
	rankset_code(c, &a->ranks);
	groups_code(c, &a->copies);
	codec_u8(c, &sum);
	/* which says why it failed */
	if (sum && codec_good(c) && sum_result_code(c, &a->sum))
		return -1;
	codec_check(c, bounds_fit(a));
	return codec_good(c) ? 0 : err_set(c->err, "a checksum is cut off or damaged");
}

void sums_array_put(const struct sums_array *a, bool with_sum, struct buf *b)
{
	array_code(CODEC_PUT(b), (struct sums_array *)a, with_sum);
}

int sums_array_get(struct sums_array *a, struct buf *b, struct err *err)
{
	struct codec c = { .b = b, .get = true, .err = err };
	int rc;

	memset(a, 0, sizeof(*a));
	rc = array_code(&c, a, true);
	if (c.no_memory)
		xalloc_failed();
	return rc;
}

int sums_array_check(const struct sums_array *a, struct err *err)
{
	bool good = a->sum ? !a->failed : a->failed && !a->copies.n;

	for (size_t i = 0; i < a->copies.n && good; i++) {
		struct buf b = buf_view(a->copies.group[i].blob, a->copies.group[i].len);
		struct sum *s = sum_get(&b, NULL);

		good = s && !buf_left(&b) && sum_plan_equal(sum_plan_of(s), &a->sum->plan);
		sum_destroy(s);
	}
	return good ? 0 : err_set(err, "a checksum is damaged");
}

static void head_code(struct codec *c, struct sums_point *p)
{
	enum { LEAST = 87 }; /* the bytes of an array with nothing in it */
	uint32_t n = (uint32_t)p->n;

	point_code(c, &p->point);
	codec_u8(c, &p->kind);
	codec_check(c, p->point.main && construct_numbered(p->kind));
	codec_u8(c, &p->partial);
	codec_text_copy(c, &p->where);
	codec_text_copy(c, &p->func);
	if (c->get)
		p->n = codec_take_count(c, UINT32_MAX, LEAST);
	else
		codec_u32(c, &n);
}

void sums_point_put_head(const struct sums_point *p, struct buf *b)
{
	head_code(CODEC_PUT(b), (struct sums_point *)p);
}

struct sums_point *sums_point_get_head(struct buf *b, struct err *err)
{
	struct codec c = { .b = b, .get = true };
	struct sums_point *p = xcalloc(1, sizeof(*p));
	size_t n;

	head_code(&c, p);
	if (c.no_memory)
		xalloc_failed();
	n = p->n;
	p->n = 0;
	if (b->bad) {
		err_set(err, "a point is cut off or damaged");
		sums_point_destroy(p);
		return NULL;
	}
	p->array = calloc(n ? n : 1, sizeof(*p->array));
	if (!p->array) {
		xalloc_refused(n * sizeof(*p->array), "a point has so many arrays", err);
		sums_point_destroy(p);
		return NULL;
	}
	p->n = n;
	return p;
}

void sums_point_put(const struct sums_point *p, struct buf *b)
{
	sums_point_put_head(p, b);
	for (size_t i = 0; i < p->n; i++)
		sums_array_put(&p->array[i], true, b);
}

struct sums_point *sums_point_get(struct buf *b, struct err *err)
{
	struct sums_point *p = sums_point_get_head(b, err);

	for (size_t i = 0; p && i < p->n; i++) {
		if (!sums_array_get(&p->array[i], b, err) && !sums_array_check(&p->array[i], err))
			continue;
		sums_point_destroy(p);
		return NULL;
	}
	return p;
}
