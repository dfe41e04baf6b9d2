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

// Arguments that are special to some calls.

static void recv_count(void)
{
	int counts[8] = { 1, -4, 1, 1, 1, 1, 1, 1 }, at[8] = { 0 };

	tolerant();
	MPI_Gatherv(buf, 1, MPI_INT, more, counts, at, MPI_INT, 0, world); /* recv_count */
}

static void recv_type(void)
{
	tolerant();
	MPI_Allgather(buf, 1, MPI_INT, more, 1, MPI_DATATYPE_NULL, world); /* recv_type */
}

static void recv_null(void)
{
	tolerant();
	MPI_Sendrecv(buf, 1, MPI_INT, MPI_PROC_NULL, 0, NULL, 1, MPI_INT, MPI_PROC_NULL, 0, world, /* recv_null */
		     MPI_STATUS_IGNORE);
}

static void in_place(void)
{
	tolerant();
	MPI_Bcast(MPI_IN_PLACE, 0, MPI_INT, 0, world); /* in_place */
}

static void op_type(void)
{
	double x[2] = { 1, 2 }, y[2];

	tolerant();
	MPI_Allreduce(x, y, 2, MPI_DOUBLE, MPI_BAND, world); /* op_type */
}

static void overlapping(void)
{
	MPI_Allgather(buf + rank, 1, MPI_INT, buf, 1, MPI_INT, world); /* overlapping */
}

static void pieces(void)
{
	int counts[2] = { 2, 2 }, at[2] = { 4, 3 };

	MPI_Allgatherv(buf, 2, MPI_INT, more, counts, at, MPI_INT, world); /* pieces */
}

static void dims(void)
{
	MPI_Comm cart;
	int size[] = { -2, 1 }, periods[] = { 0, 0 };

	tolerant();
	MPI_Cart_create(world, 2, size, periods, 0, &cart); /* dims */
}

static void color(void)
{
	MPI_Comm part;

	tolerant();
	MPI_Comm_split(world, -12, 0, &part); /* color */
}

static void subarray(void)
{
	int all[] = { 4, 4 }, part[] = { 2, 2 }, at[] = { 0, 3 };
	MPI_Datatype t;

	tolerant();
	MPI_Type_create_subarray(2, all, part, at, MPI_ORDER_C, MPI_INT, &t); /* subarray */
}

static void lengths(void)
{
	MPI_Datatype t;

	tolerant();
	MPI_Type_indexed(2, (int[]){ 1, -1 }, (int[]){ 0, 4 }, MPI_INT, &t); /* lengths */
}

static void members(void)
{
	MPI_Group all, some;

	tolerant();
	MPI_Comm_group(world, &all);
	MPI_Group_incl(all, 2, (int[]){ 1, 1 }, &some); /* members */
	MPI_Group_free(&all);
}

static MPI_Win window(void);

static void lock_kind(void)
{
	MPI_Win win = window();

	if (MPI_Win_lock(-77, rank, 0, win) == MPI_SUCCESS) /* lock_kind */
		MPI_Win_unlock(rank, win);
	MPI_Barrier(world);
	MPI_Win_free(&win);
}

static void mode(void)
{
	MPI_File f;

	MPI_File_open(MPI_COMM_SELF, "/nonexistent/file", MPI_MODE_RDONLY | MPI_MODE_WRONLY, /* mode */
		      MPI_INFO_NULL, &f);
}

