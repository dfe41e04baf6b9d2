/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variables of many kinds, in functions in which a rank stays: "spin" in a loop, "recv" in MPI, "crash".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN = 5, BLUE };

struct point {
	double x, y;
};

struct grid {
	int n;
	struct point origin;
	double *u;
	unsigned dirty : 1, level : 5;
	char name[8];
	struct grid *next;
};

static double limit = 2.5;
double shared_sum = 10;
static volatile int go_on;

static void stay(const char *how)
{
	int none;

	if (!strcmp(how, "recv"))
		MPI_Recv(&none, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!strcmp(how, "crash"))
		*(volatile int *)8 = 1; /* @crash */
	while (!go_on)
		;
}

static int factorial(int k, const char *how)
{
	if (k == 0) {
		stay(how);
		return 1;
	}
	return k * factorial(k - 1, how);
}

static __attribute__((noinline)) double relax(struct grid *g, double *u, int n, int rank, const char *how)
{
	double sum = 0, row[4] = { 1.5, 2.5, 3.5, 4.5 };
	int table[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
	enum colour colour = GREEN;
	struct point here = { 0.25, -1 };
	char text[16] = "abc";
	void *nothing = NULL;
	double (*function)(struct grid *, double *, int, int, const char *) = relax;
	float single = 0.1f;
	long big = -123456789012L;
	unsigned char byte = 200;
	int mine = 10 * rank;

	for (int i = 0; i < 3; i++)
		sum += u[i] + row[i] + table[0][i] + here.x + single + (double)big + byte + mine;
	factorial(3, how); /* @relax */
	return sum + colour + text[0] + (nothing != NULL) + (function != NULL) + g->n + n;
}

int main(int argc, char **argv)
{
	struct grid grid = { .n = 4, .origin = { 1, 2 }, .dirty = 1, .level = 9, .name = "fine" };
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	grid.u = malloc(8 * sizeof(*grid.u));
	for (int i = 0; i < 8; i++)
		grid.u[i] = i + 0.5;
	grid.next = &grid;
	shared_sum = relax(&grid, grid.u, 8, rank, argc > 1 ? argv[1] : "spin") * limit;
	MPI_Finalize();
	return 0;
}
