/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/checksum/checksum.h"
#include "common/coverage/coverage.h"
#include "common/tracereport/tracereport.h"
#include "common/array/value.h"

static uint64_t bits(double d)
{
	uint64_t v;

	memcpy(&v, &d, 8);
	return v;
}

/* A finding at a source line; the order of occurrences is that of `at`. */
static struct trace_finding finding(unsigned line, uint32_t main, int64_t at, uint32_t rank,
				    uint64_t count)
{
	struct trace_finding f = { .kind = FINDING_VALUE,
				   .count = count,
				   .point = { main, 0, 0, POINT_BEGIN },
				   .order = { at },
				   .rank = rank,
				   .ref_rank = 1,
				   .nidx = 2,
				   .index = { 5, -7 },
				   .write = true,
				   .mode = SUM_RELATIVE,
				   .off = 0.5,
				   .limit = 1e-9,
				   .nframe = 1,
				   .noperand = 1 };

	f.spot.place =
		(struct place){ .file = "heat.c", .func = "main", .line = line, .module = "" };
	f.spot.build_id = (const unsigned char *)"\x01\x02";
	f.spot.nbuild_id = 2;
	f.thing = (struct trace_thing){ .what = TRACE_WHAT_ARRAY,
					.order = 'C',
					.ndim = 2,
					.name = "v",
					.file = "heat.c",
					.line = 12,
					.index = { 499, 1 } };
	f.value = (struct trace_pair){ VALUE_DOUBLE, 8, true, true, bits(0.25), bits(0.5) };
	f.frame[0] = (struct report_frame){ .kind = CONSTRUCT_PL,
					    .nidx = 2,
					    .idx = { 5, -7 },
					    .point = { main, 0, 0, POINT_BEGIN } };
	f.operand[0] = (struct trace_operand){ .thing = f.thing, .value = f.value, .other = true };
	f.operand[0].spot = f.spot;
	return f;
}

