/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of index vectors: the iterations that were executed, the elements that were written. Adding
 * is quick in any order; the form for the wire is short for boxes, cyclic parts and chessboards,
 * the same for equal sets, and merges.
 */
#ifndef DVMDBG_COMMON_TRACE_SET_H
#define DVMDBG_COMMON_TRACE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"

struct buf;
struct index_set;

#define INDEX_SET_MEMORY ((size_t)4 << 20) /* a set that would need more is given up */

/* Of vectors of n indices, 1 … ARRAY_DIMS. NULL: no memory. */
struct index_set *index_set_create(unsigned n);
void index_set_destroy(struct index_set *s);
/* Empties it; it may have another number of indices then. */
void index_set_reset(struct index_set *s, unsigned n);
/* 1 it is new, 0 it was there, -1 the set was given up. */
int index_set_add(struct index_set *s, const int64_t *index);
/* Adds index … index + count - 1 in the last dimension. */
void index_set_add_run(struct index_set *s, const int64_t *index, uint64_t count);
bool index_set_has(const struct index_set *s, const int64_t *index);
unsigned index_set_dims(const struct index_set *s);
uint64_t index_set_count(const struct index_set *s);
/* What is in it is not known any more. */
bool index_set_lost(const struct index_set *s);
void index_set_lose(struct index_set *s);
/* a |= b, a -= b; sets of other numbers of indices make it lost, unless b is empty. */
void index_set_merge(struct index_set *a, const struct index_set *b);
void index_set_remove(struct index_set *a, const struct index_set *b);
/* The least, the first index counting most; false: empty. */
bool index_set_first(const struct index_set *s, int64_t *index);
/* It is sorted to be put. Got, *s is new, owned, also when it failed; NULL: none. */
int index_set_code(struct codec *c, struct index_set **s);
/* Sorts it for reading and writing. */
void index_set_put(struct index_set *s, struct buf *b);
/* NULL: the bytes are no set, or no memory. */
struct index_set *index_set_get(struct buf *b);

#endif
