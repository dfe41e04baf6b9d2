/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/sumdiff/sumdiff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "common/array/value.h"
#include "frontend/session/session.h"
#include "frontend/symbols/symbols.h"

static struct session session;

static int setup(void **state)
{
	session.symbols = symbols_create();
	return session.symbols ? 0 : -1;
}

static int teardown(void **state)
{
	symbols_destroy(session.symbols);
	return 0;
}

/* A tally of point 3.E that ranks 0 … last have passed. */
static struct point_sums point_sums(uint32_t last)
{
	struct point_sums t = { .point = { .main = 3, .side = POINT_END }, .kind = CONSTRUCT_PL };

	assert_int_equal(rankset_add(&t.passed, 0, last), 0);
	assert_int_equal(point_sums_set_place(&t, &(struct place){ .file = "/src/heat.c",
								   .func = "main",
								   .line = 61,
								   .module = "" }),
			 0);
	return t;
}

static struct sum *empty_sum(unsigned type, unsigned ndim, const int64_t *extent)
{
	struct sum_plan plan;

	assert_int_equal(sum_plan_make(&plan, ndim, extent, type, 0, NULL), 0);
	return sum_create(&plan, NULL);
}

/* Adds numbers as elements at, at + 1, … of a vector. */
static void put(struct sum *s, const double *v, int64_t at, int64_t n)
{
	struct layout part = {
		.data = v, .first = { at }, .count = { n }, .stride = { sizeof(*v) }
	};

	assert_int_equal(sum_add(s, &part, NULL), 0);
}

/* u, "heat.c", 12, 0: a distributed vector of n numbers, nothing added, on ranks lo … hi. */
static struct point_sums_item *vector(struct point_sums *t, int64_t n, uint32_t lo, uint32_t hi)
{
	struct point_sums_item *i = point_sums_add(t, "u", "/src/heat.c", 12, 0);

	assert_non_null(i);
	i->order = 'C';
	i->sum = empty_sum(VALUE_DOUBLE, 1, &n);
	i->plan = *sum_plan_of(i->sum);
	assert_int_equal(rankset_add(&i->ranks, lo, hi), 0);
	return i;
}

/* One more copy of a scalar; the item's ranks get it. */
static void copy(struct point_sums_item *i, double v, uint32_t lo, uint32_t hi)
{
	struct sum *s = empty_sum(VALUE_DOUBLE, 0, NULL);
	struct rankset ranks = { 0 };
	struct buf b = BUF_INIT;

	assert_int_equal(sum_add(s, &(struct layout){ .data = &v, .count = { 1 } }, NULL), 0);
	i->plan = *sum_plan_of(s);
	sum_put(s, &b);
	assert_int_equal(rankset_add(&ranks, lo, hi), 0);
	assert_int_equal(rankset_add_set(&i->ranks, &ranks), 0);
	assert_int_equal(groups_add(&i->copies, &ranks, b.data, b.len), 0);
	rankset_clear(&ranks);
	buf_clear(&b);
	sum_destroy(s);
}

static struct point_sums_item *scalar(struct point_sums *t, const char *name)
{
	struct point_sums_item *i = point_sums_add(t, name, "/src/heat.c", 14, 0);

	assert_non_null(i);
	i->kind = ARRAY_REPLICATED;
	i->order = 'C';
	return i;
}

/* Finishes and clears the tally. */
static struct sums_point *finish(struct point_sums *t)
{
	struct err err = { "" };
	struct sums_point *p = sums_point_make(&session, t, NULL, &err);

	if (!p)
		fail_msg("%s", err.text);
	point_sums_clear(t);
	return p;
}

/* The only array of the tally has no sum, for this reason. */
static void assert_failed(struct point_sums *t, const char *why)
{
	struct sums_point *p = finish(t);

	assert_int_equal(p->n, 1);
	assert_null(p->array[0].sum);
	assert_non_null(p->array[0].failed);
	assert_string_equal(p->array[0].failed, why);
	assert_int_equal(p->array[0].copies.n, 0);
	sums_point_destroy(p);
}

