/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * csr SCALE HOW: conjugate gradients with the rows of a matrix in compressed form on the ranks, the
 * vector gathered for each product, and dot products in a function of their own, whose variables
 * nobody registers. rho is registered before it is set, which rounding makes another number on
 * several ranks. One fault on the last rank (`none`: none). Compiled by the tests, with hooks.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

enum { N = 60, STEPS = 3, NEAR = 5, MOST = 64 };
static int rank, size, count[MOST], before[MOST];
static const char *how;
static long r0, r1, *row, *column;
static double *value, *x, *r, *p, *q, *all;

static int is(const char *name)
{
	return size > 1 && rank == size - 1 && !strcmp(how, name);
}

static double dot(const double *a, const double *b, const char *name)
{
	double mine = 0, sum;

	for (long i = 0; i <= r1 - r0; i++)
		mine += a[i] * b[i];
	if (is(name))
		mine -= a[0] * b[0];
	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* sum */
	return sum;							    /* result */
}

static void matrix(void)
{
	static const long offset[NEAR] = { -7, -1, 0, 1, 7 };
	long n = 0;

	row = calloc((size_t)(r1 - r0 + 2), sizeof(*row));
	column = calloc((size_t)(r1 - r0 + 1) * NEAR, sizeof(*column));
	value = calloc((size_t)(r1 - r0 + 1) * NEAR, sizeof(*value));
	for (long i = r0; i <= r1; row[++i - r0] = n)
		for (int k = 0; k < NEAR; k++) {
			long j = i + offset[k];

			if (j < 0 || j >= N)
				continue;
			column[n] = j;
			value[n++] = k == NEAR / 2 ? 4.5 : -1;
		}
	if (is("column"))
		column[row[2]]++;
}

static double *vector(long n)
{
	return calloc((size_t)n, sizeof(double));
}

static void start(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	how = argc > 2 ? argv[2] : "none";
	for (int k = 0; k < size; k++) {
		before[k] = N * k / size;
		count[k] = N * (k + 1) / size - before[k];
	}
	r0 = before[rank];
	r1 = r0 + count[rank] - 1;
	matrix();
	x = vector(count[rank]);
	r = vector(count[rank]);
	p = vector(count[rank]);
	q = vector(count[rank]);
	all = vector(N);
}

static void product(void)
{
	MPI_Allgatherv(p, count[rank], MPI_DOUBLE, all, count, before, MPI_DOUBLE, MPI_COMM_WORLD);
	DVMDBG_PL(.on = q, .range = { { 0, N - 1 } }, .writes = { q }, .reads = { all })
	for (long i = r0; i <= r1; i++) {
		double s = 0;

		DVMDBG_PL_ITERATION(i);
		for (long k = row[i - r0]; k < row[i - r0 + 1]; k++)
			s += value[k] * all[column[k]]; /* product */
		q[i - r0] = s;
	}
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double scale = argc > 1 ? atof(argv[1]) : 1, alpha = 0, beta = 0, rho, old;

	start(argc, argv);
	rho = rank ? 0 : scale; /* not yet */
	DVMDBG_ARRAY(x, .shape = { N }, .own = { { r0, r1 } });
	DVMDBG_ARRAY(r, .shape = { N }, .own = { { r0, r1 } });
	DVMDBG_ARRAY(p, .shape = { N }, .own = { { r0, r1 } });
	DVMDBG_ARRAY(q, .shape = { N }, .own = { { r0, r1 } });
	DVMDBG_REPLICATED_ARRAY(all, N);
	DVMDBG_REPLICATED(alpha);
	DVMDBG_REPLICATED(beta);
	DVMDBG_REPLICATED(rho);
	DVMDBG_PL(.on = r, .range = { { 0, N - 1 } }, .writes = { r, p })
	for (long i = r0; i <= r1; i++) {
		DVMDBG_PL_ITERATION(i);
		r[i - r0] = p[i - r0] = scale * (1 + cos(0.2 * (double)i));
	}
	rho = dot(r, r, "first");
	DVMDBG_SL(.range = { { 1, STEPS } })
	for (int t = 1; t <= STEPS; t++) {
		DVMDBG_ITERATION(t);
		product();
		alpha = rho / dot(p, q, "dot"); /* alpha */
		DVMDBG_PL(.on = x, .range = { { 0, N - 1 } }, .writes = { x, r }, .reads = { p, q })
		for (long i = r0; i <= r1; i++) {
			DVMDBG_PL_ITERATION(i);
			x[i - r0] += alpha * p[i - r0];
			r[i - r0] -= alpha * q[i - r0];
		}
		old = rho;
		rho = dot(r, r, "late"); /* rho */
		beta = rho / old;	 /* beta */
		DVMDBG_PL(.on = p, .range = { { 0, N - 1 } }, .writes = { p }, .reads = { r })
		for (long i = r0; i <= r1; i++) {
			DVMDBG_PL_ITERATION(i);
			p[i - r0] = r[i - r0] + beta * p[i - r0];
		}
	}
	if (!rank)
		printf("rho %.10g\n", rho / scale / scale);
	MPI_Finalize();
	return 0;
}
