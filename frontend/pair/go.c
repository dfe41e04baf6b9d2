/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both sides of a pair go on together, wait for each other at points, and stop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/core/err.h"
#include "frontend/verify/verify.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/model/findings.h"
#include "frontend/output/outcome.h"
#include "frontend/halo/halo.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/pair/internal.h"
#include "frontend/settings/settings.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define LOOK_MS 50
#define GRACE_MS 300 /* for what is on its way: points of a side that stands, verdicts */

static bool runs(const struct session *s)
{
	return s->job && job_set(s->job, JOB_RUNNING)->n;
}

static void halt(const struct session *s)
{
	const struct rankset *running = job_set(s->job, JOB_RUNNING);

	if (running->n && !job_halting(s->job, running))
		job_halt(s->job, running);
}

/* Ranks that are to stop at their next point may not come to it while they hold at this one. */
static void inspect_halt(struct pair *p, int which)
{
	const struct session *s = pair_session(p, which);

	if (runs(s) && job_halting(s->job, job_set(s->job, JOB_RUNNING)) &&
	    pair_match_waits(p->match, which))
		pair_match_release(p->match, which);
}

/* A side stops at the point where it waits for the other. */
static void stop_waiting(struct pair *p, int which, const char *why)
{
	pair_session(p, which)->stop_words = why;
	pair_match_stop(p->match, which);
}

/* A side that waits for one that has ended need not wait; for one that just stands it stops. */
static void inspect_side(struct pair *p, int which)
{
	struct session *s = pair_session(p, which), *other = pair_session(p, !which);
	struct pair_side *there = &p->side[!which];
	int64_t now = loop_now();

	if (!other->job || (runs(other) && !there->given_up))
		there->stood = 0;
	else if (!there->stood)
		there->stood = now;
	if (!there->stood || now - there->stood < GRACE_MS)
		return;
	if (job_over(other->job))
		pair_match_over(p->match, !which, checker_complete(other->job));
	else if (runs(s) && pair_match_waits(p->match, which))
		stop_waiting(p, which, which == PAIR_A ? "waits for B" : "waits for A");
}

/* It had gone past the point before it was to stop there. */
static void stop_late(struct pair *p, int which)
{
	struct session *s = pair_session(p, which);

	if (!p->stop_at || !runs(s) || loop_now() - p->stop_at < GRACE_MS)
		return;
	if (pair_match_waits(p->match, which))
		stop_waiting(p, which, NULL);
	else
		halt(s);
}

/* Now and then while something runs. */
static void look(void *arg)
{
	struct pair *p = arg;
	int64_t now = loop_now();
	bool any = false;

	for (int i = 0; i < 2 && !p->mute; i++) {
		inspect_side(p, i);
		stop_late(p, i);
		inspect_halt(p, i);
		any |= runs(pair_session(p, i));
	}
	if (any)
		loop_at(p->b->loop, now + LOOK_MS, look, p);
}

void pair_rest(struct pair *p)
{
	loop_cancel(p->b->loop, look, p);
}

void pair_verdict(void *arg, int which, const struct point *at, bool stop)
{
	struct pair *p = arg;
	struct session *s = pair_session(p, which);

	if (p->mute || !s->job)
		return;
	/* a mismatch, and not that it waits for the other one */
	if (stop && !s->stop_words) {
		stop = settings_is(p->b->set, "STOP_ON", "mismatch");
		if (compare_count(p->compare) == p->reported)
			s->stop_words = which == PAIR_A ? "B has ended" : "A has ended";
		else if (stop && !p->stop_at)
			p->stop_at = loop_now();
	}
	if (at)
		job_verdict(s->job, at, stop);
}

void pair_point(void *arg, struct sums_point *point)
{
	struct pair_side *side = arg;
	struct pair *p = side->pair;

	if (p->mute) {
		sums_point_destroy(point);
		return;
	}
	pair_match_take(p->match, side->which, point);
	loop_at(p->b->loop, loop_now() + LOOK_MS, look, p);
}

bool pair_moves(const struct session *s, const struct rankset *who)
{
	return pair_both(s) && s->job && rankset_covers(who, job_set(s->job, JOB_STOPPED)) &&
	       rankset_covers(who, job_set(s->job, JOB_LOADED)) &&
	       rankset_covers(who, job_set(s->job, JOB_RUNNING));
}

