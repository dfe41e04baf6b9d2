/* SPDX-License-Identifier: BSD-3-Clause */
/* Conjugate gradients with a matrix of rows, vectors gathered on all ranks: cg N [FAULT] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

int n, rank, nprocs, nloc, row0;
int *counts, *displs;

double dot(const double *a, const double *b)
{
    double s = 0.0, t;
    int i;

    for (i = 0; i < nloc; i++)
        s += a[i] * b[i];
    MPI_Allreduce(&s, &t, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return t;
}

/* y = A x: tridiagonal, and far neighbours */
void matvec(const double *xfull, double *y)
{
    int i;

    for (i = 0; i < nloc; i++) {
        int g = row0 + i;
        double v = (4.0 + 0.01 * g) * xfull[g];
        if (g > 0) v -= xfull[g - 1];
        if (g < n - 1) v -= xfull[g + 1];
        if (g >= 7) v -= 0.5 * xfull[g - 7];
        if (g + 7 < n) v -= 0.5 * xfull[g + 7];
        y[i] = v;
    }
}

int main(int argc, char **argv)
{
    int i, k, fault = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    n = 120;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) fault = atoi(argv[2]);

    counts = malloc(nprocs * sizeof(int));
    displs = malloc(nprocs * sizeof(int));
    for (i = 0; i < nprocs; i++) {
        counts[i] = n / nprocs + (i < n % nprocs ? 1 : 0);
        displs[i] = i == 0 ? 0 : displs[i - 1] + counts[i - 1];
    }
    nloc = counts[rank];
    row0 = displs[rank];

    double *x = malloc(nloc * sizeof(double)), *r = malloc(nloc * sizeof(double));
    double *p = malloc(nloc * sizeof(double)), *q = malloc(nloc * sizeof(double));
    double *pfull = malloc(n * sizeof(double));

    for (i = 0; i < nloc; i++) {
        x[i] = 0.0;
        r[i] = 1.0 + 0.5 * sin(0.3 * (row0 + i));
        p[i] = r[i];
    }
    double rr = dot(r, r), alpha, beta, rr0 = rr;
    for (k = 0; k < 60 && rr > 1e-16 * rr0; k++) {
        MPI_Allgatherv(p, nloc, MPI_DOUBLE, pfull, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
        if (fault == 1 && rank == nprocs - 1 && nprocs > 1)
            pfull[0] = 0;
        matvec(pfull, q);
        alpha = rr / dot(p, q);
        for (i = 0; i < nloc; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double old = rr;
        rr = dot(r, r);
        beta = rr / old;
        for (i = 0; i < nloc; i++)
            p[i] = r[i] + beta * p[i];
    }
    double xx = dot(x, x);
    if (rank == 0)
        printf("cg: %d iterations, |x| %.10g\n", k, sqrt(xx));
    free(x); free(r); free(p); free(q); free(pfull);
    free(counts); free(displs);
    MPI_Finalize();
    return 0;
}
