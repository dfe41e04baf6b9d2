/* SPDX-License-Identifier: GPL-3.0-or-later */
// Vectors of complex numbers, which lines write whole and read by halves.
#include <mpi.h>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>
using cplx = std::complex<double>;
class P
{
      public:
	P(int n) : n_(n)
	{
		MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
		MPI_Comm_size(MPI_COMM_WORLD, &size_);
		m_ = n / size_ + (rank_ < n % size_);
		first_ = rank_ * (n / size_) + (rank_ < n % size_ ? rank_ : n % size_);
		psi = std::vector<cplx>((m_ + 2) * n_);
		k = psi;
		for (int i = 0; i < m_; i++)
			for (int j = 0; j < n_; j++)
				psi[at(i, j)] = (0.1 * (first_ + i)) * std::polar(1.0, 0.3 * j);
	}
	size_t at(int i, int j) const
	{
		return size_t(i + 1) * n_ + j;
	}
	void refresh()
	{
		int up = rank_ ? rank_ - 1 : MPI_PROC_NULL,
		    down = rank_ + 1 < size_ ? rank_ + 1 : MPI_PROC_NULL;
		MPI_Sendrecv(&psi[at(0, 0)], n_, MPI_CXX_DOUBLE_COMPLEX, up, 1, &psi[at(m_, 0)], n_,
			     MPI_CXX_DOUBLE_COMPLEX, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&psi[at(m_ - 1, 0)], n_, MPI_CXX_DOUBLE_COMPLEX, down, 2,
			     &psi[at(-1, 0)], n_, MPI_CXX_DOUBLE_COMPLEX, up, 2, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	}
	void step()
	{
		refresh();
		for (int i = 0; i < m_; i++)
			for (int j = 1; j < n_ - 1; j++) {
				const cplx *p = &psi[at(i, j)];
				k[at(i, j)] =
					cplx(0, -1) * (p[-1] + p[1] + p[-n_] + p[n_] - 4.0 * p[0]);
			}
		for (size_t q = 0; q < psi.size(); q++)
			psi[q] += 0.01 * k[q];
	}
	double norm() const
	{
		double s = 0;
		for (int i = 0; i < m_; i++)
			for (int j = 0; j < n_; j++)
				s += std::norm(psi[at(i, j)]);
		return s;
	}
	int n_, m_, first_, rank_, size_;

      private:
	std::vector<cplx> psi, k;
};
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	P p(argc > 1 ? atoi(argv[1]) : 20);
	int steps = argc > 2 ? atoi(argv[2]) : 4;
	for (int s = 0; s < steps; s++)
		p.step();
	double x = p.norm(), all;
	MPI_Reduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!p.rank_)
		printf("%.12g\n", all);
	MPI_Finalize();
}
