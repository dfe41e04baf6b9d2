/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat in a square plate of three zones side by side, west, core and east, each of which is a task.
 *
 * All ranks share the rows of the core, the first half of them also those of the west, the second
 * half those of the east; a rank with more than one zone takes one after the other. A step has two
 * ways to go: along the rows, where zones touch each other, and along the columns, where ranks of
 * the same zone do. All arrays have the same bits on any number of ranks.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"

enum {
	NONE,
	MISSING_EXCHANGE,
	SKIPPED_EXCHANGE,
	WRONG_REDUCTION,
	SWAPPED_INDEX,
	CORNER,
	RANK_CONSTANT,
	OFF_BY_ONE,
	LOST_MESSAGE,
};

struct zone {
	long c0, columns;   /* first column in the plate, and how many */
	int first, last;    /* the ranks that share its rows */
	long r0, r1;	    /* own rows; r1 < r0: none */
	double *u, *v;	    /* the heat, and what it is to be next; NULL without rows */
	MPI_Comm ranks;	    /* of those that share it; else of the others */
	MPI_Datatype below; /* an element of u, up to the one below it */
};
#define ZONES 3
static struct zone core, west, east, *const zones[ZONES] = { &core, &west, &east };

static long n = 1000, steps = 100;
static int rank, size, fault, lost; /* last: messages to rank 0 */
static double eps = 0.5, peak;	    /* weight of the neighbours; the largest heat */

/* By indices of the zone; a halo is all around. */
#define AT(z, a, i, j) (z)->a[((i) - (z)->r0 + 1) * ((z)->columns + 2) + (j) + 1]

static void setup(int argc, char **argv), begin(struct zone *z), step(struct zone *z, double *high);
static void pass(struct zone *from, long from_j, struct zone *to, long to_j);
static int check(double seconds);

/* Registers an array of a zone; every rank does, also one without rows of it. */
#define ZONE_ARRAY(z, a)                             \
	DVMDBG_ARRAY(z.a, .shape = { n, z.columns }, \
		     .own = { { z.r0, z.r1 }, { 0, z.columns - 1 } }, .halo = { 1, 1 })

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();

	setup(argc, argv);
	DVMDBG_REPLICATED(n);
	DVMDBG_REPLICATED(steps);
	DVMDBG_REPLICATED(eps);
	DVMDBG_REPLICATED(peak);
	ZONE_ARRAY(core, u);
	ZONE_ARRAY(core, v);
	ZONE_ARRAY(west, u);
	ZONE_ARRAY(west, v);
	ZONE_ARRAY(east, u);
	ZONE_ARRAY(east, v);

	DVMDBG_TR(.range = { { 1, ZONES } }, .writes = { core.u, west.u, east.u })
	for (int k = 0; k < ZONES; k++) {
		if (!zones[k]->u)
			continue;
		DVMDBG_TASK(k + 1)
		begin(zones[k]);
	}

	const double start = MPI_Wtime();
	DVMDBG_SL(.range = { { 1, steps } })
	for (long t = 1; t <= steps; t++) {
		DVMDBG_ITERATION(t);
		double high = 0;
		const int second = t == 2 && size > 1;

		pass(&west, west.columns - 1, &core, -1);
		pass(&core, 0, &west, west.columns);
		if (fault != SKIPPED_EXCHANGE || !second)
			pass(&core, core.columns - 1, &east, -1);
		lost = fault == LOST_MESSAGE && second;
		pass(&east, 0, &core, core.columns);

		DVMDBG_TR(.writes = { core.u, core.v, west.u, west.v, east.u, east.v })
		for (int k = 0; k < ZONES; k++) {
			if (!zones[k]->u)
				continue;
			DVMDBG_TASK(k + 1)
			step(zones[k], &high);
		}
		MPI_Allreduce(&high, &peak, 1, MPI_DOUBLE,
			      fault == WRONG_REDUCTION ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
		DVMDBG_REDUCTION(peak, DVMDBG_MAX);
	}

	int wrong = check(MPI_Wtime() - start);
	for (int k = 0; k < ZONES; k++) {
		DVMDBG_FORGET(zones[k]->u);
		DVMDBG_FORGET(zones[k]->v);
		free(zones[k]->u);
		free(zones[k]->v);
		MPI_Comm_free(&zones[k]->ranks);
		MPI_Type_free(&zones[k]->below);
	}
	MPI_Finalize();
	return wrong;
}

