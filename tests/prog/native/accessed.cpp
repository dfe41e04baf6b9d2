// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of rank 0 by pointers and indices of one line, chosen by the first argument; no vector
// accesses, so that the address is the element's.
#include <mpi.h>
#include <cstdlib>
#include <vector>

struct cell {
	double u, v;
	cell *next[4];
};
struct grid {
	std::vector<double> d;
	double (*table)[16];
	double **rows;
	cell *cells;
};
static double fixed[4][8];

static void fault(grid &g, char what)
{
	long k = 4000000;
	double *p = nullptr, *q = g.table[0];
	cell *wild = (cell *)0xdeadbeef000;

	switch (what) {
	case 'v': g.d[k * 10] = 1; break; /* @vector */
	case 't': g.table[k][2] = 1; break; /* @table */
	case 'r': g.rows[3][5] = 2; break; /* @rows */
	case 'm': g.cells[1].next[2]->v = 3; break; /* @member */
	case 'f': fixed[k][2] += q[0]; break; /* @fixed */
	case 'b': q[-k] = g.table[1][2] + q[1]; break; /* @before */
	case 's': *p += 1; break; /* @star */
	case 'w': g.d[1] = wild->u; break; /* @wild */
	case 'n': *(double *)0x7000 = q[k - k]; break; /* @none */
	}
}

int main(int argc, char **argv)
{
	int rank;
	grid g;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	g.d.resize(100);
	g.table = (double (*)[16])malloc(16 * sizeof(*g.table));
	g.rows = (double **)calloc(10, sizeof(*g.rows));
	g.cells = (cell *)calloc(4, sizeof(*g.cells));
	if (!rank)
		fault(g, argv[1][0]);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
}
