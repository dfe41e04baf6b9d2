/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of ranks as they were named, whether there are such or not: [0:3.1:2] are threads 1 and 2
 * of four ranks, [0] all of one. A zeroed struct is the empty set.
 */
#ifndef DVMDBG_COMMON_THREAD_SET_H
#define DVMDBG_COMMON_THREAD_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/rankset.h"

#define THREAD_LAST UINT32_MAX /* as the last one: all from the first on */

struct thread_part {
	uint32_t rank_lo, rank_hi, first, last; /* all inclusive */
	bool named;				/* threads were: [0.*], and not [0] */
};

struct thread_set {
	struct thread_part *part; /* owned; as they were added, they may overlap */
	size_t n;
};

void thread_set_clear(struct thread_set *s);
/* 0, or -1: out of memory. */
int thread_set_add(struct thread_set *s, const struct thread_part *part);
/* All threads of these ranks. */
int thread_set_add_ranks(struct thread_set *s, const struct rankset *ranks);
bool thread_set_has(const struct thread_set *s, uint32_t rank, uint32_t thread);
bool thread_set_meets(const struct thread_set *s, const struct thread_part *part);
/* Some threads were named, not only whole ranks. */
bool thread_set_names(const struct thread_set *s);
/* Leaves those ranks in `ranks` that have this thread in the set. */
int thread_set_only(const struct thread_set *s, uint32_t thread, struct rankset *ranks);
/* The greatest thread that is in it; THREAD_LAST: there is no greatest. */
uint32_t thread_set_greatest(const struct thread_set *s);
/* "[0:3.1:2,5]", cut as rankset_format does. Returns out. */
const char *thread_set_format(const struct thread_set *s, char *out, size_t size);

#endif
