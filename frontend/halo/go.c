/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranks go on from construct to construct, with a look at the halos in between: every rank has the
 * same points, so a plan to go to the next end stops all of them there.
 */
#include "frontend/halo/halo.h"

#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/report.h"
#include "frontend/job/job.h"
#include "frontend/output/output.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xrankset.h"

/* Where the members stand. */
struct stand {
	struct point furthest;
	bool together;	 /* all have passed the same point */
	bool in_region;	 /* some are inside a task region, or at its beginning */
	bool wanted;	 /* some of those that went on have come to a stop that the user wants */
	bool numbered;	 /* all are at the beginning or the end of a numbered construct */
	bool none;	 /* nobody stands */
	char where[300]; /* of the furthest */
};

struct drive {
	struct session *s;
	const struct rankset *who;
	struct rankset sent; /* those that are on their way */
	bool cont;	     /* who is late is not waited for */
	enum stop_verdict verdict;
	bool reported_late, reported_failed;
};

bool halo_watch_on(const struct session *s)
{
	return settings_is(s->set, "CHECK_HALO", "ON");
}

static bool user_wants(const struct report_stop *r)
{
	return r->reason != STOP_STEP && r->reason != STOP_HALT;
}

/* Calls are in no task, and have something else there. */
static bool in_task(const struct point *p)
{
	return point_kind(p) == POINT_KIND_MARKS && (p->task || p->sub);
}

static bool inside_region(const struct report_stop *r)
{
	return in_task(&r->point) || r->frame.kind == CONSTRUCT_TASK ||
	       (r->frame.kind == CONSTRUCT_TR && !r->frame.ending);
}

static void look(const struct drive *x, struct stand *out)
{
	const struct groups *stops = job_stops(x->s->job);
	bool first = true;

	*out = (struct stand){ .together = true, .numbered = true };
	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!rankset_meets(&stops->group[i].ranks, x->who) || report_stop_get(&r, &b))
			continue;
		if (!first && point_compare(&r.point, &out->furthest) != POINT_EQUAL)
			out->together = false;
		out->furthest = point_furthest(&out->furthest, &r.point);
		out->in_region |= inside_region(&r);
		out->numbered = out->numbered && r.frame.point.main &&
				point_compare(&r.frame.point, &r.point) == POINT_EQUAL;
		out->wanted |= rankset_meets(&stops->group[i].ranks, &x->sent) && user_wants(&r);
		symbols_text(x->s->symbols, &r.frame.place, out->where, sizeof(out->where));
		first = false;
	}
	out->none = first;
}

/* Members that are loaded are before every point. */
static bool some_loaded(const struct drive *x)
{
	return rankset_meets(x->who, job_set(x->s->job, JOB_LOADED));
}

/* The next beginning or end of a construct on the main level. */
static struct point next_main(const struct point *p)
{
	struct point next = { .main = p->main, .side = POINT_END };

	if (!p->main || (p->side == POINT_END && !p->sub)) {
		next.main++;
		next.side = POINT_BEGIN;
	}
	return next;
}

static bool all_there(const struct drive *x)
{
	const struct job *j = x->s->job;

	return !job_set(j, JOB_RUNNING)->n && !job_set(j, JOB_LOADED)->n &&
	       !job_set(j, JOB_ABSENT)->n && rankset_covers(x->who, job_set(j, JOB_STOPPED));
}

/* Compares the halos when all ranks stand at the beginning or end of one construct. */
static void compare(struct drive *x, const struct stand *at)
{
	struct session *s = x->s;
	struct halo_report r;
	struct err err = { "" };

	if (at->none || !at->numbered || !at->together || in_task(&at->furthest) || !all_there(x))
		return;
	if (halo_check(s, "", job_set(s->job, JOB_STOPPED), &r, &err)) {
		if (!x->reported_failed)
			out_warning(s->out, "halos could not be compared: %s", err.text);
		x->reported_failed = true;
		return;
	}
	halo_watch_take(s->halo, s, &at->furthest, at->where, &r);
	halo_report_clear(&r);
}

/* What of the members can go on at all; those that a plan leaves where they are, are not in it. */
static int send(struct drive *x, enum plan_mode mode, uint32_t n, const struct point *target,
		struct err *err)
{
	const struct groups *stops = job_stops(x->s->job);

	xrankset_copy(&x->sent, job_set(x->s->job, JOB_STOPPED));
	xrankset_add_set(&x->sent, job_set(x->s->job, JOB_LOADED));
	xrankset_intersect(&x->sent, x->who);
	for (size_t i = 0; target && i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!report_stop_get(&r, &b) && r.point.main &&
		    point_compare(&r.point, target) != POINT_BEFORE)
			xrankset_remove_set(&x->sent, &stops->group[i].ranks);
	}
	if (x->sent.n && job_go(x->s->job, &x->sent, mode, n, target, err))
		return -1;
	/* Late ones that still run count as sent off as well. */
	xrankset_copy(&x->sent, job_set(x->s->job, JOB_RUNNING));
	xrankset_intersect(&x->sent, x->who);
	return 0;
}

