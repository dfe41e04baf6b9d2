/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The supervisor's thread that takes blocks of traces: their order, what is left of a program that
 * has died, files that cannot be written, and blocks that hold nonsense.
 */
#include "tests/unit/page_fixture.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/protocol/msg.h"
#include "common/trace/encode.h"
#include "common/tracefile/tracefile.h"
#include "runtime/exec/sys/futex.h"
#include "runtime/exec/rank/internal.h"

#define BLOCK 65536u
#define PATIENCE 10000 /* ms */
#define MANY 100000u

static struct trace_enc enc;
static unsigned char *area;
static char dir[] = "/tmp/test-traces.XXXXXX", path[64];
static uint32_t place_of_loop;

static int make_area(void **state)
{
	area = mmap(NULL, (size_t)BLOCK * PAGE_BLOCKS, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	strcpy(dir, "/tmp/test-traces.XXXXXX");
	if (area == MAP_FAILED || !mkdtemp(dir) || setup(state))
		return -1;
	snprintf(path, sizeof(path), "%s/trace.5.bin", dir);
	return 0;
}

static int drop_area(void **state)
{
	munmap(area, (size_t)BLOCK * PAGE_BLOCKS);
	unlink(path);
	rmdir(dir);
	return teardown(state);
}
#define TA(name) cmocka_unit_test_setup_teardown(name, make_area, drop_area)

/* Block i with one loop of that number and its end. */
static void fill(struct fixture *f, unsigned i, uint32_t number)
{
	struct trace_start start = { .rank = 5 };
	struct trace_opening o = { .kind = 1, .level = 3, .point = { .main = number } };

	if (!place_of_loop)
		place_of_loop = place(f, "heat.c", 61, 1);
	o.place = place_of_loop;
	trace_enc_open(&enc, area + (size_t)i * BLOCK, BLOCK, &start);
	assert_true(trace_enc_begin(&enc, &o));
	assert_true(trace_enc_end(&enc, 1, &o.point, o.place, false, number));
	trace_enc_close(&enc);
	f->page->trace.block[i].opened = number;
}

static void close_as(struct fixture *f, unsigned i, uint64_t closed)
{
	struct page_trace *p = &f->page->trace;

	atomic_store(&p->block[i].closed, closed);
	atomic_store(&p->block[i].state, PAGE_BLOCK_FULL);
	if (closed > atomic_load(&p->closed))
		atomic_store(&p->closed, closed);
	atomic_fetch_add(&p->bell, 1);
}

static struct traces *make(struct fixture *f, struct err *err)
{
	const struct msg_trace order = { .record = dir, .compare = "", .effort = 1 };
	const struct traces_spec spec = { .page = f->page,
					  .area = area,
					  .bytes = (size_t)BLOCK * PAGE_BLOCKS,
					  .meta = { .rank = 5,
						    .ranks = 6,
						    .level = 3,
						    .program = "/bin/heat",
						    .build_id = "",
						    .version = "1",
						    .origin = "" },
					  .order = &order };

	place_of_loop = 0;
	return traces_create(&spec, err);
}

/* Waits until cond holds. */
#define AWAIT(cond)                                              \
	do {                                                     \
		for (int ms = 0; ms < PATIENCE && !(cond); ms++) \
			usleep(1000);                            \
		assert_true(cond);                               \
	} while (0)

/* The numbers of the loops in the file, in their order, as text. */
static const char *loops(bool *complete)
{
	static char text[1024];
	struct err err;
	struct trace_reader *m = trace_reader_open(path, &err);
	struct trace_cursor *c = NULL;
	struct trace_rec r;

	assert_non_null(m);
	*text = '\0';
	for (size_t i = 0; i < trace_reader_blocks(m); i++) {
		struct trace_block *b = trace_reader_block(m, i, &err);

		assert_non_null(b);
		c = trace_cursor_open(b);
		while (trace_block_next(c, &r) > 0) {
			if (r.op != TRACE_BEGIN)
				continue;
			snprintf(text + strlen(text), sizeof(text) - strlen(text), " %u",
				 r.point.main);
			assert_string_equal(b->place[r.place].file, "heat.c");
			assert_int_equal(b->place[r.place].line, 61);
		}
		trace_cursor_free(c);
		trace_block_free(b);
	}
	*complete = trace_reader_complete(m);
	trace_reader_close(m);
	return text;
}

static void finish(struct traces *t, bool complete)
{
	traces_finish(t, complete);
	AWAIT(traces_finished(t));
}

/* In the order in which they were closed, also when another one can be seen first. */
static void in_their_order(void **state)
{
	struct fixture *f = *state;
	struct err err;
	struct traces *t = make(f, &err);
	struct report_trace r;
	bool complete;

	assert_non_null(t);
	fill(f, 7, 3);
	fill(f, 2, 1);
	fill(f, 0, 2);
	close_as(f, 0, 2);
	close_as(f, 2, 1);
	close_as(f, 7, 3);
	AWAIT(traces_reached(t, 3));
	assert_int_equal(atomic_load(&f->page->trace.block[2].state), PAGE_BLOCK_FREE);
	assert_false(traces_report(t, &r));
	finish(t, true);
	assert_true(traces_report(t, &r));
	assert_int_equal(r.state, REPORT_TRACE_DONE);
	assert_int_equal(r.complete, 1);
	assert_int_equal(r.blocks, 3);
	assert_int_equal(r.records, 6);
	assert_false(traces_report(t, &r));
	assert_string_equal(loops(&complete), " 1 2 3");
	assert_true(complete);
	traces_destroy(t);
}

/* The program's side, as fast as it can: takes the next free block, and closes it with `number`. */
static void close_one(struct fixture *f, const void *raw, size_t n, uint64_t number)
{
	struct page_trace *p = &f->page->trace;
	uint32_t none = PAGE_BLOCK_FREE;
	unsigned i = 0;

	while (!atomic_compare_exchange_strong(&p->block[i].state, &none, PAGE_BLOCK_FILLING)) {
		none = PAGE_BLOCK_FREE;
		i = (i + 1) % PAGE_BLOCKS;
	}
	atomic_store(&p->block[i].closed, 0);
	atomic_store(&p->block[i].opened, number);
	memcpy(area + (size_t)i * BLOCK, raw, n);
	((struct trace_raw *)(area + (size_t)i * BLOCK))->seq = number;
	atomic_store(&p->closed, number);
	atomic_store(&p->block[i].closed, number);
	atomic_store(&p->block[i].state, PAGE_BLOCK_FULL);
	atomic_fetch_add(&p->bell, 1);
	futex_wake(&p->bell);
}

/* Blocks that are closed while others are looked for: none is taken before one that was closed
 * earlier, and what was reached is never less than before. */
static void never_out_of_order(void **state)
{
	struct fixture *f = *state;
	struct err err;
	struct traces *t = make(f, &err);
	struct trace_reader *m;
	unsigned char *raw;
	size_t n;

	fill(f, 0, 1);
	n = atomic_load(&((struct trace_raw *)area)->used);
	raw = malloc(n);
	assert_non_null(raw);
	memcpy(raw, area, n);
	for (uint64_t i = 1; i <= MANY; i++) {
		close_one(f, raw, n, i);
		if (i > 2 * PAGE_BLOCKS)
			assert_true(traces_reached(t, i - 2 * PAGE_BLOCKS));
	}
	finish(t, true);
	m = trace_reader_open(path, &err);
	assert_non_null(m);
	assert_int_equal(trace_reader_blocks(m), MANY);
	/* as they lie in the file */
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(trace_reader_info(m, i)->seq, i + 1);
		assert_true(!i ||
			    trace_reader_info(m, i)->offset > trace_reader_info(m, i - 1)->offset);
	}
	trace_reader_close(m);
	free(raw);
	traces_destroy(t);
}

