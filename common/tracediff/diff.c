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

struct rank {
	struct diff *diff;
	struct tracediff *cmp;
	uint64_t before; /* blocks of the ranks before */
};

static int after_block(void *arg, uint64_t done, struct err *err)
{
	struct rank *r = arg;
	struct diff *d = r->diff;

	if (take_covers(d, r->cmp, err))
		return -1;
	d->done = r->before + done;
	return d->o->progress && d->o->progress(d->o->arg, d->done, d->total) ? 1 : 0;
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
	struct rank r = { .diff = d, .before = d->done };
	struct stream *s = stream_create();
	int rc;

	r.cmp = s ? tracediff_create(d->ref, &o, err) : NULL;
	if (!s)
		err_set(err, "out of memory");
	if (!r.cmp || stream_add(s, &tracediff_reader, r.cmp, err)) {
		stream_destroy(s);
		return -1;
	}
	rc = stream_file(s, m, after_block, &r, err);
	add_state(d->state, tracediff_state(r.cmp));
	if (trace_findings_merge(d->out, tracediff_findings(r.cmp)))
		rc = err_set(err, "out of memory");
	stream_destroy(s);
	return rc;
}

int tracediff_files(struct trace_index *now, struct trace_index *ref,
		    const struct tracediff_files_options *o, struct trace_findings *out,
		    struct tracediff_state *state, struct err *err)
{
	struct diff d = { .o = o, .now = now, .ref = ref, .out = out, .state = state };
	int rc = 0;

	d.covers = covers_create(ref, trace_index_files(now));
	if (!d.covers || trace_index_fold(ref, now)) {
		covers_destroy(d.covers);
		return err_set(err, "out of memory");
	}
	for (uint32_t f = 0; f < trace_index_files(now); f++)
		d.total += trace_reader_blocks(trace_index_map(now, f));
	for (uint32_t f = 0; f < trace_index_files(now) && !rc; f++)
		rc = rank(&d, f, err);
	covers_destroy(d.covers);
	return rc;
}
