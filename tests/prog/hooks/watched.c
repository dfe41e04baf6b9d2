/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is watched without being registered: statics, arguments, variables of a call, what pointers
 * lead to. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <dvmdbg.h>

struct part {
	int id : 4;
	unsigned kind : 3;
	double x[3];
	char name[4];
};

static double total;
static int hist[8];
static struct part *parts;

static double work(int k, double *v)
{
	double acc = 0;

	DVMDBG_PL_BEGIN(.range = { { 0, 3 } });
	for (int i = 0; i < 4; i++)
		v[i] += k; /* array */
	DVMDBG_PL_END();
	DVMDBG_SL_BEGIN(.range = { { 0, 3 } });
	for (int i = 0; i < 4; i++) {
		DVMDBG_ITERATION(i);
		acc += v[i];
		hist[7] = i; /* beside */
	}
	DVMDBG_SL_END();
	return acc;
}

/* Some arguments are on the stack, so what main calls next leaves its return address there. */
static double many(double *v, int a, int b, int c, int d, int e, int f, int g, int h, int k)
{
	double mean = 0;

	DVMDBG_SL_BEGIN(.range = { { 0, 1 } }); /* many */
	for (int i = 0; i < 2; i++) {
		DVMDBG_ITERATION(i);
		mean += v[i] + a + b + c + d + e + f + g + h + k;
	}
	DVMDBG_SL_END();
	return mean;
}

/* Without marks: what differs between ranks, and what does not. */
static void unmarked(int rank)
{
	for (int t = 1; t <= 3; t++) {
		MPI_Barrier(MPI_COMM_WORLD);
		parts[t].kind = 3;
		parts[t].x[0] = t + rank;
		hist[t] = t;
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	double u[4] = { 1, 2, 3, 4 };
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	parts = calloc(4, sizeof(*parts));
	if (argc > 2)
		unmarked(rank);
	DVMDBG_SL_BEGIN(.range = { { 1, 3 } }); /* steps */
	for (int t = 1; t <= 3; t++) {
		DVMDBG_ITERATION(t);
		total += work(t, u); /* total */
		hist[t]++;
		if (argc > 1)
			total += many(u, 1, 2, 3, 4, 5, 6, 7, 8, t);
		parts[t].x[1] += t + rank;
		parts[t].kind = 2; /* kind */
		parts[t].id = -t; /* id */
		parts[t].name[0] = 'a'; /* name */
	}
	DVMDBG_SL_END();
	printf("total %g\n", total);
	MPI_Finalize();
	return 0;
}
