/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All the trace files of one run, as a reference to compare with: of any number of ranks. Blocks
 * are decoded when something in them is asked for, and what was decoded is kept while it fits a
 * bound. One thread at a time.
 */
#ifndef DVMDBG_COMMON_TRACEINDEX_TRACEINDEX_H
#define DVMDBG_COMMON_TRACEINDEX_TRACEINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/checksum/checksum.h"
#include "common/trace/decode.h"
#include "common/tracefile/tracefile.h"

struct err;
struct object_ids;
struct ref_block;
struct segment_reader;
struct trace_index;

#define TRACE_REF_MEMORY ((size_t)14 << 20)

/*
 * Opens trace.RANK.bin of all ranks in the directory (of a rank that did not come to its end,
 * trace.RANK.bin.partial); or text traces, of which dir names one, or the directory. memory: bytes
 * that decoded blocks may take, 0 for TRACE_REF_MEMORY; two blocks are kept in any case. NULL and
 * err: no directory, no trace in it.
 */
struct trace_index *trace_index_open(const char *dir, size_t memory, struct err *err);
void trace_index_close(struct trace_index *r); /* NULL is fine */
/* The directory has a trace, of whatever rank; or it is a text trace. */
bool trace_index_there(const char *dir);
/* It is a text trace, or a directory with text traces (and perhaps native ones). */
bool trace_index_text(const char *path);
uint32_t trace_index_files(const struct trace_index *r);
/* In the order of ranks. Borrowed. */
const struct trace_reader *trace_index_map(const struct trace_index *r, uint32_t file);
/* Every rank has a file, and each is whole. */
bool trace_index_whole(const struct trace_index *r);
/* A block that was asked for was damaged, and is as if it were not there. */
bool trace_index_damaged(const struct trace_index *r);
/* That was for lack of memory. */
bool trace_index_no_memory(const struct trace_index *r);
/* What is not, in words; "" nothing. */
const char *trace_index_note(const struct trace_index *r);
/*
 * Before r is compared with run: arrays whose elements one of them names as the source does,
 * "A[i-1][j]", and the other by their indices, have one object for all of their elements. run NULL:
 * it is recorded meanwhile, so that r may be such a text alone. -1: no memory.
 */
int trace_index_fold(struct trace_index *r, struct trace_index *run);
/* How often a block was decoded from its beginning, and bytes that are held now. */
uint64_t trace_index_decoded(const struct trace_index *r);
size_t trace_index_held(const struct trace_index *r);

/*
 * The objects of several runs under numbers that are the same for all of them: two descriptions are
 * of one object when name, file, counter, shape and type are equal, whatever part is where. An
 * element of an object has a key: the object's number in the top bits, below them the byte in the
 * dense global array, in the order in which the language's indices run.
 */

#define TRACE_KEY_BITS 48
#define TRACE_KEY_MASK ((UINT64_C(1) << TRACE_KEY_BITS) - 1)
#define TRACE_IDENTS 65535u /* the most; later ones are not compared */

struct object_id {
	struct array_desc desc; /* owned; what is equal on all ranks */
	uint8_t unit_type; /* enum value_type of a unit, or VALUE_STRUCT: that of the field there */
	uint8_t unit;	/* bytes that are compared as one value; of a structure: the least field */
	uint64_t bytes; /* of the global array */
	bool in_ref, in_now; /* met in the reference; in the run that is compared */
	/* some rank's part of it is not always the same: now and ref do not give its place */
	bool moves;
	bool folded; /* it is all elements of an array, see trace_index_fold */
	/* of this rank, as registered last (owned); of each file of the reference */
	struct array_desc *now;
	uint32_t now_version;
	struct array_desc **ref;
	uint32_t *ref_version;
};

/* files: how many files the reference has. NULL: no memory. */
/* One of them could not be kept for lack of memory. */
bool object_ids_failed(const struct object_ids *t);
struct object_ids *object_ids_create(uint32_t files);
void object_ids_destroy(struct object_ids *t);
/* The number of what is described; -1: no memory, or too many. */
int object_id_of(struct object_ids *t, const struct array_desc *a);
struct object_id *object_id_get(const struct object_ids *t, unsigned id);
unsigned object_id_count(const struct object_ids *t);
/*
 * Takes note of where the object is: file < files: there; else on the rank that is compared. A
 * version that is known already costs nothing. -1: no memory.
 */
