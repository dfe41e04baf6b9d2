/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Short runs, record by record, compared with short references: what counts as the same, and what
 * does not.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/protocol/trace_config.h"
#include "common/checksum/checksum.h"
#include "tests/unit/trace_check.h"
#include "tests/unit/trace_step.h"

#define LOOP(no, v) PL(no), I(0), R(U, 1, 5), W(U, 0, v), PL_END(no)

/* Not all ranks have the result, and tell of it. */
static void results_that_some_ranks_have(void **state)
{
	static const struct step with[] = {
		SL(50),	    I(1),      I(2),	   LOOP(1, 2), SUM(S, 3),  I(3),
		LOOP(2, 2), SUM(S, 4), SL_END(50), SUM(M, 7),  LOOP(3, 2), OVER,
	};
	static const struct step without[] = { SL(50),	   I(1),       I(2),	   LOOP(1, 2), I(3),
					       LOOP(2, 2), SL_END(50), LOOP(3, 2), OVER };
	static const struct step some[] = {
		SL(50),	    I(1),	 I(2),	     LOOP(1, 2), SUM(S, 3), I(3),
		LOOP(2, 2), SUM(S, 4.5), SL_END(50), LOOP(3, 2), OVER,
	};
	static const struct step short_of_one[] = { SL(50),	I(1),	    I(2), LOOP(1, 2),
						    SL_END(50), LOOP(2, 2), OVER };
	struct result r;

	same(with, without);
	same(without, with);
	other(with, some, FINDING_REDUCTION, 300 + S);
	/* the loop is gone through in step all the same */
	record(0, 1, true, TRACE_CONFIG_FULL, with);
	r = compare(&usual, TRACE_CONFIG_FULL, short_of_one);
	assert_true(r.found.n >= 1);
	trace_findings_trim(&r.found, 1);
	expect(r, 1, FINDING_EXIT, 50);
}

static void results_one_behind_the_other(void **state)
{
	static const struct step ref[] = { LOOP(1, 2), SUM(S, 1), SUM(M, 2), LOOP(2, 2), OVER };
	static const struct step only[] = { LOOP(1, 2), SUM(M, 2), LOOP(2, 2), OVER };
	static const struct step bad[] = { LOOP(1, 2), SUM(M, 3), LOOP(2, 2), OVER };
	static const struct step nobody[] = { LOOP(1, 2), SUM(NOBODY, 2), LOOP(2, 2), OVER };
	static const struct step close[] = { LOOP(1, 2), SUM(NOBODY, 2 + 1e-12), LOOP(2, 2), OVER };
	static const struct step far[] = { LOOP(1, 2), SUM(NOBODY, 2.1), LOOP(2, 2), OVER };
	static const struct step one[] = { LOOP(1, 2), { LONG, .line = 9, .index = 1 }, OVER };
	static const struct step two[] = { LOOP(1, 2), { LONG, .line = 9, .index = 2 }, OVER };

	same(ref, only);
	other(ref, bad, FINDING_REDUCTION, 300 + M);
	/* of what is not registered the bytes decide what it is */
	same(nobody, close);
	other(nobody, far, FINDING_REDUCTION, 300 + NOBODY);
	same(one, one);
	other(one, two, FINDING_REDUCTION, 9);
}

/* Computations of one rank's own end with a SKIP: whoever has them, it is no finding. */
static void a_skip(void **state)
{
	static const struct step own[] = { LOOP(1, 2), SL(60),	   I(1),       I(2),
					   SUM(S, 1),  SL_END(60), AWAY,       SL(70),
					   I(1),       SL_END(70), LOOP(2, 2), OVER };
	static const struct step none[] = { LOOP(1, 2), AWAY,	    SL(70), I(1),
					    SL_END(70), LOOP(2, 2), OVER };
	static const struct step missing[] = { LOOP(1, 2), SL(70),     I(1),
					       SL_END(70), LOOP(2, 2), OVER };
	static const struct step later[] = { LOOP(1, 2), AWAY,	     SL(70),	 I(1),
					     I(2),	 SL_END(70), LOOP(2, 2), OVER };

	same(own, own);
	same(own, none);
	same(none, own);
	/* what comes behind it counts */
	other(own, later, FINDING_ITERATION, 70);
	other(none, later, FINDING_ITERATION, 70);
	/* without one it is another construct */
	other(missing, own, FINDING_CONSTRUCT, 60);
}

