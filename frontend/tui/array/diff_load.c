/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the difference view takes from ranks and reference, and makes of it. */
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/tui/array/array.h"
#include "frontend/util/loop.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/tui/array/internal.h"
#include "frontend/util/xalloc.h"

static void versions_destroy(struct versions *t)
{
	if (!t)
		return;
	owners_free(t->owner, t->in.nowner);
	free(t->scale);
	free(t->ref);
	free(t->now);
	free(t->name);
	free(t);
}

static void drop_made(struct diff_view *dv)
{
	if (dv->made)
		diff_clear(&dv->d);
	dv->made = false;
	free(dv->cell);
	dv->cell = NULL;
	dv->r.rows = 0;
}

void diff_drop(struct diff_view *dv)
{
	drop_made(dv);
	versions_destroy(dv->taken);
	dv->taken = NULL;
}

/* Fills in what diff_make wants. */
static void describe(struct versions *t, const struct pieces *p)
{
	t->section = p->section; /* all of the array: it owns nothing */
	for (unsigned d = 0; d < t->section.ndim; d++) {
		t->lower[d] = t->section.dim[d].first;
		t->extent[d] = (int64_t)section_count(&t->section, d);
	}
	t->in.name = t->name;
	t->in.type = p->type;
	t->in.order = p->desc.order;
	t->in.section = &t->section;
	t->in.lower = t->lower;
	t->in.extent = t->extent;
	t->in.ref = t->ref;
	t->in.now = t->now;
	t->in.owner = t->owner;
	t->scale = diff_scale(&t->in, pair_compared(p->s), &p->desc);
}

/* Both versions; NULL and err. */
static struct versions *take(struct diff_view *dv, struct err *err)
{
	const struct pieces *p = &dv->x.p;
	struct versions *t = xcalloc(1, sizeof(*t));

	t->name = xstrdup(dv->x.name);
	if ((t->ref = diff_reference(p->s, p, NULL, t->from, err)))
		t->now = pieces_all(p, err);
	if (t->now && dv->x.nowner &&
	    owners_of(p->s, p->name, p->who, &t->owner, &t->in.nowner, NULL))
		t->in.nowner = 0;
	if (t->now && loop_interrupted(p->s->loop)) {
		err_set(err, "interrupted");
	} else if (t->now) {
		t->epoch = tui_epoch(dv->v.tui);
		describe(t, p);
		return t;
	}
	versions_destroy(t);
	return NULL;
}

/* Compares, when the tolerance or the versions are others. */
static int make(struct diff_view *dv, struct err *err)
{
	const struct sum_tolerance *a = &dv->made_tol, *b = &dv->tol;

	if (dv->made && a->mode == b->mode && a->exp == b->exp && a->rel_min == b->rel_min)
		return 0;
	drop_made(dv);
	dv->taken->in.tol = dv->tol;
	diff_scale_use(&dv->taken->in, dv->taken->scale);
	if (diff_make(&dv->d, &dv->taken->in, err))
		return -1;
	dv->made = true;
	dv->made_tol = dv->tol;
	return 0;
}

/* Cells for the map, as it fits. */
static int make_cells(struct diff_view *dv, struct err *err)
{
	struct cut_window all = raster_all(&dv->cut);
	struct diff_plane p;

	if (!dv->rows)
		return 0;
	raster_make(&dv->r, &dv->cut, &all, diff_body(dv), dv->columns - diff_label(dv),
		    dv->halves);
	free(dv->cell);
	dv->cell = calloc((size_t)dv->r.rows * dv->r.cols, sizeof(*dv->cell));
	if (!dv->cell) {
		dv->r.rows = 0;
		return xalloc_refused((uint64_t)dv->r.rows * dv->r.cols * sizeof(*dv->cell),
				      "make the terminal smaller", err);
	}
	p = (struct diff_plane){ dv->cut.row, dv->cut.col, dv->r.rows, dv->r.cols };
	diff_cells(&dv->d, &dv->taken->in, &p, dv->cell);
	return 0;
}

/* Single indices of a section place the cursor. */
static void place(struct diff_view *dv, const struct section *sec)
{
	int64_t index[ARRAY_DIMS];

	for (unsigned d = 0; d < sec->ndim; d++)
		index[d] = section_index(sec, d, 0);
	if (sec->ndim)
		cut_jump(&dv->cut, index);
}

