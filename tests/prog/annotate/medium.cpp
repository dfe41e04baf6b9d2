// SPDX-License-Identifier: GPL-3.0-or-later
// medium N STEPS: reaction and diffusion with tables that are computed alike, and settings that are broadcast
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

struct Settings { double width, rate; int kind; };

class Medium {
public:
	Medium(int n, const Settings &s) : n_(n), set_(s)
	{
		MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
		MPI_Comm_size(MPI_COMM_WORLD, &size_);
		first_ = rank_ * n / size_;
		rows_ = (rank_ + 1) * n / size_ - first_;
		h_ = s.width / (n + 1);
		dt_ = 0.2 * h_ * h_;
		for (int k = 0; k < 8; k++)
			table_[k] = std::exp(-0.1 * k * s.rate);
		profile_.resize(n + 2);
		for (int j = 0; j < n + 2; j++)
			profile_[j] = 1.0 + 0.1 * std::sin(0.3 * j);
		u_.assign((rows_ + 2) * (n + 2), 0.0);
		w_.assign((rows_ + 2) * (n + 2), 0.0);
		for (int i = 1; i <= rows_; i++)
			for (int j = 1; j <= n; j++)
				u_[at(i, j)] = std::sin(0.2 * (first_ + i)) * std::cos(0.1 * j);
	}
	void step()
	{
		const double c = dt_ / (h_ * h_);
		int up = rank_ ? rank_ - 1 : MPI_PROC_NULL,
		    down = rank_ + 1 < size_ ? rank_ + 1 : MPI_PROC_NULL, w = n_ + 2;

		MPI_Sendrecv(&u_[at(1, 0)], w, MPI_DOUBLE, up, 0, &u_[at(rows_ + 1, 0)], w,
			     MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&u_[at(rows_, 0)], w, MPI_DOUBLE, down, 1, &u_[0], w, MPI_DOUBLE, up,
			     1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 1; i <= rows_; i++)
			for (int j = 1; j <= n_; j++)
				w_[at(i, j)] = u_[at(i, j)] +
					       c * profile_[j] * table_[j % 8] *
						       (u_[at(i - 1, j)] + u_[at(i + 1, j)] +
							u_[at(i, j - 1)] + u_[at(i, j + 1)] -
							4 * u_[at(i, j)]);
		u_.swap(w_);
	}
	double norm() const
	{
		double sum = 0, all;

		for (int i = 1; i <= rows_; i++)
			for (int j = 1; j <= n_; j++)
				sum += u_[at(i, j)] * u_[at(i, j)];
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		return std::sqrt(all);
	}

private:
	int at(int i, int j) const { return i * (n_ + 2) + j; }
	int n_, rank_, size_, first_, rows_;
	Settings set_;
	double h_, dt_, table_[8];
	std::vector<double> profile_, u_, w_;
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int in[2] = { 40, 10 }, rank;
	double tol[3] = { 0, 0, 0 };
	Settings s = { 0, 0, 0 };
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!rank) {
		for (int i = 1; i < argc && i < 3; i++)
			in[i - 1] = atoi(argv[i]);
		s = { 2.0, 1.5, 3 };
		tol[0] = 1e-3;
		tol[1] = 1e-6;
		tol[2] = 1e-9;
	}
	MPI_Bcast(in, 2, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(tol, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Bcast(&s, sizeof(s), MPI_BYTE, 0, MPI_COMM_WORLD);
	{
		Medium m(in[0], s);
		const double most = s.width * tol[0];
		for (int k = 0; k < in[1]; k++)
			m.step();
		double all = m.norm();
		if (!rank)
			printf("norm %.12e %g\n", all, most);
	}
	MPI_Finalize();
	return 0;
}
