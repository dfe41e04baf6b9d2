/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page that a program which runs wild shares with its supervisor. A good page is made, then the
 * input overwrites parts of it: u8 where, u16 offset, the bytes. What the supervisor reads there
 * goes over the wire and has to be readable.
 */
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/report.h"
#include "common/protocol/point_sums.h"
#include "common/trace/block.h"
#include "common/trace/encode.h"
#include "common/array/value.h"
#include "runtime/exec/page/page.h"

#define BLOCK TRACE_BLOCK_LEAST
#define ARENA 4096u
#define PARTS 64 /* of an input */

static struct page *page;
static unsigned char *block;
static uint32_t used, u, s, loc;

/* ---- a good page ---- */

static uint32_t put(const void *data, size_t n)
{
	uint32_t off = used;

	FUZZ_CHECK(used + n < ARENA);
	memcpy(page->arena + off, data, n);
	used += (uint32_t)((n + 7) & ~(size_t)7);
	return off;
}

static uint32_t text(const char *t)
{
	return put(t, strlen(t) + 1);
}

static uint32_t put_entity(const char *name, unsigned ndim, uint32_t next)
{
	struct page_entity e = { .live = 1,
				 .name = text(name),
				 .loc = loc,
				 .kind = ndim ? ARRAY_DISTRIBUTED : ARRAY_REPLICATED,
				 .type = ndim ? VALUE_DOUBLE : VALUE_STRUCT,
				 .order = 'C',
				 .elem_size = ndim ? 8 : 16,
				 .ndim = ndim,
				 .addr = 0x1000,
				 .extent = { 4, 6 },
				 .own_lo = { 1, 0 },
				 .own_hi = { 2, 5 },
				 .halo_lo = { 1, 0 },
				 .halo_hi = { 1, 0 },
				 .stride = { 6, 1 },
				 .next = next };
	const struct page_field f = { text("x"), VALUE_DOUBLE, 8, 1 };
	const int64_t list[] = { 0, 2, 4 };

	if (ndim == 1) {
		e.list[0] = put(list, sizeof(list));
		e.list_n[0] = 3;
		e.halo_lo[0] = e.halo_hi[0] = 0;
		e.stride[0] = 1;
	} else if (!ndim) {
		e.field = put(&f, sizeof(f));
		e.nfield = 1;
	}
	return put(&e, sizeof(e));
}

static void fill_block(void)
{
	static struct trace_enc e;
	const struct trace_start start = { .rank = 1 };
	struct trace_opening o = {
		.kind = CONSTRUCT_PL, .level = 3, .place = loc, .point = { 1, 0, 0, 0 }
	};
	const double v = 0.5;

	trace_enc_open(&e, block, BLOCK, &start);
	trace_enc_begin(&e, &o);
	trace_enc_iter(&e, 1, (int64_t[]){ 1 });
	trace_enc_access(&e, 0x401000, 8, u, 8, &v);
	trace_enc_access(&e, 0x401008, 8 | TRACE_WRITES, PAGE_VERSION_HEAP | 3, 0, &v);
	trace_enc_access(&e, 0x401010, 8, TRACE_NOWHERE, 0x401100, &v);
	trace_enc_value(&e, s, loc, &v, 8, false);
	trace_enc_reduction(&e, PAGE_SITE_LOC | loc, s, 1, &v, 8);
	trace_enc_end(&e, CONSTRUCT_PL, &o.point, loc, false, 1);
	trace_enc_close(&e);
}

static void fill_sums(void)
{
	struct page_point_sums t = {
		.bytes = sizeof(t), .loc = loc, .point = { 1, 0, 0, 1 }, .kind = CONSTRUCT_PL
	};

	memcpy(page->sums, &t, sizeof(t));
	page->sums_head = sizeof(t);
}

