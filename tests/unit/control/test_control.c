/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dynamic control of short runs that are made record by record.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/array/value.h"
#include "common/control/control.h"
#include "common/core/err.h"
#include "common/logical/construct.h"

#define MEMORY 0x10000u
#define OTHER 0x20000u
#define SITES 4

/* A rank that executes a program; its array u has 16 elements, of which it owns own_lo … own_hi. */
struct rank {
	struct dyncontrol *e;
	struct trace_block block;
	struct trace_object object;
	struct trace_site site[SITES];
	struct trace_frame frame[2];
	struct trace_cursor at;
	struct point point;
};

static void begin(struct rank *r, const struct dyncontrol_options *o, unsigned type, int64_t lo,
		  int64_t hi)
{
	struct array_desc *a = &r->object.desc;
	struct err err = { "" };

	*r = (struct rank){ .e = dyncontrol_create(o) };
	assert_non_null(r->e);
	*a = (struct array_desc){ .name = (char *)"u",
				  .file = (char *)"f.c",
				  .type = (uint8_t)type,
				  .order = 'C',
				  .elem_size = (uint32_t)value_size(type),
				  .addr = MEMORY,
				  .ndim = 1 };
	a->extent[0] = 16;
	a->own_lo[0] = lo;
	a->own_hi[0] = hi;
	a->halo_lo[0] = a->halo_hi[0] = a->stride[0] = 1;
	for (uint32_t i = 0; i < SITES; i++)
		r->site[i].place =
			(struct place){ .file = "f.c", .line = i + 1, .func = "", .module = "" };
	r->block = (struct trace_block){
		.object = &r->object, .nobject = 1, .site = r->site, .nsite = SITES
	};
	r->at = (struct trace_cursor){ .block = &r->block, .frame = r->frame };
	assert_int_equal(dyncontrol_reader.block(r->e, &r->block, &err), 0);
}

static void begin_plain(struct rank *r, int64_t lo, int64_t hi)
{
	begin(r, &(struct dyncontrol_options){ .ranks = 2, .pattern = -1 }, VALUE_DOUBLE, lo, hi);
}

static void put(struct rank *r, struct trace_rec rec)
{
	struct err err = { "" };

	if (rec.op != TRACE_BEGIN && rec.op != TRACE_END)
		rec.point = r->point;
	rec.place = TRACE_NONE;
	assert_int_equal(dyncontrol_reader.record(r->e, &rec, &r->at, &err), 0);
}

static void note_of(struct rank *r, unsigned kind, const char *text)
{
	put(r, (struct trace_rec){ .op = TRACE_NOTE,
				   .kind = (uint8_t)kind,
				   .bytes = (const unsigned char *)text,
				   .nbytes = (uint32_t)strlen(text),
				   .site = TRACE_NONE });
}

static void note(struct rank *r, const char *text)
{
	note_of(r, TRACE_NOTE_CONTROL, text);
}

static void loop(struct rank *r, int64_t first, int64_t last)
{
	struct trace_rec rec = {
		.op = TRACE_BEGIN, .kind = CONSTRUCT_PL, .nidx = 1, .site = TRACE_NONE
	};

	r->point = (struct point){ .main = r->point.main + 1 };
	r->frame[0] = (struct trace_frame){ .kind = CONSTRUCT_PL, .point = r->point };
	r->at.depth = 1;
	rec.point = r->point;
	rec.index[0] = first;
	rec.last[0] = last;
	rec.step[0] = 1;
	put(r, rec);
	note(r, "O 10000 0");
}

static void iteration(struct rank *r, int64_t i)
{
	r->frame[0].nidx = 1;
	r->frame[0].index[0] = i;
	put(r,
	    (struct trace_rec){ .op = TRACE_ITER, .nidx = 1, .index = { i }, .site = TRACE_NONE });
}

static void loop_end(struct rank *r)
{
	r->at.depth = 0;
	r->point.side = POINT_END;
	put(r,
	    (struct trace_rec){
		    .op = TRACE_END, .kind = CONSTRUCT_PL, .point = r->point, .site = TRACE_NONE });
}

/* Of element i of u, at the place of that number. */
static void touch(struct rank *r, unsigned op, int64_t i, uint32_t site)
{
	const struct array_desc *a = &r->object.desc;

	put(r, (struct trace_rec){ .op = (uint8_t)op,
				   .size = (uint8_t)a->elem_size,
				   .site = site,
				   .at = (uint64_t)(i - a->own_lo[0] + 1) * a->elem_size });
}

