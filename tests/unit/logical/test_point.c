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
		assert_non_null(strstr(err.text, "N.B, N.E or N.TASK.M.B"));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_and_format),
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
