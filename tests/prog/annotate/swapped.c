/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat on rows that tables point to, new and old swapped; inner rows while messages are under way,
 * the outer ones behind. The profile at the end is memory of its own.
 * swapped ROWS COLUMNS STEPS
 */
#include <stdio.h>
#include <stdlib.h>
#include <mpi.h>

static int rank, ranks, n, m, first, rows;

static double **new_field(void)
{
	double **a = malloc((rows + 2) * sizeof(*a));

	a[0] = calloc((rows + 2) * m, sizeof(**a));
	for (int i = 1; i < rows + 2; i++)
		a[i] = a[i - 1] + m;
	return a;
}

static void begin(double **u)
{
	for (int i = 1; i <= rows; i++)
		for (int j = 0; j < m; j++) {
			u[i][j] = 1 + 0.01 * ((first + i) * 7 % 13) + 0.02 * (j * 5 % 11);
		}
}

static void step(int lo, int hi, double **u, double **un)
{
	for (int i = lo; i <= hi; i++)
		for (int j = 0; j < m; j++)
			un[i][j] = 0.5 * u[i][j] + 0.25 * (u[i - 1][j] + u[i + 1][j]);
}

static void profile(double **u)
{
	double *mid = malloc(rows * sizeof(*mid)), s = 0, all;

	for (int i = 0; i < rows; i++)
		mid[i] = u[i + 1][m / 2];
	for (int i = 0; i < rows; i++)
		s += mid[i];
	MPI_Reduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("in the middle %.12g\n", all);
	free(mid);
}

int main(int argc, char **argv)
{
	double **u, **un, **t, s = 0, all;
	MPI_Request req[4];
	int steps;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n = atoi(argv[1]);
	m = atoi(argv[2]);
	steps = atoi(argv[3]);
	first = n * rank / ranks;
	rows = n * (rank + 1) / ranks - first;
	u = new_field();
	un = new_field();
	begin(u);
	for (int k = 0; k < steps; k++) {
		int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;

		MPI_Irecv(u[0], m, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, req);
		MPI_Irecv(u[rows + 1], m, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, req + 1);
		MPI_Isend(u[rows], m, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, req + 2);
		MPI_Isend(u[1], m, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, req + 3);
		step(2, rows - 1, u, un);
		MPI_Waitall(4, req, MPI_STATUSES_IGNORE);
		step(1, 1, u, un);
		if (rows > 1)
			step(rows, rows, u, un);
		t = u;
		u = un;
		un = t;
	}
	profile(u);
	for (int i = 1; i <= rows; i++)
		for (int j = 0; j < m; j++)
			s += u[i][j];
	MPI_Reduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("sum %.12g\n", all);
	free(u[0]);
	free(u);
	free(un[0]);
	free(un);
	MPI_Finalize();
	return 0;
}
