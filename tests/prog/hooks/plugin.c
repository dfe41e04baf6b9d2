/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that loads shared libraries while it runs, each with access hooks of its own: with
 * FILL, a library whose constructor and whose function fill() write u. Compiled by the tests.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "dvmdbg.h"

#ifdef FILL

extern double *u;
static double early;

__attribute__((constructor)) static void begin(void)
{
	early = FILL;
}

void fill(int n);
void fill(int n)
{
	for (int i = 0; i < n; i++)
		u[i] = FILL + i + early;
}

#else

#define N 10
static double memory[N];
double *u = memory;

static int use(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL), (*fill)(int);

	if (!lib) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&fill = dlsym(lib, "fill");
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } })
	fill(N);
	return dlclose(lib);
}

int main(int argc, char **argv)
{
	DVMDBG_ARRAY(u, .shape = { N });
	for (int i = 1; i < argc; i++)
		if (use(argv[i]))
			return 1;
	printf("plugin: %g\n", u[N - 1]);
	return 0;
}

#endif
