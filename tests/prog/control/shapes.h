/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of shapes share: arrays that are distributed in their first dimension, new for each case. */
#ifndef DVMDBG_TESTS_PROG_CONTROL_SHAPES_H
#define DVMDBG_TESTS_PROG_CONTROL_SHAPES_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"

#define N 16
#define M 6
#define K 4

/* way 0: with the fault */
struct shape_case {
	const char *name;
	void (*run)(int way);
};
extern const struct shape_case shapes_where[], shapes_when[];

extern int rank, size, before, behind; /* neighbours, or MPI_PROC_NULL */
extern long lo, hi;			/* own */
extern long from, to;			/* own, without the ends of the array */
/* By global indices: lines and rows have a halo of 1, planes one of 2. */
extern double *u, *v;
extern double (*a)[M], (*b)[M];
extern double (*c)[K][K], (*d)[K][K];
#define U(i) u[(i)-lo + 1]
#define V(i) v[(i)-lo + 1]
#define A(i, j) a[(i)-lo + 1][j]
#define B(i, j) b[(i)-lo + 1][j]
#define C(i, j, k) c[(i)-lo + 2][j][k]
#define D(i, j, k) d[(i)-lo + 2][j][k]

/* Exchanged with the neighbours, and marked as renewed. */
void renew_line(double *x);
void renew_rows(double (*x)[M]);
void renew_planes(double (*x)[K][K]);

#define LINE(on_, ...) DVMDBG_PL(.on = on_, .range = { { 1, N - 2 } }, __VA_ARGS__)
#define ROWS(on_, ...) DVMDBG_PL(.on = on_, .range = { { 1, N - 2 }, { 1, M - 2 } }, __VA_ARGS__)
#define EACH_ROW(i, j)                       \
	for (long i = from; i <= to; i++)    \
		for (long j = 1; j < M - 1; j++)

#endif