/* 1: nothing of this side can go on. */
static int go_side(struct pair *p, int which, enum plan_mode mode, uint32_t n, struct err *err)
{
	struct session *s = pair_session(p, which);
	struct rankset who = { 0 };
	int rc = 1;

	if (!s->job)
		return 1;
	xrankset_copy(&who, job_set(s->job, JOB_STOPPED));
	xrankset_add_set(&who, job_set(s->job, JOB_LOADED));
	if (who.n) {
		rc = job_go(s->job, &who, mode, n, NULL, err);
		if (rc && which == PAIR_A)
			err_prefix(err, "A");
		p->moved |= which == PAIR_A;
		xrankset_remove_set(&s->shell->gone, &who);
	}
	rankset_clear(&who);
	return rc;
}

int pair_go(struct session *s, enum plan_mode mode, uint32_t n, bool *b, struct err *err)
{
	struct pair *p = s->pair;
	int rc[2];

	if (halo_watch_on(s) && !p->halo_reported) {
		out_warning(s->out,
			    "CHECK_HALO: halos are not watched while two runs go on together; "
			    "halo compares them at a stop");
		p->halo_reported = true;
	}
	p->stop_at = 0;
	p->side[PAIR_A].given_up = p->side[PAIR_B].given_up = false;
	p->side[PAIR_A].stood = p->side[PAIR_B].stood = 0;
	pair_other(p)->stop_words = s->stop_words = NULL;
	rc[PAIR_A] = go_side(p, PAIR_A, mode, n, err);
	rc[PAIR_B] = rc[PAIR_A] < 0 ? -1 : go_side(p, PAIR_B, mode, n, err);
	*b = !rc[PAIR_B];
	loop_at(s->loop, loop_now() + LOOK_MS, look, p);
	return rc[PAIR_A] < 0 || rc[PAIR_B] < 0 ? -1 : rc[PAIR_A] && rc[PAIR_B];
}

int pair_halt(struct session *s)
{
	struct pair *p = s->pair;
	int rc = 1;

	for (int i = 0; i < 2; i++) {
		struct session *side = pair_session(p, i);

		if (!runs(side))
			continue;
		job_halt(side->job, job_set(side->job, JOB_RUNNING));
		p->moved = true;
		rc = 0;
	}
	return rc;
}

int pair_kill(struct session *s, struct err *err)
{
	struct pair *p = s->pair;

	for (int i = 0; i < 2; i++) {
		struct session *side = pair_session(p, i);

		if (side->job && job_kill(side->job, job_set(side->job, JOB_ALL), err))
			return -1;
	}
	p->moved = true;
	return 0;
}

/* One side is not waited for any longer: the other one may wait in vain for what still runs of it.
 */
static void on_done(void *arg, int which)
{
	struct pair *p = arg;

	p->side[which].given_up = true;
}

enum stop_verdict pair_wait(struct session *s)
{
	struct pair *p = s->pair;
	struct session *both[2] = { pair_other(p), s };
	const struct rankset *who[2];
	enum stop_verdict end[2];

	if (!both[PAIR_A]->job)
		return session_wait(s, job_set(s->job, JOB_ALL));
	for (int i = 0; i < 2; i++)
		who[i] = job_set(both[i]->job, JOB_ALL);
	session_wait_both(both, who, end, on_done, p);
	p->end = end[PAIR_A];
	return end[PAIR_B];
}

void pair_report(struct session *s)
{
	struct pair *p = s->pair;
	char tied[600], *text;

	for (; p->compare && p->reported < compare_count(p->compare); p->reported++) {
		const struct mismatch *m = compare_mismatch(p->compare, p->reported);
		struct report_finding r = { .kind = checker_finding(m->kind), .point = m->point };
		struct rankset ranks = { 0 };
		const struct ties *t = pair_match_ties(p->match);

		*tied = '\0';
		for (size_t i = 0; i < t->n && m->id.name; i++)
			if (!strcmp(t->list[i].array[PAIR_B], m->id.name) &&
			    !strcmp(t->list[i].where[PAIR_B], m->where))
				snprintf(tied, sizeof(tied), "; in A it is %.250s at %.250s",
					 t->list[i].array[PAIR_A], t->list[i].where[PAIR_A]);
		if (!s->job)
			continue;
		text = xasprintf("%s%s", m->text ? m->text : "", tied);
		r.detail = text;
		if (!checker_ranks(s, m, &ranks) &&
		    findings_add(s->findings, &ranks, &r, m->where)) {
			outcome_add(s->outcome, OUTCOME_FINDINGS);
			out_answer(s->out, findings_get(s->findings, findings_count(s->findings)));
		}
		rankset_clear(&ranks);
		free(text);
	}
}

static bool over(const struct session *s)
{
	return !s->job || job_over(s->job);
}

