/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ranks say of arrays and replicated objects at one point. What ranks say of the same point
 * merges in any order and grouping: sums of distributed arrays are added, copies of replicated
 * objects are grouped by equal bytes.
 */
#ifndef DVMDBG_COMMON_TALLY_H
#define DVMDBG_COMMON_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/groups.h"
#include "common/logical/rankset.h"
#include "common/protocol/report.h"
#include "common/checksum/checksum.h"

struct buf;
struct err;

#define POINT_SUMS_ITEMS 16384 /* the most items */

enum point_sums_flag {
	POINT_SUMS_READ = 1,	/* the construct reads it, as the annotation says */
	POINT_SUMS_WRITE = 2,	/* … writes it; both or neither: it does not say */
	POINT_SUMS_CHANGED = 4, /* on some rank other than when it was taken last */
	POINT_SUMS_WRITTEN = 8, /* on some rank changed at least once since it was registered */
	POINT_SUMS_GONE = 16,	/* as it was when it was forgotten or freed, before this point */
	POINT_SUMS_SEEN = 32,	/* READ and WRITE are what the access hooks saw, not what is said */
	POINT_SUMS_AGAIN = 64,	/* at a beginning, to see whether copies are equal by now */
};

/* One copy of an array that is partly replicated. */
struct point_sums_copy {
	uint32_t number;
	struct rankset ranks; /* that have parts of it, or would */
	struct sum *sum;      /* owned; of these ranks' elements */
};

/*
 * One array, or one replicated object; a field of a structure is an object of its own, "par.dt".
 * Its identifier (SEMANTICS 3) is name, file, line, counter. Items with one identifier and
 * different geometry (kind, order, lower bounds, plan) are kept apart, and what is gone
 * from what is there.
 */
struct point_sums_item {
	char *name, *file; /* owned; file "": from Fortran, where the name alone identifies */
	/* Then: the address in the module where it was registered, to be shown. Owned; NULL: not
	 * known. */
	char *module;
	uint64_t vaddr;
	uint32_t line, counter;
	uint8_t kind;  /* enum array_kind */
	uint8_t order; /* 'C' or 'F' */
	uint8_t flags; /* enum point_sums_flag, of all ranks */
	int64_t lower[ARRAY_DIMS];
	struct rankset ranks; /* that have it registered */
	struct sum_plan plan;
	struct sum *sum;      /* owned; ARRAY_DISTRIBUTED: of these ranks' elements */
	struct groups copies; /* ARRAY_REPLICATED: blobs made by sum_put */
	/* Of an array that is partly replicated, in place of sum: how many copies there are, and
	 * those that these ranks have, by number. */
	uint32_t split;
	struct point_sums_copy *part; /* owned */
	size_t npart;
};

/* Zeroed: nothing. */
struct point_sums {
	struct point point;
	uint8_t kind;		    /* enum construct_kind */
	char *file, *func, *module; /* owned; of the construct's place, see struct place */
	uint32_t place_line;
	uint64_t vaddr;
	struct rankset passed;	/* ranks that have passed it and said so */
	struct rankset dropped; /* of these, who gave up points just before this one (SUMS drop) */
	struct rankset differ;	/* of these, whose traces differ since their last report */
	struct point_sums_item *item; /* owned; n of them, in the order of identifiers */
	size_t n, cap;
};

/* It is empty afterwards. */
void point_sums_item_clear(struct point_sums_item *i);
void point_sums_clear(struct point_sums *t);
/* The place, borrowed from t. */
struct place point_sums_place(const struct point_sums *t);
int point_sums_set_place(struct point_sums *t, const struct place *p);
/*
 * Appends an empty item with copies of the texts, in its place in the order; others may move. NULL:
 * no memory, or too many.
 */
struct point_sums_item *point_sums_add(struct point_sums *t, const char *name, const char *file,
				       uint32_t line, uint32_t counter);
/* Adds the sum of a rank that has copy number `number`; the sum is taken over. -1: no memory. */
int point_sums_item_add_copy(struct point_sums_item *i, uint32_t number, uint32_t rank,
			     struct sum *sum);
/* Whether each element of a distributed array is there, in every copy. */
bool point_sums_item_counted(const struct point_sums_item *i);
/* <0, 0, >0 as in strcmp, by identifier, then by geometry. */
int point_sums_item_compare(const struct point_sums_item *a, const struct point_sums_item *b);
/*
 * dst += src, which must be of the same point; src keeps nothing that dst needs and is to be
 * cleared all the same. The place of the lowest rank stays. -1: out of memory, or too many items.
 */
int point_sums_merge(struct point_sums *dst, struct point_sums *src);
/*
 * Nothing is said any more of what was there, and that the ranks have given it up. -1: not that,
 * for lack of memory.
 */
int point_sums_give_up(struct point_sums *t);
/* 0 or -1 (memory). */
int point_sums_item_set_module(struct point_sums_item *i, const char *module, uint64_t vaddr);
int point_sums_code(struct codec *c, struct point_sums *t);
static inline void point_sums_put(const struct point_sums *t, struct buf *b)
{
	point_sums_code(CODEC_PUT(b), (struct point_sums *)t);
}
/* Overwrites t; -1 and t empty when the bytes, all that are left in b, are none. */
int point_sums_get(struct point_sums *t, struct buf *b, struct err *err);

#endif
