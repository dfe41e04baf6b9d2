/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The logical stack: ranks' construct stacks aligned from the outermost frame (SEMANTICS 8).
 */
#ifndef DVMDBG_COMMON_LSTACK_H
#define DVMDBG_COMMON_LSTACK_H

#include <stdint.h>

#include "common/logical/groups.h"
#include "common/protocol/report.h"

struct err;

#define STACK_MERGE_KIND_LIST(X)                                                             \
	X(SCALAR, "scalar") /* one rank is in it, the others wait in the frame outside it */ \
	X(SYNCHRONIZED, "synchronized") /* all at the same place */                          \
	X(UNSYNCHRONIZED,                                                                    \
	  "unsynchronized") /* same construct or function, other place or iteration */       \
	X(MULTI, "multi")   /* no relation */
enum stack_merge_kind {
#define X(name, words) STACK_MERGE_##name,
	STACK_MERGE_KIND_LIST(X)
#undef X
		STACK_MERGE_KINDS
};
const char *stack_merge_kind_words(unsigned kind);

/* Ranks at exactly the same place of a logical frame. */
struct stack_merge_variant {
	struct rankset ranks;
	struct report_frame frame; /* strings borrowed from the differ it was built from */
	const char
		*call; /* of a dispatch loop: the call of MPI that waits for orders; NULL: none */
};

struct stack_merge_frame {
	enum stack_merge_kind kind;
	struct rankset ranks; /* all ranks that have this frame */
	struct stack_merge_variant *variant;
	size_t n; /* 1 unless unsynchronized or multi; the smallest first, then by lowest rank */
	/*
	 * Of the outermost scalar frame of a rank that gives orders: the function in which the
	 * others wait for these, or from which they have called what is inside. It has no frame of
	 * its own.
	 */
	struct stack_merge_variant *dispatch;
	size_t ndispatch;
};

/* Innermost frame first, as printed. */
struct stack_merge {
	struct stack_merge_frame *frame;
	size_t n;
	struct rankset ranks;
};

/*
 * Builds it from groups of report_stack blobs, which must outlive it. Stacks are aligned by the
 * names of their functions, with gaps: the frames that all have in this order (the longest common
 * sequence) are the same logical frame, however many are outside it on some ranks. Between two of
 * these:
 * - What one rank alone has is scalar.
 * - Where one rank has called what the others have called from a dispatch loop, or where these wait
 * there, its frames are scalar and the dispatch loop is folded. A dispatch loop is one that is
 * announced, or the function in which all others are at one place while rank 0 has called what is
 * inside, or computes while they wait in MPI.
 * - Else frames are aligned by their depth. Variants that are no relation make the frame multi, and
 * those inside. Ranks with a shorter stack are in the frame outside. Ranks are of one variant when
 * all their frames from the outermost to this one are equal, iterations and points included; so
 * what is inside an unsynchronized frame is unsynchronized even where its own line is the same.
 * Inside a scalar frame that begins anew. Variants are related when they are the same construct or
 * are in the same function. NULL and err when a blob is not a stack.
 */
struct stack_merge *stack_merge_create(const struct groups *stacks, struct err *err);
void stack_merge_destroy(struct stack_merge *s);

#endif
