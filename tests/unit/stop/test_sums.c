/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdvmdbg: of what checksums are taken, at which points, and that they are right.
 */
#include "tests/unit/ring.h"

#include <stdio.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/finding_kind.h"

/* At the points of `parts`: what is told of distributed arrays, and of replicated objects. */
static const struct reported {
	const char *point, *arrays, *objects;
} reported[] = {
	{ "1.B", "", "eps once w par.dt par.steps" },
	{ "1.E", "u", "" },
	{ "2.B", "", "eps" },
	{ "2.E", "v", "" },
	{ "3.E", "u v", "w" },
	{ "4.B", "", "w" },
	{ "4.1.1.E", "v", "" },
	{ "4.E", "v", "par.steps" },
	{ "5.B", "", "par.steps" },
	{ "5.E", "", "" },
	{ "6.B", "v", "" }, /* forgotten */
	{ "6.E", "u", "" },
};

#define TOLD (sizeof(reported) / sizeof(*reported))

/* The sums of u and v at each of these points. */
struct sums {
	struct sum *sum[TOLD][2];
};

static unsigned words(const char *text)
{
	unsigned n = *text != 0;

	while ((text = strchr(text, ' ')))
		text++, n++;
	return n;
}

static void expect_names(const struct ring_record *r, const char *names)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", names);
	for (char *p = strtok(copy, " "); p; p = strtok(NULL, " "))
		assert_true(ring_has(r, p));
}

static void begin(const char *situation)
{
	trace_config_on();
	start(situation, PLAN_CONT, 0, NULL);
}

/* The last record is that of the program's end, with what is registered then. */
static void expect_end(void)
{
	const struct ring_record *r = ring_take();

#ifdef __SANITIZE_ADDRESS__
	assert_null(r); /* its free is not ours */
	return;
#endif
	assert_non_null(r);
	assert_string_equal(r->point, "7.E");
	assert_int_equal(r->head.kind, CONSTRUCT_FINISH);
	assert_true(ring_has(r, "u") && !ring_has(r, "v"));
	assert_null(ring_take());
}

/* Runs rank k of n, and adds its sums to those of the others. */
static void run_part(int k, int n, struct sums *all)
{
	char situation[32];

	snprintf(situation, sizeof(situation), "part %d of %d", k, n);
	setup(NULL);
	use("arrays/sums");
	begin(situation);
	for (size_t i = 0; i < TOLD; i++) {
		const struct ring_record *r = ring_expect(
			reported[i].point, words(reported[i].arrays) + words(reported[i].objects));

		expect_names(r, reported[i].arrays);
		expect_names(r, reported[i].objects);
		for (int a = 0; a < 2; a++) {
			struct sum *sum;

			if (!ring_has(r, a ? "v" : "u"))
				continue;
			sum = ring_decode(ring_sum(r, a ? "v" : "u"));
			if (!all->sum[i][a])
				all->sum[i][a] = sum;
			else
				assert_int_equal(sum_merge(all->sum[i][a], sum, NULL), 0);
			if (all->sum[i][a] != sum)
				sum_destroy(sum);
		}
	}
	expect_end();
	assert_int_equal(findings(FINDING_ACCESS, ".writes"), 1);
	assert_int_equal(s.p->finding_n, 1);
	teardown(NULL);
	setup(NULL);
}

static void clear(struct sums *all)
{
	for (size_t i = 0; i < TOLD; i++)
		for (int a = 0; a < 2; a++)
			sum_destroy(all->sum[i][a]);
}

/* Any split into ranks, also with ranks that own nothing, gives the same bytes. */
static void test_splits(void **state)
{
	static const int splits[] = { 2, 3, 13 };
	struct sums whole = { 0 };

	run_part(0, 1, &whole);
	assert_int_equal(sum_count(whole.sum[1][0]), 120);
	assert_int_equal(sum_count(whole.sum[3][1]), 9);
	for (size_t i = 0; i < sizeof(splits) / sizeof(*splits); i++) {
		struct sums all = { 0 };

		for (int k = 0; k < splits[i]; k++)
			run_part(k, splits[i], &all);
		for (size_t p = 0; p < TOLD; p++)
			for (int a = 0; a < 2; a++) {
				struct buf x = BUF_INIT, y = BUF_INIT;

				assert_int_equal(!all.sum[p][a], !whole.sum[p][a]);
				if (!all.sum[p][a])
					continue;
				sum_put(whole.sum[p][a], &x);
				sum_put(all.sum[p][a], &y);
				assert_int_equal(x.len, y.len);
				assert_memory_equal(x.data, y.data, x.len);
				buf_clear(&x);
				buf_clear(&y);
			}
		clear(&all);
	}
	clear(&whole);
}

