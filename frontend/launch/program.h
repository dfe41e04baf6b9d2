/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is to be known of a program before it is started, from its ELF file: whether it can be
 * started here, which MPI it needs, whether it announces constructs. The only user of libelf.
 */
#ifndef DVMDBG_FRONTEND_PROGRAM_H
#define DVMDBG_FRONTEND_PROGRAM_H

#include <stdbool.h>

struct err;

enum program_mpi { PROGRAM_MPI_NONE = 0, PROGRAM_MPI_OPENMPI = 1, PROGRAM_MPI_MPICH = 2 };

struct program {
	char *path;	      /* owned; as found, with a '/' */
	bool script;	      /* begins with "#!": what it will start is not known */
	bool is_static;	      /* nothing can be preloaded */
	bool annotated;	      /* needs libdvmdbg or calls dvmdbg_* */
	bool hooked;	      /* has the access hooks of dvmdbg-cc, in its file … */
	bool hooked_library;  /* … or in a library that it needs */
	bool sanitized;	      /* it uses the compiler's thread sanitizer */
	char build_id[41];    /* in hexadecimal digits; "": it has none */
	enum program_mpi mpi; /* by its needed libraries and what those need */
};

/*
 * Finds the program (in PATH when the name has no slash) and reads it. 0, or -1 when it cannot be
 * started here: missing, a directory, not executable, no ELF file, of another architecture.
 */
int program_open(struct program *p, const char *name, struct err *err);
void program_clear(struct program *p);
/* "Open MPI", "MPICH", "no MPI" */
const char *program_mpi_words(enum program_mpi mpi);
/* The file that a shell would run for name, owned by the caller; NULL when there is none. */
char *program_find(const char *name);

#endif
