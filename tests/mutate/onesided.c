/* SPDX-License-Identifier: BSD-3-Clause */
/* Diffusion in rows with a coefficient; halos by MPI_Put between fences, the coefficient's by
 * MPI_Get. */
#include "bench.h"
enum { N = 24, M = 16, STEPS = 4 };
static long lo, hi; /* own rows */
static int up, down;
static double *u, *v, *k;
static MPI_Win wu, wk;
#define AT(a, i, j) a[((i)-lo + 1) * M + (j)]

static long first_row(int r)
{
	return (long)N * r / size;
}

static void get_coefficient(void)
{
	MPI_Win_fence(0, wk);
	if (up != MPI_PROC_NULL)
		MPI_Get(&AT(k, lo - 1, 0), M, MPI_DOUBLE, up, (first_row(rank) - first_row(up)) * M,
			M, MPI_DOUBLE, wk);
	if (down != MPI_PROC_NULL)
		MPI_Get(&AT(k, hi + 1, 0), M, MPI_DOUBLE, down, M, M, MPI_DOUBLE, wk);
	MPI_Win_fence(0, wk);
}

static void put_rows(void)
{
	MPI_Win_fence(0, wu);
	if (up != MPI_PROC_NULL)
		MPI_Put(&AT(u, lo, 0), M, MPI_DOUBLE, up, (first_row(rank) - first_row(up) + 1) * M,
			M, MPI_DOUBLE, wu);
	if (down != MPI_PROC_NULL)
		MPI_Put(&AT(u, hi, 0), M, MPI_DOUBLE, down, 0, M, MPI_DOUBLE, wu);
	MPI_Win_fence(0, wu);
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double dt = 0.2, most = 0, top = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	lo = first_row(rank);
	hi = first_row(rank + 1) - 1;
	const long bytes = (hi - lo + 3) * M * (long)sizeof(double);
	MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &u, &wu);
	MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &k, &wk);
	v = zeros((hi - lo + 3) * M);
	for (long i = 0; i < (hi - lo + 3) * M; i++)
		u[i] = k[i] = 0;
	DVMDBG_REPLICATED(dt);
	DVMDBG_REPLICATED(top);
	DVMDBG_ARRAY(u, .shape = { N, M }, .own = { { lo, hi }, { 0, M - 1 } }, .halo = { 1, 0 });
	DVMDBG_ARRAY(v, .shape = { N, M }, .own = { { lo, hi }, { 0, M - 1 } }, .halo = { 1, 0 });
	DVMDBG_ARRAY(k, .shape = { N, M }, .own = { { lo, hi }, { 0, M - 1 } }, .halo = { 1, 0 });

	DVMDBG_PL(.on = u, .range = { { 0, N - 1 }, { 0, M - 1 } }, .writes = { u, k })
	for (long i = lo; i <= hi; i++)
		for (long j = 0; j < M; j++) {
			DVMDBG_PL_ITERATION(i, j);
			AT(u, i, j) = SCALE * (sin(0.4 * i) + 0.05 * j * j);
			AT(k, i, j) = 1 + 0.1 * cos(0.7 * i + j);
		}
	get_coefficient();
	DVMDBG_SL(.range = { { 1, STEPS } })
	for (long t = 1; t <= STEPS; t++) {
		DVMDBG_ITERATION(t);
		put_rows();
		DVMDBG_PL(.on = v, .range = { { 1, N - 2 }, { 0, M - 1 } }, .writes = { v },
			  .reads = { u, k })
		for (long i = lo > 0 ? lo : 1; i <= (hi < N - 1 ? hi : N - 2); i++)
			for (long j = 0; j < M; j++) {
				DVMDBG_PL_ITERATION(i, j);
				const double below = (AT(k, i, j) + AT(k, i + 1, j)) *
						     (AT(u, i + 1, j) - AT(u, i, j));
				const double above = (AT(k, i, j) + AT(k, i - 1, j)) *
						     (AT(u, i, j) - AT(u, i - 1, j));
				AT(v, i, j) = AT(u, i, j) + dt * 0.5 * (below - above);
			}
		DVMDBG_PL(.on = u, .range = { { 1, N - 2 }, { 0, M - 1 } }, .writes = { u },
			  .reads = { v })
		for (long i = lo > 0 ? lo : 1; i <= (hi < N - 1 ? hi : N - 2); i++)
			for (long j = 0; j < M; j++) {
				DVMDBG_PL_ITERATION(i, j);
				AT(u, i, j) = AT(v, i, j);
				if (AT(u, i, j) > most)
					most = AT(u, i, j);
			}
	}
	MPI_Allreduce(&most, &top, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	DVMDBG_REDUCTION(top, DVMDBG_MAX);
	if (rank == 0)
		printf("onesided: greatest %.12e\n", top);
	DVMDBG_FORGET(u);
	DVMDBG_FORGET(v);
	DVMDBG_FORGET(k);
	free(v);
	MPI_Win_free(&wu);
	MPI_Win_free(&wk);
	MPI_Finalize();
	return 0;
}
