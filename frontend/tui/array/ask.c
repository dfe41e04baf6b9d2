/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the array view asks the ranks. */
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/util/loop.h"
#include "frontend/session/session.h"
#include "frontend/tui/array/internal.h"
#include "frontend/data/bins.h"
#include "frontend/util/xalloc.h"

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
	bins_clear(&m->z);
	memset(m, 0, sizeof(*m));
}

/* What the element is for the block's rank; a halo's copy goes into t. */
static enum part part_of(struct table *t, const struct halo_block *p, const int64_t *index,
			 size_t at)
{
	unsigned type = t->f.q.type;
	size_t size = value_size(type);
	const unsigned char *copy, *own = t->f.q.group[0].bytes + at * size;
	struct value a, b;

	if (halo_block_owns(p, index))
		return PART_OWN;
	copy = halo_block_copy(p, index);
	if (!copy)
		return PART_OTHER;
	copy += t->f.field ? t->f.field->offset : 0;
	memcpy(t->halo + at * size, copy, size);
	a = value_load(type, copy);
	b = value_load(type, own);
	return (t->f.missing && t->f.missing[at]) || value_equal(&a, &b) ? PART_HALO : PART_STALE;
}

/* Calls for each element of the table, which are numbered as they were fetched. */
static void each(struct table *t, struct array_view *av, const struct halo_block *block)
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
	const struct halo_block *block = NULL;
	uint64_t n = values_total(&t->f.q);

	t->block = av->block;
	if (av->block != UINT32_MAX) {
		block = subject_halo(&av->x, av->block, err);
		if (!block)
			return -1;
		t->part = calloc(n, sizeof(*t->part));
		t->halo = calloc(n, value_size(t->f.q.type));
		if (!t->part || !t->halo)
			return xalloc_refused(n * (1 + value_size(t->f.q.type)),
					      "choose a smaller section", err);
	}
	if (av->x.nowner)
		t->owner = calloc(n, sizeof(*t->owner));
	if (t->owner || block)
		each(t, av, block);
	return 0;
}

