/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/pair/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/array/array.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "common/array/value.h"

/* What the callback has heard: "A1.E B1.E B2.E!" with a '!' for a stop. */
static char heard[400];

static void on_verdict(void *arg, int side, const struct point *at, bool stop)
{
	char point[POINT_TEXT];
	size_t used = strlen(heard);

	/* "A!": wherever it is */
	snprintf(heard + used, sizeof(heard) - used, "%c%s%s ", 'A' + side,
		 at ? point_format(at, point) : "", stop ? "!" : "");
}

static struct sum_result *sum_of(double v)
{
	struct sum_plan plan;
	struct sum *s;
	struct sum_result *r;

	assert_int_equal(sum_plan_make(&plan, 0, NULL, VALUE_DOUBLE, 1, NULL), 0);
	s = sum_create(&plan, NULL);
	assert_int_equal(sum_add(s, &(struct layout){ .data = &v }, NULL), 0);
	r = sum_finish(s, NULL);
	sum_destroy(s);
	return r;
}

/* N.E of a loop at `where` with one array of one element. */
static struct sums_point *point(uint32_t n, const char *where, const char *array, double v)
{
	struct sums_point *p = calloc(1, sizeof(*p));

	p->point = (struct point){ .main = n, .side = POINT_END };
	p->kind = CONSTRUCT_PL;
	p->where = strdup(where);
	p->func = strdup("");
	p->n = 1;
	p->array = calloc(1, sizeof(*p->array));
	p->array[0] = (struct sums_array){ .name = strdup(array),
					   .file = strdup("x.c"),
					   .line = 3,
					   .kind = ARRAY_DISTRIBUTED,
					   .order = 'C',
					   .flags = POINT_SUMS_WRITTEN | POINT_SUMS_CHANGED,
					   .sum = sum_of(v) };
	assert_int_equal(rankset_add(&p->array[0].ranks, 0, 0), 0);
	return p;
}

struct fixture {
	struct compare *c;
	struct pair_match *m;
};

static int setup(void **state)
{
	static struct fixture f;
	struct compare_tolerance tol = { .mode = SUM_RELATIVE, .exp = 1e-9 };

	f.c = compare_create(&tol);
	f.m = pair_match_create(on_verdict, NULL);
	pair_match_begin(f.m, f.c);
	heard[0] = '\0';
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	pair_match_destroy(f->m);
	compare_destroy(f->c);
	return 0;
}

static void equal_numbers_go_on_together(void **state)
{
	struct fixture *f = *state;

	pair_match_take(f->m, PAIR_A, point(1, "h.c:1", "u", 2));
	assert_string_equal(heard, "");
	assert_true(pair_match_waits(f->m, PAIR_A));
	pair_match_take(f->m, PAIR_B, point(1, "h.c:1", "u", 2));
	assert_string_equal(heard, "A1.E B1.E ");
	assert_false(pair_match_waits(f->m, PAIR_A));
	assert_int_equal(compare_count(f->c), 0);
}

static void a_mismatch_stops_both(void **state)
{
	struct fixture *f = *state;

	pair_match_take(f->m, PAIR_B, point(4, "h.c:1", "u", 3));
	pair_match_take(f->m, PAIR_A, point(4, "h.c:1", "u", 2));
	assert_string_equal(heard, "B4.E! A4.E! ");
	assert_int_equal(compare_count(f->c), 1);
	/* A is the reference */
	assert_true(compare_first(f->c)->ref[0] == 2);
	assert_true(compare_first(f->c)->now[0] == 3);
}

