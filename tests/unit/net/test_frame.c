/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "common/core/err.h"
#include "common/protocol/msg_list.h"
#include "common/net/internal.h"

static void test_header(void **state)
{
	struct buf b = BUF_INIT;

	wire_put(&b, MSG_GO, "xyz", 3);
	assert_int_equal(b.len, WIRE_HEADER + 3);
	assert_memory_equal(b.data, "DVMW\12\0\13\0\3\0\0\0xyz", WIRE_HEADER + 3);
	buf_clear(&b);
}

static void test_frames(void **state)
{
	struct buf b = BUF_INIT;
	const void *payload;
	unsigned type;
	size_t len;

	wire_put(&b, MSG_JOIN, "hello", 5);
	wire_put(&b, MSG_RESYNC, NULL, 0);
	wire_put(&b, WIRE_NONCE, "n", 1);
	assert_int_equal(wire_get(&b, WIRE_MAX, &type, &payload, &len, NULL), 1);
	assert_int_equal(type, MSG_JOIN);
	assert_int_equal(len, 5);
	assert_memory_equal(payload, "hello", 5);
	assert_int_equal(wire_get(&b, WIRE_MAX, &type, &payload, &len, NULL), 1);
	assert_int_equal(type, MSG_RESYNC);
	assert_int_equal(len, 0);
	assert_non_null(payload);
	assert_int_equal(wire_get(&b, WIRE_MAX, &type, &payload, &len, NULL), 1);
	assert_int_equal(type, WIRE_NONCE);
	assert_int_equal(wire_get(&b, WIRE_MAX, &type, &payload, &len, NULL), 0);
	assert_int_equal(buf_left(&b), 0);
	buf_clear(&b);
}

static void test_part_of_a_frame(void **state)
{
	struct buf b = BUF_INIT;
	const void *payload;
	unsigned type;
	size_t n;

	wire_put(&b, MSG_EVENT, "payload", 7);
	for (size_t len = 0; len < b.len; len++) {
		struct buf part = buf_view(b.data, len);

		assert_int_equal(wire_get(&part, WIRE_MAX, &type, &payload, &n, NULL), 0);
		assert_int_equal(part.pos, 0);
		assert_false(part.bad);
	}
	buf_clear(&b);
}

static void check_hostile(const char *bytes, size_t n, size_t max, const char *part)
{
	struct buf b = buf_view(bytes, n);
	struct err err = { "" };
	const void *payload;
	unsigned type;
	size_t len;

	assert_int_equal(wire_get(&b, max, &type, &payload, &len, &err), -1);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" not in \"%s\"", part, err.text);
}

static void test_hostile(void **state)
{
	check_hostile("GET / HTTP/1.1\r\n\r\n", 18, WIRE_MAX, "not those of dvmdbg");
	check_hostile("S", 1, WIRE_MAX, "not those of dvmdbg");
	check_hostile("DVMX", 4, WIRE_MAX, "not those of dvmdbg");
	check_hostile("DVMW\1\0\13\0\0\0\0\0", 12, WIRE_MAX, "version 1");
	check_hostile("DVMW\12\0\377\377\0\0\0\0", 12, WIRE_MAX, "type 65535");
	check_hostile("DVMW\12\0\0\0\0\0\0\0", 12, WIRE_MAX, "type 0");
	check_hostile("DVMW\12\0\13\0\377\377\377\377", 12, WIRE_MAX, "4294967295 bytes");
	check_hostile("DVMW\12\0\13\0\1\0\0\20", 12, WIRE_MAX, "at most 268435456");
	check_hostile("DVMW\12\0\13\0\1\1\0\0", 12, WIRE_MAX_EARLY, "257 bytes, at most 256");
}

static void test_too_big_to_send(void **state)
{
	struct buf b = BUF_INIT;

	wire_put(&b, MSG_REPLY, "x", (size_t)WIRE_MAX + 1);
	assert_true(b.bad);
	assert_int_equal(b.len, 0);
	buf_clear(&b);
}

/* Each message's number is written down here: they never change within a version. */
static void test_numbers(void **state)
{
	assert_int_equal(WIRE_VERSION, 10);
	assert_int_equal(MSG_JOIN, 1);
	assert_int_equal(MSG_PARENT, 2);
	assert_int_equal(MSG_REFUSE, 3);
	assert_int_equal(MSG_ATTACH, 4);
	assert_int_equal(MSG_RULES, 10);
	assert_int_equal(MSG_GO, 11);
	assert_int_equal(MSG_FREEZE, 12);
	assert_int_equal(MSG_QUERY, 13);
	assert_int_equal(MSG_PARAMS, 14);
	assert_int_equal(MSG_KILL, 15);
	assert_int_equal(MSG_RESYNC, 16);
	assert_int_equal(MSG_VERDICT, 17);
	assert_int_equal(MSG_TRACE, 18);
	assert_int_equal(MSG_REPLY, 20);
	assert_int_equal(MSG_EVENT, 21);
	assert_int_equal(MSG_LOST, 22);
	assert_int_equal(MSG_SUMS, 23);
	assert_int_equal(WIRE_NONCE, 100);
	assert_int_equal(WIRE_PROOF, 101);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_part_of_a_frame), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_too_big_to_send), cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
