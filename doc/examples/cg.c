/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conjugate gradients for A x = b, the matrix being that of five points in a square of N x N: each
 * row has DIAG on its diagonal and -1 for the four neighbours. Rows of the square lie in blocks.
 *
 * The scalar products are sums over all ranks: they, and with them x, r and p, legitimately differ
 * in their last bits between different numbers of ranks. usage() below says more.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"

#define DIAG 4.25

enum { NONE, MISSING_HALO, WRONG_REDUCTION, SWAPPED_INDEX, RANK_CONSTANT, OFF_BY_ONE };

static long n = 1000, steps = 40, r0, r1;      /* last two: own rows */
static int rank, size, fault, up, down;	       /* last two: neighbours */
static double diag = DIAG, rho, pq, rate, turn; /* r.r and p.q; how far and where to go next */
static double *x, *r, *p, *q; /* answer, residual, direction (with halo rows), A p */

#define AT(a, i, j) a[((i)-r0) * n + (j)]	/* by global indices */
#define HALO_AT(a, i, j) a[((i)-r0 + 1) * n + (j)] /* the same with halo rows */

static void setup(int argc, char **argv), renew(double *a, int broken);
static void multiply(double *to, const double *a, double d), dot(const double *a, const double *b, double *sum);
static double *allocate(long halo), right_side(long i, long j);
static int check(double seconds);

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();

	setup(argc, argv);
	x = allocate(0);
	r = allocate(0);
	p = allocate(1);
	q = allocate(0);
	if (fault == RANK_CONSTANT && rank && rank == size - 1)
		diag = 4.5;

	DVMDBG_REPLICATED(n);
	DVMDBG_REPLICATED(steps);
	DVMDBG_REPLICATED(diag);
	DVMDBG_REPLICATED(rho);
	DVMDBG_REPLICATED(pq);
	DVMDBG_ARRAY(x, .shape = { n, n }, .own = { { r0, r1 }, { 0, n - 1 } });
	DVMDBG_ARRAY(r, .shape = { n, n }, .own = { { r0, r1 }, { 0, n - 1 } });
	DVMDBG_ARRAY(p, .shape = { n, n }, .own = { { r0, r1 }, { 0, n - 1 } }, .halo = { 1, 0 });
	DVMDBG_ARRAY(q, .shape = { n, n }, .own = { { r0, r1 }, { 0, n - 1 } });

