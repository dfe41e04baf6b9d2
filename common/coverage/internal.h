/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of sets: pages of 256 neighbours in the last dimension.
 */
#ifndef DVMDBG_COMMON_COVERAGE_INTERNAL_H
#define DVMDBG_COMMON_COVERAGE_INTERNAL_H

#include "common/coverage/coverage.h"

struct set_bits {
	uint64_t word[4];
};

struct index_set {
	unsigned n;
	int64_t *tuple; /* n a page; the last one is the index / 256 */
	struct set_bits *bits;
	uint32_t pages, cap;
	uint32_t *table; /* page + 1 */
	uint32_t mask;
	uint32_t last; /* the page that was used last */
	uint64_t count;
	bool lost;
};

/* The page, made when it is not there and make is set; -1: none. */
int64_t set_page(struct index_set *s, const int64_t *tuple, bool make);

static inline int set_order(const int64_t *a, const int64_t *b, unsigned n)
{
	for (unsigned d = 0; d < n; d++)
		if (a[d] != b[d])
			return a[d] < b[d] ? -1 : 1;
	return 0;
}

#endif
