/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells as structures in a vector of a class. usage: shocktube N STEPS */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

struct Cell {
	double rho, u;
	int kind;
};

class Tube {
public:
	Tube(int n, int rank, int ranks)
		: n_(n), m_(n / ranks + (rank < n % ranks)), first_(rank * (n / ranks) + (rank < n % ranks ? rank : n % ranks)),
		  left_(rank ? rank - 1 : MPI_PROC_NULL), right_(rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL)
	{
		MPI_Type_contiguous(sizeof(Cell), MPI_BYTE, &type_);
		MPI_Type_commit(&type_);
	}
	~Tube() { MPI_Type_free(&type_); }

	void start()
	{
		cells_.resize(m_ + 2);
		for (int i = 1; i <= m_; i++) {
			cells_[i].rho = 1 + 0.5 * std::sin(0.3 * (first_ + i));
			cells_[i].u = 0.1 * std::cos(0.2 * (first_ + i));
			cells_[i].kind = (first_ + i) % 3;
		}
	}

	void step()
	{
		MPI_Sendrecv(&cells_[m_], 1, type_, right_, 0, &cells_[0], 1, type_, left_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&cells_[1], 1, type_, left_, 1, &cells_[m_ + 1], 1, type_, right_, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		std::vector<Cell> old(cells_);
		for (int i = 1; i <= m_; i++) {
			cells_[i].rho = old[i].rho - 0.1 * (old[i].u * old[i].rho - old[i - 1].u * old[i - 1].rho);
			cells_[i].u = old[i].u - 0.05 * (old[i + 1].rho - old[i - 1].rho) * (1 + old[i].kind);
		}
	}

	double norm() const
	{
		double sum = 0, all;

		for (int i = 1; i <= m_; i++)
			sum += cells_[i].rho * cells_[i].rho + cells_[i].u * cells_[i].u;
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		return all;
	}

private:
	int n_, m_, first_, left_, right_;
	std::vector<Cell> cells_;
	MPI_Datatype type_;
};

int main(int argc, char **argv)
{
	int rank, ranks, n = std::atoi(argv[1]), steps = std::atoi(argv[2]);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	{
		Tube tube(n, rank, ranks);

		tube.start();
		for (int k = 0; k < steps; k++)
			tube.step();
		double all = tube.norm();
		if (!rank)
			std::printf("norm %.12g\n", all);
	}
	MPI_Finalize();
	return 0;
}
