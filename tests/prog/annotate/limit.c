/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of a static structure that is broadcast, and a time step of all ranks: replicated. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
static struct {
	double biot, cfl;
	int n, steps;
} par;
static struct blk {
	int m, first, up, down;
} b;
static double dt, *u, *v;
static double limit(void)
{
	double most = 0, local = 0;
	for (int i = 1; i <= b.m; i++)
		for (int j = 0; j < par.n; j++)
			local = fmax(local, fabs(u[i * par.n + j]));
	MPI_Allreduce(&local, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return par.cfl / (1 + most);
}
static void halo(double *a)
{
	int n = par.n;
	MPI_Sendrecv(a + n, n, MPI_DOUBLE, b.up, 1, a + (b.m + 1) * n, n, MPI_DOUBLE, b.down, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(a + b.m * n, n, MPI_DOUBLE, b.down, 2, a, n, MPI_DOUBLE, b.up, 2,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
	int rank, size;
	double t = 0, s = 0, all, least, mine;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!rank) {
		par.biot = 0.3;
		par.cfl = 0.4;
		par.n = argc > 1 ? atoi(argv[1]) : 24;
		par.steps = argc > 2 ? atoi(argv[2]) : 4;
	}
	MPI_Bcast(&par, sizeof(par), MPI_BYTE, 0, MPI_COMM_WORLD);
	b.m = par.n / size + (rank < par.n % size);
	b.first = rank * (par.n / size) + (rank < par.n % size ? rank : par.n % size);
	b.up = rank ? rank - 1 : MPI_PROC_NULL;
	b.down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	u = calloc((b.m + 2) * par.n, sizeof(double));
	v = calloc((b.m + 2) * par.n, sizeof(double));
	for (int i = 1; i <= b.m; i++)
		for (int j = 0; j < par.n; j++)
			u[i * par.n + j] = (b.first + i) * 0.1 + j % 3;
	for (int k = 0; k < par.steps; k++) {
		halo(u);
		dt = limit();
		for (int i = 1; i <= b.m; i++) {
			for (int j = 1; j < par.n - 1; j++) {
				int c = i * par.n + j;
				v[c] = u[c] + dt * par.biot *
						      (u[c - par.n] + u[c + par.n] + u[c - 1] +
						       u[c + 1] - 4 * u[c]);
			}
		}
		mine = 1e30;
		for (int i = 1; i <= b.m; i++)
			for (int j = 1; j < par.n - 1; j++)
				mine = fmin(mine, v[i * par.n + j]);
		MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
		t += dt * (1 + 0 * least);
		double *x = u;
		u = v;
		v = x;
	}
	for (int i = 1; i <= b.m; i++)
		for (int j = 1; j < par.n - 1; j++)
			s += u[i * par.n + j];
	MPI_Reduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%.12g %.12g\n", all, t);
	MPI_Finalize();
	return 0;
}
