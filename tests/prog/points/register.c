/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Registrations that are right and wrong: register CASE. It prints what an element of the array is,
 * and never touches what it does not have. Wrong ones end in '!' in the list of tests/t/register.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/dvmdbg.h"

#define N 11

static double *numbers(size_t n)
{
	double *u = malloc(n * sizeof(*u));

	for (size_t i = 0; i < n; i++)
		u[i] = (double)i;
	return u;
}

/* A row of N with one element of halo on each side. */
static void own_first(const char *what)
{
	double *all = numbers(N + 2), *u = all + 1;

	if (!strcmp(what, "own"))
		DVMDBG_ARRAY(u, .shape = { N }, .halo = { 1 }, .first = DVMDBG_OWN);
	else if (!strcmp(what, "own-not-said"))
		DVMDBG_ARRAY(u, .shape = { N }, .halo = { 1 });
	else
		DVMDBG_ARRAY(all, .shape = { N }, .halo = { 1 });
	DVMDBG_PL(.range = { { 0, N - 1 } }) u[0] = 1;
	DVMDBG_FORGET(u);
	free(all);
}

static void memory(const char *what)
{
	double *all = numbers(100 * 100), *u = all, block[30];
	double **rows = malloc(N * sizeof(*rows));
	float *f = calloc(400, sizeof(*f));
	char *bytes = calloc(20, sizeof(double));
	int *k = calloc(20, sizeof(*k));

	for (long i = 0; i < N; i++)
		rows[i] = numbers(N);
	if (!strcmp(what, "beyond"))
		DVMDBG_ARRAY(u, .shape = { 100, 101 });
	if (!strcmp(what, "pool")) { /* a part of a block, with all of its halo */
		u = all + 4000;
		DVMDBG_ARRAY(u, .shape = { 20, 100 }, .halo = { 1, 0 });
	}
	if (!strcmp(what, "physical")) { /* no memory for a halo that is outside of the array */
		u = all + 100;
		DVMDBG_ARRAY(u, .shape = { 100, 100 }, .own = { { 1, 99 }, { 0, 99 } },
			     .halo_lo = { 1, 0 }, .halo_hi = { 1, 0 }, .first = DVMDBG_OWN);
	}
	if (!strcmp(what, "section")) { /* 10 x 10 out of the middle of 100 x 100 */
		u = all + 50 * 100 + 50;
		DVMDBG_ARRAY(u, .shape = { 10, 10 }, .stride = { 100, 1 });
	}
	if (!strcmp(what, "every-second"))
		DVMDBG_ARRAY(u, .shape = { 10, 50 }, .stride = { 100, 2 });
	if (!strcmp(what, "transposed"))
		DVMDBG_ARRAY(u, .shape = { 100, 100 }, .stride = { 1, 100 });
	if (!strcmp(what, "shared-pad")) /* the halo above a row is that below the next one */
		DVMDBG_ARRAY(u, .shape = { 90, 99 }, .halo = { 0, 1 }, .stride = { 100, 1 });
	if (!strcmp(what, "short-stride"))
		DVMDBG_ARRAY(u, .shape = { 20, 50 }, .stride = { 40, 1 });
	if (!strcmp(what, "mapped")) {
		u = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		u[3] = 3;
		DVMDBG_ARRAY(u, .shape = { 1024 });
	}
	if (!strcmp(what, "stack")) {
		u = block;
		memset(block, 0, sizeof(block));
		DVMDBG_ARRAY(u, .shape = { 28 }, .halo = { 1 });
	}
	if (!strcmp(what, "small"))
		DVMDBG_ARRAY(f, .shape = { 400 });
	if (!strcmp(what, "rows"))
		DVMDBG_ARRAY(rows, .shape = { N, N });
	if (!strcmp(what, "rows-with-type"))
		DVMDBG_ARRAY(rows, .type = DVMDBG_DOUBLE + 1, .shape = { N, N });
	if (!strcmp(what, "float-as-double"))
		DVMDBG_ARRAY(f, .type = DVMDBG_DOUBLE + 1, .shape = { 200 });
	if (!strcmp(what, "int-as-float"))
		DVMDBG_ARRAY(k, .type = DVMDBG_FLOAT + 1, .shape = { 20 });
	if (!strcmp(what, "rows-cast")) {
		u = (void *)rows;
		DVMDBG_ARRAY(u, .shape = { N, 1 });
		u = all;
	}
	if (!strcmp(what, "bytes")) /* storage for anything */
		DVMDBG_ARRAY(bytes, .type = DVMDBG_DOUBLE + 1, .shape = { 20 });
	if (!strcmp(what, "tiny")) { /* numbers that have few bits set */
		for (int i = 0; i < 5000; i++)
			u[i] = 5e-324 * (i + 70000);
		DVMDBG_ARRAY(u, .shape = { 5000 });
	}
	if (!strcmp(what, "complex"))
		DVMDBG_ARRAY(u, .type = DVMDBG_DOUBLE_COMPLEX + 1, .shape = { 5000 });
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { strcmp(what, "beyond") ? NULL : u })
	u[3] = 3;
}

static float singles[400];
static double *tables[N], pool[400];
static struct {
	int n;
	float w[4][50];
} cell;

static void as_doubles(void *p, long n)
{
	double *doubles = p;

	DVMDBG_ARRAY(doubles, .shape = { n });
}

static void as_floats(void *p, long n)
{
	float *floats = p;

	DVMDBG_ARRAY(floats, .shape = { n });
}

/* Memory of the program itself, of which the debug information knows how it is declared. */
static void declared(const char *what)
{
	if (!strcmp(what, "static-float"))
		as_doubles(singles, 200);
	if (!strcmp(what, "static-member"))
		as_doubles(&cell.w[1][2], 20);
	if (!strcmp(what, "static-rows"))
		as_doubles(tables, N);
	if (!strcmp(what, "static-double"))
		as_floats(pool, 400);
	if (!strcmp(what, "static-pool")) /* a part of it lent to other numbers */
		as_floats(pool, 100);
	if (!strcmp(what, "static-right"))
		as_doubles(pool + 10, 390);
	DVMDBG_PL(.range = { { 0, N - 1 } }) pool[3] = 3;
}

static void turned(void)
{
	static double u[6][20];

	DVMDBG_ARRAY(u, .shape = { 20, 6 });
	DVMDBG_PL(.range = { { 0, N - 1 } }) u[0][3] = 3;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "stored";

	DVMDBG_FUNCTION();
	if (!strcmp(what, "turned"))
		turned();
	else if (!strncmp(what, "static", 6))
		declared(what);
	else if (!strncmp(what, "own", 3) || !strcmp(what, "stored"))
		own_first(what);
	else
		memory(what);
	printf("%s: done\n", what);
	return 0;
}
