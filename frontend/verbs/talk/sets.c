/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of sets: focus defset undefset viewset whichsets. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/action/action.h"
#include "frontend/model/ask.h"
#include "frontend/cmd/cmd.h"
#include "frontend/model/focus.h"
#include "frontend/native/native.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

/* The set that a word is, with or without brackets; allocated; NULL and err. */
static char *set_text(const char *word, struct err *err)
{
	char *text = NULL;
	int used = focus_prefix(word, &text, err);

	if (used < 0)
		return NULL;
	if (!used)
		text = xstrdup(word);
	else if (word[used]) {
		err_set(err, "'%s' is not a set: something follows the bracket", word);
		free(text);
		return NULL;
	}
	return text;
}

static json_t *threads_json(const struct thread_set *threads)
{
	char text[400];

	return json_string(thread_set_format(threads, text, sizeof(text)));
}

/* Ranks of the set as text, "[]" when it cannot be evaluated now. */
static json_t *ranks_now(struct session *s, const char *text)
{
	struct focus_env env = action_focus_env(s);
	struct thread_set threads = { 0 };
	struct rankset ranks = { 0 };
	json_t *o = NULL;

	if (!focus_eval_threads(s->shell->focus, text, &env, &ranks,
				shell_multilevel(s) ? &threads : NULL, NULL, NULL))
		o = thread_set_names(&threads) ? threads_json(&threads) : ask_ranks(&ranks);
	thread_set_clear(&threads);
	rankset_clear(&ranks);
	return o ? o : json_string("[]");
}

/* Only ranks and ranges, no names. */
static bool numeric(const char *text)
{
	return !text[strspn(text, "0123456789.,:-*!")];
}

/*
 * Evaluates a set that is to be kept, warns of what is odd about it, and puts the text that is kept
 * into *text (allocated): a static one's ranks, an odd list's without what was odd.
 */
static int settle(struct session *s, char **text, struct rankset *ranks, struct thread_set *threads,
		  struct err *err)
{
	struct focus_env env = action_focus_env(s);
	struct focus_odd odd;
	bool fixed = **text == '!';
	char *kept;

	if (focus_eval_threads(s->shell->focus, *text, &env, ranks,
			       shell_multilevel(s) ? threads : NULL, &odd, err))
		return -1;
	shell_warn_odd(s, *text, &odd);
	if (!ranks->n || (!fixed && (!numeric(*text) || !(odd.repeated || *odd.absent))))
		return 0;
	/* what of threads was named is kept as it was */
	if (thread_set_names(threads))
		return 0;
	kept = focus_freeze(ranks);
	if (!kept)
		return err_set(err, "out of memory");
	if (!fixed)
		memmove(kept, kept + 1, strlen(kept));
	free(*text);
	*text = kept;
	return 0;
}

static void report_members(struct session *s, const char *before, const struct rankset *ranks,
			   const struct thread_set *threads)
{
	char text[400];

	out_detail(s->out, "%s%s", before,
		   threads && thread_set_names(threads)
			   ? thread_set_format(threads, text, sizeof(text))
			   : rankset_format(ranks, text, sizeof(text)));
}

static int set_focus(struct session *s, const char *word, struct err *err)
{
	struct thread_set threads = { 0 };
	struct rankset ranks = { 0 };
	char *text = set_text(word, err);
	int rc = text ? settle(s, &text, &ranks, &threads, err) : -1;

	if (!rc && s->job && !ranks.n)
		rc = err_set(err, "focus: the set [%s] has no members now", text);
	if (!rc) {
		report_members(s, "Set currently includes: ", &ranks, &threads);
		bool same = !strcmp(s->focus, text);

		free(s->focus);
		s->focus = text;
		text = NULL;
		/* the frames are those of other ranks now */
		if (!same && s->job)
			shell_stopped(s);
	}
	thread_set_clear(&threads);
	rankset_clear(&ranks);
	free(text);
	return rc;
}

static int run_focus(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *set = call->set ? call->set : s->focus;
	const char *defined = focus_find(s->shell->focus, set);
	json_t *o;

	if (call->argc > 1)
		return err_set(err, "focus takes one set, not '%s'", call->rest);
	if (call->argc)
		return set_focus(s, call->argv[0], err);
	o = json_pack("{s:s s:o s:o}", "type", "focus", "set", out_json_text(set), "ranks",
		      ranks_now(s, set));
	if (defined)
		json_object_set_new(o, "text", out_json_text(defined));
	out_answer(s->out, o);
	return 0;
}

