/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of every rank, and how events change it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/core/buf.h"
#include "common/protocol/finding_kind.h"
#include "common/core/log.h"
#include "frontend/job/internal.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

bool job_read_stop(const void *blob, size_t len, struct report_stop *r)
{
	struct buf b = buf_view(blob, len);

	return report_stop_get(r, &b) == 0;
}

bool job_read_exit(const void *blob, size_t len, struct report_exit *r)
{
	struct buf b = buf_view(blob, len);

	return report_exit_get(r, &b) == 0;
}

bool job_stop_is_bad(const struct report_stop *r)
{
	return stop_is_end(r->reason);
}

/* Died, or left a program of several ranks in a way that leaves the others waiting. */
static bool exit_is_bad(const struct job *j, const struct report_exit *r)
{
	if (r->released || r->how == EXIT_UNKNOWN)
		return false;
	if (r->how != EXIT_CODE || r->aborted)
		return true;
	if (r->mpi != MPI_STATE_NONE)
		return r->mpi != MPI_STATE_DOWN;
	return j->needs_mpi && r->code != 0;
}

void job_forget(struct groups *d, const struct rankset *ranks)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n; i++) {
		struct rank_group *g = &d->group[i], swap;

		xrankset_remove_set(&g->ranks, ranks);
		if (g->ranks.n == 0)
			continue;
		swap = d->group[kept];
		d->group[kept++] = *g;
		*g = swap;
	}
	for (size_t i = kept; i < d->n; i++) {
		rankset_clear(&d->group[i].ranks);
		free(d->group[i].blob);
	}
	d->n = kept;
}

/* Outside of the message that caused it: what comes with it shall be known too. */
static void check_later(void *arg)
{
	struct job *j = arg;

	job_check_numbering(j);
	if (j->up && !j->leaving && j->watch.stopped)
		j->watch.stopped(j->watch.arg);
}

void job_forget_all(struct job *j)
{
	loop_cancel(j->loop, check_later, j);
	job_numbering_clear(j);
	job_sums_clear(j);
	for (int s = 0; s < JOB_SETS; s++)
		rankset_clear(&j->set[s]);
	rankset_clear(&j->unmanned);
	groups_clear(&j->stops);
	groups_clear(&j->exits);
	groups_clear(&j->freeze.held);
	rankset_clear(&j->freeze.who);
	rankset_clear(&j->halted.ranks);
	for (size_t i = 0; i < j->nplan; i++)
		rankset_clear(&j->plan[i].ranks);
	free(j->plan);
	msg_rules_clear(&j->rules);
	free(j->since);
}

/* Remembers since when they are what they are. */
static void stamp(struct job *j, const struct rankset *ranks)
{
	int64_t now = time(NULL);

	j->moves++;
	if (j->nsince < j->n) {
		int64_t *grown = xrealloc(j->since, j->n * sizeof(*grown));

		memset(grown + j->nsince, 0, (j->n - j->nsince) * sizeof(*grown));
		j->since = grown;
		j->nsince = j->n;
	}
	for (int64_t r = rankset_next(ranks, 0); r >= 0; r = rankset_next(ranks, (uint32_t)r + 1))
		if (r < j->nsince)
			j->since[r] = now;
}

void job_move(struct job *j, const struct rankset *ranks, enum job_set to)
{
	/* of others nothing is kept; thousands may come, each with a stop of its own */
	bool stood = rankset_meets(ranks, &j->set[JOB_STOPPED]);
	bool gone = rankset_meets(ranks, &j->set[JOB_EXITED]);

	for (int s = JOB_ABSENT; s <= JOB_BAD; s++)
		xrankset_remove_set(&j->set[s], ranks);
	if (stood && to != JOB_STOPPED)
		job_forget(&j->stops, ranks);
	if (gone && to != JOB_EXITED)
		job_forget(&j->exits, ranks);
	job_forget(&j->freeze.held, ranks);
	stamp(j, ranks);
	xrankset_add_set(&j->set[to], ranks);
	if (to == JOB_LOST)
		xrankset_add_set(&j->set[JOB_BAD], ranks);
	if (to != JOB_RUNNING && !j->leaving)
		loop_at(j->loop, 0, check_later, j);
}

