/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who has what of an object. Copies of a replicated one that do not match: what is in them, and on
 * which ranks it is wrong. An array that is not distributed correctly: who owns what, which
 * elements nobody owns, and which more than one rank does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/array/layout.h"
#include "common/array/value.h"
#include "common/core/err.h"
#include "frontend/diff/diff.h"
#include "frontend/locate/internal.h"
#include "frontend/model/ask.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/util/xrankset.h"

#define MOST_ELEMENTS ((uint64_t)1 << 26) /* a byte for each */
#define OWNERS 16			  /* ranks that are reported */
#define BOX_TEXT 400

/* Elements of one kind, and the box around them, from 0. */
struct spot {
	uint64_t n;
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];
};

/* Whether element k of the run is in the array: lists may say anything. */
static bool inside(const struct layout_walk *w, uint64_t k, const struct sum_plan *p)
{
	uint64_t at[ARRAY_DIMS];

	layout_coordinates(w, k, at);
	for (unsigned d = 0; d < p->ndim; d++)
		if (at[d] >= (uint64_t)p->extent[d])
			return false;
	return true;
}

/* Counts the rank at each element that it owns. */
static void mark(const struct array_desc *a, const struct mismatch *m, unsigned char *count)
{
	const struct sum_plan *p = &m->plan;
	struct layout_walk w;
	struct layout_run r;
	struct layout l;

	layout_own(&l, a, 1);
	memcpy(l.lower, m->id.lower, p->ndim * sizeof(l.lower[0]));
	layout_walk(&w, &l, LAYOUT_C);
	layout_walk_dense(&w, (const uint64_t *)p->extent);
	while (layout_next(&w, &r))
		for (uint64_t k = 0; k < r.n; k++)
			if (inside(&w, k, p) && count[r.key + k * r.step] < 2)
				count[r.key + k * r.step]++;
}

static void spot_add(struct spot *s, const struct sum_plan *p, uint64_t at)
{
	for (unsigned d = p->ndim; d-- > 0; at /= (uint64_t)p->extent[d]) {
		int64_t x = (int64_t)(at % (uint64_t)p->extent[d]);

		s->lo[d] = s->n && s->lo[d] < x ? s->lo[d] : x;
		s->hi[d] = s->n && s->hi[d] > x ? s->hi[d] : x;
	}
	s->n++;
}

static uint64_t box_total(const struct spot *s, unsigned ndim)
{
	uint64_t total = 1;

	for (unsigned d = 0; d < ndim; d++)
		total *= (uint64_t)(s->hi[d] - s->lo[d] + 1);
	return total;
}

/* "u(-12:12,12)" or "u[0:4][2]" of a box from 0. */
static const char *box_text(const struct mismatch *m, const int64_t *lo, const int64_t *hi,
			    char out[BOX_TEXT])
{
	bool c = m->id.order == 'C';
	int used = snprintf(out, BOX_TEXT, "%.100s%s", m->id.name, c ? "" : "(");

	for (unsigned d = 0; d < m->plan.ndim && used < BOX_TEXT - 60; d++) {
		int64_t first = lo[d] + m->id.lower[d], last = hi[d] + m->id.lower[d];

		used += snprintf(out + used, BOX_TEXT - (size_t)used, "%s%" PRId64,
				 c   ? "["
				 : d ? ","
				     : "",
				 first);
		if (last != first)
			used += snprintf(out + used, BOX_TEXT - (size_t)used, ":%" PRId64, last);
		used += snprintf(out + used, BOX_TEXT - (size_t)used, "%s", c ? "]" : "");
	}
	snprintf(out + used, BOX_TEXT - (size_t)used, "%s", c ? "" : ")");
	return out;
}

static json_t *spot_json(const struct mismatch *m, const struct spot *s)
{
	char text[BOX_TEXT];

	return json_pack("{s:I s:o s:b}", "n", (json_int_t)s->n, "box",
			 out_json_text(box_text(m, s->lo, s->hi, text)), "all",
			 s->n == box_total(s, m->plan.ndim));
}

