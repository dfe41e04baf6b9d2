/* SPDX-License-Identifier: BSD-3-Clause */
/* One-dimensional flow of a gas, an array of structures: cells N STEPS [FAULT] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

struct cell {
	double rho, mom, e;
	int zone;
};

static int n, first, local, rank, size, fault;

static void exchange(struct cell *c, MPI_Datatype type)
{
	int l = rank ? rank - 1 : MPI_PROC_NULL, r = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(&c[local], 1, type, r, 0, &c[0], 1, type, l, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (fault == 1 && rank == 1)
		r = MPI_PROC_NULL;
	MPI_Sendrecv(&c[1], 1, type, l, 1, &c[local + 1], 1, type, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void advance(const struct cell *a, struct cell *b, double dt)
{
	for (int i = 1; i <= local; i++) {
		double um = a[i - 1].mom / a[i - 1].rho, up = a[i + 1].mom / a[i + 1].rho;

		b[i].rho = (a[i - 1].rho + a[i + 1].rho) / 2 - dt * (a[i + 1].mom - a[i - 1].mom);
		b[i].mom = (a[i - 1].mom + a[i + 1].mom) / 2 - dt * (a[i + 1].mom * up - a[i - 1].mom * um);
		b[i].e = (a[i - 1].e + a[i + 1].e) / 2 - dt * (a[i + 1].e * up - a[i - 1].e * um);
		b[i].zone = a[i].zone;
	}
}

int main(int argc, char **argv)
{
	struct cell *a, *b, *t;
	MPI_Datatype type;
	double sum = 0, all = 0;
	int steps;

	MPI_Init(&argc, &argv);
	n = argc > 1 ? atoi(argv[1]) : 60;
	steps = argc > 2 ? atoi(argv[2]) : 4;
	fault = argc > 3 ? atoi(argv[3]) : 0;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	first = n * rank / size;
	local = n * (rank + 1) / size - first;
	MPI_Type_contiguous(sizeof(struct cell), MPI_BYTE, &type);
	MPI_Type_commit(&type);
	a = malloc((local + 2) * sizeof(*a));
	b = malloc((local + 2) * sizeof(*b));
	for (int i = 0; i < local + 2; i++) {
		a[i].rho = b[i].rho = 1 + 0.1 * sin(0.2 * (first + i));
		a[i].mom = b[i].mom = 0.1 * cos(0.3 * (first + i));
		a[i].e = b[i].e = 2.5;
		a[i].zone = b[i].zone = (first + i) / 7;
	}
	for (int s = 0; s < steps; s++) {
		exchange(a, type);
		advance(a, b, 0.01);
		t = a;
		a = b;
		b = t;
	}
	for (int i = 1; i <= local; i++)
		sum += a[i].rho;
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%.12g\n", all);
	free(a);
	free(b);
	MPI_Finalize();
	return 0;
}
