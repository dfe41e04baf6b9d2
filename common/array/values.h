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

struct quantity_group {
	struct rankset ranks;
	unsigned char *bytes; /* owned; quantity_total() elements, the last dimension fastest */
};

struct quantity {
	unsigned type;	    /* enum value_type or VALUE_STRUCT */
	uint32_t elem_size; /* bytes; value_size(type) unless VALUE_STRUCT */
	unsigned ndim;	    /* 0: a scalar */
	uint64_t count[ARRAY_DIMS];
	const struct array_field *field; /* borrowed; of VALUE_STRUCT, may be NULL */
	uint32_t nfield;
	struct quantity_group *group;
	size_t n;
};

void quantity_clear(struct quantity *q);
/* Elements in each group; UINT64_MAX on overflow. */
uint64_t quantity_total(const struct quantity *q);
/* Appends a group; copies ranks and bytes. Type and shape are set before. 0 or -1 (memory). */
int quantity_add(struct quantity *q, const struct rankset *ranks, const void *bytes);
/*
 * Joins groups whose values are equal as a user means it (value_equal; structures by their fields)
 * and orders them: the smallest first, then by lowest rank. 0 or -1 (memory).
 */
int quantity_collapse(struct quantity *q);
/* Element i of a group; not of structures. */
struct value quantity_value(const struct quantity *q, size_t group, uint64_t i);

/* The ranks that are in group i of one quantity and group j of another. */
struct quantity_piece {
	size_t i, j;
	struct rankset ranks;
};
/* All of them that are not empty, by i, then j; freed by quantity_pieces_free. -1: memory. */
int quantity_refine(const struct quantity *a, const struct quantity *b,
		    struct quantity_piece **piece, size_t *n);
void quantity_pieces_free(struct quantity_piece *piece, size_t n);

#endif
