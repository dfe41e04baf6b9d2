/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two arrays whose pointers are swapped after each step: what is called u has been written as v. */
#include <stdlib.h>

#include "dvmdbg.h"

#define N 8

int main(void)
{
	double *u = calloc(N, sizeof(*u)), *v = calloc(N, sizeof(*v));

	for (int i = 0; i < N; i++)
		u[i] = i; /* @first */
	DVMDBG_ARRAY(u, .shape = { N }, .own = { { 0, N - 1 } });
	DVMDBG_ARRAY(v, .shape = { N }, .own = { { 0, N - 1 } });
	for (int t = 0; t < 3; t++) {
		DVMDBG_PL(.on = v, .range = { { 0, N - 1 } })
		for (int i = 0; i < N; i++) {
			DVMDBG_PL_ITERATION(i);
			v[i] = u[i] + 10; /* @step */
		}
		double *w = u;
		u = v;
		v = w;
	}
	int zero = u[3] < 0;
	return zero;
}
