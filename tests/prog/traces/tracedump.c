/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tracedump FILE: everything that a trace file says, a line a record, as tests/t/read_trace.py
 * prints it. tracedump -make WHAT FILE: makes one of the accesses of a program: heat, float, lu,
 * sparse, random. tracedump -import TEXT FILE.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/trace/call.h"
#include "common/trace/encode.h"
#include "common/tracefile/tracefile.h"
#include "common/dvmtext/dvmtext.h"
#include "common/array/value.h"
#include "tests/bench/trace_work.h"

static int die(const char *what)
{
	fprintf(stderr, "tracedump: %s\n", what);
	exit(1);
}

static void point(const struct point *p)
{
	char text[POINT_TEXT];

	printf(" %s", p->main ? point_format(p, text) : "-");
}

static void place(const struct place *p)
{
	if (*p->file)
		printf(" %s:%u", p->file, p->line);
	else
		printf(" %s+%" PRIx64, p->module, p->vaddr);
	if (*p->func)
		printf("(%s)", p->func);
}

static void place_of(const struct trace_block *b, uint32_t i)
{
	if (i == TRACE_NONE)
		printf(" -");
	else
		place(&b->place[i]);
}

static void site_of(const struct trace_block *b, uint32_t i)
{
	if (i == TRACE_NONE) {
		printf(" -");
		return;
	}
	place(&b->site[i].place);
	if (b->site[i].nbuild_id)
		putchar('@');
	for (uint32_t k = 0; k < b->site[i].nbuild_id; k++)
		printf("%02x", b->site[i].build_id[k]);
}

static void object_of(const struct trace_block *b, uint32_t i)
{
	if (i == TRACE_NOWHERE)
		printf(" -");
	else
		printf(" %s#%u", b->object[i].desc.name, b->object[i].version);
}

static void element_of(const struct trace_block *b, const struct trace_rec *r)
{
	static const char *const words[] = { "outside", "own", "halo", "edge" };
	const struct array_desc *a;
	int64_t index[ARRAY_DIMS];
	struct trace_shape shape;
	struct trace_site site;
	enum trace_where where;
	uint32_t offset = 0;

	printf("+%" PRIu64, r->at);
	if (r->object == TRACE_NOWHERE && trace_block_module(b, r->at, &site))
		printf(" %s+%" PRIx64, site.place.module, site.place.vaddr);
	if (r->object == TRACE_NOWHERE)
		return;
	a = &b->object[r->object].desc;
	trace_shape_make(&shape, a);
	where = trace_shape_find(&shape, r->at, index, &offset);
	printf(" %s", words[where]);
	if (where != TRACE_OWN && where != TRACE_HALO)
		return;
	for (unsigned d = 0; d < a->ndim; d++)
		printf("[%" PRId64 "]", index[d]);
	if (offset)
		printf("+%u", offset);
}

static void bytes(const unsigned char *p, size_t n)
{
	putchar(' ');
	for (size_t i = 0; i < n; i++)
		printf("%02x", p[i]);
}

static void call_of(const struct trace_rec *r)
{
	struct trace_call c;

	if (!trace_call_get(&c, r->bytes, r->nbytes)) {
		printf(" ?");
		return;
	}
	for (unsigned i = 0; i < TRACE_CALL_NUMBERS; i++)
		if (trace_call_has(&c, i))
			printf(" %u=%" PRId64, i, c.number[i]);
	for (unsigned i = 0; i < TRACE_CALL_TEXTS; i++)
		printf(" %s", *c.text[i] ? c.text[i] : "-");
}

static void record(const struct trace_block *b, const struct trace_rec *r)
{
	printf("%s", trace_op_name(r->op));
	point(&r->point);
	switch (r->op) {
	case TRACE_BEGIN:
		printf(" %s %u", construct_brief(r->kind), r->level);
		place_of(b, r->place);
		for (unsigned d = 0; d < r->nidx; d++)
			printf(" %" PRId64 ":%" PRId64 ":%" PRId64, r->index[d], r->last[d],
			       r->step[d]);
		break;
	case TRACE_END:
		printf(" %s%s %" PRId64, construct_brief(r->kind), r->left ? " left" : "",
		       (int64_t)r->value[0]);
		place_of(b, r->place);
		break;
	case TRACE_ITER:
		for (unsigned d = 0; d < r->nidx; d++)
			printf(" %" PRId64, r->index[d]);
		break;
	case TRACE_READ:
	case TRACE_WRITE:
		printf(" %u %02x", r->size, r->flags);
		site_of(b, r->site);
		object_of(b, r->object);
		element_of(b, r);
		bytes((const unsigned char *)r->value, r->size);
		break;
	case TRACE_BEFORE:
		printf(" %u %02x", r->size, r->flags);
		site_of(b, r->site);
		object_of(b, r->object);
		element_of(b, r);
		break;
	case TRACE_CALL:
		printf(" %" PRIu64 " %" PRIu64, r->value[0], r->value[1]);
		site_of(b, r->site);
		call_of(r);
		break;
	case TRACE_LOST:
		printf(" %u %" PRIu64, r->kind, r->value[0]);
		break;
	default:
		printf(" %u %u", r->kind, r->hashed);
		if (r->hashed == TRACE_VALUE_PART)
			printf(" %" PRIu64 " %" PRIu64, r->at, r->value[0]);
		object_of(b, r->object);
		place_of(b, r->place);
		site_of(b, r->site);
		bytes(r->bytes, r->nbytes);
	}
	putchar('\n');
}

