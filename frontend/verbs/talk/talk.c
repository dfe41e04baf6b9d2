/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of the conversation itself: alias unalias history input help tui. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/model/alias.h"
#include "frontend/cmd/cmd.h"
#include "frontend/model/history.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

static json_t *pair(const char *name, const char *text)
{
	return json_pack("{s:o s:o}", "name", out_json_text(name), "text", out_json_text(text));
}

/* Takes quotes round the whole body away. */
static char *unquoted(const char *body)
{
	size_t len = strlen(body);

	if (len > 1 && (*body == '"' || *body == '\'') && strchr(body + 1, *body) == body + len - 1)
		return xstrndup(body + 1, len - 2);
	return xstrdup(body);
}

static json_t *alias_json(const struct alias *a, const char *name, const char *body)
{
	const char *set = alias_set_of(a, name);
	char *text;
	json_t *o;

	text = xasprintf("%s%s%s%s", set ? "[" : "", set ? set : "", set ? "] " : "", body);
	o = pair(name, text);
	free(text);
	return o;
}

static bool is_verb(const char *name)
{
	const struct cmd *cmd = cmd_find(name, NULL);

	return cmd && !strcmp(cmd->name, name);
}

static int define(struct session *s, const char *name, const char *body, const char *set,
		  struct err *err)
{
	struct alias *a = s->shell->alias;
	const char *old = alias_find(a, name);
	char *text;
	int rc;

	if (is_verb(name))
		return err_set(err, "alias: %s is a verb and cannot be an alias", name);
	text = unquoted(body);
	if (old && shell_checks(s) > CHECKS_MIN)
		out_warning(s->out, "alias %s was '%s'", name, old);
	rc = alias_set(a, name, text, set, err);
	free(text);
	return rc;
}

static int run_alias(struct session *s, struct cmd_call *call, struct err *err)
{
	const struct alias *a = s->shell->alias;
	const char *name, *body = call->rest + strcspn(call->rest, " \t");
	char *word;
	json_t *list;
	int rc;

	body += strspn(body, " \t");
	word = xstrndup(call->rest, strcspn(call->rest, " \t"));
	if (*word && *body) {
		rc = define(s, word, body, call->set, err);
		free(word);
		return rc;
	}
	if (*word && !alias_find(a, word)) {
		out_warning(s->out, "there is no alias '%s'", word);
		free(word);
		return 0;
	}
	list = json_array();
	for (size_t i = 0; (name = alias_at(a, i, &body)); i++)
		if (!*word || !strcmp(word, name))
			json_array_append_new(list, alias_json(a, name, body));
	free(word);
	out_answer(s->out, out_json_list("aliases", list, "no aliases"));
	return 0;
}

const struct cmd cmd_alias = {
	.name = "alias",
	.args = "[name [body]]",
	.brief = "show or make aliases",
	.help = "The alias is replaced by its body, which may be quoted; what follows the alias "
		"follows the body. ; in a body separates commands. A set before alias is kept and "
		"applies to the body's commands. A body may contain other aliases, but neither "
		"alias, history nor !.",
	.example = "alias look where; print eps",
	.completes = "alias verb",
	.raw = true,
	.no_set = true,
	.run = run_alias,
};

enum { UNALIAS_ALL };

/* Forgets it; a name that is none is warned of. */
static int forget_alias(struct session *s, const char *name, struct err *err)
{
	struct alias *a = s->shell->alias;
	const char *body = alias_find(a, name);

	if (body) {
		out_detail(s->out, "unalias: %s was '%s'", name, body);
		return alias_unset(a, name, err);
	}
	if (is_verb(name))
		return err_set(err, "unalias: %s is a verb, not an alias", name);
	out_warning(s->out, "there is no alias '%s'", name);
	return 0;
}

static int run_unalias(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *name;

	if (call->option[UNALIAS_ALL]) {
		while ((name = alias_at(s->shell->alias, 0, NULL)))
			if (forget_alias(s, name, err))
				return -1;
		return 0;
	}
	if (!call->argc)
		return err_set(err, "unalias: give a name, or -all");
	for (int i = 0; i < call->argc; i++)
		if (forget_alias(s, call->argv[i], err))
			return -1;
	return 0;
}

const struct cmd cmd_unalias = {
	.name = "unalias",
	.args = "name | -all",
	.brief = "delete aliases",
	.help = "The built-in aliases can be deleted too. With VERBOSE ALL it shows the bodies.",
	.example = "unalias look",
	.completes = "alias",
	.no_set = true,
	.option = { [UNALIAS_ALL] = { "all", CMD_FLAG, "all aliases" } },
	.run = run_unalias,
};

static int run_history(struct session *s, struct cmd_call *call, struct err *err)
{
	const struct history *h = s->shell->history;
	size_t total = history_count(h);
	long n = settings_number(s->set, "MAX_HISTORY");
	json_t *list;

	if (s->shell->nesting)
		return err_set(err, "history works at the prompt, not in files and aliases");
	if (call->argc && (call->argc > 1 || parse_int(call->argv[0], 1, INT64_MAX, &n)))
		return err_set(err, "history '%s': one number from 1 is allowed", call->rest);
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
	.no_set = true,
	.run = run_history,
};

static int run_input(struct session *s, struct cmd_call *call, struct err *err)
{
	if (call->argc != 1)
		return err_set(err, "input: give the name of one file");
	return cmd_file(s, call->argv[0], err);
}

const struct cmd cmd_input = {
	.name = "input",
	.args = "file",
	.brief = "run the commands of a file",
	.help = "Each line is a command; a backslash at its end continues it in the next, # begins "
		"a comment. An error is reported with file and line and ends the file; at a "
		"terminal dvmdbg asks whether to go on.",
	.example = "input try.dbg",
	.no_set = true,
	.completes = "file",
	.run = run_input,
};

static int run_tui(struct session *s, struct cmd_call *call, struct err *err)
{
	if (!s->can_fill_screen)
		return err_set(err, "tui: this needs a session at a terminal, without --batch and "
				    "--json");
	if (!*call->rest) {
		s->fill_screen = !s->fill_screen;
		return 0;
	}
	free(s->shell->show);
	s->shell->show = xstrdup(call->rest);
	s->fill_screen = true;
	return 0;
}

const struct cmd cmd_tui = {
	.name = "tui",
	.args = "[view [object]]",
	.brief = "the full screen, and back to the prompt",
	.help = "The full screen shows source, stack, points and more at a time; its keys run "
		"verbs, and ? lists them. Ctrl-X a opens it in the middle of a line, which is "
		"kept. With a view it shows that view: source, stack, points, findings, ranks, "
		"values, output, log, array, diff or timeline; array and diff with an array, an "
		"element of "
		"it, or a section, timeline with a directory of traces.",
	.example = "tui array u[17][4]",
	.no_set = true,
	.completes = "=source|=stack|=points|=findings|=ranks|=values|=output|=log|=array|=diff|="
		     "timeline object|file",
	.raw = true,
	.run = run_tui,
};
