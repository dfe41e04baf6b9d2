/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/array/internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/array/bins.h"
#include "frontend/tui/screen/screen.h"

#define HEADING 10 /* columns between indices above the picture */
#define NONE UINT32_MAX

struct cut_window raster_all(const struct cut *c)
{
	struct cut_window w = { .rows = cut_rows(c), .cols = cut_cols(c) };

	if (cut_folded(c))
		w = (struct cut_window){ .rows = 1, .cols = c->extent[c->col] };
	return w;
}

void raster_position(const struct cut *c, uint64_t *row, uint64_t *col)
{
	cut_cursor(c, row, col);
	if (cut_folded(c)) {
		*row = 0;
		*col = (uint64_t)(c->at[c->col] - c->lower[c->col]);
	}
}

void raster_make(struct raster *r, const struct cut *c, const struct cut_window *w, int rows,
		 int columns, bool halves)
{
	uint64_t n;

	*r = (struct raster){ .cut = *c, .w = *w, .halves = halves };
	r->room_rows = (uint32_t)(rows > 0 ? rows : 1) * (halves ? 2 : 1);
	r->room_cols = (uint32_t)(columns > 0 ? columns : 1);
	if (cut_folded(c)) {
		n = (uint64_t)r->room_rows * r->room_cols;
		r->rows = 1;
		r->cols = (uint32_t)(n < w->cols ? n : w->cols);
		return;
	}
	r->rows = r->room_rows < w->rows ? r->room_rows : (uint32_t)w->rows;
	r->cols = r->room_cols < w->cols ? r->room_cols : (uint32_t)w->cols;
}

/* How many rows (or halves of rows) and columns of the screen show one cell: all small pictures
 * are enlarged. */
static void enlarge(const struct raster *r, uint32_t *down, uint32_t *right)
{
	uint32_t high = r->room_rows / r->rows, wide = r->room_cols / r->cols, n;

	*down = *right = 1;
	if (cut_folded(&r->cut))
		return;
	/* characters are about twice as high as wide */
	n = r->halves ? wide : wide / 2;
	n = n < high ? n : high;
	if (n) {
		*down = n;
		*right = r->halves ? n : 2 * n;
	}
}

/* The cell at a row (or half of one) and column of the picture. */
static uint32_t cell_at(const struct raster *r, uint32_t y, uint32_t x)
{
	uint32_t down, right, at;

	if (cut_folded(&r->cut)) {
		at = y * r->room_cols + x;
		return x < r->room_cols && at < r->cols ? at : NONE;
	}
	enlarge(r, &down, &right);
	if (y / down >= r->rows || x / right >= r->cols)
		return NONE;
	return y / down * r->cols + x / right;
}

struct cut_window raster_window(const struct raster *r, uint32_t cell)
{
	uint32_t row = cell / r->cols, col = cell % r->cols;
	struct cut_window w = { .top = bins_first(row, r->w.rows, r->rows),
				.left = bins_first(col, r->w.cols, r->cols) };

	w.rows = bins_first(row + 1, r->w.rows, r->rows) - w.top;
	w.cols = bins_first(col + 1, r->w.cols, r->cols) - w.left;
	w.top += r->w.top;
	w.left += r->w.left;
	return w;
}

int64_t raster_cursor(const struct raster *r, const struct cut *c)
{
	uint64_t row, col;

	if (!r->rows || r->cut.row != c->row || r->cut.col != c->col)
		return -1;
	raster_position(c, &row, &col);
	if (row < r->w.top || row >= r->w.top + r->w.rows || col < r->w.left ||
	    col >= r->w.left + r->w.cols)
		return -1;
	return (int64_t)bins_cell_of(row - r->w.top, r->w.rows, r->rows) * r->cols +
	       bins_cell_of(col - r->w.left, r->w.cols, r->cols);
}

void raster_section(const struct raster *r, struct section *out)
{
	struct section_dim *x;

	cut_section(&r->cut, &r->w, out);
	if (!cut_folded(&r->cut))
		return;
	x = &out->dim[r->cut.col];
	x->first = r->cut.lower[r->cut.col] + (int64_t)r->w.left;
	x->last = x->first + (int64_t)r->w.cols - 1;
}

/* Where the middle of a cell is in the picture. */
static void place_of(const struct raster *r, uint32_t cell, int *y, int *x)
{
	uint32_t cols = cut_folded(&r->cut) ? r->room_cols : r->cols, down, right;

	enlarge(r, &down, &right);
	*y = (int)(cell / cols * down + (down - 1) / 2) / (r->halves ? 2 : 1);
	*x = (int)(cell % cols * right + (right - 1) / 2);
}

