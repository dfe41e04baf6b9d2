/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results of reductions, calculated from short runs that are made record by record.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/logical/construct.h"
#include "common/reductions/reductions.h"

#define LOCAL 0x1000u
#define RESULT 0x2000u

enum { NUMBER, WHOLE, PAIR, OBJECTS };

/* A rank that executes a program. */
struct rank {
	struct reductions *e;
	struct trace_block block;
	struct trace_object object[OBJECTS];
	struct trace_frame frame[2];
	struct trace_cursor at;
	struct point point;
};

static struct array_desc described(const char *name, unsigned type, unsigned bytes, unsigned n)
{
	struct array_desc a = { .name = (char *)name,
				.file = (char *)"",
				.kind = ARRAY_REPLICATED,
				.type = (uint8_t)type,
				.order = 'C',
				.elem_size = bytes,
				.addr = RESULT,
				.ndim = n > 1 };

	a.extent[0] = n;
	return a;
}

static void begin(struct rank *r, uint32_t rank, uint32_t ranks)
{
	struct err err = { "" };

	*r = (struct rank){ .e = reductions_create(rank, ranks) };
	assert_non_null(r->e);
	r->object[NUMBER].desc = described("total", VALUE_DOUBLE, 8, 1);
	r->object[WHOLE].desc = described("count", VALUE_LONG, 8, 1);
	r->object[PAIR].desc = described("peak", VALUE_DOUBLE, 8, 2);
	r->block = (struct trace_block){ .object = r->object, .nobject = OBJECTS };
	r->at = (struct trace_cursor){ .block = &r->block, .frame = r->frame };
	assert_int_equal(reductions_reader.block(r->e, &r->block, &err), 0);
}

static void put(struct rank *r, struct trace_rec rec)
{
	struct err err = { "" };

	if (rec.op != TRACE_BEGIN && rec.op != TRACE_END)
		rec.point = r->point;
	rec.site = rec.place = TRACE_NONE;
	assert_int_equal(reductions_reader.record(r->e, &rec, &r->at, &err), 0);
}

static void loop(struct rank *r, uint32_t no)
{
	r->point = (struct point){ .main = no };
	r->frame[0] = (struct trace_frame){ .kind = CONSTRUCT_PL, .point = r->point };
	r->at.depth = 1;
	put(r, (struct trace_rec){ .op = TRACE_BEGIN, .kind = CONSTRUCT_PL, .point = r->point });
}

static void iteration(struct rank *r, int64_t i)
{
	r->frame[0].nidx = 1;
	r->frame[0].index[0] = i;
	put(r, (struct trace_rec){ .op = TRACE_ITER, .nidx = 1, .index = { i } });
}

static void loop_end(struct rank *r)
{
	r->at.depth = 0;
	r->point.side = POINT_END;
	put(r, (struct trace_rec){ .op = TRACE_END, .kind = CONSTRUCT_PL, .point = r->point });
}

static uint64_t bits(double v)
{
	uint64_t b;

	memcpy(&b, &v, sizeof(b));
	return b;
}

static void access_bits(struct rank *r, unsigned op, uint64_t at, uint64_t v)
{
	put(r, (struct trace_rec){ .op = (uint8_t)op,
				   .size = 8,
				   .object = TRACE_NOWHERE,
				   .at = at,
				   .value = { v } });
}

static void set(struct rank *r, double v)
{
	access_bits(r, TRACE_WRITE, LOCAL, bits(v));
}

/* local: from → to */
static void change(struct rank *r, double from, double to)
{
	access_bits(r, TRACE_READ, LOCAL, bits(from));
	access_bits(r, TRACE_WRITE, LOCAL, bits(to));
}

static void combine(struct rank *r, uint32_t rank, uint32_t ranks, const char *op, const char *data)
{
	char text[200];

	snprintf(text, sizeof(text), "%x %x 1 8 %s MPI_DOUBLE 77 %u %u -1 %s", LOCAL, RESULT, op,
		 ranks, rank, data);
	put(r, (struct trace_rec){ .op = TRACE_NOTE,
				   .kind = TRACE_NOTE_REDUCES,
				   .bytes = (const unsigned char *)text,
				   .nbytes = (uint32_t)strlen(text) });
}

static void result(struct rank *r, unsigned object, unsigned op, const void *bytes, uint32_t n)
{
	put(r, (struct trace_rec){ .op = TRACE_REDUCTION,
				   .kind = (uint8_t)op,
				   .object = object,
				   .bytes = bytes,
				   .nbytes = n });
}

