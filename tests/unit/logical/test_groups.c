/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/groups.h"

static uint64_t seed = 7;

static uint32_t pick(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static void add(struct groups *d, uint32_t lo, uint32_t hi, const void *blob, size_t len)
{
	struct rankset ranks = { 0 };

	assert_int_equal(rankset_add(&ranks, lo, hi), 0);
	assert_int_equal(groups_add(d, &ranks, blob, len), 0);
	rankset_clear(&ranks);
}

static void assert_group(const struct groups *d, size_t i, const char *ranks, const char *blob)
{
	char out[64];

	assert_true(i < d->n);
	assert_string_equal(rankset_format(&d->group[i].ranks, out, sizeof(out)), ranks);
	assert_int_equal(d->group[i].len, strlen(blob));
	assert_memory_equal(d->group[i].blob, blob, strlen(blob));
}

static void test_groups(void **state)
{
	struct groups d = { 0 };
	struct rankset none = { 0 };
	char blob[] = "b";

	add(&d, 0, 2, "b", 1);
	add(&d, 3, 3, "a", 1);
	add(&d, 5, 5, blob, 1);
	blob[0] = 'x'; /* it was copied */
	add(&d, 4, 4, "bb", 2);
	add(&d, 6, 6, "", 0);
	assert_int_equal(groups_add(&d, &none, "zzz", 3), 0);
	assert_int_equal(d.n, 4);
	assert_group(&d, 0, "[6]", "");
	assert_group(&d, 1, "[3]", "a");
	assert_group(&d, 2, "[0:2,5]", "b");
	assert_group(&d, 3, "[4]", "bb");
	groups_clear(&d);
	assert_int_equal(d.n, 0);
}

static void test_blob_bytes(void **state)
{
	struct groups d = { 0 };

	/* bytes after a NUL count, and bytes are unsigned */
	add(&d, 0, 0, "a\0b", 3);
	add(&d, 1, 1, "a\0c", 3);
	add(&d, 2, 2, "a\0b", 3);
	add(&d, 3, 3, "\xff", 1);
	assert_int_equal(d.n, 3);
	assert_int_equal(rankset_count(&d.group[0].ranks), 2);
	assert_int_equal(d.group[2].blob[0], 0xff);
	groups_clear(&d);
}

/* Bytes on the wire; to be freed with buf_clear. */
static struct buf bytes_of(const struct groups *d)
{
	struct buf b = BUF_INIT;

	groups_put(d, &b);
	assert_false(b.bad);
	return b;
}

/* However the ranks' answers are merged, the bytes are the same. */
static void test_any_order_any_tree(void **state)
{
	enum { RANKS = 40, NODES = 6 };

	for (int round = 0; round < 200; round++) {
		struct groups node[NODES] = { 0 };
		struct groups all = { 0 };
		struct buf expected, got;
		unsigned kinds = 1 + pick(12);
		int left = NODES;

		for (uint32_t r = 0; r < RANKS; r++) {
			char blob[16];
			int len = snprintf(blob, sizeof(blob), "v%u", pick(kinds));

			add(&all, r, r, blob, (size_t)len);
			add(&node[pick(NODES)], r, r, blob, (size_t)len);
		}
		while (left > 1) {
			struct groups *into = &node[pick((uint32_t)left - 1)];

			assert_int_equal(groups_merge(into, &node[--left]), 0);
			groups_clear(&node[left]);
		}
		expected = bytes_of(&all);
		got = bytes_of(&node[0]);
		assert_int_equal(got.len, expected.len);
		assert_memory_equal(got.data, expected.data, got.len);
		buf_clear(&expected);
		buf_clear(&got);
		groups_clear(&all);
		groups_clear(&node[0]);
	}
}

static void test_merge_edge_cases(void **state)
{
	struct groups d = { 0 }, empty = { 0 };

	assert_int_equal(groups_merge(&d, &empty), 0);
	assert_int_equal(d.n, 0);
	add(&d, 0, 0, "a", 1);
	add(&d, 1, 1, "c", 1);
	assert_int_equal(groups_merge(&d, &d), 0);
	assert_int_equal(groups_merge(&d, &empty), 0);
	assert_int_equal(groups_merge(&empty, &d), 0);
	assert_int_equal(empty.n, 2);
	assert_group(&empty, 1, "[1]", "c");
	groups_clear(&d);
	groups_clear(&empty);
}

static void test_minority_first(void **state)
{
	struct groups d = { 0 };

	add(&d, 0, 3, "a", 1);
	add(&d, 6, 6, "b", 1);
	add(&d, 5, 5, "d", 1);
	add(&d, 4, 4, "c", 1);
	add(&d, 7, 8, "0", 1);
	groups_sort_minority(&d);
	assert_group(&d, 0, "[4]", "c");
	assert_group(&d, 1, "[5]", "d");
	assert_group(&d, 2, "[6]", "b");
	assert_group(&d, 3, "[7:8]", "0");
	assert_group(&d, 4, "[0:3]", "a");
	groups_clear(&d);
	groups_sort_minority(&d);
	assert_int_equal(d.n, 0);
}

static void test_wire(void **state)
{
	struct groups d = { 0 }, got = { 0 };
	struct buf b;

	add(&d, 0, 9, "same", 4);
	add(&d, 10, 10, "other", 5);
	add(&d, 11, 11, "", 0);
	b = bytes_of(&d);
	add(&got, 1, 1, "is replaced", 11);
	assert_int_equal(groups_get(&got, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(got.n, 3);
	assert_group(&got, 0, "[11]", "");
	assert_group(&got, 1, "[10]", "other");
	assert_group(&got, 2, "[0:9]", "same");
	for (size_t len = 0; len < b.len; len++) {
		struct buf cut = buf_view(b.data, len);

		assert_int_equal(groups_get(&got, &cut), -1);
		assert_int_equal(got.n, 0);
		assert_true(cut.bad);
	}
	/* whatever a byte becomes, it is refused or it is groups */
	for (size_t i = 0; i < b.len; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			struct buf view = buf_view(b.data, b.len);

			b.data[i] ^= (unsigned char)(1u << bit);
			if (groups_get(&got, &view) == 0) {
				struct buf again = bytes_of(&got);

				assert_true(again.len <= b.len);
				assert_memory_equal(again.data, b.data, again.len);
				buf_clear(&again);
			}
			b.data[i] ^= (unsigned char)(1u << bit);
		}
	}
	groups_clear(&d);
	groups_clear(&got);
	buf_clear(&b);
}

static void put_group(struct buf *b, uint32_t lo, uint32_t hi, const char *blob)
{
	buf_put_u32(b, 1);
	buf_put_u32(b, lo);
	buf_put_u32(b, hi);
	buf_put_blob(b, blob, strlen(blob));
}

static void test_hostile(void **state)
{
	struct groups got = { 0 };
	struct buf b = BUF_INIT;

	buf_put_u32(&b, UINT32_MAX); /* more groups than bytes */
	put_group(&b, 0, 0, "a");
	assert_int_equal(groups_get(&got, &b), -1);
	buf_reset(&b);
	buf_put_u32(&b, 2); /* out of order */
	put_group(&b, 0, 0, "b");
	put_group(&b, 1, 1, "a");
	assert_int_equal(groups_get(&got, &b), -1);
	buf_reset(&b);
	buf_put_u32(&b, 2); /* twice the same bytes */
	put_group(&b, 0, 0, "a");
	put_group(&b, 1, 1, "a");
	assert_int_equal(groups_get(&got, &b), -1);
	buf_reset(&b);
	buf_put_u32(&b, 1); /* nobody's answer */
	buf_put_u32(&b, 0);
	buf_put_blob(&b, "0123456789", 10);
	assert_int_equal(groups_get(&got, &b), -1);
	assert_int_equal(got.n, 0);
	buf_clear(&b);
}

static void test_large_is_quick(void **state)
{
	enum { RANKS = 16384 };
	struct groups same = { 0 }, half[2] = { 0 };

	for (uint32_t r = 0; r < RANKS; r++) {
		unsigned char blob[4] = { (unsigned char)(r >> 8), (unsigned char)r };

		add(&same, r, r, "equal", 5);
		add(&half[r % 2], r, r, blob, sizeof(blob));
	}
	assert_int_equal(same.n, 1);
	assert_int_equal(same.group[0].ranks.n, 1);
	assert_int_equal(groups_merge(&half[0], &half[1]), 0);
	assert_int_equal(half[0].n, RANKS);
	groups_sort_minority(&half[0]);
	for (uint32_t r = 0; r < RANKS; r++)
		assert_true(rankset_has(&half[0].group[r].ranks, r));
	/* milliseconds when all is well */
	groups_clear(&same);
	groups_clear(&half[0]);
	groups_clear(&half[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_blob_bytes),
		cmocka_unit_test(test_any_order_any_tree),
		cmocka_unit_test(test_merge_edge_cases),
		cmocka_unit_test(test_minority_first),
		cmocka_unit_test(test_wire),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_large_is_quick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
