/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The function of document 000: it reads one array and writes another, and its loop does not say
 * which. uses [none]: all but the first rank have no iterations. uses ARG wrong: a value is wrong
 * on more than one rank.
 */
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

#define N 40

static long lo, hi;

static long number(const char *name, const char *other, long without)
{
	const char *text = getenv(name) ? getenv(name) : getenv(other);

	return text ? atol(text) : without;
}

static void f(const double *x, double *y, double k)
{
	DVMDBG_PL(.range = { { 0, N - 1 } }) /* loop */
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		y[i - lo] = k * x[i - lo];
	}
}

int main(int argc, char **argv)
{
	long rank = number("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0);
	long size = number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1);
	double *a = calloc(N + 1, sizeof(*a)), *b = calloc(N + 1, sizeof(*b)),
	       *c = calloc(N + 1, sizeof(*c));

	lo = N * rank / size;
	hi = N * (rank + 1) / size - 1;
	if (argc > 1 && !strcmp(argv[1], "none")) {
		lo = rank ? N : 0;
		hi = N - 1;
	}
	DVMDBG_ARRAY(a, .shape = { N }, .own = { { lo, hi } });
	DVMDBG_ARRAY(b, .shape = { N }, .own = { { lo, hi } });
	DVMDBG_ARRAY(c, .shape = { N }, .own = { { lo, hi } });
	for (long i = lo; i <= hi; i++)
		a[i - lo] = (double)(1 + i);
	f(a, b, argc > 2 && size > 1 ? 3 : 2);
	f(b, c, 2);
	DVMDBG_PL(.range = { { 0, N - 1 } })
	memcpy(a, c, (size_t)(hi - lo + 1) * sizeof(*a));
	DVMDBG_FORGET(a);
	DVMDBG_FORGET(b);
	DVMDBG_FORGET(c);
	free(a);
	free(b);
	free(c);
	return 0;
}
