/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lu_omp [N]: an N x N matrix is factorised by threads, as it is without dvmdbg in mind. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 300;
	double(*a)[n] = malloc((size_t)n * sizeof(*a));

	if (!a)
		return 1;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[i][j] = i == j ? n : (i * 7 + j * 3) % 11;
	for (int k = 0; k < n - 1; k++) {
#pragma omp parallel for
		for (int i = k + 1; i < n; i++) {
			a[i][k] /= a[k][k];
			for (int j = k + 1; j < n; j++)
				a[i][j] -= a[i][k] * a[k][j];
		}
	}
	printf("%.17g\n", a[n - 1][n - 1]);
	free(a);
	return 0;
}
