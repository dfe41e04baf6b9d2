/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/logical/point.h"

/* "start" or a point's text. */
static struct point point(const char *text)
{
	struct point p = { 0 };
	struct err err;

	if (strcmp(text, "start") && point_parse(&p, text, &err) < 0)
		fail_msg("%s", err.text);
	return p;
}

static void assert_point(const struct point *p, const char *text)
{
	char out[POINT_TEXT];

	assert_string_equal(point_format(p, out), text);
}

static void test_parse_and_format(void **state)
{
	static const char *const texts[] = { "1.B", "6.E", "256.3.4.B", "256.0.1.E",
					     "4294967295.4294967295.4294967295.E" };
	struct point p;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		p = point(texts[i]);
		assert_point(&p, texts[i]);
	}
	p = point("256.3.4.B");
	assert_int_equal(p.main, 256);
	assert_int_equal(p.task, 3);
	assert_int_equal(p.sub, 4);
	assert_int_equal(p.side, POINT_BEGIN);
	p = point("6.E");
	assert_int_equal(p.task, 0);
	assert_int_equal(p.sub, 0);
	assert_int_equal(p.side, POINT_END);
	p = (struct point){ 0 };
	assert_point(&p, "start");
}

static void test_parse_errors(void **state)
{
	static const char *const texts[] = {
		"",
		"6",
		"6.",
		"B",
		".B",
		"6.b",
		"6.BE",
		"6.B ",
		" 6.B",
		"0.B",
		"06.B",
		"-6.B",
		"+6.B",
		"6,B",
		"6.3.B",
		"6.3.4.",
		"6.3.4",
		"6.3.4.5.B",
		"6.3.0.B",
		"6.03.4.B",
		"[6.B]",
		"6..B",
		"x.B",
		"6.3.x.B",
		"start",
		"4294967296.B",
		"1.99999999999999999999.1.E",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct point p = { 9, 9, 9, 1 };
		struct err err = { "" };

		if (point_parse(&p, texts[i], &err) == 0)
			fail_msg("\"%s\" is taken for a point", texts[i]);
		assert_int_equal(p.main, 9); /* untouched */
		assert_non_null(strstr(err.text, texts[i]));
		assert_non_null(strstr(err.text, "N.B, N.E, N.TASK.M.B, "));
	}
}

static void test_order(void **state)
{
	static const struct {
		const char *a, *b;
		enum point_order order;
	} cases[] = {
		{ "start", "start", POINT_EQUAL },
		{ "start", "1.B", POINT_BEFORE },
		{ "1.B", "1.B", POINT_EQUAL },
		{ "1.B", "1.E", POINT_BEFORE },
		{ "9.E", "10.B", POINT_BEFORE },
		{ "13.B", "13.3.1.B", POINT_BEFORE },
		{ "13.3.1.B", "13.E", POINT_BEFORE },
		{ "13.3.1.B", "13.3.1.B", POINT_EQUAL },
		{ "13.3.1.B", "13.3.1.E", POINT_BEFORE },
		{ "13.3.1.E", "13.3.2.B", POINT_BEFORE },
		{ "13.3.9.E", "13.3.10.B", POINT_BEFORE },
		{ "13.3.1.B", "13.4.1.B", POINT_INCOMPARABLE },
		{ "13.3.9.E", "13.4.1.B", POINT_INCOMPARABLE },
		{ "13.0.1.B", "13.1.1.B", POINT_INCOMPARABLE },
		{ "13.0.1.B", "13.B", POINT_AFTER },
		{ "13.3.1.B", "14.B", POINT_BEFORE },
		{ "13.3.1.B", "14.1.1.B", POINT_BEFORE },
		{ "12.E", "13.3.1.B", POINT_BEFORE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct point a = point(cases[i].a), b = point(cases[i].b);
		int back = cases[i].order == POINT_INCOMPARABLE ? POINT_INCOMPARABLE
								: -(int)cases[i].order;

		if (point_compare(&a, &b) != cases[i].order || (int)point_compare(&b, &a) != back)
			fail_msg("%s, %s", cases[i].a, cases[i].b);
	}
}

/* All points of two regions with two tasks of two constructs each, and no point. */
static size_t all_points(struct point *out)
{
	size_t n = 0;

	out[n++] = (struct point){ 0 };
	for (uint32_t main = 1; main <= 2; main++) {
		for (uint32_t side = POINT_BEGIN; side <= POINT_END; side++) {
			out[n++] = (struct point){ .main = main, .side = side };
			for (uint32_t k = 0; k < 4; k++)
				out[n++] = (struct point){ main, k / 2, k % 2 + 1, side };
		}
	}
	return n;
}

static bool same(const struct point *a, const struct point *b)
{
	return a->main == b->main && a->task == b->task && a->sub == b->sub && a->side == b->side;
}

static bool not_after(const struct point *a, const struct point *b)
{
	enum point_order order = point_compare(a, b);

	return order == POINT_BEFORE || order == POINT_EQUAL;
}

static void test_furthest_is_a_join(void **state)
{
	struct point p[32];
	size_t n = all_points(p);

	assert_int_equal(n, 21);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			struct point ab = point_furthest(&p[i], &p[j]);
			struct point ba = point_furthest(&p[j], &p[i]);

			assert_true(same(&ab, &ba));
			assert_true(not_after(&p[i], &ab));
			assert_true(not_after(&p[j], &ab));
			assert_int_equal(point_compare(&p[i], &p[j]) == POINT_EQUAL, i == j);
			for (size_t k = 0; k < n; k++) {
				struct point bc = point_furthest(&p[j], &p[k]);
				struct point left = point_furthest(&ab, &p[k]);
				struct point right = point_furthest(&p[i], &bc);

				assert_true(same(&left, &right));
				/* no bound of both is before it: it is the least */
				if (not_after(&p[i], &p[k]) && not_after(&p[j], &p[k]))
					assert_true(not_after(&ab, &p[k]));
			}
		}
	}
}

