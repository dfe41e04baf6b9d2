/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/array/array.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/trace_config.h"
#include "common/array/value.h"

#define ROOM 65536

const struct trace_meta trace_help_meta = { .rank = 1,
					    .ranks = 4,
					    .level = TRACE_CONFIG_FULL,
					    .start = { .main = 1 },
					    .program = "/bin/prog",
					    .build_id = "00ff",
					    .version = "9.9",
					    .origin = "",
					    .seconds = 1000000000 };

static const unsigned char id[] = { 0, 0xff, 0x10 };
/* The program's image begins at 0 in it; there is another one behind it, and one of which nothing
 * is known. */
static const struct trace_module modules[] = {
	{ "/bin/prog", id, sizeof(id), UINT64_C(0x555555554000), 0, 0x9000 },
	{ "/lib/libx.so", NULL, 0, UINT64_C(0x7ffff7000000), 0x2000, 0x3000 },
	{ "/lib/liby.so", NULL, 0, 0, 0, 0 },
};

static int module(void *arg, uint32_t i, struct trace_module *out)
{
	if (i >= sizeof(modules) / sizeof(modules[0]))
		return -1;
	*out = modules[i];
	return 0;
}

static int site(void *arg, uint64_t pc, struct trace_site *out)
{
	*out = (struct trace_site){ 0 };
	if (pc == 0x666)
		return -1;
	if (pc < 1000) {
		out->place = (struct place){ .file = "main.c", .line = (uint32_t)pc };
		return 0;
	}
	out->place = (struct place){ .file = "", .module = "/bin/prog", .vaddr = pc };
	out->build_id = id;
	out->nbuild_id = sizeof(id);
	out->module = &modules[0];
	return 0;
}

static int place(void *arg, uint32_t n, struct place *out)
{
	*out = (struct place){ .file = "main.c", .func = "main", .line = n, .module = "" };
	return n < 1000 ? 0 : -1;
}

int trace_help_object(void *arg, uint32_t version, struct trace_object *out)
{
	static char dt[] = "dt", k[] = "k", names[][8] = { "?", "u", "n", "f", "malloc", "par" };
	static char file[] = "main.c";
	static struct array_field fields[] = { { dt, VALUE_DOUBLE, 0, 1 }, { k, VALUE_INT, 8, 2 } };
	struct array_desc *a = &out->desc;

	*a = (struct array_desc){ .name = names[0],
				  .file = file,
				  .line = version,
				  .order = 'C',
				  .type = VALUE_DOUBLE,
				  .elem_size = 8,
				  .kind = ARRAY_DISTRIBUTED };
	out->kind = TRACE_ARRAY;
	switch (version) {
	case 1: /* u[4][6]: rows 1:2 are here with a halo of one row on each side */
		a->name = names[1];
		a->ndim = 2;
		a->extent[0] = 4, a->extent[1] = 6;
		a->own_lo[0] = 1, a->own_hi[0] = 2, a->halo_lo[0] = a->halo_hi[0] = 1;
		a->own_hi[1] = 5;
		a->stride[0] = 6, a->stride[1] = 1;
		a->addr = 0x7f0000001000;
		return 0;
	case 2:
		a->name = names[2];
		a->kind = ARRAY_REPLICATED;
		a->type = VALUE_INT;
		a->elem_size = 4;
		return 0;
	case 3: /* f(0:2,1:3), the first index runs fastest */
		a->name = names[3];
		a->order = 'F';
		a->type = VALUE_FLOAT;
		a->elem_size = 4;
		a->ndim = 2;
		a->lower[1] = a->own_lo[1] = 1;
		a->extent[0] = a->extent[1] = 3;
		a->own_hi[0] = 2, a->own_hi[1] = 3;
		a->stride[0] = 1, a->stride[1] = 3;
		return 0;
	case 4:
		out->kind = TRACE_HEAP;
		out->pc = 0x2000;
		a->name = names[4];
		a->type = VALUE_UCHAR;
		a->elem_size = 1;
		a->ndim = 1;
		a->extent[0] = 64;
		a->own_hi[0] = 63;
		a->stride[0] = 1;
		return 0;
	case 5:
		a->name = names[5];
		a->kind = ARRAY_REPLICATED;
		a->type = VALUE_STRUCT;
		a->elem_size = 16;
		a->field = fields;
		a->nfield = 2;
		return 0;
	case 6: /* makes no sense: a reader would refuse it */
		a->elem_size = 3;
		return 0;
	default:
		return -1;
	}
}

