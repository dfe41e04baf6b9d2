/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plate whose rows are allocated one by one, with labels between them: no row is as far from the one before as another.
 * usage: ribs N STEPS [stale] */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct plate {
	int n, local, first;
	double **u, **v;
	char **label;
};

static int rank, ranks;

static void allocate(struct plate *p)
{
	p->u = malloc((p->local + 2) * sizeof(*p->u));
	p->v = malloc((p->local + 2) * sizeof(*p->v));
	p->label = malloc((p->local + 2) * sizeof(*p->label));
	for (int i = 0; i < p->local + 2; i++) {
		p->u[i] = calloc(p->n, sizeof(**p->u));
		p->label[i] = malloc(100 + 40 * (i % 5));
		snprintf(p->label[i], 100, "row %d", p->first + i - 1);
		p->v[i] = calloc(p->n, sizeof(**p->v));
	}
}

static void drop(struct plate *p)
{
	for (int i = 0; i < p->local + 2; i++) {
		free(p->u[i]);
		free(p->label[i]);
		free(p->v[i]);
	}
	free(p->u);
	free(p->label);
	free(p->v);
}

static void exchange(const struct plate *p, double **a)
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(a[p->local], p->n, MPI_DOUBLE, down, 0, a[0], p->n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(a[1], p->n, MPI_DOUBLE, up, 1, a[p->local + 1], p->n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	struct plate p = { .n = atoi(argv[1]) };
	int steps = atoi(argv[2]);
	double sum = 0, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	p.local = p.n / ranks + (rank < p.n % ranks);
	p.first = rank * (p.n / ranks) + (rank < p.n % ranks ? rank : p.n % ranks);
	allocate(&p);
	for (int i = 1; i <= p.local; i++)
		for (int j = 0; j < p.n; j++)
			p.u[i][j] = sin(0.2 * (p.first + i)) * cos(0.3 * j);
	for (int k = 0; k < steps; k++) {
		if (argc < 4 || k != 2)
			exchange(&p, p.u);
		for (int i = 1; i <= p.local; i++)
			for (int j = 1; j < p.n - 1; j++)
				p.v[i][j] = p.u[i][j] +
					    0.2 * (p.u[i - 1][j] + p.u[i + 1][j] + p.u[i][j - 1] + p.u[i][j + 1] - 4 * p.u[i][j]);
		for (int i = 1; i <= p.local; i++)
			for (int j = 1; j < p.n - 1; j++)
				p.u[i][j] = p.v[i][j];
	}
	for (int i = 1; i <= p.local; i++)
		for (int j = 0; j < p.n; j++)
			sum += p.u[i][j] * p.u[i][j];
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("sum %.12g\n", all);
	drop(&p);
	MPI_Finalize();
	return 0;
}