/* One whose number never comes is not waited for for ever. */
static void a_gap(void **state)
{
	struct fixture *f = *state;
	struct err err;
	struct traces *t = make(f, &err);
	bool complete;

	fill(f, 0, 9);
	close_as(f, 0, 4);
	AWAIT(traces_reached(t, 4));
	finish(t, true);
	assert_string_equal(loops(&complete), " 9");
	traces_destroy(t);
}

/* Of a program that has died: what is full, then what is not, as it was opened. */
static void what_is_left(void **state)
{
	struct fixture *f = *state;
	struct err err;
	struct traces *t = make(f, &err);
	struct page_block *b = f->page->trace.block;
	bool complete;

	fill(f, 3, 8);
	fill(f, 4, 7);
	fill(f, 5, 6);
	/* the last one was about to write another record */
	enc.raw = (struct trace_raw *)(area + 5 * (size_t)BLOCK);
	atomic_store(&enc.raw->closed, 0);
	b[3].state = b[4].state = PAGE_BLOCK_FILLING;
	close_as(f, 5, 1);
	b[5].closed = 1;
	finish(t, false);
	assert_string_equal(loops(&complete), " 6 7 8");
	assert_false(complete);
	traces_destroy(t);
}

/* Of a program that has died between taking a block and beginning it: what was in it is not told
 * once more, nor as one that is damaged. */