const struct trace_resolver trace_help_resolver = { NULL, site, trace_help_object, place, module };

static const struct trace_opening sl = { .kind = CONSTRUCT_SL,
					 .level = TRACE_CONFIG_FULL,
					 .ndim = 1,
					 .place = 28,
					 .first = { 1 },
					 .last = { 2 },
					 .step = { 1 } };
static const struct trace_opening pl = { .kind = CONSTRUCT_PL,
					 .level = TRACE_CONFIG_FULL,
					 .ndim = 2,
					 .place = 31,
					 .point = { .main = 6 },
					 .first = { 1, -4 },
					 .last = { 6, 4 },
					 .step = { 1, 2 } };
static const struct trace_opening region = { .kind = CONSTRUCT_TR,
					     .place = 40,
					     .point = { 7, 0, 0, 0 } };
static const struct trace_opening task = {
	.kind = CONSTRUCT_TASK, .place = 41, .ndim = 1, .first = { 3 }, .last = { 3 }
};
static const struct trace_opening inner = {
	.kind = CONSTRUCT_PL, .level = TRACE_CONFIG_MODIFY, .place = 42, .point = { 7, 3, 1, 0 }
};

/* Accesses in the loop: what moves evenly, what jumps, what is not aligned, all sizes. */
static const struct {
	uint64_t pc, at;
	uint32_t object;
	uint8_t flags;
	unsigned char value[16];
} accesses[] = {
	{ 0x1000, 0, 1, 8, { 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ 0x1000, 8, 1, 8, { 1, 2, 3, 4, 5, 6, 7, 9 } },
	{ 0x1000, 16, 1, 8, { 1, 2, 3, 4, 5, 6, 7, 7 } },
	{ 0x1000, 24, 1, 8, { 0 } },
	{ 0x1000, 3, 1, 8, { 0xff } },
	{ 0x1004, 24, 1, 8 | TRACE_WRITES, { 1 } },
	{ 0x1000, 24, 1, 8, { 1 } },
	{ 0x1008,
	  0x7ffffffff000,
	  TRACE_NOWHERE,
	  4 | TRACE_WRITES | TRACE_ATOMIC,
	  { 0, 0, 128, 63 } },
	{ 0x1008,
	  0x7fffffffeff0,
	  TRACE_NOWHERE,
	  4 | TRACE_WRITES | TRACE_ATOMIC,
	  { 0, 0, 128, 191 } },
	{ 0x100c, 0, 4, 1, { 255 } },
	{ 0x100c, 63, 4, 1, { 254 } },
	{ 0x1010, 7, 4, 2, { 1, 2 } },
	{ 0x1014, 0, 4, 16 | TRACE_WRITES, { 1, [8] = 2, [15] = 255 } },
	{ 0x1014, 16, 4, 16 | TRACE_WRITES, { 1, [8] = 2, [15] = 254 } },
	{ 0x1018, 0, 4, 16, { 1, [8] = 2, [15] = 255 } },
	{ 12, 8, 3, 4 | TRACE_REDUCED, { 1, 2, 3, 4 } },
	{ 0x666, TRACE_AT_MASK, 77, 8, { 8 } },
	{ 0x101c, 0, 6, 1, { 6 } },
	{ 0x666, 0, 77, 8, { 8 } },
};
#define N_ACCESSES (sizeof(accesses) / sizeof(*accesses))

static const int64_t indices[][2] = {
	{ 1, -4 }, { 1, -2 }, { 1, 0 },	     { 1, 1 },
	{ 2, 1 },  { 3, 1 },  { 100, -100 }, { INT64_MAX, INT64_MIN }
};
#define N_INDICES (sizeof(indices) / sizeof(*indices))

size_t trace_help_write(struct trace_enc *e)
{
	const struct point none = { 0 };
	uint64_t before = trace_enc_records(e);

	assert_true(trace_enc_begin(e, &sl));
	assert_true(trace_enc_iter(e, 1, (int64_t[]){ 1 }));
	assert_true(trace_enc_value(e, 2, 28, "\7\0\0", 4, false));
	assert_true(trace_enc_value(e, 5, 28, "0123456789abcdef", 16, true));
	assert_true(trace_enc_value_part(e, 5, 28, "abc", 3, UINT64_C(1) << 33, 7));
	assert_true(trace_enc_begin(e, &pl));
	for (size_t i = 0; i < N_INDICES; i++)
		assert_true(trace_enc_iter(e, 2, indices[i]));
	for (size_t i = 0; i < N_ACCESSES; i++)
		assert_true(trace_enc_access(e, accesses[i].pc, accesses[i].flags,
					     accesses[i].object, accesses[i].at,
					     accesses[i].value));
	assert_true(trace_enc_end(e, CONSTRUCT_PL, &pl.point, 33, true, 8));
	assert_true(trace_enc_reduction(e, 0x1100, 2, 3, "abc", 3));
	assert_true(trace_enc_reduction(e, 0x1100, TRACE_NOWHERE, 0, "", 0));
	assert_true(trace_enc_end(e, CONSTRUCT_SL, &none, 34, false, UINT64_MAX));
	assert_true(trace_enc_skip(e, 50));
	assert_true(trace_enc_begin(e, &region));
	assert_true(trace_enc_begin(e, &task));
	assert_true(trace_enc_begin(e, &inner));
	assert_true(trace_enc_end(e, CONSTRUCT_PL, &inner.point, 43, false, 0));
	assert_true(trace_enc_end(e, CONSTRUCT_TASK, &none, 44, false, 1));
	assert_true(trace_enc_end(e, CONSTRUCT_TR, &region.point, 45, false, 1));
	assert_true(trace_enc_lost(e, 2, UINT64_MAX));
	assert_true(trace_enc_note(e, 9, "a note"));
	assert_true(trace_enc_sum(e, 1, "w 0.5"));
	return (size_t)(trace_enc_records(e) - before);
}

static struct trace_rec rec;

static void next(struct trace_cursor *c, unsigned op)
{
	assert_int_equal(trace_block_next(c, &rec), 1);
	assert_int_equal(rec.op, op);
}

static void is_point(uint32_t main, uint32_t task_, uint32_t sub, uint32_t side)
{
	assert_int_equal(rec.point.main, main);
	assert_int_equal(rec.point.task, task_);
	assert_int_equal(rec.point.sub, sub);
	assert_int_equal(rec.point.side, main ? side : 0);
}

static void check_begin(struct trace_cursor *c, const struct trace_opening *o)
{
	next(c, TRACE_BEGIN);
	assert_int_equal(rec.kind, o->kind);
	assert_int_equal(rec.level, o->level);
	assert_int_equal(rec.nidx, o->ndim);
	is_point(o->point.main, o->point.task, o->point.sub, 0);
	assert_int_equal(c->block->place[rec.place].line, o->place);
	assert_string_equal(c->block->place[rec.place].file, "main.c");
	for (unsigned d = 0; d < o->ndim; d++) {
		assert_int_equal(rec.index[d], o->first[d]);
		assert_int_equal(rec.last[d], o->last[d]);
		assert_int_equal(rec.step[d], o->step[d] ? o->step[d] : 1);
	}
	assert_int_equal(c->frame[c->depth - 1].kind, o->kind);
	assert_int_equal(c->frame[c->depth - 1].level, o->level);
}

static void check_end(struct trace_cursor *c, unsigned kind, uint32_t line, bool left, uint64_t n)
{
	next(c, TRACE_END);
	assert_int_equal(rec.kind, kind);
	assert_int_equal(rec.left, left);
	assert_true(rec.value[0] == n);
	assert_int_equal(c->block->place[rec.place].line, line);
}

static void check_access(struct trace_cursor *c, size_t i)
{
	const struct trace_block *b = c->block;
	unsigned flags = accesses[i].flags;

	next(c, flags & TRACE_WRITES ? TRACE_WRITE : TRACE_READ);
	is_point(6, 0, 0, 0);
	assert_int_equal(rec.size, flags & TRACE_SIZE);
	assert_int_equal(rec.flags, flags & ~TRACE_SIZE);
	assert_true(rec.at == (accesses[i].at & TRACE_AT_MASK));
	assert_memory_equal(rec.value, accesses[i].value, 16);
	if (accesses[i].object == TRACE_NOWHERE)
		assert_true(rec.object == TRACE_NOWHERE);
	else
		assert_int_equal(b->object[rec.object].version, accesses[i].object);
	if (accesses[i].pc < 1000)
		assert_int_equal(b->site[rec.site].place.line, accesses[i].pc);
	else
		assert_int_equal(b->site[rec.site].place.vaddr, accesses[i].pc);
	assert_string_equal(b->site[rec.site].place.module,
			    accesses[i].pc >= 0x1000 ? "/bin/prog" : "");
	assert_int_equal(b->site[rec.site].nbuild_id, accesses[i].pc >= 0x1000 ? 3 : 0);
	assert_int_equal(rec.nidx, 0);
	assert_true(rec.place == TRACE_NONE && !rec.bytes);
}

static void check_bytes(const char *bytes, uint32_t n)
{
	assert_int_equal(rec.nbytes, n);
	assert_memory_equal(rec.bytes, bytes, n);
}

static void check_loop(struct trace_cursor *c)
{
	uint32_t around = c->block->nframe;

	check_begin(c, &sl);
	next(c, TRACE_ITER);
	assert_int_equal(rec.nidx, 1);
	assert_int_equal(rec.index[0], 1);
	next(c, TRACE_VALUE);
	assert_string_equal(c->block->object[rec.object].desc.name, "n");
	assert_int_equal(rec.hashed, 0);
	check_bytes("\7\0\0", 4);
	next(c, TRACE_VALUE);
	assert_int_equal(rec.hashed, 1);
	check_bytes("0123456789abcdef", 16);
	next(c, TRACE_VALUE);
	assert_int_equal(rec.hashed, TRACE_VALUE_PART);
	assert_true(rec.at == UINT64_C(1) << 33 && rec.value[0] == 7);
	check_bytes("abc", 3);
	check_begin(c, &pl);
	for (size_t i = 0; i < N_INDICES; i++) {
		next(c, TRACE_ITER);
		assert_int_equal(rec.nidx, 2);
		assert_memory_equal(rec.index, indices[i], sizeof(indices[i]));
		assert_int_equal(c->depth, around + 2);
		assert_memory_equal(c->frame[around + 1].index, indices[i], sizeof(indices[i]));
		assert_int_equal(c->frame[around].index[0], 1);
	}
	for (size_t i = 0; i < N_ACCESSES; i++)
		check_access(c, i);
	check_end(c, CONSTRUCT_PL, 33, true, 8);
	is_point(6, 0, 0, 1);
	assert_int_equal(c->depth, around + 1);
	next(c, TRACE_REDUCTION);
	is_point(6, 0, 0, 1);
	assert_int_equal(rec.kind, 3);
	assert_string_equal(c->block->object[rec.object].desc.name, "n");
	assert_int_equal(c->block->site[rec.site].place.vaddr, 0x1100);
	check_bytes("abc", 3);
	next(c, TRACE_REDUCTION);
	assert_true(rec.object == TRACE_NOWHERE && !rec.nbytes);
	check_end(c, CONSTRUCT_SL, 34, false, UINT64_MAX);
	is_point(0, 0, 0, 1);
}

void trace_help_check(const struct trace_block *b)
{
	struct trace_cursor *c = trace_cursor_open(b);
	uint32_t depth = b->nframe;

	assert_non_null(c);
	check_loop(c);
	assert_int_equal(c->depth, depth);
	next(c, TRACE_SKIP);
	is_point(6, 0, 0, 1);
	assert_int_equal(b->place[rec.place].line, 50);
	check_begin(c, &region);
	check_begin(c, &task);
	assert_int_equal(c->frame[c->depth - 1].nidx, 1);
	assert_int_equal(c->frame[c->depth - 1].index[0], 3);
	check_begin(c, &inner);
	check_end(c, CONSTRUCT_PL, 43, false, 0);
	is_point(7, 3, 1, 1);
	check_end(c, CONSTRUCT_TASK, 44, false, 1);
	check_end(c, CONSTRUCT_TR, 45, false, 1);
	next(c, TRACE_LOST);
	assert_int_equal(rec.kind, 2);
	assert_true(rec.value[0] == UINT64_MAX);
	next(c, TRACE_NOTE);
	assert_int_equal(rec.kind, 9);
	check_bytes("a note", 6);
	next(c, TRACE_SUM);
	assert_string_equal(b->object[rec.object].desc.name, "u");
	check_bytes("w 0.5", 5);
	assert_int_equal(trace_block_next(c, &rec), 0);
	assert_int_equal(trace_block_next(c, &rec), 0);
	assert_int_equal(c->record, b->info.records);
	trace_cursor_free(c);
}

size_t trace_help_raw(void *mem, size_t room)
{
	const struct trace_frame frame = { .kind = CONSTRUCT_SL,
					   .nidx = 1,
					   .level = TRACE_CONFIG_FULL,
					   .place = 20,
					   .index = { -7 } };
	const struct trace_start start = { .rank = 1,
					   .thread = 2,
					   .seq = 3,
					   .point = { 5, 0, 0, POINT_END },
					   .frame = &frame,
					   .nframe = 1 };
	struct trace_enc *e = malloc(sizeof(*e));
	size_t n;

	assert_non_null(e);
	memset(e, 0x5a, sizeof(*e));
	trace_enc_open(e, mem, room, &start);
	trace_help_write(e);
	n = trace_enc_close(e);
	free(e);
	return n;
}

void trace_help_block(struct trace_block *b)
{
	void *mem = malloc(ROOM);
	struct err err = { "" };

	trace_help_raw(mem, ROOM);
	if (trace_block_from_raw(b, mem, ROOM, &trace_help_resolver, &err))
		fail_msg("%s", err.text);
	free(mem);
}

/* In block i construct 10 i + 1 has iterations i … i + 3. */
void trace_help_block_at(struct trace_block *b, unsigned i)
{
	struct trace_enc *e = calloc(1, sizeof(*e));
	void *mem = malloc(ROOM);
	const struct trace_start start = { .rank = 1, .seq = i, .point = { 10 * i, 0, 0, i > 0 } };
	struct trace_opening o = { .kind = CONSTRUCT_PL,
				   .place = 31,
				   .point = { .main = 10 * i + 1 } };
	struct err err = { "" };

	trace_enc_open(e, mem, ROOM, &start);
	assert_true(trace_enc_begin(e, &o));
	for (int64_t k = i; k < i + 4; k++) {
		assert_true(trace_enc_iter(e, 2, (int64_t[]){ k, -k }));
		for (uint64_t at = 0; at < 24; at++)
			assert_true(trace_enc_access(e, 0x1000 + 4 * at, 8, 1, 8 * at,
						     (double[]){ (double)k / 3 + (double)at }));
	}
	assert_true(trace_enc_end(e, CONSTRUCT_PL, &o.point, 31, false, 4));
	trace_enc_close(e);
	if (trace_block_from_raw(b, mem, ROOM, &trace_help_resolver, &err))
		fail_msg("%s", err.text);
	free(e);
	free(mem);
}

void trace_help_file(const char *path, unsigned n, bool complete)
{
	struct err err = { "" };
	struct trace_writer *f = trace_writer_create(path, &trace_help_meta, &err);

	if (!f)
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < n; i++) {
		struct trace_block b;

		trace_help_block_at(&b, i);
		assert_int_equal(trace_writer_put(f, &b, &err), 0);
		trace_block_clear(&b);
	}
	assert_int_equal(trace_writer_close(f, complete, &err), 0);
}

const char *trace_help_data(const char *name)
{
	static char path[4096];
	const char *src = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/tests/data/%s", src ? src : ".", name);
	return path;
}

char *trace_help_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = calloc(1, 4 << 20);

	if (!f)
		fail_msg("%s is not there", path);
	assert_true(fread(text, 1, (4 << 20) - 1, f) < (4 << 20) - 1);
	fclose(f);
	return text;
}
