/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Slices through short runs of two ranks, record by record, with a reference of one.
 */
#include "common/traceslice/traceslice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/array/value.h"
#include "common/checksum/checksum.h"
#include "common/core/err.h"
#include "common/logical/construct.h"
#include "common/protocol/trace_config.h"
#include "common/trace/encode.h"
#include "common/traceindex/traceindex.h"
#include "common/tracefile/tracefile.h"

/* u, v: 8 doubles, of which rank 0 owns 0 … 3, rank 1 the others; halo 1. w: a variable that nobody
 * registered. z: complex numbers; its steps have the index of a half. */
enum { U = 1, V, W, Z };
enum what { STOP, PL, END, ITER, READ, WRITE, MOVED };

struct step {
	enum what what;
	unsigned object, line; /* PL, END: the number of the loop */
	int64_t index;	       /* MOVED: the address */
	double value;
};

/* Which part of the arrays is described. */
struct part {
	int64_t lo, hi, below, above;
};

static int object_of(void *arg, uint32_t version, struct trace_object *out)
{
	static char names[][4] = { "", "u", "v", "w", "z" }, file[] = "slice.c";
	const struct part *p = arg;

	if (version != U && version != V && version != Z)
		return -1;
	out->kind = TRACE_ARRAY;
	out->desc = (struct array_desc){ .name = names[version],
					 .file = file,
					 .line = version,
					 .order = 'C',
					 .kind = ARRAY_DISTRIBUTED,
					 .type = version == Z ? VALUE_DCOMPLEX : VALUE_DOUBLE,
					 .elem_size = version == Z ? 16 : 8,
					 .ndim = 1,
					 .extent = { 8 },
					 .addr = 1000 * version,
					 .own_lo = { p->lo },
					 .own_hi = { p->hi },
					 .halo_lo = { p->below },
					 .halo_hi = { p->above },
					 .stride = { 1 } };
	return 0;
}

static int site_of(void *arg, uint64_t pc, struct trace_site *out)
{
	*out = (struct trace_site){ .place = { .file = "slice.c", .line = (uint32_t)pc } };
	return 0;
}

static int place_of(void *arg, uint32_t place, struct place *out)
{
	*out = (struct place){ .file = "slice.c", .func = "main", .line = place };
	return 0;
}

static void put(struct trace_enc *e, const struct part *p, const struct step *s)
{
	struct trace_opening o = { .kind = CONSTRUCT_PL,
				   .level = TRACE_CONFIG_FULL,
				   .place = s->line,
				   .point = { .main = s->line } };
	struct point end = { .main = s->line, .side = POINT_END };
	unsigned flags = 8 | (s->what == WRITE ? TRACE_WRITES : 0), halves = s->object == Z ? 2 : 1;
	char moved[40];

	if (s->what == PL)
		assert_true(trace_enc_begin(e, &o));
	else if (s->what == END)
		assert_true(trace_enc_end(e, CONSTRUCT_PL, &end, s->line, false, UINT64_MAX));
	else if (s->what == ITER)
		assert_true(trace_enc_iter(e, 1, &s->index));
	else if (s->what == MOVED) {
		snprintf(moved, sizeof(moved), "V %llx %u", (unsigned long long)s->index,
			 s->object);
		assert_true(trace_enc_note(e, TRACE_NOTE_CONTROL, moved));
	} else if (s->object == W)
		assert_true(trace_enc_access(e, s->line, flags, TRACE_NOWHERE, 9000, &s->value));
	else
		assert_true(trace_enc_access(e, s->line, flags, s->object,
					     (uint64_t)(s->index - halves * (p->lo - p->below)) * 8,
					     &s->value));
}

static char top[] = "/tmp/test-slice-XXXXXX";

