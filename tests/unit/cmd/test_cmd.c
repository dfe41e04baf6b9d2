/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/main/main.h"
#include "frontend/cmd/cmd.h"
#include "frontend/session/session.h"
#include "frontend/output/outcome.h"
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

/* What a line prints. */
static const char *say(const char *line)
{
	cmd_line(s, line);
	return fake_printed();
}

static void prefixes_of_verbs(void **state)
{
	struct err err = { "" };

	assert_string_equal(cmd_find("cont", &err)->name, "cont");
	assert_string_equal(cmd_find("st", &err) ? "" : err.text,
			    "'st' is ambiguous: step status stat start");
	assert_string_equal(cmd_find("ste", &err)->name, "step");
	assert_string_equal(cmd_find("set", &err)->name, "set");
	assert_null(cmd_find("Cont", &err));
	assert_null(cmd_find("brek", &err));
	assert_string_equal(err.text, "unknown verb 'brek'; near: break");
	assert_string_equal(cmd_find("attach", &err)->name, "attach");
	/* what has been locate before there was locals */
	assert_string_equal(cmd_find("loc", &err)->name, "locate");
	assert_string_equal(cmd_find("loca", &err)->name, "locate");
	assert_string_equal(cmd_find("local", &err)->name, "locals");
	assert_null(cmd_find("lo", &err));
	assert_string_equal(err.text, "'lo' is ambiguous: load locate log");
}

/* What help and the manual are made from is there for every verb. */
static void every_verb_is_described(void **state)
{
	for (size_t i = 0; cmd_at(i); i++) {
		const struct cmd *c = cmd_at(i);

		assert_non_null(c->run);
		assert_true(c->args && *c->brief && *c->help && c->example && *c->example);
		for (int k = 0; k < CMD_OPTIONS && c->option[k].name; k++)
			assert_true(*c->option[k].help);
	}
}

static void comments_and_blank_lines(void **state)
{
	assert_string_equal(say(""), "");
	assert_string_equal(say("   # break nothing"), "");
	assert_string_equal(fake_calls(), "");
}

static void break_answers_and_sends(void **state)
{
	assert_string_equal(say("break heat.c:61 -count 10"),
			    "actionpoint 0: heat.c:61, every 10 hits\n");
	assert_string_equal(fake_calls(), "rules 1;");
	assert_string_equal(say("b 13.B"), "actionpoint 1: 13.B\n");
	assert_string_equal(say("delete 0"), "actionpoint 0: heat.c:61, every 10 hits (deleted)\n");
	assert_string_equal(say("disable -all"), "actionpoint 1: 13.B, disabled\n");
	assert_string_equal(fake_calls(), "rules 2;rules 1;rules 0;");
	assert_string_equal(say("break 14.B"), "actionpoint 2: 14.B\n");
	assert_string_equal(say("delete 0"),
			    "error: there is no actionpoint 0; actions lists them\n");
	assert_string_equal(say("delete"),
			    "error: delete: numbers of actionpoints are needed, or -all\n");
}

static void options_are_checked(void **state)
{
	assert_string_equal(
		say("break 3.B -bogus"),
		"error: break -bogus: unknown option; break has -count -if -iter -stop\n");
	assert_string_equal(say("break 3.B -count"),
			    "error: break -count: a number is needed after it\n");
	assert_string_equal(say("break 3.B -count x"),
			    "error: break -count: 'x' is not a number from 0 to 999999999\n");
	assert_string_equal(say("go -now"), "error: go -now: unknown option; go has no options\n");
	assert_string_equal(say("step -over -finish"),
			    "error: step: only one of -over, -finish and -iter can be given\n");
	assert_string_equal(say("break 3.B -cou 2"), "actionpoint 0: 3.B, every 2 hits\n");
	/* quotes are those of texts, but around the whole condition */
	assert_string_equal(say("break 4.B -if name == 'a b' && k > 1 -stop [0]"),
			    "actionpoint 1: 4.B, if name == 'a b' && k > 1, stops [0]\n");
	assert_string_equal(say("break 5.B -if 'x'=='y'"), "actionpoint 2: 5.B, if 'x'=='y'\n");
	assert_string_equal(say("break 6.B -if \"k > 'x'\""), "actionpoint 3: 6.B, if k > 'x'\n");
	fake_state("0:3", JOB_STOPPED);
	assert_string_equal(
		say("print 1 -f .3f"),
		"error: column 6: expected an operator or the end, found '.'; options of "
		"print cannot be shortened: -format\n");
	assert_string_equal(say("print 1 -"),
			    "error: column 4: expected a number, a name or '(', found the end\n");
}

