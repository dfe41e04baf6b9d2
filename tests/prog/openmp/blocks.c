/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocated memory that threads write at the same time: NAME of what a line writes first, after @is. */
#include <stdio.h>
#include <stdlib.h>

#define N 40

struct cell {
	double t;
	int k[3];
};

struct grid {
	double *u;
	struct cell *c;
	double **rows;
};

static void make(double **out)
{
	*out = malloc(N * sizeof(double));
}

static double *made(void)
{
	return malloc(N * sizeof(double));
}

int main(void)
{
	struct grid g, *p = &g;
	double *a =
		(double *)malloc(N * sizeof(*a));
	int *b = calloc(N, 4), *c = calloc(N, 4);
	double(*m)[10] = malloc(N * sizeof(*m));
	double *o, *q = made();

	p->u = malloc(N * sizeof(*p->u));
	if (!(p->c = calloc(N, sizeof(*p->c))))
		return 1;
	p->rows = malloc(N * sizeof(*p->rows));
	for (int i = 0; i < N; i++)
		p->rows[i] = calloc(N, 8);
	make(&o);
#pragma omp parallel for
	for (int i = 2; i < N; i++) {
		a[i / 2] = i;		 /* @is a[1] */
		b[i / 2] = i;		 /* @is byte 4 of the block allocated at blocks.c:34 */
		c[i / 2] = i;		 /* @is byte 4 of the block allocated at blocks.c:34 */
		m[i / 2][3] = i;	 /* @is m[1][3] */
		o[i / 2] = i;		 /* @is byte 8 of the block allocated at blocks.c:21 */
		q[i / 2] = i;		 /* @is byte 8 of the block allocated at blocks.c:26 */
		p->u[i / 2] = i;	 /* @is p->u[1] */
		p->c[i / 2].k[1] = i;	 /* @is p->c[1].k[1] */
		p->rows[i / 2][7] = i;	 /* @is p->rows[i][7] */
	}
	printf("%g\n", a[3]);
	return 0;
}
