/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scaled SCALE CASE: a field of numbers as large as SCALE is smoothed in four steps, and a pair of
 * components, 1e5 and 1e-5 times SCALE. On several ranks CASE says what else happens:
 *  - right     nothing
 *  - missing   the second step does not exchange the halo
 *  - half      in the third step one number of the small component is half of what it should be
 *  - noise     where the field is 0 there are differences of its parts that should be 0, but are
 * not
 *  - spread    every number of the field is wrong by 4e-11 of itself
 *  - cancel   a vector of three sums, of which one should be 0 and is only noise
 *  - single    there is an array of single precision, wrong by 1e-6 of itself
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

enum { N = 16384, FROM = 12288, STEPS = 4 };

static const char *how;
static double scale;
static int rank, size;
static long r0, r1;
static double *u, *v, (*a)[2];

static int is(const char *name)
{
	return size > 1 && !strcmp(how, name);
}

static void renew(void)
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, up, 1, &u[r1 - r0 + 2], 1, MPI_DOUBLE, down, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&u[r1 - r0 + 1], 1, MPI_DOUBLE, down, 2, &u[0], 1, MPI_DOUBLE, up, 2,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void smooth(void)
{
	DVMDBG_PL(.on = v, .range = { { 1, N - 2 } }, .writes = { v }, .reads = { u })
	for (long i = r0 > 1 ? r0 : 1; i <= r1 && i < N - 1; i++) {
		DVMDBG_ITERATION(i);
		double new = 0.5 * u[i - r0 + 1] + 0.25 * (u[i - r0] + u[i - r0 + 2]);

		if (is("noise") && i > FROM + STEPS)
			new = scale * 1e-17 * sin((double)i);
		if (is("spread"))
			new *= 1 + (i % 2 ? 4e-11 : -4e-11);
		v[i - r0 + 1] = new;
	}
}

static void copy(void)
{
	DVMDBG_PL(.on = u, .range = { { 1, N - 2 } }, .writes = { u }, .reads = { v })
	for (long i = r0 > 1 ? r0 : 1; i <= r1 && i < N - 1; i++) {
		DVMDBG_ITERATION(i);
		u[i - r0 + 1] = v[i - r0 + 1];
	}
}

static void components(int step)
{
	DVMDBG_PL(.on = a, .range = { { 0, N - 1 } }, .writes = { a }, .reads = { a })
	for (long i = r0; i <= r1; i++) {
		DVMDBG_ITERATION(i);
		a[i - r0][0] = scale * 1e5 * (1 + 0.25 * sin((double)(i + step)));
		a[i - r0][1] = scale * 1e-5 * (1 + 0.25 * cos((double)(i + step))) *
			       (is("half") && step == 3 && i == N / 2 + 7 ? 0.5 : 1);
	}
}

static void single(void)
{
	float *w = calloc((size_t)(r1 - r0 + 1), sizeof(*w));

	DVMDBG_ARRAY(w, .shape = { N }, .own = { { r0, r1 } });
	DVMDBG_PL(.on = w, .range = { { 0, N - 1 } }, .writes = { w })
	for (long i = r0; i <= r1; i++)
		w[i - r0] = (float)(scale * (1 + 1e-6 * is("single")));
	DVMDBG_FORGET(w);
	free(w);
}

static void cancel(void)
{
	static double sums[3];

	DVMDBG_ARRAY(sums, .shape = { 3 }, .replicated = 1);
	sums[0] = 0.5 * scale;
	sums[1] = scale;
	sums[2] = scale * (is("cancel") ? 3e-17 : 1e-17);
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { a })
	(void)sums[2];
	DVMDBG_FORGET(sums);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	scale = argc > 1 ? atof(argv[1]) : 1;
	how = argc > 2 ? argv[2] : "right";
	r0 = (long)N * rank / size;
	r1 = (long)N * (rank + 1) / size - 1;
	u = calloc((size_t)(r1 - r0 + 3), sizeof(*u));
	v = calloc((size_t)(r1 - r0 + 3), sizeof(*v));
	a = calloc((size_t)(r1 - r0 + 1), sizeof(*a));
	DVMDBG_ARRAY(u, .shape = { N }, .own = { { r0, r1 } }, .halo = { 1 });
	DVMDBG_ARRAY(v, .shape = { N }, .own = { { r0, r1 } }, .halo = { 1 });
	DVMDBG_ARRAY(a, .shape = { N, 2 }, .own = { { r0, r1 }, { 0, 1 } });
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .writes = { u })
	for (long i = r0; i <= r1; i++) {
		DVMDBG_ITERATION(i);
		u[i - r0 + 1] = i < FROM ? scale * (1 + 0.5 * sin((double)i)) : 0;
	}
	DVMDBG_SL(.range = { { 1, STEPS } })
	for (int step = 1; step <= STEPS; step++) {
		DVMDBG_ITERATION(step);
		if (!(is("missing") && step == 2))
			renew();
		smooth();
		copy();
		components(step);
	}
	if (!strcmp(how, "single"))
		single();
	if (!strcmp(how, "cancel"))
		cancel();
	free(u);
	free(v);
	free(a);
	MPI_Finalize();
	return 0;
}
