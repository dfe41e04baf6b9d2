/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/action/action.h"
#include "frontend/model/focus.h"
#include "frontend/session/session.h"
#include "tests/unit/fake_job.h"

static char *text;
static struct session *s;

static int set_up(void **state)
{
	s = fake_begin(&text, false);
	return 0;
}

static int tear_down(void **state)
{
	fake_end(s);
	return 0;
}

/* The ranks that a set has, as text, or the error. */
static const char *eval(const char *set)
{
	static char shown[1200];
	struct focus_env env = action_focus_env(s);
	struct rankset ranks = { 0 };
	struct err err = { "" };

	if (focus_eval(s->shell->focus, set, &env, &ranks, NULL, &err))
		strcpy(shown, err.text);
	else
		rankset_format(&ranks, shown, sizeof(shown));
	rankset_clear(&ranks);
	return shown;
}

static void numbers(void **state)
{
	assert_string_equal(eval("2"), "[2]");
	assert_string_equal(eval("0:3"), "[0:3]");
	assert_string_equal(eval("0..2"), "[0:2]");
	assert_string_equal(eval("0,2-3"), "[0,2:3]");
	assert_string_equal(eval("1.0"), "[1]");
	assert_string_equal(eval("0:2.*"), "[0:2]");
	assert_string_equal(eval("*"), "[0:3]");
	assert_string_equal(eval("4"), "there is no rank 4: ranks are 0 to 3");
	assert_string_equal(eval("2:9"), "[2:3]");
	assert_string_equal(eval("7:9"), "there is no rank 7:9: ranks are 0 to 3");
	assert_string_equal(eval("1,9"), "[1]");
	/* Identifiers of two parts: the thread does not matter. */
	assert_string_equal(eval("1.2"), "[1]");
	assert_string_equal(eval("*.2"), "[0:3]");
	assert_string_equal(eval("0.*:2.*"), "[0:2]");
	assert_string_equal(eval("1.2:1.5"), "[1]");
	assert_string_equal(eval("1.2:2.3"), "[1:2]");
	assert_string_equal(eval("1.3:5"), "[1]");
	assert_string_equal(eval("1:2.1"), "[1:2]");
	assert_string_equal(eval("2:*"), "[2:3]");
	assert_non_null(strstr(eval("1.x"), "'1.x' is neither a rank nor a range"));
	assert_non_null(strstr(eval("1."), "is neither a rank"));
	assert_non_null(strstr(eval("0,,1"), "a member is missing"));
	assert_non_null(strstr(eval("3:1"), "3:1"));
}

static void built_in(void **state)
{
	fake_state("1", JOB_RUNNING);
	fake_state("2", JOB_EXITED);
	fake_state("3", JOB_LOST);
	assert_string_equal(eval("all"), "[0:3]");
	assert_string_equal(eval("stopped"), "[0]");
	assert_string_equal(eval("running"), "[1]");
	assert_string_equal(eval("exited"), "[2]");
	assert_string_equal(eval("lost"), "[3]");
	assert_string_equal(eval("held"), "[]");
	assert_string_equal(eval("running,exited"), "[1:2]");
	assert_string_equal(eval("exec(heat)"), "[0:3]");
	assert_string_equal(eval("exec(cold)"), "[]");
	assert_non_null(strstr(eval("foo"), "unknown set 'foo'"));
}

static void waiting_asks_the_ranks(void **state)
{
	struct report_status r = { .state = RANK_RUNNING, .mpi = MPI_STATE_IN_INIT };
	struct buf b = BUF_INIT;

	fake_state("0:3", JOB_RUNNING);
	report_status_put(&r, &b);
	fake_answer(QUERY_STATUS, NULL, "1", &b);
	assert_string_equal(eval("waiting"), "[1]");
}

