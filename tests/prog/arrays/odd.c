/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * odd: arrays of unusual kinds to be looked at: of one element and of none, of four dimensions, of
 * complex and of logical numbers, with indices below 0, on one rank only, of many magnitudes, and
 * one that is gone from the second of two points on.
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "dvmdbg.h"

enum { A = 2, B = 3, C = 4, D = 6, ROWS = 5, COLUMNS = 7, WIDE = 14 };

static int rank, size;

/* This rank's part of n indices. */
static long first(long n)
{
	return n * rank / size;
}

static long last(long n)
{
	return n * (rank + 1) / size - 1;
}

static void *allocate(long n, size_t bytes)
{
	void *p = calloc((size_t)(n > 0 ? n : 1), bytes);

	if (!p)
		MPI_Abort(MPI_COMM_WORLD, 2);
	return p;
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	short *four;
	double complex *waves;
	double *below, *wide, *part, *gone, *none;
	bool *flags;
	int one[1] = { 7 };
	long d0, d1, n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);

	/* the last dimension in blocks */
	d0 = first(D);
	d1 = last(D);
	n = d1 - d0 + 1;
	four = allocate(A * B * C * n, sizeof(*four));
	for (long i = 0; i < A * B * C; i++)
		for (long j = d0; j <= d1; j++)
			four[i * n + j - d0] = (short)(1000 * (i / (B * C)) + 100 * (i / C % B) +
						       10 * (i % C) + j);
	waves = allocate(ROWS * COLUMNS, sizeof(*waves));
	flags = allocate(ROWS * COLUMNS, sizeof(*flags));
	for (long i = 0; i < ROWS * COLUMNS; i++) {
		waves[i] = (double)i / 4 - (double)(i % 3) * I;
		flags[i] = i % 3 == 0;
	}
	below = allocate(ROWS * COLUMNS, sizeof(*below));
	for (long j = 0; j < COLUMNS; j++) /* indices -2 … 2, 10 … 16, the first fastest */
		for (long i = 0; i < ROWS; i++)
			below[j * ROWS + i] = (double)((i - 2) * 100 + j + 10);
	/* 1e6, -1e5, …, 1e-30 */
	wide = allocate(WIDE, sizeof(*wide));
	for (long i = 0; i < WIDE; i++)
		wide[i] = (i % 2 ? -1 : 1) * (i + 1 < WIDE ? pow(10, (double)(6 - i)) : 1e-30);
	part = allocate(3, sizeof(*part));
	gone = allocate(9, sizeof(*gone));
	none = allocate(0, sizeof(*none));
	part[1] = 1.5;
	gone[4] = 2.5;

	DVMDBG_ARRAY(four, .shape = { A, B, C, D },
		     .own = { { 0, A - 1 }, { 0, B - 1 }, { 0, C - 1 }, { d0, d1 } });
	DVMDBG_ARRAY(waves, .shape = { ROWS, COLUMNS }, .replicated = 1);
	DVMDBG_ARRAY(flags, .shape = { ROWS, COLUMNS }, .replicated = 1);
	DVMDBG_ARRAY(below, .shape = { ROWS, COLUMNS }, .lower = { -2, 10 }, .replicated = 1,
		     .fortran = 1);
	DVMDBG_ARRAY(wide, .shape = { WIDE }, .replicated = 1);
	DVMDBG_ARRAY(one, .shape = { 1 }, .replicated = 1);
	DVMDBG_REPLICATED(size);
	if (rank == 1)
		DVMDBG_ARRAY(part, .shape = { 3 }, .replicated = 1);
	DVMDBG_ARRAY(gone, .shape = { 3, 3 }, .replicated = 1);
	DVMDBG_ARRAY(none, .shape = { 0 }, .replicated = 1);

	DVMDBG_PL(.on = wide, .range = { { 0, WIDE - 1 } })
	{
	}
	DVMDBG_FORGET(gone);
	DVMDBG_PL(.on = wide, .range = { { 0, WIDE - 1 } })
	{
	}

	free(four);
	free(waves);
	free(flags);
	free(below);
	free(wide);
	free(part);
	free(gone);
	free(none);
	MPI_Finalize();
	return 0;
}
