/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * astray HOW: values that go to, or come from, another place than they should, on several ranks.
 * u is an N × M grid whose columns are dealt out, with a halo of two on each side; w is computed
 * from u; p has five components; c is a cube whose planes are dealt out, its halo packed into
 * buffers. `late` is registered before it gets from rank 0 to the others.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

enum { N = 20, M = 24, L = 6, PARTS = 5, STEPS = 2, WIDE = 2 };

static const char *how;
static int rank, size, ring;
static long c0, c1, nc, ld; /* columns, and how long a row is in memory */
static double *u, *w, *v, *p, *c, *d, late;

#define AT(x, i, j) (x)[(i)*ld + (j) + WIDE]
#define IN(x, i, j, k) (x)[(((i) + 1) * N + (j)) * L + (k)]

static int is(const char *name)
{
	return size > 1 && !strcmp(how, name);
}

static double start(long i, long j)
{
	return 1 +
	       (double)((371 * i * i + 1117 * j * j * j + 53 * i * j + 7 * i) % 1000003) / 1000003;
}

static void set_all(void)
{
	DVMDBG_PL(.range = { { 0, N - 1 }, { 0, M - 1 } }, .writes = { u, w, v, p })
	for (long i = 0; i < N; i++)
		for (long j = 0; j < nc; j++) {
			DVMDBG_PL_ITERATION(i, c0 + j);
			AT(u, i, j) = start(i, c0 + j);
			AT(w, i, j) = AT(v, i, j) = 0;
			for (long k = 0; k < PARTS && !i; k++)
				p[j * PARTS + k] = start(k, c0 + j);
		}
	DVMDBG_PL(.range = { { 0, M - 1 } }, .writes = { c, d })
	for (long i = 0; i < nc; i++) {
		DVMDBG_PL_ITERATION(c0 + i);
		for (long j = 0; j < N; j++)
			for (long k = 0; k < L; k++) {
				IN(c, i, j, k) = start(c0 + i, j * L + k);
				IN(d, i, j, k) = 0;
			}
	}
}

/*
 * Two columns each way; in a ring, where the first and the last one are neighbours as well, when
 * `ring` is part of HOW.
 */
static void exchange(void)
{
	int left = rank ? rank - 1 : MPI_PROC_NULL,
	    right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	long send = is("vector") ? nc : ld;
	MPI_Datatype from, to;

	if (ring) {
		left = is("ring-open") && !rank ? MPI_PROC_NULL : (rank + size - 1) % size;
		right = is("ring-open") && rank == size - 1 ? MPI_PROC_NULL : (rank + 1) % size;
	}
	MPI_Type_vector(N, WIDE, (int)send, MPI_DOUBLE, &from);
	MPI_Type_vector(N, WIDE, (int)ld, MPI_DOUBLE, &to);
	MPI_Type_commit(&from);
	MPI_Type_commit(&to);
	MPI_Sendrecv(&AT(u, 0, 0), 1, from, is("ring-swapped") ? right : left, 0, &AT(u, 0, nc), 1,
		     to, is("ring-swapped") ? left : right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&AT(u, 0, nc - (is("layer") || is("late-layer") ? 3 : 2)), 1, from,
		     is("ring-swapped") ? left : right, 1, &AT(u, 0, -WIDE), 1, to,
		     is("ring-swapped") ? right : left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&from);
	MPI_Type_free(&to);
}

