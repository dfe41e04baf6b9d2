/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/array/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/vec.h"

void values_clear(struct values *q)
{
	for (size_t i = 0; i < q->n; i++) {
		rankset_clear(&q->group[i].ranks);
		free(q->group[i].bytes);
	}
	free(q->group);
	*q = (struct values){ 0 };
}

void values_like(struct values *q, const struct values *other)
{
	q->ndim = other->ndim;
	q->order = other->order;
	memcpy(q->count, other->count, sizeof q->count);
	memcpy(q->first, other->first, sizeof q->first);
	memcpy(q->step, other->step, sizeof q->step);
}

void values_add_dim(struct values *q, const struct section *s, unsigned d)
{
	const struct section_dim *x = &s->dim[d];

	if (!x->vector) {
		q->first[q->ndim] = x->first;
		q->step[q->ndim] = x->step ? x->step : 1;
	}
	q->count[q->ndim++] = section_count(s, d);
}

int64_t values_index(const struct values *q, unsigned d, uint64_t i)
{
	if (!q->step[d])
		return (int64_t)i + (q->order == 'F');
	return q->first[d] + (int64_t)i * q->step[d];
}

uint64_t values_place(const struct values *q, unsigned d, uint64_t number)
{
	for (unsigned k = q->ndim; k-- > d + 1;)
		number /= q->count[k] ? q->count[k] : 1;
	return q->count[d] ? number % q->count[d] : 0;
}

uint64_t values_total(const struct values *q)
{
	uint64_t total = 1;
	bool over = false;

	for (unsigned d = 0; d < q->ndim; d++) {
		if (!q->count[d])
			return 0;
		over |= __builtin_mul_overflow(total, q->count[d], &total);
	}
	return over ? UINT64_MAX : total;
}

int values_adopt(struct values *q, const struct rankset *ranks, void *bytes)
{
	struct values_group *g;

	if (!bytes || vec_more(q->group, q->n, 1))
		goto fail;
	g = &q->group[q->n];
	*g = (struct values_group){ .bytes = bytes };
	if (rankset_add_set(&g->ranks, ranks)) {
		rankset_clear(&g->ranks);
		goto fail;
	}
	q->n++;
	return 0;
fail:
	free(bytes);
	return -1;
}

int values_add(struct values *q, const struct rankset *ranks, const void *bytes)
{
	uint64_t size;
	void *copy;

	if (__builtin_mul_overflow(values_total(q), (uint64_t)q->elem_size, &size))
		return -1;
	copy = malloc(size ? size : 1);
	if (copy && size)
		memcpy(copy, bytes, size);
	return values_adopt(q, ranks, copy);
}

struct value values_value(const struct values *q, size_t group, uint64_t i)
{
	return value_load(q->type, q->group[group].bytes + i * q->elem_size);
}

static double canonical_real(double d)
{
	if (isnan(d))
		return (double)NAN;
	return d == 0 ? 0 : d;
}

/* Copies count elements so that equal values become equal bytes. */
static void canonical(unsigned type, unsigned char *to, const unsigned char *from, uint64_t count)
{
	size_t size = value_size(type);
	enum value_class class = value_class(type);
	struct value v;

	memcpy(to, from, count * size);
	if (class == VALUE_IS_INT || class == VALUE_IS_UINT)
		return;
	for (uint64_t i = 0; i < count; i++) {
		v = value_load(type, from + i * size);
		v.re = canonical_real(v.re);
		v.im = canonical_real(v.im);
		value_store(type, to + i * size, &v, NULL);
	}
}

/* The same for what a group holds; structures field by field, their padding is zeroed. */
static void canonical_group(const struct values *q, unsigned char *key, const unsigned char *bytes)
{
	uint64_t total = values_total(q);

	if (q->type != VALUE_STRUCT) {
		canonical(q->type, key, bytes, total);
		return;
	}
	if (!q->nfield) {
		memcpy(key, bytes, total * q->elem_size);
		return;
	}
	memset(key, 0, total * q->elem_size);
	for (uint64_t i = 0; i < total; i++)
		for (uint32_t f = 0; f < q->nfield; f++) {
			const struct array_field *field = &q->field[f];
			uint64_t at = i * q->elem_size + field->offset;

			canonical(field->type, key + at, bytes + at, field->count);
		}
}

struct keyed {
	const unsigned char *key;
	uint64_t size;
	struct values_group *group;
};

static int key_compare(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	return memcmp(x->key, y->key, x->size);
}

static int group_compare(const void *a, const void *b)
{
	const struct values_group *x = a, *y = b;
	size_t n = rankset_count(&x->ranks), m = rankset_count(&y->ranks);
	int64_t r = rankset_next(&x->ranks, 0), s = rankset_next(&y->ranks, 0);

	return n != m ? (n > m) - (n < m) : (r > s) - (r < s);
}

