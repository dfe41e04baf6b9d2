/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/action/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "frontend/action/action.h"
#include "frontend/verify/verify.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

struct action_mark *action_mark_find(const struct action_marks *m, uint32_t id,
				     const struct point *p)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->list[i].id == id &&
		    (!p || point_compare(&m->list[i].point, p) == POINT_EQUAL))
			return &m->list[i];
	return NULL;
}

struct action_mark *action_mark_add(struct action_marks *m, uint32_t id, const struct point *p,
				    const struct rankset *ranks)
{
	struct action_mark *x = action_mark_find(m, id, p);

	if (!x) {
		xvec_more(m->list, m->n, 1);
		x = &m->list[m->n++];
		*x = (struct action_mark){ .id = id };
		if (p)
			x->point = *p;
	}
	xrankset_add_set(&x->ranks, ranks);
	return x;
}

void action_marks_drop(struct action_marks *m, struct action_mark *x)
{
	rankset_clear(&x->ranks);
	*x = m->list[--m->n];
}

void action_marks_remove(struct action_marks *m, const struct rankset *ranks)
{
	for (size_t i = m->n; i--;) {
		xrankset_remove_set(&m->list[i].ranks, ranks);
		if (!m->list[i].ranks.n)
			action_marks_drop(m, &m->list[i]);
	}
}

void action_marks_clear(struct action_marks *m)
{
	while (m->n)
		action_marks_drop(m, &m->list[0]);
	free(m->list);
	*m = (struct action_marks){ 0 };
}

static void later(void *arg)
{
	action_settle(arg);
}

struct action *action_create(struct session *s)
{
	struct action *a = xcalloc(1, sizeof(*a));

	a->s = s;
	return a;
}

void action_destroy(struct action *a)
{
	if (!a)
		return;
	loop_cancel(a->s->loop, later, a);
	rankset_clear(&a->decided);
	rankset_clear(&a->pending);
	rankset_clear(&a->held);
	rankset_clear(&a->shown);
	rankset_clear(&a->stay);
	action_marks_clear(&a->quiet);
	action_marks_clear(&a->yes);
	action_marks_clear(&a->voted);
	action_marks_clear(&a->inspected);
	action_marks_clear(&a->arrived);
	action_values_clear(a);
	free(a);
}

const struct rankset *action_pending(const struct action *a)
{
	static const struct rankset none;

	return a ? &a->pending : &none;
}

const struct rankset *action_held(const struct action *a)
{
	static const struct rankset none;

	return a ? &a->held : &none;
}

void action_going(struct action *a, const struct rankset *who)
{
	if (!a)
		return;
	xrankset_remove_set(&a->decided, who);
	xrankset_remove_set(&a->pending, who);
	xrankset_remove_set(&a->shown, who);
	xrankset_remove_set(&a->stay, who);
	action_marks_remove(&a->quiet, who);
}

bool action_shows(const struct action *a, uint32_t id, const struct rankset *ranks)
{
	struct rankset left = { 0 };
	bool shows = true;

	if (!a)
		return true;
	xrankset_copy(&left, ranks);
	for (size_t i = 0; i < a->quiet.n; i++)
		if (a->quiet.list[i].id == id)
			xrankset_remove_set(&left, &a->quiet.list[i].ranks);
	shows = left.n > 0;
	rankset_clear(&left);
	return shows;
}

void action_shown(struct action *a, struct rankset *who)
{
	if (!a)
		return;
	xrankset_intersect(&a->shown, job_set(a->s->job, JOB_STOPPED));
	xrankset_add_set(who, &a->shown);
	rankset_clear(&a->shown);
}

/* The stop sets of the actionpoints of one stop. */
static void add_stop_sets(const struct action *a, const struct report_stop *r,
			  const struct rankset *ranks, struct rankset *out)
{
	for (unsigned i = 0; i < r->nact; i++) {
		const struct actionpoint *ap = actionpoints_find(a->s->acts, r->act[i]);
		struct rankset stop = { 0 };

		/* without -stop others stop at common points only, and with watches */
		if (ap && action_shows(a, ap->rule.id, ranks) && ap->kind != ACT_BARRIER &&
		    (ap->stop ? *ap->stop != 0 : ap->kind == ACT_WATCH || action_common(r)) &&
		    !action_members(a->s, ap->stop, NULL, &stop, NULL))
			xrankset_add_set(out, &stop);
		rankset_clear(&stop);
	}
}

