/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conditions: all ranks that come to the place evaluate them and wait for one answer. Unanimous
 * "no" goes on; anything else stops all of them.
 */
#include "frontend/action/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/data/fetch.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

struct vote {
	struct rankset yes, no, absent, failed;
	char why[300]; /* of the first that failed */
};

bool action_decided(const struct action *a, const struct actionpoint *ap,
		    const struct action_stop *stop)
{
	return action_common(&stop->r) && action_mark_find(&a->yes, ap->rule.id, &stop->r.point);
}

bool action_vote_waits(struct action *a, const struct actionpoint *ap,
		       const struct action_stop *stop)
{
	int64_t timer = (int64_t)settings_number(a->s->set, "STOP_TIMER") * 1000, now = loop_now();
	struct rankset voters = { 0 };
	bool missing;

	if (action_decided(a, ap, stop) || (ap->stop && !*ap->stop && !ap->cond) ||
	    !action_common(&stop->r) || action_trigger(a, ap, &voters))
		return false;
	missing = rankset_meets(&voters, job_set(a->s->job, JOB_RUNNING));
	rankset_clear(&voters);
	if (!missing || (a->vote_at && now >= a->vote_at))
		return false;
	if (!a->vote_at)
		a->vote_at = now + timer;
	return now < a->vote_at;
}

static void vote_clear(struct vote *v)
{
	rankset_clear(&v->yes);
	rankset_clear(&v->no);
	rankset_clear(&v->absent);
	rankset_clear(&v->failed);
}

static void count(struct vote *v, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct answer_head a;
	bool none = answer_head_get(&a, &b) || !a.why;

	switch (a.kind) {
	case TEST_NO:
		xrankset_add_set(&v->no, &g->ranks);
		return;
	case TEST_YES:
		xrankset_add_set(&v->yes, &g->ranks);
		return;
	case TEST_ABSENT:
		xrankset_add_set(&v->absent, &g->ranks);
		return;
	}
	if (!v->failed.n)
		snprintf(v->why, sizeof(v->why), "%s", none ? "no answer" : a.why);
	xrankset_add_set(&v->failed, &g->ranks);
}

/* A condition is about where they are, whatever frame was chosen. */
static int evaluate(struct action *a, const struct expr *e, const struct rankset *voters,
		    struct values *q, struct err *err)
{
	struct fetch f = { .s = a->s, .who = voters, .limit = FETCH_MOST };
	struct expr_scope scope = a->s->expressions ? a->s->expressions(&f) : fetch_scope(&f);
	unsigned level = a->s->shell ? a->s->shell->level : 0;
	int rc;

	if (level)
		a->s->shell->level = 0;
	rc = expr_eval(e, voters, &scope, q, err);
	if (level)
		a->s->shell->level = level;
	fetch_clear(&f);
	return rc;
}

/* Those who have not all elements: what they ask for is summed up over all voters, from here; so is
 * what needs the session. */
static void vote_from_here(struct action *a, const struct actionpoint *ap,
			   const struct rankset *voters, struct vote *v)
{
	struct expr *e = expr_parse(ap->cond, NULL);
	struct values q = { 0 };
	struct err err = { "" };

	if (!e || (!expr_has_call(e) && !expr_needs_session(e))) {
		expr_destroy(e);
		return;
	}
	if (evaluate(a, e, voters, &q, &err))
		snprintf(v->why, sizeof(v->why), "%s", err.text);
	else if (values_total(&q) != 1 || q.type == VALUE_STRUCT)
		snprintf(v->why, sizeof(v->why), "%s is not a single number", ap->cond);
	for (size_t i = 0; i < q.n && !*v->why; i++) {
		struct value x = values_value(&q, i, 0);

		xrankset_intersect(&q.group[i].ranks, &v->absent);
		xrankset_add_set(value_truth(&x) ? &v->yes : &v->no, &q.group[i].ranks);
	}
	if (*v->why)
		xrankset_add_set(&v->failed, &v->absent);
	rankset_clear(&v->absent);
	v->absent = (struct rankset){ 0 };
	values_clear(&q);
	expr_destroy(e);
}

/* What they cannot evaluate themselves the session can. */
static bool is_for_session(const struct action *a, const struct actionpoint *ap)
{
	struct expr *e = a->s->expressions ? expr_parse(ap->cond, NULL) : NULL;
	bool is = e && expr_needs_session(e);

	expr_destroy(e);
	return is;
}

int action_watch_condition(struct session *s, const struct watch *w, const char *text,
			   const char *cond, const struct rankset *who, struct err *err)
{
	struct expr *e = cond ? expr_parse(cond, NULL) : NULL;
	bool here = !e || expr_has_call(e) || expr_needs_session(e);
	struct msg_query q = { .kind = QUERY_TEST };
	struct rankset some = { 0 }, silent = { 0 };
	struct groups answers = { 0 };
	struct vote v = { 0 };
	char *both;
	bool absent;

	expr_destroy(e);
	here |= w->native;
	for (unsigned d = 0; d < w->ndim; d++)
		here |= w->first[d] != w->last[d];
	if (here || !w->ndim || !s->job)
		return 0;
	xrankset_copy(&some, who);
	xrankset_intersect(&some, job_set(s->job, JOB_STOPPED));
	/* who has the element, and what the condition needs? */
	both = xasprintf("%s == %s && (%s)", text, text, cond);
	q.name = both;
	if (some.n && !ask(s, &q, &some, &answers, &silent, NULL))
		for (size_t i = 0; i < answers.n; i++)
			count(&v, &answers.group[i]);
	absent = v.absent.n && !v.yes.n && !v.no.n && !v.failed.n && !silent.n;
	vote_clear(&v);
	groups_clear(&answers);
	rankset_clear(&silent);
	rankset_clear(&some);
	free(both);
	if (!absent)
		return 0;
	return err_set(err,
		       "watch %s -if %s: the rank that owns %s does not own all the elements in "
		       "the condition; use elements of that rank, or a replicated variable",
		       text, cond, text);
}

