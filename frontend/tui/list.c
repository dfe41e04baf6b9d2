/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/search.h"

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
	if (l->most && l->n >= l->most)
		drop_rows(l, l->most / 4);
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		struct row *grown = realloc(l->row, cap * sizeof(*grown));

		if (!grown) {
			free(text);
			return;
		}
		l->row = grown;
		l->cap = cap;
	}
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
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	add(l, id, data, text);
}

void list_add_lines(struct list *l, int64_t id, const char *before, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		size_t used = strlen(before);
		char *line = malloc(used + n + 1);

		if (!line)
			return;
		memcpy(line, before, used);
		memcpy(line + used, text, n);
		line[used + n] = 0;
		text_clean(line + used);
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
	int page = l->rows > 1 ? l->rows - 1 : 1;

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

/* The cursor stays to be seen. */
static void settle(struct list *l, int rows)
{
	l->rows = rows;
	if (l->top + (size_t)rows > l->n)
		l->top = l->n > (size_t)rows ? l->n - (size_t)rows : 0;
	if (l->at < l->top)
		l->top = l->at;
	if (l->at >= l->top + (size_t)rows)
		l->top = l->at + 1 - (size_t)rows;
}

/* The text as it is seen, for patterns; to be freed. */
static char *bare(const char *text)
{
	char *copy = strdup(text), *to = copy;

	for (const char *p = text; copy && *p; p++)
		if ((unsigned char)*p > STYLE_TITLE)
			*to++ = *p;
	if (copy)
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

void list_draw(struct list *l, struct screen *sc, struct area a, bool focused)
{
	settle(l, a.rows);
	for (int i = 0; i < a.rows; i++) {
		size_t n = l->top + (size_t)i;
		int style = STYLE_NORMAL;

		if (n < l->n && n == l->at && focused)
			style |= STYLE_CURSOR;
		if (n < l->n && matches(&l->row[n], l->found))
			style |= STYLE_FOUND;
		screen_text(sc, a.y + i, a.x, a.columns, style, l->left,
			    n < l->n ? l->row[n].text : "");
	}
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
