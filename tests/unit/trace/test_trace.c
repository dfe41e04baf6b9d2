/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/trace/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/core/fingerprint.h"
#include "common/array/value.h"
#include "tests/bench/trace_work.h"
#include "tests/unit/trace_help.h"

#define ROOM (1u << 20)

static struct trace_enc enc;

static void *room_of(size_t n)
{
	void *mem = malloc(n);

	assert_non_null(mem);
	return mem;
}

static void test_records(void **state)
{
	struct trace_block b;

	trace_help_block(&b);
	trace_help_check(&b);
	assert_int_equal(b.info.rank, 1);
	assert_int_equal(b.info.thread, 2);
	assert_int_equal(b.info.seq, 3);
	assert_false(b.info.half);
	assert_int_equal(b.info.first.main, 5);
	assert_int_equal(b.info.last.main, 7);
	assert_int_equal(b.info.last.side, POINT_END);
	assert_int_equal(b.info.count[TRACE_BEGIN], 5);
	assert_int_equal(b.info.count[TRACE_ITER], 9);
	assert_int_equal(b.info.count[TRACE_WRITE], 5);
	assert_int_equal(b.info.count[TRACE_READ], 14);
	assert_int_equal(b.info.loops, 1);
	assert_int_equal(b.info.boxed, 2);
	assert_int_equal(b.info.box_of.main, 6);
	assert_true(b.info.lo[0] == 1 && b.info.hi[0] == INT64_MAX);
	assert_true(b.info.lo[1] == INT64_MIN && b.info.hi[1] == 1);
	assert_int_equal(b.nframe, 1);
	assert_int_equal(b.frame[0].index[0], -7);
	assert_int_equal(b.place[b.frame[0].place].line, 20);
	trace_block_clear(&b);
}

/* The tables explain each thing once, and what nobody knows stays nameless. */
static void test_tables(void **state)
{
	struct trace_block b;
	unsigned heaps = 0;

	trace_help_block(&b);
	assert_int_equal(b.nobject, 7);
	for (uint32_t i = 0; i < b.nobject; i++) {
		const struct trace_object *o = &b.object[i];

		if (o->version == 77 || o->version == 6)
			assert_string_equal(o->desc.name, "?");
		if (o->version == 1)
			assert_true(o->desc.addr == 0x7f0000001000 && o->desc.stride[0] == 6);
		if (o->version != 4)
			continue;
		heaps++;
		assert_int_equal(b.site[o->site].place.vaddr, 0x2000);
	}
	assert_int_equal(heaps, 1);
	trace_block_clear(&b);
}

static void in_module(const struct trace_block *b, uint64_t address, const char *path, uint64_t own)
{
	struct trace_site s = { 0 };

	assert_int_equal(trace_block_module(b, address, &s), path != NULL);
	if (!path)
		return;
	assert_string_equal(s.place.module, path);
	assert_string_equal(s.place.file, "");
	assert_true(s.place.vaddr == own);
	assert_ptr_equal(s.build_id, s.module->build_id);
	assert_int_equal(s.nbuild_id, s.module->nbuild_id);
}

/* Where modules were loaded: an address of memory that is no object becomes one of a module. */
static void test_modules(void **state)
{
	unsigned char *mem = room_of(TRACE_BLOCK_LEAST);
	const struct trace_start start = { 0 };
	uint64_t v = 1, base = UINT64_C(0x555555554000);
	struct trace_block b;

	trace_help_block(&b);
	assert_int_equal(b.nmodule, 3);
	assert_int_equal(b.module[0].nbuild_id, 3);
	assert_true(b.module[0].load == base && b.module[0].hi == 0x9000);
	for (uint32_t i = 0; i < b.nsite; i++)
		if (*b.site[i].place.module)
			assert_ptr_equal(b.site[i].module, &b.module[0]);
	in_module(&b, base, "/bin/prog", 0);
	in_module(&b, base + 0x8fff, "/bin/prog", 0x8fff);
	in_module(&b, base + 0x9000, NULL, 0);
	in_module(&b, base - 1, NULL, 0);
	in_module(&b, UINT64_C(0x7ffff7002000), "/lib/libx.so", 0x2000);
	in_module(&b, UINT64_C(0x7ffff7001fff), NULL, 0);
	in_module(&b, 0, NULL, 0);
	in_module(&b, UINT64_MAX, NULL, 0);
	trace_block_clear(&b);
	/* where all is objects, only those of sites are told */
	trace_enc_open(&enc, mem, TRACE_BLOCK_LEAST, &start);
	assert_true(trace_enc_access(&enc, 0x1000, 8, 1, 0, &v));
	trace_enc_close(&enc);
	assert_int_equal(
		trace_block_from_raw(&b, mem, TRACE_BLOCK_LEAST, &trace_help_resolver, NULL), 0);
	assert_int_equal(b.nmodule, 1);
	trace_block_clear(&b);
	free(mem);
}

