/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array view as a table of elements. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/array/value.h"
#include "frontend/tui/array/internal.h"

#define LEAST_WIDTH 6

/* Cells behind a number: its mark in a rank's block, and its owner where there are no colours. */
static int marks_width(const struct array_view *av)
{
	bool owner = av->owners && !av->colours && av->x.nowner;

	return (av->block != UINT32_MAX ? 1 : 0) + (owner ? 2 : 0);
}

/* Of a number, or an index above it. */
static int number_width(const struct array_view *av)
{
	const struct cut *c = &av->cut;
	int64_t last = c->lower[c->col] + (int64_t)c->extent[c->col] - 1;
	int wide = av->before + av->after;
	int index = cut_folded(c) ? 0 : snprintf(NULL, 0, "%" PRId64, last);
	int room = av->columns - array_lines(av).label - marks_width(av);

	wide = wide > index ? wide : index;
	wide = wide > LEAST_WIDTH ? wide : LEAST_WIDTH;
	return wide < room ? wide : room > 1 ? room : 1;
}

int table_width(const struct array_view *av)
{
	return number_width(av) + marks_width(av);
}

static int columns_of(const struct array_view *av, int width)
{
	int n = (av->columns - array_lines(av).label + 1) / (width + 1);

	return n > 1 ? n : 1;
}

int table_columns(const struct array_view *av)
{
	return columns_of(av, table_width(av));
}

int table_most_columns(const struct array_view *av)
{
	return av->refit ? columns_of(av, LEAST_WIDTH + marks_width(av)) : table_columns(av);
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
	return at < values_total(&t->f.q) ? (int64_t)at : -1;
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

bool table_differs(const struct values *q, int64_t at)
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

	bins_numbers(f->q.type, f->q.group[0].bytes + (size_t)at * size, size, &x, 1);
	return x - x == 0;
}

const char *table_text(const struct array_view *av, int64_t at, char out[NUMBER_TEXT])
{
	const struct table *t = &av->table;
	const unsigned char *bytes = t->f.q.group[0].bytes;
	enum part part = t->part ? t->part[at] : PART_OWN;

	if (part == PART_OTHER)
		return strcpy(out, "");
	if (part == PART_HALO || part == PART_STALE)
		bytes = t->halo;
	else if (t->f.missing && t->f.missing[at])
		return strcpy(out, "?");
	return number_text(t->f.q.type, bytes + (size_t)at * value_size(t->f.q.type), av->form,
			   av->digits, out);
}

/* Not nan, which is aligned at its end. */
static bool has_point(const char *text)
{
	return isdigit((unsigned char)text[strspn(text, "-(")]);
}

void table_widen(struct array_view *av)
{
	uint64_t n = values_total(&av->table.f.q);
	int others = 0;
	char text[NUMBER_TEXT];

	if (av->refit)
		av->before = av->after = 0;
	av->refit = false;
	for (uint64_t i = 0; i < n; i++) {
		int len = (int)strlen(table_text(av, (int64_t)i, text));
		int point = (int)number_point(av->table.f.q.type, av->form, text);

		if (!has_point(text)) {
			others = len > others ? len : others;
			continue;
		}
		av->before = point > av->before ? point : av->before;
		av->after = len - point > av->after ? len - point : av->after;
	}
	if (others > av->before + av->after)
		av->before = others - av->after;
}

static int style_of(const struct table *t, int64_t at)
{
	enum part part = t->part ? t->part[at] : PART_OWN;

	if (part == PART_OTHER || (t->f.missing && t->f.missing[at]))
		return STYLE_DIM;
	if (part == PART_STALE || !is_number(&t->f, at) || table_differs(&t->f.q, at))
		return STYLE_BAD;
	return part == PART_HALO ? STYLE_RANKS : STYLE_NORMAL;
}

/* Right-aligned. */
static void put_text(struct screen *sc, int y, int x, int columns, int style, const char *text)
{
	int wide = glyph_width(text);
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
		put_text(sc, a.y, a.x + label + i * (table_width(av) + 1), number_width(av),
			 c == col ? STYLE_BOLD : STYLE_POINT, text);
	}
}

/* The number with its point where those of all others are, then its marks. */
static void compose(const struct array_view *av, int64_t at, char *out, size_t size)
{
	static const char marks[] = {
		[PART_OTHER] = ' ', [PART_OWN] = ' ', [PART_HALO] = '~', [PART_STALE] = '!'
	};
	const struct table *t = &av->table;
	char text[NUMBER_TEXT];
	int wide = number_width(av), len = (int)strlen(table_text(av, at, text)), used;
	int behind = len - (int)number_point(t->f.q.type, av->form, text), blank;

	blank = wide >= av->before + av->after && behind < av->after ? av->after - behind : 0;
	if (!has_point(text))
		blank = 0;
	if (len > wide) { /* a part of a number would be another number */
		memset(text, '#', (size_t)wide);
		text[wide] = 0;
		blank = 0;
	}
	used = *text ? snprintf(out, size, "%*s%*s", wide - blank, text, blank, "")
		     : snprintf(out, size, "%*s·%*s", wide - blank - 1, "", blank, "");
	if (t->part)
		used += snprintf(out + used, size - (size_t)used, "%c", marks[t->part[at]]);
	if (av->owners && !av->colours && t->owner)
		snprintf(out + used, size - (size_t)used, " %c", picture_rank_letter(t->owner[at]));
}

static void draw_cell(const struct array_view *av, struct screen *sc, int y, int x, int64_t at,
		      bool cursor)
{
	const struct table *t = &av->table;
	char text[2 * NUMBER_TEXT];
	int style;

	if (at < 0)
		return;
	style = style_of(t, at) | (cursor ? STYLE_CURSOR : 0);
	compose(av, at, text, sizeof(text));
	put_text(sc, y, x, table_width(av), style, text);
	if (av->owners && !t->part && t->owner && t->owner[at] != UINT32_MAX &&
	    style_of(t, at) != STYLE_BAD)
		screen_tint(sc, y, x, table_width(av), style, picture_rank_colour(t->owner[at]),
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
	put_text(sc, a.y, a.x, label - 2, r == row ? STYLE_BOLD : STYLE_POINT, text);
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
