/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors of parallelisation, a case each, and near misses that have none: cases CASE. The line that
 * is wrong has the case's name in a comment.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"

#define N 16
static int rank, size;
static long lo, hi; /* own */
static double *u, *v;
#define U(i) u[(i)-lo + 1] /* by global indices, with a halo of 1 */
#define V(i) v[(i)-lo + 1]
static double shared, table[N]; /* not distributed */
static long from, to;		/* own, without the ends of the array */

static void renew(double *a)
{
	int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

	DVMDBG_HALO_START(a);
	MPI_Sendrecv(&a[1], 1, MPI_DOUBLE, left, 1, &a[hi - lo + 2], 1, MPI_DOUBLE, right, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&a[hi - lo + 1], 1, MPI_DOUBLE, right, 2, &a[0], 1, MPI_DOUBLE, left, 2,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	DVMDBG_HALO(a);
}

/* u(i) = i, renewed; v is not written yet. */
static void fill(void)
{
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .writes = { u })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = (double)i;
	}
	renew(u);
}

static void fill_v(void)
{
	DVMDBG_PL(.on = v, .range = { { 0, N - 1 } }, .writes = { v })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = 0;
	}
	renew(v);
}

#define LOOP(on_, ...) DVMDBG_PL(.on = on_, .range = { { 1, N - 2 } }, __VA_ARGS__)

/* ---- 1. dependences ---- */

static void flow(void)
{
	fill();
	LOOP(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = U(i - 1) + 1; /* flow */
	}
}

static void anti(void)
{
	fill();
	LOOP(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = U(i + 1) + 1; /* anti */
	}
}

static void output(void)
{
	fill();
	LOOP(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i / 2 * 2 >= lo ? i / 2 * 2 : i) = 1; /* output */
	}
}

static void across(void)
{
	fill();
	DVMDBG_ACROSS(u, .below = { 2 });
	LOOP(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = U(i - 1) + 1;
	}
}

static void tasks(int after)
{
	fill();
	DVMDBG_TR(.range = { { 1, 2 } }, .writes = { u })
	{
		DVMDBG_TASK(1)
		U(lo) = 1;
		if (after)
			DVMDBG_AFTER(1);
		DVMDBG_TASK(2)
		V(lo) = U(lo) + 1; /* tasks */
	}
}

static void independent(void)
{
	fill();
	LOOP(v, .writes = { v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = U(i - 1) + U(i + 1);
	}
	LOOP(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = U(i) + V(i);
	}
}

/* ---- 2. what was not written ---- */

static void unset(int last)
{
	fill();
	DVMDBG_PL(.on = v, .range = { { 0, N - 1 } }, .writes = { v })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		if (i != 9 || last)
			V(i) = 1;
	}
	LOOP(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = V(i); /* unset */
	}
}

static void sent_unset(void)
{
	double *part = malloc(4 * sizeof(*part)), got[4];

	part[0] = part[1] = part[3] = 1;
	MPI_Sendrecv(part, 4, MPI_DOUBLE, rank, 3, got, 4, MPI_DOUBLE, rank, 3, MPI_COMM_WORLD, /* sent-unset */
		     MPI_STATUS_IGNORE);
	free(part);
}

static void sent_set(void)
{
	double *part = calloc(4, sizeof(*part)), *got = malloc(4 * sizeof(*got));

	part[0] = 1;
	MPI_Sendrecv(part, 4, MPI_DOUBLE, rank, 3, got, 4, MPI_DOUBLE, rank, 3, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	shared = got[3];
	free(part);
	free(got);
}

static void private_unset(int set)
{
	double *work = calloc(2, sizeof(*work));

	fill();
	DVMDBG_PRIVATE_ARRAY(work, 2);
	LOOP(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		if (set || i % 4)
			work[1] = U(i);
		U(i) = work[1] + 1; /* private-unset */
	}
	free(work);
}

/* ---- 3. what is not distributed ---- */

static void sum_unnamed(void)
{
	fill();
	shared = 0;
	LOOP(u, .reads = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		shared += U(i); /* sum-unnamed */
	}
}

static void sum_named(void)
{
	fill();
	shared = 0;
	LOOP(u, .reads = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		shared += U(i);
	}
	MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	DVMDBG_REDUCTION(shared, DVMDBG_SUM);
}

static void replicated(int declared)
{
	fill();
	DVMDBG_REPLICATED_ARRAY(table, N);
	if (declared)
		DVMDBG_PRIVATE_ARRAY(table, N);
	LOOP(u, .reads = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		table[i] = U(i); /* replicated */
	}
	DVMDBG_FORGET(table);
}

static void temporary(void)
{
	fill();
	LOOP(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		shared = U(i);
		table[0] = shared;
		U(i) = shared + table[0];
	}
}

static void read_only(void)
{
	fill();
	shared = 2;
	DVMDBG_READONLY(shared);
	LOOP(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		if (i == from)
			shared = 3; /* read-only */
		U(i) = U(i) * 2;
	}
}

/* ---- 4. before a reduction is complete ---- */

static void asynchronous(int late)
{
	fill();
	shared = 0;
	DVMDBG_REDUCES(shared);
	LOOP(u, .reads = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		shared += U(i);
	}
	DVMDBG_REDUCTION_START(shared);
	if (!late)
		U(lo) = shared; /* asynchronous */
	MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	DVMDBG_REDUCTION(shared, DVMDBG_SUM);
	if (late)
		U(lo) = shared;
}

/* ---- 5. and 6. outside of the array, of another processor ---- */

static void beyond(void)
{
	fill();
	fill_v();
	DVMDBG_PL(.on = v, .range = { { 0, N - 1 } }, .writes = { v })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = i < N - 1 ? U(i) : 0;
		if (i == N - 1)
			V(i) = U(i + 2); /* beyond */
	}
}