/* What b has in batches is what it has record by record, with the frames. */
static void same_in_batches(const struct trace_block *b)
{
	struct trace_cursor *one = trace_cursor_open(b), *many = trace_cursor_open(b);
	static struct trace_batch batch;
	const struct trace_batch_item *iter;
	struct trace_rec x, y;
	int rc;

	do {
		assert_int_equal(trace_block_batch(many, &batch), 0);
		iter = NULL;
		for (unsigned i = 0; i < batch.n; i++) {
			const struct trace_batch_item *t = &batch.step[i];
			unsigned in = many->depth - 1;

			iter = t->slot == TRACE_NONE ? t : iter;
			memset(&x, 0, sizeof(x));
			memset(&y, 0, sizeof(y));
			trace_batch_enter(many, &batch, iter);
			trace_batch_record(many, &batch, t, &x);
			assert_int_equal(trace_block_next(one, &y), 1);
			assert_memory_equal(&x, &y, sizeof(x));
			assert_int_equal(one->depth, many->depth);
			if (many->depth)
				assert_memory_equal(&one->frame[in], &many->frame[in],
						    sizeof(one->frame[in]));
		}
		trace_batch_enter(many, &batch, iter);
		if (batch.n == TRACE_BATCH)
			continue;
		rc = trace_block_next(many, &x);
		assert_int_equal(trace_block_next(one, &y), rc);
		assert_true(rc <= 0 || (x.op == y.op && x.op != TRACE_READ && x.op != TRACE_WRITE &&
					x.op != TRACE_ITER));
	} while (batch.n == TRACE_BATCH || rc > 0);
	assert_int_equal(one->record, many->record);
	assert_int_equal(one->record, b->info.records);
	trace_cursor_free(one);
	trace_cursor_free(many);
}

/* More records than a batch has, with values of all sizes, predicted and not. */
static void test_batches(void **state)
{
	unsigned char *mem = room_of(ROOM);
	const struct trace_start start = { 0 };
	struct trace_block b;
	uint64_t v[2];

	trace_enc_open(&enc, mem, ROOM, &start);
	for (int64_t i = 0; i < 3 * TRACE_BATCH / 6 + 7; i++) {
		int64_t index[2] = { i / 9, i % 9 };

		v[0] = (uint64_t)(i * i % 11) << 40 | 3;
		v[1] = (uint64_t)i << 50;
		assert_true(trace_enc_iter(&enc, i % 5 ? 2 : 1, index));
		for (unsigned k = 0; k < 5; k++)
			assert_true(trace_enc_access(
				&enc, 0x1000 + k, (uint8_t)(1u << k | (k & 1 ? TRACE_WRITES : 0)),
				k & 1 ? 1 : TRACE_NOWHERE, (uint64_t)(i % (40 + k)) << k, v));
	}
	trace_enc_close(&enc);
	assert_int_equal(trace_block_from_raw(&b, mem, ROOM, &trace_help_resolver, NULL), 0);
	same_in_batches(&b);
	trace_block_clear(&b);
	free(mem);
}

