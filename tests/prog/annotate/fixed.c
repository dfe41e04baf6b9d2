/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything is of fixed size and on all ranks; rows are divided. fixed STEPS [FAULT] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef NX
#define NX 36
#define NY 28
#endif

double u[NY + 2][NX + 2], unew[NY + 2][NX + 2];
int levels[NY + 2][NX + 2];

int main(int argc, char *argv[])
{
  int rank, size, i, j, t;
  int steps = argc > 1 ? atoi(argv[1]) : 10;
  int fault = argc > 2 ? atoi(argv[2]) : 0;
  int is, ie;
  double sum, total;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  is = 1 + rank * NY / size;
  ie = (rank + 1) * NY / size;

  for (i = is; i <= ie; i++)
    for (j = 1; j <= NX; j++) {
      u[i][j] = (i * j) % 10;
      levels[i][j] = 1 + (i + j) % 3;
    }

  for (t = 0; t < steps; t++) {
    if (fault != 1) {
      if (rank < size - 1)
        MPI_Send(&u[ie][0], NX + 2, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
      if (rank > 0)
        MPI_Recv(&u[is - 1][0], NX + 2, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank > 0)
        MPI_Send(&u[is][0], NX + 2, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD);
      if (rank < size - 1)
        MPI_Recv(&u[ie + 1][0], NX + 2, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (i = is; i <= ie; i++)
      for (j = 1; j <= NX; j++)
        unew[i][j] = u[i][j] + 0.05 * levels[i][j] *
                     (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j]);
    for (i = is; i <= ie; i++)
      for (j = 1; j <= NX; j++)
        u[i][j] = unew[i][j];
  }

  sum = 0.0;
  for (i = is; i <= ie; i++)
    for (j = 1; j <= NX; j++)
      sum += u[i][j];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("fixed: %.10g\n", total);
  MPI_Finalize();
  return 0;
}
