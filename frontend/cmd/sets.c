/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of sets: focus defset undefset viewset whichsets. */
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "frontend/ask.h"
#include "frontend/cmd_list.h"
#include "frontend/focus.h"
#include "frontend/out.h"
#include "frontend/session.h"
#include "frontend/shell.h"

/* The set that a word is, with or without brackets; allocated; NULL and err. */
static char *set_text(const char *word, struct err *err)
{
	char *text = NULL;
	int used = focus_prefix(word, &text, err);

	if (used < 0)
		return NULL;
	if (!used)
		text = strdup(word);
	else if (word[used]) {
		err_set(err, "'%s' is no set: something follows the bracket", word);
		free(text);
		return NULL;
	}
	if (!text)
		err_set(err, "out of memory");
	return text;
}

/* Ranks of the set as text, "[]" when it cannot be evaluated now. */
static json_t *ranks_now(struct session *s, const char *text)
{
	struct focus_env env = shell_sets(s);
	struct rankset ranks = { 0 };
	json_t *o = NULL;

	if (!focus_eval(s->shell->focus, text, &env, &ranks, NULL, NULL))
		o = ask_ranks(&ranks);
	rankset_clear(&ranks);
	return o ? o : json_string("[]");
}

static int run_focus(struct session *s, struct cmd_call *call, struct err *err)
{
	struct rankset ranks = { 0 };
	char *text;

	if (call->argc > 1)
		return err_set(err, "focus takes one set, not '%s'", call->rest);
	if (!call->argc) {
		out_answer(s->out,
			   json_pack("{s:s s:o s:o}", "type", "focus", "set",
				     out_json_text(s->focus), "ranks", ranks_now(s, s->focus)));
		return 0;
	}
	text = set_text(call->argv[0], err);
	if (!text)
		return -1;
	if (shell_eval(s, text, &ranks, err)) {
		free(text);
		return -1;
	}
	rankset_clear(&ranks);
	free(s->focus);
	s->focus = text;
	return 0;
}

const struct cmd cmd_focus = {
	.name = "focus",
	.args = "[set]",
	.brief = "change the current set, which is the prompt",
	.help = "Commands apply to the current set unless a set stands before them. Names like "
		"stopped are "
		"evaluated each time they are used. Without a set it shows the current one.",
	.both = CMD_ONE,
	.example = "focus [0:3]",
	.completes = "set",
	.run = run_focus,
};

static int run_defset(struct session *s, struct cmd_call *call, struct err *err)
{
	struct focus_env env = shell_sets(s);
	char *text;
	int rc;

	if (call->argc != 2)
		return err_set(err, "defset: a name and a set are needed, as in defset edge [0,3]");
	text = set_text(call->argv[1], err);
	if (!text)
		return -1;
	rc = focus_define(s->shell->focus, call->argv[0], text, &env, err);
	free(text);
	return rc;
}

const struct cmd cmd_defset = {
	.name = "defset",
	.args = "name [set]",
	.brief = "give a set a name",
	.help = "The set is evaluated when it is used; with ! before its members it is fixed now, "
		"as in "
		"[!stopped].",
	.both = CMD_ONE,
	.example = "defset edge [0,3]",
	.completes = "set",
	.run = run_defset,
};

enum { UNDEFSET_ALL };

static int run_undefset(struct session *s, struct cmd_call *call, struct err *err)
{
	if (call->option[UNDEFSET_ALL]) {
		focus_undefine_all(s->shell->focus);
		return 0;
	}
	if (!call->argc)
		return err_set(err, "undefset: a name is needed, or -all");
	for (int i = 0; i < call->argc; i++)
		if (focus_undefine(s->shell->focus, call->argv[i], err))
			return -1;
	return 0;
}

const struct cmd cmd_undefset = {
	.name = "undefset",
	.args = "name | -all",
	.brief = "forget named sets",
	.help = "Built-in sets cannot be forgotten.",
	.both = CMD_ONE,
	.example = "undefset edge",
	.completes = "set",
	.option = { [UNDEFSET_ALL] = { "all", CMD_FLAG, "all named sets" } },
	.run = run_undefset,
};

static void list_set(struct session *s, json_t *list, const char *name, const char *text)
{
	char shown[300];

	snprintf(shown, sizeof(shown), "[%s]", text);
	json_array_append_new(list, json_pack("{s:o s:o s:o}", "name", out_json_text(name), "text",
					      out_json_text(shown), "ranks", ranks_now(s, name)));
}

static int run_viewset(struct session *s, struct cmd_call *call, struct err *err)
{
	json_t *list = json_array();
	const char *name, *text;
	bool found = !call->argc;

	for (size_t i = 0; (name = focus_builtin(i)); i++)
		if (!call->argc || !strcmp(name, call->argv[0])) {
			list_set(s, list, name, name);
			found = true;
		}
	for (size_t i = 0; (name = focus_name(s->shell->focus, i, &text)); i++)
		if (!call->argc || !strcmp(name, call->argv[0])) {
			list_set(s, list, name, text);
			found = true;
		}
	if (!found) {
		json_decref(list);
		return err_set(err, "there is no set '%s'", call->argv[0]);
	}
	out_answer(s->out, json_pack("{s:s s:o}", "type", "sets", "list", list));
	return 0;
}

const struct cmd cmd_viewset = {
	.name = "viewset",
	.args = "[name]",
	.brief = "the members of named sets",
	.help = "All sets, built in and defined, or the one that is named, with the ranks that are "
		"in it now.",
	.both = CMD_ONE,
	.example = "viewset stopped",
	.completes = "set",
	.run = run_viewset,
};

/* Adds the named set when it has all of the ranks. */
static void list_if_covers(struct session *s, json_t *list, const char *name, const char *text,
			   const struct rankset *ranks)
{
	struct focus_env env = shell_sets(s);
	struct rankset have = { 0 };

	if (!focus_eval(s->shell->focus, name, &env, &have, NULL, NULL) &&
	    rankset_covers(&have, ranks))
		list_set(s, list, name, text);
	rankset_clear(&have);
}

static int run_whichsets(struct session *s, struct cmd_call *call, struct err *err)
{
	struct rankset ranks = { 0 };
	const char *name, *text;
	json_t *list;
	char *asked;
	int rc;

	if (call->argc > 1)
		return err_set(err, "whichsets takes one set, not '%s'", call->rest);
	asked = call->argc ? set_text(call->argv[0], err) : strdup(s->focus);
	if (!asked)
		return -1;
	rc = shell_eval(s, asked, &ranks, err);
	free(asked);
	if (rc)
		return -1;
	list = json_array();
	for (size_t i = 0; (name = focus_builtin(i)); i++)
		list_if_covers(s, list, name, name, &ranks);
	for (size_t i = 0; (name = focus_name(s->shell->focus, i, &text)); i++)
		list_if_covers(s, list, name, text, &ranks);
	rankset_clear(&ranks);
	out_answer(s->out, json_pack("{s:s s:o s:s}", "type", "sets", "list", list, "text",
				     "no named set has all of them"));
	return 0;
}

const struct cmd cmd_whichsets = {
	.name = "whichsets",
	.args = "[set]",
	.brief = "the named sets that have all members of a set",
	.help = "Without a set it looks for the members of the current one.",
	.both = CMD_ONE,
	.example = "whichsets [2]",
	.completes = "set",
	.run = run_whichsets,
};