/* Kind, line and note of the only finding; false: there is none. */
static bool found(struct rank *r, unsigned *kind, uint32_t *line, uint64_t *count, char text[400])
{
	struct trace_findings *l = dyncontrol_reader.findings(r->e);
	struct trace_finding f;

	if (!l->n)
		return false;
	assert_int_equal(l->n, 1);
	assert_int_equal(trace_findings_get(l, 0, &f), 0);
	*kind = f.kind;
	*line = f.spot.place.line;
	*count = f.count;
	trace_finding_text(&f, text, 400);
	return true;
}

static void end_with(struct rank *r, unsigned kind, uint32_t line, uint64_t count, const char *text)
{
	struct err err = { "" };
	unsigned is;
	uint32_t at;
	uint64_t n;
	char is_text[400];

	assert_int_equal(dyncontrol_reader.end(r->e, true, &err), 0);
	assert_true(found(r, &is, &at, &n, is_text));
	assert_string_equal(is_text, text);
	assert_int_equal(is, kind);
	assert_int_equal(at, line);
	assert_int_equal(n, count);
	dyncontrol_reader.destroy(r->e);
}

static void end_without(struct rank *r)
{
	struct err err = { "" };

	assert_int_equal(dyncontrol_reader.end(r->e, true, &err), 0);
	assert_int_equal(dyncontrol_reader.findings(r->e)->n, 0);
	dyncontrol_reader.destroy(r->e);
}

static void test_grid(void **state)
{
	uint32_t grid[ARRAY_DIMS];
	struct err err = { "" };
	unsigned n;

	assert_int_equal(dyncontrol_grid_parse("2x3", &n, grid, &err), 0);
	assert_int_equal(n, 2);
	assert_int_equal(grid[0], 2);
	assert_int_equal(grid[1], 3);
	assert_int_equal(dyncontrol_grid_parse("4", &n, grid, &err), 0);
	for (const char *const *bad = (const char *const[]){ "", "0", "2x", "x2", "2y2", "-1",
							     "4097", "65x64", NULL };
	     *bad; bad++)
		assert_int_equal(dyncontrol_grid_parse(*bad, &n, grid, &err), -1);
}

/* u(i) = u(i - back), back declared as far as `declared`. */
static void depend(struct rank *r, int64_t back, int64_t declared)
{
	char text[80];

	begin_plain(r, 0, 15);
	snprintf(text, sizeof(text), "A 10000 1 %ld 0", (long)declared);
	if (declared)
		note(r, text);
	loop(r, 3, 8);
	for (int64_t i = 3; i <= 8; i++) {
		iteration(r, i);
		touch(r, TRACE_READ, i - back, 0);
		touch(r, TRACE_WRITE, i, 1);
	}
	loop_end(r);
}

static void test_dependence(void **state)
{
	struct rank r;

	depend(&r, 1, 0);
	end_with(&r, FINDING_DEPENDENCE, 1, 5,
		 "u[3]: iteration 4 reads what is written by iteration 3");
	depend(&r, 0, 0);
	end_without(&r);
	depend(&r, 2, 2);
	end_without(&r);
	depend(&r, 3, 2);
	end_with(&r, FINDING_DEPENDENCE, 1, 3,
		 "u[3]: iteration 6 reads what is written by iteration 3");
}

/* Neighbours of 4 bytes are elements of their own. */
static void test_small(void **state)
{
	struct rank r;

	begin(&r, &(struct dyncontrol_options){ .ranks = 1, .pattern = -1 }, VALUE_FLOAT, 0, 15);
	loop(&r, 0, 15);
	for (int64_t i = 0; i < 16; i++) {
		iteration(&r, i);
		touch(&r, TRACE_WRITE, i, 0);
		touch(&r, TRACE_READ, i, 1);
	}
	loop_end(&r);
	end_without(&r);
}

/* A loop over all writes own elements first … step; then the halo at `halo` is read. */
static void halos(struct rank *r, int64_t first, int64_t step, const char *renewal)
{
	begin_plain(r, 0, 8);
	loop(r, 0, 15);
	for (int64_t i = first; i <= 8; i += step) {
		iteration(r, i);
		touch(r, TRACE_WRITE, i, 0);
	}
	loop_end(r);
	if (*renewal)
		note(r, renewal);
	loop(r, 1, 14);
	iteration(r, 8);
	touch(r, TRACE_READ, 9, 1);
	loop_end(r);
}

