/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of saved arrays and of differences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "frontend/render/render.h"

/* A real number of an element as short as its type allows; JSON has no NaN, that is a text. */
static const char *real_text(const json_t *v, bool single, char out[VALUE_TEXT])
{
	struct value x = { .class = VALUE_IS_REAL, .re = json_number_value(v) };

	if (json_is_string(v))
		snprintf(out, VALUE_TEXT, "%s", json_string_value(v));
	else
		value_format(single ? VALUE_FLOAT : VALUE_DOUBLE, &x, 0, out);
	return out;
}

static const char *value_text(const json_t *v, const char *kind, char out[VALUE_TEXT])
{
	bool single = !strncmp(kind, "float", 5);
	char re[VALUE_TEXT], im[VALUE_TEXT];

	if (json_is_array(v))
		snprintf(out, VALUE_TEXT, "(%.40s, %.40s)",
			 real_text(json_array_get(v, 0), single, re),
			 real_text(json_array_get(v, 1), single, im));
	else if (json_is_boolean(v))
		snprintf(out, VALUE_TEXT, "%s", json_is_true(v) ? "true" : "false");
	else if (json_is_integer(v))
		snprintf(out, VALUE_TEXT, "%lld", (long long)json_integer_value(v));
	else
		real_text(v, single, out);
	return out;
}

/* "u saved in u.npy: double 20 x 30" */
void out_text_save(FILE *f, const json_t *a)
{
	const json_t *shape = out_get(a, "shape");
	const json_t *note;
	size_t i;

	out_form(f, a, "{name} saved in {file}: {kind}");
	for (size_t d = 0; d < json_array_size(shape); d++)
		fprintf(f, "%s%lld", d ? " x " : " ",
			(long long)json_integer_value(json_array_get(shape, d)));
	if (!strcmp(out_str(a, "order"), "F") && json_array_size(shape) > 1)
		fputs(", Fortran order", f);
	out_form(f, a,
		 "<@row:, rows: dimension {row}, columns: dimension {column}>"
		 "<@rank:, as rank {rank} has it>\n");
	json_array_foreach (out_get(a, "notes"), i, note)
		fprintf(f, "   %s\n", json_string_value(note));
}

/* The columns of the list. */
enum { ELEMENT, VALUE, REFERENCE, DIFFERENCE, RANK, COLUMNS };
static const char *const keys[COLUMNS] = { "element", "value", "reference", "difference", "rank" };

#define CELL 400 /* room for a name with its indices */

static void cell(const json_t *row, const char *kind, unsigned column, char out[CELL])
{
	const json_t *v = out_get(row, keys[column]);

	*out = 0;
	if (column == ELEMENT)
		snprintf(out, CELL, "%s", out_str(row, "element"));
	else if (column == RANK && v)
		snprintf(out, VALUE_TEXT, "%lld", (long long)json_integer_value(v));
	else if (column == DIFFERENCE)
		snprintf(out, VALUE_TEXT, json_is_string(v) ? "inf" : "%.4g", json_number_value(v));
	else if (v)
		value_text(v, kind, out);
}

static void put_list(FILE *f, const json_t *list, const char *kind)
{
	int width[COLUMNS];
	char text[CELL];

	for (unsigned c = 0; c < COLUMNS; c++) {
		width[c] = (int)strlen(keys[c]);
		for (size_t i = 0; i < json_array_size(list); i++) {
			cell(json_array_get(list, i), kind, c, text);
			if ((int)strlen(text) > width[c])
				width[c] = (int)strlen(text);
		}
	}
	for (size_t i = 0; i <= json_array_size(list); i++) {
		fputs("  ", f);
		for (unsigned c = 0; c < COLUMNS; c++) {
			if (i)
				cell(json_array_get(list, i - 1), kind, c, text);
			else
				snprintf(text, sizeof(text), "%s", keys[c]);
			if (c == ELEMENT)
				fprintf(f, "%-*s", width[c], text);
			else
				fprintf(f, "  %*s", width[c], text);
		}
		fputc('\n', f);
	}
}

