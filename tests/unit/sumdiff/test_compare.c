/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/compare_help.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/construct.h"
#include "common/protocol/point_sums.h"
#include "common/array/value.h"

static void equal_arrays(void **state)
{
	const struct compare_state *s = compare_state(c);

	assert_int_equal(compare(with_u(point("1.E"), 3), with_u(point("1.E"), 3)), 0);
	assert_int_equal(compare(with_u(point("2.E"), 4), with_u(point("2.E"), 4)), 0);
	assert_int_equal(compare(point("3.E"), point("3.E")), 0);
	assert_int_equal(s->points, 2);
	assert_int_equal(s->arrays, 2);
	assert_int_equal(s->equal, 2);
	assert_int_equal(s->names, 1);
	assert_int_equal(s->ref_elements, 8);
	assert_int_equal(s->rounding + s->faults + s->skipped, 0);
	assert_false(s->rounds);
	assert_int_equal(compare_count(c), 0);
	assert_null(compare_first(c));
	assert_null(compare_mismatch(c, 0));
}

static void arrays_without_elements(void **state)
{
	int64_t none = 0;
	struct sums_point *p = point("1.E");
	struct sum_plan plan;
	struct sum *s;

	assert_int_equal(sum_plan_make(&plan, 1, &none, VALUE_INT, 0, NULL), 0);
	s = sum_create(&plan, NULL);
	add_array(p, "n", ARRAY_DISTRIBUTED)->sum = sum_finish(s, NULL);
	assert_int_equal(compare_point(c, p, p), 0);
	assert_int_equal(compare_state(c)->equal, 1);
	sum_destroy(s);
	sums_point_destroy(p);
}

static void rounding_is_counted_from_its_first_point_on(void **state)
{
	const struct compare_state *s = compare_state(c);

	compare(with_u(point("1.E"), 3), with_u(point("1.E"), 3));
	assert_int_equal(compare(with_u(of_line(point("2.E"), "heat.c:70"), 3),
				 with_u(of_line(point("2.E"), "heat.c:70"), 3 + 1e-12)),
			 0);
	compare(with_u(point("3.E"), 3), with_u(point("3.E"), 3 + 1e-11));
	assert_int_equal(s->rounding, 2);
	assert_int_equal(s->equal, 1);
	assert_true(s->rounds);
	assert_int_equal(s->rounds_from.main, 2);
	assert_string_equal(s->rounds_array, "u");
	assert_string_equal(s->rounds_where, "heat.c:70");
	/* the 2-norm of four times 1e-11 */
	assert_true(s->rounds_most > 1e-11 && s->rounds_most < 1e-10);
	assert_int_equal(compare_count(c), 0);
}

static void a_fault_is_reported_in_the_documents_words(void **state)
{
	const struct mismatch *m;

	compare(with_u(point("11.E"), 3), with_u(point("11.E"), 3));
	compare(point("12.E"), point("12.E"));
	assert_int_equal(compare(with_u(point("13.E"), 3), with_u(point("13.E"), 3.25)), 1);
	m = expect(MISMATCH_VALUE,
		   "Different checksums for array (\"u\", \"heat.c\", 31, 0, \"rw\"): "
		   "3 != 3.25 at the point 13.E; previous correct point is 11.E");
	assert_int_equal(m->point.main, 13);
	assert_int_equal(m->previous.main, 11);
	assert_string_equal(m->where, "heat.c:61");
	assert_string_equal(m->func, "main");
	assert_int_equal(m->construct, CONSTRUCT_PL);
	assert_string_equal(m->id.name, "u");
	assert_int_equal(rankset_count(&m->id.ranks), 4);
	assert_true(m->ref[0] == 3 && m->now[0] == 3.25);
	assert_int_equal(m->diff.verdict, SUM_FAULT);
	assert_int_equal(m->plan.total, 4);
	assert_false(m->between);
	assert_false(m->unwritten);
	assert_int_equal(compare_state(c)->faults, 1);
}

