/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with variables of many kinds, for fuzz_native: it stops in inner, by abort. */
#include <complex.h>
#include <stdlib.h>

enum colour { RED, GREEN = 7 };

struct point {
	double x, y;
};

struct cell {
	int id;
	unsigned low : 3, high : 5;
	struct point at, *to;
	float rows[2][3];
	union {
		long whole;
		double real;
	} either;
	struct cell *next;
	enum colour colour;
	const char *name;
	int (*count)(int);
};

static struct cell cells[4];
static int counted;
double table[3][4];
double complex wave = 1 + 2 * I;
_Thread_local int own = 3;

static int twice(int n)
{
	return 2 * n;
}

static double inner(struct cell *c, int n, const double u[])
{
	double row[n], sum = 0;
	static long calls;
	struct cell **last = &c->next;
	unsigned char text[8] = "text";

	calls++;
	for (int i = 0; i < n; i++)
		sum += row[i] = u[i] + i;
	if (calls == 1 && *last && text[0])
		abort();
	return sum + row[0];
}

static double outer(int n)
{
	double u[5] = { 1, 2, 3, 4, 5 };
	struct cell *first = &cells[1];

	first->next = &cells[2];
	first->name = "first";
	first->count = twice;
	first->to = &cells[3].at;
	first->colour = GREEN;
	counted = first->count(n);
	return inner(first, n, u) + own;
}

int main(int argc, char **argv)
{
	table[1][2] = argc;
	return outer(4) > 0 && argv;
}
