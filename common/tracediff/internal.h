/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the comparison. What comes from a rank's blocks as segments (segment.h) goes three
 * ways: scopes that are found in the reference as a whole (tracediff_iter.c), those that are too
 * large or have no counterpart of their own (tracediff_join.c), and events (tracediff_seq.c,
 * tracediff_value.c). Whoever sees something wrong raises a suspicion; at the end of the block
 * findings are made of these (tracediff_tell.c), for only the records know source positions and
 * operands.
 */
#ifndef DVMDBG_COMMON_TRACE_CMP_IMPL_H
#define DVMDBG_COMMON_TRACE_CMP_IMPL_H

#include "common/core/fingerprint.h"
#include "common/core/hash.h"
#include "common/tracediff/tracediff.h"
#include "common/traceindex/internal.h"
#include "common/coverage/index_set.h"

#define CMP_CARRY 65536u /* accesses of a scope that are kept to be compared as a whole */
#define CMP_SUMS 4u
#define CMP_LOOKED 32u

struct cmp_join;

/* ---- suspicions ---- */

/* Where something is: a record of a block of this run, or of the reference. */
struct cmp_spot {
	const struct trace_block *block; /* of this run; NULL: not held any more */
	uint32_t rec;
};

struct cmp_ref_spot {
	bool valid;
	uint32_t file;
	size_t block;
	uint32_t rec;
};

struct cmp_suspicion {
	uint8_t kind;	    /* enum finding_kind */
	bool write, access; /* access: of an element: key, size and values hold */
	bool has_now, has_ref;
	bool fewer; /* UNWRITTEN: it is written, but less often; values: the last ones */
	uint8_t size, nidx;
	int32_t ident; /* of a replicated object: key is its number and byte; -1 none */
	uint64_t key, now, ref;
	uint64_t place; /* a hash of the source position, 0 unknown */
	struct point point;
	int64_t order[TRACE_ORDER];
	int64_t index[ARRAY_DIMS]; /* of the iteration */
	struct cmp_spot at;
	struct cmp_ref_spot ref_at;
	uint64_t missing;
};

/* One (kind, position, object), through the run. */
struct cmp_suspect {
	struct cmp_suspicion first;
	uint64_t count;	    /* since the findings were made last */
	bool fresh;	    /* first is not a finding yet */
	unsigned char *key; /* owned; of the finding that was made of it */
	uint32_t nkey;
};

/* ---- what is open ---- */

enum cmp_mode { CMP_UNDECIDED, CMP_MARKED, CMP_UNMARKED };

/* A parallel loop or task region. */
struct cmp_loop {
	struct cmp_loop *next;
	struct point point;
	uint8_t kind;	   /* CONSTRUCT_… */
	uint8_t mode;	   /* enum cmp_mode */
	bool foreign;	   /* the reference has another construct here: nothing in it is compared */
	bool partial;	   /* not all it does is known */
	bool extra;	   /* iterations that the reference does not have */
	bool body;	   /* it accesses arrays outside of iterations */
	uint8_t level;	   /* of this run, as trace_level; 0: its beginning was not seen */
	uint64_t recorded; /* iterations */
	struct index_set *set;
	struct cmp_join *join;	 /* UNMARKED */
	uint32_t file;		 /* of the reference, where the last iteration was */
	struct ref_at *hint;	 /* owned; where it was last, in each file */
	uint32_t sums[CMP_SUMS]; /* arrays that its iterations add to, ident + 1; 0: none */
};

/* A scope that is not whole yet. */
struct cmp_carry {
	bool open, dead; /* dead: it is not compared */
	bool lossy;
	uint8_t level;
	struct trace_scope scope;
	int64_t index[ARRAY_DIMS];
	struct trace_acc *acc; /* owned */
	uint32_t n, cap;
	uint32_t old;	       /* how many are of the block before */
	uint32_t gone;	       /* and of those before that one */
	struct cmp_join *join; /* when there are too many */
};

struct cmp_thread {
	uint32_t thread;
	struct trace_block *block, *before; /* owned */
	struct cmp_carry iter, task;
};

/* What both runs said of a replicated object last. */
struct cmp_known {
	struct cmp_saying {
		unsigned char *bytes; /* owned; all of it, or as much as has come of it */
		uint64_t n, got;
		unsigned char print[FINGERPRINT_BYTES]; /* of one that came in parts, or only as
							   that */
		bool whole, printed, valid, fresh;
	} now, ref;
	bool bad;			/* it is wrong, and that has been said */
	bool pending;			/* it is wrong since an end */
	struct cmp_suspicion at, since; /* where it was said here last; that end */
	unsigned char *wrong;		/* owned; what it was when it was wrong */
	uint64_t nwrong;
};

