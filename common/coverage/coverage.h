/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ranks executed, wrote and own of a construct, and what nobody did.
 */
#ifndef DVMDBG_COMMON_COVERAGE_COVERAGE_H
#define DVMDBG_COMMON_COVERAGE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/logical/point.h"
#include "common/protocol/report.h"

/*
 * Which ranks own what of distributed arrays, as each of them says in its covers
 * once it has met an array, and when that is elsewhere later.
 */

struct buf;
struct covers;
struct err;
struct index_set;
struct trace_findings;
struct trace_index;

/* Owned; zeroed: empty. What was said later counts. */
struct ownership {
	struct ownership_part {
		uint32_t rank;
		struct array_desc *desc; /* owned */
	} * item;
	size_t n;
};

void ownership_clear(struct ownership *o);
/* The description is copied. -1: no memory. */
int ownership_add(struct ownership *o, uint32_t rank, const struct array_desc *desc);
/* Moves all of them over, behind those that are there; -1: no memory. */
int ownership_move(struct ownership *to, struct ownership *from);
/* The lowest rank that has said that the element is its own; TRACE_NO_RANK: none. Arrays are known
 * by name, counter and dimensions. */
uint32_t ownership_find(const struct ownership *o, const char *name, uint32_t counter,
			unsigned ndim, const int64_t *index);
int ownership_code(struct codec *c, struct ownership *o);
CODEC_PAIR(ownership, ownership_clear(x))

/*
 * What of a construct was executed, to find what no rank has executed (SEMANTICS 4): which
 * iterations of the reference, and, when iterations are not marked, which elements were written. A
 * rank cannot know that alone: covers of all ranks are merged, in any order and grouping, and who
 * has them all asks the reference for the rest.
 *
 * It only costs when something may be missing: each rank says how many iterations some ranks of the
 * reference have counted, and when these are as many as were executed here, nothing is decoded.
 */

/* Elements of an array; indices in the order in which they run, the fastest last. */
struct cover_item {
	char *name, *file; /* owned; its identifier */
	uint32_t line, counter;
	uint8_t order, ndim;
	struct index_set *written;   /* owned; by ranks whose elements they are */
	struct index_set *unwritten; /* owned; a rank's own ones that the reference writes, and it
					not at all, or less often */
	struct index_set *fewer;     /* owned; those of them that it has written */
};

/* Owned, all of it; zeroed: empty. */
struct cover {
	struct point point; /* of the construct's beginning */
	uint8_t kind;	    /* CONSTRUCT_PL, TR */
	struct place place; /* texts are owned */
	uint32_t ranks;	    /* how many have reported */
	bool partial;	    /* one of them does not know all it did: nothing can be said */
	bool extra;	    /* iterations that the reference does not have are among them */
	bool heard; /* its iterations are marked, or nothing is done in it: else they are not known
		     */
	uint32_t ref_files;	      /* ranks of the reference whose count is in ref_count */
	uint64_t ref_count;	      /* iterations that they executed */
	struct index_set *iterations; /* owned; NULL: none */
	struct cover_item *item;
	size_t nitem;
	struct ownership owners; /* of what was not reported before */
};

void cover_item_clear(struct cover_item *i);
void cover_clear(struct cover *c);
int cover_code(struct codec *c, struct cover *v);
CODEC_PAIR(cover, cover_clear(x))
/* Both of one construct. a |= b, but for owners. -1: no memory. */
int cover_merge(struct cover *a, const struct cover *b);

/* Collects what the ranks report, and judges constructs of which all have reported. */
struct covers *covers_create(struct trace_index *ref, uint32_t ranks);
void covers_destroy(struct covers *s);
/*
 * Takes c over, which is empty afterwards. Adds to the findings what is missing in constructs that
 * are complete by it: MISSING (iterations) and UNWRITTEN (elements). -1: err.
 */
int covers_add(struct covers *s, struct cover *c, struct trace_findings *out, struct err *err);

/*
 * Sets of index vectors: the iterations that were executed, the elements that were written. Adding
 * is quick in any order; the form for the wire is short for boxes, cyclic parts and chessboards,
 * the same for equal sets, and merges.
 */

#define INDEX_SET_MEMORY ((size_t)4 << 20) /* a set that would need more is given up */

/* Of vectors of n indices, 1 … ARRAY_DIMS. NULL: no memory. */
struct index_set *index_set_create(unsigned n);
void index_set_destroy(struct index_set *s);
/* Empties it; it may have another number of indices then. */
void index_set_reset(struct index_set *s, unsigned n);
/* 1 it is new, 0 it was there, -1 the set was given up. */
int index_set_add(struct index_set *s, const int64_t *index);
/* Adds index … index + count - 1 in the last dimension. */
void index_set_add_run(struct index_set *s, const int64_t *index, uint64_t count);
bool index_set_has(const struct index_set *s, const int64_t *index);
unsigned index_set_dims(const struct index_set *s);
uint64_t index_set_count(const struct index_set *s);
/* What is in it is not known any more. */
bool index_set_lost(const struct index_set *s);
void index_set_lose(struct index_set *s);
/* a |= b, a -= b; sets of other numbers of indices make it lost, unless b is empty. */
void index_set_merge(struct index_set *a, const struct index_set *b);
void index_set_remove(struct index_set *a, const struct index_set *b);
/* The least, the first index counting most; false: empty. */
bool index_set_first(const struct index_set *s, int64_t *index);
/* It is sorted to be put. Got, *s is new, owned, also when it failed; NULL: none. */
int index_set_code(struct codec *c, struct index_set **s);
/* Sorts it for reading and writing. */
void index_set_put(struct index_set *s, struct buf *b);
/* NULL: the bytes are no set, or no memory. */
struct index_set *index_set_get(struct buf *b);

#endif