static void sequential_loops(void **state)
{
	static const struct step two[] = { SL(50),     I(1),	   LOOP(1, 2), I(2),
					   SL_END(50), LOOP(2, 2), OVER };
	static const struct step left[] = { SL(50),
					    I(1),
					    LOOP(1, 2),
					    I(2),
					    { END, .n = CONSTRUCT_SL, .line = 50, .flags = 1 },
					    LOOP(2, 2),
					    OVER };
	static const struct step one[] = { SL(50), I(1), LOOP(1, 2), SL_END(50), LOOP(2, 2), OVER };
	static const struct step three[] = { SL(50), I(1),	 LOOP(1, 2), I(2),
					     I(3),   SL_END(50), LOOP(2, 2), OVER };
	static const struct step elsewhere[] = { SL(51),     I(1),	 LOOP(1, 2), I(2),
						 SL_END(51), LOOP(2, 2), OVER };
	struct tracediff_options moved = usual;

	same(two, two);
	other(two, left, FINDING_EXIT, 50);
	other(two, one, FINDING_EXIT, 50);
	other(two, three, FINDING_ITERATION, 50);
	other(two, elsewhere, FINDING_CONSTRUCT, 51);
	/* another version of the program: lines do not count */
	moved.moved = true;
	record(0, 1, true, TRACE_CONFIG_FULL, two);
	expect(compare(&moved, TRACE_CONFIG_FULL, elsewhere), 0, 0, 0);
}

/* A variable that the reference uses, in another loop; one that it does not know. */
static void unexpected_use(void **state)
{
	static const struct step later[] = { LOOP(1, 2), PL(2), I(0), W(X, 3, 1), PL_END(2), OVER };
	static const struct step early[] = { PL(1),	 I(0),	    R(U, 1, 5), W(X, 3, 1),
					     W(U, 0, 2), PL_END(1), PL(2),	I(0),
					     W(X, 3, 1), PL_END(2), OVER };
	static const struct step never[] = { LOOP(1, 2), PL(2), I(0), PL_END(2), OVER };
	static const struct step bare_later[] = { PL(1),      W(U, 0, 2), PL_END(1), PL(2),
						  W(X, 3, 1), PL_END(2),  OVER };
	static const struct step bare_early[] = { PL(1), W(U, 0, 2), W(X, 3, 1), PL_END(1),
						  PL(2), W(X, 3, 1), PL_END(2),	 OVER };
	static const struct step bare_never[] = { PL(1), W(U, 0, 2), PL_END(1),
						  PL(2), PL_END(2),  OVER };
	static const struct step reads[] = { LOOP(1, 2), PL(2), I(0), R(X, 3, 1), PL_END(2), OVER };
	static const struct step bare_reads[] = { PL(1),      W(U, 0, 2), PL_END(1), PL(2),
						  R(X, 3, 1), PL_END(2),  OVER };

	other(later, early, FINDING_USE, 200 + X);
	other(never, early, FINDING_USE, 200 + X);
	other(bare_later, bare_early, FINDING_USE, 200 + X);
	other(bare_never, bare_early, FINDING_USE, 200 + X);
	/* it may have been left out of the reference */
	same(never, reads);
	same(bare_never, bare_reads);
}

/* A program without hooks marks no iterations: none is missing, and none too many. */
static void iterations_of_one_side_only(void **state)
{
	static const struct step marked[] = { PL(1), I(0), I(1), PL_END(1), OVER };
	static const struct step plain[] = { PL(1), PL_END(1), OVER };
	static const struct step most[] = { PL(1), I(0), PL_END(1), OVER };

	for (unsigned level = TRACE_CONFIG_MINIMAL; level <= TRACE_CONFIG_FULL; level += 2) {
		record(0, 1, true, level, marked);
		expect(compare(&usual, TRACE_CONFIG_MINIMAL, plain), 0, 0, 0);
		expect(compare(&usual, TRACE_CONFIG_MINIMAL, most), 1, FINDING_MISSING, 1);
		/* accesses would be seen: nothing was done */
		expect(compare(&usual, TRACE_CONFIG_FULL, plain), 1, FINDING_MISSING, 1);
		record(0, 1, true, TRACE_CONFIG_MINIMAL, plain);
		expect(compare(&usual, level, marked), 0, 0, 0);
		record(0, 1, true, TRACE_CONFIG_MINIMAL, most);
		expect(compare(&usual, level, marked), 1, FINDING_ITERATION, 1);
	}
}

