/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs and references that are not recorded alike: levels, intervals, limits, marks, records that
 * are lost, files that are cut off, little memory. What both have is compared, and nothing else is
 * a finding.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/checksum/checksum.h"
#include "common/tracediff/tracediff.h"
#include "tests/unit/trace_check.h"

#define N 15

static const struct synth_plan usual = { .ranks = 2, .marks = true, .level = 3, .order = 'C' };

static struct check compare(const struct synth_plan *ref, const struct synth_plan *now,
			    synth_program *g, const struct synth_fault *fault)
{
	synth_record(check_dir(), ref, g, N, 3, NULL, 0);
	return check_run(now, g, N, 3, fault, 0);
}

static void levels(void **state)
{
	const struct synth_fault wrong = { SYNTH_VALUE, 3, { 5, 7 }, 4, 0.5, -1 };
	const struct synth_fault read = { SYNTH_VALUE, 3, { 5, 7 }, 1, 0.5, -1 };

	for (unsigned r = 1; r <= 3; r++)
		for (unsigned n = 1; n <= 3; n++) {
			struct synth_plan ref = usual, now = usual;
			unsigned level = r < n ? r : n;
			struct check c;

			ref.level = r;
			now.level = n;
			c = compare(&ref, &now, synth_jacobi, NULL);
			assert_int_equal(c.state.compared > 0, level > 1);
			check_none(&c, "levels");
			c = compare(&ref, &now, synth_jacobi, &wrong);
			assert_int_equal(c.findings.n, level > 1);
			trace_findings_clear(&c.findings);
			c = compare(&ref, &now, synth_jacobi, &read);
			assert_int_equal(c.findings.n, level > 2);
			trace_findings_clear(&c.findings);
			ref.marks = now.marks = false;
			c = compare(&ref, &now, synth_jacobi, NULL);
			check_none(&c, "levels without marks");
			c = compare(&ref, &now, synth_jacobi, &wrong);
			assert_int_equal(c.findings.n, level > 1);
			trace_findings_clear(&c.findings);
		}
}

static void intervals(void **state)
{
	static const struct {
		struct point start, finish;
	} in[] = { { { 0 }, { 0 } },
		   { { 3, 0, 0, 0 }, { 0 } },
		   { { 0 }, { 4, 0, 0, 1 } },
		   { { 4, 0, 0, 0 }, { 5, 0, 0, 1 } },
		   { { 3, 0, 0, 1 }, { 7, 0, 0, 0 } } };

	for (unsigned r = 0; r < 5; r++)
		for (unsigned n = 0; n < 5; n++) {
			struct synth_plan ref = usual, now = usual;
			struct check c;

			ref.start = in[r].start, ref.finish = in[r].finish;
			now.start = in[n].start, now.finish = in[n].finish;
			now.ranks = 3;
			c = compare(&ref, &now, synth_jacobi, NULL);
			check_none(&c, "intervals");
			ref.marks = now.marks = false;
			c = compare(&ref, &now, synth_jacobi, NULL);
			check_none(&c, "intervals without marks");
		}
}

static void limits(void **state)
{
	const struct synth_fault inside = { SYNTH_VALUE, 3, { 7, 7 }, 4, 0.5, -1 };
	const struct synth_fault border = { SYNTH_VALUE, 3, { 1, 7 }, 4, 0.5, -1 };

	for (int r = 0; r < 2; r++)
		for (int n = 0; n < 2; n++) {
			struct synth_plan ref = usual, now = usual;
			struct check c;

			ref.limit = r ? 3 : 0;
			now.limit = n ? 2 : 0;
			now.ranks = 3;
			c = compare(&ref, &now, synth_jacobi, NULL);
			check_none(&c, "limits");
			c = compare(&ref, &now, synth_jacobi, &inside);
			assert_int_equal(c.findings.n, !r && !n);
			trace_findings_clear(&c.findings);
			c = compare(&ref, &now, synth_jacobi, &border);
			assert_int_equal(c.findings.n, 1);
			trace_findings_clear(&c.findings);
		}
}

static void marks_in_one_run_only(void **state)
{
	for (int r = 0; r < 2; r++) {
		struct synth_plan ref = usual, now = usual;
		struct check c;

		ref.marks = r;
		now.marks = !r;
		now.ranks = 3;
		c = compare(&ref, &now, synth_jacobi, NULL);
		check_none(&c, "marks in one run");
		c = compare(&ref, &now, synth_seidel, NULL);
		check_none(&c, "marks in one run");
	}
}

static void records_that_are_lost(void **state)
{
	const struct synth_fault f = { SYNTH_LOST, 3, { 5, 7 }, 0, 0, -1 };
	struct synth_plan now = usual;
	struct check c;

	now.ranks = 3;
	c = compare(&usual, &now, synth_jacobi, &f);
	check_none(&c, "lost here");
	synth_record(check_dir(), &usual, synth_jacobi, N, 3, &f, 0);
	c = check_run(&now, synth_jacobi, N, 3, NULL, 0);
	check_none(&c, "lost in the reference");
	/* what comes after it is compared again */
	c = check_run(&now, synth_jacobi, N, 3,
		      &(struct synth_fault){ SYNTH_VALUE, 5, { 5, 7 }, 4, 0.5, -1 }, 0);
	assert_int_equal(c.findings.n, 1);
	trace_findings_clear(&c.findings);
}