static void set_stopped(struct job *j, const struct rankset *ranks, const struct report_stop *r,
			const void *blob, size_t len)
{
	struct rankset live = { 0 };

	xrankset_copy(&live, ranks);
	xrankset_remove_set(&live, &j->set[JOB_EXITED]);
	if (rankset_meets(&live, &j->set[JOB_STOPPED]))
		job_forget(&j->stops, &live);
	job_move(j, &live, JOB_STOPPED);
	xalloc_check(groups_add(&j->stops, &live, blob, len));
	if (job_stop_is_bad(r))
		xrankset_add_set(&j->set[JOB_BAD], &live);
	rankset_clear(&live);
}

static bool reaches(const struct report_stop *r, const struct point *target)
{
	return r->point.main != 0 && point_compare(&r->point, target) != POINT_BEFORE;
}

/* A stop under an older plan than the ranks were sent: does it still hold under the newer one? */
static bool stop_holds(const struct report_stop *r, const struct job_plan *p)
{
	if (job_stop_is_bad(r))
		return p->keep || p->plan.mode == PLAN_TO;
	if (p->plan.mode == PLAN_TO && reaches(r, &p->plan.target))
		return true;
	return p->keep && r->reason != STOP_HALT;
}

/* Stops of ranks that have the same plan. Takes out of ranks nothing; they are all in p. */
static void take_stop(struct job *j, struct job_link *l, uint32_t gen, const struct job_plan *p,
		      const struct rankset *ranks, const struct report_stop *r, const void *blob,
		      size_t len)
{
	/* of a plan to go to a point only what is before that is a stop by the freeze */
	bool freezing = j->freeze.why != FREEZE_NOT && r->reason == STOP_HALT &&
			!(p->plan.mode == PLAN_TO && reaches(r, &p->plan.target));

	if (gen == p->plan.gen && !freezing) {
		set_stopped(j, ranks, r, blob, len);
	} else if (gen == p->plan.gen) {
		job_forget(&j->freeze.held, ranks);
		xalloc_check(groups_add(&j->freeze.held, ranks, blob, len));
	} else if (stop_holds(r, p)) {
		set_stopped(j, ranks, r, blob, len);
	} else if (l && l->since >= p->plan.gen && gen < p->plan.gen) {
		/* They came back over another way and report a stop before the plan: it was lost.
		 */
		log_debug("job", "plan %u is sent again", p->plan.gen);
		job_send_go(j, ranks, &p->plan);
	}
}

/* One group of equal stops. */
static void take_stops(struct job *j, struct job_link *l, uint32_t gen, const struct rank_group *g)
{
	struct report_stop r;

	if (!job_read_stop(g->blob, g->len, &r)) {
		log_debug("job", "a damaged report of a stop is dropped");
		return;
	}
	for (size_t i = 0; i < j->nplan; i++) {
		struct rankset part = { 0 };

		xrankset_copy(&part, &g->ranks);
		xrankset_intersect(&part, &j->plan[i].ranks);
		if (part.n)
			take_stop(j, l, gen, &j->plan[i], &part, &r, g->blob, g->len);
		rankset_clear(&part);
	}
}

void job_take_held(struct job *j, const struct point *target)
{
	struct groups held = j->freeze.held;

	j->freeze.held = (struct groups){ 0 };
	for (size_t i = 0; i < held.n; i++) {
		struct report_stop r;

		if (job_read_stop(held.group[i].blob, held.group[i].len, &r) && reaches(&r, target))
			set_stopped(j, &held.group[i].ranks, &r, held.group[i].blob,
				    held.group[i].len);
	}
	groups_clear(&held);
}

static void take_exits(struct job *j, const struct rank_group *g)
{
	struct report_exit r;

	if (!job_read_exit(g->blob, g->len, &r)) {
		log_debug("job", "a damaged report of an end is dropped");
		return;
	}
	if (rankset_meets(&g->ranks, &j->set[JOB_EXITED]))
		job_forget(&j->exits, &g->ranks);
	job_move(j, &g->ranks, JOB_EXITED);
	xalloc_check(groups_add(&j->exits, &g->ranks, g->blob, g->len));
	if (exit_is_bad(j, &r))
		xrankset_add_set(&j->set[JOB_BAD], &g->ranks);
}

