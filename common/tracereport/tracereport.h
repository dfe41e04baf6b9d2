/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the comparison of traces finds: one finding per (kind, source position of the access,
 * object), with a count and the first occurrence. Texts and lists of a finding that was read are
 * borrowed from the bytes it was read from.
 */
#ifndef DVMDBG_COMMON_TRACEREPORT_TRACEREPORT_H
#define DVMDBG_COMMON_TRACEREPORT_TRACEREPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/checksum/checksum.h"
#include "common/logical/rankset.h"
#include "common/protocol/finding_kind.h"
#include "common/protocol/report.h"
#include "common/trace/block.h"
#include "common/trace/decode.h"
#include "common/traceindex/traceindex.h"

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
	/*
	 * Of a function's frame, `within` is its address here; spot: a call in the function, index:
	 * how far it is above stack pointer and frame pointer there. ndim 4: it may be of what the
	 * compiler passes to a region of OpenMP, index[2] bytes into that; index[3]: the region's
	 * code in the module.
	 */
	TRACE_WHAT_STACK,
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
	const struct rankset *ranks; /* all that have it, of a list: borrowed; NULL: rank alone */
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
	/* CALCULATED: ref is what was calculated; the declared operation, and what explains the
	 * difference, "" or NULL: nothing does */
	const char *operation, *note;
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
		struct rankset ranks; /* owned; all that have it */
		uint64_t
			reported; /* of the count: what was taken before, see trace_findings_take */
		bool fresh;	  /* the first occurrence is another one since then */
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

/*
 * What the records of a block say of one of them: for findings.
 */

#define TELL_READS 256u /* reads before it that are remembered */

/* Zeroed: nothing is known. Texts are borrowed from the block. */
struct inspect {
	const struct trace_block *block;
	bool found;
	bool failed; /* for lack of memory */
	struct trace_rec rec;
	struct trace_frame frame[TRACE_FINDING_DEPTH];
	unsigned nframe, lost;
	struct inspect_read {
		const struct trace_block *block;
		struct trace_rec rec;
	} read[TELL_READS];		      /* a ring */
	unsigned nread, first;		      /* those from `first` on are what it computes from */
	struct inspect_read late[TELL_READS]; /* reads behind it, in the same iteration */
	unsigned nlate;
	bool begun, ended; /* it is seen where the iteration begins, ends */
	unsigned since;	   /* reads before what is written before it in the iteration */
};

/* A record, and the blocks of its thread before and behind its own; NULL: not known. */
struct inspect_at {
	const struct trace_block *before, *block, *after;
	uint32_t rec;
};

/*
 * Looks for the record; on: and for what is read behind it. Blocks end when they are full, and when
 * another thread needs what they have: in the middle of an iteration, too. So what is read for a
 * write may be in the block before, which is read when it is there and the iteration goes on.
 */
void inspect_look(struct inspect *l, const struct inspect_at *at, bool on);
/* The iteration began before the block, or goes on behind it: its neighbours have the rest. */
bool inspect_wants_before(const struct inspect *l);
bool inspect_wants_after(const struct inspect *l);
/* Fills in what both say: positions, stack, operands when they are wanted. */
void inspect_from(struct trace_finding *f, const struct inspect *now, const struct inspect *ref,
		  bool operands, const struct trace_tolerance *tol);
/* In operands.c: the reads before it, each with the reference's. */
/* How both values of the thing compare, and the tolerance of a value of it. */
enum tolerance_verdict inspect_compare(const struct trace_tolerance *tol,
				       const struct trace_thing *thing, const struct trace_pair *v);
struct trace_tolerance inspect_tolerance(const struct trace_tolerance *tol,
					 const struct trace_thing *thing, unsigned type);
void inspect_operands(struct trace_finding *f, const struct inspect *now, const struct inspect *ref,
		      const struct trace_tolerance *tol);
/* Of memory that nobody registered: a real number, by its bits in both runs. */
void inspect_guess_type(struct trace_pair *v);
/* Inside of an iteration that is marked, or a task. */
bool inspect_in_iteration(const struct inspect *l);
/* Where it stands in the source; what is accessed, and the type of that, VALUE_TYPES: not known. */
void inspect_spot(struct trace_spot *to, const struct trace_block *b, uint32_t site,
		  uint32_t place);
