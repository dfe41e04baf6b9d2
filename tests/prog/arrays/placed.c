/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An array of each placement: in blocks, cyclic, in blocks cyclically, replicated, replicated along one
 * dimension of the grid of ranks, aligned with an offset and a stride, an array of arrays, one behind a
 * pointer in a structure, and variables of one rank. placed [FAULT]: "copy", where a copy of a partly
 * replicated array goes wrong; "again", where that lasts until behind the end only; "all", where all
 * copies do; "mapped", where a variable of one rank does; "element", where one of a cyclic array does;
 * on one rank nothing does.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

enum { N = 12, M = 8, BLOCK = 2 };

struct field {
	double *u, *v;
	int n;
};

static const char *fault = "";
static int rank, size, p, q, row, col; /* a grid of p x q ranks; this one is in row, col */

static int is(const char *name)
{
	return size > 1 && !strcmp(fault, name);
}

static int first(int n, int parts, int k)
{
	return n * k / parts;
}

static double blocks[N], cyclic[N], dealt[N], part[N], plane[M][N], aligned[N], rows[N][3], whole[3];
static double owned, vector[3];
static struct field field;
static struct level {
	double *u;
} level[2];

static void place(void)
{
	int lo = first(N, size, rank), hi = first(N, size, rank + 1) - 1;
	int r0 = first(N, p, row), r1 = first(N, p, row + 1) - 1;
	int m0 = first(M, q, col), m1 = first(M, q, col + 1) - 1;
	/* element i lies where element 2 i + 1 of blocks is */
	int a0 = lo / 2, a1 = (hi + 1) / 2 - 1;

	field.n = N;
	field.u = calloc(N, sizeof(*field.u));
	field.v = calloc(N, sizeof(*field.v));
	DVMDBG_ARRAY(blocks, .shape = { N }, .own = { { lo, hi } });
	DVMDBG_ARRAY(cyclic, .shape = { N }, .own = { { rank, N - 1 } }, .step = { size });
	DVMDBG_ARRAY(dealt, .shape = { N }, .own = { { rank * BLOCK, N - 1 } },
		     .step = { size * BLOCK }, .block = { BLOCK });
	DVMDBG_ARRAY(part, .shape = { N }, .own = { { r0, r1 } }, .copies = q, .copy = col);
	DVMDBG_ARRAY(plane, .ndim = 2, .shape = { M, N }, .own = { { m0, m1 }, { 0, N - 1 } },
		     .copies = p, .copy = row);
	DVMDBG_ARRAY(aligned, .shape = { N / 2 }, .own = { { a0, a1 } });
	DVMDBG_ARRAY(rows, .shape = { N, 3 }, .own = { { lo, hi }, { 0, 2 } });
	DVMDBG_ARRAY(field.u, .shape = { N }, .own = { { lo, hi } });
	DVMDBG_ARRAY(field.v, .shape = { N }, .own = { { rank, N - 1 } }, .step = { size });
	/* a name with an index, of which the program has a variable too */
	level[1].u = calloc(N, sizeof(double));
	for (int i = lo; i <= hi; i++)
		level[1].u[i - lo] = i + 0.5;
	DVMDBG_ARRAY(level[1].u, .shape = { N }, .own = { { lo, hi } });
	DVMDBG_REPLICATED(whole);
	DVMDBG_MAPPED(owned, rank == size - 1);
	DVMDBG_MAPPED(vector, rank == 0);
}

/* Element number i of the array has this value after step. */
static double value(int array, int i, int step)
{
	return 100 * array + i + 0.25 * step;
}

static void in_blocks(int step)
{
	int lo = first(N, size, rank), hi = first(N, size, rank + 1) - 1;

	DVMDBG_PL(.on = blocks, .range = { { 0, N - 1 } }, .writes = { blocks, aligned, rows, field.u })
	for (int i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		blocks[i - lo] = value(1, i, step);
		if (i % 2)
			aligned[i / 2 - lo / 2] = value(2, i / 2, step);
		for (int k = 0; k < 3; k++)
			rows[i - lo][k] = value(3, 3 * i + k, step);
		field.u[i - lo] = value(4, i, step);
	}
}

static void in_turn(int step)
{
	DVMDBG_PL(.on = cyclic, .range = { { 0, N - 1 } }, .writes = { cyclic, field.v })
	for (int i = rank, k = 0; i < N; i += size, k++) {
		DVMDBG_PL_ITERATION(i);
		cyclic[k] = value(5, i, step);
		if (is("element") && step == 2 && i == 7)
			cyclic[k] = -1;
		field.v[k] = value(6, i, step);
	}
	DVMDBG_PL(.on = dealt, .range = { { 0, N - 1 } }, .writes = { dealt })
	for (int i = 0, k = 0; i < N; i++) {
		if (i / BLOCK % size != rank)
			continue;
		DVMDBG_PL_ITERATION(i);
		dealt[k++] = value(7, i, step);
	}
}

static double wrong(int step, int i)
{
	int here = is("all") || ((is("copy") || is("again")) && col == q - 1);

	return here && step == 2 && i == 5 ? 1000 : 0;
}

/* blocks is another array than the one that is registered, cyclic the same one. */
static void in_copies(int step, double *blocks, double *cyclic)
{
	int r0 = first(N, p, row), r1 = first(N, p, row + 1) - 1;
	int m0 = first(M, q, col), m1 = first(M, q, col + 1) - 1;
	double owned = blocks[0] + cyclic[0];

	DVMDBG_PL(.on = part, .range = { { 0, N - 1 } }, .writes = { part })
	for (int i = r0; i <= r1; i++) {
		DVMDBG_PL_ITERATION(i);
		part[i - r0] = value(8, i, step) + wrong(step, i);
	}
	for (int i = r0; is("again") && i <= r1; i++)
		part[i - r0] = value(8, i, step);
	DVMDBG_PL(.on = plane, .range = { { 0, M - 1 } }, .writes = { plane })
	for (int i = m0; i <= m1; i++) {
		DVMDBG_PL_ITERATION(i);
		for (int k = 0; k < N; k++)
			plane[i - m0][k] = value(9, N * i + k, step) + 0 * owned;
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	fault = argc > 1 ? argv[1] : "";
	q = size % 2 ? 1 : 2;
	p = size / q;
	row = rank / q;
	col = rank % q;
	place();
	for (int step = 1; step <= 3; step++) {
		in_blocks(step);
		in_turn(step);
		in_copies(step, whole, cyclic);
		owned = rank == size - 1 ? value(10, step, is("mapped") && step > 1) : rank;
		for (int k = 0; k < 3; k++) {
			whole[k] = value(11, k, step);
			vector[k] = rank ? rank : value(12, k, step);
		}
		DVMDBG_PL(.range = { { 0, N - 1 } })
		MPI_Barrier(MPI_COMM_WORLD);
	}
	free(field.u);
	free(field.v);
	MPI_Finalize();
	return 0;
}
