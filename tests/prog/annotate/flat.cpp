// SPDX-License-Identifier: GPL-3.0-or-later
// flat N STEPS: waves on a membrane, whose rows are in vectors that are filled, copied and scaled as wholes
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <vector>

struct Wave {
	int nx, ny, first, rows, rank, size;
	double dt, c2, gain;
	std::vector<double> u, v, w;

	Wave(int n) : nx(n), ny(n + 5)
	{
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		first = rank * nx / size;
		rows = (rank + 1) * nx / size - first;
		dt = 0.5 / nx;
		c2 = 0.2;
		gain = 0.999;
		u.resize((rows + 2) * (ny + 2));
		v.resize(u.size());
		w.resize(u.size());
	}
	int at(int i, int j) const { return i * (ny + 2) + j; }
	void exchange()
	{
		int up = rank ? rank - 1 : MPI_PROC_NULL,
		    down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, n = ny + 2;

		MPI_Sendrecv(&u[at(1, 0)], n, MPI_DOUBLE, up, 0, &u[at(rows + 1, 0)], n, MPI_DOUBLE,
			     down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&u[at(rows, 0)], n, MPI_DOUBLE, down, 1, &u[0], n, MPI_DOUBLE, up, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	void begin()
	{
		std::fill(w.begin(), w.end(), 0.0);
		for (int i = 1; i <= rows; i++)
			for (int j = 1; j <= ny; j++)
				u[at(i, j)] = std::sin(0.3 * (first + i)) * std::cos(0.2 * j);
		v = u;
	}
	void step()
	{
		exchange();
		for (int i = 1; i <= rows; i++)
			for (int j = 1; j <= ny; j++)
				w[at(i, j)] = 2 * u[at(i, j)] - v[at(i, j)] +
					      c2 * (u[at(i - 1, j)] + u[at(i + 1, j)] + u[at(i, j - 1)] +
						    u[at(i, j + 1)] - 4 * u[at(i, j)]);
		std::copy(u.begin(), u.end(), v.begin());
		memcpy(u.data(), w.data(), w.size() * sizeof(double));
		for (size_t k = 0; k < u.size(); k++)
			u[k] *= gain;
		for (double &x : u)
			x += dt * 0.001;
	}
	double norm() const
	{
		double sum = 0, all;

		for (int i = 1; i <= rows; i++)
			for (int j = 1; j <= ny; j++)
				sum += u[at(i, j)] * u[at(i, j)];
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		return std::sqrt(all);
	}
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int arg[2] = { 40, 10 }, rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 1; !rank && i < argc && i < 3; i++)
		arg[i - 1] = atoi(argv[i]);
	MPI_Bcast(arg, 2, MPI_INT, 0, MPI_COMM_WORLD);
	Wave wave(arg[0]);
	wave.begin();
	for (int s = 0; s < arg[1]; s++)
		wave.step();
	double all = wave.norm();
	if (!rank)
		printf("norm %.12e\n", all);
	MPI_Finalize();
	return 0;
}
