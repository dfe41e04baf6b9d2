/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the records of a block say of one of them: for findings.
 */
#ifndef DVMDBG_COMMON_TRACE_CMP_TELL_H
#define DVMDBG_COMMON_TRACE_CMP_TELL_H

#include "common/checksum/tolerance.h"
#include "common/trace/block.h"
#include "common/trace/decode.h"
#include "common/tracereport/finding.h"

#define TELL_READS 256u /* reads before it that are remembered */

/* Zeroed: nothing is known. Texts are borrowed from the block. */
struct inspect {
	const struct trace_block *block;
	bool found;
	bool failed; /* for lack of memory */
	struct trace_rec rec;
	struct trace_frame frame[TRACE_FINDING_DEPTH];
	unsigned nframe, lost;
	struct trace_rec read[TELL_READS]; /* a ring */
	unsigned nread, first;		   /* those from `first` on are what it computes from */
	struct trace_rec late[TELL_READS]; /* reads behind it, in the same iteration */
	unsigned nlate;
	bool begun, ended; /* the iteration begins in the block, ends in it */
	unsigned since;	   /* reads before what is written before it in the iteration */
};

/* Looks for record `rec`; on: and for what is read behind it. */
void inspect_look(struct inspect *l, const struct trace_block *b, uint32_t rec, bool on);
/* Fills in what both say: positions, stack, operands when they are wanted. */
void inspect_from(struct trace_finding *f, const struct inspect *now, const struct inspect *ref,
	       bool operands, const struct trace_tolerance *tol);
/* In operands.c: the reads before it, each with the reference's. */
void inspect_operands(struct trace_finding *f, const struct inspect *now,
		   const struct inspect *ref, const struct trace_tolerance *tol);
/* Inside of an iteration that is marked, or a task. */
bool inspect_in_iteration(const struct inspect *l);
/* Where it stands in the source; what is accessed, and the type of that, VALUE_TYPES: not known. */
void inspect_spot(struct trace_spot *to, const struct inspect *l, uint32_t site, uint32_t place);
void inspect_what(const struct inspect *l, const struct trace_rec *r, struct trace_thing *t);
unsigned inspect_type(const struct inspect *l, const struct trace_rec *r);
/* Name, and field; the indices are set already. */
void inspect_array(const struct array_desc *a, uint32_t within, struct trace_thing *t);
/* Half of a complex number, when as many bytes are accessed: "re" or "im" is its field. */
void inspect_half(const struct array_desc *a, unsigned size, struct trace_thing *t);

#endif
