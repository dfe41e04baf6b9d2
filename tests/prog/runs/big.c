/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Large messages that need both sides: rank 0 is stopped at its first loop after it has posted a send,
 * while rank 1 receives before its own. Prints how long rank 1 waited.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "dvmdbg.h"

#define MANY (16 << 20)

int main(int argc, char **argv)
{
	int rank;
	char *data = calloc(1, MANY);
	MPI_Request request = MPI_REQUEST_NULL;

	DVMDBG_FUNCTION();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Isend(data, MANY, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
	if (rank == 1)
		MPI_Recv(data, MANY, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	DVMDBG_PL(.range = { { 0, 9 } })
	for (int i = 0; i < 1; i++)
		data[0]++;
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	free(data);
	MPI_Finalize();
	return 0;
}
