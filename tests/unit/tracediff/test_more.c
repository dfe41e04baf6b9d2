/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Faults in loops whose iterations are not marked, in tasks, in iterations with very many accesses;
 * and who wrote an element last.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/tracereport/tracereport.h"
#include "tests/unit/trace_check.h"
#include "tests/unit/set.h"

#define N 13

static const struct plans {
	struct synth_plan ref, now;
} plans[] = {
	{ { .ranks = 1, .level = 3, .order = 'C' }, { .ranks = 2, .level = 3, .order = 'C' } },
	{ { .ranks = 2, .level = 3, .order = 'C' },
	  { .ranks = 1, .level = 3, .order = 'C', .threads = 3 } },
	{ { .ranks = 3, .level = 3, .order = 'F' },
	  { .ranks = 4, .dist = SYNTH_BLOCKS, .level = 3, .order = 'F' } },
	{ { .ranks = 2, .dist = SYNTH_OVERLAP, .level = 3, .order = 'C' },
	  { .ranks = 3, .backwards = true, .level = 3, .order = 'C' } },
};
#define PLANS (sizeof(plans) / sizeof(*plans))

struct expected {
	unsigned kind;
	const char *object;
	int64_t element[2];
	unsigned line;
	bool write;
	size_t findings;
};

static void all(const struct synth_fault *fault, const struct expected *e)
{
	for (size_t i = 0; i < PLANS; i++) {
		struct trace_finding f;
		struct check c;
		char text[256];

		synth_record(check_dir(), &plans[i].ref, synth_jacobi, N, 2, NULL, 0);
		c = check_run(&plans[i].now, synth_jacobi, N, 2, fault, 0);
		check_first(&c, &f);
		print_message("# %zu: %s (%s)\n", i, trace_finding_text(&f, text, sizeof(text)),
			      finding_kind_key(f.kind));
		assert_int_equal(f.kind, e->kind);
		assert_int_equal(f.point.main, fault->construct);
		assert_string_equal(f.thing.name, e->object);
		assert_int_equal(f.thing.index[0], e->element[0]);
		assert_int_equal(f.thing.index[1], e->element[1]);
		assert_int_equal(f.spot.place.line, e->line);
		assert_int_equal(f.write, e->write);
		if (e->findings)
			assert_int_equal(c.findings.n, e->findings);
		trace_findings_clear(&c.findings);
	}
}

static void wrong_write(void **state)
{
	const struct synth_fault f = { SYNTH_VALUE, 3, { 5, 7 }, 4, 0.5, -1 };
	const struct expected e = { FINDING_VALUE, "v", { 5, 7 }, 22, true, 1 };

	all(&f, &e);
}

static void wrong_read(void **state)
{
	const struct synth_fault f = { SYNTH_VALUE, 3, { 6, 6 }, 1, 1e-6, -1 };
	const struct expected e = { FINDING_VALUE, "u", { 7, 6 }, 23, false, 1 };

	all(&f, &e);
}

static void wrong_element_written(void **state)
{
	const struct synth_fault f = { SYNTH_ELEMENT, 3, { 4, 11 }, 4, 0, -1 };
	/* where the other one should have been written, it is missed first */
	const struct expected e = { FINDING_UNWRITTEN, "v", { 4, 11 }, 20, true, 2 };

	all(&f, &e);
}

static void element_not_written(void **state)
{
	const struct synth_fault omitted = { SYNTH_OMIT, 3, { 4, 4 }, 4, 0, -1 };
	const struct synth_fault skipped = { SYNTH_SKIPPED, 3, { 6, 2 }, 0, 0, -1 };
	const struct expected one = { FINDING_UNWRITTEN, "v", { 4, 4 }, 20, true, 1 };
	const struct expected two = { FINDING_UNWRITTEN, "v", { 6, 2 }, 20, true, 1 };

	all(&omitted, &one);
	all(&skipped, &two);
}

static void wrong_from_here_on(void **state)
{
	const struct synth_fault f = { SYNTH_GLOBAL, 3, { 5, 5 }, 0, 1, -1 };
	const struct expected e = { FINDING_VALUE, "v", { 5, 5 }, 22, true, 0 };

	all(&f, &e);
}

static void replicated_value_at_an_end_only(void **state)
{
	/* access 3000: at the end of the construct, where a reduction may be under way */
	const struct synth_fault f = { SYNTH_VALUE, 5, { 0 }, 3000, 0.25, 0 };
	struct check c;

	synth_record(check_dir(), &plans[0].ref, synth_jacobi, N, 2, NULL, 0);
	c = check_run(&plans[0].now, synth_jacobi, N, 2, &f, 0);
	check_none(&c, "reduction under way");
}

static void tasks(void **state)
{
	static const struct synth_plan ref = {
		.ranks = 2, .marks = true, .level = 3, .order = 'C'
	};
	const struct synth_fault loop = { SYNTH_GLOBAL, 2, { 7 }, 0, 0.5, -1 };
	struct synth_plan now = ref;
	struct trace_finding f;
	struct check c;

	now.ranks = 3;
	synth_record(check_dir(), &ref, synth_tasks, N, 2, NULL, 0);
	c = check_run(&now, synth_tasks, N, 2, &loop, 0);
	check_first(&c, &f);
	/* iteration 7 of the first loop in the first task */
	assert_int_equal(f.kind, FINDING_VALUE);
	assert_int_equal(f.point.main, 2);
	assert_int_equal(f.point.task, 1);
	assert_int_equal(f.point.sub, 1);
	assert_int_equal(f.index[0], 7);
	assert_string_equal(f.thing.name, "c");
	assert_int_equal(f.thing.index[0], 0);
	assert_int_equal(f.thing.index[1], 7);
	assert_int_equal(f.spot.place.line, 24);
	assert_int_equal(f.nframe, 4);
	trace_findings_clear(&c.findings);
}

