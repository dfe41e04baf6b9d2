// SPDX-License-Identifier: GPL-3.0-or-later
// Calls that do not match those of the other rank, though MPI says nothing, and near them those that
// do: match CASE…, on two ranks. A line of the error has the case's name in a comment. Each case has
// a communicator of its own.
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int rank, flag, a[64], b[64], *list;
static MPI_Comm world, c;
static MPI_Request req[4], other;
static MPI_Status states[4];

static void kind(void)
{
	if (!rank)
		MPI_Bcast(a, 1, MPI_INT, 0, c); /* kind */
	else
		MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 0, c);
}

static void root(void)
{
	MPI_Bcast(a, 1, MPI_INT, rank, c); /* root */
}

static void op(void)
{
	MPI_Allreduce(a, b, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, c); /* op */
}

static void count(void)
{
	MPI_Barrier(c);
	MPI_Bcast(a, rank ? 2 : 1, MPI_INT, 0, c); /* count */
}

static void type(void)
{
	MPI_Bcast(a, 1, rank ? MPI_FLOAT : MPI_INT, 0, c); /* type */
}

static void derived(void)
{
	MPI_Datatype t;

	MPI_Type_contiguous(3, MPI_INT, &t);
	MPI_Type_commit(&t);
	if (rank)
		MPI_Bcast(a, 3, MPI_FLOAT, 0, c); /* derived */
	else
		MPI_Bcast(a, 1, t, 0, c);
	MPI_Type_free(&t);
}

static void gather(void)
{
	MPI_Gather(a, 1, rank ? MPI_FLOAT : MPI_INT, b, 1, MPI_INT, 0, c); /* gather */
}

static void gatherv(void)
{
	int counts[] = { 1, 2 }, at[] = { 0, 1 };

	MPI_Gatherv(a, 1, MPI_INT, b, counts, at, MPI_INT, 0, c); /* gatherv */
}

static void scatterv(void)
{
	int counts[] = { 1, 1 }, at[] = { 0, 1 };

	MPI_Scatterv(a, counts, at, MPI_INT, b, 1 + rank, MPI_INT, 0, c); /* scatterv */
}

static void alltoallv(void)
{
	int counts[] = { 1, 1 }, more[] = { 1, 1 + !rank }, at[] = { 0, 4 };

	MPI_Alltoallv(a, counts, at, MPI_INT, b, more, at, MPI_INT, c); /* alltoallv */
}

/* Both ranks are each other's neighbours on both sides, round the end. */
static MPI_Comm ring(void)
{
	int two = 2, round = 1;
	MPI_Comm made;

	MPI_Cart_create(c, 1, &two, &round, 0, &made);
	return made;
}

static void neighbor(void)
{
	MPI_Comm near = ring();

	MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, near);
	MPI_Neighbor_alltoall(a, 1, rank ? MPI_FLOAT : MPI_INT, b, 1, MPI_INT, near); /* neighbor */
	MPI_Comm_free(&near);
}

static void graph(void)
{
	int peer = 1 - rank, one = 1;
	MPI_Comm near;

	MPI_Dist_graph_create_adjacent(c, 1, &peer, &one, 1, &peer, &one, MPI_INFO_NULL, 0, &near);
	MPI_Neighbor_allgather(a, 2, MPI_INT, b, rank ? 2 : 4, MPI_INT, near); /* graph */
	MPI_Comm_free(&near);
}

static void allgatherv(void)
{
	int counts[] = { 1, 1 + rank }, at[] = { 0, 4 };

	MPI_Allgatherv(a, 1, MPI_INT, b, counts, at, MPI_INT, c); /* allgatherv */
}

static void nonblocking(void)
{
	MPI_Iallreduce(a, b, 1, MPI_INT, rank ? MPI_PROD : MPI_SUM, c, req); /* nonblocking */
	MPI_Wait(req, MPI_STATUS_IGNORE);
}

/* The same of other calls: one rank gives another operation, or another type of as many bytes. */

