/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells and the fluxes between them, which neighbours both compute; members are private, and there is room for 40 cells. */
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

class cells {
	std::vector<double> data_;

public:
	explicit cells(int n) : data_(n) {}
	double &operator()(int i) { return data_[i]; }
	double *at(int i) { return &data_[i]; }
};

class line {
	int n_, lo_, m_, left_, right_;

public:
	line(int n, int rank, int size)
	    : n_(n), lo_(rank * n / size), m_((rank + 1) * n / size - lo_),
	      left_(rank ? rank - 1 : MPI_PROC_NULL), right_(rank + 1 < size ? rank + 1 : MPI_PROC_NULL)
	{
	}
	int cells_here() const { return m_; }
	void start(cells &u) const
	{
		for (int i = 1; i <= m_; i++)
			u(i) = 1.0 / (lo_ + i);
	}
	void exchange(cells &u) const
	{
		MPI_Sendrecv(u.at(1), 1, MPI_DOUBLE, left_, 0, u.at(m_ + 1), 1, MPI_DOUBLE, right_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(u.at(m_), 1, MPI_DOUBLE, right_, 1, u.at(0), 1, MPI_DOUBLE, left_, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	void step(cells &u, cells &flux) const
	{
		for (int i = 0; i <= m_; i++)
			flux(i) = 0.1 * (u(i + 1) - u(i));
		for (int i = 1; i <= m_; i++)
			u(i) += flux(i) - flux(i - 1);
	}
};

int main(int argc, char **argv)
{
	int rank, size, n = atoi(argv[1]), steps = atoi(argv[2]);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (n > 40)
		return printf("too many cells\n") && MPI_Finalize();
	line l(n, rank, size);
	cells u(l.cells_here() + 2), flux(l.cells_here() + 2);
	l.start(u);
	for (int k = 0; k < steps; k++) {
		l.exchange(u);
		l.step(u, flux);
	}
	MPI_Finalize();
	return 0;
}