const struct cmd cmd_focus = {
	.name = "focus",
	.args = "[set]",
	.brief = "change the current set, which is the prompt",
	.help = "Commands apply to the current set unless another set precedes them. where shows "
		"the "
		"stack of these ranks alone: of those that wait for another one's orders the "
		"dispatch "
		"loop, too; up and down begin at its innermost frame again. Names like "
		"stopped are evaluated each time they are used; ! before the members fixes the set "
		"now, as in focus [!stopped]. Without a set it shows the current one.",
	.both = CMD_ONE,
	.example = "focus [0:3]",
	.completes = "set",
	.run = run_focus,
};

static int define(struct session *s, const char *name, char **text, struct err *err)
{
	struct focus_env env = action_focus_env(s);
	const char *old = focus_find(s->shell->focus, name);
	bool fixed = **text == '!';
	struct thread_set threads = { 0 };
	struct rankset ranks = { 0 };
	int rc;

	/* The name is looked at before anything is asked or warned of. */
	if (focus_builtin_name(name))
		return focus_define(s->shell->focus, name, *text, &env, NULL, err);
	if (old && !shell_confirm(s, CHECKS_MAX, "The set %s is [%s]. Redefine it?", name, old))
		return 0;
	rc = settle(s, text, &ranks, &threads, err);
	if (!rc && old && shell_checks(s) > CHECKS_MIN)
		out_warning(s->out, "the set %s was [%s]", name, old);
	if (!rc)
		rc = focus_define(s->shell->focus, name, *text, &env, NULL, err);
	if (!rc && !ranks.n && s->job)
		out_warning(s->out, "the set %s is empty now", name);
	if (!rc)
		report_members(s, fixed ? "Set includes: " : "Set currently includes: ", &ranks,
			       &threads);
	thread_set_clear(&threads);
	rankset_clear(&ranks);
	return rc;
}

static int run_defset(struct session *s, struct cmd_call *call, struct err *err)
{
	char *text;
	int rc;

	if (call->argc != 2)
		return err_set(err, "defset: give a name and a set, as in defset edge [0,3]");
	text = set_text(call->argv[1], err);
	if (!text)
		return -1;
	rc = define(s, call->argv[0], &text, err);
	free(text);
	return rc;
}

const struct cmd cmd_defset = {
	.name = "defset",
	.args = "name [set]",
	.brief = "give a set a name",
	.help = "The set is evaluated when it is used; ! before its members fixes it now, as in "
		"[!stopped]. The members may be names of other sets.",
	.both = CMD_ONE,
	.example = "defset edge [0,3]",
	.completes = "ownset set",
	.no_set = true,
	.run = run_defset,
};

/* Puts the members in the place of the name, in the current set and in other sets. */
static int put_members(struct session *s, const char *name, const struct rankset *ranks,
		       struct err *err)
{
	struct focus_env env = action_focus_env(s);
	const char *other, *text;
	char *changed, shown[400];

	rankset_format(ranks, shown, sizeof(shown));
	changed = focus_replace(s->focus, name, ranks);
	if (changed) {
		out_warning(s->out, "%s was in the current set: %s replaces it", name, shown);
		free(s->focus);
		s->focus = changed;
	}
	for (size_t i = 0; (other = focus_name(s->shell->focus, i, &text)); i++) {
		int rc;

		changed = focus_replace(text, name, ranks);
		if (!changed)
			continue;
		out_warning(s->out, "%s was in the set %s: %s replaces it", name, other, shown);
		rc = focus_define(s->shell->focus, other, changed, &env, NULL, err);
		free(changed);
		if (rc)
			return -1;
	}
	return 0;
}

static int forget(struct session *s, const char *name, struct err *err)
{
	struct focus_env env = action_focus_env(s);
	struct rankset ranks = { 0 };
	char before[200];
	int rc = 0;

	if (focus_builtin_name(name))
		return err_set(err,
			       "undefset: the set '%s' is built in and cannot be "
			       "deleted",
			       name);
	if (!focus_find(s->shell->focus, name)) {
		out_warning(s->out, "there is no set '%s'", name);
		return 0;
	}
	/* One that cannot be evaluated any more has no members to be put anywhere. */
	if (!focus_eval(s->shell->focus, name, &env, &ranks, NULL, NULL) && ranks.n)
		rc = put_members(s, name, &ranks, err);
	if (!rc) {
		snprintf(before, sizeof(before), "undefset: %.100s was ", name);
		report_members(s, before, &ranks, NULL);
		rc = focus_undefine(s->shell->focus, name, err);
	}
	rankset_clear(&ranks);
	return rc;
}

