/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kinds of frame a logical stack is made of, and their words.
 */
#ifndef DVMDBG_COMMON_CONSTRUCT_H
#define DVMDBG_COMMON_CONSTRUCT_H

#include <stdbool.h>

/*      name      short   long */
#define CONSTRUCT_LIST(X)                   \
	X(FUNCTION, "function", "function") \
	X(PL, "PL", "parallel loop")        \
	X(SL, "SL", "sequential loop")      \
	X(TR, "TR", "task region")          \
	X(TASK, "task", "task")             \
	X(FINISH, "END", "end of the program") \
	X(MPI, "MPI", "collective call")   \
	X(DISPATCH, "dispatch loop", "dispatch loop") \
	X(OMP, "OMP", "parallel region")

enum construct_kind {
#define X(name, brief, words) CONSTRUCT_##name,
	CONSTRUCT_LIST(X)
#undef X
		CONSTRUCT_KINDS
};

/* "PL"; "?" for a number that is none. */
const char *construct_brief(unsigned kind);
/* "parallel loop"; "?" for a number that is none. */
const char *construct_words(unsigned kind);
/* Collective calls of MPI and parallel regions of OpenMP: no mark announces them, and they are in no
 * traces. */
static inline bool construct_unmarked(unsigned kind)
{
	return kind == CONSTRUCT_MPI || kind == CONSTRUCT_OMP;
}

/* PL and TR carry point numbers; so does the end of the program, where it is compared: that of a
 * construct that would follow the last one. What no mark announces carries those of its own kind.
 */
static inline bool construct_numbered(unsigned kind)
{
	return kind == CONSTRUCT_PL || kind == CONSTRUCT_TR || kind == CONSTRUCT_FINISH ||
	       construct_unmarked(kind);
}

/* Only frames: they are in no traces, and nothing of them is compared. */
static inline bool construct_is_frame(unsigned kind)
{
	return kind == CONSTRUCT_FUNCTION || kind == CONSTRUCT_DISPATCH;
}

#endif
