/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The supervisor's side of the queue of checksums: records as the runtime writes them, and as it
 * never would.
 */
#include "tests/unit/page_fixture.h"
#include "tests/unit/sum_help.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/point_sums.h"
#include "common/array/value.h"
#include "runtime/exec/page/page.h"

#define RANK 3

/* A record that is being made. */
struct record {
	unsigned char at[4096];
	size_t len;
};

static struct page_point_sums *head_of(struct record *r)
{
	return (struct page_point_sums *)r->at;
}

static void begin(struct record *r, uint32_t loc, uint32_t main)
{
	memset(r, 0, sizeof(*r));
	*head_of(r) = (struct page_point_sums){ .loc = loc,
						.point = { .main = main, .side = POINT_END },
						.kind = CONSTRUCT_PL };
	r->len = sizeof(struct page_point_sums);
}

/* Adds the sum of one number. */
static struct page_sum *add_sum(struct record *r, uint32_t entity, unsigned kind, double v)
{
	struct page_sum *m = (struct page_sum *)(r->at + r->len);
	int64_t n = 1;
	struct sum *s = create(kind == ARRAY_DISTRIBUTED, &n, VALUE_DOUBLE);
	struct buf b = BUF_INIT;

	add(s, &(struct layout){ .data = &v, .count = { 1 }, .stride = { 8 } });
	sum_put(s, &b);
	*m = (struct page_sum){ .entity = entity,
				.counter = 7,
				.kind = (uint8_t)kind,
				.order = 'C',
				.flags = POINT_SUMS_CHANGED,
				.ndim = kind == ARRAY_DISTRIBUTED,
				.bytes = (uint32_t)b.len,
				.lower = { -2 } };
	memcpy(m + 1, b.data, b.len);
	r->len += sizeof(*m) + ((b.len + 7) & ~(size_t)7);
	head_of(r)->n++;
	buf_clear(&b);
	sum_destroy(s);
	return m;
}

/* Into the queue, round its end where that is near. */
static void write_record(struct fixture *f, struct record *r)
{
	uint64_t at = f->page->sums_head;

	if (!head_of(r)->bytes)
		head_of(r)->bytes = (uint32_t)r->len;
	for (size_t i = 0; i < r->len; i++)
		f->page->sums[(at + i) % PAGE_SUMS] = r->at[i];
	f->page->sums_head = at + r->len;
}

static uint32_t entity(struct fixture *f, const char *name)
{
	struct page_field field[2] = { { .name = text(f, "dx") }, { .name = text(f, "dt") } };
	struct page_entity e = { .live = 1, .name = text(f, name), .nfield = 2 };

	e.loc = place(f, "heat.c", 12, 0);
	e.field = put(f, field, sizeof(field));
	return put(f, &e, sizeof(e));
}

static struct page_sums start(struct fixture *f)
{
	struct page_sums s;

	page_sums_init(&s, &f->read, RANK);
	return s;
}

static void take(struct page_sums *s, int expected, struct point_sums *t)
{
	size_t bytes;

	assert_int_equal(page_sums_take(s, t, &bytes), expected);
	assert_int_equal(s->read->page->sums_tail, s->tail);
}

/* Taken, and fit to be sent. */
static struct point_sums good(struct page_sums *s)
{
	struct buf b = BUF_INIT;
	struct point_sums t, got;

	take(s, 1, &t);
	point_sums_put(&t, &b);
	assert_int_equal(point_sums_get(&got, &b, NULL), 0);
	point_sums_clear(&got);
	buf_clear(&b);
	return t;
}

static void a_record_becomes_a_point_sums(void **state)
{
	struct fixture *f = *state;
	struct page_sums s = start(f);
	struct record r;
	struct point_sums t;
	char list[32];

	take(&s, 0, &t);
	begin(&r, place(f, "heat.c", 61, CONSTRUCT_PL), 13);
	add_sum(&r, entity(f, "u"), ARRAY_DISTRIBUTED, 1.5);
	add_sum(&r, entity(f, "par"), ARRAY_REPLICATED, 0.25)->field = 2;
	write_record(f, &r);
	t = good(&s);
	assert_int_equal(t.point.main, 13);
	assert_int_equal(t.point.side, POINT_END);
	assert_int_equal(t.kind, CONSTRUCT_PL);
	assert_string_equal(point_sums_place(&t).file, "heat.c");
	assert_int_equal(point_sums_place(&t).line, 61);
	assert_string_equal(rankset_format(&t.passed, list, sizeof(list)), "[3]");
	assert_int_equal(t.dropped.n, 0);
	assert_int_equal(t.n, 2);
	assert_string_equal(t.item[0].name, "par.dt");
	assert_int_equal(t.item[0].kind, ARRAY_REPLICATED);
	assert_int_equal(t.item[0].copies.n, 1);
	assert_null(t.item[0].sum);
	assert_string_equal(t.item[1].name, "u");
	assert_string_equal(t.item[1].file, "heat.c");
	assert_int_equal(t.item[1].line, 12);
	assert_int_equal(t.item[1].counter, 7);
	assert_int_equal(t.item[1].flags, POINT_SUMS_CHANGED);
	assert_int_equal(t.item[1].lower[0], -2);
	assert_int_equal(sum_count(t.item[1].sum), 1);
	assert_string_equal(rankset_format(&t.item[1].ranks, list, sizeof(list)), "[3]");
	point_sums_clear(&t);
	take(&s, 0, &t);
}

