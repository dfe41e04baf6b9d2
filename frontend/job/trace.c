/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces: what the ranks are sent about them, and what has become of them.
 */
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/msg.h"
#include "common/coverage/coverage.h"
#include "common/reductions/reductions.h"
#include "common/tracereport/tracereport.h"
#include "frontend/job/internal.h"
#include "frontend/util/xalloc.h"

void job_trace(struct job *j, const struct msg_trace *m)
{
	buf_reset(&j->trace);
	msg_trace_put(m, &j->trace);
	xalloc_check(j->trace.bad);
	job_broadcast(j, MSG_TRACE, &j->trace);
}

static void take_report(struct job *j, const struct rank_group *g, struct buf *b)
{
	struct report_trace r;

	if (report_trace_get(&r, b) == 0 && j->watch.trace)
		j->watch.trace(j->watch.arg, &g->ranks, &r);
}

static void take_found(struct job *j, struct buf *b)
{
	struct trace_findings l = { 0 };

	if (trace_findings_read(&l, b) == 0 && j->watch.found)
		j->watch.found(j->watch.arg, &l);
	trace_findings_clear(&l);
}

static void take_cover(struct job *j, struct buf *b)
{
	struct cover c;

	if (cover_get(&c, b) == 0 && j->watch.cover)
		j->watch.cover(j->watch.arg, &c);
	cover_clear(&c);
}

/* Of several ranks they are one already. */
static void take_reduced(struct job *j, struct buf *b)
{
	struct reduction r;

	if (reduction_get(&r, b) == 0 && j->watch.reduced)
		j->watch.reduced(j->watch.arg, &r);
	reduction_clear(&r);
}

void job_take_trace(struct job *j, unsigned kind, struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);

	if (kind == EVENT_TRACE) {
		take_report(j, g, &b);
		return;
	}
	/* the number, which makes it another one than all others of the rank */
	buf_get_u32(&b);
	if (kind == EVENT_REDUCED) {
		take_reduced(j, &b);
		return;
	}
	/* ranks that say the same say it each for itself */
	for (uint64_t n = rankset_count(&g->ranks); n; n--) {
		struct buf one = b;

		if (kind == EVENT_FOUND)
			take_found(j, &one);
		else
			take_cover(j, &one);
	}
}
