/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the array view asks the ranks. */
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "frontend/loop.h"
#include "frontend/session.h"
#include "frontend/tui/array_priv.h"
#include "frontend/tui/diff_view.h"
#include "frontend/zoom.h"

void table_clear(struct table *t)
{
	if (t->there)
		fetched_clear(&t->f);
	free(t->owner);
	free(t->part);
	free(t->halo);
	memset(t, 0, sizeof(*t));
}

void map_clear(struct map *m)
{
	zoom_clear(&m->z);
	memset(m, 0, sizeof(*m));
}

static bool in_box(unsigned ndim, const struct halo_box *b, const int64_t *index, size_t *at)
{
	*at = 0;
	for (unsigned d = 0; d < ndim; d++) {
		if (index[d] < b->lo[d] || index[d] > b->hi[d])
			return false;
		*at = *at * (size_t)(b->hi[d] - b->lo[d] + 1) + (size_t)(index[d] - b->lo[d]);
	}
	return true;
}

/* A rank's copy of an element, when that is in its halo; else NULL. */
static const unsigned char *halo_copy(const struct halo_part *p, const struct fetched *f,
				      const int64_t *index)
{
	size_t at;

	for (size_t i = 0; i < p->nhalo; i++)
		if (in_box(p->desc.ndim, &p->box[i], index, &at))
			return p->box[i].bytes + at * p->desc.elem_size +
			       (f->field ? f->field->offset : 0);
	return NULL;
}

static bool owned(const struct array_desc *a, const int64_t *index)
{
	for (unsigned d = 0; d < a->ndim; d++)
		if (array_local(a, d, index[d]) < 0)
			return false;
	return true;
}

/* What the element is for the block's rank; a halo's copy goes into t. */
static enum part part_of(struct table *t, const struct halo_part *p, const int64_t *index,
			 size_t at)
{
	unsigned type = t->f.q.type;
	size_t size = value_size(type);
	const unsigned char *copy, *own = t->f.q.group[0].bytes + at * size;
	struct value a, b;

	if (owned(&p->desc, index))
		return PART_OWN;
	copy = halo_copy(p, &t->f, index);
	if (!copy)
		return PART_OTHER;
	memcpy(t->halo + at * size, copy, size);
	a = value_load(type, copy);
	b = value_load(type, own);
	return (t->f.missing && t->f.missing[at]) || value_equal(&a, &b) ? PART_HALO : PART_STALE;
}

/* Calls for each element of the table, which are numbered as they were fetched. */
static void each(struct table *t, struct array_view *av, const struct halo_part *block)
{
	for (uint64_t r = t->w.top; r < t->w.top + t->w.rows; r++)
		for (uint64_t c = t->w.left; c < t->w.left + t->w.cols; c++) {
			int64_t at = table_at(t, r, c), index[ARRAY_DIMS];

			if (at < 0 || !cut_index(&t->cut, r, c, index))
				continue;
			if (t->owner)
				t->owner[at] = subject_owner(&av->x, index);
			if (block)
				t->part[at] = (uint8_t)part_of(t, block, index, (size_t)at);
		}
}

/* Owners, and the block that is looked at. */
static int add_parts(struct table *t, struct array_view *av, struct err *err)
{
	const struct halo_part *block = NULL;
	uint64_t n = quantity_total(&t->f.q);

	t->block = av->block;
	if (av->block != UINT32_MAX) {
		block = subject_halo(&av->x, av->block, err);
		if (!block)
			return -1;
		t->part = calloc(n, sizeof(*t->part));
		t->halo = calloc(n, value_size(t->f.q.type));
		if (!t->part || !t->halo)
			return err_set(err, "out of memory");
	}
	if (av->x.nowner)
		t->owner = calloc(n, sizeof(*t->owner));
	if (t->owner || block)
		each(t, av, block);
	return 0;
}

static int given_up(const struct array_view *av, struct err *err)
{
	return loop_interrupted(tui_session(av->v.tui)->loop) ? err_set(err, "given up") : 0;
}

