/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who owns what: the lowest rank that says so, what was said last, and the bytes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/buf.h"
#include "common/tracereport/tracereport.h"
#include "common/coverage/coverage.h"
#include "common/array/value.h"

/* Rows lo … hi of 10 × 4 elements, with a halo of one row. */
static struct array_desc rows(char *name, int64_t lo, int64_t hi)
{
	return (struct array_desc){ .name = name,
				    .file = "main.c",
				    .line = 7,
				    .kind = ARRAY_DISTRIBUTED,
				    .type = VALUE_DOUBLE,
				    .order = 'C',
				    .elem_size = 8,
				    .ndim = 2,
				    .extent = { 10, 4 },
				    .own_lo = { lo, 0 },
				    .own_hi = { hi, 3 },
				    .halo_lo = { 1 },
				    .halo_hi = { 1 },
				    .stride = { 4, 1 } };
}

static uint32_t find(const struct ownership *o, const char *name, int64_t row)
{
	return ownership_find(o, name, 0, 2, (int64_t[]){ row, 2 });
}

static void test_find(void **state)
{
	struct ownership o = { 0 }, more = { 0 };
	struct array_desc a = rows("u", 5, 9), b = rows("u", 0, 4), c = rows("v", 0, 9);
	int64_t list[] = { 7, 1 };

	(void)state;
	assert_int_equal(find(&o, "u", 3), TRACE_NO_RANK);
	assert_int_equal(ownership_add(&o, 3, &a), 0);
	assert_int_equal(ownership_add(&o, 1, &b), 0);
	assert_int_equal(ownership_add(&o, 2, &c), 0);
	/* a halo does not count */
	assert_int_equal(find(&o, "u", 4), 1);
	assert_int_equal(find(&o, "u", 5), 3);
	assert_int_equal(find(&o, "v", 5), 2);
	assert_int_equal(find(&o, "w", 5), TRACE_NO_RANK);
	assert_int_equal(ownership_find(&o, "u", 1, 2, (int64_t[]){ 5, 2 }), TRACE_NO_RANK);
	assert_int_equal(ownership_find(&o, "u", 0, 1, (int64_t[]){ 5 }), TRACE_NO_RANK);
	/* of several the lowest, of a rank what it said last */
	c = rows("u", 0, 9);
	assert_int_equal(ownership_add(&more, 2, &c), 0);
	c.list[0] = list;
	c.list_n[0] = 2;
	assert_int_equal(ownership_add(&more, 1, &c), 0);
	assert_int_equal(ownership_move(&o, &more), 0);
	assert_true(!more.n && !more.item);
	assert_int_equal(find(&o, "u", 4), 2);
	assert_int_equal(find(&o, "u", 7), 1);
	assert_int_equal(find(&o, "u", 1), 1);
	ownership_clear(&o);
}

static void test_wire(void **state)
{
	struct ownership o = { 0 }, copy = { 0 };
	struct array_desc a = rows("u", 5, 9), b = rows("v", 0, 4);
	int64_t list[] = { 3, 9 };
	struct buf all = BUF_INIT;

	(void)state;
	b.list[0] = list;
	b.list_n[0] = 2;
	assert_int_equal(ownership_add(&o, 3, &a), 0);
	assert_int_equal(ownership_add(&o, 1, &b), 0);
	ownership_put(&o, &all);
	assert_false(all.bad);
	assert_int_equal(ownership_get(&copy, &all), 0);
	assert_int_equal(buf_left(&all), 0);
	assert_int_equal(copy.n, 2);
	assert_int_equal(find(&copy, "u", 5), 3);
	assert_int_equal(find(&copy, "v", 9), 1);
	assert_int_equal(find(&copy, "v", 2), TRACE_NO_RANK);
	ownership_clear(&copy);
	/* a part of it is nothing, and leaks nothing */
	for (size_t n = 0; n < all.len; n++) {
		struct buf part = BUF_INIT;

		buf_put_raw(&part, all.data, n);
		assert_int_equal(ownership_get(&copy, &part), -1);
		ownership_clear(&copy);
		buf_clear(&part);
	}
	buf_clear(&all);
	ownership_clear(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