static void scan_op(void)
{
	MPI_Scan(a, b, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, c); /* scan_op */
}

static void exscan_op(void)
{
	MPI_Exscan(a, b, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, c); /* exscan_op */
}

static void reduce_op(void)
{
	MPI_Reduce(a, b, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, 0, c); /* reduce_op */
}

static void scatter_op(void)
{
	MPI_Reduce_scatter_block(a, b, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, c); /* scatter_op */
}

static void ireduce_op(void)
{
	MPI_Ireduce(a, b, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, 0, c, req); /* ireduce_op */
	MPI_Wait(req, MPI_STATUS_IGNORE);
}

static void iscan_op(void)
{
	MPI_Iscan(a, b, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, c, req); /* iscan_op */
	MPI_Wait(req, MPI_STATUS_IGNORE);
}

static void reduce_type(void)
{
	MPI_Datatype type = rank ? MPI_FLOAT : MPI_INT;

	MPI_Reduce(a, b, 1, type, MPI_SUM, 0, c); /* reduce_type */
}

static void allgather_type(void)
{
	MPI_Datatype type = rank ? MPI_FLOAT : MPI_INT;

	MPI_Allgather(a, 1, type, b, 1, type, c); /* allgather_type */
}

static void alltoall_type(void)
{
	MPI_Datatype type = rank ? MPI_FLOAT : MPI_INT;

	MPI_Alltoall(a, 1, type, b, 1, type, c); /* alltoall_type */
}

static void scatter_type(void)
{
	MPI_Datatype type = rank ? MPI_FLOAT : MPI_INT;

	MPI_Scatter(a, 1, MPI_INT, b, 1, type, 0, c); /* scatter_type */
}

static void igather_type(void)
{
	MPI_Datatype type = rank ? MPI_FLOAT : MPI_INT;

	MPI_Igather(a, 1, type, b, 1, MPI_INT, 0, c, req); /* igather_type */
	MPI_Wait(req, MPI_STATUS_IGNORE);
}

static void ialltoall_type(void)
{
	MPI_Datatype type = rank ? MPI_FLOAT : MPI_INT;

	MPI_Ialltoall(a, 1, type, b, 1, type, c, req); /* ialltoall_type */
	MPI_Wait(req, MPI_STATUS_IGNORE);
}

static void iallgather_type(void)
{
	MPI_Datatype type = rank ? MPI_FLOAT : MPI_INT;

	MPI_Iallgather(a, 1, type, b, 1, type, c, req); /* iallgather_type */
	MPI_Wait(req, MPI_STATUS_IGNORE);
}

static void ibcast_type(void)
{
	MPI_Datatype type = rank ? MPI_FLOAT : MPI_INT;

	MPI_Ibcast(a, 1, type, 0, c, req); /* ibcast_type */
	MPI_Wait(req, MPI_STATUS_IGNORE);
}

static void right_kinds(void)
{
	MPI_Scan(a, b, 1, MPI_INT, MPI_SUM, c);
	MPI_Exscan(a, b, 1, MPI_INT, MPI_SUM, c);
	MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 0, c);
	MPI_Reduce_scatter_block(a, b, 1, MPI_INT, MPI_SUM, c);
	MPI_Ireduce(a, b, 1, MPI_INT, MPI_SUM, 0, c, req);
	MPI_Wait(req, MPI_STATUS_IGNORE);
	MPI_Iscan(a, b, 1, MPI_INT, MPI_SUM, c, req);
	MPI_Wait(req, MPI_STATUS_IGNORE);
	MPI_Reduce(a, b, 1, MPI_FLOAT, MPI_SUM, 0, c);
	MPI_Allgather(a, 1, MPI_FLOAT, b, 1, MPI_FLOAT, c);
	MPI_Alltoall(a, 1, MPI_FLOAT, b, 1, MPI_FLOAT, c);
	MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, 0, c);
	MPI_Igather(a, 1, MPI_INT, b, 1, MPI_INT, 0, c, req);
	MPI_Wait(req, MPI_STATUS_IGNORE);
	MPI_Ialltoall(a, 1, MPI_FLOAT, b, 1, MPI_FLOAT, c, req);
	MPI_Wait(req, MPI_STATUS_IGNORE);
	MPI_Iallgather(a, 1, MPI_FLOAT, b, 1, MPI_FLOAT, c, req);
	MPI_Wait(req, MPI_STATUS_IGNORE);
	MPI_Ibcast(a, 1, MPI_FLOAT, 0, c, req);
	MPI_Wait(req, MPI_STATUS_IGNORE);
}