/* Who had the task may be a rank whose file is cut off. */
static void tasks_of_files_that_are_cut_off(void **state)
{
	static const struct step nothing[] = { TR(1), TR_END(1), OVER };
	static const struct step half[] = { TR(1), OVER };
	static const struct step task[] = { TR(1),     TASK(2),	    PL(1),     I(0), W(U, 0, 1),
					    PL_END(1), TASK_END(2), TR_END(1), OVER };
	struct tracediff_options two = usual;
	struct result r;

	two.ranks = 2;
	for (unsigned rank = 0; rank < 2; rank++) {
		two.rank = rank;
		record(0, 2, true, TRACE_CONFIG_FULL, nothing);
		record(1, 2, false, TRACE_CONFIG_FULL, half);
		expect(compare(&two, TRACE_CONFIG_FULL, task), 0, 0, 0);
		record(0, 2, true, TRACE_CONFIG_FULL, nothing);
		record(1, 2, true, TRACE_CONFIG_FULL, nothing);
		r = compare(&two, TRACE_CONFIG_FULL, task);
		assert_true(r.found.n >= 1);
		trace_findings_clear(&r.found);
		record(0, 2, true, TRACE_CONFIG_FULL, nothing);
		record(1, 2, true, TRACE_CONFIG_FULL, task);
		expect(compare(&two, TRACE_CONFIG_FULL, task), 0, 0, 0);
	}
}

/* What is equal is equal: by mode. */
static void tolerances(void **state)
{
	static const struct {
		struct trace_tolerance t;
		double a, b;
		bool same;
	} c[] = {
		{ { SUM_RELATIVE, -1, 1 }, 1, 1 + 1e-10, true },
		{ { SUM_RELATIVE, -1, 1 }, 1, 1 + 1e-8, false },
		{ { SUM_RELATIVE, 1e-4, 1 }, 1e6, 1e6 + 50, true },
		{ { SUM_RELATIVE, 1e-4, 1 }, 1e6, 1e6 + 150, false },
		{ { SUM_RELATIVE, 1e-4, 1 }, 1e-6, 2e-6, true },
		{ { SUM_RELATIVE, 1e-4, 1e-9 }, 1e-6, 2e-6, false },
		{ { SUM_ABSOLUTE, 1e-4, 1 }, 1e6, 1e6 + 5e-5, true },
		{ { SUM_ABSOLUTE, 1e-4, 1 }, 1e6, 1e6 + 5e-4, false },
		{ { SUM_ABSOLUTE, 0, 1 }, 0.0, -0.0, true },
		{ { SUM_EXACT, 1, 1 }, 1, 1 + 1e-15, false },
		{ { SUM_EXACT, 1, 1 }, 0.0, -0.0, false },
		{ { SUM_EXACT, 1, 1 }, NAN, -NAN, true },
		{ { SUM_RELATIVE, 1, 1 }, NAN, 1, false },
		{ { SUM_ABSOLUTE, 1, 1 }, 1, NAN, false },
		{ { SUM_ABSOLUTE, 1, 1 }, INFINITY, INFINITY, true },
		{ { SUM_ABSOLUTE, 1e300, 1 }, INFINITY, 1, false },
		{ { SUM_RELATIVE, 1, 1 }, INFINITY, -INFINITY, false },
		{ { SUM_RELATIVE, 0.5, 1 }, INFINITY, 1e308, false },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		const struct step ref[] = {
			PL(1), I(0),	  W(U, 0, c[i].a), PL_END(1), SAY(S, c[i].a),
			PL(2), PL_END(2), SAY(S, c[i].a),  PL(3),     PL_END(3),
			OVER
		};
		const struct step now[] = {
			PL(1), I(0),	  W(U, 0, c[i].b), PL_END(1), SAY(S, c[i].b),
			PL(2), PL_END(2), SAY(S, c[i].b),  PL(3),     PL_END(3),
			OVER
		};
		struct tracediff_options o = usual;
		struct trace_finding f;
		struct result r;

		o.tolerance = c[i].t;
		record(0, 1, true, TRACE_CONFIG_FULL, ref);
		r = compare(&o, TRACE_CONFIG_FULL, now);
		print_message("# %zu: %g and %g, mode %u\n", i, c[i].a, c[i].b, c[i].t.mode);
		assert_int_equal(r.found.n, c[i].same ? 0 : 1);
		assert_int_equal(r.state.compared, 1);
		assert_int_equal(r.state.equal + r.state.close, c[i].same);
		if (r.found.n) {
			assert_int_equal(trace_findings_get(&r.found, 0, &f), 0);
			assert_int_equal(f.mode, c[i].t.mode);
		}
		trace_findings_clear(&r.found);
	}
}

