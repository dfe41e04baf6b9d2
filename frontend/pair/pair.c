/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/pair/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/model/actionpoints.h"
#include "frontend/action/action.h"
#include "frontend/model/alias.h"
#include "frontend/verify/verify.h"
#include "frontend/data/fetch.h"
#include "frontend/output/outcome.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/launch/launch.h"
#include "frontend/pair/pair.h"
#include "frontend/settings/settings.h"
#include "frontend/session/session.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/util/xalloc.h"

struct session *pair_session(const struct pair *p, int which)
{
	return which == PAIR_A ? second_session(p->a) : p->b;
}

struct session *pair_other(const struct pair *p)
{
	return second_session(p->a);
}

bool pair_both(const struct session *s)
{
	return s->pair && !s->side;
}

const char *pair_label(const struct session *s, char side, char *out, size_t size)
{
	int n = s->spec.n ? s->spec.n : 1;
	size_t used = (size_t)snprintf(out, size, "%c  %d rank%s ", side, n, n == 1 ? "" : "s");

	for (size_t i = 0; s->spec.argv && s->spec.argv[i] && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, " %s", s->spec.argv[i]);
	return out;
}

void pair_hush(struct pair *p, bool hush)
{
	pair_other(p)->out = hush ? p->hushed : p->out;
}

static void destroy(struct pair *p)
{
	if (!p)
		return;
	p->mute = true;
	pair_rest(p);
	if (p->a) {
		shell_destroy(pair_other(p));
		checker_tap(pair_other(p)->checker, NULL, NULL);
		pair_hush(p, true);
	}
	second_retire(p->b, p->a);
	pair_match_destroy(p->match);
	compare_destroy(p->compare);
	out_destroy(p->out);
	free(p->stop_on);
	free(p);
}

/* Two builds of one program, whose constructs may be at other lines. */
static bool other_build(const struct pair *p)
{
	char id[2][sizeof(((struct program *)0)->build_id)] = { "", "" };

	for (int i = 0; i < 2; i++) {
		const struct session *s = pair_session(p, i);
		struct program program = { 0 };

		if (s->job && !program_open(&program, job_path(s->job), NULL))
			memcpy(id[i], program.build_id, sizeof(id[i]));
		program_clear(&program);
	}
	return strcmp(id[0], id[1]) != 0;
}

static bool is_alone(const struct pair *p)
{
	const struct job *a = pair_session(p, 0)->job, *b = pair_session(p, 1)->job;

	return a && b && job_size(a) == 1 && job_size(b) == 1;
}

/* A comparison that has seen nothing. */
static void anew(struct pair *p)
{
	struct compare_tolerance tol = tolerance_compare(p->b->set);

	tol.moved = other_build(p);
	tol.alone = is_alone(p);
	compare_destroy(p->compare);
	p->compare = compare_create(&tol);
	p->reported = 0;
	p->stop_at = 0;
	p->summed = p->moved = p->end_shown = false;
	for (int i = 0; i < 2; i++)
		p->side[i] = (struct pair_side){ .pair = p, .which = i };
	pair_match_begin(p->match, p->compare);
}

const struct compare *pair_comparison(const struct pair *p)
{
	return p->compare;
}

static int copy_aliases(struct alias *to, const struct alias *from)
{
	const char *name, *body;

	alias_unset_all(to);
	for (size_t i = 0; (name = alias_at(from, i, &body)); i++)
		if (alias_set(to, name, body, alias_set_of(from, name), NULL))
			return -1;
	return 0;
}

/* A has a shell of its own, with what the user has set up in B's. */
static void create_shell(struct pair *p)
{
	struct session *a = pair_other(p);

	p->hushed = a->out;
	a->out = p->out;
	a->unheard = false;
	shell_create(a);
	actionpoints_copy(a->acts, p->b->acts);
	copy_aliases(a->shell->alias, p->b->shell->alias);
}

static struct pair *create(struct session *s, int n, char *const *argv, struct err *err)
{
	struct pair *p = xcalloc(1, sizeof(*p));

	p->b = s;
	p->out = out_create_side(s->out, 'A');
	p->match = pair_match_create(pair_verdict, p);
	p->a = second_create(s, n, argv, err);
	if (!p->a) {
		destroy(p);
		return NULL;
	}
	create_shell(p);
	return p;
}

/* Asked before what runs is ended for it. */
static int can_make(struct session *s, char *const *argv, struct err *err)
{
	const char *record = checker_recording(s->checker);
	const char *compare = checker_comparing(s->checker);
	struct program program = { 0 };
	int rc;

	if (record || compare)
		return err_set(
			err,
			"the next run is %s %s; two runs are compared with each other only: type "
			"%s -off first",
			record ? "recorded into" : "compared with", record ? record : compare,
			record ? "record" : "compare");
	rc = program_open(&program, argv ? argv[0] : s->spec.argv[0], err);
	program_clear(&program);
	return rc;
}

