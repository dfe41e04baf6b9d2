// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with an error of MPI each, and near them those that are correct: mpierr CASE. The line of
// an error has the case's name in a comment.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, buf[64], more[64];
static MPI_Comm world;
static MPI_Request req, reqs[80];

static void handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
}

// Errors that MPI finds as well are handled by the program, so that it goes on.
static void tolerant(void)
{
	MPI_Errhandler h;

	MPI_Comm_create_errhandler(handler, &h);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
	MPI_Errhandler_free(&h);
}

static int peer(void)
{
	return (rank + 1) % ranks;
}

// Wrong arguments.

static void count(void)
{
	tolerant();
	MPI_Send(buf, -1, MPI_INT, peer(), 0, world); /* count */
}

static void dest(void)
{
	tolerant();
	MPI_Send(buf, 1, MPI_INT, ranks, 0, world); /* dest */
}

static void source(void)
{
	tolerant();
	MPI_Irecv(buf, 1, MPI_INT, -7, 0, world, &req); /* source */
}

static void tag(void)
{
	tolerant();
	MPI_Send(buf, 1, MPI_INT, peer(), -5, world); /* tag */
}

static void root(void)
{
	tolerant();
	MPI_Bcast(buf, 1, MPI_INT, ranks + 3, world); /* root */
}

static void type_null(void)
{
	tolerant();
	MPI_Send(buf, 1, MPI_DATATYPE_NULL, peer(), 0, world); /* type_null */
}

static void op_null(void)
{
	tolerant();
	MPI_Allreduce(buf, more, 1, MPI_INT, MPI_OP_NULL, world); /* op_null */
}

static void buffer_null(void)
{
	tolerant();
	MPI_Send(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, world); /* buffer_null */
}

static void uncommitted(void)
{
	MPI_Datatype t;

	tolerant();
	MPI_Type_contiguous(2, MPI_INT, &t);
	MPI_Send(buf, 1, t, MPI_PROC_NULL, 0, world); /* uncommitted */
	MPI_Type_free(&t);
}

static void comm_null(void)
{
	tolerant();
	MPI_Barrier(MPI_COMM_NULL); /* comm_null */
}

static void free_predefined(void)
{
	MPI_Datatype t = MPI_INT;

	tolerant();
	MPI_Type_free(&t); /* free_predefined */
}

static void aliases(void)
{
	tolerant();
	MPI_Allreduce(buf, buf, 1, MPI_INT, MPI_SUM, world); /* aliases */
}

static void own_part(void)
{
	tolerant();
	MPI_Allgather(buf, 2, MPI_INT, more, 2, MPI_FLOAT, world); /* own_part */
}

// Requests.

static void lost_request(void)
{
	MPI_Isend(buf, 1, MPI_INT, rank, 0, world, &reqs[79]); /* lost_request */
	MPI_Recv(more, 1, MPI_INT, rank, 0, world, MPI_STATUS_IGNORE);
}

