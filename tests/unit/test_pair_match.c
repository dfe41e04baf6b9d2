/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/pair_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/array.h"
#include "common/construct.h"
#include "common/err.h"
#include "common/tally.h"
#include "common/value.h"

/* What the callback has heard: "A1.E B1.E B2.E!" with a '!' for a stop. */
static char heard[400];

static void on_verdict(void *arg, int side, const struct point *at, bool stop)
{
	char point[POINT_TEXT];
	size_t used = strlen(heard);

	snprintf(heard + used, sizeof(heard) - used, "%c%s%s ", 'A' + side, point_format(at, point),
		 stop ? "!" : "");
}

static struct sum_result *sum_of(double v)
{
	struct sum_plan plan;
	struct sum *s;
	struct sum_result *r;

	assert_int_equal(sum_plan_make(&plan, 0, NULL, VALUE_DOUBLE, 1, NULL), 0);
	s = sum_create(&plan, NULL);
	assert_int_equal(sum_add(s, &(struct sum_part){ .data = &v }, NULL), 0);
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
					   .flags = TALLY_WRITTEN | TALLY_CHANGED,
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
	assert_string_equal(heard, "B1.E A1.E ");
	assert_false(pair_match_waits(f->m, PAIR_A));
	assert_int_equal(compare_count(f->c), 0);
}

static void a_mismatch_stops_both(void **state)
{
	struct fixture *f = *state;

	pair_match_take(f->m, PAIR_B, point(4, "h.c:1", "u", 3));
	pair_match_take(f->m, PAIR_A, point(4, "h.c:1", "u", 2));
	assert_string_equal(heard, "A4.E! B4.E! ");
	assert_int_equal(compare_count(f->c), 1);
	/* A is the reference */
	assert_true(compare_first(f->c)->ref[0] == 2);
	assert_true(compare_first(f->c)->now[0] == 3);
}

static void who_waits_for_an_ended_run_goes_on(void **state)
{
	struct fixture *f = *state;

	pair_match_take(f->m, PAIR_B, point(7, "h.c:1", "u", 3));
	pair_match_over(f->m, PAIR_A);
	assert_string_equal(heard, "B7.E ");
	pair_match_take(f->m, PAIR_B, point(8, "h.c:1", "u", 3));
	assert_string_equal(heard, "B7.E B8.E ");
	assert_int_equal(compare_count(f->c), 0);
}

static void ties_pair_by_place_and_rename(void **state)
{
	struct fixture *f = *state;
	char text[200];

	assert_int_equal(pair_match_tie(f->m, "A.u@h.c:1", "B.phi@s.f90:9", NULL), 0);
	assert_string_equal(pair_match_tie_text(f->m, 0, text, sizeof(text)),
			    "A.u@h.c:1 = B.phi@s.f90:9");
	assert_null(pair_match_tie_text(f->m, 1, text, sizeof(text)));
	/* tied to nothing: it goes on at once */
	pair_match_take(f->m, PAIR_A, point(1, "h.c:5", "u", 1));
	assert_string_equal(heard, "A1.E ");
	pair_match_take(f->m, PAIR_A, point(2, "h.c:1", "u", 1));
	pair_match_take(f->m, PAIR_B, point(5, "s.f90:9", "phi", 1));
	assert_string_equal(heard, "A1.E B5.E A2.E ");
	assert_int_equal(compare_count(f->c), 0);
	pair_match_take(f->m, PAIR_B, point(6, "s.f90:9", "phi", 1));
	pair_match_take(f->m, PAIR_A, point(3, "h.c:1", "u", 4));
	assert_string_equal(heard, "A1.E B5.E A2.E A3.E! B6.E! ");
	assert_int_equal(compare_count(f->c), 1);
	assert_string_equal(compare_first(f->c)->id.name, "phi");
	assert_string_equal(compare_first(f->c)->where, "s.f90:9");
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
		cmocka_unit_test_setup_teardown(who_waits_for_an_ended_run_goes_on, setup, teardown),
		cmocka_unit_test_setup_teardown(ties_pair_by_place_and_rename, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_ties_are_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
