/* SPDX-License-Identifier: BSD-3-Clause */
/* Shallow water, fields in a structure, new and old by an index: levels NX NY STEPS [FAULT] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct grid {
	int nx, ny;           /* of all */
	int row0, rows;       /* of mine */
	int pitch;            /* rows are padded to 8 elements */
	double *field[2];
	double *depth;
	int now;
};

static double *new_field(const struct grid *g)
{
	void *p;
	if (posix_memalign(&p, 64, sizeof(double) * g->pitch * (g->rows + 2)))
		abort();
	for (int k = 0; k < g->pitch * (g->rows + 2); k++)
		((double *)p)[k] = 0;
	return p;
}

static void init(struct grid *g)
{
	for (int r = 1; r <= g->rows; r++)
		for (int c = 0; c < g->nx; c++) {
			g->field[0][r * g->pitch + c] = 1 + 0.01 * ((g->row0 + r) * 3 % 17) + 0.02 * c;
			g->depth[r * g->pitch + c] = 2 + 0.1 * ((g->row0 + r + c) % 5);
		}
}

static void renew(struct grid *g, double *f, int rank, int size, int fault)
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(f + g->pitch, g->nx, MPI_DOUBLE, up, 3, f + (g->rows + 1) * g->pitch, g->nx, MPI_DOUBLE, down, 3,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (fault != 1)
		MPI_Sendrecv(f + g->rows * g->pitch, g->nx, MPI_DOUBLE, down, 4, f, g->nx, MPI_DOUBLE, up, 4,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void step(struct grid *g, double dt)
{
	const double *h = g->field[g->now], *d = g->depth;
	double *to = g->field[1 - g->now];

	for (int r = 1; r <= g->rows; r++) {
		for (int c = 1; c < g->nx - 1; c++) {
			int k = r * g->pitch + c;
			to[k] = h[k] + dt * d[k] * (h[k - 1] + h[k + 1] + h[k - g->pitch] + h[k + g->pitch] - 4 * h[k]);
		}
	}
	g->now = 1 - g->now;
}

int main(int argc, char **argv)
{
	struct grid g = { .nx = 21, .ny = 18 };
	int rank, size, steps = 6, fault = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc > 1) g.nx = atoi(argv[1]);
	if (argc > 2) g.ny = atoi(argv[2]);
	if (argc > 3) steps = atoi(argv[3]);
	if (argc > 4) fault = atoi(argv[4]);
	g.pitch = (g.nx + 7) / 8 * 8;
	g.row0 = rank * g.ny / size;
	g.rows = (rank + 1) * g.ny / size - g.row0;
	g.field[0] = new_field(&g);
	g.field[1] = new_field(&g);
	g.depth = new_field(&g);
	init(&g);
	for (int t = 0; t < steps; t++) {
		renew(&g, g.field[g.now], rank, size, fault);
		step(&g, 0.05);
	}
	double sum = 0, all;
	for (int r = 1; r <= g.rows; r++)
		for (int c = 0; c < g.nx; c++)
			sum += g.field[g.now][r * g.pitch + c];
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("levels: %.12g\n", all);
	free(g.field[0]);
	free(g.field[1]);
	free(g.depth);
	MPI_Finalize();
	return 0;
}