int object_id_place(struct object_ids *t, unsigned id, uint32_t file, uint32_t version,
		    const struct array_desc *a);

/* Forgets where objects are on the rank that was compared: another one follows. */
void object_ids_forget(struct object_ids *t);

/* The byte of an element in the dense array; index within the global range. */
uint64_t object_id_byte(const struct object_id *o, const int64_t *index);
/* The reverse; *within: how far in the element. */
void object_id_index(const struct object_id *o, uint64_t byte, int64_t *index, uint32_t *within);
/* The type of a value of `size` bytes so far in an element; VALUE_TYPES: no value of its own. */
unsigned object_id_type(const struct object_id *o, uint32_t within, unsigned size);
unsigned object_id_desc_type(const struct array_desc *a, uint32_t within, unsigned size);
/* In memory of its own, to be cleared and freed; NULL: no memory. */
struct array_desc *object_id_desc_copy(const struct array_desc *a);
/* Whether the part of this rank has the element; halo: or has a copy of it. a may be NULL: no. */
bool object_id_desc_has(const struct array_desc *a, const int64_t *index, bool halo);
bool object_id_desc_has_dim(const struct array_desc *a, unsigned d, int64_t g, bool halo);
/* The dimension that runs i-th fastest, from 0. */
static inline unsigned object_id_desc_dim(const struct array_desc *a, unsigned i)
{
	return a->order == 'F' ? i : a->ndim - 1 - i;
}
/*
 * How many of the fastest dimensions are here as a whole, owned, in one piece; at least one
 * dimension is left. *bytes: of such a piece, an element when there are none.
 */
unsigned object_id_desc_whole(const struct array_desc *a, uint64_t *bytes);
/* Whether the same object with another shape or type is known: its number, else -1. */
int object_id_other(const struct object_ids *t, unsigned id, bool in_ref);

/*
 * What of a block is compared, in a form that is quick to compare: accesses to elements of
 * distributed arrays by their keys, cut into scopes, and the events of the
 * sequential branch. A block is read in segments of a bounded size.
 *
 * A scope is an iteration of a parallel loop, what a parallel loop does outside its iterations (all
 * it does when they are not marked), or what a task does outside its loops. A scope may have
 * several parts: MORE says that another one follows, in the next segment or block of the thread
 * (or, of a task, behind a loop), CONT that there was one before. A part can be empty.
 */

#define TRACE_SEG_ACCESSES 8192u /* a segment ends with the scope in which it gets so many … */
#define TRACE_SEG_MOST 16384u	 /* … or in the middle of one that has so many */

enum { TRACE_ACC_WRITE = 1, TRACE_ACC_OWN = 2 };

struct trace_acc {
	uint64_t key, value;
	uint32_t rec;  /* which record of the block, from 0 */
	uint16_t site; /* in block->site; the last one for those that are further back */
	uint8_t size;
	uint8_t flags;
};

enum trace_scope_kind { TRACE_SCOPE_BODY, TRACE_SCOPE_ITER, TRACE_SCOPE_TASK };
enum { TRACE_SCOPE_CONT = 1, TRACE_SCOPE_MORE = 2, TRACE_SCOPE_LOSSY = 4 };

struct trace_scope {
	struct point point; /* of the loop's or region's beginning */
	uint32_t acc, nacc; /* in seg->acc */
	uint32_t rec;	    /* the record that opened it */
	uint32_t index;	    /* in seg->index */
	uint8_t kind;	    /* enum trace_scope_kind */
	uint8_t nidx;
	uint8_t level; /* the lowest in force inside: what is recorded; TRACE_CONFIG_FULL at the
			  most */
	uint8_t flags;
};

/* Anything else, of the thread that runs main: BEGIN, END, ITER (of a sequential loop), VALUE,
 * REDUCTION, SKIP, LOST, and WRITE, of one value of a registered replicated object. Inside parallel
 * loops only their ends, VALUE, REDUCTION and LOST. */
