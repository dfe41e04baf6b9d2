// SPDX-License-Identifier: GPL-3.0-or-later
// Maxwell's equations in 2-D, staggered fields in a structure of vectors, blocks of columns
#include <mpi.h>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <cstdlib>
#include <vector>

struct Config {
	int nx = 24, ny = 20, steps = 8;
	double courant = 0.5;
	double sigma = 0.02;
};

struct Yee {
	int lx, ny, x0;
	std::vector<double> ez, hx, hy;
	int at(int i, int j) const { return i * ny + j; }
	Yee(int lx, int ny, int x0)
		: lx(lx), ny(ny), x0(x0), ez((lx + 2) * ny), hx((lx + 2) * ny), hy((lx + 2) * ny)
	{
		std::fill(ez.begin(), ez.end(), 0.0);
		std::fill(hx.begin(), hx.end(), 0.0);
		std::fill(hy.begin(), hy.end(), 0.0);
	}
};

static void send_left(std::vector<double> &f, Yee &y, int left, int right)
{
	MPI_Sendrecv(&f[y.at(1, 0)], y.ny, MPI_DOUBLE, left, 11,
		     &f[y.at(y.lx + 1, 0)], y.ny, MPI_DOUBLE, right, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_right(std::vector<double> &f, Yee &y, int left, int right)
{
	MPI_Sendrecv(f.data() + y.at(y.lx, 0), y.ny, MPI_DOUBLE, right, 12,
		     f.data() + y.at(0, 0), y.ny, MPI_DOUBLE, left, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void magnetic(Yee &y, const Config &cfg)
{
	for (int i = 1; i <= y.lx; ++i)
		for (int j = 0; j < y.ny - 1; ++j)
			y.hx[y.at(i, j)] -= cfg.courant * (y.ez[y.at(i, j + 1)] - y.ez[y.at(i, j)]);
	for (int i = 1; i <= y.lx; ++i)
		for (int j = 0; j < y.ny; ++j)
			y.hy[y.at(i, j)] += cfg.courant * (y.ez[y.at(i + 1, j)] - y.ez[y.at(i, j)]);
}

static void electric(Yee &y, const Config &cfg)
{
	const double loss = (1 - cfg.sigma) / (1 + cfg.sigma);
	for (int i = 1; i <= y.lx; ++i)
		for (int j = 1; j < y.ny - 1; ++j) {
			double curl = y.hy[y.at(i, j)] - y.hy[y.at(i - 1, j)] - y.hx[y.at(i, j)] + y.hx[y.at(i, j - 1)];
			y.ez[y.at(i, j)] = loss * y.ez[y.at(i, j)] + cfg.courant * curl;
		}
}

// main is the fourth function around its loop
static void electric_in(Yee &y, const Config &cfg)
{
	electric(y, cfg);
}

static void second_half(Yee &y, const Config &cfg)
{
	electric_in(y, cfg);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int me, np;
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	Config cfg;
	if (argc > 1) cfg.nx = std::atoi(argv[1]);
	if (argc > 2) cfg.ny = std::atoi(argv[2]);
	if (argc > 3) cfg.steps = std::atoi(argv[3]);
	MPI_Bcast(&cfg, sizeof cfg, MPI_BYTE, 0, MPI_COMM_WORLD);
	int x0 = static_cast<long>(cfg.nx) * me / np;
	int lx = static_cast<long>(cfg.nx) * (me + 1) / np - x0;
	int left = me ? me - 1 : MPI_PROC_NULL, right = me + 1 < np ? me + 1 : MPI_PROC_NULL;
	Yee y(lx, cfg.ny, x0);
	for (int i = 1; i <= lx; ++i)
		for (int j = 1; j < cfg.ny - 1; ++j)
			y.ez[y.at(i, j)] = std::exp(-0.1 * ((x0 + i - 9) * (x0 + i - 9) + (j - 8) * (j - 8)));
	double power = 0;
	for (int n = 0; n < cfg.steps; ++n) {
		send_left(y.ez, y, left, right);
		magnetic(y, cfg);
		send_right(y.hy, y, left, right);
		second_half(y, cfg);
	}
	for (int i = 1; i <= lx; ++i)
		for (int j = 0; j < cfg.ny; ++j)
			power += y.ez[y.at(i, j)] * y.ez[y.at(i, j)];
	double total = 0;
	MPI_Reduce(&power, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (me == 0)
		std::cout << "power " << total << "\n";
	MPI_Finalize();
}