/* Sends all to the next place where they can be compared; those that are behind, to the others
 * first. */
static int send_on(struct drive *x, const struct stand *at, bool late, struct err *err)
{
	/* of two kinds the next point cannot be named */
	struct point to = x->s->spec.points && !at->in_region ? point_after(&at->furthest)
								   : next_main(&at->furthest);

	if (!late && !at->none && at->furthest.main && (!at->together || some_loaded(x)) &&
	    !in_task(&at->furthest))
		to = at->furthest;
	return send(x, PLAN_TO, 0, &to, err);
}

/* Others than the members stand: what members wait for may be with them, so the user decides. */
static bool others_stand(const struct drive *x)
{
	const struct job *j = x->s->job;

	return !rankset_covers(x->who, job_set(j, JOB_STOPPED)) ||
	       !rankset_covers(x->who, job_set(j, JOB_LOADED));
}

static void note_late(struct drive *x, const struct stand *at)
{
	char point[POINT_TEXT], ranks[128];

	if (!x->reported_late)
		out_note(x->s->out,
			 "halos are not compared at %s: %s did not arrive within STOP_TIMER; this "
			 "is reported once",
			 point_format(&at->furthest, point),
			 rankset_format(job_set(x->s->job, JOB_RUNNING), ranks, sizeof(ranks)));
	x->reported_late = true;
}

/* One leg: what was sent has come to a stop. True: go on. */
static bool arrived(struct drive *x, struct stand *at, bool *late, int *rc)
{
	x->verdict = session_wait(x->s, x->who);
	look(x, at);
	*late = x->verdict == VERDICT_PARTIAL;
	if (x->verdict != VERDICT_STOPPED && !*late)
		return false;
	compare(x, at);
	*rc = 0;
	if (*rc || at->none || at->wanted || !x->sent.n || (*late && (!x->cont || others_stand(x))))
		return false;
	if (*late)
		note_late(x, at);
	return true;
}

static int drive_cont(struct drive *x, struct err *err)
{
	struct stand at;
	bool late = false;
	int rc = 0;

	x->cont = true;
	look(x, &at);
	do {
		if (send_on(x, &at, late, err))
			return -1;
	} while (arrived(x, &at, &late, &rc));
	return rc ? err_set(err, "out of memory") : 0;
}

/* A point at a time while all stand together; inside a region tasks have points of their own. */
static int drive_step(struct drive *x, enum plan_mode mode, uint32_t n, struct err *err)
{
	struct stand at;
	bool late = false;
	int rc = 0;

	look(x, &at);
	for (bool more = true; more && n;) {
		bool one = mode == PLAN_STEP && at.together && !at.in_region;

		if (send(x, mode, one ? 1 : n, NULL, err))
			return -1;
		more = arrived(x, &at, &late, &rc) && mode == PLAN_STEP;
		n -= one ? 1 : n;
	}
	return rc ? err_set(err, "out of memory") : 0;
}

/* Members, and those that an earlier drive has left on their way, which nobody else sends on. */
static void gather(struct session *s, struct rankset *who)
{
	struct rankset *left = halo_watch_left(s->halo);

	xrankset_intersect(left, job_set(s->job, JOB_RUNNING));
	xrankset_add_set(who, left);
}

static void leave(struct session *s, const struct rankset *who)
{
	struct rankset *left = halo_watch_left(s->halo);

	xrankset_copy(left, who);
	xrankset_intersect(left, job_set(s->job, JOB_RUNNING));
}

/* The place where they stand is compared first, unless that was done on arrival. */
static int drive(struct drive *x, enum plan_mode mode, uint32_t n, struct err *err)
{
	struct point last = halo_watch_last(x->s->halo);
	struct stand at;

	look(x, &at);
	if (point_compare(&at.furthest, &last) != POINT_EQUAL)
		compare(x, &at);
	return mode == PLAN_CONT ? drive_cont(x, err) : drive_step(x, mode, n ? n : 1, err);
}

static void over(struct session *s)
{
	halo_watch_destroy(s->halo);
	s->halo = NULL;
}

static const struct session_hooks hooks = { .over = over };

int halo_watch_go(struct session *s, struct rankset *who, enum plan_mode mode, uint32_t n,
		  enum stop_verdict *verdict, struct err *err)
{
	struct drive x = { .s = s, .who = who };
	int rc;

	session_hook(s, &hooks);
	if (!s->halo)
		s->halo = halo_watch_create();
	gather(s, who);
	/* A rank that has stopped badly goes on only to its end. */
	if (rankset_meets(who, job_set(s->job, JOB_BAD)) && mode == PLAN_CONT) {
		rc = job_go(s->job, who, mode, n, NULL, err);
		*verdict = rc ? VERDICT_STOPPED : session_wait(s, who);
		return rc;
	}
	rc = drive(&x, mode, n, err);
	*verdict = x.verdict;
	if (!rc)
		leave(s, who);
	rankset_clear(&x.sent);
	return rc;
}
