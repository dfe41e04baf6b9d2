/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two threads of OpenMP wait for the lock that the other one has; built with MPI, on each rank. */
#include <omp.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

static omp_lock_t a, b;

static void first(void)
{
	omp_set_lock(&a);
#pragma omp barrier
	omp_set_lock(&b); /* @first */
	omp_unset_lock(&b);
}

static void second(void)
{
	omp_set_lock(&b);
#pragma omp barrier
	omp_set_lock(&a); /* @second */
	omp_unset_lock(&a);
}

int main(int argc, char **argv)
{
#ifdef WITH_MPI
	MPI_Init(&argc, &argv);
#endif
	omp_init_lock(&a);
	omp_init_lock(&b);
#pragma omp parallel num_threads(2) /* @region */
	{
		if (omp_get_thread_num())
			second();
		else
			first();
	}
#ifdef WITH_MPI
	MPI_Finalize();
#endif
	return (argc == 0) + !argv;
}
