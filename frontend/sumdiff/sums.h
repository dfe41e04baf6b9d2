/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The checksums of a point when all ranks have reported theirs: what is compared, kept in
 * references and shown.
 */
#ifndef DVMDBG_FRONTEND_SUMS_H
#define DVMDBG_FRONTEND_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/groups.h"
#include "common/logical/point.h"
#include "common/logical/rankset.h"
#include "common/checksum/sum.h"

struct err;
struct session;
struct point_sums;

/* An array or replicated object at a point; identifier and geometry as in struct point_sums_item. */
struct sums_array {
	char *name, *file; /* owned; file "" where it is not known: from Fortran */
	char *shown; /* owned; then: "adi.f90:93", where that is; NULL: not known. Not kept */
	uint32_t line, counter;
	uint8_t kind, order, flags;
	int64_t lower[ARRAY_DIMS];
	struct sum_result *sum; /* owned; of a replicated one that of the largest group; NULL: failed */
	char *failed;		/* owned; why there is no sum: "1500 of 2000 elements; not registered on [2]" */
	bool uneven; /* … as ranks, which all have it, own elements twice or not at all; not kept */
	struct rankset ranks;	/* that have it registered */
	struct groups copies;	/* copies of a replicated one that do not match; empty: all do */
};

struct sums_point {
	struct point point;
	uint8_t kind;	     /* enum construct_kind */
	char *where, *func;  /* owned; "heat.c:61", and the function or the construct's name, or "" */
	struct sums_array *array; /* owned; in the order of identifiers */
	size_t n;
	bool partial; /* ranks have given it up (SUMS drop), or are gone: not to be compared */
};

/*
 * Finishes the sums of t. missing: the ranks that will never say more, NULL: none. A distributed
 * array is complete when every element was added exactly once, a replicated one when all ranks that
 * have passed the point have it; else it is failed, with the reason in words.
 * symbols of s give the place of Fortran constructs.
 */
struct sums_point *sums_point_make(struct session *s, const struct point_sums *t,
				   const struct rankset *missing, struct err *err);
void sums_point_destroy(struct sums_point *p); /* NULL is fine */
/* ("frct", "lu.f90", 68, 0), as the documents write an identifier; returns out. */
const char *sums_array_id(const struct sums_array *a, char *out, size_t size);
/* The same array in another run: name, counter, and base name of the file; lines may have moved. */
bool sums_array_same(const struct sums_array *a, const struct sums_array *b);
const struct sums_array *sums_point_find(const struct sums_point *p, const struct sums_array *a);

struct buf;
/* An array alone, with its sum or without; _get overwrites a, which is to be cleared even when it
 * fails. */
void sums_array_put(const struct sums_array *a, bool with_sum, struct buf *b);
int sums_array_get(struct sums_array *a, struct buf *b, struct err *err);
void sums_array_clear(struct sums_array *a);
/* Whether what was read fits together: a sum or the reason why not, copies of the same shape. */
int sums_array_check(const struct sums_array *a, struct err *err);
/* A point without its arrays; _get gives one with n empty arrays, to be read. */
void sums_point_put_head(const struct sums_point *p, struct buf *b);
struct sums_point *sums_point_get_head(struct buf *b, struct err *err);
void sums_point_put(const struct sums_point *p, struct buf *b);
struct sums_point *sums_point_get(struct buf *b, struct err *err);

#endif
