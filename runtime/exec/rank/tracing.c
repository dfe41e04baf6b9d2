/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/rank/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "config.h"

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/finding_kind.h"
#include "common/core/log.h"
#include "common/protocol/msg.h"
#include "runtime/exec/sys/child.h"
#include "runtime/exec/sys/clock.h"
#include "runtime/exec/sys/futex.h"
#include "runtime/exec/tree/tree.h"

#define AREA_LEAST MSG_TRACE_LEAST
#define CONTROL_AREA ((size_t)12 << 20)
#define WAIT_MS 10000 /* for the thread, before a stop is reported all the same */
#define LOOK_MS 200

void control_trace(struct control *c, const struct msg_trace *m)
{
	struct buf b = BUF_INIT;

	msg_trace_put(m, &b);
	buf_clear(&c->trace_order);
	c->trace_order = b;
}

static bool asked_for(const struct control *c)
{
	bool any = c->trace_config.trace != TRACE_CONFIG_NONE;

	for (uint32_t i = 0; i < c->nplace; i++)
		any |= c->place[i].level != TRACE_CONFIG_NONE;
	return any;
}

/* Not all that was asked for is in the trace. */
static void report_partial(struct control *c, const char *why)
{
	struct report_finding f = { .kind = FINDING_PARTIAL,
				    .point = page_read_point(&c->read),
				    .place = { .file = "", .func = "", .module = "" },
				    .detail = why };
	struct buf b = BUF_INIT;

	report_finding_put(&f, &b);
	c->trace_partial = c->node && node_event(c->node, EVENT_FINDING, c->plan.gen, &b);
	buf_clear(&b);
}

/* That a reference cannot be read is nothing wrong in the program. */
static bool compares(const struct control *c)
{
	struct buf b = buf_view(c->trace_order.data, c->trace_order.len);
	struct msg_trace m;

	return !msg_trace_get(&m, &b) && *m.compare;
}

static void report_report(struct control *c, const struct report_trace *r)
{
	struct buf b = BUF_INIT;

	if (r->state == REPORT_TRACE_FAILED && !compares(c))
		report_partial(c, r->why);
	report_trace_put(r, &b);
	if (c->node && node_event(c->node, EVENT_TRACE, c->plan.gen, &b)) {
		c->trace_untold = *r;
		c->trace_untold.why = "out of memory";
		c->trace_report = true;
	}
	buf_clear(&b);
}

void tracing_resync(struct control *c)
{
	const struct report_trace again = c->trace_untold;

	if (c->trace_partial)
		report_partial(c, "out of memory");
	if (!c->trace_report)
		return;
	c->trace_report = false;
	report_report(c, &again);
}

/* The part of the memory that blocks on their way have; the rest is for what is made of them, and
 * more of it for what is known of the reference. */
static size_t area_bytes(const struct msg_trace *m)
{
	size_t bytes = (size_t)(*m->compare ? m->memory / 4 : m->memory / 4 * 3);

	/* the program is faster than control: what is more waits, and makes nothing faster */
	if (m->control && bytes > CONTROL_AREA)
		bytes = CONTROL_AREA;
	return bytes > AREA_LEAST ? bytes : AREA_LEAST;
}

#define HEAD_ROOM 256

/* The limits that the run is recorded with, as the head of a text has them. Returns out. */
static const char *head_of(const struct trace_config_limits *l, char out[HEAD_ROOM])
{
	snprintf(out, HEAD_ROOM,
		 "IG_LEFT = %ld\nIG_RIGHT = %ld\nILOC_LEFT = %ld\nILOC_RIGHT = %ld\n"
		 "IREP_LEFT = %ld\nIREP_RIGHT = -1\nEND_HEADER\n",
		 l->ig_left - 1L, l->ig_right - 1L, l->iloc_left - 1L, l->iloc_right - 1L,
		 l->irep_left - 1L);
	return out;
}

static void create(struct control *c, const struct msg_trace *m, struct err *err)
{
	struct traces_spec s = { .page = c->page, .order = m };
	char head[HEAD_ROOM];

	if (child_area(c->child, area_bytes(m), err))
		return;
	s.area = child_area_at(c->child, &s.bytes);
	s.meta = (struct trace_meta){ .rank = c->rank,
				      .ranks = m->ranks,
				      .level = c->trace_config.trace,
				      .start = c->trace_config.start,
				      .finish = c->trace_config.finish,
				      .program = m->program,
				      .build_id = m->build_id,
				      .version = PACKAGE_VERSION,
				      .origin = "",
				      .head = head_of(&c->trace_config.limits, head),
				      .seconds = (uint64_t)time(NULL) };
	c->traces = traces_create(&s, err);
}

