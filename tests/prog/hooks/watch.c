/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is watched is written: by loops, through a pointer that is swapped, by a function, by MPI;
 * with an argument rank 0 comes late; with THREADS, without MPI, by threads of OpenMP.
 */
#include <stdio.h>
#include <stdlib.h>

#include <dvmdbg.h>
#ifndef THREADS
#include <mpi.h>
#include <unistd.h>
#endif

#define N 16

#ifdef THREADS
static double a[N];
static struct {
	double x;
} s;

int main(void)
{
	DVMDBG_ARRAY(a, .shape = { N }, .own = { { 0, N - 1 } });
	DVMDBG_REPLICATED(s.x);
	for (int it = 0; it < 3; it++) {
		DVMDBG_PL_BEGIN(.range = { { 0, N - 1 } });
#pragma omp parallel for num_threads(2) schedule(static)
		for (int i = 0; i < N; i++)
			a[i] += i * it; /* threads */
		DVMDBG_PL_END();
		s.x += a[3]; /* field */
	}
	printf("%g %g\n", a[N - 1], s.x);
	return 0;
}
#else
static int hits;
static double got, *u, *v;
double loose = 1.5; /* is not registered */
static struct {
	double dt, w[4];
} par;

static void bump(int k)
{
	hits += k; /* bump */
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int b = N / size, r0 = rank * b;
	u = calloc((size_t)(b + 2) * N, sizeof(*u));
	v = calloc((size_t)(b + 2) * N, sizeof(*v));
	DVMDBG_ARRAY(u, .shape = { N, N }, .own = { { r0, r0 + b - 1 }, { 0, N - 1 } }, .halo = { 1, 0 });
	DVMDBG_ARRAY(v, .shape = { N, N }, .own = { { r0, r0 + b - 1 }, { 0, N - 1 } }, .halo = { 1, 0 });
	DVMDBG_REPLICATED(hits);
	DVMDBG_REPLICATED(got);
	DVMDBG_STRUCT(par, DVMDBG_FIELD(par, dt), DVMDBG_FIELD(par, w));
	DVMDBG_SL_BEGIN();
	for (int it = 0; it < 3; it++) {
		DVMDBG_ITERATION(it);
		DVMDBG_PL_BEGIN(.range = { { 0, N - 1 }, { 0, N - 1 } });
		if (argc > 1 && !rank)
			usleep(300000); /* the others are at the end of the loop */
		for (int i = 1; i <= b; i++)
			for (int j = 0; j < N; j++) {
				DVMDBG_PL_ITERATION(r0 + i - 1, j);
				v[i * N + j] = u[i * N + j] + 1; /* loop */
			}
		DVMDBG_PL_END();
		bump(it);
		double *t = u;
		u = v; /* swap */
		v = t;
		if (!rank)
			got = it + 0.5; /* root */
		MPI_Bcast(&got, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	DVMDBG_SL_END();
	printf("%d %g %g\n", hits, u[N], got);
	MPI_Finalize();
	return 0;
}
#endif
