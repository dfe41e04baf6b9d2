/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/msg.h"
#include "common/protocol/point_sums.h"
#include "runtime/exec/tree/internal.h"

/* What went up: "5.E[0:3] " and so on. */
struct up {
	struct gather *g;
	char text[4096];
};

static int setup(void **state)
{
	struct up *u = calloc(1, sizeof(*u));
	struct rankset all = { 0 };

	u->g = gather_create();
	*state = u;
	rankset_add(&all, 0, 3);
	gather_subtree(u->g, &all);
	rankset_clear(&all);
	return u->g ? 0 : -1;
}

static int teardown(void **state)
{
	struct up *u = *state;

	gather_destroy(u->g);
	free(u);
	return 0;
}

/* These ranks have passed the point. */
static void passed(struct up *u, const char *ranks, const char *point, int64_t now)
{
	struct point_sums t = { .kind = CONSTRUCT_PL };

	assert_int_equal(point_parse(&t.point, point, NULL), 0);
	assert_int_equal(rankset_parse(&t.passed, ranks, NULL), 0);
	assert_int_equal(gather_add(u->g, &t, 100, now), 0);
	assert_int_equal(t.passed.n, 0);
}

static void note(void *arg, unsigned type, const struct buf *payload)
{
	struct up *u = arg;
	struct buf b = buf_view(payload->data, payload->len);
	char point[POINT_TEXT], ranks[64];
	size_t used = strlen(u->text);
	struct point_sums t;

	assert_int_equal(type, MSG_SUMS);
	assert_int_equal(point_sums_get(&t, &b, NULL), 0);
	snprintf(u->text + used, sizeof(u->text) - used, "%s%s ", point_format(&t.point, point),
		 rankset_format(&t.passed, ranks, sizeof(ranks)));
	point_sums_clear(&t);
}

static void goes_up(struct up *u, int64_t now, const char *expected)
{
	u->text[0] = '\0';
	gather_send(u->g, now, note, u);
	assert_string_equal(u->text, expected);
}

static void a_point_of_all_goes_at_once(void **state)
{
	struct up *u = *state;

	assert_int_equal(gather_due(u->g), -1);
	passed(u, "0", "5.E", 1000);
	passed(u, "1:2", "5.E", 1001);
	assert_int_equal(gather_due(u->g), 1000 + GATHER_MS);
	goes_up(u, 1002, "");
	passed(u, "3", "5.E", 1002);
	assert_int_equal(gather_due(u->g), 0);
	goes_up(u, 1002, "5.E[0:3] ");
	assert_int_equal(gather_due(u->g), -1);
}

static void a_point_of_some_waits_a_little(void **state)
{
	struct up *u = *state;

	passed(u, "0", "5.E", 1000);
	goes_up(u, 1000 + GATHER_MS, "5.E[0] ");
	passed(u, "1:3", "5.E", 1030);
	goes_up(u, 1030, "");
	goes_up(u, INT64_MAX, "5.E[1:3] ");
}

/* Rank 0 is ahead; what the others say of a former point does not come behind what they say next.
 */
static void no_rank_overtakes_itself(void **state)
{
	struct up *u = *state;

	passed(u, "0", "6.E", 1000);
	passed(u, "1", "5.E", 1001);
	passed(u, "1", "5.2.1.E", 1002);
	passed(u, "1", "6.E", 1003);
	passed(u, "2:3", "6.E", 1004);
	goes_up(u, 1004, "5.2.1.E[1] 5.E[1] 6.E[0:3] ");
}

static void points_of_one_region_are_in_order(void **state)
{
	struct up *u = *state;

	passed(u, "0", "5.E", 1000);
	passed(u, "1", "5.2.1.B", 1000);
	passed(u, "2", "5.0.7.E", 1000);
	passed(u, "3", "5.B", 1000);
	passed(u, "2", "6.B", 1000);
	goes_up(u, 1000 + GATHER_MS, "5.B[3] 5.0.7.E[2] 5.2.1.B[1] 5.E[0] 6.B[2] ");
}

/* A program that has begun anew, or a rank that says it again. */
static void what_is_said_twice_is_not_merged(void **state)
{
	struct up *u = *state;

	passed(u, "0:1", "5.E", 1000);
	passed(u, "1", "5.E", 1001);
	passed(u, "2:3", "5.E", 1002);
	goes_up(u, 1002, "5.E[0:1] ");
	goes_up(u, 1001 + GATHER_MS, "5.E[1:3] ");
}

static void much_is_sent_at_once(void **state)
{
	struct up *u = *state;
	struct point_sums t = { .kind = CONSTRUCT_PL, .point = { .main = 5 } };

	passed(u, "0", "5.B", 1000);
	rankset_add(&t.passed, 1, 1);
	assert_int_equal(gather_add(u->g, &t, GATHER_BYTES, 1001), 0);
	goes_up(u, 1001, "5.B[0] ");
	goes_up(u, 1001 + GATHER_MS, "5.B[1] ");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_point_of_all_goes_at_once),	     T(a_point_of_some_waits_a_little),
		T(no_rank_overtakes_itself),	     T(points_of_one_region_are_in_order),
		T(what_is_said_twice_is_not_merged), T(much_is_sent_at_once),
	};

	return cmocka_run_group_tests_name("gather", tests, NULL, NULL);
}
