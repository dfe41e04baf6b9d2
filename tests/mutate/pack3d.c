/* SPDX-License-Identifier: BSD-3-Clause */
/* Diffusion in a box, in blocks of three dimensions; faces go through pack buffers. */
#include "bench.h"
enum { NX = 10, NY = 12, NZ = 8, STEPS = 3 };
static const long ext[3] = { NX, NY, NZ };
static long lo[3], hi[3]; /* own */
static int prev[3], next[3];
static MPI_Comm grid;
static double *u, *v;
#define ROW(d) (hi[d] - lo[d] + 3)
#define AT(a, i, j, k) a[(((i)-lo[0] + 1) * ROW(1) + (j)-lo[1] + 1) * ROW(2) + (k)-lo[2] + 1]

/* The face of direction d at global index at, into or out of a buffer. */
static int pack(const double *a, int d, long at, double *buf)
{
	long f[3] = { lo[0], lo[1], lo[2] }, l[3] = { hi[0], hi[1], hi[2] };
	int n = 0;

	f[d] = l[d] = at;
	for (long i = f[0]; i <= l[0]; i++)
		for (long j = f[1]; j <= l[1]; j++)
			for (long k = f[2]; k <= l[2]; k++)
				buf[n++] = AT(a, i, j, k);
	return n;
}

static void unpack(double *a, int d, long at, const double *buf)
{
	long f[3] = { lo[0], lo[1], lo[2] }, l[3] = { hi[0], hi[1], hi[2] };
	int n = 0;

	f[d] = l[d] = at;
	for (long i = f[0]; i <= l[0]; i++)
		for (long j = f[1]; j <= l[1]; j++)
			for (long k = f[2]; k <= l[2]; k++)
				AT(a, i, j, k) = buf[n++];
}

static void exchange(double *a)
{
	const long most = ROW(0) * ROW(1) * ROW(2);
	double *sa = zeros(most), *sb = zeros(most), *ra = zeros(most), *rb = zeros(most);

	for (int d = 0; d < 3; d++) {
		MPI_Request q[4];
		int n = pack(a, d, lo[d], sa);

		pack(a, d, hi[d], sb);
		MPI_Irecv(ra, n, MPI_DOUBLE, prev[d], 2, grid, &q[0]);
		MPI_Irecv(rb, n, MPI_DOUBLE, next[d], 1, grid, &q[1]);
		MPI_Isend(sa, n, MPI_DOUBLE, prev[d], 1, grid, &q[2]);
		MPI_Isend(sb, n, MPI_DOUBLE, next[d], 2, grid, &q[3]);
		MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
		if (prev[d] != MPI_PROC_NULL)
			unpack(a, d, lo[d] - 1, ra);
		if (next[d] != MPI_PROC_NULL)
			unpack(a, d, hi[d] + 1, rb);
	}
	free(sa);
	free(sb);
	free(ra);
	free(rb);
}

static void start(void)
{
	DVMDBG_PL(.on = u, .range = { { 0, NX - 1 }, { 0, NY - 1 }, { 0, NZ - 1 } },
		  .writes = { u, v })
	for (long i = lo[0]; i <= hi[0]; i++)
		for (long j = lo[1]; j <= hi[1]; j++)
			for (long k = lo[2]; k <= hi[2]; k++) {
				DVMDBG_PL_ITERATION(i, j, k);
				AT(u, i, j, k) =
					SCALE * (1 + sin(0.3 * i) * cos(0.2 * j) + 0.1 * k);
				AT(v, i, j, k) = 0;
			}
}

static void step(double c)
{
	const long f[3] = { lo[0] > 1 ? lo[0] : 1, lo[1] > 1 ? lo[1] : 1, lo[2] > 1 ? lo[2] : 1 };
	const long l[3] = { hi[0] < NX - 2 ? hi[0] : NX - 2, hi[1] < NY - 2 ? hi[1] : NY - 2,
			    hi[2] < NZ - 2 ? hi[2] : NZ - 2 };

	DVMDBG_PL(.on = v, .range = { { 1, NX - 2 }, { 1, NY - 2 }, { 1, NZ - 2 } },
		  .writes = { v }, .reads = { u })
	for (long i = f[0]; i <= l[0]; i++)
		for (long j = f[1]; j <= l[1]; j++)
			for (long k = f[2]; k <= l[2]; k++) {
				DVMDBG_PL_ITERATION(i, j, k);
				AT(v, i, j, k) = AT(u, i, j, k) +
						 c * (AT(u, i - 1, j, k) + AT(u, i + 1, j, k) +
						      AT(u, i, j - 1, k) + AT(u, i, j + 1, k) +
						      AT(u, i, j, k - 1) + AT(u, i, j, k + 1) -
						      6 * AT(u, i, j, k));
			}
	DVMDBG_PL(.on = u, .range = { { 1, NX - 2 }, { 1, NY - 2 }, { 1, NZ - 2 } },
		  .writes = { u }, .reads = { v })
	for (long i = f[0]; i <= l[0]; i++)
		for (long j = f[1]; j <= l[1]; j++)
			for (long k = f[2]; k <= l[2]; k++) {
				DVMDBG_PL_ITERATION(i, j, k);
				AT(u, i, j, k) = AT(v, i, j, k);
			}
}

static void setup(void)
{
	int dims[3] = { 0, 0, 0 }, periods[3] = { 0, 0, 0 }, at[3];

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 3, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_coords(grid, rank, 3, at);
	for (int d = 0; d < 3; d++) {
		MPI_Cart_shift(grid, d, 1, &prev[d], &next[d]);
		lo[d] = ext[d] * at[d] / dims[d];
		hi[d] = ext[d] * (at[d] + 1) / dims[d] - 1;
	}
	u = zeros(ROW(0) * ROW(1) * ROW(2));
	v = zeros(ROW(0) * ROW(1) * ROW(2));
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double c = 0.1, most = 0, top = 0;

	MPI_Init(&argc, &argv);
	setup();
	DVMDBG_ARRAY(u, .shape = { NX, NY, NZ },
		     .own = { { lo[0], hi[0] }, { lo[1], hi[1] }, { lo[2], hi[2] } },
		     .halo = { 1, 1, 1 });
	DVMDBG_ARRAY(v, .shape = { NX, NY, NZ },
		     .own = { { lo[0], hi[0] }, { lo[1], hi[1] }, { lo[2], hi[2] } },
		     .halo = { 1, 1, 1 });
	DVMDBG_REPLICATED(top);
	start();
	DVMDBG_SL(.range = { { 1, STEPS } })
	for (long t = 1; t <= STEPS; t++) {
		DVMDBG_ITERATION(t);
		exchange(u);
		step(c);
	}
	DVMDBG_PL(.on = u, .range = { { 0, NX - 1 }, { 0, NY - 1 }, { 0, NZ - 1 } }, .reads = { u })
	for (long i = lo[0]; i <= hi[0]; i++)
		for (long j = lo[1]; j <= hi[1]; j++)
			for (long k = lo[2]; k <= hi[2]; k++) {
				DVMDBG_PL_ITERATION(i, j, k);
				if (AT(u, i, j, k) > most)
					most = AT(u, i, j, k);
			}
	MPI_Allreduce(&most, &top, 1, MPI_DOUBLE, MPI_MAX, grid);
	DVMDBG_REDUCTION(top, DVMDBG_MAX);
	if (rank == 0)
		printf("pack3d: greatest %.12e\n", top);
	DVMDBG_FORGET(u);
	DVMDBG_FORGET(v);
	free(u);
	free(v);
	MPI_Finalize();
	return 0;
}
