/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Control of OpenMP, of short runs that are made note by note: who may run at the same time as whom
 * follows from what is created and waited for, not from the thread or the order.
 */
#include "tests/unit/openmp/run.h"

static void threads_of_a_region_run_at_the_same_time(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	reads(&r, 0, 1);
	writes(&r, 1, 2);
	expect(&r, "2w-1r");
}

static void reads_do_not_conflict(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	reads(&r, 0, 1);
	reads(&r, 1, 2);
	touch(&r, 1, TRACE_WRITE, 4, 2);
	expect(&r, "");
}

static void a_barrier_orders_whichever_stream_comes_first(void **state)
{
	struct run r;

	(void)state;
	for (unsigned first = 0; first < 2; first++) {
		begin(&r);
		team(&r, 2);
		for (unsigned i = 0; i < 2; i++) {
			unsigned t = first ^ i;

			if (!t)
				writes(&r, t, 1);
			does(&r, t, "B b;b b");
			if (t)
				reads(&r, t, 2);
		}
		expect(&r, "");
	}
}

static void what_is_behind_the_barrier_conflicts(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 1, "B b;b b");
	writes(&r, 1, 2);
	does(&r, 0, "B b;b b");
	writes(&r, 0, 1);
	does(&r, 0, "B b;b b;i 10;p 1");
	does(&r, 1, "B b;b b;i 11");
	expect(&r, "1w-2w");
}

static void one_name_excludes_two_do_not(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	for (unsigned t = 0; t < 2; t++) {
		does(&r, t, "L 5 100 0");
		writes(&r, t, 1);
		does(&r, t, "l 5 100 0;L 5 200 0");
		reads(&r, t, 2);
		does(&r, t, "l 5 200 0");
	}
	expect(&r, "1w-2r");
}

static void atomic_accesses_do_not_conflict(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	for (unsigned t = 0; t < 2; t++)
		put(&r, t,
		    (struct trace_rec){ .op = TRACE_WRITE,
					.size = 8,
					.flags = TRACE_WRITES | TRACE_ATOMIC,
					.site = 0,
					.at = 24 });
	reads(&r, 1, 2);
	expect(&r, "1w-2r");
}

static void tasks_that_one_thread_ran_run_at_the_same_time(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 0, "C 20 - 0;C 21 - 0;B b;S 20 1 0 770000");
	writes(&r, 0, 1);
	does(&r, 0, "s 20;S 10 1 0 770000;S 21 1 0 770000");
	writes(&r, 0, 2);
	expect(&r, "1w-2w");
}

static void a_dependence_orders_siblings(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	/* they are run before the creator's stream is seen */
	does(&r, 1, "S 20 1 0 870000");
	writes(&r, 1, 1);
	does(&r, 1, "s 20;S 11 1 0 870000;S 21 1 0 870000");
	reads(&r, 1, 2);
	does(&r, 1, "s 21;S 11 1 0 870000;S 22 1 0 870000");
	reads(&r, 1, 3);
	does(&r, 0, "C 20 - 0;D 20 3 500;C 21 - 0;D 21 1 500;C 22 - 0;D 22 1 600");
	expect(&r, "1w-3r");
}

static void exclusive_dependences_exclude(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 1, "S 20 1 0 870000");
	writes(&r, 1, 1);
	does(&r, 1, "s 20;S 11 1 0 870000;S 21 1 0 870000");
	writes(&r, 1, 2);
	does(&r, 0, "C 20 - 0;D 20 4 500;C 21 - 0;D 21 4 500");
	expect(&r, "");
}

/* The creator reads behind what is given; the task's child writes. */
static void creator_behind(struct run *r, const char *waits)
{
	begin(r);
	team(r, 2);
	does(r, 0, "C 20 - 0");
	does(r, 1, "S 20 1 0 870000;C 21 - 0;s 20;S 11 1 0 870000;S 21 1 0 870000");
	writes(r, 1, 1);
	does(r, 0, waits);
	reads(r, 0, 2);
}

static void a_taskwait_is_for_children_only(void **state)
{
	struct run r;

	(void)state;
	creator_behind(&r, "B w;b w");
	expect(&r, "1w-2r");
	begin(&r);
	team(&r, 2);
	does(&r, 0, "C 20 - 0;S 20 1 0 770000");
	writes(&r, 0, 1);
	does(&r, 0, "s 20;S 10 1 0 770000");
	reads(&r, 0, 2);
	does(&r, 0, "B w;b w");
	reads(&r, 0, 3);
	expect(&r, "1w-2r");
}