static void info(const struct trace_info *i)
{
	printf("block rank %u thread %u seq %" PRIu64 " from", i->rank, i->thread, i->seq);
	point(&i->first);
	printf(" to");
	point(&i->last);
	printf(" half %d records %" PRIu64 " loops %u", i->half, i->records, i->loops);
	if (i->boxed)
		point(&i->box_of);
	for (unsigned d = 0; d < i->boxed; d++)
		printf(" %" PRId64 ":%" PRId64, i->lo[d], i->hi[d]);
	putchar('\n');
}

static void block(const struct trace_reader *m, size_t i)
{
	struct trace_block *b;
	struct trace_cursor *c;
	struct trace_rec r;
	struct err err;
	int rc;

	info(trace_reader_info(m, i));
	b = trace_reader_block(m, i, &err);
	if (!b)
		die(err.text);
	for (uint32_t k = 0; k < b->nframe; k++) {
		printf("frame %s %u", construct_brief(b->frame[k].kind), b->frame[k].level);
		place_of(b, b->frame[k].place);
		point(&b->frame[k].point);
		for (unsigned d = 0; d < b->frame[k].nidx; d++)
			printf(" %" PRId64, b->frame[k].index[d]);
		putchar('\n');
	}
	c = trace_cursor_open(b);
	while (c && (rc = trace_block_next(c, &r)) > 0)
		record(b, &r);
	if (!c || rc)
		die("a block is damaged");
	trace_cursor_free(c);
	trace_block_free(b);
}

static void dump(const char *path)
{
	struct err err;
	struct trace_reader *m = trace_reader_open(path, &err);
	const struct trace_meta *x;

	if (!m)
		die(err.text);
	x = trace_reader_meta(m);
	printf("trace rank %u of %u level %u", x->rank, x->ranks, x->level);
	point(&x->start);
	point(&x->finish);
	printf(" %" PRIu64 " %s|%s|%s|%s\n", x->seconds, x->program, x->build_id, x->version,
	       x->origin);
	for (const char *p = x->head; *p; p++)
		if (*p != '\n')
			putchar(*p);
		else
			fputs(p[1] ? "\nhead " : "\n", stdout);
	for (size_t i = 0; i < trace_reader_blocks(m); i++)
		block(m, i);
	printf("%s\n", trace_reader_complete(m) ? "complete" : "incomplete");
	trace_reader_close(m);
}

static int site(void *arg, uint64_t pc, struct trace_site *out)
{
	static const unsigned char id[] = { 0xab, 0xcd };

	*out = (struct trace_site){ .place = { .file = "", .module = "/bin/work", .vaddr = pc },
				    .build_id = id,
				    .nbuild_id = pc & 1 ? 2 : 0 };
	return 0;
}

static int where(void *arg, uint32_t n, struct place *out)
{
	*out = (struct place){ .file = "work.c", .func = "main", .line = n, .module = "" };
	return 0;
}

/* Arrays of several shapes: with halo, with a list, in Fortran's order, a structure. */
static int object(void *arg, uint32_t version, struct trace_object *out)
{
	static char names[8][4] = { "a", "u", "v", "w", "x", "y", "z", "s" }, file[] = "work.c";
	static int64_t list[] = { 5, 2, 9, 11, 3, 1 };
	struct array_desc *a = &out->desc;

	*a = (struct array_desc){ .name = names[version & 7],
				  .file = file,
				  .line = version,
				  .order = 'C',
				  .type = VALUE_DOUBLE,
				  .elem_size = 8,
				  .ndim = 2,
				  .lower = { -1, 1 },
				  .extent = { 600, 1002 },
				  .own_lo = { 100, 1 },
				  .own_hi = { 600, 1002 },
				  .halo_lo = { 1, 0 },
				  .halo_hi = { 2, 0 },
				  .stride = { 1002, 1 } };
	if (version % 4 == 3) {
		a->list[1] = list;
		a->list_n[1] = 6;
		a->stride[0] = 8;
	} else if (version % 4 == 0) {
		a->order = 'F';
		a->kind = ARRAY_REPLICATED;
		a->stride[0] = 1;
		a->stride[1] = 600;
	}
	if (version == 6)
		out->kind = TRACE_HEAP, out->pc = 0x1234;
	return version > 6 ? -1 : 0;
}

