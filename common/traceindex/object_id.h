/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of several runs under numbers that are the same for all of them: two descriptions are
 * of one object when name, file, counter, shape and type are equal, whatever part lies where. An
 * element of an object has a key: the object's number in the top bits, below them the byte in the
 * dense global array, in the order in which the language's indices run.
 */
#ifndef DVMDBG_COMMON_TRACE_IDENT_H
#define DVMDBG_COMMON_TRACE_IDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"

#define TRACE_KEY_BITS 48
#define TRACE_KEY_MASK ((UINT64_C(1) << TRACE_KEY_BITS) - 1)
#define TRACE_IDENTS 65535u /* the most; later ones are not compared */

struct object_id {
	struct array_desc desc; /* owned; what is equal on all ranks */
	uint8_t unit_type; /* enum value_type of a unit, or VALUE_STRUCT: that of the field there */
	uint8_t unit;	/* bytes that are compared as one value; of a structure: the least field */
	uint64_t bytes; /* of the global array */
	bool in_ref, in_now; /* met in the reference; in the run that is compared */
	/* some rank's part of it is not always the same: now and ref do not give its place */
	bool moves;
	/* of this rank, as registered last (owned); of each file of the reference */
	struct array_desc *now;
	uint32_t now_version;
	struct array_desc **ref;
	uint32_t *ref_version;
};

struct object_ids;

/* files: how many files the reference has. NULL: no memory. */
/* One of them could not be kept for lack of memory. */
bool object_ids_failed(const struct object_ids *t);
struct object_ids *object_ids_create(uint32_t files);
void object_ids_destroy(struct object_ids *t);
/* The number of what is described; -1: no memory, or too many. */
int object_id_of(struct object_ids *t, const struct array_desc *a);
struct object_id *object_id_get(const struct object_ids *t, unsigned id);
unsigned object_id_count(const struct object_ids *t);
/*
 * Takes note of where the object lies: file < files: there; else on the rank that is compared. A
 * version that is known already costs nothing. -1: no memory.
 */
int object_id_place(struct object_ids *t, unsigned id, uint32_t file, uint32_t version,
		      const struct array_desc *a);

/* Forgets where objects lie on the rank that was compared: another one follows. */
void object_ids_forget(struct object_ids *t);

/* The byte of an element in the dense array; index within the global range. */
uint64_t object_id_byte(const struct object_id *o, const int64_t *index);
/* The reverse; *within: how far in the element. */
void object_id_index(const struct object_id *o, uint64_t byte, int64_t *index,
		       uint32_t *within);
/* The type of a value of `size` bytes so far in an element; VALUE_TYPES: no value of its own. */
unsigned object_id_type(const struct object_id *o, uint32_t within, unsigned size);
unsigned object_id_desc_type(const struct array_desc *a, uint32_t within, unsigned size);
/* In memory of its own, to be cleared and freed; NULL: no memory. */
struct array_desc *object_id_desc_copy(const struct array_desc *a);
/* Whether the part of this rank has the element; halo: or has a copy of it. a may be NULL: no. */
bool object_id_desc_has(const struct array_desc *a, const int64_t *index, bool halo);
bool object_id_desc_has_dim(const struct array_desc *a, unsigned d, int64_t g, bool halo);
/* The dimension that runs i-th fastest, from 0. */
static inline unsigned object_id_desc_dim(const struct array_desc *a, unsigned i)
{
	return a->order == 'F' ? i : a->ndim - 1 - i;
}
/*
 * How many of the fastest dimensions are here as a whole, owned, in one piece; at least one
 * dimension is left. *bytes: of such a piece, an element when there are none.
 */
unsigned object_id_desc_whole(const struct array_desc *a, uint64_t *bytes);
/* Whether the same object with another shape or type is known: its number, else -1. */
int object_id_other(const struct object_ids *t, unsigned id, bool in_ref);

#endif
