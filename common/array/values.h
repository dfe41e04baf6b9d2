/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Differing values: one object as several ranks have it. Ranks with equal values form a group; one
 * group means that all agree, and a section of a distributed array is one group of all ranks. All
 * groups have the same type and shape. A zeroed struct is empty.
 */
#ifndef DVMDBG_COMMON_QUANTITY_H
#define DVMDBG_COMMON_QUANTITY_H

#include <stddef.h>
#include <stdint.h>

#include "common/logical/rankset.h"
#include "common/array/section.h"
#include "common/array/value.h"

struct array_field;

struct values_group {
	struct rankset ranks;
	unsigned char *bytes; /* owned; values_total() elements, the last dimension fastest */
};

struct values {
	unsigned type;	    /* enum value_type or VALUE_STRUCT */
	uint32_t elem_size; /* bytes; value_size(type) unless VALUE_STRUCT */
	unsigned ndim;	    /* 0: a scalar */
	uint64_t count[ARRAY_DIMS];
	/* Index i of a dimension is first + i * step there; step 0: it is i, in Fortran i + 1. */
	int64_t first[ARRAY_DIMS], step[ARRAY_DIMS];
	char order;			 /* 'F': indices are shown as in Fortran */
	const struct array_field *field; /* borrowed; of VALUE_STRUCT, may be NULL */
	uint32_t nfield;
	struct values_group *group;
	size_t n;
};

void values_clear(struct values *q);
/* Dimensions and indices of another one. */
void values_like(struct values *q, const struct values *other);
/* Appends dimension d of a bound section that is no single index. */
void values_add_dim(struct values *q, const struct section *s, unsigned d);
/* The index of the i-th element in dimension d. */
int64_t values_index(const struct values *q, unsigned d, uint64_t i);
/* The place in dimension d of the element with that number, the last dimension fastest. */
uint64_t values_place(const struct values *q, unsigned d, uint64_t number);
/* Elements in each group; UINT64_MAX on overflow. */
uint64_t values_total(const struct values *q);
/* Appends a group; copies ranks and bytes. Type and shape are set before. 0 or -1 (memory). */
int values_add(struct values *q, const struct rankset *ranks, const void *bytes);
/* The same, which the bytes of malloc belong to from then on, also where it fails. NULL fails. */
int values_adopt(struct values *q, const struct rankset *ranks, void *bytes);
/*
 * Joins groups whose values are equal as a user means it (value_equal; structures by their fields)
 * and orders them: the smallest first, then by lowest rank. 0 or -1 (memory).
 */
int values_collapse(struct values *q);
/* Element i of a group; not of structures. */
struct value values_value(const struct values *q, size_t group, uint64_t i);

/* The ranks that are in group i of one quantity and group j of another. */
struct values_piece {
	size_t i, j;
	struct rankset ranks;
};
/* All of them that are not empty, by i, then j; freed by values_pieces_free. -1: memory. */
int values_refine(const struct values *a, const struct values *b, struct values_piece **piece,
		  size_t *n);
void values_pieces_free(struct values_piece *piece, size_t n);

#endif
