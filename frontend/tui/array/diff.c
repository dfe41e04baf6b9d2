/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of a difference: where an array is not what the reference has. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "frontend/tui/array/array.h"
#include "frontend/output/text.h"
#include "frontend/export/shade.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/tui/array/internal.h"
#include "frontend/tui/screen/glyph.h"
#include "frontend/tui/screen/number.h"
#include "frontend/util/xalloc.h"

#define LEAST_EXP 1e-17 /* below that nothing is equal but what is the same */
#define FIRST_EXP 1e-16

static void renew(struct diff_view *dv)
{
	dv->v.epoch = 0;
	dv->v.picture = dv->made;
}

/* Of a pair B is compared with A, whichever is seen. */
static void open_diff(struct view *v)
{
	((struct diff_view *)v)->x.of_pair = true;
}

static void close_diff(struct view *v)
{
	struct diff_view *dv = (struct diff_view *)v;

	diff_drop(dv);
	subject_clear(&dv->x);
	free(dv->request);
	free(dv->old);
	dv->request = dv->old = NULL;
}

static void object(struct view *v, const char *text)
{
	struct diff_view *dv = (struct diff_view *)v;

	if (!*text)
		close_diff(v);
	free(dv->request);
	dv->request = *text ? xstrdup(text) : NULL;
	renew(dv);
}

/* Below the map: counts, shape, cursor; as many as there is room for. */
static int feet(const struct diff_view *dv)
{
	return dv->rows >= 7 ? 3 : dv->rows >= 5 ? 2 : dv->rows >= 3 ? 1 : 0;
}

int diff_body(const struct diff_view *dv)
{
	return dv->rows - 1 - feet(dv);
}

int diff_label(const struct diff_view *dv)
{
	const struct cut *c = &dv->cut;
	int64_t last = c->lower[c->row] + (int64_t)c->extent[c->row] - 1;
	int a = snprintf(NULL, 0, "%" PRId64, c->lower[c->row]);
	int b = snprintf(NULL, 0, "%" PRId64, last);

	return (a > b ? a : b) + 1;
}

static void look(void *arg, uint32_t cell, struct raster_inspect *out)
{
	static const char ramp[] = "-+*#@";
	const struct diff_view *dv = arg;
	const struct diff_cell *c = &dv->cell[cell];
	double size = diff_cell_size(c->largest, dv->d.largest);
	unsigned at = (unsigned)(size * (sizeof(ramp) - 1));

	out->colour = diff_cell_colour(c, dv->d.largest);
	out->letter = '.';
	out->style = STYLE_DIM;
	if (!c->differ)
		return;
	out->letter = ramp[at < sizeof(ramp) - 1 ? at : sizeof(ramp) - 2];
	out->style = STYLE_BAD;
}

static void differ_text(const struct diff_view *dv, const char *tolerance, char *out, size_t size)
{
	const struct diff *d = &dv->d;
	char rounding[60] = "";

	if (d->rounding)
		snprintf(rounding, sizeof(rounding), "; by less %" PRIu64, d->rounding);
	if (!d->differ)
		snprintf(out, size,
			 SAY_GOOD "none" SAY_NORMAL " of %" PRIu64 " differs, tolerance %s%s",
			 d->total, tolerance, rounding);
	else
		snprintf(out, size,
			 SAY_BAD "%" PRIu64 SAY_NORMAL " of %" PRIu64
				 " differ, tolerance %s, by %.6g at most%s",
			 d->differ, d->total, tolerance, d->largest, rounding);
}

/* In as many words as there is room for. */
static void counts_text(const struct diff_view *dv, char *out, size_t size)
{
	const struct diff *d = &dv->d;
	char tolerance[80];

	tolerance_text(&dv->made_tol, tolerance, sizeof(tolerance));
	differ_text(dv, tolerance, out, size);
	if (glyph_width(out) > dv->columns && dv->made_tol.mode == SUM_SCALED) {
		snprintf(tolerance, sizeof(tolerance), "%.4g of block", dv->made_tol.exp);
		differ_text(dv, tolerance, out, size);
	}
	if (d->differ && glyph_width(out) > dv->columns)
		snprintf(out, size,
			 SAY_BAD "%" PRIu64 SAY_NORMAL " differ, tolerance %s, by %.6g at most",
			 d->differ, tolerance, d->largest);
}

/* Where the element is in the blocks. */
static size_t offset_of(const struct diff_view *dv, const int64_t *index)
{
	const struct cut *c = &dv->cut;
	uint64_t at = 0;

	for (unsigned d = 0; d < c->ndim; d++)
		at = at * c->extent[d] + (uint64_t)(index[d] - c->lower[d]);
	return (size_t)at * value_size(dv->taken->in.type);
}

