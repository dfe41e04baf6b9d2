/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replicated objects through a run. */
#include "tests/unit/compare_help.h"

#include <string.h>

static void a_number_that_is_right_again_at_the_beginning(void **state)
{
	compare(with_dt(point("1.E"), 0.5), with_dt(point("1.E"), 0.5));
	/* a reduction is under way */
	assert_int_equal(compare(with_dt(point("2.E"), 0.25), with_dt(point("2.E"), 0.125)), 0);
	assert_int_equal(compare(with_dt(point("3.B"), 0.25), with_dt(point("3.B"), 0.25)), 0);
	assert_int_equal(compare_state(c)->equal, 2);
	/* wrong at an end, and not told again: it is gone */
	assert_int_equal(compare(with_dt(point("3.E"), 0.25), with_dt(point("3.E"), 0.125)), 0);
	assert_int_equal(compare(point("4.B"), point("4.B")), 0);
	assert_int_equal(compare_count(c), 0);
}

static void a_number_that_stays_wrong_is_wrong_since_the_end(void **state)
{
	const struct mismatch *m;

	compare(with_dt(point("1.E"), 0.5), with_dt(point("1.E"), 0.5));
	compare(point("2.B"), point("2.B"));
	assert_int_equal(compare(with_dt(of_line(point("2.E"), "heat.c:70"), 0.25),
				 with_dt(of_line(point("2.E"), "heat.c:70"), 0.125)),
			 0);
	assert_int_equal(compare(with_dt(point("3.B"), 0.25), with_dt(point("3.B"), 0.125)), 1);
	/* unchanged since 1.E, it was right up to 2.B */
	m = expect(MISMATCH_VALUE,
		   "Different checksums for array (\"dt\", \"heat.c\", 31, 0, \"rw\"): "
		   "0.25 != 0.125 at the point 2.E; previous correct point is 2.B");
	assert_string_equal(m->where, "heat.c:70");
	assert_false(m->between);
	assert_int_equal(compare_state(c)->faults, 1);
}

static void a_number_that_changes_between_constructs(void **state)
{
	const struct mismatch *m;

	compare(with_dt(point("1.E"), 0.5), with_dt(point("1.E"), 0.5));
	compare(with_dt(of_line(point("2.E"), "heat.c:70"), 0.25),
		with_dt(of_line(point("2.E"), "heat.c:70"), 0.125));
	assert_int_equal(compare(with_dt(point("3.B"), 0.75), with_dt(point("3.B"), 0.875)), 1);
	m = expect(MISMATCH_VALUE,
		   "Different checksums for array (\"dt\", \"heat.c\", 31, 0, \"rw\"): "
		   "0.75 != 0.875 at the point 3.B; previous correct point is 1.E");
	assert_true(m->between);
	assert_string_equal(m->where, "heat.c:70");
	/* before the first construct there is none that ended */
	use(SUM_RELATIVE, -1, 1, false);
	assert_int_equal(compare(with_dt(point("1.B"), 1), with_dt(point("1.B"), 2)), 1);
	assert_false(compare_first(c)->between);
	assert_string_equal(compare_first(c)->where, "heat.c:61");
}

static void copies_that_stay_different(void **state)
{
	const double v[2] = { 0.5, 0.75 };
	const struct mismatch *m;

	compare(with_dt(point("1.E"), 0.5), with_copies(point("1.E"), 2, v, 2));
	assert_int_equal(compare_count(c), 0);
	assert_int_equal(compare(with_dt(point("2.B"), 0.5), with_copies(point("2.B"), 2, v, 2)),
			 1);
	m = expect(MISMATCH_COPIES,
		   "Instances of replicated array (\"dt\", \"heat.c\", 31, 0) do not "
		   "match at the point 1.E: [0:1] 0.5, [2:3] 0.75");
	assert_int_equal(m->copies.n, 2);
	/* at an end alone they may differ */
	use(SUM_RELATIVE, -1, 1, false);
	compare(with_dt(point("1.E"), 0.5), with_copies(point("1.E"), 2, v, 2));
	assert_int_equal(compare(with_dt(point("2.B"), 0.5), with_dt(point("2.B"), 0.5)), 0);
	/* other ranks have the same two values: another state */
	use(SUM_RELATIVE, -1, 1, false);
	compare(with_dt(point("1.E"), 0.5), with_copies(point("1.E"), 2, v, 2));
	assert_int_equal(compare(with_dt(point("2.B"), 0.5),
				 with_copies(point("2.B"), 2, (double[]){ 0.5, 0.25 }, 2)),
			 1);
	assert_int_equal(compare_first(c)->point.main, 2);
}

static void copies_within_tolerance_are_one_value(void **state)
{
	const double v[2] = { 0.5, 0.5 + 1e-14 };

	assert_int_equal(compare(with_dt(point("1.B"), 0.5), with_copies(point("1.B"), 2, v, 2)),
			 0);
	assert_int_equal(compare_state(c)->equal, 1);
	use(SUM_EXACT, 0, 0, false);
	assert_int_equal(compare(with_dt(point("1.B"), 0.5), with_copies(point("1.B"), 2, v, 2)),
			 1);
	assert_non_null(strstr(compare_first(c)->text, "[0:1] 0.5, [2:3] 0.5000000000000"));
}

