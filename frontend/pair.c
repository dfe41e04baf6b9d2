/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "frontend/checker.h"
#include "frontend/findings.h"
#include "frontend/loop.h"
#include "frontend/out.h"
#include "frontend/pair_match.h"
#include "frontend/second.h"
#include "frontend/session.h"
#include "frontend/settings.h"
#include "frontend/shell.h"
#include "frontend/tolerance.h"

#define LOOK_MS 50

struct pair {
	struct session *b; /* borrowed: it owns us */
	struct second *a;
	struct pair_match *match;
	struct compare *compare; /* owned */
	struct pair_side {
		struct pair *pair;
		int which;
	} side[2];
	size_t told; /* mismatches that have been shown */
	char *stop_on; /* owned; what the user's STOP_ON was */
};

static struct session *side_session(const struct pair *p, int which)
{
	return which == PAIR_A ? second_session(p->a) : p->b;
}

struct session *pair_other(const struct pair *p)
{
	return second_session(p->a);
}

const struct compare *pair_comparison(const struct pair *p)
{
	return p->compare;
}

const char *pair_label(const struct session *s, char side, char *out, size_t size)
{
	int n = s->spec.n ? s->spec.n : 1;
	size_t used = (size_t)snprintf(out, size, "%c  %d rank%s ", side, n, n == 1 ? "" : "s");

	for (size_t i = 0; s->spec.argv && s->spec.argv[i] && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, " %s", s->spec.argv[i]);
	return out;
}

/* Ranks that hold at a main point may go on, or stop there. */
static void verdict(void *arg, int which, const struct point *at, bool stop)
{
	struct session *s = side_session(arg, which);

	if (s->job && !at->task && !at->sub)
		job_verdict(s->job, at, stop);
}

static void on_point(void *arg, struct sums_point *point)
{
	struct pair_side *side = arg;

	pair_match_take(side->pair->match, side->which, point);
}

static bool runs(const struct session *s)
{
	return s->job && job_set(s->job, JOB_RUNNING)->n;
}

/* A side that waits for one that has ended goes on alone; for one that just stands it stops. */
static void look_side(struct pair *p, int which)
{
	struct session *s = side_session(p, which), *other = side_session(p, !which);

	if (!other->job || runs(other) || !pair_match_waits(p->match, which))
		return;
	if (job_over(other->job))
		pair_match_over(p->match, !which);
	else if (s->job)
		job_halt(s->job, job_set(s->job, JOB_RUNNING), NULL);
}

/* Looks now and then while something runs. */
static void look(void *arg)
{
	struct pair *p = arg;

	look_side(p, PAIR_A);
	look_side(p, PAIR_B);
	if (runs(p->b) || runs(second_session(p->a)))
		loop_at(p->b->loop, loop_now() + LOOK_MS, look, p);
}

static void tap(struct pair *p)
{
	for (int i = 0; i < 2; i++)
		checker_tap(side_session(p, i)->checker, on_point, &p->side[i]);
}

static void destroy(struct pair *p)
{
	if (!p)
		return;
	loop_cancel(p->b->loop, look, p);
	second_destroy(p->a);
	pair_match_destroy(p->match);
	compare_destroy(p->compare);
	free(p->stop_on);
	free(p);
}

/* A comparison that has seen nothing. */
static int anew(struct pair *p, struct err *err)
{
	struct compare_tolerance tol = tolerance_compare(p->b->set);

	compare_destroy(p->compare);
	p->compare = compare_create(&tol);
	p->told = 0;
	pair_match_begin(p->match, p->compare);
	return p->compare ? 0 : err_set(err, "out of memory");
}

static int set_argv(struct session *a, char *const *argv)
{
	int n = 0;

	while (argv[n])
		n++;
	return shell_set_argv(a, argv, n);
}

static struct pair *create(struct session *s, int n, char *const *argv, struct err *err)
{
	struct pair *p = calloc(1, sizeof(*p));

