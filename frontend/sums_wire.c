/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points as bytes, for references: see doc/REFERENCE.md.
 */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/buf.h"
#include "common/construct.h"
#include "common/err.h"
#include "frontend/sums.h"

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

int sums_array_get(struct sums_array *a, struct buf *b, struct err *err)
{
	const char *failed;

	memset(a, 0, sizeof(*a));
	a->name = strdup(buf_get_str(b));
	a->file = strdup(buf_get_str(b));
	a->line = buf_get_u32(b);
	a->counter = buf_get_u32(b);
	a->kind = buf_get_u8(b);
	a->order = buf_get_u8(b);
	a->flags = buf_get_u8(b);
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		a->lower[d] = buf_get_i64(b);
	failed = buf_get_str(b);
	if (*failed)
		a->failed = strdup(failed);
	rankset_get(&a->ranks, b);
	if (differ_get(&a->copies, b))
		b->bad = true;
	if (buf_get_u8(b) && !b->bad) {
		a->sum = sum_result_get(b, err);
		if (!a->sum)
			return -1;
	}
	if (b->bad || a->kind > ARRAY_REPLICATED || (a->order != 'C' && a->order != 'F'))
		return err_set(err, "a checksum is cut off or damaged");
	return a->name && a->file ? 0 : err_set(err, "out of memory");
}

void sums_point_put(const struct sums_point *p, struct buf *b)
{
	point_put(&p->point, b);
	buf_put_u8(b, p->kind);
	buf_put_u8(b, p->partial);
	buf_put_str(b, p->where);
	buf_put_str(b, p->func ? p->func : "");
	buf_put_u32(b, (uint32_t)p->n);
	for (size_t i = 0; i < p->n; i++)
		sums_array_put(&p->array[i], true, b);
}

struct sums_point *sums_point_get(struct buf *b, struct err *err)
{
	enum { LEAST = 90 }; /* the bytes of an array with nothing in it */
	struct sums_point *p = calloc(1, sizeof(*p));
	uint32_t n;

	if (!p)
		goto no_memory;
	point_get(&p->point, b);
	p->kind = buf_get_u8(b);
	p->partial = buf_get_u8(b) != 0;
	p->where = strdup(buf_get_str(b));
	p->func = strdup(buf_get_str(b));
	n = buf_get_u32(b);
	if (b->bad || !p->point.main || p->kind >= CONSTRUCT_KINDS || n > buf_left(b) / LEAST) {
		err_set(err, "a point is cut off or damaged");
		goto fail;
	}
	p->array = calloc(n ? n : 1, sizeof(*p->array));
	if (!p->where || !p->func || !p->array)
		goto no_memory;
	for (; p->n < n; p->n++) {
		if (sums_array_get(&p->array[p->n], b, err)) {
			p->n++;
			goto fail;
		}
	}
	return p;
no_memory:
	err_set(err, "out of memory");
fail:
	sums_point_destroy(p);
	return NULL;
}
