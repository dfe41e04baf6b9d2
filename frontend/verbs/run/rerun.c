/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb rerun, to the next stop, to a point, or to a finding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/action/action.h"
#include "frontend/model/actionpoints.h"
#include "frontend/verify/verify.h"
#include "frontend/verbs/run/run.h"
#include "frontend/cmd/cmd.h"
#include "frontend/model/findings.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

enum { RERUN_TO };

/* "13.B", or "finding 3", which is looked up. */
static int parse_goal(struct session *s, const char *text, struct findings_goal *goal,
		      struct err *err)
{
	size_t word = strcspn(text, " \t");
	const char *number = text + word + strspn(text + word, " \t");
	uint64_t n;

	*goal = (struct findings_goal){ .rank = UINT32_MAX };
	if (!word || strncmp(text, "finding", word < 4 ? 4 : word))
		return point_parse(&goal->point, text, err) ? err_prefix(err, "rerun -to") : 0;
	checker_report_traces(s->checker);
	if (parse_uint(number, 0, UINT64_MAX, &n))
		return err_set(err, "rerun -to finding: give a number; findings shows them");
	if (!findings_count(s->findings))
		return err_set(err, "rerun -to finding %s: there are no findings", number);
	if (!findings_goal(s->findings, n, goal))
		return err_set(err, "rerun -to finding %s: there are findings 1 to %zu", number,
			       findings_count(s->findings));
	if (!goal->point.main)
		return err_set(err,
			       "rerun -to finding %s: the finding is before the first numbered "
			       "point; set a break at the beginning and step from there",
			       number);
	return 0;
}

/* Where the loop of the goal begins; false: not known. */
static bool goal_location(struct session *s, const struct findings_goal *goal, struct location *loc)
{
	struct place at = goal->place;

	if (goal->rank == UINT32_MAX || !goal->nidx || goal->nidx > RULE_ITERS)
		return false;
	symbols_resolve(s->symbols, &at);
	if (!at.file || !at.line)
		return false;
	*loc = (struct location){ .kind = RULE_LINE, .line = at.line };
	snprintf(loc->file, sizeof(loc->file), "%s", at.file);
	return true;
}

/* An actionpoint of the goal's iteration, for its rank alone. */
static void add_stop(struct session *s, const struct findings_goal *goal,
		     const struct location *loc)
{
	int64_t id = actionpoints_add(s->acts, loc, 0);
	struct actionpoint *ap = actionpoints_find(s->acts, (uint32_t)id);

	ap->rule.niter = goal->nidx;
	memcpy(ap->rule.iter, goal->index, goal->nidx * sizeof(*goal->index));
	ap->who = xasprintf("%u", goal->rank);
	ap->stop = xstrdup("");
}

/* The rank stands in an iteration. */
static bool in_iteration(const struct session *s, uint32_t rank)
{
	const struct groups *stops = job_stops(s->job);

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (rankset_has(&stops->group[i].ranks, rank) && !report_stop_get(&r, &b))
			return r.frame.nidx && !r.frame.ending;
	}
	return true;
}

/* All are at the goal's point: its rank goes on to the iteration. */
static int to_iteration(struct session *s, const struct findings_goal *goal,
			enum stop_verdict *verdict, struct err *err)
{
	struct rankset one = { 0 };
	struct location loc;
	int rc;

	if (!goal_location(s, goal, &loc) || !rankset_has(job_set(s->job, JOB_STOPPED), goal->rank))
		return 0;
	add_stop(s, goal, &loc);
	xrankset_add(&one, goal->rank, goal->rank);
	action_send(s);
	rc = job_go(s->job, &one, PLAN_FINISH, 0, NULL, err);
	if (!rc)
		*verdict = session_wait(s, &one);
	if (!rc && *verdict == VERDICT_STOPPED && !in_iteration(s, goal->rank))
		out_note(s->out,
			 "rerun -to finding: the main thread of rank %u did not execute that "
			 "iteration: another thread did, or none",
			 goal->rank);
	rankset_clear(&one);
	return rc;
}

static int second_run_to(struct session *s, const char *text, struct err *err)
{
	struct findings_goal goal;
	enum stop_verdict verdict = VERDICT_STOPPED;
	struct rankset all = { 0 };
	size_t before = actionpoints_count(s->acts);
	int rc;

	if (s->pair)
		return err_set(err, "rerun -to: not possible in a pair");
	/* its texts last until the next finding, so it is looked up again after the load */
	if (parse_goal(s, text, &goal, err))
		return -1;
	if (!run_may_end(s, "Run it again"))
		return 0;
	if (run_same(s, err) || go_to(s, "rerun", &goal.point, &verdict, err))
		return -1;
	rc = parse_goal(s, text, &goal, err);
	if (!rc && verdict == VERDICT_STOPPED)
		rc = to_iteration(s, &goal, &verdict, err);
	if (!rc) {
		xrankset_copy(&all, job_set(s->job, JOB_ALL));
		go_show(s, &all, verdict);
	}
	rankset_clear(&all);
	/* it was for this once */
	if (actionpoints_count(s->acts) > before)
		actionpoints_delete(s->acts, actionpoints_at(s->acts, before)->rule.id, NULL);
	action_send(s);
	return rc;
}

static int run_rerun(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *to = call->option[RERUN_TO];

	if (!s->spec.argv)
		return cmd_not_loaded("rerun", err);
	if (call->argc)
		return err_set(err, "rerun takes no arguments, not '%s'; run gives new ones",
			       call->rest);
	if (to)
		return second_run_to(s, to, err);
	if (!run_may_end(s, "Run it again"))
		return 0;
	return run_same(s, err) ? -1 : run_all(s, "rerun", err);
}

const struct cmd cmd_rerun = {
	.name = "rerun",
	.args = "[-to point | -to finding n]",
	.brief = "run again with the same arguments and actionpoints",
	.help = "Ends the program, starts it again with the same arguments and files and the "
		"present actionpoints and settings, and runs to the first actionpoint. With -to it "
		"runs to a point, past actionpoints; or to a finding: all ranks to its point and, "
		"when it was made in an iteration of a parallel loop, its rank to the beginning of "
		"that iteration. findings shows the numbers. At the prompt it asks before it ends "
		"ranks "
		"that live, unless ERROR_CHECKS is MIN. run gives new arguments.",
	.example = "rerun -to finding 1",
	.option = { [RERUN_TO] = { "to", CMD_EXPR, "a point, or finding and its number" } },
	.values = { [RERUN_TO] = "point|=finding" },
	.run = run_rerun,
};
