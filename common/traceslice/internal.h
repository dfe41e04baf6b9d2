/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of blocks by their addresses, and ways to find some of them.
 */
#ifndef DVMDBG_COMMON_TRACESLICE_INTERNAL_H
#define DVMDBG_COMMON_TRACESLICE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/traceslice/traceslice.h"

#define SLICE_BYTES ((size_t)400 << 20) /* of blocks that are held, of both runs */
#define SLICE_READS 400u		/* before a write that are looked at */

/* A read or a write. */
struct slice_access {
	uint64_t addr, at, value; /* in the process, in the object; of 16 bytes the first 8 */
	uint32_t rec, scope, site, object;
	uint8_t size;
	bool write;
};

/* A marked iteration or a task, or what is between such things. */
struct slice_scope {
	struct point point; /* the last one passed */
	bool loop;	    /* in a parallel loop or task */
	bool marked;	    /* … in an iteration of it */
	bool begun;	    /* it begins in this block */
	uint8_t nidx;
	int64_t index[ARRAY_DIMS];
};

struct slice_block {
	struct trace_block *b; /* owned, all of it */
	uint64_t *addr;	       /* of its objects, while it is read */
	struct slice_access *access;
	struct slice_scope *scope;
	uint32_t n, nscope;
	uint64_t accesses, scopes; /* that there is room for */
};

struct slice_run {
	struct trace_index *index;   /* borrowed */
	struct trace_moves *moves;   /* owned; by file */
	struct slice_block ***block; /* owned; by file and number; NULL: not read so far */
	size_t *bytes;		     /* of both runs; borrowed */
	bool cut;		     /* something could not be read */
};

/* Where an access is. run NULL: nowhere. */
struct slice_at {
	struct slice_run *run;
	uint32_t file, access;
	size_t block;
};

/* load.c. open: 0, -1 no memory. */
int slice_run_open(struct slice_run *r, struct trace_index *index, size_t *bytes);
void slice_run_close(struct slice_run *r);
/* NULL: it cannot be read. */
const struct slice_block *slice_run_block(struct slice_run *r, uint32_t file, size_t at);
static inline const struct slice_block *slice_block_of(const struct slice_at *a)
{
	return slice_run_block(a->run, a->file, a->block);
}
static inline const struct slice_access *slice_access_of(const struct slice_at *a)
{
	return &slice_block_of(a)->access[a->access];
}
static inline const struct slice_scope *slice_scope_of(const struct slice_at *a)
{
	return &slice_block_of(a)->scope[slice_access_of(a)->scope];
}
uint32_t slice_rank_of(const struct slice_at *a);
/* A write has set what the read has, all of it. */
static inline bool slice_same_bits(const struct slice_at *write, const struct slice_at *read)
{
	const struct slice_access *w = slice_access_of(write), *r = slice_access_of(read);

	return w->addr == r->addr && w->size == r->size && w->value == r->value;
}
static inline bool slice_same(const struct slice_at *a, const struct slice_at *b)
{
	return a->run == b->run && a->file == b->file && a->block == b->block &&
	       a->access == b->access;
}

/* what.c: what an access is about, in the words of findings. */
void slice_thing(const struct slice_at *a, struct trace_thing *out);
unsigned slice_type(const struct slice_at *a);
void slice_spot(const struct slice_at *a, struct trace_spot *out);
uint64_t slice_site(const struct slice_at *a); /* a hash */
bool slice_same_element(const struct trace_thing *a, const struct trace_thing *b);
/* Of an object that is registered. */
bool slice_is_element(const struct slice_at *a);
/* Other than 0, and of a type: what nobody registered has none, and where it looks like a whole
 * number it is a condition or a bound. */
bool slice_is_number(const struct slice_at *at);
/* A copy in a halo: another rank owns the element. */
bool slice_is_halo(const struct slice_at *a);
/* Of an element of an array, and not at its beginning: the second half of a complex number. */
bool slice_is_half(const struct slice_at *a);
void slice_finding(const struct slice_at *a, struct trace_finding *out);
/* Of what has none: what its value looks like. */
void slice_guess_type(struct trace_finding *f);

