/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The supervisor's view of a page that a program has filled well, badly, or is filling right now.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/construct.h"
#include "common/msg.h"
#include "common/value.h"
#include "runtime/exec/fetch.h"
#include "runtime/exec/memory.h"
#include "runtime/exec/object.h"
#include "runtime/exec/page_read.h"

struct fixture {
	struct page *page;
	struct page_read read;
	struct memory memory;
	uint32_t used; /* of the arena */
	uint32_t last; /* entity */
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->page = mmap(NULL, sizeof(*f->page), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->page == MAP_FAILED || page_read_init(&f->read, f->page))
		return -1;
	f->used = 8;
	f->memory.pid = getpid();
	f->memory.page = f->page;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	page_read_clear(&f->read);
	munmap(f->page, sizeof(*f->page));
	free(f);
	return 0;
}

static uint32_t put(struct fixture *f, const void *data, size_t len)
{
	uint32_t off = f->used;

	memcpy(f->page->arena + off, data, len);
	f->used += (uint32_t)((len + 7) & ~(size_t)7);
	return off;
}

static uint32_t text(struct fixture *f, const char *s)
{
	return put(f, s, strlen(s) + 1);
}

static uint32_t place(struct fixture *f, const char *file, uint32_t line, unsigned kind)
{
	struct page_loc loc = { .file = text(f, file), .line = line, .kind = kind };

	return put(f, &loc, sizeof(loc));
}

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
		if (!page_read_finding(&f->read, i, &finding))
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
		fetch_answer(&f->read, &f->memory, "u", &(struct section){ 0 }, &b);
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

/* Adds e to the list of the page and makes it live. */
static struct page_entity *entity(struct fixture *f, const char *name, struct page_entity e)
{
	uint32_t off;

	e.name = text(f, name);
	e.loc = place(f, "src/a.c", 10 + f->used, 0);
	e.live = 1;
	e.order = e.order ? e.order : 'C';
	off = put(f, &e, sizeof(e));
	if (f->last)
		((struct page_entity *)(f->page->arena + f->last))->next = off;
	else
		f->page->first_entity = off;
	f->last = off;
	return (struct page_entity *)(f->page->arena + off);
}

static struct page_entity scalar(void *addr, unsigned type)
{
	return (struct page_entity){ .kind = ARRAY_REPLICATED,
				     .type = (uint8_t)type,
				     .elem_size = (uint32_t)value_size(type),
				     .addr = (uintptr_t)addr };
}

/* Fetches all of it; returns the kind of the answer, which b holds. */
static unsigned fetch(struct fixture *f, const char *name, struct buf *b)
{
	struct section s = { 0 };

	buf_reset(b);
	fetch_answer(&f->read, &f->memory, name, &s, b);
	return buf_get_u8(b);
}

static void refused(struct fixture *f, const char *name, const char *why)
{
	struct buf b = BUF_INIT;

	assert_int_equal(fetch(f, name, &b), ANSWER_ERROR);
	assert_non_null(strstr(buf_get_str(&b), why));
	buf_clear(&b);
}

static void values_are_fetched(void **state)
{
	struct fixture *f = *state;
	struct buf b = BUF_INIT;
	double x = 2.5, *at = &x, got;

	entity(f, "x", scalar(&x, VALUE_DOUBLE));
	entity(f, "px", scalar(&at, VALUE_DOUBLE))->by_pointer = 1;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fetch(f, i ? "px" : "x", &b), ANSWER_VALUE);
		assert_int_equal(buf_get_u8(&b), VALUE_DOUBLE);
		assert_int_equal(buf_get_u64(&b), 1);
		memcpy(&got, buf_get_raw(&b, 8), 8);
		assert_true(got == 2.5);
		assert_int_equal(buf_left(&b), 0);
	}
	buf_clear(&b);
}

