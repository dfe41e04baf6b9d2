/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "common/core/buf.h"
#include "common/protocol/finding_kind.h"

static void test_words(void **state)
{
	assert_string_equal(finding_kind_key(FINDING_NUMBERING), "numbering");
	assert_string_equal(finding_kind_text(FINDING_UNBALANCED), "an end without a beginning");
	assert_string_equal(finding_kind_key(FINDING_KINDS), "?");
	assert_string_equal(finding_kind_text(UINT32_MAX), "?");
}

/* A key names one kind, and can be typed. */
static void test_keys(void **state)
{
	for (unsigned i = 0; i < FINDING_KINDS; i++) {
		const char *key = finding_kind_key(i);

		assert_true(strlen(key) > 0);
		assert_int_equal(strspn(key, "abcdefghijklmnopqrstuvwxyz-"), strlen(key));
		assert_true(strlen(finding_kind_text(i)) > 0);
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(key, finding_kind_key(j));
	}
}

static void test_wire(void **state)
{
	struct report_finding in = {
		.kind = FINDING_LEFT,
		.point = { 5, 0, 0, POINT_BEGIN },
		.place = { .file = "a.c", .func = "f", .line = 3, .module = "" },
		.detail = "SL at a.c:3"
	};
	struct report_finding out;
	struct buf b = BUF_INIT;

	report_finding_put(&in, &b);
	assert_int_equal(report_finding_get(&out, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(out.kind, FINDING_LEFT);
	assert_int_equal(out.point.main, 5);
	assert_true(place_equal(&out.place, &in.place));
	assert_string_equal(out.detail, "SL at a.c:3");
	for (size_t len = 0; len < b.len; len++) {
		struct buf cut = buf_view(b.data, len);

		assert_int_equal(report_finding_get(&out, &cut), -1);
	}
	b.data[0] = FINDING_STORED + 1;
	b.pos = 0;
	assert_int_equal(report_finding_get(&out, &b), -1);
	assert_true(b.bad);
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