/* … when the other one has ended by itself and has had fewer points: that is a mismatch, once. */
static void points_that_only_one_has(void **state)
{
	struct fixture *f = *state;

	pair_match_take(f->m, PAIR_A, point(6, "h.c:1", "u", 3));
	pair_match_take(f->m, PAIR_B, point(6, "h.c:1", "u", 3));
	pair_match_take(f->m, PAIR_B, point(7, "h.c:1", "u", 3));
	pair_match_over(f->m, PAIR_A, true);
	assert_string_equal(heard, "A6.E B6.E B7.E! ");
	pair_match_take(f->m, PAIR_B, point(8, "h.c:1", "u", 3));
	assert_string_equal(heard, "A6.E B6.E B7.E! B8.E ");
	assert_int_equal(compare_count(f->c), 1);
	assert_int_equal(compare_first(f->c)->kind, MISMATCH_CONSTRUCT);
	assert_int_equal(pair_match_beyond(f->m, PAIR_B), 2);
	assert_int_equal(pair_match_beyond(f->m, PAIR_A), 0);
}

static void only_the_reference_goes_on(void **state)
{
	struct fixture *f = *state;

	pair_match_over(f->m, PAIR_B, true);
	pair_match_take(f->m, PAIR_A, point(1, "h.c:1", "u", 3));
	assert_string_equal(heard, "A1.E! ");
	assert_int_equal(compare_first(f->c)->kind, MISMATCH_CONSTRUCT);
}

/* After rounding it need not mean anything. */
static void rounding_may_decide_the_length(void **state)
{
	struct fixture *f = *state;

	pair_match_take(f->m, PAIR_A, point(1, "h.c:1", "u", 3));
	pair_match_take(f->m, PAIR_B, point(1, "h.c:1", "u", 3 + 1e-12));
	pair_match_over(f->m, PAIR_A, true);
	pair_match_take(f->m, PAIR_B, point(2, "h.c:1", "u", 3));
	assert_string_equal(heard, "A1.E B1.E B2.E ");
	assert_int_equal(compare_count(f->c), 0);
	assert_int_equal(pair_match_beyond(f->m, PAIR_B), 1);
}

static void the_death_of_one_stops_the_other_once(void **state)
{
	struct fixture *f = *state;

	pair_match_take(f->m, PAIR_B, point(7, "h.c:1", "u", 3));
	pair_match_over(f->m, PAIR_A, false);
	assert_string_equal(heard, "B7.E! ");
	pair_match_take(f->m, PAIR_B, point(8, "h.c:1", "u", 3));
	assert_string_equal(heard, "B7.E! B8.E ");
	assert_int_equal(compare_count(f->c), 0);
}

/* A number that one side has passed without telling of it is not waited for. */
static void who_is_passed_by_goes_on(void **state)
{
	struct fixture *f = *state;
	struct sums_point *p = point(3, "h.c:1", "u", 3);

	p->point.side = POINT_BEGIN;
	pair_match_take(f->m, PAIR_A, p);
	assert_string_equal(heard, "");
	pair_match_take(f->m, PAIR_B, point(3, "h.c:1", "u", 3));
	assert_string_equal(heard, "A3.B ");
	assert_int_equal(compare_count(f->c), 0);
}

static void halted_ranks_go_on_and_are_compared(void **state)
{
	struct fixture *f = *state;

	pair_match_take(f->m, PAIR_B, point(3, "h.c:1", "u", 3));
	assert_true(pair_match_waits(f->m, PAIR_B));
	pair_match_release(f->m, PAIR_B);
	assert_false(pair_match_waits(f->m, PAIR_B));
	pair_match_take(f->m, PAIR_A, point(3, "h.c:1", "u", 4));
	assert_string_equal(heard, "B3.E B! A3.E! ");
}

