/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/cmd/cmd.h"
#include "frontend/render/render.h"
#include "frontend/model/actionpoints.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/output/outcome.h"
#include "frontend/settings/settings.h"
#include "tests/unit/fake_node.h"

static struct loop *loop;
static char *text;
static size_t text_len;
static FILE *stream;

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

/* A session with the scenario loaded; its output goes to text. */
static struct session *begin(const char *scenario, bool json)
{
	const struct job_spec spec = fake_spec(scenario);
	struct err err = { "" };
	struct session *s;

	stream = open_memstream(&text, &text_len);
	s = session_create(loop, out_create(stream, json));
	assert_non_null(s);
	s->spec.n = spec.n;
	s->spec.launcher = strdup(spec.launcher);
	s->spec.transport = strdup(spec.transport);
	s->spec.argv = calloc(3, sizeof(char *));
	s->spec.argv[0] = strdup(spec.argv[0]);
	s->spec.argv[1] = strdup(spec.argv[1]);
	if (session_load(s, &err) < 0)
		fail_msg("%s", err.text);
	return s;
}

static void end(struct session *s)
{
	struct out *o = s->out;

	session_destroy(s);
	out_destroy(o);
	fclose(stream);
	free(text);
}

/* All go and are waited for; what is shown then is in text. */
static enum stop_verdict cont(struct session *s)
{
	struct rankset all = { 0 };
	enum stop_verdict v;

	rankset_copy(&all, job_set(s->job, JOB_ALL));
	assert_int_equal(job_go(s->job, &all, PLAN_CONT, 0, NULL, NULL), 0);
	v = session_wait(s, &all);
	fflush(stream);
	rewind(stream);
	session_show_stop(s, &all, v);
	fflush(stream);
	rankset_clear(&all);
	return v;
}

static void assert_says(const char *what)
{
	if (!strstr(text, what))
		fail_msg("'%s' does not say '%s'", text, what);
}

static void all_stop_at_a_point(void **state)
{
	struct session *s = begin("stops", false);

	assert_int_equal(cont(s), VERDICT_STOPPED);
	assert_says("Point 3.B  [0:3]  parallel loop  heat.c:61  actionpoint 0\n");
	end(s);
}

static void a_stop_has_all_members_in_json(void **state)
{
	struct session *s = begin("stops", true);
	struct location loc = { .kind = RULE_POINT, .point = { .main = 3 } };
	json_t *o;

	assert_int_equal(actionpoints_add(s->acts, &loc, 1), 0);
	assert_int_equal(cont(s), VERDICT_STOPPED);
	o = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
	assert_non_null(o);
	assert_string_equal(json_string_value(json_object_get(o, "type")), "stop");
	assert_string_equal(json_string_value(json_object_get(o, "reason")), "actionpoint");
	assert_string_equal(json_string_value(json_object_get(o, "point")), "3.B");
	assert_string_equal(json_string_value(json_object_get(o, "ranks")), "[0:3]");
	assert_string_equal(json_string_value(json_object_get(o, "construct")), "parallel loop");
	assert_string_equal(json_string_value(json_object_get(o, "file")), "heat.c");
	assert_string_equal(json_string_value(json_object_get(o, "path")), "src/heat.c");
	assert_int_equal(json_integer_value(json_object_get(o, "line")), 61);
	assert_int_equal(json_array_size(json_object_get(o, "actionpoints")), 1);
	json_decref(o);
	assert_int_equal(actionpoints_find(s->acts, 0)->hits, 1);
	end(s);
}

static void a_mismatch_is_a_stop_with_its_reason(void **state)
{
	struct session *s = begin("mismatch", false);
	json_t *o;

	assert_int_equal(cont(s), VERDICT_STOPPED);
	assert_says("Point 13.E  [0:3]  parallel loop  heat.c:61  checksums differ\n");
	end(s);
	s = begin("mismatch", true);
	assert_int_equal(cont(s), VERDICT_STOPPED);
	o = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
	assert_string_equal(json_string_value(json_object_get(o, "reason")), "mismatch");
	assert_string_equal(json_string_value(json_object_get(o, "text")), "checksums differ");
	json_decref(o);
	end(s);
}

