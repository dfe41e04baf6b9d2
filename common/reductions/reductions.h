/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Manual calculation of reductions (ManualReductCalc, SEMANTICS 4): what each iteration, task, or
 * piece of sequential code adds to a variable follows from the value that is there before it and
 * the value that is there behind it. A rank's reader adds up what is done to each variable, for
 * every operation at once, as the operation is declared only with the result. At a call of
 * MPI_Allreduce and its relatives (TRACE_NOTE_REDUCES) it keeps what the rank gives; at the mark of
 * the result it makes a struct reduction of it: a part, which merges with those of the other ranks
 * in any order and grouping. Who has the parts of all ranks of the communicator judges: declared
 * operation, initial value and parts against the program's result.
 *
 * What a variable is set to outside of iterations, without its old value, is its initial value.
 * When it is the same on all ranks, and iterations of parallel constructs change it, it counts
 * once.
 */
#ifndef DVMDBG_COMMON_REDUCTIONS_REDUCTIONS_H
#define DVMDBG_COMMON_REDUCTIONS_REDUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/codec.h"
#include "common/logical/point.h"
#include "common/stream/stream.h"
#include "common/tracereport/tracereport.h"

struct buf;
struct err;

#define REDUCTION_OPS 13   /* enum dvmdbg_op of runtime/dvmdbg.h: 1 … 13 */
#define REDUCTION_FOLDS 11 /* of these all but MAXLOC and MINLOC have a fold of their own */
#define REDUCTION_ELEMENTS 512
#define REDUCTION_PARTS 16 /* ranks whose part is kept by itself */
#define REDUCTION_PLACES 8 /* locations of one extreme */

enum reduction_op {
	REDUCTION_SUM = 1,
	REDUCTION_PROD,
	REDUCTION_MAX,
	REDUCTION_MIN,
	REDUCTION_AND,
	REDUCTION_OR,
	REDUCTION_XOR,
	REDUCTION_EQV,
	REDUCTION_BAND,
	REDUCTION_BOR,
	REDUCTION_BXOR,
	REDUCTION_MAXLOC,
	REDUCTION_MINLOC,
};

/* Why a result was not calculated, the more serious the higher. */
#define REDUCTION_WHY(X)                                                                  \
	X(DONE, "")                                                                       \
	X(SINGLE, "no iterations of parallel constructs are seen to change its variable") \
	X(OPERATION, "its operation is not known")                                        \
	X(TYPE, "its type is not one of numbers, or has no such operation")               \
	X(UNSEEN, "no access to the variable that it is computed in was recorded")        \
	X(LINK, "which variables of the ranks are combined is not known: no call of "     \
		"MPI_Reduce or MPI_Allreduce puts its result there")                      \
	X(CHANGED, "its variable is changed by what is not recorded")                     \
	X(THREADS, "several threads change its variable")                                 \
	X(LARGE, "it has too many elements, or too much other memory is changed")         \
	X(LOST, "records are missing")                                                    \
	X(RANKS, "not all ranks of its communicator have marked the result")
enum reduction_why {
#define X(name, text) REDUCTION_WHY_##name,
	REDUCTION_WHY(X)
#undef X
		REDUCTION_WHYS
};
const char *reduction_why_text(unsigned why);
/* "MAX"; "?" for a number that is none. */
const char *reduction_op_name(unsigned op);

/* One element; numbers are doubles for real types, else integers of 64 bits, by their bits. */
struct reduction_element {
	uint64_t init;	   /* of the lowest rank */
	uint8_t init_same; /* the same on all ranks */
	uint16_t based;	  /* a bit for each fold that begins with a value of its own on some rank */
	uint16_t against; /* … that an iteration contradicts */
	uint64_t init_fold[REDUCTION_FOLDS], fold[REDUCTION_FOLDS];
	uint64_t count;		/* of what was combined */
	double scale;		/* sum of magnitudes: what rounding is relative to */
	uint64_t result, other; /* the program's on the lowest rank, and the first that differs */
	uint32_t result_rank, other_rank; /* TRACE_NO_RANK: none differs */
	uint8_t nplace;
	uint64_t place[REDUCTION_PLACES]; /* MAXLOC, MINLOC: where the extreme is */
	uint64_t result_place, other_place;
};

