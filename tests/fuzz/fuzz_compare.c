/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run that is compared with a reference, where both may hold anything. The first byte says how;
 * then come two blocks, each what it says of itself and its content: the first one is the
 * reference's, and both are what the run did.
 */
#include "tests/fuzz/fuzz.h"

#include <unistd.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/trace/block.h"
#include "common/tracediff/tracediff.h"
#include "common/trace/encode.h"
#include "common/tracefile/tracefile.h"
#include "common/tracereport/tracereport.h"
#include "common/array/value.h"

enum {
	BOTH_FILES = 1,
	CUT = 2,
	TIGHT = 4,
	MOVED = 8,
	BOUND = 16,
	MODE = 32 /* and 64 */,
	THREAD = 128
};

static char dir[] = "fuzz-compare-XXXXXX";
static bool prepared;

static const char *path_of(unsigned rank)
{
	static char path[2][64];

	snprintf(path[rank & 1], sizeof(path[0]), "%s/trace.%u.bin", dir, rank);
	return path[rank & 1];
}

static void clean_up(void)
{
	unlink(path_of(0));
	unlink(path_of(1));
	rmdir(dir);
}

static void prepare(void)
{
	if (prepared)
		return;
	prepared = true;
	FUZZ_CHECK(mkdtemp(dir));
	atexit(clean_up);
}

/* A block of the input: the bytes are borrowed. */
struct part {
	struct trace_info info;
	const unsigned char *data;
	size_t n;
};

static void part_get(struct part *p, struct buf *in)
{
	size_t n;
	const unsigned char *bytes = buf_get_blob(in, &n);
	struct buf info = buf_view(bytes, n);

	if (in->bad || trace_info_get(&p->info, &info))
		p->info = (struct trace_info){ 0 };
	p->data = buf_get_blob(in, &p->n);
	if (in->bad)
		p->n = 0;
}

static void write_file(unsigned rank, const struct part *p, unsigned how)
{
	const struct trace_meta meta = {
		.rank = rank, .ranks = how & BOTH_FILES ? 2 : 1, .level = 3, .program = "p"
	};
	struct trace_writer *f = trace_writer_create(path_of(rank), &meta, NULL);
	struct trace_block b = { .info = p->info, .data = (unsigned char *)p->data, .ndata = p->n };

	FUZZ_CHECK(f && !trace_writer_put(f, &b, NULL));
	FUZZ_CHECK(!trace_writer_close(f, !(how & CUT), NULL));
}

/* NULL: it is none. */
static struct trace_block *block_of(const struct part *p, unsigned thread)
{
	struct trace_block *b = calloc(1, sizeof(*b));
	unsigned char *copy = malloc(p->n ? p->n : 1);
	struct err err = { "" };

	FUZZ_CHECK(b && copy);
	if (p->n)
		memcpy(copy, p->data, p->n);
	b->info = p->info;
	b->info.thread = thread;
	if (!trace_block_get(b, copy, p->n, &err))
		return b;
	FUZZ_CHECK(*err.text);
	free(b);
	return NULL;
}

static void use_findings(const struct trace_findings *l)
{
	struct trace_findings again = { 0 };
	struct trace_finding f;
	struct buf b = BUF_INIT;
	char text[256];

	for (size_t i = 0; i < l->n; i++) {
		FUZZ_CHECK(!trace_findings_get(l, i, &f));
		FUZZ_CHECK(*trace_finding_text(&f, text, sizeof(text)));
	}
	FUZZ_CHECK(l->total >= l->n);
	trace_findings_put(l, &b);
	FUZZ_CHECK(!trace_findings_read(&again, &b) && again.n == l->n && !buf_left(&b));
	trace_findings_clear(&again);
	buf_clear(&b);
}

static void use_covers(struct tracediff *c, struct covers *all, struct trace_findings *out)
{
	struct cover cover, copy;

	while (tracediff_cover(c, &cover)) {
		struct buf b = BUF_INIT;

		cover_put(&cover, &b);
		FUZZ_CHECK(!cover_get(&copy, &b) && !buf_left(&b));
		cover_clear(&cover);
		FUZZ_CHECK(!covers_add(all, &copy, out, NULL));
		buf_clear(&b);
	}
}

