/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Constructs without marks that write elements several times: in another order, where one statement
 * adds up what comes from several sides, and in the same one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/buf.h"
#include "common/protocol/trace_config.h"
#include "common/checksum/checksum.h"
#include "common/tracereport/tracereport.h"
#include "tests/unit/trace_check.h"
#include "tests/unit/trace_step.h"

#define AT(l, i, v) STEP(ACCESS, .n = U, .line = l, .index = i, .value = v, .flags = TRACE_WRITES)
#define FROM(l, i, v) STEP(ACCESS, .n = U, .line = l, .index = i, .value = v)
#define X1 R(X, 1, 0), W(X, 1, 3)

/* With room for all values, and for none. */
static void both(const struct step *ref, const struct step *now, size_t n, unsigned kind,
		 unsigned line, int64_t element, double value)
{
	struct tracediff_options o = usual;
	struct trace_finding f;
	struct result r;

	record(0, 1, true, TRACE_CONFIG_FULL, ref);
	for (o.memory = 0; o.memory < 2; o.memory++) {
		print_message("# memory %zu\n", o.memory);
		r = compare(&o, TRACE_CONFIG_FULL, now);
		if (n) {
			assert_int_equal(trace_findings_get(&r.found, 0, &f), 0);
			assert_int_equal(f.thing.index[0], element);
			if (f.value.has_now) {
				double v;

				memcpy(&v, &f.value.now, sizeof(v));
				assert_true(v == value);
			}
		}
		expect(r, n, kind, line);
	}
}

/* 1 + 2 + 4 for element 5, 1 + 2 for element 6, X between them. */
static const struct step sorted[] = { PL(1),	      FROM(10, 5, 0),
				      AT(10, 5, 1),   FROM(10, 6, 0),
				      AT(10, 6, 1),   X1,
				      FROM(10, 5, 1), AT(10, 5, 3),
				      FROM(10, 6, 1), AT(10, 6, 3),
				      FROM(10, 5, 3), AT(10, 5, 7),
				      PL_END(1),      OVER };

static void another_order(void **state)
{
	static const struct step now[] = { PL(1),	   FROM(10, 5, 0),
					   AT(10, 5, 4),   FROM(10, 6, 0),
					   AT(10, 6, 2),   X1,
					   FROM(10, 5, 4), AT(10, 5, 5),
					   FROM(10, 6, 2), AT(10, 6, 3),
					   FROM(10, 5, 5), AT(10, 5, 7),
					   PL_END(1),	   OVER };
	/* what comes from another rank is one sum; or one more, of nothing; and 0 first */
	static const struct step less[] = { PL(1),	    FROM(10, 5, 0), AT(10, 5, 4),
					    FROM(10, 6, 0), AT(10, 6, 1),   X1,
					    FROM(20, 5, 4), AT(20, 5, 7),   FROM(10, 6, 1),
					    AT(10, 6, 3),   PL_END(1),	    OVER };
	static const struct step more[] = { PL(1),	    FROM(10, 5, 0), AT(10, 5, 4),
					    FROM(10, 6, 0), AT(10, 6, 2),   X1,
					    FROM(10, 5, 4), AT(10, 5, 5),   FROM(10, 6, 2),
					    AT(10, 6, 3),   FROM(10, 5, 5), AT(10, 5, 7),
					    FROM(20, 5, 7), AT(20, 5, 7),   FROM(20, 6, 3),
					    AT(20, 6, 3),   PL_END(1),	    OVER };

	both(sorted, now, 0, 0, 0, 0, 0);
	both(now, sorted, 0, 0, 0, 0, 0);
	both(sorted, less, 0, 0, 0, 0, 0);
	both(less, sorted, 0, 0, 0, 0, 0);
	both(now, less, 0, 0, 0, 0, 0);
	both(less, more, 0, 0, 0, 0, 0);
	both(more, less, 0, 0, 0, 0, 0);
	both(sorted, more, 0, 0, 0, 0, 0);
	both(more, sorted, 0, 0, 0, 0, 0);
}

