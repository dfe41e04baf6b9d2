/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "common/array/value.h"
#include "frontend/cmd/cmd.h"
#include "frontend/data/pieces.h"
#include "frontend/session/session.h"
#include "tests/unit/fake_job.h"

static char *text;
static struct session *s;

static int set_up(void **state)
{
	s = fake_begin(&text, false);
	return 0;
}

static int tear_down(void **state)
{
	fake_end(s);
	return 0;
}

static const char *say(const char *line)
{
	cmd_line(s, line);
	return fake_printed();
}

/* u[4][6] of int, distributed; eps, a double; p, a structure; both replicated. */
static struct array_field fields[] = {
	{ (char *)"dt", VALUE_DOUBLE, 0, 1 },
	{ (char *)"steps", VALUE_INT, 8, 2 },
};
static struct array_desc u = { .name = (char *)"u",
			       .file = (char *)"/src/heat.c",
			       .line = 32,
			       .kind = ARRAY_DISTRIBUTED,
			       .type = VALUE_INT,
			       .order = 'C',
			       .elem_size = 4,
			       .ndim = 2,
			       .extent = { 4, 6 } };
static struct array_desc eps = { .name = (char *)"eps",
				 .file = (char *)"heat.c",
				 .line = 30,
				 .kind = ARRAY_REPLICATED,
				 .type = VALUE_DOUBLE,
				 .order = 'C',
				 .elem_size = 8 };
static struct array_desc p = { .name = (char *)"p",
			       .file = (char *)"heat.c",
			       .line = 31,
			       .kind = ARRAY_REPLICATED,
			       .type = VALUE_STRUCT,
			       .order = 'C',
			       .elem_size = 16,
			       .field = fields,
			       .nfield = 2 };

/* Makes the object known under name on the ranks. */
static void know(const struct array_desc *d, const char *name, const char *ranks)
{
	struct buf b = BUF_INIT;

	array_desc_put_global(d, &b);
	fake_answer(QUERY_NAMES, name, ranks, &b);
	array_desc_put_global(d, &b);
	array_desc_put_local(d, &b);
	fake_answer(QUERY_LAYOUT, name, ranks, &b);
}

static void answer_value(const char *name, const char *ranks, unsigned type, uint64_t count,
			 const void *bytes, size_t len)
{
	struct buf b = BUF_INIT;

	buf_put_u8(&b, ANSWER_VALUE);
	buf_put_u8(&b, (uint8_t)type);
	buf_put_u64(&b, count);
	buf_put_raw(&b, bytes, len);
	fake_answer(QUERY_FETCH, name, ranks, &b);
}

/* Rows r0 … r1 and columns c0 … c1 of a section, each value 10 * row + column + add. */
static void answer_piece(const char *ranks, uint32_t r0, uint32_t r1, uint32_t c0, uint32_t c1,
			 int add)
{
	struct buf b = BUF_INIT;

	buf_put_u8(&b, ANSWER_PIECE);
	buf_put_u8(&b, VALUE_INT);
	buf_put_u32(&b, 2);
	buf_put_u8(&b, 1); /* a run */
	buf_put_u32(&b, r1 - r0 + 1);
	buf_put_u32(&b, r0);
	buf_put_u8(&b, 0); /* listed */
	buf_put_u32(&b, c1 - c0 + 1);
	for (uint32_t j = c0; j <= c1; j++)
		buf_put_u32(&b, j);
	for (uint32_t i = r0; i <= r1; i++)
		for (uint32_t j = c0; j <= c1; j++)
			buf_put_u32(&b, (uint32_t)((int)(10 * i + j) + add));
	fake_answer(QUERY_FETCH, "u", ranks, &b);
}

static void know_eps(double a, const char *ranks_a, double b, const char *ranks_b)
{
	know(&eps, "eps", "0:3");
	answer_value("eps", ranks_a, VALUE_DOUBLE, 1, &a, sizeof(a));
	if (ranks_b)
		answer_value("eps", ranks_b, VALUE_DOUBLE, 1, &b, sizeof(b));
}

static void equal_and_differing_scalars(void **state)
{
	know_eps(0.5, "0:3", 0, NULL);
	assert_string_equal(say("print eps"), "eps = 0.5\n");
	fake_forget();
	know_eps(0.5, "0:2", 0.75, "3");
	assert_string_equal(say("print eps"), "eps = <differing>   [3]: 0.75    [0:2]: 0.5\n");
	assert_string_equal(say("print eps * 2 + 1"),
			    "eps * 2 + 1 = <differing>   [3]: 2.5    [0:2]: 2\n");
	assert_string_equal(say("[0:1] print eps"), "eps = 0.5\n");
	assert_string_equal(say("print eps -format .3f"),
			    "eps = <differing>   [3]: 0.750    [0:2]: 0.500\n");
}

