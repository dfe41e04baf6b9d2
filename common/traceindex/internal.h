/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the reference: decoded segments, and the ways to find something in them. For the
 * comparison; nobody else needs it.
 */
#ifndef DVMDBG_COMMON_TRACE_REF_IMPL_H
#define DVMDBG_COMMON_TRACE_REF_IMPL_H

#include "common/traceindex/index.h"
#include "common/traceindex/segment.h"

struct ref_block;

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

/* ---- segments: trace_index.c ---- */
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
/* Something of the reference could not be read for lack of memory. */
void ref_no_memory(struct trace_index *r);

/* ---- finding: trace_index_find.c ---- */
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

/* ---- going through: trace_index_walk.c ---- */
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

/* ---- constructs: trace_index_loop.c ---- */
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

#endif
