/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where values went instead: writes that hit other elements than in the reference, and halos that
 * hold the values of other elements; and the rule that they follow, when there is one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/err.h"
#include "common/traceindex/traceindex.h"
#include "frontend/data/owners.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xalloc.h"

#define MOST_ELEMENTS ((uint64_t)1 << 20) /* of an array that is searched */
#define LEAST 3				  /* elements with values of others: fewer may be chance */

/* ---- halos ---- */

/* An array, where all its halos are searched. */
struct whole {
	char name[400];
	struct fetched f;
	struct owner *owner;
	size_t nowner;
};

static void whole_clear(struct whole *w)
{
	fetched_clear(&w->f);
	owners_free(w->owner, w->nowner);
	*w = (struct whole){ .nowner = 0 };
}

static const char *name_of(const struct halo_entry *e, char *out, size_t size)
{
	if (*e->file)
		snprintf(out, size, "%s@%s:%u#%u", e->name, e->file, e->line, e->counter);
	else
		snprintf(out, size, "%s", e->name);
	return out;
}

/* The array of the entry, as the owners have it; false: it cannot be had, or not searched. */
static bool fetch_whole(struct session *s, const struct halo_entry *e, struct whole *w)
{
	struct err err = { "" };
	char name[400];

	name_of(e, name, sizeof(name));
	if (strcmp(name, w->name) != 0) {
		whole_clear(w);
		memcpy(w->name, name, sizeof(w->name));
		if (fetch_large(s, name, NULL, job_set(s->job, JOB_ALL), MOST_ELEMENTS, &w->f,
				&err) ||
		    owners_all(s, name, &w->owner, &w->nowner, &err))
			w->nowner = 0;
	}
	return w->nowner && w->f.q.n && !w->f.nmissing && w->f.section.ndim == e->ndim;
}

static const struct array_desc *part_of(const struct whole *w, uint32_t rank)
{
	for (size_t i = 0; i < w->nowner; i++)
		if (w->owner[i].rank == rank)
			return &w->owner[i].desc;
	return NULL;
}

static const struct halo_kept *kept_of(const struct halo_report *r, const struct halo_entry *e)
{
	for (size_t i = 0; i < r->nkept; i++)
		if (r->kept[i].rank == e->rank && !strcmp(r->kept[i].array, e->array) &&
		    !memcmp(r->kept[i].side, e->side, sizeof(e->side)))
			return &r->kept[i];
	return NULL;
}

/* Whether the rank owns what is at g. */
static bool owns(const struct array_desc *a, const int64_t *g)
{
	bool it = a != NULL;

	for (unsigned d = 0; it && d < a->ndim; d++)
		it = array_local(a, d, g[d]) >= 0;
	return it;
}

/* The stale elements of the side that the entry's owner has: where they are, and what they hold. */
struct places {
	int64_t (*at)[ARRAY_DIMS];
	unsigned char *held;
	size_t n;
};

static void find_places(const struct halo_kept *k, const struct halo_entry *e,
			const struct array_desc *owner, size_t size, struct places *p)
{
	size_t n = k->n / size;

	*p = (struct places){ .at = xcalloc(n + 1, sizeof(*p->at)), .held = xcalloc(n + 1, size) };
	for (size_t i = 0; i < n; i++) {
		int64_t *g = p->at[p->n];
		size_t rest = i;

		for (unsigned d = e->ndim; d-- > 0;) {
			size_t len = (size_t)(k->hi[d] - k->lo[d] + 1);

			g[d] = k->lo[d] + (int64_t)(rest % len) - e->wrap[d] * e->extent[d];
			rest /= len;
		}
		if (!k->halo[2 * k->n + i] || !owns(owner, g) ||
		    !memcmp(k->halo + i * size, k->halo + k->n + i * size, size))
			continue;
		memcpy(p->held + p->n++ * size, k->halo + i * size, size);
	}
}

