/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variables by address and by name: those of this program, and of a Fortran module when there is
 * one.
 */
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/symbols/symbols.h"

struct cell {
	char tag;
	double t;
	union {
		int whole;
		short half[2];
	};
	double _Complex z;
};

static struct {
	int n;
	struct cell cell[5][4];
	const char *name;
	unsigned bits : 3, more : 9;
} grid = { .n = 1 };

typedef const volatile float speed;
static speed wind[3] = { 1, 2, 3 };
static enum color { RED, GREEN } color = GREEN;
static int64_t last[2];
int open_ended[7];
/* offsets and bounds that have the highest bit of a byte, and of two */
static struct {
	char before[130];
	short here;
	int row[200], many[40000];
} wide = { .here = 1 };

static struct symbols *symbols;
static uint64_t load;
static char self[4096];

static int *count_one(void)
{
	static int count = 1;

	return &count;
}

static int *count_two(void)
{
	static int count = 2;

	return &count;
}

static int find_load(struct dl_phdr_info *info, size_t size, void *arg)
{
	load = info->dlpi_addr;
	return 1; /* the first is the program */
}

static int setup(void **state)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(n > 0);
	self[n] = '\0';
	dl_iterate_phdr(find_load, NULL);
	symbols = symbols_create();
	return symbols ? 0 : -1;
}

static int teardown(void **state)
{
	symbols_destroy(symbols);
	return 0;
}

/* What is told of an access of so many bytes there. */
static const char *reported(const volatile void *at, unsigned size, struct symbol_data *data)
{
	static char text[200];
	const char *r = symbols_data_at(symbols, self, (uint64_t)(uintptr_t)at - load, size, NULL,
					data, text, sizeof(text));

	return r ? r : "nothing";
}

#define AT(thing, name, is)                                                        \
	do {                                                                       \
		struct symbol_data d_;                                             \
		assert_string_equal(reported(&(thing), sizeof(thing), &d_), name); \
		assert_int_equal(d_.type, is);                                     \
	} while (0)

static void by_address(void **state)
{
	struct symbol_data d;

	AT(grid.n, "grid.n", VALUE_INT);
	AT(grid.cell[0][0].tag, "grid.cell[0][0].tag", VALUE_CHAR);
	AT(grid.cell[3][2].t, "grid.cell[3][2].t", VALUE_DOUBLE);
	AT(grid.cell[4][3].whole, "grid.cell[4][3].whole", VALUE_INT);
	AT(grid.cell[4][3].half[1], "grid.cell[4][3].half[1]", VALUE_SHORT);
	AT(grid.cell[1][0].z, "grid.cell[1][0].z", VALUE_DCOMPLEX);
	AT(grid.name, "grid.name", VALUE_POINTER);
	AT(wind[2], "wind[2]", VALUE_FLOAT);
	AT(color, "color", VALUE_UINT);
	AT(last[1], "last[1]", VALUE_LONG);
	AT(open_ended[6], "open_ended[6]", VALUE_INT);
	AT(wide.here, "wide.here", VALUE_SHORT);
	AT(wide.row[199], "wide.row[199]", VALUE_INT);
	AT(wide.many[39999], "wide.many[39999]", VALUE_INT);
	/* parts */
	assert_string_equal(reported((char *)&grid.cell[1][0].z + 8, 8, &d), "grid.cell[1][0].z+8");
	assert_int_equal(d.type, VALUE_DOUBLE);
	assert_string_equal(reported((char *)&last[1] + 3, 1, &d), "last[1]+3");
	/* declared where */
	assert_non_null(strstr(d.file, "test_data.c"));
	assert_true(d.line > 20);
	assert_string_equal(reported(&d, 4, NULL), "nothing");
	assert_null(symbols_data_at(symbols, "/nowhere", 4096, 4, NULL, NULL, (char[8]){ "" }, 8));
}

static void of_functions(void **state)
{
	struct symbol_data d;

	AT(*count_one(), "count_one::count", VALUE_INT);
	AT(*count_two(), "count_two::count", VALUE_INT);
	assert_int_equal(symbols_data_find(symbols, self, "count_two::count", &d, NULL), 1);
	assert_int_equal(d.vaddr, (uint64_t)(uintptr_t)count_two() - load);
}

static void found(const char *text, const volatile void *at, size_t size, unsigned type)
{
	struct symbol_data d = { 0 };
	struct err err = { "" };

	assert_int_equal(symbols_data_find(symbols, self, text, &d, &err), 1);
	assert_string_equal(err.text, "");
	assert_int_equal(d.vaddr, (uint64_t)(uintptr_t)at - load);
	assert_int_equal(d.size, size);
	assert_int_equal(d.type, type);
}

static void by_name(void **state)
{
	found("grid", &grid, sizeof(grid), VALUE_TYPES);
	found("grid.n", &grid.n, 4, VALUE_INT);
	found("grid.cell[3][2].t", &grid.cell[3][2].t, 8, VALUE_DOUBLE);
	found("grid.cell[3][2].half[1]", &grid.cell[3][2].half[1], 2, VALUE_SHORT);
	found("grid.cell[3][2]", &grid.cell[3][2], sizeof(struct cell), VALUE_TYPES);
	found("test_data.c::wind[1]", &wind[1], 4, VALUE_FLOAT);
	found("last", last, 16, VALUE_TYPES);
}

static void refused(const char *text, int want, const char *words)
{
	struct symbol_data d;
	struct err err = { "" };

	assert_int_equal(symbols_data_find(symbols, self, text, &d, &err), want);
	if (!strstr(err.text, words))
		fail_msg("'%s' does not say '%s'", err.text, words);
}

static void bad_names(void **state)
{
	refused("nothing_like_it", 0, "");
	refused("", 0, "");
	refused("::", 0, "");
	refused("other.c::grid", 0, "");
	refused("count", -1, "several variables are called count: count_");
	refused("grid.m", -1, "grid.m: there is no field m");
	refused("grid.", -1, "there is no field ");
	refused("grid.cell", 1, "");
	refused("grid.cell[3]", -1, "2 indices are needed");
	refused("grid.cell[5][0]", -1, "index 5 is outside of 0:4");
	refused("grid.cell[-1][0]", -1, "index -1 is outside of 0:4");
	refused("grid.cell[0][", -1, "a number is needed");
	refused("grid.cell[0][1", -1, "']' is missing");
	refused("grid.cell[0][99999999999999999999999]", -1, "a number is needed");
	refused("grid.n[0]", -1, "'[0]' is not an element or field of it");
	refused("grid[0]", -1, "'[0]' is not an element or field of it");
	refused("wind(1)", -1, "1 index is needed");
	refused("wind[1]x", -1, "'x' is not an element or field of it");
}

/* What does not fit is cut, and never written behind the end. */
static void small_room(void **state)
{
	char text[12];

	memset(text, '#', sizeof(text));
	assert_non_null(symbols_data_at(symbols, self,
					(uint64_t)(uintptr_t)&grid.cell[3][2].t - load, 8, NULL,
					NULL, text, 9));
	assert_string_equal(text, "grid.cel");
	assert_int_equal(text[9], '#');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_address), cmocka_unit_test(of_functions),
		cmocka_unit_test(by_name),    cmocka_unit_test(bad_names),
		cmocka_unit_test(small_room),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
