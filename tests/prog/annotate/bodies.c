/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that attract each other; all ranks have all of them and move their own: bodies N STEPS [FAULT] */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 40, steps = argc > 2 ? atoi(argv[2]) : 6;
    int fault = argc > 3 ? atoi(argv[3]) : 0, rank, size, r, i, j, s;
    double dt = 0.01;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int *count = malloc(size * sizeof(int)), *start = malloc(size * sizeof(int));
    for (r = 0; r < size; r++) {
        start[r] = r * n / size;
        count[r] = (r + 1) * n / size - start[r];
    }
    int i0 = start[rank], i1 = start[rank] + count[rank];

    double *x = malloc(n * sizeof(double)), *y = malloc(n * sizeof(double));
    double *mass = malloc(n * sizeof(double));
    double *vx = malloc((i1 - i0) * sizeof(double)), *vy = malloc((i1 - i0) * sizeof(double));

    for (i = 0; i < n; i++) {
        x[i] = cos(2.4 * i) * (1 + 0.1 * i);
        y[i] = sin(2.4 * i) * (1 + 0.1 * i);
        mass[i] = 1 + 0.01 * (i % 5);
    }
    for (i = 0; i < i1 - i0; i++)
        vx[i] = vy[i] = 0;

    for (s = 0; s < steps; s++) {
        for (i = i0; i < i1; i++) {
            double fx = 0, fy = 0;
            for (j = 0; j < n; j++) {
                double dx = x[j] - x[i], dy = y[j] - y[i];
                double d = dx * dx + dy * dy + 0.01;
                fx += mass[j] * dx / (d * sqrt(d));
                fy += mass[j] * dy / (d * sqrt(d));
            }
            vx[i - i0] += dt * fx;
            vy[i - i0] += dt * fy;
        }
        for (i = i0; i < i1; i++) {
            x[i] += dt * vx[i - i0];
            y[i] += dt * vy[i - i0];
        }
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, count, start, MPI_DOUBLE, MPI_COMM_WORLD);
        if (fault != 1)
            MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, count, start, MPI_DOUBLE,
                           MPI_COMM_WORLD);
    }

    double e = 0, energy;
    for (i = 0; i < i1 - i0; i++)
        e += 0.5 * mass[i0 + i] * (vx[i] * vx[i] + vy[i] * vy[i]);
    MPI_Allreduce(&e, &energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("bodies: %.10g\n", energy);
    free(x); free(y); free(mass); free(vx); free(vy); free(count); free(start);
    MPI_Finalize();
    return 0;
}
