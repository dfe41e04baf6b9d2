/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tagged WAY TYPE [WRONG]: rows × columns in blocks, halo 1 with corners, marked by hand: right, or wrong in one
 * way; exchanged in several.
 */
#include <complex.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

#define ROWS 12
#define COLUMNS 18
#define STEPS 4

static const char *way, *wrong = "";
static int rank, size, up, down, left, right;
static long m, k, r0, r1, c0, c1, pitch;
static long off; /* of the array: how many elements of its row are before it */
static MPI_Comm grid;
static int table[64];

static int is(const char *a, const char *b)
{
	return !strcmp(a, b);
}

/* What the marks say. */
static struct {
	long rows, columns, lo[2], hi[2], below[2], above[2], stride;
} mark;

static void mark_make(void)
{
	int low = up != MPI_PROC_NULL, high = down != MPI_PROC_NULL;

	mark.rows = ROWS;
	mark.columns = COLUMNS;
	mark.lo[0] = r0;
	mark.hi[0] = r1;
	mark.lo[1] = c0;
	mark.hi[1] = c1;
	for (int d = 0; d < 2; d++)
		mark.below[d] = mark.above[d] = 1;
	mark.stride = pitch;
	if (is(wrong, "short")) { /* the first own row is in the halo */
		mark.lo[0] += low;
		mark.below[0] += low;
	} else if (is(wrong, "long")) { /* the halo is in the own part */
		mark.lo[0] -= low;
		mark.below[0] -= low;
	} else if (is(wrong, "wide")) {
		mark.below[1] = mark.above[1] = 2;
	} else if (is(wrong, "narrow")) {
		mark.below[1] = mark.above[1] = 0;
		off = 1;
	} else if (is(wrong, "shift") && low) {
		mark.rows++;
		mark.lo[0]++;
		mark.hi[0]++;
	} else if (is(wrong, "shift")) {
		mark.rows++;
	} else if (is(wrong, "turned")) {
		mark.lo[0] = c0;
		mark.hi[0] = c1;
		mark.lo[1] = r0;
		mark.hi[1] = r1;
		mark.rows = COLUMNS;
		mark.columns = ROWS;
		mark.stride = m + 2;
	} else if (is(wrong, "deep")) { /* more than is exchanged */
		mark.lo[0] += low;
		mark.below[0] += low;
		mark.hi[0] -= high;
		mark.above[0] += high;
	}
}