struct trace_event {
	uint8_t op, kind, left, nidx, level, hashed;
	uint8_t size; /* WRITE: bytes of the value */
	bool in_task;
	uint32_t rec, task; /* task: its number when in_task; also of its own BEGIN and END */
	struct point point; /* as in the record; of a task's BEGIN and END: its region's */
	uint64_t place;	    /* a hash of the source position; 0: not known */
	uint32_t where;	    /* in block->place, or TRACE_NONE */
	uint64_t count;	    /* END: iterations. VALUE: bytes of it behind these. WRITE: the value */
	uint64_t before;    /* VALUE: bytes of it before them. WRITE: the key */
	int32_t ident;	    /* VALUE, REDUCTION, WRITE: of the object; -1 none */
	uint32_t index, bytes, nbytes; /* in seg->index, seg->bytes */
};

/* Owned; zeroed: empty. */
struct segment {
	struct trace_acc *acc;
	struct trace_scope *scope;
	struct trace_event *event;
	int64_t *index;
	unsigned char *bytes;
	uint32_t nacc, nscope, nevent, nindex, nbytes;
	uint32_t cap_acc, cap_scope, cap_event, cap_index, cap_bytes;
	uint32_t changes[ARRAY_DIMS]; /* how often each index of iterations changed, … */
	uint32_t falls[ARRAY_DIMS];   /* … and became smaller when it was the only one that did */
};

void segment_clear(struct segment *s);
size_t segment_bytes(const struct segment *s);

/* file: of the reference, or anything beyond its files for the run that is compared. */
struct segment_reader *segment_reader_create(struct object_ids *idents, uint32_t file);
void segment_reader_destroy(struct segment_reader *r);
/* Begins a block, which has to stay. resumed: a part of a scope may have come before. -1: memory.
 */
int segment_reader_start(struct segment_reader *r, const struct trace_block *b);
/*
 * Fills s (what it had is given up, its memory is kept): 1 there may be more, 0 the block has
 * ended, -1 it is damaged or there is no memory: what s has holds.
 */
int segment_reader_fill(struct segment_reader *r, struct segment *s);
size_t segment_reader_bytes(const struct segment_reader *r);

/* A hash of a source position that is equal for equal ones in runs of one program; 0: none. */
uint64_t segment_place_hash(const struct place *p);
/* Equal index vectors; they have few dimensions. */
static inline bool trace_same_index(const int64_t *a, const int64_t *b, unsigned n)
{
	for (unsigned d = 0; d < n; d++)
		if (a[d] != b[d])
			return false;
	return true;
}

/* What a level records; CHECKSUM records begin and end only. */
static inline unsigned trace_level(unsigned level)
{
	return level <= 3 ? level : 0;
}

/*
 * Inside of the reference: decoded segments, and the ways to find something in them. For the
 * comparison; nobody else needs it.
 */

/* In a list by when they were used last. */
struct ref_link {
	struct ref_link *older, *newer;
	uint64_t stamp;
};

/* A decoded segment. */
struct ref_seg {
	struct ref_link link; /* first */
	struct segment s;
	struct ref_block *block;
	uint32_t k; /* which of the block */
	unsigned pins;
	size_t bytes;	/* as counted */
	uint16_t *hash; /* owned; of scopes: position + 1 */
	uint32_t mask;
};

/* A block that is being decoded. */
struct ref_stream {
	struct ref_link link; /* first */
	struct ref_block *of;
	struct trace_block *block;
	struct segment_reader *reader;
	uint32_t next; /* segment */
	size_t bytes;
};

#define REF_BOX 3     /* dimensions of a summary's box */
#define REF_OBJECTS 4 /* objects in a summary */

/* What is known of a segment that was decoded once. */
struct ref_sum {
	struct point of;
	uint8_t n; /* dimensions of the box; 0: no iteration begins here; 255: anything may */
	int64_t lo[REF_BOX], hi[REF_BOX];
	/* what loops without marks access, by object; 255: anything */
	uint8_t nkeys;
	struct ref_keys {
		uint64_t lo, hi;
	} keys[REF_OBJECTS];
};

