/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Smoothing of n numbers that are not in memory: each rank keeps its part in a file of its own, with one number of its
 * neighbours on each side, and reads and writes it by small blocks. The debugger is given two functions that do so,
 * and shows, compares and assigns the numbers as those of any array.
 *	tape [N [STEPS]] [--fault lost-block | stale-edge]; tape --fault list
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "dvmdbg.h"

enum { BLOCK = 16 };
enum { NONE, LOST_BLOCK, STALE_EDGE };

/* A part of a distributed array in a file: own numbers first … first + count - 1, and one more on each side. */
struct tape {
	int file;
	long first, count;
};

static long n = 100, steps = 4;
static int rank, size, fault;

static void fail(const char *what)
{
	perror(what);
	MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Numbers from … from + count - 1 of what the file holds; number 0 is the neighbour's. */
static int get(void *tape, void *to, size_t from, size_t count)
{
	const struct tape *t = tape;
	ssize_t bytes = (ssize_t)(count * sizeof(double));

	return pread(t->file, to, (size_t)bytes, (off_t)(from * sizeof(double))) == bytes ? 0 : -1;
}

static int put(void *tape, const void *from, size_t to, size_t count)
{
	const struct tape *t = tape;
	ssize_t bytes = (ssize_t)(count * sizeof(double));

	return pwrite(t->file, from, (size_t)bytes, (off_t)(to * sizeof(double))) == bytes ? 0 : -1;
}

static double start_value(long i)
{
	return (double)(i * 7 % 11);
}

static void tape_open(struct tape *t)
{
	char name[] = "/tmp/tape-XXXXXX";

	t->first = n * rank / size;
	t->count = n * (rank + 1) / size - t->first;
	t->file = mkstemp(name);
	if (t->file < 0 || unlink(name))
		fail(name);
	for (long i = 0; i < t->count + 2; i++) {
		double x = start_value(t->first + i - 1);

		if (put(t, &x, (size_t)i, 1))
			fail("tape");
	}
}

/* The neighbours' numbers beside the own ones. */
static void exchange(struct tape *t)
{
	int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	double first, last, before, behind;

	if (get(t, &first, 1, 1) || get(t, &last, (size_t)t->count, 1))
		fail("tape");
	MPI_Sendrecv(&first, 1, MPI_DOUBLE, left, 1, &behind, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(&last, 1, MPI_DOUBLE, right, 2, &before, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	if (left != MPI_PROC_NULL && put(t, &before, 0, 1))
		fail("tape");
	if (right != MPI_PROC_NULL && put(t, &behind, (size_t)t->count + 1, 1))
		fail("tape");
}

/* A block of the new numbers out of one more of the old ones on each side. */
static void smooth(struct tape *from, struct tape *to, long at, long count)
{
	double old[BLOCK + 2], new[BLOCK];

	if (get(from, old, (size_t)at - 1, (size_t)count + 2))
		fail("tape");
	for (long i = 0; i < count; i++) {
		long index = from->first + at + i - 1;

		new[i] = index == 0 || index == n - 1 ? old[i + 1] : (old[i] + 2 * old[i + 1] + old[i + 2]) / 4;
	}
	if (put(to, new, (size_t)at, (size_t)count))
		fail("tape");
}

/* The same in memory. */
static double expected(long at)
{
	double *u = malloc((size_t)n * sizeof(*u)), *v = malloc((size_t)n * sizeof(*v)), x;

	for (long i = 0; i < n; i++)
		u[i] = v[i] = start_value(i);
	for (long s = 0; s < steps; s++) {
		for (long i = 1; i < n - 1; i++)
			v[i] = (u[i - 1] + 2 * u[i] + u[i + 1]) / 4;
		memcpy(u, v, (size_t)n * sizeof(*u));
	}
	x = u[at];
	free(u);
	free(v);
	return x;
}

static void options(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--fault")) {
			*(i == 1 ? &n : &steps) = atol(argv[i]);
		} else if (++i < argc && !strcmp(argv[i], "list")) {
			printf("lost-block\tv\nstale-edge\tv\n");
			exit(0);
		} else {
			fault = i < argc && !strcmp(argv[i], "lost-block") ? LOST_BLOCK :
				i < argc && !strcmp(argv[i], "stale-edge") ? STALE_EDGE : -1;
			if (fault < 0) {
				fprintf(stderr, "tape: unknown fault; --fault list lists them\n");
				exit(2);
			}
		}
	}
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	struct tape u, v;
	long wrong = 0, all;

	options(argc, argv);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	tape_open(&u);
	tape_open(&v);
	DVMDBG_ELSEWHERE(u, DVMDBG_DOUBLE, .shape = { n }, .own = { { u.first, u.first + u.count - 1 } }, .halo = { 1 },
			 .fetch = get, .store = put, .context = &u);
	DVMDBG_ELSEWHERE(v, DVMDBG_DOUBLE, .shape = { n }, .own = { { v.first, v.first + v.count - 1 } }, .halo = { 1 },
			 .fetch = get, .store = put, .context = &v);

	DVMDBG_SL(.range = { { 1, steps } })
	for (long s = 1; s <= steps; s++) {
		DVMDBG_ITERATION(s);
		if (fault != STALE_EDGE || s < 2)
			exchange(&u);
		DVMDBG_PL(.on = &v, .range = { { 0, n - 1 } }, .writes = { &v }, .reads = { &u })
		for (long at = 1; at <= u.count; at += BLOCK) {
			long count = u.count + 1 - at < BLOCK ? u.count + 1 - at : BLOCK;

			if (fault != LOST_BLOCK || !rank || at > 1 || s < 2)
				smooth(&u, &v, at, count);
		}
		DVMDBG_PL(.on = &u, .range = { { 0, n - 1 } }, .writes = { &u }, .reads = { &v })
		for (long i = 1; i <= u.count; i++) {
			double x;

			if (get(&v, &x, (size_t)i, 1) || put(&u, &x, (size_t)i, 1))
				fail("tape");
		}
	}
	for (long i = 0; i < u.count; i++) {
		double x;

		if (get(&u, &x, (size_t)i + 1, 1) || x != expected(u.first + i))
			wrong++;
	}
	MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("tape: %ld numbers, %ld steps, %ld wrong %s\n", n, steps, all, all ? "WRONG" : "OK");
	DVMDBG_FORGET(u);
	DVMDBG_FORGET(v);
	close(u.file);
	close(v.file);
	MPI_Finalize();
	return 0;
}
