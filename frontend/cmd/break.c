/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of actionpoints: break actions delete enable disable. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "frontend/actionpoints.h"
#include "frontend/cmd_list.h"
#include "frontend/focus.h"
#include "frontend/out.h"
#include "frontend/session.h"
#include "frontend/shell.h"

static json_t *describe(const struct actionpoint *ap, const char *text)
{
	json_t *o =
		json_pack("{s:s s:I s:o s:b}", "type", "actionpoint", "id", (json_int_t)ap->rule.id,
			  "location", out_json_text(ap->text), "enabled", ap->enabled);

	if (ap->rule.count > 1)
		json_object_set_new(o, "count", json_integer(ap->rule.count));
	if (ap->hits)
		json_object_set_new(o, "hits", json_integer(ap->hits));
	if (text)
		json_object_set_new(o, "text", json_string(text));
	return o;
}

enum { BREAK_COUNT, BREAK_IF, BREAK_STOP };

/* The stop set: at a numbered point it is all ranks. */
static int check_stop(struct session *s, const char *text, struct err *err)
{
	struct rankset ranks = { 0 };
	char *set = NULL;
	int rc = 0;

	if (focus_prefix(text, &set, err) < 0)
		return -1;
	rc = shell_eval(s, set ? set : text, &ranks, err);
	if (!rc && s->job && !rankset_equal(&ranks, job_set(s->job, JOB_ALL)))
		rc = err_set(err,
			     "break -stop %s: an actionpoint stops all ranks; [all] is allowed",
			     text);
	rankset_clear(&ranks);
	free(set);
	return rc;
}

static int run_break(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *count = call->option[BREAK_COUNT];
	struct location loc;
	long n = count ? strtol(count, NULL, 10) : 0;
	int64_t id;

	if (call->option[BREAK_IF])
		return err_set(err, "break -if: conditions are not served; -count n is");
	if (count && n < 1)
		return err_set(err, "break -count %s: a number from 1 is needed", count);
	if (call->argc > 1)
		return err_set(err, "break takes one location, not '%s'", call->rest);
	if (call->option[BREAK_STOP] && check_stop(s, call->option[BREAK_STOP], err))
		return -1;
	if (location_parse(&loc, call->rest, s->shell->file, err))
		return -1;
	id = actionpoints_add(s->acts, &loc, (uint32_t)n, err);
	if (id < 0)
		return -1;
	if (session_send_rules(s, err)) {
		actionpoints_delete(s->acts, (uint32_t)id, NULL);
		return -1;
	}
	out_answer(s->out, describe(actionpoints_find(s->acts, (uint32_t)id), NULL));
	return 0;
}

const struct cmd cmd_break = {
	.name = "break",
	.args = "loc [-count n] [-stop set]",
	.brief = "stop where execution comes to a place",
	.help = "A location is a point (13.B, 256.3.4.E), file:line, #file#line, a line of the "
		"current file, or "
		"a procedure or construct that announces its name. A line stops where the construct on "
		"it begins. "
		"Actionpoints "
		"have numbers from 0 that are never used again, and survive a rerun.",
	.both = CMD_ACTS,
	.example = "break heat.c:61 -count 10",
	.completes = "point",
	.option = { [BREAK_COUNT] = { "count", CMD_NUMBER, "stop at every n-th hit only" },
		    [BREAK_IF] = { "if", CMD_STRING, "a condition; not served" },
		    [BREAK_STOP] = { "stop", CMD_SET, "which ranks are stopped; only [all]" } },
	.run = run_break,
};

static int run_actions(struct session *s, struct cmd_call *call, struct err *err)
{
	json_t *list = json_array();

	for (size_t i = 0; i < actionpoints_count(s->acts); i++)
		json_array_append_new(list, describe(actionpoints_at(s->acts, i), NULL));
	out_answer(s->out, json_pack("{s:s s:o}", "type", "actions", "list", list));
	return 0;
}

const struct cmd cmd_actions = {
	.name = "actions",
	.args = "",
	.brief = "list the actionpoints",
	.help = "All actionpoints with number, location, count, state and how often they have "
		"stopped the "
		"program.",
	.both = CMD_ONE,
	.example = "actions",
	.run = run_actions,
};

enum { SELECT_ALL, SELECT_ENABLED, SELECT_DISABLED, SELECT_BREAK };

#define SELECT_OPTIONS                                               \
	{ "all", CMD_FLAG, "all actionpoints" },                     \
		{ "enabled", CMD_FLAG, "those that are enabled" },   \
		{ "disabled", CMD_FLAG, "those that are disabled" }, \
	{                                                            \
		"break", CMD_FLAG, "those made with break"           \
	}

