/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shelves N STEPS: heat in a box, plain static arrays of three dimensions with room in rows and planes */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MZ 34
#define MY 40
#define MX 44
static double t[MZ][MY][MX], w[MZ][MY][MX];
static int nx, ny, nz, m, z0;

int main(int argc, char **argv)
{
	int rank, size, steps;
	double s = 0, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	nz = argc > 1 ? atoi(argv[1]) : 20;
	steps = argc > 2 ? atoi(argv[2]) : 5;
	ny = nz - 2;
	nx = nz + 3;
	if (nz > 32)
		MPI_Abort(MPI_COMM_WORLD, 1);
	z0 = rank * nz / size;
	m = (rank + 1) * nz / size - z0;
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	for (int k = 1; k <= m; k++)
		for (int j = 1; j <= ny; j++)
			for (int i = 1; i <= nx; i++)
				t[k][j][i] = sin(0.2 * (z0 + k)) + 0.01 * i * j;
	for (int q = 0; q < steps; q++) {
		MPI_Sendrecv(t[1], MX * MY, MPI_DOUBLE, up, 0, t[m + 1], MX * MY, MPI_DOUBLE, down, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(t[m], MX * MY, MPI_DOUBLE, down, 1, t[0], MX * MY, MPI_DOUBLE, up, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int k = 1; k <= m; k++)
			for (int j = 1; j <= ny; j++)
				for (int i = 1; i <= nx; i++)
					w[k][j][i] = t[k][j][i] +
						     0.1 * (t[k - 1][j][i] + t[k + 1][j][i] + t[k][j - 1][i] +
							    t[k][j + 1][i] + t[k][j][i - 1] + t[k][j][i + 1] -
							    6 * t[k][j][i]);
		for (int k = 1; k <= m; k++)
			for (int j = 1; j <= ny; j++)
				for (int i = 1; i <= nx; i++)
					t[k][j][i] = w[k][j][i];
	}
	for (int k = 1; k <= m; k++)
		for (int j = 1; j <= ny; j++)
			for (int i = 1; i <= nx; i++)
				s += t[k][j][i] * t[k][j][i];
	MPI_Allreduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("norm %.12e\n", sqrt(all));
	MPI_Finalize();
	return 0;
}
