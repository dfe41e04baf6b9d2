/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set of ranks (from 0), kept as ascending, non-touching runs, so that it is small on the wire
 * when ranks behave alike. A zeroed struct is the empty set; rankset_clear frees.
 */
#ifndef DVMDBG_COMMON_RANKSET_H
#define DVMDBG_COMMON_RANKSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/codec.h"

struct err;

struct rank_run {
	uint32_t lo, hi; /* both inclusive */
};

struct rankset {
	struct rank_run *run;
	size_t n, cap;
};

#define RANKSET_MAX 1048576u /* ranks are below this */

void rankset_clear(struct rankset *s);
/* 0, or -1 when out of memory or beyond RANKSET_MAX; true for every function here that returns
 * int. */
int rankset_add(struct rankset *s, uint32_t lo, uint32_t hi);
int rankset_add_set(struct rankset *s, const struct rankset *other);
int rankset_remove_set(struct rankset *s, const struct rankset *other);
int rankset_copy(struct rankset *dst, const struct rankset *src);
int rankset_intersect(struct rankset *s, const struct rankset *other);
bool rankset_has(const struct rankset *s, uint32_t rank);
bool rankset_equal(const struct rankset *a, const struct rankset *b);
bool rankset_meets(const struct rankset *a, const struct rankset *b);
bool rankset_covers(const struct rankset *a, const struct rankset *b); /* b is a subset of a */
size_t rankset_count(const struct rankset *s);
/* The smallest member >= from, or -1. */
int64_t rankset_next(const struct rankset *s, uint32_t from);

/* Reads "0:3,8", "0-3,8" or "0..3,8" without brackets; says what is wrong in err. */
int rankset_parse(struct rankset *s, const char *text, struct err *err);
/* "[0:6,8]", "[]" when empty; cut with "..." before the bracket to fit size. Returns out. */
const char *rankset_format(const struct rankset *s, char *out, size_t size);

/* Checks order and limits; a set that is got keeps its memory, and is empty when it fails. */
int rankset_code(struct codec *c, struct rankset *s);
static inline void rankset_put(const struct rankset *x, struct buf *b)
{
	rankset_code(CODEC_PUT(b), (struct rankset *)x);
}
static inline int rankset_get(struct rankset *x, struct buf *b)
{
	return rankset_code(CODEC_GET(b), x);
}
/* Reads over one, without memory for it: whether rank is in it. */
bool rankset_inspect(struct buf *b, uint32_t rank);

#endif