static void reference_cut_off(void **state)
{
	struct synth_plan ref = usual;

	ref.room = 16384;
	for (unsigned marks = 0; marks < 2; marks++)
		for (size_t cut = 1; cut < 5; cut++) {
			struct check c;

			ref.marks = marks;
			synth_record(check_dir(), &ref, synth_jacobi, 60, 2, NULL, cut);
			c = check_run(&ref, synth_jacobi, 60, 2, NULL, 0);
			assert_true(c.state.beyond);
			check_none(&c, "cut off");
		}
}

static void run_that_ends_early(void **state)
{
	struct trace_finding f;
	struct check c;

	synth_record(check_dir(), &usual, synth_jacobi, N, 4, NULL, 0);
	c = check_run(&usual, synth_jacobi, N, 3, NULL, 0);
	/* the loop has one iteration less; then what follows it has another number */
	check_first(&c, &f);
	assert_int_equal(f.kind, FINDING_EXIT);
	assert_int_equal(f.point.main, 8);
	trace_findings_clear(&c.findings);
	c = check_run(&usual, synth_jacobi, N, 5, NULL, 0);
	check_first(&c, &f);
	assert_int_equal(f.kind, FINDING_ITERATION);
	assert_int_equal(f.point.main, 10);
	assert_int_equal(f.index[0], 5);
	trace_findings_clear(&c.findings);
}

static void little_memory(void **state)
{
	const struct synth_fault read = { SYNTH_GLOBAL, 3, { 9, 9 }, 0, 0.5, -1 };

	for (unsigned i = 0; i < 8; i++) {
		struct synth_plan ref = usual, now = usual;
		synth_program *g = i & 1 ? synth_seidel : synth_jacobi;
		struct trace_finding f;
		struct check c;

		ref.marks = now.marks = i & 2;
		ref.room = 16384;
		now.backwards = i & 4 && g == synth_jacobi;
		now.ranks = 3;
		synth_record(check_dir(), &ref, g, 40, 2, NULL, 0);
		c = check_run(&now, g, 40, 2, NULL, 1);
		check_none(&c, "little memory");
		if (g == synth_jacobi)
			continue;
		c = check_run(&now, g, 40, 2, &read, 1);
		check_first(&c, &f);
		assert_int_equal(f.kind, FINDING_VALUE);
		assert_int_equal(f.thing.index[0], 9);
		assert_int_equal(f.thing.index[1], 9);
		assert_true(f.write);
		trace_findings_clear(&c.findings);
	}
}

static void diff_of_two_references(void **state)
{
	char dir[] = "/tmp/trace_diff.XXXXXX", path[64];
	const struct tracediff_files_options o = { .tolerance = { SUM_RELATIVE, -1, 1 } };
	const struct synth_fault wrong = { SYNTH_GLOBAL, 5, { 5, 7 }, 0, 0.5, -1 };
	struct synth_plan other = usual;
	struct trace_findings out = { 0 };
	struct tracediff_state s = { 0 };
	struct trace_index *a, *b;
	struct trace_finding f;
	const char *ref;
	struct err err;

	assert_non_null(mkdtemp(dir));
	other.ranks = 3;
	for (int bad = 0; bad < 2; bad++) {
		synth_record(dir, &other, synth_jacobi, N, 3, bad ? &wrong : NULL, 0);
		ref = check_dir();
		synth_record(ref, &usual, synth_jacobi, N, 3, NULL, 0);
		a = trace_index_open(dir, 0, &err);
		b = trace_index_open(ref, 0, &err);
		assert_non_null(a);
		assert_non_null(b);
		assert_int_equal(tracediff_files(a, b, &o, &out, &s, &err), 0);
		assert_true(s.compared > 1000);
		assert_int_equal(out.n > 0, bad);
		trace_index_close(a);
		trace_index_close(b);
	}
	assert_int_equal(trace_findings_get(&out, 0, &f), 0);
	assert_int_equal(f.point.main, 5);
	assert_int_equal(f.index[0], 5);
	assert_int_equal(f.index[1], 7);
	/* what it was computed from is as in the reference */
	assert_int_equal(f.noperand, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_string_equal(f.operand[i].thing.name, "u");
		assert_true(f.operand[i].value.has_ref);
		assert_false(f.operand[i].other);
		assert_int_equal(f.operand[i].spot.place.line, 22 + i);
	}
	assert_int_equal(f.nframe, 2);
	assert_int_equal(f.frame[0].idx[0], 2);
	assert_int_equal(f.frame[1].point.main, 5);
	trace_findings_clear(&out);
	for (unsigned r = 0; r < 3; r++) {
		snprintf(path, sizeof(path), "%s/trace.%u.bin", dir, r);
		remove(path);
	}
	remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels),
		cmocka_unit_test(intervals),
		cmocka_unit_test(limits),
		cmocka_unit_test(marks_in_one_run_only),
		cmocka_unit_test(records_that_are_lost),
		cmocka_unit_test(reference_cut_off),
		cmocka_unit_test(run_that_ends_early),
		cmocka_unit_test(little_memory),
		cmocka_unit_test(diff_of_two_references),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	check_remove();
	return failed;
}