static void of_an_array_the_first_fault_is_kept(void **state)
{
	struct sums_point *ref = with_u(point("2.E"), 1), *now = with_u(point("2.E"), 9);

	assert_int_equal(compare(with_u(point("1.E"), 1), with_u(point("1.E"), 2)), 1);
	add_array(ref, "v", ARRAY_DISTRIBUTED)->sum = result(VALUE_INT, 1, &(int){ 4 });
	add_array(now, "v", ARRAY_DISTRIBUTED)->sum = result(VALUE_INT, 1, &(int){ 5 });
	ref->array[1].flags = now->array[1].flags = POINT_SUMS_WRITTEN | POINT_SUMS_WRITE;
	assert_int_equal(compare(ref, now), 1);
	assert_int_equal(compare_count(c), 2);
	assert_int_equal(compare_state(c)->faults, 3);
	assert_non_null(strstr(compare_mismatch(c, 0)->text, "previous correct point is absent"));
	assert_string_equal(
		compare_mismatch(c, 1)->text,
		"Different checksums for array (\"v\", \"heat.c\", 31, 0, \"w\"): 4 != 5 "
		"at the point 2.E; previous correct point is absent");
	assert_null(compare_mismatch(c, 2));
}

static void equal_means_are_explained(void **state)
{
	double v[128] = { 1, 2 }, w[128] = { 2, 1 };

	assert_int_equal(compare(with(point("1.E"), VALUE_DOUBLE, 20, v),
				 with(point("1.E"), VALUE_DOUBLE, 20, w)),
			 1);
	expect(MISMATCH_VALUE,
	       "Different checksums for array (\"u\", \"heat.c\", 31, 0, \"rw\"): "
	       "0.15 != 0.15 (the means are equal, the elements are not) at the point "
	       "1.E; previous correct point is absent");
	use(SUM_EXACT, 0, 0, false);
	compare(with(point("1.E"), VALUE_DOUBLE, 128, v), with(point("1.E"), VALUE_DOUBLE, 128, w));
	assert_non_null(
		strstr(compare_first(c)->text,
		       "0.0234375 != 0.0234375 (the means are equal, 1 of 2 blocks differ)"));
	v[0] = w[1] = NAN;
	use(SUM_EXACT, 0, 0, false);
	compare(with(point("1.E"), VALUE_DOUBLE, 20, v), with(point("1.E"), VALUE_DOUBLE, 20, w));
	assert_non_null(strstr(compare_first(c)->text,
			       "nan != nan (the means are equal, the elements are not)"));
}

static void numbers_are_as_long_as_tells_them_apart(void **state)
{
	use(SUM_EXACT, 0, 0, false);
	compare(with(point("1.E"), VALUE_DOUBLE, 1, (double[]){ 1 }),
		with(point("1.E"), VALUE_DOUBLE, 1, (double[]){ 1 + 1e-10 }));
	assert_non_null(strstr(compare_first(c)->text, ": 1 != 1.0000000001 at"));
	use(SUM_EXACT, 0, 0, false);
	compare(with(point("1.E"), VALUE_DOUBLE, 1, (double[]){ 1 }),
		with(point("1.E"), VALUE_DOUBLE, 1, (double[]){ NAN }));
	assert_non_null(strstr(compare_first(c)->text, ": 1 != nan at"));
	use(SUM_EXACT, 0, 0, false);
	compare(with(point("1.E"), VALUE_DCOMPLEX, 1, (double[]){ 1, 2 }),
		with(point("1.E"), VALUE_DCOMPLEX, 1, (double[]){ 1, -3 }));
	assert_non_null(strstr(compare_first(c)->text, ": (1,2) != (1,-3) at"));
}

/* Whether one number in place of another is a mismatch, by the tolerance in use. */
static int differs(unsigned type, double a, double b)
{
	float x = (float)a, y = (float)b;
	int i = type == VALUE_INT ? (int)a : 0, j = type == VALUE_INT ? (int)b : 0;
	const void *ref = type == VALUE_FLOAT ? (void *)&x : type == VALUE_INT ? (void *)&i : &a;
	const void *now = type == VALUE_FLOAT ? (void *)&y : type == VALUE_INT ? (void *)&j : &b;

	return compare(with(point("1.E"), type, 1, ref), with(point("1.E"), type, 1, now));
}