static void record(const char *run, unsigned rank, unsigned ranks, const struct part *p,
		   const struct step *s)
{
	static uint64_t raw[1 << 12];
	const struct trace_resolver resolver = { (void *)p, site_of, object_of, place_of, NULL };
	const struct trace_start start = { .rank = rank };
	const struct trace_meta meta = {
		.rank = rank, .ranks = ranks, .level = TRACE_CONFIG_FULL, .program = "slice"
	};
	struct trace_block *b = calloc(1, sizeof(*b));
	struct trace_enc *e = calloc(1, sizeof(*e));
	struct trace_writer *f;
	struct err err;
	char path[300];

	assert_non_null(b);
	assert_non_null(e);
	trace_enc_open(e, raw, sizeof(raw), &start);
	for (; s->what != STOP; s++)
		put(e, p, s);
	if (trace_block_from_raw(b, raw, trace_enc_close(e), &resolver, &err))
		fail_msg("%s", err.text);
	snprintf(path, sizeof(path), "%s/%s/trace.%u.bin", top, run, rank);
	f = trace_writer_create(path, &meta, NULL);
	assert_non_null(f);
	assert_int_equal(trace_writer_put(f, b, NULL), 0);
	assert_int_equal(trace_writer_close(f, true, NULL), 0);
	trace_block_free(b);
	free(e);
}

static struct trace_index *now, *ref;

static struct trace_index *open_run(const char *run)
{
	struct err err = { "" };
	char path[300];
	struct trace_index *x;

	snprintf(path, sizeof(path), "%s/%s", top, run);
	x = trace_index_open(path, 0, &err);
	if (!x)
		fail_msg("%s", err.text);
	return x;
}

/* Of the write of v[index] to value, which is the reference's `should` in loop `loop`. */
static int slice(const struct step *right, const struct step *zero, const struct step *one,
		 struct trace_finding wrong, struct slice *out)
{
	static const struct part all = { 0, 7, 0, 1 }, low = { 0, 3, 0, 1 }, high = { 4, 7, 1, 1 };
	static const struct trace_tolerance tolerance = { SUM_RELATIVE, -9, 1 };
	struct slice_wanted w = { .tolerance = &tolerance, .wrong = &wrong, .others = true };

	record("ref", 0, 1, &all, right);
	record("now", 0, 2, &low, zero);
	record("now", 1, 2, &high, one);
	ref = open_run("ref");
	now = open_run("now");
	w.now = now;
	w.ref = ref;
	return slice_make(&w, out);
}

static void done(struct slice *c)
{
	slice_clear(c);
	trace_index_close(now);
	trace_index_close(ref);
	now = ref = NULL;
}

/* v[index] in its iteration. */
static struct trace_finding written(uint32_t loop, int64_t index)
{
	return (struct trace_finding){
		.kind = FINDING_VALUE,
		.write = true,
		.rank = 1,
		.ref_rank = 0,
		.point = { .main = loop, .side = POINT_BEGIN },
		.nidx = 1,
		.index = { index },
		.thing = { .what = TRACE_WHAT_ARRAY, .name = "v", .ndim = 1, .index = { index } },
	};
}

#define R(o, l, i, x)            \
	{                        \
		READ, o, l, i, x \
	}
#define S(o, l, i, x)             \
	{                         \
		WRITE, o, l, i, x \
	}
#define LOOP(no)                \
	{                       \
		PL, 0, no, 0, 0 \
	}
#define LOOP_END(no)             \
	{                        \
		END, 0, no, 0, 0 \
	}
#define I(i)                     \
	{                        \
		ITER, 0, 0, i, 0 \
	}
#define AT(o, addr)               \
	{                         \
		MOVED, o, 0, addr \
	}
#define OVER                     \
	{                        \
		STOP, 0, 0, 0, 0 \
	}

static const struct step reference[] = { LOOP(1),
					 I(3),
					 S(U, 10, 3, 1.5),
					 I(4),
					 S(U, 10, 4, 2.5),
					 LOOP_END(1),
					 LOOP(2),
					 I(4),
					 R(U, 20, 3, 1.5),
					 R(U, 21, 4, 2.5),
					 S(V, 22, 4, 4.0),
					 LOOP_END(2),
					 OVER };

