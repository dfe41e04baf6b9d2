/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs that list and change actionpoints: actions delete enable disable export. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/model/actionpoints.h"
#include "frontend/action/action.h"
#include "frontend/verbs/run/internal.h"
#include "frontend/cmd/cmd.h"
#include "frontend/model/focus.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

enum {
	SELECT_ALL,
	SELECT_ENABLED,
	SELECT_DISABLED,
	SELECT_BREAK,
	SELECT_WATCH,
	SELECT_BARRIER,
	SELECT_LAST
};

#define SELECT_OPTIONS                                               \
	{ "all", CMD_FLAG, "all actionpoints" },                     \
		{ "enabled", CMD_FLAG, "those that are enabled" },   \
		{ "disabled", CMD_FLAG, "those that are disabled" }, \
		{ "break", CMD_FLAG, "those made with break" },      \
		{ "watch", CMD_FLAG, "those made with watch" },      \
		{ "barrier", CMD_FLAG, "those made with barrier" },  \
	{                                                            \
		"last", CMD_FLAG, "the newest"                       \
	}
#define SELECT_ARGS "ids | -all | -enabled | -disabled | -break | -watch | -barrier | -last"

/* The id that a word is; -1 and err when it is none. */
static int64_t id_of(struct session *s, const char *word, struct err *err)
{
	uint64_t id;

	if (!isdigit((unsigned char)*word) || parse_uint(word, 0, UINT32_MAX, &id))
		return err_set_code(err, ERR_NUMBER,
				    "'%s' is not the number of an "
				    "actionpoint",
				    word);
	if (!actionpoints_find(s->acts, (uint32_t)id))
		return err_set_code(err, ERR_NUMBER,
				    "there is no actionpoint %lu; actions lists them", id);
	return (int64_t)id;
}

/* The command is for some ranks only: then it is about what concerns them. */
static bool narrowed(const struct session *s, const struct cmd_call *call)
{
	return s->job && call->who.n && !rankset_covers(&call->who, job_set(s->job, JOB_ALL));
}

/* Members of the command's set belong to the actionpoint's. */
static bool concerns(struct session *s, const struct cmd_call *call, const struct actionpoint *ap)
{
	struct rankset ranks = { 0 }, stop = { 0 };
	bool meets = true;

	if (!narrowed(s, call))
		return true;
	if (!action_members(s, ap->who, NULL, &ranks, NULL)) {
		meets = rankset_meets(&ranks, &call->who);
		if (!meets && ap->stop && *ap->stop &&
		    !action_members(s, ap->stop, NULL, &stop, NULL))
			meets = rankset_meets(&stop, &call->who);
	}
	rankset_clear(&ranks);
	rankset_clear(&stop);
	return meets;
}

static bool selected(const struct cmd_call *call, const struct actionpoint *ap)
{
	static const int kind[ACT_KINDS] = { SELECT_BREAK, SELECT_BARRIER, SELECT_WATCH };
	bool by_kind = call->option[SELECT_BREAK] || call->option[SELECT_WATCH] ||
		       call->option[SELECT_BARRIER];

	if (call->option[SELECT_ENABLED] && !ap->enabled)
		return false;
	if (call->option[SELECT_DISABLED] && ap->enabled)
		return false;
	return !by_kind || call->option[kind[ap->kind]];
}

/* Actionpoints by number, each once, ascending. */
struct chosen {
	uint32_t *id; /* owned */
	size_t n;
};

static int by_id(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a < b ? -1 : a > b;
}

/* "2-5": those of them that there are. */
static bool add_range(struct session *s, const char *part, struct chosen *c)
{
	size_t before = c->n;
	uint64_t lo, hi;

	if (parse_uint_at(&part, &lo) || *part++ != '-' || parse_uint(part, lo, UINT32_MAX, &hi))
		return false;
	for (size_t i = 0; i < actionpoints_count(s->acts); i++) {
		uint32_t id = actionpoints_at(s->acts, i)->rule.id;

		if (id >= lo && id <= hi)
			c->id[c->n++] = id;
	}
	return c->n > before;
}