/* The planes of the cube, packed; `turned`: in the other order than they are unpacked. */
static void exchange_packed(void)
{
	int left = rank ? rank - 1 : MPI_PROC_NULL,
	    right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	double out[N * L], in[N * L];
	long n = 0;

	for (long j = 0; j < N; j++)
		for (long k = 0; k < L; k++)
			out[n++] = IN(c, nc - 1, is("turned") ? N - 1 - j : j, k);
	MPI_Sendrecv(out, N * L, MPI_DOUBLE, right, 2, in, N * L, MPI_DOUBLE, left, 2,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	n = 0;
	for (long j = 0; j < N; j++)
		for (long k = 0; k < L && rank; k++)
			IN(c, -1, j, k) = in[n++];
}

static void column_loop(void)
{
	DVMDBG_PL(.on = w, .range = { { 1, N - 2 }, { ring ? 0 : 2, ring ? M - 1 : M - 3 } },
		  .writes = { w }, .reads = { u })
	for (long i = 1; i < N - 1; i++)
		for (long j = 0; j < nc; j++) {
			long to = is("mirror") && rank ? nc - 1 - j : j;

			if (!ring && (c0 + j < 2 || c0 + j > M - 3))
				continue;
			DVMDBG_PL_ITERATION(i, c0 + j);
			if (is("row") && rank == size - 1)
				w[i * (nc + WIDE) + j + WIDE] = /* row */
					AT(u, i, j - 2) + AT(u, i, j + 2);
			else
				AT(w, i, to) = AT(u, i, j - 2) + AT(u, i, j + 2); /* column */
		}
}

static void part_loop(void)
{
	DVMDBG_PL(.on = p, .range = { { 0, M - 1 } }, .writes = { p }, .reads = { u })
	for (long j = 0; j < nc; j++) {
		DVMDBG_PL_ITERATION(c0 + j);
		p[j * PARTS + (is("component") && rank ? 3 : 4)] = AT(u, 3, j); /* component */
	}
}

static void cube_loop(void)
{
	DVMDBG_PL(.on = d, .range = { { 1, M - 1 } }, .writes = { d }, .reads = { c })
	for (long i = c0 ? 0 : 1; i < nc; i++) {
		DVMDBG_PL_ITERATION(c0 + i);
		for (long j = 0; j < N; j++)
			for (long k = 0; k < L; k++)
				IN(d, i, j, k) = IN(c, i - 1, j, k);
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	how = argc > 1 ? argv[1] : "right";
	ring = !strncmp(how, "ring", 4);
	c0 = M * rank / size;
	c1 = M * (rank + 1) / size - 1;
	nc = c1 - c0 + 1;
	ld = nc + 2 * WIDE;
	u = calloc((size_t)((N + 2) * ld), sizeof(double));
	w = calloc((size_t)((N + 2) * ld), sizeof(double));
	v = calloc((size_t)((N + 2) * ld), sizeof(double));
	p = calloc((size_t)(nc * PARTS), sizeof(double));
	for (long i = 0; i < (N + 2) * ld && is("nan"); i++)
		u[i] = NAN;
	late = rank && !strncmp(how, "late", 4) ? 0 : 0.5;
	c = calloc((size_t)((nc + 2) * N * L), sizeof(double));
	d = calloc((size_t)((nc + 2) * N * L), sizeof(double));
	if (!strcmp(how, "fixed") && size != 2)
		exit(3);
	DVMDBG_REPLICATED(late);
	DVMDBG_ARRAY(u, .shape = { N, M }, .own = { { 0, N - 1 }, { c0, c1 } },
		     .halo = { 0, WIDE });
	DVMDBG_ARRAY(w, .shape = { N, M }, .own = { { 0, N - 1 }, { c0, c1 } },
		     .halo = { 0, WIDE });
	DVMDBG_ARRAY(v, .shape = { N, M }, .own = { { 0, N - 1 }, { c0, c1 } },
		     .halo = { 0, WIDE });
	DVMDBG_ARRAY(p, .shape = { M, PARTS }, .own = { { c0, c1 }, { 0, PARTS - 1 } });
	DVMDBG_ARRAY(c, .shape = { M, N, L }, .own = { { c0, c1 }, { 0, N - 1 }, { 0, L - 1 } },
		     .halo = { 1 });
	DVMDBG_ARRAY(d, .shape = { M, N, L }, .own = { { c0, c1 }, { 0, N - 1 }, { 0, L - 1 } },
		     .halo = { 1 });
	set_all();
	MPI_Bcast(&late, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	for (int s = 0; s < STEPS; s++) {
		if (!is("nan") && !is("fixed"))
			exchange();
		exchange_packed();
		column_loop();
		part_loop();
		cube_loop();
	}
	MPI_Finalize();
	/* they are used */
	return p[4] + AT(w, 3, 3) + IN(d, 1, 2, 3) == 12345;
}
