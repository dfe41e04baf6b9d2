/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sections seen from afar, as supervisors answer: arrays of all types, parted in many ways, against
 * a plain count over all elements. Any order of ranks gives the same picture.
 */
#include "tests/unit/page_fixture.h"

#include <float.h>
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
#include "tests/unit/set.h"

#define MOST 20000 /* elements of a case */
#define ROUNDS (in_set_all() ? 340u : 85u)

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* An array parted over a grid of ranks, and what is asked of it. */
struct situation {
	unsigned ndim, type;
	bool fortran;
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];
	uint32_t grid[ARRAY_DIMS];
	bool lists[ARRAY_DIMS];
	uint32_t *owner[ARRAY_DIMS]; /* of each index, its place in the grid */
	unsigned char *bytes;	     /* of all elements, the last dimension fastest */
	double *number;
	struct section sec;
	struct bins_spec spec;
};

static double number_of(unsigned type, const void *p)
{
	struct value v = value_load(type, p);

	switch (v.class) {
	case VALUE_IS_REAL:
		return v.re;
	case VALUE_IS_COMPLEX:
		return isfinite(v.re) && isfinite(v.im) ? sqrt(v.re * v.re + v.im * v.im)
							: hypot(v.re, v.im);
	case VALUE_IS_UINT:
		return (double)(uint64_t)v.i;
	default:
		return (double)v.i;
	}
}

/* One of so many values of the type, or an odd one. */
static void make_element(unsigned type, uint32_t values, unsigned char *p)
{
	struct value v = { .class = value_class(type) };
	double odd[] = { NAN, INFINITY, -INFINITY };
	unsigned strange = pick(40);

	memset(p, 0, value_size(type));
	v.i = v.class == VALUE_IS_BOOL	? pick(2)
	      : v.class == VALUE_IS_INT ? (int64_t)pick(values) - 100
					: 255 - (int64_t)pick(values);
	v.re = (double)pick(values) / 8 - 12;
	v.im = v.class == VALUE_IS_COMPLEX ? (double)pick(values) / 8 - 12 : 0;
	if (strange < 3)
		v.re = odd[strange];
	value_store(type, p, &v, NULL);
	if (type == VALUE_LOGICAL && pick(2)) /* any bits are true */
		memset(p, 0x30, 4);
}

static uint64_t total(const struct situation *c)
{
	uint64_t n = 1;

	for (unsigned d = 0; d < c->ndim; d++)
		n *= (uint64_t)c->extent[d];
	return n;
}

/* Deals the indices of a dimension out: in blocks, some empty, or one by one. */
static void deal(struct situation *c, unsigned d)
{
	uint32_t n = (uint32_t)c->extent[d], at = 0;

	c->grid[d] = 1 + pick(3);
	c->lists[d] = pick(3) == 0;
	c->owner[d] = calloc(n, sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++) {
		if (c->lists[d])
			c->owner[d][i] = pick(c->grid[d]);
		else if (at + 1 < c->grid[d] && pick(n) < c->grid[d])
			at++;
		if (!c->lists[d])
			c->owner[d][i] = at;
	}
}

static void choose_section(struct situation *c)
{
	c->sec = (struct section){ .ndim = c->ndim };
	for (unsigned d = 0; d < c->ndim; d++) {
		int64_t a = pick((uint32_t)c->extent[d]), b = pick((uint32_t)c->extent[d]);
		struct section_dim *x = &c->sec.dim[d];

		*x = (struct section_dim){ .first = c->lower[d],
					   .last = c->lower[d] + c->extent[d] - 1,
					   .step = 1 };
		if (pick(3) == 0) {
			x->first = c->lower[d] + (a < b ? a : b);
			x->last = c->lower[d] + (a < b ? b : a);
		} else if (pick(5) == 0) {
			x->scalar = true;
			x->first = x->last = c->lower[d] + a;
		} else {
			x->all = true;
		}
	}
}

static void choose_cells(struct situation *c)
{
	struct bins_spec *s = &c->spec;

	*s = (struct bins_spec){ .parts = 1, .rows = 1 };
	s->col = (uint8_t)pick(c->ndim);
	s->row = c->ndim > 1 && pick(4) ? (uint8_t)pick(c->ndim) : s->col;
	s->cols = 1 + pick((uint32_t)section_count(&c->sec, s->col));
	if (s->row != s->col)
		s->rows = 1 + pick((uint32_t)section_count(&c->sec, s->row));
	s->bins = pick(2);
	s->from = (double)pick(20) - 15;
	s->to = s->from + 1 + pick(20);
}

