/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is wrong at the end of a construct, as it was at its beginning: was it wrong already, was it
 * set in between, and are the values those of other elements?
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "frontend/locate/internal.h"
#include "frontend/session/session.h"
#include "frontend/sumdiff/sumdiff.h"

#define FARTHEST 3 /* elements by which values are shifted */

static const unsigned char *bytes_of(const struct fetched *f)
{
	return f->q.n ? f->q.group[0].bytes : NULL;
}

static bool is_wrong(const struct diff *d, uint64_t i)
{
	return d->bits[i / 64] >> (i % 64) & 1;
}

/* The position of an element in the section; false: it is not in it. */
static bool position(const struct section *s, const int64_t *g, uint64_t *at)
{
	*at = 0;
	for (unsigned d = 0; d < s->ndim; d++) {
		if (g[d] < s->dim[d].first || g[d] > s->dim[d].last)
			return false;
		*at = *at * section_count(s, d) + (uint64_t)(g[d] - s->dim[d].first);
	}
	return true;
}

static bool reads_it(const struct mismatch *m, const struct sums_point *at, bool *known)
{
	bool it = false;

	*known = false;
	for (size_t i = 0; at && i < at->n; i++) {
		if (!(at->array[i].flags & POINT_SUMS_READ))
			continue;
		*known = true;
		it |= sums_array_same(&at->array[i], &m->id);
	}
	return it;
}

/* How the elements that are wrong at the end were at the beginning. */
struct census {
	uint64_t before;    /* of all: wrong at the beginning */
	uint64_t both;	    /* wrong at both */
	uint64_t unwritten; /* wrong at the end, and as they were; the reference has set them */
	uint64_t untouched; /* the same, and the reference has not set them either */
};

static void count(const struct locate_values *v, const struct diff *begin, struct census *c)
{
	const unsigned char *ref0 = bytes_of(&v->ref_begin), *now0 = bytes_of(&v->now_begin);
	const unsigned char *ref = bytes_of(&v->ref), *now = bytes_of(&v->now);
	size_t size = v->now.q.elem_size;

	*c = (struct census){ .before = begin->differ };
	for (uint64_t i = 0; i < v->diff.total; i++) {
		bool same;

		if (!is_wrong(&v->diff, i))
			continue;
		c->both += begin->differ && is_wrong(begin, i);
		same = !memcmp(now0 + i * size, now + i * size, size);
		if (same && memcmp(ref0 + i * size, ref + i * size, size))
			c->unwritten++;
		else
			c->untouched += same;
	}
}

/*
 * Memory that is new here may hold anything at the beginning. What is wrong there counts when it
 * stays, is read, or nearly all of it is wrong at the end as well and most else is right.
 */
static bool was_spoilt(const struct locate *l, const struct census *c, bool read)
{
	if (c->untouched == l->values.diff.differ || read)
		return true;
	return 10 * c->before < 9 * l->m->plan.total && 10 * c->both >= 9 * c->before;
}

/*
 * What the construct writes and does not read it has to set, whatever was there: by chance the
 * reference may have had the same before.
 */
static bool was_left(const struct locate *l, const struct census *c, bool overwritten)
{
	return c->unwritten + (overwritten ? c->untouched : 0) == l->values.diff.differ;
}

void locate_grade_begin(struct locate *l, const struct sums_point *at)
{
	struct locate_values *v = &l->values;
	struct diff_input in = { .name = l->m->id.name,
				 .type = v->now.q.type,
				 .order = l->m->id.order,
				 .section = &v->now.section,
				 .lower = v->now.desc.lower,
				 .extent = v->now.desc.extent,
				 .ref = bytes_of(&v->ref_begin),
				 .now = bytes_of(&v->now_begin),
				 .tol = v->tol,
				 .plan = l->m->plan };
	struct diff begin = { 0 };
	struct err err = { "" };
	struct census c;
	bool known, read = reads_it(l->m, at, &known);
	uint64_t first;

	if (!v->there || !v->diff.differ || !in.ref || !in.now ||
	    values_total(&v->ref_begin.q) != v->diff.total ||
	    values_total(&v->now_begin.q) != v->diff.total || v->ref_begin.q.type != in.type ||
	    v->now_begin.q.type != in.type || !position(in.section, v->diff.first, &first) ||
	    diff_make(&begin, &in, &err))
		return;
	count(v, &begin, &c);
	v->began = true;
	v->first_ref_begin = values_value(&v->ref_begin.q, 0, first);
	v->first_now_begin = values_value(&v->now_begin.q, 0, first);
	v->unwritten = was_left(l, &c, known && !read && l->m->id.flags & POINT_SUMS_WRITE);
	if (!v->unwritten && begin.differ && is_wrong(&begin, first))
		v->spoilt = was_spoilt(l, &c, read);
	diff_clear(&begin);
}

