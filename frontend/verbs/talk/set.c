/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of settings and of the session's state: set unset info findings. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/protocol/finding_kind.h"
#include "frontend/export/sarif.h"
#include "frontend/verify/verify.h"
#include "frontend/model/actionpoints.h"
#include "frontend/cmd/cmd.h"
#include "frontend/data/fetch.h"
#include "frontend/hang/hang.h"
#include "frontend/model/ask.h"
#include "frontend/model/findings.h"
#include "frontend/output/logs.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

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

static const char *const path_names[] = { "EXECUTABLE_PATH", "SOURCE_PATH" };

/* Appends a word of a path to out, with a colon between; $EXECUTABLE_PATH and $SOURCE_PATH are what
 * they are now. */
static size_t add_path(struct session *s, const char *word, size_t len, char *out, size_t used)
{
	if (!len)
		return used;
	for (size_t i = 0; i < sizeof(path_names) / sizeof(path_names[0]); i++)
		if (*word == '$' && len == strlen(path_names[i]) + 1 &&
		    !strncmp(word + 1, path_names[i], len - 1))
			return used + (size_t)sprintf(out + used, "%s%s",
						      used && *settings_text(s->set, path_names[i])
							      ? ":"
							      : "",
						      settings_text(s->set, path_names[i]));
	return used + (size_t)sprintf(out + used, "%s%.*s", used ? ":" : "", (int)len, word);
}

/*
 * The value, of a path with $EXECUTABLE_PATH and $SOURCE_PATH in it replaced, and "( a b )" made
 * into "a:b"; allocated.
 */
static char *path_value(struct session *s, const char *name, const char *value)
{
	size_t len = strlen(value), used = 0;
	bool list = len > 1 && *value == '(' && value[len - 1] == ')';
	char *out;

	if ((strcasecmp(name, path_names[0]) && strcasecmp(name, path_names[1])) ||
	    (!list && !strstr(value, "$EXECUTABLE_PATH") && !strstr(value, "$SOURCE_PATH")))
		return xstrdup(value);
	out = xcalloc(len + 2, strlen(settings_text(s->set, "EXECUTABLE_PATH")) +
				       strlen(settings_text(s->set, "SOURCE_PATH")) + 2);
	for (const char *p = value + list, *end = value + len - list; p < end;) {
		size_t n = strcspn(p, list ? " \t:" : ":");

		n = n < (size_t)(end - p) ? n : (size_t)(end - p);
		used = add_path(s, p, n, out, used);
		p += n + 1;
	}
	return out;
}

/* Whether name, of n letters, is a word of gdb's; err shows what there is instead. */
static bool gdb_means(const char *name, size_t n, struct err *err)
{
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)n, name);
	return habits_set(word, err);
}

/* As gdb's "set eps = 1": the name is no setting, but an object. */
static bool names_object(struct session *s, const char *name)
{
	struct fetch_objects objects;
	bool any;

	for (size_t i = 0; settings_name(i); i++)
		if (!strcasecmp(settings_name(i), name))
			return false;
	if (!s->job || !job_set(s->job, JOB_STOPPED)->n ||
	    fetch_names(s, name, job_set(s->job, JOB_STOPPED), &objects, NULL))
		return false;
	any = objects.n;
	fetch_objects_clear(&objects);
	return any;
}

static int run_set(struct session *s, struct cmd_call *call, struct err *err)
{
	char *copy, *value, *name;
	size_t len;
	int rc;

	if (!*call->rest)
		return list_settings(s, NULL, err);
	copy = xstrdup(call->rest);
	name = copy + (*copy == '$');
	len = strcspn(name, " \t=");
	value = name + len + strspn(name + len, " \t");
	if (gdb_means(name, len, err)) {
		rc = -1;
	} else if (!*value) {
		name[len] = 0;
		rc = list_settings(s, name, err);
	} else {
		value += *value == '=';
		value += strspn(value, " \t");
		name[len] = 0;
		value = path_value(s, name, unquote(value));
		rc = shell_set(s, name, value, err);
		if (rc && names_object(s, name))
			err_set(err, "set %s: this is an object of the program: type assign %s %s",
				name, name, value);
		free(value);
	}
	free(copy);
	return rc;
}

const struct cmd cmd_set = {
	.name = "set",
	.args = "[NAME [= value]]",
	.brief = "show or change settings",
	.help = "Without a name it shows all settings with their values, allowed values and "
		"meanings; with a name that setting; a value changes it.",
	.both = CMD_SETS,
	.example = "set STOP_TIMER = 10",
	.no_set = true,
	.completes = "setting value value",
	.raw = true,
	.run = run_set,
};

