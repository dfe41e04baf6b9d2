/* SPDX-License-Identifier: BSD-3-Clause */
/* Life on a torus, cells are ints; rows at the edges are put into the neighbours' memory.
   life ROWS COLUMNS GENERATIONS [FAULT] */
#include <stdio.h>
#include <stdlib.h>
#include <mpi.h>

int rank, size, nrows, ncols, myrows, myfirst;
int *cells, *next;
MPI_Win win;

#define CELL(p, r, c) (p)[(r) * ncols + (c)]

void setup(void)
{
	int r, c;

	myfirst = (int)((long)nrows * rank / size);
	myrows = (int)((long)nrows * (rank + 1) / size) - myfirst;
	MPI_Win_allocate((myrows + 2) * ncols * sizeof(int), sizeof(int), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &cells, &win);
	next = (int *)malloc((myrows + 2) * ncols * sizeof(int));
	for (r = 1; r <= myrows; r++)
		for (c = 0; c < ncols; c++)
			CELL(cells, r, c) = ((myfirst + r) * 31 + c * 17 + (myfirst + r) * c) % 3 == 0;
}

void put_edges(int fault)
{
	int above = (rank + size - 1) % size, below = (rank + 1) % size;
	int rows_above = (int)((long)nrows * (above + 1) / size - (long)nrows * above / size);

	MPI_Win_fence(0, win);
	MPI_Put(&CELL(cells, 1, 0), ncols, MPI_INT, above, (MPI_Aint)(rows_above + 1) * ncols,
		ncols, MPI_INT, win);
	if (fault != 1)
		MPI_Put(&CELL(cells, myrows, 0), ncols, MPI_INT, below, 0, ncols, MPI_INT, win);
	MPI_Win_fence(0, win);
}

void generation(void)
{
	int r, c;

	for (r = 1; r <= myrows; r++) {
		for (c = 0; c < ncols; c++) {
			int w = (c + ncols - 1) % ncols, e = (c + 1) % ncols;
			int near = CELL(cells, r - 1, w) + CELL(cells, r - 1, c) +
				   CELL(cells, r - 1, e) + CELL(cells, r, w) + CELL(cells, r, e) +
				   CELL(cells, r + 1, w) + CELL(cells, r + 1, c) +
				   CELL(cells, r + 1, e);
			CELL(next, r, c) = near == 3 || (near == 2 && CELL(cells, r, c));
		}
	}
	for (r = 1; r <= myrows; r++)
		for (c = 0; c < ncols; c++)
			CELL(cells, r, c) = CELL(next, r, c);
}

int main(int argc, char **argv)
{
	int g, generations, r, c, alive = 0, all, fault;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	nrows = argc > 1 ? atoi(argv[1]) : 30;
	ncols = argc > 2 ? atoi(argv[2]) : 40;
	generations = argc > 3 ? atoi(argv[3]) : 12;
	fault = argc > 4 ? atoi(argv[4]) : 0;
	setup();
	for (g = 0; g < generations; g++) {
		put_edges(fault);
		generation();
	}
	for (r = 1; r <= myrows; r++)
		for (c = 0; c < ncols; c++)
			alive += CELL(cells, r, c);
	MPI_Reduce(&alive, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("life: %d alive\n", all);
	free(next);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
