/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/model/actionpoints.h"

/* A location read and written again, or the error. */
static const char *round_trip(const char *text, const char *file)
{
	static char out[1200];
	struct location loc;
	struct err err = { "" };

	if (location_parse(&loc, text, file, &err))
		strcpy(out, err.text);
	else
		location_format(&loc, out, sizeof(out));
	return out;
}

static void locations(void **state)
{
	struct location loc;

	assert_string_equal(round_trip("13.B", NULL), "13.B");
	assert_string_equal(round_trip("256.3.4.E", NULL), "256.3.4.E");
	assert_string_equal(round_trip("heat.c:61", NULL), "heat.c:61");
	assert_string_equal(round_trip("src/heat.c:61", NULL), "src/heat.c:61");
	assert_string_equal(round_trip("#odd:name.c#7", NULL), "odd:name.c:7");
	assert_string_equal(round_trip("61", "heat.c"), "heat.c:61");
	assert_string_equal(round_trip("solve", NULL), "solve");
	assert_int_equal(location_parse(&loc, "40.E", NULL, NULL), 0);
	assert_int_equal(loc.kind, RULE_POINT);
	assert_int_equal(loc.point.main, 40);
	assert_int_equal(loc.point.side, POINT_END);
	assert_int_equal(location_parse(&loc, "#a.f90#12", NULL, NULL), 0);
	assert_int_equal(loc.kind, RULE_LINE);
	assert_string_equal(loc.file, "a.f90");
	assert_int_equal(loc.line, 12);
	assert_int_equal(location_parse(&loc, "solve", NULL, NULL), 0);
	assert_int_equal(loc.kind, RULE_NAME);
}

static void bad_locations(void **state)
{
	struct location loc;
	char huge[600];

	assert_non_null(strstr(round_trip("61", NULL), "no current file"));
	assert_non_null(strstr(round_trip("heat.c:x", NULL), "line number"));
	assert_non_null(strstr(round_trip("heat.c:0", NULL), "line number"));
	assert_non_null(strstr(round_trip(":61", NULL), "':61'"));
	assert_non_null(strstr(round_trip("#heat.c", NULL), "#file#line"));
	assert_non_null(strstr(round_trip("3.X", NULL), "'3.X' is not a location"));
	assert_non_null(strstr(round_trip("0.B", NULL), "0.B"));
	assert_non_null(strstr(round_trip("3.5", NULL), "3.5"));
	assert_non_null(strstr(round_trip("", NULL), "no location"));
	memset(huge, 'a', sizeof(huge));
	strcpy(huge + 590, ".c:1");
	assert_int_equal(location_parse(&loc, huge, NULL, NULL), -1);
}

static uint32_t add(struct actionpoints *a, const char *text, uint32_t count)
{
	struct location loc;
	struct err err = { "" };

	assert_int_equal(location_parse(&loc, text, NULL, &err), 0);
	return (uint32_t)actionpoints_add(a, &loc, count);
}

static void ids_are_never_used_again(void **state)
{
	struct actionpoints *a = actionpoints_create();
	struct err err = { "" };

	assert_int_equal(add(a, "1.B", 0), 0);
	assert_int_equal(add(a, "heat.c:61", 0), 1);
	assert_int_equal(actionpoints_delete(a, 1, &err), 0);
	assert_int_equal(add(a, "2.B", 0), 2);
	assert_null(actionpoints_find(a, 1));
	assert_int_equal(actionpoints_delete(a, 1, &err), -1);
	assert_string_equal(err.text, "there is no actionpoint 1");
	assert_int_equal(actionpoints_count(a), 2);
	assert_int_equal(actionpoints_at(a, 1)->rule.id, 2);
	actionpoints_destroy(a);
}

static void rules_are_those_of_enabled_ones(void **state)
{
	struct actionpoints *a = actionpoints_create();
	struct rule *rule;
	uint32_t n = 7;

	assert_null(actionpoints_rules(a, &n));
	assert_int_equal(n, 0);
	add(a, "1.B", 0);
	add(a, "heat.c:61", 10);
	add(a, "solve", 0);
	actionpoints_find(a, 0)->enabled = false;
	rule = actionpoints_rules(a, &n);
	assert_int_equal(n, 2);
	assert_int_equal(rule[0].id, 1);
	assert_int_equal(rule[0].kind, RULE_LINE);
	assert_int_equal(rule[0].count, 10);
	assert_string_equal(rule[0].file, "heat.c");
	assert_int_equal(rule[1].kind, RULE_NAME);
	assert_string_equal(rule[1].file, "solve");
	free(rule);
	actionpoints_destroy(a);
}

static void hits_of_a_run_and_of_all(void **state)
{
	struct actionpoints *a = actionpoints_create();

	add(a, "1.B", 0);
	actionpoints_hit(a, 0);
	actionpoints_hit(a, 99);
	actionpoints_new_run(a);
	assert_int_equal(actionpoints_find(a, 0)->hits, 1);
	assert_int_equal(actionpoints_find(a, 0)->run_hits, 0);
	actionpoints_destroy(a);
}

static const char *iteration(const char *text)
{
	static char out[600];
	struct rule r = { 0 };
	struct err err = { "" };

	if (actionpoints_iteration_parse(&r, text, &err))
		snprintf(out, sizeof(out), "%s", err.text);
	else
		actionpoints_iteration_format(&r, out, sizeof(out));
	return out;
}

static void iterations(void **state)
{
	static const char *const bad[] = { "",	 "()",		"(5,", "x",   "5,",
					   "(5", "(1,2,3,4,5)", "5 6", "(*,)" };

	assert_string_equal(iteration("5"), "5");
	assert_string_equal(iteration("-5"), "-5");
	assert_string_equal(iteration("(5,*)"), "(5,*)");
	assert_string_equal(iteration("5,7"), "(5,7)");
	assert_string_equal(iteration("( 1 , 2 , * , 4 )"), "(1,2,*,4)");
	assert_string_equal(iteration("*"), "*");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_non_null(strstr(iteration(bad[i]), "-iter"));
}

/* A copy has texts of its own; what was hit stays of each. */
static void copies_are_apart(void **state)
{
	struct actionpoints *a = actionpoints_create(), *b = actionpoints_create();
	struct watch w = { .name = "u" };
	struct actionpoint *ap;

	add(a, "13.B", 1);
	assert_int_equal(actionpoints_add_watch(a, &w, "u[3]"), 1);
	assert_int_equal(actionpoint_set(&actionpoints_find(a, 0)->cond, "eps > 1"), 0);
	assert_int_equal(actionpoint_set(&actionpoints_find(a, 1)->stop, ""), 0);
	actionpoints_copy(b, a);
	actionpoints_destroy(a);
	assert_string_equal(actionpoints_find(b, 0)->cond, "eps > 1");
	ap = actionpoints_find(b, 1);
	assert_int_equal(ap->kind, ACT_WATCH);
	assert_int_equal(ap->watch.id, 1);
	assert_string_equal(ap->text, "u[3]");
	assert_string_equal(ap->stop, "");
	actionpoints_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locations),
		cmocka_unit_test(bad_locations),
		cmocka_unit_test(ids_are_never_used_again),
		cmocka_unit_test(rules_are_those_of_enabled_ones),
		cmocka_unit_test(iterations),
		cmocka_unit_test(copies_are_apart),
		cmocka_unit_test(hits_of_a_run_and_of_all),
	};

	return cmocka_run_group_tests_name("actionpoints", tests, NULL, NULL);
}