static void situation_make(struct situation *c, unsigned type)
{
	size_t size = value_size(type);
	uint32_t values = pick(2) ? 2 : 200; /* with few an extreme is not alone */
	uint64_t n;

	memset(c, 0, sizeof(*c));
	c->type = type;
	c->fortran = pick(2);
	c->ndim = 1 + pick(4);
	for (unsigned d = 0; d < c->ndim; d++) {
		static const uint32_t most[] = { 0, MOST, 140, 27, 11 };

		c->lower[d] = (int64_t)pick(10) - 5;
		c->extent[d] = 1 + pick(pick(3) ? most[c->ndim] : 6);
		deal(c, d);
	}
	n = total(c);
	c->bytes = malloc(n * size);
	c->number = malloc(n * sizeof(double));
	for (uint64_t i = 0; i < n; i++) {
		make_element(type, values, c->bytes + i * size);
		c->number[i] = number_of(type, c->bytes + i * size);
	}
	choose_section(c);
	choose_cells(c);
}

static void situation_clear(struct situation *c)
{
	for (unsigned d = 0; d < c->ndim; d++)
		free(c->owner[d]);
	free(c->bytes);
	free(c->number);
}

/* The next index of a box of counts, the last dimension fastest; false behind the end. */
static bool next(unsigned ndim, const int64_t *count, int64_t *i)
{
	for (unsigned d = ndim; d-- > 0; i[d] = 0)
		if (++i[d] < count[d])
			return true;
	return false;
}

/* One more rank has elements of the cell. */
static void own_cell(struct bins_cell *c, uint32_t owner)
{
	if (c->owner == UINT32_MAX)
		c->owner = owner;
	else if (c->owner != owner)
		c->owner = BINS_MIXED;
}

/* What all ranks together should say. */
static void expect(const struct situation *c, struct bins *z)
{
	int64_t i[ARRAY_DIMS] = { 0 }, g[ARRAY_DIMS] = { 0 };
	struct bins_cell *all = &z->all;
	uint64_t k = 0;

	assert_int_equal(bins_make(z, c->ndim, c->fortran, c->spec.rows, c->spec.cols), 0);
	do {
		double v = c->number[k++];
		uint32_t owner = 0, row = 0, col = 0;
		struct bins_cell *cell;
		bool inside = true;

		for (unsigned d = 0; d < c->ndim; d++) {
			const struct section_dim *x = &c->sec.dim[d];
			uint64_t n = section_count(&c->sec, d);

			g[d] = c->lower[d] + i[d];
			inside &= g[d] >= x->first && g[d] <= x->last;
			owner = owner * c->grid[d] + c->owner[d][i[d]];
			if (!inside)
				continue;
			if (d == c->spec.col)
				col = (uint32_t)((uint64_t)(g[d] - x->first) * c->spec.cols / n);
			else if (d == c->spec.row)
				row = (uint32_t)((uint64_t)(g[d] - x->first) * c->spec.rows / n);
		}
		if (!inside)
			continue;
		cell = &z->cell[(size_t)row * z->cols + col];
		cell->count++;
		all->count++;
		own_cell(cell, owner);
		own_cell(all, owner);
		if (isnan(v)) {
			cell->nan++;
			if (!all->nan++ || bins_before(z, g, z->at_nan))
				memcpy(z->at_nan, g, sizeof(g));
			z->found_nan = true;
			continue;
		}
		if (isinf(v)) {
			cell->inf++;
			all->inf++;
			continue;
		}
		cell->sum += v;
		all->sum += v;
		cell->least = fmin(cell->least, v);
		cell->most = fmax(cell->most, v);
		if (v < all->least || (v == all->least && bins_before(z, g, z->at_least)))
			memcpy(z->at_least, g, sizeof(g));
		if (v > all->most || (v == all->most && bins_before(z, g, z->at_most)))
			memcpy(z->at_most, g, sizeof(g));
		all->least = fmin(all->least, v);
		all->most = fmax(all->most, v);
		if (!c->spec.bins)
			continue;
		if (v < c->spec.from)
			z->below++;
		else if (v > c->spec.to)
			z->above++;
		else if (v == c->spec.to)
			z->bin[BINS_HISTOGRAM - 1]++;
		else
			z->bin[(int)((v - c->spec.from) *
				     (BINS_HISTOGRAM / (c->spec.to - c->spec.from)))]++;
	} while (next(c->ndim, c->extent, i));
}

