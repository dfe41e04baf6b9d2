/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"

static void test_round_trip(void **state)
{
	struct buf b = BUF_INIT;
	const void *blob;
	size_t len;

	buf_put_u8(&b, 0xfe);
	buf_put_u16(&b, 0x1234);
	buf_put_u32(&b, 0xdeadbeef);
	buf_put_u64(&b, UINT64_MAX - 1);
	buf_put_i64(&b, INT64_MIN);
	buf_put_str(&b, "heat.c");
	buf_put_str(&b, NULL);
	buf_put_blob(&b, "ab\0c", 4);
	buf_put_blob(&b, NULL, 0);
	buf_put_raw(&b, "z", 1);
	assert_false(b.bad);
	assert_int_equal(buf_get_u8(&b), 0xfe);
	assert_int_equal(buf_get_u16(&b), 0x1234);
	assert_int_equal(buf_get_u32(&b), 0xdeadbeef);
	assert_true(buf_get_u64(&b) == UINT64_MAX - 1);
	assert_true(buf_get_i64(&b) == INT64_MIN);
	assert_string_equal(buf_get_str(&b), "heat.c");
	assert_string_equal(buf_get_str(&b), "");
	blob = buf_get_blob(&b, &len);
	assert_int_equal(len, 4);
	assert_memory_equal(blob, "ab\0c", 4);
	assert_non_null(buf_get_blob(&b, &len));
	assert_int_equal(len, 0);
	assert_int_equal(buf_left(&b), 1);
	assert_memory_equal(buf_get_raw(&b, 1), "z", 1);
	assert_int_equal(buf_left(&b), 0);
	assert_false(b.bad);
	buf_clear(&b);
	assert_null(b.data);
}

static void test_little_endian(void **state)
{
	struct buf b = BUF_INIT;

	buf_put_u32(&b, 0x01020304);
	buf_put_u16(&b, 0x0506);
	assert_int_equal(b.len, 6);
	assert_memory_equal(b.data, "\4\3\2\1\6\5", 6);
	buf_clear(&b);
}

static void test_short(void **state)
{
	struct buf b = buf_view("\1\2\3", 3);
	size_t len = 9;

	assert_int_equal(buf_get_u32(&b), 0);
	assert_true(b.bad);
	/* it stays bad although three bytes are there */
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(buf_get_u8(&b), 0);
	assert_int_equal(buf_get_u16(&b), 0);
	assert_true(buf_get_u64(&b) == 0);
	assert_true(buf_get_i64(&b) == 0);
	assert_string_equal(buf_get_str(&b), "");
	assert_null(buf_get_raw(&b, 0));
	assert_null(buf_get_blob(&b, &len));
	assert_int_equal(len, 0);
}

static void test_hostile_lengths(void **state)
{
	struct buf b = buf_view("\xff\xff\xff\xff"
				"abc",
				7);
	size_t len;

	assert_null(buf_get_blob(&b, &len));
	assert_int_equal(len, 0);
	assert_true(b.bad);
	b = buf_view("abc", 3);
	assert_string_equal(buf_get_str(&b), ""); /* no NUL */
	assert_true(b.bad);
	b = buf_view("abc", 3);
	assert_null(buf_get_raw(&b, SIZE_MAX));
	assert_true(b.bad);
	b = buf_view("abc", 3);
	assert_int_equal(buf_get_u8(&b), 'a');
	assert_null(buf_get_raw(&b, SIZE_MAX)); /* position plus length would wrap */
	assert_true(b.bad);
	b = buf_view(NULL, 0);
	assert_string_equal(buf_get_str(&b), "");
	assert_true(b.bad);
}

static void test_view_is_not_written(void **state)
{
	char bytes[] = "abc";
	struct buf b = buf_view(bytes, 3);

	buf_put_u8(&b, 1);
	assert_true(b.bad);
	assert_int_equal(b.len, 3);
	assert_string_equal(bytes, "abc");
	buf_reset(&b);
	buf_put_u8(&b, 7);
	assert_int_equal(buf_get_u8(&b), 7);
	buf_clear(&b);
	b = buf_view(bytes, 3);
	buf_clear(&b); /* frees nothing */
	assert_string_equal(bytes, "abc");
}

static void test_reset_and_growth(void **state)
{
	struct buf b = BUF_INIT;
	unsigned char *data;

	for (unsigned i = 0; i < 100000; i++)
		buf_put_u32(&b, i);
	assert_int_equal(b.len, 400000);
	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(buf_get_u32(&b), i);
	data = b.data;
	buf_get_u8(&b);
	assert_true(b.bad);
	buf_reset(&b);
	assert_false(b.bad);
	assert_int_equal(b.len, 0);
	buf_put_u8(&b, 5);
	assert_ptr_equal(b.data, data);
	assert_int_equal(buf_get_u8(&b), 5);
	buf_clear(&b);
}

static void test_impossible_size(void **state)
{
	struct buf b = BUF_INIT;

	buf_put_u8(&b, 1);
	buf_put_raw(&b, "x", SIZE_MAX - 4);
	assert_true(b.bad);
	assert_int_equal(b.len, 1);
	buf_put_u8(&b, 1); /* nothing more is taken */
	assert_int_equal(b.len, 1);
	buf_clear(&b);
	buf_put_blob(&b, "x", (size_t)UINT32_MAX + 1);
	assert_true(b.bad);
	assert_int_equal(b.len, 0);
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_little_endian),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_hostile_lengths),
		cmocka_unit_test(test_view_is_not_written),
		cmocka_unit_test(test_reset_and_growth),
		cmocka_unit_test(test_impossible_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
