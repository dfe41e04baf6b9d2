/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of the conversation itself: alias unalias history input log help. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "frontend/alias.h"
#include "frontend/cmd_list.h"
#include "frontend/history.h"
#include "frontend/out.h"
#include "frontend/session.h"
#include "frontend/settings.h"
#include "frontend/shell.h"

static json_t *pair(const char *name, const char *text)
{
	return json_pack("{s:o s:o}", "name", out_json_text(name), "text", out_json_text(text));
}

static int run_alias(struct session *s, struct cmd_call *call, struct err *err)
{
	const struct alias *a = s->shell->alias;
	const char *name, *body = call->rest + strcspn(call->rest, " \t");
	char *word;
	json_t *list;
	int rc;

	body += strspn(body, " \t");
	word = strndup(call->rest, strcspn(call->rest, " \t"));
	if (!word)
		return err_set(err, "out of memory");
	if (*word && *body) {
		rc = alias_set(s->shell->alias, word, body, err);
		free(word);
		return rc;
	}
	if (*word && !alias_find(a, word)) {
		err_set(err, "there is no alias '%s'", word);
		free(word);
		return -1;
	}
	list = json_array();
	for (size_t i = 0; (name = alias_at(a, i, &body)); i++)
		if (!*word || !strcmp(word, name))
			json_array_append_new(list, pair(name, body));
	free(word);
	out_answer(s->out, json_pack("{s:s s:o s:s}", "type", "aliases", "list", list, "text",
				     "no aliases"));
	return 0;
}

const struct cmd cmd_alias = {
	.name = "alias",
	.args = "[name [body]]",
	.brief = "show or make aliases",
	.help = "The alias stands for its body; what follows the alias follows the body. ; in a "
		"body parts "
		"commands.",
	.example = "alias look where; print eps",
	.raw = true,
	.run = run_alias,
};

enum { UNALIAS_ALL };

static int run_unalias(struct session *s, struct cmd_call *call, struct err *err)
{
	if (call->option[UNALIAS_ALL]) {
		alias_unset_all(s->shell->alias);
		return 0;
	}
	if (!call->argc)
		return err_set(err, "unalias: a name is needed, or -all");
	for (int i = 0; i < call->argc; i++)
		if (alias_unset(s->shell->alias, call->argv[i], err))
			return -1;
	return 0;
}

const struct cmd cmd_unalias = {
	.name = "unalias",
	.args = "name | -all",
	.brief = "forget aliases",
	.help = "Those that are in place at the start can be forgotten too.",
	.example = "unalias look",
	.completes = "alias",
	.option = { [UNALIAS_ALL] = { "all", CMD_FLAG, "all aliases" } },
	.run = run_unalias,
};

static int run_history(struct session *s, struct cmd_call *call, struct err *err)
{
	const struct history *h = s->shell->history;
	size_t total = history_count(h);
	long n = settings_number(s->set, "MAX_HISTORY");
	json_t *list;
	char *end;

	if (call->argc) {
		n = strtol(call->argv[0], &end, 10);
		if (*end || n < 1 || call->argc > 1)
			return err_set(err, "history '%s': one number from 1 is allowed",
				       call->rest);
	}
	list = json_array();
	for (size_t i = total > (size_t)n ? total - (size_t)n + 1 : 1; i <= total; i++) {
		const char *line = history_at(h, i);

		if (line)
			json_array_append_new(list, json_pack("{s:I s:o}", "number", (json_int_t)i,
							      "text", out_json_text(line)));
	}
	out_answer(s->out, json_pack("{s:s s:o}", "type", "history", "list", list));
	return 0;
}

const struct cmd cmd_history = {
	.name = "history",
	.args = "[n]",
	.brief = "the last commands, with their numbers",
	.help = "!! repeats the last command, !n number n, !-n the n-th last, !text the last that "
		"begins with "
		"text. MAX_HISTORY commands are shown.",
	.example = "history 5",
	.run = run_history,
};

static int run_input(struct session *s, struct cmd_call *call, struct err *err)
{
	if (call->argc != 1)
		return err_set(err, "input: the name of one file is needed");
	return cmd_file(s, call->argv[0], err);
}

const struct cmd cmd_input = {
	.name = "input",
	.args = "file",
	.brief = "run the commands of a file",
	.help = "A line is a command; a backslash at its end continues it in the next, # begins a "
		"comment. The "
		"first error ends the file and is told with file and line.",
	.example = "input try.dbg",
	.completes = "file",
	.run = run_input,
};

enum { LOG_QUIET, LOG_OUTPUT, LOG_INPUT, LOG_OFF };

static void log_end(struct session *s)
{
	struct shell *sh = s->shell;

	out_set_log(s->out, NULL);
	out_set_quiet(s->out, false);
	if (sh->log)
		fclose(sh->log);
	sh->log = NULL;
}

static int run_log(struct session *s, struct cmd_call *call, struct err *err)
{
	struct shell *sh = s->shell;
	FILE *f;

	if (call->option[LOG_OFF] && call->argc)
		return err_set(err, "log: a file and -off do not go together");
	if (call->option[LOG_OUTPUT] && call->option[LOG_INPUT])
		return err_set(err, "log: only one of -output and -input can be given");
	if (call->option[LOG_OFF]) {
		log_end(s);
		return 0;
	}
	if (call->argc != 1)
		return err_set(err, "log: the name of one file is needed, or -off");
	f = fopen(call->argv[0], "ae");
	if (!f)
		return err_set(err, "log: cannot write %s: %s", call->argv[0], strerror(errno));
	log_end(s);
	sh->log = f;
	sh->log_input = !call->option[LOG_OUTPUT];
	sh->log_output = !call->option[LOG_INPUT];
	out_set_log(s->out, sh->log_output ? f : NULL);
	out_set_quiet(s->out, call->option[LOG_QUIET]);
	return 0;
}