/* What the rank reports, and it ends. */
static struct reduction part_of(struct rank *r)
{
	struct reduction out = { 0 };
	struct buf b = BUF_INIT;
	unsigned kind;

	assert_true(reductions_reader.part(r->e, &kind, &b));
	assert_int_equal(reduction_get(&out, &b), 0);
	buf_clear(&b);
	assert_false(reductions_reader.part(r->e, &kind, &b));
	reductions_reader.destroy(r->e);
	return out;
}

/* A loop over n elements a rank of x, which starts with init. */
struct run {
	unsigned declared, performed;
	uint32_t ranks;
	double init;
	const char *mpi;
	double result;
	bool used; /* the variable has been that of another reduction */
};

static double combined(unsigned op, double a, double b)
{
	return op == REDUCTION_SUM    ? a + b
	       : op == REDUCTION_PROD ? a * b
	       : op == REDUCTION_MAX  ? (a > b ? a : b)
				      : (a < b ? a : b);
}

static double x_of(uint32_t i)
{
	return 1 + (double)((i * 7 + 3) % 11) / 8;
}

#define EACH 5u

/* What rank k has in the end. */
static double local_of(const struct run *p, uint32_t k)
{
	double v = p->init;

	for (uint32_t i = 0; i < EACH; i++)
		v = combined(p->performed, v, x_of(k * EACH + i));
	return v;
}

/* The last iteration of a minimum only reads it. */
static void use(struct rank *r)
{
	set(r, 1e300);
	loop(r, 1);
	iteration(r, 0);
	change(r, 1e300, 2.5);
	iteration(r, 1);
	access_bits(r, TRACE_READ, LOCAL, bits(2.5));
	loop_end(r);
}

static struct reduction run_rank(const struct run *p, uint32_t k)
{
	double v = p->init;
	struct rank r;

	begin(&r, k, p->ranks);
	if (p->used)
		use(&r);
	set(&r, v);
	loop(&r, 1 + p->used);
	for (uint32_t i = 0; i < EACH; i++) {
		double to = combined(p->performed, v, x_of(k * EACH + i));

		iteration(&r, k * EACH + i);
		access_bits(&r, TRACE_READ, LOCAL, bits(v));
		if (to != v)
			access_bits(&r, TRACE_WRITE, LOCAL, bits(to));
		v = to;
	}
	loop_end(&r);
	if (p->mpi)
		combine(&r, k, p->ranks, p->mpi, "-");
	else
		r.object[NUMBER].desc.addr = LOCAL;
	result(&r, NUMBER, p->declared, &p->result, sizeof(p->result));
	return part_of(&r);
}

/* All ranks, from the last one on; the text of the finding, "" none. */
static const char *outcome(const struct run *p, struct reductions_counts *counts)
{
	struct reductions_set *s = reductions_set_create();
	struct trace_findings found = { 0 };
	struct trace_finding f;
	struct err err = { "" };
	static char text[400];

	*text = '\0';
	for (uint32_t k = p->ranks; k--;) {
		struct reduction r = run_rank(p, k);

		assert_int_equal(reductions_add(s, &r, &found, &err), 0);
	}
	reductions_end(s);
	*counts = *reductions_counts(s);
	assert_true(found.n <= 1);
	if (found.n) {
		assert_int_equal(trace_findings_get(&found, 0, &f), 0);
		assert_int_equal(f.kind, FINDING_CALCULATED);
		trace_finding_text(&f, text, sizeof(text));
	}
	trace_findings_clear(&found);
	reductions_set_destroy(s);
	return text;
}

static double all_of(const struct run *p, unsigned op)
{
	double v = local_of(p, 0);

	for (uint32_t k = 1; k < p->ranks; k++)
		v = combined(op, v, local_of(p, k));
	return v;
}

static const double neutral[] = { 0, 0, 1, -1e300, 1e300 };
static const char *const mpi[] = { "", "MPI_SUM", "MPI_PROD", "MPI_MAX", "MPI_MIN" };

static void right_results(void **state)
{
	struct reductions_counts n;

	for (unsigned op = REDUCTION_SUM; op <= REDUCTION_MIN; op++)
		for (uint32_t ranks = 1; ranks <= 5; ranks++) {
			struct run p = { op, op, ranks, neutral[op], mpi[op], 0, false };

			p.result = all_of(&p, op);
			assert_string_equal(outcome(&p, &n), "");
			assert_int_equal(n.calculated, 1);
			assert_int_equal(n.wrong + n.not +n.parts, 0);
		}
}

