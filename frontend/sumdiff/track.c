/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a comparison remembers of each array.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/parse.h"
#include "frontend/sumdiff/internal.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

void compare_site_clear(struct site *s)
{
	free(s->where);
	free(s->func);
	*s = (struct site){ 0 };
}

void compare_site_set(struct site *s, const struct sums_point *p)
{
	char *where = xstrdup(p->where ? p->where : ""), *func = xstrdup(p->func ? p->func : "");

	compare_site_clear(s);
	*s = (struct site){ where, func, p->kind, p->point };
}

static void known_clear(struct known *k)
{
	sum_result_destroy(k->sum);
	groups_clear(&k->copies);
	*k = (struct known){ 0 };
}

void compare_id_clear(struct sums_array *a)
{
	free(a->name);
	free(a->file);
	free(a->shown);
	rankset_clear(&a->ranks);
}

void compare_track_destroy(struct track *t)
{
	compare_id_clear(&t->id);
	known_clear(&t->ref);
	known_clear(&t->now);
	compare_site_clear(&t->since);
	free(t->scale);
	free(t);
}

/* Identifier and geometry, and the ranks; no sums. */
void compare_id_copy(struct sums_array *dst, const struct sums_array *src)
{
	*dst = *src;
	dst->name = xstrdup(src->name);
	dst->file = xstrdup(src->file);
	dst->shown = xstrdup(src->shown);
	dst->sum = NULL;
	dst->failed = NULL;
	dst->ranks = (struct rankset){ 0 };
	dst->copies = (struct groups){ 0 };
	xrankset_copy(&dst->ranks, &src->ranks);
}

void compare_id_show(struct sums_array *dst, const struct sums_array *src)
{
	if (dst->shown || !src->shown)
		return;
	dst->shown = xstrdup(src->shown);
}

/* In the sense of sums_array_same; lines distinguish arrays as well, unless they may have moved. */
static int id_order(const struct compare *c, const struct sums_array *a, const struct sums_array *b)
{
	int o = strcmp(a->name, b->name);

	if (!o && a->counter != b->counter)
		o = a->counter < b->counter ? -1 : 1;
	o = o ? o : strcmp(path_base(a->file), path_base(b->file));
	if (!o && !c->tol.moved && a->line != b->line)
		o = a->line < b->line ? -1 : 1;
	return o;
}

/* Where a is, or belongs, in the list. */
static size_t track_place(const struct compare *c, const struct sums_array *a, bool *found)
{
	size_t lo = 0, hi = c->ntrack;

	*found = false;
	while (lo < hi && !*found) {
		size_t mid = lo + (hi - lo) / 2;
		int o = id_order(c, &c->track[mid]->id, a);

		*found = o == 0;
		if (o >= 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return hi;
}

/* The track of a, made when there is none */
struct track *compare_track(struct compare *c, const struct sums_array *a)
{
	struct track *t;
	bool found;
	size_t at = track_place(c, a, &found);

	if (found)
		return c->track[at];
	xvec_room(c->track, c->track_cap, c->ntrack + 1);
	t = xcalloc(1, sizeof(*t));
	memcpy(t->lost, c->lost, sizeof(t->lost));
	compare_id_copy(&t->id, a);
	memmove(&c->track[at + 1], &c->track[at], (c->ntrack++ - at) * sizeof(struct track *));
	c->track[at] = t;
	return t;
}

struct sum_result *compare_sum_copy(const struct sum_result *r)
{
	struct sum_result *copy;

	if (!r)
		return NULL;
	copy = xmemdup(r, sizeof(*r));
	copy->block = xmemdup(r->block, r->plan.blocks * sizeof(*r->block));
	return copy;
}

/* The greatest magnitude of the finite numbers. */
double compare_magnitude(const struct sum_result *r)
{
	return r ? sum_block_magnitude(&r->plan, &r->all) : 0;
}

void compare_scale(struct track *t, const struct sum_result *ref)
{
	if (t->nscale != ref->plan.blocks) {
		free(t->scale);
		t->nscale = ref->plan.blocks;
		t->scale = xcalloc(t->nscale, sizeof(*t->scale));
	}
	for (uint32_t i = 0; i < t->nscale; i++)
		t->scale[i] = fmax(t->scale[i], sum_block_magnitude(&ref->plan, &ref->block[i]));
}

struct sum_tolerance compare_limit_of(const struct compare *c, const struct track *t, unsigned type)
{
	bool single = type == VALUE_FLOAT || type == VALUE_FCOMPLEX;
	struct sum_tolerance tol = { .mode = c->tol.mode,
				     .exp = c->tol.exp,
				     .rel_min = c->tol.rel_min,
				     .scale = t ? t->scale : NULL };

	if (tol.exp < 0)
		tol.exp = single ? TOLERANCE_FLOAT : TOLERANCE_DOUBLE;
	return tol;
}

struct sum_tolerance compare_limit(const struct compare *c, const struct sums_array *a,
				   const struct sum_plan *plan)
{
	bool found;
	size_t at = track_place(c, a, &found);
	const struct track *t = found ? c->track[at] : NULL;

	return compare_limit_of(c, t && t->nscale == plan->blocks ? t : NULL, plan->type);
}

const struct sum_result *compare_known(const struct compare *c, const struct sums_array *a)
{
	bool found;
	size_t at = track_place(c, a, &found);

	return found ? c->track[at]->ref.sum : NULL;
}

/* Takes over what a run reports of a replicated object. */
void compare_known_set(struct known *k, const struct sums_array *a)
{
	known_clear(k);
	k->there = k->reported = true;
	k->sum = compare_sum_copy(a->sum);
	xalloc_check(groups_merge(&k->copies, &a->copies));
}

bool compare_same_moved(struct compare *c, const char *ref, const char *now)
{
	size_t file = strcspn(ref, ":");

	if (file != strcspn(now, ":") || strncmp(ref, now, file))
		return false;
	for (size_t i = 0; i < c->nmoved; i++) {
		bool a = !strcmp(c->moved[i].ref, ref), b = !strcmp(c->moved[i].now, now);

		if (a || b)
			return a && b;
	}
	xvec_more(c->moved, c->nmoved, 1);
	c->moved[c->nmoved] = (struct moved){ xstrdup(ref), xstrdup(now) };
	c->nmoved++;
	return true;
}
