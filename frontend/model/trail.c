/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/model/trail.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "frontend/model/ask.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

void trail_clear(struct trail *t)
{
	for (size_t i = 0; i < t->n; i++)
		rankset_clear(&t->item[i].ranks);
	free(t->item);
	memset(t, 0, sizeof(*t));
}

/* The order of the list; the tasks of a region follow one another by number. */
static int by_point(const void *pa, const void *pb)
{
	const struct passed *a = pa, *b = pb;
	enum point_order o = point_compare(&a->r.point, &b->r.point);

	if (o == POINT_BEFORE || o == POINT_AFTER)
		return o == POINT_BEFORE ? -1 : 1;
	return a->r.point.task != b->r.point.task ? (a->r.point.task < b->r.point.task ? -1 : 1)
						  : 0;
}

/* The first of the sorted ones that is not before r. */
static size_t trail_find(const struct trail *t, size_t sorted, const struct report_point *r)
{
	struct passed key = { .r = *r };
	size_t lo = 0, hi = sorted;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_point(&t->item[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Adds a point that ranks have passed: to one of the sorted ones, else behind all. */
static void trail_add(struct trail *t, size_t sorted, const struct report_point *r,
		      const struct rankset *ranks)
{
	for (size_t i = trail_find(t, sorted, r); i < sorted; i++) {
		struct passed *p = &t->item[i];

		if (point_compare(&p->r.point, &r->point) != POINT_EQUAL)
			break;
		if (p->r.kind != r->kind || !place_equal(&p->r.place, &r->place))
			continue;
		if (r->usec)
			p->r.usec = r->usec;
		xrankset_add_set(&p->ranks, ranks);
		return;
	}
	xvec_room(t->item, t->cap, t->n + 1);
	t->item[t->n] = (struct passed){ .r = *r };
	xrankset_copy(&t->item[t->n++].ranks, ranks);
}

int trail_ask(struct session *s, const struct rankset *who, uint32_t n, struct groups *answers,
	      struct rankset *silent, struct trail *out, struct err *err)
{
	struct msg_query q = { .kind = QUERY_POINTS,
			       .n = n,
			       .rank = (uint32_t)rankset_next(who, 0) };

	if (ask(s, &q, who, answers, silent, err))
		return -1;
	for (size_t i = 0; i < answers->n; i++) {
		struct buf b = buf_view(answers->group[i].blob, answers->group[i].len);
		struct answer_points list;
		size_t sorted = out->n;

		answer_points_get(&list, &b);
		for (uint32_t k = 0; k < list.n; k++) {
			struct report_point r;

			if (report_point_get(&r, &b))
				break;
			trail_add(out, sorted, &r, &answers->group[i].ranks);
		}
		if (out->n > sorted)
			qsort(out->item, out->n, sizeof(*out->item), by_point);
	}
	return 0;
}
