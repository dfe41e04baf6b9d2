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
#include "common/array/section.h"

static const int64_t lower[] = { 1, 0, -5 }, extent[] = { 10, 100, 11 };

static struct section one(struct section_dim dim)
{
	return (struct section){ .ndim = 1, .dim = { dim } };
}

/* Binds dimension dim to low … low + n - 1, and compares the indices. */
static void gives(struct section_dim dim, int64_t low, int64_t n, size_t count, const int64_t *want)
{
	struct section s = one(dim);
	struct err err = { "" };

	if (section_bind(&s, "u", 1, &low, &n, &err))
		fail_msg("%s", err.text);
	assert_int_equal(section_count(&s, 0), count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(section_index(&s, 0, i), want[i]);
	section_clear(&s);
}

static void indices_of_all_forms(void **state)
{
	int64_t *vector = calloc(3, sizeof *vector);

	memcpy(vector, (int64_t[]){ 7, 2, 2 }, 3 * sizeof *vector);
	gives((struct section_dim){ .all = true }, 1, 3, 3, (int64_t[]){ 1, 2, 3 });
	gives((struct section_dim){ .scalar = true, .first = 4 }, 1, 9, 1, (int64_t[]){ 4 });
	gives((struct section_dim){ .first = 2, .last = 5 }, 0, 9, 4, (int64_t[]){ 2, 3, 4, 5 });
	gives((struct section_dim){ .first = 0, .last = 8, .step = 4 }, 0, 9, 3,
	      (int64_t[]){ 0, 4, 8 });
	gives((struct section_dim){ .first = 5, .last = 2, .step = -1 }, 0, 9, 4,
	      (int64_t[]){ 5, 4, 3, 2 });
	gives((struct section_dim){ .first = 8, .last = 0, .step = -3 }, 0, 9, 3,
	      (int64_t[]){ 8, 5, 2 });
	gives((struct section_dim){ .open_first = true, .last = -3 }, -5, 11, 3,
	      (int64_t[]){ -5, -4, -3 });
	gives((struct section_dim){ .first = 8, .open_last = true }, 1, 10, 3,
	      (int64_t[]){ 8, 9, 10 });
	gives((struct section_dim){ .open_first = true, .open_last = true, .step = -4 }, 1, 10, 3,
	      (int64_t[]){ 10, 6, 2 });
	gives((struct section_dim){ .vector = vector, .n = 3 }, 1, 10, 3, (int64_t[]){ 7, 2, 2 });
	gives((struct section_dim){ .all = true }, 1, 0, 0, NULL);
}

static void last_becomes_the_last_that_is_reached(void **state)
{
	struct section s = one((struct section_dim){ .first = 0, .last = 100, .step = 7 });

	assert_int_equal(section_bind(&s, "u", 1, (int64_t[]){ 0 }, (int64_t[]){ 99 }, NULL), 0);
	assert_int_equal(s.dim[0].last, 98);
	assert_int_equal(section_count(&s, 0), 15);
}

static void fails(struct section s, unsigned ndim, const char *text)
{
	struct err err;

	assert_int_equal(section_bind(&s, "u", ndim, lower, extent, &err), -1);
	assert_string_equal(err.text, text);
	section_clear(&s);
}

static void errors_name_dimension_index_and_range(void **state)
{
	struct section two = { .ndim = 2,
			       .dim = { { .all = true }, { .scalar = true, .first = 100 } } };
	int64_t *vector = calloc(2, sizeof *vector);

	vector[0] = 1;
	vector[1] = 11;
	fails(two, 2, "u: index 100 of dimension 2 is outside 0:99");
	fails(one((struct section_dim){ .first = 0, .last = 3 }), 1,
	      "u: index 0 of dimension 1 is outside 1:10");
	fails(one((struct section_dim){ .first = 1, .last = 11 }), 1,
	      "u: index 11 of dimension 1 is outside 1:10");
	fails(one((struct section_dim){ .first = 5, .last = 2 }), 1,
	      "u: 5:2 of dimension 1 is empty with step 1");
	fails(one((struct section_dim){ .first = INT64_MIN, .last = INT64_MAX }), 1,
	      "u: index -9223372036854775808 of dimension 1 is outside 1:10");
	fails(one((struct section_dim){ .vector = vector, .n = 2 }), 1,
	      "u: index 11 of dimension 1 is outside 1:10");
	fails(one((struct section_dim){ .all = true }), 2, "u has 2 dimensions, but 1 is given");
	fails(two, 1, "u has 1 dimension, but 2 are given");
	fails(one((struct section_dim){ .all = true }), 0,
	      "u is not an array, it has no elements to choose");
}

static void an_empty_dimension_says_so(void **state)
{
	struct section s = one((struct section_dim){ .scalar = true });
	struct err err;

	assert_int_equal(section_bind(&s, "u", 1, (int64_t[]){ 0 }, (int64_t[]){ 0 }, &err), -1);
	assert_string_equal(err.text, "u: dimension 1 has no elements");
}

static void no_dimensions_are_the_whole_array(void **state)
{
	struct section s = { 0 };

	assert_int_equal(section_bind(&s, "u", 3, lower, extent, NULL), 0);
	assert_int_equal(s.ndim, 3);
	assert_int_equal(section_total(&s), 10 * 100 * 11);
	assert_int_equal(section_index(&s, 2, 0), -5);
	assert_int_equal(section_index(&s, 2, 10), 5);
}

static void totals_do_not_overflow(void **state)
{
	struct section s = { 0 };

	assert_int_equal(section_bind(&s, "u", 3, lower,
				      (int64_t[]){ INT64_MAX / 2, INT64_MAX / 2, 2 }, NULL),
			 0);
	assert_true(section_total(&s) == UINT64_MAX);
	s.dim[2] = (struct section_dim){ .first = 1, .last = 0, .step = 1 };
	assert_true(section_total(&s) == 0);
}

static void it_travels_and_is_copied(void **state)
{
	struct section s = { .ndim = 3,
			     .dim = { { .first = 1, .last = 9, .step = 2 },
				      { .scalar = true, .first = 7 },
				      { .n = 2, .vector = calloc(2, sizeof(int64_t)) } } };
	struct section copy, back;
	struct buf b = BUF_INIT;

	s.dim[2].vector[1] = -5;
	assert_int_equal(section_bind(&s, "u", 3, lower, extent, NULL), 0);
	assert_int_equal(section_copy(&copy, &s), 0);
	section_put(&copy, &b);
	section_clear(&copy);
	assert_int_equal(section_get(&back, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(back.ndim, 3);
	assert_int_equal(section_count(&back, 0), 5);
	assert_true(back.dim[1].scalar);
	assert_int_equal(section_index(&back, 1, 0), 7);
	assert_int_equal(section_index(&back, 2, 1), -5);
	section_clear(&s);
	section_clear(&back);
	buf_clear(&b);
}

static void bytes_that_are_no_section_are_refused(void **state)
{
	struct section good = one((struct section_dim){ .first = 1, .last = 9, .step = 2 }), s;
	struct buf b = BUF_INIT;

	section_put(&good, &b);
	for (size_t cut = 0; cut < b.len; cut++) {
		struct buf part = buf_view(b.data, cut);

		assert_int_equal(section_get(&s, &part), -1);
	}
	b.data[1] = 8; /* flags */
	assert_int_equal(
		section_get(&s, &(struct buf){ .data = b.data, .len = b.len, .view = true }), -1);
	b.data[1] = 4; /* a vector of no entries */
	assert_int_equal(
		section_get(&s, &(struct buf){ .data = b.data, .len = b.len, .view = true }), -1);
	b.data[0] = ARRAY_DIMS + 1;
	assert_int_equal(
		section_get(&s, &(struct buf){ .data = b.data, .len = b.len, .view = true }), -1);
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(indices_of_all_forms),
		cmocka_unit_test(last_becomes_the_last_that_is_reached),
		cmocka_unit_test(errors_name_dimension_index_and_range),
		cmocka_unit_test(an_empty_dimension_says_so),
		cmocka_unit_test(no_dimensions_are_the_whole_array),
		cmocka_unit_test(totals_do_not_overflow),
		cmocka_unit_test(it_travels_and_is_copied),
		cmocka_unit_test(bytes_that_are_no_section_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
