/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tracediff/diff.h"

#include "common/core/err.h"

struct diff {
	const struct trace_diff_options *o;
	struct trace_ref *now, *ref;
	struct trace_findings *out;
	struct trace_cmp_state *state;
	struct trace_covers *covers;
	uint64_t done, total;
};

static int take_covers(struct diff *d, struct trace_cmp *c, struct err *err)
{
	struct trace_cover cover;

	while (trace_cmp_cover(c, &cover))
		if (trace_covers_add(d->covers, &cover, d->out, err))
			return -1;
	return 0;
}

static void add_state(struct trace_cmp_state *to, const struct trace_cmp_state *s)
{
	to->records += s->records;
	to->compared += s->compared;
	to->equal += s->equal;
	to->close += s->close;
	to->unknown += s->unknown;
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
static int blocks(struct diff *d, const struct trace_map *m, struct trace_cmp *c, struct err *err)
{
	for (size_t i = 0; i < trace_map_blocks(m); i++) {
		struct trace_block *b = trace_map_block(m, i, err);

		if (!b || trace_cmp_block(c, b, err) || take_covers(d, c, err))
			return -1;
		d->done++;
		if (d->o->progress && d->o->progress(d->o->arg, d->done, d->total))
			return 1;
	}
	if (trace_cmp_end(c, trace_map_complete(m), err))
		return -1;
	return take_covers(d, c, err);
}

static int rank(struct diff *d, uint32_t file, struct err *err)
{
	const struct trace_map *m = trace_ref_map(d->now, file);
	const struct trace_meta *meta = trace_map_meta(m);
	struct trace_cmp_options o = { .rank = file,
				       .ranks = trace_ref_files(d->now),
				       .tolerance = d->o->tolerance,
				       .most = d->o->most,
				       .moved = d->o->moved,
				       .covers = trace_ref_whole(d->now),
				       .start = meta->start,
				       .finish = meta->finish };
	struct trace_cmp *c = trace_cmp_create(d->ref, &o, err);
	int rc;

	if (!c)
		return -1;
	rc = blocks(d, m, c, err);
	add_state(d->state, trace_cmp_state(c));
	if (trace_findings_merge(d->out, trace_cmp_findings(c)))
		rc = err_set(err, "out of memory");
	trace_cmp_destroy(c);
	return rc;
}

int trace_diff(struct trace_ref *now, struct trace_ref *ref, const struct trace_diff_options *o,
	       struct trace_findings *out, struct trace_cmp_state *state, struct err *err)
{
	struct diff d = { .o = o, .now = now, .ref = ref, .out = out, .state = state };
	int rc = 0;

	d.covers = trace_covers_create(ref, trace_ref_files(now));
	if (!d.covers)
		return err_set(err, "out of memory");
	for (uint32_t f = 0; f < trace_ref_files(now); f++)
		d.total += trace_map_blocks(trace_ref_map(now, f));
	for (uint32_t f = 0; f < trace_ref_files(now) && !rc; f++)
		rc = rank(&d, f, err);
	trace_covers_destroy(d.covers);
	return rc;
}