static int given_up(const struct array_view *av, struct err *err)
{
	return loop_interrupted(tui_session(av->v.tui)->loop) ? err_set(err, "interrupted") : 0;
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
	struct bins_spec spec;
	struct section sec;
	struct pieces p;
	json_t *notes = json_array();
	uint32_t rank;
	int rc;

	map_place(av, &m.r);
	raster_section(&m.r, &sec);
	p = subject_part(&av->x, &sec);
	spec = (struct bins_spec){ .row = (uint8_t)m.r.cut.row,
				   .col = (uint8_t)m.r.cut.col,
				   .rows = m.r.rows,
				   .cols = m.r.cols };
	rc = bins_fetch(&p, &spec, &m.z, &rank, notes, err);
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
static int sum_table(const struct array_view *av, struct bins *z, uint64_t *total)
{
	const struct table *t = &av->table;
	const struct values *q = &t->f.q;
	uint64_t n = values_total(q), kept = 0;
	size_t size = value_size(q->type);
	double *x = malloc((n ? n : 1) * sizeof(*x)), from, to;

	if (!x || bins_make(z, t->cut.ndim, t->cut.fortran, 1, 1)) {
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
			bins_numbers(q->type, q->group[0].bytes + i * size, size, &x[kept++], 1);
	}
	bins_reduce(&z->all, x, kept);
	z->all.count = kept;
	for (uint64_t i = 0; subject_bounds(&z->all, &from, &to) && i < kept; i++) {
		double part = (x[i] - from) / (to - from) * BINS_HISTOGRAM;

		if (part >= 0)
			z->bin[part < BINS_HISTOGRAM ? (unsigned)part : BINS_HISTOGRAM - 1]++;
	}
	free(x);
	return 0;
}

/* The line of statistics as far as it is known; the rest is due. */
static int take_stat(struct array_view *av, struct err *err)
{
	struct bins z = { 0 };
	struct section sec;
	uint64_t total;
	bool all = av->stat_of == STAT_ALL;

	av->stat[0] = 0;
	av->stat_due = false;
	if (av->stat_of == STAT_NONE || array_lines(av).stat < 0)
		return 0;
	if (!all && !av->as_map) {
		if (sum_table(av, &z, &total))
			return xalloc_refused(values_total(&av->table.f.q) * sizeof(double),
					      "choose a smaller section", err);
		array_stat_text(av, &z, total, true);
		bins_clear(&z);
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
	struct bins z = { 0 };
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
	bins_clear(&z);
	return rc;
}

/* The next NaN behind the cursor, round the end. */
static int find_nan(struct array_view *av, struct bins *z, struct err *err)
{
	struct bins_spec spec = { .rows = 1, .cols = 1, .after = true };
	json_t *notes = json_array();
	uint32_t rank;
	int rc;

	memcpy(spec.index, av->cut.at, sizeof(spec.index));
	rc = bins_fetch(&av->x.p, &spec, z, &rank, notes, err);
	if (!rc && !z->found_nan && z->all.nan) {
		spec.after = false;
		bins_clear(z);
		rc = bins_fetch(&av->x.p, &spec, z, &rank, notes, err);
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

/* The element of the cursor, for the line that changes it. */
static int take_value(struct array_view *av, struct err *err)
{
	struct section one = { .ndim = av->cut.ndim };
	struct fetched f;
	int rc = 0;

	for (unsigned d = 0; d < one.ndim; d++)
		one.dim[d] = (struct section_dim){
			.scalar = true, .first = av->cut.at[d], .last = av->cut.at[d], .step = 1
		};
	if (fetch_large(av->x.p.s, av->x.name, &one, &av->x.who, 1, &f, err))
		return -1;
	if (f.nmissing)
		rc = err_set(err, "this element of %s is owned by no rank that answers",
			     av->x.name);
	else
		array_type_value(av, &f.q, 0);
	fetched_clear(&f);
	return rc;
}

/* The cursor goes to an extreme, a NaN or a difference of all the array; or its value is taken. */
static int jump(struct array_view *av, enum want want, struct err *err)
{
	struct bins z = { 0 };
	int rc;

	if (want == WANT_VALUE)
		return take_value(av, err);
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
	bins_clear(&z);
	return 0;
}

/* The section that was requested: single indices place the cursor, ranges are shown. */
static void go_to(struct array_view *av, const struct section *sec)
{
	const int64_t *lower = av->cut.lower;
	int64_t index[ARRAY_DIMS];
	unsigned shown[ARRAY_DIMS], n = 0;

	if (!sec->ndim)
		return;
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
		return;
	av->cut.top = (uint64_t)(index[shown[0]] - lower[shown[0]]);
	av->cut.left = (uint64_t)(index[shown[1]] - lower[shown[1]]);
	if (!av->as_map)
		return;
	av->zoom = (struct cut_window){ .top = av->cut.top,
					.left = av->cut.left,
					.rows = section_count(sec, shown[0]),
					.cols = section_count(sec, shown[1]) };
}

/* Pictures of what is not looked at any more. */
static void drop_pictures(struct array_view *av)
{
	table_clear(&av->table);
	map_clear(&av->map);
	av->stat[0] = 0;
	av->zoom = (struct cut_window){ 0 };
	av->block = UINT32_MAX;
}

/* Another array, or another place in it; -1: what is shown stays. */
static int take_request(struct array_view *av, struct err *err)
{
	char *request = av->request, *before = av->x.name ? xstrdup(av->x.name) : NULL;
	struct section sec = { 0 };
	int rc;

	av->request = NULL;
	rc = subject_choose(&av->x, av->v.tui, request, &sec, err);
	if (!rc) {
		av->refit = true;
		if (!before || strcmp(before, av->x.name))
			drop_pictures(av);
		subject_cut(&av->x, &av->cut);
		go_to(av, &sec);
	}
	section_clear(&sec);
	free(before);
	free(request);
	return rc;
}

static int look(struct array_view *av, struct err *err)
{
	enum want want = av->want;
	struct err unheard;

	av->want = WANT_NOTHING;
	/* What cannot be gone to leaves what is shown as it is. */
	if (av->request && take_request(av, err)) {
		if (!av->x.name)
			return -1;
		tui_say(av->v.tui, "%s", err->text);
	}
	if (subject_find(&av->x, av->v.tui, err))
		return -1;
	subject_cut(&av->x, &av->cut);
	if (want != WANT_NOTHING && want != WANT_SAVE && jump(av, want, err)) {
		if (given_up(av, &unheard))
			return -1;
		tui_say(av->v.tui, "%s", err->text);
	}
	/* Before it was drawn its size is not known. */
	if (!av->rows)
		return 0;
	if (av->as_map ? take_map(av, err) : take_table(av, err))
		return -1;
	av->taking = false;
	if (want == WANT_SAVE && av->stale)
		av->want = want; /* it is taken once more */
	else if (want == WANT_SAVE)
		array_type_save(av);
	return take_stat(av, err);
}

void array_load(struct view *v)
{
	struct array_view *av = (struct array_view *)v;
	struct err err = { "" };
	bool rest;
	int rc;

	if (!av->x.name && !av->request) {
		subject_load_list(v);
		return;
	}
	/* The other run of a pair has another array of that name. */
	if (av->run != tui_session(v->tui))
		drop_pictures(av);
	av->run = tui_session(v->tui);
	tui_asking(v->tui, true);
	rest = !av->stale && av->stat_due && av->taken == tui_epoch(v->tui);
	av->stale = false;
	av->taken = tui_epoch(v->tui);
	av->taking = !rest;
	rc = rest ? finish_stat(av, &err) : look(av, &err);
	av->taking = false;
	tui_asking(v->tui, false);
	free(av->old);
	av->old = rc && av->x.name ? xstrdup(err.text) : NULL;
	if (!av->x.name)
		subject_load_list(v);
	else
		list_clear(&v->list);
	if (rc && (!av->x.name || av->table.there || av->map.z.cell))
		tui_say(v->tui, "%s", err.text);
	else if (rc)
		view_why(v, err.text);
}
