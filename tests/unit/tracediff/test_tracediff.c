/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Correct programs on any numbers of ranks, with any distribution, have no finding.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/trace_check.h"
#include "tests/unit/set.h"

static const struct program {
	const char *name;
	synth_program *run;
	long n, steps;
	bool rows; /* what a rank's iterations access lies in its rows only */
} programs[] = {
	{ "jacobi", synth_jacobi, 17, 3, false },      { "seidel", synth_seidel, 13, 3, false },
	{ "transpose", synth_transpose, 12, 2, true }, { "tasks", synth_tasks, 9, 2, true },
	{ "nest", synth_nest, 12, 2, true },
};

static struct synth_plan plan_of(unsigned ranks, enum synth_dist dist, bool marks)
{
	return (struct synth_plan){
		.ranks = ranks, .dist = dist, .marks = marks, .level = 3, .order = 'C'
	};
}

/* Whether the program can run so: halos are as wide as it reads. */
static bool fits(const struct program *g, const struct synth_plan *p)
{
	if (p->dist == SYNTH_CYCLIC)
		return g->rows || p->ranks == 1;
	return p->dist != SYNTH_BLOCKS || !g->rows;
}

static void pairs(const struct program *g, bool marks)
{
	static const unsigned refs[] = { 1, 2, 3 }, nows[] = { 1, 2, 3, 4, 6 };
	char what[128];

	for (unsigned r = 0; r < 3; r += in_set_all() ? 1 : 2)
		for (unsigned d = 0; d < 4; d++) {
			struct synth_plan ref = plan_of(refs[r], d, marks);

			if (!fits(g, &ref))
				continue;
			synth_record(check_dir(), &ref, g->run, g->n, g->steps, NULL, 0);
			for (unsigned i = 0; i < 5; i += in_set_times(1, 1, 3))
				for (unsigned e = 0; e < 4; e++) {
					struct synth_plan now = plan_of(nows[i], e, marks);
					struct check c;

					now.backwards = (i + e) % 3 == 1 && g->run != synth_seidel;
					now.redundant = e == SYNTH_ROWS && i % 2;
					now.threads = 1 + (i + r) % 3;
					if (!fits(g, &now))
						continue;
					snprintf(what, sizeof(what),
						 "%s%s: %u ranks (%d) with %u (%u)", g->name,
						 marks ? "" : " without marks", nows[i], e, refs[r],
						 d);
					c = check_run(&now, g->run, g->n, g->steps, NULL, 0);
					check_none(&c, what);
					assert_true(c.state.compared > 100);
				}
		}
}

static void marked(void **state)
{
	for (unsigned i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		pairs(&programs[i], true);
}

static void unmarked(void **state)
{
	for (unsigned i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		pairs(&programs[i], false);
}

static int after(void **state)
{
	check_remove();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marked),
		cmocka_unit_test(unmarked),
	};

	return cmocka_run_group_tests(tests, NULL, after);
}
