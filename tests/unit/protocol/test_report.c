/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/report.h"

static const struct place heat = { .file = "heat.c", .func = "step", .line = 61, .module = "" };

static struct report_frame example_frame(void)
{
	return (struct report_frame){ .kind = CONSTRUCT_SL,
				      .nidx = 2,
				      .idx = { -7, INT64_MAX },
				      .ending = 1,
				      .point = { 3, 0, 0, POINT_BEGIN },
				      .place = heat };
}

static void assert_frame(const struct report_frame *f, const struct report_frame *expected)
{
	assert_int_equal(f->kind, expected->kind);
	assert_int_equal(f->nidx, expected->nidx);
	assert_int_equal(f->ending, expected->ending);
	assert_memory_equal(f->idx, expected->idx, sizeof(f->idx));
	assert_memory_equal(&f->point, &expected->point, sizeof(f->point));
	assert_true(place_equal(&f->place, &expected->place));
}

/* However short it is cut, a report is refused. */
static void check_cuts(const struct buf *b, int (*get)(struct buf *b))
{
	for (size_t len = 0; len < b->len; len++) {
		struct buf cut = buf_view(b->data, len);

		assert_int_equal(get(&cut), -1);
		assert_true(cut.bad);
	}
}

/* Whatever a bit becomes, reading ends and stays inside the bytes (the sanitizers watch). */
static void check_flips(struct buf *b, int (*get)(struct buf *b))
{
	for (size_t i = 0; i < b->len * 8; i++) {
		struct buf view = buf_view(b->data, b->len);

		b->data[i / 8] ^= (unsigned char)(1u << i % 8);
		if (get(&view) == 0)
			assert_true(view.pos <= view.len);
		b->data[i / 8] ^= (unsigned char)(1u << i % 8);
	}
}

static void test_place(void **state)
{
	struct place a = { .module = "/bin/heat", .vaddr = UINT64_C(0x401234) }, got;
	struct place b = { .file = "", .func = "", .module = "/bin/heat", .vaddr = 0x401234 };
	struct buf buf = BUF_INIT;

	assert_true(place_equal(&a, &b)); /* no text is the empty text */
	place_put(&a, &buf);
	place_get(&got, &buf);
	assert_false(buf.bad);
	assert_string_equal(got.file, "");
	assert_true(place_equal(&a, &got));
	b.vaddr++;
	assert_false(place_equal(&a, &b));
	b = heat;
	assert_true(place_equal(&b, &heat));
	b.line = 62;
	assert_false(place_equal(&b, &heat));
	b = heat;
	b.func = "main";
	assert_false(place_equal(&b, &heat));
	place_get(&got, &buf);
	assert_true(buf.bad);
	assert_string_equal(got.module, "");
	buf_clear(&buf);
}

static int get_stack(struct buf *b)
{
	static struct report_stack got;

	return report_stack_get(&got, b);
}