/* In a communicator that was made, and in a loop: it is one error. */
static void often(void)
{
	MPI_Comm s;

	MPI_Comm_split(c, 0, rank, &s); /* often made */
	for (int i = 0; i < 5; i++)
		MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, s);
	for (int i = 0; i < 5; i++)
		MPI_Allreduce(a, b, 1, MPI_INT, rank ? MPI_MIN : MPI_SUM, s); /* often */
}

static void message(void)
{
	if (rank)
		MPI_Recv(a, 4, MPI_FLOAT, 0, 1, c, MPI_STATUS_IGNORE); /* message */
	else
		MPI_Send(a, 4, MPI_INT, 1, 1, c); /* message sent */
}

static void requests(void)
{
	MPI_Irecv(b, 8, MPI_DOUBLE, 1 - rank, 2, c, &req[0]); /* requests */
	MPI_Isend(a, 8, MPI_LONG, 1 - rank, 2, c, &req[1]);   /* requests sent */
	MPI_Waitall(2, req, states);
}

static void bytes(void)
{
	MPI_Sendrecv(a, 8, MPI_BYTE, 1 - rank, 8, b, 2, MPI_INT, 1 - rank, 8, c, MPI_STATUS_IGNORE); /* bytes */
}

/* Nobody receives it. */
static void unreceived(void)
{
	MPI_Status s;

	if (rank)
		for (int i = 0; i < 3; i++)
			MPI_Send(a, 1, MPI_INT, 0, 9, c); /* unreceived */
	else
		MPI_Recv(b, 1, MPI_INT, MPI_ANY_SOURCE, 9, c, &s);
}

/* MPI buffers it, and the root does not wait. */
static void alone(void)
{
	if (rank)
		MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 0, c); /* alone */
}

static void exchange(void)
{
	MPI_Sendrecv(a, 1, MPI_INT, 1 - rank, 3, b, 1, MPI_UNSIGNED, 1 - rank, 3, c, /* exchange */
		     MPI_STATUS_IGNORE);
}

static void anybody(void)
{
	MPI_Status s;

	if (rank)
		MPI_Send(a, 2, MPI_INT, 0, 5, c); /* anybody sent */
	else
		MPI_Recv(b, 2, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, c, &s); /* anybody */
}

struct both {
	int i;
	double d;
};

static MPI_Datatype both_type(void)
{
	int n[] = { 1, 1 };
	MPI_Aint at[] = { offsetof(struct both, i), offsetof(struct both, d) };
	MPI_Datatype t, of[] = { MPI_INT, MPI_DOUBLE };

	MPI_Type_create_struct(2, n, at, of, &t);
	MPI_Type_commit(&t);
	return t;
}

static void structure(void)
{
	MPI_Datatype t = both_type();

	if (rank)
		MPI_Recv(a, 8, MPI_INT, 0, 6, c, MPI_STATUS_IGNORE); /* structure */
	else
		MPI_Send(a, 1, t, 1, 6, c); /* structure sent */
	MPI_Type_free(&t);
}

