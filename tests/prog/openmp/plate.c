/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plate N STEPS FAULT: heat in a plate by threads, with marks. temp: all threads use one temporary; inplace: what
 * other threads write is read; sum: it is added up without a reduction; number: what is computed depends on the
 * number of the thread, without a race; critical, atomic, scratch, none: it is right.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

static const char *fault = "none";
static double scratch;
#pragma omp threadprivate(scratch)

static int is(const char *f)
{
	return !strcmp(fault, f);
}

/* So that others come in between. */
static void wait_a_little(void)
{
	for (volatile int k = 0; k < 200; k++)
		;
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	int n = argc > 1 ? atoi(argv[1]) : 40, steps = argc > 2 ? atoi(argv[2]) : 3;
	double(*u)[n] = malloc((size_t)n * sizeof(*u)), (*v)[n] = malloc((size_t)n * sizeof(*v));
	double change = 0, t = 0, last = 0;

	if (argc > 3)
		fault = argv[3];
	DVMDBG_ARRAY(u, .shape = { n, n });
	DVMDBG_ARRAY(v, .shape = { n, n });
	DVMDBG_REPLICATED(change);
	DVMDBG_PL(.range = { { 0, n - 1 }, { 0, n - 1 } }, .writes = { u, v })
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			DVMDBG_PL_ITERATION(i, j);
			u[i][j] = v[i][j] = sin(i * 0.1) * cos(j * 0.07) + (i * 7 + j) % 13;
		}
	DVMDBG_SL(.range = { { 1, steps } })
	for (int s = 1; s <= steps; s++) {
		DVMDBG_ITERATION(s);
		change = 0;
		DVMDBG_PL(.range = { { 1, n - 2 }, { 1, n - 2 } }, .writes = { v })
		if (is("temp")) {
#pragma omp parallel for /* @temp.region */
			for (int i = 1; i < n - 1; i++)
				for (int j = 1; j < n - 1; j++) {
					DVMDBG_PL_ITERATION(i, j);
					t = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]; /* @temp.write */
					wait_a_little();
					v[i][j] = 0.25 * t; /* @temp.read */
				}
		} else if (is("inplace")) {
#pragma omp parallel for /* @inplace.region */
			for (int i = 1; i < n - 1; i++)
				for (int j = 1; j < n - 1; j++) {
					DVMDBG_PL_ITERATION(i, j);
					v[i][j] = 0.25 * (v[i - 1][j] + v[i + 1][j] + v[i][j - 1] + v[i][j + 1]); /* @inplace.both */
				}
		} else if (is("number")) {
#pragma omp parallel for
			for (int i = 1; i < n - 1; i++)
				for (int j = 1; j < n - 1; j++) {
					DVMDBG_PL_ITERATION(i, j);
					v[i][j] = u[i][j] + omp_get_num_threads(); /* @number.write */
				}
		} else if (is("scratch")) {
#pragma omp parallel for
			for (int i = 1; i < n - 1; i++)
				for (int j = 1; j < n - 1; j++) {
					DVMDBG_PL_ITERATION(i, j);
					scratch = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
					v[i][j] = 0.25 * scratch;
				}
		} else {
#pragma omp parallel for
			for (int i = 1; i < n - 1; i++)
				for (int j = 1; j < n - 1; j++) {
					DVMDBG_PL_ITERATION(i, j);
					v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
				}
		}
		DVMDBG_PL(.range = { { 1, n - 2 }, { 1, n - 2 } }, .reads = { u, v })
		if (is("sum")) {
#pragma omp parallel for
			for (int i = 1; i < n - 1; i++)
				for (int j = 1; j < n - 1; j++) {
					DVMDBG_PL_ITERATION(i, j);
					change += fabs(u[i][j] - v[i][j]); /* @sum.both */
				}
		} else if (is("critical")) {
#pragma omp parallel for
			for (int i = 1; i < n - 1; i++)
				for (int j = 1; j < n - 1; j++) {
					DVMDBG_PL_ITERATION(i, j);
#pragma omp critical
					change += fabs(u[i][j] - v[i][j]);
				}
		} else if (is("atomic")) {
#pragma omp parallel for
			for (int i = 1; i < n - 1; i++)
				for (int j = 1; j < n - 1; j++) {
					DVMDBG_PL_ITERATION(i, j);
#pragma omp atomic
					change += fabs(u[i][j] - v[i][j]);
				}
		} else {
#pragma omp parallel for reduction(+ : change)
			for (int i = 1; i < n - 1; i++)
				for (int j = 1; j < n - 1; j++) {
					DVMDBG_PL_ITERATION(i, j);
					change += fabs(u[i][j] - v[i][j]);
				}
		}
		double(*w)[n] = u;

		u = v;
		v = w;
		last = change;
	}
	printf("change %.10g, centre %.10g\n", last, u[n / 2][n / 2]);
	DVMDBG_FORGET(u);
	DVMDBG_FORGET(v);
	free(u);
	free(v);
	return 0;
}
