/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a stop and a question cost in a tree of N nodes: scale [-v] [N [SCENARIO [COMMAND...]]].
 * With -v the answers are shown. Or: scale script COUNT, commands one after another.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/session/session.h"
#include "tests/sim/play.h"
#include "tests/sim/sim.h"
#include "tests/unit/fake_node.h"

static const char *const scenarios[] = { "same", "odd", "alternate", "groups", "all", "scatter" };
static const uint32_t sizes[] = { 64, 1024, 4096, 16384 };
static const char *const commands[] = { "step", "where", "status", "print x", "print u[0:9]" };
static bool verbose;

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The longest way of the last order, in microseconds; the next order has been given. */
static double longest(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[200];
	double usec = 0, all;
	unsigned order, nodes;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%u %lf %u %lf", &order, &usec, &nodes, &all) != 4)
			usec = 0;
	if (f)
		fclose(f);
	return usec;
}

static int measure(uint32_t n, const char *scenario, const char *const *command, size_t ncommand)
{
	char costs[64];
	struct play *p;

	snprintf(costs, sizeof(costs), "%s/costs", fake_node_dir());
	setenv("DVMDBG_SIM_COST", costs, 1);
	p = play_begin(n, scenario, false);
	if (!p)
		return 1;
	play_run(p, "step");
	for (size_t i = 0; i < ncommand; i++) {
		struct play_result r = play_run(p, command[i]);

		if (verbose)
			printf("%s\n", r.text);
		printf("%6u  %-9s  %-14s  %9.1f ms  %9llu bytes  %4zu lines", n, scenario,
		       command[i], 1e3 * r.seconds, (unsigned long long)r.bytes, r.lines);
		/* asks once more, so that what it was is written */
		play_run(p, "status");
		printf("  %9.2f ms way\n", longest(costs) / 1e3);
		fflush(stdout);
	}
	play_end(p);
	unlink(costs);
	return 0;
}

/* Kilobytes that the process holds. */
static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long pages = 0, all;

	if (f && fscanf(f, "%ld %ld", &all, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A script of so many commands over 64 nodes. */
static int script(unsigned count)
{
	static const char *const lines[] = { "print x",	      "where",	  "status",
					     "print 2*x + 1", "print dt", "[0:1] print x[0]" };
	struct play *p = play_begin(64, "groups", false);
	double all = 0;
	long at_start = 0;

	if (!p)
		return 1;
	play_run(p, "step");
	play_session(p)->shell->nesting++; /* as read from a file */
	for (unsigned i = 0; i < count; i++) {
		if (i == count / 10)
			at_start = resident();
		all += play_run(p, lines[i % COUNT(lines)]).seconds;
	}
	printf("%u commands over 64 nodes: %.3f ms each; %ld KiB after a tenth of them, %ld KiB "
	       "after "
	       "all\n",
	       count, 1e3 * all / count, at_start, resident());
	play_session(p)->shell->nesting--;
	play_end(p);
	return 0;
}

int main(int argc, char **argv)
{
	int rc = 0, first = 1;

	if (fake_node_wanted())
		return sim_main(argv);
	if (fake_node_setup())
		return 2;
	verbose = argc > 1 && !strcmp(argv[1], "-v");
	first += verbose;
	if (argc > first + 1 && !strcmp(argv[first], "script")) {
		rc = script((unsigned)atoi(argv[first + 1]));
	} else if (argc > first + 1) {
		const char *const *own = (const char *const *)argv + first + 2;
		size_t nown = (size_t)(argc - first - 2);

		rc = measure((uint32_t)atoi(argv[first]), argv[first + 1], nown ? own : commands,
			     nown ? nown : COUNT(commands));
	} else {
		for (size_t s = 0; !rc && s < COUNT(sizes); s++)
			for (size_t i = 0; !rc && i < COUNT(scenarios); i++)
				if (argc <= first || (uint32_t)atoi(argv[first]) == sizes[s])
					rc = measure(sizes[s], scenarios[i], commands,
						     COUNT(commands));
	}
	fake_node_cleanup();
	return rc;
}
