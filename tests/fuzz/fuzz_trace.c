/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces, as programs that run wild and files that anybody may have written. The first byte chooses
 * what the others are: a raw block; the content of a block; a file; a file with one whole block of
 * this content.
 */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/reductions/reductions.h"
#include "common/trace/block.h"
#include "common/trace/call.h"
#include "common/trace/encode.h"
#include "common/tracefile/tracefile.h"
#include "common/tracefile/internal.h"
#include "common/dvmtext/dvmtext.h"
#include "common/array/value.h"

#define INPUT_MOST 65536u

enum { A_RAW, A_CONTENT, A_FILE, A_BLOCK, KINDS };

static char path[] = "fuzz-trace-XXXXXX";
static FILE *nothing;
static struct trace_cursor *cursor;

static void clean_up(void)
{
	unlink(path);
	trace_cursor_free(cursor);
	fclose(nothing);
	nothing = NULL;
}

static void prepare(void)
{
	int fd;

	if (nothing)
		return;
	fd = mkstemp(path);
	FUZZ_CHECK(fd >= 0);
	close(fd);
	nothing = fopen("/dev/null", "w");
	FUZZ_CHECK(nothing);
	atexit(clean_up);
}

static int explain(void *arg, uint32_t version, struct trace_object *out)
{
	static char name[] = "u", file[] = "u.c";

	if (version % 3 == 2)
		return -1;
	out->kind = version % 3;
	out->pc = version;
	out->desc = (struct array_desc){ .name = name,
					 .file = file,
					 .order = version & 4 ? 'C' : 'F',
					 .type = VALUE_DOUBLE,
					 .elem_size = 8,
					 .ndim = 2,
					 .extent = { 9, 9 },
					 .own_hi = { version & 8, 8 },
					 .halo_lo = { version & 1 },
					 .stride = { 9, 1 } };
	return 0;
}

static int place(void *arg, uint32_t n, struct place *out)
{
	*out = (struct place){ .file = "p.c", .line = n };
	return n == 13 ? -1 : 0;
}

static const unsigned char id[] = { 1, 2, 3 };
static const struct trace_module modules[] = {
	{ "/bin/p", id, sizeof(id), 0x400000, 0x1000, 0x2000 },
	{ "/lib/l", NULL, 0, 0x7fff0000, 0, 0x800 },
};

static int module(void *arg, uint32_t i, struct trace_module *out)
{
	*out = modules[i % 2];
	return i < 2 ? 0 : -1;
}

static int site(void *arg, uint64_t pc, struct trace_site *out)
{
	*out = (struct trace_site){ .place = { .file = "", .module = "/bin/p", .vaddr = pc },
				    .module = pc & 4 ? &modules[0] : NULL };
	return pc & 8 ? -1 : 0;
}

static const struct trace_resolver resolver = { NULL, site, explain, place, module };

static void use_object(const struct trace_block *b, const struct trace_rec *r)
{
	int64_t index[ARRAY_DIMS];
	struct trace_shape shape;
	struct trace_site where;
	char text[64];

	if (r->op != TRACE_READ && r->op != TRACE_WRITE)
		return;
	FUZZ_CHECK(r->site < b->nsite && r->at <= TRACE_AT_MASK);
	dvmtext_operand(b, r, text, sizeof(text));
	if (r->object == TRACE_NOWHERE && trace_block_module(b, r->at, &where))
		FUZZ_CHECK(where.module && where.place.vaddr >= where.module->lo &&
			   where.place.vaddr < where.module->hi && *where.place.file == '\0' &&
			   strlen(where.place.module) < INPUT_MOST);
	if (r->object == TRACE_NOWHERE)
		return;
	FUZZ_CHECK(r->object < b->nobject);
	trace_shape_make(&shape, &b->object[r->object].desc);
	trace_shape_find(&shape, r->at, index, NULL);
}

