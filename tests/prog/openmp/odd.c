/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that are written in unusual ways, all of them right: each gets its marks, and the program is the same. */
#include <stdio.h>
#include <omp.h>
int a[100], s;
static const char *q = "for ( \" {"; char c = '{'; char d = '\'';
/* don't { */
static void kept(void) // what has no address
{
	register int r = 0;
#pragma omp parallel for private(r) schedule(dynamic)
	for (int i = 10; i < 20; i++) { r = i; a[i] = r; }
}
int main(int argc, char **argv)
{
	(void)argv;
	kept();
	if (argc > 5)
#pragma omp parallel for
		for (int i = 0; i < 10; ++i)
			if (a[i] == 3) a[i] = 4; else a[i] = 5;
	else
		a[3] = 7;
#pragma omp parallel
	{
#pragma omp for nowait schedule(static)
		for (int i = 0; i < 10; i++) // comment { 
			a[i]++;
		if (argc > 7)
#pragma omp for
			for (int i = 0; i < 10; i++) { a[i]--; }
		else {
#pragma omp for simd reduction(+:s)
			for (int i = 0; i < 10; i++)
				for (int j = 0; j < 3; j++) { s += a[i]; }
		}
#pragma omp for \
	collapse(2)
		for (int i = 0; i < 5; i++)
		{
			for (int j = 0; j < 2; j++)
				do { a[i * 2 + j]++; } while (0);
		}
	}
#pragma omp parallel for ordered
	for (int i = 0; i < 4; i++) {
#pragma omp ordered
		printf("%d ", i);
	}
	printf("%s%c %d\n", q, c, a[3] + d + s);
	return 0;
}
