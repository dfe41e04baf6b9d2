/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that are allocated one by one, which no mark can name. strand CELLS STEPS [stale] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n, rank, size, local, first;

static double **table(void)
{
	double **t = malloc((size_t)(local + 2) * sizeof(*t));

	for (int i = 0; i < local + 2; i++)
		t[i] = calloc((size_t)n, sizeof(**t));
	return t;
}

static void exchange(double **u)
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(u[1], n, MPI_DOUBLE, up, 1, u[local + 1], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(u[local], n, MPI_DOUBLE, down, 2, u[0], n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

static void relax(double **u, double **w)
{
	for (int i = 1; i <= local; i++)
		for (int j = 1; j < n - 1; j++)
			w[i][j] = 0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

int main(int argc, char **argv)
{
	int steps, stale = argc > 3;
	double **u, **w, sum = 0, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = argc > 1 ? atoi(argv[1]) : 20;
	steps = argc > 2 ? atoi(argv[2]) : 3;
	first = n * rank / size;
	local = n * (rank + 1) / size - first;
	u = table();
	w = table();
	for (int i = 1; i <= local; i++)
		for (int j = 0; j < n; j++)
			u[i][j] = 1 + 0.1 * (first + i) * j + 0.01 * j * j * j;
	for (int s = 0; s < steps; s++) {
		double **t = u;

		exchange(stale ? w : u);
		relax(u, w);
		u = w;
		w = t;
	}
	for (int i = 1; i <= local; i++)
		for (int j = 0; j < n; j++)
			sum += u[i][j];
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("strand: %.10g\n", all);
	MPI_Finalize();
	return 0;
}
