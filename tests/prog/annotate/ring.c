/* SPDX-License-Identifier: BSD-3-Clause */
/* A wave function on a ring, halos of two by a neighbourhood collective: ring N STEPS [FAULT] */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define W 2 /* width of the halo */

typedef double complex cplx;

int main(int argc, char **argv)
{
    long n = 128, steps = 15;
    int size, rank, fault = 0, periodic = 1;
    MPI_Comm ring;

    MPI_Init(&argc, &argv);
    if (argc > 1) n = strtol(argv[1], NULL, 0);
    if (argc > 2) steps = strtol(argv[2], NULL, 0);
    if (argc > 3) fault = strtol(argv[3], NULL, 0);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Comm_rank(ring, &rank);

    long begin = rank * n / size, end = (rank + 1) * n / size, len = end - begin;
    cplx *psi = malloc((len + 2 * W) * sizeof(cplx));
    cplx *hpsi = malloc(len * sizeof(cplx));
    double *pot = malloc(len * sizeof(double));
    cplx edge[2 * W];

    for (long k = 0; k < len; k++) {
        double x = 2 * M_PI * (begin + k) / n;
        psi[k + W] = cexp(I * 3 * x) * (1 + 0.5 * cos(x));
        pot[k] = 0.2 * cos(2 * x);
        hpsi[k] = 0;
    }

    for (long t = 0; t < steps; t++) {
        cplx got[2 * W];

        for (int w = 0; w < W; w++) {
            edge[w] = psi[W + w];
            edge[W + w] = psi[len + w];
        }
        /* from the left neighbour comes its right edge; with one or two ranks these are the same */
        if (size > 2 && fault != 1) {
            MPI_Neighbor_alltoall(edge, W, MPI_C_DOUBLE_COMPLEX, got, W, MPI_C_DOUBLE_COMPLEX, ring);
        } else if (fault != 1) {
            MPI_Sendrecv(edge, W, MPI_C_DOUBLE_COMPLEX, (rank + size - 1) % size, 1, got + W, W,
                         MPI_C_DOUBLE_COMPLEX, (rank + 1) % size, 1, ring, MPI_STATUS_IGNORE);
            MPI_Sendrecv(edge + W, W, MPI_C_DOUBLE_COMPLEX, (rank + 1) % size, 2, got, W,
                         MPI_C_DOUBLE_COMPLEX, (rank + size - 1) % size, 2, ring, MPI_STATUS_IGNORE);
        } else {
            for (int w = 0; w < 2 * W; w++) got[w] = 0;
        }
        for (int w = 0; w < W; w++) {
            psi[w] = got[w];
            psi[len + W + w] = got[W + w];
        }
        for (long k = 0; k < len; k++)
            hpsi[k] = pot[k] * psi[k + W] -
                      (-psi[k] + 16 * psi[k + 1] - 30 * psi[k + 2] + 16 * psi[k + 3] - psi[k + 4]) / 24;
        for (long k = 0; k < len; k++)
            psi[k + W] -= I * 0.01 * hpsi[k];
    }

    double mine = 0, norm = 0;
    for (long k = W; k < len + W; k++)
        mine += creal(psi[k] * conj(psi[k]));
    MPI_Reduce(&mine, &norm, 1, MPI_DOUBLE, fault == 2 ? MPI_MAX : MPI_SUM, 0, ring);
    if (rank == 0)
        printf("ring: %.10g\n", norm / n);
    free(psi); free(hpsi); free(pot);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
