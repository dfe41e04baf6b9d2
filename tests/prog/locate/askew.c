/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * askew HOW [STEPS]: arrays that do not fit together between ranks. Loop 1 sets u; each of the
 * steps (4) has two, which write v and w: 2 and 3, 4 and 5, and so on. Elements are the same on any
 * number of ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

enum { N = 24, WHEN = 3 };

static const char *how;
static int rank, size;
static long r0, r1;
static double *u, *v, *w, local, scale = 2;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static void announce(void)
{
	long n = N, from = r0, to = r1;

	DVMDBG_ARRAY(u, .shape = { N }, .own = { { r0, r1 } });
	DVMDBG_ARRAY(v, .shape = { N }, .own = { { r0, r1 } });
	if (is("shapes") && rank == 1)
		n = N + 6;
	if (is("twice") && rank == 1)
		from = r0 - 1;
	if (is("nobody") && rank == 1)
		from = r0 + 1;
	if (!is("some") || rank != 1)
		DVMDBG_ARRAY(w, .shape = { n }, .own = { { from, to } });
	if (!is("some-scalars") || rank != 1)
		DVMDBG_REPLICATED(local);
	DVMDBG_REPLICATED(scale);
}

/* From the rank before, which sends it when it has left the loop. */
static void take(int step)
{
	if (is("pipeline") && rank)
		MPI_Recv(NULL, 0, MPI_BYTE, rank - 1, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void pass_on(int step)
{
	if (is("pipeline") && rank < size - 1)
		MPI_Send(NULL, 0, MPI_BYTE, rank + 1, step, MPI_COMM_WORLD);
}

static void write_v(int step)
{
	DVMDBG_PL(.on = v, .range = { { 0, N - 1 } }, .writes = { v }, .reads = { u })
	{
		take(step);
		for (long i = r0; i <= r1; i++)
			v[i - r0] = scale * u[i - r0] + step;
		if (is("wrong") && step == WHEN && rank == size - 1)
			v[r1 - r0] += 1;
	}
	pass_on(step);
}

static void write_w(int step)
{
	const long first = is("idle") ? 1 : 0, last = is("idle") ? 0 : N - 1;

	DVMDBG_PL(.on = w, .range = { { first, last } }, .writes = { w })
	for (long i = r0; i <= r1 && first <= last && w; i++)
		w[i - r0] = 1.0 / (double)(i + step);
}

int main(int argc, char **argv)
{
	const int steps = argc > 2 ? atoi(argv[2]) : 4;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	how = argc > 1 ? argv[1] : "right";
	r0 = (long)N * rank / size;
	r1 = (long)N * (rank + 1) / size - 1;
	u = calloc(N, sizeof(*u));
	v = calloc(N, sizeof(*v));
	w = calloc(N, sizeof(*w));
	announce();
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .writes = { u })
	for (long i = r0; i <= r1; i++)
		u[i - r0] = (double)i / 8;
	for (int step = 1; step <= steps; step++) {
		if (is("gone") && step == WHEN) {
			free(w);
			w = NULL;
		}
		if (is("copies") && step == WHEN)
			local = rank < 2 ? 0.5 : 0.75;
		write_v(step);
		write_w(step);
	}
	if (!rank)
		printf("askew %s: %d ranks\n", how, size);
	free(u);
	free(v);
	free(w);
	MPI_Finalize();
	return 0;
}