/* What goes with the sums: places, geometry, flags. */
static void test_heads(void **state)
{
	static const uint8_t u_flags[] = { [1] = POINT_SUMS_WRITE | POINT_SUMS_CHANGED |
						 POINT_SUMS_WRITTEN,
					   [4] = POINT_SUMS_WRITTEN,
					   [11] = POINT_SUMS_WRITTEN };
	static const uint8_t v_flags[] = {
		[3] = POINT_SUMS_WRITE | POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN,
		[4] = POINT_SUMS_WRITTEN,
		[6] = POINT_SUMS_WRITE | POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN,
		[7] = POINT_SUMS_WRITE | POINT_SUMS_WRITTEN,
		[10] = POINT_SUMS_GONE | POINT_SUMS_WRITTEN
	};
	const struct page_loc *loc;

	use("arrays/sums");
	begin("part 0 of 1");
	for (size_t i = 0; i < TOLD; i++) {
		const struct ring_record *r = ring_take();

		loc = (const void *)(s.p->arena + r->head.loc);
		assert_non_null(strstr(text(loc->file), "sums.c"));
		assert_int_equal(r->head.kind,
				 !strncmp(r->point, "4.", 2) && strlen(r->point) == 3 ?
					 CONSTRUCT_TR :
					 CONSTRUCT_PL);
		assert_int_equal(r->head.dropped, 0);
		if (strstr(reported[i].arrays, "u"))
			assert_int_equal(ring_sum(r, "u")->head.flags, u_flags[i]);
		if (strstr(reported[i].arrays, "v")) {
			const struct ring_sum *v = ring_sum(r, "v");

			assert_int_equal(v->head.flags, v_flags[i]);
			assert_int_equal(v->head.kind, ARRAY_DISTRIBUTED);
			assert_int_equal(v->head.order, 'C');
			assert_int_equal(v->head.ndim, 1);
			assert_int_equal(v->head.lower[0], 1);
			assert_int_equal(v->head.counter, 0);
		}
		if (i == 0) {
			assert_true(ring_total(ring_sum(r, "eps")) == 0.5);
			assert_true(ring_total(ring_sum(r, "once")) == 6);
			assert_true(ring_total(ring_sum(r, "par.steps")) == 3);
			assert_int_equal(ring_sum(r, "eps")->head.kind, ARRAY_REPLICATED);
			assert_int_equal(ring_sum(r, "eps")->head.flags, 0);
			assert_int_equal(ring_sum(r, "eps")->head.ndim, 0);
			assert_int_equal(ring_sum(r, "par.steps")->head.ndim, 1);
		}
		if (i == 2) {
			assert_true(ring_total(ring_sum(r, "eps")) == 0.25);
			assert_int_equal(ring_sum(r, "eps")->head.flags,
					 POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN);
		}
		if (i == 4)
			assert_true(ring_total(ring_sum(r, "w")) == 5);
	}
	expect_exit(0);
}

/* ChecksumMode 2: arrays that are only read, too. */
static void test_reads(void **state)
{
	const struct ring_record *r;

	use("arrays/sums");
	trace_config_on();
	s.trace_config.reads = 1;
	start("part 0 of 1", PLAN_CONT, 0, NULL);
	do
		r = ring_take();
	while (strcmp(r->point, "2.E"));
	assert_int_equal(r->head.n, 2);
	assert_int_equal(ring_sum(r, "u")->head.flags, POINT_SUMS_READ | POINT_SUMS_WRITTEN);
	assert_int_equal(ring_sum(r, "v")->head.flags,
			 POINT_SUMS_WRITE | POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN);
	while (ring_take())
		;
	expect_exit(0);
}

static void set_interval(const char *from, const char *to)
{
	trace_config_on();
	assert_int_equal(point_parse(&s.trace_config.start, from, NULL), 0);
	if (to)
		assert_int_equal(point_parse(&s.trace_config.finish, to, NULL), 0);
}

/* Both ends belong to the interval. */
static void test_interval(void **state)
{
	use("arrays/sums");
	set_interval("3.E", "4.B");
	start("part 0 of 1", PLAN_CONT, 0, NULL);
	/* the first that is seen of everything; nothing is known to have changed */
	assert_int_equal(ring_sum(ring_expect("3.E", 7), "u")->head.flags, 0);
	/* what a reduction may have been under way of, once more */
	expect_names(ring_expect("4.B", 5), "eps once w par.dt par.steps");
	assert_null(ring_take());
	expect_exit(0);
}

