/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mpi.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>
class Lattice { // vectors in arrays, a population each of a lattice gas
public:
	Lattice(int n, MPI_Comm c) : n_(n)
	{
		MPI_Comm_rank(c, &rank_);
		MPI_Comm_size(c, &size_);
		m_ = n / size_ + (rank_ < n % size_);
		first_ = rank_ * (n / size_) + (rank_ < n % size_ ? rank_ : n % size_);
		for (int k = 0; k < 3; k++) {
			f_[k].assign((m_ + 2) * n_, 0.0);
			g_[k].assign((m_ + 2) * n_, 0.0);
		}
		rho_.assign((m_ + 2) * n_, 0.0);
	}
	void init()
	{
		for (int i = 1; i <= m_; i++)
			for (int j = 0; j < n_; j++)
				for (int k = 0; k < 3; k++)
					f_[k][i * n_ + j] = 1 + 0.1 * ((first_ + i) % 5) + 0.05 * j + k;
	}
	void exchange()
	{
		int up = (rank_ + size_ - 1) % size_, down = (rank_ + 1) % size_;
		for (int k = 0; k < 3; k++) {
			double *a = f_[k].data();
			MPI_Sendrecv(a + n_, n_, MPI_DOUBLE, up, k, a + (m_ + 1) * n_, n_, MPI_DOUBLE, down, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Sendrecv(a + m_ * n_, n_, MPI_DOUBLE, down, 9 + k, a, n_, MPI_DOUBLE, up, 9 + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	}
	void stream()
	{
		for (int i = 1; i <= m_; i++)
			for (int j = 0; j < n_; j++) {
				g_[0][i * n_ + j] = f_[0][i * n_ + j];
				g_[1][i * n_ + j] = f_[1][(i - 1) * n_ + j];
				g_[2][i * n_ + j] = f_[2][(i + 1) * n_ + j];
			}
	}
	void collide()
	{
		for (int i = 1; i <= m_; i++)
			for (int j = 0; j < n_; j++) {
				double r = g_[0][i * n_ + j] + g_[1][i * n_ + j] + g_[2][i * n_ + j];
				rho_[i * n_ + j] = r;
				for (int k = 0; k < 3; k++)
					f_[k][i * n_ + j] = g_[k][i * n_ + j] - 0.3 * (g_[k][i * n_ + j] - r / 3);
			}
	}
	double sum() const
	{
		double s = 0, all = 0;
		for (int i = 1; i <= m_; i++)
			for (int j = 0; j < n_; j++)
				s += rho_[i * n_ + j] * rho_[i * n_ + j];
		MPI_Allreduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		return all;
	}
private:
	int n_, m_, first_, rank_, size_;
	std::array<std::vector<double>, 3> f_;
	std::vector<double> g_[3], rho_;
};
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	{
		int n = argc > 1 ? atoi(argv[1]) : 22, steps = argc > 2 ? atoi(argv[2]) : 4, rank;
		Lattice l(n, MPI_COMM_WORLD);
		l.init();
		for (int t = 0; t < steps; t++) {
			l.exchange();
			l.stream();
			l.collide();
		}
		double s = l.sum();
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		if (!rank) std::printf("%.12g\n", s);
	}
	MPI_Finalize();
}
