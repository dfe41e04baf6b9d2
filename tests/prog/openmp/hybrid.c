/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI with OpenMP: "race", where rank 1's threads conflict; without an argument all is right. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int x, all;

int main(int argc, char **argv)
{
	int rank, level, wrong = argc > 1 && !strcmp(argv[1], "race");

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel
	{
#pragma omp critical
		x++;
		if (wrong && rank == 1)
			x = 1; /* @plain */
	}
	MPI_Allreduce(&x, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("done %d\n", all > 0);
	MPI_Finalize();
	return 0;
}
