/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints: what all ranks print, what only some do, a line without its end, much at once, standard error, and what
 * kind of file its output is.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("hello from everyone\n");
	printf(rank ? "one of the others\n" : "the first\n");
	fflush(stdout);
	fprintf(stderr, "rank parity %d\n", rank % 2);
	printf("terminal %d\n", isatty(STDOUT_FILENO));
	fflush(stdout);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		printf("not ended");
		fflush(stdout);
		usleep(600000);
		printf(" but now\n");
		for (int i = 0; i < 3000; i++)
			printf("line %d\n", i);
		fflush(stdout);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	printf("last\n");
	if (argc > 1 && !strcmp(argv[1], "open"))
		printf("without an end");
	MPI_Finalize();
	return 0;
}
