/* SPDX-License-Identifier: BSD-3-Clause */
/* The comparison as a reader of the stream. */
#include "common/tracediff/tracediff.h"

#include "common/core/buf.h"
#include "common/protocol/msg.h"
#include "common/protocol/report.h"

static int reader_block(void *self, struct trace_block *b, struct err *err)
{
	return tracediff_block(self, trace_block_keep(b), err);
}

static int reader_end(void *self, bool complete, struct err *err)
{
	return tracediff_end(self, complete, err);
}

static struct trace_findings *reader_findings(void *self)
{
	return tracediff_findings(self);
}

static bool reader_part(void *self, unsigned *kind, struct buf *out)
{
	struct cover c;

	if (!tracediff_cover(self, &c))
		return false;
	*kind = EVENT_COVER;
	cover_put(&c, out);
	cover_clear(&c);
	return true;
}

static void reader_count(const void *self, struct report_trace *r)
{
	const struct tracediff_state *s = tracediff_state(self);

	r->compared = s->compared;
	r->equal = s->equal;
	r->close = s->close;
	r->unknown = s->unknown;
	r->lost = s->lost;
	r->iterations = s->iterations;
	r->constructs = s->constructs;
	r->values = s->values;
	r->reductions = s->reductions;
	r->beyond = s->beyond;
	r->last = s->last;
	r->end = s->end;
}

static void reader_destroy(void *self)
{
	tracediff_destroy(self);
}

const struct stream_class tracediff_reader = { .name = "comparison",
					       .block = reader_block,
					       .end = reader_end,
					       .findings = reader_findings,
					       .part = reader_part,
					       .count = reader_count,
					       .destroy = reader_destroy };
