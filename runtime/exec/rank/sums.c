/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/rank/internal.h"

#include "common/core/log.h"
#include "common/protocol/msg.h"
#include "common/protocol/point_sums.h"
#include "runtime/exec/sys/futex.h"
#include "runtime/exec/tree/tree.h"

#define SUMS_TURN \
	(256u << 10) /* bytes of the queue that are taken at once: children wait meanwhile */

/* Reports that p was passed, and nothing of what was there; gave_up: and why not. */
static void report_bare(struct control *c, const struct point *p, bool gave_up)
{
	struct point_sums t;

	if (page_sums_empty(&c->sums, p, &t)) {
		node_sums_lost(c->node, p, t.kind);
		return;
	}
	if (gave_up && rankset_copy(&t.dropped, &t.passed)) {
		node_sums_lost(c->node, p, t.kind);
		point_sums_clear(&t);
		return;
	}
	node_sums(c->node, &t, 0);
	point_sums_clear(&t);
}

/* The queue is broken: where the program is keeps others from waiting for it. */
static void report_where(struct control *c)
{
	struct point p;

	page_sums_discard(&c->sums);
	p = page_read_point(&c->read);
	if (!p.main || point_sort(&p, &c->reported_where) == 0)
		return;
	c->reported_where = p;
	report_bare(c, &p, true);
}

void control_sums(struct control *c, bool all)
{
	size_t taken = 0, most = all ? PAGE_SUMS : SUMS_TURN, bytes;
	struct point_sums t;
	int got;

	c->sums_left = false;
	if (c->reported_exit)
		return;
	if (!c->node) {
		page_sums_discard(&c->sums);
		return;
	}
	/* no more than the queue holds: the program may fill it as fast as we empty it */
	while (taken < most && (all || !node_is_blocked(c->node)) &&
	       (all || tracing_reached(c, page_sums_blocks(&c->sums))) &&
	       ((got = page_sums_take(&c->sums, &t, &bytes)) > 0 || c->sums.lost)) {
		taken += bytes;
		if (got <= 0) {
			node_sums_lost(c->node, &c->sums.lost_point, c->sums.lost_kind);
			continue;
		}
		if (tracing_differs(c) && rankset_add(&t.differ, c->rank, c->rank))
			tracing_differ_again(c);
		node_sums(c->node, &t, bytes);
		point_sums_clear(&t);
	}
	c->sums_left = taken >= most;
	if (c->sums.broken)
		report_where(c);
	page_read_reset(&c->read);
}

bool control_sums_left(const struct control *c)
{
	return c->sums_left && c->node && !node_is_blocked(c->node);
}

void control_verdict(struct control *c, const struct msg_verdict *m)
{
	uint64_t verdict = point_order_number(&m->point);

	if (verdict <= c->verdict)
		return;
	c->verdict = verdict;
	/* in this order: the program reads verdict, then verdict_stop */
	atomic_store(&c->page->verdict_stop, m->stop);
	atomic_store(&c->page->verdict, verdict);
	atomic_fetch_add(&c->page->wake, 1);
	futex_wake(&c->page->wake);
}

void control_sums_resync(struct control *c)
{
	uint64_t hold = atomic_load(&c->page->sums_hold);
	struct point p;

	if (!c->node || !point_of_order_number(&p, hold) || hold <= c->verdict)
		return;
	control_sums(c, true);
	report_bare(c, &p, false);
}

void control_sums_release(struct control *c)
{
	const struct msg_verdict all = { .point = POINT_LAST };

	c->trace_config = (struct trace_config){ 0 };
	control_verdict(c, &all);
}
