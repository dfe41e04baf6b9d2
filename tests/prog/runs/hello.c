/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An MPI program without annotations: dvmdbg can start, watch and end it, but not stop it at
 * points. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("hello from rank %d\n", rank);
	fflush(stdout);
	if (argc > 1)
		sleep(3);
	MPI_Finalize();
	return 0;
}
