/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text form of `halo`: a table of what differs, then what was compared.
 */
#include "frontend/render/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "frontend/output/output.h"
#include "frontend/util/xalloc.h"

enum { ARRAY, SIDE, RANK, OWNER, COUNT, BOX, FIRST, HALO, OWN, SINCE, COLUMNS };

static const char *const heads[COLUMNS] = {
	[ARRAY] = "array",	[SIDE] = "halo",   [RANK] = "rank",	      [OWNER] = "owner",
	[COUNT] = "stale",	[BOX] = "box",	   [FIRST] = "first element", [HALO] = "there",
	[OWN] = "at its owner", [SINCE] = "since",
};

#define CELL 160

typedef char row_text[COLUMNS][CELL];

static void put_since(char *out, const json_t *e)
{
	const char *since = out_str(e, "since"), *equal = out_str(e, "equal_at");

	if (*since && *equal)
		snprintf(out, CELL, "%s (equal at %s)", since, equal);
	else
		snprintf(out, CELL, "%s%s", since,
			 json_is_true(out_get(e, "or_before")) ? " or before" : "");
}

static void row_make(row_text r, const json_t *e)
{
	const char *kind = out_str(e, "kind"), *field = out_str(e, "field");

	snprintf(r[ARRAY], CELL, "%s", out_str(e, "array"));
	snprintf(r[SIDE], CELL, "%s", out_str(e, "where"));
	snprintf(r[RANK], CELL, "%lld", (long long)out_int(e, "rank"));
	snprintf(r[OWNER], CELL, "%lld", (long long)out_int(e, "owner"));
	snprintf(r[COUNT], CELL, "%lld of %lld", (long long)out_int(e, "differ"),
		 (long long)out_int(e, "total"));
	snprintf(r[BOX], CELL, "%s", out_str(e, "box"));
	snprintf(r[FIRST], CELL, "%s%s%s", out_str(e, "element"), *field ? "." : "", field);
	out_text_value(kind, out_get(e, "halo"), r[HALO]);
	out_text_value(kind, out_get(e, "own"), r[OWN]);
	put_since(r[SINCE], e);
}

static bool number(unsigned column)
{
	return column == RANK || column == OWNER || column == COUNT;
}

static void put_row(FILE *f, row_text r, const int *width)
{
	int gap = 0;

	fputs("  ", f);
	for (unsigned c = 0; c < COLUMNS; c++) {
		int len = (int)strlen(r[c]);

		if (!width[c])
			continue;
		/* blanks only where something follows */
		if (number(c))
			gap += width[c] - len;
		if (len)
			fprintf(f, "%*s%s", gap, "", r[c]);
		gap = (len ? 0 : gap) + 2 + (number(c) ? 0 : width[c] - len);
	}
	fputc('\n', f);
}

static void put_table(FILE *f, const json_t *list, size_t n)
{
	row_text *row = xcalloc(n + 1, sizeof(*row));
	int width[COLUMNS] = { 0 };

	for (size_t i = 0; row && i < n; i++) {
		row_make(row[i + 1], json_array_get(list, i));
		for (unsigned c = 0; c < COLUMNS; c++)
			if ((int)strlen(row[i + 1][c]) > width[c])
				width[c] = (int)strlen(row[i + 1][c]);
	}
	for (unsigned c = 0; row && c < COLUMNS; c++) {
		snprintf(row[0][c], CELL, "%s", heads[c]);
		if (width[c] && width[c] < (int)strlen(heads[c]))
			width[c] = (int)strlen(heads[c]);
	}
	for (size_t i = 0; row && i <= n && !out_cut_short(); i++)
		put_row(f, row[i], width);
	free(row);
}

/* Beside two or more sides of the rank's part. */
static bool is_corner(const json_t *e)
{
	const char *where = out_str(e, "where");

	return !strncmp(where, "corner:", 7) || !strncmp(where, "edge:", 5);
}

/* A corner of an array that is stale beside a whole side, too. */
static bool is_adjacent(const json_t *list, const json_t *e)
{
	const json_t *x;
	size_t i;

	if (!is_corner(e))
		return false;
	json_array_foreach(list, i, x)
	{
		if (!is_corner(x) && !strcmp(out_str(x, "array"), out_str(e, "array")))
			return true;
	}
	return false;
}

/* What has a row; the others are counted. To be released. */
static json_t *rows_of(const json_t *list, bool all, long long *corners, long long *stale)
{
	json_t *rows = json_array(), *e;
	size_t i;

	*corners = *stale = 0;
	json_array_foreach(list, i, e)
	{
		if (all || !is_adjacent(list, e)) {
			json_array_append(rows, e);
			continue;
		}
		++*corners;
		*stale += out_int(e, "differ");
	}
	return rows;
}

static void put_rows(FILE *f, const json_t *a)
{
	long long corners, stale;
	json_t *rows = rows_of(out_get(a, "list"), json_is_true(out_get(a, "all")), &corners,
			       &stale);
	size_t n = json_array_size(rows), shown = n < out_room() ? n : out_room();

	if (n)
		put_table(f, rows, shown);
	if (shown < n)
		fputs("  ", f);
	out_more(f, n - shown, "row", "halo -all");
	if (corners)
		fprintf(f,
			"  and %lld corner%s or edge%s with %lld stale element%s (halo -all lists "
			"them)\n",
			corners, corners == 1 ? "" : "s", corners == 1 ? "" : "s", stale,
			stale == 1 ? "" : "s");
	json_decref(rows);
}

void out_text_halo(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list"), *notes = out_get(a, "notes");
	size_t all = json_array_size(list);

	put_rows(f, a);
	if (!out_int(a, "elements"))
		out_form(f, a, "{text}\n");
	else if (!all)
		out_form(f, a,
			 "no halo element differs from its owner: {elements|element} of "
			 "{arrays|array} compared\n");
	else
		out_form(f, a,
			 "{differ} of {elements|halo element} of {arrays|array} differ from their "
			 "owners\n");
	out_form(f, a,
		 "<   {unowned} more were not compared: no rank that is stopped owns them\n>");
	for (size_t i = 0; i < json_array_size(notes); i++)
		fprintf(f, "   %s\n", json_string_value(json_array_get(notes, i)));
	out_form(f, a, "<   {silent} did not answer within QUERY_TIMER\n>");
}