static void test_interval_in_task(void **state)
{
	const struct ring_record *r;

	use("arrays/sums");
	set_interval("4.1.1.B", "4.1.1.E");
	start("part 0 of 1", PLAN_CONT, 0, NULL);
	r = ring_expect("4.1.1.B", 5);
	assert_false(ring_has(r, "v"));
	r = ring_expect("4.1.1.E", 1);
	assert_int_equal(ring_sum(r, "v")->head.flags,
			 POINT_SUMS_WRITE | POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN);
	assert_null(ring_take());
	expect_exit(0);
}

/* A gauge that comes while the program is parked holds from the next point on. */
static void test_later(void **state)
{
	use("arrays/sums");
	rule_at(1, "5.E");
	start("part 0 of 1", PLAN_CONT, 0, NULL);
	expect_stop("5.E", STOP_POINT);
	assert_int_equal(s.p->sums_head, 0);
	trace_config_on();
	report(PLAN_CONT, 0, NULL, true);
	ring_expect("6.B", 6);
	ring_expect("6.E", 1);
	expect_end();
	expect_exit(0);
}

/* A record is there when a rule stops the program at its point. */
static void test_before_stop(void **state)
{
	use("arrays/sums");
	rule_at(1, "1.E");
	begin("part 0 of 1");
	expect_stop("1.E", STOP_POINT);
	ring_expect("1.B", 5);
	ring_expect("1.E", 1);
	assert_true(s.p->sums_head == s.p->sums_tail);
}

/* Arrays that cannot be read are left out and named, once each; the program lives. */
static void test_gone(void **state)
{
	const struct ring_record *r;

	use("arrays/sums");
	begin("gone");
	r = ring_expect("1.E", 4);
	assert_false(ring_has(r, "late"));
	r = ring_expect("2.E", 2);
	assert_true(ring_has(r, "late"));
	assert_true(ring_has(r, "kept"));
	ring_expect("3.E", 2);
	expect_exit(0);
	assert_int_equal(findings(FINDING_MEMORY, "big, so no checksum"), 1);
	assert_int_equal(findings(FINDING_MEMORY, "hole, so no checksum"), 1);
	assert_int_equal(findings(FINDING_MEMORY, "wall, so no checksum"), 1);
	assert_int_equal(s.p->finding_n, 3);
}

/* Registered again as it was, an array keeps what is known of it; another shape begins anew. */
static void test_again(void **state)
{
	static const uint8_t flags[] = { 0, POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN,
					 POINT_SUMS_WRITTEN, 0,
					 POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN };
	static const char *const points[] = { "1.E", "2.E", "3.E", "4.E", "5.E" };

	use("arrays/sums");
	begin("again");
	for (int i = 0; i < 5; i++)
		assert_int_equal(ring_sum(ring_expect(points[i], 1), "u")->head.flags, flags[i]);
	expect_exit(0);
}

static void test_old_header(void **state)
{
	use("arrays/sums");
	begin("old");
	assert_true(ring_has(ring_expect("1.E", 1), "u"));
	expect_exit(0);
	assert_int_equal(s.p->finding_n, 0);
}

static void test_fortran(void **state)
{
	const struct ring_record *r;

	use("points/fmarks");
	begin("");
	r = ring_expect("1.B", 4); /* eps z ok w; tag is a text */
	assert_true(ring_total(ring_sum(r, "z")) == 1);
	assert_true(ring_total(ring_sum(r, "w")) == 6);
	r = ring_expect("1.E", 2);
	assert_int_equal(ring_sum(r, "u")->head.flags,
			 POINT_SUMS_WRITE | POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN);
	assert_true(ring_total(ring_sum(r, "u")) == 37);
	assert_int_equal(ring_sum(r, "u")->head.order, 'F');
	assert_int_equal(ring_sum(r, "v")->head.flags, POINT_SUMS_WRITE);
	assert_int_equal(ring_sum(r, "v")->head.lower[0], 0);
	ring_expect("2.1.1.E", 0);
	ring_expect("2.2.1.E", 0);
	ring_expect("2.E", 0);
	r = ring_expect("3.E", 2);
	assert_true(ring_total(ring_sum(r, "u")) == 38);
	while ((r = ring_take()))
		if (!strcmp(r->point, "5.E"))
			assert_true(ring_total(ring_sum(r, "v")) == 3 * 6 * 12);
	expect_exit(0);
	assert_int_equal(findings(FINDING_ACCESS, "rsd"), 1);
	assert_int_equal(findings(FINDING_ACCESS, ""), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_splits),
		TEST(test_heads),
		TEST(test_reads),
		TEST(test_interval),
		TEST(test_interval_in_task),
		TEST(test_later),
		TEST(test_gone),
		TEST(test_before_stop),
		TEST(test_again),
		TEST(test_old_header),
		TEST(test_fortran),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
