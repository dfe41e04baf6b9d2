/* SPDX-License-Identifier: BSD-3-Clause */
/* Refined patches, each of 8 x 8 cells, given to ranks in turn: patches PATCHES STEPS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define P 8

struct patch { int id, level; double *u, *w; };

int main(int argc, char **argv)
{
	int rank, size, count = argc > 1 ? atoi(argv[1]) : 12, steps = argc > 2 ? atoi(argv[2]) : 4, mine = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	struct patch *list = malloc(count * sizeof(*list));
	double *edge = calloc(count, sizeof(double)), *edges = calloc(count, sizeof(double));
	for (int id = 0; id < count; id++) {
		int level = id % 3;
		if (id % size != rank)
			continue;
		struct patch *p = &list[mine++];
		p->id = id;
		p->level = level;
		p->u = malloc(P * P * sizeof(double));
		p->w = malloc(P * P * sizeof(double));
		for (int k = 0; k < P * P; k++)
			p->u[k] = p->w[k] = id + 0.1 * k;
	}
	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < count; i++)
			edge[i] = 0;
		for (int i = 0; i < mine; i++)
			edge[list[i].id] = list[i].u[P * P - 1];
		MPI_Allreduce(edge, edges, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		for (int i = 0; i < mine; i++) {
			struct patch *p = &list[i];
			double h = 0.1 / (1 << p->level), in = edges[(p->id + count - 1) % count];
			for (int y = 0; y < P; y++)
				for (int x = 0; x < P; x++) {
					double l = x ? p->u[y * P + x - 1] : in;
					p->w[y * P + x] = p->u[y * P + x] + h * (l - p->u[y * P + x]);
				}
			double *t = p->u;
			p->u = p->w;
			p->w = t;
		}
	}
	double sum = 0, all;
	for (int i = 0; i < mine; i++)
		for (int k = 0; k < P * P; k++)
			sum += list[i].u[k];
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("patches: %.10g\n", all);
	for (int i = 0; i < mine; i++) {
		free(list[i].u);
		free(list[i].w);
	}
	free(list);
	free(edge);
	free(edges);
	MPI_Finalize();
	return 0;
}