static void hold_vote(struct action *a, const struct actionpoint *ap, const struct rankset *voters,
		      struct vote *v)
{
	struct msg_query q = { .kind = QUERY_TEST, .name = ap->cond };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	struct err err = { "" };

	if (ask(a->s, &q, voters, &answers, &silent, &err)) {
		snprintf(v->why, sizeof(v->why), "%s", err.text);
		xrankset_copy(&v->failed, voters);
	}
	for (size_t i = 0; i < answers.n; i++)
		count(v, &answers.group[i]);
	xrankset_intersect(&silent, job_set(a->s->job, JOB_STOPPED));
	if (silent.n && !v->failed.n)
		snprintf(v->why, sizeof(v->why), "no answer");
	xrankset_add_set(&v->failed, &silent);
	if (v->failed.n && is_for_session(a, ap)) {
		xrankset_add_set(&v->absent, &v->failed);
		rankset_clear(&v->failed);
		v->failed = (struct rankset){ 0 };
		*v->why = 0;
	}
	if (v->absent.n && !v->failed.n)
		vote_from_here(a, ap, voters, v);
	/* somebody owns each element */
	if (!v->yes.n && !v->no.n && !v->failed.n && v->absent.n) {
		snprintf(v->why, sizeof(v->why),
			 "it does not own all the elements in it; use elements of the rank that "
			 "stops, or a replicated variable");
		xrankset_copy(&v->failed, &v->absent);
	}
	groups_clear(&answers);
	rankset_clear(&silent);
}

/* What the user has to know about a vote that was not unanimous. */
static void report(struct action *a, const struct actionpoint *ap, const struct vote *v)
{
	char yes[200], no[200];

	if (v->failed.n)
		out_warning(a->s->out,
			    "actionpoint %u: the condition %s cannot be evaluated on %s: %s",
			    ap->rule.id, ap->cond, rankset_format(&v->failed, yes, sizeof(yes)),
			    v->why);
	if (v->yes.n && v->no.n)
		out_answer(a->s->out,
			   json_pack("{s:s s:I s:o s:o s:o s:o}", "type", "vote", "id",
				     (json_int_t)ap->rule.id, "condition", out_json_text(ap->cond),
				     "location", out_json_text(ap->text), "true",
				     json_string(rankset_format(&v->yes, yes, sizeof(yes))),
				     "false", json_string(rankset_format(&v->no, no, sizeof(no)))));
}

void action_decide(struct action *a, const struct actionpoint *ap, const struct action_stop *stop)
{
	struct action_mark *old;

	/* a vote at another point is over */
	while ((old = action_mark_find(&a->yes, ap->rule.id, NULL)))
		action_marks_drop(&a->yes, old);
	action_mark_add(&a->yes, ap->rule.id, &stop->r.point, &stop->ranks);
}

/* All ranks that stand at the point of this stop, for whatever reason. */
static void standing(const struct action *a, const struct action_stop *stop, struct rankset *out)
{
	const struct groups *stops = job_stops(a->s->job);

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!report_stop_get(&r, &b) && r.reason == STOP_POINT &&
		    !memcmp(&r.point, &stop->r.point, sizeof(r.point)))
			xrankset_add_set(out, &stops->group[i].ranks);
	}
	xrankset_intersect(out, job_set(a->s->job, JOB_STOPPED));
}

/*
 * Who is asked: at a point to which all come, everybody who stands there, once; what else stopped
 * some of them makes no votes of their own. Elsewhere those of this stop.
 */
static void find_voters(struct action *a, const struct actionpoint *ap,
			const struct action_stop *stop, struct rankset *out)
{
	struct rankset here = { 0 };
	struct action_mark *old;

	if (action_trigger(a, ap, out))
		return;
	if (!action_common(&stop->r)) {
		xrankset_intersect(out, &stop->ranks);
		return;
	}
	standing(a, stop, &here);
	xrankset_intersect(out, &here);
	rankset_clear(&here);
	while ((old = action_mark_find(&a->voted, ap->rule.id, NULL)) &&
	       point_compare(&old->point, &stop->r.point) != POINT_EQUAL)
		action_marks_drop(&a->voted, old);
	if (old)
		xrankset_remove_set(out, &old->ranks);
	if (out->n)
		action_mark_add(&a->voted, ap->rule.id, &stop->r.point, out);
}

void action_vote(struct action *a, const struct actionpoint *ap, struct action_stop *stop)
{
	bool stays = action_decided(a, ap, stop);
	struct rankset voters = { 0 };
	struct vote v = { 0 };

	find_voters(a, ap, stop, &voters);
	if (voters.n)
		hold_vote(a, ap, &voters, &v);
	stays |= v.yes.n || v.failed.n;
	report(a, ap, &v);
	if (stays) {
		if (action_common(&stop->r))
			action_decide(a, ap, stop);
		xrankset_add_set(&stop->real, &stop->ranks);
	} else {
		action_mark_add(&a->quiet, ap->rule.id, NULL, &stop->ranks);
	}
	rankset_clear(&voters);
	vote_clear(&v);
}