static void a_variable_of_several_reductions(void **state)
{
	struct reductions_counts n;

	for (unsigned op = REDUCTION_SUM; op <= REDUCTION_MIN; op++)
		for (uint32_t ranks = 1; ranks <= 3; ranks++) {
			struct run p = { op, op, ranks, neutral[op], mpi[op], 0, true };

			p.result = all_of(&p, op);
			assert_string_equal(outcome(&p, &n), "");
			assert_int_equal(n.calculated, 1);
		}
}

/* Without a call of MPI: one rank, and the result is the variable itself. */
static void results_in_place(void **state)
{
	struct run p = { REDUCTION_SUM, REDUCTION_SUM, 1, 0, NULL, 0 };
	struct reductions_counts n;

	p.result = all_of(&p, REDUCTION_SUM);
	assert_string_equal(outcome(&p, &n), "");
	assert_int_equal(n.calculated, 1);
	/* which variables of several are combined is not known */
	p.ranks = 2;
	assert_string_equal(outcome(&p, &n), "");
	assert_int_equal(n.calculated, 0);
	assert_int_equal(n.not, 1);
	assert_int_equal(n.why, REDUCTION_WHY_LINK);
}

static void like(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_message("\"%s\" has no \"%s\"\n", text, part);
	assert_non_null(strstr(text, part));
}

static void an_iteration_contradicts(void **state)
{
	struct run p = { REDUCTION_MAX, REDUCTION_MIN, 1, 1e300, "MPI_MIN", 0 };
	struct reductions_counts n;

	for (p.ranks = 1; p.ranks <= 4; p.ranks++) {
		p.result = all_of(&p, REDUCTION_MIN);
		like(outcome(&p, &n), "1e+300 calculated by MAX; iteration (0) makes");
		assert_int_equal(n.wrong, 1);
	}
}

static void another_operation_of_mpi(void **state)
{
	struct run p = { REDUCTION_MAX, REDUCTION_MAX, 3, 0, "MPI_SUM", 0 };
	struct reductions_counts n;

	p.result = all_of(&p, REDUCTION_SUM);
	like(outcome(&p, &n), "the result is that of SUM, the call has MPI_SUM");
	/* of one rank they are the same */
	p.ranks = 1;
	p.result = all_of(&p, REDUCTION_SUM);
	assert_string_equal(outcome(&p, &n), "");
}

static void a_part_is_missing(void **state)
{
	struct run p = { REDUCTION_SUM, REDUCTION_SUM, 4, 0, "MPI_SUM", 0 };
	struct reductions_counts n;

	p.result = all_of(&p, REDUCTION_SUM) - local_of(&p, 2);
	like(outcome(&p, &n), "the part of rank 2 is missing");
}

static void the_initial_value_counts_once(void **state)
{
	struct run p = { REDUCTION_SUM, REDUCTION_SUM, 3, 10, "MPI_SUM", 0 };
	struct reductions_counts n;

	p.result = all_of(&p, REDUCTION_SUM);
	like(outcome(&p, &n), "its initial value is counted on each rank");
	p.result -= 20;
	assert_string_equal(outcome(&p, &n), "");
	/* of MAX it may be there as often as it likes */
	p = (struct run){ REDUCTION_MAX, REDUCTION_MAX, 3, 1.5, "MPI_MAX", 0 };
	p.result = all_of(&p, REDUCTION_MAX);
	assert_string_equal(outcome(&p, &n), "");
}

static void the_order_of_a_sum_is_free(void **state)
{
	struct run p = { REDUCTION_SUM, REDUCTION_SUM, 4, 0, "MPI_SUM", 0 };
	struct reductions_counts n;
	double all = all_of(&p, REDUCTION_SUM);

	p.result = all * (1 + 4e-16);
	assert_string_equal(outcome(&p, &n), "");
	p.result = all * (1 + 1e-12);
	like(outcome(&p, &n), "calculated by SUM");
	p = (struct run){ REDUCTION_MAX, REDUCTION_MAX, 4, 0, "MPI_MAX", 0 };
	p.result = all_of(&p, REDUCTION_MAX) * (1 + 4e-16);
	like(outcome(&p, &n), "calculated by MAX");
}