/* Ties that were not compared, or less often than they could have been. */
static void report_ties(struct session *s)
{
	const struct ties *t = pair_match_ties(s->pair->match);
	char tie[600], why[1000];

	for (size_t i = 0; i < t->n; i++) {
		if (!tie_trouble(t, &t->list[i], why, sizeof(why)))
			continue;
		tie_text(&t->list[i], tie, sizeof(tie));
		if (t->list[i].compared)
			out_warning(s->out, "tie %s: compared %llu time%s: %s", tie,
				    (unsigned long long)t->list[i].compared,
				    t->list[i].compared == 1 ? "" : "s", why);
		else
			out_warning(s->out, "tie %s was never compared: %s", tie, why);
		outcome_incomplete(s->outcome, "tie %s: %s", tie, why);
	}
}

static void report_beyond(struct session *s)
{
	const struct pair *p = s->pair;

	for (int i = 0; i < 2; i++) {
		unsigned long long n = pair_match_beyond(p->match, i);

		if (!n || pair_match_ties(p->match)->n)
			continue;
		out_note(s->out, "%c went on after %c had ended: %llu construct%s %s not compared",
			 'A' + i, 'B' - i, n, n == 1 ? "" : "s", n == 1 ? "was" : "were");
		outcome_incomplete(s->outcome, "%llu construct%s of %c %s no partner in %c", n,
				   n == 1 ? "" : "s", 'A' + i, n == 1 ? "has" : "have", 'B' - i);
	}
}

/* What of the pair was not compared; over: both have ended. */
static void keep_incomplete(struct session *s, bool over)
{
	const struct compare_state *c = compare_state(s->pair->compare);

	if (!c->arrays && !s->pair->reported && over)
		outcome_incomplete(s->outcome, "there was nothing to compare");
	checker_keep_uncompared(s->outcome, c);
}

void pair_sum_up(struct session *s)
{
	struct pair *p = s->pair;
	struct session *a = pair_other(p);
	const struct compare_state *c = p->compare ? compare_state(p->compare) : NULL;
	char point[POINT_TEXT];
	json_t *o;

	if (p->summed || !c || !s->job || !a->job || !job_gen(s->job) || !job_gen(a->job))
		return;
	p->summed = true;
	report_beyond(s);
	report_ties(s);
	keep_incomplete(s, over(s) && over(a));
	o = json_pack("{s:s s:s s:s s:I s:I s:I s:I s:I s:I s:I s:b}", "type", "compared",
		      "reference", "A", "verdict",
		      p->reported  ? "findings"
		      : !c->arrays ? "nothing"
		      : c->rounds  ? "rounding"
				   : "equal",
		      "sums", (json_int_t)c->arrays, "arrays", (json_int_t)c->names, "points",
		      (json_int_t)c->points, "equal", (json_int_t)c->equal, "rounding",
		      (json_int_t)c->rounding, "skipped", (json_int_t)c->skipped, "findings",
		      (json_int_t)p->reported, "complete", over(s) && over(a));
	if (c->rounds) {
		json_object_set_new(o, "rounding_from",
				    json_string(point_format(&c->rounds_from, point)));
		json_object_set_new(o, "rounding_array", out_json_text(c->rounds_array));
		json_object_set_new(o, "rounding_most", json_real(c->rounds_most));
	}
	checker_put_small(o, c);
	checker_put_tolerance(o, c, s->set);
	out_answer(s->out, o);
	outcome_report(s->outcome, s->out, "compared");
}

static void show_a(struct pair *p)
{
	struct session *a = pair_other(p);

	p->moved = false;
	p->end_shown = over(a);
	session_show_stop(a, job_set(a->job, JOB_ALL), p->end);
	shell_stopped(a);
	if (over(a)) {
		shell_report_unreached(a);
		checker_over(a->checker);
	}
}

void pair_show(struct session *s)
{
	struct pair *p = s->pair;
	struct session *a = pair_other(p);
	bool ended[2] = { over(a), over(s) };

	if (a->job && (p->moved || (ended[PAIR_A] && !p->end_shown)))
		show_a(p);
	pair_report(s);
	if (ended[PAIR_A] && ended[PAIR_B])
		pair_sum_up(s);
	else if (ended[PAIR_A] || ended[PAIR_B])
		out_note(s->out, "%c has ended: %c goes on alone", ended[PAIR_A] ? 'A' : 'B',
			 ended[PAIR_A] ? 'B' : 'A');
}

void pair_inspect(struct session *s)
{
	pair_report(s);
	if (over(s) && over(pair_other(s->pair)))
		pair_sum_up(s);
}