/* As a damaged trace has it: it has to come to an end. */
static void a_task_is_created_once(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 0, "C 20 - 0 0 0;C 20 - 0 0 0;B w;b w");
	expect(&r, "");
}

static void a_group_is_for_all_descendants(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 0, "B g;C 20 - 0");
	does(&r, 1, "S 20 1 0 870000;C 21 - 0;s 20;S 11 1 0 870000;S 21 1 0 870000");
	writes(&r, 1, 1);
	does(&r, 0, "b g");
	reads(&r, 0, 2);
	expect(&r, "");
}

static void an_undeferred_task_is_waited_for(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 0, "C 20 u 0;S 20 1 0 770000");
	writes(&r, 0, 1);
	does(&r, 0, "s 20;S 10 1 0 770000");
	reads(&r, 0, 2);
	expect(&r, "");
}

static void single_parts_of_one_thread_run_at_the_same_time(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 0, "W 3 1 0");
	writes(&r, 0, 1);
	does(&r, 0, "w 3 1 0;W 3 1 0");
	writes(&r, 0, 2);
	does(&r, 0, "w 3 1 0");
	expect(&r, "1w-2w");
}

static void what_one_thread_has_is_its_own(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	/* frames of tasks at one place of a stack, and a variable of the thread in two parts */
	does(&r, 0, "C 20 - 0;C 21 - 0;S 20 1 0 770000");
	writes_at(&r, 0, 0x760000, 1);
	does(&r, 0, "s 20;S 10 1 0 770000;S 21 1 0 770000");
	writes_at(&r, 0, 0x760000, 2);
	does(&r, 0, "s 21;S 10 1 0 770000;W 3 1 0");
	writes_at(&r, 0, 0x778000, 3);
	does(&r, 0, "w 3 1 0;W 3 1 0");
	writes_at(&r, 0, 0x778000, 4);
	expect(&r, "");
	/* what is above all frames is shared */
	begin(&r);
	team(&r, 2);
	writes_at(&r, 0, 0x7a0000, 1);
	writes_at(&r, 1, 0x7a0000, 2);
	expect(&r, "1w-2w");
}

static void iterations_of_one_thread_run_at_the_same_time(void **state)
{
	struct run r;

	(void)state;
	/* of one loop, and not what is before and behind it; another loop is on the same thread */
	begin(&r);
	team(&r, 2);
	writes(&r, 0, 1);
	does(&r, 0, "G 0;N 2");
	writes(&r, 0, 2);
	does(&r, 0, "N 2");
	writes(&r, 0, 3);
	does(&r, 0, "N 3");
	writes(&r, 0, 4);
	does(&r, 0, "N 2");
	writes(&r, 0, 5);
	expect(&r, "2w-3w");
	/* a chunk is for any thread: so are its iterations */
	begin(&r);
	team(&r, 2);
	does(&r, 0, "N 1;N 2");
	writes(&r, 0, 1);
	does(&r, 0, "N 2");
	writes(&r, 0, 2);
	does(&r, 0, "N 0");
	writes(&r, 0, 3);
	expect(&r, "1w-2w 1w-3w 2w-3w");
	/* those of a task end with it */
	begin(&r);
	team(&r, 2);
	does(&r, 0, "C 20 - 0 0 0");
	does(&r, 1, "S 20 1 0 870000;N 2");
	writes(&r, 1, 1);
	does(&r, 1, "N 2");
	writes(&r, 1, 2);
	does(&r, 1, "s 20");
	does(&r, 0, "B w;b w");
	writes(&r, 0, 3);
	expect(&r, "1w-2w");
}

static void what_one_thread_accesses_may_be_its_own(void **state)
{
	struct report_trace count = { 0 };
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 0, "U;N 2");
	writes(&r, 0, 1);
	does(&r, 0, "N 2");
	writes(&r, 0, 2);
	openmp_reader.end(r.e, true, NULL);
	openmp_reader.count(r.e, &count);
	assert_int_equal(count.unthreaded[OPENMP_WHY_NUMBER], 1);
	expect(&r, "");
	/* what two do is not */
	begin(&r);
	team(&r, 2);
	does(&r, 0, "U;N 2");
	writes(&r, 0, 1);
	writes(&r, 1, 2);
	expect(&r, "1w-2w");
}

/* Two tasks of thread 0, which thread 1 runs: conflicts on memory of no object, of the first's
 * copies. */
