// SPDX-License-Identifier: BSD-3-Clause
// Burgers' equation with vectors in main, passed by reference: vectors CELLS STEPS [FAULT]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

using Field = std::vector<double>;

static void renew(Field &u, int lo, int hi)
{
    const int n = (int)u.size() - 2;
    MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, lo, 0, &u[n + 1], 1, MPI_DOUBLE, hi, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[n], 1, MPI_DOUBLE, hi, 0, &u[0], 1, MPI_DOUBLE, lo, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void advance(const Field &u, Field &v, double c)
{
    for (std::size_t i = 1; i + 1 < u.size(); ++i) {
        v[i] = u[i] - c * u[i] * (u[i] - u[i - 1]) + 0.1 * (u[i + 1] - 2 * u[i] + u[i - 1]);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int cells = argc > 1 ? std::atoi(argv[1]) : 64, steps = argc > 2 ? std::atoi(argv[2]) : 8;
    const int fault = argc > 3 ? std::atoi(argv[3]) : 0;
    const int rest = cells % size, local = cells / size + (rank >= size - rest ? 1 : 0);
    const int offset = rank * (cells / size) + std::max(0, rank - (size - rest));
    const int lo = rank ? rank - 1 : MPI_PROC_NULL, hi = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

    Field u(local + 2, 0.0), v(local + 2, 0.0);
    for (int i = 1; i <= local; ++i) {
        u[i] = std::sin(0.11 * (offset + i)) + 2;
    }
    for (int n = 0; n < steps; ++n) {
        renew(u, lo, fault == 1 && n == 3 ? MPI_PROC_NULL : hi);
        advance(u, v, 0.05);
        std::swap(u, v);
    }
    double sum = 0, all = 0;
    for (int i = 1; i <= local; ++i)
        sum += u[i];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("vectors: %.12g\n", all);
    MPI_Finalize();
}
