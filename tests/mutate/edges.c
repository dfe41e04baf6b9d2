/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat over the edges of an unstructured mesh. A rank has a block of nodes, and behind it copies
 * (ghosts) of the nodes at the other ends of its edges; lists say which nodes go to which rank. */
#include "bench.h"
enum { NODES = 60, EDGES = 150, STEPS = 4, MOST = 16 };
static int from[EDGES], to[EDGES]; /* of the whole mesh, in ascending order of from */
static long lo, hi, own;
static int ghost[NODES], ghosts;		    /* global nodes, in ascending order */
static int local[NODES];			    /* where a global node is here; -1: not */
static int out[MOST][NODES], outs[MOST], ins[MOST]; /* to each rank: own nodes, and how many come */
static double *x, *flow, *weight;

static long first_node(int r)
{
	return (long)NODES * r / size;
}

static void mesh(void)
{
	unsigned seed = 7;

	for (int e = 0; e < EDGES; e++) {
		from[e] = e * NODES / EDGES;
		seed = seed * 1103515245u + 12345u;
		to[e] = (from[e] + 1 + (int)(seed >> 16) % 17) % NODES;
	}
}

static int owner(int node)
{
	int r = 0;

	while (first_node(r + 1) <= node)
		r++;
	return r;
}

/* Which nodes are ghosts here, and which of mine are elsewhere. */
static void lists(void)
{
	char need[MOST][NODES] = { { 0 } };

	for (int e = 0; e < EDGES; e++) {
		need[owner(from[e])][to[e]] = 1;
		need[owner(to[e])][from[e]] = 1;
	}
	for (int n = 0; n < NODES; n++) {
		local[n] = n >= lo && n <= hi ? n - (int)lo : -1;
		if (local[n] < 0 && need[rank][n]) {
			local[n] = (int)own + ghosts;
			ghost[ghosts++] = n;
			ins[owner(n)]++;
		}
		for (int r = 0; r < size; r++)
			if (local[n] >= 0 && local[n] < own && r != rank && need[r][n])
				out[r][outs[r]++] = local[n];
	}
}

static void exchange(double *a)
{
	double buf[MOST][NODES];
	MPI_Request q[2 * MOST];
	int n = 0;
	long at = own;

	for (int r = 0; r < size; r++) {
		if (ins[r])
			MPI_Irecv(a + at, ins[r], MPI_DOUBLE, r, 5, MPI_COMM_WORLD, &q[n++]);
		at += ins[r];
	}
	for (int r = 0; r < size; r++) {
		for (int i = 0; i < outs[r]; i++)
			buf[r][i] = a[out[r][i]];
		if (outs[r])
			MPI_Isend(buf[r], outs[r], MPI_DOUBLE, r, 5, MPI_COMM_WORLD, &q[n++]);
	}
	MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double dt = 0.05, mine = 0, top = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	lo = first_node(rank);
	hi = first_node(rank + 1) - 1;
	own = hi - lo + 1;
	mesh();
	lists();
	x = zeros(own + ghosts);
	flow = zeros(own);
	weight = zeros(own);
	DVMDBG_REPLICATED(dt);
	DVMDBG_REPLICATED(top);
	DVMDBG_ARRAY(x, .shape = { NODES }, .own = { { lo, hi } });
	DVMDBG_ARRAY(flow, .shape = { NODES }, .own = { { lo, hi } });
	DVMDBG_ARRAY(weight, .shape = { NODES }, .own = { { lo, hi } });
	DVMDBG_PL(.on = x, .range = { { 0, NODES - 1 } }, .writes = { x, weight })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		x[i - lo] = SCALE * (1 + sin(0.9 * i));
		weight[i - lo] = 1 + 0.01 * (i % 5);
	}
	DVMDBG_SL(.range = { { 1, STEPS } })
	for (long t = 1; t <= STEPS; t++) {
		DVMDBG_ITERATION(t);
		exchange(x);
		DVMDBG_PL(.on = flow, .range = { { 0, NODES - 1 } }, .writes = { flow },
			  .reads = { x })
		for (long i = lo; i <= hi; i++) {
			DVMDBG_PL_ITERATION(i);
			double sum = 0;

			for (int e = 0; e < EDGES; e++) {
				if (from[e] == i)
					sum += x[local[to[e]]] - x[i - lo];
				if (to[e] == i)
					sum += x[local[from[e]]] - x[i - lo];
			}
			flow[i - lo] = sum;
		}
		DVMDBG_PL(.on = x, .range = { { 0, NODES - 1 } }, .writes = { x },
			  .reads = { flow, weight })
		for (long i = lo; i <= hi; i++) {
			DVMDBG_PL_ITERATION(i);
			x[i - lo] += dt * weight[i - lo] * flow[i - lo];
		}
	}
	for (long i = lo; i <= hi; i++)
		if (x[i - lo] > mine)
			mine = x[i - lo];
	MPI_Allreduce(&mine, &top, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	DVMDBG_REDUCTION(top, DVMDBG_MAX);
	if (rank == 0)
		printf("edges: greatest %.12e\n", top);
	DVMDBG_FORGET(x);
	DVMDBG_FORGET(flow);
	DVMDBG_FORGET(weight);
	free(x);
	free(flow);
	free(weight);
	MPI_Finalize();
	return 0;
}