static uint64_t conflicts_of_copies(unsigned long second)
{
	struct report_trace count = { 0 };
	struct run r;
	char text[100];

	begin(&r);
	team(&r, 2);
	does(&r, 0, "A 1 500000 40");
	writes_at(&r, 0, 0x500008, 1);
	snprintf(text, sizeof(text), "C 20 - 0 0 0;A 2 %lx 40;C 21 - 0 0 0", second);
	does(&r, 0, text);
	does(&r, 1, "S 20 1 0 870000 1 500000 40");
	writes_at(&r, 1, 0x500010, 2);
	snprintf(text, sizeof(text), "s 20;S 11 1 0 870000;S 21 1 0 870000 2 %lx 40", second);
	does(&r, 1, text);
	writes_at(&r, 1, 0x500010, 3);
	openmp_reader.end(r.e, true, NULL);
	openmp_reader.count(r.e, &count);
	openmp_reader.destroy(r.e);
	return count.unthreaded[OPENMP_WHY_FOREIGN];
}

static void memory_of_a_task_is_its_own(void **state)
{
	(void)state;
	/* the second has its own copies there, or at the end of it; elsewhere it is the first's */
	assert_int_equal(conflicts_of_copies(0x500000), 0);
	assert_int_equal(conflicts_of_copies(0x4fffd8), 0);
	assert_int_equal(conflicts_of_copies(0x600000), 1);
}

static void inner_regions_have_barriers_of_their_own(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 0, "P 2 2 0;I 30 2 1 0 0 2 770000");
	does(&r, 2, "I 31 2 1 0 1 2 980000");
	writes(&r, 0, 1);
	writes(&r, 2, 2);
	does(&r, 0, "B b;b b");
	does(&r, 2, "B b;b b");
	reads(&r, 2, 3);
	does(&r, 0, "B b;b b;i 30;p 2");
	writes(&r, 0, 4);
	reads(&r, 1, 5);
	expect(&r, "1w-2w 1w-5r 2w-5r 4w-5r");
}

/* Two tasks on thread 0, one after the other with the same frame, and a child of each, or of the
 * first both, on thread 1, whose stream comes first. */
static unsigned conflicts_in_a_frame(bool of_one)
{
	char text[200];
	struct run r;

	begin(&r);
	team(&r, 2);
	does(&r, 1, "S 21 1 0 870000 0 0 0");
	writes_at(&r, 1, 0x76fff0, 1);
	does(&r, 1, "s 21;S 31 1 0 870000 0 0 0");
	writes_at(&r, 1, 0x76fff0, 2);
	does(&r, 1, "s 31");
	does(&r, 0, "C 20 - 0 0 0;S 20 1 0 770000 0 0 0;C 21 - 0 0 0");
	does(&r, 0, of_one ? "C 31 - 0 0 0;s 20" : "s 20;C 30 - 0 0 0;S 30 1 0 770000 0 0 0");
	does(&r, 0, of_one ? "B w;b w" : "C 31 - 0 0 0;s 30");
	return pairs(&r, text);
}

static void a_frame_may_be_known_later(void **state)
{
	(void)state;
	assert_int_equal(conflicts_in_a_frame(true), 1);
	assert_int_equal(conflicts_in_a_frame(false), 0);
}

static void an_interval_waits_for_its_tasks(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 0, "C 20 - 0 0 0");
	reads(&r, 0, 1);
	does(&r, 0, "B b;b b");
	does(&r, 1, "B b;b b");
	does(&r, 2, "S 20 1 0 970000 0 0 0");
	writes(&r, 2, 2);
	does(&r, 2, "s 20");
	expect(&r, "2w-1r");
}

static void critical_is_for_one_team(void **state)
{
	(void)state;
	for (unsigned league = 0; league < 2; league++) {
		struct run r;

		begin(&r);
		team(&r, 0);
		does(&r, 0, league ? "I 10 1 1 0 0 2 780000 1" : "I 10 1 1 0 0 2 780000 0");
		does(&r, 1, league ? "I 11 1 1 0 1 2 880000 1" : "I 11 1 1 0 1 2 880000 0");
		for (unsigned t = 0; t < 2; t++) {
			does(&r, t, "L 5 9 0");
			writes(&r, t, 1 + t);
			does(&r, t, "l 5 9 0");
		}
		expect(&r, league ? "1w-2w" : "");
	}
}

