/* SPDX-License-Identifier: BSD-3-Clause */
/* A string in static arrays, whose parts are known where its own function has set them. cord [CELLS [STEPS [FAULT]]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 512

static double w[3][MOST + 2];
static int rank, size, left, right, local, lo, n, fault;

static void setup(void)
{
	local = n / size + (rank < n % size);
	lo = rank * (n / size) + (rank < n % size ? rank : n % size);
	if (fault)
		lo = rank * local;
	left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	for (int i = 1; i <= local; i++) {
		w[0][i] = (lo + i) % 7;
		w[1][i] = w[0][i] + 0.01 * (lo + i);
	}
}

static void exchange(double *a)
{
	MPI_Sendrecv(&a[1], 1, MPI_DOUBLE, left, 1, &a[local + 1], 1, MPI_DOUBLE, right, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&a[local], 1, MPI_DOUBLE, right, 2, a, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

static void advance(const double *old, const double *now, double *next)
{
	for (int i = 1; i <= local; i++)
		next[i] = 2 * now[i] - old[i] + 0.1 * (now[i - 1] - 2 * now[i] + now[i + 1]);
}

int main(int argc, char *argv[])
{
	int steps = argc > 2 ? atoi(argv[2]) : 3;
	double sum = 0, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = argc > 1 ? atoi(argv[1]) : 30;
	fault = argc > 3;
	setup();
	for (int s = 0; s < steps; s++) {
		exchange(w[(s + 1) % 3]);
		advance(w[s % 3], w[(s + 1) % 3], w[(s + 2) % 3]);
	}
	for (int i = 1; i <= local; i++)
		sum += w[steps % 3][i];
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("beam: %.10g\n", all);
	MPI_Finalize();
	return 0;
}
