/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs: elements of an array that are one behind the other, both here and in the dense global
 * array, so that keys of accesses follow from where they are without looking at indices.
 */
#ifndef DVMDBG_COMMON_TRACEINDEX_INTERNAL_H
#define DVMDBG_COMMON_TRACEINDEX_INTERNAL_H

#include "common/trace/trace.h"
#include "common/traceindex/traceindex.h"

struct err;
struct trace_reader;

/*
 * Text traces: of the file, with those of the other ranks beside it when it was a run of several,
 * or in the directory. fn gets each as if it was native, and owns it; not 0 ends it. -1: err.
 */
int trace_index_texts(const char *path,
		      int (*fn)(void *arg, struct trace_reader *m, struct err *err), void *arg,
		      struct err *err);

struct trace_run {
	uint64_t at, n;	    /* bytes of the object */
	uint64_t own, nown; /* those of them that are owned */
	uint64_t key;	    /* of the first */
};

/* The local layout of an object on a rank. */
struct local_layout {
	int id;
	const struct object_id *ident; /* borrowed */
	struct trace_shape shape;      /* borrows the description */
	unsigned whole;		       /* see object_id_desc_whole */
	uint64_t piece;
	bool folded; /* all elements have the key of the first */
};

/*
 * fold.c: arrays of a reference whose elements have no global indices, as the source's text names
 * them: those of a run that is compared are taken for one element, too.
 */
struct object_folds {
	struct object_fold {
		char *name; /* owned */
		uint32_t elem_size;
		uint8_t type;
		bool fortran; /* capitals do not matter */
	} * item;	      /* owned */
	unsigned n;
};
void object_folds_clear(struct object_folds *l);
/* Whether a is such an array or element: then *out is the one element, whose name is borrowed. */
bool object_folds_find(const struct object_folds *l, const struct array_desc *a,
		       struct array_desc *out);
struct object_folds *object_ids_folds(struct object_ids *t);

/* The number, lie->id, is set already. */
void local_layout_make(struct local_layout *layout, const struct object_id *ident,
		    const struct array_desc *a);
/* The run in which byte `at` is; false: no element that has a global index. */
bool trace_run_find(const struct local_layout *layout, uint64_t at, struct trace_run *run);

/*
 * Accesses from a block straight into a segment: what most of a comparison's time would go into.
 * For segment_reader.c.
 */

enum access_dull {
	ACCESS_LIVE, /* in scopes */
	ACCESS_DULL,
	ACCESS_OUTSIDE, /* outside of parallel loops */
};

/* How accesses of a slot are taken, and through which elements it went last. */
struct access_reader {
	struct trace_run run;
	const struct local_layout *layout; /* of its object; not of those that are ACCESS_DULL */
	uint64_t place;	/* ACCESS_OUTSIDE: a hash of the source position; 0: not known */
	uint32_t object;	     /* its share in the entries of values */
	uint16_t site;
	uint8_t size, unit, flags;
	uint8_t shift;	/* of `at` in entries */
	uint8_t dull;	/* enum access_dull: whether they are compared */
	uint32_t turns; /* the last steps in which one is not where it is expected */
};

void access_reader_slot(struct access_reader *t, const struct trace_block *b, uint32_t slot);

enum trace_taken {
	TRACE_TAKEN_OTHER, /* the next record is no access, or there is none */
	TRACE_TAKEN_ROOM,  /* the segment's list is full */
	TRACE_TAKEN_ONE,   /* *at, value[] are an access of slot *slot that is not simply taken */
	TRACE_TAKEN_BAD,   /* the block is damaged */
};

/*
 * Takes the accesses up to there; those of slots whose bit (by enum access_dull) is in mute are
 * passed over. Those of ACCESS_OUTSIDE come one by one. slot: by slot of the block.
 */
enum trace_taken access_reader(struct trace_cursor *c, struct access_reader *take, unsigned mute,
			       struct segment *s, uint32_t *slot, uint64_t *at, uint64_t value[2]);

#define TRACE_AGAIN_MOST 256u

/*
 * Iterations that follow one another mostly have the same ops: what these come to is worked out
 * once, and accesses that are not compared and change nothing cost nothing. Zeroed: a block begins.
 */
struct trace_again {
	const unsigned char *ops; /* of the last iteration, in the block; NULL: there was none */
	uint32_t n;		  /* ops of an iteration that `step` is for */
	uint32_t before, after;	  /* slot of the last access, before and after them */
	uint32_t equal;		  /* iterations with equal ops so far */
	uint32_t live, nstep;	  /* accesses that are compared; steps */
	uint32_t made_at;	  /* how often `step` was made; */
	bool made;		  /* it holds */
	struct trace_step {
		uint16_t slot, record; /* record: of the iteration, from 0 */
		uint8_t op;
		bool dull;
		bool plain; /* of eight bytes, and where it is expected */
	} step[TRACE_AGAIN_MOST];
};

/* Takes the first accesses of an iteration that has just begun, perhaps all, perhaps none. -1: the
 * block is damaged. */
int access_reader_again(struct trace_cursor *c, struct trace_again *a, struct access_reader *take,
			struct segment *s);
/*
 * After that: iterations that follow and do the same, each a scope of its own. The last scope of s,
 * an iteration, has begun; so it has afterwards. index: of the last iteration. As before.
 */
int access_reader_iterations(struct trace_cursor *c, struct trace_again *a,
			     struct access_reader *take, struct segment *s, int64_t *index,
			     uint8_t level);

#endif
