/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the preloaded MPI library: where the functions are that it stands before.
 */
#ifndef DVMDBG_RUNTIME_ORDER_NEXT_H
#define DVMDBG_RUNTIME_ORDER_NEXT_H

#define MPI_HIDDEN __attribute__((visibility("hidden")))

/* The next definition of a name, also when MPI was loaded by a module of the program's own; NULL:
 * there is none. */
void *order_next_of(const char *name) MPI_HIDDEN;
/* An object of MPI: a program that names it has it in its own memory, and MPI's is never used. */
void *order_object_of(const char *name) MPI_HIDDEN;

#define next_of order_next_of
#define object_of order_object_of

#endif