void inspect_what(const struct trace_block *b, const struct trace_rec *r, struct trace_thing *t);
unsigned inspect_type(const struct trace_block *b, const struct trace_rec *r);
/* Texts and bytes of a copy are owned. False: no memory, and nothing is. */
bool trace_spot_copy(struct trace_spot *to, const struct trace_spot *from);
void trace_spot_clear(struct trace_spot *s);
struct trace_spot trace_spot_of_site(const struct trace_site *site);
/* For tables of places: equal ones have equal keys. Functions and build-ids do not count. */
uint64_t trace_spot_key(const struct trace_spot *s);
bool trace_spot_is(const struct trace_spot *a, const struct trace_spot *b);
/* Name, and field; the indices are set already. */
void inspect_array(const struct array_desc *a, uint32_t within, struct trace_thing *t);
/* Half of a complex number, when as many bytes are accessed: "re" or "im" is its field. */
void inspect_half(const struct array_desc *a, unsigned size, struct trace_thing *t);

/*
 * A finding in two pieces: what distinguishes it from others, and its first occurrence.
 */

int finding_key_code(struct codec *c, struct trace_finding *f);
/* Without the count, which changes. */
int finding_rest_code(struct codec *c, struct trace_finding *f);

/* n more occurrences of what has the key, none of them the first. */
void trace_findings_count(struct trace_findings *l, const void *key, uint32_t nkey, uint64_t n);
/* By point, order in the reference, rank. */
int finding_order(const struct point *pa, const int64_t *a, uint32_t ra, const struct point *pb,
		  const int64_t *b, uint32_t rb);

/*
 * Who wrote an element last: looked for from the end of all ranks' traces.
 */

struct trace_last {
	const char *name;	   /* of the array */
	const char *file;	   /* where it was registered; NULL: anywhere */
	uint32_t line, counter;	   /* 0, UINT32_MAX: any */
	unsigned ndim;		   /* a scalar: 0, also one that a rank owns */
	int64_t index[ARRAY_DIMS]; /* global */
	const char *field;	   /* of the elements, which are structures; NULL: any */
	uint32_t nth;		   /* of a field that is an array, from 1; 0: all of it */
	uint32_t offset;	   /* bytes in the element */
	uint64_t size;		   /* of that; 0: any of the element */
	/* NULL, or a variable that nobody registered: size bytes at its address in this module */
	const char *module;
	uint64_t vaddr;
	struct point before; /* only what was done before this point; main 0: all */
	uint32_t rank;	     /* only by this one; TRACE_NO_RANK: by any */
	bool halo;	     /* also of what a rank has in its halo only */
	/* called for each block that is read; other than 0: give up. May be NULL. */
	int (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

/*
 * Adds to *out (findings of kind VALUE, only with what is here): the last write of each rank that
 * owns the element and wrote it in the same construct as the last one of all did. What replaced the
 * array meanwhile (another registration with the name) counts as it, and so does what was written
 * to its memory before it was registered, where that was recorded. Returns how many were added: 0
 * nobody wrote it, as far as was recorded; -1 err; -2 given up. *known (may be NULL): the array is
 * in the traces at all.
 */
int trace_last_write(struct trace_index *r, const struct trace_last *w, struct trace_findings *out,
		     bool *known, struct err *err);

/*
 * Memory that nobody registered, right before or behind an array: an index is out of bounds there.
 */

#define TRACE_BESIDE 4096 /* bytes on each side of an array, and no more than it is long */

/* Whether an object of the block comes into question. */
typedef bool (*out_of_bounds_is)(void *arg, uint32_t object);
/*
 * The nearest array of the block of which an access of so many bytes could be out of bounds there,
 * with its place among the objects, and the bytes between: < 0 before its first element, >= 0 from
 * its end. False: none is near. is: of which objects; NULL: of all.
 */
bool out_of_bounds(const struct trace_block *b, uint64_t addr, unsigned size, out_of_bounds_is is,
		   void *arg, uint32_t *object, int64_t *bytes);
/*
 * False: an array may be near that address. True: none is near it, nor near any other of *lo … *hi
 * - 1.
 */
bool out_of_bounds_far(const struct trace_block *b, uint64_t addr, uint64_t *lo, uint64_t *hi);

#endif