void tracing_start(struct control *c)
{
	struct buf b = buf_view(c->trace_order.data, c->trace_order.len);
	struct err err = { "" };
	struct msg_trace m;

	if (c->trace_order.bad && asked_for(c))
		err_set(&err, "out of memory");
	else if (!c->trace_order.len || msg_trace_get(&m, &b) || !asked_for(c) ||
		 (!*m.record && !*m.compare && !m.reductions &&
		  !m.control))
		return;
	else
		create(c, &m, &err);
	if (c->traces)
		return;
	/* the program runs without */
	c->page->trace.offset = 0;
	report_report(c, &(struct report_trace){ .state = REPORT_TRACE_FAILED, .why = err.text });
}

int control_trace_fd(const struct control *c)
{
	return c->traces ? traces_fd(c->traces) : -1;
}

int64_t control_trace_due(const struct control *c)
{
	return c->trace_wait ? c->trace_wait + LOOK_MS : -1;
}

/* What was found: while the way up is blocked it stays where it is; all: it does not. */
static void report_news(struct control *c, bool all)
{
	unsigned kind;
	struct buf b;

	while ((all || !c->node || !node_is_blocked(c->node)) &&
	       traces_news(c->traces, &kind, &b)) {
		if (c->node && node_event(c->node, kind, c->plan.gen, &b))
			report_partial(c, "out of memory");
		buf_clear(&b);
	}
}

static void report(struct control *c, bool all)
{
	struct report_trace r;
	const char *why;

	if (c->traces)
		report_news(c, all);
	if (c->traces && traces_partial(c->traces, &why))
		report_partial(c, why);
	while (c->traces && traces_report(c->traces, &r))
		report_report(c, &r);
}

void control_trace_news(struct control *c)
{
	if (c->traces)
		report_news(c, false);
}

void control_trace_inspect(struct control *c)
{
	bool waited = c->trace_wait != 0;

	if (!c->traces)
		return;
	traces_clear(c->traces);
	report(c, false);
	if (child_ended(c->child))
		control_ended(c);
	else
		control_inspect(c);
	if (waited && c->trace_wait)
		c->trace_wait = clock_msec();
}

bool tracing_differs(struct control *c)
{
	uint64_t found = c->traces ? traces_found(c->traces) : 0, before = c->trace_found;

	c->trace_found = found;
	return found > before;
}

void tracing_differ_again(struct control *c)
{
	if (c->trace_found)
		c->trace_found--;
}

bool tracing_reached(const struct control *c, uint64_t blocks)
{
	uint64_t closed = atomic_load(&c->page->trace.closed);

	return !c->traces || traces_reached(c->traces, blocks < closed ? blocks : closed);
}

/* What is waited for has come, or it takes too long. */
static bool done_waiting(struct control *c, bool done, int most_ms)
{
	int64_t now = clock_msec();

	if (!done && !c->trace_since)
		c->trace_since = now;
	if (!done && (most_ms < 0 || now < c->trace_since + most_ms)) {
		c->trace_wait = now;
		return false;
	}
	c->trace_since = c->trace_wait = 0;
	report(c, true);
	return true;
}

bool tracing_stopped(struct control *c)
{
	uint32_t count = atomic_load(&c->page->stop_count);

	if (!c->traces)
		return true;
	if (c->trace_stop != count) {
		c->trace_stop = count;
		c->trace_goal = atomic_load(&c->page->trace.closed);
	}
	return done_waiting(c, traces_reached(c->traces, c->trace_goal), WAIT_MS);
}

bool tracing_ended(struct control *c)
{
	int status = 0;
	bool complete;

	if (!c->traces)
		return true;
	if (!c->trace_over) {
		complete = child_status(c->child, &status) == 0 && WIFEXITED(status) &&
			   !*(const volatile uint32_t *)&c->page->aborted;
		traces_finish(c->traces, complete);
		c->trace_over = true;
	}
	return done_waiting(c, traces_finished(c->traces), -1);
}

void tracing_release(struct control *c)
{
	if (!c->traces)
		return;
	atomic_store(&c->page->trace.stopped, 1);
	traces_finish(c->traces, false);
}
