/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tag says which element of which array of which rank it was put into, as a value of the
 * element's type. What MPI moves, and however it packs it, the tag arrives with it. The 52 bits of
 * a tag are mixed, so that means and differences of tags are none, as good as surely. What is
 * shorter than them takes halves, in turns.
 */
#ifndef DVMDBG_COMMON_TAGS_H
#define DVMDBG_COMMON_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/core/codec.h"

#define TAGS_RANKS 4096u
#define TAGS_ARRAYS 256u
#define TAGS_ELEMENTS (UINT64_C(1) << 32)

struct tag {
	uint32_t rank, array;
	uint64_t at; /* number of the element among those that are stored, the last dimension
			fastest */
};

uint64_t tag_bits(const struct tag *t);
/* false: no element can have it. */
bool tag_of_bits(uint64_t bits, struct tag *t);

enum tag_way {
	TAG_NONE,   /* the type holds no tags */
	TAG_WHOLE,  /* each element a tag */
	TAG_HALVES, /* each element half of one */
};
enum tag_way tag_way(unsigned type);
/* An integer, which may be an index or a count: to be filled only where the program stands it. */
bool tag_is_integer(unsigned type);
/* Into an element; half: 0 or 1, which one, where it takes halves. */
void tag_store(unsigned type, void *to, uint64_t bits, unsigned half);
/*
 * The bits of an element of TAG_WHOLE. false: it is no tag; but that no element can have it is seen
 * by tag_of_bits only.
 */
bool tag_load(unsigned type, const void *from, uint64_t *bits);
/* The same of TAG_HALVES. */
bool tag_load_half(unsigned type, const void *from, uint32_t *bits, unsigned *half);
uint32_t tag_half(uint64_t bits, unsigned half);
uint64_t tag_join(uint32_t half0, uint32_t half1);

/*
 * The file of a rank: TAGS_MAGIC, then for each record its kind, the bytes behind, and those. What
 * has been received belongs to the interval before it; an array is as its newest record says.
 */
#define TAGS_MAGIC UINT64_C(0x3147415444564d44)
#define TAGS_RECORD_MOST 16384 /* bytes of one */
#define TAGS_HALVES 1024       /* of one record */
#define TAGS_LIST 1024	       /* indices of one record */

enum tags_record {
	TAGS_ARRAY = 1,
	TAGS_INTERVAL,
	TAGS_MOVED,
	TAGS_HALF,
	TAGS_LISTED,
	TAGS_BETWEEN
};

/* Why an array has no tags. */
enum tags_why {
	TAGS_TAGGED,
	TAGS_TYPE,
	TAGS_INTEGER,
	TAGS_MANY,
	TAGS_SHARED,
	TAGS_GONE,
	TAGS_WHYS
};

struct tags_array {
	uint32_t number, counter;
	uint32_t since; /* the number of the construct that had ended */
	const char *name, *file, *module; /* borrowed; file "": module and vaddr */
	uint32_t line;
	uint64_t vaddr;
	uint8_t type, order, why; /* why: enum tags_why */
	uint32_t ndim;
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];
	int64_t own_lo[ARRAY_DIMS], own_hi[ARRAY_DIMS];
	int64_t halo_lo[ARRAY_DIMS], halo_hi[ARRAY_DIMS];
	uint32_t list_n[ARRAY_DIMS]; /* UINT32_MAX: it is a box */
};
int tags_array_code(struct codec *c, struct tags_array *a);

/* Indices of a list, from number `first` on. */
struct tags_list {
	uint32_t number, dim, first, n;
	const int64_t *index; /* borrowed: to be put; what is got is in the buffer behind it */
};
int tags_list_code(struct codec *c, struct tags_list *l);

/* From the end of a construct to the beginning of another one, by the places of both. */
struct tags_interval {
	uint32_t main, from, to;
};
int tags_interval_code(struct codec *c, struct tags_interval *i);

/* n elements of an array, `step` apart, have those of another rank. */
struct tags_moved {
	uint32_t array, from_rank, from_array;
	uint64_t n, at, from;
	int64_t step, from_step;
};
int tags_moved_code(struct codec *c, struct tags_moved *m);

/* n elements of an array, `step` apart, have other halves than their own. */
struct tags_halves {
	uint32_t array, half, n;
	uint64_t at;
	int64_t step;
	uint32_t bits[TAGS_HALVES];
};
int tags_halves_code(struct codec *c, struct tags_halves *h);

/*
 * n elements between the stored rows of an array, where its mark has nothing, have got elements of
 * that array of another rank; the first of them, behind element `at`, has `from`.
 */
struct tags_between {
	uint32_t array, from_rank;
	uint64_t n, at, from;
};
int tags_between_code(struct codec *c, struct tags_between *b);

#endif
