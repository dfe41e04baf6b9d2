/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks report of traces: lists of findings, covers, sets, parts of reductions. What is read
 * is put again as it was understood, and that is read as the same. */
#include "tests/fuzz/fuzz.h"

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/coverage/coverage.h"
#include "common/reductions/reductions.h"
#include "common/tracereport/tracereport.h"
#include "common/array/value.h"

static void same(const struct buf *a, const struct buf *b)
{
	FUZZ_CHECK(!a->bad && !b->bad && a->len == b->len && !memcmp(a->data, b->data, a->len));
}

static void findings(struct buf *in)
{
	struct trace_findings l = { 0 }, m = { .most = 3 }, n = { 0 };
	struct trace_finding f;
	struct buf a = BUF_INIT, b = BUF_INIT;
	char text[256];

	if (!trace_findings_read(&l, in)) {
		for (size_t i = 0; i < l.n; i++) {
			FUZZ_CHECK(!trace_findings_get(&l, i, &f));
			trace_finding_text(&f, text, sizeof(text));
		}
		trace_findings_put(&l, &a);
		FUZZ_CHECK(!trace_findings_read(&n, &a) && !buf_left(&a));
		trace_findings_put(&n, &b);
		same(&a, &b);
		FUZZ_CHECK(!trace_findings_merge(&m, &l) && m.n <= 3 && m.total == l.total);
	}
	buf_clear(&a);
	buf_clear(&b);
	trace_findings_clear(&l);
	trace_findings_clear(&m);
	trace_findings_clear(&n);
}

static void cover(struct buf *in)
{
	struct cover c, d;
	struct buf a = BUF_INIT, b = BUF_INIT;

	if (!cover_get(&c, in)) {
		cover_put(&c, &a);
		FUZZ_CHECK(!cover_get(&d, &a) && !buf_left(&a));
		cover_put(&d, &b);
		same(&a, &b);
		FUZZ_CHECK(!cover_merge(&d, &c));
		cover_clear(&d);
	}
	cover_clear(&c);
	buf_clear(&a);
	buf_clear(&b);
}

static void set(struct buf *in)
{
	struct index_set *s = index_set_get(in), *t;
	int64_t index[ARRAY_DIMS];
	struct buf a = BUF_INIT, b = BUF_INIT;

	if (!s)
		return;
	index_set_put(s, &a);
	t = index_set_get(&a);
	FUZZ_CHECK(t && !buf_left(&a) && index_set_count(t) == index_set_count(s));
	index_set_put(t, &b);
	same(&a, &b);
	if (index_set_first(s, index))
		FUZZ_CHECK(index_set_has(t, index));
	index_set_remove(t, s);
	FUZZ_CHECK(index_set_lost(s) || !index_set_count(t));
	index_set_destroy(s);
	index_set_destroy(t);
	buf_clear(&a);
	buf_clear(&b);
}

/* What ranks report of reductions, which is judged. */
static void reduced(struct buf *in)
{
	struct reductions_set *s = reductions_set_create();
	struct trace_findings found = { 0 };
	struct reduction r, again;
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct err err = { "" };

	if (!reduction_get(&r, in)) {
		reduction_put(&r, &a);
		FUZZ_CHECK(!reduction_get(&again, &a) && !buf_left(&a));
		reduction_put(&again, &b);
		same(&a, &b);
		FUZZ_CHECK(reduction_is_same(&r, &again) && !reduction_merge(&again, &r));
		FUZZ_CHECK(!reductions_add(s, &again, &found, &err));
		FUZZ_CHECK(!reductions_add(s, &r, &found, &err));
		reductions_end(s);
		FUZZ_CHECK(reductions_counts(s)->wrong <= reductions_counts(s)->calculated);
		reduction_clear(&again);
	}
	reduction_clear(&r);
	buf_clear(&a);
	buf_clear(&b);
	trace_findings_clear(&found);
	reductions_set_destroy(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf in = buf_view(data, size);

	switch (buf_get_u8(&in) % 4) {
	case 0:
		findings(&in);
		break;
	case 1:
		cover(&in);
		break;
	case 2:
		set(&in);
		break;
	default:
		reduced(&in);
	}
	return 0;
}

#ifdef FUZZ_MAIN
static void seed_findings(struct buf *out)
{
	struct trace_findings l = { 0 };
	struct trace_finding f = { .kind = FINDING_VALUE,
				   .count = 3,
				   .point = { 4, 0, 0, 0 },
				   .nidx = 2,
				   .write = true,
				   .nframe = 1,
				   .noperand = 2 };

	f.spot.place = (struct place){ .file = "", .module = "prog", .vaddr = 0x1234 };
	f.spot.build_id = (const unsigned char *)"abc";
	f.spot.nbuild_id = 3;
	f.thing = (struct trace_thing){
		.what = TRACE_WHAT_ARRAY, .order = 'F', .ndim = 2, .name = "u"
	};
	f.value = (struct trace_pair){ VALUE_DOUBLE, 8, true, true, 1, 2 };
	f.frame[0].kind = CONSTRUCT_PL;
	f.operand[1].thing.what = TRACE_WHAT_ADDRESS;
	trace_findings_add(&l, &f);
	f.kind = FINDING_USE;
	trace_findings_add(&l, &f);
	buf_put_u8(out, 0);
	trace_findings_put(&l, out);
	trace_findings_clear(&l);
}

static struct index_set *some(unsigned dims)
{
	struct index_set *s = index_set_create(dims);

	for (int64_t i = 0; i < 40; i++)
		for (int64_t j = i % 3; j < 300; j += 3)
			index_set_add(s, (int64_t[]){ i, j });
	return s;
}

static void seed_reduction(struct buf *out)
{
	struct reduction_element x = { .init_same = 1,
				       .count = 4,
				       .result = 7,
				       .other_rank = TRACE_NO_RANK };
	struct reduction r = { .point = { 4, 0, 0, 1 },
			       .size = 2,
			       .ranks = 1,
			       .op = REDUCTION_MAX,
			       .type = VALUE_LONG,
			       .integer = 1,
			       .iterates = 1,
			       .name = (char *)"total",
			       .mpi_op = (char *)"MPI_MAX",
			       .place = { "heat.c", "main", 7, "", 0 },
			       .element = &x,
			       .n = 1,
			       .nparts = 1 };

	buf_put_u8(out, 3);
	reduction_put(&r, out);
}

static bool fuzz_seed(unsigned i, struct buf *out)
{
	struct cover c = { .point = { 7, 0, 0, 0 }, .kind = CONSTRUCT_PL, .ranks = 1 };

	if (i == 0) {
		seed_findings(out);
	} else if (i == 1) {
		c.iterations = some(2);
		c.item = calloc(1, sizeof(*c.item));
		c.nitem = 1;
		*c.item = (struct cover_item){ .name = strdup("v"),
					       .file = strdup("heat.c"),
					       .order = 'C',
					       .ndim = 2,
					       .written = some(2),
					       .unwritten = some(2),
					       .fewer = some(2) };
		buf_put_u8(out, 1);
		cover_put(&c, out);
		cover_clear(&c);
	} else if (i == 2) {
		c.iterations = some(2);
		buf_put_u8(out, 2);
		index_set_put(c.iterations, out);
		cover_clear(&c);
	} else if (i == 3) {
		seed_reduction(out);
	}
	return i < 4;
}
#endif