static void take_started(struct job *j, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct rankset waiting = { 0 };
	struct report_started r;

	if (report_started_get(&r, &b))
		return;
	j->annotated = j->annotated || r.annotated;
	xrankset_add_set(&j->started, &g->ranks);
	j->needs_mpi = j->needs_mpi || r.mpi_abi;
	xrankset_copy(&waiting, &g->ranks);
	xrankset_intersect(&waiting, &j->set[JOB_LOADED]);
	if (waiting.n)
		job_move(j, &waiting, JOB_RUNNING);
	rankset_clear(&waiting);
}

static void take_finding(struct job *j, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct report_finding f;

	if (report_finding_get(&f, &b) == 0 && j->watch.finding)
		j->watch.finding(j->watch.arg, &g->ranks, &f);
}

/* Pieces of a rank come in their order, but for those within one message; a link that was lost
 * sends some again. */
static void take_output(struct job *j, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct report_output r;
	struct rankset fresh = { 0 };

	if (report_output_get(&r, &b) || j->leaving || !j->watch.printed)
		return;
	if (!j->printed)
		j->printed = xcalloc(j->n, sizeof(*j->printed));
	for (int64_t i = rankset_next(&g->ranks, 0); i >= 0 && i < j->n;
	     i = rankset_next(&g->ranks, (uint32_t)i + 1))
		if (r.number > j->printed[i]) {
			j->printed[i] = r.number;
			xrankset_add(&fresh, (uint32_t)i, (uint32_t)i);
		}
	if (fresh.n)
		j->watch.printed(j->watch.arg, &fresh, r.stream, r.text, r.n);
	rankset_clear(&fresh);
}

static int by_number(const void *pa, const void *pb)
{
	const struct rank_group *const groups[2] = { pa, pb };
	uint32_t number[2] = { 0 };

	for (unsigned i = 0; i < 2; i++) {
		struct buf b = buf_view(groups[i]->blob, groups[i]->len);

		number[i] = buf_get_u32(&b);
	}
	return (number[0] > number[1]) - (number[0] < number[1]);
}

void job_take_event(struct job *j, struct job_link *l, const struct msg_event *e)
{
	if (e->kind == EVENT_OUTPUT && e->groups.n > 1)
		qsort(e->groups.group, e->groups.n, sizeof(*e->groups.group), by_number);
	for (size_t i = 0; i < e->groups.n; i++) {
		struct rank_group *g = &e->groups.group[i];

		xrankset_intersect(&g->ranks, &j->set[JOB_ALL]);
		if (g->ranks.n == 0)
			continue;
		switch (e->kind) {
		case EVENT_STARTED:
			take_started(j, g);
			break;
		case EVENT_STOP:
			take_stops(j, l, e->gen, g);
			break;
		case EVENT_EXIT:
			take_exits(j, g);
			break;
		case EVENT_FINDING:
			take_finding(j, g);
			break;
		case EVENT_OUTPUT:
			take_output(j, g);
			break;
		case EVENT_TRACE:
		case EVENT_FOUND:
		case EVENT_COVER:
		case EVENT_REDUCED:
			job_take_trace(j, e->kind, g);
			break;
		}
	}
	if (e->kind == EVENT_EXIT)
		job_sums_check(j);
}

void job_take_lost(struct job *j, const struct rankset *ranks)
{
	struct rankset lost = { 0 };
	char text[160], list[80];

	xrankset_copy(&lost, ranks);
	xrankset_intersect(&lost, &j->set[JOB_ALL]);
	xrankset_add_set(&j->unmanned, &lost);
	job_req_gone(j, &lost);
	xrankset_remove_set(&lost, &j->set[JOB_EXITED]);
	xrankset_remove_set(&lost, &j->set[JOB_LOST]);
	if (lost.n && !j->leaving) {
		job_move(j, &lost, JOB_LOST);
		snprintf(text, sizeof(text),
			 "the supervisor of %s is gone, %s",
			 rankset_format(&lost, list, sizeof(list)),
			 j->attached ? "the program runs on" : "and the program with it");
		if (j->watch.notice && j->up)
			j->watch.notice(j->watch.arg, text);
		job_sums_check(j);
	}
	rankset_clear(&lost);
}
