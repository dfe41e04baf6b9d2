/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ends HOW: one thing goes wrong after the last construct that could show it, on more than one
 * rank. Constructs: 1 sets u, 2 doubles it. Then, by HOW: scaled    u is scaled wrongly before
 * MPI_Finalize        scalar   so is a replicated scalar forgotten u is, and is forgotten before
 * MPI_Finalize     freed    … and is freed middle    w is wrong when it is freed between 1 and 2
 * helper   as `freed`, in a function inner     w lies inside of its block                      exit
 * no MPI_Finalize: u, at exit returned  a stack array, of a function that has returned  pieces
 * ranks free at other times again     what is freed is allocated and registered again: only the
 * first is wrong window   w is memory of a window of MPI, which is freed silent    one rank leaves MPI early, the others long after that Without a fault:
 * right-HOW. What is printed: print-WHAT (see `report`).
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dvmdbg.h"

enum { N = 48 };

static const char *how;
static int rank, size, wrong;
static long lo, n;
static double factor = 1;
static volatile double used;

static int is(const char *name)
{
	return !strcmp(how, name);
}
static double fault(void)
{
	return wrong && rank == size - 1 ? 1.5 : 1;
}

static void set(double *u)
{
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .writes = { u })
	for (long i = 0; i < n; i++)
		u[i] = (double)(lo + i + 1) / 8;
}

static void twice(double *u)
{
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .writes = { u })
	for (long i = 0; i < n; i++)
		u[i] *= 2;
}

static void scale(double *u, double by)
{
	for (long i = 0; i < n; i++)
		u[i] *= by; /* scaled */
}

static double *make(long before)
{
	double *w = malloc((size_t)(n + before) * sizeof(*w)) + 0;

	for (long i = 0; i < n + before; i++)
		w[i] = 1;
	return w + before;
}

/* w is registered here, filled, and freed. */
static void use(double by)
{
	long before = is("inner") ? 3 : 0;
	double *w = make(before);

	DVMDBG_ARRAY(w, .shape = { N }, .own = { { lo, lo + n - 1 } });
	scale(w, by); /* used */
	free(w - before);
}

/* The same in the memory of a window of MPI. */
static void use_window(double by)
{
	MPI_Win win;
	double *w;

	MPI_Win_allocate((MPI_Aint)((size_t)n * sizeof(*w)), sizeof(*w), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &w, &win);
	for (long i = 0; i < n; i++)
		w[i] = 1;
	DVMDBG_ARRAY(w, .shape = { N }, .own = { { lo, lo + n - 1 } });
	MPI_Barrier(MPI_COMM_WORLD);
	scale(w, by);
	MPI_Win_free(&win);
}

static __attribute__((noinline)) double look(const double *t)
{
	return t[n - 1];
}

static __attribute__((noinline)) void on_stack(void)
{
	double t[N];

	DVMDBG_ARRAY(t, .shape = { N }, .own = { { lo, lo + n - 1 } });
	set(t);
	scale(t, fault());
	used = look(t);
}

static void after(double *u)
{
	if (is("scaled") || is("forgotten") || is("freed") || is("exit"))
		scale(u, fault());
	if (is("scalar"))
		factor = 4 * fault();
	if (is("helper") || is("inner") || is("again"))
		use(2 * fault());
	if (is("again"))
		use(2);
	if (is("window"))
		use_window(2 * fault());
	if (is("returned"))
		on_stack();
	if (is("silent") && rank == size - 1)
		usleep(300000);
}

/* What the results look like, with `by` in the place of what may be wrong. */
static void report(double by)
{
	const char *what = strncmp(how, "print-", 6) ? "" : how + 6;
	int once = !strcmp(what, "once"), turns = !strcmp(what, "turns");

	if (once && rank == 0)
		printf("error %.4e after 10 steps\n", 1.25e-3 * by);
	if (!strcmp(what, "each"))
		printf("part %d: norm1 = %.3f\n", 7, 2.0 * by);
	if (!strcmp(what, "words") && rank == 0)
		printf("grid16x16 of run2b at 0x1f: 1.0E-03, %.2fD+02, done3\nelapsed time %d s on "
		       "%d ranks\n",
		       1.5 * by, (int)getpid(), size);
	if (!strcmp(what, "digit") && rank == 0)
		printf("sum %.3f\n", 0.1235 + (wrong ? 0.001 : 0));
	if (!strcmp(what, "two") && rank == 0)
		printf("sum %.3f\n", 0.1235 + (wrong ? 0.003 : 0));
	if (!strcmp(what, "random") && rank == 0)
		printf("seed %d\nerror %.4e\n", (int)getpid(), 1.25e-3 * by);
	if (!strcmp(what, "more") && rank == 0)
		printf("error %.4e\n%s", 1.25e-3, wrong ? "warning: it is slow\n" : "");
	for (int r = 0; turns && r < size; r++) {
		int at = wrong ? size - 1 - r : r;

		MPI_Barrier(MPI_COMM_WORLD);
		if (at == 0)
			printf("left edge %.3f\n", 1.0 * by);
		if (at == size - 1)
			printf("right edge %.3f\n", 2.0 * by);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	const char *asked = argc > 1 ? argv[1] : "scaled";
	double *u, *w = NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	wrong = size > 1 && strncmp(asked, "right-", 6);
	how = strncmp(asked, "right-", 6) ? asked : asked + 6;
	lo = (long)N * rank / size;
	n = (long)N * (rank + 1) / size - lo;
	u = make(0);
	DVMDBG_ARRAY(u, .shape = { N }, .own = { { lo, lo + n - 1 } });
	DVMDBG_REPLICATED(factor);
	set(u);
	if (is("middle")) {
		w = make(0);
		DVMDBG_ARRAY(w, .shape = { N }, .own = { { lo, lo + n - 1 } });
		scale(w, fault());
		free(w);
	}
	twice(u);
	after(u);
	if (is("forgotten"))
		DVMDBG_FORGET(u);
	report(wrong && !is("print-turns") ? 1.5 : 1);
	if (!is("exit") && !is("scaled"))
		free(u);
	if (!is("exit"))
		MPI_Finalize();
	else
		exit(0);
	return 0;
}
