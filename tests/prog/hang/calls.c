/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that wait for the other rank, in one job: calls stuck|late FILE [SECONDS]. Ranks 2i and 2i + 1 do case i on a
 * communicator of their own: rank 0 of the pair makes the call, and the other one never makes it, or (`late`) makes it
 * after some seconds. The line of each call has a comment with the case's name.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm pair, made;
static int me, x[4], y[4];
static double seconds;
static int late;
static char path[4096];
static MPI_Request r;
static MPI_Win win;
static MPI_File file;

/* The other rank goes another way, or comes late. True: this one makes the call. */
static int comes(void)
{
	double end = MPI_Wtime() + seconds;
	volatile double z = 1;

	if (!me)
		return 1;
	if (!late)
		MPI_Recv(x, 1, MPI_INT, 0, 99, pair, MPI_STATUS_IGNORE); /* other */
	while (MPI_Wtime() < end)
		for (int i = 0; i < 100000; i++)
			z = z * 1.0000001 + 1e-9;
	return late;
}

static void split(void)
{
	if (comes())
		MPI_Comm_split(pair, 0, me, &made); /* split */
	MPI_Comm_free(&made);
}

static void dup(void)
{
	if (comes())
		MPI_Comm_dup(pair, &made); /* dup */
	MPI_Comm_free(&made);
}

static void allgather(void)
{
	if (comes())
		MPI_Allgather(x, 1, MPI_INT, y, 1, MPI_INT, pair); /* allgather */
}

/* The root has nothing to gather from. */
static void gather(void)
{
	if (comes())
		MPI_Gather(x, 1, MPI_INT, y, 1, MPI_INT, 0, pair); /* gather */
}

static void scan(void)
{
	if (comes())
		MPI_Reduce_scatter_block(x, y, 1, MPI_INT, MPI_SUM, pair); /* scan */
}

static void iallreduce(void)
{
	if (!comes())
		return;
	MPI_Iallreduce(x, y, 1, MPI_INT, MPI_SUM, pair, &r); /* iallreduce post */
	MPI_Wait(&r, MPI_STATUS_IGNORE);		     /* iallreduce */
}

static void neighbors(void)
{
	int size = 2, periodic = 1;

	MPI_Cart_create(pair, 1, &size, &periodic, 0, &made); /* neighbors made */
	if (comes())
		MPI_Neighbor_alltoall(x, 1, MPI_INT, y, 1, MPI_INT, made); /* neighbors */
	MPI_Comm_free(&made);
}

static void groups(void)
{
	MPI_Intercomm_create(MPI_COMM_SELF, 0, pair, !me, 1, &made); /* groups made */
	if (comes())
		MPI_Barrier(made); /* groups */
	MPI_Comm_free(&made);
}

static void replace(void)
{
	if (comes())
		MPI_Sendrecv_replace(x, 1, MPI_INT, !me, 1, !me, 1, pair, MPI_STATUS_IGNORE); /* replace */
}

static void issend(void)
{
	if (!comes())
		return;
	MPI_Issend(x, 1, MPI_INT, !me, 2, pair, &r); /* issend post */
	if (me)
		MPI_Recv(y, 1, MPI_INT, !me, 2, pair, MPI_STATUS_IGNORE);
	MPI_Wait(&r, MPI_STATUS_IGNORE); /* issend */
	if (!me)
		MPI_Recv(y, 1, MPI_INT, !me, 2, pair, MPI_STATUS_IGNORE);
}

static void window(void)
{
	if (comes())
		MPI_Win_create(x, sizeof(x), 4, MPI_INFO_NULL, pair, &win); /* window */
	MPI_Win_free(&win);
}

static void fence(void)
{
	MPI_Win_create(x, sizeof(x), 4, MPI_INFO_NULL, pair, &win); /* fence made */
	if (comes())
		MPI_Win_fence(0, win); /* fence */
	MPI_Win_free(&win);
}

static void opened(void)
{
	if (comes())
		MPI_File_open(pair, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file); /* opened */
	MPI_File_close(&file);
}

static void resized(void)
{
	MPI_File_open(pair, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file); /* resized made */
	if (comes())
		MPI_File_set_size(file, 64); /* resized */
	MPI_File_close(&file);
}

/* The group of the other rank. */
static MPI_Group other_rank(void)
{
	MPI_Group all, g;
	int other = !me;

	MPI_Comm_group(pair, &all);
	MPI_Group_incl(all, 1, &other, &g);
	MPI_Group_free(&all);
	return g;
}

static void started(void)
{
	MPI_Group g = other_rank();

	MPI_Win_create(x, sizeof(x), 4, MPI_INFO_NULL, pair, &win); /* started made */
	if (!me) {
		/* some wait at the beginning, some at the end */
		MPI_Win_start(g, 0, win), MPI_Put(y, 1, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_Win_complete(win); /* started */
	} else if (comes()) {
		MPI_Win_post(g, 0, win);
		MPI_Win_wait(win);
	}
	MPI_Group_free(&g);
	MPI_Win_free(&win);
}

static void exposed(void)
{
	MPI_Group g = other_rank();

	MPI_Win_create(x, sizeof(x), 4, MPI_INFO_NULL, pair, &win); /* exposed made */
	if (!me) {
		MPI_Win_post(g, 0, win);
		MPI_Win_wait(win); /* exposed */
	} else if (comes()) {
		MPI_Win_start(g, 0, win);
		MPI_Win_complete(win);
	}
	MPI_Group_free(&g);
	MPI_Win_free(&win);
}

static void locked(void)
{
	MPI_Win_create(x, sizeof(x), 4, MPI_INFO_NULL, pair, &win); /* locked made */
	if (me) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		MPI_Get(y, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
	}
	MPI_Barrier(pair);
	if (!me) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); /* locked */
		MPI_Win_unlock(0, win);
	} else if (comes()) {
		MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define X(name) { #name, name }
	X(resized), X(neighbors), X(groups), X(fence), X(split), X(dup), X(allgather), X(gather), X(scan),
	X(iallreduce), X(replace), X(issend), X(window), X(opened), X(started), X(exposed), X(locked),
};
#define N (sizeof(cases) / sizeof(cases[0]))

int main(int argc, char **argv)
{
	int rank;
	size_t i;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	i = (size_t)rank / 2;
	late = argc > 1 && !strcmp(argv[1], "late");
	if (argc > 2)
		snprintf(path, sizeof(path), "%s.%zu", argv[2], i);
	if (argc > 3)
		seconds = atof(argv[3]);
	MPI_Comm_split(MPI_COMM_WORLD, (int)i, rank, &pair);
	MPI_Comm_rank(pair, &me);
	if (i < N)
		cases[i].run();
	MPI_Comm_free(&pair);
	MPI_Finalize();
	if (!rank)
		puts("done");
	return 0;
}
