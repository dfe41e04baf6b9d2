/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array view as a table of elements. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "frontend/tui/array_priv.h"
#include "frontend/tui/palette.h"

#define LEAST_WIDTH 6
#define MOST_WIDTH 60

int table_width(const struct array_view *av)
{
	return av->width > LEAST_WIDTH ? av->width : LEAST_WIDTH;
}

int table_columns(const struct array_view *av)
{
	int n = (av->columns - array_lines(av).label) / (table_width(av) + 1);

	return n > 1 ? n : 1;
}

int64_t table_at(const struct table *t, uint64_t row, uint64_t col)
{
	uint64_t r = row - t->w.top, c = col - t->w.left, at;

	if (!t->there || row < t->w.top || r >= t->w.rows || col < t->w.left || c >= t->w.cols)
		return -1;
	if (cut_folded(&t->cut))
		at = r * t->cut.fold + c;
	else
		at = t->cut.row < t->cut.col ? r * t->w.cols + c : c * t->w.rows + r;
	return at < quantity_total(&t->f.q) ? (int64_t)at : -1;
}

/* The same plane as when the table was taken. */
static bool same_plane(const struct table *t, const struct cut *c)
{
	if (t->cut.row != c->row || t->cut.col != c->col || t->cut.fold != c->fold)
		return false;
	for (unsigned d = 0; d < c->ndim; d++)
		if (d != c->row && d != c->col && t->cut.at[d] != c->at[d])
			return false;
	return true;
}

/* Whether other ranks have another value of what is replicated. */
static bool differs(const struct quantity *q, int64_t at)
{
	size_t size = q->elem_size;

	for (size_t g = 1; g < q->n; g++)
		if (memcmp(q->group[0].bytes + (size_t)at * size,
			   q->group[g].bytes + (size_t)at * size, size) != 0)
			return true;
	return false;
}

static bool is_number(const struct fetched *f, int64_t at)
{
	size_t size = value_size(f->q.type);
	double x;

	zoom_numbers(f->q.type, f->q.group[0].bytes + (size_t)at * size, size, &x, 1);
	return x - x == 0;
}

const char *table_text(const struct array_view *av, int64_t at, char out[NUMBER_TEXT + 16])
{
	static const char marks[] = {
		[PART_OTHER] = ' ', [PART_OWN] = ' ', [PART_HALO] = '~', [PART_STALE] = '!'
	};
	const struct table *t = &av->table;
	size_t size = value_size(t->f.q.type);
	const unsigned char *bytes = t->f.q.group[0].bytes;
	enum part part = t->part ? t->part[at] : PART_OWN;
	size_t used;

	if (part == PART_OTHER)
		return strcpy(out, "·");
	if (part == PART_HALO || part == PART_STALE)
		bytes = t->halo;
	else if (t->f.missing && t->f.missing[at])
		return strcpy(out, "?");
	number_text(t->f.q.type, bytes + (size_t)at * size, av->form, av->digits, out);
	used = strlen(out);
	if (t->part)
		used += (size_t)sprintf(out + used, "%c", marks[part]);
	if (av->owners && !av->colours && t->owner)
		sprintf(out + used, " %c", palette_letter(t->owner[at]));
	return out;
}

void table_widen(struct array_view *av)
{
	uint64_t n = quantity_total(&av->table.f.q);
	char text[NUMBER_TEXT + 16];

	for (uint64_t i = 0; i < n; i++) {
		int wide = text_width(table_text(av, (int64_t)i, text));

		av->width = wide > av->width ? wide : av->width;
	}
	av->width = av->width < MOST_WIDTH ? av->width : MOST_WIDTH;
}

static int style_of(const struct table *t, int64_t at)
{
	enum part part = t->part ? t->part[at] : PART_OWN;

	if (part == PART_OTHER || (t->f.missing && t->f.missing[at]))
		return STYLE_DIM;
	if (part == PART_STALE || !is_number(&t->f, at) || differs(&t->f.q, at))
		return STYLE_BAD;
	return part == PART_HALO ? STYLE_RANKS : STYLE_NORMAL;
}

/* Right-aligned. */
static void put_text(struct screen *sc, int y, int x, int columns, int style, const char *text)
{
	int wide = text_width(text);
	int blank = wide < columns ? columns - wide : 0;

	screen_text(sc, y, x, blank, style & ~0xff, 0, "");
	screen_text(sc, y, x + blank, columns - blank, style, 0, text);
}

static void draw_headings(const struct array_view *av, struct screen *sc, struct area a, int label,
			  int columns)
{
	const struct table *t = &av->table;
	uint64_t row, col;

	cut_cursor(&av->cut, &row, &col);
	screen_text(sc, a.y, a.x, a.columns, STYLE_DIM, 0, "");
	for (int i = 0; i < columns && (uint64_t)i < t->w.cols; i++) {
		uint64_t c = t->w.left + (uint64_t)i;
		char text[32];

		if (cut_folded(&t->cut))
			snprintf(text, sizeof(text), "+%" PRIu64, c);
		else
			snprintf(text, sizeof(text), "%" PRId64,
				 t->cut.lower[t->cut.col] + (int64_t)c);
		put_text(sc, a.y, a.x + label + i * (table_width(av) + 1), table_width(av),
			 c == col ? STYLE_BOLD : STYLE_POINT, text);
	}
}

static void draw_cell(const struct array_view *av, struct screen *sc, int y, int x, int64_t at,
		      bool cursor)
{
	const struct table *t = &av->table;
	char text[NUMBER_TEXT + 16];
	int style;

	if (at < 0)
		return;
	style = style_of(t, at) | (cursor ? STYLE_CURSOR : 0);
	put_text(sc, y, x, table_width(av), style, table_text(av, at, text));
	if (av->owners && !t->part && t->owner && t->owner[at] != UINT32_MAX &&
	    style_of(t, at) != STYLE_BAD)
		screen_tint(sc, y, x, table_width(av), style, palette_rank(t->owner[at]),
			    t->owner[at]);
}

static void draw_row(const struct array_view *av, struct screen *sc, struct area a, int label,
		     int columns, uint64_t r, bool focused)
{
	const struct table *t = &av->table;
	bool here = same_plane(t, &av->cut);
	uint64_t row, col;
	int64_t index =
		t->cut.lower[t->cut.row] + (int64_t)(cut_folded(&t->cut) ? r * t->cut.fold : r);
	char text[32];

	cut_cursor(&av->cut, &row, &col);
	snprintf(text, sizeof(text), "%" PRId64, index);
	screen_text(sc, a.y, a.x, a.columns, STYLE_NORMAL, 0, "");
	put_text(sc, a.y, a.x, label - 1, r == row ? STYLE_BOLD : STYLE_POINT, text);
	for (int i = 0; i < columns; i++) {
		uint64_t c = t->w.left + (uint64_t)i;

		draw_cell(av, sc, a.y, a.x + label + i * (table_width(av) + 1), table_at(t, r, c),
			  focused && here && r == row && c == col);
	}
}

void table_draw(struct array_view *av, struct screen *sc, struct area a, bool focused)
{
	const struct table *t = &av->table;
	struct array_lines lines = array_lines(av);
	int columns = table_columns(av);

	if (!t->there)
		return;
	draw_headings(av, sc, a, lines.label, columns);
	for (int i = 0; i < lines.body && (uint64_t)i < t->w.rows; i++) {
		struct area row = { a.y + 1 + i, a.x, 1, a.columns };

		draw_row(av, sc, row, lines.label, columns, t->w.top + (uint64_t)i, focused);
	}
}