static void a_region_is_in_what_its_creator_has_locked(void **state)
{
	(void)state;
	for (unsigned same = 0; same < 2; same++) {
		struct run r;

		begin(&r);
		team(&r, 2);
		does(&r, 0, "L 5 9 0;P 2 2 0;I 30 2 1 0 0 2 770000");
		does(&r, 2, "I 31 2 1 0 1 2 980000");
		does(&r, 1, same ? "L 5 9 0" : "L 5 8 0");
		writes(&r, 2, 1);
		writes(&r, 1, 2);
		/* not its threads from each other */
		touch(&r, 0, TRACE_WRITE, 5, 3);
		touch(&r, 2, TRACE_WRITE, 5, 4);
		expect(&r, same ? "3w-4w" : "1w-2w 3w-4w");
	}
}

/* Each thread is at the barrier. */
static void meet(struct run *r)
{
	does(r, 0, "B b;b b");
	does(r, 1, "B b;b b");
}

static void a_lock_is_handed_over_behind_a_barrier(void **state)
{
	/* 0 it is right, 1 written before it is taken, 2 taken behind the barrier only */
	static const char *const wanted[] = { "", "1w-2w", "1w-2w" };

	(void)state;
	for (unsigned wrong = 0; wrong < 3; wrong++)
		for (unsigned first = 0; first < 2; first++) {
			struct run r;

			begin(&r);
			team(&r, 2);
			if (wrong != 2)
				does(&r, 0, "L 1 5 0");
			meet(&r);
			for (unsigned i = 0; i < 2; i++) {
				if (i == first) {
					does(&r, 0, wrong == 2 ? "L 1 5 0 1" : "");
					writes(&r, 0, 1);
					does(&r, 0, "l 1 5 0 1");
					continue;
				}
				if (wrong == 1)
					writes(&r, 1, 2);
				does(&r, 1, "L 1 5 0 1;l 1 5 0 1");
				if (wrong != 1)
					writes(&r, 1, 2);
			}
			expect(&r, wanted[wrong]);
		}
}

static void a_lock_that_was_kept_excludes(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 0, "L 1 5 0");
	meet(&r);
	writes(&r, 0, 1);
	does(&r, 0, "l 1 5 0 1");
	does(&r, 1, "L 1 5 0 1");
	writes(&r, 1, 2);
	expect(&r, "");
}

/* Thread 1 has acquired 5 before it releases 6, so thread 0, which waits for 6, gets 5 behind
 * it. */
static void who_has_a_lock_before_releases_it_before(void **state)
{
	(void)state;
	for (unsigned wrong = 0; wrong < 2; wrong++)
		for (unsigned first = 0; first < 2; first++) {
			struct run r;

			begin(&r);
			team(&r, 2);
			does(&r, 0, "L 1 5 0");
			does(&r, 1, "L 1 6 0");
			meet(&r);
			for (unsigned i = 0; i < 2; i++) {
				if (i == first) {
					writes(&r, 0, 1);
					does(&r, 0,
					     "l 1 5 0 1;L 1 6 0 1;l 1 6 0 1;L 1 5 0 1;l 1 5 0 1");
					writes(&r, 0, 3);
					continue;
				}
				does(&r, 1, wrong ? "l 1 6 0 1;L 1 5 0 1" : "L 1 5 0 1;l 1 6 0 1");
				writes(&r, 1, 2);
				does(&r, 1, "l 1 5 0 1");
			}
			expect(&r, wrong ? "2w-3w" : "");
		}
}

static void a_wait_for_dependences_orders(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	does(&r, 0, "C 20 - 0 0 0;D 20 2 500;C 21 - 0 0 0;D 21 2 600;C 22 w 0 0 0;D 22 1 500");
	touch(&r, 0, TRACE_READ, 5, 1);
	touch(&r, 0, TRACE_READ, 6, 2);
	does(&r, 1, "S 20 1 0 870000 0 0 0");
	touch(&r, 1, TRACE_WRITE, 5, 3);
	does(&r, 1, "s 20;S 21 1 0 870000 0 0 0");
	touch(&r, 1, TRACE_WRITE, 6, 4);
	does(&r, 1, "s 21");
	expect(&r, "4w-2r");
}