static void persistent(void)
{
	if (rank)
		MPI_Recv_init(b, 3, MPI_INT, 0, 7, c, req); /* persistent */
	else
		MPI_Send_init(a, 3, MPI_FLOAT, 1, 7, c, req); /* persistent sent */
	for (int i = 0; i < 3; i++) {
		MPI_Start(req);
		MPI_Wait(req, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(req);
}

// Requests and buffers.

static void copied(void)
{
	MPI_Request copy;

	MPI_Irecv(b, 1, MPI_INT, 1 - rank, 1, c, req);
	MPI_Isend(a, 1, MPI_INT, 1 - rank, 1, c, &req[1]);
	copy = req[0];
	MPI_Waitall(2, req, states);
	MPI_Test(&copy, &flag, states); /* copied */
}

static void freed_twice(void)
{
	MPI_Request copy;

	MPI_Recv_init(b, 1, MPI_INT, 1 - rank, 1, c, req);
	copy = *req;
	MPI_Request_free(req);
	MPI_Request_free(&copy); /* freed_twice */
}

static void changed(void)
{
	MPI_Isend(a, 8, MPI_INT, 1 - rank, 2, c, req); /* changed */
	a[0]++;
	MPI_Recv(b, 8, MPI_INT, 1 - rank, 2, c, states);
	MPI_Wait(req, states);
}

static void overlaps(void)
{
	MPI_Irecv(b, 4, MPI_INT, 1 - rank, 3, c, &req[0]);
	MPI_Irecv(b + 3, 4, MPI_INT, 1 - rank, 4, c, &req[1]); /* overlaps */
	MPI_Send(a, 4, MPI_INT, 1 - rank, 3, c);
	MPI_Send(a, 4, MPI_INT, 1 - rank, 4, c);
	MPI_Waitall(2, req, states);
}

static void busy(void)
{
	MPI_Irecv(b, 4, MPI_INT, 1 - rank, 5, c, &req[0]);
	MPI_Send(b, 2, MPI_INT, 1 - rank, 6, c); /* busy */
	MPI_Send(a, 4, MPI_INT, 1 - rank, 5, c);
	MPI_Recv(a, 2, MPI_INT, 1 - rank, 6, c, states);
	MPI_Wait(req, states);
}

static void returned(void)
{
	MPI_Sendrecv(a, 4, MPI_INT, 1 - rank, 7, b, 2, MPI_INT, 1 - rank, 7, c, states); /* returned */
}

static void window(void)
{
	MPI_Win w;

	MPI_Win_create(b, sizeof(b), 4, MPI_INFO_NULL, c, &w);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w); /* window */
	MPI_Win_unlock(0, w);
}

// Correct ones.

static void right_buffers(void)
{
	for (int i = 0; i < 3; i++) {
		MPI_Irecv(b, 4, MPI_INT, 1 - rank, 1, c, &req[0]);
		MPI_Irecv(b + 4, 4, MPI_INT, 1 - rank, 2, c, &req[1]);
		MPI_Isend(a, 4, MPI_INT, 1 - rank, 1, c, &req[2]);
		MPI_Isend(a + 2, 4, MPI_INT, 1 - rank, 2, c, &req[3]);
		MPI_Send(a, 1, MPI_INT, MPI_PROC_NULL, 2, c);
		MPI_Irecv(b, 4, MPI_INT, MPI_PROC_NULL, 1, c, &other);
		MPI_Wait(&other, states);
		MPI_Waitall(4, req, states);
		a[0] += b[1] + 1;
	}
	MPI_Send_init(a, 4, MPI_INT, 1 - rank, 3, c, &req[0]);
	MPI_Recv_init(b, 4, MPI_INT, 1 - rank, 3, c, &req[1]);
	MPI_Wait(&req[0], states); /* inactive: returns at once */
	for (int i = 0; i < 3; i++) {
		a[1] = i;
		MPI_Startall(2, req);
		MPI_Waitall(2, req, states);
		MPI_Test(&req[1], &flag, states);
	}
	MPI_Request_free(&req[0]);
	MPI_Request_free(&req[1]);
	MPI_Ibcast(b, 4, MPI_INT, 0, c, &req[0]);
	MPI_Isend(a, 1, MPI_INT, 1 - rank, 4, c, &req[1]);
	MPI_Recv(b + 8, 1, MPI_INT, 1 - rank, 4, c, states);
	do
		MPI_Testall(2, req, &flag, states);
	while (!flag);
}

/* A file that is not there is no mistake. */
static void right_errors(void)
{
	MPI_File f;

	if (MPI_File_open(MPI_COMM_SELF, "/nonexistent/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &f) == MPI_SUCCESS)
		MPI_File_close(&f);
}

static void own_op(void *in, void *inout, int *n, MPI_Datatype *t)
{
	(void)t;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void right_collectives(void)
{
	MPI_Datatype t, v, s = both_type();
	MPI_Op own;
	struct both pair = { 1, 2 };

	MPI_Type_contiguous(8, MPI_INT, &t);
	MPI_Type_vector(4, 2, 3, MPI_INT, &v);
	MPI_Type_commit(&t);
	MPI_Type_commit(&v);
	MPI_Op_create(own_op, 1, &own);
	if (rank)
		MPI_Bcast(a, 1, t, 0, c);
	else
		MPI_Bcast(a, 8, MPI_INT, 0, c);
	if (rank)
		MPI_Bcast(a, 1, v, 0, c);
	else
		MPI_Bcast(a, 1, t, 0, c);
	MPI_Bcast(&pair, 1, s, 0, c);
	MPI_Allreduce(a, b, 2, MPI_INT, own, c);
	MPI_Allreduce(MPI_IN_PLACE, b, 2, MPI_INT, MPI_SUM, c);
	if (rank)
		MPI_Reduce(a, NULL, 2, MPI_INT, MPI_SUM, 0, c);
	else
		MPI_Reduce(MPI_IN_PLACE, a, 2, MPI_INT, MPI_SUM, 0, c);
	MPI_Reduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, c);
	MPI_Reduce_scatter(a, b, (int[]){ 1, 2 }, MPI_INT, MPI_SUM, c);
	MPI_Scan(a, b, 1, MPI_INT, MPI_SUM, c);
	if (rank)
		MPI_Gather(a, 8, MPI_INT, NULL, -3, MPI_DATATYPE_NULL, 0, c);
	else
		MPI_Gather(a, 1, t, b, 8, MPI_INT, 0, c);
	if (rank)
		MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, b, 8, MPI_INT, 0, c);
	else
		MPI_Scatter(a, 1, t, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, c);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 4, MPI_INT, c);
	MPI_Alltoall(a, 4, MPI_INT, b, 4, MPI_INT, c);
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 4, MPI_INT, c);
	MPI_Ibarrier(c, &req[0]);
	MPI_Ibcast(a, 3, MPI_INT, 1, c, &req[1]);
	MPI_Waitall(2, req, states);
	MPI_Type_free(&t);
	MPI_Type_free(&v);
	MPI_Type_free(&s);
	MPI_Op_free(&own);
}

