/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sound in a room, staggered: pressure p in NX x NY cells, velocities u and v on their sides.
 * Rows of cells are divided. staggered NX NY STEPS [FAULT]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

int nx, ny, steps, fault;
int rank, size, up, down;
int ja, jb;			/* rows of cells: ja <= j < jb */
double *p, *u, *v;
double dt = 0.3;

/* p[-1..rows][nx], u[rows][nx+1], v[rows+1][nx] with one row of sides more below for the last */
#define P(j, i) p[((j) - ja + 1) * nx + (i)]
#define Uv(j, i) u[((j) - ja) * (nx + 1) + (i)]
#define V(j, i) v[((j) - ja) * nx + (i)]

void *zeros(size_t n)
{
	void *x = calloc(n, sizeof(double));
	if (x == NULL) {
		perror("calloc");
		exit(1);
	}
	return x;
}

void initial(void)
{
	int i, j;

	for (j = ja; j < jb; j++)
		for (i = 0; i < nx; i++)
			P(j, i) = exp(-0.02 * ((i - 9.0) * (i - 9.0) + (j - 7.0) * (j - 7.0)));
}

void send_pressure(void)
{
	MPI_Sendrecv(&P(jb - 1, 0), nx, MPI_DOUBLE, down, 3, &P(ja - 1, 0), nx, MPI_DOUBLE, up, 3,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void send_velocity(void)
{
	if (fault == 1)
		return;
	MPI_Sendrecv(&V(ja, 0), nx, MPI_DOUBLE, up, 4, &V(jb, 0), nx, MPI_DOUBLE, down, 4,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void move_u(void)
{
	int i, j;

	for (j = ja; j < jb; j++)
		for (i = 1; i < nx; i++)
			Uv(j, i) -= dt * (P(j, i) - P(j, i - 1));
}

void move_v(void)
{
	int i, j;
	int first = ja == 0 ? 1 : ja;

	for (j = first; j < jb - (fault == 2 && jb < ny); j++)
		for (i = 0; i < nx; i++)
			V(j, i) -= dt * (P(j, i) - P(j - 1, i));
}

void move_p(void)
{
	int i, j;

	for (j = ja; j < jb; j++)
		for (i = 0; i < nx; i++)
			P(j, i) -= dt * (Uv(j, i + 1) - Uv(j, i) + V(j + 1, i) - V(j, i));
}

int main(int argc, char **argv)
{
	int s, i, j;
	double e = 0, energy;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	nx = atoi(argv[1]);
	ny = atoi(argv[2]);
	steps = atoi(argv[3]);
	if (argc > 4)
		fault = atoi(argv[4]);
	ja = ny * rank / size;
	jb = ny * (rank + 1) / size;
	up = rank == 0 ? MPI_PROC_NULL : rank - 1;
	down = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
	p = zeros((size_t)(jb - ja + 1) * nx);
	u = zeros((size_t)(jb - ja) * (nx + 1));
	v = zeros((size_t)(jb - ja + 1) * nx);
	initial();
	for (s = 1; s <= steps; s++) {
		send_pressure();
		move_u();
		move_v();
		send_velocity();
		move_p();
	}
	for (j = ja; j < jb; j++)
		for (i = 0; i < nx; i++)
			e += P(j, i) * P(j, i);
	MPI_Allreduce(&e, &energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("staggered: energy %.10g\n", energy);
	free(p);
	free(u);
	free(v);
	MPI_Finalize();
	return 0;
}
