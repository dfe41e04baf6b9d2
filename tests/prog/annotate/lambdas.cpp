// SPDX-License-Identifier: GPL-3.0-or-later
// Heat with loops in a template that takes the body as a lambda
#include <mpi.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Dom {
	int nx, ny, m, first, me, np;
};

template <class Body> static void for_cells(const Dom &d, Body body)
{
	for (int j = 1; j <= d.m; ++j)
		for (int i = 1; i < d.nx - 1; ++i)
			body(j, i);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	Dom d;
	d.nx = argc > 1 ? atoi(argv[1]) : 20;
	d.ny = argc > 2 ? atoi(argv[2]) : 17;
	int steps = argc > 3 ? atoi(argv[3]) : 4;
	MPI_Comm_rank(MPI_COMM_WORLD, &d.me);
	MPI_Comm_size(MPI_COMM_WORLD, &d.np);
	d.first = d.ny * d.me / d.np;
	d.m = d.ny * (d.me + 1) / d.np - d.first;
	std::vector<double> t((d.m + 2) * d.nx), w((d.m + 2) * d.nx);
	auto at = [&](int j, int i) { return j * d.nx + i; };
	for_cells(d, [&](int j, int i) {
		t[at(j, i)] = std::sin(0.3 * i) + 0.1 * ((d.first + j) % 5);
	});
	int up = d.me ? d.me - 1 : MPI_PROC_NULL, down = d.me + 1 < d.np ? d.me + 1 : MPI_PROC_NULL;
	for (int s = 0; s < steps; ++s) {
		MPI_Sendrecv(&t[at(1, 0)], d.nx, MPI_DOUBLE, up, 0, &t[at(d.m + 1, 0)], d.nx,
			     MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&t[at(d.m, 0)], d.nx, MPI_DOUBLE, down, 1, &t[at(0, 0)], d.nx,
			     MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for_cells(d, [&](int j, int i) {
			w[at(j, i)] = t[at(j, i)] +
				      0.2 * (t[at(j - 1, i)] + t[at(j + 1, i)] + t[at(j, i - 1)] +
					     t[at(j, i + 1)] - 4 * t[at(j, i)]);
		});
		t.swap(w);
	}
	double sum = 0, all;
	for_cells(d, [&](int j, int i) { sum += t[at(j, i)]; });
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (!d.me)
		printf("%.10f\n", all);
	MPI_Finalize();
	return 0;
}
