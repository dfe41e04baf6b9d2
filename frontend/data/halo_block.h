/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one rank has of an array: its block, and copies of others' elements in its halo.
 */
#ifndef DVMDBG_FRONTEND_HALO_BLOCK_H
#define DVMDBG_FRONTEND_HALO_BLOCK_H

#include <stdbool.h>

#include "frontend/data/halo_parts.h"

struct err;
struct session;

/* Zeroed: nothing was asked. */
struct halo_block {
	struct groups answers; /* owned */
	struct halo_parts parts;
	const struct halo_part *part; /* in parts; NULL: nothing was asked */
	uint32_t rank;
};

/*
 * Asks the rank about the array called name, of so many dimensions. -1 and err when it has nothing
 * of it. Cleared by the caller in either case.
 */
int halo_block_ask(struct halo_block *b, struct session *s, const char *name, unsigned ndim,
		   uint32_t rank, struct err *err);
void halo_block_clear(struct halo_block *b);
/* The rank owns the element with these global indices. */
bool halo_block_owns(const struct halo_block *b, const int64_t *index);
/* The element in its halo, with all its fields; NULL: it is not there. */
const unsigned char *halo_block_copy(const struct halo_block *b, const int64_t *index);

#endif