/* The id that a word is; -1 and err when it is none. */
static int64_t id_of(struct session *s, const char *word, struct err *err)
{
	char *end;
	unsigned long id = strtoul(word, &end, 10);

	if (!isdigit((unsigned char)*word) || *end || id > UINT32_MAX)
		return err_set(err, "'%s' is no number of an actionpoint", word);
	if (!actionpoints_find(s->acts, (uint32_t)id))
		return err_set(err, "there is no actionpoint %lu; actions lists them", id);
	return (int64_t)id;
}

static bool selected(const struct cmd_call *call, const struct actionpoint *ap)
{
	if (call->option[SELECT_ENABLED] && !ap->enabled)
		return false;
	if (call->option[SELECT_DISABLED] && ap->enabled)
		return false;
	return true;
}

/* The ids that words and options choose, in *ids (allocated). Their number or -1. */
static int64_t choose(struct session *s, const char *verb, const struct cmd_call *call,
		      uint32_t **ids, struct err *err)
{
	size_t count = actionpoints_count(s->acts), n = 0;
	bool by_option = call->option[SELECT_ALL] || call->option[SELECT_ENABLED] ||
			 call->option[SELECT_DISABLED] || call->option[SELECT_BREAK];

	if (!call->argc && !by_option)
		return err_set(err, "%s: numbers of actionpoints are needed, or -all", verb);
	*ids = calloc(count + (size_t)call->argc + 1, sizeof(**ids));
	if (!*ids)
		return err_set(err, "out of memory");
	for (int i = 0; i < call->argc; i++) {
		int64_t id = id_of(s, call->argv[i], err);

		if (id < 0) {
			free(*ids);
			*ids = NULL;
			return -1;
		}
		(*ids)[n++] = (uint32_t)id;
	}
	for (size_t i = 0; by_option && i < count; i++) {
		const struct actionpoint *ap = actionpoints_at(s->acts, i);

		if (selected(call, ap))
			(*ids)[n++] = ap->rule.id;
	}
	return (int64_t)n;
}

enum change { DELETE, ENABLE, DISABLE };

static int change(struct session *s, const char *verb, const struct cmd_call *call,
		  enum change what, struct err *err)
{
	static const char *const done[] = { "deleted", "enabled", "disabled" };
	json_t *list = json_array();
	uint32_t *ids = NULL;
	int64_t n = choose(s, verb, call, &ids, err);

	for (int64_t i = 0; i < n; i++) {
		struct actionpoint *ap = actionpoints_find(s->acts, ids[i]);

		if (!ap)
			continue;
		if (what != DELETE)
			ap->enabled = what == ENABLE;
		json_array_append_new(list, describe(ap, what == DISABLE ? NULL : done[what]));
		if (what == DELETE)
			actionpoints_delete(s->acts, ids[i], NULL);
	}
	free(ids);
	if (n < 0 || session_send_rules(s, err)) {
		json_decref(list);
		return -1;
	}
	out_answer(s->out, json_pack("{s:s s:o}", "type", "actions", "list", list));
	return 0;
}

static int run_delete(struct session *s, struct cmd_call *call, struct err *err)
{
	return change(s, "delete", call, DELETE, err);
}

static int run_enable(struct session *s, struct cmd_call *call, struct err *err)
{
	return change(s, "enable", call, ENABLE, err);
}

static int run_disable(struct session *s, struct cmd_call *call, struct err *err)
{
	return change(s, "disable", call, DISABLE, err);
}

const struct cmd cmd_delete = {
	.name = "delete",
	.args = "ids | -all | -enabled | -disabled | -break",
	.brief = "delete actionpoints",
	.help = "Their numbers are never used again.",
	.both = CMD_ACTS,
	.example = "delete 0 2",
	.completes = "actionpoint",
	.option = { SELECT_OPTIONS },
	.run = run_delete,
};

const struct cmd cmd_enable = {
	.name = "enable",
	.args = "ids | -all | -enabled | -disabled | -break",
	.brief = "let actionpoints stop again",
	.help = "Actionpoints that were disabled stop the program again.",
	.both = CMD_ACTS,
	.example = "enable 0",
	.completes = "actionpoint",
	.option = { SELECT_OPTIONS },
	.run = run_enable,
};

const struct cmd cmd_disable = {
	.name = "disable",
	.args = "ids | -all | -enabled | -disabled | -break",
	.brief = "keep actionpoints, but do not stop at them",
	.help = "A disabled actionpoint keeps its number and can be enabled again.",
	.both = CMD_ACTS,
	.example = "disable -all",
	.completes = "actionpoint",
	.option = { SELECT_OPTIONS },
	.run = run_disable,
};
