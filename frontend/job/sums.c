/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The checksums of the ranks, collected per point until all that can come has come, and then
 * reported in the order of points. What the watcher decides goes back down as a verdict.
 */
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/core/log.h"
#include "common/protocol/point_sums.h"
#include "frontend/job/internal.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define SUMS_MEMORY ((size_t)1 << 30) /* of points that wait; then the oldest is reported */

/* In the order of points. */
struct job_sum {
	struct point_sums point_sums;
	size_t cost;   /* about what it takes in memory */
	int64_t since; /* loop_now when the first rank told of it */
	bool counted;  /* every element of every distributed array is there */
	bool reported; /* inside a task: kept, empty, so that late ones are known */
};

/* Where in the order of main points p is: its begin, inside of it, its end. 0: none. */
static uint64_t stage(const struct point *p)
{
	const struct point region = { .main = p->main, .side = POINT_BEGIN };

	return p->sub ? point_order_number(&region) + 1 : point_order_number(p);
}

static bool is_inside(const struct point *p)
{
	return p->sub != 0;
}

static size_t cost_of(const struct point_sums *t)
{
	/* a struct sum has a fixed part, and one for each block */
	enum { FIXED = 8000, BLOCK = 1000, COPY = 500 };
	size_t cost = FIXED;

	for (size_t i = 0; i < t->n; i++) {
		const struct point_sums_item *item = &t->item[i];

		if (item->sum)
			cost += FIXED + (size_t)item->plan.blocks * BLOCK;
		cost += item->npart * (FIXED + (size_t)item->plan.blocks * BLOCK);
		for (size_t k = 0; k < item->copies.n; k++)
			cost += COPY + item->copies.group[k].len;
	}
	return cost;
}

static void drop(struct job_sums *s, size_t i)
{
	s->cost -= s->list[i].cost;
	point_sums_clear(&s->list[i].point_sums);
	memmove(&s->list[i], &s->list[i + 1], (s->n - i - 1) * sizeof(*s->list));
	s->n--;
}

void job_sums_clear(struct job *j)
{
	struct job_sums *s = &j->sums;

	while (s->n)
		drop(s, s->n - 1);
	free(s->list);
	free(s->furthest);
	*s = (struct job_sums){ 0 };
}

/* Members that will say no more. */
static void remove_gone(const struct job *j, struct rankset *ranks)
{
	xrankset_remove_set(ranks, &j->set[JOB_EXITED]);
	xrankset_remove_set(ranks, &j->set[JOB_LOST]);
	xrankset_remove_set(ranks, &j->set[JOB_ABSENT]);
}

/* Whether every rank that can has passed the main point, or a later one. */
static bool all_passed(const struct job *j, const struct point_sums *t)
{
	struct rankset left = { 0 };
	bool all = true;

	xrankset_copy(&left, &j->set[JOB_ALL]);
	remove_gone(j, &left);
	xrankset_remove_set(&left, &t->passed);
	for (int64_t r = rankset_next(&left, 0); r >= 0 && all;
	     r = rankset_next(&left, (uint32_t)r + 1))
		all = j->sums.furthest[r] > stage(&t->point);
	rankset_clear(&left);
	return all;
}

/* Some array is there, and every element of every one. */
static bool all_counted(const struct point_sums *t)
{
	bool any = false;

	for (size_t i = 0; i < t->n; i++) {
		const struct point_sums_item *item = &t->item[i];

		if (item->kind != ARRAY_DISTRIBUTED)
			continue;
		any = true;
		if (!point_sums_item_counted(item))
			return false;
	}
	return any;
}

/*
 * Fills in the ranks that should have reported it and did not. Who came past a beginning in silence
 * had nothing to report; at an end each rank reports something. Inside tasks it is unknown who was
 * to come: only the ranks that are gone, and may have been on their way, are missing.
 */
