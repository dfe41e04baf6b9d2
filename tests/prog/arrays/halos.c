/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arrays with halos of every shape on any number of ranks, correct but for what the arguments say:
 *
 *	halos [late] [STALE…]
 *
 * STALE: "a-0", "b0+-@2": when halos are renewed the second time, those of that array on that side (below,
 * beside, above, per dimension) are not, or not on rank 2.
 *
 * a: double [12][14] on a grid of ranks, halo 1 and 2. b: float [3][10][8], its last two dimensions on the
 * grid, halo 1. c: int [3], halo 2, wider than the parts; some ranks may own nothing. d: long [16], halo
 * only below, the wider the higher the rank. e: double [6], cyclic, by index lists.
 *
 * Loop 1 writes all; halos are renewed; loop 2 reads; loop 3 writes a and b; renewed, but for STALE; loop 4
 * reads; loop 5 writes c; renewed; loop 6 reads; region 7 writes d in two tasks; loop 8 reads. late: in
 * loop 6 rank 1 waits for what rank 0 sends after it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"

#define DIMS 3

struct array {
	char name, type; /* d f i l */
	int ndim;
	long shape[DIMS], lo[DIMS], hi[DIMS], below[DIMS], above[DIMS];
	size_t size;  /* bytes of an element */
	long n[DIMS]; /* local extents, with halo */
	void *data;
};

static int rank, size, stale_n;
static char **stale;

/* Block number k of parts. */
static void block(struct array *x, int d, long shape, int k, int parts, long below, long above)
{
	x->shape[d] = shape;
	x->lo[d] = shape * k / parts;
	x->hi[d] = shape * (k + 1) / parts - 1;
	x->below[d] = below;
	x->above[d] = above;
	x->n[d] = x->hi[d] - x->lo[d] + 1 + below + above;
	x->ndim = d + 1;
}

static void make(struct array *x, char name, char type, size_t bytes)
{
	size_t n = bytes;

	x->name = name;
	x->type = type;
	x->size = bytes;
	for (int d = 0; d < x->ndim; d++)
		n *= (size_t)x->n[d];
	x->data = calloc(1, n ? n : 1);
}

static size_t local(const struct array *x, const long *g)
{
	size_t at = 0;

	for (int d = 0; d < x->ndim; d++)
		at = at * (size_t)x->n[d] + (size_t)(g[d] - x->lo[d] + x->below[d]);
	return at;
}

static size_t global(const struct array *x, const long *g)
{
	size_t at = 0;

	for (int d = 0; d < x->ndim; d++)
		at = at * (size_t)x->shape[d] + (size_t)g[d];
	return at;
}

static void store(struct array *x, const long *g, double v)
{
	size_t at = local(x, g);

	switch (x->type) {
	case 'd':
		((double *)x->data)[at] = v;
		break;
	case 'f':
		((float *)x->data)[at] = (float)v;
		break;
	case 'i':
		((int *)x->data)[at] = (int)v;
		break;
	case 'l':
		((long *)x->data)[at] = (long)v;
		break;
	}
}

static double load(const struct array *x, const long *g)
{
	size_t at = local(x, g);

	switch (x->type) {
	case 'd':
		return ((double *)x->data)[at];
	case 'f':
		return ((float *)x->data)[at];
	case 'i':
		return ((int *)x->data)[at];
	}
	return (double)((long *)x->data)[at];
}

static int nothing(const struct array *x)
{
	for (int d = 0; d < x->ndim; d++)
		if (x->hi[d] < x->lo[d])
			return 1;
	return 0;
}

/* The next index of all that lies here; 0 behind the last. */
static int next(const struct array *x, long *g)
{
	for (int d = x->ndim - 1; d >= 0; d--) {
		if (++g[d] <= x->hi[d] + x->above[d])
			return 1;
		g[d] = x->lo[d] - x->below[d];
	}
	return 0;
}

static void first(const struct array *x, long *g)
{
	for (int d = 0; d < x->ndim; d++)
		g[d] = x->lo[d] - x->below[d];
}

/* '0' own, '-' and '+' below and above it, per dimension; NULL outside the global array. */
static const char *side(const struct array *x, const long *g)
{
	static char text[DIMS + 1];

	for (int d = 0; d < x->ndim; d++) {
		if (g[d] < 0 || g[d] >= x->shape[d])
			return NULL;
		text[d] = g[d] < x->lo[d] ? '-' : g[d] > x->hi[d] ? '+' : '0';
	}
	text[x->ndim] = 0;
	return text;
}

static int own(const char *side)
{
	return side && !strpbrk(side, "+-");
}

/* The indices as digits of a hundred each, after the version. */
static void fill(struct array *x, int version)
{
	long g[DIMS];

	if (nothing(x))
		return;
	first(x, g);
	do {
		double v = version;

		for (int d = 0; d < x->ndim; d++)
			v = 100 * v + (double)g[d];
		if (own(side(x, g)))
			store(x, g, v);
	} while (next(x, g));
}

