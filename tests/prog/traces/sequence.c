/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program does between its parallel loops: replicated variables that all ranks compute alike, a
 * sum that is in its variable in parts first, and computations of rank 0 alone, which end with a SKIP.
 * sequence FAULT RANK: dt, on that rank, is wrong in step 2; table, which follows from it; the last
 * time; a transient value that nothing follows from; the own computations alone (none of these is
 * wrong); own computations without the mark.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

#define N 64
#define STEPS 3
#define TABLE 6

static double u[N], sum, dt = 0.5, t, half, table[TABLE], noted;
static int rank, size, lo, hi;
static const char *fault = "none";
static int at;

static int is(const char *name)
{
	return rank == at && !strcmp(fault, name);
}

static void relax(void)
{
	DVMDBG_PL(.on = u, .range = { { 1, N } }, .writes = { u })
	for (int i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		u[i - lo] = u[i - lo] * (1 - dt) + dt * i;
	}
}

/* The rank's part, and then all of it, in one variable. */
static void add_up(void)
{
	double part = 0;

	for (int i = lo; i <= hi; i++)
		part += u[i - lo];
	sum = part;
	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void own(int step)
{
	int own = is("own") || is("unmarked"), most = own ? 6 : 4;

	if (!rank || own) {
		DVMDBG_SL(.range = { { 1, most } })
		for (int k = 1; k <= most; k++) {
			DVMDBG_ITERATION(k);
			noted = noted + k * step;
		}
	}
	if (!is("unmarked"))
		DVMDBG_SKIP();
	MPI_Bcast(&noted, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* behind the mark */
}

static void advance(int step)
{
	dt = dt * 0.5; /* right */
	if (is("dt") && step == 2)
		dt = dt * 0.75; /* wrong dt */
	half = is("transient") ? -1 : dt / 2;
	half = dt / 2;
	for (int k = 0; k < TABLE; k++)
		table[k] = k * dt; /* table */
	if (is("table") && step == 2)
		table[4] = 7; /* wrong table */
	t = t + dt; /* time */
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	fault = argc > 1 ? argv[1] : fault;
	at = argc > 2 ? atoi(argv[2]) : 0;
	lo = 1 + rank * N / size;
	hi = (rank + 1) * N / size;
	DVMDBG_ARRAY(u, .shape = { N }, .lower = { 1 }, .own = { { lo, hi } });
	DVMDBG_REPLICATED(sum);
	DVMDBG_REPLICATED(dt);
	DVMDBG_REPLICATED(t);
	DVMDBG_REPLICATED(half);
	DVMDBG_REPLICATED(noted);
	DVMDBG_REPLICATED_ARRAY(table, TABLE);
	for (int step = 1; step <= STEPS; step++) {
		relax();
		add_up();
		own(step);
		advance(step);
	}
	if (is("last"))
		t = t + 1; /* wrong last */
	MPI_Finalize();
	return 0;
}
