/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layouts and walks, compared with plain loops over all indices.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/array/layout.h"
#include "common/core/err.h"

/* An element: its key and its offset. */
struct element {
	uint64_t key;
	int64_t offset;
};

struct elements {
	struct element *item;
	size_t n;
};

static void elements_add(struct elements *e, uint64_t key, int64_t offset)
{
	e->item = realloc(e->item, (e->n + 1) * sizeof(*e->item));
	e->item[e->n++] = (struct element){ key, offset };
}

/* All elements of a walk in its order; *runs: how many runs they came in. */
static struct elements walked(const struct layout *l, enum layout_order order,
			      const uint64_t *extent, size_t *runs)
{
	struct elements e = { NULL, 0 };
	struct layout_walk w;
	struct layout_run r;

	layout_walk(&w, l, order);
	if (extent)
		layout_walk_dense(&w, extent);
	for (*runs = 0; layout_next(&w, &r); ++*runs) {
		assert_true(r.n > 0);
		for (uint64_t i = 0; i < r.n; i++) {
			uint64_t key = 0, at[ARRAY_DIMS];

			elements_add(&e, r.key + i * r.step, r.offset + (int64_t)i * r.stride);
			layout_coordinates(&w, i, at);
			for (unsigned d = 0; extent && d < l->ndim; d++)
				key = key * extent[d] + at[d];
			assert_int_equal(key, r.key + i * r.step);
		}
	}
	assert_false(layout_next(&w, &r));
	assert_int_equal(e.n, layout_total(l));
	return e;
}

static int by_key(const void *a, const void *b)
{
	const struct element *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void assert_same(const struct elements *a, const struct elements *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		assert_int_equal(a->item[i].key, b->item[i].key);
		assert_int_equal(a->item[i].offset, b->item[i].offset);
	}
}

/* The same by a plain loop over the section: what array_local finds is here. */
static struct elements looked_up(const struct array_desc *a, const struct section *s, bool fortran)
{
	struct elements e = { NULL, 0 };
	uint64_t i[ARRAY_DIMS] = { 0 }, total = section_total(s);

	for (uint64_t n = 0; n < total; n++) {
		int64_t offset = 0;
		uint64_t key = 0;
		bool here = true;

		for (unsigned d = 0; d < a->ndim; d++) {
			int64_t k = array_local(a, d, section_index(s, d, i[d]));

			here &= k >= 0;
			offset += k * a->stride[d] * (int64_t)a->elem_size;
			key = key * section_count(s, d) + i[d];
		}
		if (here)
			elements_add(&e, key, offset);
		for (unsigned k = a->ndim; k-- > 0;) {
			unsigned d = fortran ? a->ndim - 1 - k : k;

			if (++i[d] < section_count(s, d))
				break;
			i[d] = 0;
		}
	}
	return e;
}

static unsigned seed = 1;

static int64_t random_to(int64_t n)
{
	seed = seed * 1103515245u + 12345u;
	return (int64_t)(seed >> 8) % n;
}

/* A dimension of 2 … 6 indices: a box, none, or a list that need not ascend. */
static void random_dim(struct array_desc *a, unsigned d)
{
	int64_t n = 2 + random_to(a->ndim > 5 ? 2 : 5), kind = random_to(5);

	a->extent[d] = n;
	a->lower[d] = random_to(7) - 3;
	a->halo_lo[d] = random_to(3);
	a->halo_hi[d] = random_to(3);
	a->own_lo[d] = a->lower[d] + random_to(n);
	a->own_hi[d] = kind ? a->own_lo[d] + random_to(a->lower[d] + n - a->own_lo[d])
			    : a->own_lo[d] - random_to(2);
	if (kind < 3)
		return;
	a->list_n[d] = (uint32_t)random_to(n + 1);
	a->list[d] = calloc((size_t)n, sizeof(*a->list[d]));
	for (uint32_t k = 0; k < a->list_n[d]; k++)
		a->list[d][k] = a->lower[d] + (kind == 3 ? (2 * k) % n : random_to(n));
}

static struct array_desc random_array(unsigned ndim)
{
	struct array_desc a = { .ndim = ndim, .elem_size = 1 + (uint32_t)random_to(8) };
	int64_t stride = 1;

	for (unsigned d = 0; d < ndim; d++)
		random_dim(&a, d);
	/* dense, with gaps, or turned round, in any order of dimensions */
	for (unsigned i = 0, first = (unsigned)random_to(ndim + 1); i < ndim; i++) {
		unsigned d = (i + first) % ndim;

		a.stride[d] = random_to(3) ? stride : -stride;
		stride *= a.extent[d] + a.halo_lo[d] + a.halo_hi[d] + random_to(2);
	}
	return a;
}

