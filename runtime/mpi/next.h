/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the preloaded MPI library.
 */
#ifndef DVMDBG_RUNTIME_MPI_NEXT_H
#define DVMDBG_RUNTIME_MPI_NEXT_H

/* The next definition of a name, also when MPI was loaded by a module of the program's own; NULL:
 * there is none. */
void *next_of(const char *name);
/* An object of MPI: a program that names it has it in its own memory, and MPI's is never used. */
void *object_of(const char *name);

#endif
