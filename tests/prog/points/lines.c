/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constructs in places of all kinds, for breaks on each line: two that compilers make one call of,
 * some in macros of our own or over several lines, and with LIBRARY some that a library announces
 * with our file and line.
 */
#include <dvmdbg.h>

#ifdef LIBRARY
unsigned announced_at(const char *file, int line);
#endif
#ifdef LOADER
void *dlopen(const char *file, int flags);
#endif

#define LOOP(n) DVMDBG_PL(.range = { { 1, n } })

static int either(int a, int n)
{
	if (a) {
		DVMDBG_PL_BEGIN(.range = { { 1, 5 } });
	} else {
		DVMDBG_PL_BEGIN(.range = { { 1, 5 } });
	}
	return n;
}

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	int sum = 0;

	LOOP(5)
	for (int i = 0; i < 5; i++)
		sum += i;
	DVMDBG_SL(.range = { { 1, 5 } },
		  .name = "several lines")
	for (int i = 0; i < argc; i++)
		sum += either(argc - 1, i);
#ifdef LIBRARY
	sum += announced_at(__FILE__, __LINE__) == 0;
#endif
#ifdef LOADER
	sum += argc > 9 && dlopen(argv[1], 2);
#endif
	return sum < 0;
}
