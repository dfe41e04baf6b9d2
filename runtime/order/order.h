/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the preloaded MPI library: the decisions that MPI takes by time. Which message a
 * wildcard receive or probe gets, which of several requests is complete, whether one is. They are
 * kept in a file per rank, and taken again as such a file has them. Only the thread that calls MPI
 * may call these; with MPI_THREAD_MULTIPLE nothing is kept.
 */
#ifndef DVMDBG_RUNTIME_MPI_ORDER_H
#define DVMDBG_RUNTIME_MPI_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* doc/REFERENCE.md */
enum order_kind {
	ORDER_NONE = 0, /* what follows was not written */
	ORDER_MATCH,	/* a receive or probe: source, tag; -1: it failed */
	ORDER_POST,	/* a receive that does not block: the same, once it is complete */
	ORDER_DONE,	/* a test that succeeds, or the choice of one: index; -1: there is none */
	ORDER_NOT_YET,	/* so many tests in vain */
	ORDER_SOME,	/* the choice of several: how many; their ORDER_INDEX follow */
	ORDER_INDEX,
};

struct order_record {
	uint32_t kind;
	int32_t a, b, spare;
};

#define ORDER_NOWHERE SIZE_MAX

/* MPI is up, with that level of threads; it is about to end. */
void order_begin(int rank, int ranks, bool one_thread);
void order_end(void);
/* Whether anything is to be kept or followed. */
bool order_asked(void);
bool order_on(void);
bool order_follows(void);

/* Keeps a decision: where, for order_fill; ORDER_NOWHERE: nothing is kept. */
size_t order_keep(enum order_kind kind, int32_t a, int32_t b);
void order_fill(size_t at, int32_t a, int32_t b);

/* The next decision when it is of that kind, or a test in vain where `test`; NULL: none is followed
 * any longer. */
const struct order_record *order_next(enum order_kind kind, bool test);
/* None is followed any longer, which is reported. */
void order_give_up(const char *why);

/* What is to be called in the place of next, the next definition of name. */
void *order_wrapper(const char *name, void *next);
/* Receives that wait for one source wait for any again. */
void order_widen(void);

#endif
