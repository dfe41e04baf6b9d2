/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A registered object as something whose elements are read: the object itself, or a field of it.
 */
#ifndef DVMDBG_EXEC_TARGET_H
#define DVMDBG_EXEC_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array/array.h"

struct err;
struct memory;
struct object;
struct page_read;

/* Elements of `size` bytes, in steps of `unit` bytes times the strides. */
struct target {
	struct array_desc desc; /* as object_find gave it, or that of a field seen as an array */
	const char *name;
	bool by_pointer;
	uint64_t offset; /* of the field in an element */
	uint64_t base;	 /* set by target_base */
	uint8_t type;
	uint32_t unit;
	uint32_t size;	/* a multiple of the type's size */
	uint32_t count; /* values in an element: > 1 for a field that is an array */
};

/* Takes the description out of o. A field of a single structure is seen as an object of its own. */
void target_make(struct target *t, struct object *o);
/*
 * The object called that, which the page registers now; o has what t borrows. -1 and err when there
 * is none. target_clear in either case.
 */
int target_find(struct target *t, struct object *o, struct page_read *r, const char *name,
		struct err *err);
void target_clear(struct target *t, struct object *o);
/* The address of element 0 now: a pointer is followed at the time of asking. */
int target_base(struct target *t, struct memory *m, struct err *err);
/* The section as this rank's description understands it; without subscripts the whole object. */
int target_section(const struct target *t, const struct section *asked, struct section *out,
		   struct err *err);

#endif
