/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce: arrays to be added up and searched for extremes: with halos, which count once, of whole numbers
 * that no double holds, with NaN and infinity, of complex and of logical numbers, replicated ones that
 * differ on the last rank, and one that is called sum up to the first of two points. Two objects have one
 * name.
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "dvmdbg.h"

enum { ROWS = 8, COLUMNS = 9, N = 12 };

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

static void other(void)
{
	static int twice = 2;

	DVMDBG_REPLICATED(twice);
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double grid[ROWS + 2][COLUMNS], odd[N], *large;
	float complex waves[N];
	unsigned long wide[N];
	long whole[N], r0, r1, i0, i1, l0, l1;
	bool flags[N];
	double copies[4] = { 1, -2.5, 4, 0.25 }, twice = 1;
	int sum[5] = { 10, 20, 30, 40, 50 }, k = 3;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	r0 = first(ROWS);
	r1 = last(ROWS);
	i0 = first(N);
	i1 = last(N);
	l0 = first(60000);
	l1 = last(60000);
	for (long i = 0; i < ROWS + 2; i++) /* halos are as large as nothing else */
		for (long j = 0; j < COLUMNS; j++)
			grid[i][j] = i > 0 && i <= r1 - r0 + 1 ? (double)((r0 + i - 1) * COLUMNS + j) : 1e6;
	for (long i = i0; i <= i1; i++) {
		odd[i - i0] = i == 3 ? (double)NAN : i == 7 ? -(double)INFINITY : (double)i;
		waves[i - i0] = (float)i - 2 * I;
		wide[i - i0] = (1UL << 62) + (unsigned long)i;
		whole[i - i0] = (1L << 53) + i;
		flags[i - i0] = i % 3 == 0;
	}
	large = malloc((size_t)(l1 - l0 + 1) * sizeof(*large));
	for (long i = l0; i <= l1; i++)
		large[i - l0] = i % 2 ? -(double)i : 1;
	if (rank && rank == size - 1)
		copies[1] = 8;

	DVMDBG_ARRAY(grid, .shape = { ROWS, COLUMNS }, .own = { { r0, r1 }, { 0, COLUMNS - 1 } }, .halo = { 1, 0 });
	DVMDBG_ARRAY(odd, .shape = { N }, .own = { { i0, i1 } });
	DVMDBG_ARRAY(waves, .shape = { N }, .own = { { i0, i1 } });
	DVMDBG_ARRAY(wide, .shape = { N }, .own = { { i0, i1 } });
	DVMDBG_ARRAY(whole, .shape = { N }, .own = { { i0, i1 } });
	DVMDBG_ARRAY(flags, .shape = { N }, .own = { { i0, i1 } });
	DVMDBG_ARRAY(large, .shape = { 60000 }, .own = { { l0, l1 } });
	DVMDBG_ARRAY(copies, .shape = { 4 }, .replicated = 1);
	DVMDBG_ARRAY(sum, .shape = { 5 }, .replicated = 1);
	DVMDBG_REPLICATED(k);
	DVMDBG_REPLICATED(twice);
	other();

	DVMDBG_PL(.on = odd, .range = { { 0, N - 1 } })
	k++;
	DVMDBG_FORGET(sum);
	for (int round = 1; round <= 6; round++)
		DVMDBG_PL(.on = grid, .range = { { 0, ROWS - 1 } }, .writes = { grid })
		for (long i = 1; i <= r1 - r0 + 1; i++)
			for (long j = 0; j < COLUMNS; j++)
				grid[i][j] += 1;
	free(large);
	MPI_Finalize();
	return 0;
}