static void cursor_text(const struct diff_view *dv, char *out, size_t size)
{
	const struct diff_input *in = &dv->taken->in;
	size_t at = offset_of(dv, dv->cut.at);
	const char *p = (const char *)in->now + at, *q = (const char *)in->ref + at;
	struct value now = value_load(in->type, p), ref = value_load(in->type, q);
	char name[300], a[NUMBER_TEXT], b[NUMBER_TEXT], rank[40] = "";
	uint32_t owner = subject_owner(&dv->x, dv->cut.at);

	diff_element(in->name, in->order, dv->cut.ndim, dv->cut.at, name, sizeof(name));
	if (owner != UINT32_MAX)
		snprintf(rank, sizeof(rank), SAY_RANKS " of rank %u" SAY_NORMAL, owner);
	number_text(in->type, p, NUMBER_FULL, 0, a);
	number_text(in->type, q, NUMBER_FULL, 0, b);
	if (value_equal(&now, &ref)) {
		snprintf(out, size, SAY_BOLD "%s" SAY_NORMAL "%s = %s in both", name, rank, a);
		return;
	}
	snprintf(out, size, SAY_BOLD "%s" SAY_NORMAL "%s = %s  reference " SAY_GOOD "%s", name,
		 rank, a, b);
	/* Both are worth more than all digits, as long as these differ. */
	for (int digits = NUMBER_DIGITS - 1; digits > 3 && glyph_width(out) > dv->columns;
	     digits--) {
		number_text(in->type, p, NUMBER_GENERAL, digits, a);
		number_text(in->type, q, NUMBER_GENERAL, digits, b);
		if (!strcmp(a, b))
			return;
		snprintf(out, size, SAY_BOLD "%s" SAY_NORMAL " = %s  ref " SAY_GOOD "%s", name, a,
			 b);
	}
}

static void draw_feet(const struct diff_view *dv, struct screen *sc, struct area a)
{
	int n = feet(dv), y = a.y + a.rows - n;
	char text[3][700] = { "", "", "" };

	counts_text(dv, text[0], sizeof(text[0]));
	if (dv->d.differ)
		snprintf(text[1], sizeof(text[1]), "%s", dv->d.shape);
	cursor_text(dv, text[2], sizeof(text[2]));
	/* The cursor's line stays longest, the shape goes first. */
	for (int i = 0; i < 3; i++) {
		if ((i == 0 && n < 2) || (i == 1 && n < 3) || (i == 2 && n < 1))
			continue;
		glyph_fit(text[i], a.columns);
		screen_text(sc, y++, a.x, a.columns, STYLE_NORMAL, 0, text[i]);
	}
}

static void draw(struct view *v, struct screen *sc, struct area a, bool focused)
{
	struct diff_view *dv = (struct diff_view *)v;
	bool halves = screen_has_halves(sc);
	struct area map = a;

	if (dv->rows != a.rows || dv->columns != a.columns || dv->halves != halves) {
		dv->rows = a.rows;
		dv->columns = a.columns;
		dv->halves = halves;
		renew(dv);
	}
	if (!dv->x.name) {
		list_draw(&v->list, sc, a, focused);
		return;
	}
	if (!dv->made)
		return;
	map.rows = 1 + diff_body(dv);
	if (dv->cell)
		raster_draw(&dv->r, sc, map, diff_label(dv), &dv->cut, focused, look, dv);
	draw_feet(dv, sc, a);
}

static void step(struct diff_view *dv, int by)
{
	struct diff_item item;
	const char *words = by > 0 ? "behind" : "before";

	if (!dv->d.differ)
		tui_say(dv->v.tui, "no element differs by more than the tolerance");
	else if (diff_next(&dv->d, &dv->taken->in, dv->cut.at, by, &item))
		cut_jump(&dv->cut, item.index);
	else
		tui_say(dv->v.tui, "no element differs %s this one", words);
}

static void change_tolerance(struct diff_view *dv, enum key_action action)
{
	struct sum_tolerance *tol = &dv->tol;
	char text[80];

	if (action == KEY_ACT_EXACT) {
		tol->mode = tol->mode == SUM_SCALED	? SUM_ABSOLUTE
			    : tol->mode == SUM_ABSOLUTE ? SUM_EXACT
			    : tol->mode == SUM_EXACT	? SUM_RELATIVE
							: SUM_SCALED;
	} else if (action == KEY_ACT_TOLERANCE_UP) {
		tol->exp =
			tol->mode == SUM_EXACT || tol->exp < LEAST_EXP ? FIRST_EXP : tol->exp * 10;
		tol->mode = tol->mode == SUM_EXACT ? SUM_SCALED : tol->mode;
	} else if (tol->exp / 10 < LEAST_EXP) {
		tol->mode = SUM_EXACT;
	} else {
		tol->exp /= 10;
	}
	dv->tol_set = true;
	tui_say(dv->v.tui, "tolerance %s", tolerance_text(tol, text, sizeof(text)));
	renew(dv);
}

