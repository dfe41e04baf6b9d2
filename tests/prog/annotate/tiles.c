/* SPDX-License-Identifier: BSD-3-Clause */
/* Two levels of a grid of structures in one static array, which has room for more. tiles ROWS STEPS
 * [FAULT] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define MOST 70

struct cell {
	double u, v;
};

static struct cell grid[2][MOST + 2][MOST];
static int n, first, local, rank, size, now, fault;

static void exchange(struct cell (*g)[MOST])
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(g[1], 2 * n, MPI_DOUBLE, up, 0, g[local + 1], 2 * n, MPI_DOUBLE, down, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!fault)
		MPI_Sendrecv(g[local], 2 * n, MPI_DOUBLE, down, 1, g[0], 2 * n, MPI_DOUBLE, up, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void react(void)
{
	struct cell (*a)[MOST] = grid[now], (*b)[MOST] = grid[1 - now];

	for (int i = 1; i <= local; i++)
		for (int j = 0; j < n; j++) {
			b[i][j].u = (a[i - 1][j].u + a[i + 1][j].u) / 2 - 0.1 * a[i][j].v;
			b[i][j].v = (a[i - 1][j].v + a[i + 1][j].v) / 2 + 0.1 * a[i][j].u;
		}
}

int main(int argc, char **argv)
{
	double sum = 0, all = 0;
	int steps;

	MPI_Init(&argc, &argv);
	n = argc > 1 ? atoi(argv[1]) : 20;
	steps = argc > 2 ? atoi(argv[2]) : 4;
	fault = argc > 3;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	first = n * rank / size;
	local = n * (rank + 1) / size - first;
	for (int i = 1; i <= local; i++)
		for (int j = 0; j < n; j++) {
			grid[0][i][j].u = 1 + 0.1 * sin(0.2 * (first + i) + 0.5 * j);
			grid[0][i][j].v = 0.1 * cos(0.3 * (first + i) - 0.7 * j);
		}
	for (int s = 0; s < steps; s++) {
		exchange(grid[now]);
		react();
		now = 1 - now;
	}
	for (int i = 1; i <= local; i++)
		for (int j = 0; j < n; j++)
			sum += grid[now][i][j].u * grid[now][i][j].v;
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%.12g\n", all);
	MPI_Finalize();
	return 0;
}