static void points_given_up_are_reported(void **state)
{
	struct fixture *f = *state;
	struct page_sums s = start(f);
	struct record r;
	struct point_sums t;

	begin(&r, 0, 2);
	head_of(&r)->dropped = 5;
	write_record(f, &r);
	t = good(&s);
	assert_int_equal(t.n, 0);
	assert_true(rankset_has(&t.dropped, RANK));
	point_sums_clear(&t);
}

static void records_go_round_the_end(void **state)
{
	struct fixture *f = *state;
	struct page_sums s = start(f);
	uint32_t u = entity(f, "u");
	struct record r;
	struct point_sums t;

	/* many times round, with the seam at each of its bytes */
	for (uint32_t i = 0; i < 40; i++) {
		begin(&r, 0, i + 1);
		add_sum(&r, u, ARRAY_DISTRIBUTED, i);
		f->page->sums_head = s.tail = (uint64_t)(i + 1) * PAGE_SUMS - 8 * i;
		write_record(f, &r);
		t = good(&s);
		assert_int_equal(t.point.main, i + 1);
		assert_int_equal(t.n, 1);
		point_sums_clear(&t);
		assert_int_equal(s.tail, f->page->sums_head);
	}
}

static void who_waits_for_room_is_woken(void **state)
{
	struct fixture *f = *state;
	struct page_sums s = start(f);
	struct record r;
	struct point_sums t;

	begin(&r, 0, 1);
	write_record(f, &r);
	t = good(&s);
	point_sums_clear(&t);
	assert_int_equal(f->page->wake, 0);
	f->page->sums_waiting = 1;
	begin(&r, 0, 2);
	write_record(f, &r);
	t = good(&s);
	point_sums_clear(&t);
	assert_int_equal(f->page->wake, 1);
}

static void one_name_at_one_place_is_reported_once(void **state)
{
	struct fixture *f = *state;
	struct page_sums s = start(f);
	uint32_t u = entity(f, "u");
	struct record r;
	struct point_sums t;

	begin(&r, 0, 1);
	add_sum(&r, u, ARRAY_DISTRIBUTED, 1);
	add_sum(&r, u, ARRAY_DISTRIBUTED, 2);
	add_sum(&r, u, ARRAY_DISTRIBUTED, 3)->counter = 8;
	write_record(f, &r);
	t = good(&s);
	assert_int_equal(t.n, 2);
	point_sums_clear(&t);
}

static void another_program_begins_anew(void **state)
{
	struct fixture *f = *state;
	struct page_sums s = start(f);
	struct record r;
	struct point_sums t;

	begin(&r, 0, 1);
	write_record(f, &r);
	t = good(&s);
	point_sums_clear(&t);
	/* in the midst of the reset */
	f->page->sums_head = f->page->sums_tail = 0;
	f->page->state = PAGE_FRESH;
	assert_int_equal(page_sums_take(&s, &t, &(size_t){ 0 }), 0);
	assert_false(s.broken);
	f->page->start_usec = 99;
	f->page->state = PAGE_RUNNING;
	begin(&r, 0, 4);
	write_record(f, &r);
	t = good(&s);
	assert_int_equal(t.point.main, 4);
	point_sums_clear(&t);
	assert_int_equal(s.tail, f->page->sums_head);
}

/* Spoils something of a good record, which breaks the queue for good. */
#define BREAKS(spoil)                                                         \
	do {                                                                  \
		struct page_sums s = start(f);                                \
		struct record r;                                              \
		struct page_sum *m;                                           \
		struct point_sums t;                                          \
                                                                              \
		f->page->sums_head = f->page->sums_tail = 0;                  \
		begin(&r, 0, 1);                                              \
		m = add_sum(&r, u, ARRAY_DISTRIBUTED, 1);                     \
		assert_non_null(m);                                           \
		head_of(&r)->bytes = (uint32_t)r.len;                         \
		spoil;                                                        \
		write_record(f, &r);                                          \
		assert_int_equal(page_sums_take(&s, &t, &(size_t){ 0 }), -1); \
		assert_true(s.broken);                                        \
		assert_int_equal(t.passed.n, 0);                              \
		/* nothing more is read, but there is room again */           \
		begin(&r, 0, 2);                                              \
		write_record(f, &r);                                          \
		assert_int_equal(page_sums_take(&s, &t, &(size_t){ 0 }), -1); \
		page_sums_discard(&s);                                        \
		assert_int_equal(f->page->sums_tail, f->page->sums_head);     \
		assert_false(page_sums_discard(&s));                          \
	} while (0)