static void elements_that_are_all_there_give_a_sum(void **state)
{
	struct point_sums t = point_sums(3);
	struct point_sums_item *i = vector(&t, 4, 0, 1);
	struct sums_point *p;

	put(i->sum, (double[]){ 1, 2 }, 2, 2);
	put(i->sum, (double[]){ 3, 4 }, 0, 2);
	i->flags = POINT_SUMS_WRITE | POINT_SUMS_CHANGED;
	i->lower[0] = -7;
	/* ranks 2 and 3 own nothing of it, and do not have it registered */
	p = finish(&t);
	assert_int_equal(p->point.main, 3);
	assert_int_equal(p->point.side, POINT_END);
	assert_int_equal(p->kind, CONSTRUCT_PL);
	assert_string_equal(p->where, "heat.c:61");
	assert_string_equal(p->func, "main");
	assert_false(p->partial);
	assert_int_equal(p->n, 1);
	assert_string_equal(p->array[0].name, "u");
	assert_string_equal(p->array[0].file, "/src/heat.c");
	assert_int_equal(p->array[0].line, 12);
	assert_int_equal(p->array[0].flags, POINT_SUMS_WRITE | POINT_SUMS_CHANGED);
	assert_int_equal(p->array[0].order, 'C');
	assert_int_equal(p->array[0].kind, ARRAY_DISTRIBUTED);
	assert_int_equal(p->array[0].lower[0], -7);
	assert_int_equal(rankset_count(&p->array[0].ranks), 2);
	assert_null(p->array[0].failed);
	assert_non_null(p->array[0].sum);
	assert_true(sum_mean(p->array[0].sum, 0) == 2.5);
	sums_point_destroy(p);
}

static void no_elements_are_a_sum_too(void **state)
{
	struct point_sums t = point_sums(0);
	struct sums_point *p;

	vector(&t, 0, 0, 0);
	p = finish(&t);
	assert_non_null(p->array[0].sum);
	assert_int_equal(p->array[0].sum->all.count, 0);
	sums_point_destroy(p);
}

static void elements_that_are_missing_are_a_failure(void **state)
{
	const double v[3] = { 1, 2, 3 };
	struct point_sums t = point_sums(3);

	put(vector(&t, 3, 0, 1)->sum, v, 0, 2);
	assert_failed(&t, "2 of 3 elements; not registered on [2:3]");
	t = point_sums(1);
	put(vector(&t, 3, 0, 1)->sum, v, 0, 2);
	assert_failed(&t, "2 of 3 elements; the others are owned by no rank");
	t = point_sums(1);
	put(vector(&t, 2, 0, 1)->sum, v, 0, 2);
	put(t.item[0].sum, v, 1, 1);
	assert_failed(&t, "3 of 2 elements; elements are owned by more than one rank");
}

static void elements_twice_do_not_make_up_for_missing_ones(void **state)
{
	double v[128] = { 0 };
	struct point_sums t = point_sums(1);
	struct point_sums_item *i = vector(&t, 128, 0, 1);

	assert_int_equal(i->plan.blocks, 2);
	put(i->sum, v, 0, 64);
	put(i->sum, v, 0, 64);
	assert_failed(&t, "some elements are owned by more than one rank and others by none");
}

/* An item of two dimensions on one rank; name u. */
static struct point_sums_item *shaped(struct point_sums *t, unsigned type, int64_t n, int64_t m,
				      uint32_t rank)
{
	struct point_sums_item *i = vector(t, n, rank, rank);

	sum_destroy(i->sum);
	i->sum = empty_sum(type, 2, (int64_t[]){ n, m });
	i->plan = *sum_plan_of(i->sum);
	return i;
}