/* A thread that dies leaves what it had written; every length of `used` gives whole records. */
static void test_half(void **state)
{
	unsigned char *mem = room_of(ROOM), *cut = room_of(ROOM);
	size_t used = trace_help_raw(mem, ROOM);
	uint64_t most = 0;
	struct trace_block b;

	for (size_t n = sizeof(struct trace_raw); n <= used; n++) {
		struct trace_raw *raw = (struct trace_raw *)cut;
		struct trace_cursor *c;
		struct trace_rec rec;
		int rc;

		memset(cut, 0xcc, used);
		memcpy(cut, mem, n);
		raw->used = (uint32_t)n;
		raw->closed = 0;
		if (trace_block_from_raw(&b, cut, n, &trace_help_resolver, NULL)) {
			/* the frame is not whole */
			assert_true(n < sizeof(*raw) + sizeof(struct trace_frame));
			continue;
		}
		assert_true(b.info.half);
		assert_true(b.info.records >= most);
		most = b.info.records;
		c = trace_cursor_open(&b);
		while ((rc = trace_block_next(c, &rec)) > 0)
			;
		assert_int_equal(rc, 0);
		assert_int_equal(c->record, most);
		trace_cursor_free(c);
		same_in_batches(&b);
		trace_block_clear(&b);
	}
	assert_int_equal(most, 5 + 6 + 9 + 19 + 2 + 2 + 1 + 3);
	free(mem);
	free(cut);
}

static void test_no_block(void **state)
{
	unsigned char *mem = room_of(ROOM);
	struct trace_block b;
	struct err err;

	memset(mem, 0, ROOM);
	assert_int_equal(trace_block_from_raw(&b, mem, ROOM, NULL, &err), -1);
	assert_string_equal(err.text, "this is not a block of a trace, or an empty one");
	assert_int_equal(trace_block_from_raw(&b, mem, 3, NULL, &err), -1);
	trace_help_raw(mem, ROOM);
	((struct trace_raw *)mem)->magic ^= 1;
	assert_int_equal(trace_block_from_raw(&b, mem, ROOM, NULL, &err), -1);
	assert_string_equal(err.text, "this is not a block of a trace");
	trace_block_clear(&b);
	free(mem);
}

/* A full block refuses and writes nothing; the next one takes the record. */
static void test_full(void **state)
{
	unsigned char *mem = room_of(TRACE_BLOCK_LEAST + 1);
	const struct trace_start start = { .rank = 1 };
	char big[TRACE_BYTES_MOST] = "x";
	uint64_t n = 0, records;
	struct trace_block b;

	mem[TRACE_BLOCK_LEAST] = 0xee;
	trace_enc_open(&enc, mem, TRACE_BLOCK_LEAST, &start);
	while (trace_enc_access(&enc, 0x1000 + n % 50 * 4, 8, 1, n * 8, (uint64_t[]){ n * n }))
		n++;
	assert_true(n > 500);
	records = trace_enc_records(&enc);
	assert_int_equal(records, n);
	assert_false(trace_enc_iter(&enc, 1, (int64_t[]){ 1 }));
	assert_false(trace_enc_value(&enc, 1, 1, big, sizeof(big), false));
	assert_int_equal(trace_enc_records(&enc), n);
	assert_true(trace_enc_is_open(&enc));
	/* but for what is kept for the last ones, new sites too */
	for (records = 0; trace_enc_access_last(&enc, 0x100 + records, 16, 1, 1ull << 60, big);)
		records++;
	assert_true(records >= 3);
	n += records;
	assert_int_equal(trace_enc_records(&enc), n);
	assert_false(trace_enc_iter(&enc, 1, (int64_t[]){ 1 }));
	assert_true(trace_enc_close(&enc) <= TRACE_BLOCK_LEAST);
	assert_false(trace_enc_is_open(&enc));
	assert_false(trace_enc_access(&enc, 1, 8, 1, 0, big));
	assert_int_equal(mem[TRACE_BLOCK_LEAST], 0xee);
	assert_int_equal(trace_block_from_raw(&b, mem, TRACE_BLOCK_LEAST, NULL, NULL), 0);
	assert_int_equal(b.info.records, n);
	assert_false(b.info.half);
	trace_block_clear(&b);
	/* the smallest block takes the biggest record behind the deepest stack */
	{
		struct trace_frame frame[TRACE_FRAMES] = { 0 };
		const struct trace_start deep = { .frame = frame, .nframe = TRACE_FRAMES + 3 };

		trace_enc_open(&enc, mem, TRACE_BLOCK_LEAST, &deep);
		assert_true(trace_enc_value(&enc, 1, 1, big, 2 * sizeof(big), false));
		trace_enc_close(&enc);
		assert_int_equal(trace_block_from_raw(&b, mem, TRACE_BLOCK_LEAST, NULL, NULL), 0);
		assert_int_equal(b.nframe, TRACE_FRAMES);
		assert_int_equal(b.info.count[TRACE_VALUE], 1);
		trace_block_clear(&b);
	}
	free(mem);
}