/* Element 9 lies behind 0 … 8 and the halo before them. */
#define GOT "G 10050 8 8 1 0 MPI_Recv"

static void test_stale(void **state)
{
	struct rank r;

	halos(&r, 0, 1, "");
	end_with(&r, FINDING_STALE, 2, 1,
		 "u[9]: iteration 8 reads it, and it was never renewed since its owner has written "
		 "it");
	halos(&r, 0, 1, GOT);
	end_without(&r);
	/* of the colour that the loop does not write */
	halos(&r, 0, 2, "");
	end_without(&r);
	halos(&r, 1, 2, "");
	end_with(&r, FINDING_STALE, 2, 1,
		 "u[9]: iteration 8 reads it, and it was never renewed since its owner has written "
		 "it");
}

static void test_halo_write(void **state)
{
	struct rank r;

	begin_plain(&r, 0, 8);
	loop(&r, 0, 15);
	iteration(&r, 8);
	touch(&r, TRACE_WRITE, 9, 2);
	loop_end(&r);
	end_with(&r, FINDING_HALOWRITE, 3, 1,
		 "u[9]: iteration 8, which rank 0 executes, writes into the halo");
	/* one that both ranks execute */
	begin_plain(&r, 0, 8);
	loop(&r, 0, 15);
	iteration(&r, 9);
	touch(&r, TRACE_WRITE, 9, 2);
	loop_end(&r);
	end_without(&r);
}

/* Processors of four elements each; element 4 is read by one that owns element i. */
static void emulate_on(struct rank *r, int64_t i, bool renewed, unsigned ngrid, uint32_t second)
{
	struct dyncontrol_options o = {
		.ranks = 1, .pattern = -1, .ngrid = ngrid, .grid = { 4, second }
	};

	begin(r, &o, VALUE_DOUBLE, 0, 15);
	loop(r, 0, 15);
	for (int64_t k = 0; k < 16; k++) {
		iteration(r, k);
		touch(r, TRACE_WRITE, k, 0);
	}
	loop_end(r);
	if (renewed)
		note(r, "h 10000");
	loop(r, 0, 15);
	iteration(r, i);
	touch(r, TRACE_READ, 4, 1);
	loop_end(r);
}

static void emulate(struct rank *r, int64_t i, bool renewed)
{
	emulate_on(r, i, renewed, 1, 0);
}

static void test_emulated(void **state)
{
	struct rank r;

	emulate(&r, 3, true);
	end_without(&r);
	emulate(&r, 5, false);
	end_without(&r);
	emulate(&r, 2, true);
	end_without(&r);
	emulate(&r, 9, true);
	end_with(&r, FINDING_NONLOCAL, 2, 1,
		 "u[4]: iteration 9 is of processor (2), the element of (1), beyond the halo");
	/* a dimension of the grid with one processor has no dimension of the array */
	emulate_on(&r, 9, true, 2, 1);
	end_with(&r, FINDING_NONLOCAL, 2, 1,
		 "u[4]: iteration 9 is of processor (2,0), the element of (1,0), beyond the halo");
	emulate_on(&r, 9, true, 2, 2);
	end_without(&r);
	/* no renewal is marked: it cannot be judged */
	emulate(&r, 3, false);
	end_without(&r);
}

/* Of 12 rows of 12, without a halo. */
static void touch_row(struct rank *r, unsigned op, int64_t i, int64_t j, uint32_t site)
{
	put(r,
	    (struct trace_rec){
		    .op = (uint8_t)op, .size = 8, .site = site, .at = (uint64_t)(12 * i + j) * 8 });
}