static void file_null(void)
{
	MPI_File f = MPI_FILE_NULL;

	MPI_File_write_at(f, 0, buf, 1, MPI_INT, MPI_STATUS_IGNORE); /* file_null */
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

/* What was in force is set again. */
static void restored(void)
{
	MPI_Errhandler before;

	MPI_Comm_get_errhandler(world, &before);
	MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(world, before);
	MPI_Errhandler_free(&before);
	MPI_Send(buf, 1, MPI_INT, ranks, 0, world); /* restored */
}

static void truncated(void)
{
	if (rank)
		MPI_Recv(buf, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE); /* truncated */
	else
		MPI_Send(buf, 4, MPI_INT, 1, 0, world); /* longer send */
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

/* As wrong ones above, and correct. */
static void right_special(void)
{
	int counts[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, at[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }, size[2] = { ranks, 1 };
	int all[] = { 4, 4 }, part[] = { 2, 2 }, from[] = { 2, 2 }, periods[] = { 1, 0 }, flags[2] = { 1, 1 };
	MPI_Datatype t, of[] = { MPI_INT, MPI_CHAR };
	MPI_Aint where[] = { 0, 4 };
	MPI_Comm made, intra;
	MPI_Group whole, some;
	MPI_Win win;

	if (rank)
		MPI_Gatherv(buf, 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 0, world);
	else
		MPI_Gatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, more, counts, at, MPI_INT, 0, world);
	if (rank)
		MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, more, 1, MPI_INT, 0, world);
	else
		MPI_Scatterv(buf, counts, at, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, 0, world);
	MPI_Reduce(rank ? buf : MPI_IN_PLACE, rank ? NULL : more, 1, MPI_INT, MPI_BAND, 0, world);
	MPI_Reduce(buf, rank ? NULL : more, 2, MPI_FLOAT, MPI_MAX, 0, world);
	MPI_Allgatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, more, counts, at, MPI_INT, world);
	/* none at all between two that are out of order */
	MPI_Allgatherv(buf, rank == 1 ? 0 : rank / 2 + 1, MPI_INT, more, (int[]){ 1, 0, 2 }, (int[]){ 6, 5, 4 }, MPI_INT, world);
	MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, more, 1, MPI_INT, world);
	MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, world);
	MPI_Allgather(buf + ranks, 1, MPI_INT, buf, 1, MPI_INT, world);
	MPI_Exscan(MPI_IN_PLACE, buf, 1, MPI_INT, MPI_SUM, world);
	MPI_Reduce_scatter(MPI_IN_PLACE, buf, counts, MPI_INT, MPI_SUM, world);
	MPI_Reduce_scatter_block(buf, more, 1, MPI_UNSIGNED, MPI_LXOR, world);
	MPI_Allreduce(buf, more, 1, MPI_2INT, MPI_MAXLOC, world);
	MPI_Allreduce(flags, more, 1, MPI_C_BOOL, MPI_LAND, world);
	MPI_Allreduce(buf, more, 4, MPI_BYTE, MPI_BXOR, world);
	MPI_Cart_create(world, 2, size, periods, 1, &made);
	if (made != MPI_COMM_NULL)
		MPI_Comm_free(&made);
	MPI_Cart_create(world, 0, NULL, NULL, 0, &made);
	if (made != MPI_COMM_NULL)
		MPI_Comm_free(&made);
	MPI_Type_create_subarray(2, all, part, from, MPI_ORDER_FORTRAN, MPI_INT, &t);
	MPI_Type_free(&t);
	MPI_Type_indexed(2, (int[]){ 0, 2 }, (int[]){ 0, -4 }, MPI_INT, &t);
	MPI_Type_free(&t);
	MPI_Type_create_struct(2, (int[]){ 1, 0 }, where, of, &t);
	MPI_Type_free(&t);
	MPI_Comm_group(world, &whole);
	MPI_Group_incl(whole, 2, (int[]){ 1, 0 }, &some);
	MPI_Comm_create(world, some, &intra);
	if (intra != MPI_COMM_NULL)
		MPI_Comm_free(&intra);
	MPI_Group_free(&some);
	MPI_Group_free(&whole);
	MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, world, &win);
	MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOCHECK, win);
	MPI_Win_unlock(rank, win);
	MPI_Win_free(&win);
}