struct ref_block {
	uint32_t file, at;
	uint32_t nseg; /* known so far */
	bool done;     /* all of them */
	uint32_t nsite;
	uint64_t *site; /* owned; segment_place_hash of the block's sites */
	struct ref_sum *sum;
	struct ref_seg **seg; /* NULL: not held */
	struct ref_stream *stream;
};

struct ref_file {
	struct trace_reader *map;
	uint32_t rank;
	size_t n;
	struct ref_block **block; /* NULL: never asked for */
};

struct trace_index {
	struct object_ids *idents;
	struct ref_file *file; /* those that are there */
	uint32_t files;
	bool whole, damaged, met; /* met: all objects are known */
	bool no_memory;		  /* damaged for lack of it */
	bool threads;		  /* there are blocks of several of a rank's threads */
	char note[512];
	struct sum_scales scales; /* of its arrays, as far as it has them */
	size_t limit, held;
	uint64_t clock, decoded;
	uint32_t blocks;	       /* ref_blocks there are */
	struct ref_link segs, streams; /* heads: newer is the one used longest ago */
	/* what was found out about a construct last */
	struct ref_loop {
		struct point point;
		bool known_marked, marked, known_whole, whole;
		uint8_t level;
	} loop;
};

/* ---- segments: index.c ---- */
/* Segment k of a block, pinned; NULL: there are not so many. */
struct ref_seg *ref_seg_get(struct trace_index *r, uint32_t file, size_t at, uint32_t k);
void ref_seg_put(struct ref_seg *s); /* NULL is fine */
static inline const struct trace_info *ref_info(const struct trace_index *r, uint32_t f, size_t b)
{
	return trace_reader_info(r->file[f].map, b);
}
/* A hash of the source position of an access; 0: not known. */
static inline uint64_t ref_site(const struct trace_index *r, uint32_t f, size_t b, uint32_t site)
{
	const struct ref_block *x = r->file[f].block[b];

	return x && site < x->nsite ? x->site[site] : 0;
}
/* One thread has done all of it: where something stands says what was before it. */
static inline bool ref_in_line(const struct trace_index *r)
{
	return r->files == 1 && !r->threads;
}
/* The block as such, for details; to be freed. NULL: damaged. */
struct trace_block *ref_block_load(struct trace_index *r, uint32_t f, size_t b);
/* Its thread's block before it (step -1), or behind it (1). NULL: there is none, or it is damaged.
 */
struct trace_block *ref_block_adjacent(struct trace_index *r, uint32_t f, size_t b, int step);
/* Something of the reference could not be read for lack of memory. */
void trace_index_note_no_memory(struct trace_index *r);

/* ---- finding: index_find.c ---- */
/* A scope by what it is of. */
struct ref_want {
	uint8_t kind; /* enum trace_scope_kind */
	uint8_t nidx;
	struct point point; /* side BEGIN */
	const int64_t *index;
};

struct ref_at {
	bool valid;
	uint32_t file, k, i; /* segment, scope */
	size_t block;
};

/* Whether they are of one construct. */
static inline bool ref_same(const struct point *a, const struct point *b)
{
	return a->main == b->main && a->task == b->task && a->sub == b->sub;
}
/* Where a point stands in a rank's run: its construct's beginning, its inside, its end. */
static inline uint64_t ref_order(const struct point *p)
{
	return (uint64_t)p->main * 4 + (p->task || p->sub ? 1 : p->side == POINT_END ? 3 : 0);
}
/* Blocks *first … *end - 1 of the file can have something between the points' construct's ends. */
void ref_range(const struct trace_index *r, uint32_t file, const struct point *p, size_t *first,
	       size_t *end);
/* Whether it is in the segment of *at, which is held: nearly always. Then *at is it. */
bool trace_index_near(struct trace_index *r, const struct ref_want *w, struct ref_at *at);
/* The beginning of the scope in one file; hint may be it, or near. False: not there. */
bool trace_index_find(struct trace_index *r, uint32_t file, const struct ref_want *w,
		      const struct ref_at *hint, struct ref_at *out);