static void fill(void)
{
	struct page_loc l = { .line = 61, .kind = CONSTRUCT_PL };
	struct page_module *m = &page->trace.module[0];

	used = 8;
	l.file = text("heat.c");
	l.func = text("main");
	loc = put(&l, sizeof(l));
	s = put_entity("s", 0, 0);
	u = put_entity("u", 2, put_entity("p", 1, s));
	page->first_entity = u;
	page->arena_used = used;
	page->state = PAGE_PARKED;
	page->reason = 1;
	page->depth = 2;
	page->frame[0] = (struct page_frame){ .kind = CONSTRUCT_SL, .nidx = 1, .loc = loc };
	page->frame[1] = (struct page_frame){ .kind = CONSTRUCT_PL, .loc = loc, .main = 1 };
	page->point_main_side = 1 << 1;
	page->history_n = 1;
	page->history[0] = (struct page_history){ .main = 1, .loc = loc };
	page->finding_n = 1;
	page->finding[0] = (struct page_finding){ .kind = 1, .loc = loc, .point = { 1, 0, 0, 0 } };
	memcpy(page->finding[0].detail, "detail", 7);
	*m = (struct page_module){
		.there = 1, .nid = 4, .load = 0x400000, .lo = 0x400000, .hi = 0x402000
	};
	strcpy(m->path, "/bin/heat");
	page->trace.nmodule = 1;
	page->trace.heap[3] =
		(struct page_heap){ .number = 3, .addr = 0x9000, .bytes = 64, .pc = 0x401000 };
	fill_block();
	fill_sums();
}

static void prepare(void)
{
	if (!page) {
		page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		block = aligned_alloc(8, BLOCK);
		FUZZ_CHECK(page != MAP_FAILED && block);
	}
	FUZZ_CHECK(!madvise(page, sizeof(*page), MADV_DONTNEED));
	memset(block, 0, BLOCK);
	fill();
}

/* ---- what is done to it ---- */

static void overwrite(struct buf *in)
{
	const struct {
		void *at;
		size_t n;
	} where[] = {
		{ page->arena, ARENA },
		{ (void *)&page->state, offsetof(struct page, frame) -
						offsetof(struct page, state) +
						4 * sizeof(page->frame[0]) },
		{ (void *)&page->point_main_side, offsetof(struct page, finding) -
							  offsetof(struct page, point_main_side) +
							  2 * sizeof(page->finding[0]) },
		{ (void *)&page->arena_used,
		  offsetof(struct page, bounce) - offsetof(struct page, arena_used) },
		{ page->sums, 1024 },
		{ page->history, 256 },
		{ &page->trace, offsetof(struct page_trace, block) },
		{ page->trace.module, 2 * sizeof(page->trace.module[0]) },
		{ page->trace.heap, 8 * sizeof(page->trace.heap[0]) },
		{ block, BLOCK },
	};

	for (unsigned i = 0; i < PARTS && buf_left(in) && !in->bad; i++) {
		unsigned k = buf_get_u8(in) % (sizeof(where) / sizeof(*where));
		size_t at = buf_get_u32(in) % where[k].n, n;
		const void *bytes = buf_get_blob(in, &n);

		if (!in->bad)
			memcpy((char *)where[k].at + at, bytes,
			       n < where[k].n - at ? n : where[k].n - at);
	}
}

