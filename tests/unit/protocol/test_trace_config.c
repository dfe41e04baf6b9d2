/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where traces are detailed: the interval with its cases of task regions, and limits of iterations.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/protocol/trace_config.h"

/*
 * What lies between the marks of a program: loops 1, 2, region 3 with tasks 1 to 3 of two loops
 * each, loop 4, region 5 with two tasks of one loop, loop 6. "3.2" is task 2 before its first loop,
 * "3" the region outside its tasks.
 */
static const char *const places[] = {
	"start",   "1.B",     "1.E",	 "2.B",	    "2.E",     "3",	  "3.1",     "3.1.1.B",
	"3.1.1.E", "3.1.2.B", "3.1.2.E", "3",	    "3.2",     "3.2.1.B", "3.2.1.E", "3.2.2.B",
	"3.2.2.E", "3",	      "3.3",	 "3.3.1.B", "3.3.1.E", "3.3.2.B", "3.3.2.E", "3",
	"3.E",	   "4.B",     "4.E",	 "5",	    "5.1",     "5.1.1.B", "5.1.1.E", "5",
	"5.2",	   "5.2.1.B", "5.2.1.E", "5",	    "5.E",     "6.B",	  "6.E",
};
#define PLACES (sizeof(places) / sizeof(places[0]))

static struct point point(const char *text)
{
	struct point p = { 0 };

	if (*text)
		assert_int_equal(point_parse(&p, text, NULL), 0);
	return p;
}

/* Where a rank is at the i-th place. */
static struct trace_config_at at(size_t i)
{
	struct trace_config_at a = { 0 };
	const char *t = places[i];
	unsigned dots = 0;

	for (const char *c = t; *c; c++)
		dots += *c == '.';
	if (strchr(t, 'B') || strchr(t, 'E'))
		a.last = point(t);
	/* inside a region that is open; the last point may be that of another task */
	if ((*t == '3' || *t == '5') && !strchr("E", t[1] ? t[2] : '-') && strcmp(t, "start")) {
		a.region = (uint32_t)(*t - '0');
		a.in_task = dots > 0;
		a.task = dots ? (uint32_t)(t[2] - '0') : 0;
		a.fresh = dots == 1;
		for (size_t k = i; !a.last.main; k--)
			if (strchr(places[k], 'B') || strchr(places[k], 'E'))
				a.last = point(places[k]);
	}
	a.loop = a.last.main != 3 && a.last.main != 5;
	return a;
}

/* The places where it is open, as "first to last" runs with blanks between. */
static const char *open_at(const char *start, const char *finish)
{
	static char text[1024];
	struct trace_config g = { .trace = TRACE_CONFIG_FULL,
				  .start = point(start),
				  .finish = point(finish) };
	bool was = false;

	*text = '\0';
	for (size_t i = 0; i <= PLACES; i++) {
		struct trace_config_at a = i < PLACES ? at(i) : (struct trace_config_at){ 0 };
		bool is = i < PLACES && trace_config_inside(&g, &a);

		if (is && !was)
			sprintf(text + strlen(text), "%s%s..", *text ? " " : "", places[i]);
		if (!is && was)
			sprintf(text + strlen(text), "%s", places[i - 1]);
		was = is;
	}
	return text;
}

static void plain_intervals(void **state)
{
	assert_string_equal(open_at("", ""), "start..6.E");
	assert_string_equal(open_at("2.B", ""), "2.B..6.E");
	assert_string_equal(open_at("", "2.B"), "start..1.E");
	assert_string_equal(open_at("1.E", "4.B"), "1.E..3.E");
	assert_string_equal(open_at("6.E", ""), "6.E..6.E");
	/* a region whole, and not */
	assert_string_equal(open_at("3.B", "3.E"), "3..3");
	assert_string_equal(open_at("3.E", "4.E"), "3.E..4.B");
	assert_string_equal(open_at("2.E", "3.B"), "2.E..2.E");
	assert_string_equal(open_at("9.B", ""), "");
}