/* What a rank owns: the box around it, and how many elements. */
static json_t *owner_json(const struct mismatch *m, const struct owner *o)
{
	struct spot s;
	struct layout l;
	char text[BOX_TEXT];
	json_t *out;

	layout_own(&l, &o->desc, 1);
	s.n = layout_total(&l);
	for (unsigned d = 0; s.n && d < l.ndim; d++) {
		int64_t lower = m->id.lower[d];

		s.lo[d] = l.first[d] - lower;
		s.hi[d] = s.lo[d] + l.count[d] - 1;
		for (int64_t i = 0; l.list[d] && i < l.count[d]; i++) {
			int64_t x = l.list[d][i] - lower;

			s.lo[d] = !i || x < s.lo[d] ? x : s.lo[d];
			s.hi[d] = !i || x > s.hi[d] ? x : s.hi[d];
		}
	}
	out = json_pack("{s:i s:I}", "rank", (int)o->rank, "n", (json_int_t)s.n);
	if (s.n)
		json_object_set_new(out, "box", out_json_text(box_text(m, s.lo, s.hi, text)));
	return out;
}

static void put_spots(struct locate *l, const struct owner *owner, size_t n)
{
	const struct sum_plan *p = &l->m->plan;
	unsigned char *count = p->total <= MOST_ELEMENTS ? calloc(p->total + 1, 1) : NULL;
	struct spot none = { 0 }, twice = { 0 };

	for (size_t i = 0; i < n && count; i++)
		if (owner[i].desc.ndim == p->ndim)
			mark(&owner[i].desc, l->m, count);
	for (uint64_t i = 0; i < p->total && count; i++)
		if (count[i] != 1)
			spot_add(count[i] ? &twice : &none, p, i);
	if (none.n)
		json_object_set_new(l->parts, "none", spot_json(l->m, &none));
	if (twice.n)
		json_object_set_new(l->parts, "twice", spot_json(l->m, &twice));
	free(count);
}

void locate_look_parts(struct locate *l)
{
	struct owner *owner;
	struct err err = { "" };
	char name[400];
	json_t *list;
	size_t n;

	if (owners_all(l->s, locate_name(l->m, name, sizeof(name)), &owner, &n, &err)) {
		locate_note(l, "%s", err.text);
		return;
	}
	list = json_array();
	for (size_t i = 0; i < n && i < OWNERS; i++)
		if (owner[i].desc.ndim == l->m->plan.ndim)
			json_array_append_new(list, owner_json(l->m, &owner[i]));
	l->parts = json_pack("{s:o s:I}", "owners", list, "ranks", (json_int_t)n);
	put_spots(l, owner, n);
	owners_free(owner, n);
}

/* ---- copies ---- */

/* The groups with fewest and most ranks; equal when all have as many. */
static void extremes(const struct groups *d, size_t *least, size_t *most)
{
	*least = *most = 0;
	for (size_t i = 1; i < d->n; i++) {
		size_t n = rankset_count(&d->group[i].ranks);

		*least = n < rankset_count(&d->group[*least].ranks) ? i : *least;
		*most = n > rankset_count(&d->group[*most].ranks) ? i : *most;
	}
}

void locate_wrong_ranks(const struct mismatch *m, struct rankset *out)
{
	const struct groups *d = &m->copies;
	size_t least, most;

	if (m->truth || !d->n) {
		xrankset_copy(out, &m->wrong);
		return;
	}
	extremes(d, &least, &most);
	if (rankset_count(&d->group[least].ranks) == rankset_count(&d->group[most].ranks))
		return;
	for (size_t i = 0; i < d->n; i++)
		if (rankset_count(&d->group[i].ranks) < rankset_count(&d->group[most].ranks))
			xrankset_add_set(out, &d->group[i].ranks);
}

/* Who has one copy: the lowest member of ranks, or all where several have a part of it each. */
static void holders(const struct locate *l, const struct rankset *ranks, struct rankset *out)
{
	uint32_t rank = (uint32_t)rankset_next(ranks, 0);

	if (l->m->id.kind == ARRAY_DISTRIBUTED)
		xrankset_copy(out, ranks);
	else
		xrankset_add(out, rank, rank);
}

/* One copy of those of ranks. */
static int fetch_one(struct locate *l, const struct rankset *ranks, struct fetched *out)
{
	struct rankset one = { 0 };
	int rc;

	holders(l, ranks, &one);
	rc = locate_fetch(l, l->s, &one, out);
	rankset_clear(&one);
	return rc;
}

