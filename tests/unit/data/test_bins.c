/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sections reduced by the ranks that own them, beside what a plain loop over the whole array says.
 */
#include "tests/unit/page_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/array/value.h"
#include "common/array/bins.h"
#include "runtime/exec/query/query.h"
#include "runtime/page/page.h"

#define MOST 40000 /* elements in the memory of a rank */
#define ROUNDS 400

static uint64_t seed;

static uint32_t chance(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* An array, how it is parted, and what is asked. */
struct situation {
	unsigned ndim, type;
	bool fortran, down; /* down: the inner stride is negative */
	int64_t lower[3], extent[3];
	unsigned parts[3]; /* of the ranks, in each dimension */
	bool list[3];	   /* owned by an index list: every parts-th index */
	int64_t halo, pad; /* pad: elements between neighbours that belong to nobody */
	struct section sec;
	struct bins_spec spec;
	double *value; /* the whole array, the last dimension fastest */
	uint64_t total;
};

static uint64_t number_of(const struct situation *s, const int64_t *index)
{
	uint64_t n = 0;

	for (unsigned d = 0; d < s->ndim; d++)
		n = n * (uint64_t)s->extent[d] + (uint64_t)(index[d] - s->lower[d]);
	return n;
}

static void make_values(struct situation *s)
{
	uint32_t range = chance(2) ? 2000 : 4; /* few: extremes are many */

	s->total = 1;
	for (unsigned d = 0; d < s->ndim; d++)
		s->total *= (uint64_t)s->extent[d];
	s->value = malloc(s->total * sizeof(double));
	for (uint64_t i = 0; i < s->total; i++) {
		s->value[i] = (double)chance(range) - range / 2;
		if (s->type != VALUE_INT && !chance(60))
			s->value[i] = chance(2) ? NAN : chance(2) ? INFINITY : -INFINITY;
	}
}

static void make(struct situation *s)
{
	static const unsigned types[] = { VALUE_DOUBLE, VALUE_DOUBLE, VALUE_FLOAT, VALUE_INT };
	unsigned shown[3], n = 0;

	*s = (struct situation){ .ndim = 1 + chance(3),
				 .type = types[chance(4)],
				 .fortran = chance(2),
				 .down = chance(4) == 0,
				 .halo = chance(3),
				 .pad = chance(5)   ? 0
					: chance(2) ? 3
						    : 60 };
	s->sec.ndim = s->ndim;
	for (unsigned d = 0; d < s->ndim; d++) {
		struct section_dim *dim = &s->sec.dim[d];

		s->lower[d] = (int64_t)chance(7) - 3;
		s->extent[d] = 1 + chance(s->ndim == 1 ? 3000 : s->ndim == 2 ? 60 : 14);
		s->parts[d] = 1 + chance(3);
		s->list[d] = chance(4) == 0;
		dim->step = 1;
		dim->first = s->lower[d] + chance((uint32_t)s->extent[d]);
		dim->last =
			dim->first + chance((uint32_t)(s->lower[d] + s->extent[d] - dim->first));
		if (chance(2)) {
			dim->first = s->lower[d];
			dim->last = s->lower[d] + s->extent[d] - 1;
		}
		dim->scalar = dim->first == dim->last && chance(2);
		shown[n++] = d;
	}
	s->spec = (struct bins_spec){
		.rows = 1, .parts = 1 + chance(3), .bins = chance(2), .from = -500, .to = 700
	};
	s->spec.row = s->spec.col = (uint8_t)shown[chance(n)];
	s->spec.cols = 1 + chance((uint32_t)section_count(&s->sec, s->spec.col));
	if (n > 1 && chance(3)) {
		s->spec.row = (uint8_t)((s->spec.col + 1) % n);
		s->spec.rows = 1 + chance((uint32_t)section_count(&s->sec, s->spec.row));
	}
	s->spec.after = chance(2);
	for (unsigned d = 0; d < s->ndim; d++)
		s->spec.index[d] = s->lower[d] + chance((uint32_t)s->extent[d]);
	make_values(s);
}

/* The next index in the order of the array's language; false behind the last. */
static bool next(const struct situation *s, int64_t *index)
{
	for (unsigned i = 0; i < s->ndim; i++) {
		unsigned d = s->fortran ? i : s->ndim - 1 - i;

		if (++index[d] <= s->sec.dim[d].last)
			return true;
		index[d] = s->sec.dim[d].first;
	}
	return false;
}

static void expect_bins(struct bins *z, const struct bins_spec *spec, double v)
{
	if (!isfinite(v))
		return;
	if (v < spec->from)
		z->below++;
	else if (v > spec->to)
		z->above++;
	else if (v == spec->to)
		z->bin[BINS_HISTOGRAM - 1]++;
	else
		z->bin[(int)((v - spec->from) / (spec->to - spec->from) * BINS_HISTOGRAM)]++;
}

/* One element at a time; owners are left out. */
static void expect(const struct situation *s, struct bins *z)
{
	int64_t i[ARRAY_DIMS];

	assert_int_equal(bins_make(z, s->ndim, s->fortran, s->spec.rows, s->spec.cols), 0);
	for (unsigned d = 0; d < s->ndim; d++)
		i[d] = s->sec.dim[d].first;
	do {
		unsigned row = s->spec.row, col = s->spec.col;
		uint64_t r = (uint64_t)(i[row] - s->sec.dim[row].first) * s->spec.rows /
			     section_count(&s->sec, row);
		uint64_t k = (uint64_t)(i[col] - s->sec.dim[col].first) * s->spec.cols /
			     section_count(&s->sec, col);
		double v = s->value[number_of(s, i)];
		struct bins_cell one;

		bins_cell_init(&one);
		one.count = 1;
		one.nan = isnan(v);
		one.inf = isinf(v) != 0;
		if (isfinite(v))
			one.sum = one.least = one.most = v;
		bins_cell_add(&z->cell[(row == col ? 0 : r) * s->spec.cols + k], &one);
		if (isfinite(v) && v < z->all.least)
			memcpy(z->at_least, i, sizeof(z->at_least));
		if (isfinite(v) && v > z->all.most)
			memcpy(z->at_most, i, sizeof(z->at_most));
		if (isnan(v) && !z->found_nan &&
		    (!s->spec.after || bins_before(z, s->spec.index, i))) {
			z->found_nan = true;
			memcpy(z->at_nan, i, sizeof(z->at_nan));
		}
		bins_cell_add(&z->all, &one);
		if (s->spec.bins)
			expect_bins(z, &s->spec, v);
	} while (next(s, i));
}

/* What one rank has of dimension d. */
static void part_of(const struct situation *s, unsigned d, unsigned part, struct page_entity *e,
		    int64_t *list)
{
	int64_t n = s->extent[d];

	e->halo_lo[d] = e->halo_hi[d] = s->halo;
	e->own_lo[d] = s->lower[d] + n * part / s->parts[d];
	e->own_hi[d] = s->lower[d] + n * (part + 1) / s->parts[d] - 1;
	if (!s->list[d])
		return;
	e->list_n[d] = 0;
	for (int64_t i = 0; i < n; i++)
		if (i % s->parts[d] == part)
			list[e->list_n[d]++] = s->lower[d] + i;
}

static int64_t held(const struct page_entity *e, unsigned d, bool list)
{
	int64_t n = list ? e->list_n[d] : e->own_hi[d] - e->own_lo[d] + 1;

	return (n < 0 ? 0 : n) + e->halo_lo[d] + e->halo_hi[d];
}

static double memory[MOST * 4];

static void store(unsigned type, uint64_t at, double v)
{
	if (type == VALUE_DOUBLE)
		memory[at] = v;
	else if (type == VALUE_FLOAT)
		((float *)memory)[at] = (float)v;
	else
		((int *)memory)[at] = (int)v;
}

/* The values of a rank into memory; what is not owned is large, so that it would be seen. */
static void fill(const struct situation *s, struct page_entity *e, int64_t list[3][3000])
{
	uint64_t origin = 0, all = 1;
	int64_t i[3] = { 0 };

	for (unsigned k = 0; k < s->ndim; k++) {
		unsigned d = s->fortran ? k : s->ndim - 1 - k;

		e->stride[d] = (int64_t)all * (k ? 1 : 1 + s->pad);
		all = (uint64_t)e->stride[d] * (uint64_t)held(e, d, s->list[d]);
		if (!k && s->down) {
			origin = (uint64_t)e->stride[d] * (uint64_t)(held(e, d, s->list[d]) - 1);
			e->stride[d] = -e->stride[d];
			all = origin + (uint64_t)-e->stride[d];
		}
	}
	assert_true(all <= MOST * 4);
	for (uint64_t k = 0; k < all; k++)
		store(s->type, k, 123456);
	e->addr = (uintptr_t)memory + origin * e->elem_size;
	for (bool done = false; !done;) {
		int64_t index[3];
		int64_t at = (int64_t)origin;
		bool own = true;

		for (unsigned d = 0; d < s->ndim; d++) {
			int64_t n = i[d] - e->halo_lo[d];

			own = own && n >= 0 &&
			      n < held(e, d, s->list[d]) - e->halo_lo[d] - e->halo_hi[d];
			index[d] = own ? s->list[d] ? list[d][n] : e->own_lo[d] + n : 0;
			at += i[d] * e->stride[d];
		}
		if (own)
			store(s->type, (uint64_t)at, s->value[number_of(s, index)]);
		done = true;
		for (unsigned d = s->ndim; d-- > 0 && done;) {
			done = ++i[d] >= held(e, d, s->list[d]);
			if (done)
				i[d] = 0;
		}
	}
}

static void add_rank(struct fixture *f, const struct situation *s, const unsigned *at,
		     uint32_t rank, struct bins *sum)
{
	static int64_t list[3][3000];
	struct page_entity e = { .ndim = s->ndim, .order = s->fortran ? 'F' : 'C', .live = 1 };
	struct bins_spec spec = s->spec;

	f->used = 8;
	e.type = s->type;
	e.elem_size = (uint32_t)value_size(s->type);
	for (unsigned d = 0; d < s->ndim; d++) {
		e.lower[d] = s->lower[d];
		e.extent[d] = s->extent[d];
		part_of(s, d, at[d], &e, list[d]);
	}
	fill(s, &e, list);
	e.name = text(f, "u");
	e.loc = place(f, "src/a.c", 10, 0);
	for (unsigned d = 0; d < s->ndim; d++)
		if (s->list[d])
			e.list[d] = put(f, list[d], e.list_n[d] * sizeof(list[d][0]));
	f->page->first_entity = put(f, &e, sizeof(e));
	for (spec.part = 0; spec.part < spec.parts; spec.part++) {
		struct buf b = BUF_INIT;
		struct bins z;

		bins_answer(&f->read, &f->memory, rank, "u", &s->sec, &spec, &b);
		assert_int_equal(b.data[0], 1);
		assert_int_equal(bins_get(&z, &b), 0);
		assert_int_equal(buf_left(&b), 0);
		for (size_t i = 0; i < (size_t)z.rows * z.cols; i++)
			assert_true(!z.cell[i].count || z.cell[i].owner == rank);
		assert_int_equal(bins_merge(sum, &z), 0);
		bins_clear(&z);
		buf_clear(&b);
	}
}

static void compare(const struct bins *a, const struct bins *b)
{
	for (size_t i = 0; i < (size_t)a->rows * a->cols; i++) {
		const struct bins_cell *x = &a->cell[i], *y = &b->cell[i];

		assert_int_equal(x->count, y->count);
		assert_int_equal(x->nan, y->nan);
		assert_int_equal(x->inf, y->inf);
		assert_true(x->sum == y->sum); /* of whole numbers: exact */
		assert_true(x->least == y->least && x->most == y->most);
	}
	assert_int_equal(a->found_nan, b->found_nan);
	for (unsigned d = 0; d < a->ndim; d++) {
		if (a->all.least <= a->all.most) {
			assert_int_equal(a->at_least[d], b->at_least[d]);
			assert_int_equal(a->at_most[d], b->at_most[d]);
		}
		if (a->found_nan)
			assert_int_equal(a->at_nan[d], b->at_nan[d]);
	}
	assert_memory_equal(a->bin, b->bin, sizeof(a->bin));
	assert_int_equal(a->below, b->below);
	assert_int_equal(a->above, b->above);
}

static void test_any(void **state)
{
	for (seed = 1; seed <= ROUNDS;) {
		uint64_t round = seed;
		struct situation s;
		struct bins want, got;
		uint32_t rank = 0;
		unsigned at[3] = { 0 };

		make(&s);
		expect(&s, &want);
		assert_int_equal(bins_make(&got, s.ndim, s.fortran, s.spec.rows, s.spec.cols), 0);
		do {
			add_rank(*state, &s, at, rank++, &got);
			for (unsigned d = s.ndim; d-- > 0; at[d] = 0)
				if (++at[d] < s.parts[d])
					break;
		} while (at[0] || at[1] || at[2]);
		compare(&got, &want);
		bins_clear(&want);
		bins_clear(&got);
		free(s.value);
		seed = round + 1;
	}
}

/* What cannot be reduced is told. */
static void test_refused(void **state)
{
	struct fixture *f = *state;
	struct section sec = { .ndim = 1, .dim = { { .first = 0, .last = 4, .step = 1 } } };
	struct bins_spec spec = { .rows = 1, .cols = 6, .parts = 1 };
	struct page_entity e = { .ndim = 1,
				 .order = 'C',
				 .live = 1,
				 .type = VALUE_INT,
				 .elem_size = 4,
				 .extent = { 5 },
				 .own_hi = { 4 },
				 .stride = { 1 },
				 .addr = 16 };
	static const char *const want[] = {
		"no object v is registered",
		"u: there are more cells than indices",
		"u: dimension 1 does not have the step 1",
		"u cannot be read at address 0x10: Bad address",
	};

	e.name = text(f, "u");
	e.loc = place(f, "src/a.c", 10, 0);
	f->page->first_entity = put(f, &e, sizeof(e));
	for (unsigned i = 0; i < 4; i++) {
		struct buf b = BUF_INIT;

		if (i == 2)
			spec.cols = 2;
		sec.dim[0].step = i == 2 ? 2 : 1;
		bins_answer(&f->read, &f->memory, 0, i ? "u" : "v", &sec, &spec, &b);
		assert_int_equal(buf_get_u8(&b), 0);
		assert_string_equal(buf_get_str(&b), want[i]);
		buf_clear(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { T(test_any), T(test_refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