/* "  first    u[3][4] = 0.5, reference 0.25, rank 1" */
static void put_element(FILE *f, const char *what, const json_t *x, const char *kind)
{
	char now[VALUE_TEXT], ref[VALUE_TEXT];

	fprintf(f, "  %-8s %s = %s, reference %s", what, out_str(x, "element"),
		value_text(out_get(x, "value"), kind, now),
		value_text(out_get(x, "reference"), kind, ref));
	out_form(f, x, "<@rank:, owned by rank {rank}>");
}

/* How many differ. */
static void put_counts(FILE *f, const json_t *a)
{
	json_int_t differ = out_int(a, "differ"), rounding = out_int(a, "rounding");

	/* "differs" goes with one element that differs */
	if (differ)
		out_form(f, a,
			 "{name}: {differ} of {total|element} {differ?differs:differ} from {from} "
			 "(by more than {tolerance})");
	else if (rounding)
		out_form(f, a,
			 "{name}: only rounding: {rounding} of {total|element} "
			 "{rounding?differs:differ} from {from}, within the tolerance of "
			 "{tolerance}");
	else if (out_int(a, "total") == 1)
		out_form(f, a, "{name}: equal to {from}");
	else
		out_form(f, a, "{name}: all {total} elements are equal to {from}");
	if (differ && rounding)
		out_form(f, a, "; {rounding} more {rounding?differs:differ} within the tolerance");
	out_form(f, a,
		 "<; {small|small difference} {small?exceeds:exceed} the tolerance of "
		 "{small?its:their} own value>");
	fputc('\n', f);
}

/* A character a cell; the scale goes from the least to the largest difference of a cell. */
static void put_map(FILE *f, const json_t *map)
{
	static const char ramp[] = ".:-=+*#%@";
	const json_t *differ = out_get(map, "differ"), *largest = out_get(map, "largest");
	size_t n = (size_t)out_int(map, "cells_count"), columns = (size_t)out_int(map, "columns");
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < n; i++) {
		double by = json_number_value(json_array_get(largest, i));

		if (json_integer_value(json_array_get(differ, i)) && by > 0) {
			low = fmin(low, by);
			high = fmax(high, by);
		}
	}
	for (size_t i = 0; i < n; i++) {
		const json_t *by = json_array_get(largest, i);
		double at = json_number_value(by) > 0 && high > low
				    ? log(json_number_value(by) / low) / log(high / low)
				    : 1;

		fputs(i % columns ? "" : "  |", f);
		if (!json_integer_value(json_array_get(differ, i)))
			fputc(' ', f);
		else
			fputc(json_is_string(by) ? '!' : ramp[(int)(at * (sizeof(ramp) - 2) + 0.5)],
			      f);
		fputs((i + 1) % columns && i + 1 < n ? "" : "|\n", f);
	}
	if (high > 0)
		fprintf(f, "  '.' %.4g … '@' %.4g, the largest difference of a cell\n", low, high);
}

static void put_next(FILE *f, const json_t *next, const char *kind)
{
	if (json_is_null(next))
		fputs("  next     none after it", f);
	else
		put_element(f, "next", next, kind);
	fputc('\n', f);
}

void out_text_diff(FILE *f, const json_t *a)
{
	const json_t *worst = out_get(a, "worst"), *list = out_get(a, "list");
	const char *kind = out_str(a, "kind");
	long long left = out_int(a, "differ") - (long long)json_array_size(list);
	char text[CELL];

	put_counts(f, a);
	out_form(f, a, "<  where    {shape}\n><  owners   {owners}\n>");
	if (worst) {
		put_element(f, "first", out_get(a, "first"), kind);
		fputc('\n', f);
		put_element(f, "largest", worst, kind);
		cell(a, kind, DIFFERENCE, text);
		fprintf(f, ", difference %s\n", text);
	}
	if (json_array_size(list) && out_int(a, "differ") > 1) {
		put_list(f, list, kind);
		if (left > 0)
			fprintf(f, "  and %lld more\n", left);
	}
	if (out_get(a, "next"))
		put_next(f, out_get(a, "next"), kind);
	if (out_get(a, "cells"))
		put_map(f, out_get(a, "cells"));
	out_form(f, a, "<  picture  {image}\n><  saved    {saved}\n>");
}
