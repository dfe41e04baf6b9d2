/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat from random values. They are those of the rows on any number of ranks; with FAULT those of
 * the rank.
 * seeds ROWS COLUMNS STEPS [FAULT]
 */
#include <stdio.h>
#include <stdlib.h>
#include <mpi.h>

static int rank, ranks, n, m, lo, rows;

static double random_next(unsigned long *s)
{
	*s = *s * 6364136223846793005UL + 1442695040888963407UL;
	return (double)(*s >> 33) / (1UL << 31);
}

static void begin(double *u, int fault)
{
	for (int i = 1; i <= rows; i++) {
		unsigned long s = fault && rank ? 1000 * rank + i : lo + i;

		for (int j = 0; j < m; j++)
			u[i * m + j] = random_next(&s);
	}
}

static void step(const double *u, double *v)
{
	for (int i = 1; i <= rows; i++)
		for (int j = 0; j < m; j++)
			v[i * m + j] = 0.5 * u[i * m + j] +
				       0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j]);
}

static void renew(double *u)
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, dn = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(u + m, m, MPI_DOUBLE, up, 0, u + (rows + 1) * m, m, MPI_DOUBLE, dn, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(u + rows * m, m, MPI_DOUBLE, dn, 0, u, m, MPI_DOUBLE, up, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	double *u, *v, sum = 0, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n = atoi(argv[1]);
	m = atoi(argv[2]);
	lo = n * rank / ranks;
	rows = n * (rank + 1) / ranks - lo;
	u = calloc((rows + 2) * m, sizeof(*u));
	v = calloc((rows + 2) * m, sizeof(*v));
	begin(u, argc > 4);
	for (int k = 0; k < atoi(argv[3]); k++) {
		renew(u);
		step(u, v);
		renew(v);
		step(v, u);
	}
	for (int i = m; i < (rows + 1) * m; i++)
		sum += u[i];
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("sum %.12g\n", all);
	MPI_Finalize();
	return 0;
}