enum { UNDEFSET_ALL };

static int run_undefset(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *name;

	if (call->option[UNDEFSET_ALL]) {
		if (focus_name(s->shell->focus, 0, NULL) &&
		    !shell_confirm(s, CHECKS_MAX, "Delete all defined sets?"))
			return 0;
		while ((name = focus_name(s->shell->focus, 0, NULL)))
			if (forget(s, name, err))
				return -1;
		return 0;
	}
	if (!call->argc)
		return err_set(err, "undefset: give a name, or -all");
	for (int i = 0; i < call->argc; i++)
		if (forget(s, call->argv[i], err))
			return -1;
	return 0;
}

const struct cmd cmd_undefset = {
	.name = "undefset",
	.args = "name | -all",
	.brief = "delete named sets",
	.help = "Where such a set is in use, its members replace it. Built-in sets cannot be "
		"deleted.",
	.both = CMD_ONE,
	.example = "undefset edge",
	.completes = "ownset",
	.no_set = true,
	.option = { [UNDEFSET_ALL] = { "all", CMD_FLAG, "all named sets" } },
	.run = run_undefset,
};

/* text: what the set is defined as. */
static void list_set(struct session *s, json_t *list, const char *name, const char *text)
{
	char shown[300];

	snprintf(shown, sizeof(shown), "[%s]", text);
	json_array_append_new(list, json_pack("{s:o s:o s:b s:o}", "name", out_json_text(name),
					      "text", out_json_text(shown), "static", *text == '!',
					      "ranks", ranks_now(s, name)));
}

enum { VIEWSET_ALL };

static int run_viewset(struct session *s, struct cmd_call *call, struct err *err)
{
	json_t *list = json_array(), *o;
	const char *name, *text;
	char *asked = call->argc ? set_text(call->argv[0], err) : NULL;

	if (call->argc && !asked) {
		json_decref(list);
		return -1;
	}
	for (size_t i = 0; (name = focus_builtin(i)); i++)
		if (!asked || !strcmp(name, asked))
			list_set(s, list, name, name);
	for (size_t i = 0; (name = focus_name(s->shell->focus, i, &text)); i++)
		if (!asked || !strcmp(name, asked))
			list_set(s, list, name, text);
	if (!json_array_size(list)) {
		json_decref(list);
		err_set(err, "there is no set '%s'; viewset lists them", asked);
		free(asked);
		return -1;
	}
	if (asked &&
	    !strcmp(json_string_value(json_object_get(json_array_get(list, 0), "ranks")), "[]"))
		out_warning(s->out, "the set %s is empty now", asked);
	free(asked);
	o = json_pack("{s:s s:o}", "type", "sets", "list", list);
	if (call->option[VIEWSET_ALL])
		json_object_set_new(o, "all", json_true());
	out_answer(s->out, o);
	return 0;
}

const struct cmd cmd_viewset = {
	.name = "viewset",
	.args = "[name] [-all]",
	.brief = "the members of named sets",
	.help = "Shows all sets, built in and defined, or the named one, with the ranks that are "
		"in it now.",
	.both = CMD_ONE,
	.example = "viewset stopped",
	.completes = "set",
	.no_set = true,
	.option = { [VIEWSET_ALL] = { "all", CMD_FLAG, "all sets, however many" } },
	.run = run_viewset,
};

/* Ranks that are in the same sets. */
struct kin {
	struct rankset ranks;
	json_t *sets;
};

struct family {
	struct kin *kin;
	size_t n;
	bool threads; /* ranks are numbers of threads */
};

/* Parts every group into who is in the set and who is not. */
static void part(struct family *f, const char *name, const struct rankset *have)
{
	size_t n = f->n;

	for (size_t i = 0; i < n; i++) {
		struct rankset in = { 0 }, out = { 0 };

		xrankset_copy(&in, &f->kin[i].ranks);
		xrankset_intersect(&in, have);
		xrankset_copy(&out, &f->kin[i].ranks);
		xrankset_remove_set(&out, have);
		if (in.n && out.n) {
			xvec_more(f->kin, f->n, 1);
			f->kin[f->n++] = (struct kin){ out, json_copy(f->kin[i].sets) };
			rankset_clear(&f->kin[i].ranks);
			f->kin[i].ranks = in;
		} else {
			rankset_clear(in.n ? &out : &in);
			rankset_clear(in.n ? &in : &out);
		}
		if (rankset_meets(&f->kin[i].ranks, have))
			json_array_append_new(f->kin[i].sets, out_json_text(name));
	}
}

