/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points as bytes, for references: see doc/REFERENCE.md.
 */
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "frontend/sumdiff/sums.h"
#include "frontend/util/xalloc.h"

void sums_array_put(const struct sums_array *a, bool with_sum, struct buf *b)
{
	buf_put_str(b, a->name);
	buf_put_str(b, a->file);
	buf_put_u32(b, a->line);
	buf_put_u32(b, a->counter);
	buf_put_u8(b, a->kind);
	buf_put_u8(b, a->order);
	buf_put_u8(b, a->flags);
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		buf_put_i64(b, a->lower[d]);
	buf_put_str(b, a->failed ? a->failed : "");
	rankset_put(&a->ranks, b);
	differ_put(&a->copies, b);
	buf_put_u8(b, a->sum != NULL && with_sum);
	if (a->sum && with_sum)
		sum_result_put(a->sum, b);
}

/* A text of its own, NULL when it is empty. */
static void get_text(char **out, bool empty_too, struct buf *b)
{
	const char *text = buf_get_str(b);

	if (!*text && !empty_too)
		return;
	*out = xstrdup(text);
}

/* Whether the last index of each dimension is a number. */
static bool bounds_fit(const struct sums_array *a)
{
	int64_t high;

	for (unsigned d = 0; a->sum && d < a->sum->plan.ndim; d++)
		if (__builtin_add_overflow(a->lower[d], a->sum->plan.extent[d], &high))
			return false;
	return true;
}

int sums_array_get(struct sums_array *a, struct buf *b, struct err *err)
{
	int rc;

	memset(a, 0, sizeof(*a));
	get_text(&a->name, true, b);
	get_text(&a->file, true, b);
	rc = 0;
	a->line = buf_get_u32(b);
	a->counter = buf_get_u32(b);
	a->kind = buf_get_u8(b);
	a->order = buf_get_u8(b);
	a->flags = buf_get_u8(b);
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		a->lower[d] = buf_get_i64(b);
	get_text(&a->failed, false, b);
	rc = rankset_get(&a->ranks, b) || differ_get(&a->copies, b);
	if (!rc && buf_get_u8(b) && !b->bad) {
		a->sum = sum_result_get(b, err);
		if (!a->sum)
			return -1;
	}
	if (rc || b->bad || a->kind > ARRAY_REPLICATED || (a->order != 'C' && a->order != 'F') ||
	    !bounds_fit(a))
		return err_set(err, "a checksum is cut off or damaged");
	return 0;
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

void sums_point_put_head(const struct sums_point *p, struct buf *b)
{
	point_put(&p->point, b);
	buf_put_u8(b, p->kind);
	buf_put_u8(b, p->partial);
	buf_put_str(b, p->where);
	buf_put_str(b, p->func);
	buf_put_u32(b, (uint32_t)p->n);
}

struct sums_point *sums_point_get_head(struct buf *b, struct err *err)
{
	enum { LEAST = 87 }; /* the bytes of an array with nothing in it */
	struct sums_point *p = xcalloc(1, sizeof(*p));
	uint32_t n;

	point_get(&p->point, b);
	p->kind = buf_get_u8(b);
	p->partial = buf_get_u8(b) != 0;
	get_text(&p->where, true, b);
	get_text(&p->func, true, b);
	n = buf_get_u32(b);
	if (b->bad || !p->point.main || !construct_numbered(p->kind) || n > buf_left(b) / LEAST) {
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
