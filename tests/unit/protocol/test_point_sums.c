/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What ranks say of one point merges to the same whatever comes first, and damaged bytes are
 * refused.
 */
#include "tests/unit/sum_help.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "common/array/value.h"

#define N 400

static void only(struct rankset *s, uint32_t rank)
{
	rankset_clear(s);
	assert_int_equal(rankset_add(s, rank, rank), 0);
}

static void assert_ranks(const struct rankset *s, const char *text)
{
	char out[64];

	assert_string_equal(rankset_format(s, out, sizeof(out)), text);
}

/* A quarter of the array "u" by rank; lower tells geometries apart. */
static void add_array(struct point_sums *t, uint32_t rank, const double *v, int64_t lower)
{
	struct point_sums_item *i = point_sums_add(t, "u", "heat.c", 12, 0);
	int64_t n = N;

	assert_non_null(i);
	i->kind = ARRAY_DISTRIBUTED;
	i->order = 'C';
	i->flags = rank % 2 ? POINT_SUMS_WRITE : POINT_SUMS_CHANGED;
	only(&i->ranks, rank);
	i->lower[0] = lower;
	i->sum = create(1, &n, VALUE_DOUBLE);
	i->plan = *sum_plan_of(i->sum);
	add(i->sum, &(struct layout){ .data = v + rank * N / 4,
				      .first = { rank * N / 4 },
				      .count = { N / 4 },
				      .stride = { 8 } });
}

static void add_scalar(struct point_sums *t, uint32_t rank, const char *name, double v)
{
	struct point_sums_item *i = point_sums_add(t, name, "", 0, 1);
	struct sum *s = create(0, NULL, VALUE_DOUBLE);
	struct buf b = BUF_INIT;

	assert_non_null(i);
	i->kind = ARRAY_REPLICATED;
	i->order = 'F';
	/* registered at two places; rank 3 does not know where */
	if (rank < 3)
		assert_int_equal(
			point_sums_item_set_module(i, rank ? "libb.so" : "liba.so", 80 - rank), 0);
	only(&i->ranks, rank);
	i->plan = *sum_plan_of(s);
	add(s, &(struct layout){ .data = &v });
	sum_put(s, &b);
	assert_int_equal(groups_add(&i->copies, &i->ranks, b.data, b.len), 0);
	buf_clear(&b);
	sum_destroy(s);
}

/* What rank says at 5.E: its quarter, "dt" that is wrong on rank 2, and the place. */
static struct point_sums said(uint32_t rank, const double *v)
{
	struct point_sums t = { .point = { .main = 5, .side = POINT_END }, .kind = CONSTRUCT_PL };
	struct place p = { .file = "heat.c", .func = "step", .line = 60 + rank };

	assert_int_equal(point_sums_set_place(&t, &p), 0);
	only(&t.passed, rank);
	if (rank == 3)
		only(&t.dropped, rank);
	if (rank & 1)
		only(&t.differ, rank);
	add_array(&t, rank, v, rank == 1 ? 1 : 0);
	add_scalar(&t, rank, "dt", rank == 2 ? 0.25 : 0.5);
	return t;
}

static void merge(struct point_sums *dst, struct point_sums src)
{
	assert_int_equal(point_sums_merge(dst, &src), 0);
	point_sums_clear(&src);
}

static struct buf bytes(const struct point_sums *t)
{
	struct buf b = BUF_INIT;

	point_sums_put(t, &b);
	assert_false(b.bad);
	return b;
}

static void fill(double v[N])
{
	for (size_t i = 0; i < N; i++)
		v[i] = draw_double(20);
}