static int left_out(const struct array *x, const char *where)
{
	for (int i = 0; i < stale_n; i++) {
		const char *at = strchr(stale[i], '@');
		size_t len = strcspn(stale[i], "@");

		if (stale[i][0] == x->name && len == strlen(where) + 1 &&
		    !memcmp(stale[i] + 1, where, len - 1) && (!at || atoi(at + 1) == rank))
			return 1;
	}
	return 0;
}

/* Every halo element gets what its owner has. */
static void renew(struct array *x, int with_faults)
{
	size_t n = 1;
	long g[DIMS];
	double *all;

	for (int d = 0; d < x->ndim; d++)
		n *= (size_t)x->shape[d];
	all = calloc(n, sizeof(*all));
	if (!nothing(x)) {
		first(x, g);
		do
			if (own(side(x, g)))
				all[global(x, g)] = load(x, g);
		while (next(x, g));
	}
	MPI_Allreduce(MPI_IN_PLACE, all, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (!nothing(x)) {
		first(x, g);
		do {
			const char *where = side(x, g);

			if (where && !own(where) && !(with_faults && left_out(x, where)))
				store(x, g, all[global(x, g)]);
		} while (next(x, g));
	}
	free(all);
}

static volatile double looked;

static void look(const struct array *x)
{
	long g[DIMS];

	if (nothing(x))
		return;
	first(x, g);
	do
		if (side(x, g))
			looked = load(x, g);
	while (next(x, g));
}

#define SHAPE(x)                                         \
	{                                                \
		(x).shape[0], (x).shape[1], (x).shape[2] \
	}
#define OWN(x)                                                      \
	{                                                           \
		{ (x).lo[0], (x).hi[0] }, { (x).lo[1], (x).hi[1] }, \
		{                                                   \
			(x).lo[2], (x).hi[2]                        \
		}                                                   \
	}
#define BELOW(x)                                         \
	{                                                \
		(x).below[0], (x).below[1], (x).below[2] \
	}
#define ABOVE(x)                                         \
	{                                                \
		(x).above[0], (x).above[1], (x).above[2] \
	}
#define DESCRIBE(x)                                                              \
	.ndim = (x).ndim, .shape = SHAPE(x), .own = OWN(x), .halo_lo = BELOW(x), \
	.halo_hi = ABOVE(x), .nothing = nothing(&(x))

int main(int argc, char **argv)
{
	struct array xa = { 0 }, xb = { 0 }, xc = { 0 }, xd = { 0 };
	double *a, *e;
	float *b;
	int *c, rows, columns, late;
	long *d, mine[6], count = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	late = argc > 1 && strcmp(argv[1], "late") == 0;
	stale = argv + 1;
	stale_n = argc - 1;
	rows = size % 2 ? 1 : size > 2 ? 2 : 1;
	columns = size / rows;
	block(&xa, 0, 12, rank / columns, rows, 1, 1);
	block(&xa, 1, 14, rank % columns, columns, 2, 2);
	block(&xb, 0, 3, 0, 1, 1, 1);
	block(&xb, 1, 10, rank / columns, rows, 1, 1);
	block(&xb, 2, 8, rank % columns, columns, 1, 1);
	block(&xc, 0, 3, rank, size, 2, 2);
	block(&xd, 0, 16, rank, size, 1 + rank, 0);
	make(&xa, 'a', 'd', sizeof(double));
	make(&xb, 'b', 'f', sizeof(float));
	make(&xc, 'c', 'i', sizeof(int));
	make(&xd, 'd', 'l', sizeof(long));
	a = xa.data;
	b = xb.data;
	c = xc.data;
	d = xd.data;
	for (long i = rank; i < 6; i += size)
		mine[count++] = i;
	e = calloc(8, sizeof(*e));
	DVMDBG_ARRAY(a, DESCRIBE(xa));
	DVMDBG_ARRAY(b, DESCRIBE(xb));
	DVMDBG_ARRAY(c, DESCRIBE(xc));
	DVMDBG_ARRAY(d, DESCRIBE(xd));
	DVMDBG_ARRAY(e, .shape = { 6 }, .index = { mine }, .count = { count }, .halo = { 1 });

	DVMDBG_PL() {
		fill(&xa, 1);
		fill(&xb, 1);
		fill(&xc, 1);
		fill(&xd, 1);
	}
	renew(&xa, 0);
	renew(&xb, 0);
	renew(&xc, 0);
	renew(&xd, 0);
	DVMDBG_PL()
		look(&xa);
	DVMDBG_PL() {
		fill(&xa, 2);
		fill(&xb, 2);
	}
	renew(&xa, 1);
	renew(&xb, 1);
	DVMDBG_PL()
		look(&xb);
	DVMDBG_PL()
		fill(&xc, 3);
	renew(&xa, 0);
	renew(&xb, 0);
	renew(&xc, 0);
	DVMDBG_PL() {
		if (late && rank == 1)
			MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		look(&xc);
	}
	if (late && rank == 0 && size > 1)
		MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
	DVMDBG_TR(.range = { { 1, 2 } }) {
		for (int task = 1; task <= 2; task++) {
			if (size > 1 && rank % 2 != task - 1)
				continue;
			DVMDBG_TASK(task)
				DVMDBG_PL()
					fill(&xd, 4);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	DVMDBG_PL()
		look(&xd);
	MPI_Finalize();
	return 0;
}
