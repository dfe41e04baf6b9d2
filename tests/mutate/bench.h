/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs of the mutation bench share. Fields are proportional to SCALE. */
#ifndef BENCH_H
#define BENCH_H
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "dvmdbg.h"

#ifndef SCALE
#define SCALE 1.0
#endif

static int rank, size;

static inline double *zeros(long n)
{
	double *a = calloc((size_t)n, sizeof(double));

	if (!a)
		MPI_Abort(MPI_COMM_WORLD, 2);
	return a;
}
#endif
