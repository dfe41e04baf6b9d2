/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program whose traces the historical debugger made, "ojac.cdv", with MPI: arrays, constructs, and lines are
 * those of the traces. original [wrong | stale]: one element is wrong; halos are not renewed in one step.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

#define L 8

static double (*A)[L], (*B)[L], eps, MAXEPS;
static long lo, hi, from, to, rows;
static int up, down;

static void renew(void)
{
	MPI_Sendrecv(A[1], L, MPI_DOUBLE, up, 1, A[rows - 1], L, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(A[rows - 2], L, MPI_DOUBLE, down, 2, A[0], L, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

static void begin(void)
{
/* clang-format off */
#line 20 "ojac.cdv"
	DVMDBG_PL(.on = A, .range = { { 0, L - 1 }, { 0, L - 1 } }, .writes = { A, B })
	for (long i = lo; i <= hi; i++)
		for (long j = 0; j < L; j++) {
			DVMDBG_PL_ITERATION(i, j);
			A[i - lo + 1][j] = 0;
			B[i - lo + 1][j] = i == 0 || j == 0 || i == L - 1 || j == L - 1 ? 0 : 3. + (double)(i + j);
		}
}

static void step(int k, int wrong, int stale)
{
	double most = 0;
#line 30 "ojac.cdv"
	eps = 0;
	DVMDBG_PL(.on = A, .range = { { 1, L - 2 }, { 1, L - 2 } }, .writes = { A }, .reads = { B })
	for (long i = from; i <= to; i++)
		for (long j = 1; j < L - 1; j++) {
			DVMDBG_PL_ITERATION(i, j);
			most = fmax(most, fabs(B[i - lo + 1][j] - A[i - lo + 1][j]));
			A[i - lo + 1][j] = B[i - lo + 1][j] + (wrong && k == 3 && i == 5 && j == 4 ? 0.125 : 0);
		}
	MPI_Allreduce(&most, &eps, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#line 31 "ojac.cdv"
	DVMDBG_REDUCTION(eps, DVMDBG_MAX);
	if (!stale || k != 2)
		renew();
#line 38 "ojac.cdv"
	DVMDBG_PL(.on = B, .range = { { 1, L - 2 }, { 1, L - 2 } }, .writes = { B }, .reads = { A })
	for (long i = from; i <= to; i++)
		for (long j = 1, x = i - lo + 1; j < L - 1; j++) { DVMDBG_PL_ITERATION(i, j);
			B[x][j] = (A[x - 1][j] + A[x + 1][j] + A[x][j - 1] + A[x][j + 1]) / 4; }
}

int main(int argc, char **argv)
{
	int rank, size;
	const int wrong = argc > 1 && !strcmp(argv[1], "wrong"), stale = argc > 1 && !strcmp(argv[1], "stale");

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	lo = L * rank / size;
	hi = L * (rank + 1) / size - 1;
	from = lo > 1 ? lo : 1;
	to = hi < L - 2 ? hi : L - 2;
	rows = hi - lo + 3;
	up = rank ? rank - 1 : MPI_PROC_NULL;
	down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	A = calloc((size_t)rows, sizeof(*A));
	B = calloc((size_t)rows, sizeof(*B));
	if (!A || !B)
		return 2;
	MAXEPS = 0.5E-7;
#line 15 "ojac.cdv"
	DVMDBG_ARRAY(A, .shape = { L, L }, .own = { { lo, hi }, { 0, L - 1 } }, .halo = { 1, 0 });
	DVMDBG_ARRAY(B, .shape = { L, L }, .own = { { lo, hi }, { 0, L - 1 } }, .halo = { 1, 0 });
	DVMDBG_REPLICATED(eps);
	DVMDBG_REPLICATED(MAXEPS);
	begin();
#line 28 "ojac.cdv"
	DVMDBG_SL(.range = { { 1, 20 } })
	for (int k = 1; k <= 20; k++) {
		DVMDBG_ITERATION(k);
		step(k, wrong, stale);
		if (eps < MAXEPS)
			break;
	}
	if (!rank)
		printf("%.17g\n", eps);
	free(A);
	free(B);
	MPI_Finalize();
	return 0;
}
