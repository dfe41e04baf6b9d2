/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the preloaded MPI library: what its files share. In program threads only.
 */
#ifndef DVMDBG_RUNTIME_MPI_INTERNAL_H
#define DVMDBG_RUNTIME_MPI_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/mpistate/mpistate.h"
#include "runtime/mpi/next.h"

#define MPI_HIDDEN __attribute__((visibility("hidden")))

/* An argument of MPI: none is a floating-point number, or larger than a register. */
typedef uintptr_t mpi_word;

/* A wrapped function. */
struct mpi_slot {
	void *_Atomic to; /* NULL: not looked for yet */
	const char *name;
};

/* Where the call of a slot goes on. What its thread has written last is looked at before. */
void *slot_begin(struct mpi_slot *s) MPI_HIDDEN;

/*
 * state.c: a call begins and ends. frame: of the wrapper, by which calls inside of others are known:
 * these are not kept, and begin returns NULL; nor are they when nothing is debugged. Else end is
 * due, with what the call has returned (of Fortran 0).
 */
struct mpi_thread;
struct mpi_thread *state_begin(unsigned call, bool fortran, const mpi_word *arg, const void *pc,
			       const void *frame) MPI_HIDDEN;
void state_end(struct mpi_thread *t, const mpi_word *arg, int rc) MPI_HIDDEN;
/* MPI_Finalize, which does not end. */
void state_finalize(const void *pc, const void *frame) MPI_HIDDEN;

/*
 * objects.c: communicators, windows, files, as the page has them. Handles of C, or of Fortran as
 * its integers.
 */
/* After MPI_Init: numbers, types, MPI_COMM_WORLD and MPI_COMM_SELF. */
void objects_begin(struct mpistate_page *p) MPI_HIDDEN;
/* NULL: it is not known. */
struct mpistate_object *objects_find(struct mpistate_page *p, unsigned what, bool fortran,
				     uint64_t handle) MPI_HIDDEN;
/* A handle as it is compared, from an argument, and where it is kept. */
uint64_t objects_handle(unsigned what, bool fortran, uint64_t word) MPI_HIDDEN;
uint64_t objects_handle_at(unsigned what, bool fortran, const void *at) MPI_HIDDEN;
uint64_t objects_request_at(bool fortran, const void *requests, size_t i) MPI_HIDDEN;
bool objects_is_null(const struct mpistate_page *p, bool fortran, uint64_t request) MPI_HIDDEN;
/* A call has made one of parent (NULL: not known); at: where its handle is now. */
void objects_made(struct mpistate_page *p, struct mpistate_object *parent, unsigned what,
		  bool fortran, const void *at, unsigned call, uint64_t pc) MPI_HIDDEN;
void objects_gone(struct mpistate_page *p, struct mpistate_object *o) MPI_HIDDEN;
/* The program has named it. */
void objects_named(struct mpistate_object *o) MPI_HIDDEN;

#endif
