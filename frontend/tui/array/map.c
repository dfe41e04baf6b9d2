/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array view as a heat map: cells reduced on the ranks. */
#include "frontend/tui/array/internal.h"

/* Moves `first` so that `at` is among n positions of all. */
static uint64_t around(uint64_t first, uint64_t at, uint64_t n, uint64_t all)
{
	if (at < first || at >= first + n)
		first = at > n / 2 ? at - n / 2 : 0;
	return first + n > all ? all - n : first;
}

void map_place(struct array_view *av, struct raster *r)
{
	struct cut_window all = raster_all(&av->cut), *w = &av->zoom;
	struct array_lines lines = array_lines(av);
	uint64_t row, col;

	if (!w->rows || w->rows > all.rows || w->cols > all.cols)
		*w = all;
	raster_position(&av->cut, &row, &col);
	w->top = around(w->top, row, w->rows, all.rows);
	w->left = around(w->left, col, w->cols, all.cols);
	raster_make(r, &av->cut, w, lines.body, av->columns - lines.label, av->halves);
}

/* What cells look like. */
struct drawing {
	const struct array_view *av;
	struct shade shade;
};

static void look(void *arg, uint32_t cell, struct raster_inspect *out)
{
	const struct drawing *d = arg;
	const struct bins_cell *c = &d->av->map.z.cell[cell];
	uint32_t owner = d->av->x.nowner ? c->owner : UINT32_MAX;

	if (d->av->owners) {
		out->colour = picture_rank_colour(owner);
		out->letter = picture_rank_letter(owner);
		out->tinted = owner < BINS_MIXED;
		out->tint = owner;
		return;
	}
	out->colour = picture_colour(c, d->av->show, &d->shade);
	out->letter = picture_letter(c, d->av->show, &d->shade);
	out->style = out->letter == '!' ? STYLE_BAD : STYLE_NORMAL;
}

void map_draw(struct array_view *av, struct screen *sc, struct area a, bool focused)
{
	struct array_lines lines = array_lines(av);
	struct drawing d = { .av = av, .shade = { .scale = av->scale } };

	if (!av->map.z.cell)
		return;
	a.rows = 1 + lines.body;
	picture_bounds(&av->map.z, av->show, &d.shade);
	raster_draw(&av->map.r, sc, a, lines.label, &av->cut, focused, look, &d);
}

const struct bins_cell *map_cell(const struct array_view *av, struct cut_window *of)
{
	int64_t cell = av->map.z.cell ? raster_cursor(&av->map.r, &av->cut) : -1;

	if (cell < 0)
		return NULL;
	*of = raster_window(&av->map.r, (uint32_t)cell);
	return &av->map.z.cell[cell];
}

/* Half as many rows and columns, or twice as many. */
static void zoom(struct array_view *av, bool nearer)
{
	/* what was requested last, which may not be drawn yet */
	struct cut_window all = raster_all(&av->cut), w = av->zoom.rows ? av->zoom : all;
	uint64_t row, col;

	if (nearer) {
		w.rows = w.rows > 1 ? (w.rows + 1) / 2 : 1;
		w.cols = w.cols > 1 ? (w.cols + 1) / 2 : 1;
	} else {
		w.rows = w.rows < all.rows / 2 ? w.rows * 2 : all.rows;
		w.cols = w.cols < all.cols / 2 ? w.cols * 2 : all.cols;
	}
	raster_position(&av->cut, &row, &col);
	w.top = row > w.rows / 2 ? row - w.rows / 2 : 0;
	w.left = col > w.cols / 2 ? col - w.cols / 2 : 0;
	av->zoom = w;
	array_renew(av);
}

bool map_act(struct array_view *av, enum key_action action)
{
	const struct raster *r = &av->map.r;
	int64_t back = action == KEY_ACT_UP || action == KEY_ACT_LEFT ||
				       action == KEY_ACT_PAGE_UP || action == KEY_ACT_PAGE_LEFT
			       ? -1
			       : 1;

	if (!r->rows)
		return false;
	switch (action) {
	case KEY_ACT_UP:
	case KEY_ACT_DOWN:
		raster_move(r, &av->cut, back, 0);
		break;
	case KEY_ACT_LEFT:
	case KEY_ACT_RIGHT:
		raster_move(r, &av->cut, 0, back);
		break;
	case KEY_ACT_PAGE_UP:
	case KEY_ACT_PAGE_DOWN:
		cut_move(&av->cut, back * (int64_t)r->w.rows, 0);
		break;
	case KEY_ACT_PAGE_LEFT:
	case KEY_ACT_PAGE_RIGHT:
		cut_move(&av->cut, 0, back * (int64_t)r->w.cols);
		break;
	case KEY_ACT_NEARER:
	case KEY_ACT_FURTHER:
		zoom(av, action == KEY_ACT_NEARER);
		break;
	default:
		return false;
	}
	if (raster_cursor(r, &av->cut) < 0)
		array_renew(av);
	return true;
}