static void right_lists(void)
{
	int counts[] = { 3, 5 }, at[] = { 0, 8 }, bytes[] = { 0, 32 };
	int send[] = { 1 + rank, 2 + rank }, recv[] = { 1 + rank, 2 + rank };
	MPI_Datatype ints[] = { MPI_INT, MPI_INT };

	MPI_Gatherv(a, counts[rank], MPI_INT, b, rank ? list : counts, rank ? list : at, MPI_INT, 0, c);
	if (rank)
		MPI_Gatherv(a, 5, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 0, c);
	else
		MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, at, MPI_INT, 0, c);
	if (rank)
		MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, b, 5, MPI_INT, 0, c);
	else
		MPI_Scatterv(a, counts, at, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, c);
	MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, at, MPI_INT, c);
	MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, at, MPI_INT, c);
	recv[1 - rank] = 2;
	send[1 - rank] = 2;
	MPI_Alltoallv(a, send, at, MPI_INT, b, recv, at, MPI_INT, c);
	MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, b, recv, at, MPI_INT, c);
	MPI_Alltoallw(a, send, bytes, ints, b, recv, bytes, ints, c);
	send[1 - rank] = rank ? 0 : 4;
	recv[1 - rank] = rank ? 4 : 0;
	MPI_Alltoallv(a, send, at, MPI_INT, b, recv, at, MPI_INT, c);
}

