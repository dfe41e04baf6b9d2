/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/log.h"

static char path[] = "/tmp/dvmdbg-test-log-XXXXXX";

/* What the log file holds; borrowed until the next call. */
static const char *written(void)
{
	static char text[8192];
	int fd = open(path, O_RDONLY);
	ssize_t n;

	assert_true(fd >= 0);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n >= 0);
	close(fd);
	text[n] = '\0';
	return text;
}

static void begin(const char *domains)
{
	assert_int_equal(truncate(path, 0), 0);
	setenv("DVMDBG_DEBUG", domains, 1);
	setenv("DVMDBG_DEBUG_FILE", path, 1);
	log_init("exec 3");
}

static void test_silent(void **state)
{
	begin("");
	assert_false(log_wants("tree"));
	log_debug("tree", "not seen");
	unsetenv("DVMDBG_DEBUG");
	log_init("exec 3");
	assert_false(log_wants("tree"));
	assert_false(log_wants("all"));
	log_debug("tree", "not seen");
	assert_string_equal(written(), "");
}

static void test_domains(void **state)
{
	const char *text;

	begin("tree,conn");
	assert_true(log_wants("tree"));
	assert_true(log_wants("conn"));
	assert_false(log_wants("tre"));
	assert_false(log_wants("trees"));
	assert_false(log_wants("stop"));
	errno = EBADF;
	log_debug("conn", "bytes %d", 12);
	assert_int_equal(errno, EBADF);
	log_debug("stop", "not seen");
	text = written();
	assert_non_null(strstr(text, " exec 3: conn: bytes 12\n"));
	assert_null(strstr(text, "not seen"));
	begin("all");
	assert_true(log_wants("anything"));
	begin(",,x,");
	assert_true(log_wants("x"));
	assert_false(log_wants("y"));
}

static void test_long_line(void **state)
{
	char big[4000];
	const char *text;

	memset(big, 'z', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	begin("x");
	log_debug("x", "%s", big);
	log_debug("x", "next");
	text = written();
	assert_true(strlen(text) < 1200);
	assert_non_null(strstr(text, "zz\n"));
	assert_non_null(strstr(text, "x: next\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_long_line),
	};
	int rc, fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return rc;
}
