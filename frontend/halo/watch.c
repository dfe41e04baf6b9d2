/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/halo/halo.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/logical/rankset.h"
#include "frontend/output/output.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* What of a halo is stale; `what` shows array, rank, side and owner. */
struct stale {
	struct halo_entry what;
	struct point since, equal;
	char where[128]; /* its construct */
};

#define SIDES 3 /* that are reported of an array */

struct halo_watch {
	struct stale *list; /* owned; in the order of reports */
	size_t n;
	struct point last; /* of the last comparison */
	uint32_t seen[POINT_KINDS]; /* the number of the last one, of each kind */
	json_t *reported;  /* what there was a note about */
	struct rankset left;
};

struct halo_watch *halo_watch_create(void)
{
	struct halo_watch *w = xcalloc(1, sizeof(*w));

	w->reported = json_object();
	return w;
}

void halo_watch_destroy(struct halo_watch *w)
{
	if (!w)
		return;
	free(w->list);
	json_decref(w->reported);
	rankset_clear(&w->left);
	free(w);
}

struct point halo_watch_last(const struct halo_watch *w)
{
	return w->last;
}

struct rankset *halo_watch_left(struct halo_watch *w)
{
	return &w->left;
}

static const struct stale *find(const struct halo_watch *w, const struct halo_entry *e)
{
	size_t lo = 0, hi = w->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int o = halo_order(&w->list[mid].what, e);

		if (!o)
			return &w->list[mid];
		if (o < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

bool halo_watch_since(const struct halo_watch *w, const struct halo_entry *e, struct point *since,
		      struct point *equal)
{
	const struct stale *old = w ? find(w, e) : NULL;

	if (!old)
		return false;
	*since = old->since;
	*equal = old->equal;
	return true;
}

/* True the first time. */
static bool untold(struct halo_watch *w, const struct stale *x, const char *where)
{
	char key[600];

	snprintf(key, sizeof(key), "%s %s %s", x->what.array, x->where, where);
	return !json_object_get(w->reported, key) &&
	       !json_object_set_new(w->reported, key, json_true());
}

static bool is_equal(const struct stale *a, const struct stale *b)
{
	return !strcmp(a->what.array, b->what.array) && !strcmp(a->where, b->where) &&
	       point_compare(&a->since, &b->since) == POINT_EQUAL;
}

static bool side_before(const struct stale *list, size_t from, size_t i)
{
	for (size_t k = from; k < i; k++)
		if (is_equal(&list[k], &list[i]) &&
		    !memcmp(list[k].what.side, list[i].what.side, sizeof(list[i].what.side)))
			return true;
	return false;
}

/* Reports what is stale of an array since one construct: list[i] is the first of that. */
static void report(struct session *s, const struct point *p, const char *where,
		   const struct stale *list, size_t n, size_t i)
{
	const struct stale *first = &list[i];
	struct rankset ranks = { 0 };
	char side[120], point[POINT_TEXT], since[POINT_TEXT], text[128], sides[300] = "";
	uint64_t differ = 0;
	size_t nside = 0;

	for (size_t k = i; k < n; k++) {
		if (!is_equal(&list[k], first))
			continue;
		differ += list[k].what.differ;
		xrankset_add(&ranks, list[k].what.rank, list[k].what.rank);
		if (side_before(list, i, k) || ++nside > SIDES)
			continue;
		snprintf(sides + strlen(sides), sizeof(sides) - strlen(sides), "%s%s",
			 nside > 1 ? "; " : "", halo_side(&list[k].what, side, sizeof(side)));
	}
	if (nside > SIDES)
		snprintf(sides + strlen(sides), sizeof(sides) - strlen(sides), "; %zu more",
			 nside - SIDES);
	out_note(s->out,
		 "at %s, %s, the halo of %s (%s) is stale since %s, %s: %llu element%s on %s",
		 point_format(p, point), where, first->what.array, sides,
		 point_format(&first->since, since), first->where, (unsigned long long)differ,
		 differ == 1 ? "" : "s", rankset_format(&ranks, text, sizeof(text)));
	rankset_clear(&ranks);
}

/* At the beginning of a construct. */
static void report_all(struct halo_watch *w, struct session *s, const struct point *p,
		       const char *where)
{
	for (size_t i = 0; i < w->n; i++) {
		bool known = false;

		for (size_t k = 0; k < i && !known; k++)
			known = is_equal(&w->list[k], &w->list[i]);
		if (!known && untold(w, &w->list[i], where))
			report(s, p, where, w->list, w->n, i);
	}
}

/* Whether this comparison could have seen what is remembered. */
static bool unseen(const struct halo_report *r, const struct stale *x)
{
	return rankset_has(&r->silent, x->what.rank) || rankset_has(&r->silent, x->what.owner);
}

static int by_order(const void *a, const void *b)
{
	return halo_order(&((const struct stale *)a)->what, &((const struct stale *)b)->what);
}

/* Constructs lie between p and the last comparison. */
static bool is_gap(const struct halo_watch *w, const struct point *p)
{
	/* the mark before a call, struct point */
	uint32_t mark = p->task ? (p->task - 1) >> 1 : 0;

	if (point_kind(p) != POINT_KIND_MARKS && mark > w->seen[POINT_KIND_MARKS] + 1)
		return true;
	return point_number(p) > w->seen[point_kind(p)] + 1;
}

void halo_watch_take(struct halo_watch *w, struct session *s, const struct point *p,
		     const char *where, const struct halo_report *r)
{
	struct stale *list = xcalloc(r->n + w->n + 1, sizeof(*list));
	/* Between comparisons that are further apart it may have been renewed. */
	bool gap = is_gap(w, p);
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct stale *old = find(w, &r->entry[i]);

		if (old && !gap) {
			list[n] = *old;
		} else {
			list[n] = (struct stale){ .since = *p,
						  .equal = old ? (struct point){ 0 } : w->last };
			snprintf(list[n].where, sizeof(list[n].where), "%s", where);
		}
		list[n++].what = r->entry[i];
	}
	/* Those that could not be compared now stay as they were. */
	for (size_t i = 0; i < w->n; i++)
		if (unseen(r, &w->list[i]))
			list[n++] = w->list[i];
	if (n)
		qsort(list, n, sizeof(*list), by_order);
	free(w->list);
	w->list = list;
	w->n = n;
	w->last = *p;
	w->seen[point_kind(p)] = point_number(p);
	if (p->side == POINT_BEGIN)
		report_all(w, s, p, where);
}