static void missing_at(const struct job *j, const struct point_sums *t, struct rankset *out)
{
	struct rankset silent = { 0 }, there = { 0 };

	xrankset_copy(out, &j->set[JOB_ALL]);
	if (is_inside(&t->point)) {
		xrankset_copy(&there, out);
		remove_gone(j, &there);
		xrankset_remove_set(out, &there);
	}
	xrankset_remove_set(out, &t->passed);
	for (int64_t r = rankset_next(out, 0); r >= 0; r = rankset_next(out, (uint32_t)r + 1))
		if (j->sums.furthest[r] > stage(&t->point))
			xrankset_add(&silent, (uint32_t)r, (uint32_t)r);
	if (is_inside(&t->point) || t->point.side == POINT_BEGIN)
		xrankset_remove_set(out, &silent);
	rankset_clear(&silent);
	rankset_clear(&there);
}

/* Reports the i-th point and takes it out, or, inside a task, leaves it empty. */
static void report(struct job *j, size_t i)
{
	struct job_sums *s = &j->sums;
	struct point_sums t = s->list[i].point_sums;
	struct rankset missing = { 0 };

	s->cost -= s->list[i].cost;
	s->list[i] = (struct job_sum){ .point_sums = { .point = t.point }, .reported = true };
	if (!is_inside(&t.point)) {
		s->reported = t.point;
		drop(s, i);
	}
	if (j->watch.sums) {
		missing_at(j, &t, &missing);
		j->watch.sums(j->watch.arg, &t, &missing);
	}
	rankset_clear(&missing);
	point_sums_clear(&t);
}

/*
 * Takes a step towards reporting what can be reported. Looks at all again each time, as the watcher
 * may have turned the loop.
 */
static bool report_some(struct job *j)
{
	struct job_sums *s = &j->sums;

	for (size_t i = 0; i < s->n; i++) {
		const struct job_sum *e = &s->list[i];
		bool due = point_sort(&e->point_sums.point, &s->until) <= 0;

		if (e->reported && point_sort(&e->point_sums.point, &s->reported) < 0) {
			drop(s, i);
			return true;
		}
		if (e->reported || (!due && is_inside(&e->point_sums.point) && !e->counted))
			continue;
		if (due || e->counted) {
			report(j, i);
			return true;
		}
		if (!all_passed(j, &e->point_sums))
			return false;
		s->until = e->point_sums.point;
		return true;
	}
	return false;
}

/* All up to the i-th point are reported as they are. */
static bool report_until(struct job *j, size_t i)
{
	struct point p = { .main = j->sums.list[i].point_sums.point.main, .side = POINT_END };

	j->sums.until =
		is_inside(&j->sums.list[i].point_sums.point) ? p : j->sums.list[i].point_sums.point;
	return true;
}

static bool report_rest(struct job *j)
{
	struct job_sums *s = &j->sums;

	if (!job_over(j) || s->n == 0 ||
	    point_sort(&s->list[s->n - 1].point_sums.point, &s->until) <= 0)
		return false;
	return report_until(j, s->n - 1);
}

/* The ranks that keep the oldest main point waiting are too far behind. */
static bool give_up_oldest(struct job *j)
{
	struct job_sums *s = &j->sums;
	char text[300], list[80], point[POINT_TEXT];
	struct rankset missing = { 0 };
	size_t i = 0;

	if (s->cost <= SUMS_MEMORY || s->n < 2)
		return false;
	while (i + 1 < s->n && is_inside(&s->list[i].point_sums.point))
		i++;
	missing_at(j, &s->list[i].point_sums, &missing);
	if (!s->gave_up && j->watch.notice) {
		snprintf(text, sizeof(text),
			 "%s %s too far behind the other ranks: checksums from %s on are not "
			 "awaited",
			 rankset_format(&missing, list, sizeof(list)),
			 rankset_count(&missing) == 1 ? "is" : "are",
			 point_format(&s->list[i].point_sums.point, point));
		j->watch.notice(j->watch.arg, text);
	}
	rankset_clear(&missing);
	s->gave_up = true;
	return report_until(j, i);
}

void job_sums_check(struct job *j)
{
	struct job_sums *s = &j->sums;

	/* the watcher may turn the loop */
	if (s->busy || j->leaving)
		return;
	s->busy = true;
	while (report_some(j) || report_rest(j) || give_up_oldest(j))
		;
	s->busy = false;
}

