/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which file an address of the program's code comes from.
 */
#ifndef DVMDBG_EXEC_MODULE_H
#define DVMDBG_EXEC_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MODULE_PATH 1024
#define MODULE_MOST 64

/* Files that were asked for; what is mapped there does not change while they are loaded. */
struct modules {
	pid_t pid;
	size_t n;
	struct module {
		uint64_t lo, hi; /* of a mapping that has code */
		uint64_t load;	 /* what is added to the file's own addresses */
		char path[MODULE_PATH];
	} module[MODULE_MOST];
};

/*
 * The file that has the address, and *vaddr in its own address space; borrowed until another
 * process is asked about. NULL: none, or it cannot be known.
 */
const char *modules_find(struct modules *m, pid_t pid, uint64_t addr, uint64_t *vaddr);

#endif
