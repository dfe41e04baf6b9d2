/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/halo_watch.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/rankset.h"
#include "frontend/halo.h"
#include "frontend/out.h"

/* What of a halo is stale; `what` tells array, rank, side and owner. */
struct stale {
	struct halo_entry what;
	struct point since, equal;
};

struct halo_watch {
	struct stale *list; /* owned; in the order of reports */
	size_t n;
	struct point last; /* of the last comparison */
	json_t *told;	   /* array, side and place that there was a note about */
	struct rankset left;
};

struct halo_watch *halo_watch_create(void)
{
	struct halo_watch *w = calloc(1, sizeof(*w));

	if (w)
		w->told = json_object();
	if (w && !w->told) {
		free(w);
		return NULL;
	}
	return w;
}

void halo_watch_destroy(struct halo_watch *w)
{
	if (!w)
		return;
	free(w->list);
	json_decref(w->told);
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

/* True the first time for that array, side and place. */
static bool untold(struct halo_watch *w, const struct halo_entry *e, const char *side,
		   const char *where)
{
	char key[600];

	snprintf(key, sizeof(key), "%s %s %s", e->array, side, where);
	return !json_object_get(w->told, key) && !json_object_set_new(w->told, key, json_true());
}

/* Tells entries i … of the report that are new, of one array and side. */
static int tell(struct halo_watch *w, struct session *s, const struct point *p, const char *where,
		const struct halo_report *r, size_t i)
{
	const struct halo_entry *first = &r->entry[i];
	struct rankset ranks = { 0 };
	char side[120], point[POINT_TEXT], text[128];
	uint64_t differ = 0;
	int rc = 0;

	if (!untold(w, first, halo_side(first, side, sizeof(side)), where))
		return 0;
	for (; i < r->n && !strcmp(r->entry[i].array, first->array); i++) {
		const struct halo_entry *e = &r->entry[i];

		if (memcmp(e->side, first->side, sizeof(e->side)) || find(w, e))
			continue;
		differ += e->differ;
		rc |= rankset_add(&ranks, e->rank, e->rank);
	}
	out_note(s->out, "the halo of %s (%s) is stale since %s, %s: %llu element%s on %s",
		 first->array, side, point_format(p, point), where, (unsigned long long)differ,
		 differ == 1 ? "" : "s", rankset_format(&ranks, text, sizeof(text)));
	rankset_clear(&ranks);
	return rc;
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

int halo_watch_take(struct halo_watch *w, struct session *s, const struct point *p,
		    const char *where, const struct halo_report *r)
{
	struct stale *list = calloc(r->n + w->n + 1, sizeof(*list));
	/* Between comparisons that are further apart it may have been renewed. */
	bool gap = p->main > w->last.main + 1;
	size_t n = 0;

	if (!list)
		return -1;
	for (size_t i = 0; i < r->n; i++) {
		const struct stale *old = find(w, &r->entry[i]);

		if (old && !gap)
			list[n] = *old;
		else
			list[n] = (struct stale){ .since = *p,
						  .equal = old ? (struct point){ 0 } : w->last };
		list[n++].what = r->entry[i];
		if (!old && tell(w, s, p, where, r, i)) {
			free(list);
			return -1;
		}
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
	return 0;
}
