/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unlike HOW: runs on several ranks that are unlike the run on one in other ways than the examples'
 * faults. Four steps with two parallel loops each, numbered 2 to 9; what HOW says happens in the
 * third step. With a second argument, the name of a file, only in as many runs on several ranks as
 * the number in it says; it counts down.
 */
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dvmdbg.h"

enum { N = 24, STEPS = 4, WHEN = 3 };

static const char *how;
static int rank, size;
static long r0, r1;
static double *u, *v, total, factor = 0.5, row[3];

/* What HOW names is to be done; on_one: in the run on one rank, else in the others. */
static int is(const char *name, int on_one)
{
	return !strcmp(how, name) && (size == 1) == on_one;
}

/* Whether it is still to be done in this run. */
static int its_turn(const char *file)
{
	int left = 1;
	FILE *f;

	if (size == 1 || !file)
		return 1;
	f = rank ? NULL : fopen(file, "r+");
	if (f && fscanf(f, "%d", &left) == 1) {
		rewind(f);
		fprintf(f, "%d\n", left - 1);
	}
	if (f)
		fclose(f);
	MPI_Bcast(&left, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return left > 0;
}

static void renew(double *a)
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(&a[1], 1, MPI_DOUBLE, up, 1, &a[r1 - r0 + 2], 1, MPI_DOUBLE, down, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&a[r1 - r0 + 1], 1, MPI_DOUBLE, down, 2, &a[0], 1, MPI_DOUBLE, up, 2,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void die(void)
{
	fflush(NULL);
	raise(SIGSEGV);
}

/* Before the loops of a step. */
static void trouble(int step)
{
	if (step != WHEN)
		return;
	if (is("crash-one", 1) || (is("crash", 0) && rank == 1) ||
	    (is("wrong-crash", 0) && rank == 1))
		die();
	if (is("exit-one", 1) || is("exit", 0)) {
		MPI_Finalize();
		exit(5);
	}
	if (is("mpi-error", 0) && rank == 1)
		MPI_Send(&total, 1, MPI_DOUBLE, size + 3, 5, MPI_COMM_WORLD);
	while (is("hang-one", 1) || (is("hang", 0) && rank == 1))
		pause();
	if (!strcmp(how, "slow") || !strcmp(how, "slow-wrong"))
		sleep(3);
	if (is("scalar", 0))
		factor = 0.25;
}

/* The value that element i gets, of what it should get. */
static double value(long i, int step, double right)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (is("wrong-crash", 0) && step == WHEN - 1 && i == N / 2)
		return right + 1;
	if (step != WHEN)
		return right;
	while (is("hang-inside", 0) && rank == 1)
		pause();
	if (is("nan", 0) && i == N - 2)
		return NAN;
	if (!strcmp(how, "nan-both") && i == N - 2)
		return NAN;
	if (is("infinite", 0) && i == N - 2)
		return INFINITY;
	if (!strcmp(how, "random") && i == N - 2)
		return (double)now.tv_nsec;
	if ((is("wrong", 0) || is("slow-wrong", 0)) && i == N / 2)
		return right + 1;
	return right;
}

static void smooth(int step)
{
	long last = r1 < N - 1 ? r1 : N - 2;

	DVMDBG_PL(.on = v, .range = { { 1, N - 2 } }, .writes = { v }, .reads = { u })
	for (long i = r0 ? r0 : 1; i <= last; i++) {
		v[i - r0 + 1] = value(i, step,
				      factor * u[i - r0 + 1] +
					      0.5 * (1 - factor) * (u[i - r0] + u[i - r0 + 2]));
		if (is("inside", 0) && step == WHEN && i == last)
			factor = 0.25;
	}
}

static void copy(void)
{
	DVMDBG_PL(.on = u, .range = { { 1, N - 2 } }, .writes = { u }, .reads = { v })
	for (long i = r0; i <= r1; i++)
		u[i - r0 + 1] = v[i - r0 + 1];
}

/* As copy, at another line. */
static void copy_other(void)
{
	DVMDBG_PL(.on = u, .range = { { 1, N - 2 } }, .writes = { u }, .reads = { v })
	for (long i = r0; i <= r1; i++)
		u[i - r0 + 1] = v[i - r0 + 1];
}

static void add_up(void)
{
	double mine = 0;

	for (long i = r0; i <= r1; i++)
		mine += 1 / (3 + u[i - r0 + 1]);
	MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* All ranks are to have what is reduced. */
static void count_up(int step)
{
	double mine = (double)((r1 - r0 + 1) * step);

	if (is("reduced", 0) && step == WHEN)
		MPI_Reduce(&mine, &row[1], 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	else
		MPI_Allreduce(&mine, &row[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void run(int steps)
{
	DVMDBG_FUNCTION();
	DVMDBG_SL(.range = { { 1, steps } })
	for (int step = 1; step <= steps; step++) {
		DVMDBG_ITERATION(step);
		trouble(step);
		renew(u);
		smooth(step);
		if ((is("branch", 0) || (is("rank-branch", 0) && rank == 1)) && step == WHEN)
			copy_other();
		else if (!(is("rank-fewer", 0) && rank == 1 && step == WHEN))
			copy();
		if (is("rank-more", 0) && rank == 1 && step == WHEN)
			copy();
		if (!strcmp(how, "rounding"))
			add_up();
		if (!strcmp(how, "reduced"))
			count_up(step);
	}
}

int main(int argc, char **argv)
{
	long n = N, of = 2, last;
	int steps = STEPS, numbers = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	how = argc > 1 ? argv[1] : "right";
	if (!its_turn(argc > 2 ? argv[2] : NULL))
		how = "right";
	r0 = (long)N * rank / size;
	r1 = (long)N * (rank + 1) / size - 1;
	last = r1;
	u = calloc((size_t)(r1 - r0 + 4), sizeof(*u));
	v = calloc((size_t)(r1 - r0 + 4), sizeof(*v));
	if (!strcmp(how, "stdin") && !rank)
		numbers = scanf("%ld", &of);
	MPI_Bcast(&of, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	if (is("more", 0))
		steps++;
	if (is("fewer", 0))
		steps--;
	if (is("shape", 0)) {
		n = N + 1;
		last = rank == size - 1 ? r1 + 1 : r1;
	}
	if (is("gaps", 0) && rank == size - 1)
		last = r1 - 2;
	if (is("overlap", 0) && rank == 0)
		last = r1 + 1;

	if (strcmp(how, "bare") != 0) {
		DVMDBG_REPLICATED(factor);
		DVMDBG_REPLICATED(total);
		DVMDBG_ARRAY(u, .shape = { n }, .own = { { r0, last } }, .halo = { 1 });
		DVMDBG_ARRAY(v, .shape = { n }, .own = { { r0, last } }, .halo = { 1 });
		if (is("more-objects", 0))
			DVMDBG_REPLICATED(steps);
		if (!strcmp(how, "reduced"))
			DVMDBG_REPLICATED_ARRAY(row, 3);
	}
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .writes = { u })
	for (long i = r0; i <= r1; i++)
		u[i - r0 + 1] = sin((double)(i * of));
	run(steps);
	if (!rank)
		printf("unlike %s: %d ranks, %d numbers read\n", how, size, numbers);
	free(u);
	free(v);
	MPI_Finalize();
	return 0;
}
