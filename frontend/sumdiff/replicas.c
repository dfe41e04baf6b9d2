/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/sumdiff/sumdiff.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/protocol/point_sums.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* An object; geometry and copies are in item, flags those of when it was reported last. */
struct replica {
	struct point_sums_item item; /* owned; its ranks are those of its copies */
	bool dirty;		     /* told inside a task since the last main point */
};

/* What was reported inside a task, until the region ends. */
struct inner {
	struct point point;
	struct point_sums_item item; /* owned */
};

struct replicas {
	struct replica *list; /* in the order of point_sums_item_compare */
	size_t n, cap;
	struct inner *inner;
	size_t ninner, inner_cap;
};

struct replicas *replicas_create(void)
{
	return xcalloc(1, sizeof(struct replicas));
}

void replicas_destroy(struct replicas *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		point_sums_item_clear(&r->list[i].item);
	for (size_t i = 0; i < r->ninner; i++)
		point_sums_item_clear(&r->inner[i].item);
	free(r->list);
	free(r->inner);
	free(r);
}

/* Room for one more behind n elements of that size. */
static void *room(void *list, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? 2 * *cap : 16;
	void *grown;

	if (n < *cap)
		return list;
	grown = xrealloc(list, more * size);
	*cap = more;
	return grown;
}

/* Takes the ranks out of all groups. */
static void forget(struct groups *d, const struct rankset *ranks)
{
	struct groups kept = { 0 };

	for (size_t i = 0; i < d->n; i++) {
		struct rankset left = { 0 };

		xrankset_copy(&left, &d->group[i].ranks);
		xrankset_remove_set(&left, ranks);
		if (left.n)
			xalloc_check(groups_add(&kept, &left, d->group[i].blob, d->group[i].len));
		rankset_clear(&left);
	}
	groups_clear(d);
	*d = kept;
}

/* What is gone has been reported by all ranks that had it. */
static bool is_copy(const struct point_sums_item *i)
{
	return i->kind == ARRAY_REPLICATED && !(i->flags & POINT_SUMS_GONE);
}

static int same_identifier(const struct point_sums_item *a, const struct point_sums_item *b)
{
	return a->line == b->line && a->counter == b->counter && !strcmp(a->name, b->name) &&
	       !strcmp(a->file, b->file);
}

/* The object of that identifier and geometry, made when there is none */
static struct replica *replica_of(struct replicas *r, const struct point_sums_item *i)
{
	size_t at = r->n;
	struct replica *list, *x;
	int order = 1;

	while (at && (order = point_sums_item_compare(&r->list[at - 1].item, i)) > 0)
		at--;
	if (at && order == 0)
		return &r->list[at - 1];
	list = room(r->list, r->n, &r->cap, sizeof(*list));
	r->list = list;
	x = &list[at];
	memmove(x + 1, x, (r->n - at) * sizeof(*x));
	*x = (struct replica){ .item = *i };
	x->item.name = xstrdup(i->name);
	x->item.file = xstrdup(i->file);
	x->item.module = xstrdup(i->module);
	x->item.sum = NULL;
	x->item.ranks = (struct rankset){ 0 };
	x->item.copies = (struct groups){ 0 };
	r->n++;
	return x;
}

/* The ranks of i have reported it again; one that has another shape now has it no more in the
 * former. */
static void update(struct replicas *r, const struct point_sums_item *i, bool dirty)
{
	struct replica *x = replica_of(r, i);

	for (size_t k = 0; k < r->n; k++)
		if (same_identifier(&r->list[k].item, i)) {
			forget(&r->list[k].item.copies, &i->ranks);
			xrankset_remove_set(&r->list[k].item.ranks, &i->ranks);
		}
	x->item.flags = x->dirty ? x->item.flags | i->flags : i->flags;
	x->dirty = dirty;
	xrankset_add_set(&x->item.ranks, &i->ranks);
	xalloc_check(groups_merge(&x->item.copies, &i->copies));
}

/* Moves the objects of a point inside a task to where they wait. */
static void take_inner(struct replicas *r, struct point_sums *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct point_sums_item item = t->item[i];
		struct inner *grown;

		if (!is_copy(&item)) {
			t->item[kept++] = item;
			continue;
		}
		grown = room(r->inner, r->ninner, &r->inner_cap, sizeof(*grown));
		r->inner = grown;
		grown[r->ninner++] = (struct inner){ t->point, item };
	}
	t->n = kept;
}

static int by_point(const void *a, const void *b)
{
	const struct inner *x = a, *y = b;

	return point_sort(&x->point, &y->point);
}

/* What was reported inside of tasks, in the order of their points. */
static void apply_inner(struct replicas *r)
{
	if (r->ninner)
		qsort(r->inner, r->ninner, sizeof(*r->inner), by_point);
	for (size_t i = 0; i < r->ninner; i++) {
		update(r, &r->inner[i].item, true);
		point_sums_item_clear(&r->inner[i].item);
	}
	r->ninner = 0;
}

/* All copies of x into an item of point sums. */
static void fill(struct point_sums_item *i, const struct replica *x)
{
	groups_clear(&i->copies);
	rankset_clear(&i->ranks);
	i->kind = ARRAY_REPLICATED;
	i->order = x->item.order;
	i->flags = x->item.flags;
	i->plan = x->item.plan;
	memcpy(i->lower, x->item.lower, sizeof(i->lower));
	xalloc_check(groups_merge(&i->copies, &x->item.copies));
	xrankset_copy(&i->ranks, &x->item.ranks);
}

static int add(struct point_sums *t, const struct replica *x)
{
	struct point_sums_item *i;

	if (!x->item.ranks.n)
		return 0;
	i = point_sums_add(t, x->item.name, x->item.file, x->item.line, x->item.counter);
	if (!i || (x->item.module && point_sums_item_set_module(i, x->item.module, x->item.vaddr)))
		return -1;
	fill(i, x);
	return 0;
}

/* Those that were reported inside tasks and not again at this point. */
static int add_dirty(struct replicas *r, struct point_sums *t)
{
	int rc = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->list[i].dirty && add(t, &r->list[i]))
			rc = -1;
		r->list[i].dirty = false;
	}
	return rc;
}

int replicas_complete(struct replicas *r, struct point_sums *t, const struct rankset *gone)
{
	if (t->point.sub) {
		take_inner(r, t);
		return 0;
	}
	apply_inner(r);
	for (size_t i = 0; i < t->n; i++)
		if (is_copy(&t->item[i]))
			update(r, &t->item[i], false);
	for (size_t i = 0; i < r->n && gone && gone->n; i++) {
		forget(&r->list[i].item.copies, gone);
		xrankset_remove_set(&r->list[i].item.ranks, gone);
	}
	for (size_t i = 0; i < t->n; i++) {
		if (is_copy(&t->item[i]))
			fill(&t->item[i], replica_of(r, &t->item[i]));
	}
	return add_dirty(r, t);
}

int replicas_all(const struct replicas *r, struct point_sums *t)
{
	for (size_t i = 0; i < r->n; i++)
		if (add(t, &r->list[i]))
			return -1;
	return 0;
}