static void far_away(void)
{
	fill();
	fill_v();
	LOOP(v, .writes = { v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = i == 7 ? U(i + 2) : U(i); /* far-away */
	}
}

/* ---- 7. a halo that is written ---- */

static void halo_written(void)
{
	fill();
	fill_v();
	LOOP(v, .writes = { v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = 1;
		if (i == 7)
			V(i + 1) = 2; /* halo-written */
	}
}

static void halo_computed(void)
{
	const long first = lo ? lo - 1 : 1, last = hi < N - 1 ? hi + 1 : N - 2;

	fill();
	DVMDBG_COMPUTES_HALO(v);
	LOOP(v, .writes = { v })
	for (long i = first; i <= last; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = U(i);
	}
	LOOP(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = i > 1 && i < N - 2 ? V(i - 1) + V(i + 1) : 0;
	}
}

/* ---- 8. a halo that is stale, 9. what is changed while it is sent ---- */

static void stale(int once)
{
	fill();
	fill_v();
	for (int step = 0; step < 2; step++) {
		LOOP(v, .writes = { v })
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(i);
			V(i) = U(i - 1) + U(i + 1); /* stale */
		}
		LOOP(u, .writes = { u })
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(i);
			U(i) = V(i);
		}
		if (!once)
			renew(u);
	}
}

static void renewing(int early)
{
	int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	MPI_Request request[4];

	fill();
	fill_v();
	DVMDBG_HALO_START(u);
	MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &request[0]);
	MPI_Irecv(&u[hi - lo + 2], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &request[1]);
	MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request[2]);
	MPI_Isend(&u[hi - lo + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &request[3]);
	if (early == 1) {
		LOOP(v, .writes = { v })
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(i);
			V(i) = U(i - 1) + U(i + 1); /* renewing-read */
		}
	}
	if (early == 2) {
		LOOP(u, .writes = { u })
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(i);
			U(i) = 1; /* renewing-write */
		}
	}
	MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
	DVMDBG_HALO(u);
	if (!early) {
		LOOP(v, .writes = { v })
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(i);
			V(i) = U(i - 1) + U(i + 1);
		}
	}
}

/* ---- remote buffers ---- */

static void remote(int fault)
{
	double *buf = calloc(N, sizeof(*buf));

	fill();
	fill_v();
	DVMDBG_REMOTE(buf, N);
	for (int i = 0; i < N - (fault == 1); i++)
		buf[i] = i;
	LOOP(v, .writes = { v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = buf[i + 1]; /* remote-read */
		if (fault == 2)
			buf[i] = V(i); /* remote-write */
	}
	free(buf);
}

static const struct {
	const char *name;
	void (*plain)(void);
	void (*with)(int way);
	int way;
} cases[] = {
	{ "flow", flow, NULL, 0 },
	{ "anti", anti, NULL, 0 },
	{ "output", output, NULL, 0 },
	{ "tasks", NULL, tasks, 0 },
	{ "right-across", across, NULL, 0 },
	{ "right-tasks", NULL, tasks, 1 },
	{ "right-independent", independent, NULL, 0 },
	{ "unset", NULL, unset, 0 },
	{ "sent-unset", sent_unset, NULL, 0 },
	{ "private-unset", NULL, private_unset, 0 },
	{ "right-set", NULL, unset, 1 },
	{ "right-sent", sent_set, NULL, 0 },
	{ "right-private", NULL, private_unset, 1 },
	{ "sum-unnamed", sum_unnamed, NULL, 0 },
	{ "replicated", NULL, replicated, 0 },
	{ "read-only", read_only, NULL, 0 },
	{ "right-sum", sum_named, NULL, 0 },
	{ "right-declared", NULL, replicated, 1 },
	{ "right-temporary", temporary, NULL, 0 },
	{ "asynchronous", NULL, asynchronous, 0 },
	{ "right-asynchronous", NULL, asynchronous, 1 },
	{ "beyond", beyond, NULL, 0 },
	{ "far-away", far_away, NULL, 0 },
	{ "halo-written", halo_written, NULL, 0 },
	{ "right-computed", halo_computed, NULL, 0 },
	{ "stale", NULL, stale, 1 },
	{ "right-renewed", NULL, stale, 0 },
	{ "renewing-read", NULL, renewing, 1 },
	{ "renewing-write", NULL, renewing, 2 },
	{ "right-overlapped", NULL, renewing, 0 },
	{ "remote-read", NULL, remote, 1 },
	{ "remote-write", NULL, remote, 2 },
	{ "right-remote", NULL, remote, 0 },
};

int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : "";
	int found = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	lo = N * rank / size;
	hi = N * (rank + 1) / size - 1;
	from = lo > 1 ? lo : 1;
	to = hi < N - 2 ? hi : N - 2;
	u = malloc((size_t)(hi - lo + 3) * sizeof(*u));
	v = malloc((size_t)(hi - lo + 3) * sizeof(*v));
	DVMDBG_ARRAY(u, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 });
	DVMDBG_ARRAY(v, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 });
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* "right": all near misses */
		if (strcmp(wanted, cases[i].name) &&
		    (strcmp(wanted, "right") || strncmp(cases[i].name, "right-", 6)))
			continue;
		found = 1;
		if (cases[i].plain)
			cases[i].plain();
		else
			cases[i].with(cases[i].way);
	}
	free(u);
	free(v);
	MPI_Finalize();
	if (!found)
		fprintf(stderr, "usage: cases CASE\n");
	return !found;
}