/* Both halo rows, and then both columns with the corners, of elements of a type. */
static void by_messages(char *a, long e, MPI_Datatype t)
{
	MPI_Datatype column;
	char *row = a + e, *at = a;

	MPI_Sendrecv(row + pitch * e, (int)k, t, up, 1, row + (m + 1) * pitch * e, (int)k, t, down, 1, grid,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(row + m * pitch * e, (int)k, t, down, 2, row, (int)k, t, up, 2, grid,
		     MPI_STATUS_IGNORE);
	MPI_Type_vector((int)m + 2, 1, (int)pitch, t, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv(at + e, 1, column, left, 3, at + (k + 1) * e, 1, column, right, 3, grid, MPI_STATUS_IGNORE);
	MPI_Sendrecv(at + k * e, 1, column, right, 4, at, 1, column, left, 4, grid, MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
}

/* Columns in a buffer of bytes. */
static void packed(char *a, long e, MPI_Datatype t)
{
	char out[4096], in[4096];

	for (int side = 0; side < 2; side++) {
		int to = side ? right : left, from = side ? left : right, n = 0, at = 0;

		for (long i = 1; i <= m; i++)
			MPI_Pack(a + (i * pitch + (side ? k : 1)) * e, 1, t, out, sizeof(out), &n, grid);
		MPI_Sendrecv(out, n, MPI_PACKED, to, 5, in, sizeof(in), MPI_PACKED, from, 5, grid,
			     MPI_STATUS_IGNORE);
		for (long i = 1; i <= m && from != MPI_PROC_NULL; i++)
			MPI_Unpack(in, n, &at, a + (i * pitch + (side ? 0 : k + 1)) * e, 1, t, grid);
	}
}

static void one_sided(char *a, long e, MPI_Datatype t)
{
	MPI_Win win;

	MPI_Win_create(a, (MPI_Aint)((m + 2) * pitch * e), (int)e, MPI_INFO_NULL, grid, &win);
	MPI_Win_fence(0, win);
	if (up != MPI_PROC_NULL)
		MPI_Put(a + (pitch + 1) * e, (int)k, t, up, (MPI_Aint)((m + 1) * pitch + 1), (int)k, t, win);
	if (down != MPI_PROC_NULL)
		MPI_Put(a + (m * pitch + 1) * e, (int)k, t, down, 1, (int)k, t, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

static void by_neighbours(char *a, long e, MPI_Datatype t)
{
	MPI_Datatype row, column, types[4];
	int n[4] = { 1, 1, 1, 1 };
	MPI_Aint from[4] = { (pitch + 1) * e, (m * pitch + 1) * e, (pitch + 1) * e, (pitch + k) * e };
	MPI_Aint to[4] = { e, ((m + 1) * pitch + 1) * e, pitch * e, (pitch + k + 1) * e };

	MPI_Type_contiguous((int)k, t, &row);
	MPI_Type_vector((int)m, 1, (int)pitch, t, &column);
	MPI_Type_commit(&row);
	MPI_Type_commit(&column);
	types[0] = types[1] = row;
	types[2] = types[3] = column;
	MPI_Neighbor_alltoallw(a, n, from, types, a, n, to, types, grid);
	MPI_Type_free(&row);
	MPI_Type_free(&column);
}

static MPI_Request request[4];
static MPI_Status status[4];

static void begin(char *a, long e, MPI_Datatype t)
{
	MPI_Irecv(a + e, (int)k, t, up, 6, grid, &request[0]);
	MPI_Irecv(a + ((m + 1) * pitch + 1) * e, (int)k, t, down, 7, grid, &request[1]);
	MPI_Isend(a + (pitch + 1) * e, (int)k, t, up, 7, grid, &request[2]);
	MPI_Isend(a + (m * pitch + 1) * e, (int)k, t, down, 6, grid, &request[3]);
}

static void exchange(void *a, long e, MPI_Datatype t)
{
	if (is(way, "messages") || is(way, "copied") || is(way, "ring"))
		by_messages(a, e, t);
	else if (is(way, "packed"))
		packed(a, e, t);
	else if (is(way, "put"))
		one_sided(a, e, t);
	else if (is(way, "neighbours"))
		by_neighbours(a, e, t);
	else if (is(way, "overlap"))
		begin(a, e, t);
}

static void setup(void)
{
	int dims[2] = { 0, 0 }, ring[2] = { is(way, "ring"), is(way, "ring") }, at[2];

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, ring, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_coords(grid, rank, 2, at);
	MPI_Cart_shift(grid, 0, 1, &up, &down);
	MPI_Cart_shift(grid, 1, 1, &left, &right);
	r0 = ROWS * at[0] / dims[0];
	r1 = ROWS * (at[0] + 1) / dims[0] - 1;
	c0 = COLUMNS * at[1] / dims[1];
	c1 = COLUMNS * (at[1] + 1) / dims[1] - 1;
	m = r1 - r0 + 1;
	k = c1 - c0 + 1;
	pitch = k + 2;
}

#define CELLS(T, NAME, MPI_T)                                                                      \
	static void NAME(void)                                                                     \
	{                                                                                          \
		T *all = calloc((size_t)((m + 4) * (pitch + 4)), sizeof(T)), *a = all + off, sum = 0; \
		T *b = calloc((size_t)((m + 4) * (pitch + 4)), sizeof(T));                         \
                                                                                                   \
		DVMDBG_ARRAY(a, .shape = { mark.rows, mark.columns },                              \
			     .own = { { mark.lo[0], mark.hi[0] }, { mark.lo[1], mark.hi[1] } },    \
			     .halo_lo = { mark.below[0], mark.below[1] },                          \
			     .halo_hi = { mark.above[0], mark.above[1] }, .stride = { mark.stride, 1 }); \
		DVMDBG_ARRAY(b, .shape = { ROWS, COLUMNS }, .own = { { r0, r1 }, { c0, c1 } },     \
			     .halo = { 1, 1 });                                                    \
		for (int s = 0; s < STEPS; s++) {                                                  \
			DVMDBG_PL(.on = a, .writes = { a })                                        \
			for (long i = 1; i <= m; i++)                                              \
				for (long j = 1; j <= k; j++)                                      \
					all[i * pitch + j] = (T)((r0 + i + c0 + j + s) % 5);         \
			if (is(way, "copied"))                                                     \
				memcpy(all, b, (size_t)((m + 2) * pitch) * sizeof(T));               \
			exchange(all, sizeof(T), MPI_T);                                             \
			if (is(wrong, "index"))                                                    \
				for (long j = 1; j <= k; j++)                                      \
					table[(size_t)cabs((double complex)all[(m + 1) * pitch + j])]++; \
			if (is(way, "overlap")) {                                                  \
				DVMDBG_PL(.on = a, .reads = { a })                                 \
				for (long j = 1; j <= k; j++)                                      \
					sum += all[2 * pitch + j];                                   \
				MPI_Waitall(4, request, status);                                   \
			}                                                                          \
			DVMDBG_PL(.on = a, .reads = { a })                                         \
			for (long j = 1; j <= k; j++)                                              \
				sum += all[j];                                                       \
		}                                                                                  \
		printf("%g\n", cabs((double complex)sum));                                         \
		DVMDBG_FORGET(a);                                                                  \
		free(all);                                                                          \
		DVMDBG_FORGET(b);                                                                  \
		free(b);                                                                           \
	}

CELLS(double, doubles, MPI_DOUBLE)
CELLS(float, floats, MPI_FLOAT)
CELLS(double complex, complexes, MPI_C_DOUBLE_COMPLEX)
CELLS(float complex, small_complexes, MPI_C_FLOAT_COMPLEX)
CELLS(int, ints, MPI_INT)
CELLS(long, longs, MPI_LONG)
CELLS(short, shorts, MPI_SHORT)

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} types[] = { { "double", doubles }, { "float", floats }, { "complex", complexes },
		      { "floatcomplex", small_complexes }, { "int", ints }, { "long", longs },
		      { "short", shorts } };

	MPI_Init(&argc, &argv);
	way = argc > 1 ? argv[1] : "messages";
	wrong = argc > 3 ? argv[3] : "";
	setup();
	mark_make();
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (is(argc > 2 ? argv[2] : "double", types[i].name))
			types[i].run();
	MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
