/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gcc calls one function for each parallel region, which returns when the region has ended: these
 * are found before those of the OpenMP runtime, report both, and call them.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/omp_table.h"
#include "runtime/hooks/gomp.h"

typedef void region_body(void *data);

/* The function itself: behind us, or in a runtime that a plug-in has loaded for itself. */
static void *find(const char *name)
{
	static const char *const runtimes[] = { "libgomp.so.1", "libomp.so.5", "libomp.so",
						"libiomp5.so" };
	static const char words[] =
		"dvmdbg: the OpenMP runtime of this program is not found; set POINTS marks\n";
	void *f = dlsym(RTLD_NEXT, name);

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]) && !f; i++) {
		void *runtime = dlopen(runtimes[i], RTLD_NOLOAD | RTLD_LAZY);

		f = runtime ? dlsym(runtime, name) : NULL;
	}
	if (!f) {
		(void)!write(STDERR_FILENO, words, sizeof(words) - 1);
		abort();
	}
	return f;
}

static void region(const void *pc, bool begins)
{
	if (dvmdbg_region)
		dvmdbg_region(pc, begins);
}

#define REGION(name, parameters, ...)                                                             \
	void name(region_body *fn, void *data, parameters);                                       \
	__attribute__((visibility("default"))) void name(region_body *fn, void *data, parameters) \
	{                                                                                         \
		static void (*real)(region_body * fn, void *data, parameters);                    \
                                                                                                  \
		if (!real)                                                                        \
			*(void **)&real = find(#name);                                            \
		region(__builtin_return_address(0), true);                                        \
		real(fn, data, __VA_ARGS__);                                                      \
		region(NULL, false);                                                              \
	}
GOMP_REGIONS

/* Of a region with task reductions, for how many threads it was. */
unsigned GOMP_parallel_reductions(region_body *fn, void *data, unsigned threads, unsigned flags);
__attribute__((visibility("default"))) unsigned
GOMP_parallel_reductions(region_body *fn, void *data, unsigned threads, unsigned flags)
{
	static unsigned (*real)(region_body * fn, void *data, unsigned threads, unsigned flags);
	unsigned n;

	if (!real)
		*(void **)&real = find("GOMP_parallel_reductions");
	region(__builtin_return_address(0), true);
	n = real(fn, data, threads, flags);
	region(NULL, false);
	return n;
}
