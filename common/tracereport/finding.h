/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the comparison of traces finds: one finding per (kind, source position of the access,
 * object), with a count and the first occurrence. Texts and lists of a finding that was read are
 * borrowed from the bytes it was read from.
 */
#ifndef DVMDBG_COMMON_TRACE_FINDING_H
#define DVMDBG_COMMON_TRACE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/protocol/finding_kind.h"
#include "common/protocol/report.h"

struct buf;

#define TRACE_NO_RANK UINT32_MAX
#define TRACE_OPERANDS 16     /* accesses of the same iteration that a finding reports */
#define TRACE_FINDING_DEPTH 8 /* constructs of the stack, the innermost ones */
#define TRACE_ORDER (ARRAY_DIMS + 2)

/* Where in the code. nbuild_id 0: unknown. */
struct trace_spot {
	struct place place; /* file and line, or module and vaddr */
	const unsigned char *build_id;
	uint32_t nbuild_id;
};

/* A value of a rank and its counterpart in the reference. */
struct trace_pair {
	uint8_t type; /* enum value_type; VALUE_TYPES: only bytes */
	uint8_t size; /* bytes, up to 8; 0: there are no values */
	bool has_now, has_ref;
	uint64_t now, ref; /* the bytes as little-endian numbers */
};

/* What was accessed. */
enum trace_what {
	TRACE_WHAT_NONE,
	TRACE_WHAT_ARRAY, /* element index of the array; of a replicated scalar ndim is 0 */
	TRACE_WHAT_HEAP,  /* byte `within` of memory that was allocated at spot; counter: its number
			   * in that run */
	/*
	 * Memory that nobody registered, `within` is its address here; spot: its module and address
	 * there, none when it is in no module. name: it is right beside that array, index[0] bytes
	 * before its first element (< 0) or behind its last.
	 */
	TRACE_WHAT_ADDRESS,
};

struct trace_thing {
	uint8_t what; /* enum trace_what */
	uint8_t array_kind, order, ndim;
	const char *name, *file; /* identifier of the array: name, file, line, counter */
	uint32_t line, counter;
	int64_t index[ARRAY_DIMS]; /* global */
	uint64_t within;	   /* bytes in the element */
	const char *field;	   /* of a structure: "" none; within shows its element */
	struct trace_spot spot;	   /* HEAP, ADDRESS */
};

/* An access before the wrong one, in the same iteration. Without a value of this run: only the
 * reference has it. */
struct trace_operand {
	bool write;
	struct trace_thing thing;
	struct trace_pair value;
	struct trace_spot spot, ref_spot;
	bool other; /* the values differ beyond the tolerance */
};

struct trace_finding {
	uint8_t kind; /* enum finding_kind */
	uint64_t count;
	/* the first occurrence: */
	struct point point;	    /* the last point passed */
	int64_t order[TRACE_ORDER]; /* where in the reference's order, behind that point */
	uint32_t rank, ref_rank;    /* TRACE_NO_RANK: of none */
	uint8_t nidx;		    /* of the iteration of the parallel loop, or the task */
	int64_t index[ARRAY_DIMS];
	struct trace_spot spot, ref_spot; /* of the access; else of the construct's mark */
	struct trace_thing thing;
	bool write; /* it is a write that is wrong */
	bool fewer; /* UNWRITTEN: it is written, but less often; values: the last ones */
	struct trace_pair value;
	/* how values were compared, and how far apart they are (VALUE of real numbers) */
	uint8_t mode; /* enum sum_mode */
	double off, limit;
	uint64_t missing; /* MISSING, UNWRITTEN: how many iterations or elements */
	/* the construct stack, outermost first; lost: outer ones that are left out */
	uint8_t nframe, lost;
	struct report_frame frame[TRACE_FINDING_DEPTH];
	uint8_t noperand; /* in the order of execution; the last ones before it */
	bool cut;	  /* there may be more */
	bool ref_whole;	  /* all that the reference reads in the iteration was looked at */
	struct trace_operand operand[TRACE_OPERANDS];
};

int trace_finding_code(struct codec *c, struct trace_finding *f);
CODEC_PAIR(trace_finding, (void)0)
/* <0, 0, >0: which comes first in the reference's order; then the lower rank. */
int trace_finding_order(const struct trace_finding *a, const struct trace_finding *b);
/*
 * One line: "v[499][1]: 0.25 here, 0.5 in the reference (0.25 apart, 1e-09 allowed)". Returns out.
 */
const char *trace_finding_text(const struct trace_finding *f, char *out, size_t room);
/* "v[499][1]", "a(1,2)", "heap+16", "0x7f12": for people. Returns out. */
const char *trace_thing_text(const struct trace_thing *t, char *out, size_t room);

/*
 * A list, ordered by first occurrence. With a bound, those that come first are kept; counts are
 * exact as long as `more` is not set, and total (occurrences of all kinds) is always. Merging lists
 * without a bound is associative and commutative.
 */
struct trace_findings {
	struct trace_found {
		uint8_t kind;
		uint64_t count;
		struct point point; /* these three: its place in the list */
		int64_t order[TRACE_ORDER];
		uint32_t rank;
		unsigned char *key, *rest; /* owned; the finding as it was put is key, rest */
		uint32_t nkey, nrest;
		uint64_t reported; /* of the count: what was taken before, see trace_findings_take */
		bool fresh;    /* the first occurrence is another one since then */
	} * item;
	size_t n, most; /* most: 0 no bound */
	uint64_t total, reported;
	bool more; /* some are left out */
};

void trace_findings_clear(struct trace_findings *l);
/* Merges one, f->count times. -1: no memory. */
int trace_findings_add(struct trace_findings *l, const struct trace_finding *f);
int trace_findings_merge(struct trace_findings *l, const struct trace_findings *other);
/* What is new since the last call, to be merged elsewhere: counts are what has been added. Returns
 * how many are in *out (which is cleared before), -1: no memory. */
int trace_findings_take(struct trace_findings *l, struct trace_findings *out);
/* Drops all but the first `most`. */
void trace_findings_trim(struct trace_findings *l, size_t most);
/* The i-th, borrowed from the list until that changes. */
int trace_findings_get(const struct trace_findings *l, size_t i, struct trace_finding *f);
/* Got, it replaces l (most is kept), which is empty when that fails. */
int trace_findings_code(struct codec *c, struct trace_findings *l);
static inline void trace_findings_put(const struct trace_findings *l, struct buf *b)
{
	trace_findings_code(CODEC_PUT(b), (struct trace_findings *)l);
}
static inline int trace_findings_read(struct trace_findings *l, struct buf *b)
{
	return trace_findings_code(CODEC_GET(b), l);
}

#endif
