/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For bench.sh: stuck recv DIR: each rank waits in a receive for the next one; stuck spin DIR: in a loop; a file DIR/RANK
 * shows that it is there. stuck pingpong N: so many messages of 8 bytes there and back between two ranks; alone N: of a rank to
 * itself; requests N: the same without blocking.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile int go_on;

static void there(const char *dir, int rank)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d", dir, rank);
	f = fopen(path, "w");
	if (f)
		fclose(f);
}

static void wait_here(int rank, int size, int spin)
{
	double x;

	if (!spin)
		MPI_Recv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	while (!go_on)
		;
}

static void pingpong(int rank, long n)
{
	double x = 0, from;

	MPI_Barrier(MPI_COMM_WORLD);
	from = MPI_Wtime();
	for (long i = 0; i < n; i++) {
		if (!rank)
			MPI_Send(&x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(&x, 1, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank)
			MPI_Send(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
	}
	if (!rank)
		printf("%.1f ns a call\n", 1e9 * (MPI_Wtime() - from) / (double)n / 4);
}

/* To itself, which waits for nobody, in processor time: calls and their time do not depend on what else runs. */
static void alone(int rank, long n)
{
	double x = 0;
	clock_t from = clock();

	for (long i = 0; i < n; i++) {
		MPI_Send(&x, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD);
		MPI_Recv(&x, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (!rank)
		printf("%.1f ns a call\n", 1e9 * (double)(clock() - from) / CLOCKS_PER_SEC / (double)n / 2);
}

static void requests(int rank, long n)
{
	double out = 0, in;
	MPI_Request q[2];
	clock_t from = clock();

	for (long i = 0; i < n; i++) {
		MPI_Irecv(&in, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(&out, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
	if (!rank)
		printf("%.1f ns a call\n", 1e9 * (double)(clock() - from) / CLOCKS_PER_SEC / (double)n / 3);
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc == 3 && !strcmp(argv[1], "pingpong")) {
		if (rank < 2)
			pingpong(rank, atol(argv[2]));
	} else if (argc == 3 && !strcmp(argv[1], "requests")) {
		requests(rank, atol(argv[2]));
	} else if (argc == 3 && !strcmp(argv[1], "alone")) {
		alone(rank, atol(argv[2]));
	} else if (argc == 3) {
		there(argv[2], rank);
		wait_here(rank, size, !strcmp(argv[1], "spin"));
	}
	MPI_Finalize();
	return 0;
}