/* Which dimension is distributed is shown by the loop that is mapped on rows. */
static void test_rows(void **state)
{
	const struct dyncontrol_options o = {
		.ranks = 1, .pattern = -1, .ngrid = 1, .grid = { 2 }
	};
	struct array_desc *a;
	struct rank r;

	(void)state;
	begin(&r, &o, VALUE_DOUBLE, 0, 11);
	a = &r.object.desc;
	a->ndim = 2;
	a->halo_lo[0] = a->halo_hi[0] = 0;
	a->extent[0] = a->extent[1] = a->stride[0] = 12;
	a->own_hi[1] = 11;
	a->stride[1] = 1;
	loop(&r, 0, 11);
	for (int64_t i = 0; i < 12; i++) {
		iteration(&r, i);
		for (int64_t j = 0; j < 12; j++)
			touch_row(&r, TRACE_WRITE, i, j, 0);
	}
	loop_end(&r);
	loop(&r, 0, 11);
	iteration(&r, 1);
	touch_row(&r, TRACE_READ, 5, 11, 1);
	touch_row(&r, TRACE_READ, 6, 0, 2);
	loop_end(&r);
	end_with(&r, FINDING_NONLOCAL, 3, 1,
		 "u[6][0]: iteration 1 is of processor (0), the element of (1), beyond the halo");
}

static void test_unwritten(void **state)
{
	struct rank r;

	begin_plain(&r, 0, 15);
	note(&r, "M 10000 144");
	touch(&r, TRACE_READ, 3, 0);
	touch(&r, TRACE_WRITE, 2, 0);
	touch(&r, TRACE_READ, 2, 0);
	touch(&r, TRACE_READ, 3, 1);
	end_with(&r, FINDING_UNINIT, 2, 1, "u[3]: nothing has written it since it was allocated");
	begin_plain(&r, 0, 15);
	note(&r, "M 10000 144");
	note(&r, "Z 10000 144");
	touch(&r, TRACE_WRITE, 2, 0);
	touch(&r, TRACE_READ, 3, 1);
	end_without(&r);
}

static void task(struct rank *r, int64_t number)
{
	put(r, (struct trace_rec){ .op = TRACE_BEGIN,
				   .kind = CONSTRUCT_TASK,
				   .nidx = 1,
				   .index = { number },
				   .point = r->point,
				   .site = TRACE_NONE });
}

static void task_end(struct rank *r)
{
	put(r, (struct trace_rec){ .op = TRACE_END,
				   .kind = CONSTRUCT_TASK,
				   .point = r->point,
				   .site = TRACE_NONE });
}

/* Three tasks, each declared after that one, 0 none; the last one reads what the first wrote. */
static void tasks(struct rank *r, int64_t second_after, int64_t third_after)
{
	char text[40];

	begin_plain(r, 0, 7);
	r->point = (struct point){ .main = 1 };
	r->frame[0] = (struct trace_frame){ .kind = CONSTRUCT_TR, .point = r->point };
	r->at.depth = 1;
	put(r, (struct trace_rec){ .op = TRACE_BEGIN,
				   .kind = CONSTRUCT_TR,
				   .point = r->point,
				   .site = TRACE_NONE });
	for (int64_t k = 1; k <= 3; k++) {
		int64_t after = k == 2 ? second_after : k == 3 ? third_after : 0;

		snprintf(text, sizeof(text), "T %lld", (long long)after);
		if (after)
			note(r, text);
		task(r, k);
		touch(r, k < 3 ? TRACE_WRITE : TRACE_READ, k < 3 ? k : 1, (uint32_t)k - 1);
		task_end(r);
	}
}

static void test_tasks(void **state)
{
	struct rank r;

	(void)state;
	tasks(&r, 0, 1);
	end_without(&r);
	/* through the second one */
	tasks(&r, 1, 2);
	end_without(&r);
	tasks(&r, 0, 2);
	end_with(&r, FINDING_DEPENDENCE, 3, 1, "u[1]: task 3 reads what is written by task 1");
}

/*
 * A buffer of remote elements, or a reduction that never ends: memory that is allocated there again
 * is something else.
 */
static void test_reused(void **state)
{
	struct rank r;

	(void)state;
	for (int again = 0; again < 2; again++)
		for (int buffer = 0; buffer < 2; buffer++) {
			begin_plain(&r, 0, 7);
			note(&r, buffer ? "B 20000 64" : "S 20000 64");
			if (again)
				note(&r, "Z 20000 64");
			loop(&r, 0, 15);
			iteration(&r, 0);
			put(&r, (struct trace_rec){ .op = TRACE_WRITE,
						    .size = 8,
						    .object = TRACE_NOWHERE,
						    .at = OTHER + 8,
						    .site = 2 });
			loop_end(&r);
			assert_int_equal(dyncontrol_reader.findings(r.e)->n, !again);
			dyncontrol_reader.destroy(r.e);
		}
}