#define CMP_DEPTH 64

/* The sequential branch, of the program or of a task. */
struct cmp_branch {
	struct ref_walk walk;
	bool open, lost; /* lost: out of step, until a construct with a number */
	unsigned depth;
	uint8_t level[CMP_DEPTH]; /* of sequential loops: the lower one of both runs */
	uint64_t now[CMP_DEPTH], ref[CMP_DEPTH]; /* iterations of them that were recorded */
	/* what brought it out of step: nothing, when a SKIP follows */
	struct cmp_suspicion odd;
	bool holds;
	uint32_t task; /* of a task's branch */
	struct point region;
};

struct tracediff {
	struct trace_index *ref; /* borrowed */
	struct tracediff_options o;
	struct tracediff_state state;
	struct trace_findings findings;
	struct segment_reader *reader;
	struct segment seg;
	struct cmp_thread *thread;
	uint32_t nthread;
	struct cmp_thread *now;		 /* whose block it is */
	const struct trace_block *block; /* that is read */
	struct cmp_loop *loop;		 /* open ones; the one used last is the first */
	struct cmp_branch main, task;
	unsigned strange;	 /* constructs in sequence that are not the reference's */
	bool astray;		 /* too many: nothing is compared any more */
	bool boundary;		 /* a construct with a number has begun or ended */
	struct point at;	 /* that point */
	struct cmp_known *known; /* by ident */
	unsigned nknown;
	struct cmp_suspect *suspect;
	uint32_t nsuspect;
	struct hash suspects;
	struct cover *cover;	       /* those that wait to be taken */
	size_t cover_first, ncover, cover_cap; /* first … n - 1 */
	uint32_t *placed; /* by ident: the version that covers have reported the place of */
	unsigned nplaced;
	struct {
		uint32_t ident; /* + 1; 0: none */
		unsigned looks;
	} inspected[CMP_LOOKED]; /* tracediff_sum.c */
	/* scratch */
	struct trace_acc *gather;
	uint32_t gather_cap;
	void *sort_now, *sort_ref;
	uint32_t sort_now_cap, sort_ref_cap;
	uint8_t *bad;
	uint32_t bad_cap;
	bool failed; /* out of memory */
};

/* tracediff.c. The state of the construct, made when there is none; NULL: no memory. */
struct cmp_loop *cmp_loop_get(struct tracediff *c, const struct point *p);
/* The construct has ended. */
void cmp_loop_close(struct tracediff *c, const struct trace_event *end);
/* Records of it are lost. */
void cmp_loop_lossy(struct tracediff *c, const struct point *p);
/* Room for n elements of `size` bytes in scratch memory; NULL: no memory. */
void *cmp_room(void **list, uint32_t *cap, uint32_t n, size_t size);
/* What lies between the points is recorded in detail in both runs. */
bool cmp_detailed(const struct tracediff *c, const struct point *last);

/* tracediff_scope.c */
/* A scope here, as far as it is held. */
struct cmp_now {
	const struct trace_acc *acc;
	uint32_t n;
	uint32_t gone, old; /* of blocks that are not held, of the block before this one */
	uint32_t rec;	    /* that opened it, in the block of the first access that is not gone */
	const struct trace_scope *s;
	const int64_t *index;
	uint8_t level;
	bool complete; /* nothing of it is missing */
	bool lossy;
};

/*
 * Compares it with the reference's at the place. 1: that is too large, it has to be joined; 0.
 */
int cmp_scope(struct tracediff *c, struct cmp_loop *l, const struct ref_want *w,
	      const struct cmp_now *n, const struct ref_at *at, bool lossy);
/* Where access i is, n->n: where the scope begins. */
void cmp_scope_spot(const struct tracediff *c, const struct cmp_now *n, uint32_t i,
		    struct cmp_suspicion *s);
/* How both values of an access compare. */
enum trace_judged cmp_judge(const struct tracediff *c, uint64_t key, unsigned size, uint64_t now,
			    uint64_t ref);

/* What an iteration has made of an element. */
struct cmp_sum {
	uint64_t from, to;
	bool read;    /* first: that is `from` */
	bool written; /* last: that is `to` */
	bool own;     /* the element is this rank's */
};
/* tracediff_sum.c: both add the same to an element to which other iterations may have added before.
 * Without reads, whether they may. */
