/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chain HOW: one fault on rank 1 (`none`: none), some writes away from the first registered element
 * that is wrong. Nobody registers the work arrays, the buffers, and the scalars. Compiled by the
 * tests, with access hooks. In each step: 1 fluxes in a work array of q, with halos that come
 * through buffers; a scalar between; 2 q of the fluxes; 3 nodes, which neighbours compute both; 4 a
 * sweep through all ranks.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

enum { N = 48, W = 3, STEPS = 4, BAD = 2 };
#define Q(k, c) q[(k)*W + (c)]

static const char *how;
static int rank, size, step;
static long lo, hi, n;
static double *q, *node, *sweep; /* registered, with halos */
static double *flux, *weight, *out, *in;
static double scale = 0.25, small;
static volatile double seen;

static int is(const char *name)
{
	return rank == 1 && step == BAD && !strcmp(how, name);
}

/* The column beside ours, packed; `in` is unpacked behind our last. */
static void exchange(void)
{
	int left = rank ? rank - 1 : MPI_PROC_NULL;
	int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

	if (!(rank == 1 && step == BAD && !strcmp(how, "early")))
		for (int k = 0; k < W; k++)
			out[k] = Q(is("packed") ? 2 : 1, k); /* pack */
	if (!is("late"))
		MPI_Sendrecv(out, W, MPI_DOUBLE, left, 0, in, W, MPI_DOUBLE, right, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Sendrecv(in, W, MPI_DOUBLE, left, 0, out, W, MPI_DOUBLE, right, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (right != MPI_PROC_NULL)
		for (int k = 0; k < W; k++)
			Q(n + 1, k) = in[k]; /* unpack */
	MPI_Sendrecv(&Q(n, 0), W, MPI_DOUBLE, right, 1, q, W, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

/* A loop of which nothing is registered but what it reads. */
static void fluxes(void)
{
	DVMDBG_PL(.range = { { 0, N - 1 } }, .reads = { q })
	for (long i = lo; i <= hi; i++) {
		long k = i - lo + 1;

		DVMDBG_PL_ITERATION(i);
		weight[k] = is("work") && k == 5 ? 0.3 : 0.5;			   /* weight */
		flux[k] = weight[k] * (Q(k + (i < N - 1), 1) - Q(k - (i > 0), 0)); /* flux */
	}
}

static void update(void)
{
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { q })
	for (long i = lo; i <= hi; i++) {
		long k = i - lo + 1;

		DVMDBG_PL_ITERATION(i);
		double by = is("inner") ? 0.01 * k : scale; /* by */
		for (int c = 0; c < W; c++)
			Q(k, c) += by * flux[k] + small * sin(i + c); /* update */
	}
}

/* Node i lies between i - 1 and i: rank's last one is the neighbour's first, and both compute it.
 */
static void nodes(void)
{
	DVMDBG_PL(.range = { { 0, N } }, .writes = { node }, .reads = { q })
	for (long i = lo; i <= hi + 1; i++) {
		long k = i - lo;

		DVMDBG_PL_ITERATION(i);
		node[k] = 0.5 * (Q(i ? k : 1, 2) + Q(i < N ? k + 1 : k, 2)) + /* node */
			  (is("node") && i == hi + 1 ? 0.01 : 0);
	}
	/* and what is made of them */
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { q }, .reads = { node })
	for (long i = lo; i <= hi; i++) {
		long k = i - lo;

		DVMDBG_PL_ITERATION(i);
		Q(k + 1, 0) += 0.1 * (node[k + 1] - node[k]); /* of nodes */
	}
}

/* Each element needs the one before it, of the same sweep. */
static void pipeline(void)
{
	MPI_Request r = MPI_REQUEST_NULL;
	double first, before;

	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { sweep }, .reads = { q })
	{
		if (rank)
			MPI_Recv(is("pipe") || is("branch") ? &first : &sweep[0], 1, MPI_DOUBLE,
				 rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (long i = lo; i <= hi; i++) {
			long k = i - lo + 1;

			DVMDBG_PL_ITERATION(i);
			if (is("branch") && k == 1)
				before = sweep[0]; /* edge */
			else
				before = sweep[k - 1]; /* inner */
			if (!(is("missed") && k == 4))
				sweep[k] = 0.6 * before + Q(k, 1); /* sweep */
		}
		if (rank < size - 1)
			MPI_Isend(&sweep[n], 1, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD, &r);
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* A broadcast that is too short leaves the last one. */
static void parameters(void)
{
	double par[3] = { 0 }; /* at first */

	if (!rank)
		par[2] = 0.001;							    /* given */
	MPI_Bcast(par, strcmp(how, "cast") ? 3 : 2, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* cast */
	small = par[2];								    /* kept */
}

/* Looks into a message before it has come, for nothing. */
static void look_soon(void)
{
	double got = 0;
	MPI_Request r;

	if (strcmp(how, "soon") != 0)
		return;
	MPI_Irecv(&got, 1, MPI_DOUBLE, rank, 7, MPI_COMM_WORLD, &r);
	seen = got; /* soon */
	MPI_Send(&scale, 1, MPI_DOUBLE, rank, 7, MPI_COMM_WORLD);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void start(void)
{
	parameters();
	look_soon();
	lo = (long)N * rank / size;
	hi = (long)N * (rank + 1) / size - 1;
	n = hi - lo + 1;
	q = calloc((size_t)(n + 2) * W, sizeof(*q));
	node = calloc((size_t)n + 1, sizeof(*node));
	sweep = calloc((size_t)n + 2, sizeof(*sweep));
	flux = calloc((size_t)n + 2, sizeof(*flux));
	weight = calloc((size_t)n + 2, sizeof(*weight));
	out = calloc(W, sizeof(*out));
	in = calloc(W, sizeof(*in));
	DVMDBG_ARRAY(q, .shape = { N, W }, .own = { { lo, hi }, { 0, W - 1 } }, .halo = { 1 });
	DVMDBG_ARRAY(node, .shape = { N + 1 }, .own = { { lo, hi + (rank == size - 1) } },
		     .halo_hi = { rank < size - 1 });
	DVMDBG_ARRAY(sweep, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 });
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { q })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		for (int k = 0; k < W; k++)
			Q(i - lo + 1, k) = cos(0.37 * i + k);
	}
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "none";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	start();
	DVMDBG_SL(.range = { { 0, STEPS - 1 } })
	for (step = 0; step < STEPS; step++) {
		DVMDBG_ITERATION(step);
		exchange();
		fluxes();
		scale = is("scalar") ? 0.26 : 0.25; /* scale */
		update();
		exchange();
		nodes();
		pipeline();
	}
	MPI_Finalize();
	return 0;
}