/* Threads as numbers, rank * NATIVE_THREADS + thread. */
static void number_threads(const struct thread_set *threads, struct rankset *ranks)
{
	struct rankset numbers = { 0 };

	for (int64_t r = rankset_next(ranks, 0); r >= 0; r = rankset_next(ranks, (uint32_t)r + 1))
		for (uint32_t t = 0; t < NATIVE_THREADS; t++) {
			uint32_t n = (uint32_t)r * NATIVE_THREADS + t;

			if (thread_set_has(threads, (uint32_t)r, t) && xrankset_add(&numbers, n, n))
				break; /* of too many ranks the last ones are left out */
		}
	rankset_clear(ranks);
	*ranks = numbers;
}

static void part_by(struct session *s, struct family *f, const char *name)
{
	struct focus_env env = action_focus_env(s);
	struct thread_set threads = { 0 };
	struct rankset have = { 0 };

	if (!focus_eval_threads(s->shell->focus, name, &env, &have, f->threads ? &threads : NULL,
				NULL, NULL)) {
		if (f->threads)
			number_threads(&threads, &have);
		part(f, name, &have);
	}
	thread_set_clear(&threads);
	rankset_clear(&have);
}

static int by_rank(const void *pa, const void *pb)
{
	int64_t a = rankset_next(&((const struct kin *)pa)->ranks, 0);
	int64_t b = rankset_next(&((const struct kin *)pb)->ranks, 0);

	return a < b ? -1 : a > b;
}

/* Puts the groups into the answer's list and frees them. */
static json_t *take_family(struct family *f)
{
	json_t *list = json_array();

	qsort(f->kin, f->n, sizeof(*f->kin), by_rank);
	for (size_t i = 0; i < f->n; i++) {
		json_array_append_new(
			list,
			json_pack("{s:o s:o}", "ranks",
				  f->threads ? native_threads_text(&f->kin[i].ranks, NATIVE_THREADS)
					     : ask_ranks(&f->kin[i].ranks),
				  "sets", f->kin[i].sets));
		rankset_clear(&f->kin[i].ranks);
	}
	free(f->kin);
	return list;
}

enum { WHICHSETS_ALL };

static int run_whichsets(struct session *s, struct cmd_call *call, struct err *err)
{
	struct thread_set threads = { 0 };
	struct family f = { 0 };
	const char *name;
	char *asked;
	json_t *o;
	int rc;

	if (call->argc > 1)
		return err_set(err, "whichsets takes one set, not '%s'", call->rest);
	f.kin = xcalloc(1, sizeof(*f.kin));
	asked = call->argc ? set_text(call->argv[0], err) : NULL;
	if (call->argc)
		rc = asked ? shell_eval_threads(s, asked, &f.kin[0].ranks, &threads, err) : -1;
	else {
		xrankset_copy(&f.kin[0].ranks, &call->who);
		rc = 0;
	}
	f.threads = call->argc ? thread_set_names(&threads) : s->shell->threads != NULL;
	if (!rc && f.threads)
		number_threads(call->argc ? &threads : s->shell->threads, &f.kin[0].ranks);
	thread_set_clear(&threads);
	free(asked);
	f.kin[0].sets = json_array();
	f.n = rc || !f.kin[0].ranks.n ? 0 : 1;
	for (size_t i = 0; !rc && (name = focus_builtin(i)); i++)
		part_by(s, &f, name);
	for (size_t i = 0; !rc && (name = focus_name(s->shell->focus, i, NULL)); i++)
		part_by(s, &f, name);
	if (!f.n) {
		json_decref(f.kin[0].sets);
		rankset_clear(&f.kin[0].ranks);
	}
	o = json_pack("{s:s s:o}", "type", "whichsets", "list", take_family(&f));
	if (call->option[WHICHSETS_ALL])
		json_object_set_new(o, "all", json_true());
	if (rc)
		json_decref(o);
	else
		out_answer(s->out, o);
	return rc;
}

const struct cmd cmd_whichsets = {
	.name = "whichsets",
	.args = "[set] [-all]",
	.brief = "the named sets of ranks",
	.help = "Shows a line for the ranks that are in the same sets. Without a set it shows the "
		"members of the current one.",
	.both = CMD_ONE,
	.example = "whichsets [2]",
	.completes = "set",
	.needs_job = true,
	.option = { [WHICHSETS_ALL] = { "all", CMD_FLAG, "all groups of ranks, however many" } },
	.run = run_whichsets,
};