static void overwritten(void)
{
	MPI_Irecv(buf, 1, MPI_INT, rank, 1, world, &req); /* overwritten */
	MPI_Irecv(more, 1, MPI_INT, rank, 2, world, &req);
	MPI_Send(buf + 9, 1, MPI_INT, rank, 1, world);
	MPI_Send(buf + 9, 1, MPI_INT, rank, 2, world);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

static void started_twice(void)
{
	tolerant();
	MPI_Recv_init(buf, 1, MPI_INT, rank, 1, world, &req);
	MPI_Start(&req);
	MPI_Start(&req); /* started_twice */
	MPI_Send(more, 1, MPI_INT, rank, 1, world);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Request_free(&req);
}

static void persistent_left(void)
{
	MPI_Recv_init(buf, 1, MPI_INT, rank, 1, world, &req); /* persistent_left */
	MPI_Start(&req);
	MPI_Send(more, 1, MPI_INT, rank, 1, world);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

// What is never freed.

static void left(void)
{
	MPI_Comm dup;
	MPI_Datatype t;
	MPI_Group g;
	MPI_Op op;

	for (int i = 0; i < 3; i++)
		MPI_Comm_dup(world, &dup); /* left comm */
	MPI_Type_vector(2, 1, 4, MPI_INT, &t); /* left type */
	MPI_Comm_group(world, &g); /* left group */
	MPI_Op_create((MPI_User_function *)(void *)handler, 1, &op); /* left op */
}

// One-sided communication.

static MPI_Win window(void)
{
	MPI_Win win;

	MPI_Win_create(buf, sizeof(buf), sizeof(int), MPI_INFO_NULL, world, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	return win;
}

static void no_epoch(void)
{
	MPI_Win win = window();

	MPI_Put(more, 1, MPI_INT, peer(), 0, 1, MPI_INT, win); /* no_epoch */
	MPI_Barrier(world);
	MPI_Win_free(&win);
}

static void not_locked(void)
{
	MPI_Win win = window();

	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
	MPI_Win_unlock(rank, win);
	MPI_Win_unlock(rank, win); /* not_locked */
	MPI_Barrier(world);
	MPI_Win_free(&win);
}

static void conflict(void)
{
	MPI_Win win = window();

	MPI_Win_fence(0, win);
	MPI_Put(more, 1, MPI_INT, peer(), 5, 1, MPI_INT, win);
	MPI_Put(more, 1, MPI_INT, peer(), 5, 1, MPI_INT, win); /* conflict */
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

// Threads, and what is called too late.

static void *call(void *arg)
{
	MPI_Comm_size(MPI_COMM_WORLD, arg);
	MPI_Send(buf, 1, MPI_INT, MPI_PROC_NULL, 0, world); /* thread */
	return NULL;
}

static void thread(void)
{
	pthread_t t;
	int n;

	pthread_create(&t, NULL, call, &n);
	pthread_join(t, NULL);
}

// Aborts.

static void abort_(void)
{
	if (rank == 1)
		MPI_Abort(world, 7); /* abort */
	MPI_Barrier(world);
}

static void fatal(void)
{
	MPI_Send(buf, 1, MPI_INT, ranks, 0, world); /* fatal */
}

static void truncated(void)
{
	if (rank)
		MPI_Recv(buf, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE); /* truncated */
	else
		MPI_Send(buf, 4, MPI_INT, 1, 0, world);
}

// Correct.

static void right_requests(void)
{
	MPI_Request copy;
	MPI_Status status[80];
	int n, index, done[80], flag = 0;

	// handles that are copied, of several at a time, and in arrays with others that are null
	MPI_Isend(buf, 1, MPI_INT, rank, 0, world, &req);
	copy = req;
	MPI_Irecv(more, 1, MPI_INT, rank, 0, world, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Wait(&copy, MPI_STATUS_IGNORE);
	MPI_Wait(&copy, MPI_STATUS_IGNORE);
	for (int i = 0; i < 80; i++)
		reqs[i] = MPI_REQUEST_NULL;
	for (int i = 0; i < 35; i++) {
		MPI_Irecv(&more[i], 1, MPI_INT, rank, i, world, &reqs[2 * i]);
		MPI_Isend(&buf[i], 1, MPI_INT, rank, i, world, &reqs[79 - 2 * i]);
	}
	MPI_Waitany(80, reqs, &index, MPI_STATUS_IGNORE);
	MPI_Waitsome(80, reqs, &n, done, status);
	while (!flag)
		MPI_Testall(80, reqs, &flag, status);
	// started several times; freed, and never started
	MPI_Send_init(buf, 1, MPI_INT, rank, 1, world, &reqs[0]);
	MPI_Recv_init(more, 1, MPI_INT, rank, 1, world, &reqs[1]);
	MPI_Recv_init(more, 1, MPI_INT, rank, 1, world, &reqs[2]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, reqs);
		MPI_Waitany(3, reqs, &index, MPI_STATUS_IGNORE);
		MPI_Waitall(3, reqs, status);
	}
	for (int i = 0; i < 3; i++)
		MPI_Request_free(&reqs[i]);
	// to nobody, and a send that is let go
	MPI_Isend(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, world, &reqs[0]);
	MPI_Isend(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, world, &reqs[1]);
	MPI_Wait(&reqs[0], MPI_STATUS_IGNORE);
	MPI_Wait(&reqs[1], MPI_STATUS_IGNORE);
	MPI_Isend(buf, 1, MPI_INT, rank, 3, world, &reqs[0]);
	MPI_Request_free(&reqs[0]);
	MPI_Recv(more, 1, MPI_INT, rank, 3, world, MPI_STATUS_IGNORE);
	MPI_Irecv(more, 1, MPI_INT, rank, 4, world, &reqs[0]);
	MPI_Cancel(&reqs[0]);
	MPI_Wait(&reqs[0], MPI_STATUS_IGNORE);
}

static void right_types(void)
{
	MPI_Datatype t, inner, dup;
	MPI_Aint at;

	MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
	MPI_Type_contiguous(2, inner, &t);
	MPI_Type_free(&inner);
	MPI_Type_commit(&t);
	MPI_Type_dup(t, &dup);
	MPI_Type_free(&t);
	MPI_Sendrecv(buf, 1, dup, rank, 0, more, 4, MPI_INT, rank, 0, world, MPI_STATUS_IGNORE);
	MPI_Allgather(buf, 1, dup, more, 4, MPI_INT, world);
	MPI_Alltoall(buf, 4, MPI_INT, more, 1, dup, world);
	MPI_Type_free(&dup);
	// data at an address of their own
	MPI_Get_address(buf, &at);
	MPI_Type_create_hindexed(1, &(int){ 4 }, &at, MPI_INT, &t);
	MPI_Type_commit(&t);
	MPI_Bcast(MPI_BOTTOM, 1, t, 0, world);
	MPI_Type_free(&t);
	for (int i = 0; i < 2000; i++) {
		MPI_Type_contiguous(i + 1, MPI_CHAR, &t);
		MPI_Type_free(&t);
	}
}

static void right_arguments(void)
{
	MPI_Comm none, one;
	MPI_Group g, empty;

	MPI_Send(NULL, 0, MPI_INT, peer(), 0, world);
	MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
	MPI_Gather(rank ? (void *)buf : MPI_IN_PLACE, rank ? 1 : -1, rank ? MPI_INT : MPI_DATATYPE_NULL,
		   more, 1, MPI_INT, 0, world);
	MPI_Allreduce(MPI_IN_PLACE, buf, 1, MPI_INT, MPI_MAX, world);
	MPI_Reduce(buf, rank ? buf : more, 1, MPI_INT, MPI_MAX, 0, world);
	MPI_Scatter(buf, rank ? -1 : 1, rank ? MPI_DATATYPE_NULL : MPI_INT, more, 1, MPI_INT, 0, world);
	MPI_Comm_split(world, rank ? MPI_UNDEFINED : 0, 0, &none);
	if (none != MPI_COMM_NULL)
		MPI_Comm_free(&none);
	MPI_Comm_dup(world, &one);
	MPI_Comm_free(&one);
	MPI_Comm_dup(world, &one);
	MPI_Barrier(one);
	MPI_Comm_free(&one);
	MPI_Comm_group(world, &g);
	MPI_Group_difference(g, g, &empty);
	if (empty != MPI_GROUP_EMPTY)
		MPI_Group_free(&empty);
	MPI_Group_free(&g);
}

static void right_onesided(void)
{
	MPI_Win win;
	MPI_Group g, all;
	int me = peer(), from = (rank + ranks - 1) % ranks;

	MPI_Win_create(buf, sizeof(buf), sizeof(int), MPI_INFO_NULL, world, &win);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	MPI_Put(more, 1, MPI_INT, peer(), 0, 1, MPI_INT, win);
	MPI_Put(more, 1, MPI_INT, peer(), 1, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Put(more, 1, MPI_INT, peer(), 0, 1, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, peer(), 0, win);
	MPI_Put(more, 1, MPI_INT, peer(), 0, 1, MPI_INT, win);
	MPI_Win_flush(peer(), win);
	MPI_Put(more, 1, MPI_INT, peer(), 0, 1, MPI_INT, win);
	MPI_Win_unlock(peer(), win);
	MPI_Win_lock_all(0, win);
	MPI_Accumulate(more, 1, MPI_INT, peer(), 7, 1, MPI_INT, MPI_SUM, win);
	MPI_Accumulate(more, 1, MPI_INT, peer(), 7, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_unlock_all(win);
	MPI_Comm_group(world, &all);
	MPI_Barrier(world);
	MPI_Group_incl(all, 1, &from, &g);
	MPI_Win_post(g, 0, win);
	MPI_Group_free(&g);
	MPI_Group_incl(all, 1, &me, &g);
	MPI_Win_start(g, 0, win);
	MPI_Put(more, 1, MPI_INT, peer(), 3, 1, MPI_INT, win);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
	MPI_Group_free(&g);
	MPI_Group_free(&all);
	MPI_Win_free(&win);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define X(name) { #name, name }
	X(count), X(dest), X(source), X(tag), X(root), X(type_null), X(op_null), X(buffer_null),
	X(uncommitted), X(comm_null), X(free_predefined), X(aliases), X(own_part), X(lost_request), X(overwritten),
	X(started_twice), X(persistent_left), X(left), X(no_epoch), X(not_locked), X(conflict),
	X(thread), X(abort_), X(fatal), X(truncated), X(right_requests), X(right_types),
	X(right_arguments), X(right_onesided),
};

int main(int argc, char **argv)
{
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	world = MPI_COMM_WORLD;
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &ranks);
	for (int k = 1; k < argc; k++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			if (!strcmp(argv[k], cases[i].name))
				cases[i].run();
	MPI_Finalize();
	if (argc > 1 && !strcmp(argv[1], "late"))
		MPI_Comm_size(MPI_COMM_WORLD, &level); /* late */
	if (!rank)
		puts("done");
	return 0;
}