static void named(void **state)
{
	struct focus_env env = action_focus_env(s);
	struct focus *f = s->shell->focus;
	struct err err = { "" };

	assert_int_equal(focus_define(f, "edge", "0,3", &env, NULL, &err), 0);
	assert_string_equal(eval("edge"), "[0,3]");
	assert_string_equal(eval("edge,1"), "[0:1,3]");
	/* Dynamic sets follow the ranks, static ones do not. */
	assert_int_equal(focus_define(f, "now", "!stopped", &env, NULL, &err), 0);
	assert_int_equal(focus_define(f, "still", "stopped", &env, NULL, &err), 0);
	fake_state("2", JOB_RUNNING);
	assert_string_equal(eval("now"), "[0:3]");
	assert_string_equal(eval("still"), "[0:1,3]");
	assert_int_equal(focus_define(f, "all", "0", &env, NULL, &err), -1);
	assert_int_equal(focus_define(f, "2x", "0", &env, NULL, &err), -1);
	assert_int_equal(focus_define(f, "bad", "nobody", &env, NULL, &err), -1);
	assert_int_equal(focus_undefine(f, "edge", &err), 0);
	assert_non_null(strstr(eval("edge"), "unknown set 'edge'"));
	assert_int_equal(focus_undefine(f, "edge", &err), -1);
	assert_int_equal(focus_undefine(f, "all", &err), -1);
}

static void a_set_in_itself_is_refused(void **state)
{
	struct focus_env env = action_focus_env(s);
	struct focus *f = s->shell->focus;
	struct err err = { "" };

	assert_int_equal(focus_define(f, "a", "0", &env, NULL, &err), 0);
	assert_int_equal(focus_define(f, "b", "a", &env, NULL, &err), 0);
	assert_int_equal(focus_define(f, "a", "b", &env, NULL, &err), -1);
	assert_non_null(strstr(err.text, "by itself"));
}

static void prefixes(void **state)
{
	struct err err = { "" };
	char *set;

	assert_int_equal(focus_prefix("[0, 2:3] print x", &set, &err), 8);
	assert_string_equal(set, "0,2:3");
	free(set);
	assert_int_equal(focus_prefix("{0..3} go", &set, &err), 6);
	assert_string_equal(set, "0..3");
	free(set);
	assert_int_equal(focus_prefix("print x", &set, &err), 0);
	assert_null(set);
	assert_int_equal(focus_prefix("[0:3 print", &set, &err), -1);
	assert_non_null(strstr(err.text, "not closed"));
	assert_int_equal(focus_prefix("[] print", &set, &err), -1);
}

static void repeated_members_are_reported(void **state)
{
	struct rankset ranks = { 0 };
	struct err err = { "" };

	assert_int_equal(shell_eval(s, "0,1,0:2", &ranks, &err), 0);
	assert_string_equal(fake_printed(), "warning: [0,1,0:2] has a member more than once\n");
	assert_int_equal(shell_eval(s, "0,9", &ranks, &err), 0);
	assert_string_equal(fake_printed(),
			    "warning: [0,9]: there is no rank 9: ranks are 0 to 3\n");
	shell_set(s, "ERROR_CHECKS", "MIN", &err);
	assert_int_equal(shell_eval(s, "0,0", &ranks, &err), 0);
	assert_string_equal(fake_printed(), "");
	rankset_clear(&ranks);
}

static void prompts(void **state)
{
	char out[128];

	assert_string_equal(focus_prompt("[$PTSET]> ", "all", 40, out, sizeof(out)), "[all]> ");
	focus_prompt("[$PTSET]> ", "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28", 40, out, sizeof(out));
	assert_int_equal(strlen(out), 40);
	assert_string_equal(out + 34, "...]> ");
	assert_string_equal(focus_prompt("$PTSET $PTSET: ", "0", 40, out, sizeof(out)), "0 0: ");
	assert_string_equal(focus_prompt("a long prompt", "0", 8, out, sizeof(out)), "a lon...");
	focus_prompt("[$PTSET]> ", "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28", 40, out, sizeof(out));
	assert_string_equal(out + 34, "...]> ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(numbers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(built_in, set_up, tear_down),
		cmocka_unit_test_setup_teardown(waiting_asks_the_ranks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_set_in_itself_is_refused, set_up, tear_down),
		cmocka_unit_test(prefixes),
		cmocka_unit_test_setup_teardown(repeated_members_are_reported, set_up, tear_down),
		cmocka_unit_test(prompts),
	};

	return cmocka_run_group_tests_name("focus", tests, NULL, NULL);
}
