/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conjugate gradients for A x = b. The unknowns are the points of a square of N x N, in blocks of
 * rows; each row of A has DIAG for its own point and -1 for each of the four beside it.
 *
 * The scalar products are sums over all ranks. They legitimately differ in their last bits between
 * numbers of ranks, and x, r and p with them: a debugger has to distinguish that from the faults.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"

#define DIAG 4.25

enum { NONE, MISSING_HALO, WRONG_REDUCTION, SWAPPED_INDEX, RANK_CONSTANT, OFF_BY_ONE };

static long n = 1600, steps = 50, r0, r1; /* last two: own rows */
static int rank, size, fault, up, down;	  /* last two: neighbours */

#define AT(a, i, j) a[((i)-r0) * n + (j)]	   /* by global indices */
#define HALO_AT(a, i, j) a[((i)-r0 + 1) * n + (j)] /* the same in an array with halo rows */

static void setup(int argc, char **argv), renew(double *a);
static void dot(const double *a, const double *b, double *sum);
static double *allocate(long halo), row(const double *a, long i, long j, double diag);
static double right_side(long i, long j);
static int check(const double *x, const double *r, double *p, const double *q, double rho,
		 double seconds);

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double diag = DIAG, rho = 0, pq = 0; /* last two: r.r and p.q */

	setup(argc, argv);
	double *x = allocate(0), *r = allocate(0); /* the answer so far, and b - A x */
	double *p = allocate(1), *q = allocate(0); /* the direction to go in, and A p */
	if (fault == RANK_CONSTANT && rank && rank == size - 1)
		diag = 4.5;

	DVMDBG_REPLICATED(n);
	DVMDBG_REPLICATED(steps);
	DVMDBG_REPLICATED(diag);
	DVMDBG_REPLICATED(rho);
	DVMDBG_REPLICATED(pq);
	DVMDBG_ARRAY(x, .shape = { n, n }, .own = { { r0, r1 }, { 0, n - 1 } });
	DVMDBG_ARRAY(r, .shape = { n, n }, .own = { { r0, r1 }, { 0, n - 1 } });
	DVMDBG_ARRAY(p, .shape = { n, n }, .own = { { r0, r1 }, { 0, n - 1 } }, .halo = { 1, 0 });
	DVMDBG_ARRAY(q, .shape = { n, n }, .own = { { r0, r1 }, { 0, n - 1 } });

	DVMDBG_PL(.on = r, .range = { { 0, n - 1 }, { 0, n - 1 } }, .writes = { x, r, p })
	for (long i = r0; i <= r1; i++)
		for (long j = 0; j < n; j++) {
			DVMDBG_PL_ITERATION(i, j);
			AT(x, i, j) = 0;
			AT(r, i, j) = HALO_AT(p, i, j) = right_side(i, j);
		}
	dot(r, r, &rho);

	const long cut = fault == OFF_BY_ONE && down != MPI_PROC_NULL;
	const double start = MPI_Wtime();
	DVMDBG_SL(.range = { { 1, steps } })
	for (long t = 1; t <= steps; t++) {
		DVMDBG_ITERATION(t);

		if (fault != MISSING_HALO || t == 1)
			renew(p);

		DVMDBG_PL(.on = q, .range = { { 0, n - 1 }, { 0, n - 1 } }, .writes = { q })
		for (long i = r0; i <= r1; i++)
			for (long j = 0; j < n; j++) {
				DVMDBG_PL_ITERATION(i, j);
				AT(q, i, j) = row(p, i, j, diag);
			}
		dot(&HALO_AT(p, r0, 0), q, &pq);

		/* As far as brings most; all of b may be used up before the last step. */
		const double far = pq > 0 ? rho / pq : 0, before = rho;
		DVMDBG_PL(.on = x, .range = { { 0, n - 1 }, { 0, n - 1 } }, .writes = { x, r })
		for (long i = r0; i <= r1; i++)
			for (long j = 0; j < n; j++) {
				DVMDBG_PL_ITERATION(i, j);
				AT(x, i, j) += far * HALO_AT(p, i, j);
				AT(r, i, j) -= far * AT(q, i, j);
			}
		dot(r, r, &rho);

		const double turn = before > 0 ? rho / before : 0;
		DVMDBG_PL(.on = p, .range = { { 0, n - 1 }, { 0, n - 1 } }, .writes = { p })
		for (long i = r0; i <= r1 - cut; i++)
			for (long j = 0; j < n; j++) {
				DVMDBG_PL_ITERATION(i, j);
				HALO_AT(p, i, j) = AT(r, i, j) + turn * HALO_AT(p, i, j);
			}
	}

	int wrong = check(x, r, p, q, rho, MPI_Wtime() - start);
	DVMDBG_FORGET(x);
	DVMDBG_FORGET(r);
	DVMDBG_FORGET(p);
	DVMDBG_FORGET(q);
	free(x);
	free(r);
	free(p);
	free(q);
	MPI_Finalize();
	return wrong;
}

