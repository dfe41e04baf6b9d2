/* SPDX-License-Identifier: BSD-3-Clause */
/* A square of fixed size in main's frame; rows are divided: frame STEPS [FAULT] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N 30

int main(int argc, char *argv[])
{
	double a[N][N], b[N][N];
	int p, np, it, i, j, steps = argc > 1 ? atoi(argv[1]) : 5, fault = argc > 2 ? atoi(argv[2]) : 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &p);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	int first = p * N / np, last = (p + 1) * N / np - 1;

	for (i = first; i <= last; i++)
		for (j = 0; j < N; j++)
			a[i][j] = b[i][j] = (i * 7 + j * 3) % 11;
	for (it = 0; it < steps; it++) {
		if (p > 0 && fault != 1)
			MPI_Sendrecv(a[first], N, MPI_DOUBLE, p - 1, 0, a[first - 1], N, MPI_DOUBLE, p - 1, 0,
				     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (p < np - 1)
			MPI_Sendrecv(a[last], N, MPI_DOUBLE, p + 1, 0, a[last + 1], N, MPI_DOUBLE, p + 1, 0,
				     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (i = first > 0 ? first : 1; i <= last && i < N - 1; i++)
			for (j = 1; j < N - 1; j++)
				b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
		for (i = first; i <= last; i++)
			for (j = 1; j < N - 1; j++)
				a[i][j] = b[i][j];
	}
	double mine = 0, sum;
	for (i = first; i <= last; i++)
		for (j = 0; j < N; j++)
			mine += a[i][j];
	MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!p)
		printf("frame: %.12g\n", sum);
	MPI_Finalize();
	return 0;
}
