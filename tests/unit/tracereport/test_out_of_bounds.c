/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory right before and behind arrays: the nearest one, and how far. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/tracereport/tracereport.h"
#include "common/trace/decode.h"
#include "common/array/value.h"

/* n rows of 4 elements with a halo of one row on both sides, at the address. */
static struct trace_object rows(uint64_t addr, int64_t n)
{
	static char name[] = "u";

	return (struct trace_object){ .kind = TRACE_ARRAY,
				      .desc = { .name = name,
						.kind = ARRAY_DISTRIBUTED,
						.type = VALUE_DOUBLE,
						.elem_size = 8,
						.ndim = 2,
						.extent = { 100, 4 },
						.own_lo = { 10, 0 },
						.own_hi = { 9 + n, 3 },
						.halo_lo = { 1 },
						.halo_hi = { 1 },
						.stride = { 4, 1 },
						.addr = addr } };
}

/* "0-8": of object 0, 8 bytes before it; "1+0"; "none" */
static const char *adjacent_of(const struct trace_block *b, uint64_t addr, unsigned size)
{
	static char text[40];
	uint32_t object;
	int64_t bytes;

	if (!out_of_bounds(b, addr, size, NULL, NULL, &object, &bytes))
		return "none";
	snprintf(text, sizeof(text), "%u%+lld", object, (long long)bytes);
	return text;
}

static const char *beside(const struct trace_block *b, uint64_t addr)
{
	return adjacent_of(b, addr, 8);
}

static void test_near(void **state)
{
	/* 12 rows of 32 bytes; 4 rows */
	struct trace_object o[] = { rows(0x10000, 10), rows(0x20000, 2) };
	struct trace_block b = { .object = o, .nobject = 2 };

	assert_string_equal(beside(&b, 0x10000 - 8), "0-8");
	assert_string_equal(beside(&b, 0x10000 + 384), "0+0");
	assert_string_equal(beside(&b, 0x10000 + 392), "0+8");
	assert_string_equal(beside(&b, 0x20000 - 24), "1-24");
	/* no elements of it would be there */
	assert_string_equal(beside(&b, 0x20000 - 4), "none");
	assert_string_equal(adjacent_of(&b, 0x20000 - 8, 4), "none");
	o[1].desc.type = VALUE_STRUCT;
	assert_string_equal(adjacent_of(&b, 0x20000 - 4, 4), "1-4");
	o[1].desc.type = VALUE_DOUBLE;
	/* inside, and farther away than the array is long */
	assert_string_equal(beside(&b, 0x10000 + 376), "none");
	assert_string_equal(beside(&b, 0x10000 - 384), "none");
	assert_string_equal(beside(&b, 0x20000 + 128 + 128), "none");
	assert_string_equal(beside(&b, 0), "none");
	assert_string_equal(beside(&b, UINT64_MAX), "none");
}

static void test_nearest(void **state)
{
	struct trace_object o[] = { rows(0x10000, 10), rows(0x10000 + 384 + 64, 10) };
	struct trace_block b = { .object = o, .nobject = 2 };

	assert_string_equal(beside(&b, 0x10000 + 384 + 24), "0+24");
	assert_string_equal(beside(&b, 0x10000 + 384 + 40), "1-24");
}

/* Scalars, memory that was allocated, and what cannot be, have nothing beside them. */
static void test_none(void **state)
{
	struct trace_object o[] = { rows(0x10000, 10), rows(0x20000, 10), rows(0x30000, 10),
				    rows(UINT64_MAX - 100, 10) };
	struct trace_block b = { .object = o, .nobject = 4 };

	o[0].desc.ndim = 0;
	o[1].kind = TRACE_HEAP;
	o[2].desc.stride[0] = INT64_MAX;
	assert_string_equal(beside(&b, 0x10000 - 8), "none");
	assert_string_equal(beside(&b, 0x20000 - 8), "none");
	assert_string_equal(beside(&b, 0x30000 - 8), "none");
	assert_string_equal(beside(&b, UINT64_MAX - 108), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_near),
					    cmocka_unit_test(test_nearest),
					    cmocka_unit_test(test_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
