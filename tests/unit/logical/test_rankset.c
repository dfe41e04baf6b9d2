/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/logical/rankset.h"

#define WIDTH 64 /* ranks in the bitmap model */

static uint64_t seed = 42;

static uint32_t pick(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static uint64_t bits(uint32_t lo, uint32_t hi)
{
	uint64_t map = 0;

	for (uint32_t r = lo; r <= hi; r++)
		map |= UINT64_C(1) << r;
	return map;
}

static struct rankset from_map(uint64_t map)
{
	struct rankset s = { 0 };

	for (uint32_t r = 0; r < WIDTH; r++) {
		if (map >> r & 1)
			assert_int_equal(rankset_add(&s, r, r), 0);
	}
	return s;
}

/* s is in its normal form and holds exactly the ranks of map. */
static void check(const struct rankset *s, uint64_t map)
{
	int64_t next = -1;

	for (size_t i = 0; i < s->n; i++) {
		assert_true(s->run[i].lo <= s->run[i].hi);
		if (i)
			assert_true(s->run[i].lo > s->run[i - 1].hi + 1);
	}
	for (uint32_t r = 0; r < WIDTH; r++)
		assert_int_equal(rankset_has(s, r), map >> r & 1);
	assert_int_equal(rankset_count(s), __builtin_popcountll(map));
	for (uint32_t r = WIDTH; r-- > 0;) {
		if (map >> r & 1)
			next = r;
		assert_true(rankset_next(s, r) == next);
	}
}

static void test_add_as_bitmap(void **state)
{
	for (int round = 0; round < 500; round++) {
		struct rankset s = { 0 };
		uint64_t map = 0;

		for (int i = 0; i < 20; i++) {
			uint32_t lo = pick(WIDTH), hi = lo + pick(i % 2 ? 3 : 12);

			if (hi >= WIDTH)
				hi = WIDTH - 1;
			assert_int_equal(rankset_add(&s, lo, hi), 0);
			map |= bits(lo, hi);
			check(&s, map);
		}
		rankset_clear(&s);
		check(&s, 0);
	}
}

/* Maps with long and short runs, empty and full. */
static uint64_t random_map(void)
{
	uint64_t map = (uint64_t)pick(1u << 31) << 33 ^ (uint64_t)pick(1u << 31) << 11 ^ pick(2048);

	switch (pick(6)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return map | map << 1 | map << 2;
	case 3:
		return map & map << 1;
	default:
		return map;
	}
}

static void test_operations_as_bitmap(void **state)
{
	for (int round = 0; round < 3000; round++) {
		uint64_t ma = random_map(), mb = random_map();
		struct rankset a = from_map(ma), b = from_map(mb), s = { 0 };

		assert_int_equal(rankset_copy(&s, &a), 0);
		check(&s, ma);
		assert_true(rankset_equal(&s, &a));
		assert_int_equal(rankset_add_set(&s, &b), 0);
		check(&s, ma | mb);
		assert_int_equal(rankset_copy(&s, &a), 0);
		assert_int_equal(rankset_remove_set(&s, &b), 0);
		check(&s, ma & ~mb);
		assert_int_equal(rankset_copy(&s, &a), 0);
		assert_int_equal(rankset_intersect(&s, &b), 0);
		check(&s, ma & mb);
		assert_int_equal(rankset_meets(&a, &b), (ma & mb) != 0);
		assert_int_equal(rankset_covers(&a, &b), (mb & ~ma) == 0);
		assert_true(rankset_covers(&a, &s));
		assert_int_equal(rankset_equal(&a, &b), ma == mb);
		check(&b, mb);
		rankset_clear(&a);
		rankset_clear(&b);
		rankset_clear(&s);
	}
}

static void test_with_itself(void **state)
{
	struct rankset s = from_map(0xf0f1);

	assert_int_equal(rankset_add_set(&s, &s), 0);
	assert_int_equal(rankset_copy(&s, &s), 0);
	assert_int_equal(rankset_intersect(&s, &s), 0);
	check(&s, 0xf0f1);
	assert_int_equal(rankset_remove_set(&s, &s), 0);
	check(&s, 0);
	rankset_clear(&s);
}

static void test_limits(void **state)
{
	struct rankset s = { 0 };

	assert_int_equal(rankset_add(&s, RANKSET_MAX, RANKSET_MAX), -1);
	assert_int_equal(rankset_add(&s, 0, UINT32_MAX), -1);
	assert_int_equal(rankset_add(&s, 5, 4), -1);
	assert_int_equal(s.n, 0);
	assert_int_equal(rankset_add(&s, 0, RANKSET_MAX - 1), 0);
	assert_int_equal(rankset_count(&s), RANKSET_MAX);
	assert_true(rankset_next(&s, RANKSET_MAX - 1) == RANKSET_MAX - 1);
	assert_true(rankset_next(&s, RANKSET_MAX) == -1);
	assert_false(rankset_has(&s, UINT32_MAX));
	rankset_clear(&s);
}

static void test_large_is_quick(void **state)
{
	enum { RANKS = 16384 };
	struct rankset s = { 0 }, odd = { 0 };

	for (int round = 0; round < 20; round++) {
		rankset_clear(&s);
		rankset_clear(&odd);
		for (uint32_t r = 0; r < RANKS; r++)
			assert_int_equal(rankset_add(&s, r, r), 0);
		for (uint32_t r = 1; r < RANKS; r += 2)
			assert_int_equal(rankset_add(&odd, r, r), 0);
		assert_int_equal(rankset_remove_set(&s, &odd), 0);
	}
	assert_int_equal(odd.n, RANKS / 2);
	assert_int_equal(s.n, RANKS / 2);
	assert_int_equal(rankset_count(&s), RANKS / 2);
	/* milliseconds when linear, seconds when not */
	rankset_clear(&s);
	rankset_clear(&odd);
}

static void check_parse(const char *text, const char *expected)
{
	struct rankset s = { 0 };
	struct err err;
	char out[64];

	if (rankset_parse(&s, text, &err) < 0)
		fail_msg("\"%s\": %s", text, err.text);
	assert_string_equal(rankset_format(&s, out, sizeof(out)), expected);
	rankset_clear(&s);
}

static void test_parse(void **state)
{
	check_parse("0", "[0]");
	check_parse("0:3,8", "[0:3,8]");
	check_parse("0-3,8", "[0:3,8]");
	check_parse("0..3,8", "[0:3,8]");
	check_parse(" 8 , 0 : 3 ", "[0:3,8]");
	check_parse("3,2,1,0", "[0:3]");
	check_parse("5:5", "[5]");
	check_parse("1048575", "[1048575]");
}

static void check_refused(const char *text, const char *part)
{
	struct rankset s = { 0 };
	struct err err = { "" };

	assert_int_equal(rankset_add(&s, 7, 7), 0);
	assert_int_equal(rankset_parse(&s, text, &err), -1);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" not in \"%s\"", part, err.text);
	/* what was there stays */
	assert_int_equal(rankset_count(&s), 1);
	assert_true(rankset_has(&s, 7));
	rankset_clear(&s);
}