static void tolerances(void **state)
{
	static const struct {
		enum sum_mode mode;
		double exp, rel_min;
		unsigned type;
		double a, b;
		int differ;
	} list[] = {
		{ SUM_RELATIVE, -1, 1, VALUE_DOUBLE, 1, 1 + 1e-10, 0 },
		{ SUM_RELATIVE, -1, 1, VALUE_DOUBLE, 1, 1 + 1e-8, 1 },
		{ SUM_RELATIVE, -1, 1, VALUE_FLOAT, 1, 1 + 5e-6, 0 },
		{ SUM_RELATIVE, -1, 1, VALUE_FLOAT, 1, 1 + 5e-5, 1 },
		{ SUM_RELATIVE, 0.01, 1, VALUE_DOUBLE, 1000, 1009, 0 },
		{ SUM_RELATIVE, 0.01, 1, VALUE_DOUBLE, 1000, 1020, 1 },
		{ SUM_RELATIVE, 0.01, 1, VALUE_DOUBLE, 1e-6, 1e-3, 0 },
		{ SUM_RELATIVE, 0.01, 1e-6, VALUE_DOUBLE, 1e-6, 1e-3, 1 },
		{ SUM_ABSOLUTE, 0.5, 1, VALUE_DOUBLE, 1000, 1000.4, 0 },
		{ SUM_ABSOLUTE, 0.5, 1, VALUE_DOUBLE, 1000, 1000.6, 1 },
		{ SUM_ABSOLUTE, 5, 1, VALUE_INT, 1000, 1001, 1 },
		{ SUM_EXACT, 5, 1, VALUE_DOUBLE, 1, 1 + 1e-15, 1 },
		{ SUM_EXACT, 5, 1, VALUE_DOUBLE, 1, 1, 0 },
		{ SUM_RELATIVE, -1, 1, VALUE_DOUBLE, NAN, NAN, 0 },
		{ SUM_RELATIVE, 9, 1, VALUE_DOUBLE, INFINITY, -INFINITY, 1 },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		use(list[i].mode, list[i].exp, list[i].rel_min, false);
		if (differs(list[i].type, list[i].a, list[i].b) != list[i].differ)
			fail_msg("case %zu", i);
	}
}

/* A point with 64 x 2 elements of u: x and y, and the first of the second component. */
static struct sums_point *pairs(const char *at, double x, double y, double first)
{
	static const int64_t extent[2] = { 64, 2 };
	struct sums_point *p = point(at);
	struct sum_plan plan;
	double v[64][2];
	struct sum *s;

	for (int i = 0; i < 64; i++) {
		v[i][0] = x;
		v[i][1] = i ? y : first;
	}
	assert_int_equal(sum_plan_make(&plan, 2, extent, VALUE_DOUBLE, 0, NULL), 0);
	s = sum_create(&plan, NULL);
	assert_non_null(s);
	assert_int_equal(
		sum_add(s, &(struct layout){ .data = v, .count = { 64, 2 }, .stride = { 16, 8 } },
			NULL),
		0);
	add_array(p, "u", ARRAY_DISTRIBUTED)->sum = sum_finish(s, NULL);
	sum_destroy(s);
	return p;
}

