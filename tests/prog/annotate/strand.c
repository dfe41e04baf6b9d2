/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that are allocated one by one, each behind its number: no mark can name them. strand CELLS STEPS [stale] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n, rank, size, local, first;

struct row {
	long number;
	double v[];
};

static struct row **table(void)
{
	struct row **t = malloc((size_t)(local + 2) * sizeof(*t));

	for (int i = 0; i < local + 2; i++) {
		t[i] = calloc(1, sizeof(**t) + (size_t)n * sizeof(double));
		t[i]->number = first + i;
	}
	return t;
}

static void exchange(struct row **u)
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(u[1]->v, n, MPI_DOUBLE, up, 1, u[local + 1]->v, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(u[local]->v, n, MPI_DOUBLE, down, 2, u[0]->v, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

static void relax(struct row **u, struct row **w)
{
	for (int i = 1; i <= local; i++)
		for (int j = 1; j < n - 1; j++)
			w[i]->v[j] = 0.2 * (u[i]->v[j] + u[i - 1]->v[j] + u[i + 1]->v[j] + u[i]->v[j - 1] + u[i]->v[j + 1]);
}

int main(int argc, char **argv)
{
	int steps, stale = argc > 3;
	struct row **u, **w;
	double sum = 0, all;

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
			u[i]->v[j] = 1 + 0.1 * (first + i) * j + 0.01 * j * j * j;
	for (int s = 0; s < steps; s++) {
		struct row **t = u;

		exchange(stale ? w : u);
		relax(u, w);
		u = w;
		w = t;
	}
	for (int i = 1; i <= local; i++)
		for (int j = 0; j < n; j++)
			sum += u[i]->v[j];
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("strand: %.10g\n", all);
	MPI_Finalize();
	return 0;
}