static void right_neighbors(void)
{
	int send[] = { 1, 2 }, recv[] = { 2, 1 }, at[] = { 0, 4 };
	MPI_Aint bytes[] = { 0, 16 };
	MPI_Datatype ints[] = { MPI_INT, MPI_INT };
	MPI_Comm near = ring();

	MPI_Neighbor_allgather(a, 2, MPI_INT, b, 2, MPI_INT, near);
	MPI_Neighbor_allgather(a, 2, MPI_INT, b, 1, MPI_2INT, near);
	MPI_Neighbor_alltoall(a, 2, MPI_INT, b, 2, MPI_INT, near);
	MPI_Neighbor_alltoallv(a, send, at, MPI_INT, b, recv, at, MPI_INT, near);
	MPI_Neighbor_alltoallw(a, send, bytes, ints, b, recv, bytes, ints, near);
	send[0] = send[1] = 1 + rank;
	recv[0] = recv[1] = 2 - rank;
	MPI_Neighbor_allgatherv(a, 1 + rank, MPI_INT, b, recv, at, MPI_INT, near);
	MPI_Ineighbor_alltoallv(a, send, at, MPI_INT, b, recv, at, MPI_INT, near, req);
	MPI_Wait(req, MPI_STATUS_IGNORE);
	MPI_Comm_free(&near);
}

/* Between the first rank and all others. */
static MPI_Comm between(void)
{
	MPI_Comm own, both;

	MPI_Comm_split(c, rank > 0, rank, &own);
	MPI_Intercomm_create(own, 0, c, rank ? 0 : 1, 7, &both); /* between made */
	MPI_Comm_free(&own);
	return both;
}

static void between_type(void)
{
	MPI_Comm both = between();

	MPI_Allgather(a, rank ? 2 : 1, MPI_INT, b, rank ? 1 : 2, rank ? MPI_FLOAT : MPI_INT, both); /* between_type */
	MPI_Comm_free(&both);
}

static void between_op(void)
{
	MPI_Comm both = between();

	MPI_Allreduce(a, b, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, both); /* between_op */
	MPI_Comm_free(&both);
}

static void between_bcast(void)
{
	MPI_Comm both = between();

	MPI_Bcast(a, rank ? 1 : 2, MPI_INT, rank ? 0 : MPI_ROOT, both); /* between_bcast */
	MPI_Comm_free(&both);
}

/* Each group has a size, counts and a root of its own. */
static void right_between(void)
{
	MPI_Comm both = between(), dup;
	int n, others, mine = rank ? 3 : 2, theirs = rank ? 2 : 3, root = rank == 1 ? MPI_ROOT : rank ? MPI_PROC_NULL : 0;
	int send[8], recv[8], at[8];

	MPI_Comm_size(both, &n);
	MPI_Comm_remote_size(both, &others);
	for (int i = 0; i < 8; i++) {
		send[i] = mine;
		recv[i] = theirs;
		at[i] = 3 * i;
	}
	MPI_Barrier(both);
	MPI_Bcast(a, 4, MPI_INT, root, both);
	MPI_Reduce(a, b, 3, MPI_INT, rank > 1 ? MPI_PROD : MPI_SUM, root, both);
	MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, root, both);
	MPI_Scatter(a, 2, MPI_INT, b, 2, MPI_INT, root, both);
	MPI_Allreduce(a, b, 2, MPI_INT, MPI_MIN, both);
	MPI_Allgather(a, mine, MPI_INT, b, theirs, MPI_INT, both);
	MPI_Alltoall(a, mine, MPI_INT, b, theirs, MPI_INT, both);
	MPI_Allgatherv(a, mine, MPI_INT, b, recv, at, MPI_INT, both);
	MPI_Alltoallv(a, send, at, MPI_INT, b, recv, at, MPI_INT, both);
	MPI_Iallreduce(a, b, 2, MPI_FLOAT, MPI_MAX, both, req);
	MPI_Wait(req, states);
	for (int i = 0; i < 8; i++)
		recv[i] = 2 * others;
	MPI_Reduce_scatter(a, b, recv, MPI_INT, MPI_SUM, both);
	MPI_Comm_dup(both, &dup);
	MPI_Allgather(a, theirs, MPI_INT, b, mine, MPI_INT, dup);
	MPI_Comm_free(&dup);
	MPI_Comm_free(&both);
}