static void pieces_become_one_block(void **state)
{
	know(&u, "u", "0:3");
	answer_piece("0", 0, 0, 0, 1, 0);
	answer_piece("1", 0, 0, 2, 3, 0);
	answer_piece("2", 1, 1, 0, 1, 0);
	answer_piece("3", 1, 1, 2, 3, 0);
	assert_string_equal(say("print u[1:2][1:4]"), "u[1:2][1:4] =\n"
						      "      1   2   3   4\n"
						      "  1   0   1   2   3\n"
						      "  2  10  11  12  13\n");
}

/* Row 1 and 2 of u on rank 0, and so on. */
static void know_rows(uint32_t rank, const char *ranks)
{
	struct array_desc d = u;
	struct buf b = BUF_INIT;

	d.own_lo[0] = 2 * rank;
	d.own_hi[0] = 2 * rank + 1;
	d.own_hi[1] = 5;
	array_desc_put_global(&d, &b);
	fake_answer(QUERY_NAMES, "u", ranks, &b);
	array_desc_put_global(&d, &b);
	array_desc_put_local(&d, &b);
	fake_answer(QUERY_LAYOUT, "u", ranks, &b);
}

static int count_piece(void *arg, const void *elements, const uint64_t *count, struct err *err)
{
	*(uint64_t *)arg += count[0] * count[1];
	return 0;
}

static void pieces_are_asked_of_their_owners(void **state)
{
	struct section sec = { .ndim = 2,
			       .dim = { { .scalar = true, .first = 2, .last = 2 },
					{ .first = 1, .last = 4, .step = 1 } } };
	struct pieces x;
	struct err err;
	uint64_t n = 0;

	know_rows(0, "0");
	know_rows(1, "1");
	answer_piece("1", 0, 0, 0, 0, 0);
	assert_int_equal(pieces_find(&x, s, "u", &sec, job_set(s->job, JOB_ALL), &err), 0);
	fake_forget();
	fake_calls();
	answer_piece("1", 0, 0, 0, 3, 0);
	assert_int_equal(pieces_fetch(&x, false, count_piece, &n, &err), 0);
	assert_string_equal(fake_calls(), "fetch [1];");
	assert_int_equal(n, 4);
	assert_int_equal(json_array_size(x.notes), 0);
	/* another owner of the same, with others: reported */
	fake_forget();
	pieces_clear(&x);
	know_rows(1, "1");
	know_rows(1, "2");
	answer_piece("1", 0, 0, 0, 0, 0);
	assert_int_equal(pieces_find(&x, s, "u", &sec, job_set(s->job, JOB_ALL), &err), 0);
	fake_forget();
	fake_calls();
	answer_piece("1", 0, 0, 0, 3, 0);
	answer_piece("2", 0, 0, 0, 3, 5);
	assert_int_equal(pieces_fetch(&x, false, count_piece, &n, &err), 0);
	assert_string_equal(fake_calls(), "fetch [1:2];");
	assert_string_equal(json_string_value(json_array_get(x.notes, 0)),
			    "u[2][1] is owned by [1] and by [2], with different values");
	pieces_clear(&x);
}

static void missing_elements_are_reported(void **state)
{
	know(&u, "u", "0:3");
	answer_piece("0", 0, 0, 0, 1, 0);
	answer_piece("1", 0, 0, 2, 3, 0);
	assert_string_equal(say("print u[1:1][1:4]"), "u[1:1][1:4] =\n"
						      "     1  2  3  4\n"
						      "  1  0  1  2  3\n"
						      "   [2:3] did not answer\n");
	assert_non_null(strstr(say("print u[1:2][1:4]"), "4 of 8 elements: no owner in [0:3]"));
	/* In arithmetic nothing can stand for them. */
	assert_non_null(strstr(say("print u[1:2][1:4] + 1"),
			       "u: 4 of 8 elements are missing: [2:3] did not answer"));
	assert_non_null(strstr(say("[0:1] print u[1:2][1:4] + 1"),
			       "u: 4 of 8 elements are missing: no owner in [0:1]"));
}

static void owners_that_disagree_are_reported(void **state)
{
	know(&u, "u", "0:3");
	answer_piece("0:1", 0, 0, 0, 1, 0);
	answer_piece("2", 0, 0, 1, 3, 5);
	answer_piece("3", 0, 0, 3, 3, 5);
	assert_non_null(strstr(say("print u[1:1][1:4]"),
			       "u[1][2] is owned by [0:1] and by [2], with different values"));
}

