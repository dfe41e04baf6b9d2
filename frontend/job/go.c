/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Letting ranks run and stopping them: plans, rules, the freeze behind halt and behind rules that
 * are changed while ranks run.
 */
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "frontend/job/internal.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define KILL_MS 5000 /* how long job_kill waits for the ends */

const struct job_plan *job_plan_of(const struct job *j, uint32_t rank)
{
	for (size_t i = 0; i < j->nplan; i++)
		if (rankset_has(&j->plan[i].ranks, rank))
			return &j->plan[i];
	return NULL;
}

const struct plan *job_plan(const struct job *j, uint32_t rank)
{
	const struct job_plan *p = job_plan_of(j, rank);

	return p ? &p->plan : NULL;
}

/* Why a plan is sent. */
enum why { WHY_USER, WHY_HALT, WHY_RULES };

/* Notes that the ranks were sent a plan; empty groups go. */
static void note_plan(struct job *j, const struct rankset *ranks, const struct plan *p,
		      enum why why)
{
	struct job_plan *list = xrealloc(j->plan, (j->nplan + 1) * sizeof(*list));
	size_t kept = 0;

	j->plan = list;
	for (size_t i = 0; i < j->nplan; i++) {
		xrankset_remove_set(&list[i].ranks, ranks);
		if (list[i].ranks.n)
			list[kept++] = list[i];
		else
			rankset_clear(&list[i].ranks);
	}
	list[kept] =
		(struct job_plan){ .plan = *p, .keep = why == WHY_RULES, .halt = why == WHY_HALT };
	j->nplan = kept + 1;
	xrankset_copy(&list[kept].ranks, ranks);
}

/* Takes out of ranks the stopped members that a PLAN_TO target leaves where they are. */
static void leave_those_there(const struct job *j, struct rankset *ranks,
			      const struct point *target)
{
	for (size_t i = 0; i < j->stops.n; i++) {
		const struct rank_group *g = &j->stops.group[i];
		struct report_stop r;

		if (!job_read_stop(g->blob, g->len, &r))
			continue;
		if (job_stop_is_bad(&r) ||
		    (r.point.main && point_compare(&r.point, target) != POINT_BEFORE))
			xrankset_remove_set(ranks, &g->ranks);
	}
}

/* Sends a new plan to ranks; those that were loaded or stopped run then. */
static void send_plan(struct job *j, const struct rankset *ranks, struct plan *p, enum why why)
{
	struct rankset moved = { 0 };

	p->gen = ++j->gen;
	if (!p->since)
		p->since = p->gen;
	note_plan(j, ranks, p, why);
	if (why == WHY_USER)
		xrankset_remove_set(&j->halted.ranks, ranks);
	xrankset_copy(&moved, ranks);
	xrankset_remove_set(&moved, &j->set[JOB_RUNNING]);
	if (moved.n)
		job_move(j, &moved, JOB_RUNNING);
	rankset_clear(&moved);
	job_send_go(j, ranks, p);
}

int job_go(struct job *j, const struct rankset *who, enum plan_mode mode, uint32_t n,
	   const struct point *target, struct err *err)
{
	struct plan p = { .mode = (uint8_t)mode, .n = n };
	struct rankset ranks = { 0 };
	char list[64];
	int rc = 0;

	job_settle(j);
	xrankset_copy(&ranks, &j->set[JOB_LOADED]);
	xrankset_add_set(&ranks, &j->set[JOB_STOPPED]);
	xrankset_intersect(&ranks, who);
	if (j->cores)
		rc = err_set(
			err,
			"these are core files, of which nothing can run; run starts the program");
	else if (ranks.n == 0)
		rc = err_set(err, "no rank of %s is loaded or stopped",
			     rankset_format(who, list, sizeof(list)));
	if (target)
		p.target = *target;
	if (rc == 0 && mode == PLAN_TO)
		leave_those_there(j, &ranks, &p.target);
	if (rc == 0 && ranks.n && j->watch.going)
		j->watch.going(j->watch.arg, &ranks);
	if (rc == 0 && ranks.n)
		send_plan(j, &ranks, &p, WHY_USER);
	rankset_clear(&ranks);
	return rc;
}

void job_run_on(struct job *j)
{
	struct plan p = { .mode = PLAN_CONT };
	struct rankset ranks = { 0 };

	xrankset_copy(&ranks, &j->set[JOB_RUNNING]);
	if (ranks.n)
		send_plan(j, &ranks, &p, WHY_USER);
	rankset_clear(&ranks);
}

/* A place that ranks can come to, also behind no point at all. */
static bool is_target(const struct point *p)
{
	return p->main || point_is_after(p);
}

