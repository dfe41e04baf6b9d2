/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The front end over a simulated tree of many nodes: each looking verb stays within a screen, tells
 * the right ranks, and with --json tells all of them. 64 nodes; in the set all 1,024, too; with
 * DVMDBG_LONG 4,096 and 16,384.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/logical/rankset.h"
#include "frontend/session/session.h"
#include "tests/sim/play.h"
#include "tests/sim/sim.h"
#include "tests/unit/fake_node.h"
#include "tests/unit/set.h"

#define SCREEN 24
#define COLUMNS 160

static uint32_t ranks; /* of the present round */

static struct play *begin(const char *scenario, bool json)
{
	struct play *p = play_begin(ranks, scenario, json);

	assert_non_null(p);
	return p;
}

/* Runs it; the answer has to fit a screen. */
static const char *look(struct play *p, const char *line)
{
	struct play_result r = play_run(p, line);

	assert_int_equal(r.rc, 0);
	if (r.lines > SCREEN || r.columns > COLUMNS)
		fail_msg("%s: %zu lines of up to %zu columns:\n%.3000s", line, r.lines, r.columns,
			 r.text);
	return r.text;
}

static bool has(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

/* The text has this line, made with the number of ranks and others. */
#define HAS(text, ...)                                                  \
	do {                                                            \
		char want[300];                                         \
                                                                        \
		snprintf(want, sizeof(want), __VA_ARGS__);              \
		if (!has(text, want))                                   \
			fail_msg("no \"%s\" in:\n%.3000s", want, text); \
	} while (0)

/*
 * What comes to the root depends on how unlike ranks are, and not on how many they are. On a busy
 * machine a few nodes are late, and their part comes apart from the others'.
 */
static uint64_t few(void)
{
	return 2000 + 8 * ranks;
}

static void test_same(void **state)
{
	struct play *p = begin("same", false);
	struct play_result r;

	HAS(look(p, "step"), "Point 3.B  [0:%u]  parallel loop  heat.c:61\n", ranks - 1);
	r = play_run(p, "where");
	HAS(r.text, "  0  synchronized    [0:%u]  PL  heat.c:61   3.B\n", ranks - 1);
	assert_int_equal(r.lines, 3);
	assert_true(r.bytes < few());
	HAS(look(p, "status"), "  [0:%u]  stopped   step  3.B  PL  heat.c:61\n", ranks - 1);
	assert_string_equal(look(p, "print x"), "x = 0.5\n");
	assert_true(play_run(p, "status").bytes < few());
	HAS(look(p, "print u[5]"), "u[5] = 5.0009765625\n");
	HAS(look(p, "decomp u"), "... %u more groups: decomp u -all\n", ranks - 20);
	assert_string_equal(look(p, "differ"), "no value differs, of 2 replicated objects\n");
	look(p, "what");
	look(p, "points");
	play_end(p);
}

static void test_odd(void **state)
{
	struct play *p = begin("odd", false);
	uint32_t odd = ranks / 2;

	look(p, "step");
	HAS(look(p, "print x"), "x = <differing>   [%u]: 1.5    [0:%u,%u:%u]: 0.5\n", odd, odd - 1,
	    odd + 1, ranks - 1);
	HAS(look(p, "where"), "SL  heat.c:52   iteration 2\n");
	HAS(look(p, "differ"), "x = <differing>   [%u]: 1.5 ", odd);
	play_end(p);
}

static void test_alternate(void **state)
{
	struct play *p = begin("alternate", false);

	look(p, "step");
	HAS(look(p, "print x"), " [0,2,4,6,8,10,12,14,16,18,20,22,...] (%u): 0.5", ranks / 2);
	HAS(look(p, "where"),
	    "[1,3,5,7,9,11,13,15,17,19,21,23,...] (%u)  SL  heat.c:52   iteration 2\n", ranks / 2);
	HAS(look(p, "where"), "  0  unsynchronized  [0:%u]  PL  heat.c:61   3.B\n", ranks - 1);
	assert_true(has(play_run(p, "print x -all").text, ",58,60,62"));
	play_end(p);
}

static void test_groups(void **state)
{
	struct play *p = begin("groups", false);

	look(p, "step");
	HAS(look(p, "print x"), "   ... 44 more groups: print x -all\n");
	HAS(look(p, "print x"), "   least 0.5 on [0");
	look(p, "where");
	look(p, "status");
	assert_int_equal(play_run(p, "print x -all").lines, 65);
	play_end(p);
}

static void test_all(void **state)
{
	struct play *p = begin("all", false);

	look(p, "step");
	HAS(look(p, "print x"), "   ... %u more groups: print x -all\n", ranks - 20);
	HAS(look(p, "print x"), "   least 0.5 on [0], greatest %u.5 on [%u]\n", ranks - 1,
	    ranks - 1);
	HAS(look(p, "where"), "       [0]   SL  heat.c:52   iteration 1\n");
	HAS(look(p, "where"), "more groups: where -all\n");
	HAS(look(p, "differ"), "x = <differing>\n");
	HAS(look(p, "print 2*x"), "greatest %u on [%u]\n", 2 * ranks - 1, ranks - 1);
	assert_int_equal(play_run(p, "print x -all").lines, ranks + 1);
	assert_int_equal(play_run(p, "set MAX_GROUPS = 5").rc, 0);
	HAS(look(p, "print x"), "   ... %u more groups: print x -all\n", ranks - 5);
	play_run(p, "unset MAX_GROUPS");
	play_end(p);
}

/* Stops, states and ends that are all different. */
static void test_scatter(void **state)
{
	struct play *p = begin("scatter", false);

	HAS(look(p, "step"), "more groups of ranks: status -all\n");
	HAS(look(p, "status"), "... %u more groups: status -all\n", ranks - 20);
	HAS(look(p, "status"), "  [1]   stopped   step  3.B  SL  heat.c:52   iteration %d\n", 2);
	look(p, "where");
	assert_int_equal(play_run(p, "status -all").lines, ranks + 1);
	play_end(p);
}

static void test_running(void **state)
{
	struct play *p = begin("running", false);

	assert_int_equal(play_run(p, "go").rc, 0);
	HAS(look(p, "status"), "... %u more groups: status -all\n", ranks - 20);
	HAS(look(p, "status"), "  [0]   running   last seen at 3.B");
	look(p, "where");
	play_end(p);
}

/* Those that run are named, as many as fit on a line. */
static void test_many_run(void **state)
{
	struct play *p = begin("running", false);
	char line[1000] = "[1", *end = line + 2;

	for (unsigned r = 3; r < ranks && r < 400; r += 2)
		end += sprintf(end, ",%u", r);
	strcpy(end, "] go");
	assert_int_equal(play_run(p, line).rc, 0);
	HAS(look(p, "where"),
	    "[1,3,5,7,9,11,13,15,17,19,21,23,...] (%u) still running: the stack of this moment\n",
	    ranks > 400 ? 200 : ranks / 2);
	play_end(p);
}

/* Who waits for whom; that so many can never go on is one line, and those are named by how far they
 * are from each. */
static void test_hangs(void **state)
{
	struct play *p = begin("ring", false);
	char line[200];

	assert_int_equal(play_run(p, "go").rc, 0);
	HAS(look(p, "hang"), "Deadlock: [0:%u] can never go on; nothing has moved for 3.0 s\n",
	    ranks - 1);
	snprintf(
		line, sizeof(line),
		"  [0:%u]  MPI_Recv from rank+1, tag 7, 4 MPI_DOUBLE on MPI_COMM_WORLD (%u ranks)  "
		"heat.c:88",
		ranks - 1, ranks);
	HAS(look(p, "hang"), "%s", line);
	HAS(look(p, "hang"), "waits for [0:%u]\n", ranks - 1);
	HAS(look(p, "hang"), " for ... (%u ranks)\n", ranks);
	look(p, "status -mpi");
	play_end(p);

	p = begin("late", false);
	assert_int_equal(play_run(p, "go").rc, 0);
	HAS(look(p, "hang"), "Deadlock: [0:%u] can never go on; nothing has moved for 3.0 s\n",
	    ranks - 1);
	HAS(look(p, "hang"), "\n  [%u]", ranks / 2);
	HAS(look(p, "hang"),
	    "MPI_Recv from 0, tag 7, 4 MPI_DOUBLE on MPI_COMM_WORLD (%u ranks)  heat.c:88", ranks);
	HAS(look(p, "hang"), "  heat.c:93  for 3.0 s, waits for [%u]\n", ranks / 2);
	HAS(look(p, "hang"), "  rank 0 waits for rank %u, rank %u for rank 0\n", ranks / 2,
	    ranks / 2);
	play_end(p);
}

static void test_exits(void **state)
{
	uint32_t codes = ranks < 256 ? ranks : 256;
	struct play *p = begin("exits", false);

	HAS(look(p, "cont"), "All ranks have ended.\n");
	HAS(look(p, "status"), "... %u more groups: status -all\n", codes - 20);
	play_end(p);
}

/* The ranks of all objects in the list, which part those that there are. */
static void parts_all(const json_t *list)
{
	struct rankset all = { 0 };
	char text[64];

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *set =
			json_string_value(json_object_get(json_array_get(list, i), "ranks"));
		char *inner = strndup(set + 1, strlen(set) - 2);
		struct rankset one = { 0 };

		assert_int_equal(rankset_parse(&one, inner, NULL), 0);
		assert_false(rankset_meets(&all, &one));
		assert_int_equal(rankset_add_set(&all, &one), 0);
		rankset_clear(&one);
		free(inner);
	}
	snprintf(text, sizeof(text), "[0:%u]", ranks - 1);
	assert_string_equal(rankset_format(&all, text, sizeof(text)), text);
	assert_int_equal(rankset_count(&all), ranks);
	rankset_clear(&all);
}

