/* SPDX-License-Identifier: GPL-3.0-or-later */
/* heat_omp [N [STEPS]]: heat in N x N points by threads, as it is without dvmdbg in mind. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 300, steps = argc > 2 ? atoi(argv[2]) : 20;
	double(*u)[n] = calloc((size_t)n, sizeof(*u)), (*v)[n] = calloc((size_t)n, sizeof(*v));

	if (!u || !v)
		return 1;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			u[i][j] = (i * 7 + j * 3) % 11;
	for (int t = 0; t < steps; t++) {
#pragma omp parallel
		{
#pragma omp for
			for (int i = 1; i < n - 1; i++)
				for (int j = 1; j < n - 1; j++)
					v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] +
							  u[i][j + 1]);
#pragma omp for
			for (int i = 1; i < n - 1; i++)
				for (int j = 1; j < n - 1; j++)
					u[i][j] = v[i][j];
		}
	}
	printf("%.17g\n", u[n / 2][n / 2]);
	free(u);
	free(v);
	return 0;
}
