/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Native stacks that ranks send: named, merged as a tree, joined with the logical stacks. The calls
 * are of functions of this file.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/logical/construct.h"
#include "common/protocol/stack_merge.h"
#include "frontend/native/native.h"
#include "frontend/session/session.h"
#include "frontend/util/xrankset.h"
#include "tests/unit/fake_job.h"

static char *text;
static struct session *s;
static char self[PATH_MAX];
static uint64_t load;
volatile int sink;

__attribute__((noinline)) static void outer(void)
{
	sink++;
}

__attribute__((noinline)) static void inner(void)
{
	sink += 2;
}

__attribute__((noinline)) void pmpi_recv_(void);
void pmpi_recv_(void)
{
	sink += 3;
}

static int first_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	load = info->dlpi_addr;
	return 1;
}

static int set_up(void **state)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	dl_iterate_phdr(first_object, NULL);
	s = fake_begin(&text, false);
	return n > 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	fake_end(s);
	return 0;
}

static struct native_call call(void (*fn)(void), bool library)
{
	return (struct native_call){ library, self, (uint64_t)(uintptr_t)fn - load };
}

/* Ranks that are in n calls, outermost first, and in the constructs of the stack. */
static void answer(const char *ranks, const struct native_call *calls, uint32_t n,
		   const struct report_stack *stack)
{
	struct answer_native *a = calloc(1, sizeof(*a));
	struct buf b = BUF_INIT;

	assert_non_null(a);
	a->head.kind = ANSWER_DONE;
	a->near = "";
	a->n = n;
	memcpy(a->call, calls, n * sizeof(*calls));
	if (stack)
		a->stack = *stack;
	answer_native_put(a, &b);
	fake_answer(QUERY_NATIVE, NULL, ranks, &b);
	free(a);
}

static void refuse(const char *ranks, const char *why)
{
	struct answer_native *a = calloc(1, sizeof(*a));
	struct buf b = BUF_INIT;

	assert_non_null(a);
	a->head = (struct answer_head){ ANSWER_ERROR, why };
	a->near = "";
	answer_native_put(a, &b);
	fake_answer(QUERY_NATIVE, NULL, ranks, &b);
	free(a);
}

static struct native_stacks asked(void)
{
	struct native_stacks x;
	struct err err;

	assert_int_equal(native_ask(s, job_set(s->job, JOB_ALL), NATIVE_LOGICAL, &x, &err), 0);
	return x;
}

static const char *str(const json_t *o, const char *key)
{
	const char *v = json_string_value(json_object_get(o, key));

	return v ? v : "";
}

static void equal_outer_calls_are_there_once(void **state)
{
	struct native_call wait[] = { call(outer, false), call(inner, false),
				      call(pmpi_recv_, true) };
	struct native_call busy[] = { call(outer, false) };
	struct native_stacks x;
	json_t *tree, *c;

	answer("0:2", wait, 3, NULL);
	answer("3", busy, 1, NULL);
	x = asked();
	tree = native_tree(&x);
	assert_int_equal(json_array_size(tree), 1);
	c = json_array_get(tree, 0);
	assert_string_equal(str(c, "ranks"), "[0:3]");
	assert_string_equal(str(c, "name"), "outer");
	assert_non_null(strstr(str(c, "file"), "test_native.c"));
	assert_true(json_integer_value(json_object_get(c, "line")) > 30);
	c = json_object_get(c, "calls");
	assert_int_equal(json_array_size(c), 1);
	c = json_array_get(c, 0);
	assert_string_equal(str(c, "ranks"), "[0:2]");
	assert_string_equal(str(c, "name"), "inner");
	c = json_array_get(json_object_get(c, "calls"), 0);
	assert_string_equal(str(c, "name"), "MPI_RECV");
	assert_string_equal(str(c, "file"), "");
	assert_null(json_object_get(c, "calls"));
	json_decref(tree);
	native_clear(&x);
	fake_forget();
}

static void the_users_innermost_call(void **state)
{
	struct native_call wait[] = { call(outer, false), call(pmpi_recv_, true) };
	const struct native_frame *f, *library;
	struct native_stacks x;

	answer("0:3", wait, 2, NULL);
	x = asked();
	f = native_user_frame(&x.stack[0], &library);
	assert_string_equal(f->func, "outer");
	assert_string_equal(library->func, "MPI_RECV");
	native_clear(&x);
	fake_forget();
}

static void who_has_none_says_why(void **state)
{
	struct native_call busy[] = { call(outer, false) };
	struct native_stacks x;
	json_t *lacking;

	answer("0:2", busy, 1, NULL);
	refuse("3", "the kernel forbids ptrace");
	x = asked();
	lacking = native_lacking(&x);
	assert_int_equal(json_array_size(lacking), 1);
	assert_string_equal(str(json_array_get(lacking, 0), "ranks"), "[3]");
	assert_string_equal(str(json_array_get(lacking, 0), "text"), "the kernel forbids ptrace");
	json_decref(lacking);
	native_clear(&x);
	fake_forget();
}

static struct report_frame construct(unsigned kind, const char *func, uint32_t line)
{
	return (struct report_frame){
		.kind = (uint8_t)kind,
		.place = { .file = "test_native.c", .func = func, .line = line, .module = "" },
	};
}

static void constructs_lie_in_their_functions(void **state)
{
	static const struct {
		unsigned kind;
		const char *func;
		uint32_t line; /* 0: any */
	} wanted[] = {
		{ CONSTRUCT_FUNCTION, "MPI_RECV", 0 }, { CONSTRUCT_PL, "inner", 901 },
		{ CONSTRUCT_FUNCTION, "inner", 0 },    { CONSTRUCT_SL, "outer", 902 },
		{ CONSTRUCT_FUNCTION, "outer", 903 },
	};
	struct native_call calls[] = { call(outer, false), call(inner, false),
				       call(pmpi_recv_, true) };
	/* the outer function is announced, too: it is there once */
	struct report_stack *stack = calloc(1, sizeof(*stack));
	struct stack_merge *merged;
	struct groups joined = { 0 };
	struct native_stacks x;
	struct err err;

	assert_non_null(stack);
	stack->n = 3;
	stack->frame[0] = construct(CONSTRUCT_FUNCTION, "outer", 903);
	stack->frame[1] = construct(CONSTRUCT_SL, "outer", 902);
	stack->frame[2] = construct(CONSTRUCT_PL, "inner", 901);
	answer("0:3", calls, 3, stack);
	x = asked();
	native_join(s, &x, &joined);
	native_clear(&x);
	merged = stack_merge_create(&joined, &err);
	assert_non_null(merged);
	assert_int_equal(merged->n, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct report_frame *f = &merged->frame[i].variant[0].frame;

		assert_int_equal(f->kind, wanted[i].kind);
		assert_string_equal(f->place.func, wanted[i].func);
		if (wanted[i].line)
			assert_int_equal(f->place.line, wanted[i].line);
	}
	stack_merge_destroy(merged);
	groups_clear(&joined);
	free(stack);
	fake_forget();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_outer_calls_are_there_once),
		cmocka_unit_test(the_users_innermost_call),
		cmocka_unit_test(who_has_none_says_why),
		cmocka_unit_test(constructs_lie_in_their_functions),
	};

	outer();
	inner();
	pmpi_recv_();
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