/* Who owns the element; UINT32_MAX: it is unknown. */
static uint32_t owner_of(const struct locate_values *v, const int64_t *g)
{
	for (size_t i = 0; i < v->nowner; i++) {
		const struct array_desc *own = &v->owner[i].desc;
		bool mine = own->ndim == v->now.section.ndim && !own->copy;

		for (unsigned d = 0; mine && d < own->ndim; d++)
			mine = array_local(own, d, g[d]) >= 0;
		if (mine)
			return v->owner[i].rank;
	}
	return UINT32_MAX;
}

void locate_move_first(struct locate *l, const struct trace_finding *f)
{
	struct locate_values *v = &l->values;
	uint64_t at;

	if (!v->there || !v->diff.differ || v->spoilt || l->m->kind != MISMATCH_VALUE ||
	    f->thing.ndim != v->now.section.ndim ||
	    !position(&v->now.section, f->thing.index, &at) || !is_wrong(&v->diff, at))
		return;
	memcpy(v->diff.first, f->thing.index, sizeof(v->diff.first));
	v->diff.first_ref = values_value(&v->ref.q, 0, at);
	v->diff.first_now = values_value(&v->now.q, 0, at);
	v->diff.first_owner = owner_of(v, v->diff.first);
	if (!v->began)
		return;
	v->first_ref_begin = values_value(&v->ref_begin.q, 0, at);
	v->first_now_begin = values_value(&v->now_begin.q, 0, at);
}

/*
 * How many wrong elements of an owner have the value that the reference has `by` further, or at the
 * transposed place (dim < 0), and of how many that can be decided; none when they all have one
 * value.
 */
static void count_shift(const struct locate_values *v, const struct array_desc *own, int dim,
			int64_t by, uint64_t *hit, uint64_t *of)
{
	const unsigned char *ref = bytes_of(&v->ref), *now = bytes_of(&v->now);
	const struct section *s = &v->now.section;
	size_t size = v->now.q.elem_size;
	int64_t g[ARRAY_DIMS] = { 0 }, other[ARRAY_DIMS];

	const unsigned char *one = NULL;
	bool varied = false;

	*hit = *of = 0;
	for (uint64_t i = 0; i < v->diff.total; i++) {
		uint64_t at, rest = i;
		bool mine = true;

		if (!is_wrong(&v->diff, i))
			continue;
		for (unsigned d = s->ndim; d-- > 0; rest /= section_count(s, d)) {
			g[d] = section_index(s, d, rest % section_count(s, d));
			mine &= array_local(own, d, g[d]) >= 0;
		}
		memcpy(other, g, sizeof(g));
		if (dim >= 0) {
			other[dim] += by;
		} else {
			other[0] = g[1];
			other[1] = g[0];
		}
		if (!mine || !position(s, other, &at))
			continue;
		++*of;
		if (memcmp(ref + at * size, now + i * size, size))
			continue;
		++*hit;
		varied |= one && memcmp(one, now + i * size, size);
		one = now + i * size;
	}
	if (!varied)
		*hit = 0;
}

/* Nearly all of at least four elements. */
static bool fits(const struct locate_values *v, const struct array_desc *own, int dim, int64_t by)
{
	uint64_t hit, of;

	count_shift(v, own, dim, by, &hit, &of);
	return hit >= 4 && 10 * hit >= 9 * of;
}

/* The shift of the rank's values, 0: none, in *dim; -1 in *dim: they are transposed. */
static int64_t shift_of(const struct locate_values *v, const struct array_desc *own, int *dim)
{
	unsigned n = v->now.section.ndim;

	for (int d = 0; d < (int)n; d++) {
		int64_t local = v->now.desc.lower[d] - own->own_lo[d];

		/* first: where values come again and again others fit as well, by chance */
		if (local < -1 && fits(v, own, *dim = d, local))
			return local;
		for (int64_t k = 1; k <= FARTHEST; k++)
			for (int sign = -1; sign < 2; sign += 2)
				if (fits(v, own, *dim = d, sign * k))
					return sign * k;
	}
	*dim = -1;
	return n == 2 && v->now.desc.extent[0] == v->now.desc.extent[1] && fits(v, own, -1, 0);
}

void locate_look_shift(struct locate *l)
{
	struct locate_values *v = &l->values;
	unsigned inspected = 0;

	if (!v->there || v->diff.differ < 4 || v->diff.total > (UINT64_C(1) << 20) ||
	    v->now.section.ndim != v->now.desc.ndim)
		return;
	for (size_t i = 0; i < v->nowner && !v->shift && inspected < 4; i++) {
		const struct array_desc *own = &v->owner[i].desc;

		if (!rankset_has(&v->diff.owners, v->owner[i].rank) ||
		    own->ndim != v->now.section.ndim)
			continue;
		inspected++;
		v->shift = shift_of(v, own, &v->shift_dim);
		v->shift_rank = v->owner[i].rank;
		v->shift_local = v->shift_dim >= 0 && v->shift == v->now.desc.lower[v->shift_dim] -
									  own->own_lo[v->shift_dim];
	}
}
