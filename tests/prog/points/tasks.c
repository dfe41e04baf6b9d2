/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points of every kind, with array shapes to look at: loop 1; region 2 with tasks 1 and 2, of two loops
 * each, shared out to the ranks; loop 3. `tasks disagree`: rank 1 passes a loop more than the others.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"

#define ROWS 6
#define COLUMNS 4

struct par {
	double dt;
	int steps;
};

int main(int argc, char **argv)
{
	int rank, size, table[3] = { 1, 2, 3 };
	struct par par = { 0.125, 9 };
	double cyclic[ROWS][COLUMNS];
	long mine[ROWS], n = 0;

	DVMDBG_FUNCTION();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (long i = rank; i < ROWS; i += size)
		mine[n++] = i;
	DVMDBG_REPLICATED_ARRAY(table, 3);
	DVMDBG_STRUCT(par, DVMDBG_FIELD(par, dt), DVMDBG_FIELD(par, steps));
	DVMDBG_ARRAY(cyclic, .shape = { ROWS, COLUMNS }, .own = { { 0, 0 }, { 0, COLUMNS - 1 } },
		     .index = { mine }, .count = { n }, .stride = { COLUMNS, 1 });
	DVMDBG_PL(.on = cyclic, .range = { { 0, ROWS - 1 } })
	for (long i = 0; i < n; i++)
		for (long j = 0; j < COLUMNS; j++)
			cyclic[i][j] = (double)(10 * mine[i] + j);
	DVMDBG_TR(.range = { { 1, 2 } }) {
		for (int task = 1; task <= 2; task++) {
			if (rank % 2 != (task - 1) % 2 && size > 1)
				continue;
			DVMDBG_TASK(task) {
				for (int loop = 1; loop <= 2; loop++)
					DVMDBG_PL(.range = { { 1, 4 } })
						table[0] += 0;
			}
		}
	}
	if (argc > 1 && strcmp(argv[1], "disagree") == 0 && rank == 1)
		DVMDBG_PL(.range = { { 5, 6 } })
			table[0] += 0;
	DVMDBG_PL(.range = { { 1, 4 } }, .name = "last")
		table[1] += 0;
	MPI_Finalize();
	return 0;
}
