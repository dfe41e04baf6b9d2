// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 throws what nobody catches: throw from a function object in a template, range in the library's own. The lines
// that a test asks for have a word behind them.
#include <cstring>
#include <mpi.h>
#include <stdexcept>
#include <vector>

static const char *how;
static int rank;

template <class T> struct field {
	std::vector<T> v;

	T &at(size_t i)
	{
		return v.at(i); /* @at */
	}
	template <class F> T reduce(F f)
	{
		T sum{};

		for (auto &x : v)
			sum = f(sum, x);
		return sum;
	}
};

struct solver {
	field<double> u;

	double step()
	{
		auto add = [](double a, double b) {
			if (b > 6.5 && rank == 1 && !std::strcmp(how, "throw"))
				throw std::runtime_error("diverged"); /* @throw */
			return a + b;
		};

		return u.reduce(add); /* @reduce */
	}
};

int main(int argc, char **argv)
{
	double local, all;
	solver s;

	how = argc > 1 ? argv[1] : "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 10; i++)
		s.u.v.push_back(i);
	local = s.step(); /* @step */
	if (rank == 1 && !std::strcmp(how, "range"))
		local += s.u.at(99);
	MPI_Allreduce(&local, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* @allreduce */
	MPI_Finalize();
	return all < 0;
}
