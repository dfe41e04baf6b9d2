/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What ranks have reported of their halos and send halos, sorted by arrays.
 */
#ifndef DVMDBG_FRONTEND_HALO_PARTS_H
#define DVMDBG_FRONTEND_HALO_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"
#include "common/logical/groups.h"
#include "common/protocol/answer.h"

struct err;

/* One array as ranks that gave the same answer have it. */
struct halo_part {
	struct array_desc desc;
	const struct rankset *ranks; /* borrowed from the answers */
	const char *why;      /* borrowed; it was left out for that reason; NULL: it was not */
	struct halo_box *box; /* owned; the halo, then the rim */
	size_t nhalo, nrim;
};

/* A rank and what it has of an array. */
struct halo_holder {
	uint32_t rank;
	const struct halo_part *part;
};

/* One array on all ranks that have it. */
struct halo_array {
	const struct array_desc *desc; /* borrowed from a part */
	bool alone;		       /* no other array has that name */
	struct halo_holder *holder;    /* owned; those that were not left out, by rank */
	size_t n;
	struct rankset ranks; /* all */
};

/* Zeroed: empty. */
struct halo_parts {
	struct halo_part *part;
	size_t n, cap;
	struct halo_array *array;
	size_t narray;
	struct rankset bad; /* their answers are none */
	const char *why;    /* borrowed; somebody had no answer for that reason; NULL: all had */
	struct rankset refused;
};

/* Reads answers to QUERY_HALO, which have to stay. 0, or -1 (memory); cleared by the caller. */
int halo_parts_make(struct halo_parts *p, const struct groups *answers, struct err *err);
void halo_parts_clear(struct halo_parts *p);

#endif