static void ties_pair_by_place_and_rename(void **state)
{
	struct fixture *f = *state;
	char text[200];

	assert_int_equal(pair_match_tie(f->m, "A.u@src/h.c:1", "B.phi@s.f90:9", NULL), 0);
	assert_int_equal(pair_match_ties(f->m)->n, 1);
	assert_string_equal(tie_text(&pair_match_ties(f->m)->list[0], text, sizeof(text)),
			    "A.u@h.c:1 = B.phi@s.f90:9");
	/* tied to nothing: it goes on at once */
	pair_match_take(f->m, PAIR_A, point(1, "h.c:5", "u", 1));
	assert_string_equal(heard, "A1.E ");
	pair_match_take(f->m, PAIR_A, point(2, "h.c:1", "u", 1));
	pair_match_take(f->m, PAIR_B, point(5, "s.f90:9", "phi", 1));
	assert_string_equal(heard, "A1.E A2.E B5.E ");
	assert_int_equal(compare_count(f->c), 0);
	pair_match_take(f->m, PAIR_B, point(6, "s.f90:9", "phi", 1));
	pair_match_take(f->m, PAIR_A, point(3, "h.c:1", "u", 4));
	assert_string_equal(heard, "A1.E A2.E B5.E B6.E! A3.E! ");
	assert_int_equal(compare_count(f->c), 1);
	assert_string_equal(compare_first(f->c)->id.name, "phi");
	assert_string_equal(compare_first(f->c)->where, "s.f90:9");
	assert_int_equal(pair_match_ties(f->m)->list[0].compared, 2);
	assert_false(tie_trouble(pair_match_ties(f->m), &pair_match_ties(f->m)->list[0], text,
				 sizeof(text)));
}

/* One construct tied to two: it waits for both, and each k-th end is compared with the k-th. */
static void a_place_tied_twice(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(pair_match_tie(f->m, "A.u@h.c:1", "B.x@s.c:1", NULL), 0);
	assert_int_equal(pair_match_tie(f->m, "A.u@h.c:1", "B.y@s.c:2", NULL), 0);
	for (unsigned k = 0; k < 2; k++) {
		heard[0] = '\0';
		pair_match_take(f->m, PAIR_A, point(1 + k, "h.c:1", "u", k));
		pair_match_take(f->m, PAIR_B, point(1 + 2 * k, "s.c:1", "x", k));
		assert_string_equal(heard, k ? "B3.E " : "B1.E ");
		pair_match_take(f->m, PAIR_B, point(2 + 2 * k, "s.c:2", "y", k));
		assert_string_equal(heard, k ? "B3.E A2.E B4.E " : "B1.E A1.E B2.E ");
	}
	assert_int_equal(compare_count(f->c), 0);
	assert_int_equal(compare_state(f->c)->arrays, 4);
}

/* The same two constructs in another order: nobody waits for ever, all is compared. */
static void ties_that_cross(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(pair_match_tie(f->m, "A.u@h.c:1", "B.x@s.c:1", NULL), 0);
	assert_int_equal(pair_match_tie(f->m, "A.v@h.c:2", "B.y@s.c:2", NULL), 0);
	pair_match_take(f->m, PAIR_A, point(1, "h.c:1", "u", 5));
	pair_match_take(f->m, PAIR_B, point(1, "s.c:2", "y", 6));
	assert_string_equal(heard, "A1.E ");
	pair_match_take(f->m, PAIR_A, point(2, "h.c:2", "v", 6));
	assert_string_equal(heard, "A1.E B1.E A2.E ");
	pair_match_take(f->m, PAIR_B, point(2, "s.c:1", "x", 7));
	assert_string_equal(heard, "A1.E B1.E A2.E A! B2.E! ");
	assert_int_equal(compare_count(f->c), 1);
}

/* A scalar is told when it changes: what was said before still holds. */
static void tied_scalars(void **state)
{
	struct fixture *f = *state;
	struct sums_point *p;

	assert_int_equal(pair_match_tie(f->m, "A.e@h.c:1", "B.f@s.c:1", NULL), 0);
	for (unsigned k = 0; k < 2; k++) {
		p = point(1 + 2 * k, "h.c:7", "e", k + 1);
		p->array[0].kind = ARRAY_REPLICATED;
		pair_match_take(f->m, PAIR_A, p);
		pair_match_take(f->m, PAIR_A, point(2 + 2 * k, "h.c:1", "u", 9));
		p = point(1 + k, "s.c:1", "f", 1);
		p->array[0].kind = ARRAY_REPLICATED;
		pair_match_take(f->m, PAIR_B, p);
	}
	assert_string_equal(heard, "A1.E A2.E B1.E A3.E A4.E! B2.E! ");
	assert_int_equal(compare_count(f->c), 1);
	assert_int_equal(pair_match_ties(f->m)->list[0].compared, 2);
}

