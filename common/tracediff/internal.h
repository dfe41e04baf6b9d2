/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the comparison. What comes from a rank's blocks as segments goes three
 * ways: scopes that are found in the reference as a whole (iteration.c), those that are too
 * large or have no counterpart of their own (match.c), and events (sequential.c,
 * values.c). Whoever sees something wrong raises a suspicion; at the end of the block
 * findings are made of these (suspects.c), for only the records know source positions and
 * operands.
 */
#ifndef DVMDBG_COMMON_TRACEDIFF_INTERNAL_H
#define DVMDBG_COMMON_TRACEDIFF_INTERNAL_H

#include "common/core/fingerprint.h"
#include "common/core/hash.h"
#include "common/coverage/coverage.h"
#include "common/tracediff/tracediff.h"
#include "common/traceindex/traceindex.h"

struct cmp_join;

#define CMP_CARRY 65536u /* accesses of a scope that are kept to be compared as a whole */
#define CMP_SUMS 4u
#define CMP_LOOKED 32u
#define CMP_WRITTEN 256u

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
	struct cmp_reported {
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

/* A write to a replicated object in the sequential branch that is not the reference's. */
struct cmp_written {
	bool used;
	uint64_t key, turn; /* turn: in what order they were made */
	uint64_t last;	    /* what was written last */
	struct cmp_suspicion s;
	struct trace_findings made; /* of it, when its block is given up */
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
	struct cmp_written written[CMP_WRITTEN]; /* by key */
	unsigned nwritten;
	uint64_t turns;
	struct cmp_suspect *suspect;
	uint32_t nsuspect;
	struct hash suspects;
	struct cover *cover;		       /* those that wait to be taken */
	size_t cover_first, ncover, cover_cap; /* first … n - 1 */
	uint32_t *placed; /* by ident: the version that covers have reported the place of */
	unsigned nplaced;
	struct {
		uint32_t ident; /* + 1; 0: none */
		unsigned looks;
	} inspected[CMP_LOOKED]; /* reductions.c */
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
/* What is between the points is recorded in detail in both runs. */
bool cmp_detailed(const struct tracediff *c, const struct point *last);

/* scope.c */
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
/* The tolerance of a value of that type in the object. */
struct trace_tolerance cmp_tolerance(const struct tracediff *c, const struct object_id *o,
				     uint64_t key, unsigned type);
/* How both values of an access compare. */
enum tolerance_verdict cmp_number(const struct tracediff *c, uint64_t key, unsigned size,
				  uint64_t now, uint64_t ref);

/* What an iteration has made of an element. */
struct cmp_sum {
	uint64_t from, to;
	bool read;    /* first: that is `from` */
	bool written; /* last: that is `to` */
	bool own;     /* the element is this rank's */
};
/* reductions.c: both add the same to an element to which other iterations may have added before.
 * Without reads, whether they may. */
bool cmp_adds(struct tracediff *c, const struct point *point, uint64_t key, unsigned size,
	      const struct cmp_sum *now, const struct cmp_sum *ref);
/* Access i is a read of a halo's element in order to add to it, for its owner: what is there is no
 * copy of what that has. */
bool cmp_adds_next(const struct cmp_now *n, uint32_t i);

/* What a loop does outside its iterations. */
void cmp_body_part(struct tracediff *c, const struct trace_scope *s);
/* iteration.c: a part of an iteration or task. */
void cmp_iter_part(struct tracediff *c, const struct trace_scope *s);
/*
 * Scopes from number `from` on, before record `before`, that are the next iterations of the loop
 * and the same as the next ones in the reference. Returns the number of the first that is not.
 */
uint32_t cmp_iter_same(struct tracediff *c, uint32_t from, uint32_t before);
/* What is carried is compared: nothing of it follows. complete: it was executed to its end. */
void cmp_carry_end(struct tracediff *c, struct cmp_carry *k, bool complete);
void cmp_carry_clear(struct cmp_carry *k);

/* match.c */
struct cmp_join *cmp_join_loop(struct tracediff *c, const struct point *p);
struct cmp_join *cmp_join_scope(struct tracediff *c, const struct ref_want *w,
				const struct ref_at *at);
void cmp_join_feed(struct tracediff *c, struct cmp_join *j, const struct cmp_now *n);
/* All has been fed; complete: nothing of it is missing. Elements that were (not) written go to the
 * cover when there is one. */
void cmp_join_finish(struct tracediff *c, struct cmp_join *j, bool complete, struct cover *cover);
/* What could not be settled is, while the block is there. */
void cmp_join_settle(struct tracediff *c, struct cmp_join *j);
/* What is held back is looked up, as long as the block is there. */
void cmp_join_keep(struct tracediff *c, struct cmp_join *j);
void cmp_join_free(struct cmp_join *j);
size_t cmp_join_deferred(const struct cmp_join *j);

/* sequential.c, values.c */
void cmp_event(struct tracediff *c, const struct trace_event *e);
void cmp_seq_end(struct tracediff *c, bool complete);
/* The reference's event that is next in the branch; NULL: there is none. */
const struct trace_event *cmp_next_event(struct tracediff *c, struct cmp_branch *b);
/* written.c: a write to a replicated object in the sequential branch. */
void cmp_write(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e);
/* A replicated object is wrong, as s says: suspects the first wrong write of it; false: there is
 * none. */
bool cmp_written_suspect(struct tracediff *c, const struct cmp_suspicion *s);
/*
 * Of a reference without values, as a text of the historical debugger: what it writes last in step
 * is what it has. Of a scalar that is what was written otherwise here the first wrong write is
 * suspected.
 */
void cmp_written_judge(struct tracediff *c, int32_t ident, const struct cmp_reported *now);
/* Writes of the object, or (-1) of all, are forgotten. */
void cmp_written_forget(struct tracediff *c, int32_t ident);
/* The block is given up. */
void cmp_written_keep(struct tracediff *c, const struct trace_block *b);
/* counts: it is compared; else it is only what later ones refer to. */
void cmp_value_now(struct tracediff *c, const struct trace_event *e, bool counts);
void cmp_value_ref(struct tracediff *c, const struct segment *s, const struct trace_event *e);
/* Both have said what they have to say at the point; last: at the program's end. */
void cmp_value_compare(struct tracediff *c, const struct point *p, bool last);
void cmp_value_forget(struct tracediff *c);
/* n accesses cannot be judged, as records are lost. */
static inline void cmp_lost(struct tracediff *c, uint64_t n)
{
	c->state.unknown += n;
	c->state.lost += n;
}
/* What the reference, or this run, said before is not known any more. */
void cmp_value_lost(struct tracediff *c, bool ref);
void cmp_value_free(struct tracediff *c);
/* Of what is not registered only the bytes are known: the type of two such values is real, unless
 * they look like whole numbers; VALUE_TYPES: of no size that a number has. */
unsigned cmp_bytes_type(unsigned size, uint64_t x, uint64_t y);
/* Of the reference the event that the walk is at. */
void cmp_reduction(struct tracediff *c, const struct trace_event *now, const struct ref_walk *w);

/* suspects.c */
void cmp_suspect(struct tracediff *c, const struct cmp_suspicion *s);
/* The finding of a suspicion that is not raised yet, into a list of its own; and when it is, so
 * many times. An empty list: as with cmp_suspect. */
void cmp_report_later(struct tracediff *c, const struct cmp_suspicion *s,
		      struct trace_findings *to);
void cmp_suspect_deferred(struct tracediff *c, const struct cmp_suspicion *s, uint64_t count,
			  const struct trace_findings *made);
/* Whether there is one already of that kind, position and object: then it need not be looked into.
 */
bool cmp_suspected(const struct tracediff *c, const struct cmp_suspicion *s);
/*
 * Unexpected use: of an object that has another shape in the reference, that is what is reported;
 * of one that the reference does not know at all, only writes; and nothing that is nowhere on the
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

/*
 * What the reference did with elements, while it is compared with what is done here in another
 * order: for each element its first value in the scope, further ones in a chain, and how often each
 * run has written it. In pages of neighbours; when there is no room, pages that were not used for
 * long lose their values and keep their counts.
 */

#define JOIN_PAGE 256u /* elements */
#define JOIN_MEMORY ((size_t)8 << 20)
#define JOIN_OFTEN UINT16_MAX /* writes that are counted no more */
#define JOIN_CHAIN 64u	      /* values of an element that are kept at the least */

/* A further value. */
struct join_value {
	uint64_t value;
	uint32_t next;	/* position + 1; 0 the last one */
	uint16_t write; /* which write of its file; 0: a read */
	uint16_t file;
};

struct join_page {
	uint64_t id;			 /* of the object, and elements / JOIN_PAGE */
	struct join_page *older, *newer; /* itself: in no order */
	uint32_t used;			 /* when it was moved in the order last */
	bool dropped;			 /* values are gone */
	bool cut;			 /* old values of some elements are */
	uint64_t *value;		 /* NULL when dropped */
	uint16_t *write; /* which write the first value is; 0: it was read only; beside value */
	uint32_t *chain; /* NULL: no chains */
	uint8_t met[JOIN_PAGE / 8];
	/* a bit of each element: written here, be it a halo; some write was not as the reference's;
	 * of those, the last one is what the reference's last one is */
	uint8_t mine[JOIN_PAGE / 8], odd[JOIN_PAGE / 8], right[JOIN_PAGE / 8];
	/* of each element: writes of the reference, writes here, the file whose writes those are;
	 * NULL: they are the same for all */
	uint16_t *count;
	uint16_t nref, nnow, file;
};

struct join_table {
	const struct object_ids *idents; /* borrowed */
	struct join_page **slot;	 /* owned */
	size_t mask, pages;
	struct join_page lru; /* newer: the one used longest ago */
	struct join_value *value;
	uint32_t nvalue, value_cap, value_free; /* free: position + 1 */
	size_t held, limit;
	bool failed;
	/* the object and the page that were asked for last, and how often a page was */
	const struct object_id *ident;
	unsigned ident_id;
	uint32_t now;
};

/* An element in the table. */
struct join_element {
	struct join_page *page;
	unsigned i;
};

/* The object of a key. */
static inline const struct object_id *join_ident(struct join_table *t, uint64_t key)
{
	unsigned id = (unsigned)(key >> TRACE_KEY_BITS);

	if (!t->ident || t->ident_id != id) {
		t->ident = object_id_get(t->idents, id);
		t->ident_id = id;
	}
	return t->ident;
}

int join_table_init(struct join_table *t, const struct object_ids *idents, size_t limit);
void join_table_clear(struct join_table *t);
/* The element of an access, made when it is new; false: no memory. */
bool join_element(struct join_table *t, uint64_t key, struct join_element *e);
/* Whether the reference has met it. */
static inline bool join_met(const struct join_element *e)
{
	return e->page->met[e->i >> 3] >> (e->i & 7) & 1;
}
static inline bool join_has(const uint8_t *bits, unsigned i)
{
	return bits[i >> 3] >> (i & 7) & 1;
}
static inline void join_set(uint8_t *bits, unsigned i, bool on)
{
	bits[i >> 3] = (uint8_t)((bits[i >> 3] & ~(1u << (i & 7))) | (unsigned)on << (i & 7));
}
/* How often each run has written it, up to JOIN_OFTEN. */
static inline unsigned join_nref(const struct join_page *p, unsigned i)
{
	return p->count ? p->count[i] : p->nref;
}
static inline unsigned join_nnow(const struct join_page *p, unsigned i)
{
	return p->count ? p->count[JOIN_PAGE + i] : p->nnow;
}
/* It is written here; returns how often by now. */
unsigned join_now(struct join_table *t, const struct join_element *e);
/* What the reference's file did; writes: it is a write that is counted. */
void join_ref(struct join_table *t, const struct join_element *e, const struct trace_acc *a,
	      bool writes, unsigned file);
/*
 * Values of the element, one after the other: *at begins as 0. With write > 0 only those of that
 * write. False: no more.
 */
struct join_at {
	uint32_t next;
	bool begun;
};
bool join_next(const struct join_table *t, const struct join_element *e, unsigned write,
	       struct join_at *at, uint64_t *value);

/*
 * Inside of joins: a scope of this run beside the same of the reference, each as a stream.
 */

#define JOIN_ROWS 8u
#define JOIN_LATE 65536u /* accesses that wait to be looked up in the reference */
#define JOIN_DEEP                                                                      \
	32u /* reads of one element, of which more are looked up by their values first \
	     */

/* Neighbours in an array, and which of them are on this rank. */
struct join_row {
	uint64_t key, n;      /* bytes */
	uint64_t keep, nkeep; /* of those */
};

/* What one rank of the reference did there. */
struct join_stream {
	struct ref_parts parts;
	bool begun, over;
	uint32_t pos; /* in the part */
	struct join_row row[JOIN_ROWS];
};

/* An access whose counterpart is not in the table. */
struct join_second {
	uint64_t key, now, ref;
	uint32_t rec, nth;     /* which write of the element; 0: a read, … */
	uint32_t after;	       /* … after so many writes */
	uint32_t next, writes; /* next with the key, + 1; of the first: writes that were counted */
	uint32_t same,
		behind; /* next with the key and the value, + 1; of the first: reads behind it */
	uint64_t end;	/* what the reference writes last; of the first: in one of its files */
	uint16_t site;
	uint8_t size, block; /* block: 0 this one, 1 the one before, 2 an older one */
	bool write, has_ref, settled;
	bool ended, right; /* end is known; and this is the same */
};

/* Whether another statement of the reference makes the nth of so many writes of an element. */
struct join_turn {
	uint64_t place;
	int32_t ident;
	uint32_t nth, of;
	bool other;
};

#define JOIN_SPANS 8
#define JOIN_TURNS 64u /* looked up: each is a look at all of the reference's construct */

/* Of an object: the reference reads it; some statement writes an element of it several times; and
 * not in the reference's order; a wrong last write of it is reported. */
enum { JOIN_READ = 1, JOIN_LOOSE = 2, JOIN_ANY = 4, JOIN_TOLD = 8, JOIN_WRITTEN = 16 };

struct cmp_join {
	bool whole; /* a construct without marks; else a scope */
	struct ref_want want;
	int64_t index[ARRAY_DIMS];
	struct ref_at at;
	struct join_table t;
	struct join_stream *stream; /* owned */
	uint32_t n;
	uint8_t level, trace_index_level;
	bool lossy;	/* something is missing, here or there: order says nothing */
	uint8_t *flags; /* owned; by ident: JOIN_READ, … */
	uint32_t nflags;
	struct join_second *late; /* owned */
	uint32_t nlate, second_cap;
	uint32_t *second_table; /* owned; the first with a key, + 1; then writes by their number */
	uint32_t nspan;		/* more than JOIN_SPANS: not kept */
	struct ref_keys span[JOIN_SPANS]; /* of keys that wait, by object */
	uint64_t seq;
	struct join_turn turn[JOIN_TURNS];
	unsigned nturn;
	struct join_deferred *held; /* owned; NULL: nothing was held back */
};

/* match.c: a new look at all of stream f of the reference. */
void join_parts(struct tracediff *c, const struct cmp_join *j, uint32_t f, struct ref_parts *p);
static inline uint8_t join_flags(const struct cmp_join *j, unsigned ident)
{
	return ident < j->nflags ? j->flags[ident] : 0;
}
static inline bool join_reads(const struct cmp_join *j, unsigned ident)
{
	return join_flags(j, ident) & JOIN_READ;
}
/* A write that counts: what is copied into a halo does not. */
static inline bool join_is_write(const struct cmp_join *j, const struct trace_acc *a)
{
	return a->flags & TRACE_ACC_WRITE && (!j->whole || a->flags & TRACE_ACC_OWN);
}
/* An array that is written here, and nowhere there, by ranks that may have received it, unseen. */
static inline bool join_received(const struct cmp_join *j, bool write, unsigned ident)
{
	return write && j->whole && j->n > 1 && !(join_flags(j, ident) & JOIN_WRITTEN);
}
void join_mark(struct tracediff *c, struct cmp_join *j, unsigned ident, uint8_t flag);
/* All of the reference is read: how often it writes the element. */
unsigned join_writes(struct tracediff *c, struct cmp_join *j, uint64_t key);
/* A write of a construct without marks beside the reference's writes of the element. */
struct join_write {
	uint32_t nth, of;     /* which it is; how many the reference has */
	bool newest;	      /* there was none since then */
	bool right;	      /* it is what the reference's last one is, … */
	const uint64_t *last; /* … which is this; NULL: not known */
};
/*
 * match_deferred.c: the nth write is not what the reference's is, though both may be right. It is
 * reported when the construct ends, unless it turns out that only the order was another one.
 */
void join_hold(struct tracediff *c, struct cmp_join *j, const struct join_element *e,
	       struct cmp_suspicion *s, const struct join_write *w);
/* Something is written here. */
void join_written(struct tracediff *c, struct cmp_join *j, const struct trace_acc *a);
/* An element of which something is held is written again. */
void join_rewritten(struct cmp_join *j, const struct join_element *e, uint64_t key, bool right);
/* All has been written, as far as it goes: reports what is deferred. */
void join_decide(struct tracediff *c, struct cmp_join *j, bool complete);
/* Whether an element that was written less often than in the reference is right, or reported
 * already. */
bool join_ended(struct tracediff *c, struct cmp_join *j, const struct join_element *e, uint64_t key,
		unsigned now, unsigned ref);
size_t join_deferred_bytes(const struct join_deferred *h);
void join_deferred_free(struct join_deferred *h); /* NULL is fine */
/* match_second.c */
/* An access that is to be looked up later. */
void join_later(struct tracediff *c, struct cmp_join *j, const struct cmp_now *n, uint32_t i,
		uint32_t nth, uint32_t after);
/* Where it comes in the reference's order, when it is the first of its kind; seq: in this run's. */
void join_order(struct tracediff *c, struct cmp_join *j, struct cmp_suspicion *s, uint32_t nth,
		uint32_t after, uint64_t seq);
/* Raises it, so placed. */
void join_suspect(struct tracediff *c, struct cmp_join *j, struct cmp_suspicion *s, uint32_t nth,
		  uint32_t after);

#endif
