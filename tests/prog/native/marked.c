/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An annotated program: rank 1 does what the argument says, inside a construct, and the others wait in
 * MPI_Barrier. With an argument the copies of step differ. Halos of v are never renewed. The lines that a test asks for
 * have a word behind them.
 */
#include <dvmdbg.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N 8
#define PAGE 65536

static double *u, v[N + 2], step = 0.5;
static int rank, size, times;
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

	times++;
	DVMDBG_PL(.on = u, .range = { { 0, N * size - 1 } }, .writes = { u }) /* @pl */
	{
		for (int i = 0; i < N; i++)
			u[i * N + i] += 1;
		if (rank == 1 && !strcmp(how, "before"))
			w[-3] = 1; /* @before */
		if (rank == 1 && !strcmp(how, "behind"))
			w[N * N + 1] = 1; /* @behind */
		if (rank == 1 && !strcmp(how, "null") && times == 2)
			w[0] = *(double *volatile)NULL; /* @null */
		while (rank == 1 && !strcmp(how, "loop") && times == 2)
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
	DVMDBG_ARRAY(v, .shape = { N * size }, .own = { { rank * N, rank * N + N - 1 } }, .halo = { 1 });
	DVMDBG_REPLICATED(step);
	for (int i = 0; i < N; i++)
		v[i + 1] = rank * N + i;
	if (rank == 1 && *how)
		step = 0.25;
	DVMDBG_SL(.range = { { 1, 2 } }) /* @sl */
	for (int it = 1; it <= 2; it++) {
		DVMDBG_ITERATION(it);
		sweep(how); /* @sweep */
	}
	DVMDBG_FORGET(u);
	DVMDBG_FORGET(v);
	DVMDBG_FORGET(step);
	MPI_Finalize();
	return 0;
}
