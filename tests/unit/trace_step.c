/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace_step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/protocol/trace_config.h"
#include "common/checksum/checksum.h"
#include "common/tracefile/tracefile.h"
#include "common/array/value.h"
#include "tests/unit/trace_check.h"

static int object_of(void *arg, uint32_t version, struct trace_object *out)
{
	static char names[][8] = { "", "u", "x", "s", "m", "f" }, file[] = "step.c";
	struct array_desc *a = &out->desc;
	bool scalar = version == S || version == M;

	if (version < U || version > F)
		return -1;
	out->kind = TRACE_ARRAY;
	*a = (struct array_desc){ .name = names[version],
				  .file = file,
				  .line = version,
				  .order = 'C',
				  .kind = scalar ? ARRAY_REPLICATED : ARRAY_DISTRIBUTED,
				  .type = version == F ? VALUE_FLOAT : VALUE_DOUBLE,
				  .elem_size = version == F ? 4 : 8,
				  .ndim = !scalar,
				  .extent = { 100 },
				  .own_hi = { 99 },
				  .stride = { 1 } };
	return 0;
}

static int site_of(void *arg, uint64_t pc, struct trace_site *out)
{
	*out = (struct trace_site){ .place = { .file = "step.c", .line = (uint32_t)pc } };
	return 0;
}

static int place_of(void *arg, uint32_t place, struct place *out)
{
	*out = (struct place){ .file = "step.c", .func = "main", .line = place };
	return 0;
}

/* ---- writing ---- */

struct state {
	unsigned level;
	uint64_t iterations;
	uint32_t region, task, sub;
};

static struct point point_of(struct state *st, const struct step *s)
{
	if (!s->main)
		return (struct point){ 0 };
	if (st->task)
		return (struct point){ st->region, st->task, s->main, POINT_BEGIN };
	return (struct point){ .main = s->main };
}

static void put_begin(struct trace_enc *e, struct state *st, const struct step *s)
{
	struct trace_opening o = { .kind = (uint8_t)s->n,
				   .level = (uint8_t)(s->level ? s->level - 1 : st->level),
				   .place = s->line,
				   .point = point_of(st, s) };

	if (s->n == CONSTRUCT_TASK) {
		o.ndim = 1;
		o.first[0] = o.last[0] = s->index;
		st->task = (uint32_t)s->index;
	}
	if (s->n == CONSTRUCT_TR)
		st->region = s->main;
	st->iterations = 0;
	assert_true(trace_enc_begin(e, &o));
}

static void put_end(struct trace_enc *e, struct state *st, const struct step *s)
{
	struct point p;

	if (s->n == CONSTRUCT_TASK)
		st->task = 0;
	p = point_of(st, s);
	p.side = POINT_END;
	assert_true(trace_enc_end(e, s->n, &p, s->line, s->flags,
				  st->iterations ? st->iterations : UINT64_MAX));
	st->iterations = 0;
}

static void put_access(struct trace_enc *e, const struct step *s)
{
	float f = (float)s->value;

	if (s->n == F)
		assert_true(
			trace_enc_access(e, s->line, 4 | s->flags, F, (uint64_t)s->index * 4, &f));
	else
		assert_true(trace_enc_access(e, s->line, 8 | s->flags, s->n, (uint64_t)s->index * 8,
					     &s->value));
}

static void put(struct trace_enc *e, struct state *st, const struct step *s)
{
	uint32_t object = s->n == NOBODY ? TRACE_NOWHERE : s->n;

	switch (s->what) {
	case BEGIN:
		put_begin(e, st, s);
		break;
	case END:
		put_end(e, st, s);
		break;
	case ITER:
		st->iterations++;
		assert_true(trace_enc_iter(e, 1, &s->index));
		break;
	case ACCESS:
		put_access(e, s);
		break;
	case LONG:
		assert_true(trace_enc_reduction(e, s->line, TRACE_NOWHERE, 1, &s->index, 8));
		break;
	case RESULT: /* kind 1, a sum: it has nothing to do with kinds of constructs */
		assert_true(trace_enc_reduction(e, s->line, object, 1, &s->value, 8));
		break;
	case SKIP:
		assert_true(trace_enc_skip(e, s->line ? s->line : 400));
		break;
	case VALUE:
		assert_true(trace_enc_value(e, s->n, s->line, &s->value, 8, false));
		break;
	case LOST:
		assert_true(trace_enc_lost(e, 1, 3));
		break;
	case STOP:
		break;
	}
}

