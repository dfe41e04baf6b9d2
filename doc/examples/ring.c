/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gauss elimination for n equations a x = b, one system after another. Rows are distributed
 * cyclically over the ranks, and b is column n of a.
 *
 * The pivot is the largest of its row. Its row goes round the ring of ranks: each passes it on
 * before it uses it, and so the ranks work on different rows at the same time. Then the unknowns go
 * round, the last one first. All arrays have the same bits on any number of ranks.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"

enum {
	NONE,
	LOCAL_INDEX,
	WRONG_REDUCTION,
	UNINITIALISED,
	RANK_CONSTANT,
	OFF_BY_ONE,
	MISSING_WAIT,
	WRONG_OWNER,
	LOST_MESSAGE,
};

static long n = 400, steps = 3, count, *mine; /* last two: own rows */
static int rank, size, fault;
static double weight, norm;	    /* of the heavy element in a row; the largest sum of a row */
static double *a, *row, *pivot, *x; /* own rows; a message; pivot's row over the pivot; answer */
static long *column;		    /* where the pivots are */

#define AT(l, j) a[(l) * (n + 1) + (j)] /* by the number of an own row */

static void setup(int argc, char **argv), fill(long t), eliminate(void), substitute(int last);
static int check(long t, double *worst), verdict(int wrong, double worst, double seconds);

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double worst = 0;
	int wrong = 0;

	setup(argc, argv);
	DVMDBG_REPLICATED(n);
	DVMDBG_REPLICATED(steps);
	DVMDBG_REPLICATED(weight);
	DVMDBG_REPLICATED(norm);
	DVMDBG_REPLICATED_ARRAY(x, n);
	DVMDBG_REPLICATED_ARRAY(column, n);
	DVMDBG_REPLICATED_ARRAY(pivot, n + 1);
	DVMDBG_ARRAY(a, .shape = { n, n + 1 }, .own = { { 0, 0 }, { 0, n } }, .index = { mine },
		     .count = { count }, .nothing = count == 0);

	const double start = MPI_Wtime();
	DVMDBG_SL(.range = { { 1, steps } })
	for (long t = 1; t <= steps; t++) {
		DVMDBG_ITERATION(t);
		fill(t);
		eliminate();
		substitute(t == steps);
		wrong |= check(t, &worst);
	}

	wrong = verdict(wrong, worst, MPI_Wtime() - start);
	DVMDBG_FORGET(a);
	DVMDBG_FORGET(x);
	DVMDBG_FORGET(column);
	DVMDBG_FORGET(pivot);
	free(a);
	free(row);
	free(pivot);
	free(x);
	free(column);
	free(mine);
	MPI_Finalize();
	return wrong;
}

/* An element of system t: from -1 to 1, and in each row one outweighs all others together. */
static double element(long i, long j, long t, double heavy)
{
	return sin((double)(i * i + 3 * i * j + 7 * j + t)) + (j == (i + n / 3) % n ? heavy : 0);
}

/* The right answer of system t. */
static double answer(long j, long t)
{
	return 1 + (double)((3 * j + t) % 7) / 4;
}

/* Fills own rows of system t with elements and the right side that belongs to the answer. */
static void fill(long t)
{
	DVMDBG_FUNCTION();
	double largest = 0;
	const long unset = fault == UNINITIALISED && size > 1 && rank == 0 ? count - 1 : -1;

	DVMDBG_PL(.on = a, .range = { { 0, n - 1 }, { 0, n } }, .writes = { a })
	for (long l = 0; l < count; l++) {
		const long i = mine[l], from = fault == LOCAL_INDEX ? l : i;
		double sum = 0, side = 0;

		for (long j = 0; j < n; j++) {
			DVMDBG_PL_ITERATION(i, j);
			if (l != unset || j > 0)
				AT(l, j) = element(i, j, t, weight);
			sum += fabs(AT(l, j));
			side += element(from, j, t, (double)n) * answer(j, t);
		}
		DVMDBG_PL_ITERATION(i, n);
		AT(l, n) = side;
		largest = fmax(largest, sum);
	}
	MPI_Allreduce(&largest, &norm, 1, MPI_DOUBLE, fault == WRONG_REDUCTION ? MPI_SUM : MPI_MAX,
		      MPI_COMM_WORLD);
	DVMDBG_REDUCTION(norm, DVMDBG_MAX);
}