static void what_cannot_be_read_is_said(void **state)
{
	struct fixture *f = *state;
	double *null = NULL, *wild = (double *)0x10;

	entity(f, "n", scalar(&null, VALUE_DOUBLE))->by_pointer = 1;
	entity(f, "w", scalar(&wild, VALUE_DOUBLE))->by_pointer = 1;
	entity(f, "v", scalar((void *)0x10, VALUE_DOUBLE))->by_pointer = 1;
	refused(f, "n", "n is a null pointer");
	refused(f, "w", "w cannot be read at address 0x10");
	refused(f, "v", "the pointer v cannot be read at address 0x10");
	refused(f, "z", "no object z is registered");
	refused(f, "", "no object");
}

/* A 4 × 6 array with a halo of one, of which this rank owns columns 2 … 4 of rows 1 … 2. */
static void a_part_of_a_distributed_array(void **state)
{
	struct fixture *f = *state;
	static int local[4][5];
	struct page_entity e = { .kind = ARRAY_DISTRIBUTED,
				 .type = VALUE_INT,
				 .elem_size = 4,
				 .ndim = 2,
				 .addr = (uintptr_t)local,
				 .extent = { 4, 6 },
				 .own_lo = { 1, 2 },
				 .own_hi = { 2, 4 },
				 .halo_lo = { 1, 1 },
				 .halo_hi = { 1, 1 },
				 .stride = { 5, 1 } };
	struct buf b = BUF_INIT;
	int got[6];

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 5; j++)
			local[i][j] = 10 * i + j;
	entity(f, "u", e);
	assert_int_equal(fetch(f, "u", &b), ANSWER_PIECE);
	assert_int_equal(buf_get_u8(&b), VALUE_INT);
	assert_int_equal(buf_get_u32(&b), 2);
	assert_int_equal(buf_get_u32(&b), 2);
	assert_int_equal(buf_get_u32(&b), 1);
	assert_int_equal(buf_get_u32(&b), 2);
	assert_int_equal(buf_get_u32(&b), 3);
	for (uint32_t i = 2; i < 5; i++)
		assert_int_equal(buf_get_u32(&b), i);
	assert_int_equal(buf_left(&b), sizeof(got));
	memcpy(got, buf_get_raw(&b, sizeof(got)), sizeof(got));
	for (int i = 0; i < 6; i++)
		assert_int_equal(got[i], 10 * (1 + i / 3) + 1 + i % 3);
	buf_clear(&b);
}

/* Fortran order, strides, and more elements than one call of the kernel takes. */
static void large_arrays_are_put_in_order(void **state)
{
	enum { N = 120, M = 90 };
	struct fixture *f = *state;
	int64_t *mem = calloc(2 * N * M, sizeof(*mem));
	struct page_entity e = { .kind = ARRAY_DISTRIBUTED,
				 .type = VALUE_LONG,
				 .elem_size = 8,
				 .ndim = 2,
				 .addr = (uintptr_t)mem,
				 .order = 'F',
				 .extent = { N, M },
				 .own_hi = { N - 1, M - 1 },
				 .stride = { 2, 2 * N } };
	struct buf b = BUF_INIT;
	const unsigned char *bytes;

	for (int64_t i = 0; i < N; i++)
		for (int64_t j = 0; j < M; j++)
			mem[2 * (i + N * j)] = 1000 * i + j;
	entity(f, "u", e);
	assert_int_equal(fetch(f, "u", &b), ANSWER_PIECE);
	bytes = b.data + b.len - N * M * 8;
	for (int64_t i = 0; i < N; i++) {
		for (int64_t j = 0; j < M; j++) {
			int64_t v;

			memcpy(&v, bytes + (i * M + j) * 8, 8);
			assert_int_equal(v, 1000 * i + j);
		}
	}
	buf_clear(&b);
	free(mem);
}

static void a_rank_without_elements_needs_no_memory(void **state)
{
	struct fixture *f = *state;
	void *null = NULL;
	struct page_entity e = { .kind = ARRAY_DISTRIBUTED,
				 .type = VALUE_INT,
				 .elem_size = 4,
				 .ndim = 1,
				 .addr = (uintptr_t)&null,
				 .by_pointer = 1,
				 .extent = { 9 },
				 .own_hi = { -1 },
				 .stride = { 1 } };
	struct buf b = BUF_INIT;

	entity(f, "u", e);
	assert_int_equal(fetch(f, "u", &b), ANSWER_PIECE);
	assert_int_equal(buf_get_u8(&b), VALUE_INT);
	assert_int_equal(buf_get_u32(&b), 1);
	assert_int_equal(buf_get_u32(&b), 0);
	assert_int_equal(buf_left(&b), 0);
	buf_clear(&b);
}

