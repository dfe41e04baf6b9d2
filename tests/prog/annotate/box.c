/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Diffusion in a box, seven points, periodic along x; faces are packed into buffers.
 *   box NX NY NZ STEPS [FAULT]
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
	MPI_Comm comm;
	int dims[3], coords[3];
	int n[3];    /* global */
	int m[3];    /* local, without ghosts */
	int off[3];
	int nb[3][2];
	double *u, *unew;
	double *sendbuf[2], *recvbuf[2];
} Field;

static inline size_t at(const Field *f, int i, int j, int k)
{
	return ((size_t)i * (f->m[1] + 2) + j) * (f->m[2] + 2) + k;
}

static void decompose(Field *f)
{
	int size, rank, periods[3] = { 1, 0, 0 };

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 3, f->dims);
	MPI_Cart_create(MPI_COMM_WORLD, 3, f->dims, periods, 1, &f->comm);
	MPI_Comm_rank(f->comm, &rank);
	MPI_Cart_coords(f->comm, rank, 3, f->coords);
	for (int d = 0; d < 3; d++) {
		int each = f->n[d] / f->dims[d], more = f->n[d] % f->dims[d], c = f->coords[d];

		f->m[d] = each + (c < more);
		f->off[d] = c * each + (c < more ? c : more);
		MPI_Cart_shift(f->comm, d, 1, &f->nb[d][0], &f->nb[d][1]);
	}
}

static void allocate(Field *f)
{
	size_t cells = (size_t)(f->m[0] + 2) * (f->m[1] + 2) * (f->m[2] + 2), face = 1;

	for (int d = 0; d < 3; d++)
		for (int e = 0; e < d; e++)
			if ((size_t)f->m[d] * f->m[e] > face)
				face = (size_t)f->m[d] * f->m[e];
	f->u = (double *)calloc(cells, sizeof(double));
	f->unew = (double *)calloc(cells, sizeof(double));
	for (int s = 0; s < 2; s++) {
		f->sendbuf[s] = (double *)malloc(face * sizeof(double));
		f->recvbuf[s] = (double *)malloc(face * sizeof(double));
	}
}

/* Copies the plane `where` across dimension d out of the field, or into it. */
static int face(Field *f, int d, int where, double *buf, int into)
{
	int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2, n = 0, x[3];

	x[d] = where;
	for (x[a] = 1; x[a] <= f->m[a]; x[a]++)
		for (x[b] = 1; x[b] <= f->m[b]; x[b]++, n++) {
			if (into)
				f->u[at(f, x[0], x[1], x[2])] = buf[n];
			else
				buf[n] = f->u[at(f, x[0], x[1], x[2])];
		}
	return n;
}

static void exchange(Field *f, int fault)
{
	for (int d = 0; d < 3 - (fault == 1); d++) {
		MPI_Request req[4];
		int n = face(f, d, 1, f->sendbuf[0], 0);

		face(f, d, f->m[d] - (fault == 2 && d == 1), f->sendbuf[1], 0);
		for (int s = 0; s < 2; s++) {
			MPI_Irecv(f->recvbuf[s], n, MPI_DOUBLE, f->nb[d][s], s, f->comm, &req[s]);
			MPI_Isend(f->sendbuf[s], n, MPI_DOUBLE, f->nb[d][s], !s, f->comm,
				  &req[2 + s]);
		}
		MPI_Waitall(4, req, MPI_STATUSES_IGNORE);
		if (f->nb[d][0] != MPI_PROC_NULL)
			face(f, d, 0, f->recvbuf[0], 1);
		if (f->nb[d][1] != MPI_PROC_NULL)
			face(f, d, f->m[d] + 1, f->recvbuf[1], 1);
	}
}

static void step(Field *f, double c)
{
	double *tmp;

	for (int i = 1; i <= f->m[0]; i++)
		for (int j = 1; j <= f->m[1]; j++)
			for (int k = 1; k <= f->m[2]; k++)
				f->unew[at(f, i, j, k)] = (1 - 6 * c) * f->u[at(f, i, j, k)] +
					c * (f->u[at(f, i - 1, j, k)] + f->u[at(f, i + 1, j, k)] +
					     f->u[at(f, i, j - 1, k)] + f->u[at(f, i, j + 1, k)] +
					     f->u[at(f, i, j, k - 1)] + f->u[at(f, i, j, k + 1)]);
	tmp = f->u;
	f->u = f->unew;
	f->unew = tmp;
}

int main(int argc, char **argv)
{
	Field f = { .dims = { 0, 0, 0 } };
	int steps = argc > 4 ? atoi(argv[4]) : 5, fault = argc > 5 ? atoi(argv[5]) : 0;
	double sum = 0, all = 0;

	MPI_Init(&argc, &argv);
	for (int d = 0; d < 3; d++)
		f.n[d] = argc > d + 1 ? atoi(argv[d + 1]) : 12;
	decompose(&f);
	allocate(&f);
	for (int i = 1; i <= f.m[0]; i++)
		for (int j = 1; j <= f.m[1]; j++)
			for (int k = 1; k <= f.m[2]; k++)
				f.u[at(&f, i, j, k)] = sin(0.7 * (f.off[0] + i)) +
					cos(0.4 * (f.off[1] + j) * (f.off[2] + k));
	for (int s = 0; s < steps; s++) {
		exchange(&f, fault);
		step(&f, 0.1);
	}
	for (int i = 1; i <= f.m[0]; i++)
		for (int j = 1; j <= f.m[1]; j++)
			for (int k = 1; k <= f.m[2]; k++)
				sum += f.u[at(&f, i, j, k)] * f.u[at(&f, i, j, k)];
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, f.comm);
	if (f.coords[0] + f.coords[1] + f.coords[2] == 0)
		printf("box: %.12g\n", all);
	MPI_Finalize();
	return 0;
}