static void test_parse_errors(void **state)
{
	check_refused("", "missing at the end");
	check_refused("0,", "missing at the end");
	check_refused("0:", "missing at the end");
	check_refused(",1", "a rank is expected at \",1\"");
	check_refused("a", "a rank is expected at \"a\"");
	check_refused("1,b", "a rank is expected at \"b\"");
	check_refused("-1", "a rank is expected at \"-1\"");
	check_refused("1 2", "\"2\" is not expected");
	check_refused("1:2:3", "\":3\" is not expected");
	check_refused("[1]", "a rank is expected");
	check_refused("3:1", "3:1 runs backwards");
	check_refused("1048576", "below 1048576");
	check_refused("0:99999999999999999999", "below 1048576");
	check_refused("1.5", "\".5\" is not expected");
}

static void test_format_cut(void **state)
{
	struct rankset s = { 0 };
	char full[64], out[64];
	size_t need;

	assert_string_equal(rankset_format(&s, out, sizeof(out)), "[]");
	rankset_parse(&s, "0:6,8,100:200,300", NULL);
	assert_string_equal(rankset_format(&s, full, sizeof(full)), "[0:6,8,100:200,300]");
	need = strlen(full) + 1;
	assert_string_equal(rankset_format(&s, out, need), full);
	assert_string_equal(rankset_format(&s, out, 19), "[0:6,8,...]");
	assert_string_equal(rankset_format(&s, out, 12), "[0:6,8,...]");
	assert_string_equal(rankset_format(&s, out, 11), "[0:6,...]");
	assert_string_equal(rankset_format(&s, out, 6), "[...]");
	for (size_t size = 1; size < need; size++) {
		char *exact = malloc(size); /* so that a byte too many is seen */

		assert_true(strlen(rankset_format(&s, exact, size)) < size);
		if (size >= 6)
			assert_non_null(strstr(exact, "...]"));
		free(exact);
	}
	out[0] = 'x';
	rankset_format(&s, out, 0);
	assert_int_equal(out[0], 'x');
	rankset_clear(&s);
}

static void test_wire(void **state)
{
	for (int round = 0; round < 300; round++) {
		struct rankset a = from_map(random_map()), s = { 0 };
		struct buf b = BUF_INIT;

		rankset_add(&s, 3, 900);
		rankset_put(&a, &b);
		assert_int_equal(b.len, 4 + 8 * a.n);
		assert_int_equal(rankset_get(&s, &b), 0);
		assert_true(rankset_equal(&a, &s));
		assert_int_equal(buf_left(&b), 0);
		for (size_t len = 0; len < b.len; len++) {
			struct buf cut = buf_view(b.data, len);

			assert_int_equal(rankset_get(&s, &cut), -1);
			assert_true(cut.bad);
		}
		rankset_clear(&a);
		rankset_clear(&s);
		buf_clear(&b);
	}
}

static void check_hostile(const uint32_t *word, size_t n)
{
	struct rankset s = { 0 };
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_put_u32(&b, word[i]);
	assert_int_equal(rankset_get(&s, &b), -1);
	assert_true(b.bad);
	assert_int_equal(s.n, 0);
	rankset_clear(&s);
	buf_clear(&b);
}

static void test_hostile(void **state)
{
	const uint32_t count[] = { UINT32_MAX, 0, 1 };
	const uint32_t backwards[] = { 1, 5, 4 };
	const uint32_t touching[] = { 2, 0, 3, 4, 5 };
	const uint32_t overlapping[] = { 2, 0, 3, 2, 5 };
	const uint32_t unordered[] = { 2, 8, 9, 0, 1 };
	const uint32_t beyond[] = { 1, 0, RANKSET_MAX };
	const uint32_t wrapping[] = { 2, 0, UINT32_MAX, 1, 2 };

	check_hostile(count, 3);
	check_hostile(backwards, 3);
	check_hostile(touching, 5);
	check_hostile(overlapping, 5);
	check_hostile(unordered, 5);
	check_hostile(beyond, 3);
	check_hostile(wrapping, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_as_bitmap),  cmocka_unit_test(test_operations_as_bitmap),
		cmocka_unit_test(test_with_itself),    cmocka_unit_test(test_limits),
		cmocka_unit_test(test_large_is_quick), cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_errors),   cmocka_unit_test(test_format_cut),
		cmocka_unit_test(test_wire),	       cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