static json_t *object(struct play *p, const char *line)
{
	json_t *o = json_loads(play_run(p, line).text, 0, NULL);

	assert_non_null(o);
	return o;
}

static void test_json(void **state)
{
	struct play *p = begin("all", true);
	json_t *o;

	play_run(p, "step");
	o = object(p, "print x");
	assert_int_equal(json_array_size(json_object_get(o, "groups")), ranks);
	parts_all(json_object_get(o, "groups"));
	json_decref(o);
	o = object(p, "where");
	parts_all(json_object_get(json_array_get(json_object_get(o, "frames"), 1), "variants"));
	json_decref(o);
	o = object(p, "decomp u");
	parts_all(json_object_get(o, "list"));
	json_decref(o);
	play_end(p);

	p = begin("scatter", true);
	assert_true(play_run(p, "step").lines >= ranks);
	o = object(p, "status");
	parts_all(json_object_get(o, "groups"));
	json_decref(o);
	play_end(p);
}

/* A long script does not make the front end larger. */
static void test_script(void **state)
{
	static const char *const lines[] = { "print x", "where",  "status", "[0:1] print u[3]",
					     "what",	"points", "differ", "nonsense" };
	struct play *p = begin("groups", false);
	size_t n = sizeof(lines) / sizeof(lines[0]), before = 0, after;
	unsigned most = getenv("DVMDBG_LONG") ? 10000 : in_set_times(1000, 400, 120);
	unsigned commands = ranks > 64 ? 0 : most;
	struct session *s = play_session(p);

	look(p, "step");
	/* as read from a file: the history of a session is what a user has typed */
	s->shell->nesting++;
	for (unsigned i = 0; i < commands; i++) {
		if (i == commands / 2)
			before = mallinfo2().uordblks;
		play_run(p, lines[i % n]);
	}
	s->shell->nesting--;
	after = mallinfo2().uordblks;
	if (commands && after > before + commands * 64)
		fail_msg("%zu bytes after half of %u commands, %zu after all", before, commands,
			 after);
	play_end(p);
}

