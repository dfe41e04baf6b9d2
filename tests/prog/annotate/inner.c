/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inner N STEPS: rows of a plate, the inner ones while messages travel, the first and the last one by
 * loops of their own behind that */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define W 70

static double a[W][W], b[W][W];
static int n, m, lo;

static double mean(int i, int j)
{
	return 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}

static void split(int rank, int size)
{
	lo = rank * n / size;
	m = (rank + 1) * n / size - lo;
}

/* what each rank has is in order */
static void check(int rank, int size)
{
	int *all = rank ? NULL : malloc((size_t)size * sizeof(*all));

	MPI_Gather(&lo, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 1; !rank && i < size; i++)
		if (all[i] < all[i - 1])
			fprintf(stderr, "the rows of rank %d are in front of others\n", i);
	free(all);
}

int main(int argc, char **argv)
{
	int rank, size, steps, up, down;
	double s = 0, all;
	MPI_Request q[4];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = argc > 1 ? atoi(argv[1]) : 40;
	steps = argc > 2 ? atoi(argv[2]) : 6;
	if (n > W - 2)
		MPI_Abort(MPI_COMM_WORLD, 1);
	split(rank, size);
	up = rank ? rank - 1 : MPI_PROC_NULL;
	down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	for (int i = 1; i <= m; i++)
		for (int j = 1; j <= n; j++)
			a[i][j] = sin(0.3 * (lo + i)) + 0.1 * j;
	for (int k = 0; k < steps; k++) {
		MPI_Irecv(a[0], n + 2, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(a[m + 1], n + 2, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &q[1]);
		MPI_Isend(a[m], n + 2, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &q[2]);
		MPI_Isend(a[1], n + 2, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &q[3]);
		for (int i = 2; i < m; i++) /* inner ones */
			for (int j = 1; j <= n; j++)
				b[i][j] = mean(i, j);
		MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
		for (int j = 1; j <= n; j++) /* first */
			b[1][j] = mean(1, j);
		for (int j = 1; j <= n; j++) /* last */
			b[m][j] = mean(m, j);
		for (int i = 1; i <= m; i++)
			for (int j = 1; j <= n; j++)
				a[i][j] = b[i][j];
	}
	for (int i = 1; i <= m; i++)
		for (int j = 1; j <= n; j++)
			s += a[i][j] * a[i][j];
	MPI_Allreduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("norm %.10e\n", sqrt(all));
	check(rank, size);
	MPI_Finalize();
	return 0;
}