/* The numbers in a word, "0" or "0,2-5"; those that are none are warned of, once all are. */
static void add_word(struct session *s, const char *word, struct chosen *c, struct err *err)
{
	char *copy = xstrdup(word), *rest = copy, *part;

	while ((part = strsep(&rest, ","))) {
		struct err why = { "" };
		int64_t id;

		if (add_range(s, part, c))
			continue;
		id = *part ? id_of(s, part, &why) : 0;
		if (id >= 0 && *part)
			c->id[c->n++] = (uint32_t)id;
		else if (*part && err->text[0])
			out_warning(s->out, "%s", err->text);
		if (id < 0)
			*err = why;
	}
	free(copy);
}

/* The actionpoints that words and options choose; without any all, when that is allowed. -1: none.
 */
static int choose(struct session *s, const char *verb, const struct cmd_call *call, bool all,
		  int first, struct chosen *c, struct err *err)
{
	size_t count = actionpoints_count(s->acts), room = count + 1, kept = 0;
	bool by_option = false;

	*c = (struct chosen){ 0 };
	err->text[0] = '\0';
	for (int i = SELECT_ALL; i <= SELECT_LAST; i++)
		by_option |= call->option[i] != NULL;
	if (call->argc <= first && !by_option && !all)
		return err_set(err, "%s: numbers of actionpoints are needed, or -all", verb);
	/* a range may be all of them */
	for (int i = first; i < call->argc; i++)
		for (const char *p = call->argv[i]; *p; p++)
			room += *p == '-' ? count : 1;
	c->id = xcalloc(room, sizeof(*c->id));
	for (int i = first; i < call->argc; i++)
		add_word(s, call->argv[i], c, err);
	for (size_t i = 0; call->argc <= first && i < count; i++) {
		const struct actionpoint *ap = actionpoints_at(s->acts, i);

		if (call->option[SELECT_LAST] && i + 1 < count)
			continue;
		if (selected(call, ap) && concerns(s, call, ap))
			c->id[c->n++] = ap->rule.id;
	}
	qsort(c->id, c->n, sizeof(*c->id), by_id);
	for (size_t i = 0; i < c->n; i++)
		if (!i || c->id[i] != c->id[i - 1])
			c->id[kept++] = c->id[i];
	c->n = kept;
	if (!c->n && err->text[0]) {
		free(c->id);
		c->id = NULL;
		return -1;
	}
	if (err->text[0])
		out_warning(s->out, "%s", err->text);
	return 0;
}

static int run_actions(struct session *s, struct cmd_call *call, struct err *err)
{
	json_t *list = json_array(), *o;
	struct chosen c;

	if (choose(s, "actions", call, true, 0, &c, err)) {
		json_decref(list);
		return -1;
	}
	for (size_t i = 0; i < c.n; i++)
		json_array_append_new(list, act_json(s, actionpoints_find(s->acts, c.id[i]), NULL));
	free(c.id);
	o = json_pack("{s:s s:o}", "type", "actions", "list", list);
	if (call->option[SELECT_ALL])
		json_object_set_new(o, "all", json_true());
	out_answer(s->out, o);
	return 0;
}

const struct cmd cmd_actions = {
	.name = "actions",
	.args = "[" SELECT_ARGS "]",
	.brief = "list the actionpoints",
	.help = "Actionpoints with number, location, count, condition, sets, state and hits; "
		"barriers also with the ranks that are held and those that are missing. A set "
		"before it selects those that concern its members. Output that is not paged ends "
		"at MAX_LIST actionpoints; -all shows all.",
	.both = CMD_ONE,
	.example = "actions",
	.completes = "actionpoint",
	.option = { SELECT_OPTIONS },
	.run = run_actions,
};

enum change { DELETE, ENABLE, DISABLE };

/* The members of a set's text, without or with some; the new text, NULL: all, "": nobody. */
static char *recount(struct session *s, const char *text, const struct rankset *who, bool with)
{
	struct rankset ranks = { 0 };
	char *new = NULL;

	if (!text || !action_members(s, text, NULL, &ranks, NULL)) {
		if (with)
			xrankset_add_set(&ranks, who);
		else
			xrankset_remove_set(&ranks, who);
		new = ranks.n ? focus_freeze(&ranks) : xstrdup("");
	}
	rankset_clear(&ranks);
	return new;
}