/* One rank's iterations do something else than declared, with values that they read. */
static void iterations_that_copy(void **state)
{
	struct reductions_counts n;
	struct reductions_set *s = reductions_set_create();
	struct trace_findings found = { 0 };
	struct trace_finding f;
	struct reduction part;
	struct err err = { "" };
	char text[400];
	double v = 0.1, out;
	struct rank r;

	begin(&r, 0, 1);
	set(&r, v);
	loop(&r, 1);
	for (int i = 1; i < 8; i++) {
		double x = 0.1 + 0.7 * i / 3;

		iteration(&r, i);
		access_bits(&r, TRACE_READ, 0x9000u + 8u * (unsigned)i, bits(x));
		change(&r, v, x);
		v = x;
	}
	loop_end(&r);
	combine(&r, 0, 1, "MPI_SUM", "-");
	out = v;
	result(&r, NUMBER, REDUCTION_SUM, &out, sizeof(out));
	part = part_of(&r);
	assert_int_equal(reductions_add(s, &part, &found, &err), 0);
	n = *reductions_counts(s);
	assert_int_equal(n.wrong, 1);
	assert_int_equal(trace_findings_get(&found, 0, &f), 0);
	like(trace_finding_text(&f, text, sizeof(text)), "the iterations perform MAX");
	trace_findings_clear(&found);
	reductions_set_destroy(s);
}

/* Set anew in each iteration: all but the last are lost. */
static void iterations_that_set(void **state)
{
	struct reductions_set *s = reductions_set_create();
	struct trace_findings found = { 0 };
	struct reduction part;
	struct err err = { "" };
	double out = 3;
	struct rank r;

	begin(&r, 0, 1);
	set(&r, 0);
	loop(&r, 1);
	for (int i = 1; i <= 3; i++) {
		iteration(&r, i);
		set(&r, i);
	}
	loop_end(&r);
	combine(&r, 0, 1, "MPI_SUM", "-");
	result(&r, NUMBER, REDUCTION_SUM, &out, sizeof(out));
	part = part_of(&r);
	assert_int_equal(reductions_add(s, &part, &found, &err), 0);
	assert_int_equal(reductions_counts(s)->wrong, 1);
	trace_findings_clear(&found);
	reductions_set_destroy(s);
}

static unsigned why_of(struct rank *r, double value)
{
	struct reduction part;
	unsigned why;

	result(r, NUMBER, REDUCTION_SUM, &value, sizeof(value));
	part = part_of(r);
	why = part.why;
	reduction_clear(&part);
	return why;
}

static void what_is_not_seen(void **state)
{
	struct rank r;

	/* nothing of the variable */
	begin(&r, 0, 1);
	combine(&r, 0, 1, "MPI_SUM", "-");
	assert_int_equal(why_of(&r, 1), REDUCTION_WHY_UNSEEN);
	/* between two iterations something else has changed it */
	begin(&r, 0, 1);
	set(&r, 0);
	loop(&r, 1);
	iteration(&r, 1);
	change(&r, 0, 1);
	iteration(&r, 2);
	change(&r, 5, 6);
	loop_end(&r);
	combine(&r, 0, 1, "MPI_SUM", "-");
	assert_int_equal(why_of(&r, 6), REDUCTION_WHY_CHANGED);
	/* several threads */
	begin(&r, 0, 1);
	loop(&r, 1);
	iteration(&r, 1);
	change(&r, 0, 1);
	r.block.info.thread = 1;
	reductions_reader.block(r.e, &r.block, NULL);
	change(&r, 1, 2);
	r.block.info.thread = 0;
	reductions_reader.block(r.e, &r.block, NULL);
	loop_end(&r);
	combine(&r, 0, 1, "MPI_SUM", "-");
	assert_int_equal(why_of(&r, 2), REDUCTION_WHY_THREADS);
}

/* The value at the call is another than was seen last: only that counts. */
static void a_value_from_a_register(void **state)
{
	struct reduction part;
	double seven = 7;
	struct rank r;

	begin(&r, 0, 1);
	set(&r, 1e30);
	combine(&r, 0, 1, "MPI_MIN", "0000000000001c40");
	result(&r, NUMBER, REDUCTION_MIN, &seven, sizeof(seven));
	part = part_of(&r);
	assert_int_equal(part.why, REDUCTION_WHY_DONE);
	assert_false(part.iterates);
	assert_true(part.part[0].value == bits(7));
	reduction_clear(&part);
}