/* The parts as blocks of the run, in this order. */
static void try_run(struct trace_index *ref, const struct part *part, const unsigned *order,
		    unsigned n, unsigned how)
{
	const struct tracediff_options o = { .rank = how & 1,
					     .ranks = 1 + (how & 1),
					     .tolerance = { (how / MODE) % 3, -1, 1 },
					     .most = how & BOUND ? 1 : 0,
					     .moved = how & MOVED,
					     .covers = true,
					     .start = { how & MOVED ? 1 : 0, 0, 0, 0 },
					     .memory = how & TIGHT ? 1 : 0 };
	struct tracediff *c = tracediff_create(ref, &o, NULL);
	struct covers *covers = covers_create(ref, o.ranks);
	const struct tracediff_state *s;
	struct err err = { "" };

	FUZZ_CHECK(c && covers);
	for (unsigned i = 0; i < n; i++) {
		struct trace_block *b = block_of(&part[order[i]], how & THREAD ? i : 0);

		if (b && tracediff_block(c, b, &err))
			FUZZ_CHECK(*err.text);
		use_covers(c, covers, tracediff_findings(c));
	}
	tracediff_end(c, !(how & CUT), &err);
	use_covers(c, covers, tracediff_findings(c));
	use_findings(tracediff_findings(c));
	s = tracediff_state(c);
	FUZZ_CHECK(!(how & BOUND) || tracediff_findings(c)->n <= 1);
	FUZZ_CHECK(s->equal + s->close <= s->compared && tracediff_held(c) < (64u << 20));
	covers_destroy(covers);
	tracediff_destroy(c);
}

static void try_last(struct trace_index *ref)
{
	struct trace_last w = { .name = "u",
				.counter = UINT32_MAX,
				.ndim = 2,
				.index = { 1, 2 },
				.rank = TRACE_NO_RANK };
	struct trace_findings out = { 0 };
	struct err err = { "" };
	bool known;

	for (unsigned i = 0; i < 2; i++) {
		if (trace_last_write(ref, &w, &out, &known, &err) == 0)
			use_findings(&out);
		trace_findings_clear(&out);
		w.name = "s";
		w.ndim = 0;
	}
}

static void try_diff(struct trace_index *a, struct trace_index *b)
{
	const struct tracediff_files_options o = { .tolerance = { 1, -1, 1 } };
	struct trace_findings out = { 0 };
	struct tracediff_state state = { 0 };
	struct err err = { "" };

	if (tracediff_files(a, b, &o, &out, &state, &err))
		FUZZ_CHECK(*err.text);
	use_findings(&out);
	trace_findings_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned both[] = { 1, 0 }, again[] = { 0, 1, 0 };
	struct trace_index *ref, *other;
	struct part part[2];
	struct buf in;
	unsigned how;

	if (!size)
		return 0;
	prepare();
	how = data[0];
	in = buf_view(data + 1, size - 1);
	part_get(&part[0], &in);
	part_get(&part[1], &in);
	write_file(0, &part[0], how);
	if (how & BOTH_FILES)
		write_file(1, &part[1], how);
	else
		unlink(path_of(1));
	ref = trace_index_open(dir, how & TIGHT ? 1 : 0, NULL);
	other = trace_index_open(dir, 0, NULL);
	FUZZ_CHECK(ref && other);
	try_run(ref, part, both, 2, how);
	try_run(ref, part, again, 3, how);
	try_last(ref);
	try_diff(ref, other);
	trace_index_close(ref);
	trace_index_close(other);
	return 0;
}

#ifdef FUZZ_MAIN

enum { U = 1, C, S, Z };

static int explain(void *arg, uint32_t version, struct trace_object *out)
{
	static char names[][4] = { "", "u", "c", "s", "z" }, file[] = "f.c", field[] = "x";
	static struct array_field fields[] = { { field, VALUE_DOUBLE, 8, 1 } };
	static int64_t list[] = { 4, 0, 2 };
	struct array_desc *a = &out->desc;

	*a = (struct array_desc){ .name = names[version],
				  .file = file,
				  .order = version == C ? 'F' : 'C',
				  .type = VALUE_DOUBLE,
				  .elem_size = 8,
				  .ndim = 2,
				  .extent = { 5, 4 },
				  .own_lo = { 1, 0 },
				  .own_hi = { 3, 3 },
				  .halo_lo = { 1, 0 },
				  .halo_hi = { 1, 0 },
				  .stride = { 4, 1 } };
	if (version == C) {
		a->type = VALUE_DCOMPLEX;
		a->elem_size = 16;
		a->stride[0] = 1;
		a->stride[1] = 5;
	} else if (version == S) {
		a->kind = ARRAY_REPLICATED;
		a->ndim = 0;
	} else if (version == Z) {
		a->type = VALUE_STRUCT;
		a->elem_size = 16;
		a->ndim = 1;
		a->list[0] = list;
		a->list_n[0] = 3;
		a->halo_lo[0] = a->halo_hi[0] = 0;
		a->stride[0] = 1;
		a->field = fields;
		a->nfield = 1;
	}
	return 0;
}

static int place(void *arg, uint32_t n, struct place *out)
{
	*out = (struct place){ .file = "p.c", .line = n };
	return 0;
}