static void structures_and_fields(void **state)
{
	struct {
		double dt;
		int steps[2];
	} one = { 0.1, { 5, 7 } };
	int steps[2] = { 5, 7 };

	know(&p, "p", "0:3");
	know(&p, "p.steps", "0:3");
	answer_value("p", "0:3", VALUE_STRUCT, 1, &one, sizeof(one));
	answer_value("p.steps", "0:3", VALUE_INT, 2, steps, sizeof(steps));
	assert_string_equal(say("print p"), "p = {dt = 0.1, steps = {5, 7}}\n");
	assert_string_equal(say("print p.steps"), "p.steps = 5 7\n");
	assert_non_null(strstr(say("print p + 1"), "structure"));
}

/* cells[4], structures with a double t and three int v: each field is an object. */
static struct array_desc cells_t = { .name = (char *)"cells[].t",
				     .file = (char *)"gas.c",
				     .line = 12,
				     .kind = ARRAY_DISTRIBUTED,
				     .type = VALUE_DOUBLE,
				     .order = 'C',
				     .elem_size = 8,
				     .ndim = 1,
				     .extent = { 4 } };
static struct array_desc cells_v = { .name = (char *)"cells[].v",
				     .file = (char *)"gas.c",
				     .line = 12,
				     .kind = ARRAY_DISTRIBUTED,
				     .type = VALUE_INT,
				     .order = 'C',
				     .elem_size = 4,
				     .ndim = 2,
				     .extent = { 4, 3 } };

/* The one element of the asked section, t alone or all of v. */
static void answer_field(const char *name, unsigned type, uint32_t parts, const void *bytes,
			 size_t len)
{
	struct buf b = BUF_INIT;

	buf_put_u8(&b, ANSWER_PIECE);
	buf_put_u8(&b, (uint8_t)type);
	buf_put_u32(&b, parts ? 2 : 1);
	buf_put_u8(&b, 0); /* listed */
	buf_put_u32(&b, 1);
	buf_put_u32(&b, 0);
	if (parts) {
		buf_put_u8(&b, 1); /* a run */
		buf_put_u32(&b, parts);
		buf_put_u32(&b, 0);
	}
	buf_put_raw(&b, bytes, len);
	fake_answer(QUERY_FETCH, name, "0:3", &b);
}

static void know_cells(void)
{
	struct buf b = BUF_INIT;

	know(&cells_t, "cells.t", "0:3");
	know(&cells_v, "cells.v", "0:3");
	array_desc_put_global(&cells_t, &b);
	array_desc_put_global(&cells_v, &b);
	fake_answer(QUERY_NAMES, "cells", "0:3", &b);
}

static void arrays_of_structures(void **state)
{
	const double t = 2.5;
	const int v[] = { 5, 6, 7 };

	know_cells();
	answer_field("cells.t", VALUE_DOUBLE, 0, &t, sizeof(t));
	answer_field("cells.v", VALUE_INT, 3, v, sizeof(v));
	assert_string_equal(say("print cells[2].t"), "cells[2].t = 2.5\n");
	assert_string_equal(say("print cells[2].v"), "cells[2].v = 5 6 7\n");
	assert_string_equal(say("print cells[2]"), "cells[2] = {t = 2.5, v = {5, 6, 7}}\n");
}

static void fields_have_to_be_named(void **state)
{
	struct buf b = BUF_INIT;

	know_cells();
	array_desc_put_global(&cells_t, &b);
	array_desc_put_global(&cells_v, &b);
	fake_answer(QUERY_NAMES, "", "0:3", &b);
	fake_answer(QUERY_NAMES, "cells.z", "0:3", &b);
	fake_answer(QUERY_NAMES, "cells.pos.x", "0:3", &b);
	assert_string_equal(say("print cells[2].z"),
			    "error: cells has no field 'z'; its fields: t, v\n");
	assert_string_equal(say("print cells.pos.x"),
			    "error: cells has no field 'pos.x'; its fields: t, v\n");
	assert_string_equal(
		say("print cells + 1"),
		"error: column 1: cells is an array of structures: name a field, cells.t, "
		"cells.v\n");
	assert_string_equal(say("print cells[9].t"),
			    "error: cells.t: index 9 of dimension 1 is outside 0:3\n");
}

static void wrong_names_and_indices(void **state)
{
	struct buf b = BUF_INIT;

	know(&u, "u", "0:3");
	array_desc_put_global(&eps, &b);
	array_desc_put_global(&u, &b);
	fake_answer(QUERY_NAMES, "", "0:3", &b);
	fake_answer(QUERY_NAMES, "eqs", "0:3", &b);
	assert_string_equal(say("print eqs"),
			    "error: there is no object 'eqs'; near: eps. 'what' shows all\n");
	assert_string_equal(say("print u[9][1]"),
			    "error: u: index 9 of dimension 1 is outside 0:3\n");
	assert_non_null(strstr(say("print u["), "column"));
	assert_non_null(strstr(say("print"), "give an expression"));
	assert_non_null(strstr(say("print u[1][1] -format q"),
			       "print -format 'q': f e g d u x o b l c s are allowed"));
	cmd_line(s, "set PRINT_LIMIT 5");
	assert_non_null(strstr(say("print u"), "24 elements, more than PRINT_LIMIT (5)"));
}

