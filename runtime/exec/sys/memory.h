/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and writes the memory of the program: directly, or where that is not allowed through the
 * parked thread.
 */
#ifndef DVMDBG_EXEC_MEMORY_H
#define DVMDBG_EXEC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct core;
struct page;

#define MEMORY_BATCH 1024 /* spans of one call of the kernel */
#define MEMORY_BOUNCE_MS 2000

struct memory {
	pid_t pid;
	struct page *page; /* borrowed */
	struct core *core; /* borrowed: it is of a process that is no more; NULL: it is there */
	bool bounce;	   /* the kernel does not let us */
};

struct memory_span {
	uint64_t addr;
	size_t len;
};

/*
 * Reads n spans one after another to out. 0, or -1 with errno and *bad, the address of the span
 * that cannot be read. The program has to be parked.
 */
int memory_read(struct memory *m, const struct memory_span *span, size_t n, void *out,
		uint64_t *bad);
/* Writes n spans one after another from `from`; likewise. Those before *bad have been written. */
int memory_write(struct memory *m, const struct memory_span *span, size_t n, const void *from,
		 uint64_t *bad);

#endif