/* Puts the part at place at[] of the grid into memory, with halos, gaps and turned axes; to be
 * freed. */
static unsigned char *lay_out(struct fixture *f, const struct situation *c, const uint32_t *at)
{
	size_t size = value_size(c->type);
	struct page_entity e = { .ndim = c->ndim,
				 .type = (uint8_t)c->type,
				 .order = c->fortran ? 'F' : 'C',
				 .elem_size = (uint32_t)size,
				 .live = 1 };
	int64_t n[ARRAY_DIMS], i[ARRAY_DIMS] = { 0 }, *own[ARRAY_DIMS], room = 1, zero = 0;
	unsigned char *memory;
	bool some = true, natural = pick(2);

	for (unsigned d = 0; d < c->ndim; d++) {
		own[d] = calloc((size_t)c->extent[d] + 1, sizeof(int64_t));
		n[d] = 0;
		for (int64_t k = 0; k < c->extent[d]; k++)
			if (c->owner[d][k] == at[d])
				own[d][n[d]++] = c->lower[d] + k;
		for (int64_t k = n[d]; c->lists[d] && k > 1 && pick(2);) {
			int64_t j = pick((uint32_t)k--), was = own[d][k];

			own[d][k] = own[d][j];
			own[d][j] = was;
		}
		some &= n[d] > 0;
		e.lower[d] = c->lower[d];
		e.extent[d] = c->extent[d];
		e.own_lo[d] = n[d] && !c->lists[d] ? own[d][0] : 0;
		e.own_hi[d] = n[d] && !c->lists[d] ? own[d][n[d] - 1] : -1;
		e.halo_lo[d] = pick(3);
		e.halo_hi[d] = pick(3);
		if (c->lists[d]) {
			e.list[d] = put(f, own[d], (size_t)(n[d] + 1) * sizeof(int64_t));
			e.list_n[d] = (uint32_t)n[d];
		}
	}
	for (unsigned k = 0; k < c->ndim; k++) {
		unsigned d = (c->fortran == natural) ? k : c->ndim - 1 - k;
		int64_t extent = n[d] + e.halo_lo[d] + e.halo_hi[d];

		e.stride[d] = room * (pick(8) ? 1 : 2) * (pick(8) ? 1 : 37);
		room = e.stride[d] * (extent ? extent : 1) + (pick(4) ? 0 : pick(50));
		if (pick(4) == 0) {
			zero += e.stride[d] * (extent - 1);
			e.stride[d] = -e.stride[d];
		}
	}
	memory = malloc((size_t)room * size);
	memset(memory, 0xff, (size_t)room * size); /* NaN, where nobody should look */
	e.addr = (uintptr_t)memory + (uint64_t)zero * size;
	if (some) {
		do {
			uint64_t from = 0;
			int64_t to = zero;

			for (unsigned d = 0; d < c->ndim; d++) {
				from = from * (uint64_t)c->extent[d] +
				       (uint64_t)(own[d][i[d]] - c->lower[d]);
				to += (i[d] + e.halo_lo[d]) * e.stride[d];
			}
			memcpy(memory + (uint64_t)to * size, c->bytes + from * size, size);
		} while (next(c->ndim, n, i));
	}
	e.name = text(f, "u");
	e.loc = place(f, "src/a.c", 10, 0);
	f->page->first_entity = put(f, &e, sizeof(e));
	for (unsigned d = 0; d < c->ndim; d++)
		free(own[d]);
	return memory;
}

