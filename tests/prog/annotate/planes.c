/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Smoothing between two planes of one block, which pointers lead to, the other way round each time;
 * then in place, by strips of columns.
 * planes ROWS COLUMNS STEPS
 */
#include <stdio.h>
#include <stdlib.h>
#include <mpi.h>

#define STRIP 5

struct block {
	int n, m, ld;	  /* rows of all, columns, a row with its borders */
	int lo, rows;
	double *mem, *w; /* two planes of rows + 2; one */
};

static int rank, ranks;

static double *plane(const struct block *b, int k)
{
	return b->mem + (size_t)k * (b->rows + 2) * b->ld;
}

static void begin(struct block *b)
{
	double *u = b->mem;

	for (int i = 1; i <= b->rows; i++)
		for (int j = 1; j <= b->m; j++) {
			u[i * b->ld + j] = 1 + 0.01 * ((b->lo + i) * 7 % 13) + 0.03 * j;
			b->w[i * b->ld + j] = 0.5 + 0.02 * ((b->lo + i) * 5 % 11) + 0.01 * j;
		}
}

static void renew(struct block *b, double *u)
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, dn = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(u + b->ld, b->ld, MPI_DOUBLE, up, 0, u + (b->rows + 1) * b->ld, b->ld,
		     MPI_DOUBLE, dn, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(u + b->rows * b->ld, b->ld, MPI_DOUBLE, dn, 0, u, b->ld, MPI_DOUBLE, up, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void relax(const struct block *b, const double *u, double *un)
{
	for (int i = 1; i <= b->rows; i++)
		for (int j = 1; j <= b->m; j++)
			un[i * b->ld + j] = 0.5 * u[i * b->ld + j] + 0.25 * (u[(i - 1) * b->ld + j]
								+ u[(i + 1) * b->ld + j]);
}

static void strips(const struct block *b)
{
	double sum, all;

	for (int j0 = 1; j0 <= b->m; j0 += STRIP) {
		int len = j0 + STRIP - 1 <= b->m ? STRIP : b->m - j0 + 1;

		sum = 0;
		for (int i = 1; i <= b->rows; i++)
			for (int j = j0; j < j0 + len; j++) {
				b->w[i * b->ld + j] *= 0.99;
				sum += b->w[i * b->ld + j];
			}
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	if (!rank)
		printf("last strip %.12g\n", all);
}

int main(int argc, char **argv)
{
	struct block b;
	int steps = atoi(argv[3]);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	b.n = atoi(argv[1]);
	b.m = atoi(argv[2]);
	b.ld = b.m + 2;
	b.lo = b.n * rank / ranks;
	b.rows = b.n * (rank + 1) / ranks - b.lo;
	b.mem = calloc(2 * (b.rows + 2) * b.ld, sizeof(double));
	b.w = calloc((b.rows + 2) * b.ld, sizeof(double));
	begin(&b);
	for (int k = 0; k < steps; k++) {
		renew(&b, plane(&b, k % 2));
		relax(&b, plane(&b, k % 2), plane(&b, 1 - k % 2));
		strips(&b);
	}
	MPI_Finalize();
	return 0;
}
