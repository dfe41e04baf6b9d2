/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * around STEPS [open]: a field on a torus goes one element down and one to the right in each step;
 * with open nobody of several sends what goes round the end of dimension 1.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg_mpi.h"

enum { ROWS = 8, COLUMNS = 6 };

static MPI_Comm cart;
static int at[2], dims[2], n[2], width;

#define U(a, i, j) (a)[(i) * width + (j)]

/* Copies of the rows, then of the columns, corners with them. */
static void exchange(double *u, int open)
{
	int above, below, left, right;
	MPI_Datatype column;

	MPI_Type_vector(n[0] + 2, 1, width, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	MPI_Cart_shift(cart, 0, 1, &above, &below);
	MPI_Cart_shift(cart, 1, 1, &left, &right);
	if (open && at[0] == 0)
		above = MPI_PROC_NULL;
	if (open && at[0] == dims[0] - 1)
		below = MPI_PROC_NULL;
	MPI_Sendrecv(&U(u, n[0], 0), width, MPI_DOUBLE, below, 1, &U(u, 0, 0), width, MPI_DOUBLE, above, 1, cart,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(&U(u, 1, 0), width, MPI_DOUBLE, above, 2, &U(u, n[0] + 1, 0), width, MPI_DOUBLE, below, 2, cart,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(&U(u, 0, n[1]), 1, column, right, 3, &U(u, 0, 0), 1, column, left, 3, cart, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&U(u, 0, 1), 1, column, left, 4, &U(u, 0, n[1] + 1), 1, column, right, 4, cart,
		     MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
	int size, open, periods[2] = { 1, 1 }, halo[2] = { 1, 1 }, steps = argc > 1 ? atoi(argv[1]) : 1;
	double *u, *v, sum = 0, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	open = argc > 2 && size > 1;
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	MPI_Cart_get(cart, 2, dims, periods, at);
	n[0] = ROWS / dims[0];
	n[1] = COLUMNS / dims[1];
	width = n[1] + 2;
	u = calloc((size_t)(n[0] + 2) * width, sizeof(*u));
	v = calloc((size_t)(n[0] + 2) * width, sizeof(*v));
	DVMDBG_ARRAY_CART(u, cart, n, halo);
	DVMDBG_ARRAY_CART(v, cart, n, halo);
	for (int i = 1; i <= n[0]; i++)
		for (int j = 1; j <= n[1]; j++)
			U(u, i, j) = 10 * (at[0] * n[0] + i - 1) + at[1] * n[1] + j - 1;
	for (int t = 0; t < steps; t++) {
		exchange(u, open);
		DVMDBG_PL_BEGIN(.range = { { 0, ROWS - 1 }, { 0, COLUMNS - 1 } }, .on = v, .writes = { v }, .reads = { u });
		for (int i = 1; i <= n[0]; i++)
			for (int j = 1; j <= n[1]; j++)
				U(v, i, j) = U(u, i - 1, j - 1) + 1;
		DVMDBG_PL_END();
		exchange(v, open);
		DVMDBG_PL_BEGIN(.range = { { 0, ROWS - 1 }, { 0, COLUMNS - 1 } }, .on = u, .writes = { u }, .reads = { v });
		for (int i = 1; i <= n[0]; i++)
			for (int j = 1; j <= n[1]; j++)
				U(u, i, j) = U(v, i - 1, j - 1) + 1;
		DVMDBG_PL_END();
	}
	for (int i = 1; i <= n[0]; i++)
		for (int j = 1; j <= n[1]; j++)
			sum += U(u, i, j) * (at[0] * n[0] + i + at[1] * n[1] + j);
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!at[0] && !at[1])
		printf("sum %g\n", all);
	MPI_Finalize();
	return 0;
}