/* A copy in the halo is old, and its owner's element is right: that is proved. */
static void test_stale(void **state)
{
	static const struct step zero[] = { LOOP(1), I(3), S(U, 10, 3, 1.5), LOOP_END(1), OVER };
	static const struct step one[] = { LOOP(1),
					   I(4),
					   S(U, 10, 4, 2.5),
					   LOOP_END(1),
					   LOOP(2),
					   I(4),
					   R(U, 20, 3, 0.5),
					   R(U, 21, 4, 2.5),
					   S(V, 22, 4, 3.0),
					   LOOP_END(2),
					   OVER };
	struct slice c;

	assert_int_equal(slice(reference, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_STALE);
	assert_int_equal(c.grade, SLICE_PROVED);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.owner, 0);
	assert_string_equal(c.read.thing.name, "u");
	assert_int_equal(c.read.thing.index[0], 3);
	assert_int_equal(c.read.spot.place.line, 20);
	assert_int_equal(c.read.ref_spot.place.line, 20);
	assert_true(c.unset);
	assert_int_equal(c.right.rank, 0);
	assert_int_equal(c.right.spot.place.line, 10);
	done(&c);
}

/* What was sent in its place is the owner's; that its halo has got the same number is chance. */
static void test_brought(void **state)
{
	static const struct step zero[] = { LOOP(1),	      I(2),
					    S(U, 9, 2, 0.7),  I(3),
					    S(U, 10, 3, 1.5), LOOP_END(1),
					    R(U, 30, 2, 0.7), S(W, 31, 0, 0.7),
					    S(U, 32, 4, 0.7), OVER };
	static const struct step one[] = { LOOP(1),
					   I(4),
					   S(U, 10, 4, 2.5),
					   LOOP_END(1),
					   R(W, 31, 0, 0.7),
					   S(U, 32, 3, 0.7),
					   LOOP(2),
					   I(4),
					   R(U, 20, 3, 0.7),
					   R(U, 21, 4, 2.5),
					   S(V, 22, 4, 3.2),
					   LOOP_END(2),
					   OVER };
	struct slice c;

	assert_int_equal(slice(reference, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_STALE);
	assert_int_equal(c.instead.thing.what, TRACE_WHAT_ARRAY);
	assert_int_equal(c.instead.thing.index[0], 2);
	assert_int_equal(c.instead.spot.place.line, 30);
	assert_int_equal(c.instead_rank, 0);
	done(&c);
}

/* The owner's element is wrong, too: its write is the root, on the other rank. */
static void test_owner(void **state)
{
	static const struct step zero[] = { LOOP(1), I(3), S(U, 10, 3, 0.5), LOOP_END(1), OVER };
	static const struct step one[] = { LOOP(1),
					   I(4),
					   S(U, 10, 4, 2.5),
					   LOOP_END(1),
					   LOOP(2),
					   I(4),
					   R(U, 20, 3, 0.5),
					   R(U, 21, 4, 2.5),
					   S(V, 22, 4, 3.0),
					   LOOP_END(2),
					   OVER };
	struct slice c;

	assert_int_equal(slice(reference, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_STATEMENT);
	assert_int_equal(c.grade, SLICE_PROVED);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.step[1].how, SLICE_OWNER);
	assert_int_equal(c.step[1].write.rank, 0);
	assert_int_equal(c.step[1].write.spot.place.line, 10);
	assert_int_equal(c.step[1].write.thing.index[0], 3);
	done(&c);
}

/* A complex number is copied: both halves are read, then both are written. */
static void test_halves(void **state)
{
	static const struct step right[] = { R(W, 20, 0, 1.5), R(W, 20, 0, 2.5),
					     S(Z, 21, 8, 1.5), S(Z, 21, 9, 2.5),
					     LOOP(2),	       I(4),
					     R(Z, 30, 9, 2.5), S(V, 31, 4, 3.0),
					     LOOP_END(2),      OVER };
	static const struct step zero[] = { LOOP(2), LOOP_END(2), OVER };
	static const struct step one[] = { R(W, 20, 0, 1.5), R(W, 20, 0, 3.5),
					   S(Z, 21, 8, 1.5), S(Z, 21, 9, 3.5),
					   LOOP(2),	     I(4),
					   R(Z, 30, 9, 3.5), S(V, 31, 4, 4.0),
					   LOOP_END(2),	     OVER };
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_UNSEEN);
	assert_int_equal(c.n, 2);
	assert_string_equal(c.step[1].write.thing.name, "z");
	assert_int_equal(c.step[1].write.thing.within, 8);
	done(&c);
}

