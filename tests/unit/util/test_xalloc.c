/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "common/logical/rankset.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* More than there is; not a constant, for compilers warn of those. */
static volatile size_t much = SIZE_MAX / 4;

/* With the address sanitizer NULL is returned too. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void first(void)
{
	(void)!write(STDERR_FILENO, "first\n", 6);
}

static void second(void)
{
	(void)!write(STDERR_FILENO, "second\n", 7);
}

static void fails_itself(void)
{
	first();
	xalloc_failed();
}

/* Runs fn in a child; its exit status, and in `said` what it has written to standard error. */
static int run(void (*fn)(void), char said[256])
{
	int fd[2], status = 0;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		dup2(fd[1], STDERR_FILENO);
		close(fd[1]);
		fn();
		_exit(0);
	}
	close(fd[1]);
	while ((got = read(fd[0], said + n, 255 - n)) > 0)
		n += (size_t)got;
	said[n] = '\0';
	close(fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void fail_malloc(void)
{
	free(xmalloc(much));
}

static void fail_calloc(void)
{
	free(xcalloc(much, 16)); /* the product overflows */
}

static void fail_realloc(void)
{
	free(xrealloc(xmalloc(1), much));
}

static void fail_array(void)
{
	free(xreallocarray(NULL, much, 16));
}

static void fail_check(void)
{
	xalloc_check(-1);
}

static void fail_checked(void)
{
	xalloc_checked(NULL);
}

static void fail_in_jansson(void)
{
	json_malloc_t get;
	json_free_t put;

	xalloc_init();
	json_get_alloc_funcs(&get, &put);
	put(get(much));
}

static void each_failure_says_so_and_exits_2(void **state)
{
	void (*const each[])(void) = { fail_malloc,  fail_calloc, fail_realloc,	  fail_array,
				       fail_checked, fail_check,  fail_in_jansson };
	char said[256];

	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		assert_int_equal(run(each[i], said), 2);
		/* a sanitizer's warning may come first */
		assert_non_null(strstr(said, "dvmdbg: out of memory\n"));
	}
}

static void with_handlers(void)
{
	xalloc_at_failure(first);
	xalloc_at_failure(second);
	xalloc_at_failure(first);
	xalloc_failed();
}

static void with_one_that_fails(void)
{
	xalloc_at_failure(second);
	xalloc_at_failure(fails_itself);
	xalloc_failed();
}

static void handlers_run_once_and_the_newest_first(void **state)
{
	char said[256];

	assert_int_equal(run(with_handlers, said), 2);
	assert_string_equal(said, "second\nfirst\ndvmdbg: out of memory\n");
	assert_int_equal(run(with_one_that_fails, said), 2);
	assert_string_equal(said, "first\nsecond\ndvmdbg: out of memory\n");
}

static void results_are_those_of_the_functions_they_wrap(void **state)
{
	char *text = xasprintf("%d %s", 3, "ranks"), *copy = xstrndup(text, 3), *zero;

	assert_string_equal(text, "3 ranks");
	assert_string_equal(copy, "3 r");
	free(copy);
	copy = xstrdup(text);
	assert_string_equal(copy, text);
	free(copy);
	copy = xmemdup(text, strlen(text) + 1);
	assert_string_equal(copy, text);
	copy = xrealloc(copy, 1000);
	assert_string_equal(copy, text);
	free(copy);
	free(text);
	assert_null(xstrdup(NULL));
	zero = xcalloc(4, 2);
	assert_memory_equal(zero, "\0\0\0\0\0\0\0", 8);
	free(zero);
}

static void nothing_is_allocated_too(void **state)
{
	void *p = xmalloc(0);

	p = xrealloc(p, 0);
	free(p);
	free(xcalloc(0, 8));
	free(xreallocarray(NULL, 0, 8));
	free(xmemdup(NULL, 0));
}

static void a_stream_gives_its_text(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = xmemstream(&text, &size);

	fprintf(f, "point %d", 3);
	xmemstream_close(f);
	assert_string_equal(text, "point 3");
	assert_int_equal(size, 7);
	free(text);
}

static void sets_of_ranks_have_no_error(void **state)
{
	struct rankset a = { 0 }, b = { 0 };
	char text[64];

	xrankset_add(&a, 0, 7);
	xrankset_add(&b, 3, 4);
	xrankset_remove_set(&a, &b);
	xrankset_add_set(&b, &a);
	assert_string_equal(rankset_format(&a, text, sizeof(text)), "[0:2,5:7]");
	xrankset_intersect(&b, &a);
	assert_true(rankset_equal(&a, &b));
	xrankset_copy(&b, &a);
	assert_true(rankset_equal(&a, &b));
	rankset_clear(&a);
	rankset_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failure_says_so_and_exits_2),
		cmocka_unit_test(handlers_run_once_and_the_newest_first),
		cmocka_unit_test(results_are_those_of_the_functions_they_wrap),
		cmocka_unit_test(nothing_is_allocated_too),
		cmocka_unit_test(a_stream_gives_its_text),
		cmocka_unit_test(sets_of_ranks_have_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
