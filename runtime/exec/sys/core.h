/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A core file: the memory of a process that is no more, its registers and the files that it had
 * mapped.
 */
#ifndef DVMDBG_EXEC_CORE_H
#define DVMDBG_EXEC_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/page/page.h"

struct err;

/* A piece of a file that was mapped. */
struct core_file {
	uint64_t start, end, offset;
	const char *path; /* borrowed from the core */
};

struct core {
	unsigned char *bytes; /* of the whole file, mapped */
	size_t len;
	int signal; /* that has ended it; 0: none */
	uint64_t thread; /* its control block, 0: not known */
	uint64_t reg[PAGE_REGS]; /* of the thread that comes first, by their numbers in DWARF */
	unsigned char vector[16][16];
	bool has_vector;
	struct core_file *file; /* owned */
	size_t nfile;
	/* parts of files that are read in place of what the core has not */
	struct core_mapped {
		const char *path;
		unsigned char *bytes;
		size_t len;
	} *mapped;
	size_t nmapped;
};

/*
 * NULL and err: it cannot be read, or is no core file of this kind of machine. program: where the
 * file is now that comes first of those that were mapped, borrowed.
 */
struct core *core_open(const char *path, const char *program, struct err *err);
void core_close(struct core *c); /* NULL is fine */
/* Reads memory as it was; what was not written, as it was like in a file, from that file. False:
 * nothing is there. */
bool core_read(struct core *c, uint64_t addr, void *out, size_t n);

#endif