bool cmp_adds(struct tracediff *c, const struct point *point, uint64_t key, unsigned size,
	      const struct cmp_sum *now, const struct cmp_sum *ref);
/* Access i is a read of a halo's element in order to add to it, for its owner: what is there is no
 * copy of what that has. */
bool cmp_adds_next(const struct cmp_now *n, uint32_t i);

/* What a loop does outside its iterations. */
void cmp_body_part(struct tracediff *c, const struct trace_scope *s);
/* tracediff_iter.c: a part of an iteration or task. */
void cmp_iter_part(struct tracediff *c, const struct trace_scope *s);
/*
 * Scopes from number `from` on, before record `before`, that are the next iterations of the loop
 * and the same as the next ones in the reference. Returns the number of the first that is not.
 */
uint32_t cmp_iter_same(struct tracediff *c, uint32_t from, uint32_t before);
/* What is carried is compared: nothing of it follows. complete: it was executed to its end. */
void cmp_carry_end(struct tracediff *c, struct cmp_carry *k, bool complete);
void cmp_carry_clear(struct cmp_carry *k);

/* tracediff_join.c */
struct cmp_join *cmp_join_loop(struct tracediff *c, const struct point *p);
struct cmp_join *cmp_join_scope(struct tracediff *c, const struct ref_want *w,
				const struct ref_at *at);
void cmp_join_feed(struct tracediff *c, struct cmp_join *j, const struct cmp_now *n);
/* All has been fed; complete: nothing of it is missing. Elements that were (not) written go to the
 * cover when there is one. */
void cmp_join_finish(struct tracediff *c, struct cmp_join *j, bool complete,
		     struct cover *cover);
/* What could not be settled is, while the block is there. */
void cmp_join_settle(struct tracediff *c, struct cmp_join *j);
/* What is held back is looked up, as long as the block is there. */
void cmp_join_keep(struct tracediff *c, struct cmp_join *j);
void cmp_join_free(struct cmp_join *j);
size_t cmp_join_deferred(const struct cmp_join *j);

/* tracediff_seq.c, tracediff_value.c */
void cmp_event(struct tracediff *c, const struct trace_event *e);
void cmp_seq_end(struct tracediff *c, bool complete);
/* counts: it is compared; else it is only what later ones refer to. */
void cmp_value_now(struct tracediff *c, const struct trace_event *e, bool counts);
void cmp_value_ref(struct tracediff *c, const struct segment *s, const struct trace_event *e);
/* Both have said what they have to say at the point. */
void cmp_value_judge(struct tracediff *c, const struct point *p);
void cmp_value_forget(struct tracediff *c);
void cmp_value_free(struct tracediff *c);
/* Of what is not registered only the bytes are known: the type of two such values is real, unless
 * they look like whole numbers; VALUE_TYPES: of no size that a number has. */
unsigned cmp_bytes_type(unsigned size, uint64_t x, uint64_t y);
/* Of the reference the event that the walk is at. */
void cmp_reduction(struct tracediff *c, const struct trace_event *now, const struct ref_walk *w);

/* tracediff_tell.c */
void cmp_suspect(struct tracediff *c, const struct cmp_suspicion *s);
/* The finding of a suspicion that is not raised yet, into a list of its own; and when it is, so
 * many times. An empty list: as with cmp_suspect. */
void cmp_report_later(struct tracediff *c, const struct cmp_suspicion *s, struct trace_findings *to);
void cmp_suspect_deferred(struct tracediff *c, const struct cmp_suspicion *s, uint64_t count,
		      const struct trace_findings *made);
/* Whether there is one already of that kind, position and object: then it need not be looked into.
 */
bool cmp_suspected(const struct tracediff *c, const struct cmp_suspicion *s);
/*
 * Unexpected use: of an object that has another shape in the reference, that is what is reported;
 * of one that the reference does not know at all, only writes; and nothing that lies nowhere on the
 * file's rank, so that a buffer represents it there. file: who has it in the reference, or any
 * number beyond: else false.
 */
bool cmp_use(const struct tracediff *c, struct cmp_suspicion *s, uint32_t file);
/* A suspicion about the event, filled in. */
struct cmp_suspicion cmp_suspicion_of(const struct tracediff *c, unsigned kind,
				      const struct trace_event *e);
/* Makes findings of the suspicions. */
void cmp_report(struct tracediff *c);
/* Of the source position; 0: not known. */
uint64_t cmp_site_hash(const struct trace_block *b, uint32_t site);

#endif
