/* SPDX-License-Identifier: BSD-3-Clause */
/* An array of N numbers (10^9), in blocks over the ranks, for checksums of much. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "dvmdbg.h"

/* Numbers of many magnitudes and both signs, by the global index alone. */
static double number(uint64_t i)
{
	uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x ^= x >> 29;
	return ldexp((double)(int64_t)(x | 1), (int)(x % 80) - 100);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000000000, first, last;
	int rank, size;
	double *a;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	first = n / size * rank;
	last = rank == size - 1 ? n - 1 : n / size * (rank + 1) - 1;
	a = malloc((size_t)(last - first + 1) * sizeof(*a));
	if (!a) {
		fprintf(stderr, "giant: no memory for %ld numbers\n", n);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	DVMDBG_ARRAY(a, .shape = { n }, .own = { { first, last } });
	DVMDBG_PL(.on = a, .range = { { 0, n - 1 } })
	for (long i = first; i <= last; i++)
		a[i - first] = number((uint64_t)i);
	DVMDBG_FORGET(a);
	free(a);
	MPI_Finalize();
	return 0;
}