/* Only the pairs stay whose values belong to the rank. Returns how many. */
static size_t keep_of(struct fit_pair *pair, size_t n, const struct array_desc *owner)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (owns(owner, pair[i].got))
			pair[kept++] = pair[i];
	return kept;
}

/* Of all values that were found at least half belong to one rank: the rule is sought in its part.
 */
static void grade(struct whole *w, struct locate_astray *a, struct fit_pair *pair, size_t n)
{
	const struct array_desc *halo = part_of(w, a->e->rank);

	for (size_t i = 0; i < w->nowner; i++) {
		struct fit_pair *of = xcalloc(n, sizeof(*of));
		size_t k;

		memcpy(of, pair, n * sizeof(*of));
		k = keep_of(of, n, &w->owner[i].desc);
		if (2 * k >= n) {
			a->from = w->owner[i].rank;
			a->first = of[0];
			a->found = k;
			fit_pairs(&w->owner[i].desc, halo, of, k, &a->fit);
		}
		free(of);
		if (2 * k >= n)
			return;
	}
}

/* They hold one value, as memory that nothing has set does: that another element has it says
 * nothing. */
static bool all_equal(const struct places *p, size_t size)
{
	for (size_t i = 1; i < p->n; i++)
		if (memcmp(p->held, p->held + i * size, size) != 0)
			return false;
	return true;
}

static bool look(struct locate *l, struct whole *w, struct locate_astray *a)
{
	const struct halo_entry *e = a->e;
	const struct halo_kept *k = kept_of(&l->halo.begin, e);
	size_t size = w->f.q.elem_size;
	struct fit_box box = { .ndim = e->ndim, .size = size, .value = w->f.q.group[0].bytes };
	struct fit_pair *pair = NULL;
	struct places p;

	if (!k || !size || k->n % size)
		return false;
	for (unsigned d = 0; d < e->ndim; d++) {
		box.lo[d] = e->lower[d];
		box.hi[d] = e->lower[d] + e->extent[d] - 1;
	}
	find_places(k, e, part_of(w, e->owner), size, &p);
	a->stale = p.n;
	a->found = fit_search(&box, (const int64_t(*)[ARRAY_DIMS])p.at, p.held, p.n, &pair);
	a->from = UINT32_MAX;
	if (!all_equal(&p, size) && a->found >= LEAST && 2 * a->found >= a->stale)
		grade(w, a, pair, a->found);
	free(pair);
	free(p.at);
	free(p.held);
	return a->from != UINT32_MAX;
}

void locate_look_astray(struct locate *l, struct session *s)
{
	struct locate_halo *h = &l->halo;
	struct whole w = { .nowner = 0 };

	for (size_t i = 0; i < h->begin.n && h->nastray < LOCATE_DATED; i++) {
		struct locate_astray *a = &h->astray[h->nastray];

		*a = (struct locate_astray){ .e = &h->begin.entry[i] };
		if (fetch_whole(s, a->e, &w) && look(l, &w, a))
			h->nastray++;
	}
	whole_clear(&w);
}

const struct locate_astray *locate_astray_of(const struct locate *l, const struct halo_entry *e)
{
	for (size_t i = 0; i < l->halo.nastray; i++)
		if (l->halo.astray[i].e == e)
			return &l->halo.astray[i];
	return NULL;
}

const char *locate_astray_text(const struct locate_astray *a, char out[LOCATE_RULE])
{
	char there[120], belongs[120];

	if (a->fit.kind)
		return fit_text(&a->fit, out, LOCATE_RULE);
	diff_element(a->e->name, a->e->order, a->e->ndim, a->first.want, there, sizeof(there));
	diff_element(a->e->name, a->e->order, a->e->ndim, a->first.got, belongs, sizeof(belongs));
	snprintf(out, LOCATE_RULE, "%s has the value of %s", there, belongs);
	return out;
}

/* ---- writes ---- */

