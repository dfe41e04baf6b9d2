/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/finding_kind.h"
#include "frontend/job/job.h"
#include "frontend/util/loop.h"
#include "tests/unit/fake_node.h"

static struct loop *loop;

static struct heard {
	unsigned findings;
	struct report_finding finding;
	struct rankset ranks;
	char detail[1024], notice[1024], output[1024];
} heard;

static void on_finding(void *arg, const struct rankset *ranks, const struct report_finding *f)
{
	heard.findings++;
	heard.finding = *f;
	snprintf(heard.detail, sizeof(heard.detail), "%s", f->detail);
	rankset_copy(&heard.ranks, ranks);
}

static void on_notice(void *arg, const char *text)
{
	snprintf(heard.notice, sizeof(heard.notice), "%s", text);
}

static void on_output(void *arg, int stream, const char *text, size_t len)
{
	strncat(heard.output, text, len);
}

static struct job *try_start(const char *scenario, int ms, struct err *err)
{
	const struct job_watch watch = { .finding = on_finding,
					 .notice = on_notice,
					 .output = on_output };
	const struct job_spec spec = fake_spec(scenario);

	rankset_clear(&heard.ranks);
	memset(&heard, 0, sizeof(heard));
	return job_start(&spec, loop, &watch, ms, err);
}

static struct job *start(const char *scenario)
{
	struct err err = { "" };
	struct job *j = try_start(scenario, 5000, &err);

	if (!j)
		fail_msg("%s", err.text);
	return j;
}

/* Everybody, or what is in a job's set. */
static const struct rankset *all(struct job *j)
{
	return job_set(j, JOB_ALL);
}

static void assert_set(struct job *j, enum job_set which, const char *text)
{
	char list[128];

	assert_string_equal(rankset_format(job_set(j, which), list, sizeof(list)), text);
}

/* Turns the loop until the set is as told. */
static void wait_set(struct job *j, enum job_set which, const char *text, int ms)
{
	int64_t until = loop_now() + ms;
	char list[128];

	while (strcmp(rankset_format(job_set(j, which), list, sizeof(list)), text) != 0 &&
	       loop_now() < until)
		loop_turn(loop, 50);
	assert_set(j, which, text);
}

static void go(struct job *j)
{
	assert_int_equal(job_go(j, all(j), PLAN_CONT, 0, NULL, NULL), 0);
}

static struct report_stop stop_of(struct job *j, size_t group)
{
	const struct groups *d = job_stops(j);
	struct report_stop r;
	struct buf b;

	assert_true(group < d->n);
	b = buf_view(d->group[group].blob, d->group[group].len);
	assert_int_equal(report_stop_get(&r, &b), 0);
	return r;
}

/* Directories for sockets that are there. */
static unsigned leftovers(void)
{
	unsigned n = 0;
	struct dirent *e;
	DIR *d = opendir(fake_node_dir());

	while ((e = readdir(d)) != NULL)
		n += e->d_type == DT_DIR && strncmp(e->d_name, "dvmdbg-", 7) == 0;
	closedir(d);
	return n;
}

static int set_up(void **state)
{
	loop = loop_create(NULL);
	return loop ? fake_node_setup() : -1;
}

static int tear_down(void **state)
{
	rankset_clear(&heard.ranks);
	loop_destroy(loop);
	fake_node_cleanup();
	return 0;
}

static void ranks_load_run_and_stop(void **state)
{
	struct job *j = start("stops");

	assert_int_equal(job_size(j), FAKE_RANKS);
	assert_set(j, JOB_LOADED, "[0:3]");
	assert_int_equal(job_gen(j), 0);
	go(j);
	assert_set(j, JOB_RUNNING, "[0:3]");
	assert_int_equal(job_gen(j), 1);
	wait_set(j, JOB_STOPPED, "[0:3]", 20000);
	assert_set(j, JOB_RUNNING, "[]");
	assert_int_equal(job_stops(j)->n, 1);
	assert_int_equal(stop_of(j, 0).point.main, 3);
	loop_turn(loop, 10);
	go(j);
	assert_int_equal(job_stops(j)->n, 0);
	wait_set(j, JOB_STOPPED, "[0:3]", 20000);
	assert_int_equal(stop_of(j, 0).point.main, 4);
	assert_int_equal(heard.findings, 0);
	job_destroy(j);
}