static int module(void *arg, uint32_t i, struct trace_module *out)
{
	*out = (struct trace_module){ .path = i ? "/lib/libwork.so" : "/bin/work",
				      .load = i ? UINT64_C(0x7fff00000000) : 0x400000,
				      .lo = i ? 0x1000 : 0,
				      .hi = i ? UINT64_C(0x100000000) : 0x800 };
	return i < 2 ? 0 : -1;
}

static void flush(struct trace_enc *e, void *mem, struct trace_writer *f)
{
	const struct trace_resolver resolver = { NULL, site, object, where, module };
	struct trace_block b;
	struct err err;

	trace_enc_close(e);
	if (trace_block_from_raw(&b, mem, 1 << 20, &resolver, &err) ||
	    trace_writer_put(f, &b, &err))
		die(err.text);
	trace_block_clear(&b);
}

static bool put(struct trace_enc *e, const struct work_rec *r)
{
	int64_t index[4];

	if (r->pc)
		return trace_enc_access(e, r->pc, r->flags, r->object, r->at, r->value);
	for (unsigned d = 0; d < r->nidx; d++)
		index[d] = r->index[d];
	return trace_enc_iter(e, r->nidx, index);
}

/* Records of the other kinds, in front of the accesses. */
static void put_others(struct trace_enc *e)
{
	struct trace_opening o = { .kind = CONSTRUCT_TR, .place = 3, .point = { .main = 2 } };
	struct trace_opening task = {
		.kind = CONSTRUCT_TASK, .ndim = 1, .first = { 4 }, .last = { 4 }
	};
	const struct point none = { 0 };

	trace_enc_begin(e, &o);
	trace_enc_begin(e, &task);
	trace_enc_end(e, CONSTRUCT_TASK, &none, 4, true, 1);
	trace_enc_end(e, CONSTRUCT_TR, &o.point, 5, false, UINT64_MAX);
	trace_enc_value(e, 4, 7, "abcdefgh", 8, false);
	trace_enc_value(e, 4, 7, "abcdefghijklmnop", 16, true);
	trace_enc_value_part(e, 4, 7, "abcdefgh", 8, 0, 300);
	trace_enc_value_part(e, 4, 7, "a", 1, UINT64_C(1) << 40, 0);
	trace_enc_reduction(e, 0x777, 4, 2, "12345678", 8);
	trace_enc_reduction(e, 0x777, TRACE_NOWHERE, 0, "", 0);
	for (uint64_t at = 0; at < 0x2000; at += 0x400) {
		trace_enc_access(e, 0x1200, 8, TRACE_NOWHERE, 0x400000 + at, "somebody");
		trace_enc_access(e, 0x1200, 8, TRACE_NOWHERE, UINT64_C(0x7fff00000000) + at,
				 "anything");
	}
	trace_enc_skip(e, 9);
	trace_enc_lost(e, 1, UINT64_MAX);
	trace_enc_note(e, 3, "a note");
	trace_enc_sum(e, 2, "rw FAILED");
}

