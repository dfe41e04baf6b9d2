/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Segments of blocks at random, in which iterations mostly do what the one before did, against what
 * the records say one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/logical/construct.h"
#include "common/protocol/trace_config.h"
#include "common/trace/encode.h"
#include "common/traceindex/traceindex.h"
#include "tests/unit/set.h"

#define ROOM (1u << 20)
#define GROUPS 120
#define ACCESSES 14

enum { ROWS = 64, COLS = 256, DOUBLES = 1, FLOATS, COPY };
static const size_t bytes_of[] = {
	[DOUBLES] = (size_t)(ROWS / 2 + 2) * COLS * 8, [FLOATS] = ROWS * 4, [COPY] = 8
};

/* A double array of which rows 16 … 47 are here, with a halo of one; a float array; a number. */
static int object(void *arg, uint32_t version, struct trace_object *out)
{
	static char name[][2] = { "", "d", "f", "n" }, file[] = "main.c";
	struct array_desc *a = &out->desc;

	if (version < DOUBLES || version > COPY)
		return -1;
	*a = (struct array_desc){ .name = name[version],
				  .file = file,
				  .line = version,
				  .order = 'C',
				  .type = version == FLOATS ? VALUE_FLOAT : VALUE_DOUBLE,
				  .elem_size = version == FLOATS ? 4 : 8,
				  .kind = version == COPY ? ARRAY_REPLICATED : ARRAY_DISTRIBUTED };
	out->kind = TRACE_ARRAY;
	if (version == DOUBLES) {
		a->ndim = 2;
		a->extent[0] = ROWS, a->extent[1] = COLS;
		a->own_lo[0] = 16, a->own_hi[0] = 47, a->own_hi[1] = COLS - 1;
		a->halo_lo[0] = a->halo_hi[0] = 1;
		a->stride[0] = COLS, a->stride[1] = 1;
	} else if (version == FLOATS) {
		a->ndim = 1;
		a->extent[0] = ROWS, a->own_hi[0] = ROWS - 1, a->stride[0] = 1;
	}
	return 0;
}

static int site(void *arg, uint64_t pc, struct trace_site *out)
{
	*out = (struct trace_site){ .place = { .file = "main.c", .line = (uint32_t)pc } };
	return 0;
}

static int place(void *arg, uint32_t n, struct place *out)
{
	*out = (struct place){ .file = "main.c", .func = "main", .line = n, .module = "" };
	return 0;
}

static int module(void *arg, uint32_t i, struct trace_module *out)
{
	return -1;
}

static const struct trace_resolver resolver = { NULL, site, object, place, module };

static uint64_t state;

static uint64_t rnd(uint64_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (state >> 33) % n;
}

/* What the iterations of a group do. */
struct access {
	uint32_t object;
	unsigned flags;
	uint64_t at, step, most;
	unsigned fresh; /* percent of values that are new */
	bool wild;	/* anywhere each time */
	double value[2];
};

static struct access access_make(void)
{
	static const uint32_t objects[] = {
		DOUBLES, DOUBLES, DOUBLES, FLOATS, COPY, TRACE_NOWHERE
	};
	struct access a = { .object = objects[rnd(6)] };
	unsigned size = a.object == FLOATS ? 4 : a.object == DOUBLES && !rnd(12) ? 16 : 8;

	a.flags = size | (rnd(3) ? 0 : TRACE_WRITES) | (rnd(20) ? 0 : TRACE_ATOMIC);
	a.most = (a.object == TRACE_NOWHERE ? 4096 : bytes_of[a.object]) / size;
	a.at = rnd(a.most);
	a.step = rnd(2) ? rnd(3) : 0;
	a.fresh = (unsigned)rnd(3) * 50;
	a.wild = !rnd(5);
	return a;
}

static bool put(struct trace_enc *e, struct access *a, unsigned k)
{
	unsigned size = a->flags & TRACE_SIZE;

	if (rnd(100) < a->fresh)
		a->value[0] = (double)rnd(1000), a->value[1] = (double)rnd(3);
	a->at = a->wild ? rnd(a->most) : (a->at + a->step) % a->most;
	return trace_enc_access(e, 100 + k, a->flags, a->object,
				(a->object == TRACE_NOWHERE ? 0x10000 : 0) + a->at * size,
				a->value);
}

