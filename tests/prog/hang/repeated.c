/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two ranks exchange the same messages again and again, with and without blocking, and then `wait` for one more each, `tear` one
 * by receiving it as another type, send one that nobody receives (`extra`), or end (`right`).
 */
#include <mpi.h>
#include <string.h>

enum { TIMES = 100 };

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "right";
	int rank, other, in[2], out[2] = { 0 };
	MPI_Request q[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = !rank;
	for (int i = 0; i < TIMES; i++) {
		MPI_Datatype type = !strcmp(what, "tear") && i == TIMES / 2 && rank ? MPI_FLOAT : MPI_INT;

		for (int k = !strcmp(what, "extra") && i == TIMES - 1 ? 2 : 1; !rank && k; k--)
			MPI_Send(out, 1, MPI_INT, other, 0, MPI_COMM_WORLD); /* extra */
		MPI_Recv(in, 1, type, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* torn */
		if (rank)
			MPI_Send(out, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
		MPI_Irecv(in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(out, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
	if (!strcmp(what, "wait"))
		MPI_Recv(in, 1, MPI_INT, other, rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* one more */
	MPI_Finalize();
	return 0;
}
