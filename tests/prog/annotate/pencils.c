/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pencils of a grid, whose last ranks have the rest; a mask of bytes without a halo beside fields
 * of floats. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
typedef struct {
	int n[3], l[3], o[3];
	int nb[4];
	MPI_Comm c;
	MPI_Datatype face[4][2];
} grid;
typedef struct {
	grid *g;
	float *v;
} field;
#define AT(f, i, j, k) ((f)->v[((size_t)(i) * ((f)->g->l[1] + 2) + (j)) * ((f)->g->l[2]) + (k)])
static field *field_new(grid *g)
{
	field *f = malloc(sizeof *f);
	f->g = g;
	f->v = calloc((size_t)(g->l[0] + 2) * (g->l[1] + 2) * g->l[2], sizeof(float));
	return f;
}
static void cut(int n, int parts, int which, int *lo, int *len)
{
	int b = n / parts;
	*lo = which * b;
	*len = which == parts - 1 ? n - *lo : b;
}
static void types(grid *g)
{
	int full[3] = { g->l[0] + 2, g->l[1] + 2, g->l[2] };
	for (int d = 0; d < 4; d++)
		for (int h = 0; h < 2; h++) {
			int sub[3] = { g->l[0], g->l[1], g->l[2] }, at[3] = { 1, 1, 0 }, x = d / 2;
			sub[x] = 1;
			at[x] = d % 2 ? g->l[x] + h : 1 - h;
			MPI_Type_create_subarray(3, full, sub, at, MPI_ORDER_C, MPI_FLOAT,
						 &g->face[d][h]);
			MPI_Type_commit(&g->face[d][h]);
		}
}
static void exchange(field *f)
{
	grid *g = f->g;
	MPI_Request q[8];
	int n = 0;
	for (int d = 0; d < 4; d++) {
		MPI_Irecv(f->v, 1, g->face[d][1], g->nb[d], d ^ 1, g->c, &q[n++]);
		MPI_Isend(f->v, 1, g->face[d][0], g->nb[d], d, g->c, &q[n++]);
	}
	MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
}
static void fill(field *f, unsigned char *rock)
{
	grid *g = f->g;
	for (int i = 1; i <= g->l[0]; i++)
		for (int j = 1; j <= g->l[1]; j++)
			for (int k = 0; k < g->l[2]; k++) {
				AT(f, i, j, k) = sinf(0.3f * (g->o[0] + i)) + 0.1f * (g->o[1] + j) +
						 0.01f * k * k;
				rock[((i - 1) * g->l[1] + j - 1) * g->l[2] + k] =
					(g->o[0] + i + g->o[1] + j + k) % 11 == 0;
			}
}
static float sweep(field *to, const field *from, const unsigned char *rock)
{
	grid *g = to->g;
	float worst = 0;
	for (int i = 1; i <= g->l[0]; i++)
		for (int j = 1; j <= g->l[1]; j++)
			for (int k = 1; k < g->l[2] - 1; k++) {
				float x =
					rock[((i - 1) * g->l[1] + j - 1) * g->l[2] + k]
						? AT(from, i, j, k)
						: (AT(from, i - 1, j, k) + AT(from, i + 1, j, k) +
						   AT(from, i, j - 1, k) + AT(from, i, j + 1, k) +
						   AT(from, i, j, k - 1) + AT(from, i, j, k + 1)) /
							  6;
				worst = fmaxf(worst, fabsf(x - AT(from, i, j, k)));
				AT(to, i, j, k) = x;
			}
	return worst;
}
int main(int argc, char **argv)
{
	grid g;
	int dims[2] = { 0, 0 }, per[2] = { 0, 0 }, co[2], rank, size, steps;
	double s = 0, all;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int n = argc > 1 ? atoi(argv[1]) : 17;
	steps = argc > 2 ? atoi(argv[2]) : 5;
	g.n[0] = n;
	g.n[1] = n + 1;
	g.n[2] = 9;
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, per, 1, &g.c);
	MPI_Comm_rank(g.c, &rank);
	MPI_Cart_coords(g.c, rank, 2, co);
	MPI_Cart_shift(g.c, 0, 1, &g.nb[0], &g.nb[1]);
	MPI_Cart_shift(g.c, 1, 1, &g.nb[2], &g.nb[3]);
	cut(g.n[0], dims[0], co[0], &g.o[0], &g.l[0]);
	cut(g.n[1], dims[1], co[1], &g.o[1], &g.l[1]);
	g.l[2] = g.n[2];
	g.o[2] = 0;
	types(&g);
	field *a = field_new(&g), *b = field_new(&g);
	unsigned char *rock = malloc((size_t)g.l[0] * g.l[1] * g.l[2]);
	fill(a, rock);
	memcpy(b->v, a->v, sizeof(float) * (g.l[0] + 2) * (g.l[1] + 2) * g.l[2]);
	for (int t = 0; t < steps; t++) {
		float e, worst;
		exchange(a);
		e = sweep(b, a, rock);
		MPI_Allreduce(&e, &worst, 1, MPI_FLOAT, MPI_MAX, g.c);
		field *x = a;
		a = b;
		b = x;
		if (worst < 1e-9f)
			break;
	}
	for (int i = 1; i <= g.l[0]; i++)
		for (int j = 1; j <= g.l[1]; j++)
			for (int k = 0; k < g.l[2]; k++)
				s += AT(a, i, j, k);
	MPI_Reduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, 0, g.c);
	if (!rank)
		printf("%.10g\n", all);
	MPI_Finalize();
	return 0;
}
