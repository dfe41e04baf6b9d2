/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loops with OpenMP whose iterations conflict, and near misses: with any number of threads, also
 * when one has executed both. As cases.c has it, each is chosen by its name, and what is to be
 * found stands before it.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define N 64

static int x;
static double a[N + 1], b[N + 1];

/* @pair halves w w ww a
 * @pair halves w w wr a */
static void halves(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++)
		a[i / 2] += 1; /* @halves.w */
}

/* @right halves-right */
static void halves_right(void)
{
#pragma omp parallel for schedule(static, 2)
	for (int i = 0; i < N; i += 2)
		a[i / 2] += 1;
}

/* @pair collapsed w w wr b */
static void collapsed(void)
{
#pragma omp parallel for collapse(2)
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			if (i * 8 + j > 60)
				b[i * 8 + j] = b[i * 8 + j - 1]; /* @collapsed.w */
			else
				a[i * 8 + j] = j;
}

/* @right collapsed-right */
static void collapsed_right(void)
{
#pragma omp parallel for collapse(2)
	for (int i = 0; i < 8; i++) {
		for (int j = 0; j < 8; j++)
			for (int k = 0; k < 4; k++)
				if (k == j)
					continue;
				else
					a[i * 8 + j] += k;
	}
}

/* @pair inner w w ww x
 * @pair inner w w wr x */
static void inner(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++)
			for (int j = 0; j < 3; j++)
				if (i == 2 || i == 3)
					x += j; /* @inner.w */
	}
}

/* @right behind */
static void behind(void)
{
#pragma omp parallel num_threads(2)
	{
		double mine[N] = { 0 };

#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			a[i] = i;
#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			mine[i % 3] += a[i];
#pragma omp critical
		x += (int)mine[1];
	}
}

/* @right thrice */
static void thrice(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			a[i] = i;
#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			b[i] = a[i];
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++)
			a[i] += b[i];
	}
}

/* @right scratch */
static void scratch(void)
{
#pragma omp parallel
	{
		double *mine = malloc(N * sizeof(*mine));

#pragma omp for schedule(static)
		for (int i = 0; i < N; i++) {
			for (int j = 0; j < N; j++)
				mine[j] = j + a[i];
			b[i] = mine[i];
		}
		free(mine);
	}
}

/* Which memory is a thread's own only its number tells: no proof.
 *
 * @right numbered */
static void numbered(void)
{
	static double sum[64];

#pragma omp parallel
	{
		int me = omp_get_thread_num();

#pragma omp for schedule(static)
		for (int i = 0; i < N; i++)
			sum[me] += a[i];
	}
}

/* @pair zero w w wr a */
static void zero(void)
{
#pragma omp parallel for
	for (int i = 1; i < 2; i++)
		b[i] = 1;
#pragma omp parallel for
	for (int i = 1; i <= 4; i++)
		a[i] = a[i - 1]; /* @zero.w */
}

/* @pair chunk w w wr a */
static void chunk(void)
{
#pragma omp parallel for schedule(dynamic, 64)
	for (int i = 1; i <= N; i++)
		a[i] = a[i - 1] + 1; /* @chunk.w */
}

/* @pair grain w w wr a */
static void grain(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(1)
	for (int i = 1; i <= N; i++)
		a[i] = a[i - 1] + 1; /* @grain.w */
}

static void set(int *p, int value)
{
	*p = value;
}

/* @right escaping */
static void escaping(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++) {
		int mine;

		set(&mine, i);
		a[i] = mine;
	}
}

/* No marks of iterations, as the number of loops is not a plain one.
 *
 * @right unseen */
static void unseen(void)
{
#pragma omp parallel for collapse(1 + 1)
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			a[i * 8 + j] = j;
}

/* The directive loop; clang 14 has each thread execute all of it.
 * @right bound */
static void bound(void)
{
#pragma omp parallel
	{
#pragma omp for order(concurrent)
		for (int i = 0; i < N; i++)
			a[i] = i;
#ifdef __clang__
#pragma omp for
#else
#pragma omp loop bind(parallel)
#endif
		for (int i = 0; i < N; i++)
			b[i] = a[N - 1 - i];
	}
}

int main(int argc, char **argv)
{
	static const struct named_case cases[] = {
		{ "halves", halves },	    { "halves-right", halves_right },
		{ "collapsed", collapsed }, { "collapsed-right", collapsed_right },
		{ "inner", inner },	    { "behind", behind },
		{ "scratch", scratch },	    { "thrice", thrice },
		{ "numbered", numbered },   { "zero", zero },
		{ "chunk", chunk },	    { "grain", grain },
		{ "escaping", escaping },   { "unseen", unseen },
		{ "bound", bound }
	};

	return run_named(argc, argv, cases, sizeof(cases) / sizeof(*cases));
}
