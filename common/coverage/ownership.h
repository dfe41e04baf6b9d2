/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which ranks own what of distributed arrays, as each of them says in its covers (cover.h)
 * once it has met an array, and when that lies elsewhere later.
 */
#ifndef DVMDBG_COMMON_TRACE_OWNER_H
#define DVMDBG_COMMON_TRACE_OWNER_H

#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"

struct buf;

/* Owned; zeroed: empty. What was said later counts. */
struct ownership {
	struct ownership_part {
		uint32_t rank;
		struct array_desc *desc; /* owned */
	} * item;
	size_t n;
};

void ownership_clear(struct ownership *o);
/* The description is copied. -1: no memory. */
int ownership_add(struct ownership *o, uint32_t rank, const struct array_desc *desc);
/* Moves all of them over, behind those that are there; -1: no memory. */
int ownership_move(struct ownership *to, struct ownership *from);
/* The lowest rank that has said that the element is its own; TRACE_NO_RANK: none. Arrays are known
 * by name, counter and dimensions. */
uint32_t ownership_find(const struct ownership *o, const char *name, uint32_t counter,
			   unsigned ndim, const int64_t *index);
int ownership_code(struct codec *c, struct ownership *o);
CODEC_PAIR(ownership, ownership_clear(x))

#endif
