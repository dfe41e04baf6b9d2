/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * described: arrays that are registered with what calls of MPI say of them, and a stand-in for PETSc's DMDA: element
 * (i, j) is 100 i + j, in each of them.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As petscdmda.h has them. */
typedef int PetscInt;
typedef int PetscErrorCode;
typedef struct {
	int size[2], at[2], n[2], ghost[2], stored[2];
} *DM;
typedef enum { DM_BOUNDARY_NONE, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_MIRROR, DM_BOUNDARY_PERIODIC } DMBoundaryType;
#define PETSCDMDA_H
static PetscErrorCode DMDAGetInfo(DM da, PetscInt *dim, PetscInt *m, PetscInt *n, PetscInt *p, PetscInt *a, PetscInt *b,
				  PetscInt *c, PetscInt *dof, PetscInt *s, DMBoundaryType *bx, DMBoundaryType *by,
				  DMBoundaryType *bz, void *st)
{
	*bx = DM_BOUNDARY_PERIODIC;
	*by = *bz = DM_BOUNDARY_NONE;
	*dim = 2;
	*m = da->size[0];
	*n = da->size[1];
	*p = *dof = 1;
	return 0;
}
static PetscErrorCode corners(const int *at, const int *n, PetscInt **out)
{
	*out[0] = at[0];
	*out[1] = at[1];
	*out[2] = 0;
	*out[3] = n[0];
	*out[4] = n[1];
	*out[5] = 1;
	return 0;
}
static PetscErrorCode DMDAGetCorners(DM da, PetscInt *x, PetscInt *y, PetscInt *z, PetscInt *m, PetscInt *n, PetscInt *p)
{
	return corners(da->at, da->n, (PetscInt *[]){ x, y, z, m, n, p });
}
static PetscErrorCode DMDAGetGhostCorners(DM da, PetscInt *x, PetscInt *y, PetscInt *z, PetscInt *m, PetscInt *n,
					  PetscInt *p)
{
	return corners(da->ghost, da->stored, (PetscInt *[]){ x, y, z, m, n, p });
}

#include "dvmdbg_mpi.h"

enum { ROWS = 7, COLUMNS = 10 };

/* With a halo of `halo` on each side; around: behind the last column the first one follows. */
static double *fill(const int *starts, const int *counts, const int *halo, int around)
{
	int rows = counts[0] + 2 * halo[0], columns = counts[1] + 2 * halo[1];
	double *a = malloc((size_t)rows * (size_t)columns * sizeof(*a));

	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			a[i * columns + j] = 100 * (starts[0] + i - halo[0]) +
					     (around ? (starts[1] + j - halo[1] + COLUMNS) % COLUMNS :
						       starts[1] + j - halo[1]);
	return a;
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	int rank, size, dims[2] = { 0, 0 }, periods[2] = { 0, 0 }, at[2], all[2] = { ROWS, COLUMNS };
	int starts[2], counts[2], none[2] = { 0, 0 }, wide[2] = { 1, 2 };
	double *plain, *typed, *seen, *placed, *grid, *boxed, *dealt, *pairs;
	MPI_Comm cart;
	MPI_Datatype type, blocks, two, of_two;
	MPI_File file;
	char name[200];

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	MPI_Comm_rank(cart, &rank);
	MPI_Cart_coords(cart, rank, 2, at);
	for (int d = 0; d < 2; d++) {
		starts[d] = all[d] * at[d] / dims[d];
		counts[d] = all[d] * (at[d] + 1) / dims[d] - starts[d];
	}
	MPI_Type_create_subarray(2, all, counts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	snprintf(name, sizeof(name), "%s/described.out", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
		      &file);
	MPI_File_set_view(file, 0, MPI_DOUBLE, type, "native", MPI_INFO_NULL);
	plain = fill(starts, counts, wide, 0);
	typed = fill(starts, counts, none, 0);
	seen = fill(starts, counts, wide, 0);
	placed = fill(starts, counts, wide, 0);
	boxed = fill(starts, counts, wide, 0);
	grid = fill(starts, counts, wide, 1);

	DVMDBG_ARRAY_SUBARRAY(plain, 2, all, counts, starts, MPI_ORDER_C, wide);
	DVMDBG_ARRAY_FILETYPE(typed, type, NULL);
	DVMDBG_ARRAY_VIEW(seen, file, wide);
	/* each element twice */
	MPI_Type_contiguous(2, MPI_DOUBLE, &two);
	MPI_Type_create_subarray(2, all, counts, starts, MPI_ORDER_C, two, &of_two);
	pairs = malloc(sizeof(*pairs) * 2 * (size_t)counts[0] * (size_t)counts[1]);
	for (int i = 0; i < 2 * counts[0] * counts[1]; i++)
		pairs[i] = typed[i / 2];
	DVMDBG_ARRAY_FILETYPE(pairs, of_two, NULL);
	MPI_Type_free(&of_two);
	MPI_Type_free(&two);
	DVMDBG_ARRAY_CART(placed, cart, counts, wide);
	DVMDBG_ARRAY_BOX(boxed, 2, ((int[]){ COLUMNS, ROWS }), ((int[]){ starts[1], starts[0] }),
			 ((int[]){ counts[1], counts[0] }), ((int[]){ starts[1] - 2, starts[0] - 1 }),
			 ((int[]){ counts[1] + 4, counts[0] + 2 }));
	DM da = malloc(sizeof(*da));
	for (int d = 0; d < 2; d++) {
		da->size[d] = all[1 - d];
		da->at[d] = starts[1 - d];
		da->n[d] = counts[1 - d];
		da->ghost[d] = starts[1 - d] - wide[1 - d];
		da->stored[d] = counts[1 - d] + 2 * wide[1 - d];
	}
	DVMDBG_ARRAY_DMDA(grid, da);
	/* blocks of the size that MPI chooses; a cyclic one cannot be read */
	int how[2] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK };
	int deal[2] = { MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG };
	MPI_Type_create_darray(size, rank, 2, all, how, deal, dims, MPI_ORDER_C, MPI_DOUBLE, &blocks);
	for (int d = 0; d < 2; d++) {
		int width = (all[d] + dims[d] - 1) / dims[d];

		starts[d] = at[d] * width;
		counts[d] = all[d] - starts[d] < width ? all[d] - starts[d] : width;
	}
	dealt = fill(starts, counts, none, 0);
	DVMDBG_ARRAY_FILETYPE(dealt, blocks, NULL);
	DVMDBG_ARRAY_FILETYPE(dealt, MPI_DOUBLE, NULL);

	DVMDBG_PL(.range = { { 0, 0 } })
		dealt[0] += 0;
	MPI_Type_free(&blocks);
	MPI_Type_free(&type);
	MPI_File_close(&file);
	MPI_Comm_free(&cart);
	MPI_Finalize();
	return 0;
}
