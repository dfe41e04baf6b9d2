// SPDX-License-Identifier: GPL-3.0-or-later
// More calls with an error of MPI each, and near them those that are correct: more CASE…. The line of an error has the
// case's name in a comment. Errors are returned, so that all cases can be one job.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, flag, buf[64], to[64];
static MPI_Comm world;
static MPI_Request req[4];
static MPI_Status states[4];

static MPI_Win window(void)
{
	MPI_Win w;

	MPI_Win_create(buf, sizeof(buf), sizeof(int), MPI_INFO_NULL, world, &w);
	MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
	return w;
}

static void gone(MPI_Win *w)
{
	MPI_Barrier(world);
	MPI_Win_free(w);
}

static int opened(MPI_File *f, int mode)
{
	const char *path = getenv("MPIERR_FILE");

	return path ? MPI_File_open(world, path, mode, MPI_INFO_NULL, f) : 1;
}

// Messages.

static void recv_tag(void)
{
	MPI_Irecv(to, 1, MPI_INT, 1 - rank, -3, world, req); /* recv_tag */
}

static void recv_count(void)
{
	MPI_Irecv(to, -2, MPI_INT, 1 - rank, 0, world, req); /* recv_count */
}

static void recv_type(void)
{
	MPI_Irecv(to, 1, MPI_DATATYPE_NULL, 1 - rank, 0, world, req); /* recv_type */
}

static void isend_dest(void)
{
	MPI_Isend(buf, 1, MPI_INT, 2, 0, world, req); /* isend_dest */
}

static void ssend_null(void)
{
	MPI_Ssend(buf, 1, MPI_INT, 1 - rank, 0, MPI_COMM_NULL); /* ssend_null */
}

static void probe_source(void)
{
	MPI_Iprobe(7, 0, world, &flag, states); /* probe_source */
}

static void sendrecv_dest(void)
{
	MPI_Sendrecv(buf, 1, MPI_INT, 5, 0, to, 1, MPI_INT, MPI_PROC_NULL, 0, world, states); /* sendrecv_dest */
}

static void init_tag(void)
{
	MPI_Send_init(buf, 1, MPI_INT, 1 - rank, -9, world, req); /* init_tag */
}

static void freed_type(void)
{
	MPI_Datatype t, copy;

	MPI_Type_contiguous(2, MPI_INT, &t);
	MPI_Type_commit(&t);
	copy = t;
	MPI_Type_free(&t);
	MPI_Send(buf, 1, copy, MPI_PROC_NULL, 0, world); /* freed_type */
}

// Requests.

static void waitall_count(void)
{
	MPI_Waitall(-1, req, states); /* waitall_count */
}

static void start_inactive(void)
{
	MPI_Isend(buf, 1, MPI_INT, rank, 4, world, req);
	MPI_Start(req); /* start_inactive */
	MPI_Recv(to, 1, MPI_INT, rank, 4, world, states);
	MPI_Wait(req, states);
}

// Collectives.

static void reduce_root(void)
{
	MPI_Reduce(buf, to, 1, MPI_INT, MPI_SUM, 9, world); /* reduce_root */
}

static void gather_root(void)
{
	MPI_Gather(buf, 1, MPI_INT, to, 1, MPI_INT, -8, world); /* gather_root */
}

static void scatter_type(void)
{
	MPI_Scatter(buf, 1, MPI_INT, to, 1, MPI_DATATYPE_NULL, 0, world); /* scatter_type */
}

static void alltoall_count(void)
{
	MPI_Alltoall(buf, -4, MPI_INT, to, 1, MPI_INT, world); /* alltoall_count */
}

static void scan_op(void)
{
	MPI_Scan(buf, to, 1, MPI_INT, MPI_OP_NULL, world); /* scan_op */
}

static void ireduce_root(void)
{
	MPI_Ireduce(buf, to, 1, MPI_INT, MPI_SUM, 4, world, req); /* ireduce_root */
}

static void uncommitted_gather(void)
{
	MPI_Datatype t;

	MPI_Type_contiguous(2, MPI_INT, &t);
	MPI_Allgather(buf, 1, t, to, 1, t, world); /* uncommitted_gather */
	MPI_Type_free(&t);
}

// Communicators and groups.

static void rank_in_group(void)
{
	MPI_Group all, some;

	MPI_Comm_group(world, &all);
	MPI_Group_incl(all, 1, (int[]){ 6 }, &some); /* rank_in_group */
	MPI_Group_free(&all);
}

static void free_world(void)
{
	MPI_Comm c = MPI_COMM_WORLD;

	MPI_Comm_free(&c); /* free_world */
}

static void free_op(void)
{
	MPI_Op op = MPI_SUM;

	MPI_Op_free(&op); /* free_op */
}

// Windows.

static void put_target(void)
{
	MPI_Win w = window();

	MPI_Win_fence(0, w);
	MPI_Put(to, 1, MPI_INT, 8, 0, 1, MPI_INT, w); /* put_target */
	MPI_Win_fence(0, w);
	gone(&w);
}

