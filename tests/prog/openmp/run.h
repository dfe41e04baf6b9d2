/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the case that the argument names; the exit status of the program. */
#include <stdio.h>
#include <string.h>

struct named_case {
	const char *name;
	void (*run)(void);
};

static int run_named(int argc, char **argv, const struct named_case *cases, size_t n)
{
	for (size_t i = 0; argc == 2 && i < n; i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			printf("%s done\n", cases[i].name);
			return 0;
		}
	fprintf(stderr, "usage: %s CASE\n", argv[0]);
	return 2;
}
