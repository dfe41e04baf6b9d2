/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps along rows, then along columns: between them the matrix is transposed by MPI_Alltoallv. */
#include "bench.h"
enum { N = 20, M = 16, STEPS = 3, MOST = 64 };
static long r0, r1, c0, c1; /* own rows of a, own columns of b */
static double *a, *b, *send, *recv;
#define A(i, j) a[((i)-r0) * M + (j)]
#define B(i, j) b[((j)-c0) * N + (i)]

static long first(long n, int r)
{
	return n * r / size;
}

/* a to b, or back. */
static void transpose(int back)
{
	int sc[MOST], sd[MOST], rc[MOST], rd[MOST];
	long n = 0;

	for (int p = 0, s = 0, r = 0; p < size; p++) {
		const long mine = (r1 - r0 + 1) * (first(M, p + 1) - first(M, p));
		const long other = (c1 - c0 + 1) * (first(N, p + 1) - first(N, p));

		sc[p] = (int)(back ? other : mine);
		rc[p] = (int)(back ? mine : other);
		sd[p] = s;
		rd[p] = r;
		s += sc[p];
		r += rc[p];
	}
	for (int p = 0; p < size; p++)
		if (back)
			for (long i = first(N, p); i < first(N, p + 1); i++)
				for (long j = c0; j <= c1; j++)
					send[n++] = B(i, j);
		else
			for (long i = r0; i <= r1; i++)
				for (long j = first(M, p); j < first(M, p + 1); j++)
					send[n++] = A(i, j);
	MPI_Alltoallv(send, sc, sd, MPI_DOUBLE, recv, rc, rd, MPI_DOUBLE, MPI_COMM_WORLD);
	n = 0;
	for (int p = 0; p < size; p++)
		if (back)
			for (long i = r0; i <= r1; i++)
				for (long j = first(M, p); j < first(M, p + 1); j++)
					A(i, j) = recv[n++];
		else
			for (long i = first(N, p); i < first(N, p + 1); i++)
				for (long j = c0; j <= c1; j++)
					B(i, j) = recv[n++];
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double c = 0.4, mine = 0, top = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	r0 = first(N, rank);
	r1 = first(N, rank + 1) - 1;
	c0 = first(M, rank);
	c1 = first(M, rank + 1) - 1;
	a = zeros((r1 - r0 + 1) * M);
	b = zeros((c1 - c0 + 1) * N);
	send = zeros(N * M);
	recv = zeros(N * M);
	DVMDBG_REPLICATED(c);
	DVMDBG_REPLICATED(top);
	DVMDBG_ARRAY(a, .shape = { N, M }, .own = { { r0, r1 }, { 0, M - 1 } });
	DVMDBG_ARRAY(b, .shape = { M, N }, .own = { { c0, c1 }, { 0, N - 1 } });
	DVMDBG_PL(.on = a, .range = { { 0, N - 1 }, { 0, M - 1 } }, .writes = { a })
	for (long i = r0; i <= r1; i++)
		for (long j = 0; j < M; j++) {
			DVMDBG_PL_ITERATION(i, j);
			A(i, j) = SCALE * (cos(0.3 * i) + 0.2 * sin(0.8 * j));
		}
	DVMDBG_SL(.range = { { 1, STEPS } })
	for (long t = 1; t <= STEPS; t++) {
		DVMDBG_ITERATION(t);
		DVMDBG_PL(.on = a, .range = { { 0, N - 1 } }, .writes = { a }, .reads = { a })
		for (long i = r0; i <= r1; i++) {
			DVMDBG_PL_ITERATION(i);
			for (long j = 1; j < M; j++)
				A(i, j) = (1 - c) * A(i, j) + c * A(i, j - 1);
		}
		transpose(0);
		DVMDBG_PL(.on = b, .range = { { 0, M - 1 } }, .writes = { b }, .reads = { b })
		for (long j = c0; j <= c1; j++) {
			DVMDBG_PL_ITERATION(j);
			for (long i = 1; i < N; i++)
				B(i, j) = (1 - c) * B(i, j) + c * B(i - 1, j);
		}
		transpose(1);
	}
	DVMDBG_PL(.on = a, .range = { { 0, N - 1 }, { 0, M - 1 } }, .reads = { a })
	for (long i = r0; i <= r1; i++)
		for (long j = 0; j < M; j++) {
			DVMDBG_PL_ITERATION(i, j);
			if (fabs(A(i, j)) > mine)
				mine = fabs(A(i, j));
		}
	MPI_Allreduce(&mine, &top, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	DVMDBG_REDUCTION(top, DVMDBG_MAX);
	if (rank == 0)
		printf("transpose: greatest %.12e\n", top);
	DVMDBG_FORGET(a);
	DVMDBG_FORGET(b);
	free(a);
	free(b);
	free(send);
	free(recv);
	MPI_Finalize();
	return 0;
}
