/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat in a square plate, in blocks of rows and columns with halos; usage() below says more. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"
enum { NONE, DIFFERING_EPS, MISSING_HALO, WRONG_REDUCTION, SWAPPED_INDEX, CORNER, OFF_BY_ONE };
static long n = 1000, steps = 100, r0, r1, c0, c1;   /* last four: own rows and columns */
static int rank, size, fault, up, down, left, right; /* last four: neighbours */
static MPI_Comm grid;
static void setup(int argc, char **argv), renew_rows(double *a), renew_columns(double *a);
static double *allocate(void), exact(long i, long j, long t);
static int check(const double *u, double change, double seconds);
#define AT(a, i, j) a[((i)-r0 + 1) * (c1 - c0 + 3) + (j)-c0 + 1] /* by global indices */

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double eps = 0.5, change = 0; /* weight of the neighbours; largest change in a step */

	setup(argc, argv);
	double *u = allocate(), *v = allocate(); /* the present state and the next one */
	if (fault == DIFFERING_EPS && rank && rank == size - 1)
		eps = 0.75;

	DVMDBG_REPLICATED(n);
	DVMDBG_REPLICATED(steps);
	DVMDBG_REPLICATED(eps);
	DVMDBG_REPLICATED(change);
	DVMDBG_ARRAY(u, .shape = { n, n }, .own = { { r0, r1 }, { c0, c1 } }, .halo = { 1, 1 });
	DVMDBG_ARRAY(v, .shape = { n, n }, .own = { { r0, r1 }, { c0, c1 } }, .halo = { 1, 1 });

	DVMDBG_PL(.on = u, .range = { { 0, n - 1 }, { 0, n - 1 } }, .writes = { u })
	for (long i = r0; i <= r1; i++)
		for (long j = c0; j <= c1; j++)
			if (fault != CORNER || rank == size - 1 || i < r1 || j != (c1 < n - 1 ? c1 : n - 2))
				AT(u, i, j) = exact(i, j, 0);

	DVMDBG_PL(.on = v, .range = { { 0, n - 1 }, { 0, n - 1 } }, .writes = { v })
	for (long i = r0; i <= r1; i++)
		for (long j = c0; j <= c1; j++) {
			DVMDBG_PL_ITERATION(i, j);
			AT(v, i, j) = 0;
		}
	/* The plate's rim keeps its heat; ranks there have one row or column less to do. */
	const long top = r0 > 0 ? r0 : 1, bottom = r1 < n - 1 ? r1 : n - 2;
	const long west = c0 > 0 ? c0 : 1, east = c1 < n - 1 ? c1 : n - 2;
	const long cut = fault == OFF_BY_ONE && down != MPI_PROC_NULL;
	const double start = MPI_Wtime();
	DVMDBG_SL(.range = { { 1, steps } })
	for (long t = 1; t <= steps; t++) {
		DVMDBG_ITERATION(t);
		double local = 0;

		renew_rows(u);
		renew_columns(u);

		/* Each point goes part of the way to the mean of its four neighbours. */
		DVMDBG_PL(.on = v, .range = { { 1, n - 2 }, { 1, n - 2 } }, .writes = { v })
		for (long i = top; i <= bottom - cut; i++)
			for (long j = west; j <= east; j++) {
				DVMDBG_PL_ITERATION(i, j);
				const double near = AT(u, i - 1, j) + AT(u, i + 1, j) +
						    AT(u, i, j - 1) + AT(u, i, j + 1);
				AT(v, i, j) = (1 - eps) * AT(u, i, j) + eps * 0.25 * near;
			}
		DVMDBG_PL(.on = v, .range = { { 1, n - 2 }, { 1, n - 2 } }, .reads = { u, v })
		for (long i = top; i <= bottom; i++)
			for (long j = west; j <= east; j++) {
				DVMDBG_PL_ITERATION(i, j);
				if (fabs(AT(v, i, j) - AT(u, i, j)) > local)
					local = fabs(AT(v, i, j) - AT(u, i, j));
			}
		MPI_Allreduce(&local, &change, 1, MPI_DOUBLE,
			      fault == WRONG_REDUCTION ? MPI_SUM : MPI_MAX, grid);
		DVMDBG_REDUCTION(change, DVMDBG_MAX);
		double *swap = u;
		u = v;
		v = swap;
	}

	int wrong = check(u, change, MPI_Wtime() - start);
	DVMDBG_FORGET(u);
	DVMDBG_FORGET(v);
	free(u);
	free(v);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	return wrong;
}