static struct reduction pair_of(uint32_t rank, uint32_t ranks, double v, double at,
				const double out[2])
{
	struct rank r;
	char text[200];

	begin(&r, rank, ranks);
	set(&r, 0);
	access_bits(&r, TRACE_WRITE, LOCAL + 8, bits(-1));
	loop(&r, 1);
	iteration(&r, (int64_t)at);
	change(&r, 0, v);
	access_bits(&r, TRACE_WRITE, LOCAL + 8, bits(at));
	loop_end(&r);
	snprintf(text, sizeof(text), "%x %x 1 16 MPI_MAXLOC MPI_2DOUBLE_PRECISION 77 %u %u -1 -",
		 LOCAL, RESULT, ranks, rank);
	put(&r, (struct trace_rec){ .op = TRACE_NOTE,
				    .kind = TRACE_NOTE_REDUCES,
				    .bytes = (const unsigned char *)text,
				    .nbytes = (uint32_t)strlen(text) });
	result(&r, PAIR, REDUCTION_MAXLOC, out, 16);
	return part_of(&r);
}

static uint64_t wrong_pair(double v0, double at0, double v1, double at1, double v, double at)
{
	const double out[2] = { v, at };
	struct reductions_set *s = reductions_set_create();
	struct trace_findings found = { 0 };
	struct reduction a = pair_of(0, 2, v0, at0, out), b = pair_of(1, 2, v1, at1, out);
	struct err err = { "" };
	uint64_t n;

	assert_int_equal(reductions_add(s, &a, &found, &err), 0);
	assert_int_equal(reductions_add(s, &b, &found, &err), 0);
	assert_int_equal(reductions_counts(s)->calculated, 1);
	n = reductions_counts(s)->wrong;
	trace_findings_clear(&found);
	reductions_set_destroy(s);
	return n;
}

static void locations(void **state)
{
	assert_int_equal(wrong_pair(3, 1, 5, 9, 5, 9), 0);
	assert_int_equal(wrong_pair(5, 1, 3, 9, 5, 1), 0);
	assert_int_equal(wrong_pair(3, 1, 5, 9, 5, 1), 1); /* the other's location */
	assert_int_equal(wrong_pair(3, 1, 5, 9, 3, 1), 1); /* MINLOC */
	/* both have it: either location will do */
	assert_int_equal(wrong_pair(5, 1, 5, 9, 5, 1), 0);
	assert_int_equal(wrong_pair(5, 1, 5, 9, 5, 9), 0);
	assert_int_equal(wrong_pair(5, 1, 5, 9, 5, 4), 1);
}

static uint64_t whole(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case REDUCTION_SUM:
		return a + b;
	case REDUCTION_PROD:
		return a * b;
	case REDUCTION_MAX:
		return (int64_t)a > (int64_t)b ? a : b;
	case REDUCTION_MIN:
		return (int64_t)a < (int64_t)b ? a : b;
	case REDUCTION_AND:
		return a && b;
	case REDUCTION_OR:
		return a || b;
	case REDUCTION_XOR:
		return !a != !b;
	case REDUCTION_EQV:
		return !a == !b;
	case REDUCTION_BAND:
		return a & b;
	case REDUCTION_BOR:
		return a | b;
	}
	return a ^ b;
}

static struct reduction whole_rank(unsigned declared, unsigned performed, uint32_t k, uint64_t init,
				   const uint64_t *x, uint64_t out)
{
	uint64_t v = init;
	struct rank r;

	begin(&r, k, 2);
	access_bits(&r, TRACE_WRITE, LOCAL, v);
	loop(&r, 1);
	for (unsigned i = 0; i < 3; i++) {
		iteration(&r, i);
		access_bits(&r, TRACE_READ, LOCAL, v);
		v = whole(performed, v, x[k * 3 + i]);
		access_bits(&r, TRACE_WRITE, LOCAL, v);
	}
	loop_end(&r);
	combine(&r, k, 2, "?", "-");
	result(&r, WHOLE, declared, &out, sizeof(out));
	return part_of(&r);
}

