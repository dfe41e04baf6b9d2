/* SPDX-License-Identifier: BSD-3-Clause */
/* Seven-point relaxation in a box divided along all three axes: cube NX NY NZ STEPS [FAULT] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n[3] = {10, 11, 12}, lo[3], len[3], dims[3], at[3];
static MPI_Comm cart;

#define I(i, j, k) (((size_t)(i) * (len[1] + 2) + (j)) * (len[2] + 2) + (k))

static void renew(double *u, int fault)
{
    for (int d = 0; d < 3; d++) {
        int sizes[3] = {len[0] + 2, len[1] + 2, len[2] + 2}, sub[3] = {len[0] + 2, len[1] + 2, len[2] + 2};
        int down, up, begin[3] = {0, 0, 0};
        MPI_Datatype t[4];

        sub[d] = 1;
        for (int k = 0; k < 4; k++) {
            int w[4] = {0, 1, len[d], len[d] + 1};
            begin[d] = w[k];
            MPI_Type_create_subarray(3, sizes, sub, begin, MPI_ORDER_C, MPI_DOUBLE, &t[k]);
            MPI_Type_commit(&t[k]);
        }
        MPI_Cart_shift(cart, d, 1, &down, &up);
        if (fault != d + 1)
            MPI_Sendrecv(u, 1, t[2], up, 0, u, 1, t[0], down, 0, cart, MPI_STATUS_IGNORE);
        MPI_Sendrecv(u, 1, t[1], down, 1, u, 1, t[3], up, 1, cart, MPI_STATUS_IGNORE);
        for (int k = 0; k < 4; k++)
            MPI_Type_free(&t[k]);
    }
}

int main(int argc, char **argv)
{
    int rank, size, steps, fault, periods[3] = {0, 0, 0};

    MPI_Init(&argc, &argv);
    for (int d = 0; d < 3; d++)
        if (argc > d + 1)
            n[d] = atoi(argv[d + 1]);
    steps = argc > 4 ? atoi(argv[4]) : 3;
    fault = argc > 5 ? atoi(argv[5]) : 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &cart);
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_coords(cart, rank, 3, at);
    for (int d = 0; d < 3; d++) {
        lo[d] = n[d] * at[d] / dims[d];
        len[d] = n[d] * (at[d] + 1) / dims[d] - lo[d];
    }
    size_t all = (size_t)(len[0] + 2) * (len[1] + 2) * (len[2] + 2);
    double *u = calloc(all, sizeof *u), *w = calloc(all, sizeof *w);

    for (int i = 1; i <= len[0]; i++)
        for (int j = 1; j <= len[1]; j++)
            for (int k = 1; k <= len[2]; k++)
                u[I(i, j, k)] = (lo[0] + i) + 0.1 * (lo[1] + j) * (lo[1] + j) + 0.01 * (lo[2] + k);
    for (int t = 0; t < steps; t++) {
        renew(u, fault);
        for (int i = 1; i <= len[0]; i++)
            for (int j = 1; j <= len[1]; j++)
                for (int k = 1; k <= len[2]; k++)
                    w[I(i, j, k)] = (u[I(i - 1, j, k)] + u[I(i + 1, j, k)] + u[I(i, j - 1, k)] + u[I(i, j + 1, k)] +
                                     u[I(i, j, k - 1)] + u[I(i, j, k + 1)]) / 6;
        double *x = u;
        u = w;
        w = x;
    }
    double mine = 0, sum;
    for (int i = 1; i <= len[0]; i++)
        for (int j = 1; j <= len[1]; j++)
            for (int k = 1; k <= len[2]; k++)
                mine += u[I(i, j, k)];
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, cart);
    if (rank == 0)
        printf("cube: %.12g\n", sum);
    free(u);
    free(w);
    MPI_Comm_free(&cart);
    MPI_Finalize();
    return 0;
}