static void right_messages(void)
{
	MPI_Datatype s = both_type();
	MPI_Status st;
	int peer = 1 - rank;

	MPI_Sendrecv(a, 0, MPI_INT, peer, 1, b, 4, MPI_FLOAT, peer, 1, c, &st);
	MPI_Sendrecv(a, 2, MPI_INT, peer, 2, b, 9, MPI_INT, peer, 2, c, &st);
	MPI_Sendrecv(a, 8, MPI_BYTE, peer, 3, b, 8, MPI_BYTE, peer, 3, c, &st);
	MPI_Sendrecv(a, 1, MPI_DOUBLE, peer, 3, b, 1, MPI_DOUBLE, peer, 3, c, &st);
	MPI_Sendrecv(a, 1, s, peer, 4, b, 2, s, peer, 4, c, &st);
	MPI_Sendrecv(a, 1, MPI_INT, peer, 5, b, 1, s, peer, 5, c, &st);
	MPI_Irecv(b, 4, MPI_FLOAT, peer, 6, c, &req[0]);
	MPI_Cancel(&req[0]);
	MPI_Wait(&req[0], &st);
	MPI_Isend(a, 2, MPI_FLOAT, peer, 7, c, &req[0]);
	MPI_Isend(a, 3, MPI_INT, peer, 7, c, &req[1]);
	MPI_Recv(b, 2, MPI_FLOAT, MPI_ANY_SOURCE, 7, c, &st);
	MPI_Recv(b, 3, MPI_INT, peer, MPI_ANY_TAG, c, MPI_STATUS_IGNORE);
	MPI_Waitall(2, req, states);
	MPI_Isend(a, 2, MPI_FLOAT, peer, 8, c, &req[0]);
	do
		MPI_Iprobe(peer, 8, c, &flag, &st);
	while (!flag);
	MPI_Recv(b, 2, MPI_FLOAT, st.MPI_SOURCE, st.MPI_TAG, c, &st);
	MPI_Wait(&req[0], MPI_STATUS_IGNORE);
	MPI_Type_free(&s);
}