static void test_stack(void **state)
{
	static struct report_stack in, out;
	struct buf b = BUF_INIT;

	in.n = 3;
	in.lost = 5;
	in.frame[0] = (struct report_frame){ .kind = CONSTRUCT_FUNCTION, .place = heat };
	in.frame[1] = example_frame();
	in.frame[2] = (struct report_frame){ .kind = CONSTRUCT_PL,
					     .point = { 3, 0, 0, POINT_END },
					     .place = { .module = "heat", .vaddr = 99 } };
	memset(&out, 0xff, sizeof(out));
	report_stack_put(&in, &b);
	assert_int_equal(report_stack_get(&out, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(out.n, 3);
	assert_int_equal(out.lost, 5);
	for (uint32_t i = 0; i < 3; i++)
		assert_frame(&out.frame[i], &in.frame[i]);
	check_cuts(&b, get_stack);
	check_flips(&b, get_stack);
	/* as many frames as there can be, and one more */
	buf_reset(&b);
	in.n = REPORT_FRAMES;
	for (uint32_t i = 0; i < REPORT_FRAMES; i++)
		in.frame[i] = example_frame();
	report_stack_put(&in, &b);
	assert_int_equal(report_stack_get(&out, &b), 0);
	assert_int_equal(out.n, REPORT_FRAMES);
	assert_frame(&out.frame[REPORT_FRAMES - 1], &in.frame[0]);
	b.pos = 0;
	b.data[0] = REPORT_FRAMES + 1;
	assert_int_equal(report_stack_get(&out, &b), -1);
	assert_int_equal(out.n, 0);
	buf_clear(&b);
}

static void test_stack_hostile(void **state)
{
	static struct report_stack in, out;
	struct buf b = BUF_INIT;

	in.n = 1;
	in.frame[0] = example_frame();
	in.frame[0].kind = CONSTRUCT_KINDS; /* a frame of a stack has to be one */
	report_stack_put(&in, &b);
	assert_int_equal(report_stack_get(&out, &b), -1);
	buf_reset(&b);
	in.frame[0] = example_frame();
	report_stack_put(&in, &b);
	b.data[9] = ARRAY_DIMS + 1; /* nidx, behind n, lost and kind */
	assert_int_equal(report_stack_get(&out, &b), -1);
	buf_clear(&b);
}

static int get_stop(struct buf *b)
{
	struct report_stop got;

	return report_stop_get(&got, b);
}

static void test_stop(void **state)
{
	struct report_stop in = { .reason = STOP_SIGNAL,
				  .nact = 3,
				  .act = { 1, 4, 9 },
				  .code = -11,
				  .fault = UINT64_MAX,
				  .hash_n = 3,
				  .hash = UINT64_C(0x1122334455667788),
				  .point = { 3, 0, 0, POINT_BEGIN },
				  .frame = example_frame() };
	struct report_stop out;
	struct buf b = BUF_INIT;

	report_stop_put(&in, &b);
	assert_int_equal(report_stop_get(&out, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(out.reason, STOP_SIGNAL);
	assert_int_equal(out.nact, 3);
	assert_int_equal(out.act[2], 9);
	assert_int_equal(out.code, -11);
	assert_true(out.fault == UINT64_MAX);
	assert_int_equal(out.hash_n, 3);
	assert_true(out.hash == in.hash);
	assert_int_equal(out.point.main, 3);
	assert_frame(&out.frame, &in.frame);
	check_cuts(&b, get_stop);
	check_flips(&b, get_stop);
	buf_reset(&b);
	in.frame.kind = CONSTRUCT_KINDS;
	report_stop_put(&in, &b);
	assert_int_equal(report_stop_get(&out, &b), 0);
	assert_int_equal(out.frame.kind, CONSTRUCT_KINDS);
	assert_string_equal(out.frame.place.file, "");
	buf_clear(&b);
}

static void check_stop_refused(const struct report_stop *in)
{
	struct buf b = BUF_INIT;

	report_stop_put(in, &b);
	assert_int_equal(get_stop(&b), -1);
	buf_clear(&b);
}

static void test_stop_hostile(void **state)
{
	struct report_stop in = { .reason = STOP_REASONS };

	check_stop_refused(&in);
	in = (struct report_stop){ .nact = 2, .act = { 4, 4 } };
	check_stop_refused(&in);
	in = (struct report_stop){ .nact = 2, .act = { 5, 4 } };
	check_stop_refused(&in);
	in = (struct report_stop){ .frame = { .kind = CONSTRUCT_KINDS + 1 } };
	check_stop_refused(&in);
	in = (struct report_stop){ .point = { 0, 0, 0, POINT_END } };
	check_stop_refused(&in);
}

static int get_exit(struct buf *b)
{
	static struct report_exit got;

	return report_exit_get(&got, b);
}

static void test_exit(void **state)
{
	static struct report_exit in, out;
	struct buf b = BUF_INIT;

	in = (struct report_exit){ .how = EXIT_SIGNAL,
				   .code = 9,
				   .core = 1,
				   .mpi = MPI_STATE_IN_INIT,
				   .had_runtime = 1,
				   .released = 1,
				   .abort_code = -3,
				   .aborted = 1,
				   .hash_n = 7,
				   .hash = 77,
				   .point = { 13, 2, 1, POINT_END } };
	in.stack.n = 1;
	in.stack.frame[0] = example_frame();
	memset(&out, 0xff, sizeof(out));
	report_exit_put(&in, &b);
	assert_int_equal(report_exit_get(&out, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(out.how, EXIT_SIGNAL);
	assert_int_equal(out.code, 9);
	assert_int_equal(out.core, 1);
	assert_int_equal(out.mpi, MPI_STATE_IN_INIT);
	assert_int_equal(out.had_runtime, 1);
	assert_int_equal(out.released, 1);
	assert_int_equal(out.abort_code, -3);
	assert_int_equal(out.aborted, 1);
	assert_int_equal(out.hash_n, 7);
	assert_true(out.hash == 77);
	assert_int_equal(out.point.sub, 1);
	assert_int_equal(out.stack.n, 1);
	assert_frame(&out.stack.frame[0], &in.stack.frame[0]);
	check_cuts(&b, get_exit);
	check_flips(&b, get_exit);
	b.pos = 0;
	b.data[0] = EXIT_UNKNOWN + 1;
	assert_int_equal(get_exit(&b), -1);
	buf_clear(&b);
}

static int get_status(struct buf *b)
{
	struct report_status got;

	return report_status_get(&got, b);
}

static void test_status(void **state)
{
	struct report_status in = { .state = RANK_STOPPED,
				    .mpi = MPI_STATE_UP,
				    .annotated = 1,
				    .reason = STOP_STEP,
				    .gen = 12,
				    .seconds = 40,
				    .point = { 13, 0, 0, POINT_BEGIN },
				    .frame = example_frame() };
	struct report_status out;
	struct buf b = BUF_INIT;

	report_status_put(&in, &b);
	assert_int_equal(report_status_get(&out, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(out.state, RANK_STOPPED);
	assert_int_equal(out.mpi, MPI_STATE_UP);
	assert_int_equal(out.annotated, 1);
	assert_int_equal(out.reason, STOP_STEP);
	assert_int_equal(out.gen, 12);
	assert_int_equal(out.seconds, 40);
	assert_int_equal(out.point.main, 13);
	assert_frame(&out.frame, &in.frame);
	check_cuts(&b, get_status);
	check_flips(&b, get_status);
	for (size_t i = 0; i < 4; i++) { /* state, mpi, annotated, reason */
		unsigned char was = b.data[i];

		b.data[i] = 200;
		b.pos = 0;
		b.bad = false;
		assert_int_equal(get_status(&b), -1);
		b.data[i] = was;
	}
	buf_clear(&b);
}

static void test_point(void **state)
{
	struct report_point in = { .point = { 6, 0, 0, POINT_END },
				   .kind = CONSTRUCT_TR,
				   .place = heat,
				   .usec = UINT64_C(123456789012) };
	struct report_point out;
	struct buf b = BUF_INIT;

	report_point_put(&in, &b);
	report_point_get(&out, &b);
	assert_false(b.bad);
	assert_int_equal(buf_left(&b), 0);
	assert_int_equal(out.point.main, 6);
	assert_int_equal(out.kind, CONSTRUCT_TR);
	assert_true(place_equal(&out.place, &heat));
	assert_true(out.usec == in.usec);
	report_point_get(&out, &b);
	assert_true(b.bad);
	buf_reset(&b);
	in.kind = CONSTRUCT_KINDS;
	report_point_put(&in, &b);
	report_point_get(&out, &b);
	assert_true(b.bad);
	buf_clear(&b);
}

/* Equal situations have equal bytes: nothing beside what counts travels. */
static void test_equal_bytes(void **state)
{
	struct report_stop one, two;
	struct buf a = BUF_INIT, b = BUF_INIT;
	char file[] = "heat.c";

	memset(&one, 0, sizeof(one));
	memset(&two, 0xaa, sizeof(two));
	one = (struct report_stop){ .nact = 1, .act = { 2 }, .frame = example_frame() };
	two.reason = two.done = two.changed = 0;
	two.nact = 1;
	two.act[0] = 2;
	two.code = 0;
	two.fault = two.hash = 0;
	two.hash_n = 0;
	two.point = (struct point){ 0 };
	two.frame.kind = CONSTRUCT_SL;
	two.frame.nidx = 2;
	two.frame.ending = 1;
	two.frame.idx[0] = -7;
	two.frame.idx[1] = INT64_MAX;
	two.frame.point = (struct point){ 3, 0, 0, POINT_BEGIN };
	two.frame.place = heat;
	two.frame.place.file = file;
	two.frame.place.module = NULL;
	report_stop_put(&one, &a);
	report_stop_put(&two, &b);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	buf_clear(&a);
	buf_clear(&b);
}

static void test_state_words(void **state)
{
	assert_string_equal(rank_state_words(RANK_LOADED), "loaded");
	assert_string_equal(rank_state_words(RANK_STOPPED), "stopped");
	assert_string_equal(rank_state_words(RANK_LOST), "lost");
	assert_string_equal(rank_state_words(RANK_STATES), "?");
	assert_string_equal(rank_state_words(UINT32_MAX), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place),	      cmocka_unit_test(test_stack),
		cmocka_unit_test(test_stack_hostile), cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stop_hostile),  cmocka_unit_test(test_exit),
		cmocka_unit_test(test_status),	      cmocka_unit_test(test_point),
		cmocka_unit_test(test_equal_bytes),   cmocka_unit_test(test_state_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