static int take_table(struct array_view *av, struct err *err)
{
	const struct subject *x = &av->x;
	struct table t = { 0 };
	struct section sec;
	uint64_t row, col;
	int rows = array_lines(av).body;

	t.w = cut_settle(&av->cut, (uint64_t)(rows > 0 ? rows : 1),
			 (uint64_t)table_most_columns(av));
	t.cut = av->cut;
	cut_section(&t.cut, &t.w, &sec);
	if (fetch_large(x->p.s, x->name, &sec, &x->who, UINT64_MAX, &t.f, err))
		return -1;
	t.there = true;
	if (given_up(av, err) || add_parts(&t, av, err)) {
		table_clear(&t);
		return -1;
	}
	table_clear(&av->table);
	av->table = t;
	table_widen(av);
	/* Wider ones may have pushed the cursor out. */
	cut_cursor(&t.cut, &row, &col);
	if ((cut_folded(&t.cut) ? t.cut.fold : col - t.w.left + 1) > (uint64_t)table_columns(av))
		array_renew(av);
	return 0;
}

static int take_map(struct array_view *av, struct err *err)
{
	struct map m = { 0 };
	struct zoom_spec spec;
	struct section sec;
	struct pieces p;
	json_t *notes = json_array();
	uint32_t rank;
	int rc;

	map_place(av, &m.r);
	raster_section(&m.r, &sec);
	p = subject_part(&av->x, &sec);
	spec = (struct zoom_spec){ .row = (uint8_t)m.r.cut.row,
				   .col = (uint8_t)m.r.cut.col,
				   .rows = m.r.rows,
				   .cols = m.r.cols };
	rc = zoom_fetch(&p, &spec, &m.z, &rank, notes, err);
	json_decref(notes);
	if (rc)
		return -1;
	map_clear(&av->map);
	av->map = m;
	return 0;
}

/* The column of a fetched element, from the left; more may have been fetched than is shown. */
static uint64_t column_of(const struct table *t, uint64_t at)
{
	if (cut_folded(&t->cut))
		return at % t->cut.fold;
	return t->cut.row < t->cut.col ? at % t->w.cols : at / t->w.rows;
}

/* Adds up what the table shows; the ranks need not. Of a rank's block what the rank owns. total:
 * all that there should be. */
static int sum_table(const struct array_view *av, struct zoom *z, uint64_t *total)
{
	const struct table *t = &av->table;
	const struct quantity *q = &t->f.q;
	uint64_t n = quantity_total(q), kept = 0;
	size_t size = value_size(q->type);
	double *x = malloc((n ? n : 1) * sizeof(*x)), from, to;

	if (!x || zoom_make(z, t->cut.ndim, t->cut.fortran, 1, 1)) {
		free(x);
		return -1;
	}
	*total = 0;
	for (uint64_t i = 0; i < n; i++) {
		if ((t->part && t->part[i] != PART_OWN) ||
		    column_of(t, i) >= (uint64_t)table_columns(av))
			continue;
		++*total;
		if (!t->f.missing || !t->f.missing[i])
			zoom_numbers(q->type, q->group[0].bytes + i * size, size, &x[kept++], 1);
	}
	zoom_reduce(&z->all, x, kept);
	z->all.count = kept;
	for (uint64_t i = 0; subject_bounds(&z->all, &from, &to) && i < kept; i++) {
		double part = (x[i] - from) / (to - from) * ZOOM_BINS;

		if (part >= 0)
			z->bin[part < ZOOM_BINS ? (unsigned)part : ZOOM_BINS - 1]++;
	}
	free(x);
	return 0;
}