/* Receives of which not all is known: they may have any message that is left. */
static void right_received(void)
{
	int peer = 1 - rank, index, n, done[2];
	MPI_Message m;
	MPI_Comm d, part;

	for (int i = 0; i < 8; i++)
		MPI_Isend(a, 1, MPI_INT, peer, i, c, &req[0]), MPI_Request_free(&req[0]);
	MPI_Recv(b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c, MPI_STATUS_IGNORE);
	MPI_Irecv(b, 1, MPI_INT, peer, 1, c, &req[0]);
	MPI_Irecv(b + 1, 1, MPI_INT, MPI_ANY_SOURCE, 2, c, &req[1]);
	MPI_Waitsome(2, req, &n, done, states);
	MPI_Waitall(2, req, states);
	MPI_Mprobe(peer, 3, c, &m, MPI_STATUS_IGNORE);
	MPI_Mrecv(b, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
	MPI_Mprobe(MPI_ANY_SOURCE, 4, c, &m, MPI_STATUS_IGNORE);
	MPI_Imrecv(b, 1, MPI_INT, &m, &req[0]);
	MPI_Waitany(1, req, &index, MPI_STATUS_IGNORE);
	MPI_Irecv(b, 1, MPI_INT, peer, 5, c, &req[0]);
	MPI_Request_free(&req[0]);
	MPI_Recv_init(b + 2, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c, &req[0]);
	for (int i = 0; i < 2; i++) {
		MPI_Start(req);
		MPI_Wait(req, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&req[0]);
	/* those of others need not be freed by all */
	MPI_Comm_dup(c, &d);
	MPI_Comm_split(d, rank ? MPI_UNDEFINED : 0, 0, &part);
	if (!rank) {
		MPI_Barrier(part);
		MPI_Comm_free(&part);
		MPI_Comm_free(&d);
	}
	MPI_Barrier(c);
}

/* As above without MPI_Cancel, behind which messages are not compared. */
static void right_more(void)
{
	int peer = 1 - rank;
	MPI_Comm d, i, g;
	MPI_Group all;

	MPI_Sendrecv(a, 0, MPI_INT, peer, 1, b, 4, MPI_FLOAT, peer, 1, c, MPI_STATUS_IGNORE);
	MPI_Sendrecv(a, 4, MPI_PACKED, peer, 3, b, 4, MPI_PACKED, peer, 3, c, MPI_STATUS_IGNORE);
	MPI_Sendrecv(a, 2, MPI_FLOAT, peer, 4, b, 4, MPI_FLOAT, peer, 4, c, MPI_STATUS_IGNORE);
	for (int k = 0; k < 10; k++) {
		MPI_Comm_dup(c, &d);
		MPI_Allreduce(a, b, k, MPI_INT, k & 1 ? MPI_SUM : MPI_MAX, d);
		MPI_Comm_free(&d);
	}
	MPI_Comm_split(c, rank, 0, &d);
	if (rank)
		MPI_Allreduce(a, b, 2, MPI_INT, MPI_SUM, d);
	else
		MPI_Bcast(a, 1, MPI_FLOAT, 0, d);
	MPI_Intercomm_create(d, 0, c, peer, 9, &i);
	MPI_Bcast(a, 1, MPI_INT, rank ? 0 : MPI_ROOT, i);
	MPI_Allgather(a, 1 + rank, MPI_INT, b, 2 - rank, MPI_INT, i);
	MPI_Send(a, 1, MPI_INT, 0, 3, i);
	MPI_Recv(b, 1, MPI_INT, 0, 3, i, MPI_STATUS_IGNORE);
	MPI_Comm_free(&i);
	MPI_Comm_free(&d);
	MPI_Comm_group(c, &all);
	for (int k = 0; k < 3; k++) {
		MPI_Comm_create_group(c, all, 5, &g);
		for (int j = 0; j <= k; j++)
			MPI_Allreduce(a, b, 1 + k, MPI_INT, MPI_SUM, g);
		if (k == 2)
			MPI_Barrier(g);
		MPI_Comm_free(&g);
	}
	MPI_Group_free(&all);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define X(name) { #name, name }
	X(kind), X(root), X(op), X(count), X(type), X(derived), X(gather), X(gatherv), X(scatterv),
	X(alltoallv), X(neighbor), X(graph), X(allgatherv), X(nonblocking), X(often), X(message), X(requests),
	X(bytes), X(unreceived), X(alone), X(exchange), X(anybody), X(structure), X(persistent), X(right_collectives), X(right_lists),
	X(right_neighbors),
	X(right_messages), X(right_received), X(right_more),
	X(copied), X(freed_twice), X(changed), X(overlaps), X(busy), X(returned), X(window),
	X(right_buffers), X(right_errors), X(between_type), X(between_op), X(between_bcast), X(right_between),
	X(scan_op), X(exscan_op), X(reduce_op), X(scatter_op), X(ireduce_op), X(iscan_op),
	X(reduce_type), X(allgather_type), X(alltoall_type), X(scatter_type), X(igather_type),
	X(ialltoall_type), X(iallgather_type), X(ibcast_type), X(right_kinds),
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	world = MPI_COMM_WORLD;
	MPI_Comm_rank(world, &rank);
	for (int k = 1; k < argc; k++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			if (!strcmp(argv[k], cases[i].name)) {
				MPI_Comm_dup(world, &c);
				MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
				cases[i].run();
			}
	MPI_Barrier(world);
	if (!rank)
		puts("done");
	MPI_Finalize();
	return 0;
}