static void nobody_can_go_who_runs(void **state)
{
	struct job *j = start("silent");
	struct err err = { "" };

	go(j);
	assert_int_equal(job_go(j, all(j), PLAN_CONT, 0, NULL, &err), -1);
	assert_non_null(strstr(err.text, "[0:3]"));
	job_destroy(j);
}

static void some_can_stop_and_some_run(void **state)
{
	struct job *j = start("partial");

	go(j);
	wait_set(j, JOB_STOPPED, "[0:2]", 20000);
	assert_set(j, JOB_RUNNING, "[3]");
	/* a halt brings the one that runs to where the others are */
	job_halt(j, all(j));
	wait_set(j, JOB_STOPPED, "[0:3]", 20000);
	assert_int_equal(job_stops(j)->n, 2);
	assert_int_equal(stop_of(j, 0).point.main, 3);
	assert_int_equal(stop_of(j, 1).point.main, 3);
	job_destroy(j);
}

static void halt_takes_the_furthest_point(void **state)
{
	struct job *j = start("moving");

	go(j);
	job_halt(j, all(j));
	/* rank 0 has parked at 5.B: that is no stop */
	wait_set(j, JOB_STOPPED, "[0:3]", 20000);
	assert_int_equal(job_gen(j), 2);
	assert_int_equal(job_stops(j)->n, 1);
	assert_int_equal(stop_of(j, 0).point.main, 5);
	assert_int_equal(stop_of(j, 0).point.side, POINT_END);
	assert_int_equal(stop_of(j, 0).reason, STOP_HALT);
	job_destroy(j);
}

static void a_stop_on_its_way_during_a_halt_counts(void **state)
{
	struct job *j = start("stale");

	go(j);
	job_halt(j, all(j));
	wait_set(j, JOB_STOPPED, "[0:3]", 20000);
	job_destroy(j);
}

static void who_does_not_answer_a_halt_is_not_waited_for(void **state)
{
	struct job *j = start("mute");

	go(j);
	job_halt(j, all(j));
	/* in the end they are told to stop at the next point they come to; this one does */
	wait_set(j, JOB_STOPPED, "[0:3]", 20000);
	assert_int_equal(stop_of(j, 0).point.main, 1);
	job_destroy(j);
}

static void new_rules_are_silent_for_what_may_be_passed(void **state)
{
	struct job *j = start("rules");
	struct rule rule[2] = { { .id = 0, .kind = RULE_LINE, .line = 61, .file = "heat.c" },
				{ .id = 1, .kind = RULE_LINE, .line = 70, .file = "heat.c" } };

	job_rules(j, rule, 1);
	go(j);
	/* ranks can be at 9.B at most, so the new rule speaks from 9.E on */
	job_rules(j, rule, 2);
	assert_int_equal(job_gen(j), 2);
	wait_set(j, JOB_STOPPED, "[0:3]", 20000);
	assert_int_equal(stop_of(j, 0).point.main, 9);
	assert_int_equal(stop_of(j, 0).point.side, POINT_END);
	job_destroy(j);
}

static void silent_ranks_are_reported(void **state)
{
	struct job *j = start("silent");
	struct msg_query q = { .kind = QUERY_STATUS };
	struct rankset silent = { 0 };
	struct groups answers = { 0 };
	char list[64];
	int64_t before = loop_now();

	assert_int_equal(job_query(j, &q, all(j), 300, &answers, &silent, NULL), 0);
	assert_true(loop_now() - before >= 290);
	assert_string_equal(rankset_format(&silent, list, sizeof(list)), "[3]");
	assert_int_equal(answers.n, 1);
	assert_string_equal(rankset_format(&answers.group[0].ranks, list, sizeof(list)), "[0:2]");
	groups_clear(&answers);
	rankset_clear(&silent);
	job_destroy(j);
}