void action_add_stop_sets(const struct action *a, struct rankset *who)
{
	const struct groups *stops = a && a->s->job ? job_stops(a->s->job) : NULL;
	struct rankset add = { 0 };

	for (size_t i = 0; stops && i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (rankset_meets(&stops->group[i].ranks, who) && !report_stop_get(&r, &b) &&
		    stop_is_actionpoint(r.reason))
			add_stop_sets(a, &r, &stops->group[i].ranks, &add);
	}
	xrankset_add_set(who, &add);
	rankset_clear(&add);
}

bool action_common(const struct report_stop *r)
{
	/* iterations of a parallel loop are some ranks' own */
	return r->reason != STOP_WRITE && r->point.main && !r->point.sub &&
	       r->frame.kind < CONSTRUCT_KINDS && construct_numbered(r->frame.kind) &&
	       (!r->frame.nidx || r->frame.ending);
}

int action_trigger(const struct action *a, const struct actionpoint *ap, struct rankset *out)
{
	return action_members(a->s, ap->who, ap->off, out, NULL);
}

/* Iterations of this parallel loop are not marked: who asked for one is informed. */
static void refuse_iteration(struct action *a, struct actionpoint *ap)
{
	struct location loc = { .kind = (enum rule_kind)ap->rule.kind, .line = ap->rule.line };

	memcpy(loc.file, ap->rule.file, sizeof(loc.file));
	if (action_place_loop(a->s, &loc) == ACTS_LOOP_MARKED)
		return;
	ap->enabled = false;
	out_warning(a->s->out, "actionpoint %u, %s, is disabled: %s", ap->rule.id, ap->text,
		    action_place_unseen(loc.file));
}

void action_stop_others(struct action *a, const struct actionpoint *ap)
{
	struct rankset who = { 0 }, stopped = { 0 };

	if (ap->stop && !*ap->stop)
		return;
	if (!action_members(a->s, ap->stop, NULL, &who, NULL)) {
		/* those about whom nothing is decided yet, or have not gone yet, are not sent on */
		xrankset_copy(&stopped, job_set(a->s->job, JOB_STOPPED));
		xrankset_remove_set(&stopped, &a->decided);
		xrankset_add_set(&stopped, &a->going);
		xrankset_intersect(&stopped, &who);
		xrankset_add_set(&a->stay, &stopped);
		xrankset_intersect(&who, job_set(a->s->job, JOB_RUNNING));
		if (who.n && !job_halting(a->s->job, &who))
			job_halt(a->s->job, &who);
	}
	rankset_clear(&who);
	rankset_clear(&stopped);
}

/* At a common point the others stop by themselves; elsewhere only who is said to. */
static void stop_others(struct action *a, const struct actionpoint *ap, const struct report_stop *r)
{
	bool common = action_common(r) && !ap->rule.niter;

	if (common || (ap->kind == ACT_BREAK && !ap->stop))
		return;
	action_stop_others(a, ap);
}

/* Takes what the actionpoint is no reason for. */
static void hush(struct action *a, uint32_t id, const struct action_stop *stop)
{
	action_mark_add(&a->quiet, id, NULL, &stop->ranks);
}

static void decide_act(struct action *a, uint32_t id, struct action_stop *stop)
{
	struct actionpoint *ap = actionpoints_find(a->s->acts, id);

	if (id == ACTION_FIND_ID) {
		hush(a, id, stop);
		return;
	}
	/* one that has been deleted meanwhile stops once more: better than to go on for ever */
	if (id == CHECKER_RULE_ID || !ap) {
		xrankset_add_set(&stop->real, &stop->ranks);
	} else if (!ap->enabled) {
		hush(a, id, stop);
	} else if (ap->rule.niter && stop->r.frame.kind == CONSTRUCT_PL && !stop->r.frame.nidx) {
		refuse_iteration(a, ap);
		hush(a, id, stop);
	} else if (ap->kind == ACT_WATCH) {
		action_watch(a, ap, stop);
	} else if (ap->cond) {
		action_vote(a, ap, stop);
	} else if (ap->kind == ACT_BARRIER) {
		action_arrive(a, ap, stop);
	} else {
		xrankset_add_set(&stop->real, &stop->ranks);
	}
}

static bool vote_waits(struct action *a, const struct action_stop *stop)
{
	for (unsigned i = 0; i < stop->r.nact; i++) {
		const struct actionpoint *ap = actionpoints_find(a->s->acts, stop->r.act[i]);

		if (ap && ap->enabled && (ap->cond || ap->kind == ACT_WATCH) &&
		    action_vote_waits(a, ap, stop))
			return true;
	}
	return false;
}