static void of_many_groups_eight_are_told(void **state)
{
	double v[11];

	for (int i = 0; i < 11; i++)
		v[i] = i % 2 ? i : 20 - i;
	compare(with_dt(point("1.B"), 0), with_copies(point("1.B"), 11, v, 1));
	expect(MISMATCH_COPIES,
	       "Instances of replicated array (\"dt\", \"heat.c\", 31, 0) do not match at the "
	       "point "
	       "1.B: [0] 20, [1] 1, [2] 18, [3] 3, [4] 16, [5] 5, [6] 14, [7] 7 and 3 more");
}

static void objects_of_one_run_alone(void **state)
{
	compare(point("1.E"), with_dt(point("1.E"), 0.5));
	assert_int_equal(compare(point("2.B"), with_dt(point("2.B"), 0.5)), 1);
	expect(MISMATCH_ABSENT,
	       "Array (\"dt\", \"heat.c\", 31, 0) was not found at the point 1.E in the "
	       "reference");
	use(SUM_RELATIVE, -1, 1, false);
	assert_int_equal(compare(with_dt(point("1.B"), 0.5), point("1.B")), 1);
	expect(MISMATCH_ABSENT,
	       "Array (\"dt\", \"heat.c\", 31, 0) was not found at the point 1.B, but "
	       "the reference has it");
}

static void in_tasks_arrays_are_compared_and_objects_not(void **state)
{
	compare(with_u(point("5.B"), 3), with_u(point("5.B"), 3));
	assert_int_equal(compare(with_dt(with_u(point("5.7.1.E"), 3), 1),
				 with_dt(with_u(point("5.7.1.E"), 3), 2)),
			 0);
	assert_int_equal(compare(with_dt(with_u(point("5.8.2.B"), 3), 1),
				 with_dt(with_u(point("5.8.2.B"), 9), 2)),
			 1);
	expect(MISMATCH_VALUE, "Different checksums for array (\"u\", \"heat.c\", 31, 0, \"rw\"): "
			       "3 != 9 at the point 5.8.2.B; previous correct point is 5.7.1.E");
}

static void points_of_the_reference_alone(void **state)
{
	compare(with_dt(point("1.B"), 0.5), with_dt(point("1.B"), 0.5));
	/* this run passed 2.B, and dt is as it was */
	assert_int_equal(missing(with_dt(point("2.B"), 0.5), true), 0);
	assert_int_equal(compare_state(c)->equal, 2);
	/* it may have changed and nobody has looked; inside tasks nobody does */
	assert_int_equal(missing(with_dt(point("3.B"), 0.75), false), 0);
	assert_int_equal(missing(with_dt(point("3.1.1.B"), 0.75), true), 0);
	assert_int_equal(missing(with_dt(point("3.E"), 0.75), true), 0);
	assert_int_equal(compare_count(c), 0);
	assert_int_equal(missing(with_dt(point("4.B"), 0.75), true), 1);
	expect(MISMATCH_VALUE, "Different checksums for array (\"dt\", \"heat.c\", 31, 0, \"rw\"): "
			       "0.75 != 0.5 at the point 4.B; previous correct point is 3.E");
}

static void the_first_is_the_one_with_the_earliest_point(void **state)
{
	struct sums_point *ref = with_u(point("2.B"), 3), *now = with_u(point("2.B"), 4);

	compare(with_dt(point("1.E"), 0.5), with_dt(point("1.E"), 0.75));
	/* u is compared at 2.B, and only then it is known that dt was wrong at 1.E */
	assert_int_equal(compare(with_dt(ref, 0.5), with_dt(now, 0.75)), 2);
	assert_int_equal(compare_count(c), 2);
	assert_string_equal(compare_first(c)->id.name, "dt");
	assert_int_equal(compare_first(c)->point.main, 1);
}

static void what_the_reference_said_last_is_known(void **state)
{
	struct sums_array dt = { .name = "dt", .file = "heat.c", .line = 31 };

	assert_null(compare_known(c, &dt));
	compare(with_dt(point("1.B"), 0.5), with_dt(point("1.B"), 0.5));
	compare(with_dt(point("1.E"), 0.25), point("1.E"));
	assert_non_null(compare_known(c, &dt));
	assert_true(sum_mean(compare_known(c, &dt), 0) == 0.25);
	dt.name = "u";
	assert_null(compare_known(c, &dt));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMPARE_TEST(a_number_that_is_right_again_at_the_beginning),
		COMPARE_TEST(a_number_that_stays_wrong_is_wrong_since_the_end),
		COMPARE_TEST(a_number_that_changes_between_constructs),
		COMPARE_TEST(copies_that_stay_different),
		COMPARE_TEST(copies_within_tolerance_are_one_value),
		COMPARE_TEST(of_many_groups_eight_are_told),
		COMPARE_TEST(objects_of_one_run_alone),
		COMPARE_TEST(in_tasks_arrays_are_compared_and_objects_not),
		COMPARE_TEST(points_of_the_reference_alone),
		COMPARE_TEST(the_first_is_the_one_with_the_earliest_point),
		COMPARE_TEST(what_the_reference_said_last_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