/* Without a reference: the copy that fewest ranks have, and the one that most have. */
static void both_copies(const struct mismatch *m, size_t *least, size_t *most)
{
	extremes(&m->copies, least, most);
	if (*least == *most)
		*least = 1;
}

/* Of an array in several copies those who have the copy that is looked at own its elements. */
static void owners_of_copy(struct locate *l, const struct rankset *ranks)
{
	struct locate_values *v = &l->values;
	size_t kept = 0;

	for (size_t i = 0; i < v->nowner; i++) {
		if (!rankset_has(ranks, v->owner[i].rank)) {
			array_desc_clear(&v->owner[i].desc);
			continue;
		}
		v->owner[kept] = v->owner[i];
		v->owner[kept++].desc.copy = 0;
	}
	v->nowner = kept;
}

int locate_fetch_copies(struct locate *l)
{
	const struct mismatch *m = l->m;
	size_t least, most;

	if (m->copies.n < 2)
		return -1;
	if (m->wrong.n) {
		if (fetch_one(l, &m->wrong, &l->values.now))
			return -1;
		return m->same.n ? fetch_one(l, &m->same, &l->values.ref) : locate_fetch_ref(l);
	}
	both_copies(m, &least, &most);
	if (fetch_one(l, &m->copies.group[least].ranks, &l->values.now))
		return -1;
	return fetch_one(l, &m->copies.group[most].ranks, &l->values.ref);
}

void locate_copy_owners(struct locate *l)
{
	const struct mismatch *m = l->m;
	size_t least = 0, most;

	if (!m->wrong.n)
		both_copies(m, &least, &most);
	owners_of_copy(l, m->wrong.n ? &m->wrong : &m->copies.group[least].ranks);
}

/* The first element that differs, in each group. */
void locate_look_copies(struct locate *l)
{
	struct locate_values *v = &l->values;
	unsigned ndim = l->m->plan.ndim;
	struct section sec = { .ndim = ndim };
	struct err err = { "" };
	char name[400];

	if (!v->there || v->now.section.ndim != ndim)
		return;
	for (unsigned d = 0; d < ndim; d++)
		sec.dim[d] = (struct section_dim){ .first = v->diff.first[d],
						   .last = v->diff.first[d],
						   .step = 1 };
	locate_name(l->m, name, sizeof(name));
	for (size_t i = 0; i < l->m->copies.n && i < LOCATE_COPIES; i++) {
		struct rankset one = { 0 };
		struct fetched f = { 0 };
		bool good;

		holders(l, &l->m->copies.group[i].ranks, &one);
		good = !fetch_large(l->s, name, ndim ? &sec : NULL, &one, 1, &f, &err) && f.q.n &&
		       !f.nmissing;

		if (good)
			v->copy[v->ncopy++] = values_value(&f.q, 0, 0);
		fetched_clear(&f);
		rankset_clear(&one);
		if (!good)
			return;
	}
}

static json_t *copy_json(struct locate *l, size_t i)
{
	const struct mismatch *m = l->m;
	const struct rank_group *g = &m->copies.group[i];
	struct sum_result *r = compare_copy(g);
	json_t *o = json_pack("{s:o}", "ranks", ask_ranks(&g->ranks));
	char text[VALUE_TEXT];

	if (i < l->values.ncopy)
		json_object_set_new(o, "value",
				    out_json_text(value_format(l->values.now.q.type,
							       &l->values.copy[i], 0, text)));
	else if (m->plan.total == 1)
		json_object_set_new(o, "value",
				    out_json_text(compare_sum_text(r, text, sizeof(text))));
	if (r && m->plan.total != 1)
		json_object_set_new(o, "mean", json_real(sum_mean(r, 0)));
	if (m->truth)
		json_object_set_new(o, "wrong", json_boolean(rankset_meets(&m->wrong, &g->ranks)));
	sum_result_destroy(r);
	return o;
}

json_t *locate_copies_json(struct locate *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->m->copies.n; i++)
		json_array_append_new(list, copy_json(l, i));
	return list;
}