/* Reads all records; whether they are whole. */
static bool use_block(const struct trace_block *b)
{
	struct trace_call call;
	struct trace_rec r;
	uint64_t sum = 0;
	int rc;

	if (!cursor)
		cursor = trace_cursor_open(b);
	else
		FUZZ_CHECK(!trace_cursor_start(cursor, b));
	FUZZ_CHECK(cursor);
	while ((rc = trace_block_next(cursor, &r)) > 0) {
		use_object(b, &r);
		for (uint32_t i = 0; i < r.nbytes; i++)
			sum += r.bytes[i];
		for (unsigned d = 0; d < r.nidx; d++)
			sum += (uint64_t)r.index[d];
		for (unsigned k = 0;
		     trace_call_get(&call, r.bytes, r.nbytes) && k < TRACE_CALL_TEXTS; k++)
			sum += strlen(call.text[k]);
		FUZZ_CHECK(r.op < TRACE_OPS && (r.place == TRACE_NONE || r.place < b->nplace));
		if (cursor->depth)
			sum += cursor->frame[(cursor->depth - 1) % TRACE_FRAMES].nidx;
	}
	for (uint32_t i = 0; i < b->nsite; i++)
		sum += strlen(b->site[i].place.file) + strlen(b->site[i].place.module) +
		       b->site[i].nbuild_id;
	FUZZ_CHECK(trace_block_next(cursor, &r) == rc && trace_block_bytes(b) > sum % 2);
	return !rc;
}

/* As a reader of the stream has it; nothing in it is trusted. */
static void reduce(const struct trace_reader *m)
{
	struct reductions_set *set = reductions_set_create();
	struct trace_findings found = { 0 };
	struct stream *s = stream_create();
	struct buf b = BUF_INIT;
	struct reduction r;
	struct err err = { "" };
	unsigned kind;

	FUZZ_CHECK(!stream_add(s, &reductions_reader, reductions_create(0, 1), &err));
	if (stream_file(s, m, NULL, NULL, &err))
		FUZZ_CHECK(*err.text);
	while (stream_part(s, &kind, &b)) {
		FUZZ_CHECK(!reduction_get(&r, &b) && !buf_left(&b));
		FUZZ_CHECK(!reductions_add(set, &r, &found, &err));
		buf_clear(&b);
	}
	reductions_end(set);
	reductions_set_destroy(set);
	trace_findings_clear(&found);
	stream_destroy(s);
}

static void try_map(void)
{
	struct err err = { "" };
	struct trace_reader *m = trace_reader_open(path, &err);

	FUZZ_CHECK(m || *err.text);
	if (!m)
		return;
	FUZZ_CHECK(strlen(trace_reader_meta(m)->program) < 65536);
	for (size_t i = 0; i < trace_reader_blocks(m); i++) {
		struct trace_block *b = trace_reader_block(m, i, &err);

		FUZZ_CHECK(b || *err.text);
		if (b)
			use_block(b);
		trace_block_free(b);
	}
	reduce(m);
	if (dvmtext_export(m, nothing, "nothing", NULL, &err))
		FUZZ_CHECK(*err.text);
	trace_reader_close(m);
}

static void write_path(const void *data, size_t n)
{
	FILE *f = fopen(path, "wb");

	FUZZ_CHECK(f && fwrite(data, 1, n, f) == n);
	FUZZ_CHECK(!fclose(f));
}

/* What is made of a raw block can be read back, from a file too. */
static void try_raw(const uint8_t *data, size_t size)
{
	struct err err = { "" };
	struct trace_block b;
	struct trace_writer *f;

	if (trace_block_from_raw(&b, data, size, &resolver, &err)) {
		FUZZ_CHECK(*err.text);
		return;
	}
	FUZZ_CHECK(use_block(&b));
	FUZZ_CHECK(cursor->record == b.info.records);
	f = trace_writer_create(path, &(struct trace_meta){ .program = "p" }, NULL);
	FUZZ_CHECK(f && !trace_writer_put(f, &b, NULL) && !trace_writer_close(f, true, NULL));
	try_map();
	trace_block_clear(&b);
}

static void try_content(const uint8_t *data, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);
	struct trace_block b = { .info.rank = 1 };
	struct err err = { "" };

	FUZZ_CHECK(copy);
	memcpy(copy, data, size);
	if (trace_block_get(&b, copy, size, &err)) {
		FUZZ_CHECK(*err.text);
		return;
	}
	use_block(&b);
	trace_block_clear(&b);
}

/* The content gets a file around it, with all hashes as they have to be. */
static void try_block(const uint8_t *data, size_t size)
{
	struct trace_writer *f =
		trace_writer_create(path, &(struct trace_meta){ .program = "p" }, NULL);
	struct trace_block b = { .data = (unsigned char *)data, .ndata = size };

	FUZZ_CHECK(f && !trace_writer_put(f, &b, NULL));
	FUZZ_CHECK(!trace_writer_close(f, size & 1, NULL));
	try_map();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t aligned[1 + INPUT_MOST / 8];

	if (!size)
		return 0;
	prepare();
	size = size - 1 < INPUT_MOST ? size - 1 : INPUT_MOST;
	switch (data[0] % KINDS) {
	case A_RAW:
		memcpy(aligned, data + 1, size);
		try_raw((const uint8_t *)aligned, size);
		break;
	case A_CONTENT:
		try_content(data + 1, size);
		break;
	case A_FILE:
		write_path(data + 1, size);
		try_map();
		break;
	default:
		try_block(data + 1, size);
	}
	return 0;
}

