/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view: arrays to be looked at, each with something in it that shows: NaN and infinity, a halo that
 * is stale, replicated elements that differ. Three points, 1 to 3; the second adds 1 to all.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "dvmdbg.h"

enum { PLANES = 6, ROWS = 20, COLUMNS = 30, LINE = 500, HIGH = 12, WIDE = 9 };

/* Annotations stand on one line each: compilers disagree about the number of a longer call. */
#define CUBE .shape = { PLANES, ROWS, COLUMNS }, .halo = { 0, 1, 0 }
#define TURNED .shape = { HIGH, WIDE }, .lower = { 1, 1 }, .fortran = 1

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

static void *allocate(size_t n, size_t bytes)
{
	void *p = calloc(n, bytes);

	if (!p)
		MPI_Abort(MPI_COMM_WORLD, 2);
	return p;
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double *cube, *turned;
	float *line;
	int table[4][5];
	long r0, r1, rows, l0, l1, c0, c1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);

	/* rows in blocks, with a halo */
	r0 = first(ROWS);
	r1 = last(ROWS);
	rows = r1 - r0 + 3;
	cube = allocate((size_t)(PLANES * rows * COLUMNS), sizeof(*cube));
	for (long i = 0; i < PLANES; i++)
		for (long j = r0 > 0 ? r0 - 1 : 0; j <= r1 + 1 && j < ROWS; j++)
			for (long k = 0; k < COLUMNS; k++) {
				double x = 100.0 * (double)i + (double)j + (double)k / 32;

				if (i == 3 && j == 7 && k == 5)
					x = NAN;
				if (i == 3 && j == 7 && k == 6)
					x = INFINITY;
				/* the last rank's halo is old */
				if (rank && rank == size - 1 && j < r0 && k >= 3)
					x -= 0.5;
				cube[(i * rows + j - r0 + 1) * COLUMNS + k] = x;
			}
	l0 = first(LINE);
	l1 = last(LINE);
	line = allocate((size_t)(l1 - l0 + 1), sizeof(*line));
	for (long i = l0; i <= l1; i++)
		line[i - l0] = (float)(i * i) / 1000;
	/* columns in blocks, indices from 1, the first fastest */
	c0 = first(WIDE) + 1;
	c1 = last(WIDE) + 1;
	turned = allocate((size_t)(HIGH * (c1 - c0 + 1)), sizeof(*turned));
	for (long j = c0; j <= c1; j++)
		for (long i = 1; i <= HIGH; i++)
			turned[(j - c0) * HIGH + i - 1] = (double)(10 * i + j) * (j % 2 ? 1 : -1);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 5; j++)
			table[i][j] = 10 * i + j;
	if (rank == 1)
		table[2][3] = -1;

	DVMDBG_ARRAY(cube, CUBE, .own = { { 0, PLANES - 1 }, { r0, r1 }, { 0, COLUMNS - 1 } });
	DVMDBG_ARRAY(line, .shape = { LINE }, .own = { { l0, l1 } });
	DVMDBG_ARRAY(turned, TURNED, .own = { { 1, HIGH }, { c0, c1 } });
	DVMDBG_ARRAY(table, .shape = { 4, 5 }, .replicated = 1);

	for (int point = 1; point <= 3; point++) {
		DVMDBG_PL(.on = cube, .range = { { 0, PLANES - 1 } }, .writes = { cube })
		for (long i = 0; point == 2 && i < PLANES * rows * COLUMNS; i++)
			cube[i] += 1;
	}
	free(cube);
	free(line);
	free(turned);
	MPI_Finalize();
	return 0;
}
