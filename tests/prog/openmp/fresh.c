/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private variables that are read before they have a value, one in each line with @unset and its
 * name; all others have one, or need none. C and C++.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 20

struct part {
	int list[6];
	double weight;
};

double a[N];
int y[N];

static void wrong(void)
{
	int x = 5, i, table[4] = { 1, 2, 3, 4 }, s = 0;
	double t = 1;

#pragma omp parallel private(x, table) reduction(+ : s) num_threads(3)
	{
		s += x + 1; /* @unset x */
		table[0] = 1;
		s += table[0] + table[2]; /* @unset table */
	}
#pragma omp parallel for private(t)
	for (i = 0; i < N; i++) {
		if (i == N)
			t = 1;
		a[i] = t; /* @unset t */
		t = i;
	}
#pragma omp parallel for lastprivate(x)
	for (i = 0; i < N; i++) {
		y[i] = x; /* @unset x */
		x = i;
	}
#pragma omp parallel
#pragma omp single
#pragma omp task private(s)
	{
		y[0] = s; /* @unset s */
	}
}

static void filled(void)
{
	char buffer[64], copy[64];
	unsigned char byte;
	struct part u, v;
	double *p;
	int i, j, x, sum = 0;

#pragma omp parallel private(buffer, copy, byte, u, v, p, i, j, x) reduction(+ : sum)
	{
		snprintf(buffer, sizeof(buffer), "hello %d", 3);
		memcpy(copy, buffer, sizeof(copy));
		u.weight = 1;
		v = u;
		p = (double *)malloc(sizeof(*p));
		*p = 2;
		if (sscanf("7", "%d", &x) == 1)
			sum += x + (int)*p + (int)v.weight + copy[0];
		free(p);
		if (sscanf("a5", "%hhx", &byte) == 1)
			sum += byte;
#pragma omp single
		for (i = 0; i < 3; i++)
#pragma omp task
		{
			for (j = 0; j < 3; j++)
				x = j;
			if (x > 9)
				puts("more");
		}
	}
}

static void set(void)
{
	int i, j, k, x = 0, base = 1;
	double t;

#pragma omp parallel for private(j, t, k) firstprivate(base) lastprivate(x)
	for (i = 0; i < N; i++) {
		t = base;
		for (j = 0; j < 3; j++)
			t += j;
		k = (int)t;
		x = k;
	}
#pragma omp parallel for private(i, j) collapse(2)
	for (i = 0; i < 4; i++)
		for (j = 0; j < 2; j++)
			y[i * 2 + j] = i;
			/* with this schedule a thread has what it set in the iteration before */
#pragma omp parallel for private(k) schedule(static, 5)
	for (i = 0; i < N; i++) {
		if (i % 5 == 0)
			k = i;
		y[i] = k;
	}
#pragma omp parallel for private(k)
	for (i = 0; i < N; i++)
		if ((k = i) > 100)
			puts("more");
#pragma omp parallel private(k) firstprivate(x)
	{
		k = x;
#pragma omp for
		for (i = 0; i < N; i++)
			y[i] = k;
	}
}

int main(void)
{
	wrong();
	filled();
	set();
	puts("done");
	return 0;
}
