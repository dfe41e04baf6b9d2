/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registered objects as the page shows them, checked and turned into array_desc.
 */
#ifndef DVMDBG_EXEC_OBJECT_H
#define DVMDBG_EXEC_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array/array.h"

struct buf;
struct page_read;

struct object {
	struct array_desc desc;
	bool by_pointer;		 /* desc.addr is that of a pointer to it */
	const struct array_field *field; /* borrowed from desc; the part that was named, or NULL */
};

/*
 * Finds "u", "p.x" (a field of p), and of several registered at different places "u@file:line";
 * without a place the one registered last. 1 and *o, to be cleared; 0 when there is none; -1 when
 * out of memory.
 */
int object_find(struct page_read *r, const char *name, struct object *o);
void object_clear(struct object *o);

/*
 * Calls fn for each live object of that name, for fields the structure, "" for all; until one is
 * not 0, which it returns. -1: out of memory.
 */
int object_each(struct page_read *r, const char *name, int (*fn)(void *arg, const struct object *o),
		void *arg);

/*
 * A version of an object, by its offset in the arena; 0 and *a, to be cleared; 1: there is none;
 * -1: out of memory.
 */
int object_version(struct page_read *r, uint32_t off, struct array_desc *a);

/* The answers to QUERY_NAMES ("" for all) and QUERY_LAYOUT; empty when there is none, bad without
 * memory. */
void object_put_names(struct page_read *r, const char *name, struct buf *out);
void object_put_layout(struct page_read *r, const char *name, struct buf *out);

#endif