static void going_on(void **state)
{
	say("cont");
	assert_string_equal(fake_calls(), "go [0:3] 0 0;wait [0:3];show [0:3];");
	say("step 4");
	assert_string_equal(fake_calls(), "go [0:3] 1 4;wait [0:3];show [0:3];");
	say("[1:2] step -iter");
	assert_string_equal(fake_calls(), "go [1:2] 2 1;wait [1:2];show [1:2];");
	say("s -fin");
	assert_string_equal(fake_calls(), "go [0:3] 3 1;wait [0:3];show [0:3];");
	say("go");
	assert_string_equal(fake_calls(), "go [0:3] 0 0;");
	assert_int_equal(rankset_count(&s->shell->gone), 4);
	assert_non_null(strstr(say("step 0"), "a number from 1"));
	assert_non_null(strstr(say("step -5"), "a number from 1"));
}

static void members_that_cannot_go_are_reported(void **state)
{
	fake_state("3", JOB_RUNNING);
	assert_string_equal(say("cont"),
			    "warning: cont: [3]: running already, and waited for; Ctrl-C stops "
			    "them\n");
	assert_string_equal(fake_calls(), "go [0:2] 0 0;wait [0:3];show [0:3];");
	fake_state("3", JOB_RUNNING);
	assert_string_equal(say("[3] cont"),
			    "warning: cont: [3]: running already, and waited for; Ctrl-C stops "
			    "them\n");
	assert_string_equal(fake_calls(), "wait [3];show [3];");
	fake_state("3", JOB_RUNNING);
	assert_string_equal(say("[3] go"),
			    "warning: go: [3]: running already; type wait, or halt to stop them\n");
	assert_string_equal(fake_calls(), "");
	assert_string_equal(say("[3] step"),
			    "error: step: [3]: running already; type wait, or halt to stop them\n");
	fake_state("0:3", JOB_EXITED);
	assert_string_equal(say("cont"),
			    "warning: cont: [0:3]: ended; rerun starts the program again\n");
	assert_string_equal(say("go"),
			    "warning: go: [0:3]: ended; rerun starts the program again\n");
	assert_string_equal(say("print eps"),
			    "error: print: [0:3]: ended; rerun starts the program again\n");
	assert_string_equal(fake_calls(), "");
}

static void halting(void **state)
{
	assert_string_equal(say("halt"), "warning: halt: [0:3]: not running\n");
	fake_state("1:2", JOB_RUNNING);
	assert_string_equal(say("[0,2] halt"), "warning: halt: [0]: not running\n");
	assert_string_equal(fake_calls(), "halt [2];wait [2];show [2];");
	fake_state("1:2", JOB_RUNNING);
	say("[1:2] halt");
	assert_string_equal(fake_calls(), "halt [1:2];wait [1:2];show [1:2];");
}

static void running_again(void **state)
{
	say("rerun");
	assert_string_equal(fake_calls(), "reload ./heat;go [0:3] 0 0;wait [0:3];show [0:3];");
	fake_state("0:3", JOB_STOPPED);
	say("run 100 'a b' -x");
	assert_string_equal(fake_calls(),
			    "reload ./heat 100 a b -x;go [0:3] 0 0;wait [0:3];show [0:3];");
	/* Loaded and not started: nothing has to be loaded anew. */
	fake_state("0:3", JOB_LOADED);
	say("run");
	assert_string_equal(fake_calls(), "go [0:3] 0 0;wait [0:3];show [0:3];");
	assert_non_null(strstr(say("run <"), "a file is needed after <"));
	assert_non_null(strstr(say("run </nonexistent"), "cannot read /nonexistent"));
}