/* find.c: false: there is none. */
/* The last write to these bytes on the same rank, before the access. */
bool slice_write_before(const struct slice_at *from, struct slice_at *out);
/* The write behind an access, which may be one. */
bool slice_write_of(const struct slice_at *at, struct slice_at *out);
/*
 * The last write of the element on a rank's own part (halo: or its halo), not behind the point
 * (main 0: wherever). value (may be NULL): the last that has set this. file: of the run.
 */
struct slice_search {
	struct slice_run *run;
	uint32_t file;
	const struct trace_thing *thing;
	const struct point *until;
	bool halo;
	const struct slice_scope *in; /* NULL, or only there */
	const uint64_t *value;	      /* NULL, or only this */
};
bool slice_element_write(const struct slice_search *s, struct slice_at *out);
/*
 * The reads of a write into out, which has room for SLICE_READS, the nearest first: JUST those
 * since any other write, NEAR those since the last one of the same statement, FAR all of its
 * scope. Of a complex number both halves are read before the first is written.
 * *whole: nothing is left out. How many.
 */
enum slice_reach { SLICE_JUST, SLICE_NEAR, SLICE_FAR };
unsigned slice_reads(const struct slice_at *write, enum slice_reach reach, struct slice_at *out,
		     bool *whole);
/* The file of the rank that owns the element; files when nobody is known to. */
uint32_t slice_owner(struct slice_run *r, const struct trace_thing *t);
/*
 * What the rank's own element is in a loop: its accesses there, the last first, and the last one
 * before it. Until fn is false.
 */
void slice_states(struct slice_run *r, uint32_t file, const struct trace_thing *t,
		  const struct point *loop, bool (*fn)(void *arg, const struct slice_at *at),
		  void *arg);
/* A write of these bits on another rank, not behind the access; *many: on several. */
bool slice_sender(const struct slice_at *read, uint32_t first, struct slice_at *out, bool *many);
/* The last write of these bits by the statement of `like`, on any rank, not behind its point. */
bool slice_twin(struct slice_run *r, const struct slice_at *like, uint64_t value,
		struct slice_at *out);
/* The rank that reads has set the element to the same itself, as copies are: nothing was sent. */
bool slice_sets_too(const struct slice_at *read, const struct slice_at *write);

/* reads.c: what a write and the reference's have read; all: in the scope of that. */
struct slice_both {
	struct slice_at now[SLICE_READS], ref[SLICE_READS], all[SLICE_READS];
	unsigned nnow, nref, nall;
	bool whole; /* nothing is left out */
	bool cut;   /* the reference has read more than is looked at */
};
/* Allocated; NULL: no memory. */
struct slice_both *slice_both_get(const struct slice_at *at, const struct slice_at *at_ref,
				  enum slice_reach reach);
bool slice_both_has_element(const struct slice_both *l);
/* An element that only the reference reads for it. */
bool slice_both_has_unread(const struct slice_both *l);
/* How many reads of the list before i are like it; the one of another list that is. */
unsigned slice_nth(const struct slice_at *list, unsigned i);
const struct slice_at *slice_counterpart(const struct slice_at *read, unsigned nth,
					 const struct slice_at *list, unsigned n);
/* The last read of the same bits before a write outside of loops: what it has copied. */
bool slice_copied_from(const struct slice_at *write, struct slice_at *out);
/* No other element of the array has had these bits on that rank. */
bool slice_is_alone(const struct slice_at *at);
/* What is read is set between the read and the write; or the write replaces it, and something else
 * is set between. Of what nobody registered. */
bool slice_is_running(const struct slice_at *read, const struct slice_at *write);
bool slice_is_replaced(const struct slice_at *read, const struct slice_at *write);

#endif
