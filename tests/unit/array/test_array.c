/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/array/layout.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/array/value.h"

/* One dimension 0 … 99, of which lo … hi is owned, with halos of 2 and 1. */
static struct array_desc block(int64_t lo, int64_t hi)
{
	return (struct array_desc){ .ndim = 1,
				    .extent = { 100 },
				    .own_lo = { lo },
				    .own_hi = { hi },
				    .halo_lo = { 2 },
				    .halo_hi = { 1 } };
}

static struct section one(struct section_dim dim)
{
	return (struct section){ .ndim = 1, .dim = { dim } };
}

/* The part of a in the section: n pairs of position in the section and local position. */
static void owns(const struct array_desc *a, struct section_dim dim, uint32_t n, int64_t want[][2])
{
	struct section s = one(dim);
	struct array_desc dense = *a;
	struct layout p;
	struct err err = { "" };

	dense.stride[0] = 1;
	if (section_bind(&s, "u", 1, a->lower, a->extent, &err) ||
	    layout_section(&p, &dense, 1, &s, &err))
		fail_msg("%s", err.text);
	assert_int_equal(p.ndim, 1);
	assert_int_equal(p.count[0], n);
	assert_int_equal(layout_total(&p), n);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(layout_at(&p, 0, i), want[i][0]);
		assert_int_equal(p.origin + layout_offset(&p, 0, i), want[i][1]);
	}
	layout_clear(&p);
	section_clear(&s);
}

#define PAIRS(...) ((int64_t[][2]){ __VA_ARGS__ })

static void local_positions_count_the_halo(void **state)
{
	struct array_desc a = block(10, 19);

	assert_int_equal(array_local(&a, 0, 10), 2);
	assert_int_equal(array_local(&a, 0, 19), 11);
	assert_int_equal(array_local(&a, 0, 9), -1);
	assert_int_equal(array_local(&a, 0, 20), -1);
	a = block(10, 9);
	assert_int_equal(array_local(&a, 0, 10), -1);
}

static void a_block_owns_its_range_of_a_section(void **state)
{
	struct array_desc a = block(10, 12);

	owns(&a, (struct section_dim){ .all = true }, 3, PAIRS({ 10, 2 }, { 11, 3 }, { 12, 4 }));
	owns(&a, (struct section_dim){ .first = 11, .last = 50 }, 2, PAIRS({ 0, 3 }, { 1, 4 }));
	owns(&a, (struct section_dim){ .first = 0, .last = 10 }, 1, PAIRS({ 10, 2 }));
	owns(&a, (struct section_dim){ .first = 13, .last = 50 }, 0, NULL);
	owns(&a, (struct section_dim){ .first = 0, .last = 9 }, 0, NULL);
	owns(&a, (struct section_dim){ .scalar = true, .first = 12 }, 1, PAIRS({ 0, 4 }));
	owns(&a, (struct section_dim){ .scalar = true, .first = 13 }, 0, NULL);
}

static void a_block_owns_every_other_index_of_a_stepped_section(void **state)
{
	struct array_desc a = block(10, 15);

	owns(&a, (struct section_dim){ .first = 1, .last = 99, .step = 3 }, 2,
	     PAIRS({ 3, 2 }, { 4, 5 }));
	owns(&a, (struct section_dim){ .first = 11, .last = 99, .step = 4 }, 2,
	     PAIRS({ 0, 3 }, { 1, 7 }));
	/* 0, 40, 80: none of them here */
	owns(&a, (struct section_dim){ .first = 0, .last = 99, .step = 40 }, 0, NULL);
}

static void positions_ascend_in_reversed_sections(void **state)
{
	struct array_desc a = block(10, 12);

	owns(&a, (struct section_dim){ .first = 13, .last = 0, .step = -1 }, 3,
	     PAIRS({ 1, 4 }, { 2, 3 }, { 3, 2 }));
	owns(&a, (struct section_dim){ .first = 99, .last = 0, .step = -3 }, 1, PAIRS({ 29, 4 }));
	owns(&a, (struct section_dim){ .first = 11, .last = 1, .step = -1 }, 2,
	     PAIRS({ 0, 3 }, { 1, 2 }));
	owns(&a, (struct section_dim){ .first = 9, .last = 1, .step = -1 }, 0, NULL);
	owns(&a, (struct section_dim){ .first = 40, .last = 13, .step = -1 }, 0, NULL);
}

