/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks at a part of its own file that is mapped right before where it is loaded, as what prints a
 * backtrace may do, and aborts. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BYTES 0x3000

static void inner(int k)
{
	if (k > 0)
		abort(); /* @abort */
}

int main(int argc, char **argv)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int fd = open("/proc/self/exe", O_RDONLY);
	unsigned long lo = 0;

	if (!maps || fscanf(maps, "%lx", &lo) != 1 || fd < 0 ||
	    mmap((void *)(lo - BYTES), BYTES, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0x1000) ==
		    MAP_FAILED)
		return 77;
	inner(argc); /* @main */
	return 0;
}
