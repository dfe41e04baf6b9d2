/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace_check.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/checksum/checksum.h"

static char dir[] = "/tmp/trace_check.XXXXXX";
static bool made;

static void empty(void)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	char path[512];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_name[0] != '.')
			unlink(path);
	}
	if (d)
		closedir(d);
}

const char *check_dir(void)
{
	if (!made)
		assert_non_null(mkdtemp(dir));
	made = true;
	empty();
	return dir;
}

void check_remove(void)
{
	if (!made)
		return;
	empty();
	rmdir(dir);
}

struct rank {
	struct trace_index *ref;
	struct tracediff *cmp;
};

struct run {
	struct rank rank[8];
	struct covers *covers;
	struct trace_findings *out;
	size_t held;
};

/* Over the wire, as they go. */
static void take_covers(struct run *run, struct tracediff *c)
{
	struct cover cover, copy;
	struct buf b = BUF_INIT;
	struct err err;

	while (tracediff_cover(c, &cover)) {
		buf_reset(&b);
		cover_put(&cover, &b);
		assert_false(b.bad);
		b.pos = 0;
		assert_int_equal(cover_get(&copy, &b), 0);
		assert_int_equal(buf_left(&b), 0);
		cover_clear(&cover);
		assert_int_equal(covers_add(run->covers, &copy, run->out, &err), 0);
	}
	buf_clear(&b);
}

static void sink(void *arg, unsigned rank, struct trace_block *b)
{
	struct run *run = arg;
	struct rank *r = &run->rank[rank];
	struct err err;
	size_t held;

	if (tracediff_block(r->cmp, b, &err))
		fail_msg("%s", err.text);
	held = tracediff_held(r->cmp) + trace_index_held(r->ref);
	run->held = held > run->held ? held : run->held;
	take_covers(run, r->cmp);
}

static void take_findings(struct trace_findings *out, struct tracediff *c)
{
	struct trace_findings part = { 0 }, copy = { 0 };
	struct buf b = BUF_INIT;

	assert_true(trace_findings_take(tracediff_findings(c), &part) >= 0);
	trace_findings_put(&part, &b);
	assert_int_equal(trace_findings_read(&copy, &b), 0);
	assert_int_equal(trace_findings_merge(out, &copy), 0);
	trace_findings_clear(&part);
	trace_findings_clear(&copy);
	buf_clear(&b);
}

struct check check_run(const struct synth_plan *p, synth_program *program, long n, long steps,
		       const struct synth_fault *fault, size_t memory)
{
	struct check c = { 0 };
	struct run run = { .out = &c.findings };
	struct trace_index *ref;
	struct err err;

	ref = trace_index_open(dir, memory, &err);
	if (!ref)
		fail_msg("%s", err.text);
	run.covers = covers_create(ref, p->ranks);
	for (unsigned r = 0; r < p->ranks; r++) {
		struct tracediff_options o = { .rank = r,
					       .ranks = p->ranks,
					       .tolerance = { SUM_RELATIVE, -1, 1 },
					       .covers = true,
					       .memory = memory,
					       .start = p->start,
					       .finish = p->finish };

		run.rank[r].ref = trace_index_open(dir, memory, &err);
		run.rank[r].cmp = tracediff_create(run.rank[r].ref, &o, &err);
		assert_non_null(run.rank[r].cmp);
	}
	synth_run(p, program, n, steps, fault, sink, &run);
	for (unsigned r = 0; r < p->ranks; r++) {
		const struct tracediff_state *s = tracediff_state(run.rank[r].cmp);

		assert_int_equal(tracediff_end(run.rank[r].cmp, true, &err), 0);
		take_covers(&run, run.rank[r].cmp);
		take_findings(&c.findings, run.rank[r].cmp);
		c.state.records += s->records;
		c.state.compared += s->compared;
		c.state.equal += s->equal;
		c.state.close += s->close;
		c.state.unknown += s->unknown;
		c.state.iterations += s->iterations;
		c.state.constructs += s->constructs;
		c.state.values += s->values;
		c.state.reductions += s->reductions;
		c.state.beyond = c.state.beyond || s->beyond;
		c.state.end = s->end;
		tracediff_destroy(run.rank[r].cmp);
		trace_index_close(run.rank[r].ref);
	}
	covers_destroy(run.covers);
	trace_index_close(ref);
	c.held = run.held;
	return c;
}

void check_none(struct check *c, const char *what)
{
	struct trace_finding f;
	char text[256], point[POINT_TEXT];

	for (size_t i = 0; i < c->findings.n; i++) {
		assert_int_equal(trace_findings_get(&c->findings, i, &f), 0);
		print_message("# %s: %s (%s at %s, rank %d, %llu times, line %u)\n", what,
			      trace_finding_text(&f, text, sizeof(text)), finding_kind_key(f.kind),
			      point_format(&f.point, point), (int)f.rank,
			      (unsigned long long)f.count, f.spot.place.line);
	}
	if (c->findings.n)
		fail_msg("%s: %zu findings", what, c->findings.n);
	assert_int_equal(c->findings.total, 0);
	trace_findings_clear(&c->findings);
}

void check_first(const struct check *c, struct trace_finding *f)
{
	assert_true(c->findings.n > 0);
	assert_int_equal(trace_findings_get(&c->findings, 0, f), 0);
}
