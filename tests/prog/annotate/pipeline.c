/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sweeps from the north-west corner: each row block waits for the last row of the block above,
 * a few columns at a time.    pipeline ROWS COLUMNS SWEEPS [FAULT]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHUNK 8

struct mesh {
	int rows, cols;
	int r0, nr;
	double *a, *src;
};

static double *grid_new(int rows, int cols)
{
	double *g = malloc(sizeof(double) * rows * cols);

	for (int i = 0; i < rows * cols; i++)
		g[i] = 0;
	return g;
}

static void sweep_columns(struct mesh *m, int from, int to)
{
	for (int i = 1; i <= m->nr; i++)
		for (int j = from; j < to; j++) {
			double west = j > 0 ? m->a[i * m->cols + j - 1] : 1.0;
			double north = m->a[(i - 1) * m->cols + j];

			m->a[i * m->cols + j] = 0.3 * west + 0.3 * north + m->src[(i - 1) * m->cols + j];
		}
}

static void sweep(struct mesh *m, int rank, int size, int fault)
{
	for (int from = 0; from < m->cols; from += CHUNK) {
		int to = from + CHUNK < m->cols ? from + CHUNK : m->cols;

		if (rank > 0 && !(fault == 1 && from))
			MPI_Recv(&m->a[from], to - from, MPI_DOUBLE, rank - 1, from, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		sweep_columns(m, from, to);
		if (rank < size - 1 && !(fault == 1 && from))
			MPI_Send(&m->a[m->nr * m->cols + from], to - from, MPI_DOUBLE, rank + 1, from,
				 MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	struct mesh m;
	int rank, size, sweeps, fault;
	double sum = 0, total = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	m.rows = argc > 1 ? atoi(argv[1]) : 30;
	m.cols = argc > 2 ? atoi(argv[2]) : 40;
	sweeps = argc > 3 ? atoi(argv[3]) : 4;
	fault = argc > 4 ? atoi(argv[4]) : 0;
	m.r0 = m.rows * rank / size;
	m.nr = m.rows * (rank + 1) / size - m.r0;
	m.a = grid_new(m.nr + 1, m.cols);
	m.src = grid_new(m.nr, m.cols);

	for (int s = 0; s < sweeps; s++) {
		for (int i = 0; i < m.nr; i++)
			for (int j = 0; j < m.cols; j++)
				m.src[i * m.cols + j] = 0.01 * ((m.r0 + i) * (s + 1) % 7) + 0.02 * (j % 5);
		sweep(&m, rank, size, fault);
	}
	for (int i = 1; i <= m.nr; i++)
		for (int j = 0; j < m.cols; j++)
			sum += m.a[i * m.cols + j];
	MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("pipeline: %.10g\n", total);
	free(m.a);
	free(m.src);
	return MPI_Finalize();
}