/* Another order, and one of the contributions is wrong: 6 has 3 in place of 2. */
static void wrong_in_the_end(void **state)
{
	static const struct step now[] = { PL(1),	   FROM(10, 5, 0),
					   AT(10, 5, 4),   FROM(10, 6, 0),
					   AT(10, 6, 3),   X1,
					   FROM(10, 5, 4), AT(10, 5, 5),
					   FROM(10, 6, 3), AT(10, 6, 4),
					   FROM(10, 5, 5), AT(10, 5, 7),
					   PL_END(1),	   OVER };
	static const struct step more[] = { PL(1),	    FROM(10, 5, 0),
					    AT(10, 5, 4),   FROM(10, 6, 0),
					    AT(10, 6, 3),   X1,
					    FROM(10, 5, 4), AT(10, 5, 5),
					    FROM(10, 6, 3), AT(10, 6, 4),
					    FROM(10, 5, 5), AT(10, 5, 7),
					    AT(20, 5, 7),   AT(20, 6, 4),
					    PL_END(1),	    OVER };
	static const struct step none[] = {
		PL(1),	      FROM(10, 5, 0), AT(10, 5, 4), X1,	       FROM(10, 5, 4),
		AT(10, 5, 5), FROM(10, 5, 5), AT(10, 5, 7), PL_END(1), OVER
	};
	static const struct step strange[] = { PL(1),	       FROM(10, 5, 0), AT(10, 5, 4),
					       FROM(10, 6, 0), AT(10, 6, 2),   X1,
					       FROM(10, 5, 4), AT(10, 5, 5),   FROM(10, 6, 2),
					       AT(10, 6, 3),   FROM(10, 5, 5), AT(10, 5, 7),
					       AT(10, 8, 7),   PL_END(1),      OVER };

	both(sorted, now, 1, FINDING_VALUE, 10, 6, 4);
	both(sorted, more, 1, FINDING_VALUE, 20, 6, 4);
	/* with the place where the reference writes it */
	both(sorted, none, 1, FINDING_UNWRITTEN, 1, 6, 0);
	both(sorted, strange, 1, FINDING_USE, 10, 8, 7);
}

#define SWEEP(a, b) FROM(10, 5, a), AT(10, 5, b), FROM(10, 6, a), AT(10, 6, b)

/* The same order: what is wrong is told where it comes from, though all that follows is too. */
static void sweeps(void **state)
{
	static const struct step ref[] = { PL(1),	SWEEP(0, 1), X1,  SWEEP(1, 2),
					   SWEEP(2, 3), PL_END(1),   OVER };
	static const struct step now[] = { PL(1),
					   SWEEP(0, 1),
					   X1,
					   FROM(10, 5, 1),
					   AT(10, 5, 2),
					   FROM(10, 6, 1),
					   AT(10, 6, 9),
					   FROM(10, 5, 2),
					   AT(10, 5, 8),
					   FROM(10, 6, 9),
					   AT(10, 6, 10),
					   PL_END(1),
					   OVER };
	static const struct step fewer[] = { PL(1), SWEEP(0, 1), X1, SWEEP(1, 2), PL_END(1), OVER };

	both(ref, now, 1, FINDING_VALUE, 10, 6, 9);
	other(ref, fewer, FINDING_UNWRITTEN, 1);
	both(fewer, ref, 1, FINDING_USE, 10, 5, 3);
}

/* An element that is written, but less often: that is said, and what it is in the end. */
static void says(const struct step *ref, const struct step *now, size_t memory, const char *words)
{
	struct tracediff_options o = usual;
	struct trace_finding f, g;
	struct buf b = BUF_INIT;
	struct result r;
	char text[256];

	o.memory = memory;
	record(0, 1, true, TRACE_CONFIG_FULL, ref);
	r = compare(&o, TRACE_CONFIG_FULL, now);
	print_message("# %s\n", words);
	assert_int_equal(r.found.n, 1);
	assert_int_equal(trace_findings_get(&r.found, 0, &f), 0);
	assert_int_equal(f.kind, FINDING_UNWRITTEN);
	/* as it comes over the wire */
	trace_finding_put(&f, &b);
	assert_int_equal(trace_finding_get(&g, &b), 0);
	assert_string_equal(trace_finding_text(&g, text, sizeof(text)), words);
	buf_clear(&b);
	trace_findings_clear(&r.found);
}