/* Floats have a tolerance of their own. */
static void floats(void **state)
{
	static const struct step ref[] = { PL(1), I(0), W(F, 0, 1), PL_END(1), OVER };
	static const struct step close[] = { PL(1), I(0), W(F, 0, 1 + 5e-6), PL_END(1), OVER };
	static const struct step far[] = { PL(1), I(0), W(F, 0, 1 + 5e-5), PL_END(1), OVER };

	same(ref, close);
	other(ref, far, FINDING_VALUE, 200 + F);
}

#define ANY(o, i, v, how) STEP(ACCESS, .n = o, .line = 100, .index = i, .value = v, .flags = how)

static void what_is_not_compared(void **state)
{
	static const struct step ref[] = { PL(1),
					   I(0),
					   ANY(U, 0, 1, TRACE_WRITES | TRACE_ATOMIC),
					   ANY(U, 1, 1, TRACE_REDUCED),
					   W(U, 2, 1),
					   PL_END(1),
					   OVER };
	static const struct step now[] = { PL(1),
					   I(0),
					   ANY(U, 0, 2, TRACE_WRITES | TRACE_ATOMIC),
					   ANY(U, 1, 2, TRACE_REDUCED),
					   W(U, 2, 1),
					   PL_END(1),
					   OVER };
	/* nor outside of constructs */
	static const struct step outside[] = {
		W(U, 0, 1), PL(1), I(0), PL_END(1), W(U, 1, 1), OVER
	};
	static const struct step empty[] = { PL(1), I(0), PL_END(1), OVER };

	same(ref, now);
	same(outside, empty);
	same(empty, outside);
}

static void no_more_than_requested_for(void **state)
{
	static const struct step ref[] = { LOOP(1, 1), LOOP(2, 1), PL(3), I(0),
					   W(X, 0, 1), PL_END(3),  OVER };
	static const struct step now[] = { LOOP(1, 2), LOOP(2, 2), PL(3), I(0),
					   W(X, 0, 2), PL_END(3),  OVER };
	struct tracediff_options o = usual;
	struct trace_finding f;
	struct result r;

	o.most = 1;
	record(0, 1, true, TRACE_CONFIG_FULL, ref);
	r = compare(&o, TRACE_CONFIG_FULL, now);
	assert_int_equal(r.found.n, 1);
	assert_true(r.found.more);
	assert_int_equal(r.found.total, 3);
	assert_int_equal(trace_findings_get(&r.found, 0, &f), 0);
	assert_int_equal(f.point.main, 1);
	trace_findings_clear(&r.found);
}

/* What was said before records were lost may not hold any more: no finding, but that is counted. */
static void values_before_lost_records(void **state)
{
	static const struct step one[] = { LOOP(1, 2), PL(2),	  SAY(M, 1), PL_END(2),
					   PL(3),      PL_END(3), OVER };
	static const struct step two[] = { LOOP(1, 2), PL(2),	  SAY(M, 2), PL_END(2),
					   PL(3),      PL_END(3), OVER };
	static const struct step gap[] = { LOOP(1, 2), PL(2), SAY(M, 1), GAP,
					   PL_END(2),  PL(3), PL_END(3), OVER };
	struct result r;

	other(one, two, FINDING_VALUE, 1);
	record(0, 1, true, TRACE_CONFIG_FULL, gap);
	r = compare(&usual, TRACE_CONFIG_FULL, two);
	assert_int_equal(r.state.values, 0);
	assert_int_equal(r.state.lost, 1);
	expect(r, 0, 0, 0);
	/* what this run said before its gap is compared */
	record(0, 1, true, TRACE_CONFIG_FULL, one);
	r = compare(&usual, TRACE_CONFIG_FULL, gap);
	assert_int_equal(r.state.values, 1);
	assert_int_equal(r.state.lost, 1);
	expect(r, 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_that_some_ranks_have),
		cmocka_unit_test(results_one_behind_the_other),
		cmocka_unit_test(a_skip),
		cmocka_unit_test(sequential_loops),
		cmocka_unit_test(unexpected_use),
		cmocka_unit_test(iterations_of_one_side_only),
		cmocka_unit_test(tasks_of_files_that_are_cut_off),
		cmocka_unit_test(tolerances),
		cmocka_unit_test(floats),
		cmocka_unit_test(what_is_not_compared),
		cmocka_unit_test(no_more_than_requested_for),
		cmocka_unit_test(values_before_lost_records),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	check_remove();
	return failed;
}