struct par {
	char c;
	double dt;
	int steps[3];
};

static struct page_entity structure(struct fixture *f, struct par *p)
{
	struct page_field field[] = {
		{ text(f, "c"), VALUE_CHAR, offsetof(struct par, c), 1 },
		{ text(f, "dt"), VALUE_DOUBLE, offsetof(struct par, dt), 1 },
		{ text(f, "steps"), VALUE_INT, offsetof(struct par, steps), 3 },
		{ text(f, "outside"), VALUE_INT, sizeof(struct par) - 2, 1 },
		{ text(f, "none"), 999, 0, 1 },
		{ text(f, "many"), VALUE_INT, 0, UINT32_MAX },
	};
	struct page_entity e = { .kind = ARRAY_REPLICATED,
				 .type = VALUE_STRUCT,
				 .elem_size = sizeof(*p),
				 .addr = (uintptr_t)p,
				 .nfield = 6 };

	e.field = put(f, field, sizeof(field));
	return e;
}

static void structures_have_fields(void **state)
{
	struct fixture *f = *state;
	struct par p, q;
	struct buf a = BUF_INIT, b = BUF_INIT;
	int steps[3];

	memset(&p, 0x55, sizeof(p));
	memset(&q, 0xaa, sizeof(q));
	p.c = q.c = 'x';
	p.dt = q.dt = 0.25;
	memcpy(p.steps, (int[]){ 4, 5, 6 }, sizeof(p.steps));
	memcpy(q.steps, p.steps, sizeof(p.steps));
	entity(f, "p", structure(f, &p));
	entity(f, "q", structure(f, &q));
	/* equal fields are equal bytes, whatever lies between them */
	assert_int_equal(fetch(f, "p", &a), ANSWER_VALUE);
	assert_int_equal(fetch(f, "q", &b), ANSWER_VALUE);
	assert_int_equal(a.len, 1 + 1 + 8 + sizeof(p));
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	assert_int_equal(fetch(f, "p.steps", &a), ANSWER_VALUE);
	assert_int_equal(buf_get_u8(&a), VALUE_INT);
	assert_int_equal(buf_get_u64(&a), 3);
	memcpy(steps, buf_get_raw(&a, sizeof(steps)), sizeof(steps));
	assert_int_equal(steps[2], 6);
	assert_int_equal(fetch(f, "p.dt", &a), ANSWER_VALUE);
	assert_int_equal(buf_get_u8(&a), VALUE_DOUBLE);
	refused(f, "p.outside", "no object");
	refused(f, "p.none", "no object");
	refused(f, "p.many", "no object");
	refused(f, "p.", "no object");
	refused(f, ".c", "no object");
	buf_clear(&a);
	buf_clear(&b);
}

static void the_last_registered_is_meant(void **state)
{
	struct fixture *f = *state;
	struct object o;
	int a = 1, b = 2, c = 3;
	char name[64];

	entity(f, "x", scalar(&a, VALUE_INT))->serial = 7;
	entity(f, "x", scalar(&b, VALUE_INT))->serial = 9;
	entity(f, "x", scalar(&c, VALUE_INT))->serial = 8;
	assert_int_equal(object_find(&f->read, "x", &o), 1);
	assert_true(o.desc.addr == (uintptr_t)&b);
	snprintf(name, sizeof(name), "x@a.c:%u", o.desc.line);
	object_clear(&o);
	assert_int_equal(object_find(&f->read, name, &o), 1);
	assert_true(o.desc.addr == (uintptr_t)&b);
	object_clear(&o);
	assert_int_equal(object_find(&f->read, "x@a.c:1", &o), 0);
	assert_int_equal(object_find(&f->read, "x@b.c:10", &o), 0);
	((struct page_entity *)(f->page->arena + f->last))->serial = 10;
	assert_int_equal(object_find(&f->read, "x", &o), 1);
	assert_true(o.desc.addr == (uintptr_t)&c);
	object_clear(&o);
	((struct page_entity *)(f->page->arena + f->last))->live = 0;
	assert_int_equal(object_find(&f->read, "x", &o), 1);
	assert_true(o.desc.addr == (uintptr_t)&b);
	object_clear(&o);
}

