/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The supervisor's view of a page that a program has filled well, badly, or is filling right now.
 */
#include "tests/unit/page_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "runtime/exec/query/query.h"
#include "runtime/exec/page/page.h"

static void numbered(struct fixture *f, uint32_t main, unsigned side)
{
	f->page->point_main_side = (uint64_t)main << 1 | side;
}

/* A well-formed stack of function, sequential loop in iteration 7, parallel loop 3. */
static void fill_stack(struct fixture *f)
{
	struct page *p = f->page;

	p->depth = 3;
	p->frame[0] =
		(struct page_frame){ .kind = CONSTRUCT_FUNCTION, .loc = place(f, "a.c", 10, 0) };
	p->frame[1] = (struct page_frame){ .kind = CONSTRUCT_SL,
					   .nidx = 1,
					   .idx = { 7, 99 },
					   .loc = place(f, "a.c", 20, CONSTRUCT_SL) };
	p->frame[2] = (struct page_frame){ .kind = CONSTRUCT_PL,
					   .main = 3,
					   .ending = 1,
					   .loc = place(f, "a.c", 30, CONSTRUCT_PL) };
	numbered(f, 3, POINT_END);
}

/* What the stack, the stop, the end, and the findings read as must be fit to be sent. */
static void all_is_sendable(struct fixture *f)
{
	struct report_stack *stack = calloc(1, sizeof(*stack));
	struct report_exit *x = calloc(1, sizeof(*x));
	struct report_stop stop;
	struct report_finding finding;
	uint64_t pc;
	struct buf b = BUF_INIT;

	page_read_reset(&f->read);
	page_read_stack(&f->read, stack);
	report_stack_put(stack, &b);
	assert_int_equal(report_stack_get(stack, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	buf_reset(&b);
	page_read_stop(&f->read, &stop);
	report_stop_put(&stop, &b);
	assert_int_equal(report_stop_get(&stop, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	buf_reset(&b);
	page_read_exit(&f->read, x);
	report_exit_put(x, &b);
	assert_int_equal(report_exit_get(x, &b), 0);
	assert_int_equal(buf_left(&b), 0);
	for (uint32_t i = 0; i < page_read_findings(&f->read); i++) {
		page_read_reset(&f->read);
		buf_reset(&b);
		if (!page_read_finding(&f->read, i, &finding, &pc))
			continue;
		report_finding_put(&finding, &b);
		assert_int_equal(report_finding_get(&finding, &b), 0);
		assert_int_equal(buf_left(&b), 0);
	}
	buf_clear(&b);
	free(stack);
	free(x);
}

static void an_empty_page_says_nothing(void **state)
{
	struct fixture *f = *state;
	struct report_stop stop;
	struct buf b = BUF_INIT;

	page_read_stop(&f->read, &stop);
	assert_int_equal(stop.point.main, 0);
	assert_int_equal(stop.frame.kind, CONSTRUCT_KINDS);
	assert_int_equal(page_read_state(&f->read), PAGE_FRESH);
	assert_int_equal(page_read_age(&f->read), 0);
	page_read_points(&f->read, 0, true, &b);
	assert_int_equal(b.len, 4);
	assert_int_equal(buf_get_u32(&b), 0);
	buf_clear(&b);
	all_is_sendable(f);
}

static void a_good_stack_is_read(void **state)
{
	struct fixture *f = *state;
	struct report_stack s;
	struct report_stop stop;

	fill_stack(f);
	page_read_stack(&f->read, &s);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.lost, 0);
	assert_int_equal(s.frame[0].kind, CONSTRUCT_FUNCTION);
	assert_string_equal(s.frame[0].place.file, "a.c");
	assert_int_equal(s.frame[0].place.line, 10);
	assert_int_equal(s.frame[1].nidx, 1);
	assert_int_equal(s.frame[1].idx[0], 7);
	assert_int_equal(s.frame[1].idx[1], 0);
	assert_int_equal(s.frame[1].point.main, 0);
	assert_int_equal(s.frame[2].point.main, 3);
	assert_int_equal(s.frame[2].point.side, POINT_END);
	page_read_stop(&f->read, &stop);
	assert_int_equal(stop.point.main, 3);
	assert_int_equal(stop.point.side, POINT_END);
	assert_int_equal(stop.frame.place.line, 30);
	all_is_sendable(f);
}

static void a_stack_too_deep_is_cut(void **state)
{
	struct fixture *f = *state;
	struct report_stack s;

	f->page->depth = 100;
	page_read_stack(&f->read, &s);
	assert_int_equal(s.n, PAGE_FRAMES);
	assert_int_equal(s.lost, 100 - PAGE_FRAMES);
	f->page->depth = UINT32_MAX;
	page_read_stack(&f->read, &s);
	assert_int_equal(s.n, PAGE_FRAMES);
	all_is_sendable(f);
}

static void a_lock_left_odd_does_not_hang(void **state)
{
	struct fixture *f = *state;
	struct report_stack s;

	fill_stack(f);
	f->page->stack_seq = 41;
	page_read_stack(&f->read, &s);
	assert_int_equal(s.n, 3);
	assert_int_equal(page_read_point(&f->read).main, 3);
}

static void offsets_outside_are_absent(void **state)
{
	static const uint32_t bad[] = { 0,	    PAGE_ARENA,	    PAGE_ARENA - 1, PAGE_ARENA - 31,
					UINT32_MAX, UINT32_MAX - 7, 0x80000000u };
	struct fixture *f = *state;
	struct page_loc loc;
	struct place p;
	char c[16];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		page_read_reset(&f->read);
		assert_int_equal(page_read_place(&f->read, bad[i], &p), CONSTRUCT_KINDS);
		assert_string_equal(p.file, "");
		assert_string_equal(page_read_string(&f->read, bad[i]), "");
		assert_false(page_read_arena(&f->read, bad[i], c, sizeof(c) + 24));
		loc = (struct page_loc){ bad[i], 1, bad[i], bad[i], 2, UINT32_MAX, 0 };
		assert_int_equal(page_read_place(&f->read, put(f, &loc, sizeof(loc)), &p),
				 CONSTRUCT_KINDS);
		assert_string_equal(p.file, "");
		assert_string_equal(p.module, "");
	}
}

static void texts_end_somewhere(void **state)
{
	struct fixture *f = *state;
	const char *s;

	/* no NUL up to the end of the arena */
	memset(f->page->arena + PAGE_ARENA - 100, 'x', 100);
	assert_int_equal(strlen(page_read_string(&f->read, PAGE_ARENA - 100)), 100);
	/* longer than any name */
	memset(f->page->arena + 4096, 'y', 65536);
	assert_int_equal(strlen(page_read_string(&f->read, 4096)), PAGE_READ_STRING - 1);
	/* what a terminal would obey */
	s = page_read_string(&f->read, text(f, "a\033[2J\nb\177"));
	assert_string_equal(s, "a?[2J?b?");
	/* more texts than there is room for */
	for (int i = 0; i < 1000; i++)
		s = page_read_string(&f->read, 4096);
	assert_string_equal(s, "");
	page_read_reset(&f->read);
	assert_int_equal(strlen(page_read_string(&f->read, 4096)), PAGE_READ_STRING - 1);
}

static void numbers_that_are_none_are_mended(void **state)
{
	struct fixture *f = *state;
	struct page *p = f->page;
	struct report_stop stop;
	struct report_exit *x = calloc(1, sizeof(*x));

	fill_stack(f);
	p->state = 99;
	p->mpi = 99;
	p->reason = 99;
	p->aborted = 77;
	p->abort_code = 5;
	p->nact = 1000;
	for (int i = 0; i < 8; i++)
		p->act[i] = (uint32_t)(7 - i) / 2;
	p->frame[2].kind = 200;
	p->frame[1].nidx = 200;
	p->point_main_side = UINT64_MAX;
	assert_int_equal(page_read_state(&f->read), PAGE_FRESH);
	page_read_stop(&f->read, &stop);
	assert_int_equal(stop.reason, STOP_HALT);
	assert_int_equal(stop.nact, 4);
	assert_int_equal(stop.act[0], 0);
	assert_int_equal(stop.act[3], 3);
	assert_int_equal(stop.point.main, 0);
	assert_int_equal(stop.frame.kind, CONSTRUCT_KINDS);
	page_read_exit(&f->read, x);
	assert_int_equal(x->mpi, MPI_STATE_NONE);
	assert_int_equal(x->aborted, 1);
	assert_int_equal(x->abort_code, 5);
	assert_int_equal(x->stack.n, 2);
	assert_int_equal(x->stack.frame[1].nidx, ARRAY_DIMS);
	p->finding_n = UINT32_MAX;
	p->finding[0].kind = 9999;
	p->finding[1].kind = FINDING_LEFT;
	memset(p->finding[1].detail, 'z', sizeof(p->finding[1].detail));
	assert_int_equal(page_read_findings(&f->read), PAGE_FINDINGS);
	all_is_sendable(f);
	free(x);
}

static void random_bytes_do_no_harm(void **state)
{
	struct fixture *f = *state;
	unsigned char *bytes = (unsigned char *)f->page;
	size_t head = offsetof(struct page, bounce);
	uint64_t seed = 88172645463325252u;
	struct buf b = BUF_INIT;

	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < head; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			bytes[i] = (unsigned char)seed;
			f->page->arena[i] = (unsigned char)(seed >> 8);
			((unsigned char *)f->page->history)[i] = (unsigned char)(seed >> 16);
		}
		f->page->first_entity = 8 * (uint32_t)round;
		all_is_sendable(f);
		buf_reset(&b);
		page_read_reset(&f->read);
		object_put_names(&f->read, "", &b);
		object_put_layout(&f->read, "u", &b);
		fetch_answer(&f->read, &f->memory, "u", &(struct section){ 0 }, 0, &b);
		page_read_points(&f->read, 10, true, &b);
		page_read_hash_at(&f->read, 3, &b);
		assert_false(b.bad);
	}
	buf_clear(&b);
}

