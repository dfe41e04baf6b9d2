// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of C++ to be called from the debugger: several of one name, in name spaces and classes, and templates;
// objects of the library that are no arrays of their own.
#include <iostream>
#include <mpi.h>
#include <valarray>
#include <vector>

int over(int x)
{
	return x + 1;
}
double over(double x)
{
	return x + 0.5;
}
namespace one
{
int fun(int x)
{
	return x + 100;
}
}
namespace two
{
int fun(int x)
{
	return x + 200;
}
enum class Kind { Solid, Gas = 7 };
static Kind phase = Kind::Gas;
}
struct A {
	int i = 1;
	int kind() const
	{
		return 1;
	}
	static int three(int k)
	{
		return k * 3;
	}
};
struct B {
	double d = 2;
	int kind() const
	{
		return 2;
	}
};
int says(int x)
{
	std::cout << "says " << x << '\n';
	return x;
}
namespace one
{
struct Base {
	static int shared;
};
int Base::shared = 20;
template <class T, int N> struct Grid : Base {
	static T scale;
	T v[N];
};
template <class T, int N> T Grid<T, N>::scale = T();
struct Named {
	static constexpr double half = 0.5;
	int i = 3;
};
}
struct Shape {
	int id = 1;
	virtual ~Shape()
	{
	}
	virtual int area(int k) const
	{
		return k;
	}
	virtual int area(double k) const
	{
		return -(int)k;
	}
};
struct Named {
	int n = 9;
	virtual int name() const
	{
		return n;
	}
};
struct Square : Shape, Named {
	int s = 3;
	int area(int k) const override
	{
		return k + s * s;
	}
	int name() const override
	{
		return 100 + s + n;
	}
	int side() const
	{
		return s;
	}
};
struct Body {
	virtual ~Body()
	{
	}
	virtual int mass(int k) const = 0;
};
struct Stone : Body {
	int kilo = 10;
	int mass(int k) const override
	{
		return k * kilo;
	}
};
struct Feather : Body {
	int gram = 2;
	int mass(int k) const override
	{
		return k * gram;
	}
};
struct Spot {
	double x, y, z;
	Spot(double a, double b, double c) : x(a), y(b), z(c)
	{
	}
	double dot(Spot o) const
	{
		return x * o.x + y * o.y + z * o.z;
	}
};
double dot(Spot a, const Spot &b)
{
	return a.dot(b);
}
int emptied(std::vector<int> v)
{
	int n = (int)v.size();

	v.clear();
	return n;
}
template <class T> T total(const std::vector<T> &v)
{
	T s{};
	for (const T &x : v)
		s += x;
	return s;
}

struct Root {
	int r = 5;
	int far(int k) const { return r * k; }
};
struct Turner : Named, Root {
	int n = 7;
	int plus(int k) const { return n + k; }
	std::string label(int k) const { return std::to_string(n + k) + " turns, " + std::string(20, 'x'); }
	Spot corner() const { return Spot(n, 1, 2); }
	int work()
	{
		MPI_Barrier(MPI_COMM_WORLD);
		return plus(1) + (int)label(2).size() + far(3) + (int)dot(corner(), corner());
	}
};

int main(int argc, char **argv)
{
	std::ios::sync_with_stdio(false);
	MPI_Init(&argc, &argv);
	std::cout << "begins ";
	A a;
	B b;
	int whole = 3;
	double real = 4;
	std::vector<int> v{ 4, 5, 6 };
	std::vector<double> w{ 0.5, 1 };
	std::valarray<double> va{ 1, 2, 3 };
	double *p = w.data();
	one::Grid<double, 4> grid{};
	one::Grid<one::Named, 2> inner{};
	one::Named named;
	grid.scale = 4.5;
	inner.scale.i = 7;
	Square square;
	Shape shape, *shown = &square;
	Stone stone;
	Feather feather;
	const Body *body[] = { &stone, &feather };
	Named plain;
	Named *called = &square;
	Spot spot(1, 2, 3), other(4, 5, 6);
	const Spot &same = other;
	MPI_Barrier(MPI_COMM_WORLD);
	int sum = (int)dot(spot, same) + emptied(v) + over(whole) + a.kind() + b.kind() + one::fun(1) + two::fun(1) + A::three(2) + total(v) + says(3) + (int)two::phase;
	Turner turner;
	sum += turner.work();
	MPI_Finalize();
	sum += shown->area(1) + shown->area(1.5) + shape.area(2) + called->name() + plain.name() + square.side();
	sum += body[0]->mass(1) + body[1]->mass(1);
	sum += (int)grid.scale + inner.v[0].i + grid.shared + named.i;
	return sum + over(real) + total(w) + va.sum() + p[0] == 0;
}