static void descriptions_that_cannot_be_are_not_there(void **state)
{
	struct fixture *f = *state;
	int v[4] = { 0 };
	struct page_entity good = { .kind = ARRAY_DISTRIBUTED,
				    .type = VALUE_INT,
				    .elem_size = 4,
				    .ndim = 1,
				    .addr = (uintptr_t)v,
				    .extent = { 4 },
				    .own_hi = { 3 },
				    .stride = { 1 } };
	struct page_entity e;
	struct object o;

	entity(f, "good", good);
	assert_int_equal(object_find(&f->read, "good", &o), 1);
	object_clear(&o);
#define BAD(member, wrong)                                             \
	do {                                                           \
		e = good;                                              \
		e.member = wrong;                                      \
		entity(f, "bad", e);                                   \
		assert_int_equal(object_find(&f->read, "bad", &o), 0); \
	} while (0)
	BAD(kind, 9);
	BAD(type, 63);
	BAD(order, 'X');
	BAD(ndim, 9);
	BAD(ndim, UINT32_MAX);
	BAD(elem_size, 0);
	BAD(elem_size, UINT32_MAX);
	BAD(extent[0], -1);
	BAD(extent[0], 3);
	BAD(lower[0], INT64_MAX);
	BAD(lower[0], 1);
	BAD(own_hi[0], INT64_MAX);
	BAD(own_lo[0], INT64_MIN);
	BAD(halo_lo[0], -1);
	BAD(halo_hi[0], INT64_MAX);
	BAD(nfield, UINT32_MAX);
	e = good;
	e.list[0] = PAGE_ARENA - 8;
	e.list_n[0] = 1000;
	entity(f, "bad", e);
	assert_int_equal(object_find(&f->read, "bad", &o), 0);
	/* a stride that leads outside all memory */
	e = good;
	e.stride[0] = INT64_MAX / 16;
	entity(f, "far", e);
	refused(f, "far", "far cannot be read at address");
	/* more than anybody should ask for */
	e = good;
	e.extent[0] = 1u << 30;
	e.own_hi[0] = (1u << 30) - 1;
	e.stride[0] = 0;
	entity(f, "huge", e);
	refused(f, "huge", "ask for a section");
}

static void a_list_in_a_circle_ends(void **state)
{
	struct fixture *f = *state;
	struct buf b = BUF_INIT;
	int v = 0;
	struct page_entity *e;

	entity(f, "x", scalar(&v, VALUE_INT));
	e = entity(f, "y", scalar(&v, VALUE_INT));
	e->next = f->page->first_entity;
	refused(f, "z", "no object");
	assert_int_equal(fetch(f, "x", &b), ANSWER_VALUE);
	e->next = f->page->first_entity + 4;
	assert_int_equal(fetch(f, "y", &b), ANSWER_VALUE);
	e->next = PAGE_ARENA - 8;
	assert_int_equal(fetch(f, "y", &b), ANSWER_VALUE);
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
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
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
		T(values_are_fetched),
		T(what_cannot_be_read_is_said),
		T(a_part_of_a_distributed_array),
		T(large_arrays_are_put_in_order),
		T(a_rank_without_elements_needs_no_memory),
		T(structures_have_fields),
		T(the_last_registered_is_meant),
		T(descriptions_that_cannot_be_are_not_there),
		T(a_list_in_a_circle_ends),
		T(a_stack_in_motion_is_read_whole),
	};

	return cmocka_run_group_tests_name("page_read", tests, NULL, NULL);
}