static void order_and_grouping_do_not_matter(void **state)
{
	static const unsigned order[][4] = { { 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 2, 0, 3, 1 } };
	struct buf first = BUF_INIT, b;
	double v[N];

	fill(v);
	for (size_t k = 0; k < 6; k++) {
		const unsigned *o = order[k / 2];
		struct point_sums a = said(o[0], v), c = said(o[2], v);

		if (k % 2) {
			/* one after the other */
			merge(&a, said(o[1], v));
			merge(&a, c);
			merge(&a, said(o[3], v));
		} else {
			/* in pairs */
			merge(&c, said(o[3], v));
			merge(&a, said(o[1], v));
			merge(&a, c);
		}
		b = bytes(&a);
		if (k == 0) {
			first = b;
		} else {
			assert_int_equal(b.len, first.len);
			assert_memory_equal(b.data, first.data, b.len);
			buf_clear(&b);
		}
		point_sums_clear(&a);
	}
	buf_clear(&first);
}

static struct point_sums all_said(const double *v)
{
	struct point_sums t = said(2, v);

	for (unsigned r = 0; r < 4; r++)
		if (r != 2)
			merge(&t, said(r, v));
	return t;
}

static void sums_are_added_and_copies_grouped(void **state)
{
	struct point_sums t;
	double v[N];

	fill(v);
	t = all_said(v);
	assert_ranks(&t.passed, "[0:3]");
	assert_ranks(&t.differ, "[1,3]");
	assert_ranks(&t.dropped, "[3]");
	/* rank 0's */
	assert_int_equal(point_sums_place(&t).line, 60);
	assert_int_equal(t.n, 3);
	assert_string_equal(t.item[0].name, "dt");
	assert_ranks(&t.item[0].ranks, "[0:3]");
	assert_int_equal(t.item[0].copies.n, 2);
	assert_int_equal(rankset_count(&t.item[0].copies.group[0].ranks) +
				 rankset_count(&t.item[0].copies.group[1].ranks),
			 4);
	point_sums_clear(&t);
}

/* Rank 1 takes the first index for 1: that is another array. */
static void other_geometry_is_kept_apart(void **state)
{
	struct sum *expected;
	struct point_sums t;
	double v[N];
	int64_t n = N;

	fill(v);
	t = all_said(v);
	assert_string_equal(t.item[1].name, "u");
	assert_int_equal(t.item[1].lower[0], 0);
	assert_ranks(&t.item[1].ranks, "[0,2:3]");
	assert_int_equal(sum_count(t.item[1].sum), 3 * N / 4);
	assert_int_equal(t.item[1].flags, POINT_SUMS_CHANGED | POINT_SUMS_WRITE);
	assert_int_equal(t.item[2].lower[0], 1);
	assert_ranks(&t.item[2].ranks, "[1]");
	expected = create(1, &n, VALUE_DOUBLE);
	add(expected,
	    &(struct layout){
		    .data = v + N / 4, .first = { N / 4 }, .count = { N / 4 }, .stride = { 8 } });
	assert_same(t.item[2].sum, expected);
	sum_destroy(expected);
	point_sums_clear(&t);
}

static void what_is_written_is_read(void **state)
{
	struct point_sums t, got;
	struct buf b, again;
	double v[N];

	fill(v);
	t = all_said(v);
	b = bytes(&t);
	assert_int_equal(point_sums_get(&got, &b, NULL), 0);
	assert_int_equal(got.point.main, 5);
	assert_int_equal(got.point.side, POINT_END);
	assert_int_equal(got.kind, CONSTRUCT_PL);
	assert_string_equal(point_sums_place(&got).file, "heat.c");
	assert_int_equal(got.item[0].counter, 1);
	assert_int_equal(got.item[1].line, 12);
	again = bytes(&got);
	assert_int_equal(again.len, b.len);
	assert_memory_equal(again.data, b.data, b.len);
	buf_clear(&again);
	buf_clear(&b);
	point_sums_clear(&got);
	point_sums_clear(&t);
}

static int try_get(const void *data, size_t len)
{
	struct buf b = buf_view(data, len);
	struct point_sums t;
	int rc = point_sums_get(&t, &b, NULL);

	if (rc)
		assert_int_equal(t.n + t.passed.n, 0);
	point_sums_clear(&t);
	return rc;
}