/* Each half of a complex number has a last write of its own. */
static void test_half_write(void **state)
{
	static const struct step run[] = { S(Z, 21, 8, 1.5), S(Z, 21, 9, 2.5), OVER };
	static const struct part all = { 0, 7, 0, 0 };
	struct trace_last w = {
		.name = "z", .counter = UINT32_MAX, .ndim = 1, .index = { 4 }, .rank = TRACE_NO_RANK
	};
	const double value[] = { 1.5, 2.5 };

	record("now", 0, 1, &all, run);
	now = open_run("now");
	for (unsigned i = 0; i < 2; i++) {
		struct trace_findings list = { 0 };
		struct trace_finding f;
		struct err err;

		w.field = i ? "im" : "re";
		assert_int_equal(trace_last_write(now, &w, &list, NULL, &err), 1);
		assert_int_equal(trace_findings_get(&list, 0, &f), 0);
		assert_memory_equal(&f.value.now, &value[i], sizeof(value[i]));
		trace_findings_clear(&list);
	}
	trace_index_close(now);
	now = NULL;
}

/* memcpy reads all elements, then writes all: each is a copy of one. */
static void test_block(void **state)
{
	static const struct step right[] = { LOOP(1),
					     I(4),
					     S(U, 10, 4, 1.5),
					     S(U, 11, 5, 2.5),
					     LOOP_END(1),
					     R(U, 15, 4, 1.5),
					     R(U, 15, 5, 2.5),
					     S(Z, 15, 9, 1.5),
					     S(Z, 15, 10, 2.5),
					     LOOP(2),
					     I(4),
					     R(Z, 20, 10, 2.5),
					     S(V, 21, 4, 2.5),
					     LOOP_END(2),
					     OVER };
	static const struct step zero[] = { LOOP(1), LOOP_END(1), LOOP(2), LOOP_END(2), OVER };
	static const struct step one[] = { LOOP(1),
					   I(4),
					   S(U, 10, 4, 1.5),
					   S(U, 11, 5, 3.5),
					   LOOP_END(1),
					   R(U, 15, 4, 1.5),
					   R(U, 15, 5, 3.5),
					   S(Z, 15, 9, 1.5),
					   S(Z, 15, 10, 3.5),
					   LOOP(2),
					   I(4),
					   R(Z, 20, 10, 3.5),
					   S(V, 21, 4, 3.5),
					   LOOP_END(2),
					   OVER };
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_STATEMENT);
	assert_int_equal(c.n, 3);
	assert_int_equal(c.step[2].write.spot.place.line, 11);
	done(&c);
}

/* What a variable was before is no operand of what it is set to. */
static void test_replaced(void **state)
{
	static const struct step right[] = { LOOP(2),	       I(4),
					     S(W, 10, 0, 1.5), R(W, 20, 0, 1.5),
					     S(U, 21, 4, 1.5), S(W, 10, 0, 2.5),
					     R(W, 22, 0, 2.5), S(V, 23, 4, 2.5),
					     LOOP_END(2),      OVER };
	static const struct step zero[] = { LOOP(2), LOOP_END(2), OVER };
	static const struct step one[] = { LOOP(2),	      I(4),
					   S(W, 10, 0, 1.25), R(W, 20, 0, 1.25),
					   S(U, 21, 4, 1.25), S(W, 10, 0, 2.25),
					   R(W, 22, 0, 2.25), S(V, 23, 4, 2.25),
					   LOOP_END(2),	      OVER };
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_STATEMENT);
	assert_int_equal(c.grade, SLICE_LIKELY);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.step[1].write.spot.place.line, 10);
	done(&c);
}

/* Beyond the edge the reference has got something from MPI: who has set it before is no cause. */
static void test_beyond(void **state)
{
	static const struct step right[] = {
		R(W, 4, 0, 0.5),  S(U, 5, 8, 0.5),  LOOP(2),	 I(4),
		R(U, 20, 8, 1.5), S(V, 21, 4, 4.0), LOOP_END(2), OVER
	};
	static const struct step zero[] = { LOOP(2), LOOP_END(2), OVER };
	static const struct step one[] = { R(W, 4, 0, 0.5),  S(U, 5, 8, 0.5),  LOOP(2),	    I(4),
					   R(U, 20, 8, 0.5), S(V, 21, 4, 2.0), LOOP_END(2), OVER };
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_NOWHERE);
	done(&c);
}

