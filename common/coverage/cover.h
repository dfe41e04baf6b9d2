/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of a construct was executed, to find what no rank has executed (SEMANTICS 4): which
 * iterations of the reference, and, when iterations are not marked, which elements were written. A
 * rank cannot know that alone: covers of all ranks are merged, in any order and grouping, and who
 * has them all asks the reference for the rest.
 *
 * It only costs when something may be missing: each rank says how many iterations some ranks of the
 * reference have counted, and when these are as many as were executed here, nothing is decoded.
 */
#ifndef DVMDBG_COMMON_TRACE_COVER_H
#define DVMDBG_COMMON_TRACE_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/point.h"
#include "common/protocol/report.h"
#include "common/coverage/ownership.h"

struct buf;
struct err;
struct trace_findings;
struct trace_index;
struct index_set;

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
struct covers;
struct covers *covers_create(struct trace_index *ref, uint32_t ranks);
void covers_destroy(struct covers *s);
/*
 * Takes c over, which is empty afterwards. Adds to the findings what is missing in constructs that
 * are complete by it: MISSING (iterations) and UNWRITTEN (elements). -1: err.
 */
int covers_add(struct covers *s, struct cover *c, struct trace_findings *out,
		     struct err *err);
/* Constructs that wait for ranks. */
size_t covers_waiting(const struct covers *s);

#endif
