/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/heap/heap.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHUNKS 1000000u /* that are looked at for an address … */
#define ALL 20000000u	/* … and for all */
#define HEADER 16u
#define IN_USE 1u /* flags of a chunk's size: that before it is … */
#define MAPPED 2u
#define ARENA 4u /* it is of another heap */
#define FLAGS (IN_USE | MAPPED | ARENA)
#define PAGE 4096u
#define LARGE 65536u /* what is smaller has no mapping of its own, whatever the program sets */

static uint64_t size_at(uint64_t chunk)
{
	const volatile uint64_t *word = (const volatile uint64_t *)(uintptr_t)(chunk + 8);

	return *word;
}

/* Where the heap begins; 0: there is none. */
static uint64_t begin(void)
{
	static _Atomic uint64_t known;
	uint64_t lo = atomic_load(&known);
	char line[512];
	FILE *f = lo ? NULL : fopen("/proc/self/maps", "re");

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[heap]") && sscanf(line, "%" SCNx64, &lo) == 1)
			break;
	if (f)
		fclose(f);
	atomic_store(&known, lo);
	return lo;
}

/* The end of the block that has the address, between lo and hi. */
static uint64_t walk(uint64_t lo, uint64_t hi, uint64_t addr, unsigned *looked)
{
	uint64_t at = lo;

	for (*looked = 0; *looked < CHUNKS && at + 2 * HEADER <= hi; ++*looked) {
		uint64_t word = size_at(at), size = word & ~(uint64_t)FLAGS, next = at + size;

		if (word & (MAPPED | ARENA) || size < 2 * HEADER || size % HEADER || size > hi - at)
			return 0;
		/* the last one is not in use */
		if (addr < next)
			return addr >= at + HEADER && next + HEADER <= hi && size_at(next) & IN_USE
				       ? next + 8
				       : 0;
		at = next;
	}
	return 0;
}

/* A block with a mapping of its own begins there. */
static uint64_t mapped(uint64_t addr)
{
	uint64_t word = size_at(addr - HEADER), size = word & ~(uint64_t)FLAGS;

	if ((word & FLAGS) != MAPPED || size % PAGE || size < LARGE || size >> 47)
		return 0;
	return addr - HEADER + size;
}

uint64_t heap_left(uint64_t addr)
{
	static _Atomic unsigned all;
	uint64_t lo = begin(), hi = (uint64_t)(uintptr_t)sbrk(0), end, again;
	unsigned looked;

	if (addr % PAGE == HEADER && !(addr >= lo && addr < hi)) {
		end = mapped(addr);
		return end ? end - addr : 0;
	}
	if (!lo || lo % HEADER || addr < lo + HEADER || addr >= hi || atomic_load(&all) > ALL)
		return 0;
	/* other threads may change it meanwhile */
	end = walk(lo, hi, addr, &looked);
	again = walk(lo, hi, addr, &looked);
	atomic_fetch_add(&all, 2 * looked);
	return end && end == again ? end - addr : 0;
}