/* What was sent has no name: the reference's write by the same statement is what is read there. */
static void test_twin(void **state)
{
	static const struct step right[] = { LOOP(1),	  I(3), S(W, 10, 0, 1.1), LOOP_END(1),
					     LOOP(2),	  I(4), R(W, 20, 0, 1.1), S(V, 22, 4, 4.0),
					     LOOP_END(2), OVER };
	static const struct step zero[] = { LOOP(1),	 I(3),	  S(W, 10, 0, 1.3),
					    LOOP_END(1), LOOP(2), LOOP_END(2),
					    OVER };
	static const struct step one[] = { LOOP(1),	     LOOP_END(1),      LOOP(2),	    I(4),
					   R(W, 20, 0, 1.3), S(V, 22, 4, 3.5), LOOP_END(2), OVER };
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_STATEMENT);
	assert_int_equal(c.grade, SLICE_LIKELY);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.step[1].write.rank, 0);
	assert_int_equal(c.step[1].write.spot.place.line, 10);
	done(&c);
}

/* A rank computes its copy of v[3] itself, from a stale one: it may be meant to be renewed. */
static void test_computed(void **state)
{
	static const struct step right[] = {
		S(U, 10, 3, 1.5), LOOP(1),	    I(3),	 R(U, 20, 3, 1.5),
		S(V, 21, 3, 3.0), LOOP_END(1),	    LOOP(2),	 I(4),
		R(V, 30, 3, 3.0), S(V, 31, 4, 4.0), LOOP_END(2), OVER
	};
	static const struct step zero[] = { S(U, 10, 3, 1.5), LOOP(1),		I(3),
					    R(U, 20, 3, 1.5), S(V, 21, 3, 3.0), LOOP_END(1),
					    LOOP(2),	      LOOP_END(2),	OVER };
	static const struct step one[] = {
		LOOP(1), I(3), R(U, 20, 3, 0.5), S(V, 21, 3, 1.0), LOOP_END(1),
		LOOP(2), I(4), R(V, 30, 3, 1.0), S(V, 31, 4, 2.0), LOOP_END(2),
		OVER
	};
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_STALE);
	assert_string_equal(c.read.thing.name, "u");
	assert_int_equal(c.n, 2);
	assert_true(c.in_halo);
	done(&c);
}

/* The reference reads what another rank owns here, and has set wrong: a message brings it. */
static void test_pipeline(void **state)
{
	static const struct step right[] = { LOOP(1),	  I(3), S(U, 10, 3, 1.5), LOOP_END(1),
					     LOOP(2),	  I(4), R(U, 20, 3, 1.5), S(V, 22, 4, 4.0),
					     LOOP_END(2), OVER };
	static const struct step zero[] = { LOOP(1),	 I(3),	  S(U, 10, 3, 1.25),
					    LOOP_END(1), LOOP(2), LOOP_END(2),
					    OVER };
	static const struct step one[] = { LOOP(1),	     LOOP_END(1),      LOOP(2),	    I(4),
					   R(U, 21, 4, 2.5), S(V, 22, 4, 3.5), LOOP_END(2), OVER };
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_STATEMENT);
	assert_int_equal(c.grade, SLICE_LIKELY);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.step[1].how, SLICE_MESSAGE);
	assert_int_equal(c.step[1].write.rank, 0);
	assert_int_equal(c.step[1].write.spot.place.line, 10);
	done(&c);
}

