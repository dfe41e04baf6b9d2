/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes whose values are looked at later, by the runtime: each is followed by something that
 * changes it, and pending.sh knows which value is to be in the trace. Compiled with dvmdbg-cc.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/dvmdbg.h"

#define N 32

static volatile double a[N];
static long b[4];

struct three {
	double x, y, z;
};
extern struct three three;
struct three three = { 17, 18, 19 };

struct two {
	int x, y;
};
extern struct two twos[4];
struct two twos[4] = { [3] = { 25, 26 } };

/* Nobody is told of this. */
__attribute__((noinline, no_sanitize("thread"))) static void change(volatile double *p, double v)
{
	*p = v;
}

__attribute__((noinline)) static void seen(volatile double *p, double v)
{
	*p = v;
}

/* Memory that goes. */
__attribute__((noinline)) static void gone(void)
{
	volatile double *p = malloc(800);
	volatile double *page =
		mmap((void *)0x10000000000, 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	p[3] = 20;
	free((void *)p);
	p = malloc(80);
	p[4] = 21;
	p = realloc((void *)p, 1 << 20);
	p[4] = 22;
	free((void *)p);
	page[5] = 23;
	munmap((void *)page, 4096);
	a[0] = 24;
}

__attribute__((noinline)) static void inside(void)
{
	a[1] = 1; /* another write of the same */
	a[1] = 2;
	a[2] = 3; /* a read */
	a[3] = a[2];
	a[4] = 4; /* a function that is seen */
	seen(&a[4], 5);
	a[5] = 6; /* one that is not: the value is that of the next event */
	change(&a[5], 7);
	a[6] = 8; /* copies */
	memset((void *)&a[6], 0, sizeof(a[6]));
	a[7] = 9;
	memcpy((void *)&a[8], (void *)&a[7], sizeof(a[7]));
	a[9] = 10;
	memmove((void *)&a[9], (void *)&a[10], sizeof(a[9]));
	*(struct three *)&a[16] = three; /* a structure: gcc tells of the read behind the write */
	twos[1] = twos[3]; /* two members at once */
	__atomic_fetch_add(&b[0], 11, __ATOMIC_SEQ_CST); /* looked at at once */
	__atomic_store_n(&b[1], 12, __ATOMIC_RELEASE);
	a[11] = 13; /* a mark */
	DVMDBG_PL_ITERATION(1);
	change(&a[11], -1);
	a[12] = 14; /* the end of this function */
}

int main(void)
{
	int *x = &twos[0].x, *y = &twos[0].y;

	DVMDBG_ARRAY(a, .shape = { N });
	DVMDBG_ARRAY(b, .shape = { 4 });
	DVMDBG_ARRAY(x, .shape = { 4 }, .stride = { 2 });
	DVMDBG_ARRAY(y, .shape = { 4 }, .stride = { 2 });
	DVMDBG_PL(.range = { { 0, N - 1 } })
	{
		DVMDBG_PL_ITERATION(0);
		inside();
		change(&a[12], -1);
		gone();
		a[13] = 15; /* the end of the loop */
	}
	change(&a[13], -1);
	DVMDBG_PL(.range = { { 0, N - 1 } })
	{
		a[14] = 16; /* the end of the program */
		exit(0);
	}
}