static void less_often(void **state)
{
	static const struct step ref[] = { PL(1),	 AT(10, 5, 1), AT(10, 5, 2), AT(10, 5, 3),
					   AT(11, 7, 1), PL_END(1),    OVER };
	static const struct step one[] = { PL(1), AT(10, 5, 1), AT(11, 7, 1), PL_END(1), OVER };
	static const struct step none[] = { PL(1), AT(11, 7, 1), PL_END(1), OVER };
	/* in an iteration its values are at hand */
	static const struct step marked[] = { PL(1),	    I(5),	  AT(10, 5, 1),
					      AT(10, 5, 2), AT(10, 5, 3), AT(11, 7, 1),
					      PL_END(1),    OVER };
	static const struct step fewer[] = { PL(1),	   I(5),      AT(10, 5, 1),
					     AT(11, 7, 1), PL_END(1), OVER };
	static const struct step same[] = {
		PL(1), I(5), AT(10, 5, 3), AT(10, 5, 3), PL_END(1), OVER
	};
	static const struct step once[] = { PL(1), I(5), AT(10, 5, 3), PL_END(1), OVER };
	static const struct step never[] = { PL(1), I(5), AT(11, 7, 1), PL_END(1), OVER };

	for (size_t memory = 0; memory < 2; memory++) {
		says(ref, one, memory,
		     "u[5]: fewer writes than in the reference, where it is 3 in the end");
		says(ref, none, memory, "u[5]: not here, 1 in the reference");
		says(marked, fewer, memory,
		     "u[5]: fewer writes than in the reference, 1 in the end, 3 there");
		says(same, once, memory, "u[5]: fewer writes than in the reference");
		says(marked, never, memory, "u[5]: not here, 1 in the reference");
	}
}

/* Each statement writes an element once: nothing but the same will do. */
/* Two values are found; number n is there, with that element. first: the line of the first one. */
static void nth_is(const struct step *ref, const struct step *now, size_t n, unsigned line,
		   int64_t element, unsigned first)
{
	struct trace_finding f;
	struct result r;

	record(0, 1, true, TRACE_CONFIG_FULL, ref);
	r = compare(&usual, TRACE_CONFIG_FULL, now);
	assert_int_equal(trace_findings_get(&r.found, n, &f), 0);
	assert_int_equal(f.spot.place.line, line);
	assert_int_equal(f.thing.index[0], element);
	expect(r, 2, FINDING_VALUE, first);
}

static void once_each(void **state)
{
	static const struct step ref[] = { PL(1),	 AT(10, 5, 1), AT(10, 6, 1), X1,
					   AT(11, 5, 2), AT(11, 6, 2), PL_END(1),    OVER };
	static const struct step now[] = { PL(1),	 AT(10, 5, 1), AT(10, 6, 7), X1,
					   AT(11, 5, 2), AT(11, 6, 2), PL_END(1),    OVER };
	static const struct step twice[] = { PL(1),	   AT(10, 5, 1), AT(10, 6, 1),
					     X1,	   AT(11, 5, 2), AT(11, 6, 2),
					     AT(12, 5, 9), PL_END(1),	 OVER };
	/* a wrong zero, before all that comes in any order */
	static const struct step zero[] = { PL(1),	  AT(5, 5, 0),	AT(5, 6, 0),  AT(5, 7, 0),
					    AT(10, 5, 1), AT(10, 6, 1), X1,	      AT(10, 5, 3),
					    AT(10, 6, 3), AT(10, 7, 1), AT(10, 7, 3), PL_END(1),
					    OVER };
	static const struct step one[] = { PL(1),	 AT(5, 5, 0),  AT(5, 6, 1),  AT(5, 7, 0),
					   AT(10, 5, 2), AT(10, 6, 3), X1,	     AT(10, 5, 3),
					   AT(10, 6, 4), AT(10, 7, 2), AT(10, 7, 3), PL_END(1),
					   OVER };

	both(ref, now, 1, FINDING_VALUE, 10, 6, 7);
	both(ref, twice, 1, FINDING_USE, 12, 5, 9);
	nth_is(zero, one, 1, 10, 6, 5);
}

