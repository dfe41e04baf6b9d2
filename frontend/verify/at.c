/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The points whose checksums are available: the newest, and of the region where that is the newest
 * of each task; and at which point each array had its newest.
 */
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/protocol/report.h"
#include "frontend/verify/internal.h"
#include "frontend/job/job.h"
#include "frontend/model/session.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

void checker_keep_summed(struct checker *c, const struct sums_point *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct sums_array *a = &p->array[i];
		size_t at = c->at_summed, n = c->nsummed;

		if (!a->sum)
			continue;
		while (n && strcmp(c->summed[at % c->nsummed].name, a->name)) {
			at++;
			n--;
		}
		if (n) {
			at %= c->nsummed;
		} else {
			at = c->nsummed;
			xvec_add(c->summed, c->nsummed)->name = xstrdup(a->name);
		}
		c->summed[at].point = p->point;
		c->at_summed = at + 1;
	}
}

void checker_forget_summed(struct checker *c)
{
	for (size_t i = 0; i < c->nsummed; i++)
		free(c->summed[i].name);
	free(c->summed);
	c->summed = NULL;
	c->nsummed = c->at_summed = 0;
}

const struct point *checker_summed_at(const struct checker *c, const char *name)
{
	for (size_t i = 0; i < c->nsummed; i++)
		if (array_name_is(c->summed[i].name, name, true, false))
			return &c->summed[i].point;
	return NULL;
}

void checker_forget_points(struct checker *c, const struct point *p)
{
	size_t n = 0;

	if (c->last && c->ntask < CHECKER_TASKS)
		c->task[c->ntask++] = c->last;
	else
		sums_point_destroy(c->last);
	c->last = NULL;
	for (size_t i = 0; i < c->ntask; i++) {
		const struct point *q = &c->task[i]->point;

		if (p->sub && q->sub && q->main == p->main && q->task != p->task)
			c->task[n++] = c->task[i];
		else
			sums_point_destroy(c->task[i]);
	}
	c->ntask = n;
}

const struct sums_point *checker_last(const struct checker *c)
{
	return c->last;
}

/* Whether x is p, or of its task. */
static bool is_at(const struct sums_point *x, const struct point *p)
{
	if (!x || point_compare(&x->point, p) == POINT_EQUAL)
		return x != NULL;
	return x->point.sub && p->sub && x->point.main == p->main && x->point.task == p->task;
}

const struct sums_point *checker_at(const struct checker *c, const struct point *p)
{
	if (is_at(c->last, p))
		return c->last;
	for (size_t i = 0; i < c->ntask; i++)
		if (is_at(c->task[i], p))
			return c->task[i];
	return NULL;
}

bool checker_awaits(const struct checker *c)
{
	const struct groups *stops = c->s->job ? job_stops(c->s->job) : NULL;
	struct point at = { 0 };

	for (size_t i = 0; stops && i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (report_stop_get(&r, &b) ||
		    (at.main && point_compare(&r.point, &at) != POINT_EQUAL))
			return false;
		at = r.point;
	}
	return c->begun && at.main && !at.sub && at.side == POINT_END &&
	       trace_config_open(&c->trace_config, &at) &&
	       (!c->last || point_compare(&c->last->point, &at) == POINT_BEFORE);
}

bool checker_may_await(const struct checker *c)
{
	const struct groups *stops = c->s->job ? job_stops(c->s->job) : NULL;
	const struct sums_point *at;

	for (size_t i = 0; c->begun && stops && i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (report_stop_get(&r, &b) || !r.point.sub || r.point.side != POINT_END ||
		    !trace_config_open(&c->trace_config, &r.point))
			continue;
		at = checker_at(c, &r.point);
		if (!at || point_compare(&at->point, &r.point) == POINT_BEFORE)
			return true;
	}
	return false;
}