/* Versions of another array, or of one of another shape, are not drawn with this one's plane. */
static void drop_others(struct diff_view *dv)
{
	const struct versions *t = dv->taken;
	const struct section *s = &dv->x.p.section;
	bool same = t && !strcmp(t->name, dv->x.name) && t->section.ndim == s->ndim;

	for (unsigned d = 0; same && d < s->ndim; d++)
		same = t->lower[d] == s->dim[d].first &&
		       t->extent[d] == (int64_t)section_count(s, d);
	if (t && !same)
		diff_drop(dv);
}

/* Another array, or another place in it; -1: what is shown stays. *placed: a place was chosen. */
static int take_request(struct diff_view *dv, bool *placed, struct err *err)
{
	struct section sec = { 0 };
	char *request = dv->request;
	int rc;

	dv->request = NULL;
	rc = subject_choose(&dv->x, dv->v.tui, request, &sec, err);
	free(request);
	if (!rc) {
		drop_others(dv);
		subject_cut(&dv->x, &dv->cut);
		place(dv, &sec);
		*placed = sec.ndim;
	}
	section_clear(&sec);
	return rc;
}

/* After a locate the array that it found is shown, once, until another is chosen. */
static void take_located(struct diff_view *dv)
{
	const struct session_kept *k = &tui_own(dv->v.tui)->kept;

	if (!k->file || dv->located == k->number)
		return;
	dv->located = k->number;
	if (!dv->request)
		dv->request = xstrdup(k->name);
}

static int look(struct diff_view *dv, struct err *err)
{
	struct tui *t = dv->v.tui;
	struct versions *fresh;
	bool first = false, placed = false;

	if (dv->request && take_request(dv, &placed, err)) {
		if (!dv->x.name)
			return -1;
		tui_say(t, "%s", err->text);
	}
	if (subject_find(&dv->x, t, err))
		return -1;
	drop_others(dv);
	subject_cut(&dv->x, &dv->cut);
	if (!dv->tol_set)
		dv->tol = tolerance_of(tui_session(t)->set, dv->x.p.type);
	if (!dv->taken || dv->taken->epoch != tui_epoch(t)) {
		fresh = take(dv, err);
		if (!fresh)
			return -1;
		first = !dv->taken && !placed;
		diff_drop(dv);
		dv->taken = fresh;
	}
	if (make(dv, err))
		return -1;
	if (first && dv->d.differ)
		cut_jump(&dv->cut, dv->d.first);
	return make_cells(dv, err);
}

/* Behind the last the first follows, before the first the last. */
static bool next_round(const struct diff_view *dv, const int64_t *index, int step,
		       struct diff_item *out)
{
	const struct cut *c = &dv->cut;
	int64_t edge[ARRAY_DIMS];

	if (diff_next(&dv->d, &dv->taken->in, index, step, out))
		return true;
	for (unsigned d = 0; d < c->ndim; d++)
		edge[d] = step > 0 ? c->lower[d] - 1 : c->lower[d] + (int64_t)c->extent[d];
	return diff_next(&dv->d, &dv->taken->in, edge, step, out);
}

int diff_view_next(struct tui *t, const char *name, const int64_t *index, int step, int64_t *next,
		   struct err *err)
{
	struct diff_view *dv = (struct diff_view *)tui_view(t, &view_diff);
	struct diff_item item;

	if (!dv->x.name || strcmp(dv->x.name, name)) {
		free(dv->request);
		dv->request = xstrdup(name);
	}
	if (look(dv, err) || strcmp(dv->x.name, name))
		return -1;
	if (!next_round(dv, index, step, &item))
		return 0;
	memcpy(next, item.index, dv->cut.ndim * sizeof(*next));
	cut_jump(&dv->cut, next);
	return 1;
}

void diff_load(struct view *v)
{
	struct diff_view *dv = (struct diff_view *)v;
	struct err err = { "" };
	int rc;

	take_located(dv);
	if (!dv->x.name && !dv->request) {
		subject_load_list(v);
		return;
	}
	tui_asking(v->tui, true);
	rc = look(dv, &err);
	tui_asking(v->tui, false);
	free(dv->old);
	dv->old = rc && dv->x.name ? xstrdup(err.text) : NULL;
	if (!dv->x.name)
		subject_load_list(v);
	else
		list_clear(&v->list);
	/* Another array's picture is no picture of this one. */
	if (rc && dv->taken && dv->x.name && strcmp(dv->taken->name, dv->x.name))
		diff_drop(dv);
	if (rc && (!dv->x.name || dv->made))
		tui_say(v->tui, "%s", err.text);
	else if (rc)
		view_why(v, err.text);
}
