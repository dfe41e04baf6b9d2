/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces: from the page to a file, from a file to a comparison, and as text. The traces are those
 * of a small program on two ranks with a fault, and of a reference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/core/buf.h"
#include "common/coverage/coverage.h"
#include "common/dvmtext/dvmtext.h"
#include "common/trace/decode.h"
#include "common/tracediff/tracediff.h"
#include "common/tracefile/tracefile.h"
#include "common/tracereport/tracereport.h"
#include "tests/oom/cases.h"
#include "tests/oom/fail.h"
#include "tests/unit/trace_synth.h"

#define RANKS 2

static char ref_dir[32], now_dir[32];

static void prepare(void)
{
	static const struct synth_fault fault = {
		.wrong = SYNTH_VALUE, .construct = 3, .index = { 4, 4 }, .by = 0.5, .rank = -1
	};
	struct synth_plan p = { .ranks = RANKS, .marks = true, .level = 3, .order = 'C' };

	strcpy(ref_dir, "/tmp/oom-ref.XXXXXX");
	strcpy(now_dir, "/tmp/oom-now.XXXXXX");
	if (!mkdtemp(ref_dir) || !mkdtemp(now_dir))
		exit(99);
	synth_record(ref_dir, &p, synth_jacobi, 9, 2, NULL, 0);
	p.dist = SYNTH_BLOCKS;
	synth_record(now_dir, &p, synth_jacobi, 9, 2, &fault, 0);
}

static void remove_dir(const char *dir)
{
	static const char *const names[] = { "trace.0.bin", "trace.1.bin", "copy.bin", "text" };
	char path[128];

	for (unsigned i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

static void clean(void)
{
	remove_dir(ref_dir);
	remove_dir(now_dir);
}

static struct trace_reader *open_now(uint32_t rank, struct err *err)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/trace.%u.bin", now_dir, rank);
	return trace_reader_open(path, err);
}

static int add_records(struct result *r, const struct trace_block *b)
{
	struct trace_cursor *c = trace_cursor_open(b);
	struct trace_rec rec;
	int got;

	if (!c)
		return -1;
	while ((got = trace_block_next(c, &rec)) > 0) {
		case_add(r, &rec.op, sizeof(rec.op));
		case_add(r, &rec.point, sizeof(rec.point));
	}
	trace_cursor_free(c);
	return got;
}

/* Reads a file, and writes it again. */
static int run_files(struct result *r)
{
	struct trace_reader *m = open_now(0, &r->err);
	struct trace_writer *f = NULL;
	char path[128];
	int rc = -1;

	snprintf(path, sizeof(path), "%s/copy.bin", now_dir);
	f = m ? trace_writer_create(path, trace_reader_meta(m), &r->err) : NULL;
	if (!f)
		goto out;
	rc = 0;
	for (size_t i = 0; !rc && i < trace_reader_blocks(m); i++) {
		struct trace_block *b = trace_reader_block(m, i, &r->err);

		rc = b ? add_records(r, b) || trace_writer_put(f, b, &r->err) : -1;
		trace_block_free(b);
	}
	if (trace_writer_close(f, !rc, &r->err))
		rc = -1;
out:
	trace_reader_close(m);
	return rc ? -1 : 0;
}

static int take_covers(struct tracediff *c, struct covers *covers, struct trace_findings *out,
		       struct err *err)
{
	struct cover cover, copy;
	int rc = 0;

	while (!rc && tracediff_cover(c, &cover)) {
		struct buf b = BUF_INIT;

		cover_put(&cover, &b);
		cover_clear(&cover);
		rc = b.bad || cover_get(&copy, &b) || covers_add(covers, &copy, out, err);
		buf_clear(&b);
	}
	return rc ? -1 : 0;
}

static int take_findings(struct tracediff *c, struct trace_findings *out)
{
	struct trace_findings part = { 0 }, copy = { 0 };
	struct buf b = BUF_INIT;
	int rc = trace_findings_take(tracediff_findings(c), &part) < 0;

	if (!rc) {
		trace_findings_put(&part, &b);
		rc = b.bad || trace_findings_read(&copy, &b) || trace_findings_merge(out, &copy);
	}
	trace_findings_clear(&part);
	trace_findings_clear(&copy);
	buf_clear(&b);
	return rc ? -1 : 0;
}

/* What the supervisor of a rank does. */
static int compare_rank(uint32_t rank, struct covers *covers, struct trace_findings *out,
			struct err *err)
{
	struct tracediff_options o = {
		.rank = rank, .ranks = RANKS, .tolerance = { SUM_RELATIVE, -1, 1 }, .covers = true
	};
	struct trace_reader *m = open_now(rank, err);
	struct trace_index *ref = m ? trace_index_open(ref_dir, 0, err) : NULL;
	struct tracediff *c = ref ? tracediff_create(ref, &o, err) : NULL;
	int rc = c ? 0 : -1;

	for (size_t i = 0; !rc && i < trace_reader_blocks(m); i++) {
		struct trace_block *b = trace_reader_block(m, i, err);

		rc = b ? tracediff_block(c, b, err) : -1;
		if (!rc)
			rc = take_covers(c, covers, out, err);
	}
	if (!rc)
		rc = tracediff_end(c, true, err) || take_covers(c, covers, out, err) ||
		     take_findings(c, out);
	tracediff_destroy(c);
	trace_index_close(ref);
	trace_reader_close(m);
	return rc ? -1 : 0;
}

static int run_compare(struct result *r)
{
	struct trace_index *ref = trace_index_open(ref_dir, 0, &r->err);
	struct covers *covers = ref ? covers_create(ref, RANKS) : NULL;
	struct trace_findings out = { 0 };
	struct buf b = BUF_INIT;
	int rc = covers ? 0 : -1;

	for (uint32_t rank = 0; !rc && rank < RANKS; rank++)
		rc = compare_rank(rank, covers, &out, &r->err);
	if (!rc && out.n == 0) {
		err_set(&r->err, "nothing is found");
		case_text(r, "nothing is found");
	}
	trace_findings_put(&out, &b);
	if (!rc)
		rc = case_buf(r, &b);
	buf_clear(&b);
	trace_findings_clear(&out);
	covers_destroy(covers);
	trace_index_close(ref);
	return rc;
}

const struct oom_case cases_trace[] = {
	{ "trace files", prepare, run_files, clean },
	{ "trace comparison", prepare, run_compare, clean },
	{ 0 },
};
