/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parallel regions of OpenMP of each kind, and variables that each thread has for itself; built with
 * MPI, on each rank. "nap": threads wait in the last region until the program is ended; "deep": in a
 * region in a task in a region.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#define N 60

static double u[N];
static int turns; /* of one thread */
#pragma omp threadprivate(turns)

static void nested(void)
{
#pragma omp parallel num_threads(2) /* @inner */
	turns++;
}

static void loops(void)
{
	double sum = 0;

#pragma omp parallel for /* @static */
	for (int i = 0; i < N; i++)
		u[i] = i;
#pragma omp parallel for schedule(dynamic, 7) reduction(+ : sum) /* @dynamic */
	for (int i = 0; i < N; i++)
		sum += u[i];
#pragma omp parallel sections /* @sections */
	{
#pragma omp section
		u[0] = 1;
#pragma omp section
		u[1] = sum;
	}
#pragma omp parallel if (sum < 0) /* @alone */
	u[2] = omp_get_num_threads();
}

static void wait_here(volatile int *go, int part, double *own)
{
	while (!*go)
		usleep(1000 + (useconds_t)(part + own[0] > 1e9)); /* @waits */
}

static void naps(volatile int *go)
{
	int base = 100;

#pragma omp parallel num_threads(3) firstprivate(base) /* @naps */
	{
		int part = base + omp_get_thread_num();
		double own[2] = { part / 2., 1 };

		base += part;
		turns = part * 10;
#pragma omp barrier
		wait_here(go, part, own); /* @call */
		u[part % N] = own[1] + base;
	}
}

static void deep(volatile int *go)
{
	double own[2] = { 0, 1 };

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) /* @deep */
	if (omp_get_thread_num() == 1) {
#pragma omp task if (0)
		{
#pragma omp parallel num_threads(2) /* @deeper */
			wait_here(go, 0, own);
		}
	}
}

int main(int argc, char **argv)
{
	volatile int go = argc < 2;
	int rank = 0;

#ifdef WITH_MPI
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
	if (argc > 1 && !strcmp(argv[1], "deep"))
		deep(&go);
	loops();
#pragma omp parallel num_threads(2) /* @outer */
	nested();
	naps(&go);
	if (!rank)
		printf("u %g %g %g\n", u[0], u[1], u[2]);
#ifdef WITH_MPI
	MPI_Finalize();
#endif
	return 0;
}
