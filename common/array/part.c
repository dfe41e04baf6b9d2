/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which elements of a section lie on one rank, dimension by dimension: the cost is that of the
 * indices owned, not of the section.
 */
#include "common/array/array.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"

/* An owned global index and where it is. */
struct pair {
	int64_t g, local;
};

static int pair_compare(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->g != y->g)
		return x->g < y->g ? -1 : 1;
	return (x->local > y->local) - (x->local < y->local);
}

static int reserve(struct array_part *p, unsigned d, uint64_t n, struct err *err)
{
	if (n > UINT32_MAX)
		return err_set(err, "a rank's part of the section is too large in dimension %u",
			       d + 1);
	p->at[d] = calloc(n ? n : 1, sizeof *p->at[d]);
	p->local[d] = calloc(n ? n : 1, sizeof *p->local[d]);
	return p->at[d] && p->local[d] ? 0 : err_set(err, "out of memory");
}

static void append(struct array_part *p, unsigned d, uint64_t at, int64_t local)
{
	p->at[d][p->n[d]] = (uint32_t)at;
	p->local[d][p->n[d]++] = local;
}

/* Positions of first:last:step that lie in lo … hi: from *begin, as many as returned. */
static uint64_t range_within(const struct section_dim *dim, uint64_t count, int64_t lo, int64_t hi,
			     uint64_t *begin)
{
	__int128 first = dim->first, step = dim->step, from, to;

	if (dim->scalar)
		step = 1;
	if (step > 0) {
		from = lo <= first ? 0 : (lo - first + step - 1) / step;
		to = hi < first ? -1 : (hi - first) / step;
	} else {
		from = hi >= first ? 0 : (first - hi - step - 1) / -step;
		to = lo > first ? -1 : (first - lo) / -step;
	}
	if (to >= (__int128)count)
		to = (__int128)count - 1;
	*begin = (uint64_t)from;
	return to < from ? 0 : (uint64_t)(to - from) + 1;
}

static int box_of_range(struct array_part *p, const struct array_desc *a, const struct section *s,
			unsigned d, struct err *err)
{
	uint64_t begin, n;

	n = range_within(&s->dim[d], section_count(s, d), a->own_lo[d], a->own_hi[d], &begin);
	if (a->own_hi[d] < a->own_lo[d])
		n = 0;
	if (reserve(p, d, n, err))
		return -1;
	for (uint64_t i = begin; i < begin + n; i++)
		append(p, d, i, array_local(a, d, section_index(s, d, i)));
	return 0;
}

static int box_of_vector(struct array_part *p, const struct array_desc *a, const struct section *s,
			 unsigned d, struct err *err)
{
	const struct section_dim *dim = &s->dim[d];

	if (reserve(p, d, dim->n, err))
		return -1;
	for (uint32_t i = 0; i < dim->n; i++)
		if (dim->vector[i] >= a->own_lo[d] && dim->vector[i] <= a->own_hi[d])
			append(p, d, i, array_local(a, d, dim->vector[i]));
	return 0;
}

/* The list as sorted pairs; an index that is listed twice stays once, at its first place. */
static struct pair *list_pairs(const struct array_desc *a, unsigned d, uint32_t *n)
{
	struct pair *pair = calloc(a->list_n[d] ? a->list_n[d] : 1, sizeof *pair);

	*n = 0;
	if (!pair)
		return NULL;
	for (uint32_t k = 0; k < a->list_n[d]; k++)
		pair[k] = (struct pair){ a->list[d][k], (int64_t)(k + (uint64_t)a->halo_lo[d]) };
	qsort(pair, a->list_n[d], sizeof *pair, pair_compare);
	for (uint32_t k = 0; k < a->list_n[d]; k++)
		if (!*n || pair[*n - 1].g != pair[k].g)
			pair[(*n)++] = pair[k];
	return pair;
}

static const struct pair *pair_find(const struct pair *pair, uint32_t n, int64_t g)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (pair[mid].g < g)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && pair[lo].g == g ? &pair[lo] : NULL;
}

/* The pairs ascend, so do positions of a range that ascends; one that descends meets them
 * backwards. */
static int list_of_range(struct array_part *p, const struct pair *pair, uint32_t n,
			 const struct section *s, unsigned d, struct err *err)
{
	const struct section_dim *dim = &s->dim[d];
	bool down = !dim->scalar && dim->step < 0;
	__int128 step = dim->scalar ? 1 : dim->step;
	uint64_t count = section_count(s, d);

	if (reserve(p, d, n, err))
		return -1;
	for (uint32_t k = 0; k < n; k++) {
		const struct pair *own = &pair[down ? n - 1 - k : k];
		__int128 way = (__int128)own->g - dim->first;

		if (way % step || way / step < 0 || way / step >= (__int128)count)
			continue;
		append(p, d, (uint64_t)(way / step), own->local);
	}
	return 0;
}

static int list_of_vector(struct array_part *p, const struct pair *pair, uint32_t n,
			  const struct section *s, unsigned d, struct err *err)
{
	const struct section_dim *dim = &s->dim[d];
	const struct pair *own;

	if (reserve(p, d, dim->n, err))
		return -1;
	for (uint32_t i = 0; i < dim->n; i++) {
		own = pair_find(pair, n, dim->vector[i]);
		if (own)
			append(p, d, i, own->local);
	}
	return 0;
}

static int part_dim(struct array_part *p, const struct array_desc *a, const struct section *s,
		    unsigned d, struct err *err)
{
	struct pair *pair;
	uint32_t n;
	int rc;

	if (section_count(s, d) > UINT32_MAX)
		return err_set(err, "the section has too many indices in dimension %u", d + 1);
	if (!a->list[d])
		return s->dim[d].vector ? box_of_vector(p, a, s, d, err)
					: box_of_range(p, a, s, d, err);
	pair = list_pairs(a, d, &n);
	if (!pair)
		return err_set(err, "out of memory");
	rc = s->dim[d].vector ? list_of_vector(p, pair, n, s, d, err)
			      : list_of_range(p, pair, n, s, d, err);
	free(pair);
	return rc;
}

int array_part_make(struct array_part *p, const struct array_desc *a, const struct section *s,
		    struct err *err)
{
	*p = (struct array_part){ .ndim = a->ndim };
	if (s->ndim != a->ndim)
		return err_set(err, "%s has %u dimensions, the section %u", a->name ? a->name : "?",
			       a->ndim, s->ndim);
	for (unsigned d = 0; d < a->ndim; d++) {
		if (part_dim(p, a, s, d, err)) {
			array_part_clear(p);
			return -1;
		}
	}
	return 0;
}

void array_part_clear(struct array_part *p)
{
	for (unsigned d = 0; d < ARRAY_DIMS; d++) {
		free(p->at[d]);
		free(p->local[d]);
	}
	*p = (struct array_part){ 0 };
}

uint64_t array_part_total(const struct array_part *p)
{
	uint64_t total = 1;
	bool over = false;

	for (unsigned d = 0; d < p->ndim; d++) {
		if (!p->n[d])
			return 0;
		over |= __builtin_mul_overflow(total, (uint64_t)p->n[d], &total);
	}
	return over ? UINT64_MAX : total;
}
