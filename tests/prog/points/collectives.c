/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of a sum over ranks, in which collective calls are all that could be points: `plain` registers nothing, `arrays`
 * registers what it computes, `marks` has parallel loops too, one with a call inside. Behind that: `right`, or `wrong` for a
 * fault on several ranks, in step 2; and a number of steps.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"

enum { N = 24 };

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "plain";
	const int marks = !strcmp(kind, "marks"), wrong = argc > 2 && !strcmp(argv[2], "wrong");
	const int steps = argc > 3 ? atoi(argv[3]) : 3;
	int rank, size, root = 0;
	double *u = calloc(N, sizeof(*u)), part = 0, sum = 0;
	MPI_Comm half;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	const long lo = N * rank / size, hi = N * (rank + 1) / size - 1;
	if (strcmp(kind, "plain")) {
		DVMDBG_ARRAY(u, .shape = { N }, .own = { { lo, hi } });
		DVMDBG_REPLICATED(sum);
	}
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half); /* splits */
	for (int t = 1; t <= steps; t++) {
		part = 0;
		if (marks) {
			DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .writes = { u })
			{
				for (long i = lo; i <= hi; i++)
					u[i - lo] = (double)(i * t);
				MPI_Barrier(MPI_COMM_WORLD); /* inside of the loop */
			}
		} else {
			for (long i = lo; i <= hi; i++)
				u[i - lo] = (double)(i * t);
		}
		if (wrong && t == 2 && rank && rank == size - 1)
			u[1] += 0.5;
		for (long i = lo; i <= hi; i++)
			part += u[i - lo];
		MPI_Barrier(half); /* not on all ranks */
		sum = part; /* each rank has its own until they are added */
		MPI_Barrier(MPI_COMM_WORLD); /* meanwhile */
		MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* adds */
	}
	if (rank == root)
		MPI_Bcast(&sum, 1, MPI_DOUBLE, root, MPI_COMM_WORLD); /* gives */
	else
		MPI_Bcast(&sum, 1, MPI_DOUBLE, root, MPI_COMM_WORLD); /* takes */
	if (rank == root)
		printf("| sum %g\n", sum);
	MPI_Comm_free(&half);
	MPI_Finalize();
	free(u);
	return 0;
}
