/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Laplace's equation in a rectangle, rows of pointers into one block.
 * usage: rows NX NY ITERATIONS [FAULT]
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int nx, ny;      /* points inside */
  int first, rows; /* mine */
} domain;

double **new_grid(int rows, int columns)
{
  double **a = malloc(rows * sizeof *a);
  int i;

  a[0] = calloc(rows * columns, sizeof **a);
  for (i = 1; i < rows; i++)
    a[i] = a[0] + i * columns;
  return a;
}

void free_grid(double **a)
{
  free(a[0]);
  free(a);
}

int me, np, fault;

void swap_edges(double **a, domain *d)
{
  int up = me ? me - 1 : MPI_PROC_NULL, down = me < np - 1 ? me + 1 : MPI_PROC_NULL;
  MPI_Request r[4];
  int n = 0;

  MPI_Irecv(a[0], d->nx + 2, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &r[n++]);
  MPI_Irecv(a[d->rows + 1], d->nx + 2, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &r[n++]);
  MPI_Isend(a[1], d->nx + 2, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &r[n++]);
  MPI_Isend(a[fault == 2 ? d->rows - 1 : d->rows], d->nx + 2, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
            &r[n++]);
  MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
}

double relax(double **a, double **b, domain *d)
{
  int i, j;
  double change = 0.0;

  for (i = 1; i <= d->rows; i++)
    for (j = 1; j <= d->nx; j++) {
      b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
      if (fabs(b[i][j] - a[i][j]) > change)
        change = fabs(b[i][j] - a[i][j]);
    }
  return change;
}

int main(int argc, char **argv)
{
  domain d = {40, 30};
  int it, iterations = 25, i, j;
  double **old, **new, **t, mine, worst = 0.0;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  if (argc > 1) d.nx = atoi(argv[1]);
  if (argc > 2) d.ny = atoi(argv[2]);
  if (argc > 3) iterations = atoi(argv[3]);
  if (argc > 4) fault = atoi(argv[4]);

  d.first = me * d.ny / np;
  d.rows = (me + 1) * d.ny / np - d.first;
  old = new_grid(d.rows + 2, d.nx + 2);
  new = new_grid(d.rows + 2, d.nx + 2);

  /* hot on the left, colder downwards */
  for (i = 0; i < d.rows + 2; i++) {
    old[i][0] = new[i][0] = 100.0 - (d.first + i);
    for (j = 1; j <= d.nx; j++)
      old[i][j] = new[i][j] = (d.first + i) * 0.01 * j;
  }

  for (it = 0; it < iterations; it++) {
    if (fault != 1)
      swap_edges(old, &d);
    mine = relax(old, new, &d);
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    t = old;
    old = new;
    new = t;
  }
  if (me == 0)
    printf("rows: %d x %d, last change %.12g\n", d.nx, d.ny, worst);
  free_grid(old);
  free_grid(new);
  MPI_Finalize();
  return 0;
}