/* No more than so many sites a block: then it is full. */
/* Whoever goes back to an iteration reads a block from its beginning: it has not too many. */
static void test_many_iterations(void **state)
{
	const size_t room = 1u << 20;
	unsigned char *mem = room_of(room);
	const struct trace_start start = { .rank = 1 };
	int64_t n = 0;

	trace_enc_open(&enc, mem, room, &start);
	while (trace_enc_iter(&enc, 1, &n))
		n++;
	assert_int_equal(n, TRACE_BLOCK_ITERATIONS);
	assert_true(trace_enc_access(&enc, 0x1000, 8, 1, 0, (uint64_t[]){ 1 }));
	assert_true(trace_enc_close(&enc) < room / 2);
	trace_enc_open(&enc, mem, room, &start);
	assert_true(trace_enc_iter(&enc, 1, &n));
	trace_enc_close(&enc);
	free(mem);
}

static void test_many_sites(void **state)
{
	unsigned char *mem = room_of(ROOM);
	const struct trace_start start = { 0 };
	struct trace_block b;
	struct trace_cursor *c;
	struct trace_rec rec;
	uint64_t n = 0;

	trace_enc_open(&enc, mem, ROOM, &start);
	while (trace_enc_access(&enc, 0x400000 + n * 5, 4, (uint32_t)(n % 7), n, &n))
		n++;
	assert_int_equal(n, TRACE_ENC_SLOTS);
	/* those that are known are still taken, far from one another too */
	assert_true(trace_enc_access(&enc, 0x400000, 4, 0, 1, &n));
	assert_true(
		trace_enc_access(&enc, 0x400000 + 5 * (n - 1), 4, (uint32_t)((n - 1) % 7), 2, &n));
	trace_enc_close(&enc);
	assert_int_equal(trace_block_from_raw(&b, mem, ROOM, NULL, NULL), 0);
	assert_int_equal(b.nslot, n);
	c = trace_cursor_open(&b);
	for (uint64_t i = 0; i < n; i++) {
		assert_int_equal(trace_block_next(c, &rec), 1);
		assert_int_equal(b.site[rec.site].place.vaddr, 0x400000 + i * 5);
		assert_int_equal(b.object[rec.object].version, i % 7);
		assert_int_equal(rec.at, i);
		assert_int_equal(rec.value[0], i);
	}
	assert_int_equal(trace_block_next(c, &rec), 1);
	assert_int_equal(b.site[rec.site].place.vaddr, 0x400000);
	assert_int_equal(trace_block_next(c, &rec), 1);
	assert_int_equal(b.site[rec.site].place.vaddr, 0x400000 + 5 * (n - 1));
	assert_int_equal(trace_block_next(c, &rec), 0);
	trace_cursor_free(c);
	trace_block_clear(&b);
	free(mem);
}

static bool put(const struct work_rec *r)
{
	int64_t index[4];

	if (r->pc)
		return trace_enc_access(&enc, r->pc, r->flags, r->object, r->at, r->value);
	for (unsigned d = 0; d < r->nidx; d++)
		index[d] = r->index[d];
	return trace_enc_iter(&enc, r->nidx, index);
}

static void check(const struct trace_block *b, const struct trace_rec *rec,
		  const struct work_rec *r)
{
	if (!r->pc) {
		assert_int_equal(rec->op, TRACE_ITER);
		assert_int_equal(rec->nidx, r->nidx);
		for (unsigned d = 0; d < r->nidx; d++)
			assert_int_equal(rec->index[d], r->index[d]);
		return;
	}
	if (rec->at != (r->at & TRACE_AT_MASK) || rec->size != (r->flags & TRACE_SIZE) ||
	    memcmp(rec->value, r->value, 16) || b->site[rec->site].place.vaddr != r->pc ||
	    (rec->object == TRACE_NOWHERE ? TRACE_NOWHERE : b->object[rec->object].version) !=
		    r->object)
		fail_msg("record %zu differs", (size_t)rec->at);
}