static int set_ranks(void **state)
{
	ranks = *(const uint32_t *)*state;
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),	  cmocka_unit_test(test_odd),
		cmocka_unit_test(test_alternate), cmocka_unit_test(test_groups),
		cmocka_unit_test(test_all),	  cmocka_unit_test(test_scatter),
		cmocka_unit_test(test_running),	  cmocka_unit_test(test_many_run),
		cmocka_unit_test(test_hangs),	  cmocka_unit_test(test_exits),
		cmocka_unit_test(test_json),	  cmocka_unit_test(test_script),
	};
	enum { TESTS = sizeof(tests) / sizeof(*tests), SIZES = 4 };
	static uint32_t sizes[SIZES] = { 64, 1024, 4096, 16384 };
	static struct CMUnitTest all[SIZES * TESTS];
	static char name[SIZES * TESTS][64];
	size_t rounds = getenv("DVMDBG_LONG") ? SIZES : in_set_all() ? 2 : 1;
	int failed;

	if (fake_node_wanted())
		return sim_main(argv);
	if (fake_node_setup() < 0)
		return 1;
	for (size_t i = 0; i < SIZES * TESTS; i++) {
		all[i] = tests[i % TESTS];
		all[i].setup_func = set_ranks;
		all[i].initial_state = &sizes[i / TESTS];
		snprintf(name[i], sizeof(name[i]), "%s, %u nodes", all[i].name, sizes[i / TESTS]);
		all[i].name = name[i];
	}
	/* one plan for all sizes */
	failed = _cmocka_run_group_tests("scale", all, rounds * TESTS, NULL, NULL);
	fake_node_cleanup();
	return failed;
}