/* All, a range with any step, an index, or a vector in which indices may come twice. */
static struct section random_section(const struct array_desc *a)
{
	struct section s = { .ndim = a->ndim };

	for (unsigned d = 0; d < a->ndim; d++) {
		struct section_dim *x = &s.dim[d];
		int64_t low = a->lower[d], n = a->extent[d], kind = random_to(5);

		if (kind == 0)
			x->all = true;
		x->scalar = kind == 1;
		x->first = low + random_to(n);
		x->last = low + random_to(n);
		x->step = x->first <= x->last ? 1 + random_to(3) : -1 - random_to(3);
		if (kind != 2)
			continue;
		x->n = 1 + (uint32_t)random_to(4);
		x->vector = calloc(x->n, sizeof(*x->vector));
		for (uint32_t k = 0; k < x->n; k++)
			x->vector[k] = low + random_to(n);
	}
	assert_int_equal(section_bind(&s, "u", a->ndim, a->lower, a->extent, NULL), 0);
	return s;
}

static void compare(const struct array_desc *a, const struct section *s)
{
	static const enum layout_order order[] = { LAYOUT_C, LAYOUT_F, LAYOUT_MEMORY };
	uint64_t extent[ARRAY_DIMS];
	struct layout l;
	size_t runs;

	layout_own(&l, a, a->elem_size);
	assert_int_equal(layout_cut(&l, s, NULL), 0);
	for (unsigned d = 0; d < a->ndim; d++)
		extent[d] = section_count(s, d);
	for (unsigned i = 0; i < 3; i++) {
		struct elements want = looked_up(a, s, order[i] == LAYOUT_F);
		struct elements have = walked(&l, order[i], extent, &runs);

		if (order[i] == LAYOUT_MEMORY && want.n) {
			qsort(want.item, want.n, sizeof(*want.item), by_key);
			qsort(have.item, have.n, sizeof(*have.item), by_key);
		}
		assert_same(&have, &want);
		free(want.item);
		free(have.item);
	}
	layout_clear(&l);
}

static void sections_of_any_layout_are_as_by_plain_loops(void **state)
{
	for (unsigned n = 0; n < 4000; n++) {
		struct array_desc a = random_array(1 + n % 7);
		struct section s = random_section(&a);

		compare(&a, &s);
		section_clear(&s);
		array_desc_clear(&a);
	}
}

static void joined_dimensions_have_the_same_elements(void **state)
{
	for (unsigned n = 0; n < 2000; n++) {
		struct array_desc a = random_array(1 + n % 7);
		struct section s = random_section(&a);
		enum layout_order order = n % 2 ? LAYOUT_C : LAYOUT_F;
		struct elements want, have;
		struct layout l;
		size_t before, after;

		layout_own(&l, &a, a.elem_size);
		assert_int_equal(layout_cut(&l, &s, NULL), 0);
		want = walked(&l, order, NULL, &before);
		layout_join(&l, order);
		have = walked(&l, LAYOUT_C, NULL, &after);
		assert_true(after <= before);
		assert_int_equal(have.n, want.n);
		for (size_t i = 0; i < have.n; i++)
			assert_int_equal(have.item[i].offset, want.item[i].offset);
		free(want.item);
		free(have.item);
		layout_clear(&l);
		section_clear(&s);
		array_desc_clear(&a);
	}
}

static void reach_is_from_the_least_offset_to_the_end_of_the_largest(void **state)
{
	for (unsigned n = 0; n < 2000; n++) {
		struct array_desc a = random_array(1 + n % 7);
		struct section s = random_section(&a);
		int64_t lo, hi, least = INT64_MAX, most = INT64_MIN;
		struct elements e;
		struct layout l;
		size_t runs;

		layout_own(&l, &a, a.elem_size);
		assert_int_equal(layout_cut(&l, &s, NULL), 0);
		e = walked(&l, LAYOUT_C, NULL, &runs);
		for (size_t i = 0; i < e.n; i++) {
			least = e.item[i].offset < least ? e.item[i].offset : least;
			most = e.item[i].offset > most ? e.item[i].offset : most;
		}
		assert_int_equal(layout_reach(&l, &lo, &hi), e.n != 0);
		if (e.n) {
			assert_int_equal(lo, least);
			assert_int_equal(hi, most + a.elem_size);
		}
		free(e.item);
		layout_clear(&l);
		section_clear(&s);
		array_desc_clear(&a);
	}
}