/* What ranks report of one reduction. Texts are owned. Zeroed: empty. */
struct reduction {
	struct point point; /* the last one passed */
	uint32_t ordinal;   /* among the marks behind it */
	uint64_t comm;	    /* of the communicator; 0: none */
	uint32_t size;	    /* ranks that take part */
	uint32_t ranks;	    /* how many have reported */
	uint32_t rank;	    /* the lowest of them */
	uint8_t op, type;   /* enum reduction_op, value_type */
	uint8_t integer;    /* folds are integers */
	uint8_t why;	    /* enum reduction_why */
	uint8_t iterates;   /* iterations of parallel constructs contribute */
	uint8_t sets;	    /* an iteration does so without what was there before */
	uint8_t performed; /* an operation that all iterations of some rank perform instead; 0: none
			    */
	uint8_t contradicted; /* an iteration that the declared operation cannot do: nidx, index,
				 from, to */
	uint8_t nidx;
	int64_t index[ARRAY_DIMS];
	uint64_t from, to;
	char *name, *mpi_op;	 /* of the variable; the operation of MPI, "": none */
	struct place place;	 /* of the mark; texts are owned */
	unsigned char *build_id; /* owned */
	uint32_t nbuild_id;
	uint8_t order;	   /* 'C' or 'F': how elements are written */
	int64_t lower;	   /* index of the first one */
	uint8_t loop_kind; /* enum construct_kind of the construct that contributes; … */
	struct point loop; /* … its beginning; main 0: none */
	struct reduction_element *element;
	uint32_t n;
	/* of a few ranks, and only of single elements: what each gives; 0 when there are more */
	uint8_t nparts;
	struct reduction_part {
		uint32_t rank;
		uint64_t value;
	} part[REDUCTION_PARTS];
};

void reduction_clear(struct reduction *r);
int reduction_code(struct codec *c, struct reduction *r);
CODEC_PAIR(reduction, reduction_clear(x))
/* Whether they are of the same reduction of different ranks. */
bool reduction_is_same(const struct reduction *a, const struct reduction *b);
/* a += b. -1: no memory. */
int reduction_merge(struct reduction *a, const struct reduction *b);
/*
 * For nodes of a tree: merges the bytes of b into those of a (an EVENT_REDUCED each: a number, then
 * the part) when both are of one reduction: 1. 0: they are not, or cannot be read. -1: no memory; a
 * is as it was.
 */
int reduction_merge_bytes(struct buf *a, const void *b, size_t n);

/* The reader of a rank's stream; for stream_add with reductions_reader. NULL: no memory. */
struct reductions *reductions_create(uint32_t rank, uint32_t ranks);
extern const struct stream_class reductions_reader;

/* Brings the parts of all ranks together. */
struct reductions_set;
struct reductions_counts {
	uint64_t calculated, wrong, not ; /* results; wrong ones are among the calculated */
	uint64_t parts; /* of those calculated: from what ranks give, as no iterations compute it */
	unsigned why;	/* enum reduction_why of the first that was not calculated */
	char what[160]; /* its name and place, "" */
};
struct reductions_set *reductions_set_create(void);
void reductions_set_destroy(struct reductions_set *s); /* NULL is fine */
/* Takes r over, which is empty afterwards. Findings go to out, when there is one. -1: no memory. */
int reductions_add(struct reductions_set *s, struct reduction *r, struct trace_findings *out,
		   struct err *err);
/* No more comes: what is not complete is counted. */
void reductions_end(struct reductions_set *s);
const struct reductions_counts *reductions_counts(const struct reductions_set *s);

#endif
