/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * causes HOW: faults that look alike where they are seen first, with causes that are not: in blocks
 * of an N × N grid, halos that are stale because they are not sent, and others that nobody reads.
 * Constructs: 1 sets all; in each step a nine-point loop (2), a copy (3), a loop of another array
 * with two halos (4), one of half the size (5), and one that works in place and gets its halo while
 * it runs (6). `causes patch` begins with a loop (2) that sets every other element of u in place
 * from the four around it, while no corner of the halo is sent. `causes inside` has a task region
 * at the end (12), whose task copies u to w and gives u the values above and left of it, from a
 * halo that is not sent.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

enum { N = 24, STEPS = 2 };

static const char *how;
static int rank, size, pr, pc, mr, mc; /* a grid of pr × pc ranks, and the place in it */
static long r0, r1, c0, c1, nr, nc, ld;
static double *u, *old, *w, *a, *b, *z, *s, *half;

#define AT(x, i, j) (x)[((i) + 1) * ld + (j) + 1]

/* HOW names it, and there are several ranks. */
static int is(const char *name)
{
	return size > 1 && !strcmp(how, name);
}

static int at(int i, int j)
{
	return i < 0 || i >= pr || j < 0 || j >= pc ? MPI_PROC_NULL : i * pc + j;
}

static double *grid(void)
{
	return calloc((size_t)((nr + 2) * ld), sizeof(double));
}

/* Sends elements from (i, j) on to one rank, receives as many at (k, l) from another. */
static void swap(double *x, long n, long step, long i, long j, int to, long k, long l, int from)
{
	MPI_Datatype line;

	MPI_Type_vector((int)n, 1, (int)step, MPI_DOUBLE, &line);
	MPI_Type_commit(&line);
	MPI_Sendrecv(&AT(x, i, j), 1, line, to, 0, &AT(x, k, l), 1, line, from, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Type_free(&line);
}

/* Columns, then rows with the corners. */
static void renew(double *x, int from_above)
{
	int corners = !is("corner") && !is("patch");
	long first = corners ? -1 : 0, n = corners ? nc + 2 : nc;

	swap(x, nr, ld, 0, 0, at(mr, mc - 1), 0, nc, at(mr, mc + 1));
	swap(x, nr, ld, 0, nc - 1, at(mr, mc + 1), 0, -1, at(mr, mc - 1));
	swap(x, n, 1, 0, first, at(mr - 1, mc), nr, first, at(mr + 1, mc));
	if (from_above)
		swap(x, n, 1, nr - 1, first, at(mr + 1, mc), -1, first, at(mr - 1, mc));
}

static int on_rim(long i, long j)
{
	return r0 + i == 0 || r0 + i == N - 1 || c0 + j == 0 || c0 + j == N - 1;
}

static void set_all(void)
{
	long dr = is("shift") && mr ? 1 : is("local") || is("periodic") ? -r0 : 0;

	DVMDBG_PL(.on = u, .range = { { 0, N - 1 }, { 0, N - 1 } }, .writes = { u, old, s, a, b })
	for (long i = 0; i < nr; i++)
		for (long j = 0; j < nc; j++) {
			long gi = r0 + i + dr, gj = c0 + j;

			AT(u, i, j) = is("transpose") && mr ? sin(0.3 * (double)(gj * gj + gi))
							    : sin(0.3 * (double)(gi * gi + gj));
			if (!strcmp(how, "periodic"))
				AT(u, i, j) = (double)(gi % 5) + sin((double)(gj * gj));
			AT(old, i, j) = 1 + cos(0.2 * (double)(r0 + i + c0 + j));
			AT(s, i, j) = AT(a, i, j) = 2 + cos((double)((r0 + i) * (c0 + j)));
			AT(b, i, j) = AT(old, i, j);
		}
}

static double around(const double *x, long i, long j)
{
	double sum = 0;

	for (long k = -1; k < 2; k++)
		for (long l = -1; l < 2; l++)
			sum += AT(x, i + k, j + l) * (double)(3 + 2 * k + l);
	return sum;
}

/* Every other element. */
static void patch(void)
{
	double c = is("patch") && !rank ? 0.3 : 0.25;

	renew(u, 1);
	DVMDBG_PL(.on = u, .range = { { 1, N - 2 }, { 1, N - 2 } }, .writes = { u }, .reads = { u })
	for (long i = 0; i < nr; i++)
		for (long j = 0; j < nc; j++)
			if (!on_rim(i, j) && (r0 + i + c0 + j) % 2 == 0)
				AT(u, i, j) = c * (AT(u, i - 1, j) + AT(u, i + 1, j) +
						   AT(u, i, j - 1) + AT(u, i, j + 1));
}

static void nine_points(void)
{
	double c = is("constant") && rank == size - 1 ? 0.11 : 0.1;

	for (long i = 0; i < nr; i++)
		for (long j = 0; j < nc; j++) {
			if (on_rim(i, j) || (is("skip") && mr && !i))
				continue;
			AT(w, i, j) = c * around(u, i, j) + 0.01 * AT(old, i, j);
			if (is("edge") && mr && !i)
				AT(w, i, j) += 0.5;
		}
}

static void copy(void)
{
	DVMDBG_PL(.on = u, .range = { { 1, N - 2 }, { 1, N - 2 } }, .writes = { u }, .reads = { w })
	for (long i = 0; i < nr; i++)
		for (long j = 0; j < nc; j++)
			if (!on_rim(i, j))
				AT(u, i, j) = AT(w, i, j);
}

static void both(void)
{
	DVMDBG_PL(.on = z, .range = { { 1, N - 2 }, { 1, N - 2 } }, .writes = { z },
		  .reads = { a, b })
	for (long i = 0; i < nr; i++)
		for (long j = 0; j < nc; j++)
			if (!on_rim(i, j))
				AT(z, i, j) = around(a, i, j) - around(b, i, j);
}

/* Elements 2 i, 2 j of u and those around them. */
static void coarse(long h0, long h1, long k0, long k1)
{
	DVMDBG_PL(.on = half, .range = { { 1, N / 2 - 1 }, { 1, N / 2 - 1 } }, .writes = { half },
		  .reads = { u })
	for (long i = h0; i <= h1; i++)
		for (long j = k0; j <= k1; j++)
			if (i && j)
				half[(i - h0) * (k1 - k0 + 1) + j - k0] =
					around(u, 2 * i - r0, 2 * j - c0);
}

/* From the first row on; what the row above gives comes in two pieces while it runs. */
static void sweep(void)
{
	int above = at(mr - 1, mc), below = at(mr + 1, mc);

	DVMDBG_PL(.on = s, .range = { { 1, N - 1 }, { 0, N - 1 } }, .writes = { s })
	for (long from = 0, to = nc / 2; from < nc; from = to, to = nc) {
		int n = (int)(to - from);

		MPI_Recv(&AT(s, -1, from), is("short") ? n - 1 : n, MPI_DOUBLE, above, 1,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (long i = 0; i < nr; i++)
			for (long j = from; j < to && r0 + i; j++)
				AT(s, i, j) = 0.5 * AT(s, i, j) + 0.75 * AT(s, i - 1, j);
		MPI_Send(&AT(s, nr - 1, from), is("short") ? n - 1 : n, MPI_DOUBLE, below, 1,
			 MPI_COMM_WORLD);
	}
}

static void steps(long h0, long h1, long k0, long k1)
{
	DVMDBG_FUNCTION();
	set_all();
	if (!strcmp(how, "patch"))
		patch();
	if (!is("either")) {
		renew(a, 1);
		renew(b, 1);
	}
	DVMDBG_SL(.range = { { 1, STEPS } })
	for (int step = 1; step <= STEPS; step++) {
		DVMDBG_ITERATION(step);
		renew(u, !is("halo") && !is("unsaid"));
		if (!strcmp(how, "unsaid")) {
			DVMDBG_PL(.on = w, .writes = { w })
			nine_points();
		} else {
			DVMDBG_PL(.on = w, .writes = { w }, .reads = { u, old })
			nine_points();
		}
		copy();
		both();
		if (!is("coarse"))
			renew(u, 1);
		coarse(h0, h1, k0, k1);
		if (is("between") && step == 2 && rank == size - 1)
			AT(s, 1, 1) = -1;
		sweep();
	}
}

static void inside(void)
{
	DVMDBG_TR(.range = { { 1, 1 } }, .writes = { u, w })
	DVMDBG_TASK(1)
	{
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { w }, .reads = { u })
		for (long i = 0; i < nr; i++)
			memcpy(&AT(w, i, 0), &AT(u, i, 0), (size_t)nc * sizeof(double));
		renew(w, size == 1);
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { u }, .reads = { w })
		for (long i = 0; i < nr; i++)
			for (long j = 0; j < nc; j++)
				if (!on_rim(i, j))
					AT(u, i, j) = 2 * AT(w, i - 1, j - 1) + 1;
	}
}

