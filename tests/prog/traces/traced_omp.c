/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parallel loops whose iterations are run, and marked, by several threads: traced_omp N STEPS.
 * Compiled by the tests.
 */
#include <stdio.h>
#include <stdlib.h>

#include "dvmdbg.h"

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100;
	int steps = argc > 2 ? atoi(argv[2]) : 3;
	double *u = calloc((size_t)n, sizeof(*u)), *v = calloc((size_t)n, sizeof(*v)), sum = 0;

	if (!u || !v)
		return 2;
	DVMDBG_ARRAY(u, .shape = { n });
	DVMDBG_ARRAY(v, .shape = { n });
	DVMDBG_SL(.range = { { 1, steps } })
	for (int t = 1; t <= steps; t++) {
		DVMDBG_ITERATION(t);
		DVMDBG_PL(.on = u, .range = { { 1, n - 2 } }, .writes = { v })
#pragma omp parallel for
		for (long i = 1; i < n - 1; i++) {
			DVMDBG_PL_ITERATION(i);
			v[i] = 0.5 * (u[i - 1] + u[i + 1]) + t;
		}
		DVMDBG_PL(.on = u, .range = { { 1, n - 2 } }, .writes = { u })
#pragma omp parallel for
		for (long i = 1; i < n - 1; i++) {
			DVMDBG_PL_ITERATION(i);
			u[i] = v[i];
		}
	}
	for (long i = 0; i < n; i++)
		sum += u[i];
	printf("traced_omp: %.10g\n", sum);
	return 0;
}