/* Those that a halt is for go to where all stop, or stay; leaves the others. */
static void resume_halted(struct job *j, struct rankset *ranks)
{
	struct plan p = { .mode = PLAN_TO, .target = j->halted.target };
	struct rankset part = { 0 };

	xrankset_copy(&part, ranks);
	xrankset_intersect(&part, &j->halted.ranks);
	xrankset_remove_set(ranks, &part);
	if (is_target(&p.target))
		leave_those_there(j, &part, &p.target);
	else
		rankset_clear(&part);
	if (part.n && j->watch.going)
		j->watch.going(j->watch.arg, &part);
	if (part.n)
		send_plan(j, &part, &p, WHY_HALT);
	rankset_clear(&part);
}

/* The plan of a halt that is under way; NULL: there is none. */
static const struct job_plan *halt_plan(const struct job *j)
{
	for (size_t i = 0; i < j->nplan; i++)
		if (j->plan[i].halt && rankset_meets(&j->plan[i].ranks, &j->set[JOB_RUNNING]))
			return &j->plan[i];
	return NULL;
}

void job_resume(struct job *j, const struct rankset *who)
{
	struct rankset left = { 0 };

	job_settle(j);
	xrankset_copy(&left, who);
	xrankset_intersect(&left, &j->set[JOB_STOPPED]);
	resume_halted(j, &left);
	if (left.n && j->watch.going)
		j->watch.going(j->watch.arg, &left);
	for (int64_t r = rankset_next(&left, 0); r >= 0; r = rankset_next(&left, 0)) {
		const struct job_plan *own = job_plan_of(j, (uint32_t)r), *halt = halt_plan(j);
		struct rankset part = { 0 };
		struct plan p = own ? own->plan : (struct plan){ .mode = PLAN_CONT };

		if (own) {
			xrankset_copy(&part, &own->ranks);
			xrankset_intersect(&part, &left);
		} else {
			xrankset_add(&part, (uint32_t)r, (uint32_t)r);
		}
		if (halt)
			p = (struct plan){ .mode = PLAN_TO, .target = halt->plan.target };
		xrankset_remove_set(&left, &part);
		send_plan(j, &part, &p, halt ? WHY_HALT : WHY_USER);
		rankset_clear(&part);
	}
	rankset_clear(&left);
}

/* The furthest of the points in answers to FREEZE and of those where members of who are stopped. */
static struct point find_target(const struct job *j, const struct groups *answers)
{
	struct point target = { 0 };

	for (size_t i = 0; i < answers->n; i++) {
		struct buf b = buf_view(answers->group[i].blob, answers->group[i].len);
		struct point p;

		if (point_target_get(&p, &b) == 0)
			target = point_furthest(&target, &p);
	}
	for (size_t i = 0; i < j->stops.n && is_target(&target); i++) {
		const struct rank_group *g = &j->stops.group[i];
		struct report_stop r;

		if (rankset_meets(&g->ranks, &j->freeze.who) &&
		    job_read_stop(g->blob, g->len, &r) && !job_stop_is_bad(&r))
			target = point_furthest(&target, &r.point);
	}
	return target;
}

static void freeze_end(struct job *j)
{
	j->freeze.why = FREEZE_NOT;
	rankset_clear(&j->freeze.who);
	groups_clear(&j->freeze.held);
}

/* Members of the freeze that have not really stopped. */
static void frozen_ranks(const struct job *j, struct rankset *out)
{
	xrankset_copy(out, &j->freeze.who);
	xrankset_intersect(out, &j->set[JOB_RUNNING]);
}

/* The rest of a halt: all run to the target. */
static void halt_goes_on(struct job *j, const struct point *target)
{
	struct plan p = { .mode = PLAN_TO, .target = *target };
	struct rankset ranks = { 0 };

	frozen_ranks(j, &ranks);
	if (ranks.n)
		send_plan(j, &ranks, &p, WHY_HALT);
	job_take_held(j, target);
	rankset_clear(&ranks);
}

