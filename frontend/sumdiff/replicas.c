/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/sumdiff/replicas.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/protocol/point_sums.h"

/* An object; geometry and copies are in item, flags those of when it was reported last. */
struct replica {
	struct tally_item item; /* owned; its ranks are those of its copies */
	bool dirty;		/* told inside a task since the last main point */
};

/* What was reported inside a task, until the region ends. */
struct inner {
	struct point point;
	struct tally_item item; /* owned */
};

struct replicas {
	struct replica *list; /* in the order of tally_item_compare */
	size_t n, cap;
	struct inner *inner;
	size_t ninner, inner_cap;
};

struct replicas *replicas_create(void)
{
	return calloc(1, sizeof(struct replicas));
}

static void item_clear(struct tally_item *i)
{
	free(i->name);
	free(i->file);
	free(i->module);
	rankset_clear(&i->ranks);
	sum_destroy(i->sum);
	differ_clear(&i->copies);
	*i = (struct tally_item){ 0 };
}

void replicas_destroy(struct replicas *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		item_clear(&r->list[i].item);
	for (size_t i = 0; i < r->ninner; i++)
		item_clear(&r->inner[i].item);
	free(r->list);
	free(r->inner);
	free(r);
}

/* Room for one more behind n elements of that size; NULL: out of memory. */
static void *room(void *list, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? 2 * *cap : 16;
	void *grown;

	if (n < *cap)
		return list;
	grown = realloc(list, more * size);
	if (grown)
		*cap = more;
	return grown;
}

/* Takes the ranks out of all groups. */
static int forget(struct differ *d, const struct rankset *ranks)
{
	struct differ kept = { 0 };
	int rc = 0;

	for (size_t i = 0; i < d->n && !rc; i++) {
		struct rankset left = { 0 };

		rc = rankset_copy(&left, &d->group[i].ranks) || rankset_remove_set(&left, ranks);
		if (!rc && left.n)
			rc = differ_add(&kept, &left, d->group[i].blob, d->group[i].len);
		rankset_clear(&left);
	}
	if (rc) {
		differ_clear(&kept);
		return -1;
	}
	differ_clear(d);
	*d = kept;
	return 0;
}

static int same_identifier(const struct tally_item *a, const struct tally_item *b)
{
	return a->line == b->line && a->counter == b->counter && !strcmp(a->name, b->name) &&
	       !strcmp(a->file, b->file);
}

/* The object of that identifier and geometry, made when there is none; NULL: out of memory. */
static struct replica *replica_of(struct replicas *r, const struct tally_item *i)
{
	size_t at = r->n;
	struct replica *list, *x;
	int order = 1;

	while (at && (order = tally_item_compare(&r->list[at - 1].item, i)) > 0)
		at--;
	if (at && order == 0)
		return &r->list[at - 1];
	list = room(r->list, r->n, &r->cap, sizeof(*list));
	if (!list)
		return NULL;
	r->list = list;
	x = &list[at];
	memmove(x + 1, x, (r->n - at) * sizeof(*x));
	*x = (struct replica){ .item = *i };
	x->item.name = strdup(i->name);
	x->item.file = strdup(i->file);
	x->item.module = i->module ? strdup(i->module) : NULL;
	x->item.sum = NULL;
	x->item.ranks = (struct rankset){ 0 };
	x->item.copies = (struct differ){ 0 };
	r->n++;
	return x->item.name && x->item.file ? x : NULL;
}

/* The ranks of i have reported it again; one that has another shape now has it no more in the
 * former. */
static int update(struct replicas *r, const struct tally_item *i, bool dirty)
{
	struct replica *x = replica_of(r, i);

	if (!x)
		return -1;
	for (size_t k = 0; k < r->n; k++)
		if (same_identifier(&r->list[k].item, i) &&
		    (forget(&r->list[k].item.copies, &i->ranks) ||
		     rankset_remove_set(&r->list[k].item.ranks, &i->ranks)))
			return -1;
	x->item.flags = x->dirty ? x->item.flags | i->flags : i->flags;
	x->dirty = dirty;
	return rankset_add_set(&x->item.ranks, &i->ranks) ||
			       differ_merge(&x->item.copies, &i->copies)
		       ? -1
		       : 0;
}