/* The merged answers of all ranks, each asked in one part or some. */
static void ask_all(struct fixture *f, const struct situation *c, struct bins *z)
{
	uint32_t ranks = 1, used = f->used;

	for (unsigned d = 0; d < c->ndim; d++)
		ranks *= c->grid[d];
	assert_int_equal(bins_make(z, c->ndim, c->fortran, c->spec.rows, c->spec.cols), 0);
	for (uint32_t k = 0; k < ranks; k++) {
		uint32_t at[ARRAY_DIMS], left = ranks - 1 - k;
		struct bins_spec spec = c->spec;
		unsigned char *memory;

		for (unsigned d = c->ndim; d-- > 0; left /= c->grid[d])
			at[d] = left % c->grid[d];
		memory = lay_out(f, c, at);
		spec.parts = 1 + pick(3);
		for (; spec.part < spec.parts; spec.part++) {
			struct buf b = BUF_INIT;
			struct bins one;

			bins_answer(&f->read, &f->memory, ranks - 1 - k, "u", &c->sec, &spec, &b);
			if (!b.data[0])
				fail_msg("%s", b.data + 1);
			assert_int_equal(bins_get(&one, &b), 0);
			assert_int_equal(buf_left(&b), 0);
			assert_int_equal(bins_merge(z, &one), 0);
			bins_clear(&one);
			buf_clear(&b);
		}
		free(memory);
		f->used = used;
	}
}

static void same_cell(const struct bins_cell *a, const struct bins_cell *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->nan, b->nan);
	assert_int_equal(a->inf, b->inf);
	assert_int_equal(a->owner, b->owner);
	assert_true(a->least == b->least && a->most == b->most);
	assert_true(fabs(a->sum - b->sum) <= 1e-9 * (1 + fabs(b->sum)) * (double)(1 + b->count));
}

static void same_place(const struct situation *c, const int64_t *a, const int64_t *b)
{
	for (unsigned d = 0; d < c->ndim; d++)
		assert_int_equal(a[d], b[d]);
}

static void compare(struct fixture *f, const struct situation *c)
{
	struct bins got, want;

	expect(c, &want);
	ask_all(f, c, &got);
	for (size_t i = 0; i < (size_t)got.rows * got.cols; i++)
		same_cell(&got.cell[i], &want.cell[i]);
	same_cell(&got.all, &want.all);
	if (want.all.least <= want.all.most) {
		same_place(c, got.at_least, want.at_least);
		same_place(c, got.at_most, want.at_most);
	}
	assert_int_equal(got.found_nan, want.found_nan);
	if (want.found_nan)
		same_place(c, got.at_nan, want.at_nan);
	for (unsigned i = 0; i < BINS_HISTOGRAM; i++)
		assert_int_equal(got.bin[i], want.bin[i]);
	assert_int_equal(got.below, want.below);
	assert_int_equal(got.above, want.above);
	bins_clear(&got);
	bins_clear(&want);
}

static void any_array_however_parted(void **state)
{
	struct fixture *f = *state;

	for (unsigned k = 0; k < ROUNDS; k++) {
		struct situation c;

		seed = k + 1;
		pick(2);
		situation_make(&c, k % VALUE_TYPES);
		compare(f, &c);
		situation_clear(&c);
	}
}

/* Bounds that are further apart than a number can tell. */
static void histogram_of_all_there_is(void **state)
{
	static const double value[] = { -DBL_MAX, -DBL_MAX / 2, 0, 1, DBL_MAX / 2, DBL_MAX };
	struct fixture *f = *state;
	struct page_entity e = { .ndim = 1,
				 .type = VALUE_DOUBLE,
				 .order = 'C',
				 .elem_size = sizeof(double),
				 .live = 1,
				 .addr = (uintptr_t)value,
				 .extent = { 6 },
				 .own_hi = { 5 },
				 .stride = { 1 } };
	struct section sec = { .ndim = 1, .dim = { { .all = true, .last = 5, .step = 1 } } };
	struct bins_spec spec = {
		.rows = 1, .cols = 1, .parts = 1, .bins = true, .from = -DBL_MAX, .to = DBL_MAX
	};
	struct buf b = BUF_INIT;
	struct bins z;

	e.name = text(f, "u");
	e.loc = place(f, "src/a.c", 10, 0);
	f->page->first_entity = put(f, &e, sizeof(e));
	bins_answer(&f->read, &f->memory, 0, "u", &sec, &spec, &b);
	assert_int_equal(bins_get(&z, &b), 0);
	assert_int_equal(z.bin[0], 1);
	assert_int_equal(z.bin[16], 1);
	assert_int_equal(z.bin[32], 2);
	assert_int_equal(z.bin[48], 1);
	assert_int_equal(z.bin[63], 1);
	assert_int_equal(z.below + z.above, 0);
	bins_clear(&z);
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { T(any_array_however_parted),
					    T(histogram_of_all_there_is) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
