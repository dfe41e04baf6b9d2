/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines that are longer than the terminal is wide are folded between words, and what goes on below
 * stands under the text, behind the label before it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/output/text.h"

#include "frontend/util/xalloc.h"

#define LABEL 16 /* the widest label at the beginning of a line */
#define FURTHER 2

/* Bytes of text up to `columns` characters of UTF-8. */
static size_t bytes_of(const char *text, size_t len, size_t columns)
{
	size_t i = 0, n = 0;

	while (i < len && n <= columns) {
		n += (text[i] & 0xc0) != 0x80;
		i += n <= columns;
	}
	return i;
}

static size_t blanks(const char *text, size_t from, size_t len)
{
	size_t i = from;

	while (i < len && text[i] == ' ')
		i++;
	return i;
}

/* Where the text of a line begins: behind "  point      ", "  - ", "->    19  ". */
static size_t text_at(const char *line, size_t len)
{
	size_t first = blanks(line, 0, len), at = first;

	if (len - first > 2 && !strncmp(line + first, "- ", 2))
		return first + 2;
	for (size_t i = first; i + 1 < len && i < first + LABEL; i++) {
		if (line[i] != ' ' || line[i + 1] != ' ')
			continue;
		at = blanks(line, i, len);
		/* a mark, and a number may follow it */
		if (strspn(line + first, "->0123456789 ") < at)
			return at;
		i = at;
	}
	return at > first ? at : first + FURTHER;
}

/* How much of a line fits: up to a blank behind `least` bytes, or, with none, to the first behind.
 */
static size_t fitting(const char *line, size_t len, size_t least, size_t columns)
{
	size_t room = bytes_of(line, len, columns), n = room;

	if (room == len)
		return len;
	while (n > least && line[n] != ' ')
		n--;
	if (n <= least)
		for (n = room; n < len && line[n] != ' ';)
			n++;
	while (n && line[n - 1] == ' ')
		n--;
	return n;
}

static void fold_line(FILE *f, const char *line, size_t len, size_t columns)
{
	size_t least = text_at(line, len), room = columns;
	size_t indent = least > columns / 2 ? 2 * FURTHER : least;

	for (;;) {
		size_t n = fitting(line, len, least, room), next = blanks(line, n, len);

		fprintf(f, "%.*s\n", (int)n, line);
		if (next >= len)
			return;
		fprintf(f, "%*s", (int)indent, "");
		line += next;
		len -= next;
		room = columns - indent;
		least = 0;
	}
}

char *out_text_fold(const char *text, size_t len, size_t columns)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = xmemstream(&out, &size);

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		fold_line(f, text, n, columns);
		n += end != NULL;
		text += n;
		len -= n;
	}
	xmemstream_close(f);
	return out;
}