static void atomic_operations_order_a_run(void **state)
{
	(void)state;
	for (unsigned later = 0; later < 2; later++) {
		struct report_trace counts = { 0 };
		struct run r;

		begin(&r);
		team(&r, 2);
		writes(&r, 0, 1);
		does(&r, 0, "O r 500 5");
		does(&r, 1, later ? "O q 500 6" : "O q 500 4");
		writes(&r, 1, 2);
		/* behind what releases */
		touch(&r, 0, TRACE_WRITE, 5, 3);
		touch(&r, 1, TRACE_WRITE, 5, 4);
		assert_int_equal(openmp_reader.end(r.e, true, &(struct err){ "" }), 0);
		openmp_reader.count(r.e, &counts);
		assert_int_equal(counts.unthreaded[OPENMP_WHY_ATOMIC], later);
		expect(&r, later ? "3w-4w" : "1w-2w 3w-4w");
	}
}

static void iterations_in_step_conflict_out_of_order(void **state)
{
	static const struct {
		const char *begin;
		int64_t written; /* elements behind the one that is read */
		const char *pairs;
	} runs[] = { { "V 0 0 0 0", 1, "2w-1r" },
		     { "V 0 0 0 0", -1, "" },
		     { "V 3 0 0 0", 3, "" },
		     { "V 4 0 0 0", 3, "2w-1r" } };

	(void)state;
	for (unsigned i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		struct run r;

		begin(&r);
		for (uint64_t k = 0; k < 8; k++) {
			does(&r, 0, k ? "V" : runs[i].begin);
			touch(&r, 0, TRACE_READ, 4 + k, 1);
			touch(&r, 0, TRACE_WRITE, (uint64_t)(4 + (int64_t)k + runs[i].written), 2);
		}
		does(&r, 0, "v");
		expect(&r, runs[i].pairs);
	}
}

static void a_pair_is_counted(void **state)
{
	struct trace_findings *l;
	struct trace_finding f;
	struct err err = { "" };
	struct run r;

	(void)state;
	begin(&r);
	team(&r, 2);
	for (uint64_t i = 0; i < 10; i++)
		for (unsigned t = 0; t < 2; t++)
			touch(&r, t, TRACE_WRITE, i, 1 + t);
	assert_int_equal(openmp_reader.end(r.e, true, &err), 0);
	l = openmp_reader.findings(r.e);
	assert_int_equal(l->n, 1);
	assert_int_equal(trace_findings_get(l, 0, &f), 0);
	assert_int_equal(f.count, 10);
	assert_string_equal(f.thing.name, "u");
	assert_int_equal(f.thing.index[0], 0);
	openmp_reader.destroy(r.e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_of_a_region_run_at_the_same_time),
		cmocka_unit_test(reads_do_not_conflict),
		cmocka_unit_test(a_barrier_orders_whichever_stream_comes_first),
		cmocka_unit_test(what_is_behind_the_barrier_conflicts),
		cmocka_unit_test(one_name_excludes_two_do_not),
		cmocka_unit_test(atomic_accesses_do_not_conflict),
		cmocka_unit_test(tasks_that_one_thread_ran_run_at_the_same_time),
		cmocka_unit_test(a_dependence_orders_siblings),
		cmocka_unit_test(exclusive_dependences_exclude),
		cmocka_unit_test(a_taskwait_is_for_children_only),
		cmocka_unit_test(a_task_is_created_once),
		cmocka_unit_test(a_group_is_for_all_descendants),
		cmocka_unit_test(an_undeferred_task_is_waited_for),
		cmocka_unit_test(single_parts_of_one_thread_run_at_the_same_time),
		cmocka_unit_test(what_one_thread_has_is_its_own),
		cmocka_unit_test(iterations_of_one_thread_run_at_the_same_time),
		cmocka_unit_test(what_one_thread_accesses_may_be_its_own),
		cmocka_unit_test(memory_of_a_task_is_its_own),
		cmocka_unit_test(inner_regions_have_barriers_of_their_own),
		cmocka_unit_test(a_frame_may_be_known_later),
		cmocka_unit_test(an_interval_waits_for_its_tasks),
		cmocka_unit_test(critical_is_for_one_team),
		cmocka_unit_test(a_region_is_in_what_its_creator_has_locked),
		cmocka_unit_test(a_lock_is_handed_over_behind_a_barrier),
		cmocka_unit_test(a_lock_that_was_kept_excludes),
		cmocka_unit_test(who_has_a_lock_before_releases_it_before),
		cmocka_unit_test(a_wait_for_dependences_orders),
		cmocka_unit_test(atomic_operations_order_a_run),
		cmocka_unit_test(iterations_in_step_conflict_out_of_order),
		cmocka_unit_test(a_pair_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
