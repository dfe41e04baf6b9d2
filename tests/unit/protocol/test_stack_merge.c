/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/stack_merge.h"

static struct report_frame frame(unsigned kind, const char *func, uint32_t line)
{
	return (struct report_frame){
		.kind = (uint8_t)kind,
		.place = { .file = "heat.c", .func = func, .line = line, .module = "" },
	};
}

static struct report_frame function(const char *func, uint32_t line)
{
	return frame(CONSTRUCT_FUNCTION, func, line);
}

static struct report_frame iteration(struct report_frame f, int64_t i)
{
	f.nidx = 1;
	f.idx[0] = i;
	return f;
}

static struct report_frame numbered(struct report_frame f, uint32_t point)
{
	f.point = (struct point){ .main = point };
	return f;
}

/* Adds ranks lo … hi with this stack, outermost frame first. */
static void add(struct groups *d, uint32_t lo, uint32_t hi, uint32_t n,
		const struct report_frame *f)
{
	struct report_stack s = { .n = n };
	struct rankset ranks = { 0 };
	struct buf b = BUF_INIT;

	for (uint32_t i = 0; i < n; i++)
		s.frame[i] = f[i];
	report_stack_put(&s, &b);
	assert_int_equal(rankset_add(&ranks, lo, hi), 0);
	assert_int_equal(groups_add(d, &ranks, b.data, b.len), 0);
	rankset_clear(&ranks);
	buf_clear(&b);
}

#define STACK(d, lo, hi, ...)                                                             \
	add(d, lo, hi,                                                                    \
	    sizeof((struct report_frame[]){ __VA_ARGS__ }) / sizeof(struct report_frame), \
	    (struct report_frame[]){ __VA_ARGS__ })

/* "kind ranks: brief line iteration ranks; …" of the frame at index i, innermost 0. */
static const char *shown(const struct stack_merge *s, size_t i)
{
	static char out[1024];
	const struct stack_merge_frame *f;
	char ranks[64];
	int n;

	assert_true(i < s->n);
	f = &s->frame[i];
	n = snprintf(out, sizeof out, "%s %s", stack_merge_kind_words(f->kind),
		     rankset_format(&f->ranks, ranks, sizeof ranks));
	for (size_t k = 0; k < f->n; k++) {
		const struct stack_merge_variant *v = &f->variant[k];

		n += snprintf(out + n, sizeof out - (size_t)n, "%s %s %u %s", k ? ";" : ":",
			      construct_brief(v->frame.kind), v->frame.place.line,
			      rankset_format(&v->ranks, ranks, sizeof ranks));
		if (v->frame.nidx)
			n += snprintf(out + n, sizeof out - (size_t)n, " i=%lld",
				      (long long)v->frame.idx[0]);
	}
	return out;
}

static struct stack_merge *make(struct groups *d)
{
	struct err err = { "" };
	struct stack_merge *s = stack_merge_create(d, &err);

	if (!s)
		fail_msg("%s", err.text);
	return s;
}

