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
struct trace_set;

#define TRACE_SET_MEMORY ((size_t)4 << 20) /* a set that would need more is given up */

/* Of vectors of n indices, 1 … ARRAY_DIMS. NULL: no memory. */
struct trace_set *trace_set_create(unsigned n);
void trace_set_destroy(struct trace_set *s);
/* Empties it; it may have another number of indices then. */
void trace_set_reset(struct trace_set *s, unsigned n);
/* 1 it is new, 0 it was there, -1 the set was given up. */
int trace_set_add(struct trace_set *s, const int64_t *index);
/* Adds index … index + count - 1 in the last dimension. */
void trace_set_add_run(struct trace_set *s, const int64_t *index, uint64_t count);
bool trace_set_has(const struct trace_set *s, const int64_t *index);
unsigned trace_set_dims(const struct trace_set *s);
uint64_t trace_set_count(const struct trace_set *s);
/* What is in it is not known any more. */
bool trace_set_lost(const struct trace_set *s);
void trace_set_lose(struct trace_set *s);
/* a |= b, a -= b; sets of other numbers of indices make it lost, unless b is empty. */
void trace_set_merge(struct trace_set *a, const struct trace_set *b);
void trace_set_remove(struct trace_set *a, const struct trace_set *b);
/* The least, the first index counting most; false: empty. */
bool trace_set_first(const struct trace_set *s, int64_t *index);
/* It is sorted to be put. Got, *s is new, owned, also when it failed; NULL: none. */
int trace_set_code(struct codec *c, struct trace_set **s);
/* Sorts it for reading and writing. */
void trace_set_put(struct trace_set *s, struct buf *b);
/* NULL: the bytes are no set, or no memory. */
struct trace_set *trace_set_get(struct buf *b);

#endif
