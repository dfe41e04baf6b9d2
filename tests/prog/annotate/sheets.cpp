/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A field as a vector of vectors, in a class; two of them are swapped. usage: sheets N STEPS */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

using Field = std::vector<std::vector<double>>;

class Sheet {
public:
	Sheet(int n, int rank, int ranks)
		: n_(n), rows_(n / ranks + (rank < n % ranks)), first_(rank * (n / ranks) + (rank < n % ranks ? rank : n % ranks)),
		  up_(rank ? rank - 1 : MPI_PROC_NULL), down_(rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL),
		  now_(rows_ + 2, std::vector<double>(n, 0.0)), next_(rows_ + 2, std::vector<double>(n, 0.0))
	{
	}

	void start()
	{
		for (int i = 1; i <= rows_; i++)
			for (int j = 0; j < n_; j++)
				now_[i][j] = std::sin(0.2 * (first_ + i)) + 0.1 * j;
	}

	void step()
	{
		exchange(now_);
		for (int i = 1; i <= rows_; i++)
			for (int j = 1; j < n_ - 1; j++)
				next_[i][j] = now_[i][j] +
					      0.2 * (now_[i - 1][j] + now_[i + 1][j] + now_[i][j - 1] + now_[i][j + 1] - 4 * now_[i][j]);
		std::swap(now_, next_);
	}

	double norm() const
	{
		double sum = 0, all;

		for (int i = 1; i <= rows_; i++)
			for (int j = 0; j < n_; j++)
				sum += now_[i][j] * now_[i][j];
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		return all;
	}

private:
	void exchange(Field &a) const
	{
		MPI_Request r[4];

		MPI_Irecv(a[0].data(), n_, MPI_DOUBLE, up_, 0, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(a[rows_ + 1].data(), n_, MPI_DOUBLE, down_, 1, MPI_COMM_WORLD, &r[1]);
		MPI_Isend(a[rows_].data(), n_, MPI_DOUBLE, down_, 0, MPI_COMM_WORLD, &r[2]);
		MPI_Isend(a[1].data(), n_, MPI_DOUBLE, up_, 1, MPI_COMM_WORLD, &r[3]);
		MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
	}

	int n_, rows_, first_, up_, down_;
	Field now_, next_;
};

int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	{
		Sheet s(std::atoi(argv[1]), rank, ranks);

		s.start();
		for (int k = 0; k < std::atoi(argv[2]); k++)
			s.step();
		double all = s.norm();
		if (!rank)
			std::printf("norm %.12g\n", all);
	}
	MPI_Finalize();
	return 0;
}
