/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For test_runtime: a parallel loop whose iterations are marked by all threads of an OpenMP team.
 */
#include "runtime/dvmdbg.h"

int main(void)
{
	double u[64] = { 0 };

	DVMDBG_ARRAY(u, .shape = { 64 });
	DVMDBG_SL(.range = { { 1, 2 } })
	for (int t = 1; t <= 2; t++) {
		DVMDBG_ITERATION(t);
		DVMDBG_PL(.on = u, .range = { { 0, 63 } })
#pragma omp parallel for num_threads(4)
		for (int i = 0; i < 64; i++) {
			DVMDBG_ITERATION(i);
			u[i] += t;
		}
	}
	return u[63] == 3 ? 0 : 1;
}