static void history(struct fixture *f, uint32_t main, uint32_t task, uint32_t sub, bool ended)
{
	uint32_t n = f->page->history_n;

	f->page->history[n % PAGE_HISTORY] = (struct page_history){
		.main = main,
		.task = task,
		.sub = sub,
		.loc = 0,
		.begin_usec = 10 * n + 1,
		.end_usec = ended ? 10 * n + 5 : 0,
		.hash = 1000 + main,
	};
	f->page->history_n = n + 1;
}

/* "1.B 1.E …" of the last n points. */
static void points_are(struct fixture *f, uint32_t n, const char *want)
{
	struct buf b = BUF_INIT;
	char got[512] = "", one[POINT_TEXT];
	struct report_point p;
	uint32_t count;

	page_read_points(&f->read, n, false, &b);
	count = buf_get_u32(&b);
	for (uint32_t i = 0; i < count; i++) {
		report_point_get(&p, &b);
		assert_int_equal(p.usec, 0);
		strcat(strcat(got, i ? " " : ""), point_format(&p.point, one));
	}
	assert_false(b.bad);
	assert_int_equal(buf_left(&b), 0);
	assert_string_equal(got, want);
	buf_clear(&b);
}

static void points_come_in_order(void **state)
{
	struct fixture *f = *state;

	history(f, 1, 0, 0, true);
	history(f, 2, 0, 0, true);
	history(f, 2, 1, 1, true);
	history(f, 2, 2, 1, true);
	history(f, 3, 0, 0, true);
	history(f, 4, 0, 0, false);
	points_are(f, 0, "1.B 1.E 2.B 2.1.1.B 2.1.1.E 2.2.1.B 2.2.1.E 2.E 3.B 3.E 4.B");
	points_are(f, 4, "2.E 3.B 3.E 4.B");
	points_are(f, 1, "4.B");
	history(f, 4, 1, 1, false);
	points_are(f, 2, "4.B 4.1.1.B");
}