/* The rule of the writes, in the part of the rank. */
static void find_rule(struct locate_traced *t, const struct trace_finding *f,
		      const struct fit_write *w, size_t n, struct fit *fit)
{
	struct fit_pair *pair = xcalloc(n, sizeof(*pair));
	struct owner *owner = NULL;
	struct err err = { "" };
	size_t nowner = 0;
	struct halo_entry e = { .line = f->thing.line, .counter = f->thing.counter };
	const char *slash = f->thing.file ? strrchr(f->thing.file, '/') : NULL;
	char name[400];

	snprintf(e.name, sizeof(e.name), "%s", f->thing.name);
	snprintf(e.file, sizeof(e.file), "%s",
		 slash		 ? slash + 1
		 : f->thing.file ? f->thing.file
				 : "");
	for (size_t i = 0; i < n; i++)
		pair[i] = w[i].pair;
	if (!owners_all(second_session(t->now), name_of(&e, name, sizeof(name)), &owner, &nowner,
			&err))
		for (size_t i = 0; i < nowner; i++)
			if (owner[i].rank == f->rank && owner[i].desc.ndim == f->thing.ndim)
				fit_pairs(&owner[i].desc, NULL, pair, n, fit);
	owners_free(owner, nowner);
	free(pair);
}

/* The write that is shown: of the finding's iteration, else of its element, else the first. */
static const struct fit_write *shown(const struct trace_finding *f, const struct fit_write *w,
				     size_t n)
{
	size_t bytes = f->thing.ndim * sizeof(*f->thing.index);

	for (size_t i = 0; i < n; i++)
		if (w[i].nidx == f->nidx &&
		    !memcmp(w[i].index, f->index, f->nidx * sizeof(*f->index)))
			return &w[i];
	for (size_t i = 0; i < n; i++)
		if (!memcmp(w[i].pair.got, f->thing.index, bytes) ||
		    !memcmp(w[i].pair.want, f->thing.index, bytes))
			return &w[i];
	return w;
}

static void put_writes(struct locate_traced *t, const struct trace_finding *f,
		       const struct fit_write *w, size_t n, json_t *write)
{
	const struct fit_write *x = shown(f, w, n);
	struct trace_thing e = f->thing;
	char got[LOCATE_TEXT], want[LOCATE_TEXT], rule[LOCATE_RULE];
	struct fit fit = { .kind = FIT_NONE };
	json_t *o;

	memcpy(e.index, x->pair.got, sizeof(e.index));
	trace_thing_text(&e, got, sizeof(got));
	memcpy(e.index, x->pair.want, sizeof(e.index));
	trace_thing_text(&e, want, sizeof(want));
	find_rule(t, f, w, n, &fit);
	o = json_pack("{s:o s:o s:o s:I}", "iteration", trace_index_json(x->index, x->nidx),
		      "element", out_json_text(got), "reference_element", out_json_text(want),
		      "count", (json_int_t)n);
	if (fit.kind)
		json_object_set_new(o, "rule", out_json_text(fit_text(&fit, rule, sizeof(rule))));
	json_object_set_new(write, "astray", o);
}

void locate_astray_writes(struct locate_traced *t, const struct trace_finding *f, json_t *write)
{
	struct fit_loop x = { .point = f->point,
			      .rank = f->rank,
			      .name = f->thing.name,
			      .counter = f->thing.counter };
	struct fit_write *w = NULL;
	size_t n = 0;

	if (!f->write || !f->nidx || f->thing.what != TRACE_WHAT_ARRAY || !f->thing.ndim ||
	    f->rank == TRACE_NO_RANK)
		return;
	x.now = trace_index_open(t->x.now, 0, NULL);
	x.ref = trace_index_open(t->x.dir, 0, NULL);
	if (x.now && x.ref)
		n = fit_writes(&x, &w);
	if (n)
		put_writes(t, f, w, n, write);
	free(w);
	trace_index_close(x.ref);
	trace_index_close(x.now);
}
