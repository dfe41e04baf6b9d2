/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time levels in one static array, and arrays of one level beside it, which ranks compute on their
 * halos as well; setup() sets the bounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define MOST 500
#define H 2

static double w[3][MOST + 2 * H], stiff[MOST + 2 * H], bend[MOST + 2 * H];
static int fixed[MOST + 2 * H];
static int rank, size, left, right, cells, lo, n;

static void setup(void)
{
	int rest = n % size;

	cells = n / size + (rank < rest);
	lo = rank * (n / size) + (rank < rest ? rank : rest);
	left = rank ? rank - 1 : MPI_PROC_NULL;
	right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	for (int i = 0; i < cells + 2 * H; i++) {
		stiff[i] = 1 + 0.01 * (lo + i);
		fixed[i] = (lo + i) % 7 == 3;
	}
	for (int i = H; i < cells + H; i++) {
		w[0][i] = 0.3 * (lo + i - H) + (lo + i) % 4;
		w[1][i] = w[0][i];
	}
}

static void exchange(double *a)
{
	MPI_Sendrecv(a + H, H, MPI_DOUBLE, left, 1, a + cells + H, H, MPI_DOUBLE, right, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(a + cells, H, MPI_DOUBLE, right, 2, a, H, MPI_DOUBLE, left, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int old = 0, now = 1, next = 2;
	double sum = 0, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = argc > 1 ? atoi(argv[1]) : 62;
	setup();
	for (int t = 0; t < 5; t++) {
		int was = old;

		exchange(w[now]);
		for (int i = H - 1; i <= cells + H; i++)
			bend[i] = stiff[i] * (w[now][i - 1] - 2 * w[now][i] + w[now][i + 1]);
		for (int i = H; i < cells + H; i++)
			w[next][i] = fixed[i] ? w[now][i]
					      : 2 * w[now][i] - w[old][i] -
							0.1 * (bend[i - 1] - 2 * bend[i] + bend[i + 1]);
		old = now;
		now = next;
		next = was;
	}
	for (int i = H; i < cells + H; i++)
		sum += w[now][i];
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%.12g\n", all);
	MPI_Finalize();
	return 0;
}
