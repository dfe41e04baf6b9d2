/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/diff/diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/core/err.h"
#include "frontend/diff/internal.h"
#include "frontend/util/names.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define CHUNK 1024 /* elements that are compared as bytes first; a multiple of 64 */

/* Element i, whose values have magnitudes of a and b. */
static enum diff_verdict compare(const struct diff_input *in, uint64_t i, double by, double a,
			       double b)
{
	const struct sum_tolerance *tol = &in->tol;
	double own = tol->exp * fmax(a, b);

	switch (tol->mode) {
	case SUM_EXACT:
		return DIFF_BEYOND;
	case SUM_ABSOLUTE:
		return by <= tol->exp ? DIFF_ROUNDING : DIFF_BEYOND;
	case SUM_RELATIVE:
		return by <= fmax(own, tol->exp * tol->rel_min) ? DIFF_ROUNDING : DIFF_BEYOND;
	default:
		if (by <= tol->exp * a)
			return DIFF_ROUNDING;
		if (!(by <= diff_limit_at(in, i)))
			return DIFF_BEYOND;
		return by <= own ? DIFF_ROUNDING : DIFF_SMALL;
	}
}

/* How far two real numbers are apart; true: they are the same. NaN equals NaN; with NaN or infinity
 * on one side only nothing is near. */
static bool apart(double a, double b, double *by)
{
	*by = 0;
	if (isfinite(a) && isfinite(b)) {
		*by = fabs(a - b);
		return a == b && signbit(a) == signbit(b);
	}
	if ((isnan(a) && isnan(b)) || (isinf(a) && isinf(b) && a == b))
		return true;
	*by = INFINITY;
	return false;
}

/* One real number. */
static enum diff_verdict compare_real(const struct diff_input *in, uint64_t i, double a, double b,
				      double *by)
{
	if (apart(a, b, by))
		return DIFF_SAME;
	return isfinite(*by) ? compare(in, i, *by, fabs(a), fabs(b)) : DIFF_BEYOND;
}

/* A complex number is as near as its modulus says; parts that are not finite must be alike. */
static enum diff_verdict compare_complex(const struct diff_input *in, uint64_t i,
					 const struct value *a, const struct value *b, double *by)
{
	double re, im;
	bool same_re = apart(a->re, b->re, &re), same_im = apart(a->im, b->im, &im);

	*by = hypot(re, im);
	if (same_re && same_im)
		return DIFF_SAME;
	if (!isfinite(re) || !isfinite(im))
		return DIFF_BEYOND;
	return compare(in, i, *by, isfinite(a->re) && isfinite(a->im) ? hypot(a->re, a->im) : 0,
		     isfinite(b->re) && isfinite(b->im) ? hypot(b->re, b->im) : 0);
}

static double distance_int(const struct value *a, const struct value *b)
{
	__int128 x = a->i, y = b->i;

	if (a->class == VALUE_IS_UINT) {
		x = (__int128)(uint64_t)a->i;
		y = (__int128)(uint64_t)b->i;
	}
	return (double)(x < y ? y - x : x - y);
}

enum diff_verdict diff_element_compare(const struct diff_input *in, uint64_t i, double *by)
{
	size_t at = i * value_size(in->type);
	struct value a = value_load(in->type, (const char *)in->ref + at);
	struct value b = value_load(in->type, (const char *)in->now + at);

	if (a.class == VALUE_IS_REAL)
		return compare_real(in, i, a.re, b.re, by);
	if (a.class == VALUE_IS_COMPLEX)
		return compare_complex(in, i, &a, &b, by);
	*by = distance_int(&a, &b);
	return a.i == b.i ? DIFF_SAME : DIFF_BEYOND;
}

void diff_index(const struct section *s, uint64_t i, int64_t *index)
{
	for (unsigned d = s->ndim; d--;) {
		uint64_t n = section_count(s, d);

		index[d] = section_index(s, d, i % n);
		i /= n;
	}
}

/* The pass over the elements. While only rounding has been seen, the bits are of that. */
struct scan {
	const struct diff_input *in;
	struct diff *d;
	uint64_t worst; /* an element */
	bool any;
};

