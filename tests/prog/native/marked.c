/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An annotated program: rank 1 does what the argument says, inside a construct, and the others wait in
 * MPI_Barrier. The lines that a test asks for have a word behind them.
 */
#include <dvmdbg.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N 8
#define PAGE 65536

static double *u;
static int rank, size;
volatile int never;

/* Pages that nothing may touch lie on both sides. */
static double *guarded(size_t bytes, int at_end)
{
	char *at = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || mprotect(at + PAGE, PAGE, PROT_READ | PROT_WRITE))
		exit(9);
	return (double *)(at_end ? at + 2 * PAGE - bytes : at + PAGE);
}

__attribute__((noinline)) static void sweep(const char *how)
{
	double *volatile w = u;

	DVMDBG_PL(.on = u, .range = { { 0, N * size - 1 } }, .writes = { u }) /* @pl */
	{
		for (int i = 0; i < N; i++)
			u[i * N + i] += 1;
		if (rank == 1 && !strcmp(how, "before"))
			w[-3] = 1; /* @before */
		if (rank == 1 && !strcmp(how, "behind"))
			w[N * N + 1] = 1; /* @behind */
		while (rank == 1 && !strcmp(how, "loop"))
			never++; /* @loop */
		MPI_Barrier(MPI_COMM_WORLD); /* @barrier */
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	u = guarded(N * N * sizeof(*u), !strcmp(how, "behind"));
	DVMDBG_ARRAY(u, .shape = { N * size, N },
		     .own = { { rank * N, rank * N + N - 1 }, { 0, N - 1 } });
	DVMDBG_SL(.range = { { 1, 2 } }) /* @sl */
	for (int it = 1; it <= 2; it++) {
		DVMDBG_ITERATION(it);
		sweep(how); /* @sweep */
	}
	DVMDBG_FORGET(u);
	MPI_Finalize();
	return 0;
}
