/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of reductions, as ranks answer them, and how they become one.
 */
#include "common/array/reduce.h"

#include <math.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/groups.h"
#include "common/logical/rankset.h"

/* Mantissa and exponent: what a double has no room for is kept. */
static void real_code(struct codec *c, long double *x)
{
	int exponent = 0;
	long double m = c->get ? 0 : isfinite(*x) ? frexpl(*x, &exponent) : *x;
	double high = (double)m, low = isfinite(m) ? (double)(m - (long double)high) : 0;
	int64_t e = exponent;

	codec_f64(c, &high);
	codec_f64(c, &low);
	codec_i64(c, &e);
	codec_check(c, e > -40000 && e < 40000);
	if (c->get)
		*x = isfinite(high) ? ldexpl((long double)high + (long double)low, (int)e)
				    : (long double)high;
}

static void whole_code(struct codec *c, __int128 *x)
{
	uint64_t low = (uint64_t)*x;
	int64_t high = (int64_t)(*x >> 64);

	codec_u64(c, &low);
	codec_i64(c, &high);
	if (c->get)
		*x = (__int128)((unsigned __int128)(uint64_t)high << 64 | low);
}

static void value_code(struct codec *c, struct value *v)
{
	codec_below(c, &v->class, VALUE_IS_BOOL + 1);
	codec_i64(c, &v->i);
	codec_f64(c, &v->re);
	codec_f64(c, &v->im);
}

static void reduction_code(struct codec *c, struct reduction *r)
{
	codec_below(c, &r->what, REDUCE_KINDS);
	codec_below(c, &r->type, VALUE_TYPES);
	codec_u64(c, &r->n);
	codec_u64(c, &r->set);
	codec_u64(c, &r->at);
	codec_flag(c, &r->any);
	whole_code(c, &r->whole);
	real_code(c, &r->re);
	real_code(c, &r->im);
	value_code(c, &r->best);
	codec_check(c, r->best.class == value_class(r->type) || !r->best.class);
}

int reduce_part_code(struct codec *c, struct reduce_part *p)
{
	codec_below(c, &p->kind, REDUCE_COPIES + 1);
	if (p->kind == REDUCE_FAILED)
		codec_text(c, &p->why);
	if (p->kind != REDUCE_DONE)
		return codec_whole(c);
	codec_u32(c, &p->rank);
	codec_u64(c, &p->same);
	reduction_code(c, &p->r);
	codec_u8(c, &p->order);
	codec_below(c, &p->ndim, ARRAY_DIMS + 1);
	for (unsigned d = 0; d < p->ndim && d < ARRAY_DIMS; d++) {
		codec_u64(c, &p->count[d]);
		codec_i64(c, &p->first[d]);
		codec_i64(c, &p->step[d]);
	}
	return codec_whole(c);
}

/* Whether both are of one array, with the same replicated values. */
static bool is_alike(const struct reduce_part *a, const struct reduce_part *b)
{
	return a->same == b->same && a->order == b->order && a->ndim == b->ndim &&
	       !memcmp(a->count, b->count, sizeof(a->count)) &&
	       !memcmp(a->first, b->first, sizeof(a->first)) &&
	       !memcmp(a->step, b->step, sizeof(a->step));
}

/* Adds a group's part to p, which is the first of them; false: it has to stay alone. */
static bool fold_one(void *part, const struct rank_group *g)
{
	struct reduce_part *p = part;
	struct buf b = buf_view(g->blob, g->len);
	struct reduce_part one;

	if (reduce_part_get(&one, &b) || one.kind != REDUCE_DONE)
		return false;
	if (p->kind == REDUCE_DONE)
		return is_alike(p, &one) && !reduce_merge(&p->r, &one.r);
	*p = one;
	return true;
}

static void put_part(const void *part, struct buf *out)
{
	reduce_part_put(part, out);
}

int reduce_fold(struct groups *d)
{
	struct reduce_part p = { 0 };

	return groups_fold(d, fold_one, put_part, &p);
}
