/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares what a rank does with a reference, access by access (SEMANTICS 4), while it runs or from
 * its trace file. Compared are
 *  - in iterations of parallel loops and in tasks: reads and writes of elements of distributed
 * arrays by global index, the writes of each element in order, its reads as a set. Iterations are
 * looked up by construct and index, wherever the reference executed them. A halo is as the element
 * that it copies. When a loop's iterations are not marked: the k-th write of each element in the
 * loop, and a read of what is not written here has to find a value that the reference read or wrote
 * there. Of elements that a statement adds to in another order the last write only, and so where
 * all that a loop writes is right in the end and a good part of it was not before;
 *  - registered replicated objects where constructs begin and end, and where the program ends. At
 * an end a reduction may be under way: what is wrong there counts when the next construct begins
 * with it. Of what is wrong the first wrong write in the sequential branch is reported, if there
 * was one;
 *  - results of reductions, in order;
 *  - the sequence of constructs, and the iterations of sequential loops.
 * Atomic updates and reduction variables inside loops, memory that is not registered, and writes
 * into halos in loops without marks are not compared. Of two levels the lower one says what is
 * compared.
 *
 * All of it is for one thread, which may be another one than that which opened the reference.
 */
#ifndef DVMDBG_COMMON_TRACEDIFF_TRACEDIFF_H
#define DVMDBG_COMMON_TRACEDIFF_TRACEDIFF_H

#include "common/checksum/checksum.h"
#include "common/coverage/coverage.h"
#include "common/stream/stream.h"
#include "common/trace/decode.h"
#include "common/traceindex/traceindex.h"
#include "common/tracereport/tracereport.h"

struct err;
struct tracediff;

/* Zeroed but for rank and ranks: relative 1e-9 is not the default, exact is not either: set it. */
struct tracediff_options {
	uint32_t rank, ranks; /* of the run that is compared */
	struct trace_tolerance tolerance;
	uint32_t most; /* findings that are kept, MaxErrors; 0: no bound */
	bool moved;    /* another version of the program: source positions are not compared */
	bool covers;   /* report what was executed, see tracediff_cover */
	struct point start, finish; /* where this run records in detail; main 0: everywhere */
	size_t memory;		    /* for what is remembered of large loops; 0: 8 MiB */
};

struct tracediff_state {
	uint64_t records;		 /* of this run */
	uint64_t compared, equal, close; /* accesses; close: equal within the tolerance only */
	uint64_t
		unknown; /* that were not judged: levels, limits, ghosts, lost or cut off records */
	uint64_t lost;	  /* of these: for lost records or lack of memory; and gaps of records */
	uint64_t iterations, constructs; /* compared */
	uint64_t values, reductions;	 /* of replicated objects; results */
	uint64_t decoded;		 /* blocks of the reference */
	struct point last;		 /* passed by this run */
	bool beyond;			 /* the reference ends earlier, at `end` */
	struct point end;
};

/* The reference is borrowed, and serves one comparison at a time. NULL: no memory. */
struct tracediff *tracediff_create(struct trace_index *ref, const struct tracediff_options *o,
				   struct err *err);
void tracediff_destroy(struct tracediff *c); /* NULL is fine */
/*
 * The next block of this rank, in the order in which they were closed. It is taken over (and freed
 * when it is not needed any more), also when this fails. -1: err; the comparison can go on.
 */
int tracediff_block(struct tracediff *c, struct trace_block *b, struct err *err);
/* The run has ended; complete: by itself. Then what the reference has more is a finding. */
int tracediff_end(struct tracediff *c, bool complete, struct err *err);
/* Everything so far. Borrowed. To send what is new: trace_findings_take of it. */
struct trace_findings *tracediff_findings(struct tracediff *c);
/*
 * Takes the cover of the next construct that has ended here; false: none waits. They have to be
 * taken, in order, and all ranks' brought together (covers_add), to find what no rank has
 * executed.
 */
bool tracediff_cover(struct tracediff *c, struct cover *out);
const struct tracediff_state *tracediff_state(const struct tracediff *c);
/* The comparison as a reader of the stream: self is a struct tracediff, which goes with the
 * stream. */
extern const struct stream_class tracediff_reader;
/* Bytes that are held now, without the reference's. */
size_t tracediff_held(const struct tracediff *c);

/*
 * Compares the traces of two runs that are over: each rank of one with all of the other.
 */

struct tracediff_files_options {
	struct trace_tolerance tolerance;
	uint32_t most; /* findings that are kept; 0: no bound */
	bool moved;    /* the runs are of different versions of the program */
	/* called for each block; other than 0: give up. May be NULL. */
	int (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

/*
 * Compares `now`, whose findings are reported, with `ref`. Adds to *out and *state (the sums of all
 * ranks). 1: given up on request; -1: err, what was found by then is there.
 */
int tracediff_files(struct trace_index *now, struct trace_index *ref,
		    const struct tracediff_files_options *o, struct trace_findings *out,
		    struct tracediff_state *state, struct err *err);

#endif
