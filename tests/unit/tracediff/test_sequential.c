/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the sequential branch writes to replicated objects between parallel constructs, and where a
 * SKIP brings it back into step.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/protocol/trace_config.h"
#include "tests/unit/trace_check.h"
#include "tests/unit/trace_step.h"

#define LOOP(no) PL(no), I(0), W(U, 0, 1), PL_END(no)
/* In a line of its own. */
#define AT(at, o, v) STEP(ACCESS, .n = o, .line = at, .value = v, .flags = TRACE_WRITES)

static const struct step right[] = { LOOP(1),	 AT(20, S, 3), AT(21, M, 6), AT(22, S, 4),
				     PL(2),	 SAY(S, 4),    SAY(M, 6),    PL_END(2),
				     SAY(S, 4),	 SAY(M, 6),    OVER };

/* The write is reported, not only the construct before which the value was found to be wrong. */
static void a_wrong_write(void **state)
{
	static const struct step wrong[] = { LOOP(1),	AT(20, S, 3), AT(21, M, 6), AT(22, S, 5),
					     PL(2),	SAY(S, 5),    SAY(M, 6),    PL_END(2),
					     SAY(S, 5), SAY(M, 6),    OVER };
	static const struct step both[] = { LOOP(1),   AT(20, S, 1), AT(21, M, 2), AT(22, S, 5),
					    PL(2),     SAY(S, 5),    SAY(M, 2),	   PL_END(2),
					    SAY(S, 5), SAY(M, 2),    OVER };
	struct trace_finding f;
	struct result r;

	same(right, right);
	other(right, wrong, FINDING_VALUE, 22);
	record(0, 1, true, TRACE_CONFIG_FULL, right);
	r = compare(&usual, TRACE_CONFIG_FULL, both);
	assert_int_equal(r.found.n, 2);
	assert_int_equal(trace_findings_get(&r.found, 0, &f), 0);
	assert_int_equal(f.spot.place.line, 20);
	assert_string_equal(f.thing.name, "s");
	assert_int_equal(f.point.main, 1);
	assert_int_equal(f.point.side, POINT_END);
	assert_true(f.write);
	assert_int_equal(trace_findings_get(&r.found, 1, &f), 0);
	assert_int_equal(f.spot.place.line, 21);
	trace_findings_clear(&r.found);
}

/* A part of a sum, before the sum is there; a rank that writes less often, or in another order. */
static void what_is_right_in_the_end(void **state)
{
	static const struct step parts[] = { LOOP(1),	AT(20, S, 1), AT(21, M, 6), AT(22, S, 4),
					     PL(2),	SAY(S, 4),    SAY(M, 6),    PL_END(2),
					     SAY(S, 4), SAY(M, 6),    OVER };
	static const struct step received[] = { LOOP(1), AT(20, S, 1), PL(2),	  SAY(S, 4),
						SAY(M, 6), PL_END(2),  SAY(S, 4), SAY(M, 6),
						OVER };
	static const struct step more[] = { LOOP(1),	 AT(19, M, 9), AT(20, S, 3), AT(20, S, 8),
					    AT(21, M, 6), AT(22, S, 4), PL(2),	     SAY(S, 4),
					    SAY(M, 6),	 PL_END(2),    SAY(S, 4),    SAY(M, 6),
					    OVER };

	same(right, parts);
	same(right, received);
	same(right, more);
	same(more, right);
}

/* Of what the reference did not write the place is known, and both values. */
static void writes_of_its_own(void **state)
{
	static const struct step own[] = { LOOP(1),   AT(20, S, 3), AT(21, M, 6), AT(22, S, 4),
					   AT(30, S, 7), PL(2),	    SAY(S, 7),	  SAY(M, 6),
					   PL_END(2), SAY(S, 7),    SAY(M, 6),	  OVER };
	/* nothing of it was recorded */
	static const struct step unseen[] = { LOOP(1),	AT(20, S, 3), AT(21, M, 6), AT(22, S, 4),
					      PL(2),	SAY(S, 7),    SAY(M, 6),    PL_END(2),
					      SAY(S, 7), SAY(M, 6),   OVER };
	struct trace_finding f;
	struct result r;
	double here = 7, there = 4;

	other(right, unseen, FINDING_VALUE, 1);
	record(0, 1, true, TRACE_CONFIG_FULL, right);
	r = compare(&usual, TRACE_CONFIG_FULL, own);
	assert_int_equal(r.found.n, 1);
	assert_int_equal(trace_findings_get(&r.found, 0, &f), 0);
	assert_int_equal(f.spot.place.line, 30);
	assert_memory_equal(&f.value.now, &here, 8);
	assert_memory_equal(&f.value.ref, &there, 8);
	trace_findings_clear(&r.found);
}

