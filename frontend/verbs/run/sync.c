/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb sync: ranks that lag come to where the furthest is. */
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/report.h"
#include "frontend/verbs/run/run.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/util/xrankset.h"

/* The furthest point that stopped members are at; -1 and err when there is none. */
static int find_furthest(struct session *s, const struct rankset *who, struct point *furthest,
			 struct err *err)
{
	const struct groups *stops = job_stops(s->job);
	char a[POINT_TEXT], b[POINT_TEXT];

	furthest->main = 0;
	for (size_t i = 0; i < stops->n; i++) {
		struct buf view = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;
		enum point_order order;

		if (!rankset_meets(&stops->group[i].ranks, who) || report_stop_get(&r, &view) ||
		    !r.point.main)
			continue;
		order = furthest->main ? point_compare(furthest, &r.point) : POINT_BEFORE;
		if (order == POINT_BEFORE)
			*furthest = r.point;
		else if (order != POINT_AFTER && order != POINT_EQUAL)
			return err_set(err,
				       "sync: %s and %s are in different tasks: neither is further",
				       point_format(furthest, a), point_format(&r.point, b));
	}
	return furthest->main ? 0 : err_set(err, "sync: no member has reached a point");
}

/* The stopped members that are not there yet. */
static void find_behind(struct session *s, const struct rankset *who, const struct point *target,
			struct rankset *behind)
{
	const struct groups *stops = job_stops(s->job);
	struct rankset there = { 0 };

	xrankset_copy(behind, who);
	for (size_t i = 0; i < stops->n; i++) {
		struct buf view = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!report_stop_get(&r, &view) && point_compare(&r.point, target) == POINT_EQUAL)
			xrankset_add_set(&there, &stops->group[i].ranks);
	}
	xrankset_remove_set(behind, &there);
	rankset_clear(&there);
}

static int run_sync(struct session *s, struct cmd_call *call, struct err *err)
{
	struct rankset behind = { 0 };
	char point[POINT_TEXT], ranks[200];
	struct point target;
	int rc = find_furthest(s, &call->who, &target, err);

	if (!rc)
		find_behind(s, &call->who, &target, &behind);
	if (!rc && !behind.n) {
		out_note(s->out, "sync: all members of %s are at %s",
			 rankset_format(&call->who, ranks, sizeof(ranks)),
			 point_format(&target, point));
	} else if (!rc) {
		rc = job_go(s->job, &behind, PLAN_TO, 0, &target, err);
		if (!rc)
			go_wait(s, &behind);
	}
	rankset_clear(&behind);
	return rc;
}

const struct cmd cmd_sync = {
	.name = "sync",
	.args = "",
	.brief = "let ranks that lag go on to the furthest one",
	.help = "The stopped members of the set go on to the point of the furthest one. An "
		"actionpoint on the way stops them earlier.",
	.both = CMD_ONE,
	.example = "sync",
	.needs_job = true,
	.needs_stopped = true,
	.run = run_sync,
};
