// SPDX-License-Identifier: BSD-3-Clause
// The wave equation, columns fixed at both ends: wave ROWS COLUMNS STEPS [FAULT]
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <mpi.h>
#include <vector>

class Membrane {
public:
    Membrane(int rows, int cols, MPI_Comm comm) : comm_(comm), rows_(rows), cols_(cols)
    {
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &size_);
        first_ = rows * rank_ / size_;
        local_ = rows * (rank_ + 1) / size_ - first_;
        past_.resize((local_ + 2) * cols_);
        now_.resize((local_ + 2) * cols_);
        next_.resize((local_ + 2) * cols_);
    }

    void pluck()
    {
        for (int i = 1; i <= local_; ++i)
            for (int j = 0; j < cols_; ++j)
                at(now_, i, j) = at(past_, i, j) = std::sin(M_PI * j / (cols_ - 1)) * bump(first_ + i - 1);
    }

    void exchange()
    {
        int above = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL;
        int below = rank_ + 1 < size_ ? rank_ + 1 : MPI_PROC_NULL;
        MPI_Sendrecv(&at(now_, 1, 0), cols_, MPI_DOUBLE, above, 0, &at(now_, local_ + 1, 0), cols_,
                     MPI_DOUBLE, below, 0, comm_, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&at(now_, local_, 0), cols_, MPI_DOUBLE, below, 0, &at(now_, 0, 0), cols_,
                     MPI_DOUBLE, above, 0, comm_, MPI_STATUS_IGNORE);
    }

    void advance(double c)
    {
        for (int i = 1; i <= local_; ++i) {
            for (int j = 1; j < cols_ - 1; ++j) {
                double laplace = at(now_, i - 1, j) + at(now_, i + 1, j) + at(now_, i, j - 1) +
                                 at(now_, i, j + 1) - 4 * at(now_, i, j);
                at(next_, i, j) = 2 * at(now_, i, j) - at(past_, i, j) + c * laplace;
            }
        }
        past_.swap(now_);
        now_.swap(next_);
    }

    double energy(MPI_Op op) const
    {
        double mine = 0, all = 0;
        for (int i = 1; i <= local_; ++i)
            for (int j = 0; j < cols_; ++j)
                mine += now_[i * cols_ + j] * now_[i * cols_ + j];
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, comm_);
        return all;
    }

    bool root() const { return rank_ == 0; }

private:
    double &at(std::vector<double> &a, int i, int j) { return a[i * cols_ + j]; }
    double bump(int i) const { return std::exp(-0.05 * (i - rows_ / 3) * (i - rows_ / 3)); }

    MPI_Comm comm_;
    int rows_, cols_, rank_, size_, first_, local_;
    std::vector<double> past_, now_, next_;
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        int rows = argc > 1 ? std::atoi(argv[1]) : 30, cols = argc > 2 ? std::atoi(argv[2]) : 40;
        int steps = argc > 3 ? std::atoi(argv[3]) : 8, fault = argc > 4 ? std::atoi(argv[4]) : 0;
        Membrane m(rows, cols, MPI_COMM_WORLD);
        m.pluck();
        for (int s = 0; s < steps; ++s) {
            if (fault != 1 || s % 2)
                m.exchange();
            m.advance(0.2);
        }
        double e = m.energy(fault == 2 ? MPI_MAX : MPI_SUM);
        if (m.root())
            std::cout << "wave: " << e << std::endl;
    }
    MPI_Finalize();
}
