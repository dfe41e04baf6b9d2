// SPDX-License-Identifier: GPL-3.0-or-later
// Variables of C++: objects of the library, members without "this->", what a lambda has captured, what is inherited.
#include <array>
#include <complex>
#include <cstdlib>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

struct Shape {
	int id = 1;
	double scale = 2;
	virtual ~Shape() {}
	virtual double area() const = 0;
};
struct Named {
	std::string name;
};
struct Circle : Shape, Named {
	double r, scale = 3;
	explicit Circle(double q) : r(q) { name = "circle"; }
	double area() const override;
};

static volatile int stop = 1;
double Circle::area() const
{
	const Circle &self = *this;

	if (stop)
		abort(); // @area
	return self.r * scale;
}

template <class T, int N> struct Grid {
	T data[N];
	std::vector<T> v;
	T sum(const Grid &o) const
	{
		Circle c(1.5);
		Shape &shape = c;
		T s = data[0] + o.v[0];

		return s + shape.area();
	}
};

enum class Colour : unsigned char { Red, Green = 5, Blue };

struct Solver {
	std::vector<double> u{ 1, 2, 3, 4 };
	std::vector<std::vector<int>> nested{ { 1 }, { 2, 3 } };
	std::vector<bool> flags{ true, false, true };
	std::array<int, 3> fixed{ { 7, 8, 9 } };
	std::string title = "solver";
	std::unique_ptr<double> owned{ new double(6.5) };
	std::shared_ptr<int> shared = std::make_shared<int>(11);
	std::complex<double> z{ 1, -2 };
	Colour colour = Colour::Green;
	int Solver::*which = nullptr;
	int n = 5;

	double run(const std::string &what, std::vector<double> &w, int (&three)[3])
	{
		double total = 0;
		auto step = [&, k = 3](double x) {
			Grid<double, 3> g{ { 1, 2, 3 }, { 4, 5 } };

			return x * k + n + g.sum(g) + w[0];
		};

		for (auto &x : u)
			total += step(x) + three[0] + static_cast<double>(what.size());
		return total;
	}
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	Solver solver;
	std::vector<double> w{ 9, 8, 7 };
	int three[3] = { 1, 2, 3 };
	double total = solver.run("a text that is longer than what has room in a string", w, three);
	MPI_Finalize();
	return total > 0;
}