/* Renews the halo rows: own first row up, own last row down. */
static void renew_rows(double *a)
{
	const int cells = (int)(c1 - c0 + 1);
	const long last = fault == SWAPPED_INDEX ? r0 : r1;
	const int from = fault == MISSING_HALO ? MPI_PROC_NULL : down;
	const int to = fault == MISSING_HALO ? MPI_PROC_NULL : up;

	MPI_Sendrecv(&AT(a, r0, c0), cells, MPI_DOUBLE, to, 1, &AT(a, r1 + 1, c0), cells,
		     MPI_DOUBLE, from, 1, grid, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&AT(a, last, c0), cells, MPI_DOUBLE, down, 2, &AT(a, r0 - 1, c0), cells,
		     MPI_DOUBLE, up, 2, grid, MPI_STATUS_IGNORE);
}

/* Renews the halo columns: own first column to the left, own last column to the right. */
static void renew_columns(double *a)
{
	MPI_Datatype column;

	MPI_Type_vector((int)(r1 - r0 + 1), 1, (int)(c1 - c0 + 3), MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv(&AT(a, r0, c0), 1, column, left, 3, &AT(a, r0, c1 + 1), 1, column, right, 3,
		     grid, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&AT(a, r0, c1), 1, column, right, 4, &AT(a, r0, c0 - 1), 1, column, left, 4,
		     grid, MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
}

/* By how much one step shrinks the heat, see exact(). */
static double shrink(void)
{
	return 0.5 + 0.25 * (cos(2 * M_PI / (n - 1)) + cos(3 * M_PI / (n - 1)));
}

/*
 * The true heat at a point after t steps. The plate starts with a wave that is zero on the rim and
 * that a step (with eps 0.5) only shrinks, so the sum is known without computing step by step.
 */
static double exact(long i, long j, long t)
{
	if (i == 0 || j == 0 || i == n - 1 || j == n - 1)
		return 0;
	return pow(shrink(), t) * sin(2 * M_PI * i / (n - 1)) * sin(3 * M_PI * j / (n - 1));
}

/* Compares with the exact answer on all ranks and prints the verdict. Returns 0 when right. */
static int check(const double *u, double change, double seconds)
{
	double worst = 0, high = 0, wide = 0, all;
	const double scale = pow(shrink(), steps);

	for (long i = r0; i <= r1; i++)
		for (long j = c0; j <= c1; j++) {
			double off = fabs(AT(u, i, j) - scale * exact(i, j, 0));

			if (!(off <= worst))
				worst = off;
		}
	MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, grid);
	for (long i = 1; i < n - 1; i++) {
		high = fmax(high, fabs(sin(2 * M_PI * i / (n - 1))));
		wide = fmax(wide, fabs(sin(3 * M_PI * i / (n - 1))));
	}
	double due = steps ? (1 - shrink()) * pow(shrink(), steps - 1) * high * wide : 0;
	int wrong = !(all < 1e-10 && fabs(change - due) < 1e-10);
	if (rank == 0)
		printf("heat: %ld x %ld points, %ld steps, %d ranks: error %.1e, change %.6e, "
		       "%.3f s %s\n",
		       n, n, steps, size, all, change, seconds, wrong ? "WRONG" : "OK");
	return wrong;
}

/* A rank's block with its halo, zeroed. */
static double *allocate(void)
{
	double *a = calloc((size_t)((r1 - r0 + 3) * (c1 - c0 + 3)), sizeof(double));

	if (!a) {
		fprintf(stderr, "heat: no memory for %ld x %ld points\n", n, n);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return a;
}

static void usage(FILE *to)
{
	fputs("usage: heat [N [STEPS]] [--fault NAME]\n"
	      "Heat in a plate of N x N points (1000), STEPS steps (100), on any number of MPI "
	      "ranks.\n"
	      "It knows the right answer and says OK or, with exit status 1, WRONG.\n"
	      "  --fault NAME   with a fault: it shows on 2 x 2 ranks, but not on one\n"
	      "  --fault list   the faults, one a line, with tabs between: name, array, first "
	      "wrong\n"
	      "                 element, and file:line of the parallel loop that first has it "
	      "wrong, or\n"
	      "                 is the last before; elements are those of 2 x 2 ranks and the "
	      "given N\n",
	      to);
}

/* The faults: where a debugger should find the first wrong value. %ld: row or column of a block's
 * end. */
static const struct fault {
	const char *name, *array, *element;
	int line, behind; /* behind: the element is the first of the next block */
} faults[] = {
	[DIFFERING_EPS] = { "differing-eps", "eps", "eps", 35, 0 },
	[MISSING_HALO] = { "missing-halo", "v", "v[%ld][1]", 61, 0 },
	[WRONG_REDUCTION] = { "wrong-reduction", "change", "change", 69, 0 },
	[SWAPPED_INDEX] = { "swapped-index", "v", "v[%ld][1]", 61, 1 },
	[CORNER] = { "uninitialised-corner", "u", "u[%ld][%ld]", 35, 0 },
	[OFF_BY_ONE] = { "off-by-one", "v", "v[%ld][1]", 61, 0 },
};
#define FAULTS (int)(sizeof(faults) / sizeof(faults[0]))

static void list_faults(void)
{
	for (int f = 1; f < FAULTS; f++) {
		long edge = n / 2 - 1 + faults[f].behind;

		printf("%s\t%s\t", faults[f].name, faults[f].array);
		printf(faults[f].element, edge, edge);
		printf("\theat.c:%d\n", faults[f].line);
	}
}

static void refuse(const char *what, const char *value)
{
	fprintf(stderr, "heat: %s: %s\n", value, what);
	usage(stderr);
	exit(2);
}

static long number(const char *text, long least, long most)
{
	char *end, what[64];
	long v = strtol(text, &end, 10);

	snprintf(what, sizeof(what), "not a number from %ld to %ld", least, most);
	if (end == text || *end || v < least || v > most)
		refuse(what, text);
	return v;
}

static void options(int argc, char **argv)
{
	int list = 0, given = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			usage(stdout);
			exit(0);
		} else if (strcmp(argv[i], "--fault") == 0 && i + 1 < argc) {
			const char *name = argv[++i];

			list = strcmp(name, "list") == 0;
			for (int f = 1; f < FAULTS; f++)
				if (strcmp(name, faults[f].name) == 0)
					fault = f;
			if (!list && !fault)
				refuse("no such fault; --fault list shows them", name);
		} else if (argv[i][0] == '-' || given == 2) {
			refuse("not understood", argv[i]);
		} else if (given++ == 0) {
			n = number(argv[i], 8, 100000);
		} else {
			steps = number(argv[i], 0, 1000000000);
		}
	}
	if (list) {
		list_faults();
		exit(0);
	}
}

/* Reads the command line, starts MPI, and takes this rank's block. */
static void setup(int argc, char **argv)
{
	int dims[2] = { 0, 0 }, periods[2] = { 0, 0 }, at[2];

	options(argc, argv);
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_coords(grid, rank, 2, at);
	MPI_Cart_shift(grid, 0, 1, &up, &down);
	MPI_Cart_shift(grid, 1, 1, &left, &right);
	if (n < dims[0]) {
		if (rank == 0)
			fprintf(stderr, "heat: %ld rows are too few for %d ranks\n", n, size);
		MPI_Finalize();
		exit(2);
	}
	r0 = n * at[0] / dims[0];
	r1 = n * (at[0] + 1) / dims[0] - 1;
	c0 = n * at[1] / dims[1];
	c1 = n * (at[1] + 1) / dims[1] - 1;
}