static void a_history_that_ran_over_keeps_the_newest(void **state)
{
	struct fixture *f = *state;
	struct buf b = BUF_INIT;

	for (uint32_t i = 1; i <= PAGE_HISTORY + 5; i++)
		history(f, i, 0, 0, true);
	points_are(f, 3, "65540.E 65541.B 65541.E");
	page_read_hash_at(&f->read, 65541, &b);
	assert_int_equal(buf_get_u8(&b), 1);
	assert_int_equal(buf_get_u64(&b), 1000 + 65541);
	buf_reset(&b);
	page_read_hash_at(&f->read, 2, &b);
	assert_int_equal(buf_get_u8(&b), 0);
	buf_reset(&b);
	page_read_hash_at(&f->read, 0, &b);
	assert_int_equal(buf_get_u8(&b), 0);
	buf_clear(&b);
}

/* Pushes and pops as fast as it can; every frame of one moment has that moment's number. */
static atomic_bool writer_stop;
static void *writer(void *arg)
{
	struct page *p = arg;

	for (uint32_t n = 1; !atomic_load(&writer_stop); n++) {
		atomic_fetch_add_explicit(&p->stack_seq, 1, memory_order_relaxed);
		atomic_thread_fence(memory_order_seq_cst);
		p->depth = 1 + n % 8;
		for (uint32_t i = 0; i < p->depth; i++)
			p->frame[i] = (struct page_frame){ .kind = CONSTRUCT_PL, .main = n };
		atomic_store_explicit(&p->point_main_side, (uint64_t)n << 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&p->stack_seq, 1, memory_order_release);
		for (volatile int k = 0; k < 200; k++)
			;
	}
	return NULL;
}

static void a_stack_in_motion_is_read_whole(void **state)
{
	struct fixture *f = *state;
	struct report_stack s;
	struct report_stop stop;
	pthread_t t;

	atomic_store(&writer_stop, false);
	assert_int_equal(pthread_create(&t, NULL, writer, f->page), 0);
	for (int i = 0; i < 2000; i++) {
		page_read_reset(&f->read);
		page_read_stack(&f->read, &s);
		for (uint32_t k = 1; k < s.n; k++)
			assert_int_equal(s.frame[k].point.main, s.frame[0].point.main);
		page_read_stop(&f->read, &stop);
		if (stop.frame.kind == CONSTRUCT_PL)
			assert_int_equal(stop.point.main, stop.frame.point.main);
	}
	atomic_store(&writer_stop, true);
	pthread_join(t, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_empty_page_says_nothing),
		T(a_good_stack_is_read),
		T(a_stack_too_deep_is_cut),
		T(a_lock_left_odd_does_not_hang),
		T(offsets_outside_are_absent),
		T(texts_end_somewhere),
		T(numbers_that_are_none_are_mended),
		T(random_bytes_do_no_harm),
		T(points_come_in_order),
		T(a_history_that_ran_over_keeps_the_newest),
		T(a_stack_in_motion_is_read_whole),
	};

	return cmocka_run_group_tests_name("page_read", tests, NULL, NULL);
}