static void ends_are_kept_with_their_reports(void **state)
{
	struct job *j = start("exits");

	go(j);
	wait_set(j, JOB_EXITED, "[0:3]", 20000);
	assert_true(job_over(j));
	assert_int_equal(job_exits(j)->n, 2);
	assert_set(j, JOB_BAD, "[]");
	job_destroy(j);
}

static void lost_supervisors_are_reported(void **state)
{
	struct job *j = start("lost");

	go(j);
	wait_set(j, JOB_STOPPED, "[0:1,3]", 20000);
	assert_set(j, JOB_LOST, "[2]");
	assert_set(j, JOB_BAD, "[2]");
	assert_non_null(strstr(heard.notice, "[2]"));
	assert_false(job_over(j));
	job_destroy(j);
}

static void a_broken_link_loses_its_ranks_in_the_end(void **state)
{
	struct job *j = start("breaks");

	go(j);
	wait_set(j, JOB_LOST, "[0]", 20000);
	wait_set(j, JOB_LOST, "[0:3]", 20000);
	assert_true(job_over(j));
	job_destroy(j);
}

static void nobody_is_expected_back_without_a_launcher(void **state)
{
	struct job *j = start("falls");

	go(j);
	wait_set(j, JOB_LOST, "[0:3]", 1800);
	assert_non_null(strstr(heard.notice, "[0:3]"));
	job_destroy(j);
}

static void disagreement_is_found_at_its_first_number(void **state)
{
	struct job *j = start("numbering");
	int64_t until = loop_now() + 3000;
	char list[64];

	go(j);
	while (!heard.findings && loop_now() < until)
		loop_turn(loop, 50);
	assert_int_equal(heard.findings, 1);
	assert_int_equal(heard.finding.kind, FINDING_NUMBERING);
	assert_int_equal(heard.finding.point.main, 17);
	assert_string_equal(heard.detail, "PL heat.c:70 on [3], PL heat.c:61 on [0:2]");
	assert_string_equal(rankset_format(&heard.ranks, list, sizeof(list)), "[0:3]");
	/* once */
	go(j);
	wait_set(j, JOB_STOPPED, "[0:3]", 20000);
	for (int i = 0; i < 10; i++)
		loop_turn(loop, 20);
	assert_int_equal(heard.findings, 1);
	job_destroy(j);
}

static void a_disagreement_names_ranks_that_come_late(void **state)
{
	struct job *j = start("straggler");
	int64_t until = loop_now() + 3000;

	go(j);
	while (!heard.findings && loop_now() < until)
		loop_turn(loop, 50);
	assert_int_equal(heard.findings, 1);
	assert_string_equal(heard.detail, "PL heat.c:70 on [3], PL heat.c:61 on [0:2]");
	job_destroy(j);
}

static void an_early_end_is_a_disagreement(void **state)
{
	struct job *j = start("early");
	int64_t until = loop_now() + 3000;

	go(j);
	while (!heard.findings && loop_now() < until)
		loop_turn(loop, 50);
	assert_int_equal(heard.findings, 1);
	assert_int_equal(heard.finding.point.main, 17);
	assert_string_equal(heard.detail, "PL heat.c:61 on [0:2], none on [3]");
	job_destroy(j);
}

static void hostile_messages_do_no_harm(void **state)
{
	struct job *j = start("hostile");

	go(j);
	/* ranks that do not exist are cut off, the rest of that message is fine */
	wait_set(j, JOB_STOPPED, "[0:3]", 20000);
	job_destroy(j);
}

static void killed_ranks_end(void **state)
{
	struct job *j = start("silent");
	struct rankset one = { 0 };

	rankset_add(&one, 1, 1);
	go(j);
	assert_int_equal(job_kill(j, &one, NULL), 0);
	assert_set(j, JOB_EXITED, "[1]");
	assert_set(j, JOB_RUNNING, "[0,2:3]");
	assert_set(j, JOB_BAD, "[]");
	rankset_clear(&one);
	job_destroy(j);
}

