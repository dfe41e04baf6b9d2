/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the job makes of checksums that come in parts, and what it tells of them and when.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "frontend/job/job.h"
#include "frontend/util/loop.h"
#include "tests/unit/fake_node.h"

static struct loop *loop;

/* Points in the order they were told: "1.E[0:3]4 ", with "-[3]" where ranks were missing. */
static struct {
	struct job *j;
	char text[1000];
	uint32_t stop_at; /* the verdict about this construct is to stop; 0: none is given */
	size_t copies;	  /* of dt, different ones */
	char place[100];
	bool over; /* when it was told last */
} heard;

static void on_sums(void *arg, struct point_sums *t, const struct rankset *missing)
{
	char point[POINT_TEXT], passed[64], gone[64] = "";
	size_t used = strlen(heard.text);

	if (missing->n) {
		gone[0] = '-';
		rankset_format(missing, gone + 1, sizeof(gone) - 1);
	}
	assert_int_equal(t->n, 2);
	assert_string_equal(t->item[0].name, "dt");
	assert_string_equal(t->item[1].name, "u");
	snprintf(heard.text + used, sizeof(heard.text) - used, "%s%s%u%s ",
		 point_format(&t->point, point), rankset_format(&t->passed, passed, sizeof(passed)),
		 (unsigned)sum_count(t->item[1].sum), gone);
	heard.copies = t->item[0].copies.n;
	snprintf(heard.place, sizeof(heard.place), "%s:%u", t->file, t->place_line);
	heard.over = heard.j && job_over(heard.j);
	if (heard.stop_at)
		job_verdict(heard.j, &t->point, t->point.main == heard.stop_at);
}

static struct job *start(const char *scenario)
{
	const struct job_watch watch = { .sums = on_sums };
	const struct job_spec spec = fake_spec(scenario);
	struct err err = { "" };
	struct job *j;

	memset(&heard, 0, sizeof(heard));
	j = job_start(&spec, loop, &watch, 20000, &err);
	if (!j)
		fail_msg("%s", err.text);
	heard.j = j;
	return j;
}

static void go(struct job *j)
{
	assert_int_equal(job_go(j, job_set(j, JOB_ALL), PLAN_CONT, 0, NULL, NULL), 0);
}

/* Turns the loop until that has been told. */
static void reported(const char *text)
{
	int64_t until = loop_now() + 20000;

	while (strcmp(heard.text, text) != 0 && loop_now() < until)
		loop_turn(loop, 50);
	assert_string_equal(heard.text, text);
}

static void wait_set(struct job *j, enum job_set which, const char *text)
{
	int64_t until = loop_now() + 20000;
	char list[128];

	while (strcmp(rankset_format(job_set(j, which), list, sizeof(list)), text) != 0 &&
	       loop_now() < until)
		loop_turn(loop, 50);
	assert_string_equal(rankset_format(job_set(j, which), list, sizeof(list)), text);
}

static int set_up(void **state)
{
	loop = loop_create(NULL);
	return loop ? fake_node_setup() : -1;
}

static int tear_down(void **state)
{
	loop_destroy(loop);
	fake_node_cleanup();
	return 0;
}

static void parts_of_a_point_are_merged(void **state)
{
	struct job *j = start("sums-two");

	go(j);
	reported("1.E[0:3]4 ");
	assert_int_equal(heard.copies, 2);
	assert_string_equal(heard.place, "src/heat.c:61");
	job_destroy(j);
	/* that was all */
	assert_string_equal(heard.text, "1.E[0:3]4 ");
}

static void a_point_waits_for_the_last_rank(void **state)
{
	struct job *j = start("sums-wait");

	go(j);
	/* the stops come behind the checksums */
	wait_set(j, JOB_STOPPED, "[0:3]");
	assert_string_equal(heard.text, "");
	job_destroy(j);
	assert_string_equal(heard.text, "");
}

/* Ranks 2 and 3 come past 2.B in silence: they had nothing to tell there. */
static void points_are_reported_in_order(void **state)
{
	struct job *j = start("sums-order");

	go(j);
	reported("1.E[0:3]4 2.B[0:1]2 2.E[0:3]4 ");
	job_destroy(j);
}

static void nobody_waits_for_ranks_that_have_ended(void **state)
{
	struct job *j = start("sums-exit");

	go(j);
	reported("1.E[0:2]3-[3] ");
	job_destroy(j);
}

static void nobody_waits_for_ranks_that_are_lost(void **state)
{
	struct job *j = start("sums-lost");

	go(j);
	reported("1.E[0:1,3]3-[2] ");
	job_destroy(j);
}