static void index_vectors_keep_their_order(void **state)
{
	struct array_desc a = block(10, 12);
	int64_t *v = calloc(5, sizeof *v);

	memcpy(v, (int64_t[]){ 12, 99, 10, 12, 0 }, 5 * sizeof *v);
	owns(&a, (struct section_dim){ .vector = v, .n = 5 }, 3,
	     PAIRS({ 0, 4 }, { 2, 2 }, { 3, 4 }));
}

static void nothing_owned_is_an_empty_part(void **state)
{
	struct array_desc a = block(10, 9);

	owns(&a, (struct section_dim){ .all = true }, 0, NULL);
	owns(&a, (struct section_dim){ .scalar = true, .first = 10 }, 0, NULL);
}

/* Rank 1 of 3, cyclic: 1, 4, 7, … 97, in memory behind a halo of 1. */
static struct array_desc cyclic(void)
{
	struct array_desc a = { .ndim = 1, .extent = { 100 }, .halo_lo = { 1 }, .list_n = { 33 } };

	a.list[0] = calloc(33, sizeof *a.list[0]);
	for (int i = 0; i < 33; i++)
		a.list[0][i] = 1 + 3 * i;
	return a;
}

static void a_cyclic_list_owns_its_indices(void **state)
{
	struct array_desc a = cyclic();
	int64_t *v = calloc(4, sizeof *v);

	assert_int_equal(array_local(&a, 0, 4), 2);
	assert_int_equal(array_local(&a, 0, 5), -1);
	owns(&a, (struct section_dim){ .first = 3, .last = 8 }, 2, PAIRS({ 1, 2 }, { 4, 3 }));
	owns(&a, (struct section_dim){ .first = 0, .last = 14, .step = 2 }, 2,
	     PAIRS({ 2, 2 }, { 5, 4 }));
	owns(&a, (struct section_dim){ .first = 8, .last = 3, .step = -1 }, 2,
	     PAIRS({ 1, 3 }, { 4, 2 }));
	owns(&a, (struct section_dim){ .first = 0, .last = 99, .step = 3 }, 0, NULL);
	owns(&a, (struct section_dim){ .scalar = true, .first = 97 }, 1, PAIRS({ 0, 33 }));
	memcpy(v, (int64_t[]){ 7, 8, 1, 7 }, 4 * sizeof *v);
	owns(&a, (struct section_dim){ .vector = v, .n = 4 }, 3,
	     PAIRS({ 0, 3 }, { 2, 1 }, { 3, 3 }));
	array_desc_clear(&a);
}

static void a_list_need_not_ascend(void **state)
{
	struct array_desc a = { .ndim = 1, .extent = { 100 }, .list_n = { 4 } };

	a.list[0] = calloc(4, sizeof *a.list[0]);
	memcpy(a.list[0], (int64_t[]){ 50, 10, 30, 10 }, 4 * sizeof(int64_t));
	/* 10 is listed twice and counts once */
	owns(&a, (struct section_dim){ .all = true }, 3, PAIRS({ 10, 1 }, { 30, 2 }, { 50, 0 }));
	owns(&a, (struct section_dim){ .first = 50, .last = 0, .step = -10 }, 3,
	     PAIRS({ 0, 0 }, { 2, 2 }, { 4, 1 }));
	array_desc_clear(&a);
}