#ifdef FUZZ_MAIN

static void write_records(struct trace_enc *e)
{
	struct trace_opening o = { .kind = CONSTRUCT_PL,
				   .ndim = 2,
				   .place = 7,
				   .point = { .main = 1 },
				   .last = { 3, 3 } };
	const double v[4] = { 1, 2, 2.5, 3 };
	struct trace_call c = { .begin = 1000, .ns = 10 };

	trace_enc_begin(e, &o);
	for (int64_t i = 0; i < 4; i++) {
		trace_enc_iter(e, 2, (int64_t[]){ i / 2, i % 2 });
		trace_enc_access(e, 0x1000, 8, 1, (uint64_t)i * 8, &v[i]);
		trace_enc_access(e, 0x1004, 8 | TRACE_WRITES, 3, (uint64_t)i * 8, &v[0]);
		trace_enc_access(e, 0x1008, 4, TRACE_NOWHERE, 0x7fff0000, &v[i]);
		trace_enc_access(e, 0x100c, 16, 5, 16, v);
		trace_enc_access(e, 0x1010, 1, 2, 3, v);
	}
	trace_enc_value(e, 4, 8, "12345678", 8, false);
	trace_enc_value_part(e, 4, 8, "12345678", 8, 8, 1000);
	trace_enc_end(e, CONSTRUCT_PL, &o.point, 9, true, 4);
	trace_enc_reduction(e, 0x2000, 4, 1, "12345678", 8);
	trace_enc_skip(e, 13);
	trace_enc_lost(e, 1, 5);
	trace_enc_note(e, 1, "note");
	trace_enc_note(e, TRACE_NOTE_REDUCES,
		       "10 20 1 8 MPI_SUM MPI_DOUBLE 77 1 0 -1 0000000000001c40");
	trace_enc_sum(e, 1, "w 1");
	c.text[TRACE_CALL_NAME] = "MPI_Send";
	c.text[TRACE_CALL_COMM] = "MPI_COMM_WORLD";
	trace_call_set(&c, TRACE_CALL_TO, -2);
	trace_call_set(&c, TRACE_CALL_BYTES, 80);
	trace_enc_call(e, 0x2004, &c);
}

static size_t make_raw(void *mem, unsigned frames)
{
	static struct trace_enc e;
	struct trace_frame frame[2] = {
		{ .kind = CONSTRUCT_SL, .nidx = 1 },
		{ .kind = CONSTRUCT_PL, .point = { 1, 0, 0, 0 }, .nidx = 2 }
	};
	const struct trace_start start = { .rank = 1, .frame = frame, .nframe = frames };

	trace_enc_open(&e, mem, TRACE_BLOCK_LEAST, &start);
	write_records(&e);
	return trace_enc_close(&e);
}

static bool fuzz_seed(unsigned i, struct buf *out)
{
	static uint64_t mem[TRACE_BLOCK_LEAST / 8];
	struct trace_block b;
	size_t n = make_raw(mem, i & 1 ? 2 : 0);
	char bytes[FUZZ_MOST];
	FILE *f;

	if (i >= 2 * KINDS)
		return false;
	prepare();
	buf_put_u8(out, (uint8_t)(i / 2));
	if (i / 2 == A_RAW) {
		buf_put_raw(out, mem, n);
		return true;
	}
	FUZZ_CHECK(!trace_block_from_raw(&b, mem, n, &resolver, NULL));
	if (i / 2 == A_FILE) {
		struct trace_writer *t =
			trace_writer_create(path, &(struct trace_meta){ .program = "p" }, NULL);

		trace_writer_put(t, &b, NULL);
		trace_writer_put(t, &b, NULL);
		trace_writer_close(t, i & 1, NULL);
		f = fopen(path, "rb");
		n = fread(bytes, 1, sizeof(bytes), f);
		fclose(f);
		buf_put_raw(out, bytes, n);
	} else {
		buf_put_raw(out, b.data, b.ndata);
	}
	trace_block_clear(&b);
	return true;
}
#endif
