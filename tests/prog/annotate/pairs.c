/* SPDX-License-Identifier: BSD-3-Clause */
/* Diffusion on two columns of ranks, so their number has to be even: pairs NX NY STEPS [FAULT] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int px, py, cx, cy;      /* ranks, and where this one is */
    int x0, nx, y0, ny;      /* first cell, cells */
    int left, right, down, up;
} Part;

#define AT(x, y) ((y) * (p.nx + 2) + (x))

static void share(int n, int parts, int which, int *first, int *count)
{
    *count = n / parts;
    *first = which * *count;
    if (which == parts - 1)
        *count = n - *first;
}

int main(int argc, char *argv[])
{
    int rank, size, nx, ny, steps, fault;
    MPI_Datatype column;
    Part p;

    MPI_Init(&argc, &argv);
    nx = argc > 1 ? atoi(argv[1]) : 16;
    ny = argc > 2 ? atoi(argv[2]) : 20;
    steps = argc > 3 ? atoi(argv[3]) : 10;
    fault = argc > 4 ? atoi(argv[4]) : 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size % 2) {
        if (rank == 0)
            fprintf(stderr, "number of processes must be even\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    p.px = 2;
    p.py = size / 2;
    p.cx = rank % 2;
    p.cy = rank / 2;
    share(nx, p.px, p.cx, &p.x0, &p.nx);
    share(ny, p.py, p.cy, &p.y0, &p.ny);
    p.left = p.cx ? rank - 1 : MPI_PROC_NULL;
    p.right = p.cx ? MPI_PROC_NULL : rank + 1;
    p.down = p.cy ? rank - 2 : MPI_PROC_NULL;
    p.up = p.cy < p.py - 1 ? rank + 2 : MPI_PROC_NULL;
    MPI_Type_vector(p.ny, 1, p.nx + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);

    double *a = calloc((p.nx + 2) * (p.ny + 2), sizeof(double));
    double *b = calloc((p.nx + 2) * (p.ny + 2), sizeof(double));

    for (int y = 1; y <= p.ny; y++)
        for (int x = 1; x <= p.nx; x++)
            a[AT(x, y)] = (p.x0 + x) * 0.3 + (p.y0 + y) * (p.y0 + y) * 0.07;

    for (int t = 1; t <= steps; t++) {
        MPI_Sendrecv(&a[AT(1, p.ny)], p.nx, MPI_DOUBLE, p.up, 1, &a[AT(1, 0)], p.nx, MPI_DOUBLE, p.down, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&a[AT(1, 1)], p.nx, MPI_DOUBLE, p.down, 2, &a[AT(1, p.ny + 1)], p.nx, MPI_DOUBLE, p.up, 2,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (fault != 1)
            MPI_Sendrecv(&a[AT(p.nx, 1)], 1, column, p.right, 3, &a[AT(0, 1)], 1, column, p.left, 3, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        MPI_Sendrecv(&a[AT(1, 1)], 1, column, p.left, 4, &a[AT(p.nx + 1, 1)], 1, column, p.right, 4, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int y = 1; y <= p.ny; y++)
            for (int x = 1; x <= p.nx; x++)
                b[AT(x, y)] = a[AT(x, y)] + 0.1 * (a[AT(x - 1, y)] + a[AT(x + 1, y)] + a[AT(x, y - 1)] +
                                                   a[AT(x, y + 1)] - 4 * a[AT(x, y)]);
        double *c = a;
        a = b;
        b = c;
    }

    double sum = 0, total = 0;
    for (int y = 1; y <= p.ny; y++)
        for (int x = 1; x <= p.nx; x++)
            sum += a[AT(x, y)];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("pairs: %.10g\n", total);
    MPI_Type_free(&column);
    free(a);
    free(b);
    MPI_Finalize();
    return 0;
}