/* Takes the members of the command's set out of the actionpoint; true: nobody is left. */
static bool take_out(struct session *s, const struct cmd_call *call, struct actionpoint *ap)
{
	char *left = ap->stop && *ap->stop ? recount(s, ap->stop, &call->who, false) : NULL;

	if (left) {
		free(ap->stop);
		ap->stop = left;
	}
	left = recount(s, ap->who ? ap->who : "all", &call->who, false);

	if (!left || !*left) {
		free(left);
		return true;
	}
	free(ap->who);
	ap->who = left;
	return false;
}

/* Enables or disables it for the members of the command's set. */
static void switch_part(struct session *s, const struct cmd_call *call, struct actionpoint *ap,
			bool on)
{
	struct rankset left = { 0 };
	char *off = recount(s, ap->off, &call->who, !on);

	free(ap->off);
	ap->off = off && *off ? off : NULL;
	if (!ap->off)
		free(off);
	/* disabled for all of them: disabled */
	if (!action_members(s, ap->who, ap->off, &left, NULL) && !left.n) {
		ap->enabled = false;
		free(ap->off);
		ap->off = NULL;
	}
	rankset_clear(&left);
}

/* False: it is to be deleted. */
static bool change_one(struct session *s, const struct cmd_call *call, struct actionpoint *ap,
		       enum change what)
{
	bool part = narrowed(s, call);

	if (what == DELETE)
		return part && !take_out(s, call, ap);
	if (part && !ap->enabled && what == ENABLE) {
		struct rankset ranks = { 0 };

		/* only for these, then */
		if (!action_members(s, ap->who, NULL, &ranks, NULL)) {
			xrankset_remove_set(&ranks, &call->who);
			free(ap->off);
			ap->off = ranks.n ? focus_freeze(&ranks) : NULL;
		}
		ap->enabled = true;
		rankset_clear(&ranks);
	} else if (part) {
		switch_part(s, call, ap, what == ENABLE);
	} else {
		ap->enabled = what == ENABLE;
		free(ap->off);
		ap->off = NULL;
	}
	if (what == ENABLE && ap->kind == ACT_WATCH)
		action_watch_begin(s->action, ap);
	return true;
}

static int change(struct session *s, const char *verb, const struct cmd_call *call,
		  enum change what, struct err *err)
{
	static const char *const done[] = { "deleted", "enabled", NULL };
	json_t *list;
	struct chosen c;
	json_int_t n = 0;

	if (choose(s, verb, call, false, 0, &c, err))
		return -1;
	list = json_array();
	for (size_t i = 0; i < c.n; i++) {
		struct actionpoint *ap = actionpoints_find(s->acts, c.id[i]);
		bool stays;

		if (!concerns(s, call, ap)) {
			out_warning(s->out,
				    "%s: actionpoint %u does not apply to any of these "
				    "ranks",
				    verb, c.id[i]);
			continue;
		}
		stays = change_one(s, call, ap, what);
		n += !stays;
		json_array_append_new(list,
				      act_json(s, ap, stays && what == DELETE ? NULL : done[what]));
		if (!stays)
			actionpoints_delete(s->acts, c.id[i], NULL);
	}
	free(c.id);
	action_send(s);
	if (out_verbose(s->out) == OUT_ERR)
		json_decref(list);
	else
		out_answer(s->out, json_pack("{s:s s:o s:I}", "type", "actions", "list", list,
					     "deleted", n));
	action_changed(s->action);
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
	.args = SELECT_ARGS,
	.brief = "delete actionpoints",
	.help = "Their numbers are not used again. Ranks that a barrier holds can go on. A set "
		"before it deletes them for its members only.",
	.both = CMD_ACTS,
	.example = "delete 0 2",
	.completes = "actionpoint",
	.option = { SELECT_OPTIONS },
	.run = run_delete,
};

const struct cmd cmd_enable = {
	.name = "enable",
	.args = SELECT_ARGS,
	.brief = "let actionpoints stop again",
	.help = "Actionpoints that were disabled stop the program again. A set before it enables "
		"them for its members only.",
	.both = CMD_ACTS,
	.example = "enable 0",
	.completes = "actionpoint",
	.option = { SELECT_OPTIONS },
	.run = run_enable,
};

