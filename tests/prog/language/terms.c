/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terms: what expressions are made of. Arrays that are distributed by rows, with halos that are as large as
 * nothing else; replicated ones; variables of a function that nothing has registered. All of it has the same values
 * on any number of ranks, but what is called mine.
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "dvmdbg.h"

enum { ROWS = 8, COLUMNS = 6, N = 12 };
enum colour { RED, GREEN = 5, BLUE };

struct point {
	double x, y;
};

struct cell {
	int id;
	double t;
	struct point at;
	float w[3];
	unsigned dirty : 1, level : 5;
	signed low : 4;
	enum colour colour;
	struct cell *next;
};

union word {
	unsigned whole;
	unsigned char byte[4];
};

typedef double real;

double global = 6.5;
unsigned long most = ~0ul, half = 1ul << 63, mosts[2] = { ~0ul - 1, 3 };
long double wide = 1.25L, wides[2] = { 0.5L, 1.5L };
#ifdef __SIZEOF_FLOAT128__
__float128 quad = 1.5;
#else
long double quad = 1.5;
#endif
__int128 large = (__int128)1 << 100, few = -7;
static int counts[4] = { 4, 3, 2, 1 };
static int rank, size;
static const int *marked; /* what it points to is registered */
static real *ages; /* registered as an array */
static struct {
	const double *from;
} ends[2]; /* of grid: the halo before it, and what is owned */

double twice(double x)
{
	return 2 * x;
}

double total(const real *p, int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += p[i];
	return s;
}

int length(const char *s)
{
	int n = 0;

	while (s[n])
		n++;
	return n;
}

int tick(void)
{
	static int ncalls = 10;

	return ++ncalls;
}

static void look(const struct cell *c, real *p, int n)
{
	struct cell cells[5], *first = cells;
	double row[4] = { 1.5, 2.5, -3.5, 4.5 }, nothing[3] = { NAN, INFINITY, 1 };
	int table[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, i = 2, mine = 10 * rank;
	double complex z = 3 + 4 * I;
	enum colour colour = BLUE;
	union word word = { 0x01020304 };
	unsigned char byte = 200;
	long big = -123456789012L;
	float single = 0.5f;
	bool yes = true;
	char text[8] = "abc";
	int *to = &table[1][0], **toto = &to;
	struct cell *none = NULL;
	void *raw = cells;

	for (int k = 0; k < 5; k++)
		cells[k] = (struct cell){ .id = k,
					  .t = k * 0.5,
					  .at = { k, -k },
					  .w = { (float)k, (float)k + 1, (float)k + 2 },
					  .dirty = k % 2,
					  .level = (unsigned)k + 20,
					  .low = -k,
					  .colour = k ? GREEN : RED,
					  .next = k < 4 ? &cells[k + 1] : NULL };
	DVMDBG_PL(.range = { { 0, N - 1 } })
	i++;
	row[0] += cells[i].t + nothing[2] + table[0][0] + mine + creal(z) + colour + word.whole + byte + (double)big;
	row[1] += single + yes + text[0] + **toto + (first != NULL) + (none != NULL) + (raw != NULL) + c->t + p[0] + n;
}

/* This rank's part of n indices. */
static long first(long n)
{
	return n * rank / size;
}

static long last(long n)
{
	return n * (rank + 1) / size - 1;
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	double grid[ROWS + 2][COLUMNS], odd[N], other[ROWS + 2][COLUMNS];
	float complex waves[N];
	long whole[N], r0, r1, i0, i1;
	bool flags[N];
	int copies[6] = { 3, 1, 4, 1, 5, 9 }, k = 3;
	double eps = 0.25;
	struct point par = { 1.5, -2 };
	struct cell cell = { .id = 7, .t = 2.25, .at = { 8, 9 } };
	real heap[N];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	r0 = first(ROWS);
	r1 = last(ROWS);
	i0 = first(N);
	i1 = last(N);
	for (long i = 0; i < ROWS + 2; i++)
		for (long j = 0; j < COLUMNS; j++) {
			bool own = i > 0 && i <= r1 - r0 + 1;

			grid[i][j] = own ? (double)((r0 + i - 1) * COLUMNS + j) : 1e6;
			other[i][j] = own ? (double)((r0 + i - 1) - j) : -1e6;
		}
	for (long i = i0; i <= i1; i++) {
		odd[i - i0] = i == 3 ? (double)NAN : i == 7 ? -(double)INFINITY : (double)i;
		waves[i - i0] = (float)i - 2 * I;
		whole[i - i0] = (i * 5) % N - 4;
		flags[i - i0] = i % 3 == 0;
	}
	for (int i = 0; i < N; i++)
		heap[i] = i * i;
	DVMDBG_ARRAY(grid, .shape = { ROWS, COLUMNS }, .own = { { r0, r1 }, { 0, COLUMNS - 1 } }, .halo = { 1, 0 });
	DVMDBG_ARRAY(other, .shape = { ROWS, COLUMNS }, .own = { { r0, r1 }, { 0, COLUMNS - 1 } }, .halo = { 1, 0 });
	DVMDBG_ARRAY(odd, .shape = { N }, .own = { { i0, i1 } });
	DVMDBG_ARRAY(waves, .shape = { N }, .own = { { i0, i1 } });
	DVMDBG_ARRAY(whole, .shape = { N }, .own = { { i0, i1 } });
	DVMDBG_ARRAY(flags, .shape = { N }, .own = { { i0, i1 } });
	DVMDBG_ARRAY(copies, .shape = { 6 }, .replicated = 1);
	ages = heap;
	DVMDBG_ARRAY(ages, .shape = { N }, .replicated = 1);
	marked = &copies[2];
	ends[0].from = grid[0];
	ends[1].from = grid[1];
	DVMDBG_REPLICATED(k);
	DVMDBG_REPLICATED(eps);
	DVMDBG_STRUCT(par, DVMDBG_FIELD(par, x), DVMDBG_FIELD(par, y));
	DVMDBG_SL(.range = { { 1, 2 } })
	for (int it = 1; it <= 2; it++) {
		DVMDBG_ITERATION(it);
		look(&cell, heap, N);
	}
	global += counts[0] + *marked + *ends[0].from + twice(total(heap, N)) + length("terms") + tick();
	MPI_Finalize();
	return 0;
}
