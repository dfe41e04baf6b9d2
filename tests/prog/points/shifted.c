/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows on ranks, in memory of which no allocator knows: shifted CASE. right; own-not-said: the
 * pointer is that of the first own row; own-said: it is that of the first stored one, and
 * DVMDBG_OWN is said; stale: registered rightly, and no exchange with the next rank; zeros: the
 * same, where nearly all is zero.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "runtime/dvmdbg.h"

enum { N = 12, M = 6 };
static double pool[4][N + 4][M], wide[N + 4][M + 4];
static double *u, *v, *w; /* as they are registered */
static int rank, size, first, last;

static void exchange(double *a, int rows, int both)
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(a + rows * M, M, MPI_DOUBLE, down, 0, a, M, MPI_DOUBLE, up, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	if (both)
		MPI_Sendrecv(a + M, M, MPI_DOUBLE, up, 1, a + (rows + 1) * M, M, MPI_DOUBLE, down,
			     1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void registers(const char *what, double *a, double *b)
{
	double *in = &wide[1][1];

	u = !strcmp(what, "own-not-said") ? a + M : a;
	v = !strcmp(what, "own-not-said") ? b + M : b;
	w = wide[0];
	if (!strcmp(what, "own-said")) {
		DVMDBG_ARRAY(u, .shape = { N, M }, .own = { { first, last }, { 0, M - 1 } },
			     .halo = { 1, 0 }, .first = DVMDBG_OWN);
		DVMDBG_ARRAY(v, .shape = { N, M }, .own = { { first, last }, { 0, M - 1 } },
			     .halo = { 1, 0 }, .first = DVMDBG_OWN);
	} else {
		DVMDBG_ARRAY(u, .shape = { N, M }, .own = { { first, last }, { 0, M - 1 } },
			     .halo = { 1, 0 });
		DVMDBG_ARRAY(v, .shape = { N, M }, .own = { { first, last }, { 0, M - 1 } },
			     .halo = { 1, 0 });
	}
	/* each rank has its own number in the halo that it stores outside of the array */
	for (int i = -1; i <= last - first + 1; i++)
		for (int j = -1; j <= M; j++)
			in[i * (M + 4) + j] =
				j < 0 || j == M ? 1000 * rank + i : 10 * (first + i) + j;
	DVMDBG_ARRAY(w, .shape = { N, M }, .own = { { first, last }, { 0, M - 1 } },
		     .halo = { 1, 1 }, .stride = { M + 4, 1 });
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "right";
	int zeros = !strcmp(what, "zeros"), both = !zeros && strcmp(what, "stale"), rows;
	double *a = pool[1][1], *b = pool[3][1];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	first = N * rank / size;
	last = N * (rank + 1) / size - 1;
	rows = last - first + 1;
	registers(what, a, b);
	DVMDBG_PL(.range = { { 0, N - 1 }, { 0, M - 1 } })
	for (int i = 1; i <= rows; i++)
		for (int j = 0; j < M; j++) {
			int g = first + i - 1;

			a[i * M + j] = zeros ? g == N / 2 && j == 2 : 1.0 / (1 + g * M + j);
			b[i * M + j] = 0;
		}
	DVMDBG_SL(.range = { { 1, 3 } })
	for (int it = 1; it <= 3; it++) {
		DVMDBG_ITERATION(it);
		exchange(a, rows, both);
		DVMDBG_PL(.range = { { 0, N - 1 }, { 0, M - 1 } })
		for (int i = 1; i <= rows; i++)
			for (int j = 0; j < M; j++)
				b[i * M + j] = (a[(i - 1) * M + j] + a[(i + 1) * M + j]) / 3;
		DVMDBG_PL(.range = { { 0, N - 1 }, { 0, M - 1 } })
		for (int i = 1; i <= rows; i++)
			for (int j = 0; j < M; j++)
				a[i * M + j] = b[i * M + j];
	}
	if (!rank)
		printf("%s: done %.17g\n", what, a[M]);
	MPI_Finalize();
	return 0;
}