static void shapes_that_differ_are_reported_with_what_differs(void **state)
{
	struct point_sums t = point_sums(1);

	shaped(&t, VALUE_DOUBLE, 100, 100, 0);
	shaped(&t, VALUE_DOUBLE, 100, 99, 1);
	assert_failed(&t, "registered with different shapes: (100, 100) on [0], (100, 99) on [1]");
	t = point_sums(1);
	shaped(&t, VALUE_DOUBLE, 5, 4, 0)->lower[0] = 1;
	shaped(&t, VALUE_DOUBLE, 5, 4, 1);
	assert_failed(&t, "registered with different shapes: (1:5, 0:3) on [0], (0:4, 0:3) on [1]");
	t = point_sums(1);
	shaped(&t, VALUE_DOUBLE, 5, 4, 0);
	shaped(&t, VALUE_FLOAT, 5, 4, 1);
	assert_failed(&t, "registered with different shapes: double (5, 4) on [0], "
			  "float (5, 4) on [1]");
	t = point_sums(1);
	shaped(&t, VALUE_DOUBLE, 5, 4, 0);
	shaped(&t, VALUE_DOUBLE, 5, 4, 1)->order = 'F';
	assert_failed(&t, "registered with different shapes: (5, 4) in the order of C on [0], "
			  "(5, 4) in the order of Fortran on [1]");
	t = point_sums(1);
	shaped(&t, VALUE_DOUBLE, 5, 4, 0);
	shaped(&t, VALUE_DOUBLE, 5, 4, 1)->kind = ARRAY_REPLICATED;
	assert_failed(&t, "registered with different shapes: distributed (5, 4) on [0], "
			  "replicated (5, 4) on [1]");
}

static void a_shape_may_end_with_the_last_number(void **state)
{
	struct point_sums t = point_sums(1);

	vector(&t, 5, 0, 0)->lower[0] = INT64_MAX - 5;
	vector(&t, 5, 1, 1);
	assert_failed(&t, "registered with different shapes: "
			  "(9223372036854775802:9223372036854775806) on [0], (0:4) on [1]");
}

static void copies_that_agree_are_one_value(void **state)
{
	struct point_sums t = point_sums(3);
	struct sums_point *p;

	copy(scalar(&t, "dt"), 0.5, 0, 3);
	p = finish(&t);
	assert_int_equal(p->array[0].kind, ARRAY_REPLICATED);
	assert_int_equal(p->array[0].copies.n, 0);
	assert_null(p->array[0].failed);
	assert_true(sum_mean(p->array[0].sum, 0) == 0.5);
	sums_point_destroy(p);
}

static void of_copies_that_differ_the_largest_group_counts(void **state)
{
	struct point_sums t = point_sums(3);
	struct point_sums_item *i = scalar(&t, "dt");
	struct sums_point *p;

	copy(i, 0.25, 0, 0);
	copy(i, 0.5, 1, 2);
	copy(i, 0.75, 3, 3);
	p = finish(&t);
	assert_int_equal(p->array[0].copies.n, 3);
	assert_true(sum_mean(p->array[0].sum, 0) == 0.5);
	sums_point_destroy(p);
}

static void copies_are_needed_of_all_ranks_that_have_passed(void **state)
{
	struct point_sums t = point_sums(3);

	copy(scalar(&t, "dt"), 0.5, 0, 1);
	assert_failed(&t, "not registered on [2:3]");
	t = point_sums(0);
	assert_int_equal(rankset_add(&scalar(&t, "dt")->ranks, 0, 0), 0);
	assert_failed(&t, "no rank has reported its copy");
}

static void points_given_up_or_without_some_ranks_are_partial(void **state)
{
	struct rankset missing = { 0 };
	struct point_sums t = point_sums(1);
	struct sums_point *p;

	assert_int_equal(rankset_add(&t.dropped, 1, 1), 0);
	p = finish(&t);
	assert_true(p->partial);
	assert_int_equal(p->n, 0);
	sums_point_destroy(p);
	t = point_sums(1);
	p = sums_point_make(&session, &t, &missing, NULL);
	assert_false(p->partial);
	sums_point_destroy(p);
	assert_int_equal(rankset_add(&missing, 2, 2), 0);
	p = sums_point_make(&session, &t, &missing, NULL);
	assert_true(p->partial);
	sums_point_destroy(p);
	rankset_clear(&missing);
	point_sums_clear(&t);
}

static struct sums_array id(char *name, char *file, uint32_t line, uint32_t counter)
{
	return (struct sums_array){ .name = name, .file = file, .line = line, .counter = counter };
}