static void refusals_of_ranks_are_reported(void **state)
{
	struct buf b = BUF_INIT;
	double half = 0.5;

	know(&eps, "eps", "0:3");
	answer_value("eps", "0:2", VALUE_DOUBLE, 1, &half, sizeof(half));
	buf_put_u8(&b, ANSWER_ERROR);
	buf_put_str(&b, "eps cannot be read");
	fake_answer(QUERY_FETCH, "eps", "3", &b);
	assert_string_equal(say("print eps"), "eps = 0.5\n   [3] eps cannot be read\n");
	assert_non_null(strstr(say("[3] print eps"), "error: eps: [3] eps cannot be read"));
	/* of an element that its owner cannot read nothing else is missing */
	know(&u, "u", "0:3");
	buf_put_u8(&b, ANSWER_ERROR);
	buf_put_str(&b, "u cannot be read");
	fake_answer(QUERY_FETCH, "u", "0", &b);
	answer_piece("1:3", 1, 0, 0, 0, 0);
	assert_string_equal(say("print u[1][1]"), "u[1][1] = ?\n   [0] u cannot be read\n");
}

/* Bytes that are no answer must not harm, and are no values. */
static void hostile_answers(void **state)
{
	static const unsigned char bytes[][12] = {
		{ 9 },
		{ ANSWER_VALUE },
		{ ANSWER_VALUE, VALUE_DOUBLE, 255, 255, 255, 255 },
		{ ANSWER_PIECE, VALUE_INT, 2, 0, 0, 0, 255, 255, 255, 255 },
		{ ANSWER_PIECE },
		{ ANSWER_PIECE, VALUE_INT, 200 },
	};

	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		struct buf b = BUF_INIT;

		know(&u, "u", "0:3");
		buf_put_raw(&b, bytes[i], sizeof(bytes[i]));
		fake_answer(QUERY_FETCH, "u", "0:3", &b);
		assert_non_null(strstr(say("print u[1][1]"), "does not fit the object"));
		fake_forget();
	}
}

static void what_and_differ(void **state)
{
	struct buf b = BUF_INIT;

	array_desc_put_global(&u, &b);
	array_desc_put_global(&eps, &b);
	fake_answer(QUERY_NAMES, "", "0:3", &b);
	know_eps(0.5, "0:2", 0.75, "3");
	assert_string_equal(say("what"),
			    "eps: double, replicated, registered at heat.c:30, on [0:3]\n"
			    "u: int[4][6], distributed, registered at heat.c:32, on [0:3]\n");
	assert_string_equal(say("differ"), "eps = <differing>   [3]: 0.75    [0:2]: 0.5\n");
	fake_forget();
	array_desc_put_global(&eps, &b);
	fake_answer(QUERY_NAMES, "", "0:3", &b);
	know_eps(0.5, "0:3", 0, NULL);
	assert_string_equal(say("differ"), "no value differs, of 1 replicated object\n");
}

static void decomposition(void **state)
{
	struct buf b = BUF_INIT;
	struct array_desc part = u;
	int64_t list[] = { 1, 3 };

	part.own_hi[0] = 1;
	part.own_hi[1] = 5;
	part.halo_lo[0] = part.halo_hi[0] = 1;
	array_desc_put_global(&part, &b);
	array_desc_put_local(&part, &b);
	fake_answer(QUERY_LAYOUT, "u", "0", &b);
	part.own_lo[0] = 2;
	part.own_hi[0] = 3;
	part.list[1] = list;
	part.list_n[1] = 2;
	array_desc_put_global(&part, &b);
	array_desc_put_local(&part, &b);
	fake_answer(QUERY_LAYOUT, "u", "1:3", &b);
	assert_string_equal(say("decomp u"), "u[4][6], distributed\n"
					     "  [0]    [0:1][0:5]  halo 1,0\n"
					     "  [1:3]  [2:3][{1,3}]  halo 1,0\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(equal_and_differing_scalars),
		TEST(pieces_become_one_block),
		TEST(pieces_are_asked_of_their_owners),
		TEST(missing_elements_are_reported),
		TEST(owners_that_disagree_are_reported),
		TEST(structures_and_fields),
		TEST(arrays_of_structures),
		TEST(fields_have_to_be_named),
		TEST(wrong_names_and_indices),
		TEST(refusals_of_ranks_are_reported),
		TEST(hostile_answers),
		TEST(what_and_differ),
		TEST(decomposition),
	};

	return cmocka_run_group_tests_name("fetch", tests, NULL, NULL);
}
