/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/core/hash.h"

/* How often the item is found under the key. */
static unsigned times(const struct hash *h, uint64_t key, uint32_t item)
{
	unsigned n = 0;

	for (uint32_t at = 0, i; hash_next(h, key, &at, &i);)
		n += i == item;
	return n;
}

static void test_empty(void **state)
{
	struct hash h = { 0 };

	assert_int_equal(times(&h, 0, 0), 0);
	hash_reset(&h);
	hash_clear(&h);
	assert_null(h.slot);
}

static void test_numbers(void **state)
{
	struct hash h = { 0 };

	for (uint32_t i = 0; i < 10000; i++) {
		assert_int_equal(hash_put(&h, (uint64_t)i * i << 20, i), 0);
		assert_int_equal(h.n, i + 1);
	}
	for (uint32_t i = 0; i < 10000; i++) {
		assert_int_equal(times(&h, (uint64_t)i * i << 20, i), 1);
		assert_int_equal(times(&h, ((uint64_t)i * i << 20) + 1, i), 0);
	}
	hash_clear(&h);
	assert_int_equal(times(&h, 0, 0), 0);
}

/* Keys that differ in high bits only, or in low ones, are spread well. */
static void test_spread(void **state)
{
	for (unsigned shift = 0; shift <= 48; shift += 8) {
		struct hash h = { 0 };
		unsigned steps = 0;

		for (uint32_t i = 0; i < 4096; i++)
			assert_int_equal(hash_put(&h, (uint64_t)i << shift, i), 0);
		for (uint32_t i = 0; i < 4096; i++) {
			uint32_t at = 0, item;

			assert_true(hash_next(&h, (uint64_t)i << shift, &at, &item));
			steps += at;
		}
		assert_in_range(steps, 4096, 2 * 4096);
		hash_clear(&h);
	}
}

static void test_same_key(void **state)
{
	struct hash h = { 0 };
	unsigned n = 0;

	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(hash_put(&h, 7, i), 0);
	assert_int_equal(hash_put(&h, 8, 3), 0);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(times(&h, 7, i), 1);
	for (uint32_t at = 0, i; hash_next(&h, 7, &at, &i);)
		n++;
	assert_int_equal(n, 100);
	hash_clear(&h);
}

static void test_text(void **state)
{
	static const char *const name[] = { "u", "v", "uv", "vu", "", "a[3]" };
	struct hash h = { 0 };

	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(hash_put(&h, hash_text(HASH_START, name[i]), i), 0);
	for (uint32_t i = 0; i < 6; i++)
		for (uint32_t k = 0; k < 6; k++)
			assert_int_equal(times(&h, hash_text(HASH_START, name[i]), k), i == k);
	assert_true(hash_text(HASH_START, "abc") == hash_bytes(HASH_START, "abc", 3));
	assert_true(hash_text(hash_text(HASH_START, "ab"), "c") == hash_text(HASH_START, "abc"));
	assert_true(hash_text(HASH_START, "") == HASH_START);
	/* FNV-1a as it is published */
	assert_true(hash_text(HASH_START, "a") == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(hash_text(HASH_START, "foobar") == UINT64_C(0x85944171f73967e8));
	assert_true(hash_mix(1, 2) != hash_mix(2, 2));
	hash_clear(&h);
}

static void test_reset(void **state)
{
	struct hash h = { 0 };
	const struct hash_slot *slot;

	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(hash_put(&h, i, i), 0);
	slot = h.slot;
	hash_reset(&h);
	assert_ptr_equal(h.slot, slot);
	assert_int_equal(h.n, 0);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(times(&h, i, i), 0);
	assert_int_equal(hash_put(&h, 5, 6), 0);
	assert_int_equal(times(&h, 5, 6), 1);
	hash_clear(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),  cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_spread), cmocka_unit_test(test_same_key),
		cmocka_unit_test(test_text),  
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