/* The rest of a change of rules: new ones are silent for what some ranks may have passed. */
static void rules_go_on(struct job *j, const struct point *target)
{
	struct point from = !j->points	       ? point_next(target)
			    : point_is_after(target) ? point_second(target)
						     : point_after(target);
	struct rankset left = { 0 }, done = { 0 };

	for (uint32_t i = 0; i < j->rules.n; i++) {
		struct rule *r = &j->rules.rule[i];

		if (r->from.side == UINT32_MAX)
			r->from = is_target(target) ? from : (struct point){ 0 };
	}
	for (uint32_t i = 0; i < j->rules.nwatch; i++) {
		struct watch *w = &j->rules.watch[i];

		if (w->start.side == UINT32_MAX)
			w->start = is_target(target) ? from : (struct point){ 0 };
	}
	job_send_rules(j);
	frozen_ranks(j, &left);
	for (int64_t r = rankset_next(&left, 0); r >= 0; r = rankset_next(&left, 0)) {
		const struct job_plan *old = job_plan_of(j, (uint32_t)r);
		struct plan p;

		if (!old) {
			xrankset_add(&done, (uint32_t)r, (uint32_t)r);
		} else {
			struct rankset part = { 0 };

			p = old->plan;
			xrankset_copy(&part, &old->ranks);
			xrankset_intersect(&part, &left);
			xrankset_add_set(&done, &part);
			send_plan(j, &part, &p, WHY_RULES);
			rankset_clear(&part);
		}
		xrankset_remove_set(&left, &done);
	}
	rankset_clear(&left);
	rankset_clear(&done);
}

static void frozen(struct job *j, struct job_req *r)
{
	struct point target = find_target(j, &r->answers);
	enum job_freeze_why why = j->freeze.why;
	char text[POINT_TEXT];

	log_debug("job", "the furthest point is %s", point_format(&target, text));
	/* Over before the plans are sent: what stops from now on is judged by them. */
	j->freeze.why = FREEZE_NOT;
	if (why == FREEZE_RULES) {
		rules_go_on(j, &target);
	} else {
		/* Who does not answer stops at the next point it comes to. */
		if (!is_target(&target) && j->points)
			target = point_after(&target);
		else if (!is_target(&target))
			target.main = 1;
		j->halted.target = target;
		halt_goes_on(j, &target);
	}
	freeze_end(j);
}

/* Freezes the running members of who; nothing happens when there are none. */
static void begin_freeze(struct job *j, const struct rankset *who, enum job_freeze_why why)
{
	struct msg_freeze m = { 0 };
	struct rankset running = { 0 };
	struct buf b = BUF_INIT;
	struct job_req *r;

	xrankset_copy(&running, who);
	xrankset_intersect(&running, &j->set[JOB_RUNNING]);
	if (running.n == 0)
		return;
	j->freeze.why = why;
	xrankset_copy(&j->freeze.who, who);
	r = job_req_new(j, &running, JOB_FREEZE_MS, frozen);
	m.req = r->req;
	m.who = r->want;
	msg_freeze_put(&m, &b);
	job_broadcast(j, MSG_FREEZE, &b);
	buf_clear(&b);
	rankset_clear(&running);
}

void job_settle(struct job *j)
{
	int64_t until = loop_now() + 2 * JOB_FREEZE_MS;

	while (j->freeze.why != FREEZE_NOT && loop_now() < until)
		loop_turn(j->loop, 100);
}

void job_halt(struct job *j, const struct rankset *who)
{
	job_settle(j);
	xrankset_copy(&j->halted.ranks, who);
	j->halted.target = (struct point){ 0 };
	begin_freeze(j, who, FREEZE_HALT);
}

bool job_halting(const struct job *j, const struct rankset *who)
{
	struct rankset running = { 0 };
	bool halting = false;

	xrankset_copy(&running, who);
	xrankset_intersect(&running, &j->set[JOB_RUNNING]);
	if (j->freeze.why == FREEZE_HALT && rankset_meets(&j->freeze.who, &running))
		halting = true;
	for (size_t i = 0; i < j->nplan && !halting; i++)
		halting = j->plan[i].halt && rankset_meets(&j->plan[i].ranks, &running);
	rankset_clear(&running);
	return halting;
}

static bool same_set(const struct msg_rules *a, uint16_t x, const struct msg_rules *b, uint16_t y)
{
	if (!x || !y)
		return x == y;
	return rankset_equal(&a->set[x - 1], &b->set[y - 1]);
}

static bool same_rule(const struct msg_rules *in_a, const struct rule *a,
		      const struct msg_rules *in_b, const struct rule *b)
{
	return a->id == b->id && a->kind == b->kind && a->count == b->count &&
	       point_compare(&a->point, &b->point) == POINT_EQUAL && a->line == b->line &&
	       a->vaddr == b->vaddr && a->niter == b->niter && a->any == b->any &&
	       !memcmp(a->iter, b->iter, sizeof(a->iter)) && same_set(in_a, a->set, in_b, b->set) &&
	       same_set(in_a, a->stop, in_b, b->stop) && strcmp(a->file, b->file) == 0;
}

