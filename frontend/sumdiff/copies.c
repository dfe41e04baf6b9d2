/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copies of replicated objects: whether they are one value, and which of them are the reference's.
 */
#include <stdlib.h>

#include "common/core/buf.h"
#include "frontend/sumdiff/internal.h"
#include "frontend/util/xrankset.h"

struct sum_result *compare_copy(const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct sum *sum = sum_get(&b, NULL);
	struct sum_result *r = sum ? sum_finish(sum, NULL) : NULL;

	sum_destroy(sum);
	return r;
}

/* How the copy of a group compares with sum. */
static enum comparison grade_group(struct compare *c, struct track *t, const struct sum_result *sum,
			       const struct rank_group *g)
{
	struct sum_result *r = compare_copy(g);
	struct sum_difference d;
	enum comparison how = r ? compare_sum(c, t, sum, r, &d) : COMPARISON_FAULT;

	sum_result_destroy(r);
	return how;
}

bool compare_copies_match(struct compare *c, struct track *t)
{
	const struct known *k = &t->now;

	for (size_t i = 0; i < k->copies.n && k->sum; i++)
		if (grade_group(c, t, k->sum, &k->copies.group[i]) > COMPARISON_ROUNDING)
			return false;
	return true;
}

const struct sum_result *compare_truth(const struct track *t)
{
	return t->ref.copies.n ? NULL : t->ref.sum;
}

void compare_copies_wrong(struct compare *c, struct track *t, struct rankset *wrong,
			  struct rankset *same)
{
	const struct sum_result *truth = compare_truth(t);

	for (size_t i = 0; i < t->now.copies.n && truth; i++) {
		const struct rank_group *g = &t->now.copies.group[i];
		enum comparison how = grade_group(c, t, truth, g);
		struct rankset *to = how > COMPARISON_ROUNDING ? wrong
				     : how == COMPARISON_EQUAL ? same
							   : NULL;

		if (to)
			xrankset_add_set(to, &g->ranks);
	}
}

static int by_lowest(const void *pa, const void *pb)
{
	const struct rank_group *a = pa, *b = pb;
	int64_t x = rankset_next(&a->ranks, 0), y = rankset_next(&b->ranks, 0);

	return (x > y) - (x < y);
}

void compare_copies_sort(struct groups *d)
{
	if (d->n)
		qsort(d->group, d->n, sizeof(*d->group), by_lowest);
}