/* Only ranks that there are. */
static void cut(const struct job *j, struct point_sums *t)
{
	const struct rankset *all = &j->set[JOB_ALL];

	if (rankset_covers(all, &t->passed))
		return;
	xrankset_intersect(&t->passed, all);
	xrankset_intersect(&t->dropped, all);
	xrankset_intersect(&t->differ, all);
	for (size_t i = 0; i < t->n; i++)
		xrankset_intersect(&t->item[i].ranks, all);
}

/* Takes t over. -1: too many items. */
static int add(struct job_sums *s, struct point_sums *t)
{
	struct job_sum *e;
	size_t at = s->n;
	int rc = 0;

	while (at && point_sort(&s->list[at - 1].point_sums.point, &t->point) >= 0)
		at--;
	if (at == s->n || point_sort(&s->list[at].point_sums.point, &t->point) != 0) {
		xvec_room(s->list, s->cap, s->n + 1);
		e = &s->list[at];
		memmove(e + 1, e, (s->n++ - at) * sizeof(*e));
		*e = (struct job_sum){ .point_sums = *t, .since = loop_now() };
		*t = (struct point_sums){ 0 };
	} else {
		e = &s->list[at];
		if (e->reported)
			return 0;
		errno = 0;
		rc = point_sums_merge(&e->point_sums, t);
		xalloc_check(rc && errno == ENOMEM);
	}
	s->cost -= e->cost;
	e->cost = cost_of(&e->point_sums);
	e->counted = is_inside(&e->point_sums.point) && all_counted(&e->point_sums);
	s->cost += e->cost;
	return rc;
}

static void note_passed(struct job *j, const struct point_sums *t)
{
	struct job_sums *s = &j->sums;

	if (!s->furthest)
		s->furthest = xcalloc(j->n, sizeof(*s->furthest));
	for (int64_t r = rankset_next(&t->passed, 0); r >= 0;
	     r = rankset_next(&t->passed, (uint32_t)r + 1))
		if (s->furthest[r] < stage(&t->point))
			s->furthest[r] = stage(&t->point);
}

int job_take_sums(struct job *j, struct buf *b)
{
	struct point_sums t;
	char text[POINT_TEXT];

	if (point_sums_get(&t, b, NULL))
		return -1;
	cut(j, &t);
	if (t.passed.n)
		note_passed(j, &t);
	if (t.passed.n && point_sort(&t.point, &j->sums.reported) <= 0)
		log_debug("sums", "too late for %s", point_format(&t.point, text));
	else if (t.passed.n && add(&j->sums, &t))
		log_debug("sums", "%s: more items than can be kept", point_format(&t.point, text));
	point_sums_clear(&t);
	job_sums_check(j);
	return 0;
}

void job_trace_config(struct job *j, const struct trace_config *g)
{
	j->trace_config = *g;
	/* else they go out when the ranks have answered */
	if (j->freeze.why != FREEZE_RULES)
		job_send_rules(j);
}

void job_verdict(struct job *j, const struct point *p, bool stop)
{
	const struct msg_verdict *last = &j->sums.verdict;

	if (!p->main || is_inside(p) || point_sort(p, &last->point) <= 0)
		return;
	j->sums.verdict = (struct msg_verdict){ .point = *p, .stop = stop };
	job_send_verdict(j);
}

bool job_held(const struct job *j, const struct point *after, struct point *p,
	      struct rankset *missing, struct rankset *waiting, int64_t *since)
{
	const struct job_sums *s = &j->sums;

	for (size_t i = 0; i < s->n; i++) {
		const struct job_sum *e = &s->list[i];

		if (e->reported || is_inside(&e->point_sums.point) ||
		    point_sort(&e->point_sums.point, after) <= 0)
			continue;
		*p = e->point_sums.point;
		*since = e->since;
		missing_at(j, &e->point_sums, missing);
		xrankset_copy(waiting, &e->point_sums.passed);
		remove_gone(j, waiting);
		return true;
	}
	return false;
}
