/* SPDX-License-Identifier: BSD-3-Clause */
/* Transport round a ring of at least two ranks, upwind, halo on the left only: torus CELLS STEPS [FAULT] */
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, ranks;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks < 2) {
		fprintf(stderr, "torus: needs at least 2 ranks\n");
		MPI_Finalize();
		return 1;
	}
	int cells = argc > 1 ? atoi(argv[1]) : 60, steps = argc > 2 ? atoi(argv[2]) : 10;
	int fault = argc > 3 ? atoi(argv[3]) : 0;
	int chunk = (cells + ranks - 1) / ranks;
	int begin = rank * chunk < cells ? rank * chunk : cells;
	int end = begin + chunk < cells ? begin + chunk : cells;
	int mine = end - begin;
	float *q = calloc(mine + 2, sizeof(float)), *flux = calloc(mine + 1, sizeof(float));
	float cfl = 0.4f;

	/* two cells on the left */
	for (int i = 0; i < mine; i++)
		q[i + 2] = 1.0f + 0.5f * sinf(0.37f * (begin + i));

	for (int step = 0; step < steps; step++) {
		MPI_Request r[2];
		MPI_Irecv(q, 2, MPI_FLOAT, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(q + mine, 2, MPI_FLOAT, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		if (fault == 1 && rank == 1)
			q[1] = q[0];
		for (int i = 0; i <= mine; i++)
			flux[i] = cfl * (1.5f * q[i + 1] - 0.5f * q[i]);
		for (int i = 0; i < mine - (fault == 2 && rank == 0); i++)
			q[i + 2] -= flux[i + 1] - flux[i];
	}
	float most = 0, all;
	for (int i = 0; i < mine; i++)
		if (q[i + 2] > most)
			most = q[i + 2];
	MPI_Allreduce(&most, &all, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
	if (!rank)
		printf("torus: %g\n", all);
	free(q);
	free(flux);
	MPI_Finalize();
	return 0;
}
