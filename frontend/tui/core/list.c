/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/core/core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/pattern.h"
#include "frontend/tui/screen/glyph.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define SIDEWAYS 8

static void row_clear(struct row *r)
{
	free(r->text);
	json_decref(r->data);
}

static void drop_rows(struct list *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		row_clear(&l->row[i]);
	memmove(l->row, l->row + n, (l->n - n) * sizeof(*l->row));
	l->n -= n;
	l->at = l->at > n ? l->at - n : 0;
	l->top = l->top > n ? l->top - n : 0;
}

void list_clear(struct list *l)
{
	if (l->n)
		drop_rows(l, l->n);
	free(l->row);
	l->row = NULL;
	l->cap = 0;
}

void list_begin(struct list *l)
{
	size_t at = l->at, top = l->top;

	l->at_id = l->n ? l->row[l->at].id : -1;
	if (l->n)
		drop_rows(l, l->n);
	l->at = at;
	l->top = top;
}

void list_end(struct list *l)
{
	for (size_t i = 0; i < l->n && l->at_id >= 0; i++) {
		if (l->row[i].id != l->at_id)
			continue;
		l->top = l->top + i > l->at ? l->top + i - l->at : 0;
		l->at = i;
		break;
	}
	if (l->at >= l->n)
		l->at = l->n ? l->n - 1 : 0;
}

/* Takes text. */
static void add(struct list *l, int64_t id, const json_t *data, char *text)
{
	bool last = l->follow && (!l->n || l->at + 1 == l->n);

	if (!text)
		return;
	if (l->most && l->n >= l->most) {
		l->dropped += l->most / 4;
		drop_rows(l, l->most / 4);
	}
	xvec_room(l->row, l->cap, l->n + 1);
	l->row[l->n++] =
		(struct row){ .text = text, .id = id, .data = json_incref((json_t *)data) };
	if (last)
		l->at = l->n - 1;
}

void list_add(struct list *l, int64_t id, const json_t *data, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	add(l, id, data, text);
}

void list_add_lines(struct list *l, int64_t id, const char *before, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		size_t used = strlen(before);
		char *line = xmalloc(used + n + 1);

		memcpy(line, before, used);
		memcpy(line + used, text, n);
		line[used + n] = 0;
		glyph_clean(line + used);
		add(l, id, NULL, line);
		text += n + (text[n] == '\n');
	}
}

const struct row *list_row(const struct list *l)
{
	return l->at < l->n ? &l->row[l->at] : NULL;
}

void list_go(struct list *l, size_t at)
{
	size_t rows = l->rows > 0 ? (size_t)l->rows : 10;

	if (!l->n)
		return;
	l->at = at < l->n ? at : l->n - 1;
	if (l->at < l->top || l->at >= l->top + rows)
		l->top = l->at > rows / 2 ? l->at - rows / 2 : 0;
}

static void move(struct list *l, int64_t by)
{
	int64_t at = (int64_t)l->at + by;

	if (!l->n)
		return;
	at = at < 0 ? 0 : at;
	l->at = (size_t)at < l->n ? (size_t)at : l->n - 1;
}

bool list_act(struct list *l, enum key_action action)
{
	int page = l->shown > 1 ? (int)l->shown - 1 : 1;

	switch (action) {
	case KEY_ACT_UP:
		move(l, -1);
		return true;
	case KEY_ACT_DOWN:
		move(l, 1);
		return true;
	case KEY_ACT_PAGE_UP:
		l->top = l->top > (size_t)page ? l->top - (size_t)page : 0;
		move(l, -page);
		return true;
	case KEY_ACT_PAGE_DOWN:
		move(l, page);
		l->top += (size_t)page;
		return true;
	case KEY_ACT_TOP:
		l->at = 0;
		return true;
	case KEY_ACT_END:
		move(l, INT32_MAX);
		return true;
	case KEY_ACT_LEFT:
		l->left = l->left > SIDEWAYS ? l->left - SIDEWAYS : 0;
		return true;
	case KEY_ACT_RIGHT:
		l->left += SIDEWAYS;
		return true;
	default:
		return false;
	}
}

/* Rows of the screen that a row takes. */
static int height(const struct list *l, size_t i)
{
	const char *text = l->row[i].text;
	int wide = l->wrap ? glyph_width(text) : 0, at = l->left, n = 0;

	do {
		int part = l->wrap ? glyph_part(text, at, l->columns) : 1;

		at += part > 0 ? part : 1;
		n++;
	} while (at < wide);
	return n;
}

