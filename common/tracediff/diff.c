/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tracediff/tracediff.h"

#include "common/core/err.h"

struct diff {
	const struct tracediff_files_options *o;
	struct trace_index *now, *ref;
	struct trace_findings *out;
	struct tracediff_state *state;
	struct covers *covers;
	uint64_t done, total;
};

static int take_covers(struct diff *d, struct tracediff *c, struct err *err)
{
	struct cover cover;

	while (tracediff_cover(c, &cover))
		if (covers_add(d->covers, &cover, d->out, err))
			return -1;
	return 0;
}

static void add_state(struct tracediff_state *to, const struct tracediff_state *s)
{
	to->records += s->records;
	to->compared += s->compared;
	to->equal += s->equal;
	to->close += s->close;
	to->unknown += s->unknown;
	to->lost += s->lost;
	to->iterations += s->iterations;
	to->constructs += s->constructs;
	to->values += s->values;
	to->reductions += s->reductions;
	to->decoded = s->decoded;
	if (point_sort(&s->last, &to->last) > 0)
		to->last = s->last;
	if (s->beyond)
		to->end = s->end;
	to->beyond = to->beyond || s->beyond;
}

/* 0, 1 given up, -1. */
static int blocks(struct diff *d, const struct trace_reader *m, struct tracediff *c,
		  struct err *err)
{
	for (size_t i = 0; i < trace_reader_blocks(m); i++) {
		struct trace_block *b = trace_reader_block(m, i, err);

		if (!b || tracediff_block(c, b, err) || take_covers(d, c, err))
			return -1;
		d->done++;
		if (d->o->progress && d->o->progress(d->o->arg, d->done, d->total))
			return 1;
	}
	if (tracediff_end(c, trace_reader_complete(m), err))
		return -1;
	return take_covers(d, c, err);
}

static int rank(struct diff *d, uint32_t file, struct err *err)
{
	const struct trace_reader *m = trace_index_map(d->now, file);
	const struct trace_meta *meta = trace_reader_meta(m);
	struct tracediff_options o = { .rank = file,
				       .ranks = trace_index_files(d->now),
				       .tolerance = d->o->tolerance,
				       .most = d->o->most,
				       .moved = d->o->moved,
				       .covers = trace_index_whole(d->now),
				       .start = meta->start,
				       .finish = meta->finish };
	struct tracediff *c = tracediff_create(d->ref, &o, err);
	int rc;

	if (!c)
		return -1;
	rc = blocks(d, m, c, err);
	add_state(d->state, tracediff_state(c));
	if (trace_findings_merge(d->out, tracediff_findings(c)))
		rc = err_set(err, "out of memory");
	tracediff_destroy(c);
	return rc;
}

int tracediff_files(struct trace_index *now, struct trace_index *ref,
		    const struct tracediff_files_options *o, struct trace_findings *out,
		    struct tracediff_state *state, struct err *err)
{
	struct diff d = { .o = o, .now = now, .ref = ref, .out = out, .state = state };
	int rc = 0;

	d.covers = covers_create(ref, trace_index_files(now));
	if (!d.covers)
		return err_set(err, "out of memory");
	for (uint32_t f = 0; f < trace_index_files(now); f++)
		d.total += trace_reader_blocks(trace_index_map(now, f));
	for (uint32_t f = 0; f < trace_index_files(now) && !rc; f++)
		rc = rank(&d, f, err);
	covers_destroy(d.covers);
	return rc;
}