/* Both in one task: only there. */
static void both_in_one_task(void **state)
{
	assert_string_equal(open_at("3.2.1.B", "3.2.2.B"), "3.2.1.B..3.2.1.E");
	assert_string_equal(open_at("3.2.1.E", "3.2.2.E"), "3.2.1.E..3.2.2.B");
}

/* From before the region into a task: of the region only that task, from its beginning. */
static void finish_in_a_task(void **state)
{
	assert_string_equal(open_at("2.B", "3.2.1.E"), "2.B..2.E 3.2..3.2.1.B");
	assert_string_equal(open_at("", "3.1.1.B"), "start..2.E 3.1..3.1");
	assert_string_equal(open_at("3.B", "3.3.2.E"), "3.3..3.3.2.B");
	/* one that is never begun */
	assert_string_equal(open_at("2.B", "3.9.1.E"), "2.B..2.E");
}

/* From a task to behind the region. */
static void start_in_a_task(void **state)
{
	assert_string_equal(open_at("3.2.1.E", "4.E"), "3.2.1.E..3.2.2.E 3.E..4.B");
	assert_string_equal(open_at("3.3.2.B", ""), "3.3.2.B..3.3.2.E 3.E..6.E");
	assert_string_equal(open_at("3.1.1.B", "3.E"), "3.1.1.B..3.1.2.E");
}

/* From a task of one region to a task of another. */
static void in_two_regions(void **state)
{
	assert_string_equal(open_at("3.1.2.B", "5.2.1.B"), "3.1.2.B..3.1.2.E 3.E..4.E 5.2..5.2");
	assert_string_equal(open_at("3.2.2.E", "5.1.1.E"),
			    "3.2.2.E..3.2.2.E 3.E..4.E 5.1..5.1.1.B");
}

/* In different tasks of one region there is no interval; the front end refuses that. */
static void in_two_tasks(void **state)
{
	assert_string_equal(open_at("3.1.1.B", "3.2.1.B"), "");
	assert_int_equal(point_compare(&(struct point){ 3, 1, 1, POINT_BEGIN },
				       &(struct point){ 3, 2, 1, POINT_BEGIN }),
			 POINT_INCOMPARABLE);
}

/* A point in a task of what is a loop means the loop. */
static void a_loop_instead_of_a_region(void **state)
{
	assert_string_equal(open_at("2.1.1.B", ""), "2.B..6.E");
	assert_string_equal(open_at("1.B", "2.1.1.E"), "1.B..2.B");
}

static bool traced(struct trace_config_limits l, int64_t i, int64_t j)
{
	const struct trace_config_range whole = { 2, { 1, 0 }, { 10, 20 } };
	const struct trace_config_range part = { 2, { 4, 0 }, { 6, 20 } };
	const int64_t index[] = { i, j };

	return trace_config_iteration(&l, 2, index, &whole, &part);
}

static void limits_of_parallel_loops(void **state)
{
	static const struct {
		struct trace_config_limits l;
		int64_t i, j;
		bool traced;
	} cases[] = {
		{ { 0 }, 5, 5, true },
		/* steps + 1: only the bound itself, and a step more */
		{ { .ig_left = 1 }, 1, 5, true },
		{ { .ig_left = 1 }, 2, 5, false },
		{ { .ig_left = 2 }, 2, 5, true },
		{ { .ig_left = 1 }, 5, 0, true }, /* in any dimension */
		{ { .ig_right = 1 }, 10, 5, true },
		{ { .ig_right = 1 }, 5, 20, true },
		{ { .ig_right = 1 }, 5, 19, false },
		{ { .ig_right = 1 }, 1, 0, false },
		{ { .iloc_left = 1 }, 4, 5, true },
		{ { .iloc_left = 1 }, 5, 5, false },
		{ { .iloc_right = 1 }, 6, 5, true },
		{ { .iloc_right = 1 }, 5, 20, true },
		{ { .ig_left = 1, .iloc_right = 2 }, 5, 5, true },
		{ { .ig_left = 1, .iloc_right = 2 }, 1, 5, true },
		{ { .ig_left = 1, .iloc_right = 2 }, 4, 5, false },
		{ { .irep_left = 1 }, 5, 5, true }, /* of sequential loops */
	};
	const struct trace_config_range none = { 0 }, down = { 1, { 10 }, { 1 } };
	const struct trace_config_limits left = { .ig_left = 1 };
	const int64_t low = 1, high = 10;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (traced(cases[i].l, cases[i].i, cases[i].j) != cases[i].traced)
			fail_msg("case %zu", i);
	/* without bounds nothing is left out; downwards the lower bound is the last one */
	assert_true(trace_config_iteration(&left, 1, &high, &none, &none));
	assert_true(trace_config_iteration(&left, 1, &low, &down, &none));
	assert_false(trace_config_iteration(&left, 1, &high, &down, &none));
	assert_int_equal(trace_config_limit(-1), 0);
	assert_int_equal(trace_config_limit(0), 1);
	assert_int_equal(trace_config_limit(3), 4);
}