/* All actionpoints of a stop; false: it cannot be decided about yet. */
static bool decide(struct action *a, struct action_stop *stop)
{
	if (vote_waits(a, stop)) {
		xrankset_add_set(&a->pending, &stop->ranks);
		return false;
	}
	xrankset_add_set(&a->decided, &stop->ranks);
	xrankset_remove_set(&a->pending, &stop->ranks);
	for (unsigned i = 0; i < stop->r.nact; i++)
		decide_act(a, stop->r.act[i], stop);
	if (stop->r.done)
		xrankset_add_set(&stop->real, &stop->ranks);
	for (unsigned i = 0; i < stop->r.nact && stop->real.n; i++) {
		const struct actionpoint *ap = actionpoints_find(a->s->acts, stop->r.act[i]);

		if (ap && ap->enabled && ap->kind != ACT_BARRIER &&
		    action_shows(a, ap->rule.id, &stop->ranks))
			stop_others(a, ap, &stop->r);
	}
	return true;
}

/* The next group of ranks that is to be decided about, with or without those of whom it could not
 * be decided before; false: there is none. */
static bool take_stop(struct action *a, const struct rankset *skip, bool pending,
		      struct action_stop *stop)
{
	const struct groups *stops = job_stops(a->s->job);

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);

		if (report_stop_get(&stop->r, &b))
			continue;
		xrankset_copy(&stop->ranks, &stops->group[i].ranks);
		xrankset_remove_set(&stop->ranks, &a->decided);
		xrankset_remove_set(&stop->ranks, skip);
		if (!stop->ranks.n || (!pending && rankset_covers(&a->pending, &stop->ranks)))
			continue;
		if (stop_is_actionpoint(stop->r.reason) && stop->r.nact)
			return true;
		xrankset_add_set(&a->decided, &stop->ranks);
	}
	return false;
}

/* Those of a stop that are not real are to go on. */
static void let_go(struct action *a, struct action_stop *stop)
{
	xrankset_remove_set(&stop->ranks, &stop->real);
	xrankset_add_set(&a->going, &stop->ranks);
}

/* They do, unless a barrier holds them or others have stopped for good. Not before all are decided
 * about: who waits for the others would wait for them again. */
static bool send_on(struct action *a)
{
	bool sent;

	xrankset_remove_set(&a->going, &a->held);
	xrankset_remove_set(&a->going, &a->stay);
	xrankset_intersect(&a->going, job_set(a->s->job, JOB_STOPPED));
	sent = a->going.n > 0;
	if (sent)
		job_resume(a->s->job, &a->going);
	return sent;
}

static bool settle(struct action *a)
{
	struct rankset skip = { 0 };
	struct action_stop stop = { 0 };
	bool sent = false;

	action_native_find(a);
	/* a new stop may be for good, and then the others stay as well */
	while (a->s->job &&
	       (take_stop(a, &skip, false, &stop) || take_stop(a, &skip, true, &stop))) {
		xrankset_add_set(&skip, &stop.ranks);
		rankset_clear(&stop.real);
		/* what cannot be decided is left for the next time */
		if (!decide(a, &stop) || !a->s->job)
			continue;
		action_barriers(a);
		let_go(a, &stop);
	}
	if (a->s->job) {
		action_barriers(a);
		sent = send_on(a);
	}
	rankset_clear(&a->going);
	rankset_clear(&skip);
	rankset_clear(&stop.ranks);
	rankset_clear(&stop.real);
	return sent;
}

bool action_settle(struct action *a)
{
	bool sent;

	if (!a || !a->s->job || a->busy)
		return false;
	a->busy = true;
	xrankset_intersect(&a->decided, job_set(a->s->job, JOB_STOPPED));
	xrankset_intersect(&a->pending, job_set(a->s->job, JOB_STOPPED));
	xrankset_intersect(&a->stay, job_set(a->s->job, JOB_STOPPED));
	loop_defer_interrupt(a->s->loop, true);
	sent = settle(a);
	loop_defer_interrupt(a->s->loop, false);
	if (!a->pending.n)
		a->vote_at = 0;
	else if (a->vote_at)
		loop_at(a->s->loop, a->vote_at, later, a);
	a->busy = false;
	return sent || a->pending.n;
}

void action_changed(struct action *a)
{
	if (!a || !a->s->job || a->busy)
		return;
	a->busy = true;
	action_barriers(a);
	a->busy = false;
}
