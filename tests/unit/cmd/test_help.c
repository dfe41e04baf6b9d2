/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/logical/rankset.h"
#include "frontend/render/render.h"
#include "frontend/main/main.h"
#include "frontend/model/alias.h"
#include "frontend/cmd/cmd.h"
#include "frontend/model/focus.h"
#include "frontend/util/pattern.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
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

static const char *say(const char *line)
{
	cmd_line(s, line);
	return fake_printed();
}

/* The verb of an example, when it parses as one; NULL and err. */
static const struct cmd *parse(const char *example, struct err *err)
{
	struct cmd_parsed parsed;
	struct cmd_call call = { 0 };
	const struct cmd *cmd;
	char *set = NULL, *verb;
	int used = focus_prefix(example, &set, err);
	const char *body;

	free(set);
	if (used < 0)
		return NULL;
	example += used;
	example += strspn(example, " ");
	verb = strndup(example, strcspn(example, " "));
	body = alias_find(s->shell->alias, verb);
	if (body) {
		free(verb);
		verb = strndup(body, strcspn(body, " "));
	}
	cmd = cmd_find(verb, err);
	free(verb);
	if (!cmd || cmd_parse(cmd, example + strcspn(example, " "), &call, &parsed, err))
		return NULL;
	cmd_parsed_clear(&parsed);
	return cmd;
}

static void every_verb_has_an_example_that_parses(void **state)
{
	for (size_t i = 0; cmd_at(i); i++) {
		struct err err = { "" };
		const struct cmd *c = parse(cmd_at(i)->example, &err);

		if (c != cmd_at(i))
			fail_msg("%s: the example '%s' is none: %s", cmd_at(i)->name,
				 cmd_at(i)->example, err.text);
	}
}

static void every_topic_has_examples_that_parse(void **state)
{
	for (size_t i = 0; topics[i].name; i++) {
		const struct topic *t = &topics[i];

		assert_true(*t->brief && *t->text && t->example[0]);
		for (int k = 0; k < TOPIC_EXAMPLES && t->example[k]; k++) {
			struct err err = { "" };

			if (*t->example[k] != '#' && !parse(t->example[k], &err))
				fail_msg("%s: '%s': %s", t->name, t->example[k], err.text);
		}
	}
}

/* Patterns among the examples are patterns. */
static void examples_of_patterns_are_patterns(void **state)
{
	const struct topic *t = topic_find("patterns");

	for (int k = 0; k < TOPIC_EXAMPLES && t->example[k]; k++) {
		struct err err = { "" };
		struct search *made = search_create(strchr(t->example[k], ' ') + 1, &err);

		assert_string_equal(err.text, "");
		assert_non_null(made);
		search_destroy(made);
	}
}

/* Kinds of words that the table names are those that completion knows. */
static void kinds_of_words_are_known(void **state)
{
	for (size_t i = 0; cmd_at(i); i++) {
		const struct cmd *c = cmd_at(i);

		for (int k = -1; k < CMD_OPTIONS; k++) {
			const char *p = k < 0 ? c->completes : c->values[k];

			if (k >= 0 && p)
				assert_non_null(c->option[k].name);
			while (p && *p) {
				size_t n = strcspn(p, "| ");

				if (!complete_known(p, n))
					fail_msg("%s: no kind '%s'", c->name, p);
				p += n + (p[n] != 0);
			}
		}
	}
}

static void every_verb_is_in_a_group(void **state)
{
	unsigned in[CMD_GROUPS] = { 0 };

	for (size_t i = 0; cmd_at(i); i++)
		in[cmd_group(i)]++;
	for (int g = 0; g < CMD_GROUPS; g++) {
		assert_true(in[g] > 0);
		assert_true(*cmd_group_title((enum cmd_group)g));
	}
	for (size_t i = 0; cmd_at(i); i++)
		if (!strcmp(cmd_at(i)->name, "where"))
			assert_true(cmd_standard(i));
		else if (!strcmp(cmd_at(i)->name, "decomp"))
			assert_false(cmd_standard(i));
}