static void every_element_has_one_owner(void **state)
{
	/* 7 x 5 over 2 x 2 ranks, blocks; a stepped and a reversed dimension */
	struct section s = { .ndim = 2,
			     .dim = { { .first = 0, .last = 6, .step = 2 },
				      { .first = 4, .last = 0, .step = -1 } } };
	int seen[4][5] = { 0 };

	for (int rank = 0; rank < 4; rank++) {
		struct array_desc a = { .ndim = 2, .extent = { 7, 5 }, .stride = { 100, 1 } };
		struct layout p;

		a.own_lo[0] = rank / 2 ? 4 : 0;
		a.own_hi[0] = rank / 2 ? 6 : 3;
		a.own_lo[1] = rank % 2 ? 3 : 0;
		a.own_hi[1] = rank % 2 ? 4 : 2;
		assert_int_equal(section_bind(&s, "u", 2, a.lower, a.extent, NULL), 0);
		assert_int_equal(layout_section(&p, &a, 1, &s, NULL), 0);
		for (int64_t i = 0; i < p.count[0]; i++)
			for (int64_t j = 0; j < p.count[1]; j++) {
				uint64_t row = layout_at(&p, 0, i), column = layout_at(&p, 1, j);

				seen[row][column]++;
				assert_int_equal(100 * (section_index(&s, 0, row) - a.own_lo[0]) +
							 section_index(&s, 1, column) - a.own_lo[1],
						 p.origin + layout_offset(&p, 0, i) +
							 layout_offset(&p, 1, j));
			}
		layout_clear(&p);
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 5; j++)
			assert_int_equal(seen[i][j], 1);
}

static void a_scalar_has_one_element(void **state)
{
	struct array_desc a = { 0 };
	struct section s = { 0 };
	struct layout p;

	assert_int_equal(layout_section(&p, &a, 1, &s, NULL), 0);
	assert_int_equal(layout_total(&p), 1);
	layout_clear(&p);
}

static void wild_descriptions_do_no_harm(void **state)
{
	struct array_desc a = block(INT64_MIN, INT64_MAX);
	struct section s = { .ndim = 1, .dim = { { .last = INT64_MAX, .step = 1 } } };
	struct layout p;
	struct err err;

	owns(&a, (struct section_dim){ .scalar = true, .first = 5 }, 1,
	     PAIRS({ 0, INT64_MIN + 7 }));
	assert_int_equal(layout_section(&p, &a, 1, &s, &err), -1);
	assert_string_equal(err.text, "the section has too many indices in dimension 1");
	s.ndim = 2;
	assert_int_equal(layout_section(&p, &a, 1, &s, &err), -1);
	assert_string_equal(err.text, "? has 1 dimensions, the section 2");
}

static struct array_desc particles(void)
{
	struct array_desc a = { .name = strdup("part"),
				.file = strdup("src/nbody.c"),
				.line = 12,
				.kind = ARRAY_DISTRIBUTED,
				.type = VALUE_STRUCT,
				.order = 'C',
				.elem_size = 32,
				.ndim = 2,
				.lower = { 1, -3 },
				.extent = { 10, 7 },
				.own_lo = { 4, -3 },
				.own_hi = { 3, 3 },
				.halo_lo = { 1, 0 },
				.halo_hi = { 2, 0 },
				.nfield = 2 };

	a.field = calloc(2, sizeof *a.field);
	a.field[0] = (struct array_field){ strdup("x"), VALUE_DOUBLE, 0, 3 };
	a.field[1] = (struct array_field){ strdup("id"), VALUE_INT, 28, 1 };
	a.list[1] = calloc(2, sizeof *a.list[1]);
	a.list[1][0] = -1;
	a.list[1][1] = 2;
	a.list_n[1] = 2;
	return a;
}

