/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Elements that become a value: those that the rank owns, and no other byte.
 */
#include "tests/unit/page_fixture.h"

#include <stdio.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/protocol/msg.h"
#include "common/array/value.h"
#include "runtime/exec/query/query.h"
#include "runtime/page/page.h"

/* Rows 2 … 5 of eight, each of six and a halo of one on every side. */
static int memory[6 * 8];

static void add_table(struct fixture *f)
{
	struct page_entity e = { .ndim = 2,
				 .order = 'C',
				 .live = 1,
				 .type = VALUE_INT,
				 .elem_size = 4,
				 .extent = { 8, 6 },
				 .own_lo = { 2 },
				 .own_hi = { 5, 5 },
				 .halo_lo = { 1, 1 },
				 .halo_hi = { 1, 1 },
				 .stride = { 8, 1 },
				 .addr = (uintptr_t)memory };

	memset(memory, 0, sizeof(memory));
	e.name = text(f, "u");
	e.loc = place(f, "src/a.c", 10, 0);
	f->page->first_entity = put(f, &e, sizeof(e));
}

/* "1 4": a value was written to 4 elements; "0 WHY". */
static const char *assign(struct fixture *f, const char *name, const struct section *s,
			  unsigned type, int value)
{
	static char out[300];
	struct msg_value v = { .type = (uint8_t)type };
	struct buf b = BUF_INIT;

	memcpy(v.bytes, &value, sizeof(value));
	assign_answer(&f->read, &f->memory, name, s, ASSIGN_OWN, &v, &b);
	if (buf_get_u8(&b))
		snprintf(out, sizeof(out), "1 %d", (int)buf_get_u64(&b));
	else
		snprintf(out, sizeof(out), "0 %s", buf_get_str(&b));
	assert_false(b.bad);
	assert_int_equal(buf_left(&b), 0);
	buf_clear(&b);
	return out;
}

static struct section section(int64_t r0, int64_t r1, int64_t c0, int64_t c1)
{
	return (struct section){ .ndim = 2,
				 .dim = { { .first = r0, .last = r1, .step = 1 },
					  { .first = c0, .last = c1, .step = 1 } } };
}

/* How many elements have the value, and whether they are all in the rectangle of memory. */
static int count(int value, int r0, int r1, int c0, int c1)
{
	int n = 0;

	for (int r = 0; r < 6; r++)
		for (int c = 0; c < 8; c++) {
			bool inside = r >= r0 && r <= r1 && c >= c0 && c <= c1;

			assert_int_equal(memory[8 * r + c] == value, inside);
			n += inside;
		}
	return n;
}

static void owned_elements_are_written(void **state)
{
	struct section s = section(1, 3, 4, 5);

	add_table(*state);
	/* of rows 1 … 3 this rank owns 2 and 3, which are the second and third in memory */
	assert_string_equal(assign(*state, "u", &s, VALUE_INT, 7), "1 4");
	assert_int_equal(count(7, 1, 2, 5, 6), 4);
	s = section(7, 7, 0, 5);
	assert_string_equal(assign(*state, "u", &s, VALUE_INT, 8), "1 0");
	assert_int_equal(count(7, 1, 2, 5, 6), 4);
}

static void what_cannot_be_written_is_reported(void **state)
{
	struct section s = section(2, 2, 0, 0);

	add_table(*state);
	assert_string_equal(assign(*state, "v", &s, VALUE_INT, 1), "0 no object v is registered");
	assert_string_equal(assign(*state, "u", &s, VALUE_FLOAT, 1), "0 u is of another type");
	s = section(8, 8, 0, 0);
	assert_string_equal(assign(*state, "u", &s, VALUE_INT, 1),
			    "0 u: index 8 of dimension 1 is outside 0:7");
	assert_int_equal(count(0, 0, 5, 0, 7), 48);
}

/* A constant of the program lies where nobody may write. */
static void read_only_memory_is_reported(void **state)
{
	static const int fixed[1] = { 5 };
	struct fixture *f = *state;
	struct page_entity e = { .order = 'C',
				 .live = 1,
				 .type = VALUE_INT,
				 .elem_size = 4,
				 .kind = ARRAY_REPLICATED,
				 .addr = (uintptr_t)fixed };
	struct section none = { 0 };
	const char *said;

	e.name = text(f, "n");
	e.loc = place(f, "src/a.c", 10, 0);
	f->page->first_entity = put(f, &e, sizeof(e));
	said = assign(f, "n", &none, VALUE_INT, 6);
	assert_ptr_equal(strstr(said, "0 n cannot be written at address 0x"), said);
	assert_non_null(strstr(said, "Bad address"));
	assert_int_equal(*(const volatile int *)fixed, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(owned_elements_are_written),
		T(what_cannot_be_written_is_reported),
		T(read_only_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