/* Passes values on from rank to rank, from the root round to the last before it. */
static void pass_round(double *values, long many, int root, int lost)
{
	const int next = (rank + 1) % size, before = (rank + size - 1) % size;

	if (rank != root)
		MPI_Recv(values, (int)many, MPI_DOUBLE, before, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	if (next != root && (!lost || (next + 1) % size != root))
		MPI_Send(values, (int)many, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
}

/* Finds the pivot in the row that came, and divides the row by it. */
static void take_pivot(long k)
{
	long at = 0;

	for (long j = 1; j < n; j++)
		if (fabs(row[j]) > fabs(row[at]))
			at = j;
	for (long j = 0; j <= n; j++)
		pivot[j] = row[j] / row[at];
	column[k] = at;
}

/* Makes the column of pivot k zero in the rows behind, and takes the rest of its row from them. */
static void clear_column(long k, int owner)
{
	/* a rank up to its owner has one row more of those before */
	const long first = k / size + (rank <= owner || fault == OFF_BY_ONE);

	DVMDBG_PL(.on = a, .range = { { k + 1, n - 1 } }, .writes = { a }, .reads = { a, pivot })
	for (long l = first; l < count; l++) {
		DVMDBG_PL_ITERATION(mine[l]);
		const double factor = AT(l, column[k]);

		for (long j = 0; j <= n; j++)
			AT(l, j) -= factor * pivot[j];
		AT(l, column[k]) = 0;
	}
}

/* Makes all columns of earlier pivots zero in each row. */
static void eliminate(void)
{
	DVMDBG_FUNCTION();

	DVMDBG_SL(.range = { { 0, n - 1 } })
	for (long k = 0; k < n; k++) {
		DVMDBG_ITERATION(k);
		const int owner = (int)(k % size), early = fault == MISSING_WAIT && k > 0;

		if (rank == owner)
			memcpy(row, &AT(k / size, 0), (size_t)(n + 1) * sizeof(double));
		if (early) /* with the row before, but for the owner */
			take_pivot(k);
		pass_round(row, n + 1, owner, 0);
		if (!early)
			take_pivot(k);

		clear_column(k, owner);
	}
}

/* Finds the unknowns, the last pivot's first, and takes each out of the equations above. */
static void substitute(int last)
{
	DVMDBG_FUNCTION();

	DVMDBG_SL(.range = { { 0, n - 1 } })
	for (long k = n - 1; k >= 0; k--) {
		DVMDBG_ITERATION(k);
		const int owner = fault == WRONG_OWNER && k == 1 ? 0 : (int)(k % size);
		double *found = &x[column[k]];
		const int lost = fault == LOST_MESSAGE && last && k == 0;

		if (rank == owner)
			*found = AT(k / size, n) / AT(k / size, column[k]);
		pass_round(found, 1, owner, lost);

		DVMDBG_PL(.on = a, .range = { { 0, k - 1 } }, .writes = { a }, .reads = { a, x })
		for (long l = 0; l < count && mine[l] < k; l++) {
			DVMDBG_PL_ITERATION(mine[l]);
			AT(l, n) -= AT(l, column[k]) * *found;
		}
	}
}

/* Compares with the right answer of system t. Raises *worst to the largest error. */
static int check(long t, double *worst)
{
	for (long j = 0; j < n; j++)
		if (!(fabs(x[j] - answer(j, t)) <= *worst))
			*worst = fabs(x[j] - answer(j, t));
	return !(*worst < 1e-10 && norm <= 2 * (double)n); /* elements are at most 1, or 1 + n */
}

/* Says on rank 0 what came out on all. Returns 0 when right on all. */
static int verdict(int wrong, double worst, double seconds)
{
	int any;
	double all;

	MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	if (rank == 0)
		printf("ring: %ld equations, %ld systems, %d ranks: error %.1e, norm %.6e, "
		       "%.3f s %s\n",
		       n, steps, size, all, norm, seconds, any ? "WRONG" : "OK");
	return any;
}

static void usage(FILE *to, int status)
{
	fputs("usage: ring [N [STEPS]] [--fault NAME]\n"
	      "Gauss elimination for N equations (from 8, 400), STEPS systems (3) one after\n"
	      "another, on any number of MPI ranks. It knows the right answer and says OK or,\n"
	      "with exit status 1, WRONG.\n"
	      "  --fault NAME   with a fault: it shows on 2, 4 and more ranks, but not on one\n"
	      "  --fault list   the faults, one a line, with tabs between: name, array, first\n"
	      "                 wrong element, and file:line of the parallel loop that first\n"
	      "                 leaves it wrong, or is the last before that, or the very first;\n"
	      "                 elements are those of 4 ranks and the given N. With - for array\n"
	      "                 and element: the program hangs in this loop, the last time\n",
	      to);
	exit(status);
}

/* The faults: where a debugger should find the first wrong value. */
static const struct fault {
	const char *name, *array;
	int line;
} faults[] = {
	[LOCAL_INDEX] = { "local-index", "a", 101 },
	[WRONG_REDUCTION] = { "wrong-reduction", "norm", 101 },
	[UNINITIALISED] = { "uninitialised-element", "a", 101 },
	[RANK_CONSTANT] = { "rank-constant", "weight", 101 },
	[OFF_BY_ONE] = { "off-by-one", "a", 153 },
	[MISSING_WAIT] = { "missing-wait", "pivot", 153 },
	[WRONG_OWNER] = { "wrong-owner", "x", 202 },
	[LOST_MESSAGE] = { "lost-message", "-", 191 },
};
#define FAULTS (int)(sizeof(faults) / sizeof(faults[0]))

static void list_faults(void)
{
	const long last = (n - 1) / 4 * 4; /* of rank 0 */

	for (int f = 1; f < FAULTS; f++) {
		printf("%s\t%s\t%s", faults[f].name, faults[f].array, faults[f].array);
		if (strcmp(faults[f].array, "a") == 0)
			printf("[%ld][%ld]", f == UNINITIALISED ? last : 1,
			       f == LOCAL_INDEX ? n : 0);
		else if (f == MISSING_WAIT || f == WRONG_OWNER)
			printf("[%ld]", f == WRONG_OWNER ? 1 + n / 3 : 0);
		printf("\tring.c:%d\n", faults[f].line);
	}
	exit(0);
}

static void refuse(const char *what, const char *value)
{
	fprintf(stderr, "ring: %s: %s\n", value, what);
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

/* Starts MPI, deals out the rows, and takes memory. */
static void setup(int argc, char **argv)
{
	options(argc, argv);
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	const size_t most = (size_t)((n + size - 1) / size), width = (size_t)n + 1;
	a = calloc(most * width, sizeof(double));
	row = calloc(width, sizeof(double));
	pivot = calloc(width, sizeof(double));
	x = calloc(width, sizeof(double));
	column = calloc(width, sizeof(long));
	mine = calloc(most, sizeof(long));
	if (!a || !row || !pivot || !x || !column || !mine) {
		fprintf(stderr, "ring: no memory for %ld equations\n", n);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	for (long i = rank; i < n; i += size)
		mine[count++] = i;
	weight = fault == RANK_CONSTANT && rank && rank == size - 1 ? 1.5 * n : n;
}
