/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

struct thing {
	uint64_t id;
	char name[9];
};

static void test_add(void **state)
{
	struct thing *list = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < 1000; i++) {
		struct thing *t = vec_add(list, n);

		assert_non_null(t);
		assert_ptr_equal(t, &list[i]);
		assert_int_equal(n, i + 1);
		assert_int_equal(t->id, 0);
		assert_int_equal(t->name[8], 0);
		t->id = i;
		t->name[8] = 'x';
	}
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(list[i].id, i);
	free(list);
}

/* An array without a field for its room may shrink, to nothing too, and grows again. */
static void test_shrink(void **state)
{
	unsigned *list = NULL;
	uint16_t n = 0;

	for (unsigned to = 0; to < 40; to++) {
		while (n < 37) {
			unsigned *last = vec_add(list, n);

			*last = n - 1u;
		}
		for (unsigned i = 0; i < n; i++)
			assert_int_equal(list[i], i);
		if (n > to)
			n = (uint16_t)to;
	}
	free(list);
}

static void test_more(void **state)
{
	char *text = NULL;
	size_t n = 0;

	for (size_t add = 1; add < 200; add++) {
		assert_int_equal(vec_more(text, n, add), 0);
		memset(text + n, (int)add, add);
		n += add;
	}
	n = 0;
	for (size_t add = 1; add < 200; n += add++)
		for (size_t i = 0; i < add; i++)
			assert_int_equal((unsigned char)text[n + i], add);
	/* room that is there already does not move */
	for (n = 5; n < 8; n++) {
		char *at = text;

		assert_int_equal(vec_more(text, n, 8 - n), 0);
		assert_ptr_equal(text, at);
	}
	free(text);
}

static void test_room(void **state)
{
	uint64_t *list = NULL;
	unsigned room = 0, moved = 0, most = 0;

	for (unsigned n = 1; n <= 5000; n++) {
		unsigned had = room;

		assert_int_equal(vec_room(list, room, n), 0);
		assert_true(room >= n);
		if (room != had) {
			assert_true(room >= 2 * had);
			moved++;
		}
		most = room;
		list[n - 1] = n;
	}
	assert_true(moved < 13);
	for (unsigned n = 1; n <= 5000; n++)
		assert_int_equal(list[n - 1], n);
	/* less is there already */
	assert_int_equal(vec_room(list, room, 3), 0);
	assert_int_equal(room, most);
	free(list);
}

/* Room for nothing needs no memory. */
static void test_room_none(void **state)
{
	int *list = NULL;
	size_t room = 0;

	assert_int_equal(vec_room(list, room, 0), 0);
	assert_null(list);
	assert_int_equal(room, 0);
	assert_int_equal(vec_more(list, room, 0), 0);
	assert_null(list);
}

static void test_overflow(void **state)
{
	struct thing *list = NULL;
	size_t n = 0, room = 0;

	assert_non_null(vec_add(list, n));
	list->id = 7;
	assert_int_equal(vec_more(list, n, SIZE_MAX), -1);
	assert_int_equal(vec_more(list, n, SIZE_MAX - 1), -1);
	assert_int_equal(vec_more(list, n, SIZE_MAX / sizeof(*list) - 1), -1);
	assert_int_equal(vec_more(list, n, PTRDIFF_MAX / sizeof(*list)), -1);
	assert_int_equal(list->id, 7);
	assert_int_equal(n, 1);
	free(list);

	list = NULL;
	assert_int_equal(vec_room(list, room, 1), 0);
	n = room;
	list->id = 8;
	assert_int_equal(vec_room(list, room, SIZE_MAX), -1);
	assert_int_equal(vec_room(list, room, SIZE_MAX / sizeof(*list)), -1);
	assert_int_equal(vec_room(list, room, PTRDIFF_MAX / sizeof(*list) + 1), -1);
	assert_int_equal(room, n);
	assert_int_equal(list->id, 8);
	free(list);
}

/* The number of items and the room never exceed their types. */
static void test_small_types(void **state)
{
	char *list = NULL;
	uint8_t n = 0, room = 0;

	for (unsigned i = 0; i < 255; i++)
		*vec_add(list, n) = (char)i;
	assert_null(vec_add(list, n));
	assert_int_equal(n, 255);
	assert_int_equal((unsigned char)list[254], 254);
	free(list);

	list = NULL;
	assert_int_equal(vec_room(list, room, 130), 0);
	assert_int_equal(room, 130);
	assert_int_equal(vec_room(list, room, 255), 0);
	assert_int_equal(room, 255);
	assert_int_equal(vec_room(list, room, 256), -1);
	assert_int_equal(room, 255);
	list[254] = 1;
	free(list);
}

static void test_remove(void **state)
{
	int *list = NULL;
	size_t n = 0;

	for (int i = 0; i < 5; i++)
		*vec_add(list, n) = i;
	vec_remove(list, n, 1);
	assert_int_equal(n, 4);
	assert_int_equal(list[0], 0);
	assert_int_equal(list[1], 2);
	assert_int_equal(list[3], 4);
	vec_remove(list, n, 3);
	vec_remove(list, n, 0);
	assert_int_equal(n, 2);
	assert_int_equal(list[0], 2);
	assert_int_equal(list[1], 3);
	free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),	    cmocka_unit_test(test_shrink),
		cmocka_unit_test(test_more),	    cmocka_unit_test(test_room),
		cmocka_unit_test(test_room_none),   cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_small_types), cmocka_unit_test(test_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
