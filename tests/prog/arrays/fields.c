/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of a gas, an array of structures: fields block|cyclic|plane [the cell whose t is wrong on several ranks] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

struct cell {
	double t, rho;
	int kind;
	float v[3];
	struct {
		double x, y;
	} pos;
};

enum { N = 24 };

static struct cell *cells;
static struct cell plane[3][4];
static long first, count, step, wrong = -1;

static void announce(void)
{
	if (step > 1)
		DVMDBG_ARRAY(cells, .shape = { N }, .own = { { first, N - 1 } }, .step = { step },
			     .fields = DVMDBG_FIELDS(cells, t, rho, kind, v, pos.x, pos.y));
	else
		DVMDBG_ARRAY(cells, .shape = { N }, .own = { { first, first + count - 1 } },
			     .fields = DVMDBG_FIELDS(cells, t, rho, kind, v, pos.x, pos.y));
}

static void fill(void)
{
	DVMDBG_PL(.on = cells, .range = { { 0, N - 1 } }, .writes = { cells })
	for (long k = 0; k < count; k++) {
		long g = first + k * step;
		struct cell *c = &cells[k];

		DVMDBG_PL_ITERATION(g);
		c->t = (double)g;
		c->rho = 100.0 + (double)g;
		c->kind = (int)(g % 3);
		for (int d = 0; d < 3; d++)
			c->v[d] = (float)(g * 10 + d);
		c->pos.x = 0.5 * (double)g;
		c->pos.y = -(double)g;
	}
}

static void advance(int it)
{
	DVMDBG_PL(.on = cells, .range = { { 0, N - 1 } }, .writes = { &cells->rho, &cells->t },
		  .reads = { &cells->v })
	for (long k = 0; k < count; k++) {
		long g = first + k * step;

		DVMDBG_PL_ITERATION(g);
		cells[k].t += 1;
		cells[k].rho += cells[k].v[1];
		if (g == wrong && it == 2)
			cells[k].t += 0.25;
	}
}

int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	step = argc > 1 && !strcmp(argv[1], "cyclic") ? ranks : 1;
	wrong = argc > 2 && ranks > 1 ? atol(argv[2]) : -1;
	count = N / ranks;
	first = step > 1 ? rank : rank * count;
	cells = calloc((size_t)count, sizeof(*cells));
	announce();
	if (argc > 1 && !strcmp(argv[1], "plane"))
		DVMDBG_ARRAY(plane, .shape = { 3, 4 }, .fields = DVMDBG_FIELDS(plane[0], t, rho));
	fill();
	DVMDBG_SL(.range = { { 1, 3 } })
	for (int it = 1; it <= 3; it++) {
		DVMDBG_ITERATION(it);
		advance(it);
		plane[1][2].rho = it;
	}
	printf("rank %d: %g\n", rank, cells[0].t);
	free(cells);
	MPI_Finalize();
	return 0;
}
