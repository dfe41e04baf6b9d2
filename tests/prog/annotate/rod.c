/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat in a rod: rod N STEPS [FAULT]. The first ranks take what does not divide. */
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void exchange(double *t, int m, int left, int right, int fault)
{
	MPI_Sendrecv(&t[m], 1, MPI_DOUBLE, right, 0, &t[0], 1, MPI_DOUBLE, left, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (fault != 1)
		MPI_Sendrecv(&t[1], 1, MPI_DOUBLE, left, 1, &t[m + 1], 1, MPI_DOUBLE, right, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char *argv[])
{
	int rank, size, n = argc > 1 ? atoi(argv[1]) : 100, steps = argc > 2 ? atoi(argv[2]) : 20;
	int fault = argc > 3 ? atoi(argv[3]) : 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);

	int m = n / size + (rank < n % size);
	int start = rank * (n / size) + (rank < n % size ? rank : n % size);
	int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	double *t = malloc((m + 2) * sizeof(double));
	double *tn = malloc((m + 2) * sizeof(double));
	double c = 0.4;

	t[0] = t[m + 1] = tn[0] = tn[m + 1] = 0;
	for (int i = 1; i <= m; i++) {
		double x = (start + i) / (double)(n + 1);
		t[i] = x * (1 - x) + 0.1 * sin(9 * x);
		tn[i] = 0;
	}

	for (int s = 0; s < steps; s++) {
		exchange(t, m, left, right, fault);
		for (int i = 1; i <= m - (fault == 2 && right >= 0); i++)
			tn[i] = t[i] + c * (t[i - 1] - 2 * t[i] + t[i + 1]);
		double *swap = t;
		t = tn;
		tn = swap;
	}

	double sum = 0, total;
	for (int i = 1; i <= m; i++)
		sum += t[i] * (start + i);
	MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, fault == 3 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("rod: %.10g\n", total);
	free(t);
	free(tn);
	MPI_Finalize();
	return 0;
}