/* The line of statistics as far as it is known; the rest is due. */
static int take_stat(struct array_view *av, struct err *err)
{
	struct zoom z = { 0 };
	struct section sec;
	uint64_t total;
	bool all = av->stat_of == STAT_ALL;

	av->stat[0] = 0;
	av->stat_due = false;
	if (av->stat_of == STAT_NONE || array_lines(av).stat < 0)
		return 0;
	if (!all && !av->as_map) {
		if (sum_table(av, &z, &total))
			return err_set(err, "out of memory");
		array_stat_text(av, &z, total, true);
		zoom_clear(&z);
		return 0;
	}
	if (all && av->x.binned) {
		array_stat_text(av, &av->x.whole, section_total(&av->x.p.section), true);
		return 0;
	}
	if (!all) {
		raster_section(&av->map.r, &sec);
		array_stat_text(av, &av->map.z, section_total(&sec), false);
	}
	av->stat_due = true;
	av->v.epoch = 0; /* once more */
	av->v.picture = true;
	return 0;
}

/* What was due, which takes a look at all elements. */
static int finish_stat(struct array_view *av, struct err *err)
{
	struct zoom z = { 0 };
	struct section sec;
	int rc;

	av->stat_due = false;
	if (av->stat_of == STAT_ALL) {
		rc = subject_sum(&av->x, true, err);
		if (!rc)
			array_stat_text(av, &av->x.whole, section_total(&av->x.p.section), true);
		return rc;
	}
	raster_section(&av->map.r, &sec);
	rc = subject_bins(&av->x, &sec, &av->map.z.all, &z, err);
	if (!rc)
		array_stat_text(av, &z, section_total(&sec), true);
	zoom_clear(&z);
	return rc;
}

/* The next NaN behind the cursor, round the end. */
static int find_nan(struct array_view *av, struct zoom *z, struct err *err)
{
	struct zoom_spec spec = { .rows = 1, .cols = 1, .after = true };
	json_t *notes = json_array();
	uint32_t rank;
	int rc;

	memcpy(spec.index, av->cut.at, sizeof(spec.index));
	rc = zoom_fetch(&av->x.p, &spec, z, &rank, notes, err);
	if (!rc && !z->found_nan && z->all.nan) {
		spec.after = false;
		zoom_clear(z);
		rc = zoom_fetch(&av->x.p, &spec, z, &rank, notes, err);
	}
	json_decref(notes);
	return rc;
}

static int jump_difference(struct array_view *av, int step, struct err *err)
{
	int64_t index[ARRAY_DIMS];
	int found = diff_view_next(av->v.tui, av->x.name, av->cut.at, step, index, err);

	if (found > 0)
		cut_jump(&av->cut, index);
	else if (!found)
		tui_say(av->v.tui, "no element of %s differs by more than the tolerance",
			av->x.name);
	return found < 0 ? -1 : 0;
}

/* The cursor goes to an extreme, a NaN or a difference of all the array. */
static int jump(struct array_view *av, enum want want, struct err *err)
{
	struct zoom z = { 0 };
	int rc;

	if (want == WANT_NEXT || want == WANT_PREVIOUS)
		return jump_difference(av, want == WANT_NEXT ? 1 : -1, err);
	rc = want == WANT_NAN ? find_nan(av, &z, err) : subject_sum(&av->x, false, err);

	if (rc)
		return -1;
	if (want == WANT_NAN && !z.found_nan)
		tui_say(av->v.tui, "no element of %s is NaN", av->x.name);
	else if (want == WANT_NAN)
		cut_jump(&av->cut, z.at_nan);
	else if (!picture_has(&av->x.whole.all))
		tui_say(av->v.tui, "no element of %s is finite", av->x.name);
	else
		cut_jump(&av->cut, want == WANT_MOST ? av->x.whole.at_most : av->x.whole.at_least);
	zoom_clear(&z);
	return 0;
}