static void scaled_is_to_the_largest_of_block_and_component(void **state)
{
	struct sums_array u = { .name = "u", .file = "heat.c", .line = 31 };
	const struct sum_plan *plan;
	struct sums_point *p;

	/* a component far smaller than the other is judged by itself */
	use(SUM_SCALED, -1, 1, false);
	assert_int_equal(compare(pairs("1.E", 1e5, 1e-5, 1e-5), pairs("1.E", 1e5, 1e-5, 5e-6)), 1);
	use(SUM_SCALED, -1, 1, false);
	p = pairs("1.E", 1e-12, 1e12, 1e12);
	plan = &p->array[0].sum->plan;
	assert_int_equal(plan->blocks, 2);
	assert_int_equal(compare(p, pairs("1.E", 1e-12, 1e12, 1e12 * (1 + 1e-12))), 0);
	assert_int_equal(compare_state(c)->rounding, 1);
	assert_int_equal(compare_state(c)->small, 0);
	assert_int_equal(compare(pairs("2.E", 1e-12, 1, 1), pairs("2.E", 5e-13, 1, 1)), 1);
	/* what was large is still measured by that, and counted when it is small now */
	use(SUM_SCALED, -1, 1, false);
	assert_int_equal(compare(pairs("1.E", 1, 1, 1), pairs("1.E", 1, 1, 1)), 0);
	assert_int_equal(compare(pairs("2.E", 1e-13, 1, 1), pairs("2.E", 2e-13, 1, 1)), 0);
	assert_int_equal(compare_state(c)->small, 1);
	assert_int_equal(compare_state(c)->small_from.main, 2);
	assert_string_equal(compare_state(c)->small_array, "u");
	/* what this run alone has had is no measure */
	use(SUM_SCALED, -1, 1, false);
	assert_int_equal(compare(pairs("1.E", 1e-13, 1, 1), pairs("1.E", 1e5, 1, 1)), 1);
	u.flags = 0;
	use(SUM_SCALED, 1e-3, 1, false);
	p = pairs("1.E", -2e6, 3, -4);
	assert_null(compare_limit(c, &u, &p->array[0].sum->plan).scale);
	assert_int_equal(compare_point(c, p, p), 0);
	assert_true(compare_limit(c, &u, &p->array[0].sum->plan).scale[0] == 2e6);
	assert_true(compare_limit(c, &u, &p->array[0].sum->plan).scale[1] == 4);
	sums_point_destroy(p);
}

static void failed_sums_are_skipped(void **state)
{
	struct sums_point *no = point("1.E");

	add_array(no, "u", ARRAY_DISTRIBUTED)->failed = strdup("not registered on [2]");
	assert_int_equal(compare_point(c, no, no), 0);
	assert_int_equal(compare(no, with_u(point("1.E"), 3)), 0);
	no = point("2.E");
	add_array(no, "u", ARRAY_DISTRIBUTED)->failed = strdup("not registered on [2]");
	assert_int_equal(compare(with_u(point("2.E"), 3), no), 0);
	/* only one run knows of it at all */
	no = point("3.E");
	add_array(no, "u", ARRAY_DISTRIBUTED)->failed = strdup("not registered on [2]");
	assert_int_equal(compare(point("3.E"), no), 0);
	no = point("4.B");
	add_array(no, "dt", ARRAY_REPLICATED)->failed = strdup("not registered on [2]");
	assert_int_equal(compare(with_dt(point("4.B"), 1), no), 0);
	assert_int_equal(compare_state(c)->skipped, 5);
	assert_int_equal(compare_state(c)->arrays, 0);
	assert_int_equal(compare_state(c)->points, 0);
}

static void arrays_of_one_run_alone(void **state)
{
	assert_int_equal(compare(point("2.E"), with_u(point("2.E"), 3)), 1);
	expect(MISMATCH_ABSENT,
	       "Array (\"u\", \"heat.c\", 31, 0) was not found at the point 2.E in the "
	       "reference");
	assert_int_equal(compare(point("3.E"), with_u(point("3.E"), 3)), 0);
	use(SUM_RELATIVE, -1, 1, false);
	compare(with_u(point("1.E"), 3), with_u(point("1.E"), 3));
	assert_int_equal(compare(with_u(point("2.E"), 3), point("2.E")), 1);
	assert_int_equal(expect(MISMATCH_ABSENT,
				"Array (\"u\", \"heat.c\", 31, 0) was not found at the point 2.E, "
				"but the reference has it")
				 ->previous.main,
			 1);
}

static void shapes_types_and_bounds(void **state)
{
	const double v[5] = { 0 };
	struct sums_point *now;

	assert_int_equal(compare(with(point("1.E"), VALUE_DOUBLE, 5, v),
				 with(point("1.E"), VALUE_DOUBLE, 4, v)),
			 1);
	expect(MISMATCH_SHAPE, "Array (\"u\", \"heat.c\", 31, 0) is double 4 at the point 1.E, but "
			       "double 5 in the reference");
	use(SUM_RELATIVE, -1, 1, false);
	assert_int_equal(compare(with(point("1.E"), VALUE_DOUBLE, 4, v),
				 with(point("1.E"), VALUE_LONG, 4, v)),
			 1);
	expect(MISMATCH_SHAPE, "Array (\"u\", \"heat.c\", 31, 0) is long 4 at the point 1.E, but "
			       "double 4 in the reference");
	use(SUM_RELATIVE, -1, 1, false);
	now = with(point("1.E"), VALUE_DOUBLE, 4, v);
	now->array[0].lower[0] = 1;
	assert_int_equal(compare(with(point("1.E"), VALUE_DOUBLE, 4, v), now), 1);
	expect(MISMATCH_SHAPE, "Array (\"u\", \"heat.c\", 31, 0) has other bounds, or another "
			       "distribution, at the point 1.E than in the reference");
	use(SUM_RELATIVE, -1, 1, false);
	now = with(point("1.E"), VALUE_DOUBLE, 4, v);
	now->array[0].kind = ARRAY_REPLICATED;
	compare(now, with(point("1.E"), VALUE_DOUBLE, 4, v));
	assert_int_equal(compare_first(c)->kind, MISMATCH_SHAPE);
}

