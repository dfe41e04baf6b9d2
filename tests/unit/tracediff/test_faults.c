/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One fault in a correct program: it is the first finding, at the right place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/logical/construct.h"
#include "tests/unit/trace_check.h"

#define N 13

/* What is expected of the first finding; unsaid members are not looked at. */
struct expected {
	unsigned kind;
	const char *object; /* "" none */
	int64_t element[3];
	unsigned line;
	int rank;
	bool write;
	uint64_t count;	 /* 0: any */
	size_t findings; /* 0: any */
};

static const struct plans {
	struct synth_plan ref, now;
} plans[] = {
	{ { .ranks = 1, .marks = true, .level = 3, .order = 'C' },
	  { .ranks = 2, .marks = true, .level = 3, .order = 'C' } },
	{ { .ranks = 2, .marks = true, .level = 3, .order = 'C' },
	  { .ranks = 1, .marks = true, .level = 3, .order = 'C' } },
	{ { .ranks = 3, .marks = true, .level = 3, .order = 'F' },
	  { .ranks = 4, .dist = SYNTH_BLOCKS, .marks = true, .level = 3, .order = 'F' } },
	{ { .ranks = 4, .dist = SYNTH_BLOCKS, .marks = true, .level = 3, .order = 'C' },
	  { .ranks = 3,
	    .marks = true,
	    .backwards = true,
	    .threads = 2,
	    .level = 3,
	    .order = 'C' } },
	{ { .ranks = 2, .dist = SYNTH_OVERLAP, .marks = true, .level = 3, .order = 'C' },
	  { .ranks = 2, .dist = SYNTH_OVERLAP, .marks = true, .level = 3, .order = 'C' } },
};
#define PLANS (sizeof(plans) / sizeof(*plans))

static void expect(const struct check *c, const struct synth_fault *fault, const struct expected *e,
		   unsigned nidx, const char *what)
{
	struct trace_finding f;
	char text[256];

	if (!c->findings.n)
		fail_msg("%s: nothing is found", what);
	check_first(c, &f);
	print_message("# %s: %s (%s), rank %d, %zu findings\n", what,
		      trace_finding_text(&f, text, sizeof(text)), finding_kind_key(f.kind),
		      (int)f.rank, c->findings.n);
	assert_int_equal(f.kind, e->kind);
	assert_int_equal(f.point.main, fault->construct);
	assert_string_equal(f.thing.name ? f.thing.name : "", e->object);
	for (unsigned d = 0; d < f.thing.ndim; d++)
		assert_int_equal(f.thing.index[d], e->element[d]);
	if (nidx) {
		assert_int_equal(f.nidx, nidx);
		for (unsigned d = 0; d < nidx; d++)
			assert_int_equal(f.index[d],
					 fault->index[d] +
						 (fault->wrong == SYNTH_EXTRA && !d ? 100 : 0));
	}
	assert_int_equal(f.spot.place.line, e->line);
	if (e->rank >= 0)
		assert_int_equal(f.rank, e->rank);
	assert_int_equal(f.write, e->write);
	if (e->count)
		assert_int_equal(f.count, e->count);
	if (e->findings)
		assert_int_equal(c->findings.n, e->findings);
}

static void one(const struct plans *p, synth_program *program, const struct synth_fault *fault,
		const struct expected *e, unsigned nidx, const char *what)
{
	struct check c;

	synth_record(check_dir(), &p->ref, program, N, 2, NULL, 0);
	c = check_run(&p->now, program, N, 2, fault, 0);
	expect(&c, fault, e, nidx, what);
	trace_findings_clear(&c.findings);
}

static void all(const struct synth_fault *fault, const struct expected *e, const char *what)
{
	for (size_t i = 0; i < PLANS; i++)
		one(&plans[i], synth_jacobi, fault, e, 2, what);
}

static void wrong_write(void **state)
{
	const struct synth_fault f = { SYNTH_VALUE, 3, { 5, 7 }, 4, 0.5, -1 };
	const struct expected e = { FINDING_VALUE, "v", { 5, 7 }, 22, -1, true, 0, 1 };

	all(&f, &e, "wrong write");
}

static void wrong_read(void **state)
{
	const struct synth_fault f = { SYNTH_VALUE, 3, { 6, 6 }, 1, 1e-6, -1 };
	const struct expected e = { FINDING_VALUE, "u", { 7, 6 }, 23, -1, false, 0, 1 };

	all(&f, &e, "wrong read");
}

