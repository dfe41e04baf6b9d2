/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of cells, and of the faces between them, which neighbours share, by tables of a structure that a function frees
 * under another name; a sum by MPI_Reduce() and MPI_Bcast(). */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

struct flow {
	int n, m, local, first;
	double **p, **v, dt;
};

static int rank, ranks;

static double **table(int rows, int columns)
{
	double **t = malloc(rows * sizeof(*t));

	t[0] = calloc((size_t)rows * columns, sizeof(**t));
	for (int i = 1; i < rows; i++)
		t[i] = t[0] + (size_t)i * columns;
	return t;
}

static void drop(double **t)
{
	free(t[0]);
	free(t);
}

static void start(struct flow *f)
{
	f->p = table(f->local + 2, f->m);
	f->v = table(f->local + 1, f->m);
	for (int i = 1; i <= f->local; i++)
		for (int j = 0; j < f->m; j++)
			f->p[i][j] = sin(0.3 * (f->first + i)) + 0.1 * j;
}

static double step(struct flow *f)
{
	double sum = 0;

	for (int i = 0; i <= f->local; i++)
		for (int j = 0; j < f->m; j++)
			f->v[i][j] += f->dt * (f->p[i + 1][j] - f->p[i][j]);
	for (int i = 1; i <= f->local; i++)
		for (int j = 0; j < f->m; j++) {
			f->p[i][j] += f->dt * (f->v[i][j] - f->v[i - 1][j]);
			sum += f->p[i][j];
		}
	return sum;
}

static void exchange(struct flow *f)
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(f->p[1], f->m, MPI_DOUBLE, up, 0, f->p[f->local + 1], f->m, MPI_DOUBLE, down, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(f->p[f->local], f->m, MPI_DOUBLE, down, 1, f->p[0], f->m, MPI_DOUBLE, up, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	struct flow f = { .n = atoi(argv[1]), .m = atoi(argv[2]), .dt = 0.1 };
	int steps = atoi(argv[3]);
	double part, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	f.first = rank * f.n / ranks;
	f.local = (rank + 1) * f.n / ranks - f.first;
	start(&f);
	if (argc > 4 && rank && rank == ranks - 1)
		f.dt = 0.2;
#ifdef FEWER
	for (int k = 1; k < steps; k++) {
#else
	for (int k = 0; k < steps; k++) {
#endif
		exchange(&f);
		part = step(&f);
		MPI_Reduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
		MPI_Bcast(&all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
		if (all > 1e9)
			break;
	}
	drop(f.p);
	drop(f.v);
	MPI_Finalize();
	return 0;
}
