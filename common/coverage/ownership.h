/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which ranks own what of distributed arrays, as each of them says in its covers (trace_cover.h)
 * once it has met an array, and when that lies elsewhere later.
 */
#ifndef DVMDBG_COMMON_TRACE_OWNER_H
#define DVMDBG_COMMON_TRACE_OWNER_H

#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"

struct buf;

/* Owned; zeroed: empty. What was said later counts. */
struct trace_owners {
	struct trace_owner {
		uint32_t rank;
		struct array_desc *desc; /* owned */
	} * item;
	size_t n;
};

void trace_owners_clear(struct trace_owners *o);
/* The description is copied. -1: no memory. */
int trace_owners_add(struct trace_owners *o, uint32_t rank, const struct array_desc *desc);
/* Moves all of them over, behind those that are there; -1: no memory. */
int trace_owners_move(struct trace_owners *to, struct trace_owners *from);
/* The lowest rank that has said that the element is its own; TRACE_NO_RANK: none. Arrays are known
 * by name, counter and dimensions. */
uint32_t trace_owners_find(const struct trace_owners *o, const char *name, uint32_t counter,
			   unsigned ndim, const int64_t *index);
int trace_owners_code(struct codec *c, struct trace_owners *o);
CODEC_PAIR(trace_owners, trace_owners_clear(x))

#endif