/* Through a variable that nobody registered, in an earlier loop. */
static void test_unregistered(void **state)
{
	static const struct step right[] = { LOOP(1),	  I(4), S(W, 10, 0, 1.5), LOOP_END(1),
					     LOOP(2),	  I(4), R(W, 20, 0, 1.5), S(V, 21, 4, 3.0),
					     LOOP_END(2), OVER };
	static const struct step zero[] = { LOOP(1), LOOP_END(1), LOOP(2), LOOP_END(2), OVER };
	static const struct step one[] = { LOOP(1),	I(4), S(W, 10, 0, 1.25), LOOP_END(1),
					   LOOP(2),	I(4), R(W, 20, 0, 1.25), S(V, 21, 4, 2.5),
					   LOOP_END(2), OVER };
	static const struct step plain[] = { LOOP(2), I(4), S(V, 21, 4, 3.0), LOOP_END(2), OVER };
	static const struct step other[] = { LOOP(2),	       I(4),	    R(W, 20, 0, 1.25),
					     S(V, 21, 4, 2.5), LOOP_END(2), OVER };
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_STATEMENT);
	assert_int_equal(c.grade, SLICE_PROVED);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.step[1].how, SLICE_LOCAL);
	assert_int_equal(c.step[1].write.spot.place.line, 10);
	assert_int_equal(c.step[1].write.point.main, 1);
	assert_true(c.step[1].write.value.has_ref);
	assert_false(c.unclear);
	done(&c);

	/* what the reference does not read */
	assert_int_equal(slice(plain, zero, other, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_STATEMENT);
	assert_int_equal(c.grade, SLICE_LIKELY);
	assert_true(c.unclear);
	done(&c);
}

/* The second write of u[4] is missing: what is read is of the first. */
static void test_missing(void **state)
{
	static const struct step right[] = { LOOP(1),	  I(4), S(U, 10, 4, 1.5), LOOP_END(1),
					     LOOP(2),	  I(4), S(U, 20, 4, 2.5), LOOP_END(2),
					     LOOP(3),	  I(4), R(U, 30, 4, 2.5), S(V, 31, 4, 5.0),
					     LOOP_END(3), OVER };
	static const struct step zero[] = { LOOP(1), LOOP_END(1), LOOP(2), LOOP_END(2), OVER };
	static const struct step one[] = { LOOP(1),	     I(4),	  S(U, 10, 4, 1.5),
					   LOOP_END(1),	     LOOP(2),	  LOOP_END(2),
					   LOOP(3),	     I(4),	  R(U, 30, 4, 1.5),
					   S(V, 31, 4, 3.0), LOOP_END(3), OVER };
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(3, 4), &c), 1);
	assert_int_equal(c.end, SLICE_MISSING);
	assert_int_equal(c.grade, SLICE_PROVED);
	assert_int_equal(c.read.spot.place.line, 30);
	assert_int_equal(c.right.spot.place.line, 20);
	assert_int_equal(c.right.point.main, 2);
	done(&c);
}

/* A loop sets u[4] to a variable, where the reference has what was set before the loop. */
static void test_one_too_many(void **state)
{
	static const struct step right[] = {
		S(U, 5, 4, 0.0),  LOOP(1),	    I(4),	 LOOP_END(1), LOOP(2), I(4),
		R(U, 20, 4, 0.0), S(V, 21, 4, 1.0), LOOP_END(2), OVER
	};
	static const struct step zero[] = { LOOP(1), LOOP_END(1), LOOP(2), LOOP_END(2), OVER };
	static const struct step one[] = {
		S(U, 5, 4, 0.0),  LOOP(1),	    I(4),	 R(W, 10, 0, 1.5),
		S(U, 10, 4, 1.5), LOOP_END(1),	    LOOP(2),	 I(4),
		R(U, 20, 4, 1.5), S(V, 21, 4, 2.5), LOOP_END(2), OVER
	};
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(2, 4), &c), 1);
	assert_int_equal(c.end, SLICE_EXTRA);
	assert_int_equal(c.grade, SLICE_PROVED);
	assert_int_equal(c.right.spot.place.line, 10);
	done(&c);
}

/* Another element is read in place of the right one. */
static void test_other_read(void **state)
{
	static const struct step right[] = { LOOP(1),	       I(5),	    R(U, 10, 5, 1.5),
					     S(V, 11, 5, 3.0), LOOP_END(1), OVER };
	static const struct step zero[] = { LOOP(1), LOOP_END(1), OVER };
	static const struct step one[] = { LOOP(1),	     I(5),	  R(U, 10, 6, 2.5),
					   S(V, 11, 5, 5.0), LOOP_END(1), OVER };
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(1, 5), &c), 1);
	assert_int_equal(c.end, SLICE_OTHER_READ);
	assert_int_equal(c.grade, SLICE_PROVED);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.read.thing.index[0], 6);
	assert_int_equal(c.read.spot.place.line, 10);
	done(&c);
}