static void take(struct scan *s, uint64_t i, enum diff_verdict verdict, double by)
{
	struct diff *d = s->d;

	if (by > d->largest || !s->any) {
		d->largest = by;
		s->worst = i;
	}
	s->any = true;
	d->small += verdict == DIFF_SMALL;
	if (verdict != DIFF_BEYOND)
		d->rounding++;
	else if (!d->differ++ && d->rounding)
		memset(d->bits, 0, (d->total / 64 + 1) * sizeof(*d->bits));
	if (verdict == DIFF_BEYOND || !d->differ)
		d->bits[i / 64] |= UINT64_C(1) << (i % 64);
}

static void scan_chunk(struct scan *s, uint64_t from, uint64_t n)
{
	const struct diff_input *in = s->in;
	size_t size = value_size(in->type);
	const unsigned char *a = (const unsigned char *)in->ref + from * size;
	const unsigned char *b = (const unsigned char *)in->now + from * size;

	for (uint64_t i = 0; i < n; i++, a += size, b += size) {
		enum diff_verdict verdict;
		double by;

		if (in->type == VALUE_DOUBLE) {
			double x, y;

			memcpy(&x, a, sizeof(x));
			memcpy(&y, b, sizeof(y));
			verdict = compare_real(in, from + i, x, y, &by);
		} else if (in->type == VALUE_FLOAT) {
			float x, y;

			memcpy(&x, a, sizeof(x));
			memcpy(&y, b, sizeof(y));
			verdict = compare_real(in, from + i, (double)x, (double)y, &by);
		} else {
			verdict = diff_element_compare(in, from + i, &by);
		}
		if (verdict != DIFF_SAME)
			take(s, from + i, verdict, by);
	}
}

static void scan_all(struct scan *s)
{
	const unsigned char *a = s->in->ref, *b = s->in->now;
	size_t size = value_size(s->in->type);

	for (uint64_t i = 0; i < s->d->total; i += CHUNK) {
		uint64_t n = s->d->total - i < CHUNK ? s->d->total - i : CHUNK;

		if (memcmp(a + i * size, b + i * size, n * size))
			scan_chunk(s, i, n);
	}
}

static struct value value_at(const struct diff_input *in, const void *block, uint64_t i)
{
	return value_load(in->type, (const unsigned char *)block + i * value_size(in->type));
}

static uint32_t owner_of(const struct diff_input *in, const int64_t *index)
{
	for (size_t k = 0; in->owner && k < in->nowner; k++) {
		const struct array_desc *a = &in->owner[k].desc;
		unsigned d = 0;

		while (d < a->ndim && array_local(a, d, index[d]) >= 0)
			d++;
		if (d == a->ndim && d == in->section->ndim && !a->copy)
			return in->owner[k].rank;
	}
	return UINT32_MAX;
}

static int find_first(struct diff *d, const struct diff_input *in)
{
	struct diff_item first;

	if (diff_list(d, in, 1, &first) != 1)
		return -1;
	memcpy(d->first, first.index, sizeof(d->first));
	d->first_ref = first.ref;
	d->first_now = first.now;
	d->first_owner = first.owner;
	return 0;
}

/* Fills what follows from where the elements that differ are. */
static int describe(struct diff *d, const struct diff_input *in)
{
	struct diff_map m;
	int rc = diff_map_make(&m, in, d);

	memcpy(d->lo, m.lo, sizeof(d->lo));
	memcpy(d->hi, m.hi, sizeof(d->hi));
	for (size_t k = 0; !rc && m.share && k < in->nowner; k++)
		if (m.share[k].differ)
			xrankset_add(&d->owners, in->owner[k].rank, in->owner[k].rank);
	if (!rc)
		d->shape = diff_shape(&m, &d->where);
	diff_map_clear(&m);
	return rc || !d->shape ? -1 : 0;
}