/* Moves the objects of a point inside a task to where they wait. */
static int take_inner(struct replicas *r, struct tally *t)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct tally_item item = t->item[i];
		struct inner *grown;

		if (item.kind != ARRAY_REPLICATED) {
			t->item[kept++] = item;
			continue;
		}
		grown = room(r->inner, r->ninner, &r->inner_cap, sizeof(*grown));
		if (!grown) {
			item_clear(&item);
			rc = -1;
			continue;
		}
		r->inner = grown;
		grown[r->ninner++] = (struct inner){ t->point, item };
	}
	t->n = kept;
	return rc;
}

static int by_point(const void *a, const void *b)
{
	const struct inner *x = a, *y = b;

	return point_sort(&x->point, &y->point);
}

/* What was reported inside of tasks, in the order of their points. */
static int apply_inner(struct replicas *r)
{
	int rc = 0;

	if (r->ninner)
		qsort(r->inner, r->ninner, sizeof(*r->inner), by_point);
	for (size_t i = 0; i < r->ninner; i++) {
		if (update(r, &r->inner[i].item, true))
			rc = -1;
		item_clear(&r->inner[i].item);
	}
	r->ninner = 0;
	return rc;
}

/* All copies of x into the item of a tally. */
static int fill(struct tally_item *i, const struct replica *x)
{
	differ_clear(&i->copies);
	rankset_clear(&i->ranks);
	i->kind = ARRAY_REPLICATED;
	i->order = x->item.order;
	i->flags = x->item.flags;
	i->plan = x->item.plan;
	memcpy(i->lower, x->item.lower, sizeof(i->lower));
	return differ_merge(&i->copies, &x->item.copies) || rankset_copy(&i->ranks, &x->item.ranks)
		       ? -1
		       : 0;
}

static int add(struct tally *t, const struct replica *x)
{
	struct tally_item *i;

	if (!x->item.ranks.n)
		return 0;
	i = tally_add(t, x->item.name, x->item.file, x->item.line, x->item.counter);
	if (!i || (x->item.module && tally_item_set_module(i, x->item.module, x->item.vaddr)))
		return -1;
	return fill(i, x);
}

/* Those that were reported inside tasks and not again at this point. */
static int add_dirty(struct replicas *r, struct tally *t)
{
	int rc = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->list[i].dirty && add(t, &r->list[i]))
			rc = -1;
		r->list[i].dirty = false;
	}
	return rc;
}

int replicas_complete(struct replicas *r, struct tally *t, const struct rankset *gone)
{
	int rc;

	if (t->point.sub)
		return take_inner(r, t);
	rc = apply_inner(r);
	for (size_t i = 0; i < t->n; i++)
		if (t->item[i].kind == ARRAY_REPLICATED && update(r, &t->item[i], false))
			rc = -1;
	for (size_t i = 0; i < r->n && gone && gone->n; i++)
		if (forget(&r->list[i].item.copies, gone) ||
		    rankset_remove_set(&r->list[i].item.ranks, gone))
			rc = -1;
	for (size_t i = 0; i < t->n; i++) {
		struct replica *x;

		if (t->item[i].kind != ARRAY_REPLICATED)
			continue;
		x = replica_of(r, &t->item[i]);
		if (!x || fill(&t->item[i], x))
			rc = -1;
	}
	return add_dirty(r, t) ? -1 : rc;
}

int replicas_all(const struct replicas *r, struct tally *t)
{
	for (size_t i = 0; i < r->n; i++)
		if (add(t, &r->list[i]))
			return -1;
	return 0;
}
