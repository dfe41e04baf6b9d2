/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that hang, and such that nearly do: hang CASE [SECONDS]. "hang list" prints the cases.
 * The line of each call that waits for ever has a comment with the case's name, by which the test
 * finds it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static double seconds = 4; /* that those take which are not stuck */
static char large[1 << 22];

/* Computes, without a call of MPI. */
static void compute(double t)
{
	double end = MPI_Wtime() + t;
	volatile double x = 1;

	while (MPI_Wtime() < end)
		for (int i = 0; i < 100000; i++)
			x = x * 1.0000001 + 1e-9;
}

static int other(void)
{
	return (rank + 1) % size;
}

static int before(void)
{
	return (rank + size - 1) % size;
}

/* ---- that hang ---- */

static void recv_recv(void)
{
	int x = 0;

	MPI_Recv(&x, 1, MPI_INT, before(), 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* recv_recv */
	MPI_Send(&x, 1, MPI_INT, other(), 7, MPI_COMM_WORLD);
}

static void ssend_cycle(void)
{
	int x = 0;

	MPI_Ssend(&x, 1, MPI_INT, other(), 3, MPI_COMM_WORLD); /* ssend_cycle */
	MPI_Recv(&x, 1, MPI_INT, before(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* MPI buffers them, mostly. */
static void small_sends(void)
{
	int x = 0;

	MPI_Send(&x, 1, MPI_INT, other(), 2, MPI_COMM_WORLD); /* small_sends */
	MPI_Recv(&x, 1, MPI_INT, before(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The root may leave before the other has come, which then waits for what the root sends. */
static void early_root(void)
{
	int x = 0;

	if (rank)
		MPI_Recv(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* early_root 1 */
	MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD); /* early_root 0 */
	MPI_Scan(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		MPI_Send(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
}

static void large_sends(void)
{
	MPI_Send(large, sizeof(large), MPI_CHAR, other(), 3, MPI_COMM_WORLD); /* large_sends */
	MPI_Recv(large, sizeof(large), MPI_CHAR, before(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void no_sender(void)
{
	int x = 0;

	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* no_sender 0 */
	MPI_Barrier(MPI_COMM_WORLD); /* no_sender */
}

static void wrong_tag(void)
{
	int x = 0;

	if (rank == 1)
		MPI_Send(&x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD); /* wrong_tag 1 */
	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* wrong_tag 0 */
	MPI_Barrier(MPI_COMM_WORLD); /* wrong_tag */
}

static void wrong_source(void)
{
	int x = 0;

	if (rank == 1)
		MPI_Send(&x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD); /* wrong_source 1 */
	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* wrong_source 0 */
	MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong_comm(void)
{
	MPI_Comm dup;
	int x = 0;

	MPI_Comm_dup(MPI_COMM_WORLD, &dup); /* wrong_comm dup */
	if (rank == 1)
		MPI_Send(&x, 1, MPI_INT, 0, 5, dup); /* wrong_comm 1 */
	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* wrong_comm 0 */
	MPI_Barrier(MPI_COMM_WORLD); /* wrong_comm */
}

static void coll_kind(void)
{
	int x = 0, y = 0;

	if (rank == 0)
		MPI_Barrier(MPI_COMM_WORLD); /* coll_kind 0 */
	else
		MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* coll_kind */
	if (rank == 0)
		MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	else
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Alltoall(&x, 0, MPI_INT, &y, 0, MPI_INT, MPI_COMM_WORLD);
}

static void coll_root(void)
{
	MPI_Bcast(large, sizeof(large), MPI_CHAR, rank == 0 ? 0 : 1, MPI_COMM_WORLD); /* coll_root */
	MPI_Barrier(MPI_COMM_WORLD); /* coll_root after */
	if (rank == 0)
		MPI_Recv(large, 1, MPI_CHAR, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* coll_root end */
}

static void coll_comms(void)
{
	MPI_Comm dup;

	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Barrier(rank == 0 ? dup : MPI_COMM_WORLD); /* coll_comms */
	MPI_Barrier(rank == 0 ? MPI_COMM_WORLD : dup);
}

static void gone(void)
{
	int x = 0;

	if (rank == 1)
		return;
	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* gone 0 */
}

static void left(void)
{
	if (rank == size - 1)
		_exit(0);
	MPI_Barrier(MPI_COMM_WORLD); /* left */
}

static void waitall(void)
{
	MPI_Request r[2];
	MPI_Status s[2];
	int x[2];

	MPI_Irecv(&x[0], 1, MPI_INT, before(), 1, MPI_COMM_WORLD, &r[0]); /* waitall post */
	MPI_Irecv(&x[1], 1, MPI_INT, other(), 2, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, s); /* waitall */
}

static void waitany(void)
{
	MPI_Request r[2];
	int x[2], i;

	MPI_Irecv(&x[0], 1, MPI_INT, before(), 1, MPI_COMM_WORLD, &r[0]); /* waitany post */
	MPI_Irecv(&x[1], 1, MPI_INT, other(), 2, MPI_COMM_WORLD, &r[1]);
	MPI_Waitany(2, r, &i, MPI_STATUS_IGNORE); /* waitany */
}

static void probe(void)
{
	MPI_Status s;

	MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &s); /* probe */
}

static void any_source(void)
{
	int x = 0;

	if (rank)
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < size; i++)
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* any_source 0 */
	MPI_Barrier(MPI_COMM_WORLD); /* any_source */
}

static void sub_comms(void)
{
	MPI_Comm half;
	int x = 0, in;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half); /* sub_comms split */
	MPI_Comm_rank(half, &in);
	MPI_Comm_size(half, &in);
	/* in each half the first and the last wait for each other */
	MPI_Comm_rank(half, &x);
	MPI_Recv(&x, 1, MPI_INT, (x + 1) % in, 8, half, MPI_STATUS_IGNORE); /* sub_comms */
}

static void ibarrier(void)
{
	MPI_Request r;

	if (rank == 0)
		MPI_Ibarrier(MPI_COMM_WORLD, &r); /* ibarrier post */
	if (rank == 0)
		MPI_Wait(&r, MPI_STATUS_IGNORE); /* ibarrier 0 */
	else
		MPI_Recv(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ibarrier */
}

static void fence(void)
{
	MPI_Win w;
	int x = 0;

	MPI_Win_create(&x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	if (rank == 0)
		MPI_Win_fence(0, w); /* fence 0 */
	MPI_Barrier(MPI_COMM_WORLD); /* fence */
	if (rank)
		MPI_Win_fence(0, w);
	MPI_Win_free(&w);
}

/* A loop that asks for ever: no proof that it does not end. */
static void probe_loop(void)
{
	int flag = 0;

	while (!flag)
		MPI_Iprobe(before(), 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); /* probe_loop */
}

/* What the program has MPI_Finalize do first. */
static int at_end(MPI_Comm comm, int key, void *value, void *more)
{
	int x;

	(void)comm;
	(void)key;
	(void)more;
	if (value)
		MPI_Recv(&x, 1, MPI_INT, before(), 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* finalizing end */
	else
		compute(seconds);
	return MPI_SUCCESS;
}

static void end_with(void *value)
{
	int key;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, value);
}

/* All are in MPI_Finalize, and never leave it. */
static void finalizing(void)
{
	static int x;
	MPI_Request r;

	MPI_Isend(&x, 1, MPI_INT, other(), 8, MPI_COMM_WORLD, &r); /* finalizing sent */
	end_with(&x);
}

/* ---- that do not ---- */

static void slow_finalize(void)
{
	end_with(NULL);
}

static void slow_rank(void)
{
	if (rank == 0)
		compute(seconds); /* slow_rank 0 */
	MPI_Barrier(MPI_COMM_WORLD); /* slow_rank */
}

static void sleeping(void)
{
	int x = 0;

	if (rank == 0) {
		sleep((unsigned)seconds);
		for (int i = 1; i < size; i++)
			MPI_Send(&x, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* sleeping */
	}
}

static void spin_test(void)
{
	MPI_Request r;
	int x = 0, flag = 0;

	if (rank == 0) {
		compute(seconds);
		for (int i = 1; i < size; i++)
			MPI_Send(&x, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
		return;
	}
	MPI_Irecv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
	while (!flag)
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE); /* spin_test */
}

/* One polls with an end of its own, and sends to the others then. */
static void polls_then_sends(void)
{
	double end = MPI_Wtime() + seconds;
	int x = 0, flag = 0;

	if (rank) {
		MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* polls_then_sends */
		return;
	}
	while (MPI_Wtime() < end)
		MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	for (int i = 1; i < size; i++)
		MPI_Send(&x, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
}

/* A message waits long before it is received; the tag of another one differs. */
static void out_of_order(void)
{
	int x = 0;

	if (rank == 0) {
		for (int i = 1; i < size; i++) {
			MPI_Send(&x, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
			MPI_Send(&x, 1, MPI_INT, i, 2, MPI_COMM_WORLD);
		}
		compute(seconds);
		for (int i = 1; i < size; i++)
			MPI_Send(&x, 1, MPI_INT, i, 3, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Recv(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* All wait for one, by any source and in waits, until that has computed. */
static void wait_for_one(void)
{
	MPI_Request r[2];
	int x[2] = { 0 }, i;

	if (rank == 0) {
		compute(seconds);
		for (i = 1; i < size; i++)
			MPI_Ssend(x, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
		return;
	}
	MPI_Irecv(&x[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(&x[1], 1, MPI_INT, other(), 2, MPI_COMM_WORLD, &r[1]);
	MPI_Waitany(2, r, &i, MPI_STATUS_IGNORE); /* wait_for_one */
	MPI_Cancel(&r[1]);
	MPI_Wait(&r[1], MPI_STATUS_IGNORE);
}

static void slow_reader(void)
{
	if (rank == 0)
		MPI_Send(large, sizeof(large), MPI_CHAR, 1, 1, MPI_COMM_WORLD); /* slow_reader 0 */
	if (rank == 1) {
		compute(seconds);
		MPI_Recv(large, sizeof(large), MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 reads a flag of rank 1 until that is set: after some seconds, or (negative) never. */
static void window_flag(double after)
{
	int *flag, one = 1, found = 0;
	MPI_Win win;

	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &flag, &win);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
	*flag = 0;
	MPI_Win_unlock(rank, win);
	MPI_Barrier(MPI_COMM_WORLD);
	while (rank == 0 && !found) {
		MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win); /* window lock */
		MPI_Get(&found, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* window */
		MPI_Win_unlock(1, win);
	}
	if (rank == 1 && after >= 0) {
		compute(after);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_unlock(1, win);
	}
	MPI_Barrier(MPI_COMM_WORLD); /* window barrier */
	MPI_Win_free(&win);
}

static void window_loop(void)
{
	window_flag(-1);
}

static void window_waits(void)
{
	window_flag(seconds);
}

#define CASES(X)                                                                                   \
	X(recv_recv) X(ssend_cycle) X(large_sends) X(small_sends) X(early_root) X(no_sender) X(wrong_tag) X(wrong_source) X(wrong_comm)         \
	X(coll_kind) X(coll_root) X(coll_comms) X(gone) X(left) X(waitall) X(waitany) X(probe)     \
	X(any_source) X(sub_comms) X(ibarrier) X(fence) X(probe_loop) X(finalizing) X(slow_finalize) X(slow_rank) X(sleeping)     \
	X(spin_test) X(polls_then_sends) X(out_of_order) X(wait_for_one) X(slow_reader)         \
	X(window_loop) X(window_waits)

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define X(name) { #name, name },
	CASES(X)
};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "list";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc > 2)
		seconds = atof(argv[2]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!strcmp(name, "list") && !rank)
			puts(cases[i].name);
		if (!strcmp(name, cases[i].name))
			cases[i].run();
	}
	MPI_Finalize(); /* finalize */
	if (!rank)
		puts("done");
	return 0;
}