static int finish(struct scan *s)
{
	const struct diff_input *in = s->in;
	struct diff *d = s->d;

	if (s->any) {
		diff_index(in->section, s->worst, d->worst);
		d->worst_ref = value_at(in, in->ref, s->worst);
		d->worst_now = value_at(in, in->now, s->worst);
		if (find_first(d, in))
			return -1;
	}
	if (d->differ)
		return describe(d, in);
	free(d->bits);
	d->bits = NULL;
	d->shape = xstrdup("nowhere");
	return 0;
}

int diff_make(struct diff *d, const struct diff_input *in, struct err *err)
{
	struct scan s = { .in = in, .d = d };

	memset(d, 0, sizeof(*d));
	d->first_owner = UINT32_MAX;
	if (!value_size(in->type))
		return err_set(err, "%s: values of this type cannot be compared", in->name);
	d->total = section_total(in->section);
	d->bits = calloc(d->total / 64 + 1, sizeof(*d->bits));
	if (!d->bits)
		return xalloc_refused(d->total / 8, "choose a smaller section", err);
	scan_all(&s);
	if (!finish(&s))
		return 0;
	diff_clear(d);
	return err_set(err, "out of memory for the places that differ: choose a smaller section");
}

void diff_clear(struct diff *d)
{
	rankset_clear(&d->owners);
	free(d->shape);
	free(d->bits);
	memset(d, 0, sizeof(*d));
}

/* Positions by their index. */
static int by_index(const void *pa, const void *pb, void *arg)
{
	const int64_t *a = pa, *b = pb, *vector = arg;

	if (vector[*a] != vector[*b])
		return vector[*a] < vector[*b] ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

/* The section's elements, by number, with the indices ascending; cleared by the caller. */
static void ascending(struct layout *l, const struct section *s)
{
	int64_t stride = 1;

	*l = (struct layout){ .ndim = s->ndim, .size = 1 };
	for (unsigned d = s->ndim; d-- > 0; stride *= l->count[d]) {
		const struct section_dim *dim = &s->dim[d];
		int64_t n = l->count[d] = (int64_t)section_count(s, d);

		l->stride[d] = stride;
		if (dim->vector) {
			l->place[d] = l->room[d] = xcalloc((size_t)n, sizeof(*l->room[d]));
			for (int64_t i = 0; i < n; i++)
				l->room[d][i] = i;
			qsort_r(l->room[d], (size_t)n, sizeof(*l->room[d]), by_index, dim->vector);
			for (int64_t i = 0; i < n; i++)
				l->room[d][i] *= stride;
		} else if (!dim->scalar && dim->step < 0) {
			l->stride[d] = -stride;
			l->origin += (n - 1) * stride;
		}
	}
}

/* The first n elements with their bits set, by number. */
static size_t first_bits(const struct diff_input *in, const uint64_t *bits, size_t n,
			 struct diff_item *list)
{
	struct layout_walk w;
	struct layout_run r;
	struct layout l;
	size_t used = 0;

	ascending(&l, in->section);
	layout_walk(&w, &l, in->order == 'F' ? LAYOUT_F : LAYOUT_C);
	while (used < n && layout_next(&w, &r))
		for (uint64_t k = 0; k < r.n && used < n; k++) {
			uint64_t at = (uint64_t)r.offset + k * (uint64_t)r.stride;

			if (bits[at / 64] >> (at % 64) & 1)
				list[used++].at = at;
		}
	layout_clear(&l);
	return used;
}

size_t diff_list(const struct diff *d, const struct diff_input *in, size_t n,
		 struct diff_item *list)
{
	size_t used = 0;

	if (d->bits)
		used = first_bits(in, d->bits, n, list);
	for (size_t k = 0; k < used; k++) {
		struct diff_item *x = &list[k];

		diff_index(in->section, x->at, x->index);
		x->ref = value_at(in, in->ref, x->at);
		x->now = value_at(in, in->now, x->at);
		diff_element_compare(in, x->at, &x->difference);
		x->owner = owner_of(in, x->index);
	}
	return used;
}

const char *diff_element(const char *name, uint8_t order, unsigned ndim, const int64_t *index,
			 char *out, size_t size)
{
	return names_element(name, order == 'F', ndim, index, out, size);
}