/* The same for what is watched; see keep_rules. */
static uint32_t keep_watches(const struct msg_rules *old, struct msg_rules *m, bool running)
{
	uint32_t fresh = 0;

	for (uint32_t i = 0; i < m->nwatch; i++) {
		struct watch *w = &m->watch[i];
		bool known = false;

		for (uint32_t k = 0; k < old->nwatch && !known; k++) {
			known = old->watch[k].id == w->id;
			if (known)
				w->start = old->watch[k].start;
		}
		if (!known)
			w->start = (struct point){ .side = running ? UINT32_MAX : 0 };
		fresh += !known;
	}
	return fresh;
}

/*
 * Takes over the rules. Those that were there keep their `from`; new ones have none yet, or, while
 * ranks run, one that rules_go_on fills in (side UINT32_MAX until then). Both lists ascend by id.
 * Returns how many are new.
 */
static uint32_t keep_rules(struct job *j, struct msg_rules *m, bool running)
{
	struct msg_rules old = j->rules;
	uint32_t fresh = keep_watches(&old, m, running), k = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		struct rule *r = &m->rule[i];
		bool known = false;

		while (k < old.n && old.rule[k].id < r->id)
			k++;
		for (uint32_t x = k; x < old.n && old.rule[x].id == r->id && !known; x++) {
			known = same_rule(&old, &old.rule[x], m, r);
			if (known)
				r->from = old.rule[x].from;
		}
		if (!known)
			r->from = (struct point){ .side = running ? UINT32_MAX : 0 };
		fresh += !known;
	}
	j->rules = *m;
	*m = (struct msg_rules){ 0 };
	msg_rules_clear(&old);
	return fresh;
}

void job_orders(struct job *j, struct msg_rules *m)
{
	bool running;

	job_settle(j);
	running = j->set[JOB_RUNNING].n > 0;
	/* what is taken away can be so at once, anywhere */
	if (!keep_rules(j, m, running) || !running) {
		job_send_rules(j);
		return;
	}
	begin_freeze(j, &j->set[JOB_ALL], FREEZE_RULES);
	job_settle(j);
}

void job_rules(struct job *j, const struct rule *rule, uint32_t n)
{
	struct msg_rules m = { .n = n, .rule = xcalloc(n ? n : 1, sizeof(*rule)) };

	if (n)
		memcpy(m.rule, rule, n * sizeof(*rule));
	job_orders(j, &m);
}

int job_kill(struct job *j, const struct rankset *who, struct err *err)
{
	struct rankset ranks = { 0 };
	int64_t until = loop_now() + KILL_MS;
	char list[64];
	int rc = 0;

	if (j->cores)
		return err_set(err, "these are core files: there is no process");
	if (j->attached)
		return err_set(
			err, "a job that was attached to is not killed: detach lets it run on, its "
			     "launcher ends it");
	xrankset_copy(&ranks, who);
	xrankset_intersect(&ranks, &j->set[JOB_ALL]);
	xrankset_remove_set(&ranks, &j->set[JOB_EXITED]);
	xrankset_remove_set(&ranks, &j->set[JOB_LOST]);
	if (ranks.n == 0)
		return err_set(err, "no rank of %s has a program that could be killed",
			       rankset_format(who, list, sizeof(list)));
	job_send_kill(j, &ranks, false);
	while (!rankset_covers(&j->set[JOB_EXITED], &ranks) && loop_now() < until &&
	       !loop_interrupted(j->loop)) {
		loop_turn(j->loop, 100);
		xrankset_remove_set(&ranks, &j->set[JOB_LOST]);
	}
	xrankset_remove_set(&ranks, &j->set[JOB_EXITED]);
	if (ranks.n)
		rc = err_set(err, "%s %s not ended so far",
			     rankset_format(&ranks, list, sizeof(list)),
			     rankset_count(&ranks) == 1 ? "has" : "have");
	rankset_clear(&ranks);
	return rc;
}

int job_detach(struct job *j, struct err *err)
{
	const struct point end = POINT_LAST;
	struct plan p = { .mode = PLAN_CONT };
	struct rankset ranks = { 0 };

	/* its supervisors let it go when they leave */
	if (j->attached)
		return 0;
	job_settle(j);
	job_on_exit(j, true);
	j->detached = true;
	j->trace_config = (struct trace_config){ 0 };
	job_verdict(j, &end, false);
	msg_rules_clear(&j->rules);
	job_send_rules(j);
	xrankset_copy(&ranks, &j->set[JOB_LOADED]);
	xrankset_add_set(&ranks, &j->set[JOB_STOPPED]);
	xrankset_add_set(&ranks, &j->set[JOB_RUNNING]);
	if (ranks.n)
		send_plan(j, &ranks, &p, WHY_USER);
	rankset_clear(&ranks);
	return 0;
}