static void wrong_ties_are_explained(void **state)
{
	struct fixture *f = *state;
	const struct ties *t;
	char text[400];

	assert_int_equal(pair_match_tie(f->m, "A.u@h.c:1", "B.x@s.c:4", NULL), 0);
	assert_int_equal(pair_match_tie(f->m, "A.w@h.c:1", "B.x@s.c:1", NULL), 0);
	assert_int_equal(pair_match_tie(f->m, "A.u@h.c:1", "B.x@s.c:1", NULL), 0);
	assert_int_equal(pair_match_tie(f->m, "A.u@h.c:1", "B.x@s.c:1", NULL), -1);
	pair_match_take(f->m, PAIR_A, point(1, "h.c:1", "u", 1));
	pair_match_take(f->m, PAIR_B, point(1, "s.c:1", "x", 1));
	pair_match_take(f->m, PAIR_B, point(2, "s.c:2", "y", 1));
	pair_match_take(f->m, PAIR_B, point(3, "s.c:1", "x", 1));
	t = pair_match_ties(f->m);
	assert_true(tie_trouble(t, &t->list[0], text, sizeof(text)));
	assert_string_equal(text, "B has reported no construct at s.c:4, but at s.c:1, s.c:2");
	assert_true(tie_trouble(t, &t->list[1], text, sizeof(text)));
	assert_string_equal(
		text, "A has reported no w at h.c:1, but of u; ChecksumMode 2 also reports arrays "
		      "that are only read there");
	assert_true(tie_trouble(t, &t->list[2], text, sizeof(text)));
	assert_string_equal(text, "h.c:1 has ended 1 time in A, s.c:1 2 times in B");
	pair_match_untie(f->m);
	assert_int_equal(t->n, 0);
	assert_string_equal(heard, "B1.E B2.E A1.E B3.E ");
}

static void bad_ties_are_refused(void **state)
{
	struct fixture *f = *state;
	struct err err = { "" };

	assert_int_equal(pair_match_tie(f->m, "u@h.c:1", "B.v@h.c:1", &err), -1);
	assert_string_equal(err.text, "'u@h.c:1': A.ARRAY@FILE:LINE is needed, the line that of a "
				      "parallel loop or task region");
	assert_int_equal(pair_match_tie(f->m, "A.u@h.c:1", "A.v@h.c:1", &err), -1);
	assert_int_equal(pair_match_tie(f->m, "A.u@h.c:1", "B.v@h.c", &err), -1);
	assert_int_equal(pair_match_tie(f->m, "A.@h.c:1", "B.v@h.c:2", &err), -1);
	assert_int_equal(pair_match_tie(f->m, "A.u@h.c:1x", "B.v@h.c:2", &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_numbers_go_on_together, setup, teardown),
		cmocka_unit_test_setup_teardown(a_mismatch_stops_both, setup, teardown),
		cmocka_unit_test_setup_teardown(points_that_only_one_has, setup, teardown),
		cmocka_unit_test_setup_teardown(only_the_reference_goes_on, setup, teardown),
		cmocka_unit_test_setup_teardown(rounding_may_decide_the_length, setup, teardown),
		cmocka_unit_test_setup_teardown(the_death_of_one_stops_the_other_once, setup,
						teardown),
		cmocka_unit_test_setup_teardown(who_is_passed_by_goes_on, setup, teardown),
		cmocka_unit_test_setup_teardown(halted_ranks_go_on_and_are_compared, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_place_tied_twice, setup, teardown),
		cmocka_unit_test_setup_teardown(ties_that_cross, setup, teardown),
		cmocka_unit_test_setup_teardown(tied_scalars, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_ties_are_explained, setup, teardown),
		cmocka_unit_test_setup_teardown(ties_pair_by_place_and_rename, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_ties_are_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
