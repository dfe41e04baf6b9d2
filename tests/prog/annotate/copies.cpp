// SPDX-License-Identifier: GPL-3.0-or-later
// Waves in two half steps on a ring. With "first" only rank 0 copies the field, with "late" the halo
// of the middle is what the rank has computed itself.
#include <mpi.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef std::vector<double> Vec;

struct Ring {
	int rank, size, n, first, count;
	explicit Ring(int cells) : n(cells)
	{
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		first = rank * n / size;
		count = (rank + 1) * n / size - first;
	}
	void ghosts(Vec &a) const
	{
		int low = (rank + size - 1) % size, high = (rank + 1) % size;

		MPI_Sendrecv(&a[count], 1, MPI_DOUBLE, high, 1, &a[0], 1, MPI_DOUBLE, low, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&a[1], 1, MPI_DOUBLE, low, 2, &a[count + 1], 1, MPI_DOUBLE, high, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	Ring r(atoi(argv[1]));
	int steps = atoi(argv[2]);
	const char *fault = argc > 3 ? argv[3] : "";
	Vec u(r.count + 2), was(r.count + 2), k(r.count + 2), w(r.count + 2);
	double sum = 0, all;

	for (int i = 1; i <= r.count; i++)
		u[i] = std::sin(0.31 * (r.first + i)) + 0.02 * (r.first + i);
	if (!r.rank || strcmp(fault, "first"))
		was = u;
	for (int s = 0; s < steps; s++) {
		r.ghosts(u);
		for (int i = 1; i <= r.count; i++)
			k[i] = 0.2 * (u[i - 1] - 2 * u[i] + u[i + 1]) + 0.1 * (u[i] - was[i]);
		for (int i = 0; i <= r.count + 1; i++)
			w[i] = u[i] + 0.5 * k[i];
		if (strcmp(fault, "late"))
			r.ghosts(w);
		for (int i = 1; i <= r.count; i++) {
			was[i] = u[i];
			u[i] += 0.2 * (w[i - 1] - 2 * w[i] + w[i + 1]);
		}
	}
	for (int i = 1; i <= r.count; i++)
		sum += u[i] * u[i];
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (!r.rank)
		printf("norm %.12g\n", all);
	MPI_Finalize();
	return 0;
}
