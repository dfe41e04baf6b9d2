/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A front in a field that a class keeps to itself, on a mesh whose members are private; the inside of each part is
 * computed before its edges are. A third argument: more ranks scale the field by more. */
#include <cmath>
#include <cstdlib>
#include <mpi.h>
#include <utility>
#include <vector>

class Mesh {
public:
	Mesh(int n, bool wrong) : n_(n)
	{
		int rank, size;

		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		first_ = rank * n / size;
		scale_ = wrong ? size : 1;
		rows_ = (rank + 1) * n / size - first_;
		up_ = rank ? rank - 1 : MPI_PROC_NULL;
		down_ = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	}
	int rows() const { return rows_; }
	int length() const { return n_; }
	double scale() const { return scale_; }
	double y(int i) const { return (first_ + i) / (double)n_; }
	int id(int i, int j) const { return i * (n_ + 2) + j; }
	void ghosts(std::vector<double> &a) const
	{
		MPI_Sendrecv(&a[id(1, 0)], n_ + 2, MPI_DOUBLE, up_, 0, &a[id(rows_ + 1, 0)], n_ + 2, MPI_DOUBLE, down_, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&a[id(rows_, 0)], n_ + 2, MPI_DOUBLE, down_, 1, &a[id(0, 0)], n_ + 2, MPI_DOUBLE, up_, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}

private:
	int n_, first_, rows_, up_, down_;
	double scale_;
};

class Field {
public:
	explicit Field(const Mesh &m) : values_((m.rows() + 2) * (m.length() + 2)) {}
	double &operator[](int i) { return values_[i]; }
	double operator[](int i) const { return values_[i]; }
	std::vector<double> &all() { return values_; }

private:
	std::vector<double> values_;
};

class Front {
public:
	explicit Front(const Mesh &m) : m_(m), a_(m), b_(m), speed_(m.rows() * m.length())
	{
		for (int i = 1; i <= m_.rows(); i++)
			for (int j = 1; j <= m_.length(); j++) {
				a_[m_.id(i, j)] = std::sin(m_.y(i)) + 0.01 * j;
				speed_[(i - 1) * m_.length() + j - 1] = 1 + m_.y(i) * j;
			}
	}
	void step()
	{
		for (int i = 2; i < m_.rows(); i++)
			for (int j = 1; j <= m_.length(); j++)
				b_[m_.id(i, j)] = next(i, j);
		m_.ghosts(a_.all());
		for (int i = 1; i <= m_.rows(); i += m_.rows() > 1 ? m_.rows() - 1 : 1)
			for (int j = 1; j <= m_.length(); j++)
				b_[m_.id(i, j)] = next(i, j);
		for (int i = 1; i <= m_.rows(); i++)
			for (int j = 1; j <= m_.length(); j++)
				a_[m_.id(i, j)] = b_[m_.id(i, j)] * m_.scale() * speed_[(i - 1) * m_.length() + j - 1];
	}
	double sum() const
	{
		double s = 0, all;

		for (int i = 1; i <= m_.rows(); i++)
			for (int j = 1; j <= m_.length(); j++)
				s += a_[m_.id(i, j)];
		MPI_Allreduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		return all;
	}

private:
	double next(int i, int j) const
	{
		return a_[m_.id(i, j)] + 0.1 * (a_[m_.id(i - 1, j)] - 2 * a_[m_.id(i, j)] + a_[m_.id(i + 1, j)]);
	}

	const Mesh &m_;
	Field a_, b_;
	std::vector<double> speed_;
};

int main(int argc, char **argv)
{
	int n = std::atoi(argv[1]), steps = std::atoi(argv[2]);

	MPI_Init(&argc, &argv);
	Mesh mesh(n, argc > 3);
	Front front(mesh);
	for (int k = 0; k < steps; k++)
		front.step();
	bool grown = front.sum() > 0;
	MPI_Finalize();
	return !grown;
}