static void a_finding_is_read_as_it_was_put(void **state)
{
	struct trace_finding f = finding(63, 7, 3, 2, 9), g;
	struct buf b = BUF_INIT, cut;
	char text[256];

	trace_finding_put(&f, &b);
	assert_int_equal(trace_finding_get(&g, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(g.kind, FINDING_VALUE);
	assert_int_equal(g.count, 9);
	assert_int_equal(g.point.main, 7);
	assert_int_equal(g.order[0], 3);
	assert_int_equal(g.rank, 2);
	assert_int_equal(g.ref_rank, 1);
	assert_int_equal(g.index[1], -7);
	assert_string_equal(g.spot.place.file, "heat.c");
	assert_int_equal(g.spot.nbuild_id, 2);
	assert_int_equal(g.spot.build_id[1], 2);
	assert_string_equal(g.thing.name, "v");
	assert_int_equal(g.thing.index[0], 499);
	assert_int_equal(g.value.now, bits(0.25));
	assert_true(g.operand[0].other);
	assert_int_equal(g.operand[0].spot.place.line, 63);
	assert_int_equal(g.frame[0].idx[1], -7);
	assert_string_equal(
		trace_finding_text(&g, text, sizeof(text)),
		"v[499][1]: 0.25 here, 0.5 in the reference (difference 0.5 relative, 1e-09 "
		"allowed)");
	for (size_t n = 0; n < b.len; n++) {
		cut = buf_view(b.data, n);
		assert_int_equal(trace_finding_get(&g, &cut), -1);
	}
	buf_clear(&b);
}

static void names_of_things(void **state)
{
	struct trace_thing t = { .what = TRACE_WHAT_ARRAY,
				 .order = 'F',
				 .ndim = 2,
				 .name = "a",
				 .index = { 1, -2 },
				 .field = "x" };
	char text[16];

	assert_string_equal(trace_thing_text(&t, text, sizeof(text)), "a(1,-2)%x");
	t.order = 'C';
	assert_string_equal(trace_thing_text(&t, text, sizeof(text)), "a[1][-2].x");
	assert_string_equal(trace_thing_text(&t, text, 6), "a[1][");
	t = (struct trace_thing){ .what = TRACE_WHAT_HEAP, .within = 16 };
	assert_string_equal(trace_thing_text(&t, text, sizeof(text)), "heap+16");
	t = (struct trace_thing){ .what = TRACE_WHAT_ADDRESS, .within = 0x7f12 };
	assert_string_equal(trace_thing_text(&t, text, sizeof(text)), "0x7f12");
}

static struct buf bytes_of(const struct trace_findings *l)
{
	struct buf b = BUF_INIT;

	trace_findings_put(l, &b);
	assert_false(b.bad);
	return b;
}

static void one_per_kind_position_and_object(void **state)
{
	struct trace_findings l = { 0 };
	struct trace_finding f = finding(63, 7, 5, 0, 1), g;

	assert_int_equal(trace_findings_add(&l, &f), 0);
	f = finding(63, 7, 2, 0, 3);
	assert_int_equal(trace_findings_add(&l, &f), 0);
	f = finding(63, 6, 9, 4, 1);
	assert_int_equal(trace_findings_add(&l, &f), 0);
	f = finding(64, 8, 0, 0, 1);
	assert_int_equal(trace_findings_add(&l, &f), 0);
	f.thing.name = "u";
	assert_int_equal(trace_findings_add(&l, &f), 0);
	assert_int_equal(l.n, 3);
	assert_int_equal(l.total, 7);
	assert_int_equal(trace_findings_get(&l, 0, &g), 0);
	assert_int_equal(g.count, 5);
	assert_int_equal(g.point.main, 6);
	assert_int_equal(g.rank, 4);
	assert_int_equal(trace_findings_get(&l, 1, &g), 0);
	assert_string_equal(g.thing.name, "u");
	assert_int_equal(trace_findings_get(&l, 3, &g), -1);
	trace_findings_clear(&l);
}

/* In any order and grouping the same bytes. */
static void merging_is_associative_and_commutative(void **state)
{
	struct trace_findings part[3] = { { 0 }, { 0 }, { 0 } }, ab = { 0 }, bc = { 0 },
			      left = { 0 }, right = { 0 };
	struct buf x, y;

	srand(7);
	for (unsigned i = 0; i < 200; i++) {
		struct trace_finding f =
			finding((unsigned)rand() % 20, (unsigned)rand() % 5 + 1, rand() % 3,
				(unsigned)rand() % 3, (unsigned)rand() % 9 + 1);

		f.kind = rand() % 2 ? FINDING_VALUE : FINDING_USE;
		f.index[0] = rand() % 2;
		assert_int_equal(trace_findings_add(&part[i % 3], &f), 0);
	}
	trace_findings_merge(&ab, &part[0]);
	trace_findings_merge(&ab, &part[1]);
	trace_findings_merge(&left, &ab);
	trace_findings_merge(&left, &part[2]);
	trace_findings_merge(&bc, &part[2]);
	trace_findings_merge(&bc, &part[1]);
	trace_findings_merge(&right, &bc);
	trace_findings_merge(&right, &part[0]);
	assert_true(left.n > 30);
	x = bytes_of(&left);
	y = bytes_of(&right);
	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.data, y.data, x.len);
	buf_clear(&x);
	buf_clear(&y);
	trace_findings_clear(&ab);
	trace_findings_clear(&bc);
	trace_findings_clear(&left);
	trace_findings_clear(&right);
	for (unsigned i = 0; i < 3; i++)
		trace_findings_clear(&part[i]);
}

static void a_bound_keeps_the_first(void **state)
{
	struct trace_findings l = { .most = 3 };
	struct trace_finding f;

	for (unsigned i = 0; i < 1000; i++) {
		f = finding(i * 7 % 1000, i * 7 % 1000 + 1, 0, 0, 2);
		assert_int_equal(trace_findings_add(&l, &f), 0);
	}
	assert_int_equal(l.n, 3);
	assert_int_equal(l.total, 2000);
	assert_true(l.more);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(trace_findings_get(&l, i, &f), 0);
		assert_int_equal(f.spot.place.line, i);
	}
	trace_findings_trim(&l, 1);
	assert_int_equal(l.n, 1);
	trace_findings_clear(&l);
	assert_int_equal(l.most, 3);
}

static void what_is_new_is_taken(void **state)
{
	struct trace_findings l = { 0 }, part = { 0 }, all = { 0 };
	struct trace_finding f = finding(63, 7, 5, 0, 1);
	struct buf x, y;

	for (unsigned i = 0; i < 50; i++) {
		f = finding(i % 7, 50 - i, 0, 0, 1);
		assert_int_equal(trace_findings_add(&l, &f), 0);
		if (i % 4)
			continue;
		assert_true(trace_findings_take(&l, &part) > 0);
		assert_int_equal(trace_findings_merge(&all, &part), 0);
		assert_int_equal(trace_findings_take(&l, &part), 0);
		assert_int_equal(part.total, 0);
	}
	assert_true(trace_findings_take(&l, &part) > 0);
	trace_findings_merge(&all, &part);
	x = bytes_of(&l);
	y = bytes_of(&all);
	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.data, y.data, x.len);
	for (size_t n = 0; n < x.len; n += 13) {
		struct buf cut = buf_view(x.data, n);

		assert_int_equal(trace_findings_read(&part, &cut), -1);
		assert_int_equal(part.n, 0);
	}
	buf_clear(&x);
	buf_clear(&y);
	trace_findings_clear(&l);
	trace_findings_clear(&part);
	trace_findings_clear(&all);
}

/* ---- sets ---- */

static struct buf set_bytes(struct index_set *s)
{
	struct buf b = BUF_INIT;

