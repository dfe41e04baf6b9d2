/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MPI with OpenMP: "race", where rank 1's threads conflict; "sent", "got": other threads access a
 * buffer of the thread that calls MPI; "unset": a private variable has no value; without an
 * argument, or with "ordered", all is right.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int x, all, box[4];

/* The first thread sends what all have written, and receives what all read. */
static void exchange(const char *how, int rank)
{
	int *data = calloc(4, sizeof(int)), sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
#pragma omp for schedule(static, 1) nowait
		for (int i = 0; i < 4; i++)
			data[i] = i + rank; /* @written */
		if (strcmp(how, "sent")) {
#pragma omp barrier
		}
#pragma omp master
		MPI_Sendrecv(data, 4, MPI_INT, !rank, 1, box, 4, MPI_INT, !rank, 1, /* @called */
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (strcmp(how, "got")) {
#pragma omp barrier
		}
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 4; i++)
			sum += box[i]; /* @read */
	}
	all += sum;
	free(data);
}

static void unset(void)
{
	int own = 1, sum = 0;

#pragma omp parallel private(own) reduction(+ : sum)
	{
		sum += own; /* @own */
	}
	all += sum;
}

int main(int argc, char **argv)
{
	int rank, level, wrong = argc > 1 && !strcmp(argv[1], "race");

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1 && !strcmp(argv[1], "unset"))
		unset();
	else if (argc > 1 && !wrong)
		exchange(argv[1], rank);
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