/* u at 1.E of both runs, with these flags. */
static int compare_flags(double ref, uint8_t ref_flags, double now, uint8_t now_flags)
{
	struct sums_point *r = with(point("1.E"), VALUE_DOUBLE, 1, &ref);
	struct sums_point *n = with(point("1.E"), VALUE_DOUBLE, 1, &now);

	r->array[0].flags = ref_flags;
	n->array[0].flags = now_flags;
	return compare(r, n);
}

static void memory_before_its_first_use_is_not_compared(void **state)
{
	assert_int_equal(compare_flags(0, 0, 5, 0), 0);
	assert_int_equal(compare_flags(5, 0, 0, POINT_SUMS_READ), 0);
	assert_int_equal(compare_state(c)->arrays, 0);
	/* what is equal is right all the same */
	assert_int_equal(compare_flags(0, 0, 0, 0), 0);
	assert_int_equal(compare_state(c)->equal, 1);
	assert_int_equal(compare_flags(4, 0, 5, 0), 1);
	assert_true(compare_first(c)->unwritten);
	assert_non_null(strstr(compare_first(c)->text, "31, 0, \"rw\")"));
	use(SUM_RELATIVE, -1, 1, false);
	assert_int_equal(compare_flags(0, 0, 5, POINT_SUMS_WRITTEN | POINT_SUMS_READ), 1);
	assert_false(compare_first(c)->unwritten);
	assert_non_null(strstr(compare_first(c)->text, "31, 0, \"r\")"));
	use(SUM_RELATIVE, -1, 1, false);
	assert_int_equal(compare_flags(0, 0, NAN, 0), 0);
	assert_int_equal(compare_flags(NAN, 0, 5, 0), 1);
}

static void points_that_are_partial_are_not_compared(void **state)
{
	struct sums_point *p = with_dt(with_u(point("1.B"), 3), 1);

	p->partial = true;
	assert_int_equal(compare(p, with_dt(with_u(point("1.B"), 4), 2)), 0);
	p = with_dt(with_u(point("1.E"), 3), 1);
	p->partial = true;
	assert_int_equal(compare(with_dt(with_u(point("1.E"), 4), 2), p), 0);
	assert_int_equal(compare_state(c)->arrays, 0);
}

static void another_construct_is_reported_once(void **state)
{
	struct sums_point *p;

	compare(with_u(point("1.E"), 3), with_u(point("1.E"), 3));
	assert_int_equal(
		compare(with_u(point("2.E"), 3), with_u(of_line(point("2.E"), "heat.c:70"), 4)), 1);
	assert_int_equal(expect(MISMATCH_CONSTRUCT,
				"at the point 2.E there is the parallel loop heat.c:70, but the "
				"parallel loop heat.c:61 in the reference")
				 ->previous.main,
			 1);
	assert_int_equal(compare(point("3.E"), of_line(point("3.E"), "heat.c:80")), 0);
	assert_int_equal(compare(NULL, with_u(point("4.E"), 4)), 0);
	assert_int_equal(compare_state(c)->arrays, 1);
	use(SUM_RELATIVE, -1, 1, false);
	p = point("1.B");
	p->kind = CONSTRUCT_TR;
	assert_int_equal(compare(point("1.B"), p), 1);
	expect(MISMATCH_CONSTRUCT, "at the point 1.B there is the task region heat.c:61, but the "
				   "parallel loop heat.c:61 in the reference");
}