int main(int argc, char **argv)
{
	int dims[2] = { 0, 0 };
	long h0, h1, k0, k1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	how = argc > 1 ? argv[1] : "right";
	MPI_Dims_create(size, 2, dims);
	pr = dims[0];
	pc = dims[1];
	mr = rank / pc;
	mc = rank % pc;
	r0 = N * mr / pr;
	r1 = N * (mr + 1) / pr - 1;
	c0 = N * mc / pc;
	c1 = N * (mc + 1) / pc - 1;
	nr = r1 - r0 + 1;
	nc = c1 - c0 + 1;
	ld = nc + 2;
	h0 = (r0 + 1) / 2;
	h1 = r1 / 2;
	k0 = (c0 + 1) / 2;
	k1 = c1 / 2;
	u = grid();
	old = grid();
	w = grid();
	a = grid();
	b = grid();
	z = grid();
	s = grid();
	half = calloc((size_t)((h1 - h0 + 1) * (k1 - k0 + 1)), sizeof(double));
	DVMDBG_ARRAY(u, .shape = { N, N }, .own = { { r0, r1 }, { c0, c1 } }, .halo = { 1, 1 });
	DVMDBG_ARRAY(old, .shape = { N, N }, .own = { { r0, r1 }, { c0, c1 } }, .halo = { 1, 1 });
	DVMDBG_ARRAY(w, .shape = { N, N }, .own = { { r0, r1 }, { c0, c1 } }, .halo = { 1, 1 });
	DVMDBG_ARRAY(a, .shape = { N, N }, .own = { { r0, r1 }, { c0, c1 } }, .halo = { 1, 1 });
	DVMDBG_ARRAY(b, .shape = { N, N }, .own = { { r0, r1 }, { c0, c1 } }, .halo = { 1, 1 });
	DVMDBG_ARRAY(z, .shape = { N, N }, .own = { { r0, r1 }, { c0, c1 } }, .halo = { 1, 1 });
	DVMDBG_ARRAY(s, .shape = { N, N }, .own = { { r0, r1 }, { c0, c1 } }, .halo = { 1, 1 });
	DVMDBG_ARRAY(half, .shape = { N / 2, N / 2 }, .own = { { h0, h1 }, { k0, k1 } });
	steps(h0, h1, k0, k1);
	if (!strcmp(how, "inside"))
		inside();
	free(half);
	free(s);
	free(z);
	free(b);
	free(a);
	free(w);
	free(old);
	free(u);
	MPI_Finalize();
	return 0;
}