static void taken_and_not_begun(void **state)
{
	struct fixture *f = *state;
	struct err err;
	struct traces *t = make(f, &err);
	const char *why;
	bool complete;

	fill(f, 3, 1);
	close_as(f, 3, 1);
	AWAIT(traces_reached(t, 1));
	atomic_store(&f->page->trace.block[3].state, PAGE_BLOCK_FILLING);
	finish(t, false);
	assert_string_equal(loops(&complete), " 1");
	assert_false(traces_partial(t, &why));
	traces_destroy(t);
}

/* Whoever waits for a free block is woken. */
static void who_waits_is_woken(void **state)
{
	struct fixture *f = *state;
	struct err err;
	struct traces *t = make(f, &err);
	uint32_t wake = atomic_load(&f->page->wake);

	atomic_store(&f->page->trace.waiting, 1);
	fill(f, 0, 1);
	close_as(f, 0, 1);
	AWAIT(atomic_load(&f->page->wake) != wake);
	assert_int_equal(atomic_load(&f->page->trace.block[0].state), PAGE_BLOCK_FREE);
	traces_destroy(t);
}

static void nonsense(void **state)
{
	struct fixture *f = *state;
	struct err err;
	struct traces *t = make(f, &err);
	const char *why;
	bool complete;

	srand(1);
	for (unsigned i = 0; i < PAGE_BLOCKS; i++) {
		fill(f, i, i + 1);
		/* one is right, some are changed a little, some are noise */
		for (unsigned k = 0; i != 40 && k < (i % 3 ? 40u : BLOCK); k++)
			area[(size_t)i * BLOCK + (unsigned)rand() % (i % 3 ? 400u : BLOCK)] =
				(unsigned char)rand();
	}
	for (unsigned i = 0; i < PAGE_BLOCKS; i++)
		close_as(f, i, i == 40 ? 41 : (uint64_t)rand() << (rand() % 32));
	f->page->trace.nmodule = UINT32_MAX;
	AWAIT(atomic_load(&f->page->trace.block[40].state) == PAGE_BLOCK_FREE);
	finish(t, true);
	assert_non_null(strstr(loops(&complete), " 41"));
	/* that something is missing is said, once */
	assert_true(traces_partial(t, &why));
	assert_non_null(strstr(why, "block of a trace"));
	assert_false(traces_partial(t, &why));
	traces_destroy(t);
}

static void no_directory(void **state)
{
	struct fixture *f = *state;
	struct err err = { "" };

	rmdir(dir);
	assert_null(make(f, &err));
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, strerror(ENOENT)));
}

/* No room: that is said once, nothing more is recorded, and what was written can be read. */
static void no_room(void **state)
{
	struct fixture *f = *state;
	struct err err;
	struct traces *t = make(f, &err);
	struct rlimit old, none;
	struct report_trace r;
	bool complete;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	fill(f, 0, 1);
	close_as(f, 0, 1);
	AWAIT(traces_reached(t, 1));
	none = old;
	none.rlim_cur = 10;
	setrlimit(RLIMIT_FSIZE, &none);
	for (unsigned i = 1; i < 5; i++) {
		fill(f, i, i + 1);
		close_as(f, i, i + 1);
	}
	AWAIT(traces_reached(t, 5));
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(atomic_load(&f->page->trace.stopped), 1);
	assert_true(traces_report(t, &r));
	assert_int_equal(r.state, REPORT_TRACE_FAILED);
	assert_non_null(strstr(r.why, path));
	assert_non_null(strstr(r.why, strerror(EFBIG)));
	finish(t, true);
	assert_true(traces_report(t, &r));
	assert_int_equal(r.state, REPORT_TRACE_DONE);
	assert_int_equal(r.complete, 0);
	assert_false(traces_report(t, &r));
	assert_string_equal(loops(&complete), " 1");
	assert_false(complete);
	traces_destroy(t);
}

/* Destroyed in the middle: the file is there. */
static void given_up(void **state)
{
	struct fixture *f = *state;
	struct err err;
	struct traces *t = make(f, &err);
	bool complete;

	fill(f, 0, 1);
	close_as(f, 0, 1);
	AWAIT(traces_reached(t, 1));
	traces_destroy(t);
	assert_string_equal(loops(&complete), " 1");
	assert_false(complete);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TA(in_their_order), TA(never_out_of_order),  TA(a_gap),
		TA(what_is_left),   TA(taken_and_not_begun), TA(who_waits_is_woken),
		TA(nonsense),	    TA(no_directory),	     TA(no_room),
		TA(given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