static bool next_index(struct trace_enc *e, int64_t *index, unsigned how)
{
	if (how < 2)
		index[how]++;
	else if (how == 2)
		index[0] += 2, index[1]--;
	else
		index[0] = (int64_t)rnd(50), index[1] = (int64_t)rnd(50);
	return trace_enc_iter(e, 2, index);
}

static bool group(struct trace_enc *e, int64_t *index)
{
	struct access list[ACCESSES];
	unsigned n = (unsigned)rnd(ACCESSES + 1), how = (unsigned)rnd(4), times = (unsigned)rnd(60);
	unsigned moves = rnd(8) ? 0 : (unsigned)rnd(3); /* to other statements */

	for (unsigned k = 0; k < n; k++)
		list[k] = access_make();
	for (unsigned t = 0; t < times; t++) {
		unsigned most = rnd(20) ? n : (unsigned)rnd(n + 1);

		if (!next_index(e, index, how))
			return false;
		for (unsigned k = 0; k < most; k++)
			if (!put(e, &list[k], k + t * moves))
				return false;
		if (!rnd(50) && n && !put(e, &list[0], 0))
			return false;
	}
	return true;
}

/* To be cleared. */
static void block_make(struct trace_block *b, uint64_t seed)
{
	static struct trace_enc enc;
	static _Alignas(8) unsigned char mem[ROOM];
	const struct trace_start start = { .rank = 0 };
	const struct trace_opening loop = {
		.kind = CONSTRUCT_PL, .level = TRACE_CONFIG_FULL, .place = 9, .point = { .main = 5 }
	};
	int64_t index[2] = { 0, 0 };
	struct err err = { "" };

	state = seed;
	trace_enc_open(&enc, mem, sizeof(mem), &start);
	assert_true(trace_enc_begin(&enc, &loop));
	for (unsigned g = 0; g < GROUPS && group(&enc, index); g++) {
		if (rnd(10))
			continue;
		assert_true(trace_enc_end(&enc, CONSTRUCT_PL, &loop.point, 9, false, 7));
		assert_true(trace_enc_begin(&enc, &loop));
	}
	trace_enc_close(&enc);
	if (trace_block_from_raw(b, mem, sizeof(mem), &resolver, &err))
		fail_msg("%s", err.text);
}

/* One access, with the iteration that it is in (as a number, from 1; 0 none). */
struct item {
	struct trace_acc acc;
	uint64_t iteration;
};

struct items {
	struct item *list;
	size_t n, cap;
	uint64_t iterations;
	int rc;
};

static void item_add(struct items *to, const struct trace_acc *a)
{
	if (to->n == to->cap) {
		to->cap = to->cap ? 2 * to->cap : 1024;
		to->list = realloc(to->list, to->cap * sizeof(*to->list));
		assert_non_null(to->list);
	}
	to->list[to->n++] = (struct item){ *a, to->iterations };
}

static void read_access(struct items *to, const struct trace_block *b, const struct trace_rec *r,
			struct object_ids *idents, uint32_t record)
{
	const struct trace_object *o = r->object == TRACE_NOWHERE ? NULL : &b->object[r->object];
	struct trace_acc a = { .rec = record, .site = (uint16_t)r->site };
	int64_t index[ARRAY_DIMS];
	struct trace_shape shape;
	enum trace_where where;
	uint32_t offset = 0;
	unsigned unit;
	int id;

	if (!o || o->desc.kind != ARRAY_DISTRIBUTED || r->flags & TRACE_ATOMIC)
		return;
	id = object_id_of(idents, &o->desc);
	assert_true(id >= 0);
	trace_shape_make(&shape, &o->desc);
	where = trace_shape_find(&shape, r->at, index, &offset);
	if (where != TRACE_OWN && where != TRACE_HALO)
		return;
	unit = o->desc.elem_size;
	a.key = (uint64_t)id << TRACE_KEY_BITS |
		(object_id_byte(object_id_get(idents, (unsigned)id), index) + offset);
	a.size = (uint8_t)unit;
	a.flags = (r->op == TRACE_WRITE ? TRACE_ACC_WRITE : 0) |
		  (where == TRACE_OWN ? TRACE_ACC_OWN : 0);
	for (unsigned k = 0; k < r->size; k += unit, a.key += unit) {
		a.value = 0;
		memcpy(&a.value, (const unsigned char *)r->value + k, unit);
		item_add(to, &a);
	}
}