#define THREE(l, a, b, c) AT(l, 5, a), AT(l, 6, b), AT(l, 7, c)

/* A sum over ranks: each begins with its own, and adds what comes before it. */
static void sums_over_ranks(void **state)
{
	static const struct step one[] = { PL(1), THREE(10, 1, 3, 6), AT(10, 8, 9),
					   X1,	  PL_END(1),	      OVER };
	static const struct step two[] = {
		PL(1),	      THREE(10, 0, 2, 5), AT(10, 8, 8), X1, THREE(20, 1, 3, 6),
		AT(20, 8, 9), PL_END(1),	  OVER
	};
	static const struct step all[] = {
		PL(1),	      THREE(10, 1, 3, 6), AT(10, 8, 9), X1, THREE(20, 1, 3, 6),
		AT(20, 8, 9), PL_END(1),	  OVER
	};
	static const struct step bad[] = {
		PL(1),	      THREE(10, 0, 2, 5), AT(10, 8, 7), X1, THREE(20, 1, 3, 6),
		AT(20, 8, 8), PL_END(1),	  OVER
	};
	/* what comes of the first ones is wrong */
	static const struct step after[] = { PL(1),	   THREE(10, 0, 2, 5), AT(10, 8, 8),
					     R(X, 1, 0),   W(X, 1, 4),	       THREE(20, 1, 3, 6),
					     AT(20, 8, 9), PL_END(1),	       OVER };

	both(one, two, 0, 0, 0, 0, 0);
	both(two, one, 0, 0, 0, 0, 0);
	both(all, two, 0, 0, 0, 0, 0);
	both(two, all, 0, 0, 0, 0, 0);
	both(all, bad, 1, FINDING_VALUE, 20, 8, 8);
	nth_is(all, after, 0, 10, 5, 10);
}

/* Another statement of another rank of the reference makes the last one. */
static void several_ranks(void **state)
{
	static const struct step one[] = { PL(1), AT(10, 5, 1), AT(10, 5, 3), AT(10, 6, 9),
					   X1,	  PL_END(1),	OVER };
	static const struct step two[] = { PL(1),	 AT(10, 7, 4), AT(10, 8, 1), AT(10, 7, 6),
					   AT(10, 8, 5), PL_END(1),    OVER };
	static const struct step now[] = { PL(1),	 AT(10, 7, 2), AT(10, 8, 4), AT(10, 7, 6),
					   AT(10, 5, 2), AT(10, 6, 9), AT(10, 5, 3), X1,
					   AT(20, 8, 5), PL_END(1),    OVER };
	static const struct step bad[] = { PL(1),	 AT(10, 7, 2), AT(10, 8, 4), AT(10, 7, 6),
					   AT(10, 5, 2), AT(10, 6, 9), AT(10, 5, 3), X1,
					   AT(20, 8, 6), PL_END(1),    OVER };

	record(0, 2, true, TRACE_CONFIG_FULL, one);
	record(1, 2, true, TRACE_CONFIG_FULL, two);
	expect(compare(&usual, TRACE_CONFIG_FULL, now), 0, 0, 0);
	expect(compare(&usual, TRACE_CONFIG_FULL, bad), 1, FINDING_VALUE, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_order),   cmocka_unit_test(wrong_in_the_end),
		cmocka_unit_test(sweeps),	   cmocka_unit_test(once_each),
		cmocka_unit_test(less_often),	   cmocka_unit_test(several_ranks),
		cmocka_unit_test(sums_over_ranks),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	check_remove();
	return failed;
}
