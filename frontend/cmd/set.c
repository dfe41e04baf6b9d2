/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of settings and of the session's state: set unset info findings. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/err.h"
#include "common/finding.h"
#include "frontend/actionpoints.h"
#include "frontend/cmd_list.h"
#include "frontend/findings.h"
#include "frontend/out.h"
#include "frontend/session.h"
#include "frontend/settings.h"
#include "frontend/shell.h"

static json_t *setting_json(const struct session *s, size_t i)
{
	char allowed[256];

	return json_pack("{s:s s:o s:s s:s s:s}", "name", settings_name(i), "value",
			 out_json_text(settings_text(s->set, settings_name(i))), "allowed",
			 settings_allowed(i, allowed, sizeof(allowed)), "help", settings_help(i),
			 "default", settings_default(i));
}

/* All settings, or the one with the name. */
static int list_settings(struct session *s, const char *name, struct err *err)
{
	json_t *list = json_array();

	for (size_t i = 0; settings_name(i); i++)
		if (!name || !strcasecmp(name, settings_name(i)))
			json_array_append_new(list, setting_json(s, i));
	if (!json_array_size(list)) {
		json_decref(list);
		return settings_unset(s->set, name, err); /* words the error */
	}
	out_answer(s->out, json_pack("{s:s s:o}", "type", "settings", "list", list));
	return 0;
}

/* Takes quotes round the whole value away. */
static char *unquote(char *value)
{
	size_t len = strlen(value);

	if (len < 2 || (*value != '"' && *value != '\'') || value[len - 1] != *value)
		return value;
	value[len - 1] = 0;
	return value + 1;
}

static int run_set(struct session *s, struct cmd_call *call, struct err *err)
{
	char *copy, *value, *name;
	size_t len;
	int rc;

	if (!*call->rest)
		return list_settings(s, NULL, err);
	copy = strdup(call->rest);
	if (!copy)
		return err_set(err, "out of memory");
	name = copy + (*copy == '$');
	len = strcspn(name, " \t=");
	value = name + len + strspn(name + len, " \t");
	if (!*value) {
		name[len] = 0;
		rc = list_settings(s, name, err);
	} else {
		value += *value == '=';
		value += strspn(value, " \t");
		name[len] = 0;
		rc = shell_set(s, name, unquote(value), err);
	}
	free(copy);
	return rc;
}

const struct cmd cmd_set = {
	.name = "set",
	.args = "[NAME [= value]]",
	.brief = "show or change settings",
	.help = "Without a name all settings with what they are, can be, and do; with a name that "
		"one; with a "
		"value it is changed.",
	.both = CMD_SETS,
	.example = "set STOP_TIMER = 10",
	.completes = "setting",
	.raw = true,
	.run = run_set,
};

static int run_unset(struct session *s, struct cmd_call *call, struct err *err)
{
	if (!call->argc)
		return err_set(err, "unset: the name of a setting is needed");
	for (int i = 0; i < call->argc; i++)
		if (shell_unset(s, call->argv[i], err))
			return -1;
	return 0;
}

const struct cmd cmd_unset = {
	.name = "unset",
	.args = "NAME",
	.brief = "set a setting back to its default",
	.help = "The default is shown by set --json and in the manual.",
	.both = CMD_SETS,
	.example = "unset STOP_TIMER",
	.completes = "setting",
	.run = run_unset,
};

static void pair(json_t *list, const char *name, const char *text)
{
	json_array_append_new(list,
			      json_pack("{s:s s:o}", "name", name, "text", out_json_text(text)));
}

static void pair_number(json_t *list, const char *name, unsigned long long n)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", n);
	pair(list, name, text);
}

static int run_info(struct session *s, struct cmd_call *call, struct err *err)
{
	json_t *list;
	char text[1024] = "";
	size_t used = 0;

	list = json_array();
	for (int i = 0; s->spec.argv && s->spec.argv[i] && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 s->spec.argv[i]);
	pair(list, "program", *text ? text : "none");
	if (s->job) {
		pair_number(list, "ranks", (unsigned long long)job_size(s->job));
		pair(list, "annotated", job_annotated(s->job) ? "yes" : "no");
		pair_number(list, "goes", job_gen(s->job));
		pair_number(list, "bytes received", job_bytes_in(s->job));
	}
	pair(list, "launcher", s->spec.launcher ? s->spec.launcher : "chosen by the program's MPI");
	pair(list, "transport", s->spec.transport ? s->spec.transport : "auto");
	pair(list, "input", s->spec.input ? s->spec.input : "/dev/null");
	pair_number(list, "actionpoints", actionpoints_count(s->acts));
	pair_number(list, "findings", findings_count(s->findings));
	snprintf(text, sizeof(text), "[%s]", s->focus);
	pair(list, "current set", text);
	if (s->shell->file) {
		snprintf(text, sizeof(text), "%s:%u", s->shell->file, s->shell->line);
		pair(list, "current place", text);
	}
	out_answer(s->out, json_pack("{s:s s:o}", "type", "info", "list", list));
	return 0;
}

const struct cmd cmd_info = {
	.name = "info",
	.args = "",
	.brief = "the session: program, ranks, launcher, counts",
	.help = "What is loaded and how, and how much there is of everything. status, actions, "
		"set, what, viewset and findings tell more.",
	.both = CMD_SHOW,
	.example = "info",
	.run = run_info,
};

enum { FINDINGS_KIND, FINDINGS_ALL };

static bool kind_known(const char *key)
{
	for (unsigned k = 0; k < FINDING_KINDS; k++)
		if (!strcmp(finding_key(k), key))
			return true;
	return false;
}

static int unknown_kind(const char *key, struct err *err)
{
	char names[300] = "";
	size_t used = 0;

	for (unsigned k = 0; k < FINDING_KINDS && used < sizeof(names); k++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " %s", finding_key(k));
	return err_set(err, "findings -kind %s: there are the kinds%s", key, names);
}

static int run_findings(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *kind = call->option[FINDINGS_KIND];
	json_t *answer, *list;

	if (kind && !kind_known(kind))
		return unknown_kind(kind, err);
	answer = findings_list(s->findings, call->option[FINDINGS_ALL]);
	list = json_object_get(answer, "list");
	for (size_t i = json_array_size(list); kind && i--;)
		if (strcmp(json_string_value(json_object_get(json_array_get(list, i), "kind")),
			   kind))
			json_array_remove(list, i);
	out_answer(s->out, answer);
	return 0;
}

const struct cmd cmd_findings = {
	.name = "findings",
	.args = "[-kind k] [-all]",
	.brief = "what has been found wrong in the program",
	.help = "The findings of the newest run, or of all.",
	.both = CMD_SHOW,
	.example = "findings -kind numbering",
	.option = { [FINDINGS_KIND] = { "kind", CMD_STRING, "only of this kind" },
		    [FINDINGS_ALL] = { "all", CMD_FLAG, "of all runs of the session" } },
	.run = run_findings,
};