static void a_good_stop_waits_for_the_timer(void **state)
{
	struct session *s = begin("partial", false);
	int64_t before = loop_now();

	settings_set(s->set, "STOP_TIMER", "1", NULL);
	assert_int_equal(cont(s), VERDICT_PARTIAL);
	assert_true(loop_now() - before >= 1000);
	assert_says("Point 3.B  [0:2]");
	assert_says("[3] running");
	end(s);
}

static void members_do_not_wait_for_ever_for_parked_ranks(void **state)
{
	struct session *s = begin("silent", false);
	struct rankset one = { 0 };

	settings_set(s->set, "STOP_TIMER", "1", NULL);
	rankset_add(&one, 0, 0);
	assert_int_equal(job_go(s->job, &one, PLAN_CONT, 0, NULL, NULL), 0);
	assert_int_equal(session_wait(s, &one), VERDICT_PARTIAL);
	rankset_clear(&one);
	end(s);
}

static void a_bad_stop_halts_the_others(void **state)
{
	struct session *s = begin("crash", false);

	assert_int_equal(cont(s), VERDICT_BAD);
	assert_says("SIGSEGV  [1]");
	assert_says("Point 9.B  [0,2:3]");
	end(s);
}

static void a_bad_stop_can_be_waited_out(void **state)
{
	struct session *s = begin("crash", false);

	settings_set(s->set, "BAD_STOP", "wait", NULL);
	settings_set(s->set, "STOP_TIMER", "1", NULL);
	assert_int_equal(cont(s), VERDICT_PARTIAL);
	assert_says("SIGSEGV  [1]");
	assert_says("running");
	end(s);
}

static void ctrl_c_halts(void **state)
{
	struct session *s = begin("silent", false);

	kill(getpid(), SIGINT);
	assert_int_equal(cont(s), VERDICT_INTERRUPT);
	assert_says("Point 9.B  [0:3]");
	assert_false(loop_interrupted(loop));
	end(s);
}

extern const struct cmd cmd_status;

/* The states that `status` shows of each rank, by letters: "r", or "sx" when it is in two lines. */
static void shown_states(const json_t *answer, char out[FAKE_RANKS][8])
{
	char list[64];
	size_t i;
	json_t *g;

	memset(out, 0, FAKE_RANKS * 8);
	json_array_foreach(json_object_get(answer, "groups"), i, g) {
		struct rankset ranks = { 0 };

		snprintf(list, sizeof(list), "%s",
			 json_string_value(json_object_get(g, "ranks")) + 1);
		list[strcspn(list, "]")] = 0;
		assert_int_equal(rankset_parse(&ranks, list, NULL), 0);
		for (int64_t r = rankset_next(&ranks, 0); r >= 0;
		     r = rankset_next(&ranks, (uint32_t)r + 1))
			strncat(out[r], json_string_value(json_object_get(g, "state")), 1);
		rankset_clear(&ranks);
	}
}

static void status_is_one_moment(void **state)
{
	struct session *s = begin("races", true);
	struct cmd_call call = { 0 };
	struct err err = { "" };
	char shown[FAKE_RANKS][8];
	const char *at;
	json_t *o;

	rankset_copy(&call.who, job_set(s->job, JOB_ALL));
	assert_int_equal(job_go(s->job, &call.who, PLAN_CONT, 0, NULL, NULL), 0);
	fflush(stream);
	rewind(stream);
	assert_int_equal(cmd_status.run(s, &call, &err), 0);
	fflush(stream);
	/* before it is reported that rank 3 is lost */
	at = strstr(text, "{\"type\":\"status\"");
	assert_non_null(at);
	o = json_loads(at, JSON_DISABLE_EOF_CHECK, NULL);
	assert_non_null(o);
	shown_states(o, shown);
	/* rank 0 has answered twice; the others ended, stopped, and were lost meanwhile */
	assert_int_equal(strlen(shown[0]), 1);
	assert_string_equal(shown[1], "e");
	assert_string_equal(shown[2], "s");
	assert_string_equal(shown[3], "l");
	json_decref(o);
	rankset_clear(&call.who);
	end(s);
}