static void make(const char *what, const char *path)
{
	static const struct {
		const char *name;
		void (*make)(struct work *w);
	} works[] = { { "heat", work_heat },
		      { "float", work_heat_float },
		      { "lu", work_lu },
		      { "sparse", work_sparse },
		      { "random", work_random } };
	const struct trace_meta meta = { .rank = 1,
					 .ranks = 3,
					 .level = 3,
					 .start = { 1, 0, 0, 0 },
					 .finish = { 7, 2, 3, 1 },
					 .program = "/bin/work",
					 .build_id = "abcd",
					 .version = "1",
					 .origin = "",
					 .seconds = 1700000000 };
	const struct trace_frame frame = {
		.kind = CONSTRUCT_SL, .nidx = 1, .place = 1, .index = { -3 }
	};
	struct trace_start start = {
		.rank = 1, .frame = &frame, .nframe = 1, .point = { 1, 0, 0, 1 }
	};
	struct trace_opening o = { .kind = CONSTRUCT_PL,
				   .level = 3,
				   .ndim = 2,
				   .place = 12,
				   .point = { .main = 3 },
				   .first = { 1, -2 },
				   .last = { 500, 1000 },
				   .step = { 1, 2 } };
	struct trace_writer *f = trace_writer_create(path, &meta, NULL);
	struct trace_enc *e = calloc(1, sizeof(*e));
	struct work w = { calloc(200000, sizeof(*w.rec)), 0, 200000 };
	void *mem = malloc(1 << 20);

	if (!f || !e || !w.rec || !mem)
		die("no memory, or no file");
	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++)
		if (!strcmp(works[i].name, what))
			works[i].make(&w);
	/* blocks of all sizes */
	trace_enc_open(e, mem, 1 << 15, &start);
	put_others(e);
	trace_enc_begin(e, &o);
	for (size_t i = 0; i < w.n; i++) {
		if (put(e, &w.rec[i]))
			continue;
		flush(e, mem, f);
		start.seq++;
		trace_enc_open(e, mem, 1 << (15 + start.seq % 6), &start);
		i--;
	}
	trace_enc_end(e, CONSTRUCT_PL, &o.point, 13, false, w.n);
	flush(e, mem, f);
	if (trace_writer_close(f, true, NULL))
		die("no file");
	free(w.rec);
	free(e);
	free(mem);
}

/* A call of MPI of a made-up run, in microseconds since its beginning. */
static void put_call(struct trace_enc *e, const char *name, uint64_t pc, uint64_t from, uint64_t us,
		     int64_t to)
{
	struct trace_call c = { .begin = UINT64_C(1700000000000000000) + from * 1000, .ns = us * 1000 };

	c.text[TRACE_CALL_NAME] = name;
	c.text[TRACE_CALL_COMM] = "MPI_COMM_WORLD";
	trace_call_set(&c, TRACE_CALL_SIZE, 8);
	if (to != -9) {
		trace_call_set(&c, TRACE_CALL_TO, to);
		trace_call_set(&c, TRACE_CALL_TAG, 7);
		trace_call_set(&c, TRACE_CALL_COUNT, 100);
		trace_call_set(&c, TRACE_CALL_BYTES, 800);
		c.text[TRACE_CALL_TYPE] = "MPI_DOUBLE";
	}
	if (!trace_enc_call(e, pc, &c))
		die("no room");
}

/* Traces of eight ranks that exchange and add up ten times; each is later than the one before. */
static void make_calls(const char *dir)
{
	struct trace_enc *e = calloc(1, sizeof(*e));
	void *mem = malloc(1 << 17);

	if (!e || !mem)
		die("no memory");
	for (uint32_t r = 0; r < 8; r++) {
		const struct trace_meta meta = { .rank = r,	.ranks = 8,	.level = 1,
						 .program = "/bin/work", .build_id = "abcd",
						 .version = "1", .origin = "" };
		const struct trace_start start = { .rank = r };
		struct trace_writer *f;
		char path[500];

		snprintf(path, sizeof(path), "%s/trace.%u.bin", dir, r);
		f = trace_writer_create(path, &meta, NULL);
		if (!f)
			die("no file");
		trace_enc_open(e, mem, 1 << 17, &start);
		put_call(e, "MPI_Init", 10, r * 100, 20000, -9);
		for (uint64_t t = 30000; t < 130000; t += 10000) {
			put_call(e, "MPI_Isend", 20, t, 20, r < 7 ? (int64_t)r + 1 : -2);
			put_call(e, "MPI_Wait", 21, t + 40, 500 + r * 400, -9);
			put_call(e, "MPI_Allreduce", 22, t + 6000 + r * 300, 2500 - r * 300, -9);
		}
		put_call(e, "MPI_Barrier", 30, 140000 + r * 1000, 8000 - r * 1000, -9);
		put_call(e, "MPI_Finalize", 31, 150000, 20000, -9);
		flush(e, mem, f);
		if (trace_writer_close(f, true, NULL))
			die("no file");
	}
	free(e);
	free(mem);
}

int main(int argc, char **argv)
{
	struct err err;

	if (argc == 4 && !strcmp(argv[1], "-make"))
		make(argv[2], argv[3]);
	else if (argc == 4 && !strcmp(argv[1], "-import"))
		return dvmtext_import(argv[2], argv[3], 0, NULL, &err) ? die(err.text) : 0;
	else if (argc == 3 && !strcmp(argv[1], "-calls"))
		make_calls(argv[2]);
	else if (argc == 2)
		dump(argv[1]);
	else
		die("tracedump FILE | -make WHAT FILE | -calls DIR | -import TEXT FILE");
	return 0;
}
