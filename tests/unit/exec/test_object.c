/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects that a program has registered in its page, as the supervisor describes and fetches them.
 */
#include "tests/unit/page_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "common/array/value.h"
#include "runtime/exec/query/query.h"
#include "runtime/exec/page/page.h"

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
	fetch_answer(&f->read, &f->memory, name, &s, 0, b);
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
	assert_int_equal(buf_get_u8(&b), 1); /* a run of 2, from 1 on */
	assert_int_equal(buf_get_u32(&b), 2);
	assert_int_equal(buf_get_u32(&b), 1);
	assert_int_equal(buf_get_u8(&b), 1);
	assert_int_equal(buf_get_u32(&b), 3);
	assert_int_equal(buf_get_u32(&b), 2);
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
	assert_int_equal(buf_get_u8(&b), 0);
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

static void from_fortran_the_name_identifies(void **state)
{
	struct fixture *f = *state;
	struct object o;
	int a = 1, b = 2;
	char name[64];

	entity(f, "x", scalar(&a, VALUE_INT))->serial = 1;
	assert_int_equal(object_find(&f->read, "x", &o), 1);
	snprintf(name, sizeof(name), "x@a.c:%u", o.desc.line);
	object_clear(&o);
	entity(f, "x", scalar(&b, VALUE_INT))->serial = 2;
	((struct page_entity *)(f->page->arena + f->last))->loc = place(f, "", 0, 0);
	/* who has that place comes first, else the name has to do */
	assert_int_equal(object_find(&f->read, name, &o), 1);
	assert_true(o.desc.addr == (uintptr_t)&a);
	object_clear(&o);
	assert_int_equal(object_find(&f->read, "x@solver.f90:7#0", &o), 1);
	assert_true(o.desc.addr == (uintptr_t)&b);
	object_clear(&o);
	assert_int_equal(object_find(&f->read, "y@solver.f90:7", &o), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(values_are_fetched),
		T(what_cannot_be_read_is_said),
		T(a_part_of_a_distributed_array),
		T(large_arrays_are_put_in_order),
		T(a_rank_without_elements_needs_no_memory),
		T(structures_have_fields),
		T(the_last_registered_is_meant),
		T(from_fortran_the_name_identifies),
		T(descriptions_that_cannot_be_are_not_there),
		T(a_list_in_a_circle_ends),
	};

	return cmocka_run_group_tests_name("object", tests, NULL, NULL);
}