/* All of a run in one block. */
static struct trace_block *block_of(unsigned rank, unsigned level, const struct step *s)
{
	static uint64_t raw[1 << 13];
	const struct trace_resolver resolver = { NULL, site_of, object_of, place_of, NULL };
	const struct trace_start start = { .rank = rank };
	struct trace_block *b = calloc(1, sizeof(*b));
	struct trace_enc *e = calloc(1, sizeof(*e));
	struct state st = { .level = level };
	struct err err;

	assert_non_null(b);
	assert_non_null(e);
	trace_enc_open(e, raw, sizeof(raw), &start);
	for (; s->what != STOP; s++)
		put(e, &st, s);
	if (trace_block_from_raw(b, raw, trace_enc_close(e), &resolver, &err))
		fail_msg("%s", err.text);
	free(e);
	return b;
}

static const char *dir;

void record(unsigned rank, unsigned ranks, bool complete, unsigned level, const struct step *s)
{
	const struct trace_meta meta = {
		.rank = rank, .ranks = ranks, .level = (uint8_t)level, .program = "step"
	};
	struct trace_block *b = block_of(rank, level, s);
	struct trace_writer *f;
	char path[256];

	if (!rank)
		dir = check_dir();
	snprintf(path, sizeof(path), "%s/trace.%u.bin", dir, rank);
	f = trace_writer_create(path, &meta, NULL);
	assert_non_null(f);
	assert_int_equal(trace_writer_put(f, b, NULL), 0);
	assert_int_equal(trace_writer_close(f, complete, NULL), 0);
	trace_block_free(b);
}

/* ---- comparing ---- */

const struct tracediff_options usual = { .ranks = 1,
					 .tolerance = { SUM_RELATIVE, -1, 1 },
					 .covers = true };

struct result compare(const struct tracediff_options *o, unsigned level, const struct step *s)
{
	struct result r = { { 0 }, { 0 } };
	struct covers *covers;
	struct cover cover;
	struct trace_index *ref;
	struct tracediff *c;
	struct err err;

	ref = trace_index_open(dir, 0, &err);
	if (!ref)
		fail_msg("%s", err.text);
	c = tracediff_create(ref, o, &err);
	covers = covers_create(ref, 1);
	assert_non_null(c);
	assert_non_null(covers);
	if (tracediff_block(c, block_of(o->rank, level, s), &err))
		fail_msg("%s", err.text);
	assert_int_equal(tracediff_end(c, true, &err), 0);
	while (tracediff_cover(c, &cover))
		assert_int_equal(covers_add(covers, &cover, tracediff_findings(c), &err), 0);
	assert_int_equal(trace_findings_merge(&r.found, tracediff_findings(c)), 0);
	r.state = *tracediff_state(c);
	covers_destroy(covers);
	tracediff_destroy(c);
	trace_index_close(ref);
	return r;
}

void expect(struct result r, size_t n, unsigned kind, unsigned line)
{
	struct trace_finding f = { 0 };
	char text[256];

	for (size_t i = 0; i < r.found.n; i++) {
		assert_int_equal(trace_findings_get(&r.found, i, &f), 0);
		print_message("# %s: %s, line %u\n", finding_kind_key(f.kind),
			      trace_finding_text(&f, text, sizeof(text)), f.spot.place.line);
	}
	assert_int_equal(r.found.n, n);
	if (n) {
		assert_int_equal(trace_findings_get(&r.found, 0, &f), 0);
		assert_int_equal(f.kind, kind);
		assert_int_equal(f.spot.place.line, line);
	}
	trace_findings_clear(&r.found);
}

void same(const struct step *ref, const struct step *now)
{
	record(0, 1, true, TRACE_CONFIG_FULL, ref);
	expect(compare(&usual, TRACE_CONFIG_FULL, now), 0, 0, 0);
}

void other(const struct step *ref, const struct step *now, unsigned kind, unsigned line)
{
	record(0, 1, true, TRACE_CONFIG_FULL, ref);
	expect(compare(&usual, TRACE_CONFIG_FULL, now), 1, kind, line);
}
