/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chain from a wrong value to its root, in the traces of a run and of its reference: each write
 * is paired with the reference's, so is each read before it; a read that differs leads to the write
 * that it has its value from, by its address on the same rank, to the owner's when it is of a
 * halo's element, or, where MPI has copied it, to one of the same value.
 */
#ifndef DVMDBG_COMMON_TRACESLICE_TRACESLICE_H
#define DVMDBG_COMMON_TRACESLICE_TRACESLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/tracereport/tracereport.h"

struct err;

#define SLICE_DEPTH 16	  /* writes from the wrong one to the root that are kept */
#define SLICE_WRITES 600u /* writes that are looked at */

/* How sure it is. */
enum slice_grade {
	SLICE_POSSIBLE,
	SLICE_LIKELY,
	SLICE_PROVED, /* the traces show a wrong value, and that nothing before it was wrong */
};

/* What a chain ends in. */
enum slice_end {
	SLICE_NOWHERE,	  /* nothing that is known */
	SLICE_STALE,	  /* a copy of another rank's element was read, which that had right */
	SLICE_MISSING,	  /* the reference has a write that this run has not */
	SLICE_EXTRA,	  /* this run has one that the reference has not */
	SLICE_OTHER_READ, /* another element is read than in the reference */
	SLICE_SENT_OTHER, /* a message has brought another element, which was right */
	SLICE_STATEMENT,  /* all that is read is the same, what is written is not */
	SLICE_UNSEEN,	  /* no write that was recorded has set what is read */
	SLICE_ENDS
};

/* How one comes to a write from the step before it. */
enum slice_how {
	SLICE_FIRST,
	SLICE_LOCAL,   /* it has set what is read there, on the same rank */
	SLICE_OWNER,   /* its element is read in another rank's halo */
	SLICE_MESSAGE, /* a message seems to have brought its value */
};

struct slice_step {
	enum slice_how how;
	struct trace_finding write; /* with both values, as far as they are known */
};

struct slice {
	enum slice_end end;
	enum slice_grade grade;
	struct slice_step step[SLICE_DEPTH]; /* from the wrong write to the root's */
	unsigned n;
	bool shortened; /* steps before the last one are left out */
	bool bounded;	/* there were more writes than were looked at */
	bool in_halo;	/* the root's write is of a copy of what another rank owns */
	/* the read with which it ends; what == TRACE_WHAT_NONE: it ends in the last write */
	struct trace_operand read;
	/* STALE: who had it right; UNSEEN: who had it wrong, too; TRACE_NO_RANK: not known */
	uint32_t owner;
	/* STALE: the owner's write; MISSING: the reference's. kind 0: not known */
	struct trace_finding right;
	/* what is there in its place, and where that was read; NONE: not known */
	struct trace_operand instead;
	uint32_t instead_rank;
	bool hidden;		 /* memory that was not recorded may have a part in it */
	bool unclear;		 /* STATEMENT: it also reads memory that the reference does not */
	bool unset; /* STALE, UNSEEN: the rank has not set what is read, as far as is recorded */
	struct slice_hold *hold; /* owned; the blocks that texts are borrowed from */
};

struct slice_wanted {
	struct trace_index *now, *ref;
	const struct trace_tolerance *tolerance;
	const struct trace_finding *wrong; /* a write: its element, rank, point and iteration */
	bool others;			   /* memory that nobody registered was recorded, too */
};

/*
 * Fills *out, which is to be cleared. 1: there is a chain; 0: the write is not in the traces, or
 * the reference has no such write; -1: no memory.
 */
int slice_make(const struct slice_wanted *w, struct slice *out);
void slice_clear(struct slice *s);
/*
 * Where a value of one run comes from: a tree of writes, each with those of what was read for it.
 */
#define HISTORY_DEPTH 3	  /* reads from the first write on */
#define HISTORY_STEPS 64u /* in all; the farthest are left out */

/* How the value of a read was found to come from the write. */
enum history_how {
	HISTORY_LOCAL,	 /* the rank itself has written it */
	HISTORY_OWNER,	 /* the owner of the element, of which a halo has a copy, has */
	HISTORY_MESSAGE, /* likely: one other rank has written that value, and this one not */
	HISTORY_UNSEEN,	 /* no write that was recorded; `access` is the read */
};

struct history_step {
	unsigned depth; /* 0: the write that was asked for */
	enum history_how how;
	bool again;		     /* a step before it is the same write, and has what follows */
	struct trace_finding access; /* kind VALUE, only with what is here; texts are borrowed */
};

struct history {
	struct history_step step[HISTORY_STEPS]; /* what was read for a step follows it */
	unsigned n;
	bool shortened; /* more was read than there are steps */
	struct history_hold *hold; /* owned */
};

/*
 * Fills *out, which is to be cleared, with the history of what trace_last_write has found. 1: there
 * is one; 0: it is no element of a registered object; -1: no memory.
 */
int history_make(struct trace_index *index, const struct trace_finding *write,
		 struct history *out);
void history_clear(struct history *s);
/* "proved", "likely", "possible". */
const char *slice_grade_word(enum slice_grade g);

#endif