static struct items read_records(const struct trace_block *b, struct object_ids *idents)
{
	struct trace_cursor *c = trace_cursor_open(b);
	struct items to = { 0 };
	struct trace_rec r;

	assert_non_null(c);
	while ((to.rc = trace_block_next(c, &r)) > 0) {
		if (r.op == TRACE_ITER)
			to.iterations += r.nidx > 0;
		else if (r.op == TRACE_READ || r.op == TRACE_WRITE)
			read_access(&to, b, &r, idents, (uint32_t)c->record - 1);
	}
	trace_cursor_free(c);
	return to;
}

static struct items read_segments(const struct trace_block *b, struct object_ids *idents)
{
	struct segment_reader *r = segment_reader_create(idents, 0);
	struct segment s = { 0 };
	struct items to = { 0 };

	assert_non_null(r);
	assert_int_equal(segment_reader_start(r, b), 0);
	do {
		uint32_t at = 0;

		to.rc = segment_reader_fill(r, &s);
		for (uint32_t i = 0; i < s.nscope; i++) {
			const struct trace_scope *x = &s.scope[i];

			/* parts one behind the other, and all in a scope */
			assert_int_equal(x->acc, at);
			to.iterations +=
				x->kind == TRACE_SCOPE_ITER && !(x->flags & TRACE_SCOPE_CONT);
			for (uint32_t k = 0; k < x->nacc; k++)
				item_add(&to, &s.acc[at++]);
		}
		assert_int_equal(at, s.nacc);
	} while (to.rc > 0);
	segment_clear(&s);
	segment_reader_destroy(r);
	return to;
}

/* Both say the same. */
static void check(const struct trace_block *b)
{
	struct object_ids *idents = object_ids_create(1);
	struct items want, have;

	assert_non_null(idents);
	have = read_segments(b, idents);
	want = read_records(b, idents);
	assert_int_equal(have.rc, want.rc);
	assert_int_equal(have.iterations, want.iterations);
	assert_int_equal(have.n, want.n);
	for (size_t i = 0; i < want.n; i++) {
		const struct item *x = &have.list[i], *y = &want.list[i];

		assert_int_equal(x->acc.rec, y->acc.rec);
		assert_int_equal(x->acc.key, y->acc.key);
		assert_memory_equal(&x->acc.value, &y->acc.value, y->acc.size);
		assert_int_equal(x->acc.site, y->acc.site);
		assert_int_equal(x->acc.size, y->acc.size);
		assert_int_equal(x->acc.flags, y->acc.flags);
		assert_int_equal(x->iteration, y->iteration);
	}
	free(want.list);
	free(have.list);
	object_ids_destroy(idents);
}

static void the_same_again_and_again(void **unused)
{
	struct trace_block b;

	for (uint64_t seed = 1; seed <= in_set_times(60, 60, 20); seed++) {
		block_make(&b, seed);
		assert_true(b.info.count[TRACE_ITER] > 500);
		check(&b);
		trace_block_clear(&b);
	}
}

/* A column that ends early: what came before it holds, and no more. */
static void columns_that_end_early(void **unused)
{
	struct trace_block b;

	for (uint64_t seed = 1; seed <= in_set_times(60, 60, 20); seed++) {
		size_t *n;

		block_make(&b, seed);
		n = &b.col[seed % TRACE_COLS].n;
		*n = *n * (seed % 10) / 10;
		check(&b);
		trace_block_clear(&b);
	}
}

/* Ops that nobody wrote, in the middle of iterations that do the same. */
static void ops_at_random(void **unused)
{
	struct trace_block b;

	for (uint64_t seed = 1; seed <= in_set_times(60, 60, 20); seed++) {
		unsigned char *ops;

		block_make(&b, seed);
		ops = (unsigned char *)b.col[TRACE_COL_OPS].data;
		for (unsigned k = 0; k < seed % 4; k++)
			ops[rnd(b.col[TRACE_COL_OPS].n)] ^= (unsigned char)(1u << rnd(2));
		check(&b);
		trace_block_clear(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_again_and_again),
		cmocka_unit_test(columns_that_end_early),
		cmocka_unit_test(ops_at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