/* A sum is read and written again and again: each write is looked at once. */
static void test_no_circle(void **state)
{
	static const struct step right[] = { LOOP(1),	       I(4),
					     R(V, 10, 4, 1.0), S(V, 10, 4, 2.0),
					     R(V, 10, 4, 2.0), S(V, 10, 4, 3.0),
					     LOOP_END(1),      OVER };
	static const struct step zero[] = { LOOP(1), LOOP_END(1), OVER };
	static const struct step one[] = { LOOP(1),	     I(4),
					   R(V, 10, 4, 1.0), S(V, 10, 4, 2.5),
					   R(V, 10, 4, 2.5), S(V, 10, 4, 3.5),
					   LOOP_END(1),	     OVER };
	struct slice c;

	assert_int_equal(slice(right, zero, one, written(1, 4), &c), 1);
	assert_int_equal(c.end, SLICE_STATEMENT);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.step[1].write.value.size, 8);
	done(&c);
}

static void test_nothing(void **state)
{
	static const struct step none[] = { LOOP(1), LOOP_END(1), OVER };
	struct slice c;

	assert_int_equal(slice(reference, none, none, written(2, 4), &c), 0);
	done(&c);
	assert_string_equal(slice_grade_word(SLICE_PROVED), "proved");
	assert_string_equal(slice_grade_word(SLICE_POSSIBLE), "possible");
}

static void check_step(const struct history_step *s, unsigned depth, enum history_how how,
		       unsigned rank, int64_t index, double value, unsigned line)
{
	double v;

	memcpy(&v, &s->access.value.now, sizeof(v));
	assert_int_equal(s->depth, depth);
	assert_int_equal(s->how, how);
	assert_int_equal(s->access.rank, rank);
	assert_int_equal(s->access.thing.index[0], index);
	assert_true(v == value);
	assert_int_equal(s->access.spot.place.line, line);
}

/* Through pointers that were swapped, a message, and what nobody has written. */
static void test_history(void **state)
{
	static const struct step zero[] = { LOOP(1), I(3), S(U, 10, 3, 1.1), LOOP_END(1), OVER };
	static const struct step one[] = { LOOP(1),
					   I(4),
					   R(V, 9, 4, 0.3),
					   S(U, 10, 4, 2.3),
					   LOOP_END(1),
					   AT(U, 1000 * V),
					   AT(V, 1000 * U),
					   LOOP(2),
					   I(4),
					   R(V, 20, 3, 1.1),
					   R(V, 21, 4, 2.3),
					   R(V, 21, 4, 2.3),
					   R(V, 21, 5, 7.7),
					   S(U, 22, 4, 4.1),
					   I(5),
					   R(V, 20, 4, 2.3),
					   R(U, 20, 4, 4.1),
					   S(U, 22, 5, 5.1),
					   LOOP_END(2),
					   OVER };
	struct trace_finding f = written(2, 5);
	struct history h;
	struct slice c;

	slice(reference, zero, one, written(2, 4), &c);
	f.thing.name = "u";
	assert_int_equal(history_make(now, &f, &h), 1);
	assert_int_equal(h.n, 7);
	check_step(&h.step[0], 0, HISTORY_LOCAL, 1, 5, 5.1, 22);
	check_step(&h.step[1], 1, HISTORY_LOCAL, 1, 4, 2.3, 10);
	assert_string_equal(h.step[1].access.thing.name, "u");
	check_step(&h.step[2], 2, HISTORY_UNSEEN, 1, 4, 0.3, 9);
	check_step(&h.step[3], 1, HISTORY_LOCAL, 1, 4, 4.1, 22);
	check_step(&h.step[4], 2, HISTORY_MESSAGE, 0, 3, 1.1, 10);
	check_step(&h.step[5], 2, HISTORY_LOCAL, 1, 4, 2.3, 10);
	assert_true(h.step[5].again && !h.step[1].again && !h.step[4].again);
	check_step(&h.step[6], 2, HISTORY_UNSEEN, 1, 5, 7.7, 21);
	assert_false(h.shortened);
	history_clear(&h);
	f.thing.index[0] = 7;
	assert_int_equal(history_make(now, &f, &h), 0);
	history_clear(&h);
	done(&c);
}

