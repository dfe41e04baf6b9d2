// SPDX-License-Identifier: BSD-3-Clause
// Marks beside C++: templates, members, references, namespaces.
#include <cstdio>
#include <cstdlib>
#include <vector>
namespace other
{
double weight[2];
}
namespace mesh
{
int cells = 6;
double weight[8];
static int hidden = 3;
struct Base {
	int lo = 1;
};
template <class T> struct Field : Base {
	int n;
	T *data;
	std::vector<T> v;
	explicit Field(int n) : n(n), data(new T[n]()), v(n)
	{
	}
	void fill(T by)
	{
		for (int i = 0; i < n; i++) /* @fill */
			data[i] = by + i;   /* @filling */
		std::printf("%g\n", (double)data[n - 1]);
	}
};
} // namespace mesh
static void sweep(mesh::Field<double> &f, double *&p, int &m)
{
	for (int i = 0; i < m; i++)   /* @sweep */
		p[i] = f.data[i] * 2; /* @sweeping */
	std::printf("%g\n", p[m - 1]);
}
int main(int argc, char **argv)
{
	mesh::Field<double> f(mesh::cells + argc);
	mesh::Field<float> g(4);
	double *p = (double *)std::malloc(sizeof(double) * f.n);
	int m = f.n;
	f.fill(1.5);
	g.fill(2);
	sweep(f, p, m);
	std::printf("%d\n", mesh::hidden + (int)(mesh::weight[0] + other::weight[0]));
	return 0;
}
