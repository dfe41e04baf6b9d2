/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Halos and rims of arrays in a page, as the supervisor reads them out.
 */
#include "tests/unit/page_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/array/value.h"
#include "runtime/exec/query/query.h"
#include "runtime/page/page.h"

/* Each int is 100 * row + column, in global indices, or of one dimension the index. */
static int memory[64];

static struct page_entity *entity(struct fixture *f, const char *name, struct page_entity e)
{
	uint32_t off;

	e.name = text(f, name);
	e.loc = place(f, "src/a.c", 10, 0);
	e.live = 1;
	e.order = 'C';
	if (!e.elem_size) {
		e.type = VALUE_INT;
		e.elem_size = 4;
	}
	off = put(f, &e, sizeof(e));
	if (f->last)
		((struct page_entity *)(f->page->arena + f->last))->next = off;
	else
		f->page->first_entity = off;
	f->last = off;
	return (struct page_entity *)(f->page->arena + off);
}

/* Rows and columns 0 … 9, of which [r0:r1][c0:c1] is here, with a halo of `width`. */
static struct page_entity table(long r0, long r1, long c0, long c1, long width)
{
	long columns = c1 - c0 + 1 + 2 * width;

	for (long r = r0 - width; r <= r1 + width; r++)
		for (long c = c0 - width; c <= c1 + width; c++)
			memory[(r - r0 + width) * columns + c - c0 + width] = (int)(100 * r + c);
	return (struct page_entity){ .ndim = 2,
				     .extent = { 10, 10 },
				     .own_lo = { r0, c0 },
				     .own_hi = { r1, c1 },
				     .halo_lo = { width, width },
				     .halo_hi = { width, width },
				     .stride = { columns, 1 },
				     .addr = (uintptr_t)memory };
}

/* "[3:4][0:1] 300 301 400 401; ", of n boxes. */
static void read_boxes(struct buf *b, unsigned ndim, char *out)
{
	uint32_t n = buf_get_u32(b);

	for (uint32_t i = 0; i < n; i++) {
		int64_t count = 1;

		for (unsigned d = 0; d < ndim; d++) {
			int64_t lo = buf_get_i64(b), hi = buf_get_i64(b);

			out += sprintf(out, "[%d:%d]", (int)lo, (int)hi);
			count *= hi - lo + 1;
		}
		while (count-- > 0)
			out += sprintf(out, " %d", (int)buf_get_u32(b));
		out += sprintf(out, "; ");
	}
}

/* What is answered about the arrays: "halo: …| rim: …\n" of each, or why it is left out. */
static const char *answer(struct fixture *f, const char *name, uint32_t width)
{
	static char out[4000];
	char *at = out;
	struct buf b = BUF_INIT;
	uint32_t n;

	send_halo_answer(&f->read, &f->memory, name, width, 0, &b);
	assert_int_equal(buf_get_u8(&b), 1);
	n = buf_get_u32(&b);
	*at = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct array_desc d;

		assert_int_equal(array_desc_get_global(&d, &b), 0);
		at += sprintf(at, "%s ", d.name);
		if (!buf_get_u8(&b)) {
			at += sprintf(at, "left out: %s\n", buf_get_str(&b));
		} else {
			assert_int_equal(array_desc_get_local(&d, &b), 0);
			at += sprintf(at, "halo: ");
			read_boxes(&b, d.ndim, at);
			at += strlen(at);
			at += sprintf(at, "| rim: ");
			read_boxes(&b, d.ndim, at);
			at += strlen(at);
			at += sprintf(at, "\n");
		}
		array_desc_clear(&d);
	}
	assert_false(b.bad);
	assert_int_equal(buf_left(&b), 0);
	buf_clear(&b);
	return out;
}

static void sides_and_corners(void **state)
{
	struct fixture *f = *state;

	entity(f, "u", table(3, 5, 6, 7, 1));
	assert_string_equal(answer(f, "", 0),
			    "u halo: [2:2][5:5] 205; [2:2][6:7] 206 207; [2:2][8:8] 208; "
			    "[3:5][5:5] 305 405 505; [3:5][8:8] 308 408 508; "
			    "[6:6][5:5] 605; [6:6][6:7] 606 607; [6:6][8:8] 608; "
			    "| rim: [3:3][6:7] 306 307; [5:5][6:7] 506 507; [4:4][6:6] 406; "
			    "[4:4][7:7] 407; \n");
}