/* Equal values that two ranks write in one loop: each may be the other's. It comes to an end. */
static void test_history_circle(void **state)
{
	static const struct step zero[] = { LOOP(1),	      I(3),	   R(U, 9, 4, 1.3),
					    S(U, 10, 3, 1.3), LOOP_END(1), OVER };
	static const struct step one[] = { LOOP(1),	     I(4),	  R(U, 9, 3, 1.3),
					   S(U, 10, 4, 1.3), LOOP_END(1), OVER };
	struct trace_finding f = written(1, 4);
	struct history h;
	struct slice c;

	slice(reference, zero, one, written(2, 4), &c);
	f.thing.name = "u";
	assert_int_equal(history_make(now, &f, &h), 1);
	assert_int_equal(h.n, 3);
	check_step(&h.step[1], 1, HISTORY_OWNER, 0, 3, 1.3, 10);
	check_step(&h.step[2], 2, HISTORY_OWNER, 1, 4, 1.3, 10);
	assert_true(h.step[2].again);
	history_clear(&h);
	done(&c);
}

/* A halo's value, whose owner reads it in another loop before, and in the end writes another. */
static void test_history_owner(void **state)
{
	static const struct step zero[] = { LOOP(1),	 I(3), S(U, 10, 3, 5), LOOP_END(1),
					    LOOP(2),	 I(3), R(U, 20, 3, 5), S(V, 21, 3, 6),
					    LOOP_END(2), OVER };
	static const struct step late[] = { LOOP(1),	     I(3),	  S(U, 10, 3, 5),
					    LOOP_END(1),     LOOP(2),	  I(3),
					    S(U, 20, 3, 55), LOOP_END(2), OVER };
	static const struct step one[] = { LOOP(3),	   I(4),	R(U, 30, 3, 5),
					   S(V, 31, 4, 7), LOOP_END(3), OVER };
	struct trace_finding f = written(3, 4);
	struct history h;
	struct slice c;

	for (unsigned i = 0; i < 2; i++) {
		slice(reference, i ? late : zero, one, written(2, 4), &c);
		f.thing.name = "v";
		assert_int_equal(history_make(now, &f, &h), 1);
		assert_int_equal(h.n, 2);
		check_step(&h.step[1], 1, HISTORY_OWNER, 0, 3, 5, 10);
		history_clear(&h);
		done(&c);
	}
}

static int make_top(void **state)
{
	char path[300];

	if (!mkdtemp(top))
		return -1;
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, i ? "ref" : "now");
		if (mkdir(path, 0700))
			return -1;
	}
	return 0;
}

static int remove_top(void **state)
{
	static const char *const names[] = { "now/trace.0.bin", "now/trace.1.bin",
					     "ref/trace.0.bin" };
	char path[300];

	for (unsigned i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, names[i]);
		unlink(path);
	}
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, i ? "ref" : "now");
		rmdir(path);
	}
	return rmdir(top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stale),	       cmocka_unit_test(test_owner),
		cmocka_unit_test(test_brought),	       cmocka_unit_test(test_halves),
		cmocka_unit_test(test_unregistered),   cmocka_unit_test(test_missing),
		cmocka_unit_test(test_one_too_many),   cmocka_unit_test(test_other_read),
		cmocka_unit_test(test_block),	       cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_pipeline),       cmocka_unit_test(test_twin),
		cmocka_unit_test(test_beyond),	       cmocka_unit_test(test_half_write),
		cmocka_unit_test(test_computed),       cmocka_unit_test(test_no_circle),
		cmocka_unit_test(test_nothing),	       cmocka_unit_test(test_history),
		cmocka_unit_test(test_history_circle), cmocka_unit_test(test_history_owner),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