static void loading(void **state)
{
	/* What runs is not ended for a program that cannot be started. */
	assert_non_null(
		strstr(say("load ./nowhere 1 2"), "load: ./nowhere: there is no such file"));
	assert_string_equal(fake_calls(), "");
	assert_string_equal(say("load /bin/sh 1 2 -copies 4"),
			    "the new ranks replace the old ones\n"
			    "loaded /bin/sh, 4 ranks; run starts it\n");
	assert_string_equal(fake_calls(), "reload /bin/sh 1 2;");
	assert_int_equal(s->spec.n, 4);
	assert_non_null(strstr(say("load x -copies 0"), "1 to 65536"));
	assert_non_null(strstr(say("load x -copies 100000"), "1 to 65536"));
	assert_non_null(strstr(say("load"), "give a program"));
	assert_non_null(strstr(say("kill 3"), "type [N] kill"));
	assert_string_equal(fake_calls(), "");
	s->job = NULL;
	assert_non_null(strstr(say("cont"), "no program is loaded"));
}

static void sets(void **state)
{
	say("focus [0:1]");
	assert_string_equal(s->focus, "0:1");
	say("cont");
	assert_string_equal(fake_calls(), "go [0:1] 0 0;wait [0:1];show [0:1];");
	assert_string_equal(say("focus"), "[0:1] = [0:1]\n");
	assert_string_equal(say("focus [9]"), "error: there is no rank 9: ranks are 0 to 3\n");
	assert_string_equal(s->focus, "0:1");
	say("focus all");
	say("defset edge [0, 3]");
	assert_string_equal(say("viewset edge"), "edge  [0,3]  Set currently includes: [0,3]\n");
	assert_non_null(strstr(say("whichsets [3]"), "edge"));
	say("{0..1} go");
	assert_string_equal(fake_calls(), "go [0:1] 0 0;");
	assert_non_null(strstr(say("[0:1]"), "a command is needed after [0:1]"));
	fake_state("0:3", JOB_RUNNING);
	assert_non_null(strstr(say("[stopped] cont"), "the set [stopped] has no members now"));
}

static void aliases(void **state)
{
	say("alias two cont; step");
	say("[0] two 3");
	assert_string_equal(fake_calls(),
			    "go [0] 0 0;wait [0];show [0];go [0] 1 3;wait [0];show [0];");
	assert_string_equal(say("alias two"), "two  cont; step\n");
	say("unalias two");
	assert_non_null(strstr(say("two"), "unknown verb 'two'"));
	say("alias a b1");
	say("alias b1 a");
	assert_non_null(strstr(say("a"), "nest deeper"));
	assert_non_null(strstr(say("alias step step 2"), "step is a verb"));
	say("step");
	assert_string_equal(fake_calls(), "go [0:3] 1 1;wait [0:3];show [0:3];");
	say("[1] alias one \"step 2\"");
	say("[0] one");
	assert_string_equal(fake_calls(), "go [1] 1 2;wait [1];show [1];");
	say("alias again history");
	assert_non_null(strstr(say("again"), "history cannot be in an alias"));
	say("finish-loop");
	assert_non_null(strstr(fake_calls(), "go [0:3] 3 1;"));
}

static void history(void **state)
{
	say("step 2");
	say("cont");
	fake_calls();
	assert_string_equal(say("!st"), "step 2\n");
	assert_string_equal(fake_calls(), "go [0:3] 1 2;wait [0:3];show [0:3];");
	say("!2");
	assert_string_equal(fake_calls(), "go [0:3] 0 0;wait [0:3];show [0:3];");
	say("!!");
	assert_string_equal(fake_calls(), "go [0:3] 0 0;wait [0:3];show [0:3];");
	assert_non_null(strstr(say("!99"), "no earlier command"));
	assert_non_null(strstr(say("!zzz"), "no earlier command"));
	assert_non_null(strstr(say("history 2"), "cont"));
}

static void lines_can_be_continued(void **state)
{
	say("step \\");
	assert_string_equal(fake_calls(), "");
	assert_non_null(s->shell->pending);
	say(" 7");
	assert_string_equal(fake_calls(), "go [0:3] 1 7;wait [0:3];show [0:3];");
}

