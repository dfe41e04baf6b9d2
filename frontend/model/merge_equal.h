/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What ranks answer, merged over all of them: an equal answer is there once, with the set of ranks
 * that gave it. For thousands of different answers as well.
 */
#ifndef DVMDBG_FRONTEND_ALIKE_H
#define DVMDBG_FRONTEND_ALIKE_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "common/logical/rankset.h"

struct merge_equal_group {
	json_t *answer; /* owned */
	struct rankset ranks;
	int64_t least, most; /* of the ages that were added; -1: none */
};

/* A zeroed struct is empty. */
struct merge_equal {
	struct merge_equal_group *group;
	size_t n, cap;
	json_t *index; /* text of an answer to its place */
};

/* Takes the answer over. Without memory it is left out. */
void merge_equal_add(struct merge_equal *a, json_t *answer, const struct rankset *ranks,
		     int64_t age);
/* The smallest group first, then by lowest rank; nothing can be added any more. */
void merge_equal_sort(struct merge_equal *a);
/* Empties it; answers that were taken out are NULL. */
void merge_equal_clear(struct merge_equal *a);

#endif
