/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi in blocks of rows and columns, in single precision: plate ROWS COLS STEPS [FAULT]. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDX(i, j) ((i) * ld + (j))

static int dims[2], periods[2], pos[2], north, south, west, east;
static MPI_Comm cart;
static MPI_Datatype column;

/* The last one takes what is left over. */
static int share(int n, int parts, int k)
{
    return k == parts - 1 ? n - (n / parts) * (parts - 1) : n / parts;
}

static void halo(float *u, int nr, int nc, int ld, int fault)
{
    MPI_Sendrecv(&u[IDX(1, 1)], nc, MPI_FLOAT, north, 10, &u[IDX(nr + 1, 1)], nc, MPI_FLOAT,
                 south, 10, cart, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[IDX(nr, 1)], nc, MPI_FLOAT, south, 11, &u[IDX(0, 1)], nc, MPI_FLOAT,
                 north, 11, cart, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[IDX(1, 1)], 1, column, west, 12, &u[IDX(1, nc + 1)], 1, column,
                 east, 12, cart, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[IDX(1, fault == 2 ? nc - 1 : nc)], 1, column, east, 13, &u[IDX(1, 0)], 1,
                 column, west, 13, cart, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int size, rows, cols, steps, fault;
    float heat = 1.5f, local, norm = 0;

    MPI_Init(&argc, &argv);
    if (argc < 4) {
        fprintf(stderr, "usage: plate ROWS COLS STEPS [FAULT]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    rows = atoi(argv[1]);
    cols = atoi(argv[2]);
    steps = atoi(argv[3]);
    fault = argc > 4 ? atoi(argv[4]) : 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    int rank;
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_coords(cart, rank, 2, pos);
    MPI_Cart_shift(cart, 0, 1, &north, &south);
    MPI_Cart_shift(cart, 1, 1, &west, &east);

    const int nr = share(rows, dims[0], pos[0]), nc = share(cols, dims[1], pos[1]);
    const int i0 = pos[0] * (rows / dims[0]), j0 = pos[1] * (cols / dims[1]);
    const int ld = nc + 2;
    MPI_Type_vector(nr, 1, ld, MPI_FLOAT, &column);
    MPI_Type_commit(&column);

    float *u = calloc((size_t)(nr + 2) * ld, sizeof(float));
    float *w = calloc((size_t)(nr + 2) * ld, sizeof(float));
    for (int i = 1; i <= nr; i++)
        for (int j = 1; j <= nc; j++)
            u[IDX(i, j)] = heat * ((i0 + i) * 7 % 11) + 0.25f * ((j0 + j) * 5 % 13);

    for (int step = 0; step < steps; step++) {
        if (fault != 1)
            halo(u, nr, nc, ld, fault);
        for (int i = 1; i <= nr; i++)
            for (int j = 1; j <= nc; j++)
                w[IDX(i, j)] = 0.25f * (u[IDX(i - 1, j)] + u[IDX(i + 1, j)] + u[IDX(i, j - 1)] +
                                        u[IDX(i, j + 1)]);
        memcpy(u, w, (size_t)(nr + 2) * ld * sizeof(float));
    }

    local = 0;
    for (int i = 1; i <= nr; i++)
        for (int j = 1; j <= nc; j++)
            if (u[IDX(i, j)] > local)
                local = u[IDX(i, j)];
    MPI_Allreduce(&local, &norm, 1, MPI_FLOAT, fault == 3 ? MPI_MIN : MPI_MAX, cart);
    if (!rank)
        printf("plate: largest %.6g\n", norm);
    free(u);
    free(w);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