/* Rows 2 … 4 of 10, halo 1 around, columns 0 … 5 of 6, doubles. */
static struct array_desc rows(void)
{
	return (struct array_desc){ .ndim = 2,
				    .elem_size = 8,
				    .extent = { 10, 6 },
				    .own_lo = { 2, 0 },
				    .own_hi = { 4, 5 },
				    .halo_lo = { 1, 0 },
				    .halo_hi = { 2, 0 },
				    .stride = { 6, 1 } };
}

static void what_is_held_has_the_halo(void **state)
{
	struct array_desc a = rows();
	struct layout l;
	int64_t lo, hi;

	assert_true(layout_own(&l, &a, 8));
	assert_int_equal(l.origin, 48);
	assert_int_equal(layout_at(&l, 0, 0), 2);
	assert_int_equal(layout_total(&l), 18);
	assert_true(layout_held(&l, &a, 8));
	assert_int_equal(l.origin, 0);
	assert_int_equal(layout_at(&l, 0, 0), 1);
	assert_int_equal(layout_total(&l), 36);
	assert_true(layout_reach(&l, &lo, &hi));
	assert_int_equal(lo, 0);
	assert_int_equal(hi, 36 * 8);
	/* its box of the upper halo */
	layout_within(&l, 0, 5, 20);
	layout_within(&l, 1, 1, 2);
	assert_int_equal(l.origin, (4 * 6 + 1) * 8);
	assert_int_equal(l.count[0], 2);
	assert_int_equal(l.count[1], 2);
	layout_within(&l, 0, 8, 9);
	assert_int_equal(layout_total(&l), 0);
}

static void nothing_owned_has_no_halo(void **state)
{
	struct array_desc a = rows();
	struct layout l;
	struct layout_walk w;
	struct layout_run r;
	int64_t lo, hi;

	a.own_hi[0] = 1;
	layout_held(&l, &a, 8);
	assert_int_equal(layout_total(&l), 0);
	assert_false(layout_reach(&l, &lo, &hi));
	layout_walk(&w, &l, LAYOUT_MEMORY);
	assert_false(layout_next(&w, &r));
	layout_within(&l, 0, 0, 9);
	assert_int_equal(layout_total(&l), 0);
}

static void a_scalar_is_one_run_of_one(void **state)
{
	struct array_desc a = { .elem_size = 4 };
	struct layout l;
	struct elements e;
	size_t runs;

	assert_true(layout_own(&l, &a, 4));
	e = walked(&l, LAYOUT_MEMORY, NULL, &runs);
	assert_int_equal(runs, 1);
	assert_int_equal(e.n, 1);
	assert_int_equal(e.item[0].offset, 0);
	free(e.item);
}

static void memory_order_makes_few_runs(void **state)
{
	struct array_desc a = rows();
	struct layout l;
	struct elements e;
	size_t runs;

	a.stride[0] = 1;
	a.stride[1] = 6;
	layout_own(&l, &a, 8);
	e = walked(&l, LAYOUT_C, NULL, &runs);
	assert_int_equal(runs, 3);
	free(e.item);
	e = walked(&l, LAYOUT_MEMORY, NULL, &runs);
	assert_int_equal(runs, 6);
	for (size_t i = 1; i < e.n; i++)
		assert_true(e.item[i].offset > e.item[i - 1].offset);
	free(e.item);
	a = rows();
	layout_own(&l, &a, 8);
	layout_join(&l, LAYOUT_MEMORY);
	assert_int_equal(l.ndim, 1);
	assert_int_equal(l.count[0], 18);
	assert_int_equal(l.stride[0], 8);
}

static void a_cyclic_list_is_one_run(void **state)
{
	int64_t list[] = { 1, 4, 7, 10 };
	struct array_desc a = { .ndim = 1,
				.elem_size = 8,
				.extent = { 12 },
				.stride = { 1 },
				.list = { list },
				.list_n = { 4 } };
	struct layout_walk w;
	struct layout_run r;
	struct layout l;

	layout_own(&l, &a, 8);
	layout_walk(&w, &l, LAYOUT_MEMORY);
	w.weight[0] = 1;
	w.seed = 100;
	assert_true(layout_next(&w, &r));
	assert_int_equal(r.n, 4);
	assert_int_equal(r.stride, 8);
	assert_int_equal(r.key, 101);
	assert_int_equal(r.step, 3);
	assert_false(layout_next(&w, &r));
}