static void descriptions_travel(void **state)
{
	struct array_desc a = particles(), back;
	struct buf b = BUF_INIT;

	array_desc_put_global(&a, &b);
	array_desc_put_local(&a, &b);
	assert_int_equal(array_desc_get_global(&back, &b), 0);
	assert_int_equal(array_desc_get_local(&back, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_string_equal(back.name, "part");
	assert_string_equal(back.file, "src/nbody.c");
	assert_int_equal(back.line, 12);
	assert_int_equal(back.type, VALUE_STRUCT);
	assert_int_equal(back.elem_size, 32);
	assert_int_equal(back.order, 'C');
	assert_int_equal(back.ndim, 2);
	assert_int_equal(back.lower[1], -3);
	assert_int_equal(back.extent[0], 10);
	assert_int_equal(back.nfield, 2);
	assert_string_equal(back.field[1].name, "id");
	assert_int_equal(back.field[0].count, 3);
	assert_int_equal(back.own_lo[0], 4);
	assert_int_equal(back.own_hi[0], 3);
	assert_int_equal(back.halo_hi[0], 2);
	assert_null(back.list[0]);
	assert_int_equal(back.list_n[1], 2);
	assert_int_equal(back.list[1][1], 2);
	array_desc_clear(&a);
	array_desc_clear(&back);
	buf_clear(&b);
}

static void periodic_arrays_travel(void **state)
{
	struct array_desc a = particles(), back;
	int8_t wrap[ARRAY_DIMS] = { 0 };
	struct buf b = BUF_INIT;
	int n = 0;

	a.periodic = 3;
	a.order = 'F';
	array_desc_put_global(&a, &b);
	assert_int_equal(array_desc_get_global(&back, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(back.periodic, 3);
	assert_int_equal(back.order, 'F');
	while (array_wrap_next(&back, wrap))
		n += wrap[0] || wrap[1];
	assert_int_equal(n, 8);
	assert_false(wrap[0] || wrap[1]);
	back.periodic = 2;
	assert_true(array_wrap_next(&back, wrap));
	assert_true(!wrap[0] && wrap[1] == 1);
	assert_true(array_wrap_next(&back, wrap));
	assert_true(!wrap[0] && wrap[1] == -1);
	assert_false(array_wrap_next(&back, wrap));
	array_desc_clear(&back);
	array_desc_clear(&a);
	buf_clear(&b);
}

static void an_empty_list_stays_a_list(void **state)
{
	struct array_desc a = particles(), back = { .ndim = 2 };
	struct buf b = BUF_INIT;

	a.list_n[1] = 0;
	array_desc_put_local(&a, &b);
	assert_int_equal(array_desc_get_local(&back, &b), 0);
	assert_non_null(back.list[1]);
	assert_int_equal(back.list_n[1], 0);
	assert_int_equal(array_local(&back, 1, 0), -1);
	array_desc_clear(&a);
	array_desc_clear(&back);
	buf_clear(&b);
}

/* The global description of a, as bytes, is refused. */
static void refused(const struct array_desc *a)
{
	struct array_desc back;
	struct buf b = BUF_INIT;

	array_desc_put_global(a, &b);
	assert_int_equal(array_desc_get_global(&back, &b), -1);
	assert_null(back.name);
	buf_clear(&b);
}

static void descriptions_that_cannot_be_are_refused(void **state)
{
	struct array_desc a = particles(), bad, back;
	struct array_field field = { "x", VALUE_DOUBLE, 25, 1 };
	struct buf b = BUF_INIT;

	bad = a, bad.kind = 2, refused(&bad);
	bad = a, bad.order = 'X', refused(&bad);
	bad = a, bad.periodic = 4, refused(&bad);
	bad = a, bad.periodic = 1, bad.extent[0] = INT64_MAX / 2, refused(&bad);
	bad = a, bad.type = VALUE_TYPES, refused(&bad);
	bad = a, bad.type = VALUE_INT, refused(&bad);
	bad = a, bad.elem_size = 0, refused(&bad);
	bad = a, bad.extent[0] = -1, refused(&bad);
	bad = a, bad.lower[0] = INT64_MAX, refused(&bad);
	bad = a, bad.name = NULL, refused(&bad);
	bad = a, bad.field = &field, bad.nfield = 1, refused(&bad);
	array_desc_put_global(&a, &b);
	for (size_t cut = 0; cut < b.len; cut++) {
		struct buf part = buf_view(b.data, cut);

		assert_int_equal(array_desc_get_global(&back, &part), -1);
	}
	buf_reset(&b);
	array_desc_put_local(&a, &b);
	for (size_t cut = 0; cut < b.len; cut++) {
		struct buf part = buf_view(b.data, cut);

		back = (struct array_desc){ .ndim = 2 };
		assert_int_equal(array_desc_get_local(&back, &part), -1);
		array_desc_clear(&back);
	}
	back = (struct array_desc){ .ndim = 1 };
	assert_int_equal(array_desc_get_local(&back, &b), -1);
	array_desc_clear(&back);
	array_desc_clear(&a);
	buf_clear(&b);
}

static void fields_are_named_with_or_without_brackets(void **state)
{
	assert_true(array_name_is("cells[].t", "cells.t", false, false));
	assert_true(array_name_is("cells[].t", "cells[].t", false, false));
	assert_true(array_name_is("u", "u", false, false));
	assert_true(array_name_is("p[][]%at%x", "P.at.x", true, true));
	assert_false(array_name_is("p[][]%at%x", "P.at.x", true, false));
	assert_false(array_name_is("p[]%x", "p.x", false, false));
	assert_false(array_name_is("cells[].t", "cells.tt", false, false));
	assert_false(array_name_is("cells[].t", "cells", false, false));
	assert_false(array_name_is("cells[].t", "Cells.t", false, false));
	assert_int_equal(array_name_structure("cells[].t"), 5);
	assert_int_equal(array_name_structure("cells.t"), 0);
	assert_int_equal(array_name_structure("cells[]"), 0);
	assert_int_equal(array_name_dims("p[][]%v"), 2);
	assert_int_equal(array_name_dims("eps"), 0);
	assert_true(array_name_in("cells[].t", "cells", false));
	assert_false(array_name_in("cells[].t", "cell", false));
	assert_false(array_name_in("cells[].t", "cells.t", false));
	assert_false(array_name_in("cells[].t", "CELLS", false));
	assert_true(array_name_in("cells[].t", "CELLS", true));
}

/* Name and indices of an element, as they are shown. */
static void assert_placed(const char *name, const char *indices, const char *want)
{
	char text[100];

	snprintf(text, sizeof(text), "%s%s", name, indices);
	assert_string_equal(array_name_place(text, strlen(name)), want);
}

static void indices_of_structures_have_their_place(void **state)
{
	assert_placed("cells[].t", "[3]", "cells[3].t");
	assert_placed("cells[].v", "[3][1]", "cells[3].v[1]");
	assert_placed("cells[][].pos.x", "[3][-4]", "cells[3][-4].pos.x");
	assert_placed("cells[].t", "[0:4:2]", "cells[0:4:2].t");
	assert_placed("cells[].t", "[{1,2}]", "cells[{1,2}].t");
	assert_placed("p[][]%v", "(1,2,3)", "p(1,2)%v(3)");
	assert_placed("p[]%t", "(17)", "p(17)%t");
	assert_placed("p[]%t", "({1,2,5})", "p({1,2,5})%t");
	/* what is no element of a field stays */
	assert_placed("u", "[3]", "u[3]");
	assert_placed("cells.t", "[3]", "cells.t[3]");
	assert_placed("cells[].t", "", "cells[].t");
	assert_placed("cells[][].t", "[3]", "cells[][].t[3]");
	assert_placed("p[][]%t", "(3)", "p[][]%t(3)");
	assert_placed("cells[].t", "[3", "cells[].t[3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(local_positions_count_the_halo),
		cmocka_unit_test(fields_are_named_with_or_without_brackets),
		cmocka_unit_test(indices_of_structures_have_their_place),
		cmocka_unit_test(a_block_owns_its_range_of_a_section),
		cmocka_unit_test(a_block_owns_every_other_index_of_a_stepped_section),
		cmocka_unit_test(positions_ascend_in_reversed_sections),
		cmocka_unit_test(index_vectors_keep_their_order),
		cmocka_unit_test(nothing_owned_is_an_empty_part),
		cmocka_unit_test(a_cyclic_list_owns_its_indices),
		cmocka_unit_test(a_list_need_not_ascend),
		cmocka_unit_test(every_element_has_one_owner),
		cmocka_unit_test(a_scalar_has_one_element),
		cmocka_unit_test(wild_descriptions_do_no_harm),
		cmocka_unit_test(descriptions_travel),
		cmocka_unit_test(periodic_arrays_travel),
		cmocka_unit_test(an_empty_list_stays_a_list),
		cmocka_unit_test(descriptions_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
