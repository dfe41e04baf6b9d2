/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An annotated program that each verb can run: between its second and third loop two ranks wait for
 * each other
 * (`crossed`), rank 1 computes for some seconds (`slow SECONDS`) or for ever (`endless`), or they
 * exchange a message
 * (`right`). On one rank it always ends.
 */
#include <dvmdbg.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define N 8

static double *u;
static int rank, size;
static MPI_Comm world;

static void compute(double seconds)
{
	double end = MPI_Wtime() + seconds;
	volatile double x = 1;

	while (MPI_Wtime() < end)
		for (int i = 0; i < 100000; i++)
			x = x * 1.0000001 + 1e-9;
}

static void exchange(const char *how, const char *seconds)
{
	double mine = rank, theirs;

	if (size == 1)
		return;
	if (!strcmp(how, "crossed"))
		MPI_Recv(&theirs, 1, MPI_DOUBLE, !rank, 4, world, MPI_STATUS_IGNORE); /* @crossed */
	if (rank && !strcmp(how, "slow"))
		compute(atof(seconds));
	if (rank && !strcmp(how, "endless"))
		compute(1000);
	MPI_Sendrecv(&mine, 1, MPI_DOUBLE, !rank, 4, &theirs, 1, MPI_DOUBLE, !rank, 4, world, /* @exchange */
		     MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "right";
	int n;

	MPI_Init(&argc, &argv);
	world = MPI_COMM_WORLD;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = N / size;
	u = calloc(N, sizeof(*u));
	DVMDBG_ARRAY(u, .shape = { N }, .own = { { rank * n, rank * n + n - 1 } });
	for (int it = 0; it < 3; it++) {
		if (it == 2)
			exchange(how, argc > 2 ? argv[2] : "0");
		DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .writes = { u }) /* @loop */
		{
			for (int i = 0; i < n; i++)
				u[i] += rank * n + i;
		}
	}
	DVMDBG_FORGET(u);
	free(u);
	MPI_Finalize();
	return 0;
}