static void test_order_is_transitive(void **state)
{
	struct point p[32];
	size_t n = all_points(p);

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			for (size_t k = 0; k < n; k++) {
				if (not_after(&p[i], &p[j]) && not_after(&p[j], &p[k]))
					assert_true(not_after(&p[i], &p[k]));
			}
		}
	}
}

static void test_furthest_in_tasks(void **state)
{
	struct point a = point("13.3.1.B"), b = point("13.4.7.E"), c = point("13.3.2.B");
	struct point f = point_furthest(&a, &b);

	assert_point(&f, "13.E");
	f = point_furthest(&a, &c);
	assert_point(&f, "13.3.2.B");
}

static void test_next(void **state)
{
	static const char *const steps[][2] = {
		{ "start", "1.B" },	    { "1.B", "1.E" },
		{ "1.E", "2.B" },	    { "13.3.4.B", "13.3.4.E" },
		{ "13.3.4.E", "13.3.5.B" }, { "4294967295.E", "4294967295.B" },
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct point p = point(steps[i][0]), next = point_next(&p);

		assert_point(&next, steps[i][1]);
	}
}

static void test_wire(void **state)
{
	struct point p[32];
	size_t n = all_points(p);

	for (size_t i = 0; i < n; i++) {
		struct buf b = BUF_INIT;
		struct point got = { 9, 9, 9, 1 };

		point_put(&p[i], &b);
		assert_int_equal(b.len, 13);
		assert_int_equal(point_get(&got, &b), 0);
		assert_true(same(&p[i], &got));
		assert_int_equal(point_get(&got, &b), -1);
		assert_int_equal(got.main, 0);
		buf_clear(&b);
	}
}

static void test_hostile(void **state)
{
	static const struct point bad[] = {
		{ 1, 0, 0, 2 }, { 1, 0, 0, 255 }, { 1, 3, 0, 0 },
		{ 0, 0, 0, 1 }, { 0, 1, 1, 0 },	  { 0, 0, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct buf b = BUF_INIT;
		struct point got;

		point_put(&bad[i], &b);
		assert_int_equal(point_get(&got, &b), -1);
		assert_true(b.bad);
		assert_int_equal(got.main, 0);
		buf_clear(&b);
	}
}

/* A point of MPI that was passed behind that mark. */
static struct point behind(const char *text, const char *mark)
{
	struct point p = point(text), m = point(mark);

	p.task = 1 + (m.main << 1 | m.side);
	return p;
}

static void assert_order(const struct point *a, const struct point *b, enum point_order o)
{
	assert_int_equal(point_compare(a, b), o);
	assert_int_equal(point_compare(b, a), o == POINT_INCOMPARABLE ? (int)o : -(int)o);
}

static void test_kinds(void **state)
{
	static const char *const bad[] = { "mpi:",	  "mpi:0.B", "mpi:3",
					   "mpi:3.2.1.B", "MPI:3.B", "mpi:1073741823.B",
					   "mpi:03.B",	  "omp:1",   "2147483648.B",
					   "omp:0.B",	  "omp:3.2.1.B", "omp:1073741823.B" };
	struct point p = point("mpi:12.B"), q = point("mpi:1073741822.E");

	assert_point(&p, "mpi:12.B");
	assert_point(&q, "mpi:1073741822.E");
	assert_int_equal(point_kind(&p), POINT_KIND_MPI);
	assert_int_equal(point_number(&p), 12);
	p = point("omp:12.E");
	assert_point(&p, "omp:12.E");
	assert_int_equal(point_kind(&p), POINT_KIND_OMP);
	assert_int_equal(point_number(&p), 12);
	p = point("omp:1073741822.E");
	assert_point(&p, "omp:1073741822.E");
	assert_int_equal(point_kind(&p), POINT_KIND_OMP);
	p = POINT_LAST;
	assert_int_equal(point_kind(&p), POINT_KIND_MARKS);
	p = point("12.B");
	assert_int_equal(point_kind(&p), POINT_KIND_MARKS);
	assert_int_equal(point_number(&p), 12);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err err;

		assert_int_equal(point_parse(&p, bad[i], &err), -1);
		assert_non_null(strstr(err.text, bad[i]));
	}
}