/* A row of A, that of point (i, j), times a, which has halo rows; zeros are around the square. */
static double row(const double *a, long i, long j, double diag)
{
	return diag * HALO_AT(a, i, j) - HALO_AT(a, i - 1, j) - HALO_AT(a, i + 1, j) -
	       (j > 0 ? HALO_AT(a, i, j - 1) : 0) - (j < n - 1 ? HALO_AT(a, i, j + 1) : 0);
}

/* The scalar product of two arrays without halo; a loop's reduction ends with the loop. */
static void dot(const double *a, const double *b, double *sum)
{
	DVMDBG_FUNCTION();
	double local = 0;

	DVMDBG_PL(.range = { { 0, n - 1 }, { 0, n - 1 } }, .reads = { b })
	{
		for (long i = r0; i <= r1; i++)
			for (long j = 0; j < n; j++) {
				DVMDBG_PL_ITERATION(i, j);
				local += AT(a, i, j) * AT(b, i, j);
			}
		MPI_Allreduce(&local, sum, 1, MPI_DOUBLE,
			      fault == WRONG_REDUCTION ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
		DVMDBG_REDUCTION(*sum, DVMDBG_SUM);
	}
}

/* Renews the halo rows: own first row up, own last row down. */
static void renew(double *a)
{
	const long last = fault == SWAPPED_INDEX ? r0 : r1;

	MPI_Sendrecv(&HALO_AT(a, r0, 0), (int)n, MPI_DOUBLE, up, 1, &HALO_AT(a, r1 + 1, 0), (int)n,
		     MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&HALO_AT(a, last, 0), (int)n, MPI_DOUBLE, down, 2, &HALO_AT(a, r0 - 1, 0),
		     (int)n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* b: some even, some rough. */
static double right_side(long i, long j)
{
	return 2 + sin(0.37 * (double)i) + cos(0.23 * (double)j) + (double)((3 * i + 5 * j) % 7);
}

/*
 * Tries on all ranks what must hold after any number of steps, and prints the verdict. The residual
 * is that of x; it gives rho; and A p is at right angles to the next direction. Returns 0 when
 * right. Needs p no more and uses it as room for x with halo rows.
 */
static int check(const double *x, const double *r, double *p, const double *q, double rho,
		 double seconds)
{
	double sum[4] = { 0 }, sums[4], high[3] = { 0 }, highs[3];

	for (long i = r0; i <= r1; i++)
		for (long j = 0; j < n; j++) {
			sum[0] += AT(r, i, j) * AT(r, i, j);
			sum[1] += HALO_AT(p, i, j) * HALO_AT(p, i, j);
			sum[2] += AT(q, i, j) * AT(q, i, j);
			sum[3] += HALO_AT(p, i, j) * AT(q, i, j);
		}
	for (long i = r0; i <= r1; i++)
		memcpy(&HALO_AT(p, i, 0), &AT(x, i, 0), (size_t)n * sizeof(double));
	fault = NONE;
	renew(p);
	for (long i = r0; i <= r1; i++)
		for (long j = 0; j < n; j++) {
			double left = right_side(i, j) - row(p, i, j, DIAG);

			high[0] = fmax(high[0], fabs(right_side(i, j)));
			high[1] = fmax(high[1], fabs(left));
			high[2] = fmax(high[2], fabs(left - AT(r, i, j)));
		}
	MPI_Allreduce(sum, sums, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(high, highs, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

	int wrong = !(highs[2] <= 1e-11 * highs[0] && fabs(rho - sums[0]) <= 1e-9 * sums[0] &&
		      fabs(sums[3]) <= 1e-9 * sqrt(sums[1]) * sqrt(sums[2]));
	if (rank == 0)
		printf("cg: %ld x %ld points, %ld steps, %d ranks: residual %.2e, off by %.1e, "
		       "%.3f s %s\n",
		       n, n, steps, size, highs[1], highs[2], seconds, wrong ? "WRONG" : "OK");
	return wrong;
}

/* A rank's rows, zeroed, with so many halo rows on either side. */
static double *allocate(long halo)
{
	double *a = calloc((size_t)((r1 - r0 + 1 + 2 * halo) * n), sizeof(double));

	if (!a) {
		fprintf(stderr, "cg: no memory for %ld x %ld points\n", n, n);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return a;
}

static void usage(FILE *to)
{
	fputs("usage: cg [N [STEPS]] [--fault NAME]\n"
	      "Conjugate gradients for N x N unknowns (1600), STEPS steps (50), on any number of "
	      "MPI ranks.\n"
	      "It tries its answer and says OK or, with exit status 1, WRONG.\n"
	      "  --fault NAME   with a fault: it shows on 2, 4 and more ranks, but not on one, "
	      "and\n"
	      "                 from 2 steps on\n"
	      "  --fault list   the faults, one a line, with tabs between: name, array, first "
	      "wrong\n"
	      "                 element, and file:line of the parallel loop that first leaves it\n"
	      "                 wrong; elements are those of 4 ranks and the given N\n",
	      to);
}

/* The faults: where a debugger should find the first wrong value. %ld: row of a block's end. */
static const struct fault {
	const char *name, *array, *element;
	int line, behind; /* behind: the element is the first of the next block */
} faults[] = {
	[MISSING_HALO] = { "missing-halo", "q", "q[%ld][0]", 72, 0 },
	[WRONG_REDUCTION] = { "wrong-reduction", "rho", "rho", 126, 0 },
	[SWAPPED_INDEX] = { "swapped-index", "q", "q[%ld][0]", 72, 1 },
	[RANK_CONSTANT] = { "rank-constant", "diag", "diag", 54, 0 },
	[OFF_BY_ONE] = { "off-by-one", "p", "p[%ld][0]", 92, 0 },
};
#define FAULTS (int)(sizeof(faults) / sizeof(faults[0]))

static void list_faults(void)
{
	for (int f = 1; f < FAULTS; f++) {
		printf("%s\t%s\t", faults[f].name, faults[f].array);
		printf(faults[f].element, n / 4 - 1 + faults[f].behind);
		printf("\tcg.c:%d\n", faults[f].line);
	}
}

static void refuse(const char *what, const char *value)
{
	fprintf(stderr, "cg: %s: %s\n", value, what);
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

/* Reads the command line, starts MPI, and takes this rank's rows. */
static void setup(int argc, char **argv)
{
	options(argc, argv);
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	up = rank ? rank - 1 : MPI_PROC_NULL;
	down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	if (n < size) {
		if (rank == 0)
			fprintf(stderr, "cg: %ld rows are too few for %d ranks\n", n, size);
		MPI_Finalize();
		exit(2);
	}
	r0 = n * rank / size;
	r1 = n * (rank + 1) / size - 1;
}