static void get_count(void)
{
	MPI_Win w = window();

	MPI_Win_fence(0, w);
	MPI_Get(to, -1, MPI_INT, 1 - rank, 0, 1, MPI_INT, w); /* get_count */
	MPI_Win_fence(0, w);
	gone(&w);
}

static void accumulate_op(void)
{
	MPI_Win w = window();

	MPI_Win_fence(0, w);
	MPI_Accumulate(to, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, MPI_OP_NULL, w); /* accumulate_op */
	MPI_Win_fence(0, w);
	gone(&w);
}

static void lock_target(void)
{
	MPI_Win w = window();

	MPI_Win_lock(MPI_LOCK_SHARED, 5, 0, w); /* lock_target */
	gone(&w);
}

static void complete_alone(void)
{
	MPI_Win w = window();

	MPI_Win_complete(w); /* complete_alone */
	gone(&w);
}

static void unlock_all_alone(void)
{
	MPI_Win w = window();

	MPI_Win_unlock_all(w); /* unlock_all_alone */
	gone(&w);
}

static void flush_alone(void)
{
	MPI_Win w = window();

	MPI_Win_flush(1 - rank, w); /* flush_alone */
	gone(&w);
}

// Files.

static void file_offset(void)
{
	MPI_File f;

	if (opened(&f, MPI_MODE_CREATE | MPI_MODE_RDWR))
		return;
	MPI_File_write_at(f, -5, buf, 1, MPI_INT, states); /* file_offset */
	MPI_File_close(&f);
}

static void file_count(void)
{
	MPI_File f;

	if (opened(&f, MPI_MODE_CREATE | MPI_MODE_RDWR))
		return;
	MPI_File_write_at(f, 0, buf, -1, MPI_INT, states); /* file_count */
	MPI_File_close(&f);
}

static void file_read_only(void)
{
	MPI_File f;

	if (opened(&f, MPI_MODE_RDONLY))
		return;
	MPI_File_write_at(f, 0, buf, 1, MPI_INT, states); /* file_read_only */
	MPI_File_close(&f);
}

static void file_uncommitted(void)
{
	MPI_Datatype t;
	MPI_File f;

	if (opened(&f, MPI_MODE_CREATE | MPI_MODE_RDWR))
		return;
	MPI_Type_contiguous(2, MPI_INT, &t);
	MPI_File_write_at(f, 0, buf, 1, t, states); /* file_uncommitted */
	MPI_Type_free(&t);
	MPI_File_close(&f);
}

// Correct.

static void right(void)
{
	MPI_Datatype t;
	MPI_File f;
	MPI_Win w = window();

	MPI_Irecv(to, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, req);
	MPI_Isend(buf, 1, MPI_INT, 1 - rank, 0, world, req + 1);
	MPI_Waitall(2, req, states);
	MPI_Iprobe(MPI_PROC_NULL, 0, world, &flag, states);
	MPI_Sendrecv(buf, 1, MPI_INT, 1 - rank, 3, to, 1, MPI_INT, 1 - rank, 3, world, MPI_STATUS_IGNORE);
	MPI_Type_contiguous(2, MPI_INT, &t);
	MPI_Type_commit(&t);
	MPI_Allgather(buf, 1, t, to, 1, t, world);
	MPI_Alltoall(buf, 0, MPI_INT, to, 0, MPI_INT, world);
	MPI_Ibcast(NULL, 0, MPI_INT, 0, world, req);
	MPI_Wait(req, states);
	MPI_Win_lock_all(0, w);
	MPI_Put(buf + 8, 1, t, 1 - rank, 0, 2, MPI_INT, w);
	MPI_Win_flush(1 - rank, w);
	MPI_Win_unlock_all(w);
	gone(&w);
	if (!opened(&f, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)) {
		MPI_File_write_at(f, 8 * rank, buf, 1, t, states);
		MPI_File_read_at(f, 8 * rank, to, 0, MPI_INT, states);
		MPI_File_close(&f);
	}
	MPI_Type_free(&t);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define X(name) { #name, name }
	X(recv_tag), X(recv_count), X(recv_type), X(isend_dest), X(ssend_null), X(probe_source), X(sendrecv_dest),
	X(init_tag), X(freed_type), X(waitall_count), X(start_inactive), X(reduce_root),
	X(gather_root), X(scatter_type), X(alltoall_count), X(scan_op), X(ireduce_root),
	X(uncommitted_gather), X(rank_in_group), X(free_world), X(free_op), X(put_target), X(get_count),
	X(accumulate_op), X(lock_target), X(complete_alone), X(unlock_all_alone), X(flush_alone), X(file_offset),
	X(file_count), X(file_read_only), X(file_uncommitted), X(right),
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	world = MPI_COMM_WORLD;
	MPI_Comm_rank(world, &rank);
	MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
	for (int k = 1; k < argc; k++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			if (!strcmp(argv[k], cases[i].name))
				cases[i].run();
	MPI_Barrier(world);
	MPI_Finalize();
	if (!rank)
		puts("done");
	return 0;
}
