/* SPDX-License-Identifier: BSD-3-Clause */
/* clang-format off */
/*
 * dvmdbg_mpi.h: arrays as calls of MPI, or PETSc's DMDA, already describe them: one line registers
 * each. Include it behind mpi.h (and petscdmda.h); see dvmdbg.h for what a registered array is.
 *
 *	MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &filetype);
 *	DVMDBG_ARRAY_SUBARRAY(u, 2, sizes, subsizes, starts, MPI_ORDER_C, halo);	the same arguments
 *	DVMDBG_ARRAY_FILETYPE(u, filetype, halo);	the type
 *	DVMDBG_ARRAY_VIEW(u, file, halo);		the view of MPI_File_set_view
 *	DVMDBG_ARRAY_CART(u, cart, local, halo);	a Cartesian communicator
 *	DVMDBG_ARRAY_BOX(u, 3, sizes, starts, counts, ghost_starts, ghost_counts);
 *							as DMDAGetCorners and DMDAGetGhostCorners
 *	DVMDBG_ARRAY_DMDA(u, da);			a DMDA
 *
 * u is a pointer to the first stored element, with the halo, or a fixed array. halo: int widths on
 * both sides in each dimension, NULL: there is none. The types that FILETYPE and VIEW can read are
 * subarrays, and MPI_Type_create_darray with blocks; where their elements are several of u, as
 * vectors of three numbers, that is one more dimension, the closest in memory. local: how many elements this rank owns in each
 * dimension of the communicator; the others' are asked for, so that all ranks of it come by (under
 * the debugger; else nothing is called). Lists of BOX and CART are in the order of C's indices, but
 * those of BOX, which begin with x, the index that is closest in memory.
 */
/* clang-format on */
#ifndef DVMDBG_MPI_H
#define DVMDBG_MPI_H

#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

/* clang-format off */
#define DVMDBG_ARRAY_SUBARRAY(u, ndim, sizes, subsizes, starts, order, halo) \
	DVMDBG_ARRAY_MADE_(u, dvmdbg_mpi_subarray(&dvmdbg_a_, ndim, sizes, subsizes, starts, order, halo))
#define DVMDBG_ARRAY_FILETYPE(u, filetype, halo) \
	DVMDBG_ARRAY_MADE_(u, dvmdbg_mpi_filetype(&dvmdbg_a_, filetype, halo, DVMDBG_MPI_SIZE_(u)))
#define DVMDBG_ARRAY_VIEW(u, file, halo) \
	DVMDBG_ARRAY_MADE_(u, dvmdbg_mpi_view(&dvmdbg_a_, file, halo, DVMDBG_MPI_SIZE_(u)))
#define DVMDBG_ARRAY_CART(u, cart, local, halo) \
	DVMDBG_ARRAY_MADE_(u, dvmdbg_mpi_cart(&dvmdbg_a_, cart, local, halo))
#define DVMDBG_ARRAY_BOX(u, ndim, sizes, starts, counts, ghost_starts, ghost_counts) \
	DVMDBG_ARRAY_MADE_(u, dvmdbg_mpi_box(&dvmdbg_a_, ndim, sizes, starts, counts, ghost_starts, ghost_counts))
#define DVMDBG_ARRAY_DMDA(u, da) \
	DVMDBG_ARRAY_MADE_(u, dvmdbg_mpi_dmda(&dvmdbg_a_, da))
/* Of an element, bytes; 0: of a fixed array, which may have several dimensions. */
#define DVMDBG_MPI_SIZE_(u) (DVMDBG_IS_POINTER_(u) ? sizeof((u)[0]) : 0)

#ifdef DVMDBG_OFF
#define DVMDBG_ARRAY_MADE_(u, make) \
	do { \
		if (0) { \
			struct dvmdbg_array dvmdbg_a_; \
			DVMDBG_UNUSED_(u); \
			(void)(make); \
		} \
	} while (0)
