/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one rank says of a registered object: its global shape and what of it is here. A box per
 * dimension (own_lo … own_hi) or an index list per dimension; the part owned is their product.
 */
#ifndef DVMDBG_COMMON_ARRAY_H
#define DVMDBG_COMMON_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/section.h"
#include "common/core/codec.h"

struct buf;
struct err;

enum array_kind { ARRAY_DISTRIBUTED = 0, ARRAY_REPLICATED = 1 };

struct array_field {
	char *name; /* owned */
	uint8_t type;
	uint32_t offset, count; /* bytes from the object's start; count > 1: a small array */
};

/*
 * Global indices; all counts in elements. A scalar has ndim 0. order says which index runs fastest
 * in the language: 'C' the last, 'F' the first; it decides spelling in print, and default strides.
 */
struct array_desc {
	char *name; /* owned */
	char *file; /* owned; where it was registered */
	uint32_t line;
	uint32_t counter; /* of those registered by this line that were there at the same time; from
			     0 */
	uint8_t kind; /* enum array_kind */
	uint8_t type; /* enum value_type or VALUE_STRUCT */
	uint8_t order;
	uint32_t elem_size; /* bytes; of a struct its sizeof */
	unsigned ndim;
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS]; /* global */
	uint32_t periodic; /* a bit for each dimension in which halo beyond the end has copies of
			      the other end's elements */
	uint32_t copies; /* of a distributed array that is partly replicated: how often it is there
			    as a whole; 0: once */
	/* local, differs between ranks */
	uint32_t copy; /* the copy that this part belongs to: each element counts in copy 0 only */
	uint64_t addr; /* of local element 0 in every dimension, halo included */
	int64_t own_lo[ARRAY_DIMS], own_hi[ARRAY_DIMS]; /* own_hi < own_lo: nothing is owned */
	int64_t halo_lo[ARRAY_DIMS], halo_hi[ARRAY_DIMS];
	int64_t stride[ARRAY_DIMS]; /* elements between neighbours in memory */
	int64_t *list[ARRAY_DIMS];  /* owned; ascending or not, NULL for a box */
	uint32_t list_n[ARRAY_DIMS];
	struct array_field *field; /* owned; of structs */
	uint32_t nfield;
};

void array_desc_clear(struct array_desc *a);
/*
 * A field of an array of structures has empty brackets in its name where the indices stand, a pair
 * for each dimension of the array: cells[].t. As it is asked for, they may be left out, cells.t.
 */
/* Both are the same; in Fortran g%u is g.u. any_case: capitals do not matter. */
bool array_name_is(const char *name, const char *wanted, bool fortran, bool any_case);
/* Likewise, as the array's language has it. */
bool array_is_named(const struct array_desc *a, const char *name);
/* The length of the structures' name in that of a field, 5 of cells[].t; 0: it is no field's. */
size_t array_name_structure(const char *name);
/* The pairs of brackets in a field's name; 0: it is no field's. */
unsigned array_name_dims(const char *name);
/* It is a field of those structures. */
bool array_name_in(const char *name, const char *structure, bool any_case);
/*
 * text begins with a name of so many characters, and has indices behind it. Those of the structures
 * are put into their place: cells[].t[3] becomes cells[3].t, p[][]%v(1,2,3) becomes p(1,2)%v(3). It
 * does not become longer. Returns text.
 */
char *array_name_place(char *text, size_t name);
/*
 * The local position (0-based, halo counted) of global index g in dimension d when this rank owns
 * it, else -1. With an index list the position is that in the list plus halo_lo.
 */
int64_t array_local(const struct array_desc *a, unsigned d, int64_t g);

/* Whether a dimension can be periodic: indices an extent beyond each end still fit. */
static inline bool array_wraps(int64_t lower, int64_t extent)
{
	const int64_t most = INT64_MAX / 4;

	return extent <= most && lower >= -most && lower <= most;
}

/*
 * The next combination of 1, -1 and 0 for the dimensions in which the array is periodic: an element
 * may have a copy that many extents further. From all 0 on; false behind the last, all 0 again.
 */
bool array_wrap_next(const struct array_desc *a, int8_t wrap[ARRAY_DIMS]);
/* kind with the number of copies, which is 0 but for arrays that are partly replicated. */
void array_kind_code(struct codec *c, uint8_t *kind, uint32_t *copies);
/* A list of fields, of structures of so many bytes. */
void array_fields_code(struct codec *c, struct array_field **field, uint32_t *n,
		       uint32_t elem_size);
void array_fields_clear(struct array_field *field, uint32_t n); /* NULL is fine */
/* The part of the description that is equal on all ranks. */
int array_global_code(struct codec *c, struct array_desc *a);
static inline void array_desc_put_global(const struct array_desc *a, struct buf *b)
{
	array_global_code(CODEC_PUT(b), (struct array_desc *)a);
}
int array_desc_get_global(struct array_desc *a, struct buf *b);
/* The local part: own, halo, lists; no address. It is got into what has the global part. */
int array_local_code(struct codec *c, struct array_desc *a);
static inline void array_desc_put_local(const struct array_desc *a, struct buf *b)
{
	array_local_code(CODEC_PUT(b), (struct array_desc *)a);
}
static inline int array_desc_get_local(struct array_desc *a, struct buf *b)
{
	return array_local_code(CODEC_GET(b), a);
}

#endif