/* In loops without numbers, over the end of a block of accesses. */
static void in_sequential_loops(void **state)
{
	static const struct step ref[] = { LOOP(1),   SL(50),	    I(1),	AT(51, S, 2),
					   I(2),      AT(51, S, 3), SL_END(50), PL(2),
					   SAY(S, 3), PL_END(2),    SAY(S, 3),	OVER };
	static const struct step bad[] = { LOOP(1),   SL(50),	    I(1),	AT(51, S, 2),
					   I(2),      AT(51, S, 4), SL_END(50), PL(2),
					   SAY(S, 4), PL_END(2),    SAY(S, 4),	OVER };

	same(ref, ref);
	other(ref, bad, FINDING_VALUE, 51);
}

/* What comes in front of a SKIP is the rank's own; what the values come to is not. */
static void skips(void **state)
{
	static const struct step own[] = { LOOP(1),   AT(20, S, 9), AWAY,      AT(22, S, 4), PL(2),
					   SAY(S, 4), PL_END(2),    SAY(S, 4), OVER };
	static const struct step none[] = { LOOP(1), AWAY, AT(22, S, 4), PL(2), SAY(S, 4),
					    PL_END(2), SAY(S, 4), OVER };
	static const struct step left[] = { LOOP(1),   AT(20, S, 7), AWAY,	PL(2), SAY(S, 7),
					    PL_END(2), SAY(S, 7),    OVER };

	same(own, none);
	same(none, own);
	/* no write behind it has made it wrong */
	other(own, left, FINDING_VALUE, 1);
}

/* Marks that not all come by: the one in the same line is meant. */
static void skips_in_lines(void **state)
{
	static const struct step two[] = { LOOP(1),    SL(60), I(1),	  SL_END(60), AWAY_AT(61),
					   SL(70),     I(1),   SL_END(70), AWAY_AT(71), SL(80),
					   I(1),       SL_END(80), LOOP(2), OVER };
	static const struct step second[] = { LOOP(1),	SL(75), I(2),	   SL_END(75), AWAY_AT(71),
					      SL(80),	I(1),	SL_END(80), LOOP(2),   OVER };
	static const struct step late[] = { LOOP(1), SL(75), I(2),	 SL_END(75), AWAY_AT(71),
					    SL(81),  I(1),   SL_END(81), LOOP(2),    OVER };
	static const struct step without[] = { LOOP(1), SL(80), I(1), SL_END(80), LOOP(2), OVER };
	static const struct step added[] = { LOOP(1), AWAY_AT(71), SL(80),  I(1),
					     SL_END(80), LOOP(2),  OVER };

	same(two, two);
	same(two, second);
	other(two, late, FINDING_CONSTRUCT, 81);
	/* where the reference has none it moves nothing */
	same(without, added);
}

/* A reference without values: what it writes last counts, unless the variable was changed
 * unseen. */
static void without_values(void **state)
{
	static const struct step ref[] = { LOOP(1), AT(20, S, 3), AT(22, S, 4),
					   PL(2),   PL_END(2),	  OVER };
	static const struct step good[] = { LOOP(1), AT(20, S, 1), AT(22, S, 4), PL(2), SAY(S, 4),
					    PL_END(2), SAY(S, 4), OVER };
	static const struct step bad[] = { LOOP(1), AT(20, S, 1), AT(22, S, 5), PL(2), SAY(S, 5),
					   PL_END(2), SAY(S, 5), OVER };
	static const struct step unseen[] = { LOOP(1), AT(20, S, 1), AT(22, S, 5), PL(2), SAY(S, 4),
					      PL_END(2), SAY(S, 4), OVER };

	same(ref, good);
	same(ref, unseen);
	other(ref, bad, FINDING_VALUE, 20);
}

/* Behind the last construct, where the program ends. */
static void at_the_end(void **state)
{
	static const struct step ref[] = { LOOP(1), SAY(S, 4), AT(20, M, 1), SAY(S, 4), SAY(M, 1),
					   OVER };
	static const struct step bad[] = { LOOP(1), SAY(S, 4), AT(20, M, 2), SAY(S, 4), SAY(M, 2),
					   OVER };
	static const struct step old[] = { LOOP(1), SAY(S, 4), OVER };

	same(ref, ref);
	other(ref, bad, FINDING_VALUE, 20);
	same(old, bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrong_write),     cmocka_unit_test(what_is_right_in_the_end),
		cmocka_unit_test(writes_of_its_own), cmocka_unit_test(in_sequential_loops),
		cmocka_unit_test(skips),	     cmocka_unit_test(skips_in_lines),
		cmocka_unit_test(without_values),    cmocka_unit_test(at_the_end),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	check_remove();
	return failed;
}
