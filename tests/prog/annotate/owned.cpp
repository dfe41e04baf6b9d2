// SPDX-License-Identifier: BSD-3-Clause
// Diffusion on a line, elements by std::unique_ptr in a structure that is passed by reference: owned N STEPS
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

struct Field {
	int n, lo, m;
	std::unique_ptr<double[]> data;
};

static void init(Field &f)
{
	for (int i = 1; i <= f.m; i++)
		f.data[i] = (f.lo + i) * 7 % 11;
}

static void exchange(Field &f, int rank, int size)
{
	int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank ? rank - 1 : MPI_PROC_NULL;

	MPI_Sendrecv(&f.data[f.m], 1, MPI_DOUBLE, up, 1, &f.data[0], 1, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&f.data[1], 1, MPI_DOUBLE, down, 2, &f.data[f.m + 1], 1, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void step(const Field &a, Field &b)
{
	for (int i = 1; i <= a.m; i++) {
		if (a.lo + i == 1 || a.lo + i == a.n) {
			b.data[i] = a.data[i];
			continue;
		}
		b.data[i] = 0.5 * a.data[i] + 0.25 * (a.data[i - 1] + a.data[i + 1]);
	}
}

int main(int argc, char **argv)
{
	int rank, size, n = argc > 1 ? atoi(argv[1]) : 40, steps = argc > 2 ? atoi(argv[2]) : 4;
	Field a, b;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	a.n = b.n = n;
	a.lo = b.lo = (int)((long)n * rank / size);
	a.m = b.m = (int)((long)n * (rank + 1) / size) - a.lo;
	a.data = std::make_unique<double[]>(a.m + 2);
	b.data = std::make_unique<double[]>(b.m + 2);
	init(a);
	for (int t = 0; t < steps; t++) { exchange(a, rank, size); step(a, b); std::swap(a.data, b.data); }
	double sum = 0, all = 0;
	for (int i = 1; i <= a.m; i++)
		sum += a.data[i] * i;
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("owned: done\n");
	MPI_Finalize();
	return 0;
}