static void ranks_at_one_place_are_synchronized(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 3, function("main", 20), iteration(frame(CONSTRUCT_SL, "main", 52), 1),
	      numbered(frame(CONSTRUCT_PL, "main", 61), 3));
	s = make(&d);
	assert_int_equal(s->n, 3);
	assert_string_equal(shown(s, 0), "synchronized [0:3]: PL 61 [0:3]");
	assert_string_equal(shown(s, 1), "synchronized [0:3]: SL 52 [0:3] i=1");
	assert_string_equal(shown(s, 2), "synchronized [0:3]: function 20 [0:3]");
	assert_int_equal(s->frame[0].variant[0].frame.point.main, 3);
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void one_rank_of_several_is_scalar(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 0, function("main", 20), function("output", 90),
	      frame(CONSTRUCT_SL, "output", 95));
	STACK(&d, 1, 3, function("main", 20));
	s = make(&d);
	assert_int_equal(s->n, 3);
	assert_string_equal(shown(s, 0), "scalar [0]: SL 95 [0]");
	assert_string_equal(shown(s, 1), "scalar [0]: function 90 [0]");
	assert_string_equal(shown(s, 2), "synchronized [0:3]: function 20 [0:3]");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void a_job_of_one_rank_is_synchronized(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 0, function("main", 20));
	s = make(&d);
	assert_string_equal(shown(s, 0), "synchronized [0]: function 20 [0]");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void other_iterations_are_unsynchronized_and_so_is_what_is_inside(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 2, function("main", 20), iteration(frame(CONSTRUCT_SL, "main", 52), 4),
	      function("relax", 10));
	STACK(&d, 3, 3, function("main", 20), iteration(frame(CONSTRUCT_SL, "main", 52), 3),
	      function("relax", 10));
	s = make(&d);
	assert_int_equal(s->n, 3);
	/* the minority first; inside, the line is equal but the place is not */
	assert_string_equal(shown(s, 0),
			    "unsynchronized [0:3]: function 10 [3]; function 10 [0:2]");
	assert_string_equal(shown(s, 1), "unsynchronized [0:3]: SL 52 [3] i=3; SL 52 [0:2] i=4");
	assert_string_equal(shown(s, 2), "synchronized [0:3]: function 20 [0:3]");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void other_numbers_of_one_loop_are_unsynchronized(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 0, numbered(frame(CONSTRUCT_PL, "", 61), 3));
	STACK(&d, 1, 1, numbered(frame(CONSTRUCT_PL, "", 61), 5));
	s = make(&d);
	assert_string_equal(shown(s, 0), "unsynchronized [0:1]: PL 61 [0]; PL 61 [1]");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void other_places_of_one_function_are_unsynchronized(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 1, function("main", 20), numbered(frame(CONSTRUCT_PL, "main", 61), 3));
	STACK(&d, 2, 3, function("main", 20), numbered(frame(CONSTRUCT_PL, "main", 70), 4));
	s = make(&d);
	assert_string_equal(shown(s, 0), "unsynchronized [0:3]: PL 61 [0:1]; PL 70 [2:3]");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void tasks_are_unsynchronized(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 1, numbered(frame(CONSTRUCT_TR, "main", 40), 2),
	      iteration(frame(CONSTRUCT_TASK, "main", 42), 1));
	STACK(&d, 2, 2, numbered(frame(CONSTRUCT_TR, "main", 40), 2),
	      iteration(frame(CONSTRUCT_TASK, "main", 42), 2));
	s = make(&d);
	assert_string_equal(shown(s, 0),
			    "unsynchronized [0:2]: task 42 [2] i=2; task 42 [0:1] i=1");
	assert_string_equal(shown(s, 1), "synchronized [0:2]: TR 40 [0:2]");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void unrelated_frames_are_multi_to_the_innermost(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 1, function("main", 20), function("send", 5), function("pack", 9));
	STACK(&d, 2, 2, function("main", 20), function("receive", 30), function("pack", 9));
	STACK(&d, 3, 3, function("main", 20), function("receive", 30), function("pack", 9),
	      function("copy", 1));
	s = make(&d);
	assert_int_equal(s->n, 4);
	assert_string_equal(shown(s, 3), "synchronized [0:3]: function 20 [0:3]");
	assert_string_equal(shown(s, 2), "multi [0:3]: function 5 [0:1]; function 30 [2:3]");
	/* of the same name again, on two ways */
	assert_string_equal(shown(s, 1),
			    "unsynchronized [0:3]: function 9 [0:1]; function 9 [2:3]");
	assert_string_equal(shown(s, 0), "scalar [3]: function 1 [3]");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void ranks_with_shorter_stacks_are_in_the_frame_outside(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 2, function("main", 20), numbered(frame(CONSTRUCT_PL, "main", 61), 3));
	STACK(&d, 3, 3, function("main", 20));
	s = make(&d);
	assert_int_equal(s->n, 2);
	assert_string_equal(shown(s, 0), "synchronized [0:2]: PL 61 [0:2]");
	assert_string_equal(shown(s, 1), "synchronized [0:3]: function 20 [0:3]");
	stack_merge_destroy(s);
	groups_clear(&d);
}

/* "ranks: brief line call; …" of those in the dispatch loop that is folded at frame i. */
static const char *folded(const struct stack_merge *s, size_t i)
{
	static char out[1024];
	char ranks[64];
	int n = 0;

	out[0] = 0;
	for (size_t k = 0; k < s->frame[i].ndispatch; k++) {
		const struct stack_merge_variant *v = &s->frame[i].dispatch[k];

		n += snprintf(out + n, sizeof out - (size_t)n, "%s%s %s %u %s", k ? "; " : "",
			      rankset_format(&v->ranks, ranks, sizeof ranks), v->frame.place.func,
			      v->frame.place.line, v->call ? v->call : "-");
	}
	return out;
}