static void nothing_is_left_behind(void **state)
{
	struct job *j = start("stops");

	assert_int_equal(leftovers(), 1);
	job_destroy(j);
	assert_int_equal(leftovers(), 0);
	/* even of one that takes no orders */
	j = start("mute");
	job_destroy(j);
	assert_int_equal(leftovers(), 0);
}

static void a_launcher_that_dies_is_reported_with_its_words(void **state)
{
	struct err err = { "" };

	assert_null(try_start("dies", 60000, &err));
	assert_non_null(strstr(err.text, "exited with code 7"));
	assert_non_null(strstr(err.text, "no slots"));
}

static void who_never_comes_is_not_waited_for_ever(void **state)
{
	struct err err = { "" };
	struct job *j;

	assert_null(try_start("never", 1000, &err));
	assert_non_null(strstr(err.text, "[0:3] has not connected within 1 s"));
	j = try_start("absent", 1000, &err);
	assert_non_null(j);
	assert_set(j, JOB_ABSENT, "[3]");
	assert_set(j, JOB_LOADED, "[0:2]");
	assert_non_null(strstr(heard.notice, "[3] has not connected"));
	job_destroy(j);
}

static void output_before_the_start_is_passed_on(void **state)
{
	struct job *j = start("output");
	int64_t until = loop_now() + 1000;

	while (!heard.output[0] && loop_now() < until)
		loop_turn(loop, 20);
	assert_string_equal(heard.output, "out\n");
	job_destroy(j);
}

static void bad_specifications_are_said(void **state)
{
	const struct job_watch watch = { 0 };
	struct job_spec spec = fake_spec("stops");
	struct err err = { "" };
	char *none[] = { (char *)"/no/such/program", NULL };

	spec.transport = "pigeon";
	assert_null(job_start(&spec, loop, &watch, 1000, &err));
	assert_non_null(strstr(err.text, "pigeon"));
	spec = fake_spec("stops");
	spec.argv = none;
	assert_null(job_start(&spec, loop, &watch, 1000, &err));
	assert_non_null(strstr(err.text, "/no/such/program"));
	spec = fake_spec("stops");
	spec.launcher = "no-such-launcher";
	assert_null(job_start(&spec, loop, &watch, 1000, &err));
	assert_non_null(strstr(err.text, "no-such-launcher"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_load_run_and_stop),
		cmocka_unit_test(nobody_can_go_who_runs),
		cmocka_unit_test(some_can_stop_and_some_run),
		cmocka_unit_test(halt_takes_the_furthest_point),
		cmocka_unit_test(a_stop_on_its_way_during_a_halt_counts),
		cmocka_unit_test(who_does_not_answer_a_halt_is_not_waited_for),
		cmocka_unit_test(new_rules_are_silent_for_what_may_be_passed),
		cmocka_unit_test(silent_ranks_are_reported),
		cmocka_unit_test(ends_are_kept_with_their_reports),
		cmocka_unit_test(lost_supervisors_are_reported),
		cmocka_unit_test(a_broken_link_loses_its_ranks_in_the_end),
		cmocka_unit_test(nobody_is_expected_back_without_a_launcher),
		cmocka_unit_test(disagreement_is_found_at_its_first_number),
		cmocka_unit_test(a_disagreement_names_ranks_that_come_late),
		cmocka_unit_test(an_early_end_is_a_disagreement),
		cmocka_unit_test(hostile_messages_do_no_harm),
		cmocka_unit_test(killed_ranks_end),
		cmocka_unit_test(nothing_is_left_behind),
		cmocka_unit_test(a_launcher_that_dies_is_reported_with_its_words),
		cmocka_unit_test(who_never_comes_is_not_waited_for_ever),
		cmocka_unit_test(output_before_the_start_is_passed_on),
		cmocka_unit_test(bad_specifications_are_said),
	};

	if (fake_node_wanted())
		return fake_node(argv);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
