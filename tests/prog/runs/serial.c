/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program without MPI: one process, a parallel loop in each of three steps. Its argument is its status. */
#include <stdio.h>
#include <stdlib.h>
#include "dvmdbg.h"

int main(int argc, char **argv)
{
	double a[8] = { 0 };
	int total = 0;

	DVMDBG_FUNCTION();
	DVMDBG_ARRAY(a, .shape = { 8 });
	DVMDBG_REPLICATED(total);
	DVMDBG_SL(.range = { { 1, 3 } })
	for (int t = 1; t <= 3; t++) {
		DVMDBG_ITERATION(t);
		DVMDBG_PL(.on = a, .range = { { 0, 7 } })
		for (int i = 0; i < 8; i++)
			a[i] = 10 * t + i;
		total += t;
	}
	printf("serial: total %d, last %g\n", total, a[7]);
	return argc > 1 ? atoi(argv[1]) : 0;
}