/* The heat at the start, of row i and column j of the plate: a wave that is zero just outside. */
static double wave(long i, long j)
{
	return sin(3 * M_PI * (i + 1) / (n + 1)) * sin(2 * M_PI * (j + 1) / (n + 1));
}

static void begin(struct zone *z)
{
	DVMDBG_FUNCTION();
	const int corner = fault == CORNER && z == &core && rank < z->last;

	DVMDBG_PL(.on = z->u, .range = { { 0, n - 1 }, { 0, z->columns - 1 } }, .writes = { z->u })
	for (long i = z->r0; i <= z->r1; i++)
		for (long j = 0; j < z->columns; j++) {
			DVMDBG_PL_ITERATION(i, j);
			if (!corner || i < z->r1 || j < z->columns - 1)
				AT(z, u, i, j) = wave(i, z->c0 + j);
		}
}

/* Renews the halo rows of u from the ranks beside this one: first row up, last row down. */
static void renew(struct zone *z)
{
	const int up = rank > z->first ? rank - 1 - z->first : MPI_PROC_NULL;
	const int down = rank < z->last ? rank + 1 - z->first : MPI_PROC_NULL;
	const long last = fault == SWAPPED_INDEX && z == &core ? z->r0 : z->r1;
	const int cells = (int)z->columns;

	MPI_Sendrecv(&AT(z, u, z->r0, 0), cells, MPI_DOUBLE, up, 1, &AT(z, u, z->r1 + 1, 0), cells,
		     MPI_DOUBLE, down, 1, z->ranks, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&AT(z, u, last, 0), cells, MPI_DOUBLE, down, 2, &AT(z, u, z->r0 - 1, 0), cells,
		     MPI_DOUBLE, up, 2, z->ranks, MPI_STATUS_IGNORE);
}

/* A step in one zone, by the ranks that share it. Raises *high to the largest heat of own rows. */
static void step(struct zone *z, double *high)
{
	DVMDBG_FUNCTION();
	const int cut = fault == OFF_BY_ONE && z == &core && rank < z->last;
	const long i1 = n - 1, j1 = z->columns - 1;

	DVMDBG_SL(.range = { { 1, 2 } })
	for (int way = 1; way <= 2; way++) {
		DVMDBG_ITERATION(way);
		const int di = way == 2, dj = way == 1; /* to a neighbour */

		if (way == 2)
			renew(z);

		DVMDBG_PL(.range = { { 0, i1 }, { 0, j1 } }, .writes = { z->v }, .reads = { z->u })
		for (long i = z->r0; i <= z->r1 - cut; i++)
			for (long j = 0; j < z->columns; j++) {
				DVMDBG_PL_ITERATION(i, j);
				AT(z, v, i, j) = (1 - eps) * AT(z, u, i, j) +
						 eps * 0.5 *
							 (AT(z, u, i - di, j - dj) +
							  AT(z, u, i + di, j + dj));
			}

		double *swap = z->u;
		z->u = z->v;
		z->v = swap;
	}

	DVMDBG_PL(.on = z->u, .range = { { 0, i1 }, { 0, j1 } }, .reads = { z->u })
	for (long i = z->r0; i <= z->r1; i++)
		for (long j = 0; j < z->columns; j++) {
			DVMDBG_PL_ITERATION(i, j);
			*high = fmax(*high, fabs(AT(z, u, i, j)));
		}
}