static void iterations_of_a_place(void **state)
{
	const struct trace_config_place p = {
		.nrange = 2, .first = { 2, -4 }, .last = { 8, 4 }, .step = { 3, 2 }
	};
	static const struct {
		int64_t i, j;
		bool has;
	} cases[] = { { 2, -4, true }, { 5, 0, true },	{ 8, 4, true },	  { 3, 0, false },
		      { 5, 1, false }, { 1, 0, false }, { 11, 0, false }, { 5, -6, false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int64_t index[] = { cases[i].i, cases[i].j };

		if (trace_config_place_has(&p, 2, index) != cases[i].has)
			fail_msg("case %zu", i);
	}
}

static void on_the_wire(void **state)
{
	struct trace_config in = { .level = TRACE_CONFIG_CHECKSUM,
				   .trace = TRACE_CONFIG_FULL,
				   .others = 1,
				   .nname = 2 },
			    out;
	struct trace_config_place p = { .kind = RULE_LINE,
					.level = TRACE_CONFIG_MODIFY,
					.line = 7,
					.nrange = 1 },
				  q;
	struct buf b = BUF_INIT;

	in.limits = (struct trace_config_limits){ 1, 2, 3, 4, 5 };
	in.start = point("3.2.1.B");
	strcpy(in.name[0], "u");
	strcpy(in.name[1], "v");
	trace_config_put(&in, &b);
	assert_int_equal(trace_config_get(&out, &b), 0);
	assert_memory_equal(&in, &out, sizeof(in));
	for (size_t n = 0; n < b.len; n++) {
		struct buf cut = buf_view(b.data, n);

		assert_int_equal(trace_config_get(&out, &cut), -1);
		assert_int_equal(out.level, TRACE_CONFIG_NONE);
	}
	buf_reset(&b);
	in.trace = TRACE_CONFIG_CHECKSUM;
	trace_config_put(&in, &b);
	assert_int_equal(trace_config_get(&out, &b), -1);
	buf_reset(&b);
	strcpy(p.file, "src/heat.c");
	p.first[0] = -3;
	p.last[0] = 9;
	p.step[0] = 2;
	trace_config_place_put(&p, &b);
	assert_int_equal(trace_config_place_get(&q, &b), 0);
	assert_memory_equal(&p, &q, sizeof(p));
	for (size_t n = 0; n < b.len; n++) {
		struct buf cut = buf_view(b.data, n);

		assert_int_equal(trace_config_place_get(&q, &cut), -1);
	}
	buf_reset(&b);
	p.step[0] = 0;
	trace_config_place_put(&p, &b);
	assert_int_equal(trace_config_place_get(&q, &b), -1);
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_intervals),
		cmocka_unit_test(both_in_one_task),
		cmocka_unit_test(finish_in_a_task),
		cmocka_unit_test(start_in_a_task),
		cmocka_unit_test(in_two_regions),
		cmocka_unit_test(in_two_tasks),
		cmocka_unit_test(a_loop_instead_of_a_region),
		cmocka_unit_test(limits_of_parallel_loops),
		cmocka_unit_test(iterations_of_a_place),
		cmocka_unit_test(on_the_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