enum { UNSET_ALL };

static int run_unset(struct session *s, struct cmd_call *call, struct err *err)
{
	if (!call->argc && !call->option[UNSET_ALL])
		return err_set(err, "unset: give the name of a setting, or -all");
	for (size_t i = 0; call->option[UNSET_ALL] && settings_name(i); i++)
		if (shell_unset(s, settings_name(i), err))
			return -1;
	for (int i = 0; i < call->argc; i++)
		if (shell_unset(s, call->argv[i], err))
			return -1;
	return 0;
}

const struct cmd cmd_unset = {
	.name = "unset",
	.args = "NAME | -all",
	.brief = "reset a setting to its default",
	.help = "set --json and the manual show the default.",
	.both = CMD_SETS,
	.example = "unset STOP_TIMER",
	.completes = "setting",
	.no_set = true,
	.option = { [UNSET_ALL] = { "all", CMD_FLAG, "all settings" } },
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

/* As gdb has it: the verb that shows it, of what follows where it ends with a blank. */
static int info_about(struct session *s, const struct cmd_call *call, struct err *err)
{
	const char *line = habits_info(call->argv[0], err);
	char *whole;
	int rc;

	if (!line)
		return -1;
	whole = xasprintf("%s%s", line,
			  line[strlen(line) - 1] == ' ' ? call->rest + strlen(call->argv[0]) : "");
	rc = cmd_within(s, whole, call->set, err);
	free(whole);
	return rc;
}

/* Ranks that have neither ended nor been lost. */
static unsigned long long living(const struct job *j)
{
	return rankset_count(job_set(j, JOB_LOADED)) + rankset_count(job_set(j, JOB_RUNNING)) +
	       rankset_count(job_set(j, JOB_STOPPED));
}

static void put_logs(json_t *list, const struct logs *logs)
{
	const struct log_file *x;
	bool any = false;

	for (size_t i = 0; (x = logs_at(logs, i)); i++) {
		if (x->f)
			pair(list, "log", x->path);
		any = any || x->f;
	}
	if (!any)
		pair(list, "log", "none");
}

static int run_info(struct session *s, struct cmd_call *call, struct err *err)
{
	static const char *const state[] = { "MODE",	   "START_MODEL",
					     "STOP_MODEL", "EVENT_INTERRUPT",
					     "VERBOSE",	   "ERROR_CHECKS" };
	json_t *list;
	char text[1024] = "";
	size_t used = 0;

	if (call->argc)
		return info_about(s, call, err);
	list = json_array();
	pair(list, "release", PACKAGE_STRING);
	pair(list, "hpd", "HPD Version 1, revision 2.1; see doc/HPD.md");
	pair(list, "type", shell_multilevel(s) ? "multilevel debugger" : "processes-only debugger");
	for (size_t i = 0; i < sizeof(state) / sizeof(state[0]); i++)
		pair(list, state[i], settings_text(s->set, state[i]));
	for (int i = 0; s->spec.argv && s->spec.argv[i] && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 s->spec.argv[i]);
	pair(list, "program", *text ? text : "none");
	if (s->job) {
		pair(list, "executable", job_path(s->job));
		pair_number(list, "ranks", (unsigned long long)job_size(s->job));
		pair_number(list, "ranks that live", living(s->job));
		pair(list, "annotated", job_annotated(s->job) ? "yes" : "no");
		pair_number(list, "goes", job_gen(s->job));
		pair_number(list, "bytes received", job_bytes_in(s->job));
	}
	pair(list, "launcher", s->spec.launcher ? s->spec.launcher : "chosen by the program's MPI");
	pair(list, "transport", s->spec.transport ? s->spec.transport : "auto");
	pair(list, "input", s->spec.input ? s->spec.input : s->batch ? "/dev/null" : "proginput");
	for (int i = 0; i < 2; i++)
		if (s->shell->redirect.path[i])
			pair(list, i ? "errors" : "output", s->shell->redirect.path[i]);
	put_logs(list, s->shell->logs);
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
	.args = "[subject] [name]",
	.brief = "the session: program, ranks, launcher, counts",
	.help = "Shows what is loaded and how, with counts. status, actions, set, what, viewset "
		"and findings show more. With a subject of gdb (breakpoints, locals, threads, "
		"stack, source) info does what these verbs do; info address u[3][4] shows "
		"where an element is in the memory of each rank that stores it.",
	.both = CMD_SHOW,
	.example = "info breakpoints",
	.completes = "subject",
	.run = run_info,
};

enum {
	FINDINGS_KIND,
	FINDINGS_ALL,
	FINDINGS_LEAKS,
	FINDINGS_SARIF,
	FINDINGS_SUPPRESS,
	FINDINGS_DVM
};

static bool kind_known(const char *key)
{
	for (unsigned k = 0; k < FINDING_KINDS; k++)
		if (!strcmp(finding_kind_key(k), key))
			return true;
	return false;
}

static int unknown_kind(const char *key, struct err *err)
{
	char names[600] = "";
	size_t used = 0;

	for (unsigned k = 0; k < FINDING_KINDS && used < sizeof(names); k++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " %s",
					 finding_kind_key(k));
	return err_set(err, "findings -kind %s: the kinds are%s", key, names);
}

static int write_files(const struct cmd_call *call, const json_t *list, struct err *err)
{
	const char *sarif = call->option[FINDINGS_SARIF], *no = call->option[FINDINGS_SUPPRESS];

	if (sarif && sarif_write(sarif, list, PACKAGE_VERSION, err))
		return -1;
	return no ? suppressions_write(no, list, err) : 0;
}

static int run_findings(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *kind = call->option[FINDINGS_KIND];
	json_t *answer, *list;
	bool leaks;

	if (kind && !kind_known(kind))
		return unknown_kind(kind, err);
	checker_report_traces(s->checker);
	if (s->job)
		hang_look(s);
	session_match(s);
	leaks = call->option[FINDINGS_LEAKS] || settings_is(s->set, "LEAKS", "ON") ||
		(kind && !strcmp(kind, finding_kind_key(FINDING_LEAK)));
	findings_show_leaks(s->findings, leaks);
	answer = findings_list(s->findings, call->option[FINDINGS_ALL]);
	list = json_object_get(answer, "list");
	for (size_t i = json_array_size(list); kind && i--;)
		if (strcmp(json_string_value(json_object_get(json_array_get(list, i), "kind")),
			   kind))
			json_array_remove(list, i);
	if (write_files(call, list, err)) {
		json_decref(answer);
		return -1;
	}
	if (call->option[FINDINGS_DVM])
		json_object_set_new(answer, "dvm", json_true());
	if (call->option[FINDINGS_ALL])
		json_object_set_new(answer, "all", json_true());
	if (s->job && job_set(s->job, JOB_RUNNING)->n)
		json_object_set_new(answer, "running", ask_ranks(job_set(s->job, JOB_RUNNING)));
	out_answer(s->out, answer);
	return 0;
}

const struct cmd cmd_findings = {
	.name = "findings",
	.args = "[-kind k] [-all] [-leaks] [-dvm] [-sarif FILE] [-suppress FILE]",
	.brief = "what was found wrong in the program",
	.help = "The findings of the newest run, or of all. With -leaks those too that are none by "
		"themselves: communicators, windows, files, datatypes, groups, operations and "
		"persistent requests that the program had not freed when it called MPI_Finalize; "
		"set LEAKS ON reports them like others. With -dvm those of control are followed by "
		"the "
		"message of the DVM debugger, which has the construct stack. With -sarif they are "
		"also written to FILE as "
		"SARIF 2.1.0, with -suppress those of control as lines of a file that the setting "
		"Suppressions names, so that they are not reported any more.",
	.both = CMD_SHOW,
	.example = "findings -kind numbering",
	.option = { [FINDINGS_KIND] = { "kind", CMD_STRING, "only of this kind" },
		    [FINDINGS_ALL] = { "all", CMD_FLAG,
				       "of all runs of the session, however many" },
		    [FINDINGS_LEAKS] = { "leaks", CMD_FLAG,
					 "also what was made in MPI and is never freed" },
		    [FINDINGS_DVM] = { "dvm", CMD_FLAG,
				       "those of control also in the words of the DVM debugger" },
		    [FINDINGS_SARIF] = { "sarif", CMD_STRING, "write them to FILE as SARIF" },
		    [FINDINGS_SUPPRESS] = { "suppress", CMD_STRING,
					    "write those of control to FILE, to be suppressed" } },
	.values = { [FINDINGS_KIND] = "finding",
		    [FINDINGS_SARIF] = "file",
		    [FINDINGS_SUPPRESS] = "file" },
	.run = run_findings,
};