static void identifiers(void **state)
{
	struct sums_array u = id("u", "/a/heat.c", 31, 0), other = id("u", "heat.c", 35, 0);
	char text[80];

	assert_string_equal(sums_array_id(&u, text, sizeof(text)), "(\"u\", \"heat.c\", 31, 0)");
	assert_string_equal(sums_array_id(&u, text, 8), "(\"u\", \"");
	assert_true(sums_array_same(&u, &other));
	/* from Fortran the name identifies, the place is only shown */
	other = id("u", "", 0, 0);
	assert_string_equal(sums_array_id(&other, text, sizeof(text)), "(\"u\", \"\", 0, 0)");
	other.shown = "adi.f90:93";
	assert_string_equal(sums_array_id(&other, text, sizeof(text)),
			    "(\"u\", \"adi.f90\", 93, 0)");
	assert_false(sums_array_same(&u, &other));
	other = id("u", "heat.c", 35, 1);
	assert_false(sums_array_same(&u, &other));
	other = id("u", "/a/cg.c", 31, 0);
	assert_false(sums_array_same(&u, &other));
	other = id("v", "/a/heat.c", 31, 0);
	assert_false(sums_array_same(&u, &other));
}

static void of_several_alike_that_on_the_same_line_is_found(void **state)
{
	struct sums_array list[] = { id("u", "x/heat.c", 10, 0), id("u", "heat.c", 20, 0),
				     id("v", "heat.c", 20, 0) };
	struct sums_array wanted = id("u", "/y/heat.c", 20, 0);
	struct sums_point p = { .array = list, .n = 3 };

	assert_ptr_equal(sums_point_find(&p, &wanted), &list[1]);
	wanted.line = 30;
	assert_ptr_equal(sums_point_find(&p, &wanted), &list[0]);
	wanted.name = "w";
	assert_null(sums_point_find(&p, &wanted));
}

/* A point with an array of two blocks, a scalar whose copies differ, and one that failed. */
static struct sums_point *rich(void)
{
	double v[128] = { 1, 2, 3 };
	struct point_sums t = point_sums(3);
	struct point_sums_item *i = vector(&t, 128, 0, 3);

	put(i->sum, v, 0, 128);
	i->lower[0] = 1;
	i->order = 'F';
	i->flags = POINT_SUMS_WRITTEN;
	i = scalar(&t, "dt");
	copy(i, 0.25, 0, 2);
	copy(i, 0.5, 3, 3);
	copy(scalar(&t, "w"), 1, 2, 3);
	assert_int_equal(rankset_add(&t.dropped, 1, 1), 0);
	return finish(&t);
}

static void what_is_written_is_read(void **state)
{
	const char *const names[] = { "dt", "u", "w" };
	struct sums_point *p = rich(), *q;
	struct buf b = BUF_INIT, again = BUF_INIT;
	struct err err = { "" };

	sums_point_put(p, &b);
	q = sums_point_get(&b, &err);
	assert_non_null(q);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(q->point.main, 3);
	assert_string_equal(q->where, "heat.c:61");
	assert_string_equal(q->func, "main");
	assert_true(q->partial);
	assert_int_equal(q->n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(q->array[i].name, names[i]);
		assert_string_equal(q->array[i].file, "/src/heat.c");
		assert_true(rankset_equal(&q->array[i].ranks, &p->array[i].ranks));
	}
	assert_int_equal(q->array[0].kind, ARRAY_REPLICATED);
	assert_int_equal(q->array[0].copies.n, 2);
	assert_true(sum_mean(q->array[0].sum, 0) == 0.25);
	assert_int_equal(q->array[1].order, 'F');
	assert_int_equal(q->array[1].flags, POINT_SUMS_WRITTEN);
	assert_int_equal(q->array[1].lower[0], 1);
	assert_int_equal(q->array[1].sum->all.hash, p->array[1].sum->all.hash);
	assert_int_equal(q->array[1].sum->block[1].hash, p->array[1].sum->block[1].hash);
	assert_null(q->array[2].sum);
	assert_string_equal(q->array[2].failed, "not registered on [0:1]");
	sums_point_put(q, &again);
	assert_int_equal(again.len, b.len);
	assert_memory_equal(again.data, b.data, b.len);
	sums_point_destroy(p);
	sums_point_destroy(q);
	buf_clear(&b);
	buf_clear(&again);
}

static void what_is_cut_off_is_refused(void **state)
{
	struct sums_point *p = rich();
	struct buf b = BUF_INIT;

	sums_point_put(p, &b);
	for (size_t n = 0; n < b.len; n++) {
		struct err err = { "" };
		struct buf part = buf_view(b.data, n);

		assert_null(sums_point_get(&part, &err));
		assert_true(*err.text);
	}
	sums_point_destroy(p);
	buf_clear(&b);
}

