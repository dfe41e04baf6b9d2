/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of what a search has found. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "frontend/render/render.h"

/* Characters of a line that are shown, and how many of them before the match when it is further
 * right. */
#define SHOWN 160
#define BEFORE 60

/* The byte where character n (from 0) of UTF-8 begins, or its end. */
static size_t byte_of(const char *text, json_int_t n)
{
	size_t i = 0;

	while (text[i] && (n > 0 || ((unsigned char)text[i] & 0xc0) == 0x80))
		n -= ((unsigned char)text[++i] & 0xc0) != 0x80;
	return i;
}

/* The part of a long line that holds the match; tabs are blanks. */
static void put_cut(FILE *f, const char *text, json_int_t column)
{
	json_int_t first = column > SHOWN - 20 ? column - BEFORE : 0;
	size_t from = byte_of(text, first), to = from + byte_of(text + from, SHOWN);

	if (first)
		fputs("...", f);
	for (size_t i = from; i < to; i++)
		fputc((unsigned char)text[i] < ' ' ? ' ' : text[i], f);
	if (text[to])
		fputs("...", f);
	fputc('\n', f);
}

/* number: the member that stands before the text. */
static void put_line(FILE *f, const json_t *line, const char *number_key, bool marks)
{
	const json_t *number = out_get(line, number_key);
	bool match = json_is_true(out_get(line, "match"));

	if (marks && json_is_true(out_get(line, "gap")))
		fputs("     --\n", f);
	fputs(marks && match ? "> " : "  ", f);
	if (number)
		fprintf(f, "%6lld  ", (long long)json_integer_value(number));
	put_cut(f, out_str(line, "text"), match ? out_int(line, "column") : 0);
}

/* On a line of its own, so that it is not taken for what was looked in. */
static void put_met(FILE *f, const json_t *line)
{
	out_form(f, line,
		 "<?times:          met {times|time}, last at {last}<?open:, open now>\n>");
}

static void put_group(FILE *f, const json_t *g)
{
	const json_t *list = out_get(g, "list");
	json_int_t total = out_int(g, "total"), shown = out_int(g, "shown");
	size_t n = json_array_size(list);

	out_form(f, g, "{in}<@file: {file}>: {total}");
	out_form(f, g, shown < total ? ", {shown} shown\n" : "\n");
	for (size_t i = 0; i < n; i++) {
		put_line(f, json_array_get(list, i), out_get(g, "file") ? "line" : "number",
			 n > (size_t)shown);
		put_met(f, json_array_get(list, i));
	}
}

/* Where it was looked, when nothing was found. */
static void put_looked(FILE *f, const json_t *inspected)
{
	const char *before = "";

	for (size_t i = 0; i < json_array_size(inspected); i++) {
		const json_t *l = json_array_get(inspected, i);

		if (out_get(l, "error"))
			continue;
		fprintf(f, "%s %s (%lld)", before, out_str(l, "in"),
			(long long)out_int(l, "lines"));
		before = ",";
	}
}

void out_text_search(FILE *f, const json_t *a)
{
	const json_t *groups = out_get(a, "groups"), *inspected = out_get(a, "looked");

	size_t n = json_array_size(groups), shown = out_entries(n);

	for (size_t i = 0; i < shown; i++)
		put_group(f, json_array_get(groups, i));
	out_more_entries(f, n);
	if (!n) {
		fprintf(f, "nothing matches '%s' in", out_str(a, "pattern"));
		put_looked(f, inspected);
		fputc('\n', f);
	}
	out_form_each(f, inspected, SIZE_MAX, "<@error:{in}: not searched: {error}\n>");
}
