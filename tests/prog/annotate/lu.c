/* SPDX-License-Identifier: BSD-3-Clause */
/* LU without pivoting, blocks of B rows dealt out in turn: lu N B [FAULT]. B 1: cyclic rows. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n, b, rank, size;

static int owner(int row) { return row / b % size; }
static int local_of(int row) { return row / (b * size) * b + row % b; }
static int global_of(int l) { return (l / b * size + rank) * b + l % b; }

int main(int argc, char **argv)
{
	int nl = 0, fault;
	double *a, *pivot, logdet = 0, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = argc > 1 ? atoi(argv[1]) : 24;
	b = argc > 2 ? atoi(argv[2]) : 1;
	fault = argc > 3 ? atoi(argv[3]) : 0;
	for (int i = 0; i < n; i++)
		nl += owner(i) == rank;
	a = malloc(nl * n * sizeof *a);
	pivot = malloc(n * sizeof *pivot);

	for (int l = 0; l < nl; l++)
		for (int j = 0; j < n; j++) {
			int i = global_of(l);

			a[l * n + j] = i == j ? n + 1.0 : 1.0 / (1 + abs(i - j)) + 0.001 * j;
		}

	for (int k = 0; k < n - 1; k++) {
		if (owner(k) == rank)
			for (int j = k; j < n; j++)
				pivot[j] = a[local_of(k) * n + j];
		if (fault != 1 || k % 5 != 3)
			MPI_Bcast(pivot + k, n - k, MPI_DOUBLE, owner(k), MPI_COMM_WORLD);
		for (int l = 0; l < nl; l++) {
			if (global_of(l) <= k)
				continue;
			double f = a[l * n + k] / pivot[k];

			a[l * n + k] = f;
			for (int j = k + 1; j < n; j++)
				a[l * n + j] -= f * pivot[j];
		}
	}

	for (int l = 0; l < nl; l++)
		logdet += log(fabs(a[l * n + global_of(l)]));
	MPI_Allreduce(&logdet, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("lu: log det %.10g\n", all);
	free(a);
	free(pivot);
	MPI_Finalize();
	return 0;
}
