/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests: mpi SITUATION on two ranks. big: rank 0 is in a construct while rank 1 waits for its
 * large message, and tells how long that took; abort, segv: as named, on rank 1; finalize: just
 * ends.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/dvmdbg.h"

#define N 4000000

static volatile int *volatile nowhere;

static void big(int rank)
{
	double *buf = calloc(N, sizeof(*buf));
	MPI_Request r;
	double t;

	if (!buf)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	if (rank == 0) {
		MPI_Isend(buf, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &r);
		DVMDBG_PL()
		{
		}
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(buf, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("took %.1f s\n", MPI_Wtime() - t);
		DVMDBG_PL()
		{
		}
	}
	free(buf);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int rank, provided;

	if (!strcmp(what, "multiple"))
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!strcmp(what, "big") || !strcmp(what, "multiple"))
		big(rank);
	DVMDBG_PL()
	{
		if (!strcmp(what, "abort") && rank == 1)
			MPI_Abort(MPI_COMM_WORLD, 7);
		if (!strcmp(what, "segv") && rank == 1)
			*nowhere = 1;
	}
	MPI_Finalize();
	return 0;
}