const struct cmd cmd_disable = {
	.name = "disable",
	.args = SELECT_ARGS,
	.brief = "keep actionpoints, but do not stop at them",
	.help = "A disabled actionpoint keeps its number and can be enabled again. Ranks that a "
		"barrier holds can go on. A set before it disables them for its members only.",
	.both = CMD_ACTS,
	.example = "disable -all",
	.completes = "actionpoint",
	.option = { SELECT_OPTIONS },
	.run = run_disable,
};

/* "#file#line" where a name would be read as something else. */
static void put_location(FILE *f, const struct actionpoint *ap)
{
	if (ap->rule.kind == RULE_LINE && ap->kind != ACT_WATCH)
		fprintf(f, "#%s#%u", ap->rule.file, ap->rule.line);
	else
		fputs(ap->text, f);
}

/* The command that makes it. */
static void put_command(FILE *f, const struct actionpoint *ap)
{
	char iter[100];

	fprintf(f, "[%s] %s ", ap->who ? ap->who + (*ap->who == '!') : "all",
		act_kind_name(ap->kind));
	put_location(f, ap);
	if (ap->rule.count > 1)
		fprintf(f, " -count %u", ap->rule.count);
	if (ap->rule.niter)
		fprintf(f, " -iter %s",
			actionpoints_iteration_format(&ap->rule, iter, sizeof(iter)));
	if (ap->cond)
		/* texts in it have quotes of their own; nothing else begins as an option does */
		fprintf(f,
			!strpbrk(ap->cond, "\"'") ? " -if \"%s\""
			: *ap->cond == '-'	  ? " -if (%s)"
						  : " -if %s",
			ap->cond);
	if (ap->length)
		fprintf(f, " -length %s", ap->length);
	if (ap->stop)
		fprintf(f, " -stop [%s]", ap->stop + (*ap->stop == '!'));
	fputc('\n', f);
	/* the newest is the one that has just been made, whatever its number */
	if (!ap->enabled)
		fputs("disable -last\n", f);
	else if (ap->off)
		fprintf(f, "[%s] disable -last\n", ap->off + (*ap->off == '!'));
}

static int write_file(struct session *s, const char *path, const struct chosen *c, struct err *err)
{
	char temp[4096];
	FILE *f;
	int n = snprintf(temp, sizeof(temp), "%s.new", path);

	f = n < (int)sizeof(temp) ? fopen(temp, "we") : NULL;
	if (!f)
		return err_set(err, "export %s: %s", path,
			       n < (int)sizeof(temp) ? strerror(errno) : "the name is too long");
	fputs("# Actionpoints of a dvmdbg session; input reads them.\n", f);
	for (size_t i = 0; i < c->n; i++)
		put_command(f, actionpoints_find(s->acts, c->id[i]));
	if (fclose(f) || rename(temp, path)) {
		err_set(err, "export %s: %s", path, strerror(errno));
		unlink(temp);
		return -1;
	}
	return 0;
}

static int run_export(struct session *s, struct cmd_call *call, struct err *err)
{
	struct chosen c;
	int rc;

	if (!call->argc)
		return err_set(err,
			       "export: give a file, then numbers of actionpoints, or no number "
			       "for all");
	if (choose(s, "export", call, true, 1, &c, err))
		return -1;
	rc = c.n ? write_file(s, call->argv[0], &c, err)
		 : err_set(err, "export: there is no such actionpoint, so nothing is written");
	if (!rc)
		out_answer(s->out, json_pack("{s:s s:o s:I}", "type", "export", "file",
					     out_json_text(call->argv[0]), "n", (json_int_t)c.n));
	free(c.id);
	return rc;
}

const struct cmd cmd_export = {
	.name = "export",
	.args = "file [" SELECT_ARGS "]",
	.brief = "write commands that restore the actionpoints",
	.help = "input reads the file, in this session or another. Disabled actionpoints are "
		"written "
		"with a command that disables them.",
	.both = CMD_ONE,
	.example = "export stops.cmd -enabled",
	.completes = "file actionpoint",
	.option = { SELECT_OPTIONS },
	.run = run_export,
};