static void accesses(struct trace_enc *e, int64_t i, double by)
{
	const double v[2] = { 0.5 + (double)i, by };

	trace_enc_access(e, 0x10, 8, U, (uint64_t)i * 8, &v[0]);
	trace_enc_access(e, 0x14, 8 | TRACE_WRITES, U, (uint64_t)i * 8 + 8, &v[1]);
	trace_enc_access(e, 0x18, 16, C, (uint64_t)i * 16, v);
	trace_enc_access(e, 0x1c, 8 | TRACE_WRITES, Z, (uint64_t)(i % 3) * 16 + 8, v);
	trace_enc_access(e, 0x20, 4, TRACE_NOWHERE, 0x7000, v);
}

/* A loop that is marked or not, tasks, what is between them. */
static void write_run(struct trace_enc *e, bool marks, double by)
{
	struct trace_opening sl = { .kind = CONSTRUCT_SL, .level = 3, .place = 3 },
			     tr = { .kind = CONSTRUCT_TR,
				    .level = 3,
				    .place = 5,
				    .point = { 2, 0, 0, 0 } },
			     task = { .kind = CONSTRUCT_TASK,
				      .level = 3,
				      .place = 6,
				      .ndim = 1,
				      .first = { 1 },
				      .last = { 1 } },
			     pl = { .kind = CONSTRUCT_PL,
				    .level = 3,
				    .place = 4,
				    .ndim = 2,
				    .last = { 4, 3 },
				    .point = { 1, 0, 0, 0 } };
	const struct point none = { 0 };

	trace_enc_begin(e, &sl);
	trace_enc_iter(e, 1, (int64_t[]){ 1 });
	trace_enc_begin(e, &pl);
	trace_enc_value(e, S, 4, &by, 8, false);
	for (int64_t i = 0; i < 6; i++) {
		if (marks)
			trace_enc_iter(e, 2, (int64_t[]){ i / 4, i % 4 });
		accesses(e, i, by);
	}
	trace_enc_end(e, CONSTRUCT_PL, &pl.point, 4, false, marks ? 6 : UINT64_MAX);
	trace_enc_value(e, S, 4, &by, 8, false);
	trace_enc_reduction(e, 0x30, S, 1, &by, 8);
	trace_enc_skip(e, 7);
	trace_enc_end(e, CONSTRUCT_SL, &none, 3, false, 1);
	trace_enc_begin(e, &tr);
	trace_enc_begin(e, &task);
	accesses(e, 2, by);
	pl.point = (struct point){ 2, 1, 1, 0 };
	trace_enc_begin(e, &pl);
	trace_enc_iter(e, 1, (int64_t[]){ 3 });
	accesses(e, 3, by);
	trace_enc_end(e, CONSTRUCT_PL, &pl.point, 4, true, 1);
	trace_enc_end(e, CONSTRUCT_TASK, &none, 6, false, 1);
	trace_enc_end(e, CONSTRUCT_TR, &tr.point, 5, false, UINT64_MAX);
	trace_enc_value_part(e, S, 4, &by, 4, 0, 4);
	trace_enc_value_part(e, S, 4, (const char *)&by + 4, 4, 4, 0);
	trace_enc_value(e, S, 4, "0123456789abcdef", 16, true);
	trace_enc_lost(e, 1, 2);
}

static void put_block(struct buf *out, bool marks, double by)
{
	static uint64_t mem[TRACE_BLOCK_LEAST / 8];
	static struct trace_enc e;
	const struct trace_resolver resolver = { NULL, NULL, explain, place, NULL };
	const struct trace_start start = { 0 };
	struct buf info = BUF_INIT;
	struct trace_block b;

	trace_enc_open(&e, mem, sizeof(mem), &start);
	write_run(&e, marks, by);
	FUZZ_CHECK(!trace_block_from_raw(&b, mem, trace_enc_close(&e), &resolver, NULL));
	trace_info_put(&b.info, &info);
	buf_put_blob(out, info.data, info.len);
	buf_put_blob(out, b.data, b.ndata);
	buf_clear(&info);
	trace_block_clear(&b);
}

static bool fuzz_seed(unsigned i, struct buf *out)
{
	static const uint8_t how[] = { 0,     BOTH_FILES, CUT,	       TIGHT,
				       MOVED, BOUND,	  THREAD | 64, BOTH_FILES | TIGHT | 32 };

	size_t before = out->len;

	if (i >= 4 * sizeof(how))
		return false;
	buf_put_u8(out, how[i / 4]);
	put_block(out, i & 1, 1);
	put_block(out, (i & 3) == 1 || (i & 3) == 2, i & 2 ? 2 : 1);
	FUZZ_CHECK(out->len - before < FUZZ_MOST);
	return true;
}
#endif
