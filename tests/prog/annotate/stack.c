/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat in a plate, arrays of variable length on the stack: stack ROWS COLUMNS STEPS [FAULT] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void halo(int m, int n, double u[m + 2][n], int above, int below)
{
  MPI_Sendrecv(u[1], n, MPI_DOUBLE, above, 0, u[m + 1], n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u[m], n, MPI_DOUBLE, below, 1, u[0], n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double smooth(int m, int n, double u[m + 2][n], double w[m + 2][n], double k)
{
  double biggest = 0;
  for (int i = 1; i <= m; i++) {
    for (int j = 1; j < n - 1; j++) {
      double d = k * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j]);
      w[i][j] = u[i][j] + d;
      if (d > biggest)
        biggest = d;
    }
  }
  return biggest;
}

int main(int argc, char **argv)
{
  int rows = argc > 1 ? atoi(argv[1]) : 20, cols = argc > 2 ? atoi(argv[2]) : 15, steps = argc > 3 ? atoi(argv[3]) : 6;
  int fault = argc > 4 ? atoi(argv[4]) : 0, me, np;
  double change, worst;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int lo = (long)rows * me / np, m = (long)rows * (me + 1) / np - lo;
  int above = me ? me - 1 : MPI_PROC_NULL, below = me + 1 < np ? me + 1 : MPI_PROC_NULL;
  double u[m + 2][cols], w[m + 2][cols];

  for (int i = 0; i < m + 2; i++)
    for (int j = 0; j < cols; j++)
      u[i][j] = w[i][j] = (i + lo - 1) * 0.5 + j * j * 0.25;
  for (int t = 0; t < steps; t++) {
    if (fault != 1)
      halo(m, cols, u, above, below);
    change = smooth(m, cols, u, w, 0.2);
    MPI_Allreduce(&change, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 1; i <= m; i++)
      for (int j = 0; j < cols; j++)
        u[i][j] = w[i][j];
  }
  if (me == 0)
    printf("stack: %.10g\n", worst);
  MPI_Finalize();
  return 0;
}
