/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With a second argument a loop leaves out the last row of each rank but the last one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int rank, size, n, m, first, bad;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = argc > 1 ? atoi(argv[1]) : 22;
	bad = argc > 2;
	m = n / size + (rank < n % size);
	first = rank * (n / size) + (rank < n % size ? rank : n % size);
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	double *u = malloc((m + 2) * n * sizeof(double)), s = 0, all;
	for (int i = 1; i <= m - (bad && rank + 1 < size); i++)
		for (int j = 0; j < n; j++)
			u[i * n + j] = (first + i) * 0.3 + j;
	for (int t = 0; t < 3; t++) {
		MPI_Sendrecv(u + n, n, MPI_DOUBLE, up, 1, u + (m + 1) * n, n, MPI_DOUBLE, down, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 1; i <= m - (bad && rank + 1 < size); i++)
			for (int j = 0; j < n; j++)
				u[i * n + j] =
					0.5 * (u[i * n + j] +
					       (i < m || rank + 1 < size ? u[(i + 1) * n + j] : 0));
	}
	for (int i = 1; i <= m; i++)
		for (int j = 0; j < n; j++)
			s += u[i * n + j];
	MPI_Reduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%.12g\n", all);
	MPI_Finalize();
	return 0;
}