/* Column indices, where a cell begins and there is room. */
static void draw_headings(const struct raster *r, struct screen *sc, struct area a, int label)
{
	uint32_t down, right, x = 0;

	enlarge(r, &down, &right);
	screen_text(sc, a.y, a.x, a.columns, STYLE_DIM, 0, "");
	while ((int)x + HEADING <= a.columns - label && !cut_folded(&r->cut)) {
		uint32_t cell = cell_at(r, 0, x);
		char text[32];

		if (cell == NONE)
			return;
		snprintf(text, sizeof(text), "%" PRId64,
			 r->cut.lower[r->cut.col] + (int64_t)raster_window(r, cell).left);
		screen_text(sc, a.y, a.x + label + (int)x, HEADING, STYLE_POINT, 0, text);
		x += right >= HEADING ? right : (HEADING + right - 1) / right * right;
	}
}

/* The index at the left of a row of the picture, where a cell begins. */
static void draw_label(const struct raster *r, struct screen *sc, int y, int x, int label,
		       uint32_t row, bool here)
{
	uint32_t halves = r->halves ? 2 : 1;
	uint32_t cell = cell_at(r, row, 0), before = row ? cell_at(r, row - halves, 0) : NONE;
	struct cut_window w;
	char text[32] = "";

	if (cell != NONE && cell != before) {
		w = raster_window(r, cell);
		snprintf(text, sizeof(text), "%*" PRId64, label - 1,
			 r->cut.lower[r->cut.row] +
				 (int64_t)(cut_folded(&r->cut) ? w.left : w.top));
	}
	screen_text(sc, y, x, label, here ? STYLE_BOLD : STYLE_POINT, 0, text);
}

static void draw_cell(const struct raster *r, struct screen *sc, int y, int x, uint32_t upper,
		      uint32_t lower, raster_fn look, void *arg)
{
	struct raster_inspect l = { .letter = ' ' }, below = { 0 };
	char text[2] = "";

	look(arg, upper, &l);
	if (r->halves) {
		if (lower != NONE)
			look(arg, lower, &below);
		screen_half(sc, y, x, l.colour, below.colour);
		return;
	}
	text[0] = l.letter;
	screen_text(sc, y, x, 1, l.style, 0, text);
	if (l.tinted)
		screen_tint(sc, y, x, 1, l.style, l.colour, l.tint);
}

void raster_draw(const struct raster *r, struct screen *sc, struct area a, int label,
		 const struct cut *c, bool focused, raster_fn look, void *arg)
{
	uint32_t halves = r->halves ? 2 : 1;
	int64_t at = raster_cursor(r, c);
	int here_y = -1, here_x = 0;

	if (!r->rows)
		return;
	if (at >= 0)
		place_of(r, (uint32_t)at, &here_y, &here_x);
	draw_headings(r, sc, a, label);
	for (int y = 0; y + 1 < a.rows; y++) {
		uint32_t row = (uint32_t)y * halves;

		draw_label(r, sc, a.y + 1 + y, a.x, label, row, y == here_y);
		for (int x = 0; x < a.columns - label; x++) {
			uint32_t upper = cell_at(r, row, (uint32_t)x);

			if (upper != NONE)
				draw_cell(r, sc, a.y + 1 + y, a.x + label + x, upper,
					  cell_at(r, row + 1, (uint32_t)x), look, arg);
		}
	}
	if (focused && here_y >= 0 && here_y + 1 < a.rows && here_x + label < a.columns)
		screen_cursor(sc, a.y + 1 + here_y, a.x + label + here_x);
}

void raster_go(const struct raster *r, struct cut *c, uint32_t cell)
{
	struct cut_window w = raster_window(r, cell);

	if (cut_folded(c))
		c->at[c->col] = c->lower[c->col] + (int64_t)(w.left + w.cols / 2);
	else
		cut_go(c, (int64_t)(w.top + w.rows / 2), (int64_t)(w.left + w.cols / 2));
}

void raster_move(const struct raster *r, struct cut *c, int64_t rows, int64_t cols)
{
	int64_t cell = raster_cursor(r, c), row, col;
	struct cut_window w;

	if (cell < 0)
		return;
	w = raster_window(r, (uint32_t)cell);
	row = cell / r->cols + rows;
	col = cell % r->cols + cols;
	if (cut_folded(&r->cut)) {
		row = 0;
		col = cell + rows * r->room_cols + cols;
	}
	if (row >= 0 && row < r->rows && col >= 0 && col < r->cols)
		raster_go(r, c, (uint32_t)(row * r->cols + col));
	else if (!cut_folded(c))
		cut_move(c, rows * (int64_t)w.rows, cols * (int64_t)w.cols);
}

int64_t raster_click(const struct raster *r, int label, int y, int x)
{
	uint32_t cell;

	if (!r->rows || y < 1 || x < label)
		return -1;
	cell = cell_at(r, (uint32_t)(y - 1) * (r->halves ? 2 : 1), (uint32_t)(x - label));
	return cell == NONE ? -1 : (int64_t)cell;
}