static void damaged_bytes_are_refused(void **state)
{
	struct point_sums t;
	struct buf b;
	double v[N];

	fill(v);
	t = all_said(v);
	b = bytes(&t);
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(try_get(b.data, len), -1);
	for (size_t i = 0; i < b.len; i++) {
		b.data[i] ^= (unsigned char)(1u << i % 8);
		try_get(b.data, b.len);
		b.data[i] ^= (unsigned char)(1u << i % 8);
	}
	assert_int_equal(try_get(b.data, b.len), 0);
	buf_put_u8(&b, 0);
	assert_int_equal(try_get(b.data, b.len), -1);
	buf_clear(&b);
	point_sums_clear(&t);
}

/* Spoils one thing of what rank 0 says, and says whether that is still taken. */
#define REFUSED(spoil)                                                \
	do {                                                          \
		struct point_sums t = said(0, v);                     \
		struct point_sums_item *dt = &t.item[0], *u = dt + 1; \
		struct buf b;                                         \
                                                                      \
		assert_true(dt->kind != u->kind);                     \
		spoil;                                                \
		b = bytes(&t);                                        \
		assert_int_equal(try_get(b.data, b.len), -1);         \
		buf_clear(&b);                                        \
		point_sums_clear(&t);                                 \
	} while (0)

static void what_cannot_be_is_refused(void **state)
{
	double v[N];

	fill(v);
	REFUSED(t.point.main = 0; t.point.side = 0);
	REFUSED(t.kind = CONSTRUCT_SL);
	REFUSED(rankset_clear(&t.passed));
	REFUSED(only(&t.dropped, 7));
	REFUSED(u->order = 'X');
	REFUSED(u->flags = 128);
	REFUSED(u->lower[0] = INT64_MAX - N + 1); /* its last index is no number */
	REFUSED(only(&u->ranks, 1));
	REFUSED(rankset_clear(&u->ranks));
	REFUSED(dt->kind = 2);
	REFUSED(dt->plan.type = VALUE_FLOAT); /* not that of the copies */
	REFUSED(groups_clear(&dt->copies));
	REFUSED(dt->copies.group[0].len--);
	REFUSED(only(&dt->copies.group[0].ranks, 9));
	/* twice the same */
	REFUSED(add_array(&t, 0, v, 0));
}

static void a_place_is_not_lost_to_one_who_has_none(void **state)
{
	struct point_sums a = { .point = { .main = 5 }, .kind = CONSTRUCT_TR }, b;
	double v[N];

	fill(v);
	b = said(2, v);
	only(&a.passed, 0);
	merge(&a, b);
	assert_int_equal(point_sums_place(&a).line, 62);
	assert_int_equal(a.kind, CONSTRUCT_PL);
	assert_string_equal(point_sums_place(&a).func, "step");
	point_sums_clear(&a);
}

static void items_come_in_order(void **state)
{
	static const char *const names[] = { "q", "a", "z", "m", "b", "y", "c", "x", "d" };
	struct point_sums t = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(point_sums_add(&t, names[i], NULL, 0, 0)->name, names[i]);
	assert_non_null(point_sums_add(&t, "m", "f.c", 2, 0));
	assert_non_null(point_sums_add(&t, "m", "f.c", 1, 1));
	assert_non_null(point_sums_add(&t, "m", "f.c", 1, 0));
	assert_int_equal(t.n, 12);
	for (size_t i = 1; i < t.n; i++)
		assert_true(point_sums_item_compare(&t.item[i - 1], &t.item[i]) < 0);
	point_sums_clear(&t);
	assert_int_equal(t.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_and_grouping_do_not_matter),
		cmocka_unit_test(sums_are_added_and_copies_grouped),
		cmocka_unit_test(other_geometry_is_kept_apart),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(damaged_bytes_are_refused),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(a_place_is_not_lost_to_one_who_has_none),
		cmocka_unit_test(items_come_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