/* Whether a point, changed, can be read back; cleared. */
static bool readable(struct sums_point *p, const char *why)
{
	struct buf b = BUF_INIT;
	struct err err = { "" };
	struct sums_point *q;

	sums_point_put(p, &b);
	q = sums_point_get(&b, &err);
	if (!q)
		assert_string_equal(err.text, why);
	sums_point_destroy(p);
	buf_clear(&b);
	sums_point_destroy(q);
	return q != NULL;
}

static void what_cannot_be_is_refused(void **state)
{
	const char *point = "a point is cut off or damaged", *sum = "a checksum is damaged",
		   *array = "a checksum is cut off or damaged";
	struct sums_point *p = rich();
	unsigned char *blob;

	assert_true(readable(p, ""));
	p = rich();
	p->point = (struct point){ 0 };
	assert_false(readable(p, point));
	p = rich();
	p->kind = CONSTRUCT_SL;
	assert_false(readable(p, point));
	p = rich();
	p->array[1].kind = 2;
	assert_false(readable(p, array));
	p = rich();
	p->array[1].order = 'X';
	assert_false(readable(p, array));
	p = rich();
	p->array[1].lower[0] = INT64_MAX - 100;
	assert_false(readable(p, array));
	/* extremes that are no numbers */
	p = rich();
	p->array[1].sum->all.part[0].most = INT64_MAX;
	assert_false(readable(p, array));
	p = rich();
	p->array[1].sum->block[1].part[0].least = INT64_MIN;
	assert_false(readable(p, array));
	/* a sum and a reason why there is none; neither */
	p = rich();
	p->array[1].failed = strdup("because");
	assert_false(readable(p, sum));
	p = rich();
	free(p->array[2].failed);
	p->array[2].failed = NULL;
	assert_false(readable(p, sum));
	/* copies that are no sums, or of another type */
	p = rich();
	p->array[0].copies.group[0].len--;
	assert_false(readable(p, sum));
	p = rich();
	blob = p->array[0].copies.group[0].blob;
	assert_int_equal(blob[1], VALUE_DOUBLE);
	blob[1] = VALUE_FLOAT;
	assert_false(readable(p, sum));
}

static void an_array_alone_may_go_without_its_sum(void **state)
{
	struct sums_point *p = rich();
	struct sums_array a;
	struct buf b = BUF_INIT;
	struct err err = { "" };

	sums_array_put(&p->array[1], false, &b);
	assert_int_equal(sums_array_get(&a, &b, &err), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_null(a.sum);
	assert_string_equal(a.name, "u");
	assert_int_equal(sums_array_check(&a, &err), -1);
	sums_array_clear(&a);
	assert_null(a.name);
	buf_clear(&b);
	sums_point_destroy(p);
}

static void a_number_of_arrays_is_not_believed(void **state)
{
	struct sums_point *p = rich();
	struct buf b = BUF_INIT;
	struct err err = { "" };

	p->n = 0;
	sums_point_put_head(p, &b);
	p->n = 3;
	memset(b.data + b.len - 4, 0xff, 4);
	assert_null(sums_point_get_head(&b, &err));
	assert_string_equal(err.text, "a point is cut off or damaged");
	buf_clear(&b);
	sums_point_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_that_are_all_there_give_a_sum),
		cmocka_unit_test(no_elements_are_a_sum_too),
		cmocka_unit_test(elements_that_are_missing_are_a_failure),
		cmocka_unit_test(elements_twice_do_not_make_up_for_missing_ones),
		cmocka_unit_test(shapes_that_differ_are_reported_with_what_differs),
		cmocka_unit_test(a_shape_may_end_with_the_last_number),
		cmocka_unit_test(copies_that_agree_are_one_value),
		cmocka_unit_test(of_copies_that_differ_the_largest_group_counts),
		cmocka_unit_test(copies_are_needed_of_all_ranks_that_have_passed),
		cmocka_unit_test(points_given_up_or_without_some_ranks_are_partial),
		cmocka_unit_test(identifiers),
		cmocka_unit_test(of_several_alike_that_on_the_same_line_is_found),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(what_is_cut_off_is_refused),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(an_array_alone_may_go_without_its_sum),
		cmocka_unit_test(a_number_of_arrays_is_not_believed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