#else
/* make: 1 when it has made the description. */
#define DVMDBG_ARRAY_MADE_(u, make) \
	do { \
		if (DVMDBG_ON()) { \
			struct dvmdbg_array dvmdbg_a_ = DVMDBG_MAKE_(dvmdbg_array, DVMDBG_ABI_ .ndim = 0); \
			if (make) \
				dvmdbg_array_at((const void *)&(u), DVMDBG_IS_POINTER_(u), #u, DVMDBG_TYPE_OF(u), \
						sizeof((u)[0]), DVMDBG_IS_POINTER_(u) ? 0 : sizeof(u), &dvmdbg_a_, ".own = {}", \
						__FILE__, __LINE__); \
			else \
				fprintf(stderr, "%s:%d: dvmdbg cannot read how %s is distributed: register it with " \
						"DVMDBG_ARRAY\n", __FILE__, __LINE__, #u); \
		} \
	} while (0)
#endif
/* clang-format on */

#include <stdio.h>

#define DVMDBG_MPI_UNUSED_ __attribute__((unused)) static

/* One dimension: what this rank owns, from `start` on, and the halo around it. */
DVMDBG_MPI_UNUSED_ void dvmdbg_mpi_dim(struct dvmdbg_array *a, int d, long size, long start,
				       long count, long halo)
{
	a->shape[d] = size;
	a->own[d].first = start;
	a->own[d].last = start + count - 1;
	a->halo_lo[d] = a->halo_hi[d] = halo;
	if (!count)
		a->nothing = 1;
}

DVMDBG_MPI_UNUSED_ int dvmdbg_mpi_subarray(struct dvmdbg_array *a, int ndim, const int *sizes,
					   const int *subsizes, const int *starts, int order,
					   const int *halo)
{
	if (ndim < 1 || ndim > DVMDBG_DIMS)
		return 0;
	a->ndim = ndim;
	a->fortran = order == MPI_ORDER_FORTRAN;
	for (int d = 0; d < ndim; d++)
		dvmdbg_mpi_dim(a, d, sizes[d], starts[d], subsizes[d], halo ? halo[d] : 0);
	return 1;
}

/* MPI_Type_create_darray: size, rank, ndims, then gsizes, distribs, dargs, psizes of each
 * dimension, order. */
DVMDBG_MPI_UNUSED_ int dvmdbg_mpi_darray(struct dvmdbg_array *a, const int *v, const int *halo)
{
	int n = v[2], rank = v[1], procs = v[0];
	const int *sizes = v + 3, *how = sizes + n, *block = how + n, *grid = block + n;

	if (n < 1 || n > DVMDBG_DIMS)
		return 0;
	a->ndim = n;
	a->fortran = grid[n] == MPI_ORDER_FORTRAN;
	for (int d = 0; d < n; d++) {
		long at, width, start, count;

		procs /= grid[d];
		at = rank / procs;
		rank %= procs;
		if (how[d] == MPI_DISTRIBUTE_CYCLIC && grid[d] > 1)
			return 0;
		width = how[d] != MPI_DISTRIBUTE_BLOCK	       ? sizes[d]
			: block[d] == MPI_DISTRIBUTE_DFLT_DARG ? (sizes[d] + grid[d] - 1) / grid[d]
							       : block[d];
		start = at * width < sizes[d] ? at * width : sizes[d];
		count = sizes[d] - start < width ? sizes[d] - start : width;
		dvmdbg_mpi_dim(a, d, sizes[d], start, count, halo ? halo[d] : 0);
	}
	return 1;
}

/* One of `old` is so many elements of `size` bytes: a dimension of its own. */
DVMDBG_MPI_UNUSED_ int dvmdbg_mpi_within(struct dvmdbg_array *a, MPI_Datatype old, size_t size)
{
	int n, m, k, combiner, d = a->ndim;
	MPI_Aint lower, extent;

	MPI_Type_get_envelope(old, &n, &m, &k, &combiner);
	if (!size)
		return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_STRUCT ||
		       combiner == MPI_COMBINER_RESIZED;
	MPI_Type_get_extent(old, &lower, &extent);
	if (extent < 1 || (size_t)extent % size)
		return 0;
	if ((size_t)extent == size)
		return 1;
	if (d == DVMDBG_DIMS)
		return 0;
	a->ndim++;
	for (; a->fortran && d > 0; d--) {
		a->shape[d] = a->shape[d - 1];
		a->own[d] = a->own[d - 1];
		a->halo_lo[d] = a->halo_lo[d - 1];
		a->halo_hi[d] = a->halo_hi[d - 1];
	}
	dvmdbg_mpi_dim(a, d, (long)((size_t)extent / size), 0, (long)((size_t)extent / size), 0);
	return 1;
}

DVMDBG_MPI_UNUSED_ int dvmdbg_mpi_filetype(struct dvmdbg_array *a, MPI_Datatype type,
					   const int *halo, size_t size)
{
	int nints, naddresses, ntypes, combiner, made = 0;
	int *ints;
	MPI_Aint *addresses;
	MPI_Datatype *types;

	MPI_Type_get_envelope(type, &nints, &naddresses, &ntypes, &combiner);
	if (combiner == MPI_COMBINER_NAMED)
		return 0;
	ints = (int *)calloc((size_t)nints + 1, sizeof(*ints));
	addresses = (MPI_Aint *)calloc((size_t)naddresses + 1, sizeof(*addresses));
	types = (MPI_Datatype *)calloc((size_t)ntypes + 1, sizeof(*types));
	if (ints && addresses && types) {
		MPI_Type_get_contents(type, nints, naddresses, ntypes, ints, addresses, types);
		if (combiner == MPI_COMBINER_SUBARRAY && ints[0] <= DVMDBG_DIMS)
			made = dvmdbg_mpi_subarray(a, ints[0], ints + 1, ints + 1 + ints[0],
						   ints + 1 + 2 * ints[0], ints[1 + 3 * ints[0]],
						   halo);
		else if (combiner == MPI_COMBINER_DARRAY)
			made = dvmdbg_mpi_darray(a, ints, halo);
		/* ROMIO's views are so, too */
		else if (combiner == MPI_COMBINER_DUP ||
			 (combiner == MPI_COMBINER_CONTIGUOUS && ints[0] == 1))
			made = dvmdbg_mpi_filetype(a, types[0], halo, size);
		if (made &&
		    (combiner == MPI_COMBINER_SUBARRAY || combiner == MPI_COMBINER_DARRAY))
			made = dvmdbg_mpi_within(a, types[0], size);
		for (int i = 0; i < ntypes; i++) {
			int n, m, k, what;

			MPI_Type_get_envelope(types[i], &n, &m, &k, &what);
			if (what != MPI_COMBINER_NAMED)
				MPI_Type_free(&types[i]);
		}
	}
	free(ints);
	free(addresses);
	free(types);
	return made;
}

DVMDBG_MPI_UNUSED_ int dvmdbg_mpi_view(struct dvmdbg_array *a, MPI_File file, const int *halo,
				       size_t size)
{
	MPI_Offset at;
	MPI_Datatype element, type;
	char how[MPI_MAX_DATAREP_STRING];
	int n, m, k, combiner, made;

	MPI_File_get_view(file, &at, &element, &type, how);
	made = dvmdbg_mpi_filetype(a, type, halo, size);
	MPI_Type_get_envelope(type, &n, &m, &k, &combiner);
	if (combiner != MPI_COMBINER_NAMED)
		MPI_Type_free(&type);
	MPI_Type_get_envelope(element, &n, &m, &k, &combiner);
	if (combiner != MPI_COMBINER_NAMED)
		MPI_Type_free(&element);
	return made;
}

DVMDBG_MPI_UNUSED_ int dvmdbg_mpi_cart(struct dvmdbg_array *a, MPI_Comm cart, const int *local,
				       const int *halo)
{
	int ndim, dims[DVMDBG_DIMS], periods[DVMDBG_DIMS], coords[DVMDBG_DIMS];

	MPI_Cartdim_get(cart, &ndim);
	if (ndim < 1 || ndim > DVMDBG_DIMS)
		return 0;
	MPI_Cart_get(cart, ndim, dims, periods, coords);
	a->ndim = ndim;
	for (int d = 0; d < ndim; d++) {
		int keep[DVMDBG_DIMS] = { 0 };
		long mine = local[d], size = 0, before = 0;
		MPI_Comm line;

		keep[d] = 1;
		MPI_Cart_sub(cart, keep, &line);
		MPI_Allreduce(&mine, &size, 1, MPI_LONG, MPI_SUM, line);
		MPI_Exscan(&mine, &before, 1, MPI_LONG, MPI_SUM, line);
		MPI_Comm_free(&line);
		dvmdbg_mpi_dim(a, d, size, coords[d] ? before : 0, mine, halo ? halo[d] : 0);
		a->periodic[d] = periods[d];
	}
	return 1;
}

/* Lists begin with x, which is closest in memory: the last index in C. NULL for both ghost lists:
 * there is no halo. */
DVMDBG_MPI_UNUSED_ int dvmdbg_mpi_box(struct dvmdbg_array *a, int ndim, const int *sizes,
				      const int *starts, const int *counts, const int *ghost_starts,
				      const int *ghost_counts)
{
	if (ndim < 1 || ndim > DVMDBG_DIMS)
		return 0;
	a->ndim = ndim;
	for (int i = 0; i < ndim; i++) {
		int d = ndim - 1 - i;

		dvmdbg_mpi_dim(a, d, sizes[i], starts[i], counts[i], 0);
		if (!ghost_starts)
			continue;
		a->halo_lo[d] = starts[i] - ghost_starts[i];
		a->halo_hi[d] = ghost_starts[i] + ghost_counts[i] - starts[i] - counts[i];
	}
	return 1;
}

#ifdef PETSCDMDA_H
/* u: what VecGetArray gives of a local vector; several degrees of freedom are one more dimension,
 * the last. */
DVMDBG_MPI_UNUSED_ int dvmdbg_mpi_dmda(struct dvmdbg_array *a, DM da)
{
	PetscInt dim, size[3] = { 1, 1, 1 }, dof, x[3], n[3], gx[3], gn[3];
	int sizes[3], starts[3], counts[3], ghosts[3], stored[3];
	DMBoundaryType at[3] = { DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE };

	if (DMDAGetInfo(da, &dim, &size[0], &size[1], &size[2], NULL, NULL, NULL, &dof, NULL,
			&at[0], &at[1], &at[2], NULL) ||
	    DMDAGetCorners(da, &x[0], &x[1], &x[2], &n[0], &n[1], &n[2]) ||
	    DMDAGetGhostCorners(da, &gx[0], &gx[1], &gx[2], &gn[0], &gn[1], &gn[2]))
		return 0;
	for (int d = 0; d < (int)dim; d++) {
		sizes[d] = (int)size[d];
		starts[d] = (int)x[d];
		counts[d] = (int)n[d];
		ghosts[d] = (int)gx[d];
		stored[d] = (int)gn[d];
	}
	if (!dvmdbg_mpi_box(a, (int)dim, sizes, starts, counts, ghosts, stored))
		return 0;
	for (int d = 0; d < (int)dim; d++)
		a->periodic[(int)dim - 1 - d] = at[d] == DM_BOUNDARY_PERIODIC;
	if (dof > 1) {
		dvmdbg_mpi_dim(a, (int)dim, dof, 0, dof, 0);
		a->ndim = (int)dim + 1;
	}
	return 1;
}
#endif

#endif