/* What programs do comes back as it was, block by block; returns the bytes a record in columns. */
static double whole_way(void (*work)(struct work *), size_t n)
{
	struct work w = { room_of(n * sizeof(struct work_rec)), 0, n };
	const struct trace_start start = { 0 };
	unsigned char *mem = room_of(ROOM);
	struct trace_cursor *c = NULL;
	size_t from = 0, bytes = 0;

	work(&w);
	assert_int_equal(w.n, n);
	while (from < n) {
		struct trace_block b;
		struct trace_rec rec;
		size_t to = from;

		trace_enc_open(&enc, mem, ROOM, &start);
		while (to < n && put(&w.rec[to]))
			to++;
		trace_enc_close(&enc);
		assert_int_equal(trace_block_from_raw(&b, mem, ROOM, NULL, NULL), 0);
		assert_int_equal(b.info.records, to - from);
		bytes += b.ndata;
		if (c)
			assert_int_equal(trace_cursor_start(c, &b), 0);
		else
			c = trace_cursor_open(&b);
		for (; from < to; from++) {
			assert_int_equal(trace_block_next(c, &rec), 1);
			check(&b, &rec, &w.rec[from]);
		}
		assert_int_equal(trace_block_next(c, &rec), 0);
		trace_block_clear(&b);
	}
	trace_cursor_free(c);
	free(mem);
	free(w.rec);
	return (double)bytes / (double)n;
}

static void test_programs(void **state)
{
	/* with room for change, but prediction has to work */
	assert_true(whole_way(work_heat, 900000) < 4);
	assert_true(whole_way(work_heat_float, 900000) < 3);
	assert_true(whole_way(work_lu, 900000) < 6);
	assert_true(whole_way(work_sparse, 900000) < 6);
	whole_way(work_random, 300000);
}

static void test_shape(void **state)
{
	struct trace_object o = { 0 };
	struct trace_shape s;
	int64_t index[ARRAY_DIMS];
	uint32_t offset;

	assert_int_equal(trace_help_object(NULL, 1, &o), 0);
	trace_shape_make(&s, &o.desc);
	assert_int_equal(trace_shape_find(&s, 0, index, NULL), TRACE_HALO);
	assert_true(index[0] == 0 && index[1] == 0);
	assert_int_equal(trace_shape_find(&s, 8 * (6 + 5) + 3, index, &offset), TRACE_OWN);
	assert_true(index[0] == 1 && index[1] == 5 && offset == 3);
	assert_int_equal(trace_shape_find(&s, 8 * 18, index, NULL), TRACE_HALO);
	assert_true(index[0] == 3 && index[1] == 0);
	assert_int_equal(trace_shape_find(&s, 8 * 24, index, NULL), TRACE_OUTSIDE);
	/* halo beyond the global range has no global index */
	o.desc.own_lo[0] = 0;
	trace_shape_make(&s, &o.desc);
	assert_int_equal(trace_shape_find(&s, 0, index, NULL), TRACE_EDGE);
	assert_true(index[0] == -1 && index[1] == 0);
	assert_false(trace_shape_listed(&s));
	/* a gap between rows */
	o.desc.stride[0] = 8;
	trace_shape_make(&s, &o.desc);
	assert_int_equal(trace_shape_find(&s, 8 * 14, index, NULL), TRACE_OUTSIDE);
	assert_int_equal(trace_shape_find(&s, 8 * 16, index, NULL), TRACE_OWN);
	assert_true(index[0] == 1 && index[1] == 0);
	/* the columns run backwards */
	o.desc.stride[1] = -1;
	trace_shape_make(&s, &o.desc);
	assert_int_equal(trace_shape_find(&s, 8 * 16 + 3, index, &offset), TRACE_OWN);
	assert_true(index[0] == 1 && index[1] == 5 && offset == 3);
	assert_int_equal(trace_shape_find(&s, 8 * (16 + 5), index, NULL), TRACE_OWN);
	assert_true(index[0] == 1 && index[1] == 0);
	assert_int_equal(trace_shape_find(&s, 8 * 6, index, NULL), TRACE_OUTSIDE);
	assert_int_equal(trace_help_object(NULL, 3, &o), 0);
	trace_shape_make(&s, &o.desc);
	assert_int_equal(trace_shape_find(&s, 4 * 5, index, NULL), TRACE_OWN);
	assert_true(index[0] == 2 && index[1] == 2);
	/* a scalar */
	assert_int_equal(trace_help_object(NULL, 2, &o), 0);
	trace_shape_make(&s, &o.desc);
	assert_int_equal(trace_shape_find(&s, 3, index, &offset), TRACE_OWN);
	assert_int_equal(offset, 3);
	assert_int_equal(trace_shape_find(&s, 4, index, NULL), TRACE_OUTSIDE);
}