	index_set_put(s, &b);
	assert_false(b.bad);
	return b;
}

/* Puts it, reads it, and checks that it is what it was. Returns how many bytes it takes. */
static size_t there_and_back(struct index_set *s)
{
	struct buf b = set_bytes(s), c;
	struct index_set *t = index_set_get(&b);
	size_t n = b.len;

	assert_non_null(t);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(index_set_count(t), index_set_count(s));
	c = set_bytes(t);
	assert_int_equal(c.len, n);
	assert_memory_equal(b.data, c.data, n);
	index_set_destroy(t);
	buf_clear(&b);
	buf_clear(&c);
	return n;
}

static void boxes_are_short(void **state)
{
	struct index_set *s = index_set_create(2);

	assert_int_equal(there_and_back(s), 6);
	for (int64_t i = 499; i >= 0; i--)
		index_set_add_run(s, (int64_t[]){ i, 100 }, 800);
	assert_int_equal(index_set_count(s), 400000);
	assert_true(there_and_back(s) < 300);
	assert_true(index_set_has(s, (int64_t[]){ 0, 100 }));
	assert_false(index_set_has(s, (int64_t[]){ 0, 99 }));
	assert_false(index_set_has(s, (int64_t[]){ 500, 100 }));
	/* cyclic rows, and a chessboard */
	index_set_reset(s, 2);
	for (int64_t i = 3; i < 1000; i += 4)
		index_set_add_run(s, (int64_t[]){ i, -5 }, 1000);
	assert_true(there_and_back(s) < 300);
	index_set_reset(s, 2);
	for (int64_t i = 0; i < 300; i++)
		for (int64_t j = i % 2; j < 300; j += 2)
			assert_int_equal(index_set_add(s, (int64_t[]){ i, j }), 1);
	assert_true(there_and_back(s) < 600);
	index_set_destroy(s);
}

static void sets_of_anything(void **state)
{
	struct index_set *a = index_set_create(3), *b = index_set_create(3),
			 *c = index_set_create(3);
	int64_t first[3] = { 0 };
	uint64_t n;
	struct buf x, y;

	srand(3);
	for (unsigned i = 0; i < 3000; i++) {
		int64_t at[3] = { rand() % 9 - 4, rand() % 5, rand() % 2000 - 1000 };
		bool known = index_set_has(a, at);

		assert_int_equal(index_set_add(a, at), !known);
		if (i % 2)
			index_set_add(b, at);
		else
			index_set_add(c, at);
	}
	n = index_set_count(a);
	there_and_back(a);
	index_set_merge(b, c);
	x = set_bytes(a);
	y = set_bytes(b);
	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.data, y.data, x.len);
	assert_int_equal(index_set_count(b), n);
	index_set_remove(b, c);
	assert_int_equal(index_set_count(b), n - index_set_count(c));
	there_and_back(b);
	assert_true(index_set_first(a, first));
	assert_int_equal(first[0], -4);
	index_set_remove(b, a);
	assert_false(index_set_first(b, first));
	/* every prefix is refused, and so is what is out of order */
	for (size_t k = 0; k < x.len; k += 7) {
		struct buf cut = buf_view(x.data, k);

		assert_null(index_set_get(&cut));
	}
	for (unsigned k = 0; k < 20000; k++) {
		struct buf bad = buf_view(x.data, x.len);
		unsigned char *byte = &x.data[(size_t)rand() % (k % 2 ? 200 : x.len)], kept = *byte;

		*byte ^= (unsigned char)(1 << rand() % 8);
		index_set_destroy(index_set_get(&bad));
		*byte = kept;
	}
	buf_clear(&x);
	buf_clear(&y);
	index_set_destroy(a);
	index_set_destroy(b);
	index_set_destroy(c);
}

static void a_set_that_is_too_large_is_given_up(void **state)
{
	struct index_set *s = index_set_create(1), *t = index_set_create(1);
	int64_t i;

	for (i = 0; index_set_add(s, (int64_t[]){ i * 100000 }) == 1; i++)
		assert_true(i < 10000000);
	assert_true(index_set_lost(s));
	assert_int_equal(index_set_count(s), 0);
	there_and_back(s);
	index_set_add(t, (int64_t[]){ 4 });
	index_set_merge(t, s);
	assert_true(index_set_lost(t));
	index_set_destroy(s);
	index_set_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_finding_is_read_as_it_was_put),
		cmocka_unit_test(names_of_things),
		cmocka_unit_test(one_per_kind_position_and_object),
		cmocka_unit_test(merging_is_associative_and_commutative),
		cmocka_unit_test(a_bound_keeps_the_first),
		cmocka_unit_test(what_is_new_is_taken),
		cmocka_unit_test(boxes_are_short),
		cmocka_unit_test(sets_of_anything),
		cmocka_unit_test(a_set_that_is_too_large_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
