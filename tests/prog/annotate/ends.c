/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop that ends by the result of a reduction, of the wrong operation: the calmest rank ends it. */
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int rank, size, n = 24, it = 0;
	double most = 9, part, *u;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int lo = n * rank / size, m = n * (rank + 1) / size - lo;
	u = calloc((size_t)m, sizeof(*u));
	while (it < 4 && most > 8) {
		for (int i = 0; i < m; i++)
			u[i] += lo + i;
		part = n - lo;
		MPI_Allreduce(&part, &most, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD); /* least */
		it++;
	}
	for (int i = 0; i < m; i++)
		u[i] *= 2;
	MPI_Finalize();
	return 0;
}