/* Moves the ranks of equal neighbours to the first of them; those left over have no bytes. */
static int join_equal(struct keyed *keyed, size_t n)
{
	size_t first = 0;

	for (size_t i = 1; i < n; i++) {
		if (key_compare(&keyed[first], &keyed[i])) {
			first = i;
			continue;
		}
		if (rankset_add_set(&keyed[first].group->ranks, &keyed[i].group->ranks))
			return -1;
		rankset_clear(&keyed[i].group->ranks);
		free(keyed[i].group->bytes);
		keyed[i].group->bytes = NULL;
	}
	return 0;
}

int values_collapse(struct values *q)
{
	uint64_t size = values_total(q) * q->elem_size;
	unsigned char *key;
	struct keyed *keyed;
	size_t n = 0;
	int rc = -1;

	if (q->n < 2)
		return 0;
	key = calloc(q->n, size ? size : 1);
	keyed = calloc(q->n, sizeof *keyed);
	for (size_t i = 0; key && keyed && i < q->n; i++) {
		keyed[i] = (struct keyed){ key + i * size, size, &q->group[i] };
		canonical_group(q, key + i * size, q->group[i].bytes);
	}
	if (key && keyed) {
		qsort(keyed, q->n, sizeof *keyed, key_compare);
		rc = join_equal(keyed, q->n);
	}
	for (size_t i = 0; i < q->n; i++)
		if (q->group[i].bytes)
			q->group[n++] = q->group[i];
	q->n = n;
	qsort(q->group, q->n, sizeof *q->group, group_compare);
	free(key);
	free(keyed);
	return rc;
}

/* A run of ranks with its group in one quantity, or its groups in two. */
struct run {
	size_t i, j;
	uint32_t lo, hi;
};

static int run_by_rank(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

static int run_by_group(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->i != y->i)
		return x->i < y->i ? -1 : 1;
	if (x->j != y->j)
		return x->j < y->j ? -1 : 1;
	return run_by_rank(a, b);
}

/* All runs of the quantity in the order of ranks; NULL: memory. */
static struct run *all_runs(const struct values *q, size_t *n)
{
	struct run *run;

	*n = 0;
	for (size_t g = 0; g < q->n; g++)
		*n += q->group[g].ranks.n;
	run = calloc(*n ? *n : 1, sizeof *run);
	if (!run)
		return NULL;
	*n = 0;
	for (size_t g = 0; g < q->n; g++)
		for (size_t k = 0; k < q->group[g].ranks.n; k++) {
			const struct rank_run *r = &q->group[g].ranks.run[k];

			run[(*n)++] = (struct run){ g, g, r->lo, r->hi };
		}
	qsort(run, *n, sizeof *run, run_by_rank);
	return run;
}

/* Where both have runs; out has room for as many as both together. */
static size_t meet_runs(const struct run *a, size_t na, const struct run *b, size_t nb,
			struct run *out)
{
	size_t i = 0, j = 0, n = 0;

	while (i < na && j < nb) {
		uint32_t lo = a[i].lo > b[j].lo ? a[i].lo : b[j].lo;
		uint32_t hi = a[i].hi < b[j].hi ? a[i].hi : b[j].hi;

		if (lo <= hi)
			out[n++] = (struct run){ a[i].i, b[j].j, lo, hi };
		if (a[i].hi < b[j].hi)
			i++;
		else
			j++;
	}
	qsort(out, n, sizeof *out, run_by_group);
	return n;
}

static int make_pieces(const struct run *run, size_t runs, struct values_piece *piece, size_t *n)
{
	*n = 0;
	for (size_t k = 0; k < runs; k++) {
		if (!k || run[k].i != run[k - 1].i || run[k].j != run[k - 1].j)
			piece[(*n)++] = (struct values_piece){ .i = run[k].i, .j = run[k].j };
		if (rankset_add(&piece[*n - 1].ranks, run[k].lo, run[k].hi))
			return -1;
	}
	return 0;
}

int values_refine(const struct values *a, const struct values *b, struct values_piece **piece,
		  size_t *n)
{
	size_t na, nb, runs;
	struct run *ra = all_runs(a, &na), *rb = all_runs(b, &nb);
	struct run *out = ra && rb ? calloc(na + nb + 1, sizeof *out) : NULL;
	int rc = -1;

	*n = 0;
	*piece = NULL;
	if (out) {
		runs = meet_runs(ra, na, rb, nb, out);
		*piece = calloc(runs + 1, sizeof **piece);
		rc = *piece ? make_pieces(out, runs, *piece, n) : -1;
	}
	if (rc) {
		values_pieces_free(*piece, *n);
		*piece = NULL;
		*n = 0;
	}
	free(ra);
	free(rb);
	free(out);
	return rc;
}

void values_pieces_free(struct values_piece *piece, size_t n)
{
	for (size_t k = 0; k < n; k++)
		rankset_clear(&piece[k].ranks);
	free(piece);
}
