/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of a grid, the last ones with the rest, that no variable has: two ranks along a dimension
 * do not tell them from others. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static int at(int n, int parts, int which)
{
	return which * (n / parts);
}
static int len(int n, int parts, int which)
{
	return which == parts - 1 ? n - at(n, parts, which) : n / parts;
}
int main(int argc, char **argv)
{
	int dims[2] = { 0, 0 }, per[2] = { 0, 0 }, co[2], n, size;
	MPI_Comm c;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, per, 0, &c);
	int rank;
	MPI_Comm_rank(c, &rank);
	MPI_Cart_coords(c, rank, 2, co);
	n = argc > 1 ? atoi(argv[1]) : 21;
	int w = len(n, dims[1], co[1]) + 2;
	double *u = calloc((len(n, dims[0], co[0]) + 2) * w, sizeof(double)), s = 0, all;
	for (int i = 1; i <= len(n, dims[0], co[0]); i++)
		for (int j = 1; j <= len(n, dims[1], co[1]); j++)
			u[i * w + j] = (at(n, dims[0], co[0]) + i) * 0.3 +
				       (at(n, dims[1], co[1]) + j) * 0.01;
	for (int t = 0; t < 3; t++) {
		MPI_Barrier(c);
		for (int i = 1; i <= len(n, dims[0], co[0]); i++)
			for (int j = 1; j <= len(n, dims[1], co[1]); j++)
				u[i * w + j] *= 1.1;
	}
	for (int i = 1; i <= len(n, dims[0], co[0]); i++)
		for (int j = 1; j <= len(n, dims[1], co[1]); j++)
			s += u[i * w + j];
	MPI_Reduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%.12g\n", all);
	MPI_Finalize();
	return 0;
}