/* The section that was wished for: single indices place the cursor, ranges are shown. */
static int go_to(struct array_view *av, struct section *sec, struct err *err)
{
	const struct section *all = &av->x.p.section;
	int64_t index[ARRAY_DIMS], lower[ARRAY_DIMS], extent[ARRAY_DIMS];
	unsigned shown[ARRAY_DIMS], n = 0;

	for (unsigned d = 0; d < all->ndim; d++) {
		lower[d] = all->dim[d].first;
		extent[d] = (int64_t)section_count(all, d);
	}
	if (!sec->ndim)
		return 0;
	if (section_bind(sec, av->x.name, all->ndim, lower, extent, err))
		return -1;
	for (unsigned d = 0; d < sec->ndim; d++) {
		index[d] = section_index(sec, d, 0);
		if (!sec->dim[d].scalar)
			shown[n++] = d;
	}
	if (n == 2)
		cut_show(&av->cut, shown[0], shown[1]);
	cut_jump(&av->cut, index);
	av->zoom = (struct cut_window){ 0 };
	if (n != 2)
		return 0;
	av->cut.top = (uint64_t)(index[shown[0]] - lower[shown[0]]);
	av->cut.left = (uint64_t)(index[shown[1]] - lower[shown[1]]);
	if (!av->as_map)
		return 0;
	av->zoom = (struct cut_window){ .top = av->cut.top,
					.left = av->cut.left,
					.rows = section_count(sec, shown[0]),
					.cols = section_count(sec, shown[1]) };
	return 0;
}

/* Another array, or another place in it. */
static int take_wish(struct array_view *av, struct err *err)
{
	char *wish = av->wish, *before = av->x.name ? strdup(av->x.name) : NULL;
	struct section sec = { 0 };
	int rc;

	av->wish = NULL;
	rc = subject_choose(&av->x, av->v.tui, wish, &sec, err);
	av->refit = true;
	if (!rc && (!before || strcmp(before, av->x.name))) {
		table_clear(&av->table);
		map_clear(&av->map);
		av->stat[0] = 0;
		av->zoom = (struct cut_window){ 0 };
		av->block = UINT32_MAX;
	}
	if (!rc)
		rc = subject_find(&av->x, av->v.tui, err);
	if (!rc) {
		subject_cut(&av->x, &av->cut);
		rc = go_to(av, &sec, err);
	}
	section_clear(&sec);
	free(before);
	free(wish);
	return rc;
}

static int look(struct array_view *av, struct err *err)
{
	enum want want = av->want;
	struct err unheard;

	av->want = WANT_NOTHING;
	/* What cannot be gone to leaves what is shown as it is. */
	if (av->wish && take_wish(av, err)) {
		if (!av->table.there && !av->map.z.cell)
			return -1;
		tui_say(av->v.tui, "%s", err->text);
	}
	if (subject_find(&av->x, av->v.tui, err))
		return -1;
	subject_cut(&av->x, &av->cut);
	if (want != WANT_NOTHING && jump(av, want, err)) {
		if (given_up(av, &unheard))
			return -1;
		tui_say(av->v.tui, "%s", err->text);
	}
	/* Before it was drawn its size is not known. */
	if (!av->rows)
		return 0;
	if (av->as_map ? take_map(av, err) : take_table(av, err))
		return -1;
	return take_stat(av, err);
}

void array_load(struct view *v)
{
	struct array_view *av = (struct array_view *)v;
	struct err err = { "" };
	bool rest;
	int rc;

	if (!av->x.name && !av->wish) {
		if (subject_list(v->tui, &v->list, &err))
			view_why(v, err.text);
		return;
	}
	tui_asking(v->tui, true);
	rest = !av->stale && av->stat_due && av->taken == tui_epoch(v->tui);
	av->stale = false;
	av->taken = tui_epoch(v->tui);
	rc = rest ? finish_stat(av, &err) : look(av, &err);
	tui_asking(v->tui, false);
	list_clear(&v->list);
	free(av->old);
	av->old = rc ? strdup(err.text) : NULL;
	if (rc && (av->table.there || av->map.z.cell))
		tui_say(v->tui, "%s", err.text);
	else if (rc)
		view_why(v, err.text);
}
