/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where elements went instead of where they belong: the rule that pairs of indices follow. Rules
 * are guesses from what is seen, "as if …"; they say nothing of the reason.
 */
#ifndef DVMDBG_FRONTEND_FIT_FIT_H
#define DVMDBG_FRONTEND_FIT_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/section.h"
#include "common/logical/point.h"

struct array_desc;
struct trace_index;

enum fit_kind {
	FIT_NONE,
	FIT_COMPONENT, /* `got` where `want` belongs, in dim */
	FIT_SIDES,     /* one side of the halo in dim for the other one */
	FIT_LAYER,     /* layer `got` of the halo for layer `want`, counted from the own part */
	FIT_SHIFT,     /* the index is `got` higher in dim */
	FIT_LOCAL,     /* … as if the part began at the first index of the array */
	FIT_EXCHANGED, /* indices dim and other */
	FIT_REVERSED,  /* along dim */
	FIT_ROW,       /* dim is used as if it were `got` long; it is `want` long in memory */
};

/* The element that was meant, and the one that was hit; global indices. */
struct fit_pair {
	int64_t want[ARRAY_DIMS], got[ARRAY_DIMS];
};

/* dim and other count from 0. */
struct fit {
	enum fit_kind kind;
	unsigned dim, other;
	int64_t want, got;
	bool fastest; /* ROW: dim is the one that is densely in memory */
	bool alone;   /* ROW: only the next slower dimension is elsewhere for it */
};

/*
 * The rule that all of the pairs follow, or of more than ten nine of ten. own: what the rank has in
 * whose memory `got` is; its elements are taken to be dense. halo: the rank whose halo `want`
 * may be in; NULL: it is of the same one. Too few pairs fit no rule: of components one is
 * enough, of others two or three that differ. False, and FIT_NONE: there is none.
 */
bool fit_pairs(const struct array_desc *own, const struct array_desc *halo,
	       const struct fit_pair *pair, size_t n, struct fit *out);

/* "as if the row were 62 long, not 122"; returns out. */
const char *fit_text(const struct fit *f, char *out, size_t size);

/*
 * Values and where they belong: elements of a box of right values, the last dimension fastest, each
 * of size bytes, and the places (of n) that hold something. Values that the box has more than once,
 * and those that it has not, make no pair. place, held: index and bytes of each. As many pairs as
 * are found become *pair, to be freed: want is the place, got is where its value belongs. Returns
 * how many.
 */
struct fit_box {
	unsigned ndim;
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];
	size_t size;
	const unsigned char *value; /* borrowed */
};
size_t fit_search(const struct fit_box *box, const int64_t (*place)[ARRAY_DIMS],
		  const unsigned char *held, size_t n, struct fit_pair **pair);

/*
 * Iterations of a parallel loop that write other elements of an array on a rank of this run than in
 * the reference, though as many: in the order of the trace, of the first ones. *out is to be freed.
 * Returns how many.
 */
struct fit_loop {
	struct trace_index *now, *ref;
	uint32_t rank;
	struct point point;
	const char *name; /* of the array */
	uint32_t counter;
};
struct fit_write {
	unsigned nidx;
	int64_t index[ARRAY_DIMS]; /* of the iteration */
	struct fit_pair pair;	   /* want: the reference's */
};
size_t fit_writes(const struct fit_loop *x, struct fit_write **out);

#endif