static void integers(void **state)
{
	static const uint64_t x[] = { 6, 3, 12, 5, 1, 9 }, truth[] = { 1, 1, 0, 1, 1, 1 };
	static const uint64_t first[] = {
		0, 0, 1, (uint64_t)-99, 99, 1, 0, 0, 1, UINT64_MAX, 0, 0
	};

	for (unsigned op = REDUCTION_SUM; op <= REDUCTION_BXOR; op++) {
		const uint64_t *of = op >= REDUCTION_AND && op <= REDUCTION_EQV ? truth : x;

		for (unsigned wrong = 0; wrong < 2; wrong++) {
			struct reductions_set *s = reductions_set_create();
			struct trace_findings found = { 0 };
			struct reduction a, b;
			struct err err = { "" };
			uint64_t out = first[op];

			for (unsigned i = 0; i < 6; i++)
				out = whole(op, out, of[i]);
			if (wrong)
				out = op >= REDUCTION_AND && op <= REDUCTION_EQV ? !out : out + 2;
			a = whole_rank(op, op, 0, first[op], of, out);
			b = whole_rank(op, op, 1, first[op], of, out);
			assert_int_equal(reductions_add(s, &b, &found, &err), 0);
			assert_int_equal(reductions_add(s, &a, &found, &err), 0);
			assert_int_equal(reductions_counts(s)->calculated, 1);
			assert_int_equal(reductions_counts(s)->wrong, wrong);
			trace_findings_clear(&found);
			reductions_set_destroy(s);
		}
	}
}

/* Any order and grouping gives the same bytes. */
static void merging(void **state)
{
	struct run p = { REDUCTION_MAX, REDUCTION_MAX, 4, 0, "MPI_MAX", 2 };
	struct buf one = BUF_INIT, other = BUF_INIT;
	struct reduction r[4], q[4];

	for (uint32_t k = 0; k < 4; k++) {
		r[k] = run_rank(&p, k);
		q[k] = run_rank(&p, k);
	}
	reduction_merge(&r[0], &r[1]);
	reduction_merge(&r[2], &r[3]);
	reduction_merge(&r[0], &r[2]);
	reduction_merge(&q[3], &q[1]);
	reduction_merge(&q[3], &q[0]);
	reduction_merge(&q[3], &q[2]);
	assert_int_equal(r[0].ranks, 4);
	r[0].nparts = q[3].nparts = 0; /* in the order of arrival */
	reduction_put(&r[0], &one);
	reduction_put(&q[3], &other);
	assert_int_equal(one.len, other.len);
	assert_memory_equal(one.data, other.data, one.len);
	/* nothing of it can be left out */
	for (size_t n = 0; n < one.len; n++) {
		struct buf cut = buf_view(one.data, n);
		struct reduction x;

		assert_int_equal(reduction_get(&x, &cut), -1);
	}
	buf_clear(&one);
	buf_clear(&other);
	for (uint32_t k = 0; k < 4; k++) {
		reduction_clear(&r[k]);
		reduction_clear(&q[k]);
	}
}

static void merging_on_the_way(void **state)
{
	struct run p = { REDUCTION_SUM, REDUCTION_SUM, 2, 0, "MPI_SUM", 2 };
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct reduction r = run_rank(&p, 0), q = run_rank(&p, 1), x;

	buf_put_u32(&a, 1);
	reduction_put(&r, &a);
	buf_put_u32(&b, 9);
	reduction_put(&q, &b);
	assert_int_equal(reduction_merge_bytes(&a, b.data, b.len), 1);
	assert_int_equal(buf_get_u32(&a), 1);
	assert_int_equal(reduction_get(&x, &a), 0);
	assert_int_equal(x.ranks, 2);
	/* another reduction */
	x.ordinal++;
	buf_reset(&b);
	buf_put_u32(&b, 9);
	reduction_put(&x, &b);
	a.pos = 0;
	assert_int_equal(reduction_merge_bytes(&a, b.data, b.len), 0);
	assert_int_equal(reduction_merge_bytes(&a, "nonsense", 8), 0);
	reduction_clear(&r);
	reduction_clear(&q);
	reduction_clear(&x);
	buf_clear(&a);
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_results),
		cmocka_unit_test(a_variable_of_several_reductions),
		cmocka_unit_test(results_in_place),
		cmocka_unit_test(an_iteration_contradicts),
		cmocka_unit_test(another_operation_of_mpi),
		cmocka_unit_test(a_part_is_missing),
		cmocka_unit_test(the_initial_value_counts_once),
		cmocka_unit_test(the_order_of_a_sum_is_free),
		cmocka_unit_test(iterations_that_copy),
		cmocka_unit_test(iterations_that_set),
		cmocka_unit_test(what_is_not_seen),
		cmocka_unit_test(a_value_from_a_register),
		cmocka_unit_test(locations),
		cmocka_unit_test(integers),
		cmocka_unit_test(merging),
		cmocka_unit_test(merging_on_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