static void a_point_that_the_reference_does_not_have(void **state)
{
	/* of a beginning there is a record only when there is something to tell */
	assert_int_equal(compare(NULL, point("1.B")), 0);
	assert_int_equal(compare(NULL, with_u(point("1.E"), 4)), 1);
	expect(MISMATCH_CONSTRUCT, "at the point 1.E there is the parallel loop heat.c:61, but the "
				   "reference has no such point");
}

static void lines_may_move_but_not_change_places(void **state)
{
	struct sums_point *p;

	use(SUM_RELATIVE, -1, 1, true);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(compare(of_line(point("1.E"), "heat.c:61"),
					 of_line(point("1.E"), "heat.c:70")),
				 0);
		assert_int_equal(compare(of_line(point("2.E"), "heat.c:62"),
					 of_line(point("2.E"), "heat.c:61")),
				 0);
	}
	/* arrays are the same whatever their line */
	p = with_u(point("3.E"), 3);
	p->array[0].line = 44;
	assert_int_equal(
		compare(of_line(p, "heat.c:61"), of_line(with_u(point("3.E"), 3), "heat.c:70")), 0);
	assert_int_equal(compare_state(c)->equal, 1);
	assert_int_equal(
		compare(of_line(point("4.E"), "heat.c:61"), of_line(point("4.E"), "heat.c:61")), 1);
	use(SUM_RELATIVE, -1, 1, true);
	assert_int_equal(
		compare(of_line(point("1.E"), "heat.c:61"), of_line(point("1.E"), "cg.c:61")), 1);
}

static void a_run_that_ends_too_early(void **state)
{
	struct sums_point *next = point("2.B");

	compare(with_u(point("1.E"), 3), with_u(point("1.E"), 3));
	assert_int_equal(compare_ended(c, next), 1);
	assert_int_equal(compare_ended(c, next), 0);
	assert_int_equal(expect(MISMATCH_CONSTRUCT,
				"the run ended after 1.E, the reference goes on with the parallel "
				"loop heat.c:61 at the point 2.B")
				 ->previous.main,
			 1);
	use(SUM_RELATIVE, -1, 1, false);
	assert_int_equal(compare_ended(c, next), 1);
	assert_int_equal(expect(MISMATCH_CONSTRUCT,
				"the run ended before any point, the reference goes on with the "
				"parallel loop heat.c:61 at the point 2.B")
				 ->previous.main,
			 0);
	sums_point_destroy(next);
}

static void arrays_alike_are_reported_apart_by_their_lines(void **state)
{
	struct sums_point *ref = with_u(with_u(point("1.E"), 3), 7);
	struct sums_point *now = with_u(with_u(point("1.E"), 3), 8);

	ref->array[1].line = now->array[1].line = 44;
	assert_int_equal(compare(ref, now), 1);
	assert_int_equal(compare_first(c)->id.line, 44);
	assert_int_equal(compare_state(c)->equal, 1);
	assert_int_equal(compare_state(c)->names, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMPARE_TEST(equal_arrays),
		COMPARE_TEST(arrays_without_elements),
		COMPARE_TEST(rounding_is_counted_from_its_first_point_on),
		COMPARE_TEST(a_fault_is_reported_in_the_documents_words),
		COMPARE_TEST(of_an_array_the_first_fault_is_kept),
		COMPARE_TEST(equal_means_are_explained),
		COMPARE_TEST(numbers_are_as_long_as_tells_them_apart),
		COMPARE_TEST(tolerances),
		COMPARE_TEST(scaled_is_to_the_largest_of_block_and_component),
		COMPARE_TEST(failed_sums_are_skipped),
		COMPARE_TEST(arrays_of_one_run_alone),
		COMPARE_TEST(shapes_types_and_bounds),
		COMPARE_TEST(memory_before_its_first_use_is_not_compared),
		COMPARE_TEST(points_that_are_partial_are_not_compared),
		COMPARE_TEST(another_construct_is_reported_once),
		COMPARE_TEST(a_point_that_the_reference_does_not_have),
		COMPARE_TEST(lines_may_move_but_not_change_places),
		COMPARE_TEST(a_run_that_ends_too_early),
		COMPARE_TEST(arrays_alike_are_reported_apart_by_their_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