/* Behind an array that ends where one of the block ended whose memory was allocated again. */
static void test_behind(void **state)
{
	struct trace_object both[2];
	struct err err = { "" };
	struct rank r;

	(void)state;
	begin_plain(&r, 0, 7);
	note(&r, "Z 10000 80");
	touch(&r, TRACE_WRITE, 0, 1);
	both[0] = both[1] = r.object;
	both[1].desc.name = (char *)"w";
	both[1].desc.addr += 16;
	both[1].desc.own_hi[0] = 5;
	r.block.object = both;
	r.block.nobject = 2;
	assert_int_equal(dyncontrol_reader.block(r.e, &r.block, &err), 0);
	touch(&r, TRACE_WRITE, 0, 1);
	note(&r, "Z 10010 64");
	put(&r, (struct trace_rec){ .op = TRACE_WRITE, .size = 8, .object = 1, .at = 8, .site = 1 });
	loop(&r, 0, 15);
	iteration(&r, 0);
	put(&r, (struct trace_rec){ .op = TRACE_READ,
				    .size = 8,
				    .object = TRACE_NOWHERE,
				    .at = MEMORY + 80,
				    .site = 2 });
	loop_end(&r);
	end_with(&r, FINDING_NONLOCAL, 3, 1, "w[7]: rank 0 has w[-1:6]");
}

static void event(struct rank *r, const char *text)
{
	note_of(r, TRACE_NOTE_OPENMP, text);
}

enum { ELEMENT, LOOSE, BEHIND };

/*
 * Two iterations of a marked loop that threads of OpenMP share. Each adds to one element, or to
 * memory that nobody has registered; or the thread reads behind the loop what they have written.
 * before, behind: events around that.
 */
static size_t shared_findings(int what, const char *before, const char *behind, unsigned flags)
{
	struct err err = { "" };
	struct rank r;
	size_t n;

	begin_plain(&r, 0, 7);
	loop(&r, 0, 7);
	event(&r, "G 200");
	for (int i = 0; i < 2; i++) {
		struct trace_rec rec = { .size = 8, .site = 2, .flags = (uint8_t)flags };

		rec.object = what == LOOSE ? TRACE_NOWHERE : 0;
		rec.at = what == LOOSE ? OTHER : what == BEHIND ? 8 * (uint64_t)(i + 1) : 24;
		event(&r, "N 2");
		iteration(&r, i);
		if (*before)
			event(&r, before);
		rec.op = TRACE_READ;
		if (what != BEHIND)
			put(&r, rec);
		rec.op = TRACE_WRITE;
		rec.flags |= TRACE_WRITES;
		put(&r, rec);
		if (*behind)
			event(&r, behind);
	}
	if (what == BEHIND)
		touch(&r, TRACE_READ, 0, 3);
	loop_end(&r);
	assert_int_equal(dyncontrol_reader.end(r.e, true, &err), 0);
	n = dyncontrol_reader.findings(r.e)->n;
	dyncontrol_reader.destroy(r.e);
	return n;
}

static void test_threads(void **state)
{
	(void)state;
	assert_int_equal(shared_findings(ELEMENT, "", "", 0), 1);
	/* for the control of OpenMP to judge */
	assert_int_equal(shared_findings(ELEMENT, "", "", TRACE_ATOMIC), 0);
	assert_int_equal(shared_findings(ELEMENT, "L 2 10 100", "l 2 10 100", 0), 0);
	assert_int_equal(shared_findings(LOOSE, "", "", 0), 0);
	/* locked between other accesses only */
	assert_int_equal(shared_findings(ELEMENT, "l 2 10 100", "L 2 10 100", 0), 1);
	/* a read behind the last iteration, or in it */
	assert_int_equal(shared_findings(BEHIND, "", "B b", 0), 0);
	assert_int_equal(shared_findings(BEHIND, "", "", 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grid),	   cmocka_unit_test(test_dependence),
		cmocka_unit_test(test_small),	   cmocka_unit_test(test_stale),
		cmocka_unit_test(test_halo_write), cmocka_unit_test(test_emulated),
		cmocka_unit_test(test_unwritten),  cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_reused),	   cmocka_unit_test(test_threads),
		cmocka_unit_test(test_rows),	   cmocka_unit_test(test_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
