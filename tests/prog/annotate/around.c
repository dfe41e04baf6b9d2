/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Advection on a torus: rows and columns in a grid of ranks, halo columns through buffers that
 * statements fill and empty, also of a rank to itself. around ROWS COLUMNS STEPS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rows, cols, m, k, up, down, left, right;
static double *in, *out;
static MPI_Comm torus;

static void columns(double *q, int from, int to, int source, int dest, int tag)
{
	for (int i = 0; i < m; i++)
		out[i] = q[(i + 1) * (k + 2) + from];
	MPI_Sendrecv(out, m, MPI_DOUBLE, dest, tag, in, m, MPI_DOUBLE, source, tag, torus,
		     MPI_STATUS_IGNORE);
	for (int i = 0; i < m; i++)
		q[(i + 1) * (k + 2) + to] = in[i];
}

static void renew(double *q)
{
	int w = k + 2;

	MPI_Sendrecv(q + w + 1, k, MPI_DOUBLE, up, 1, q + (m + 1) * w + 1, k, MPI_DOUBLE, down, 1,
		     torus, MPI_STATUS_IGNORE);
	MPI_Sendrecv(q + m * w + 1, k, MPI_DOUBLE, down, 2, q + 1, k, MPI_DOUBLE, up, 2, torus,
		     MPI_STATUS_IGNORE);
	columns(q, 1, k + 1, right, left, 3);
	columns(q, k, 0, left, right, 4);
}

int main(int argc, char **argv)
{
	int ranks, rank, dims[2] = { 0, 0 }, round[2] = { 1, 1 }, at[2], r0, c0, steps;
	double *a, *b, sum = 0, all = 0;

	MPI_Init(&argc, &argv);
	rows = argc > 1 ? atoi(argv[1]) : 24;
	cols = argc > 2 ? atoi(argv[2]) : 18;
	steps = argc > 3 ? atoi(argv[3]) : 4;
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Dims_create(ranks, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, round, 0, &torus);
	MPI_Comm_rank(torus, &rank);
	MPI_Cart_coords(torus, rank, 2, at);
	MPI_Cart_shift(torus, 0, 1, &up, &down);
	MPI_Cart_shift(torus, 1, 1, &left, &right);
	r0 = rows * at[0] / dims[0];
	c0 = cols * at[1] / dims[1];
	m = rows * (at[0] + 1) / dims[0] - r0;
	k = cols * (at[1] + 1) / dims[1] - c0;
	a = calloc((size_t)(m + 2) * (k + 2), sizeof(*a));
	b = calloc((size_t)(m + 2) * (k + 2), sizeof(*b));
	in = malloc(m * sizeof(*in));
	out = malloc(m * sizeof(*out));
	for (int i = 1; i <= m; i++)
		for (int j = 1; j <= k; j++)
			a[i * (k + 2) + j] = ((r0 + i) * 7 + (c0 + j) * 13) % 31 + 0.25 * (r0 + i);
	for (int t = 0; t < steps; t++) {
		renew(a);
		for (int i = 1; i <= m; i++)
			for (int j = 1; j <= k; j++)
				b[i * (k + 2) + j] =
					0.5 * a[i * (k + 2) + j] + 0.3 * a[(i - 1) * (k + 2) + j] +
					0.2 * a[i * (k + 2) + j - 1];
		renew(b);
		for (int i = 1; i <= m; i++)
			for (int j = 1; j <= k; j++)
				a[i * (k + 2) + j] = 0.5 * b[i * (k + 2) + j] +
						     0.3 * b[(i + 1) * (k + 2) + j] +
						     0.2 * b[i * (k + 2) + j + 1];
	}
	for (int i = 1; i <= m; i++)
		for (int j = 1; j <= k; j++)
			sum += a[i * (k + 2) + j];
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, torus);
	if (!rank)
		printf("%.10g\n", all);
	MPI_Finalize();
	return 0;
}
