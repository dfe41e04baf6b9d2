/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 reads orders, a word a line, from the file of the first argument and sends them; the others wait for them
 * in a dispatch loop. fill: all fill their part of u; spin: all compute for ever; quit. With MARKED the dispatch loop
 * and the parallel loop are announced. The lines that a test asks for have a word behind them.
 */
#ifdef MARKED
#include <dvmdbg.h>
#else
#define DVMDBG_DISPATCH() ((void)0)
#define DVMDBG_ARRAY(u, ...) ((void)0)
#define DVMDBG_PL(...)
#define DVMDBG_PL_ITERATION(i) ((void)0)
#endif
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 16

enum { QUIT, FILL, SPIN };

static double u[N * 8];
static int rank, size;
volatile int never, times;

/* The kernel: each rank is somewhere else in it. */
__attribute__((noinline)) static double value(int i, int order)
{
	while (order == SPIN)
		never++; /* @spin */
	return i * i;
}

__attribute__((noinline)) static void fill_in_data(int order)
{
	DVMDBG_PL(.on = u, .range = { { 0, N * size - 1 } }, .writes = { u }) /* @pl */
	{
		for (int i = 0; i < N; i++) {
			DVMDBG_PL_ITERATION(rank * N + i);
			u[i] = value(rank * N + i, order); /* @value */
		}
	}
	times++;
}

/* What all call. */
static void carry_out(int order)
{
	fill_in_data(order); /* @carry */
}

__attribute__((noinline)) static void dispatch(void)
{
	for (;;) {
		int order;

		DVMDBG_DISPATCH(); /* @dispatch */
		MPI_Bcast(&order, 1, MPI_INT, 0, MPI_COMM_WORLD); /* @wait */
		if (order == QUIT)
			break;
		carry_out(order); /* @call */
	}
}

/* The twin of carry_out that rank 0 calls. */
__attribute__((noinline)) static void give_order(int order)
{
	MPI_Bcast(&order, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (order != QUIT)
		carry_out(order); /* @give */
	times++;
}

__attribute__((noinline)) static void menu(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[80];
	int order = FILL;

	while (order != QUIT) {
		if (!f || !fgets(line, sizeof(line), f)) /* @read */
			strcpy(line, "quit");
		order = !strncmp(line, "fill", 4) ? FILL : !strncmp(line, "spin", 4) ? SPIN : QUIT;
		give_order(order); /* @menu */
	}
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	DVMDBG_ARRAY(u, .shape = { N * size }, .own = { { rank * N, rank * N + N - 1 } });
	if (rank == 0)
		menu(argc > 1 ? argv[1] : "/dev/null"); /* @zero */
	else
		dispatch(); /* @others */
	printf("rank %d: %g\n", rank, u[N - 1]);
	MPI_Finalize();
	return 0;
}