static void test_shape_lists(void **state)
{
	int64_t list[] = { 3, 9, 4 }, index[ARRAY_DIMS];
	struct array_desc a = { .elem_size = 2,
				.ndim = 2,
				.order = 'C',
				.extent = { 10, 1 },
				.list = { list },
				.list_n = { 3 },
				.halo_lo = { 1 },
				.halo_hi = { 1 },
				.stride = { 1, 1 } };
	struct trace_shape s;

	trace_shape_make(&s, &a);
	assert_int_equal(trace_shape_find(&s, 4, index, NULL), TRACE_OWN);
	assert_true(index[0] == 9 && index[1] == 0);
	assert_true(trace_shape_listed(&s));
	assert_int_equal(trace_shape_find(&s, 0, index, NULL), TRACE_EDGE);
	assert_int_equal(trace_shape_find(&s, 8, index, NULL), TRACE_EDGE);
	assert_int_equal(trace_shape_find(&s, 10, index, NULL), TRACE_OUTSIDE);
	/* nothing here makes sense, and nothing breaks */
	a.stride[0] = 0;
	a.halo_lo[0] = INT64_MAX;
	a.own_lo[1] = INT64_MIN;
	a.own_hi[1] = INT64_MAX;
	trace_shape_make(&s, &a);
	trace_shape_find(&s, UINT64_MAX, index, NULL);
	trace_shape_find(&s, 2, index, NULL);
}

static void test_names(void **state)
{
	assert_string_equal(trace_op_name(TRACE_BEGIN), "BEGIN");
	assert_string_equal(trace_op_name(TRACE_SUM), "SUM");
	assert_string_equal(trace_op_name(TRACE_OPS), "?");
}

/* Portions do not matter; every byte and the length do. */
static void test_fingerprint(void **state)
{
	unsigned char data[40] = { 0 }, all[FINGERPRINT_BYTES], other[FINGERPRINT_BYTES];
	struct fingerprint whole = { 0 };

	fingerprint_add(&whole, data, 37);
	fingerprint_end(&whole, all);
	for (size_t cut = 0; cut <= 37; cut++) {
		struct fingerprint f = { 0 };

		fingerprint_add(&f, data, cut);
		fingerprint_add(&f, data + cut, 37 - cut);
		fingerprint_end(&f, other);
		assert_memory_equal(all, other, sizeof(all));
	}
	for (size_t n = 36; n <= 38; n += 2) {
		struct fingerprint f = { 0 };

		fingerprint_add(&f, data, n);
		fingerprint_end(&f, other);
		assert_memory_not_equal(all, other, sizeof(all));
	}
	for (size_t i = 0; i < 37; i++) {
		struct fingerprint f = { 0 };

		data[i] = 1;
		fingerprint_add(&f, data, 37);
		data[i] = 0;
		fingerprint_end(&f, other);
		assert_memory_not_equal(all, other, sizeof(all));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),	   cmocka_unit_test(test_tables),
		cmocka_unit_test(test_half),
		cmocka_unit_test(test_batches),	   cmocka_unit_test(test_no_block),
		cmocka_unit_test(test_modules),	   cmocka_unit_test(test_fingerprint),
		cmocka_unit_test(test_full),	   cmocka_unit_test(test_many_iterations),
		cmocka_unit_test(test_many_sites), cmocka_unit_test(test_programs),
		cmocka_unit_test(test_shape),	   cmocka_unit_test(test_shape_lists),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
