/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/screen/glyph.h"

#include <string.h>

#include "frontend/tui/screen/screen.h"

#define TAB 8

/* The next character of UTF-8; U+FFFD for bytes that are none. */
static wchar_t decode(const char **text)
{
	const unsigned char *p = (const unsigned char *)*text;
	int more = *p < 0x80 ? 0 : *p >= 0xf0 && *p < 0xf5 ? 3 : *p >= 0xe0 ? 2 : 1;
	wchar_t c = *p;

	if (*p >= 0x80 && (*p < 0xc2 || *p >= 0xf5))
		more = -1;
	else if (more)
		c &= 0x3f >> more;
	for (int i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			more = -1;
			break;
		}
		c = (c << 6) | (p[i] & 0x3f);
	}
	*text += more < 0 ? 1 : more + 1;
	return more < 0 ? 0xfffd : c;
}

/* What replaces a character where only ASCII can be shown. */
static wchar_t ascii(wchar_t c)
{
	static const struct {
		wchar_t from, to;
	} like[] = {
		{ 0x2500, '-' }, { 0x2501, '=' }, { 0x2502, '|' }, { 0x2192, '>' }, { 0x2193, 'v' },
		{ 0x25cf, '*' }, { 0x25cb, 'o' }, { 0x2026, '>' }, { 0x2190, '<' }, { 0x25b8, '+' },
		{ 0x25be, '-' }, { 0x00b7, '.' }, { 0x2013, '-' }, { 0x2581, '_' }, { 0x2582, '.' },
		{ 0x2583, ':' }, { 0x2584, '-' }, { 0x2585, '=' }, { 0x2586, '+' }, { 0x2587, '%' },
		{ 0x2588, '#' },
	};

	for (size_t i = 0; c >= 0x80 && i < sizeof(like) / sizeof(like[0]); i++)
		if (like[i].from == c)
			return like[i].to;
	return c < 0x80 ? c : '?';
}

struct glyph glyph_next(const char **text, bool utf8, int column)
{
	struct glyph g = { .style = -1, .width = 1, .repeat = 1 };
	unsigned char first = (unsigned char)**text;
	wchar_t c;

	if (first && first <= STYLE_TITLE) {
		g.style = first - 1;
		++*text;
		return g;
	}
	c = decode(text);
	if (c == '\t') {
		g.repeat = TAB - column % TAB;
		c = ' ';
	} else if (c < 0x20 || (c >= 0x7f && c < 0xa0)) {
		c = '?';
	}
	g.text[0] = utf8 ? c : ascii(c);
	if (!utf8)
		return g;
	g.width = wcwidth(c);
	if (g.width < 1) {
		g.text[0] = '?';
		g.width = 1;
	}
	for (int n = 1; n < 5; n++) {
		const char *p = *text;
		wchar_t next = (unsigned char)*p < 0xc2 ? 0 : decode(&p);

		if (!next || wcwidth(next) != 0)
			break;
		g.text[n] = next;
		*text = p;
	}
	return g;
}

int glyph_width(const char *text)
{
	int width = 0;

	while (*text) {
		struct glyph g = glyph_next(&text, true, width);

		if (g.style < 0)
			width += g.repeat * g.width;
	}
	return width;
}

/* Whether a part of a text can end before p. */
static bool ends_part(const char *text, const char *p)
{
	if (p == text || p[-1] == ' ')
		return false;
	return !strncmp(p, "  ", 2) || !strncmp(p, ", ", 2) || !strncmp(p, ": ", 2) ||
	       !strncmp(p, "; ", 2);
}

void glyph_fit(char *text, int columns)
{
	char *whole = NULL, *most = text;
	int width = 0;

	if (glyph_width(text) <= columns)
		return;
	for (const char *p = text; *p && width <= columns;) {
		struct glyph g;

		if (ends_part(text, p))
			whole = text + (p - text);
		g = glyph_next(&p, true, width);
		if (g.style < 0)
			width += g.repeat * g.width;
		if (width < columns)
			most = text + (p - text);
	}
	if (whole)
		*whole = 0;
	else if (columns > 0)
		strcpy(most, strlen(most) >= strlen("…") ? "…" : ".");
	else
		*text = 0;
}

int glyph_part(const char *text, int skip, int columns)
{
	int at = 0, part = 0; /* where a word ended last */
	bool word = false, full = false;

	while (*text) {
		struct glyph g = glyph_next(&text, true, at);
		int wide = g.style < 0 ? g.repeat * g.width : 0;
		bool blank = g.style < 0 && g.text[0] == ' ';

		if (g.style >= 0)
			continue;
		if (at >= skip && !full && at + wide > skip + columns && blank)
			full = true;
		if (full ? !blank : at >= skip && at + wide > skip + columns)
			return full || !part ? at - skip : part;
		at += wide;
		word = at > skip && (word || !blank);
		if (blank && word)
			part = at - skip;
	}
	return at > skip ? at - skip : 0;
}

/* The end of the escape sequence at p. */
static const char *skip_escape(const char *p)
{
	p++;
	if (*p == '[') {
		for (p++; *p && (*p < '@' || *p > '~'); p++)
			;
	} else if (*p == ']') {
		while (*p && *p != '\a' && *p != '\033')
			p++;
		if (*p == '\033' && p[1] == '\\')
			p++;
	}
	return *p ? p + 1 : p;
}

void glyph_clean(char *text)
{
	const char *from = text;
	char *to = text;

	while (*from) {
		if (*from == '\033') {
			from = skip_escape(from);
			continue;
		}
		*to++ = ((unsigned char)*from < 0x20 && *from != '\t') || *from == 0x7f ? ' '
											: *from;
		from++;
	}
	*to = 0;
}