static void a_clean_end_is_one_line(void **state)
{
	struct session *s = begin("clean", false);

	assert_int_equal(cont(s), VERDICT_OVER);
	assert_says("All ranks have exited with code 0.");
	assert_null(strstr(text, "Rank"));
	end(s);
}

static void other_ends_are_reported_once(void **state)
{
	struct session *s = begin("exits", false);
	struct rankset all = { 0 };

	assert_int_equal(cont(s), VERDICT_OVER);
	assert_says("Rank [1] exited with code 3");
	assert_says("All ranks have ended.");
	rewind(stream);
	rankset_copy(&all, job_set(s->job, JOB_ALL));
	session_show_stop(s, &all, VERDICT_OVER);
	fflush(stream);
	assert_null(strstr(text, "Rank [1] exited"));
	rankset_clear(&all);
	end(s);
}

static void a_disagreement_is_a_finding(void **state)
{
	struct session *s = begin("numbering", false);
	struct rankset all = { 0 };
	int64_t until = loop_now() + 2000;

	rankset_copy(&all, job_set(s->job, JOB_ALL));
	job_go(s->job, &all, PLAN_CONT, 0, NULL, NULL);
	/* it waits a moment for other ranks that find the same */
	while ((!outcome_has(s->outcome, OUTCOME_FINDINGS) || s->nawaiting) && loop_now() < until)
		loop_turn(loop, 50);
	fflush(stream);
	assert_int_equal(outcome_status(s->outcome), 1);
	assert_says("heat.c:70");
	assert_says("heat.c:61");
	rankset_clear(&all);
	end(s);
}

static void a_finding_is_shown_with_all_its_ranks(void **state)
{
	struct session *s = begin("finds", false);
	struct rankset all = { 0 };
	const char *first;

	rankset_copy(&all, job_set(s->job, JOB_ALL));
	job_go(s->job, &all, PLAN_CONT, 0, NULL, NULL);
	assert_int_equal(session_wait(s, &all), VERDICT_STOPPED);
	session_show_stop(s, &all, VERDICT_STOPPED);
	fflush(stream);
	assert_says("[0,2]");
	first = strstr(text, "Finding");
	assert_non_null(first);
	assert_null(strstr(first + 1, "Finding"));
	/* it was there before the stop */
	assert_true(first < strstr(text, "Point 3.B"));
	rankset_clear(&all);
	end(s);
}

static void reloading_begins_anew(void **state)
{
	struct session *s = begin("exits", false);

	assert_int_equal(cont(s), VERDICT_OVER);
	assert_int_equal(session_reload(s, NULL), 0);
	assert_int_equal(rankset_count(job_set(s->job, JOB_LOADED)), FAKE_RANKS);
	assert_int_equal(cont(s), VERDICT_OVER);
	assert_says("Rank [1] exited with code 3");
	end(s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_stop_at_a_point),
		cmocka_unit_test(a_stop_has_all_members_in_json),
		cmocka_unit_test(a_mismatch_is_a_stop_with_its_reason),
		cmocka_unit_test(a_good_stop_waits_for_the_timer),
		cmocka_unit_test(members_do_not_wait_for_ever_for_parked_ranks),
		cmocka_unit_test(a_bad_stop_halts_the_others),
		cmocka_unit_test(a_bad_stop_can_be_waited_out),
		cmocka_unit_test(ctrl_c_halts),
		cmocka_unit_test(status_is_one_moment),
		cmocka_unit_test(a_clean_end_is_one_line),
		cmocka_unit_test(other_ends_are_reported_once),
		cmocka_unit_test(a_disagreement_is_a_finding),
		cmocka_unit_test(a_finding_is_shown_with_all_its_ranks),
		cmocka_unit_test(reloading_begins_anew),
	};

	if (fake_node_wanted())
		return fake_node(argv);
	render_use();
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
