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
		   "match at the point 1.E: [0:1] 0.5, [2:3] 0.75; the reference has 0.5, so "
		   "[2:3] are wrong");
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

static void of_many_groups_eight_are_reported(void **state)
{
	double v[11];

	for (int i = 0; i < 11; i++)
		v[i] = i % 2 ? i : 20 - i;
	compare(with_dt(point("1.B"), 20), with_copies(point("1.B"), 11, v, 1));
	expect(MISMATCH_COPIES,
	       "Instances of replicated array (\"dt\", \"heat.c\", 31, 0) do not match at the "
	       "point "
	       "1.B: [0] 20, [1] 1, [2] 18, [3] 3, [4] 16, [5] 5, [6] 14, [7] 7 and 3 more; the "
	       "reference has 20, so "
	       "[1:10] are wrong");
}

static void has_ranks(const struct rankset *r, const char *want)
{
	char text[100];

	assert_string_equal(rankset_format(r, text, sizeof(text)), want);
}

static void the_reference_knows_which_copies_are_wrong(void **state)
{
	/* one rank of four is right: it has the result of a reduction */
	const double v[4] = { 83, 0, 0, 0 };
	const struct mismatch *m;

	compare(with_dt(point("1.B"), 83), with_copies(point("1.B"), 4, v, 1));
	m = expect(MISMATCH_COPIES,
		   "Instances of replicated array (\"dt\", \"heat.c\", 31, 0) do not match at the "
		   "point 1.B: [0] 83, [1:3] 0; the reference has 83, so [1:3] are wrong");
	has_ranks(&m->wrong, "[1:3]");
	has_ranks(&m->same, "[0]");
	assert_int_equal(m->truth->all.count, 1);
	/* nobody is right */
	use(SUM_RELATIVE, -1, 1, false);
	compare(with_dt(point("1.B"), 7), with_copies(point("1.B"), 4, v, 1));
	has_ranks(&compare_first(c)->wrong, "[0:3]");
	assert_int_equal(compare_first(c)->same.n, 0);
	/* a copy within tolerance is right, but not the same */
	use(SUM_RELATIVE, -1, 1, false);
	compare(with_dt(point("1.B"), 83 + 1e-12), with_copies(point("1.B"), 4, v, 1));
	has_ranks(&compare_first(c)->wrong, "[1:3]");
	assert_int_equal(compare_first(c)->same.n, 0);
}

static void copies_that_differ_in_the_reference_as_well(void **state)
{
	const double v[4] = { 83, 0, 0, 0 };

	compare(with_copies(point("1.B"), 4, v, 1), with_copies(point("1.B"), 4, v, 1));
	expect(MISMATCH_COPIES,
	       "Instances of replicated array (\"dt\", \"heat.c\", 31, 0) do not match at the "
	       "point 1.B: [0] 83, [1:3] 0");
	assert_null(compare_first(c)->truth);
	assert_int_equal(compare_first(c)->wrong.n, 0);
}

static void copies_that_are_all_near_the_reference(void **state)
{
	const double v[2] = { -0.75, 0.75 };

	use(SUM_ABSOLUTE, 1, 0, false);
	assert_int_equal(compare(with_dt(point("1.B"), 0), with_copies(point("1.B"), 2, v, 2)), 0);
	assert_int_equal(compare_state(c)->rounding, 1);
}

static struct sums_point *unchanged(struct sums_point *p)
{
	p->array[0].flags = 0;
	return p;
}

static void who_has_changed_it(void **state)
{
	compare(unchanged(with_dt(point("1.B"), 1)), unchanged(with_dt(point("1.B"), 2)));
	assert_true(compare_first(c)->unwritten);
	assert_false(compare_first(c)->idle);
	/* only the reference */
	use(SUM_RELATIVE, -1, 1, false);
	compare(unchanged(with_dt(point("1.B"), 1)), unchanged(with_dt(point("1.B"), 1)));
	compare(with_dt(point("2.B"), 2), unchanged(with_dt(point("2.B"), 1)));
	assert_false(compare_first(c)->unwritten);
	assert_true(compare_first(c)->idle);
	/* only this run, at a point before */
	use(SUM_RELATIVE, -1, 1, false);
	compare(unchanged(with_dt(point("1.B"), 1)), unchanged(with_dt(point("1.B"), 1)));
	compare(unchanged(with_dt(point("1.E"), 1)), with_dt(point("1.E"), 2));
	compare(unchanged(with_dt(point("2.B"), 1)), unchanged(with_dt(point("2.B"), 2)));
	assert_false(compare_first(c)->unwritten);
	assert_false(compare_first(c)->idle);
}

