/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the preloaded MPI library: types, groups and operations of the program.
 */
#ifndef DVMDBG_RUNTIME_MPI_HANDLES_H
#define DVMDBG_RUNTIME_MPI_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/mpistate/mpistate.h"

enum { HANDLE_TYPE, HANDLE_GROUP, HANDLE_OP };

/* The basic types that data of a type are made of, in their order: as many of one, or a hash. */
struct mpi_sig {
	uint32_t base; /* kind and size; 0: there are several */
	uint64_t len, hash;
};

struct handle {
	unsigned what;
	bool predefined, committed, linked;
	bool overlaps; /* of types that were committed: blocks_overlap */
	uint32_t live;	  /* how many have to be freed; 0: it is freed */
	uint64_t word[2]; /* in C and in Fortran */
	unsigned call;	  /* enum mpistate_call that has made it */
	uint64_t pc;
	const char *name;   /* of one that is predefined */
	struct mpi_sig sig; /* of types; of operations: base */
	uint32_t kind;	    /* of types: handles_kind */
	struct blocks *blocks; /* of types, owned: where their data are; NULL: nobody has asked */
	struct handle *next[2];
};

/* MPI is up: what is predefined. */
void handles_begin(void);
/* NULL: it is not known. */
struct handle *handles_find(unsigned what, bool fortran, uint64_t word);
/* Of a handle in memory. */
struct handle *handles_at(unsigned what, bool fortran, const void *at);
bool handles_is_null(unsigned what, bool fortran, uint64_t word);
/* A call has made what is at `at` now. */
void handles_made(unsigned what, bool fortran, const void *at, unsigned call, uint64_t pc,
		  bool committed);
/* h may be NULL. */
void handles_freed(struct handle *h);
void handles_left(void (*take)(const struct handle *h));

/* The same for equal data, whatever types they are described with; 0: that is not known. */
uint64_t handles_signature(const struct handle *h, uint64_t count);
#define MPI_SIG_EMPTY 1
/* The data of so many, as they are compared with those of other ranks; h may be NULL. */
struct mpistate_sig handles_data(const struct handle *h, uint64_t count);
/* The base of messages of that type, as in struct mpistate_kind; 0: they fit anything. */
static inline uint32_t handles_kind(const struct handle *h)
{
	return h ? h->kind : 0;
}
/* The one basic type of all; 0: there are several, or it is not known. */
static inline uint32_t handles_base(const struct handle *h)
{
	return h && h->sig.len != UINT64_MAX ? h->sig.base : 0;
}

#endif