static void the_rest_is_reported_when_all_is_over(void **state)
{
	struct job *j = start("sums-over");

	go(j);
	wait_set(j, JOB_EXITED, "[0:3]");
	/* whoever sees the end has been told */
	assert_string_equal(heard.text, "1.E[0]1-[1:3] 2.1.1.E[0:1]2-[2:3] ");
	assert_true(heard.over);
	for (int i = 0; i < 5; i++)
		loop_turn(loop, 20);
	assert_string_equal(heard.text, "1.E[0]1-[1:3] 2.1.1.E[0:1]2-[2:3] ");
	job_destroy(j);
}

/* Task 5 has all elements and is told at once, and once; the others before the end of the region.
 */
static void points_in_tasks_are_reported_before_the_region_ends(void **state)
{
	struct job *j = start("sums-tasks");

	go(j);
	reported("2.B[0:3]4 2.5.1.E[0:3]4 2.0.3.B[2:3]2 2.1.1.E[0:1]2 2.E[0:3]4 ");
	job_destroy(j);
}

static void a_verdict_reaches_the_ranks(void **state)
{
	struct job *j = start("sums-hold");
	const struct groups *stops;
	struct report_stop r;
	struct buf b;

	heard.stop_at = 3;
	go(j);
	wait_set(j, JOB_STOPPED, "[0:3]");
	assert_string_equal(heard.text, "1.E[0:3]4 2.E[0:3]4 3.E[0:3]4 ");
	stops = job_stops(j);
	assert_int_equal(stops->n, 1);
	b = buf_view(stops->group[0].blob, stops->group[0].len);
	assert_int_equal(report_stop_get(&r, &b), 0);
	assert_int_equal(r.reason, STOP_MISMATCH);
	assert_int_equal(r.point.main, 3);
	/* it is a stop like others */
	assert_int_equal(job_set(j, JOB_BAD)->n, 0);
	job_destroy(j);
}

/* One that goes back is not sent: the ranks would tell something at it. */
static void verdicts_do_not_go_back(void **state)
{
	struct point two = { .main = 2, .side = POINT_END }, one = { .main = 1, .side = POINT_END };
	struct job *j = start("sums-hold");

	go(j);
	reported("1.E[0:3]4 ");
	job_verdict(j, &one, false);
	reported("1.E[0:3]4 2.E[0:3]4 ");
	job_verdict(j, &one, true);
	job_verdict(j, &two, false);
	job_verdict(j, &two, true);
	reported("1.E[0:3]4 2.E[0:3]4 3.E[0:3]4 ");
	assert_int_equal(job_set(j, JOB_STOPPED)->n, 0);
	job_destroy(j);
}

static void the_trace_config_goes_out_at_once(void **state)
{
	const struct trace_config g = { .level = TRACE_CONFIG_CHECKSUM,
					.start = { .main = 77, .side = POINT_BEGIN } };
	struct job *j = start("gauge");
	struct report_stop r;
	struct buf b;

	job_trace_config(j, &g);
	go(j);
	wait_set(j, JOB_STOPPED, "[0:3]");
	b = buf_view(job_stops(j)->group[0].blob, job_stops(j)->group[0].len);
	assert_int_equal(report_stop_get(&r, &b), 0);
	assert_int_equal(r.point.main, 77);
	job_destroy(j);
}

/* Ranks that do not exist are cut off; a message that is none ends the link. */
static void hostile_checksums_do_no_harm(void **state)
{
	struct job *j = start("sums-hostile");

	go(j);
	wait_set(j, JOB_LOST, "[0:3]");
	assert_string_equal(heard.text, "1.E[0:3]4 ");
	job_destroy(j);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_a_point_are_merged),
		cmocka_unit_test(a_point_waits_for_the_last_rank),
		cmocka_unit_test(points_are_reported_in_order),
		cmocka_unit_test(nobody_waits_for_ranks_that_have_ended),
		cmocka_unit_test(nobody_waits_for_ranks_that_are_lost),
		cmocka_unit_test(the_rest_is_reported_when_all_is_over),
		cmocka_unit_test(points_in_tasks_are_reported_before_the_region_ends),
		cmocka_unit_test(a_verdict_reaches_the_ranks),
		cmocka_unit_test(verdicts_do_not_go_back),
		cmocka_unit_test(the_trace_config_goes_out_at_once),
		cmocka_unit_test(hostile_checksums_do_no_harm),
	};

	if (fake_node_wanted())
		return fake_node(argv);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
