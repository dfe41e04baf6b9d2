/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copies of a replicated object that do not match: what is in them, and on which ranks it is wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/model/ask.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/util/xrankset.h"

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

/* The copy of the lowest member of ranks. */
static int fetch_lowest(struct locate *l, const struct rankset *ranks, struct fetched *out)
{
	uint32_t rank = (uint32_t)rankset_next(ranks, 0);
	struct rankset one = { 0 };
	int rc;

	xrankset_add(&one, rank, rank);
	rc = locate_fetch(l, l->s, &one, out);
	rankset_clear(&one);
	return rc;
}

int locate_fetch_copies(struct locate *l)
{
	const struct mismatch *m = l->m;
	size_t least, most;

	if (m->copies.n < 2)
		return -1;
	if (m->wrong.n) {
		if (fetch_lowest(l, &m->wrong, &l->values.now))
			return -1;
		return m->same.n ? fetch_lowest(l, &m->same, &l->values.ref) : locate_fetch_ref(l);
	}
	extremes(&m->copies, &least, &most);
	if (least == most)
		least = 1;
	if (fetch_lowest(l, &m->copies.group[least].ranks, &l->values.now))
		return -1;
	return fetch_lowest(l, &m->copies.group[most].ranks, &l->values.ref);
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
		uint32_t rank = (uint32_t)rankset_next(&l->m->copies.group[i].ranks, 0);
		struct rankset one = { 0 };
		struct fetched f = { 0 };
		bool good;

		xrankset_add(&one, rank, rank);
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
