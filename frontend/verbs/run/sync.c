/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb sync: ranks come to one place, that of the furthest or the next that all come to. */
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/logical/construct.h"
#include "common/protocol/report.h"
#include "frontend/verbs/run/run.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/util/xrankset.h"

/* Where the stopped members are. */
struct places {
	struct point furthest; /* main 0: no point was passed */
	bool beyond;	       /* a member is behind it at no point: in an iteration, or anywhere */
	bool one;	       /* all are at the same place, in the same iteration */
};

/* It has stopped exactly at the point that it has passed last; one that halt has paused is
 * somewhere behind it. */
static bool at_point(const struct report_stop *r)
{
	return r->reason != STOP_PAUSED && r->frame.kind < CONSTRUCT_KINDS && r->frame.point.main &&
	       !r->frame.nidx && point_compare(&r->frame.point, &r->point) == POINT_EQUAL;
}

static bool same_place(const struct report_stop *a, const struct report_stop *b)
{
	return a->frame.kind == b->frame.kind && a->frame.nidx == b->frame.nidx &&
	       !memcmp(a->frame.idx, b->frame.idx, a->frame.nidx * sizeof(a->frame.idx[0])) &&
	       point_compare(&a->point, &b->point) == POINT_EQUAL && at_point(a) == at_point(b);
}

/* -1 and err when members are in different tasks. */
static int find_places(struct session *s, const struct rankset *who, struct places *out,
		       struct err *err)
{
	const struct groups *stops = job_stops(s->job);
	char a[POINT_TEXT], b[POINT_TEXT];
	struct report_stop first, r;
	bool any = false;

	*out = (struct places){ .one = true };
	for (size_t i = 0; i < stops->n; i++) {
		struct buf view = buf_view(stops->group[i].blob, stops->group[i].len);
		enum point_order order;

		if (!rankset_meets(&stops->group[i].ranks, who) || report_stop_get(&r, &view))
			continue;
		order = !any ? POINT_BEFORE : point_compare(&out->furthest, &r.point);
		if (order == POINT_BEFORE) {
			out->furthest = r.point;
			out->beyond = false;
		} else if (order != POINT_AFTER && order != POINT_EQUAL) {
			return err_set(err,
				       "sync: %s and %s are in different tasks: neither is further",
				       point_format(&out->furthest, a), point_format(&r.point, b));
		}
		if (order != POINT_AFTER)
			out->beyond |= !at_point(&r);
		if (!any)
			first = r;
		else
			out->one &= same_place(&first, &r);
		any = true;
	}
	return 0;
}

/* The stopped members that are before target. False: one has stopped badly, and they are to
 * stay. */
static bool find_behind(struct session *s, const struct rankset *who, const struct point *target,
			struct rankset *behind)
{
	const struct groups *stops = job_stops(s->job);
	bool good = true;

	rankset_clear(behind);
	for (size_t i = 0; i < stops->n; i++) {
		struct buf view = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!rankset_meets(&stops->group[i].ranks, who) || report_stop_get(&r, &view))
			continue;
		good &= !stop_is_end(r.reason);
		if (point_compare(&r.point, target) == POINT_BEFORE)
			xrankset_add_set(behind, &stops->group[i].ranks);
	}
	xrankset_intersect(behind, who);
	return good;
}

/*
 * Lets members that are before target go on to the first point that is not, past actionpoints on
 * the way when `past`. Those that run are halted at the first round, at a point that all come to.
 */
static int bring(struct session *s, const struct rankset *who, const struct point *target,
		 bool past, enum stop_verdict *verdict, struct err *err)
{
	bool halt = rankset_meets(who, job_set(s->job, JOB_RUNNING));
	struct rankset behind = { 0 };
	int rc = 0;

	do {
		if (!find_behind(s, who, target, &behind) || (!behind.n && !halt))
			break;
		if (halt) {
			/* where those that run come to is known before the others go on to there */
			job_halt(s->job, who);
			job_resume(s->job, &behind);
		} else {
			rc = job_go(s->job, &behind, PLAN_TO, 0, target, err);
		}
		halt = false;
		if (!rc)
			*verdict = session_wait(s, who);
	} while (!rc && past && *verdict == VERDICT_STOPPED);
	rankset_clear(&behind);
	return rc;
}

/* Some are in a construct, or behind it: all go on to the next point that they have in common. */
static int sync_beyond(struct session *s, const struct rankset *who, const struct point *from,
		       struct err *err)
{
	struct point target = point_after(from);
	enum stop_verdict verdict = VERDICT_STOPPED;
	struct places p;
	int rc = bring(s, who, &target, true, &verdict, err);

	/* those that ran may have come further, or were stopped somewhere */
	if (!rc && verdict == VERDICT_STOPPED && !find_places(s, who, &p, NULL) && !p.one) {
		target = p.beyond ? point_after(&p.furthest) : p.furthest;
		rc = bring(s, who, &target, p.beyond, &verdict, err);
	}
	if (!rc)
		go_show(s, who, verdict);
	return rc;
}

extern const struct cmd cmd_sync;

static int run_sync(struct session *s, struct cmd_call *call, struct err *err)
{
	struct rankset all = { 0 }, behind = { 0 };
	char point[POINT_TEXT], ranks[200];
	struct places p;
	bool runs = rankset_meets(&call->who, job_set(s->job, JOB_RUNNING));
	int rc = find_places(s, &call->who, &p, err);

	xrankset_copy(&all, &call->who);
	if (!rc && p.beyond && rankset_meets(&all, job_set(s->job, JOB_STOPPED)) &&
	    (!p.one || runs)) {
		xrankset_remove_set(&all, job_set(s->job, JOB_EXITED));
		xrankset_remove_set(&all, job_set(s->job, JOB_LOST));
		rc = sync_beyond(s, &all, &p.furthest, err);
		rankset_clear(&all);
		return rc;
	}
	rankset_clear(&all);
	rc = rc ? rc : cmd_only_stopped(s, &cmd_sync, &call->who, err);
	if (!rc && !p.one && !p.furthest.main)
		rc = err_set(err, "sync: no member has reached a point");
	if (!rc)
		find_behind(s, &call->who, &p.furthest, &behind);
	if (!rc && !behind.n) {
		out_note(s->out, "sync: all members of %s are at %s",
			 rankset_format(&call->who, ranks, sizeof(ranks)),
			 point_format(&p.furthest, point));
	} else if (!rc) {
		rc = job_go(s->job, &behind, PLAN_TO, 0, &p.furthest, err);
		if (!rc)
			go_wait(s, &behind);
	}
	rankset_clear(&behind);
	return rc;
}

const struct cmd cmd_sync = {
	.name = "sync",
	.args = "",
	.brief = "bring ranks that have stopped at different places to one",
	.help = "The stopped members of the set go on to the point of the furthest one. An "
		"actionpoint on the way stops them earlier. When a member has stopped inside of a "
		"construct, in an iteration for example, all of the set come to the next point "
		"that "
		"they have in common, past actionpoints in iterations; those that run are halted "
		"there.",
	.both = CMD_ONE,
	.example = "sync",
	.needs_job = true,
	.run = run_sync,
};
