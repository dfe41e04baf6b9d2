/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes to what MPI changes next: pending.sh knows which values are to be in the trace. Compiled
 * with dvmdbg-cc.
 */
#include <mpi.h>

#include "runtime/dvmdbg.h"

static double a[16], twenty = 20;
static int of[4];

int main(int argc, char **argv)
{
	MPI_Request r, s;

	MPI_Init(&argc, &argv);
	DVMDBG_ARRAY(a, .shape = { 16 });
	DVMDBG_ARRAY(of, .shape = { 4 });
	DVMDBG_PL(.range = { { 0, 15 } })
	{
		DVMDBG_PL_ITERATION(0);
		a[1] = 1;
		MPI_Sendrecv(&twenty, 1, MPI_DOUBLE, 0, 1, &a[1], 1, MPI_DOUBLE, 0, 1,
			     MPI_COMM_SELF, MPI_STATUS_IGNORE);
		MPI_Isend(&twenty, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &r);
		a[2] = 2;
		MPI_Recv(&a[2], 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		a[3] = 3;
		MPI_Irecv(&a[3], 1, MPI_DOUBLE, 0, 3, MPI_COMM_SELF, &r);
		MPI_Isend(&twenty, 1, MPI_DOUBLE, 0, 3, MPI_COMM_SELF, &s);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Wait(&s, MPI_STATUS_IGNORE);
		a[4] = 4;
		MPI_Gather(&twenty, 1, MPI_DOUBLE, &a[4], 1, MPI_DOUBLE, 0, MPI_COMM_SELF);
		a[5] = 5;
		MPI_Reduce_local(&twenty, &a[5], 1, MPI_DOUBLE, MPI_SUM);
		a[6] = 6;
		MPI_Allreduce(&twenty, &a[6], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
		of[1] = 7;
		MPI_Comm_size(MPI_COMM_SELF, &of[1]);
		/* more parameters than there are registers for */
		a[8] = 8;
		MPI_Alltoallv(&twenty, (int[]){ 1 }, (int[]){ 0 }, MPI_DOUBLE, a, (int[]){ 1 },
			      (int[]){ 8 }, MPI_DOUBLE, MPI_COMM_SELF);
		a[15] = a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + of[1] + a[8];
	}
	return MPI_Finalize();
}