/* More accesses than are kept of an iteration: 2 * 2 * 20000. */
static void very_many_accesses(void **state)
{
	const struct synth_fault iteration = { SYNTH_GLOBAL, 1, { 4 }, 0, 0.5, -1 };
	const struct synth_fault task = { SYNTH_GLOBAL, 2, { 3, 777 }, 32, 0.5, -1 };

	for (unsigned i = 0; i < 8; i += in_set_all() ? 1 : 5) {
		struct synth_plan ref = {
			.ranks = 2, .marks = true, .level = 3, .order = 'C', .room = 1 << 20
		};
		struct synth_plan now = ref;
		struct trace_finding f;
		struct check c;

		now.ranks = 3;
		now.backwards = i & 1;
		ref.dist = i & 2 ? SYNTH_CYCLIC : SYNTH_ROWS;
		synth_record(check_dir(), &ref, synth_heavy, 20000, 1, NULL, 0);
		c = check_run(&now, synth_heavy, 20000, 1, NULL, i & 4 ? 1 : 0);
		assert_true(c.state.compared > 6 * 80000);
		assert_true(c.state.unknown < 100);
		check_none(&c, "very many accesses");
		c = check_run(&now, synth_heavy, 20000, 1, &iteration, i & 4 ? 1 : 0);
		check_first(&c, &f);
		assert_int_equal(f.kind, FINDING_VALUE);
		assert_int_equal(f.point.main, 1);
		assert_int_equal(f.nidx, 1);
		assert_int_equal(f.index[0], 4);
		assert_int_equal(f.thing.index[0], 4);
		assert_int_equal(f.thing.index[1], 10000);
		assert_int_equal(f.spot.place.line, 22);
		assert_true(f.write);
		trace_findings_clear(&c.findings);
		c = check_run(&now, synth_heavy, 20000, 1, &task, i & 4 ? 1 : 0);
		check_first(&c, &f);
		assert_int_equal(f.kind, FINDING_VALUE);
		assert_int_equal(f.point.main, 2);
		assert_int_equal(f.nidx, 1);
		assert_int_equal(f.index[0], 3);
		assert_int_equal(f.thing.index[1], 777);
		assert_int_equal(f.spot.place.line, 32);
		trace_findings_clear(&c.findings);
	}
}

static void last_write(void **state)
{
	struct trace_last w = { .name = "v",
				.counter = UINT32_MAX,
				.ndim = 2,
				.index = { 7, 3 },
				.rank = TRACE_NO_RANK };
	const struct synth_plan ref = {
		.ranks = 3, .marks = true, .level = 3, .order = 'C', .room = 16384
	};
	struct trace_findings out = { 0 };
	struct trace_finding f;
	struct trace_index *r;
	struct err err;
	const char *dir = check_dir();
	bool known;

	synth_record(dir, &ref, synth_jacobi, 40, 3, NULL, 0);
	r = trace_index_open(dir, 0, &err);
	assert_non_null(r);
	/* v is u's memory after three steps, and is filled anew in construct 9 */
	assert_int_equal(trace_last_write(r, &w, &out, &known, &err), 1);
	assert_true(known);
	assert_int_equal(trace_findings_get(&out, 0, &f), 0);
	assert_int_equal(f.point.main, 9);
	assert_int_equal(f.rank, 0);
	assert_int_equal(f.spot.place.line, 41);
	assert_int_equal(f.nidx, 2);
	assert_int_equal(f.index[0], 7);
	assert_int_equal(f.index[1], 3);
	assert_true(f.value.has_now);
	trace_findings_clear(&out);
	/* before that: the last sweep */
	w.before = (struct point){ 9, 0, 0, POINT_BEGIN };
	w.index[0] = 39 - 7;
	assert_int_equal(trace_last_write(r, &w, &out, NULL, &err), 1);
	assert_int_equal(trace_findings_get(&out, 0, &f), 0);
	assert_int_equal(f.point.main, 7);
	assert_int_equal(f.rank, 2);
	assert_int_equal(f.spot.place.line, 22);
	assert_int_equal(f.noperand, 4);
	assert_int_equal(f.operand[0].thing.index[0], 31);
	trace_findings_clear(&out);
	/* the rim is only filled */
	w.index[0] = 0;
	assert_int_equal(trace_last_write(r, &w, &out, NULL, &err), 1);
	assert_int_equal(trace_findings_get(&out, 0, &f), 0);
	assert_int_equal(f.point.main, 2);
	trace_findings_clear(&out);
	w.before = (struct point){ 2, 0, 0, POINT_BEGIN };
	assert_int_equal(trace_last_write(r, &w, &out, &known, &err), 0);
	assert_int_equal(out.n, 0);
	assert_true(known);
	w.before.main = 0;
	w.rank = 2;
	assert_int_equal(trace_last_write(r, &w, &out, &known, &err), 0);
	w.name = "nothing";
	w.rank = TRACE_NO_RANK;
	assert_int_equal(trace_last_write(r, &w, &out, &known, &err), 0);
	assert_false(known);
	trace_index_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_write),
		cmocka_unit_test(wrong_read),
		cmocka_unit_test(wrong_element_written),
		cmocka_unit_test(element_not_written),
		cmocka_unit_test(wrong_from_here_on),
		cmocka_unit_test(replicated_value_at_an_end_only),
		cmocka_unit_test(tasks),
		cmocka_unit_test(very_many_accesses),
		cmocka_unit_test(last_write),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	check_remove();
	return failed;
}