/* The scope at the place, with its segment pinned; NULL: none. */
const struct trace_scope *trace_index_scope(struct trace_index *r, const struct ref_at *at,
					    struct ref_seg **seg);

/* ---- going through: index_walk.c ---- */
/* The parts of a scope, or (whole) all scopes of a construct in a file. */
struct ref_parts {
	struct trace_index *ref;
	struct ref_want want;
	int64_t index[ARRAY_DIMS];
	struct ref_at at;
	uint32_t thread;
	size_t end;
	bool whole, started, over;
	/* whole: only segments that can have such keys, when it is known; both ends included. NULL:
	 * all of them. */
	bool (*wanted)(const void *arg, uint64_t lo, uint64_t hi);
	const void *arg;
	struct ref_seg *seg; /* pinned; the part's */
	const struct trace_scope *scope;
};
void ref_parts_begin(struct ref_parts *p, struct trace_index *r, const struct ref_want *w,
		     const struct ref_at *at);
void ref_parts_whole(struct ref_parts *p, struct trace_index *r, uint32_t file,
		     const struct point *point);
/* False: no more (the pin is given back). */
bool ref_parts_next(struct ref_parts *p);
void ref_parts_end(struct ref_parts *p);

/* The events of a rank's sequential branch, one by one. */
struct ref_walk {
	struct trace_index *ref;
	uint32_t file, k, i;
	size_t block;
	bool over;
	struct ref_seg *seg;		 /* pinned */
	const struct trace_event *event; /* NULL: over */
};
void ref_walk_begin(struct ref_walk *w, struct trace_index *r, uint32_t file);
/* To the next event; false: there is none. */
bool ref_walk_next(struct ref_walk *w);
/* To BEGIN or END of the construct with that point; false and over: not there. */
bool ref_walk_seek(struct ref_walk *w, unsigned op, const struct point *p);
/* To the beginning of the task in the region. */
bool ref_walk_task(struct ref_walk *w, const struct point *region, uint32_t task);
void ref_walk_end(struct ref_walk *w);

/* ---- constructs: index_loop.c ---- */
/* Whether iterations of the loop are marked in the reference. */
bool trace_index_marked(struct trace_index *r, const struct point *p);
/* Whether the file ends before the construct does, or files of ranks are missing. */
bool trace_index_cut(const struct trace_index *r, uint32_t file, const struct point *p);
/* The level that was in force in it, as trace_level; 0: it is not there. */
unsigned trace_index_level(struct trace_index *r, const struct point *p);
/* Whether all it did there was recorded: no file is cut off before its end, nothing was lost, no
 * iteration was left out by limits or levels. */
bool trace_index_is_whole(struct trace_index *r, const struct point *p);
/* Iterations that a file's rank executed; UINT64_MAX: not known. */
uint64_t trace_index_executed(struct trace_index *r, uint32_t file, const struct point *p);
/* Makes known what objects the file has, those that have not been come to as well. */
void trace_index_meet(struct trace_index *r, uint32_t file);
/* The iteration's place in the order of the reference; lexicographic. */
void trace_index_sort_key(struct trace_index *r, const struct ref_at *at, const struct ref_seg *seg,
			  int64_t key[ARRAY_DIMS]);

/* ---- moves.c: where the memory of objects is ---- */

/* Of objects of a file from some block on, in their order; zeroed at first. */
struct trace_moves {
	struct trace_move *move; /* owned */
	size_t n;
	size_t looked; /* blocks that were gone over */
	bool cut;      /* something could not be read */
};
/* A note that the memory of that version is now at addr. */
bool trace_move_is(const struct trace_rec *r, uint32_t *version, uint64_t *addr);
/* When it is one, the addresses of the block's objects become what they are from there on. */
void trace_move_take(const struct trace_block *b, const struct trace_rec *r, uint64_t *addr);
/* The object's address at the beginning of a block. */
uint64_t trace_moves_before(struct trace_moves *m, struct trace_index *index, uint32_t file,
			    size_t block, const struct trace_object *o);
void trace_moves_clear(struct trace_moves *m);

#endif
