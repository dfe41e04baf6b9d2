/* SPDX-License-Identifier: BSD-3-Clause */
/* Waves on a membrane, in blocks; halos by a neighbourhood collective with types of rows and
 * columns. */
#include "bench.h"
enum { N = 20, M = 18, STEPS = 4 };
static long r0, r1, c0, c1;
static MPI_Comm grid;
static MPI_Datatype rows, columns;
static double *before, *now, *then;
#define W (c1 - c0 + 3)
#define AT(a, i, j) a[((i)-r0 + 1) * W + (j)-c0 + 1]
#define BYTES(a, i, j) ((MPI_Aint)((char *)&AT(a, i, j) - (char *)a))

static void exchange(double *a)
{
	const int one[4] = { 1, 1, 1, 1 };
	const MPI_Datatype type[4] = { rows, rows, columns, columns };
	const MPI_Aint out[4] = { BYTES(a, r0, c0), BYTES(a, r1, c0), BYTES(a, r0, c0),
				  BYTES(a, r0, c1) };
	const MPI_Aint in[4] = { BYTES(a, r0 - 1, c0), BYTES(a, r1 + 1, c0), BYTES(a, r0, c0 - 1),
				 BYTES(a, r0, c1 + 1) };

	MPI_Neighbor_alltoallw(a, one, out, type, a, one, in, type, grid);
}

static void setup(void)
{
	int dims[2] = { 0, 0 }, periods[2] = { 0, 0 }, at[2];

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_coords(grid, rank, 2, at);
	r0 = N * at[0] / dims[0];
	r1 = N * (at[0] + 1) / dims[0] - 1;
	c0 = M * at[1] / dims[1];
	c1 = M * (at[1] + 1) / dims[1] - 1;
	MPI_Type_contiguous((int)(c1 - c0 + 1), MPI_DOUBLE, &rows);
	MPI_Type_vector((int)(r1 - r0 + 1), 1, (int)W, MPI_DOUBLE, &columns);
	MPI_Type_commit(&rows);
	MPI_Type_commit(&columns);
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double c = 0.3, damp = 0.01, energy = 0;

	MPI_Init(&argc, &argv);
	setup();
	before = zeros((r1 - r0 + 3) * W);
	now = zeros((r1 - r0 + 3) * W);
	then = zeros((r1 - r0 + 3) * W);
	DVMDBG_REPLICATED(c);
	DVMDBG_REPLICATED(energy);
	DVMDBG_ARRAY(before, .shape = { N, M }, .own = { { r0, r1 }, { c0, c1 } },
		     .halo = { 1, 1 });
	DVMDBG_ARRAY(now, .shape = { N, M }, .own = { { r0, r1 }, { c0, c1 } }, .halo = { 1, 1 });
	DVMDBG_ARRAY(then, .shape = { N, M }, .own = { { r0, r1 }, { c0, c1 } }, .halo = { 1, 1 });

	const long top = r0 > 0 ? r0 : 1, bottom = r1 < N - 1 ? r1 : N - 2;
	const long west = c0 > 0 ? c0 : 1, east = c1 < M - 1 ? c1 : M - 2;
	DVMDBG_PL(.on = now, .range = { { 1, N - 2 }, { 1, M - 2 } }, .writes = { now, before })
	for (long i = top; i <= bottom; i++)
		for (long j = west; j <= east; j++) {
			DVMDBG_PL_ITERATION(i, j);
			AT(now, i, j) = SCALE * sin(0.5 * i) * sin(0.35 * j);
			AT(before, i, j) = 0.98 * AT(now, i, j);
		}
	DVMDBG_SL(.range = { { 1, STEPS } })
	for (long t = 1; t <= STEPS; t++) {
		DVMDBG_ITERATION(t);
		double local = 0;

		exchange(now);
		DVMDBG_PL(.on = then, .range = { { 1, N - 2 }, { 1, M - 2 } }, .writes = { then },
			  .reads = { now, before })
		for (long i = top; i <= bottom; i++)
			for (long j = west; j <= east; j++) {
				DVMDBG_PL_ITERATION(i, j);
				const double bend = AT(now, i - 1, j) + AT(now, i + 1, j) +
						    AT(now, i, j - 1) + AT(now, i, j + 1) -
						    4 * AT(now, i, j);
				AT(then, i, j) = 2 * AT(now, i, j) - AT(before, i, j) + c * bend -
						 damp * (AT(now, i, j) - AT(before, i, j));
			}
		DVMDBG_PL(.on = then, .range = { { 1, N - 2 }, { 1, M - 2 } }, .reads = { then })
		for (long i = top; i <= bottom; i++)
			for (long j = west; j <= east; j++) {
				DVMDBG_PL_ITERATION(i, j);
				local += AT(then, i, j) * AT(then, i, j);
			}
		MPI_Allreduce(&local, &energy, 1, MPI_DOUBLE, MPI_SUM, grid);
		DVMDBG_REDUCTION(energy, DVMDBG_SUM);
		double *old = before;
		before = now;
		now = then;
		then = old;
	}
	if (rank == 0)
		printf("neighbour: energy %.6e\n", energy);
	DVMDBG_FORGET(before);
	DVMDBG_FORGET(now);
	DVMDBG_FORGET(then);
	free(before);
	free(now);
	free(then);
	MPI_Finalize();
	return 0;
}
