/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that are somewhere: in a call of MPI, in a loop that never ends, in a crash. The lines that a test
 * asks for have a word behind them. calls WHERE [RANK]: that rank (1) does it, the others wait in MPI_Recv.
 */
#include <assert.h>
#include <math.h>
#include <mpi.h>
#include <search.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N 16

volatile int never;
volatile double sink;
double *volatile nowhere;
volatile int zero;
static double grid[N];

/* Small enough to be inlined where that is done. */
static inline __attribute__((always_inline)) double cell(int i)
{
	while (!never) /* @cell */
		sink = sink * 0.5 + i; /* @cell */
	return sink;
}

__attribute__((noinline)) static double relax(int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += cell(i); /* @relax */
	return s + 1;
}

__attribute__((noinline)) static double deep(int n)
{
	if (n)
		return deep(n - 1) + 1; /* @deep */
	return relax(N) + 1;
}

__attribute__((noinline)) static void wait_for(int from)
{
	double got = 0;

	MPI_Recv(&got, 1, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* @recv */
	sink += got;
}

__attribute__((noinline)) static void crash(const char *how)
{
	if (!strcmp(how, "segv"))
		nowhere[1] = 3; /* @segv */
	else if (!strcmp(how, "fpe"))
		never = 7 / zero; /* @fpe */
	else if (!strcmp(how, "assert"))
		assert(zero == 1); /* @assert */
	else if (!strcmp(how, "abort"))
		MPI_Abort(MPI_COMM_WORLD, 5); /* @abort */
	else if (!strcmp(how, "kill"))
		raise(SIGBUS); /* @kill */
	sink += grid[3];
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "spin";
	int rank, who = argc > 2 ? atoi(argv[2]) : 1;
	size_t endless = SIZE_MAX;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank != who)
		wait_for(who); /* @wait */
	else if (!strcmp(how, "spin"))
		sink += relax(N); /* @spin */
	else if (!strcmp(how, "deep"))
		sink += deep(3); /* @main */
	else if (!strcmp(how, "library"))
		sink += lfind("a", "b", &endless, 0, (int (*)(const void *, const void *))strcmp) != NULL; /* @lfind */
	else if (!strcmp(how, "sleep"))
		pause(); /* @pause */
	else
		crash(how); /* @crash */
	MPI_Finalize();
	return sink > 1e300;
}