/* Keys that need a picture. */
static bool act_map(struct diff_view *dv, enum key_action action)
{
	switch (action) {
	case KEY_ACT_UP:
	case KEY_ACT_DOWN:
		raster_move(&dv->r, &dv->cut, action == KEY_ACT_UP ? -1 : 1, 0);
		return true;
	case KEY_ACT_LEFT:
	case KEY_ACT_RIGHT:
		raster_move(&dv->r, &dv->cut, 0, action == KEY_ACT_LEFT ? -1 : 1);
		return true;
	case KEY_ACT_FINDING_NEXT:
	case KEY_ACT_FINDING_PREVIOUS:
		step(dv, action == KEY_ACT_FINDING_NEXT ? 1 : -1);
		return true;
	case KEY_ACT_MOST:
		if (dv->d.differ)
			cut_jump(&dv->cut, dv->d.worst);
		return true;
	case KEY_ACT_TOP:
	case KEY_ACT_END:
		cut_move(&dv->cut, action == KEY_ACT_TOP ? -INT32_MAX : INT32_MAX, 0);
		return true;
	case KEY_ACT_TURN_ROWS:
	case KEY_ACT_TURN_COLUMNS:
		cut_turn(&dv->cut, action == KEY_ACT_TURN_COLUMNS);
		renew(dv);
		return true;
	case KEY_ACT_SWAP:
		cut_swap(&dv->cut);
		renew(dv);
		return true;
	default:
		return false;
	}
}

/* The line that writes the map as it is seen, to be changed and entered. */
static void type_save(const struct diff_view *dv)
{
	const struct raster *r = &dv->r;
	char text[400], plane[40] = "", tolerance[60] = "";

	if (!dv->cell)
		return;
	if (!cut_folded(&r->cut))
		snprintf(plane, sizeof(plane), "-rows %u -columns %u ", r->cut.row + 1,
			 r->cut.col + 1);
	if (dv->tol_set && dv->made_tol.mode == SUM_EXACT)
		snprintf(tolerance, sizeof(tolerance), "-tolerance exact ");
	else if (dv->tol_set)
		snprintf(tolerance, sizeof(tolerance), "-tolerance %s:%.15g ",
			 tolerance_mode(&dv->made_tol), dv->made_tol.exp);
	snprintf(text, sizeof(text), "diff %s -cells %ux%u %s%s-save %.40s.png", dv->x.name,
		 r->room_rows, r->room_cols, plane, tolerance, dv->x.name);
	tui_type(dv->v.tui, text);
}

static bool act_away(struct diff_view *dv, enum key_action action)
{
	const char *name = dv->x.name;
	const struct cut *c = &dv->cut;
	char text[400], element[300];

	switch (action) {
	case KEY_ACT_OPEN:
		diff_element(name, c->fortran ? 'F' : 'C', c->ndim, c->at, element,
			     sizeof(element));
		tui_run(dv->v.tui, "tui array %s", element);
		return true;
	case KEY_ACT_JUMP:
		snprintf(text, sizeof(text), "tui diff %s%s", name, c->fortran ? "(" : "[");
		tui_type(dv->v.tui, text);
		return true;
	case KEY_ACT_SAVE:
		type_save(dv);
		return true;
	case KEY_ACT_ARRAYS:
		tui_run(dv->v.tui, "tui diff");
		return true;
	default:
		return false;
	}
}

static bool act(struct view *v, enum key_action action)
{
	struct diff_view *dv = (struct diff_view *)v;
	const struct row *row = list_row(&v->list);

	if (!dv->x.name) {
		if (action != KEY_ACT_OPEN || !row)
			return list_act(&v->list, action);
		tui_run(v->tui, "tui diff %s", out_str(row->data, "name"));
		return true;
	}
	if (action == KEY_ACT_TOLERANCE_UP || action == KEY_ACT_TOLERANCE_DOWN ||
	    action == KEY_ACT_EXACT) {
		change_tolerance(dv, action);
		return true;
	}
	return (dv->made && act_map(dv, action)) || act_away(dv, action);
}

static void click(struct view *v, int y, int x)
{
	struct diff_view *dv = (struct diff_view *)v;
	int64_t cell;

	if (!dv->x.name) {
		list_click(&v->list, y);
		return;
	}
	cell = dv->made && y <= diff_body(dv) ? raster_click(&dv->r, diff_label(dv), y, x) : -1;
	if (cell >= 0)
		raster_go(&dv->r, &dv->cut, (uint32_t)cell);
}

static void title(const struct view *v, char *out, size_t size)
{
	const struct diff_view *dv = (const struct diff_view *)v;

	if (!dv->x.name)
		snprintf(out, size, "choose an array");
	else if (dv->taken)
		snprintf(out, size, "%s%s against %s", dv->x.name, dv->old ? "  (old)" : "",
			 dv->taken->from);
	else
		snprintf(out, size, "%s", dv->x.name);
}

static const char *hints(const struct view *v)
{
	if (!((const struct diff_view *)v)->x.name)
		return view_chooses;
	return "] [ differences  M largest  ( ) tolerance  e exact  Enter in the array  W save  "
	       "A others";
}

const struct view_class view_diff = {
	.of_both = true,
	.name = "diff",
	.size = sizeof(struct diff_view),
	.hints = hints,
	.open = open_diff,
	.load = diff_load,
	.draw = draw,
	.act = act,
	.object = object,
	.click = click,
	.title = title,
	.close = close_diff,
};