/* A file: in halves, at offsets, of nothing. */
static void right_file(void)
{
	const char *path = getenv("MPIERR_FILE");
	MPI_File f;

	if (!path ||
	    MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f))
		return;
	MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_write_at_all(f, 4 * rank, buf, 4, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_write_at_all_begin(f, 4 * rank, buf, 4, MPI_INT);
	MPI_File_write_at_all_end(f, buf, MPI_STATUS_IGNORE);
	MPI_File_read_at_all_begin(f, 4 * rank, more, 4, MPI_INT);
	MPI_File_read_at_all_end(f, more, MPI_STATUS_IGNORE);
	MPI_File_read_at(f, 1000000, more, 0, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_iread_at(f, 0, more, 1, MPI_INT, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
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

static void is_handler(const char *what, MPI_Errhandler have, MPI_Errhandler want)
{
	if (have != want)
		printf("wrong handler: %s\n", what);
	MPI_Errhandler_free(&have);
}

/* Handlers are those that MPI gives, and those that are set. */
static void right_handlers(void)
{
	MPI_Errhandler own, h;
	MPI_Comm c;
	MPI_Win win;

	for (int i = 0; i < 20; i++) {
		MPI_Comm_get_errhandler(world, &h);
		is_handler("of a communicator", h, MPI_ERRORS_ARE_FATAL);
	}
	MPI_Comm_get_errhandler(MPI_COMM_SELF, &h);
	is_handler("of MPI_COMM_SELF", h, MPI_ERRORS_ARE_FATAL);
	MPI_Comm_dup(world, &c);
	MPI_Comm_get_errhandler(c, &h);
	is_handler("of a copy", h, MPI_ERRORS_ARE_FATAL);
	MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
	MPI_Comm_get_errhandler(c, &h);
	is_handler("that returns", h, MPI_ERRORS_RETURN);
	MPI_Comm_create_errhandler(handler, &own);
	MPI_Comm_set_errhandler(c, own);
	MPI_Comm_get_errhandler(c, &h);
	is_handler("of the program", h, own);
	MPI_Comm_set_errhandler(c, MPI_ERRORS_ARE_FATAL);
	MPI_Comm_get_errhandler(c, &h);
	is_handler("that is fatal again", h, MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&own);
	MPI_Comm_free(&c);
	MPI_Win_create(buf, sizeof(buf), 4, MPI_INFO_NULL, world, &win);
	MPI_Win_get_errhandler(win, &h);
	is_handler("of a window", h, MPI_ERRORS_ARE_FATAL);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_get_errhandler(win, &h);
	is_handler("of a window that returns", h, MPI_ERRORS_RETURN);
	MPI_Win_set_errhandler(win, MPI_ERRORS_ARE_FATAL);
	MPI_Win_get_errhandler(win, &h);
	is_handler("of a window that is fatal again", h, MPI_ERRORS_ARE_FATAL);
	MPI_Win_free(&win);
	MPI_File_get_errhandler(MPI_FILE_NULL, &h);
	is_handler("of files", h, MPI_ERRORS_RETURN);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define X(name) { #name, name }
	X(count), X(dest), X(source), X(tag), X(root), X(type_null), X(op_null), X(buffer_null),
	X(uncommitted), X(comm_null), X(free_predefined), X(aliases), X(own_part), X(lost_request), X(overwritten),
	X(started_twice), X(persistent_left), X(left), X(no_epoch), X(not_locked), X(conflict),
	X(thread), X(abort_), X(fatal), X(restored), X(truncated), X(right_requests), X(right_types),
	X(recv_count), X(recv_type), X(recv_null), X(in_place), X(op_type), X(overlapping), X(pieces), X(dims),
	X(color), X(subarray), X(lengths), X(members), X(lock_kind), X(mode), X(file_null),
	X(right_arguments), X(right_special), X(right_file), X(right_onesided),
	X(right_handlers),
};

static void finalize(void)
{
	MPI_Finalize();
	fputs("finalized\n", stdout); /* in one piece, where stdout has no buffer */
}

int main(int argc, char **argv)
{
	int level;

	if (argc > 1 && !strcmp(argv[1], "unfinalized_yet"))
		atexit(finalize);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	world = MPI_COMM_WORLD;
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &ranks);
	for (int k = 1; k < argc; k++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			if (!strcmp(argv[k], cases[i].name))
				cases[i].run();
	if (argc > 1 && !strncmp(argv[1], "unfinalized", strlen("unfinalized"))) {
		MPI_Barrier(world); /* unfinalized */
		return argc - 2;
	}
	MPI_Finalize();
	if (argc > 1 && !strcmp(argv[1], "late"))
		MPI_Comm_size(MPI_COMM_WORLD, &level); /* late */
	if (!rank)
		puts("done");
	return 0;
}
