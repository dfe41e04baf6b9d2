/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/array/value.h"

static char path[] = "/tmp/test-npy-XXXXXX";

static size_t read_file(unsigned char *out, size_t size)
{
	FILE *f = fopen(path, "rb");
	size_t n = fread(out, 1, size, f);

	fclose(f);
	return n;
}

static void write_file(const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

/* A file of version 1.0 with this dictionary and these elements. */
static void write_npy(const char *dict, const void *elements, size_t bytes)
{
	char text[256] = "\x93NUMPY\x01\x00";
	size_t n = strlen(dict);

	text[8] = (char)n;
	text[9] = 0;
	memcpy(text + 10, dict, n);
	memcpy(text + 10 + n, elements, bytes);
	write_file(text, 10 + n + bytes);
}

static void the_header_is_numpys(void **state)
{
	const int64_t extent[] = { 2, 3 };
	const double v[] = { 1, 2, 3, 4, 5, 6 };
	unsigned char got[400];
	struct npy *f = npy_create(path, VALUE_DOUBLE, 2, extent, 0, NULL);
	size_t n;

	assert_int_equal(npy_write(f, v, 4, NULL), 0);
	assert_int_equal(npy_write(f, v + 4, 2, NULL), 0);
	assert_int_equal(npy_close(f, NULL), 0);
	n = read_file(got, sizeof(got));
	assert_int_equal(n, 128 + 48);
	assert_memory_equal(got, "\x93NUMPY\x01\x00\x76\x00", 10);
	assert_memory_equal(got + 10,
			    "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } ", 60);
	assert_int_equal(got[127], '\n');
	assert_memory_equal(got + 128, v, 48);
}

static void every_type_comes_back(void **state)
{
	const int64_t one = 2;
	unsigned char in[32] = "0123456789abcdef0123456789abcde", out[32];

	for (unsigned t = 0; t < VALUE_TYPES; t++) {
		struct npy *f = npy_create(path, t, 1, &one, 1, NULL);

		assert_non_null(f);
		assert_int_equal(npy_write(f, in, 2, NULL), 0);
		assert_int_equal(npy_close(f, NULL), 0);
		f = npy_open(path, NULL);
		assert_non_null(f);
		assert_int_equal(value_size(npy_type(f)), value_size(t));
		assert_int_equal(npy_ndim(f), 1);
		assert_int_equal(npy_extent(f)[0], 2);
		assert_true(npy_fortran(f));
		assert_int_equal(npy_read(f, 1, out, 1, NULL), 0);
		assert_memory_equal(out, in + value_size(t), value_size(t));
		npy_abandon(f);
	}
}

static void the_other_byte_order_is_turned(void **state)
{
	int32_t v[2];
	double z[2];
	struct npy *f;

	write_npy("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }",
		  "\0\0\1\2\xff\xff\xff\xfe", 8);
	f = npy_open(path, NULL);
	assert_int_equal(npy_read(f, 0, v, 2, NULL), 0);
	assert_int_equal(v[0], 258);
	assert_int_equal(v[1], -2);
	npy_abandon(f);
	write_npy("{'descr': '>c16', 'fortran_order': False, 'shape': (), }",
		  "\x3f\xf0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", 16);
	f = npy_open(path, NULL);
	assert_int_equal(npy_ndim(f), 0);
	assert_int_equal(npy_read(f, 0, z, 1, NULL), 0);
	assert_true(z[0] == 1 && z[1] == 2);
	npy_abandon(f);
}

static void refuses(const char *dict, const char *why)
{
	struct err err = { "" };

	write_npy(dict, "", 0);
	assert_null(npy_open(path, &err));
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
}

static void damaged_files_are_refused(void **state)
{
	struct err err = { "" };
	struct npy *f;
	double v[4];

	write_file("no such thing", 13);
	assert_null(npy_open(path, &err));
	assert_non_null(strstr(err.text, "is not a .npy file"));
	refuses("{'descr': '<f3', 'fortran_order': False, 'shape': (2,), }",
		"f3 are not supported");
	refuses("{'descr': '<f8', 'fortran_order': False, 'shape': (-2,), }", "at most 8 numbers");
	refuses("{'descr': '<f8', 'fortran_order': False, 'shape': (2", "has no end");
	refuses("{'descr': '<f8', 'shape': (9223372036854775807, 9), }", "extent");
	refuses("{'descr': '<f8'}", "no shape");
	write_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", v, 24);
	f = npy_open(path, &err);
	assert_non_null(f);
	assert_int_equal(npy_read(f, 1, v, 3, &err), -1);
	assert_non_null(strstr(err.text, "is cut off: it ends before element 4"));
	assert_int_equal(npy_read(f, 0, v, 5, &err), -1);
	assert_non_null(strstr(err.text, "has 4 elements"));
	npy_abandon(f);
}

static void a_file_is_there_only_when_it_is_whole(void **state)
{
	const int64_t extent[] = { 3 };
	struct err err = { "" };
	double v = 1;
	struct npy *f;

	unlink(path);
	f = npy_create(path, VALUE_DOUBLE, 1, extent, 0, &err);
	assert_int_equal(npy_write(f, &v, 1, &err), 0);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(npy_close(f, &err), -1);
	assert_non_null(strstr(err.text, "1 of 3 elements were written"));
	assert_int_not_equal(access(path, F_OK), 0);
	assert_null(npy_create("/nowhere/x.npy", VALUE_DOUBLE, 1, extent, 0, &err));
	assert_non_null(strstr(err.text, "/nowhere/x.npy: No such file"));
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_is_numpys),
		cmocka_unit_test(every_type_comes_back),
		cmocka_unit_test(the_other_byte_order_is_turned),
		cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(a_file_is_there_only_when_it_is_whole),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