/* What is put can be got. */
#define WIRE(type, value)                                                           \
	do {                                                                        \
		struct buf b_ = BUF_INIT;                                           \
		struct type again_;                                                 \
		type##_put(value, &b_);                                             \
		FUZZ_CHECK(!b_.bad && !type##_get(&again_, &b_) && !buf_left(&b_)); \
		buf_clear(&b_);                                                     \
	} while (0)

static void use_reports(struct page_read *r)
{
	static struct report_stack stack;
	static struct report_stop stop;
	static struct report_exit exit;
	struct report_finding finding;
	uint64_t pc;
	struct buf b = BUF_INIT;

	page_read_stack(r, &stack);
	WIRE(report_stack, &stack);
	page_read_reset(r);
	stop = (struct report_stop){ 0 };
	page_read_stop(r, &stop);
	WIRE(report_stop, &stop);
	page_read_reset(r);
	exit = (struct report_exit){ 0 };
	page_read_exit(r, &exit);
	WIRE(report_exit, &exit);
	for (uint32_t i = 0; i < page_read_findings(r) && i < 2; i++) {
		page_read_reset(r);
		if (page_read_finding(r, i, &finding, &pc))
			WIRE(report_finding, &finding);
	}
	page_read_reset(r);
	page_read_points(r, 10, true, &b);
	page_read_hash_at(r, 1, &b);
	FUZZ_CHECK(!b.bad);
	buf_clear(&b);
}

static int use_object(void *arg, const struct object *o)
{
	FUZZ_CHECK(o->desc.ndim <= ARRAY_DIMS && o->desc.name);
	return 0;
}

static void use_objects(struct page_read *r)
{
	static const char *const names[] = { "u", "p", "s", "s.x", "" };
	struct array_desc a;
	struct buf b = BUF_INIT;
	struct object o;

	for (unsigned i = 0; i < 5; i++) {
		page_read_reset(r);
		if (object_find(r, names[i], &o) > 0)
			object_clear(&o);
		object_each(r, names[i], use_object, NULL);
		object_put_layout(r, names[i], &b);
	}
	object_put_names(r, "", &b);
	for (uint32_t off = 8; off < used; off += 8) {
		page_read_reset(r);
		if (object_version(r, off, &a))
			continue;
		buf_reset(&b);
		array_desc_put_global(&a, &b);
		array_desc_put_local(&a, &b);
		array_desc_clear(&a);
		FUZZ_CHECK(!array_desc_get_global(&a, &b));
		FUZZ_CHECK(!array_desc_get_local(&a, &b) && !buf_left(&b));
		array_desc_clear(&a);
	}
	buf_clear(&b);
}

static void use_sums(struct page_read *r)
{
	struct page_sums sums;
	struct buf b = BUF_INIT;
	struct point_sums t;
	size_t bytes;

	page_sums_init(&sums, r, 1);
	for (unsigned i = 0; i < 16; i++) {
		page_sums_blocks(&sums);
		if (page_sums_take(&sums, &t, &bytes) <= 0)
			break;
		point_sums_put(&t, &b);
		point_sums_clear(&t);
		FUZZ_CHECK(!b.bad && !point_sums_get(&t, &b, NULL) && !buf_left(&b));
		point_sums_clear(&t);
		buf_clear(&b);
	}
	page_sums_discard(&sums);
}

static void use_traces(void)
{
	struct page_names *names = page_names_create(page);
	struct trace_cursor *c;
	struct trace_block b;
	struct trace_rec rec;
	struct err err;
	int rc;

	FUZZ_CHECK(names);
	if (!trace_block_from_raw(&b, block, BLOCK, page_names_resolver(names, 1), &err)) {
		c = trace_cursor_open(&b);
		FUZZ_CHECK(c);
		while ((rc = trace_block_next(c, &rec)) > 0)
			;
		FUZZ_CHECK(!rc && c->record == b.info.records);
		trace_cursor_free(c);
		trace_block_clear(&b);
	}
	page_names_destroy(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf in = buf_view(data, size);
	struct page_read r;

	prepare();
	overwrite(&in);
	FUZZ_CHECK(!page_read_init(&r, page));
	use_reports(&r);
	use_objects(&r);
	use_sums(&r);
	page_read_clear(&r);
	use_traces();
	return 0;
}

#ifdef FUZZ_MAIN
/* Four bytes somewhere. */
static bool fuzz_seed(unsigned i, struct buf *out)
{
	static const uint32_t odd[] = { 0, 1, 0x7fffffff, 0xffffffff, 0x10000, 8 };
	uint32_t where = i / 128, at = i % 128;

	if (where >= 10)
		return false;
	buf_put_u8(out, (uint8_t)where);
	buf_put_u32(out, at * 4 * (where ? 1 : 3));
	buf_put_blob(out, &odd[i % 6], 4);
	return true;
}
#endif