	if (!p) {
		err_set(err, "out of memory");
		return NULL;
	}
	p->b = s;
	p->a = second_create(s, n, err);
	p->match = p->a ? pair_match_create(verdict, p) : NULL;
	p->stop_on = strdup(settings_text(s->set, "STOP_ON"));
	for (int i = 0; i < 2; i++)
		p->side[i] = (struct pair_side){ p, i };
	if (!p->match || !p->stop_on || !shell_create(second_session(p->a), err) ||
	    (argv && set_argv(second_session(p->a), argv))) {
		if (!*err->text)
			err_set(err, "out of memory");
		destroy(p);
		return NULL;
	}
	return p;
}

int pair_make(struct session *s, int n, char *const *argv, struct err *err)
{
	struct pair *p;

	pair_end(s);
	p = create(s, n, argv, err);
	if (!p)
		return -1;
	s->pair = p;
	if (settings_set(s->set, "STOP_ON", "mismatch", err) ||
	    settings_set(pair_other(p)->set, "STOP_ON", "mismatch", err) || session_load(s, err)) {
		pair_end(s);
		return -1;
	}
	return 0;
}

void pair_end(struct session *s)
{
	struct pair *p = s->pair;

	if (!p)
		return;
	s->pair = NULL;
	checker_tap(s->checker, NULL, NULL);
	settings_set(s->set, "STOP_ON", p->stop_on, NULL);
	shell_destroy(second_session(p->a));
	destroy(p);
}

int pair_loaded(struct session *s, struct err *err)
{
	struct pair *p = s->pair;

	if (anew(p, err))
		return -1;
	return session_load(pair_other(p), err);
}

void pair_before_load(struct session *s)
{
	tap(s->pair);
}

void pair_resume(struct session *s, enum plan_mode mode, uint32_t n)
{
	struct session *a = pair_other(s->pair);
	struct rankset who = { 0 };
	struct err err = { "" };

	if (!a->job)
		return;
	if (!rankset_copy(&who, job_set(a->job, JOB_STOPPED)) &&
	    !rankset_add_set(&who, job_set(a->job, JOB_LOADED)) && who.n &&
	    job_go(a->job, &who, mode, n, NULL, &err))
		out_warning(s->out, "A: %s", err.text);
	rankset_clear(&who);
	loop_at(s->loop, loop_now() + LOOK_MS, look, s->pair);
}

static void tell_mismatches(struct session *s)
{
	struct pair *p = s->pair;

	for (; p->told < compare_count(p->compare); p->told++) {
		const struct mismatch *m = compare_mismatch(p->compare, p->told);
		struct report_finding r = { .kind = FINDING_CHECKSUM,
					    .point = m->point,
					    .detail = m->text };

		if (!findings_add(s->findings, job_set(s->job, JOB_ALL), &r, m->where))
			continue;
		if (!s->status)
			s->status = 1;
		out_answer(s->out, findings_one(job_set(s->job, JOB_ALL), &r, m->where));
	}
}

void pair_wait(struct session *s)
{
	struct session *a = pair_other(s->pair);
	struct out *own = a->out;
	struct rankset who = { 0 };
	enum stop_verdict end;

	if (a->job && !rankset_copy(&who, job_set(a->job, JOB_ALL))) {
		end = session_wait(a, &who);
		/* it is shown by the session's printer */
		out_side(s->out, 'A');
		a->out = s->out;
		session_show_stop(a, &who, end);
		a->out = own;
		out_side(s->out, 0);
	}
	rankset_clear(&who);
	tell_mismatches(s);
}

int pair_tie(struct pair *p, const char *a, const char *b, struct err *err)
{
	return pair_match_tie(p->match, a, b, err);
}

void pair_untie(struct pair *p)
{
	pair_match_untie(p->match);
}

const char *pair_tie_text(const struct pair *p, size_t i, char *out, size_t size)
{
	return pair_match_tie_text(p->match, i, out, size);
}