/* The first of the rows that fill the screen up to the one before `end`. */
static size_t first_before(const struct list *l, size_t end)
{
	size_t i = end;

	for (int room = l->rows; i && (room -= height(l, i - 1)) >= 0;)
		i--;
	return i == end && end ? end - 1 : i;
}

/* The cursor stays to be seen. */
static void settle(struct list *l, const struct area *a)
{
	size_t first;

	l->rows = a->rows;
	l->columns = a->columns > 1 ? a->columns : 1;
	first = first_before(l, l->n);
	l->top = l->top > first ? first : l->top;
	l->top = l->at < l->top ? l->at : l->top;
	first = l->n ? first_before(l, l->at + 1) : 0;
	l->top = l->top < first ? first : l->top;
}

void list_click(struct list *l, int y)
{
	if (y >= 0 && y < l->part)
		l->at = l->top - 1;
	y -= l->part;
	for (size_t i = l->top; y >= 0 && i < l->n; i++) {
		y -= height(l, i);
		if (y < 0)
			l->at = i;
	}
}

/* What the last rows leave free above them, where the row before them does not fit whole. */
static int free_above(const struct list *l)
{
	int left = l->rows;

	for (size_t i = l->top; i < l->n && left > 0; i++)
		left -= height(l, i);
	return l->top && left > 0 ? left : 0;
}

/* The text as it is seen, for patterns; to be freed. */
static char *bare(const char *text)
{
	char *copy = xstrdup(text), *to = copy;

	for (const char *p = text; *p; p++)
		if ((unsigned char)*p > STYLE_TITLE)
			*to++ = *p;
	*to = 0;
	return copy;
}

static bool matches(const struct row *r, const struct search *pattern)
{
	char *text = pattern ? bare(r->text) : NULL;
	bool yes = text && search_match(pattern, text);

	free(text);
	return yes;
}

/* A row that is cut shows so at its end. */
static void draw_cut(const struct list *l, struct screen *sc, const struct area *a, int style,
		     const char *text)
{
	bool cut = glyph_width(text) - l->left > a->columns;

	screen_text(sc, a->y, a->x, a->columns - cut, style, l->left, text);
	if (cut)
		screen_text(sc, a->y, a->x + a->columns - 1, 1, (style & ~0xff) | STYLE_DIM, 0,
			    "…");
}

/* Without its first rows, of which there are `above`. */
static void draw_folded(const struct list *l, struct screen *sc, struct area a, int style,
			const char *text, int above)
{
	int at = l->left;

	for (int i = 0; i < above + a.rows; i++) {
		int part = glyph_part(text, at, a.columns), y = a.y + i - above;

		if (i >= above) {
			screen_text(sc, y, a.x, a.columns, style & ~0xff, 0, "");
			screen_text(sc, y, a.x, part < a.columns ? part : a.columns, style, at,
				    text);
		}
		at += part > 0 ? part : 1;
	}
}

static void draw_row(const struct list *l, struct screen *sc, const struct area *a, size_t i,
		     int above, bool focused)
{
	int style = STYLE_NORMAL;

	if (i == l->at && focused)
		style |= STYLE_CURSOR;
	if (matches(&l->row[i], l->found))
		style |= STYLE_FOUND;
	if (l->wrap)
		draw_folded(l, sc, *a, style, l->row[i].text, above);
	else
		draw_cut(l, sc, a, style, l->row[i].text);
}

void list_draw(struct list *l, struct screen *sc, struct area a, bool focused)
{
	size_t i;
	int y;

	settle(l, &a);
	l->part = y = free_above(l);
	if (y)
		draw_row(l, sc, &(struct area){ a.y, a.x, y, a.columns }, l->top - 1,
			 height(l, l->top - 1) - y, focused);
	for (i = l->top; i < l->n && y < a.rows; i++) {
		int rows = height(l, i) < a.rows - y ? height(l, i) : a.rows - y;

		draw_row(l, sc, &(struct area){ a.y + y, a.x, rows, a.columns }, i, 0, focused);
		y += rows;
	}
	l->shown = i - l->top;
	for (; y < a.rows; y++)
		screen_text(sc, a.y + y, a.x, a.columns, STYLE_NORMAL, 0, "");
}

bool list_find(struct list *l, const struct search *pattern, int step)
{
	l->found = pattern;
	for (size_t i = 1; i <= l->n; i++) {
		size_t at = (step > 0 ? l->at + i : l->at + l->n - i) % l->n;

		if (!matches(&l->row[at], pattern))
			continue;
		list_go(l, at);
		return true;
	}
	return false;
}