/* Regions of OpenMP are ordered as calls of MPI are; of two runs, each with its own, by their marks. */
static void test_order_of_regions(void **state)
{
	struct point five = behind("omp:5.B", "3.E"), inside = behind("omp:6.E", "4.B");
	struct point call = behind("mpi:9.B", "3.E"), later = behind("mpi:1.B", "5.B");
	struct point mark = point("3.E"), next = point("4.B"), back;

	assert_order(&mark, &five, POINT_BEFORE);
	assert_order(&five, &next, POINT_BEFORE);
	assert_order(&next, &inside, POINT_BEFORE);
	assert_order(&five, &inside, POINT_BEFORE);
	assert_order(&call, &inside, POINT_BEFORE);
	assert_order(&inside, &later, POINT_BEFORE);
	assert_true(point_order_number(&five) < point_order_number(&inside));
	assert_true(point_of_order_number(&back, point_order_number(&inside)));
	assert_true(same(&back, &inside));
}

static void test_order_of_kinds(void **state)
{
	struct point five = behind("mpi:5.B", "3.E"), inside = behind("mpi:6.E", "4.B");
	struct point typed = point("mpi:5.B"), mark = point("3.E"), next = point("4.B");
	struct point end = point("4.E"), task = point("4.2.1.B"), earlier = point("3.2.1.B");
	struct point none = { 0 }, last = POINT_LAST;

	assert_order(&mark, &five, POINT_BEFORE);
	assert_order(&five, &next, POINT_BEFORE);
	assert_order(&next, &inside, POINT_BEFORE);
	assert_order(&inside, &end, POINT_BEFORE);
	assert_order(&five, &inside, POINT_BEFORE);
	assert_order(&none, &five, POINT_BEFORE);
	assert_order(&five, &last, POINT_BEFORE);
	assert_order(&inside, &task, POINT_INCOMPARABLE);
	assert_order(&earlier, &five, POINT_BEFORE);
	assert_order(&five, &task, POINT_BEFORE);
	/* as typed it has not been reached, and it is the point that was */
	assert_order(&end, &typed, POINT_BEFORE);
	assert_order(&five, &typed, POINT_EQUAL);
	mark = point_furthest(&five, &next);
	assert_point(&mark, "4.B");
	mark = point_furthest(&inside, &task);
	assert_point(&mark, "4.E");
}

static void test_order_numbers(void **state)
{
	struct point list[] = { { 0 },
				behind("mpi:1.B", "1.B"),
				point("1.B"),
				behind("mpi:1.B", "1.B"),
				behind("mpi:1.E", "1.B"),
				point("1.E"),
				behind("mpi:1073741822.E", "1.E"),
				point("2147483646.E"),
				POINT_LAST };
	uint64_t before = 0;

	list[1].task = 1; /* before the first mark */
	for (size_t i = 1; i < sizeof(list) / sizeof(*list); i++) {
		uint64_t n = point_order_number(&list[i]);
		struct point p;

		assert_true(n > before);
		before = n;
		if (n != UINT64_MAX) {
			assert_true(point_of_order_number(&p, n));
			assert_memory_equal(&p, &list[i], sizeof(p));
		}
	}
	assert_int_equal(point_order_number(&list[0]), 0);
	assert_false(point_of_order_number(&list[0], 0));
	assert_false(point_of_order_number(&list[0], UINT64_MAX));
}

/* The next point is the first that is not before the place behind one. */
static void test_after(void **state)
{
	struct point at = point("3.B"), place = point_after(&at), second = point_second(&place);
	struct point mpi = behind("mpi:5.B", "3.B"), end = point("3.E"), none = { 0 };
	struct buf b = BUF_INIT;

	assert_order(&at, &place, POINT_BEFORE);
	assert_order(&place, &mpi, POINT_BEFORE);
	assert_order(&place, &end, POINT_BEFORE);
	assert_true(point_is_after(&place) && !point_is_second(&place) && point_is_second(&second));
	at = point_furthest(&place, &end);
	assert_point(&at, "3.E");
	place = point_after(&mpi);
	assert_order(&mpi, &place, POINT_BEFORE);
	assert_order(&place, &end, POINT_BEFORE);
	place = point_after(&none);
	assert_order(&none, &place, POINT_BEFORE);
	at = point("1.B");
	assert_order(&place, &at, POINT_BEFORE);
	/* it travels where a target does, and nowhere else */
	point_target_put(&place, &b);
	assert_int_equal(point_target_get(&at, &b), 0);
	assert_true(point_is_after(&at));
	b.pos = 0;
	b.bad = false;
	assert_int_equal(point_get(&at, &b), -1);
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_and_format),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_order_of_kinds),
		cmocka_unit_test(test_order_of_regions),
		cmocka_unit_test(test_order_numbers),
		cmocka_unit_test(test_after),
		cmocka_unit_test(test_parse_errors),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_order_is_transitive),
		cmocka_unit_test(test_furthest_is_a_join),
		cmocka_unit_test(test_furthest_in_tasks),
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_wire),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
