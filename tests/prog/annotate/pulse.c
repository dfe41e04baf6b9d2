/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A wave on a ring, as users write it: inner points while messages are under way, each edge by
 * itself behind them. With "short" c2 is not broadcast, with "twice" the norm counts halo, too.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double now[500], old[500], new[500];

int main(int argc, char **argv)
{
	int n, steps, rank, size, lo, m, left, right;
	const char *fault = argc > 3 ? argv[3] : "";
	double c2 = 0.1, sum = 0, all;
	MPI_Request r[4];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = atoi(argv[1]);
	steps = atoi(argv[2]);
	if (!rank)
		c2 = 0.5;
	if (strcmp(fault, "short"))
		MPI_Bcast(&c2, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	lo = rank * n / size;
	m = (rank + 1) * n / size - lo;
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	for (int i = 1; i <= m; i++) {
		now[i] = sin(0.3 * (lo + i)) + 0.01 * (lo + i);
		old[i] = now[i];
	}
	for (int t = 0; t < steps; t++) {
		MPI_Irecv(&now[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(&now[m + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &r[1]);
		MPI_Isend(&now[m], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &r[2]);
		MPI_Isend(&now[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &r[3]);
		for (int i = 2; i < m; i++)
			new[i] = 2 * now[i] - old[i] + c2 * (now[i - 1] - 2 * now[i] + now[i + 1]);
		MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
		new[1] = 2 * now[1] - old[1] + c2 * (now[0] - 2 * now[1] + now[2]);
		new[m] = 2 * now[m] - old[m] + c2 * (now[m - 1] - 2 * now[m] + now[m + 1]);
		for (int i = 1; i <= m; i++) {
			old[i] = now[i];
			now[i] = new[i];
		}
	}
	for (int i = strcmp(fault, "twice") ? 1 : 0; i <= m; i++)
		sum += now[i] * now[i];
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* norm */
	if (!rank)
		printf("norm %.12g\n", all);
	MPI_Finalize();
	return 0;
}