static void what_is_more_to_say_is_of_settings(void **state)
{
	for (size_t i = 0; settings_more_name(i); i++) {
		bool found = false;

		for (size_t k = 0; settings_name(k); k++)
			found = found || !strcmp(settings_name(k), settings_more_name(i));
		if (!found)
			fail_msg("there is no setting %s", settings_more_name(i));
	}
}

/* Words of gdb are no verbs of ours, and what they are answered with can be typed. */
static void words_of_gdb_are_not_ours(void **state)
{
	const char *words, *has, *type;
	struct err err;

	for (size_t i = 0; habit_at(i, &words, &has, &type); i++) {
		for (const char *p = words; *p;) {
			size_t n = strcspn(p, " ");
			char word[64];

			snprintf(word, sizeof(word), "%.*s", (int)n, p);
			for (size_t k = 0; cmd_at(k); k++)
				assert_string_not_equal(cmd_at(k)->name, word);
			assert_null(alias_find(s->shell->alias, word));
			err.text[0] = 0;
			if (cmd_find(word, &err))
				fail_msg("%s is taken for %s", word, cmd_find(word, &err)->name);
			assert_non_null(strstr(err.text, ": dvmdbg has "));
			assert_non_null(strstr(err.text, type));
			p += n + strspn(p + n, " ");
		}
	}
	for (size_t i = 0; habit_subject(i); i++)
		assert_non_null(parse(habits_info(habit_subject(i), &err), &err));
}

static void help_of_everything(void **state)
{
	char line[100], want[100];

	for (size_t i = 0; cmd_at(i); i++) {
		const char *said;

		snprintf(line, sizeof(line), "help %s", cmd_at(i)->name);
		snprintf(want, sizeof(want), "Example: %.80s", cmd_at(i)->example);
		said = say(line);
		assert_non_null(strstr(said, want));
		assert_true(strncmp(said, "error: ", 7) != 0);
	}
	for (size_t i = 0; topics[i].name; i++) {
		snprintf(line, sizeof(line), "help %s", topics[i].name);
		assert_non_null(strstr(say(line), topics[i].example[0]));
	}
	for (size_t i = 0; settings_name(i); i++) {
		snprintf(line, sizeof(line), "help %s", settings_name(i));
		snprintf(want, sizeof(want), "%s: a setting: ", settings_name(i));
		assert_memory_equal(say(line), want, strlen(want));
	}
	say("help");
	for (size_t i = 0; cmd_at(i); i++) {
		snprintf(want, sizeof(want), "\n  %s ", cmd_at(i)->name);
		assert_non_null(strstr(text, want));
	}
	assert_non_null(strstr(text, "\n  exit-status "));
	assert_non_null(strstr(say("help exit status"), "0: all was compared"));
	assert_string_equal(say("help bt"), "bt  where\n");
	assert_non_null(strstr(say("help whe"), "where ["));
}

static void help_of_what_there_is_not(void **state)
{
	assert_string_equal(say("help brek"),
			    "warning: there is no help for 'brek'; near: break\n");
	assert_string_equal(say("help sectoins"),
			    "warning: there is no help for 'sectoins'; near: sections\n");
	assert_string_equal(say("help STOP_TIMES"),
			    "warning: there is no help for 'STOP_TIMES'; near: STOP_TIMER\n");
	assert_string_equal(say("help qqqqqq"),
			    "warning: there is no help for 'qqqqqq'; help lists verbs and topics, "
			    "search searches the program\n");
	assert_non_null(strstr(say("help tbreak"), "dvmdbg has"));
	assert_non_null(strstr(say("help f"), "type where"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_verb_has_an_example_that_parses),
		TEST(every_topic_has_examples_that_parse),
		cmocka_unit_test(examples_of_patterns_are_patterns),
		cmocka_unit_test(kinds_of_words_are_known),
		cmocka_unit_test(every_verb_is_in_a_group),
		cmocka_unit_test(what_is_more_to_say_is_of_settings),
		TEST(words_of_gdb_are_not_ours),
		TEST(help_of_everything),
		TEST(help_of_what_there_is_not),
	};

	main_use_verbs();
	render_use();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