static void settings(void **state)
{
	say("set MAX_LIST = 7");
	assert_non_null(strstr(say("set MAX_LIST"), "MAX_LIST = 7"));
	say("set MAX_LIST 8");
	say("set max_list=9");
	assert_non_null(strstr(say("set max_list"), "MAX_LIST = 9"));
	assert_non_null(strstr(say("set FOO"), "unknown setting FOO"));
	assert_non_null(strstr(say("set MAX_LIST = x"), "it is a number, 1 to 10000"));
	say("set ON_EXIT = run");
	assert_true(s->spec.on_exit_run);
	say("unset MAX_LIST");
	assert_non_null(strstr(say("set MAX_LIST"), "MAX_LIST = 20"));
	say("set VERBOSE = ERR");
	fake_state("3", JOB_RUNNING);
	assert_string_equal(say("cont"), "");
}

/* Errors of files tell file and line and end the file. */
static void files(void **state)
{
	char path[] = "/tmp/dvmdbg-test-XXXXXX", line[200], want[200];
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	fputs("# a comment\nstep 2\n\nstep \\\n 3\nbrake 3\nstep 9\n", f);
	fclose(f);
	s->batch = true;
	snprintf(line, sizeof(line), "input %s", path);
	snprintf(want, sizeof(want), "%s:6: unknown verb 'brake'; near: break trace\n", path);
	assert_string_equal(say(line), want);
	assert_true(outcome_has(s->outcome, OUTCOME_ERROR));
	assert_string_equal(fake_calls(), "go [0:3] 1 2;wait [0:3];show [0:3];"
					  "go [0:3] 1 3;wait [0:3];show [0:3];");
	f = fopen(path, "w");
	fprintf(f, "input %s\n", path);
	fclose(f);
	assert_non_null(strstr(say(line), "nest deeper"));
	unlink(path);
	assert_non_null(strstr(say(line), "cannot read"));
}

static void completion(void **state)
{
	struct complete c = complete_line(s, "whe", 0, 3);

	assert_int_equal(c.n, 1);
	assert_string_equal(c.word[0], "where");
	free(c.word[0]);
	free(c.word);
	c = complete_line(s, "[0:1] step -f", 11, 13);
	assert_int_equal(c.n, 1);
	assert_string_equal(c.word[0], "-finish");
	free(c.word[0]);
	free(c.word);
	c = complete_line(s, "set stop_t", 4, 10);
	assert_int_equal(c.n, 1);
	assert_string_equal(c.word[0], "STOP_TIMER");
	free(c.word[0]);
	free(c.word);
	c = complete_line(s, "focus [sto", 6, 10);
	assert_int_equal(c.n, 1);
	assert_string_equal(c.word[0], "[stopped]");
	free(c.word[0]);
	free(c.word);
	c = complete_line(s, "b he", 2, 4);
	assert_int_equal(c.n, 0);
	assert_true(c.files);
}

static void odd_input_is_no_harm(void **state)
{
	const char *const lines[] = { "[",	 "[]",	       "{",	   "\"",	"print \"",
				      "break '", "!",	       "! ",	   ";",		"alias ;",
				      "set =",	 "set = =",    "points [", "list :",	"print -",
				      "help \\", "--",	       "-",	   "focus [!]", "defset",
				      "log",	 "history -1", "up x",	   "load \"" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		say(lines[i]);
		free(s->shell->pending);
		s->shell->pending = NULL;
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefixes_of_verbs),
		cmocka_unit_test(every_verb_is_described),
		TEST(comments_and_blank_lines),
		TEST(break_answers_and_sends),
		TEST(options_are_checked),
		TEST(going_on),
		TEST(members_that_cannot_go_are_reported),
		TEST(halting),
		TEST(running_again),
		TEST(loading),
		TEST(sets),
		TEST(aliases),
		TEST(history),
		TEST(lines_can_be_continued),
		TEST(settings),
		TEST(files),
		TEST(completion),
		TEST(odd_input_is_no_harm),
	};

	main_use_verbs();
	return cmocka_run_group_tests_name("cmd", tests, NULL, NULL);
}
