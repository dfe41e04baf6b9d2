/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Poisson by red-black Gauss-Seidel, until it changes no more.
 * redblack N TOLERANCE [FAULT]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <mpi.h>

struct grid {
	int n;           /* points along a side, rim included */
	int lo, hi;      /* own rows, global */
	double h;
	double *u, *f;   /* rows lo-1 .. hi+1 */
};

#define U(g, i, j) (g)->u[((i) - (g)->lo + 1) * (g)->n + (j)]
#define F(g, i, j) (g)->f[((i) - (g)->lo + 1) * (g)->n + (j)]

static int rank, nranks, fault;

static void renew(struct grid *g)
{
	int n = g->n, above = rank - 1, below = rank + 1;

	if (above < 0)
		above = MPI_PROC_NULL;
	if (below == nranks)
		below = MPI_PROC_NULL;
	MPI_Sendrecv(&U(g, g->hi, 0), n, MPI_DOUBLE, below, 0, &U(g, g->lo - 1, 0), n, MPI_DOUBLE,
		     above, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&U(g, g->lo, 0), n, MPI_DOUBLE, above, 0, &U(g, g->hi + 1, 0), n, MPI_DOUBLE,
		     below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double half_sweep(struct grid *g, int colour)
{
	int from = g->lo > 1 ? g->lo : 1, to = g->hi < g->n - 2 ? g->hi : g->n - 2;
	double sum = 0;

	for (int i = from; i <= to; i++) {
		for (int j = 1 + (i + 1 + colour) % 2; j < g->n - 1; j += 2) {
			double new = 0.25 * (U(g, i - 1, j) + U(g, i + 1, j) + U(g, i, j - 1) +
					     U(g, i, j + 1) - g->h * g->h * F(g, i, j));
			sum += (new - U(g, i, j)) * (new - U(g, i, j));
			U(g, i, j) = new;
		}
	}
	return sum;
}

static void init(struct grid *g)
{
	g->lo = rank * g->n / nranks;
	g->hi = (rank + 1) * g->n / nranks - 1;
	g->h = 1.0 / (g->n - 1);
	g->u = calloc((g->hi - g->lo + 3) * g->n, sizeof(double));
	g->f = calloc((g->hi - g->lo + 3) * g->n, sizeof(double));
	for (int i = g->lo; i <= g->hi; i++)
		for (int j = 0; j < g->n; j++) {
			U(g, i, j) = 0.1 * i;
			F(g, i, j) = sin(3 * i * g->h) * cos(2 * j * g->h);
		}
}

int main(int argc, char **argv)
{
	struct grid g;
	double tol, change = 1, part;
	int sweeps = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nranks);
	g.n = argc > 1 ? atoi(argv[1]) : 32;
	tol = argc > 2 ? atof(argv[2]) : 1e-2;
	fault = argc > 3 ? atoi(argv[3]) : 0;
	init(&g);
	while (change > tol && sweeps < 40) {
		renew(&g);
		part = half_sweep(&g, 0);
		if (fault != 1)
			renew(&g);
		part += half_sweep(&g, 1);
		MPI_Allreduce(&part, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		change = sqrt(change);
		sweeps++;
	}
	if (rank == 0)
		printf("redblack: %d sweeps, %.6g\n", sweeps, change);
	free(g.u);
	free(g.f);
	MPI_Finalize();
	return 0;
}
