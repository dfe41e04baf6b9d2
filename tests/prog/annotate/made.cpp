// SPDX-License-Identifier: GPL-3.0-or-later
// made N STEPS: diffusion along a rod, an object on the heap whose functions make vectors of their own
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mpi.h>
#include <vector>

struct Rod {
	int n, lo, m, left, right;
	std::vector<double> now, old;

	Rod(int cells, int rank, int size) : n(cells)
	{
		lo = rank * n / size;
		m = (rank + 1) * n / size - lo;
		left = rank ? rank - 1 : MPI_PROC_NULL;
		right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
		now.resize(m + 2);
		old.resize(m + 2);
		for (int i = 0; i < m + 2; i++)
			now[i] = std::sin(0.2 * (lo + i)) + 0.01 * (lo + i);
		old = now;
	}
	void exchange(std::vector<double> &a)
	{
		MPI_Sendrecv(&a[1], 1, MPI_DOUBLE, left, 0, &a[m + 1], 1, MPI_DOUBLE, right, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&a[m], 1, MPI_DOUBLE, right, 1, &a[0], 1, MPI_DOUBLE, left, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	std::vector<double> change(const std::vector<double> &a) const
	{
		std::vector<double> d(a.size());

		for (int i = 1; i <= m; i++) /* made */
			d[i] = 0.2 * (a[i - 1] - 2 * a[i] + a[i + 1]);
		return d;
	}
	void step()
	{
		exchange(now);
		const std::vector<double> d = change(now);
		for (int i = 1; i <= m; i++) {
			double x = now[i] + d[i] + 0.1 * (now[i] - old[i]);

			old[i] = now[i];
			now[i] = x;
		}
	}
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	const int n = argc > 1 ? atoi(argv[1]) : 60, steps = argc > 2 ? atoi(argv[2]) : 8;
	int rank, size;
	double s = 0, all;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	auto rod = std::make_unique<Rod>(n, rank, size);
	for (int k = 0; k < steps; k++)
		rod->step();
	for (int i = 1; i <= rod->m; i++)
		s += rod->now[i] * rod->now[i];
	MPI_Allreduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("norm %.12e\n", std::sqrt(all));
	MPI_Finalize();
	return 0;
}
