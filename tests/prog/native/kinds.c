/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables of rarer kinds, in a function that aborts; what it was passed is in no register then. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum way { BACK = -1, HERE, AHEAD = 7 };
enum flags { READ = 1, WRITE = 2, RUN = 4 };
struct packed {
	unsigned small : 3;
	enum way way : 4;
	_Bool on : 1;
};

_Thread_local int own = 77;
__int128 wide = ((__int128)1 << 100) + 3;
__int128 less = -((__int128)1 << 70);
long double longer = 1.25L;
unsigned char bytes[5] = { 1, 2, 250, 0, 9 };
unsigned char word[8] = "word";
struct packed packed = { 5, BACK, 1 };
enum flags flags = READ | RUN;
volatile int keep;

/* Rows whose length is an argument. */
static __attribute__((noinline)) double rows(int n, int m, double (*a)[m], const char *how)
{
	double (*inner)[m] = a;

	own++;
	keep = (int)inner[1][m - 1] + how[0];
	fflush(stdout);
	abort(); /* @rows */
	return a[n - 1][0] + own;
}

static __attribute__((noinline)) int passed(int count, const char *how)
{
	double a[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };

	return (int)rows(2, count, a, how);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	keep = (int)(wide >> 99) + (int)less + (int)longer + bytes[argc] + word[argc] + packed.small + flags;
	keep = passed(3, "fast");
	MPI_Finalize();
	return 0;
}