static struct report_frame library(const char *func)
{
	struct report_frame f = function(func, 0);

	f.place.file = "";
	return f;
}

static void one_ranks_calls_between_common_ones_are_scalar(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 0, function("main", 20), function("menu", 40), function("give", 50),
	      function("fill", 10));
	STACK(&d, 1, 3, function("main", 25), function("fill", 10));
	s = make(&d);
	assert_int_equal(s->n, 4);
	assert_string_equal(shown(s, 3),
			    "unsynchronized [0:3]: function 20 [0]; function 25 [1:3]");
	assert_string_equal(shown(s, 2), "scalar [0]: function 40 [0]");
	assert_string_equal(shown(s, 1), "scalar [0]: function 50 [0]");
	/* one call on two ways */
	assert_string_equal(shown(s, 0), "synchronized [0:3]: function 10 [0:3]");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void an_announced_dispatch_loop_is_folded(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 0, function("main", 20), function("menu", 40), function("fill", 10));
	STACK(&d, 1, 1, function("main", 25), function("dispatch", 60),
	      frame(CONSTRUCT_DISPATCH, "dispatch", 58), function("fill", 11));
	STACK(&d, 2, 3, function("main", 25), function("dispatch", 60),
	      frame(CONSTRUCT_DISPATCH, "dispatch", 58), function("fill", 10));
	s = make(&d);
	assert_int_equal(s->n, 3);
	assert_string_equal(shown(s, 0),
			    "unsynchronized [0:3]: function 11 [1]; function 10 [0,2:3]");
	assert_string_equal(shown(s, 1), "scalar [0]: function 40 [0]");
	assert_string_equal(folded(s, 1), "[1:3] dispatch 60 -");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void who_waits_for_orders_is_folded_with_who_carries_them_out(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 0, function("main", 20), function("menu", 40), function("fill", 10),
	      library("MPI_Recv"));
	STACK(&d, 1, 1, function("main", 25), function("dispatch", 60),
	      frame(CONSTRUCT_DISPATCH, "dispatch", 58), function("fill", 10));
	STACK(&d, 2, 3, function("main", 25), function("dispatch", 59),
	      frame(CONSTRUCT_DISPATCH, "dispatch", 58), library("MPI_Recv"));
	s = make(&d);
	assert_int_equal(s->n, 4);
	assert_string_equal(shown(s, 0), "scalar [0]: function 0 [0]");
	assert_string_equal(shown(s, 1), "synchronized [0:1]: function 10 [0:1]");
	assert_string_equal(shown(s, 2), "scalar [0]: function 40 [0]");
	assert_string_equal(folded(s, 2), "[1] dispatch 60 -; [2:3] dispatch 59 MPI_Recv");
	assert_string_equal(folded(s, 1), "");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void who_waits_in_mpi_for_rank_0_is_folded(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 0, function("main", 20), function("menu", 40), library("fgets"));
	STACK(&d, 1, 3, function("main", 25), function("loop", 60), library("MPI_Bcast"));
	s = make(&d);
	assert_int_equal(s->n, 3);
	assert_string_equal(shown(s, 1), "scalar [0]: function 40 [0]");
	assert_string_equal(folded(s, 1), "[1:3] loop 60 MPI_Bcast");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void ranks_that_all_wait_in_mpi_are_not_folded(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	STACK(&d, 0, 0, function("main", 20), function("left", 40), library("MPI_Recv"));
	STACK(&d, 1, 3, function("main", 25), function("right", 60), library("MPI_Recv"));
	s = make(&d);
	assert_int_equal(s->n, 3);
	assert_string_equal(shown(s, 1), "multi [0:3]: function 40 [0]; function 60 [1:3]");
	assert_string_equal(folded(s, 1), "");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void the_longest_common_sequence_aligns(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	/* b and c are common, though a comes first on rank 0 and last on rank 1 */
	STACK(&d, 0, 0, function("a", 1), function("b", 2), function("c", 3));
	STACK(&d, 1, 1, function("b", 2), function("c", 3), function("a", 1));
	s = make(&d);
	assert_int_equal(s->n, 4);
	assert_string_equal(shown(s, 3), "scalar [0]: function 1 [0]");
	assert_string_equal(shown(s, 2), "synchronized [0:1]: function 2 [0:1]");
	assert_string_equal(shown(s, 1), "synchronized [0:1]: function 3 [0:1]");
	assert_string_equal(shown(s, 0), "scalar [1]: function 1 [1]");
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void empty_stacks_make_no_frames(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s = make(&d);

	assert_int_equal(s->n, 0);
	stack_merge_destroy(s);
	add(&d, 0, 7, 0, NULL);
	s = make(&d);
	assert_int_equal(s->n, 0);
	assert_int_equal(rankset_count(&s->ranks), 8);
	stack_merge_destroy(s);
	stack_merge_destroy(NULL);
	groups_clear(&d);
}

static void bytes_that_are_no_stack_are_an_error(void **state)
{
	struct groups d = { 0 };
	struct rankset ranks = { 0 };
	struct err err;

	rankset_add(&ranks, 4, 6);
	groups_add(&d, &ranks, "\377\377\377\377garbage", 11);
	assert_null(stack_merge_create(&d, &err));
	assert_string_equal(err.text, "the stack that [4:6] sent cannot be read");
	rankset_clear(&ranks);
	groups_clear(&d);
}

static void ten_thousand_ranks_are_aligned_quickly(void **state)
{
	struct groups d = { 0 };
	struct stack_merge *s;

	/* every rank in an iteration of its own */
	for (uint32_t r = 0; r < 10000; r++)
		STACK(&d, r, r, function("main", 20),
		      iteration(frame(CONSTRUCT_SL, "main", 52), r * 7919 % 10000),
		      function("relax", 10));
	assert_int_equal(d.n, 10000);
	s = make(&d);
	assert_int_equal(s->n, 3);
	assert_int_equal(s->frame[2].kind, STACK_MERGE_SYNCHRONIZED);
	assert_int_equal(s->frame[2].variant[0].ranks.n, 1);
	assert_int_equal(s->frame[1].kind, STACK_MERGE_UNSYNCHRONIZED);
	assert_int_equal(s->frame[1].n, 10000);
	assert_int_equal(s->frame[0].n, 10000);
	for (uint32_t r = 0; r < 10000; r++) {
		assert_int_equal(rankset_next(&s->frame[1].variant[r].ranks, 0), r);
		assert_int_equal(s->frame[1].variant[r].frame.idx[0], r * 7919 % 10000);
	}
	stack_merge_destroy(s);
	groups_clear(&d);
}

static void kinds_have_words(void **state)
{
	assert_string_equal(stack_merge_kind_words(STACK_MERGE_SCALAR), "scalar");
	assert_string_equal(stack_merge_kind_words(STACK_MERGE_KINDS), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_at_one_place_are_synchronized),
		cmocka_unit_test(one_rank_of_several_is_scalar),
		cmocka_unit_test(a_job_of_one_rank_is_synchronized),
		cmocka_unit_test(other_iterations_are_unsynchronized_and_so_is_what_is_inside),
		cmocka_unit_test(other_numbers_of_one_loop_are_unsynchronized),
		cmocka_unit_test(other_places_of_one_function_are_unsynchronized),
		cmocka_unit_test(tasks_are_unsynchronized),
		cmocka_unit_test(unrelated_frames_are_multi_to_the_innermost),
		cmocka_unit_test(ranks_with_shorter_stacks_are_in_the_frame_outside),
		cmocka_unit_test(one_ranks_calls_between_common_ones_are_scalar),
		cmocka_unit_test(an_announced_dispatch_loop_is_folded),
		cmocka_unit_test(who_waits_for_orders_is_folded_with_who_carries_them_out),
		cmocka_unit_test(who_waits_in_mpi_for_rank_0_is_folded),
		cmocka_unit_test(ranks_that_all_wait_in_mpi_are_not_folded),
		cmocka_unit_test(the_longest_common_sequence_aligns),
		cmocka_unit_test(empty_stacks_make_no_frames),
		cmocka_unit_test(bytes_that_are_no_stack_are_an_error),
		cmocka_unit_test(ten_thousand_ranks_are_aligned_quickly),
		cmocka_unit_test(kinds_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
