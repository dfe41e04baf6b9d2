/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads numbers from its standard input, between two loops, and tells what it has read; each run of
 * one rank and without MPI.
 */
#include <stdio.h>
#include <string.h>

#include "dvmdbg.h"

int main(int argc, char **argv)
{
	DVMDBG_FUNCTION();
	long sum = 0, n = 0, number;
	unsigned long bits = 0x41424344;
	char text[8] = "halo";

	DVMDBG_REPLICATED(sum);
	DVMDBG_REPLICATED(n);
	DVMDBG_REPLICATED(bits);
	DVMDBG_ARRAY(text, .shape = { 8 });
	DVMDBG_PL(.range = { { 0, 3 } })
	for (long i = 0; i < 4; i++)
		bits += (unsigned long)i;
	printf("numbers, please:\n");
	fflush(stdout);
	while (scanf("%ld", &number) == 1) {
		sum += number;
		n++;
		printf("%ld numbers, sum %ld\n", n, sum);
		fflush(stdout);
	}
	DVMDBG_PL(.range = { { 0, 3 } })
	for (long i = 0; i < 4; i++)
		bits += (unsigned long)i;
	fprintf(stderr, "%ld numbers in all\n", n);
	printf("done: %s %d\n", argc > 1 ? argv[1] : "-", argc);
	return 0;
}
