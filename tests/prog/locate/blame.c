/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blame HOW: one wrong thing on some ranks of several, each with another cause: a scalar or an
 * element that is set where no loop is, by a statement, by code without access hooks
 * (blame_plain.c); a constant that nobody has registered; halos; bounds; conditions; indices.
 * Compiled by the tests, with access hooks. Constructs: 1 sets q; in each step 2 of q to qn, and 3
 * back, of threads. `blame fewer` and `blame times` have another loop in each step, which adds to
 * each element three times, without marks and with them; `blame colour` one of every other element.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dvmdbg.h"

enum { N = 48, ROW = 8 };

void plain_scale(double *x, double by); /* blame_plain.c */

static const char *how;
static int rank, size;
static long lo, hi, n;
static double *q, *qn;
static double gam = 0.4; /* nobody registers it */
static double dt = 0.1, total, row[ROW];
static long beside[N + 2]; /* which element is read beside another */

static int is(const char *name, int on)
{
	return size > 1 && !strcmp(how, name) && (on < 0 || on == rank);
}

/* With both neighbours, round the ring; what comes from the left through a buffer. */
static void renew(int step)
{
	int left = (rank + size - 1) % size, right = (rank + 1) % size;
	double out = q[n], in;

	if (is("packed", 0) && step == 3)
		out = q[n - 1];
	if (!(is("halo", -1) && step == 3))
		MPI_Sendrecv(q + 1, 1, MPI_DOUBLE, left, 0, q + n + 1, 1, MPI_DOUBLE, right, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&out, 1, MPI_DOUBLE, right, 1, &in, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	q[0] = in; /* unpacked */
}

/* All ranks get it from the last one. */
static void share(int step)
{
	if (rank == size - 1)
		for (int i = 0; i < ROW; i++)
			row[i] = step + 0.5 * i; /* shared */
	if (!(is("shared", -1) && step == 3))
		MPI_Bcast(row, ROW, MPI_DOUBLE, is("root", -1) && step == 3 ? 0 : size - 1,
			  MPI_COMM_WORLD);
}

/* What is wrong between two loops. */
static void between(int step)
{
	if (step != 3)
		return;
	if (is("between", 1))
		dt = dt * 2 + row[1]; /* scalar */
	if (is("library", 1))
		plain_scale(&dt, 2);
	if (is("outside", 1))
		q[3] = 9; /* element */
	if (is("inlib", 1))
		plain_scale(&q[3], 2);
}

static void forward(int step)
{
	long last = is("bound", 0) && step == 3 ? hi - 1 : hi;

	DVMDBG_PL(.on = qn, .range = { { 0, N - 1 } }, .writes = { qn }, .reads = { q })
#pragma omp parallel for schedule(dynamic, 2)
	for (long i = lo; i <= last; i++) {
		long k = i - lo + 1, by = is("before", 1) && step == 3 && i == lo ? 2 : 1;
		int off = is("threads", -1) && step == 3 && i % 7 == 3;

		DVMDBG_PL_ITERATION(i);
		double s = gam * (q[k] - q[k - by]) + q[beside[k]];

		/* another thread begins: the block ends between what is read and the write */
		if (by == 2)
			usleep(100000);
		if (is("other", 1) && step == 3 && i == lo + 4)
			qn[k] = q[k] - dt; /* instead */
		else
			qn[k] = q[k] + off - dt * s; /* flux */
	}
}

static void back(int step)
{
	long last = is("unmarked", 1) && step == 3 ? n - 1 : n;
	double l = 0;

	DVMDBG_PL(.on = q, .range = { { 0, N - 1 } }, .writes = { q }, .reads = { qn })
	for (long k = 1; k <= last; k++) {
		q[k] = qn[k]; /* copied */
		l += q[k];
		if (is("again", 1) && step == 3 && k == 5)
			q[k - 1] = 9; /* neighbour */
	}
	MPI_Allreduce(&l, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
}

static void add_often(int step)
{
	int times = rank == 1 && size > 1 && step == 3 ? 2 : 3, marked = !strcmp(how, "times");

	DVMDBG_PL(.on = q, .range = { { 0, N - 1 } }, .writes = { q })
	for (long k = 1; k <= n; k++) {
		if (marked)
			DVMDBG_PL_ITERATION(lo + k - 1);
		for (int t = 0; t < times; t++)
			q[k] += 0.01 * (t + 1); /* added */
	}
}

static void every_other(int step)
{
	long even = (lo + (is("colour", 1) && step == 3)) % 2;

	DVMDBG_PL(.on = q, .range = { { 0, N - 1 } }, .writes = { q })
	for (long k = 2 - even; k <= n; k += 2) {
		DVMDBG_PL_ITERATION(lo + k - 1);
		q[k] += 0.01; /* coloured */
	}
}

static void set_up(void)
{
	if (!strcmp(how, "told"))
		dt = 0; /* at first */
	for (long k = 0; k <= n + 1; k++)
		beside[k] = k + 1;
	if (!strcmp(how, "told") && !rank)
		dt = 0.1; /* not told */
	if (is("index", 1))
		beside[5] = 3;
	if (is("early", 1))
		dt = 0.11; /* early */
	if (is("constant", size - 1))
		gam = 0.41;
	DVMDBG_REPLICATED(dt);
	DVMDBG_REPLICATED(total);
	DVMDBG_ARRAY(row, .shape = { ROW }, .replicated = 1);
	DVMDBG_ARRAY(q, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 });
	DVMDBG_ARRAY(qn, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 });
	DVMDBG_PL(.on = q, .range = { { 0, N - 1 } }, .writes = { q })
	for (long i = lo; i <= hi; i++)
		q[i - lo + 1] = sin(0.3 * (double)i) + (double)(i % 7) * 0.1;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "right";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	lo = N * rank / size;
	hi = N * (rank + 1) / size - 1;
	n = hi - lo + 1;
	q = calloc((size_t)n + 2, sizeof(*q));
	qn = calloc((size_t)n + 2, sizeof(*qn));
	if (!q || !qn)
		return 2;
	set_up();
	DVMDBG_SL(.range = { { 1, 4 } })
	for (int step = 1; step <= 4; step++) {
		DVMDBG_ITERATION(step);
		renew(step);
		share(step);
		between(step);
		forward(step);
		back(step);
		if (!strcmp(how, "fewer") || !strcmp(how, "times"))
			add_often(step);
		if (!strcmp(how, "colour"))
			every_other(step);
	}
	if (!rank)
		printf("blame: %.12g\n", total);
	free(q);
	free(qn);
	MPI_Finalize();
	return 0;
}