/* What A has come to counts for the session. */
static void keep_result(struct session *s)
{
	struct session *a = pair_other(s->pair);

	shell_keep_result(a);
	outcome_merge(s->outcome, a->outcome);
}

/* B is about to be loaded: both sides' checksums come to the pair. */
static void loading(struct session *s)
{
	struct pair *p = s->pair;

	if (!p)
		return;
	pair_sum_up(s);
	p->mute = true;
	for (int i = 0; i < 2; i++)
		checker_tap(pair_session(p, i)->checker, pair_point, &p->side[i]);
}

/* B has been loaded: A is loaded too, and the comparison begins again. */
static int loaded(struct session *s, struct err *err)
{
	struct pair *p = s->pair;
	int rc;

	if (!p)
		return 0;
	keep_result(s);
	rc = session_load(pair_other(p), err) ? err_prefix(err, "A") : 0;
	if (!rc)
		anew(p);
	p->mute = false;
	return rc;
}

static const struct session_hooks hooks = {
	.loading = loading,
	.loaded = loaded,
	.closing = pair_end,
};

int pair_make(struct session *s, int n, char *const *argv, struct err *err)
{
	struct pair *p = can_make(s, argv, err) ? NULL : create(s, n, argv, err);

	if (!p)
		return -1;
	pair_end(s);
	p->stop_on = xstrdup(settings_text(s->set, "STOP_ON"));
	s->pair = p;
	session_hook(s, &hooks);
	if (!settings_set(s->set, "STOP_ON", "mismatch", err) &&
	    !settings_set(pair_other(p)->set, "STOP_ON", "mismatch", err) && !session_load(s, err))
		return 0;
	pair_end(s);
	return -1;
}

void pair_end(struct session *s)
{
	struct pair *p = s->pair;

	if (!p)
		return;
	pair_sum_up(s);
	keep_result(s);
	checker_tap(s->checker, NULL, NULL);
	/* whoever waits for A goes on */
	pair_match_begin(p->match, NULL);
	s->pair = NULL;
	if (p->stop_on)
		settings_set(s->set, "STOP_ON", p->stop_on, NULL);
	destroy(p);
	if (s->job && !job_over(s->job))
		checker_changed(s->checker, NULL);
}

void pair_share_actions(struct session *s)
{
	struct session *a = pair_other(s->pair);

	actionpoints_copy(a->acts, s->acts);
	action_changed(a->action);
	action_send(a);
}

/* "u, v, eps", of what is registered on a side now. */
static void list_objects(const struct fetch_objects *all, char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (size_t i = 0; i < all->n && used < size; i++)
		if (!i || strcmp(all->item[i].desc.name, all->item[i - 1].desc.name))
			used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
						 all->item[i].desc.name);
}

/* -1 and err: the side has registered objects, but not this one. */
static int check_object(struct session *s, char side, const char *name, struct err *err)
{
	const struct rankset *who = job_set(s->job, JOB_STOPPED);
	struct fetch_objects found = { 0 };
	char list[300];
	int rc = 0;

	if (fetch_names(s, name, who, &found, NULL))
		return 0;
	if (found.n) {
		fetch_objects_clear(&found);
		return 0;
	}
	fetch_objects_clear(&found);
	if (fetch_names(s, "", who, &found, NULL))
		return 0;
	if (found.n) {
		list_objects(&found, list, sizeof(list));
		rc = err_set(err, "%c has no %.100s, but %s", side, name, list);
	}
	fetch_objects_clear(&found);
	return rc;
}

/* Of "A.u@heat.c:61"; what there is, is known when the side stands. */
static int check_tie(struct pair *p, int which, const char *text, struct err *err)
{
	struct session *s = pair_session(p, which);
	const char *at = strrchr(text, '@');
	char *name;
	int rc;

	if (tie_check(text, which, err))
		return -1;
	if (!s->job || !job_set(s->job, JOB_STOPPED)->n)
		return 0;
	name = xstrndup(text + 2, (size_t)(at - text - 2));
	rc = check_object(s, (char)('A' + which), name, err);
	free(name);
	return rc;
}

int pair_tie(struct pair *p, const char *a, const char *b, struct err *err)
{
	if (check_tie(p, PAIR_A, a, err) || check_tie(p, PAIR_B, b, err))
		return -1;
	return pair_match_tie(p->match, a, b, err);
}

void pair_untie(struct pair *p)
{
	pair_match_untie(p->match);
}

const char *pair_tie_text(const struct pair *p, size_t i, char *out, size_t size)
{
	const struct ties *t = pair_match_ties(p->match);

	return i < t->n ? tie_text(&t->list[i], out, size) : NULL;
}

const struct compare *pair_compared(const struct session *s)
{
	if (s->pair)
		return pair_comparison(s->pair);
	return s->checker ? checker_comparison(s->checker) : NULL;
}
