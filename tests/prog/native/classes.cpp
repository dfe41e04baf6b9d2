// SPDX-License-Identifier: GPL-3.0-or-later
// Classes with several bases, with virtual ones, and enumerations without a sign.
#include <mpi.h>

struct A {
	int a = 1;
	virtual int f() const
	{
		return a;
	}
};
struct B {
	int b = 2;
	virtual int g() const
	{
		return 10 * b;
	}
	int three() const
	{
		return 3 * b;
	}
};
struct C : A, B {
	int c = 3;
};
struct V {
	int v = 4;
	int twice() const
	{
		return 2 * v;
	}
	virtual ~V()
	{
	}
};
struct V1 : virtual V {
	int v1 = 5;
};
struct V2 : virtual V {
	int v2 = 6;
};
struct W : V1, V2 {
	int w = 7;
};
int by_reference(B &b)
{
	return b.b;
}
int by_pointer(const B *b)
{
	return b->b;
}
int virtual_base(V &v)
{
	return v.v;
}
struct Case {
	enum Way { LEFT = 3, RIGHT };
	double (*op)(double);
};
double twice(double x)
{
	return 2 * x;
}
static int counted = 5;
int &counter()
{
	return counted;
}
enum class Kind : unsigned char { Ion = 2, Neutral = 200 };
enum Wide { WIDE = 0xffffffffu, NARROW = 1 };

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	C c, *pc = &c;
	B *pb = &c;
	W w;
	V *pv = &w;
	V2 *p2 = &w;
	Kind kind = Kind::Neutral;
	Wide wide = WIDE;
	Case::Way way = Case::RIGHT;
	Case at = { twice };
	double (*function)(double) = twice;
	MPI_Barrier(MPI_COMM_WORLD);
	int sum = by_reference(*pb) + by_pointer(pc) + virtual_base(w) + c.three() + p2->twice() + pv->v + (kind == Kind::Ion) + (wide == NARROW) + (int)function(at.op(1)) + way + counter();
	MPI_Finalize();
	return sum == 0;
}
