// SPDX-License-Identifier: GPL-3.0-or-later
// Convection and diffusion of a tracer; a template of a grid with operator(), which counts from -H, Robin walls
#include <mpi.h>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

struct Block {
	int nx, ny;         // whole grid
	int mx, my;         // own cells
	int x0, y0;         // first own cell
	int left, right, bottom, top;
	MPI_Comm cart;
};

template <typename T, int H>
class Grid2D {
public:
	Grid2D(int mx, int my) : mx_(mx), my_(my), stride_(my + 2 * H), data_((mx + 2 * H) * (my + 2 * H)) {}
	T &operator()(int i, int j) { return data_[(i + H) * stride_ + j + H]; }
	const T &operator()(int i, int j) const { return data_[(i + H) * stride_ + j + H]; }
	T *ptr(int i, int j) { return &data_[(i + H) * stride_ + j + H]; }
	int mx() const { return mx_; }
	int my() const { return my_; }
	int stride() const { return stride_; }
	void fill(T v) { std::fill(data_.begin(), data_.end(), v); }

private:
	int mx_, my_, stride_;
	std::vector<T> data_;
};

using Field = Grid2D<double, 1>;

static Block decompose(int nx, int ny)
{
	Block b;
	int np, me, dims[2] = {0, 0}, periods[2] = {0, 0}, c[2];
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	MPI_Dims_create(np, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &b.cart);
	MPI_Comm_rank(b.cart, &me);
	MPI_Cart_coords(b.cart, me, 2, c);
	b.nx = nx;
	b.ny = ny;
	b.x0 = c[0] * nx / dims[0];
	b.mx = (c[0] + 1) * nx / dims[0] - b.x0;
	b.y0 = c[1] * ny / dims[1];
	b.my = (c[1] + 1) * ny / dims[1] - b.y0;
	MPI_Cart_shift(b.cart, 0, 1, &b.left, &b.right);
	MPI_Cart_shift(b.cart, 1, 1, &b.bottom, &b.top);
	return b;
}

static void exchange(Field &f, const Block &b)
{
	MPI_Datatype column;
	MPI_Type_vector(f.mx(), 1, f.stride(), MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv(f.ptr(0, 0), f.my(), MPI_DOUBLE, b.left, 0,
		     f.ptr(f.mx(), 0), f.my(), MPI_DOUBLE, b.right, 0, b.cart, MPI_STATUS_IGNORE);
	MPI_Sendrecv(f.ptr(f.mx() - 1, 0), f.my(), MPI_DOUBLE, b.right, 1,
		     f.ptr(-1, 0), f.my(), MPI_DOUBLE, b.left, 1, b.cart, MPI_STATUS_IGNORE);
	MPI_Sendrecv(f.ptr(0, 0), 1, column, b.bottom, 2,
		     f.ptr(0, f.my()), 1, column, b.top, 2, b.cart, MPI_STATUS_IGNORE);
	MPI_Sendrecv(f.ptr(0, f.my() - 1), 1, column, b.top, 3,
		     f.ptr(0, -1), 1, column, b.bottom, 3, b.cart, MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
}

// Robin: c' = -biot * c at the walls
static void robin(Field &f, const Block &b, double biot)
{
	if (b.left == MPI_PROC_NULL)
		for (int j = 0; j < f.my(); ++j)
			f(-1, j) = f(0, j) * (1 - biot);
	if (b.right == MPI_PROC_NULL)
		for (int j = 0; j < f.my(); ++j)
			f(f.mx(), j) = f(f.mx() - 1, j) * (1 - biot);
	if (b.bottom == MPI_PROC_NULL)
		for (int i = 0; i < f.mx(); ++i)
			f(i, -1) = f(i, 0) * (1 - biot);
	if (b.top == MPI_PROC_NULL)
		for (int i = 0; i < f.mx(); ++i)
			f(i, f.my()) = f(i, f.my() - 1) * (1 - biot);
}

static void advance(const Field &c, Field &d, double u, double v, double k)
{
	for (int i = 0; i < c.mx(); ++i)
		for (int j = 0; j < c.my(); ++j) {
			double conv = u * (c(i, j) - c(i - 1, j)) + v * (c(i, j) - c(i, j - 1));
			double diff = k * (c(i - 1, j) + c(i + 1, j) + c(i, j - 1) + c(i, j + 1) - 4 * c(i, j));
			d(i, j) = c(i, j) - conv + diff;
		}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int nx = argc > 1 ? std::stoi(argv[1]) : 18;
	int ny = argc > 2 ? std::stoi(argv[2]) : 22;
	int steps = argc > 3 ? std::stoi(argv[3]) : 6;
	Block b = decompose(nx, ny);
	Field c(b.mx, b.my), d(b.mx, b.my);
	c.fill(0.1);
	d.fill(0.0);
	for (int i = 0; i < b.mx; ++i)
		for (int j = 0; j < b.my; ++j)
			c(i, j) = std::exp(-0.03 * (std::pow(b.x0 + i - 5, 2) +
						    std::pow(b.y0 + j - 8, 2)));
	for (int s = 0; s < steps; ++s) {
		robin(c, b, 0.2);
		exchange(c, b);
		advance(c, d, 0.2, 0.1, 0.05);
		std::swap(c, d);
	}
	double mass = 0;
	for (int i = 0; i < b.mx; ++i)
		for (int j = 0; j < b.my; ++j)
			mass += c(i, j);
	double all = 0;
	MPI_Reduce(&mass, &all, 1, MPI_DOUBLE, MPI_SUM, 0, b.cart);
	int me;
	MPI_Comm_rank(b.cart, &me);
	if (me == 0)
		std::cout << "mass " << all << std::endl;
	MPI_Finalize();
	return 0;
}