static void wrong_element_read(void **state)
{
	const struct synth_fault f = { SYNTH_ELEMENT, 3, { 4, 4 }, 0, 0, -1 };
	const struct expected e = { FINDING_USE, "u", { 3, 5 }, 22, -1, false, 0, 1 };

	all(&f, &e, "another element read");
}

static void wrong_element_written(void **state)
{
	const struct synth_fault f = { SYNTH_ELEMENT, 3, { 4, 4 }, 4, 0, -1 };
	const struct expected e = { FINDING_USE, "v", { 4, 5 }, 22, -1, true, 0, 2 };

	all(&f, &e, "another element written");
}

static void write_left_out(void **state)
{
	const struct synth_fault f = { SYNTH_OMIT, 3, { 4, 4 }, 4, 0, -1 };
	const struct expected e = { FINDING_UNWRITTEN, "v", { 4, 4 }, 20, -1, true, 0, 1 };

	all(&f, &e, "write left out");
}

static void iteration_skipped(void **state)
{
	const struct synth_fault f = { SYNTH_SKIPPED, 3, { 6, 2 }, 0, 0, -1 };
	const struct expected e = { FINDING_MISSING, "", { 0 }, 20, -1, false, 1, 1 };

	all(&f, &e, "iteration skipped");
}

static void iteration_twice(void **state)
{
	const struct synth_fault f = { SYNTH_TWICE, 3, { 6, 2 }, 0, 0, -1 };
	const struct expected e = { FINDING_TWICE, "", { 0 }, 20, -1, false, 0, 1 };

	all(&f, &e, "iteration executed twice");
}

static void iteration_extra(void **state)
{
	const struct synth_fault f = { SYNTH_EXTRA, 3, { 6, 2 }, 0, 0, -1 };
	const struct expected e = { FINDING_ITERATION, "", { 0 }, 20, -1, false, 0, 1 };

	all(&f, &e, "unexpected iteration");
}

static void another_construct(void **state)
{
	const struct synth_fault f = { SYNTH_LINE, 3, { 0 }, 0, 0, 0 };
	const struct expected e = { FINDING_CONSTRUCT, "", { 0 }, 21, 0, false, 1, 1 };

	for (size_t i = 0; i < PLANS; i++)
		one(&plans[i], synth_jacobi, &f, &e, 0, "another construct");
}

static void loop_left(void **state)
{
	const struct synth_fault f = { SYNTH_LEFT, 3, { 0 }, 0, 0, 0 };
	const struct expected e = { FINDING_EXIT, "", { 0 }, 20, 0, false, 1, 1 };

	for (size_t i = 0; i < PLANS; i++)
		one(&plans[i], synth_jacobi, &f, &e, 0, "loop left");
}

static void reduction(void **state)
{
	const struct synth_fault f = { SYNTH_VALUE, 4, { 0 }, 1000, 0.25, 0 };
	const struct expected e = { FINDING_REDUCTION, "change", { 0 }, 35, 0, false, 1, 1 };

	for (size_t i = 0; i < PLANS; i++)
		one(&plans[i], synth_jacobi, &f, &e, 0, "reduction");
}

static void replicated(void **state)
{
	const struct synth_fault f = { SYNTH_VALUE, 5, { 0 }, 2000, 0.25, 0 };
	const struct expected e = { FINDING_VALUE, "change", { 0 }, 20, 0, false, 1, 1 };

	for (size_t i = 0; i < PLANS; i++)
		one(&plans[i], synth_jacobi, &f, &e, 0, "replicated value");
}

/* The program computes something wrong, and all that follows is. */
static void wrong_from_here_on(void **state)
{
	const struct synth_fault f = { SYNTH_GLOBAL, 2, { 5, 5 }, 0, 1, -1 };
	const struct expected e = { FINDING_VALUE, "u", { 5, 5 }, 26, -1, true, 0, 0 };

	for (size_t i = 0; i < PLANS; i++)
		one(&plans[i], synth_seidel, &f, &e, 2, "sweep gone wrong");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_write),	      cmocka_unit_test(wrong_read),
		cmocka_unit_test(wrong_element_read), cmocka_unit_test(wrong_element_written),
		cmocka_unit_test(write_left_out),     cmocka_unit_test(iteration_skipped),
		cmocka_unit_test(iteration_twice),    cmocka_unit_test(iteration_extra),
		cmocka_unit_test(another_construct),  cmocka_unit_test(loop_left),
		cmocka_unit_test(reduction),	      cmocka_unit_test(replicated),
		cmocka_unit_test(wrong_from_here_on),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	check_remove();
	return failed;
}
