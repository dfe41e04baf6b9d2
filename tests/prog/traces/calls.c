/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of MPI of many kinds, on two ranks and more, without a mark: for the system trace. `wrong`:
 * a call returns an error.
 */
#include <mpi.h>
#include <string.h>

static double a[4] = { 1, 2, 3, 4 }, b[4];
static MPI_Comm twin;

static void first(MPI_Datatype pair)
{
	MPI_Request q[2];
	int go;

	MPI_Send(a, 2, pair, 1, 7, twin); /* @send */
	MPI_Recv(&go, 1, MPI_INT, 1, 5, twin, MPI_STATUS_IGNORE);
	MPI_Irecv(b, 4, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, twin, &q[0]);
	MPI_Isend(a, 3, MPI_DOUBLE, 1, 9, twin, &q[1]);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE); /* @waitall */
	for (int i = 0; i < 5; i++)
		MPI_Send(a, 1, MPI_DOUBLE, 1, 13, twin);
}

static void second(MPI_Datatype pair)
{
	MPI_Request q;
	int flag, go = 1;

	MPI_Recv(b, 2, pair, MPI_ANY_SOURCE, 7, twin, &(MPI_Status){ 0 }); /* @recv */
	MPI_Irecv(b, 4, MPI_DOUBLE, 0, 9, twin, &q);
	for (int i = 0; i < 50; i++)
		MPI_Test(&q, &flag, MPI_STATUS_IGNORE); /* @test */
	MPI_Send(&go, 1, MPI_INT, 0, 5, twin);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Send(a, 4, MPI_DOUBLE, 0, 11, twin);
	for (int i = 0; i < 5; i++)
		MPI_Recv(b, 1, MPI_DOUBLE, 0, 13, twin, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Datatype pair;
	int rank;

	MPI_Init(&argc, &argv); /* @init */
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &twin);
	MPI_Comm_set_name(twin, "twin");
	MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
	MPI_Type_commit(&pair);
	if (rank == 0)
		first(pair);
	else if (rank == 1)
		second(pair);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(a, 4, MPI_DOUBLE, 1, MPI_COMM_WORLD);		 /* @bcast */
	MPI_Reduce(a, b, 4, MPI_DOUBLE, MPI_MAX, 0, twin);	 /* @reduce */
	MPI_Sendrecv(a, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, b, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, twin,
		     MPI_STATUS_IGNORE); /* @nobody */
	if (argc > 1 && !strcmp(argv[1], "wrong")) {
		MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
		MPI_Send(a, 1, MPI_DOUBLE, 77, 0, twin); /* @wrong */
	}
	MPI_Type_free(&pair);
	MPI_Comm_free(&twin);
	MPI_Finalize();
	return 0;
}
