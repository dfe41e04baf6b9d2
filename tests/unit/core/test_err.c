/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "common/core/err.h"

static void test_set(void **state)
{
	struct err err;

	errno = ENOENT;
	assert_int_equal(err_set(&err, "%s: %d", "n", 7), -1);
	assert_string_equal(err.text, "n: 7");
	assert_int_equal(errno, ENOENT);
}

static void test_null(void **state)
{
	errno = EPERM;
	assert_int_equal(err_set(NULL, "%s", "x"), -1);
	assert_int_equal(err_prefix(NULL, "%s", "x"), -1);
	assert_int_equal(errno, EPERM);
}

static void test_prefix(void **state)
{
	struct err err;

	err_set(&err, "no such file");
	errno = EIO;
	assert_int_equal(err_prefix(&err, "rank %d", 3), -1);
	assert_string_equal(err.text, "rank 3: no such file");
	assert_int_equal(errno, EIO);
	err_prefix(&err, "job");
	assert_string_equal(err.text, "job: rank 3: no such file");
}

/* The old text may be an argument of the new one. */
static void test_own_text(void **state)
{
	struct err err;

	err_set(&err, "inner");
	err_set(&err, "outer (%s)", err.text);
	assert_string_equal(err.text, "outer (inner)");
	err_prefix(&err, "<%s>", err.text);
	assert_string_equal(err.text, "<outer (inner)>: outer (inner)");
}

static void test_too_long(void **state)
{
	char big[3000];
	struct err err;

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&err, "%s", big);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	err_prefix(&err, "front");
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_memory_equal(err.text, "front: xxx", 10);
	err_set(&err, "short");
	err_prefix(&err, "%s", big);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_string_equal(err.text + sizeof(err.text) - 4, "x: ");
}

/* A code goes with the words it was given with. */
static void test_code(void **state)
{
	struct err err;

	assert_int_equal(err_set_code(&err, ERR_NAME, "no object '%s'", "u"), -1);
	assert_string_equal(err.text, "no object 'u'");
	assert_int_equal(err.code, ERR_NAME);
	assert_int_equal(err.at, 0);
	err.at = '=';
	err_prefix(&err, "print");
	assert_int_equal(err.code, ERR_NAME);
	assert_int_equal(err.at, '=');
	err_set(&err, "other");
	assert_int_equal(err.code, ERR_OTHER);
	assert_int_equal(err.at, 0);
	errno = EPERM;
	assert_int_equal(err_set_code(NULL, ERR_NUMBER, "x"), -1);
	assert_int_equal(errno, EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),	 cmocka_unit_test(test_null),
		cmocka_unit_test(test_prefix),	 cmocka_unit_test(test_own_text),
		cmocka_unit_test(test_too_long), cmocka_unit_test(test_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