const struct cmd cmd_log = {
	.name = "log",
	.args = "file [-quiet] [-output | -input] | -off",
	.brief = "keep a copy of commands and answers in a file",
	.help = "What is there already stays; the copy is appended.",
	.example = "log session.txt",
	.completes = "file",
	.option = { [LOG_QUIET] = { "quiet", CMD_FLAG, "answers go to the file only" },
		    [LOG_OUTPUT] = { "output", CMD_FLAG, "only answers" },
		    [LOG_INPUT] = { "input", CMD_FLAG, "only commands" },
		    [LOG_OFF] = { "off", CMD_FLAG, "end the copy" } },
	.run = run_log,
};

static const char *const topics[][2] = {
	{ "sets",
	  "Before a command a set in brackets says for which ranks it is: [2], [0:3], [0,4:7], "
	  "[all], "
	  "[stopped], [running], [exited], [waiting], [lost], or a name made with defset. {0..3} "
	  "and "
	  "0-3 are understood too. Without one the current set holds, which is the prompt." },
	{ "points",
	  "Parallel loops (PL) and task regions (TR) are numbered as they are executed, the same "
	  "for any "
	  "number of ranks. 6.B is the beginning and 6.E the end of number 6; 256.3.4.B is the "
	  "beginning of the 4th loop in task 3 of region 256." },
	{ "locations",
	  "A place to stop at or to list: a point (13.B), file:line, #file#line, a line of the "
	  "current file, or a procedure or construct that announces its name." },
	{ "expressions",
	  "Names of registered objects, fields p.x, sections a[2:5][*] or a(2:5,*) with both ends "
	  "inclusive, strides a[0:9:2], lists a[{1,4,9}], numbers, + - * / %, comparisons, && || "
	  "!, "
	  "parentheses. Indices are global." },
};

static json_t *verb_json(const struct cmd *c)
{
	json_t *options = json_array(), *o;

	for (int i = 0; i < CMD_OPTIONS && c->option[i].name; i++)
		json_array_append_new(options, pair(c->option[i].name, c->option[i].help));
	o = json_pack("{s:s s:s s:s s:s s:s s:o}", "type", "verb", "name", c->name, "args", c->args,
		      "brief", c->brief, "text", c->help, "options", options);
	if (c->example)
		json_object_set_new(o, "example", json_string(c->example));
	return o;
}

static int run_help(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *topic = call->argc ? call->argv[0] : NULL, *body;
	const struct cmd *c;
	json_t *list;

	for (size_t i = 0; topic && i < sizeof(topics) / sizeof(topics[0]); i++) {
		if (strcmp(topics[i][0], topic))
			continue;
		out_answer(s->out, json_pack("{s:s s:s s:s s:s}", "type", "verb", "name", topic,
					     "args", "", "text", topics[i][1]));
		/* "points" is a verb as well */
		c = cmd_find(topic, NULL);
		if (c && !strcmp(c->name, topic))
			out_answer(s->out, verb_json(c));
		return 0;
	}
	body = topic ? alias_find(s->shell->alias, topic) : NULL;
	if (body) {
		list = json_array();
		json_array_append_new(list, pair(topic, body));
		out_answer(s->out, json_pack("{s:s s:o}", "type", "aliases", "list", list));
		return 0;
	}
	if (topic) {
		c = cmd_find(topic, err);
		if (!c)
			return -1;
		out_answer(s->out, verb_json(c));
		return 0;
	}
	list = json_array();
	for (size_t i = 0; cmd_table[i]; i++)
		json_array_append_new(list, pair(cmd_table[i]->name, cmd_table[i]->brief));
	json_array_append_new(list, pair("help verb", "more about a verb; also help sets, points, "
						      "locations, expressions"));
	out_answer(s->out, json_pack("{s:s s:o}", "type", "help", "list", list));
	return 0;
}

const struct cmd cmd_help = {
	.name = "help",
	.args = "[verb | topic]",
	.brief = "this list, or more about a verb",
	.help = "Topics beside the verbs: sets, points, locations, expressions.",
	.example = "help break",
	.completes = "verb",
	.run = run_help,
};

static int run_tui(struct session *s, struct cmd_call *call, struct err *err)
{
	if (!s->can_fill_screen)
		return err_set(err, "tui: a session at a terminal is needed, without --batch and "
				    "--json");
	if (!*call->rest) {
		s->fill_screen = !s->fill_screen;
		return 0;
	}
	free(s->shell->show);
	s->shell->show = strdup(call->rest);
	s->fill_screen = true;
	return s->shell->show ? 0 : err_set(err, "out of memory");
}

const struct cmd cmd_tui = {
	.name = "tui",
	.args = "[view [object]]",
	.brief = "the full screen, and back to the prompt",
	.help = "The full screen shows source, stack, points and more at a time; its keys run "
		"verbs, and ? there lists them. Ctrl-X a does the same in the middle of a line, "
		"which is kept. With a view, the full screen shows that: source, stack, points, findings, "
		"ranks, values, output, log, array or diff; the last two with an array, an "
		"element of it, or a section.",
	.example = "tui array u[17][4]",
	.completes = "object",
	.raw = true,
	.run = run_tui,
};
