/* SPDX-License-Identifier: BSD-3-Clause */
/* An unstructured mesh: a sparse matrix by rows times a vector, halo by lists: csr N STEPS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, size, n = argc > 1 ? atoi(argv[1]) : 80, steps = argc > 2 ? atoi(argv[2]) : 4;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	/* vertices go to ranks by a hash, as a partitioner would */
	int *owner = malloc(n * sizeof(int)), *local = malloc(n * sizeof(int)), *mine = malloc(n * sizeof(int)), m = 0;
	for (int v = 0; v < n; v++) {
		owner[v] = (v * 7919 + v / 3) % size;
		local[v] = -1;
		if (owner[v] == rank) {
			local[v] = m;
			mine[m++] = v;
		}
	}
	int *ptr = malloc((m + 1) * sizeof(int)), *col = malloc(8 * (m + 1) * sizeof(int)), ghosts = 0, nz = 0;
	double *val = malloc(8 * (m + 1) * sizeof(double));
	ptr[0] = 0;
	for (int i = 0; i < m; i++) {
		int v = mine[i], nb[4] = { (v + 1) % n, (v + n - 1) % n, (v * 3 + 1) % n, (v * 5 + 2) % n };
		for (int k = 0; k < 4; k++) {
			int w = nb[k];
			if (local[w] < 0)
				local[w] = m + ghosts++;
			col[nz] = local[w];
			val[nz++] = 0.2 + 0.01 * (v % 3);
		}
		ptr[i + 1] = nz;
	}
	double *x = calloc(m + ghosts + 1, sizeof(double)), *y = calloc(m + 1, sizeof(double)), *all = calloc(n, sizeof(double));
	double *full = calloc(n, sizeof(double));
	for (int i = 0; i < m; i++)
		x[i] = 1 + 0.1 * mine[i];
	for (int s = 0; s < steps; s++) {
		for (int v = 0; v < n; v++)
			all[v] = owner[v] == rank ? x[local[v]] : 0;
		MPI_Allreduce(all, full, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		for (int v = 0; v < n; v++)
			if (local[v] >= m)
				x[local[v]] = full[v];
		for (int i = 0; i < m; i++) {
			double sum = 0;
			for (int k = ptr[i]; k < ptr[i + 1]; k++)
				sum += val[k] * x[col[k]];
			y[i] = sum;
		}
		for (int i = 0; i < m; i++)
			x[i] = y[i];
	}
	double sum = 0, total;
	for (int i = 0; i < m; i++)
		sum += x[i];
	MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("csr: %.12g\n", total);
	free(owner); free(local); free(mine); free(ptr); free(col); free(val); free(x); free(y); free(all); free(full);
	MPI_Finalize();
	return 0;
}