/* At the ends of the array there is nothing outside, and nobody who needs what is there. */
static void ends_of_the_array(void **state)
{
	struct fixture *f = *state;

	entity(f, "u", table(0, 2, 8, 9, 1));
	assert_string_equal(answer(f, "u", 0),
			    "u halo: [0:2][7:7] 7 107 207; [3:3][7:7] 307; [3:3][8:9] 308 309; "
			    "| rim: [2:2][8:9] 208 209; [0:1][8:8] 8 108; \n");
	entity(f, "w", table(0, 9, 0, 0, 0));
	assert_string_equal(answer(f, "w", 0), "w halo: | rim: \n");
	assert_string_equal(answer(f, "nobody", 0), "");
}

static void blocks_that_are_thinner_than_the_halo(void **state)
{
	struct fixture *f = *state;
	struct page_entity e = { .ndim = 1,
				 .extent = { 9 },
				 .own_lo = { 4 },
				 .own_hi = { 5 },
				 .halo_lo = { 3 },
				 .halo_hi = { 3 },
				 .stride = { 1 },
				 .addr = (uintptr_t)memory };

	for (int i = 0; i < 8; i++)
		memory[i] = i + 1;
	entity(f, "u", e);
	assert_string_equal(answer(f, "u", 0),
			    "u halo: [1:3] 1 2 3; [6:8] 6 7 8; | rim: [4:5] 4 5; \n");
}

static void others_may_need_more_than_the_own_width(void **state)
{
	struct fixture *f = *state;
	struct page_entity e = { .ndim = 1,
				 .extent = { 20 },
				 .own_lo = { 4 },
				 .own_hi = { 11 },
				 .halo_lo = { 1 },
				 .stride = { 1 },
				 .addr = (uintptr_t)memory };

	for (int i = 0; i < 9; i++)
		memory[i] = i + 3;
	entity(f, "u", e);
	/* nobody above has a halo that reaches down further than ours */
	assert_string_equal(answer(f, "u", 0), "u halo: [3:3] 3; | rim: [11:11] 11; \n");
	assert_string_equal(answer(f, "u", 3),
			    "u halo: [3:3] 3; | rim: [4:6] 4 5 6; [9:11] 9 10 11; \n");
}

static void who_owns_nothing_has_nothing(void **state)
{
	struct fixture *f = *state;
	struct page_entity e = table(3, 5, 6, 7, 1);

	e.own_lo[1] = 0;
	e.own_hi[1] = -1;
	e.addr = 8; /* nothing is read there */
	entity(f, "u", e);
	assert_string_equal(answer(f, "", 2), "u halo: | rim: \n");
}

static void what_is_left_out(void **state)
{
	struct fixture *f = *state;
	struct page_entity e = table(3, 5, 6, 7, 1);
	int64_t index[] = { 1, 4 };
	char *none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char want[200];

	e.kind = ARRAY_REPLICATED;
	entity(f, "same", e);
	e.kind = ARRAY_DISTRIBUTED;
	e.list[0] = put(f, index, sizeof(index));
	e.list_n[0] = 2;
	entity(f, "lists", e);
	memset(e.halo_lo, 0, sizeof(e.halo_lo));
	memset(e.halo_hi, 0, sizeof(e.halo_hi));
	entity(f, "no halo", e);
	e = table(3, 5, 6, 7, 1);
	e.addr = (uintptr_t)none;
	entity(f, "gone", e);
	e.extent[0] = 1l << 40;
	e.own_hi[0] = 1l << 38;
	entity(f, "huge", e);
	snprintf(want, sizeof(want),
		 "lists left out: its parts are index lists, not boxes\n"
		 "gone left out: gone cannot be read at address 0x%lx: Bad address\n"
		 "huge left out: its halo and send halo are more than 64 MiB\n",
		 (unsigned long)none);
	assert_string_equal(answer(f, "", 0), want);
	munmap(none, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(sides_and_corners),
		T(ends_of_the_array),
		T(blocks_that_are_thinner_than_the_halo),
		T(others_may_need_more_than_the_own_width),
		T(who_owns_nothing_has_nothing),
		T(what_is_left_out),
	};

	return cmocka_run_group_tests_name("rim", tests, NULL, NULL);
}