static void a_hostile_queue_is_given_up(void **state)
{
	struct fixture *f = *state;
	uint32_t u = entity(f, "u");

	f->page->state = PAGE_RUNNING;
	BREAKS(head_of(&r)->bytes = 0; head_of(&r)->bytes = 8);
	BREAKS(head_of(&r)->bytes += 4);
	BREAKS(head_of(&r)->bytes += 8);
	BREAKS(head_of(&r)->bytes = UINT32_MAX - 7);
	BREAKS(head_of(&r)->bytes -= 8);
	BREAKS(head_of(&r)->point.main = 0);
	BREAKS(head_of(&r)->point.side = 2);
	BREAKS(head_of(&r)->point.task = 2);
	BREAKS(head_of(&r)->kind = CONSTRUCT_TASK);
	BREAKS(head_of(&r)->n = 0);
	BREAKS(head_of(&r)->n = 2);
	BREAKS(head_of(&r)->n = UINT32_MAX);
	BREAKS(m->bytes += 8);
	BREAKS(m->bytes -= 1);
	BREAKS(m->bytes = UINT32_MAX);
	BREAKS(m->bytes = 0);
	BREAKS(m->entity = 0);
	BREAKS(m->entity += 4);
	BREAKS(m->entity = PAGE_ARENA - 8);
	BREAKS(m->entity = UINT32_MAX);
	BREAKS(m->field = 3);
	BREAKS(m->field = UINT32_MAX);
	BREAKS(m->kind = 2);
	BREAKS(m->order = 'X');
	BREAKS(m->flags = 128);
	BREAKS(m->ndim = 2);
	BREAKS(memset(m + 1, 0xff, m->bytes));
	/* the ends of the queue */
	BREAKS(f->page->sums_head = PAGE_SUMS);
	BREAKS(f->page->sums_head = UINT64_MAX - 4096);
	BREAKS(f->page->sums_head = 4);
	BREAKS(s.tail = 1 << 20);
}

static void any_bytes_do_no_harm(void **state)
{
	struct fixture *f = *state;
	uint32_t u = entity(f, "u");
	struct record clean;

	f->page->state = PAGE_RUNNING;
	begin(&clean, 0, 1);
	add_sum(&clean, u, ARRAY_DISTRIBUTED, 1);
	add_sum(&clean, u, ARRAY_REPLICATED, 2)->field = 1;
	for (size_t i = 0; i < clean.len * 8; i++) {
		struct page_sums s = start(f);
		struct record r = clean;
		struct buf b = BUF_INIT;
		struct point_sums t, got;

		f->page->sums_head = f->page->sums_tail = 0;
		head_of(&r)->bytes = (uint32_t)r.len;
		r.at[i / 8] ^= (unsigned char)(1u << i % 8);
		write_record(f, &r);
		if (page_sums_take(&s, &t, &(size_t){ 0 }) != 1)
			continue;
		point_sums_put(&t, &b);
		assert_int_equal(point_sums_get(&got, &b, NULL), 0);
		point_sums_clear(&got);
		point_sums_clear(&t);
		buf_clear(&b);
	}
}

static void a_bare_point_sums_says_where_the_rank_is(void **state)
{
	struct fixture *f = *state;
	struct page_sums s = start(f);
	struct point p = { .main = 4, .side = POINT_END };
	struct buf b = BUF_INIT;
	struct point_sums t, got;

	f->page->depth = 1;
	f->page->frame[0] = (struct page_frame){ .kind = CONSTRUCT_TR,
						 .main = 4,
						 .loc = place(f, "a.c", 30, CONSTRUCT_TR) };
	assert_int_equal(page_sums_empty(&s, &p, &t), 0);
	assert_int_equal(t.kind, CONSTRUCT_TR);
	assert_int_equal(point_sums_place(&t).line, 30);
	assert_true(rankset_has(&t.passed, RANK));
	assert_int_equal(t.n, 0);
	point_sums_put(&t, &b);
	assert_int_equal(point_sums_get(&got, &b, NULL), 0);
	point_sums_clear(&got);
	point_sums_clear(&t);
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_record_becomes_a_point_sums),
		T(points_given_up_are_reported),
		T(records_go_round_the_end),
		T(who_waits_for_room_is_woken),
		T(one_name_at_one_place_is_reported_once),
		T(another_program_begins_anew),
		T(a_hostile_queue_is_given_up),
		T(any_bytes_do_no_harm),
		T(a_bare_point_sums_says_where_the_rank_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
