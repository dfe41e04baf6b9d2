/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What traces have to get right beside plain arrays: trace_odd [wrong|stray]. N bodies in blocks,
 * with members that are arrays of their own, read from neighbours; a counter that is written before
 * all constructs, and then not at all, but with `stray`; `wrong` leaves a member as it is. Then an
 * array that is dealt out anew before each loop, and a mesh with ghosts behind what each rank has
 * of it. Compiled by the tests.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

#define N 30

struct body {
	float x;
	int hits;
	double force;
};

static int rank, size;

/* The sum over all ranks, of N numbers. */
static void collect(double *all, const double *mine)
{
	MPI_Allreduce(mine, all, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Other borders each time, and no marks. */
static double moved(void)
{
	double all[N] = { 0 }, mine[N], *w = NULL;

	for (int t = 0; t < 3; t++) {
		const int first = rank ? N * rank / size + t : 0;
		const int last = rank < size - 1 ? N * (rank + 1) / size + t - 1 : N - 1;

		free(w);
		w = malloc((size_t)(last - first + 1) * sizeof(*w));
		DVMDBG_ARRAY(w, .shape = { N }, .own = { { first, last } });
		for (int i = first; i <= last; i++)
			w[i - first] = all[i];
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { w })
		for (int i = first; i <= last; i++)
			w[i - first] = 0.5 * w[i - first] + i;
		memset(mine, 0, sizeof(mine));
		memcpy(mine + first, w, (size_t)(last - first + 1) * sizeof(*w));
		collect(all, mine);
	}
	DVMDBG_FORGET(w);
	free(w);
	return all[1];
}

/* Each rank has every size-th element, and behind them copies of those that they are computed from.
 */
static double ghosts(void)
{
	long own[N], m = 0, copies = 0, of[3 * N], at[N];
	double x[4 * N], y[N], all[N], mine[N];

	for (long i = 0; i < N; i++) {
		at[i] = i % size == rank ? m : -1;
		if (at[i] >= 0)
			own[m++] = i;
	}
	for (long p = 0; p < 2 * m; p++) {
		const long j = (own[p / 2] * 7 + p % 2 * 11 + 1) % N;

		if (at[j] < 0) {
			at[j] = m + copies;
			of[copies++] = j;
		}
	}
	DVMDBG_ARRAY(x, .shape = { N }, .index = { own }, .count = { m });
	DVMDBG_ARRAY(y, .shape = { N }, .index = { own }, .count = { m });
	memset(mine, 0, sizeof(mine));
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { x })
	for (long p = 0; p < m; p++) {
		DVMDBG_PL_ITERATION(own[p]);
		mine[own[p]] = x[p] = (double)own[p];
	}
	collect(all, mine);
	for (long p = 0; p < copies; p++)
		x[m + p] = all[of[p]];
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { y }, .reads = { x })
	for (long p = 0; p < m; p++) {
		DVMDBG_PL_ITERATION(own[p]);
		y[p] = x[at[(own[p] * 7 + 1) % N]] - x[at[(own[p] * 7 + 12) % N]];
	}
	DVMDBG_FORGET(x);
	DVMDBG_FORGET(y);
	return m ? y[0] : 0;
}

int main(int argc, char **argv)
{

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	const char *fault = argc > 1 && size > 1 ? argv[1] : "";
	const int first = N * rank / size, last = N * (rank + 1) / size - 1;
	const int left = rank ? rank - 1 : MPI_PROC_NULL;
	const int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	struct body *room = calloc((size_t)(last - first + 3), sizeof(*room)),
		    *b = room + 1 - first;
	int *mark = calloc((size_t)(last - first + 1), sizeof(*mark));
	float *x = &room->x;
	int *hits = &room->hits;
	double *force = &room->force;

	if (!room || !mark)
		return 2;
	DVMDBG_ARRAY(x, .shape = { N }, .own = { { first, last } }, .halo = { 1 }, .stride = { 4 });
	DVMDBG_ARRAY(hits, .shape = { N }, .own = { { first, last } }, .halo = { 1 },
		     .stride = { 4 });
	DVMDBG_ARRAY(force, .shape = { N }, .own = { { first, last } }, .halo = { 1 },
		     .stride = { 2 });
	DVMDBG_ARRAY(mark, .shape = { N }, .own = { { first, last } });
	for (int i = first; i <= last; i++)
		mark[i - first] = 100 + i;
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { x, hits, force })
	for (int i = first; i <= last; i++) {
		DVMDBG_PL_ITERATION(i);
		b[i].x = 0.25f * (float)i;
		b[i].hits = 3 * i;
		b[i].force = 0;
	}
	DVMDBG_SL(.range = { { 1, 3 } })
	for (int t = 1; t <= 3; t++) {
		DVMDBG_ITERATION(t);
		MPI_Sendrecv(b + first, sizeof(*b), MPI_BYTE, left, 0, b + last + 1, sizeof(*b),
			     MPI_BYTE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(b + last, sizeof(*b), MPI_BYTE, right, 1, b + first - 1, sizeof(*b),
			     MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		DVMDBG_PL(.range = { { 1, N - 2 } }, .writes = { force }, .reads = { x })
		for (int i = first ? first : 1; i <= (last < N - 1 ? last : N - 2); i++) {
			DVMDBG_PL_ITERATION(i);
			b[i].force = b[i - 1].x - 2 * b[i].x + b[i + 1].x + t;
		}
		DVMDBG_PL(.range = { { 1, N - 2 } }, .writes = { x, hits, mark },
			  .reads = { force })
		for (int i = first ? first : 1; i <= (last < N - 1 ? last : N - 2); i++) {
			DVMDBG_PL_ITERATION(i);
			if (!strcmp(fault, "wrong") && t == 2 && i == last)
				continue;
			b[i].x += (float)(0.5 * b[i].force);
			b[i].hits += b[i].force > 0;
			if (!strcmp(fault, "stray") && t == 2 && i == last)
				mark[i - first] = -1;
		}
	}
	double sum = moved(), all;

	sum = rank ? 0 * ghosts() : sum + ghosts();
	for (int i = first; i <= last; i++)
		sum += b[i].force + b[i].hits;
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("odd: %.10g\n", all);
	DVMDBG_FORGET(x);
	DVMDBG_FORGET(hits);
	DVMDBG_FORGET(force);
	DVMDBG_FORGET(mark);
	free(room);
	free(mark);
	MPI_Finalize();
	return 0;
}