static void a_list_that_is_cut_to_what_is_regular_needs_no_list(void **state)
{
	int64_t list[] = { 9, 3, 4, 5, 0 };
	struct array_desc a = { .ndim = 1,
				.elem_size = 8,
				.extent = { 12 },
				.stride = { 1 },
				.list = { list },
				.list_n = { 5 } };
	struct section s = { .ndim = 1, .dim = { { .first = 2, .last = 6, .step = 1 } } };
	struct layout l;

	layout_own(&l, &a, 8);
	assert_int_equal(layout_cut(&l, &s, NULL), 0);
	assert_null(l.list[0]);
	assert_null(l.place[0]);
	assert_int_equal(l.count[0], 3);
	assert_int_equal(l.first[0], 1);
	assert_int_equal(l.origin, 8);
	assert_int_equal(l.stride[0], 8);
	layout_clear(&l);
}

static void a_window_of_numbers_is_walked_alone(void **state)
{
	int64_t list[] = { 7, 2, 9, 4 };
	struct array_desc a = { .ndim = 2,
				.elem_size = 8,
				.extent = { 12, 5 },
				.own_hi = { 0, 4 },
				.stride = { 5, 1 },
				.list = { list },
				.list_n = { 4 } };
	struct layout_walk w;
	struct layout_run r;
	struct layout l;

	layout_own(&l, &a, 8);
	layout_walk(&w, &l, LAYOUT_C);
	layout_walk_dense(&w, (uint64_t[]){ 12, 5 });
	w.from[0] = 1;
	w.to[0] = 3;
	w.from[1] = 3;
	assert_true(layout_next(&w, &r));
	assert_int_equal(r.n, 2);
	assert_int_equal(r.key, 2 * 5 + 3);
	assert_int_equal(r.offset, (1 * 5 + 3) * 8);
	assert_int_equal(w.at.i[0], 1);
	assert_true(layout_next(&w, &r));
	assert_int_equal(r.key, 9 * 5 + 3);
	assert_int_equal(w.at.i[0], 2);
	assert_false(layout_next(&w, &r));
	layout_numbers(&l, 0, 2, 2);
	assert_int_equal(layout_at(&l, 0, 0), 9);
	assert_int_equal(layout_at(&l, 0, 1), 4);
	assert_int_equal(l.origin, 80);
}

static void boxes_are_dense(void **state)
{
	int64_t lo[] = { -1, 5 }, hi[] = { 1, 8 };
	struct layout l;

	layout_box(&l, 2, lo, hi, 2);
	assert_int_equal(layout_total(&l), 12);
	assert_int_equal(l.stride[0], 8);
	assert_int_equal(l.stride[1], 2);
	layout_within(&l, 0, 0, 0);
	layout_within(&l, 1, 7, 7);
	assert_int_equal(l.origin, 8 + 4);
}

static void offsets_beyond_64_bits_are_refused(void **state)
{
	struct array_desc a = rows();
	struct layout l;
	int64_t lo, hi;

	a.stride[0] = INT64_MAX / 4;
	assert_false(layout_own(&l, &a, 8));
	a.stride[0] = INT64_MAX / 8;
	a.halo_lo[0] = 0;
	assert_true(layout_own(&l, &a, 8));
	assert_false(layout_reach(&l, &lo, &hi));
}

static void totals_that_overflow_are_the_most(void **state)
{
	struct layout l = { .ndim = 2, .count = { INT64_MAX, 4 } };

	assert_true(layout_total(&l) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_of_any_layout_are_as_by_plain_loops),
		cmocka_unit_test(joined_dimensions_have_the_same_elements),
		cmocka_unit_test(reach_is_from_the_least_offset_to_the_end_of_the_largest),
		cmocka_unit_test(what_is_held_has_the_halo),
		cmocka_unit_test(nothing_owned_has_no_halo),
		cmocka_unit_test(a_scalar_is_one_run_of_one),
		cmocka_unit_test(memory_order_makes_few_runs),
		cmocka_unit_test(a_cyclic_list_is_one_run),
		cmocka_unit_test(a_list_that_is_cut_to_what_is_regular_needs_no_list),
		cmocka_unit_test(a_window_of_numbers_is_walked_alone),
		cmocka_unit_test(boxes_are_dense),
		cmocka_unit_test(offsets_beyond_64_bits_are_refused),
		cmocka_unit_test(totals_that_overflow_are_the_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
