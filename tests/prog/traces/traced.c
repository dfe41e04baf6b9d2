/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program whose accesses can be counted, for traces: traced N STEPS [WHAT]. Each rank owns N /
 * size elements of u and v. Loop 1 writes each of u; then in each step a loop reads each of u and
 * writes each of v, and another one reads each of v and writes each of u. WHAT happens in step 2:
 *	wait	rank 0 waits, at the end of its loop, until the file `go` is there
 *	abort, exit, segv, kill, abrt, term	rank 0 ends so in the middle of its loop
 *	odd	the last rank writes a wrong value and then the right one
 *	fork	a child does it all once more, and exits
 *	slow	nothing, but it goes on for ever
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dvmdbg.h"

static int rank, size;
static const char *what;

static void wait_for_file(void)
{
	while (access("go", F_OK))
		usleep(10000);
}

static void happen(double *v, long n)
{
	int status;

	if (!strcmp(what, "odd") && rank == size - 1) {
		volatile double *wrong = &v[n / 2];
		double right = *wrong;

		*wrong = -1;
		*wrong = right;
	}
	if (!strcmp(what, "fork")) {
		pid_t pid = fork();

		for (long i = 0; !pid && i < n; i++)
			v[i] = -1;
		if (!pid)
			_exit(0);
		waitpid(pid, &status, 0);
	}
	if (rank)
		return;
	if (!strcmp(what, "abort"))
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (!strcmp(what, "exit"))
		exit(4);
	if (!strcmp(what, "segv"))
		raise(SIGSEGV);
	if (!strcmp(what, "kill"))
		raise(SIGKILL);
	if (!strcmp(what, "abrt"))
		abort();
	if (!strcmp(what, "term"))
		raise(SIGTERM);
	if (!strcmp(what, "wait"))
		wait_for_file();
}

/* to = 2 * from + step, element by element. */
static void sweep(double *to, const double *from, long first, long n, int step, int event)
{
	for (long i = 0; i < n; i++) {
		DVMDBG_PL_ITERATION(first + i);
		to[i] = 2 * from[i] + step;
		if (event && i == n / 2)
			happen(to, n);
	}
}

int main(int argc, char **argv)
{
	long all = argc > 1 ? atol(argv[1]) : 100, n, first;
	int steps = argc > 2 ? atoi(argv[2]) : 3;
	double *u, *v, sum = 0, total;

	what = argc > 3 ? argv[3] : "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = all / size;
	first = n * rank;
	u = malloc((size_t)n * sizeof(*u));
	v = malloc((size_t)n * sizeof(*v));
	if (!u || !v)
		return 2;
	DVMDBG_ARRAY(u, .shape = { n * size }, .own = { { first, first + n - 1 } });
	DVMDBG_ARRAY(v, .shape = { n * size }, .own = { { first, first + n - 1 } });
	DVMDBG_REPLICATED(steps);
	DVMDBG_PL(.on = u, .range = { { 0, n * size - 1 } }, .writes = { u })
	for (long i = 0; i < n; i++) {
		DVMDBG_PL_ITERATION(first + i);
		u[i] = 1.0 / (double)(first + i + 1);
	}
	DVMDBG_SL(.range = { { 1, steps } })
	for (int it = 1; it <= steps || !strcmp(what, "slow"); it++) {
		DVMDBG_ITERATION(it);
		DVMDBG_PL(.on = u, .range = { { 0, n * size - 1 } }, .writes = { v },
			  .reads = { u })
		sweep(v, u, first, n, it, it == 2);
		DVMDBG_PL(.on = u, .range = { { 0, n * size - 1 } }, .writes = { u },
			  .reads = { v })
		sweep(u, v, first, n, it, 0);
	}
	for (long i = 0; i < n; i++)
		sum += u[i] / (double)(1 << steps);
	MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
	if (!rank)
		printf("traced: %ld elements, %d steps: %.6g\n", n * size, steps, total);
	MPI_Finalize();
	return 0;
}
