/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the preloaded MPI library: memory that MPI or other ranks may access while the program,
 * or another call, does.
 */
#ifndef DVMDBG_RUNTIME_MPI_RACE_H
#define DVMDBG_RUNTIME_MPI_RACE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/mpistate/mpistate.h"
#include "runtime/mpi/internal.h"

struct handle;

/*
 * race.c: accesses to windows and what orders them between ranks, kept in the page from the first
 * window of all ranks on, until it is not known what a call does.
 */
static inline bool race_is_on(const struct mpistate_page *p)
{
	return __builtin_expect(
		atomic_load_explicit(&p->race.on, memory_order_relaxed) &&
			!atomic_load_explicit(&p->race.over, memory_order_relaxed),
		0);
}
/* Nothing is kept from here on. */
void race_end(struct mpistate_page *p) MPI_HIDDEN;
/* A message is sent, or has been received, which e counts; e NULL: whose it is is not known. */
void race_sent(struct mpistate_page *p, const struct mpistate_pair *e, unsigned call) MPI_HIDDEN;
void race_received(struct mpistate_page *p, const struct mpistate_pair *e) MPI_HIDDEN;
/* A synchronous send has ended. */
void race_acknowledged(struct mpistate_page *p, const struct mpistate_pair *e) MPI_HIDDEN;
/* A collective begins, the n-th of its object; one that was begun is complete. */
void race_collective(const struct mpi_thread *t, uint32_t n) MPI_HIDDEN;
void race_collected(const struct mpi_thread *t, const struct mpistate_posted *e) MPI_HIDDEN;
/* Any call begins; it has succeeded. */
void race_begin(const struct mpi_thread *t) MPI_HIDDEN;
void race_ended(const struct mpi_thread *t, const mpi_word *arg) MPI_HIDDEN;
/* One-sided access, of which the program's arguments are in arg. */
void race_access(const struct mpi_thread *t, const mpi_word *arg) MPI_HIDDEN;
/* Memory of this rank is accessed by the call of t; the number of what is kept of it, 0:
 * nothing. */
uint32_t race_own(const struct mpi_thread *t, const struct mpistate_piece *piece, bool writes,
		  bool pending) MPI_HIDDEN;
void race_own_ended(struct mpistate_page *p, uint32_t number) MPI_HIDDEN;

/*
 * buffers.c: buffers of calls that are not complete. posted: a request is under way, with its
 * arguments in arg when it was made by this call, k: of a known message; completed: it is complete.
 */
void buffers_posted(const struct mpi_thread *t, const struct mpistate_posted *e,
		    const mpi_word *arg, const struct mpi_known *k) MPI_HIDDEN;
void buffers_completed(const struct mpi_thread *t, const struct mpistate_posted *e) MPI_HIDDEN;
/* A one-sided call has returned; accesses of the window to the target (-1: all) are complete
 * here. */
void buffers_accessed(const struct mpi_thread *t, const mpi_word *arg) MPI_HIDDEN;
void buffers_window(const struct mpi_thread *t, int32_t target) MPI_HIDDEN;
/* Whether the call writes data of the type that is its argument `at`. */
bool buffers_writes(unsigned call, int8_t at) MPI_HIDDEN;

/* blocks.c: where the data of so many of a type are; 0: that is not known, or they are too many. */
#define BLOCKS_MOST 64
unsigned blocks_of(const struct handle *type, int64_t count,
		   struct mpistate_piece piece[BLOCKS_MOST]) MPI_HIDDEN;
/* Whether parts of one element of the type are the same memory, as far as is known. */
bool blocks_overlap(struct handle *type) MPI_HIDDEN;
/* The type is no longer what it was. */
void blocks_forget(struct handle *type) MPI_HIDDEN;

#endif
