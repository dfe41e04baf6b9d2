/* SPDX-License-Identifier: GPL-3.0-or-later */
// Fields of three components and a mask of one, whose extents a function gives by a member of a member; the third state
// is gone over in the second stage only.
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
struct Config {
	int nx, ny;
};

class Field
{
      public:
	Field(const Config &c, int rows) : cfg_(c), rows_(rows), a_(3 * (rows + 2) * c.nx)
	{
	}
	int nx() const { return cfg_.nx; }
	int rows() const { return rows_; }
	double &operator()(int c, int i, int j) { return a_[(c * (rows_ + 2) + i) * nx() + j]; }
	double operator()(int c, int i, int j) const { return a_[(c * (rows_ + 2) + i) * nx() + j]; }

      private:
	Config cfg_;
	int rows_;
	std::vector<double> a_;
};

struct Part {
	int rank, size, first, rows, up, down;
};

static void halo(Field &f, const Part &p)
{
	const int n = f.nx(), m = p.rows;

	for (int c = 0; c < 3; c++) {
		MPI_Sendrecv(&f(c, 1, 0), n, MPI_DOUBLE, p.up, c, &f(c, m + 1, 0), n, MPI_DOUBLE,
			     p.down, c, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&f(c, m, 0), n, MPI_DOUBLE, p.down, 3 + c, &f(c, 0, 0), n, MPI_DOUBLE,
			     p.up, 3 + c, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void stage(const Field &base, Field &from, Field &to, const std::vector<char> &solid,
		  double w, const Part &p)
{
	halo(from, p);
	for (int c = 0; c < 3; c++)
		for (int i = 1; i <= to.rows(); i++)
			for (int j = 0; j < to.nx(); j++) {
				double x = from(c, i, j);

				if (!solid[i * to.nx() + j])
					x += 0.2 * (from(c, i - 1, j) + from(c, i + 1, j) - 2 * x);
				to(c, i, j) = (1 - w) * base(c, i, j) + w * x;
			}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	{
		const Config c = { 14, argc > 1 ? std::atoi(argv[1]) : 22 };
		Part p;
		double s = 0, all;

		MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
		MPI_Comm_size(MPI_COMM_WORLD, &p.size);
		p.rows = c.ny / p.size + (p.rank < c.ny % p.size);
		p.first = p.rank * (c.ny / p.size) + (p.rank < c.ny % p.size ? p.rank : c.ny % p.size);
		p.up = p.rank ? p.rank - 1 : MPI_PROC_NULL;
		p.down = p.rank + 1 < p.size ? p.rank + 1 : MPI_PROC_NULL;
		Field u(c, p.rows), u1(c, p.rows), u2(c, p.rows);
		std::vector<char> solid((p.rows + 2) * c.nx);
		for (int i = 0; i < p.rows + 2; i++)
			for (int j = 0; j < c.nx; j++)
				if (p.first + i == 5 && j > 3)
					solid[i * c.nx + j] = 1;
		for (int k = 0; k < 3; k++)
			for (int i = 1; i <= p.rows; i++)
				for (int j = 0; j < c.nx; j++)
					u(k, i, j) = k + 0.1 * (p.first + i) * (j % 4);
		for (int t = 0; t < 3; t++) {
			stage(u, u, u1, solid, 1, p);
			stage(u, u1, u2, solid, 0.5, p);
			std::swap(u, u2);
		}
		for (int k = 0; k < 3; k++)
			for (int i = 1; i <= p.rows; i++)
				for (int j = 0; j < c.nx; j++)
					s += u(k, i, j);
		MPI_Reduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
		if (!p.rank)
			std::printf("%.12g\n", all);
	}
	MPI_Finalize();
}