static struct sums_point *with_gaps(struct sums_point *p, bool uneven)
{
	struct sums_array *a = add_array(p, "u", ARRAY_DISTRIBUTED);

	a->failed = strdup("3 of 4 elements; the others are owned by no rank");
	a->uneven = uneven;
	return p;
}

static void an_array_that_is_not_dealt_out_whole(void **state)
{
	compare(with_u(point("1.E"), 3), with_u(point("1.E"), 3));
	assert_int_equal(compare(with_u(point("2.E"), 3), with_gaps(point("2.E"), true)), 1);
	expect(MISMATCH_PARTS,
	       "Array (\"u\", \"heat.c\", 31, 0) at the point 2.E: 3 of 4 elements; the others "
	       "are owned by no rank. The reference has each once; previous correct point is 1.E");
	assert_int_equal(compare_first(c)->plan.total, 4);
	assert_int_equal(compare(with_u(point("3.E"), 3), with_gaps(point("3.E"), true)), 0);
	assert_int_equal(compare_state(c)->skipped, 2);
	/* as in the reference; of other causes; inside a task, where not all ranks are */
	use(SUM_RELATIVE, -1, 1, false);
	compare(with_gaps(point("1.E"), true), with_gaps(point("1.E"), true));
	compare(with_u(point("2.E"), 3), with_gaps(point("2.E"), false));
	compare(with_u(point("3.1.1.E"), 3), with_gaps(point("3.1.1.E"), true));
	assert_int_equal(compare_count(c), 0);
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

/* Points of one run cannot be read: what it said before of an object does not count any more. */
static void what_was_said_before_a_loss_is_not_compared(void **state)
{
	for (int ref = 0; ref < 2; ref++) {
		use(SUM_RELATIVE, -1, 1, false);
		compare(with_dt(point("1.E"), 0.5), with_dt(point("1.E"), 0.5));
		compare_lose(c, ref);
		/* the other run reports what it has set meanwhile; nobody knows what this one
		 * did */
		compare(ref ? point("3.E") : with_dt(point("3.E"), 0.25),
			ref ? with_dt(point("3.E"), 0.25) : point("3.E"));
		compare(point("4.B"), point("4.B"));
		assert_int_equal(compare_count(c), 0);
		/* until it is reported again */
		compare(with_dt(point("4.E"), 0.25), with_dt(point("4.E"), 0.125));
		assert_int_equal(compare(with_dt(point("5.B"), 0.25), with_dt(point("5.B"), 0.125)),
				 1);
	}
}

/* Nor is it when the object was reported by neither before. */
static void an_object_that_comes_after_a_loss(void **state)
{
	compare_lose(c, true);
	assert_int_equal(compare(point("3.B"), with_dt(point("3.B"), 0.25)), 0);
	assert_int_equal(compare(with_dt(point("4.B"), 0.5), with_dt(point("4.B"), 0.25)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMPARE_TEST(a_number_that_is_right_again_at_the_beginning),
		COMPARE_TEST(a_number_that_stays_wrong_is_wrong_since_the_end),
		COMPARE_TEST(a_number_that_changes_between_constructs),
		COMPARE_TEST(copies_that_stay_different),
		COMPARE_TEST(copies_within_tolerance_are_one_value),
		COMPARE_TEST(of_many_groups_eight_are_reported),
		COMPARE_TEST(the_reference_knows_which_copies_are_wrong),
		COMPARE_TEST(copies_that_differ_in_the_reference_as_well),
		COMPARE_TEST(copies_that_are_all_near_the_reference),
		COMPARE_TEST(who_has_changed_it),
		COMPARE_TEST(an_array_that_is_not_dealt_out_whole),
		COMPARE_TEST(objects_of_one_run_alone),
		COMPARE_TEST(in_tasks_arrays_are_compared_and_objects_not),
		COMPARE_TEST(points_of_the_reference_alone),
		COMPARE_TEST(the_first_is_the_one_with_the_earliest_point),
		COMPARE_TEST(what_the_reference_said_last_is_known),
		COMPARE_TEST(what_was_said_before_a_loss_is_not_compared),
		COMPARE_TEST(an_object_that_comes_after_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
