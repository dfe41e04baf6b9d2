/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson by red-black SOR, blocks in two dimensions, arrays of constant bounds that memset sets */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXL 66

struct grid {
	int nx, ny, px, py, cx, cy, ni, nj, i0, j0;
	int north, south, west, east;
	double h, omega;
	double phi[MAXL][MAXL];
	double rhs[MAXL][MAXL];
	double sbuf[2][MAXL], rbuf[2][MAXL];
};

static struct grid G;

static void decompose(int np, int me)
{
	G.px = (int)sqrt((double)np);
	while (np % G.px)
		G.px--;
	G.py = np / G.px;
	G.cx = me % G.px;
	G.cy = me / G.px;
	G.ni = G.nx / G.px + (G.cx < G.nx % G.px);
	G.nj = G.ny / G.py + (G.cy < G.ny % G.py);
	G.i0 = G.cx * (G.nx / G.px) + (G.cx < G.nx % G.px ? G.cx : G.nx % G.px);
	G.j0 = G.cy * (G.ny / G.py) + (G.cy < G.ny % G.py ? G.cy : G.ny % G.py);
	G.west = G.cx > 0 ? me - 1 : MPI_PROC_NULL;
	G.east = G.cx < G.px - 1 ? me + 1 : MPI_PROC_NULL;
	G.north = G.cy > 0 ? me - G.px : MPI_PROC_NULL;
	G.south = G.cy < G.py - 1 ? me + G.px : MPI_PROC_NULL;
}

static void halo(void)
{
	MPI_Request q[8];
	int k = 0;

	for (int j = 1; j <= G.nj; j++) {
		G.sbuf[0][j] = G.phi[j][1];
		G.sbuf[1][j] = G.phi[j][G.ni];
	}
	MPI_Irecv(&G.rbuf[0][1], G.nj, MPI_DOUBLE, G.west, 1, MPI_COMM_WORLD, &q[k++]);
	MPI_Irecv(&G.rbuf[1][1], G.nj, MPI_DOUBLE, G.east, 2, MPI_COMM_WORLD, &q[k++]);
	MPI_Irecv(&G.phi[0][1], G.ni, MPI_DOUBLE, G.north, 3, MPI_COMM_WORLD, &q[k++]);
	MPI_Irecv(&G.phi[G.nj + 1][1], G.ni, MPI_DOUBLE, G.south, 4, MPI_COMM_WORLD, &q[k++]);
	MPI_Isend(&G.sbuf[0][1], G.nj, MPI_DOUBLE, G.west, 2, MPI_COMM_WORLD, &q[k++]);
	MPI_Isend(&G.sbuf[1][1], G.nj, MPI_DOUBLE, G.east, 1, MPI_COMM_WORLD, &q[k++]);
	MPI_Isend(&G.phi[1][1], G.ni, MPI_DOUBLE, G.north, 4, MPI_COMM_WORLD, &q[k++]);
	MPI_Isend(&G.phi[G.nj][1], G.ni, MPI_DOUBLE, G.south, 3, MPI_COMM_WORLD, &q[k++]);
	MPI_Waitall(k, q, MPI_STATUSES_IGNORE);
	if (G.west != MPI_PROC_NULL)
		for (int j = 1; j <= G.nj; j++)
			G.phi[j][0] = G.rbuf[0][j];
	if (G.east != MPI_PROC_NULL)
		for (int j = 1; j <= G.nj; j++)
			G.phi[j][G.ni + 1] = G.rbuf[1][j];
}

static double relax(int colour)
{
	double sum = 0;

	for (int j = 1; j <= G.nj; j++)
		for (int i = 1; i <= G.ni; i++) {
			if (((i + j + G.i0 + G.j0) & 1) != colour)
				continue;
			double r = G.phi[j][i - 1] + G.phi[j][i + 1] + G.phi[j - 1][i] + G.phi[j + 1][i] -
				   4 * G.phi[j][i] - G.h * G.h * G.rhs[j][i];
			G.phi[j][i] += 0.25 * G.omega * r;
			sum += r * r;
		}
	return sum;
}

int main(int argc, char **argv)
{
	int np, me, it, iters;
	double part, norm = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	G.nx = argc > 1 ? atoi(argv[1]) : 22;
	G.ny = argc > 2 ? atoi(argv[2]) : 18;
	iters = argc > 3 ? atoi(argv[3]) : 8;
	if (G.nx > MAXL - 2 || G.ny > MAXL - 2)
		MPI_Abort(MPI_COMM_WORLD, 1);
	decompose(np, me);
	G.h = 1.0 / (G.nx + 1);
	G.omega = 1.6;
	memset(G.phi, 0, sizeof G.phi);
	for (int j = 1; j <= G.nj; j++)
		for (int i = 1; i <= G.ni; i++) {
			double x = (G.i0 + i) * G.h, y = (G.j0 + j) * G.h;
			G.rhs[j][i] = 40 * sin(3 * x) * cos(2 * y) + x;
		}
	for (it = 0; it < iters; it++) {
		part = 0;
		for (int colour = 0; colour < 2; colour++) {
			halo();
			part += relax(colour);
		}
		MPI_Allreduce(&part, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		if (norm < 1e-20)
			break;
	}
	if (me == 0)
		printf("%d iterations, residual %.6e\n", it, sqrt(norm));
	MPI_Finalize();
	return 0;
}