/* How many rows rank a has of one zone and rank b of the other, and the first of these. */
static int shared(const struct zone *one, int a, const struct zone *other, int b, long *row)
{
	const struct zone *z[2] = { one, other };
	const int r[2] = { a, b };
	long end = n;

	*row = 0;
	for (int k = 0; k < 2; k++) {
		const long share = z[k]->last - z[k]->first + 1, at = r[k] - z[k]->first;

		if (at < 0 || at >= share)
			return 0;
		*row = *row > n * at / share ? *row : n * at / share;
		end = end < n * (at + 1) / share ? end : n * (at + 1) / share;
	}
	if (fault == MISSING_EXCHANGE && one == &west && a != b)
		return 0;
	return end > *row ? (int)(end - *row) : 0;
}

/* Copies a column of a zone into a halo column of the next, whose rows may be on other ranks. */
static void pass(struct zone *from, long from_j, struct zone *to, long to_j)
{
	MPI_Request sent[size];
	int count, messages = 0;
	long i;

	for (int r = 0; r < size; r++)
		if ((count = shared(from, rank, to, r, &i)) > 0 && (r || !lost))
			MPI_Isend(&AT(from, u, i, from_j), count, from->below, r, 1, MPI_COMM_WORLD,
				  &sent[messages++]);
	for (int r = 0; r < size; r++)
		if ((count = shared(from, r, to, rank, &i)) > 0)
			MPI_Recv(&AT(to, u, i, to_j), count, to->below, r, 1, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
	while (messages)
		MPI_Wait(&sent[--messages], MPI_STATUS_IGNORE);
}

/*
 * Compares with the right answer on all ranks and prints the verdict. Returns 0 when right. A step
 * (with eps 0.5) only shrinks the wave, so the answer is known without computing step by step.
 */
static int check(double seconds)
{
	const double turn = M_PI / (n + 1), shrink = (1 + cos(3 * turn)) * (1 + cos(2 * turn)) / 4;
	double own[2] = { 0 }, all[2]; /* largest error, largest heat */

	for (int k = 0; k < ZONES; k++)
		for (long i = zones[k]->r0; i <= zones[k]->r1; i++)
			for (long j = 0; j < zones[k]->columns; j++) {
				double due = pow(shrink, steps) * wave(i, zones[k]->c0 + j);
				double off = fabs(AT(zones[k], u, i, j) - due);

				if (!(off <= own[0]))
					own[0] = off;
				own[1] = fmax(own[1], fabs(due));
			}
	MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	int wrong = !(all[0] < 1e-10 && (!steps || fabs(peak - all[1]) < 1e-10));
	if (rank == 0)
		printf("multiblock: %ld x %ld points, %ld steps, %d ranks: error %.1e, peak %.6e, "
		       "%.3f s %s\n",
		       n, n, steps, size, all[0], peak, seconds, wrong ? "WRONG" : "OK");
	return wrong;
}

static void usage(FILE *to, int status)
{
	fputs("usage: multiblock [N [STEPS]] [--fault NAME]\n"
	      "Heat in a plate of N x N points (from 8, 1000) in three zones, STEPS steps (100),\n"
	      "on up to N MPI ranks. It knows the right answer and says OK or, with exit\n"
	      "status 1, WRONG.\n"
	      "  --fault NAME   with a fault: it shows on 2, 4 and more ranks, but not on one\n"
	      "  --fault list   the faults, one a line, with tabs between: name, array, first\n"
	      "                 wrong element, and file:line of the parallel loop that first\n"
	      "                 leaves it wrong, or of the task region that is the last before\n"
	      "                 that, or the very first; elements are those of 4 ranks and the\n"
	      "                 given N. With - for array and element: the program hangs in\n"
	      "                 step 2, in this loop\n",
	      to);
	exit(status);
}

/* The faults: where a debugger should find the first wrong value. */
static const struct fault {
	const char *name, *array;
	int line;
	const char *row, *column; /* 0, the last one of rank 0, the first of rank 1; 0, the last */
} faults[] = {
	[MISSING_EXCHANGE] = { "missing-exchange", "core.v", 168, "next", "0" },
	[SKIPPED_EXCHANGE] = { "skipped-exchange", "east.v", 168, "0", "0" },
	[WRONG_REDUCTION] = { "wrong-reduction", "peak", 94, NULL, NULL },
	[SWAPPED_INDEX] = { "swapped-index", "core.v", 168, "next", "0" },
	[CORNER] = { "uninitialised-corner", "core.u", 130, "last", "last" },
	[RANK_CONSTANT] = { "rank-constant", "eps", 72, NULL, NULL },
	[OFF_BY_ONE] = { "off-by-one", "core.v", 168, "last", "0" },
	[LOST_MESSAGE] = { "lost-message", "-", 81, NULL, NULL },
};
#define FAULTS (int)(sizeof(faults) / sizeof(faults[0]))

static long index_of(const char *word, long last)
{
	return !strcmp(word, "0") ? 0 : !strcmp(word, "last") ? last : last + 1;
}

static void list_faults(void)
{
	for (const struct fault *f = faults + 1; f < faults + FAULTS; f++) {
		printf("%s\t%s\t%s", f->name, f->array, f->array);
		if (f->row)
			printf("[%ld][%ld]", index_of(f->row, n / 4 - 1),
			       index_of(f->column, n - n / 4 * 2 - 1));
		printf("\tmultiblock.c:%d\n", f->line);
	}
	exit(0);
}

static void refuse(const char *what, const char *value)
{
	fprintf(stderr, "multiblock: %s: %s\n", value, what);
	usage(stderr, 2);
}

/* Reads the command line. */
static void options(int argc, char **argv)
{
	int list = 0, given = 0;
	char *end;

	for (int i = 1; i < argc; i++) {
		const long value = strtol(argv[i], &end, 10);

		if (strcmp(argv[i], "--help") == 0)
			usage(stdout, 0);
		if (strcmp(argv[i], "--fault") == 0 && i + 1 < argc) {
			const char *name = argv[++i];

			list = strcmp(name, "list") == 0;
			for (int f = 1; f < FAULTS; f++)
				if (strcmp(name, faults[f].name) == 0)
					fault = f;
			if (!list && !fault)
				refuse("no such fault; --fault list shows them", name);
		} else if (given == 2 || end == argv[i] || *end || value < (given ? 0 : 8) ||
			   value > 100000000) {
			refuse("neither N, 8 to 100000000, nor STEPS, 0 to 100000000", argv[i]);
		} else {
			*(given++ ? &steps : &n) = value;
		}
	}
	if (list)
		list_faults();
}

/* A zone of these columns of the plate and ranks. All ranks call it. */
static void divide(struct zone *z, long c0, long columns, int first, int last)
{
	*z = (struct zone){ .c0 = c0, .columns = columns, .first = first, .last = last };
	const int own = shared(z, rank, z, rank, &z->r0);
	z->r1 = z->r0 + own - 1;
	if (own > 0) {
		z->u = calloc((size_t)((own + 2) * (columns + 2)), sizeof(double));
		z->v = calloc((size_t)((own + 2) * (columns + 2)), sizeof(double));
		if (!z->u || !z->v) {
			fprintf(stderr, "multiblock: no memory for %ld x %ld points\n", n, n);
			MPI_Abort(MPI_COMM_WORLD, 2);
		}
	}
	MPI_Comm_split(MPI_COMM_WORLD, own > 0, rank, &z->ranks);
	MPI_Type_create_resized(MPI_DOUBLE, 0, (columns + 2) * (MPI_Aint)sizeof(double), &z->below);
	MPI_Type_commit(&z->below);
}

/* Starts MPI and takes this rank's rows of the zones. */
static void setup(int argc, char **argv)
{
	options(argc, argv);
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (n < size) {
		if (rank == 0)
			fprintf(stderr, "multiblock: %ld rows are too few for %d ranks\n", n, size);
		MPI_Finalize();
		exit(2);
	}
	divide(&west, 0, n / 4, 0, (size - 1) / 2);
	divide(&core, n / 4, n - n / 4 * 2, 0, size - 1);
	divide(&east, n - n / 4, n / 4, size / 2, size - 1);
	if (fault == RANK_CONSTANT && rank && rank == size - 1)
		eps = 0.75;
}
