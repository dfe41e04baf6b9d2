/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of checksums and of how runs compare. */
#include <stdlib.h>
#include <string.h>

#include "frontend/render/render.h"

#define CELL 120

enum { NAME, MEAN, REFERENCE, VERDICT, COUNT, LEAST, MOST, NANS, COLUMNS };

static const char *const title[COLUMNS] = { "array",	"mean", "reference", "",
					    "elements", "min",	"max",	     "nan" };

static const char *real_text(const json_t *v, int digits, char out[CELL])
{
	if (json_is_string(v))
		snprintf(out, CELL, "%s", json_string_value(v));
	else if (json_is_integer(v))
		snprintf(out, CELL, "%lld", (long long)json_integer_value(v));
	else if (json_is_real(v))
		snprintf(out, CELL, "%.*g", digits, json_real_value(v));
	else
		*out = '\0';
	return out;
}

static void mean_text(const json_t *v, char out[CELL])
{
	char re[CELL], im[CELL];

	if (!json_is_array(v)) {
		real_text(v, 17, out);
		return;
	}
	snprintf(out, CELL, "(%.50s,%.50s)", real_text(json_array_get(v, 0), 17, re),
		 real_text(json_array_get(v, 1), 17, im));
}

static void cell(const json_t *a, unsigned column, char out[CELL])
{
	*out = '\0';
	switch (column) {
	case NAME:
		snprintf(out, CELL, "%s", out_str(a, "name"));
		break;
	case MEAN:
		mean_text(out_get(a, "mean"), out);
		break;
	case REFERENCE:
		mean_text(out_get(a, "reference"), out);
		break;
	case VERDICT:
		snprintf(out, CELL, "%s", out_str(a, "verdict"));
		break;
	case COUNT:
		real_text(out_get(a, "count"), 17, out);
		break;
	case LEAST:
		real_text(out_get(a, "min"), 6, out);
		break;
	case MOST:
		real_text(out_get(a, "max"), 6, out);
		break;
	case NANS:
		if (out_int(a, "nan"))
			real_text(out_get(a, "nan"), 17, out);
		break;
	}
}

/* Columns that are empty everywhere are left out: width 0. */
static void find_widths(const json_t *list, int width[COLUMNS])
{
	char text[CELL];

	for (unsigned c = 0; c < COLUMNS; c++) {
		width[c] = 0;
		for (size_t i = 0; i < json_array_size(list); i++) {
			cell(json_array_get(list, i), c, text);
			if ((int)strlen(text) > width[c])
				width[c] = (int)strlen(text);
		}
		if (width[c] && width[c] < (int)strlen(title[c]))
			width[c] = (int)strlen(title[c]);
	}
}

static void put_row(FILE *f, const int width[COLUMNS], const json_t *a)
{
	char line[COLUMNS * (CELL + 2) + 1], text[CELL];
	int used = 0;

	for (unsigned c = 0; c < COLUMNS; c++) {
		if (!width[c])
			continue;
		if (a)
			cell(a, c, text);
		else
			snprintf(text, sizeof(text), "%s", title[c]);
		used += snprintf(line + used, sizeof(line) - (size_t)used,
				 c == NAME || c == VERDICT ? "%-*s  " : "%*s  ", width[c], text);
	}
	while (used && line[used - 1] == ' ')
		used--;
	fprintf(f, "  %.*s\n", used, line);
	if (a && *out_str(a, "text"))
		fprintf(f, "    %s\n", out_str(a, "text"));
}

void out_text_sums(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");
	size_t n = json_array_size(list), shown = out_entries(n);
	int width[COLUMNS];

	fprintf(f, "Checksums at %s  %s  %s", out_str(a, "point"), out_str(a, "construct"),
		out_str(a, "where"));
	if (*out_str(a, "reference"))
		fprintf(f, "  against %s", out_str(a, "reference"));
	fputc('\n', f);
	find_widths(list, width);
	put_row(f, width, NULL);
	for (size_t i = 0; i < shown; i++)
		put_row(f, width, json_array_get(list, i));
	out_more(f, n - shown, "array", "sums -all");
}

static const char *plural(json_int_t n)
{
	return n == 1 ? "" : "s";
}

/* "812 sums of 5 arrays at 120 points" */
static void put_counts(FILE *f, const json_t *a)
{
	json_int_t sums = out_int(a, "sums"), arrays = out_int(a, "arrays"),
		   points = out_int(a, "points");

	fprintf(f, "%lld sum%s", (long long)sums, plural(sums));
	if (out_get(a, "arrays"))
		fprintf(f, " of %lld array%s", (long long)arrays, plural(arrays));
	fprintf(f, " at %lld point%s", (long long)points, plural(points));
}

void out_text_compared(FILE *f, const json_t *a)
{
	const char *verdict = out_str(a, "verdict");
	json_int_t n = out_int(a, "findings"), skipped = out_int(a, "skipped");

	fputs("compared ", f);
	put_counts(f, a);
	if (!strcmp(verdict, "equal"))
		fputs(": equal", f);
	else if (!strcmp(verdict, "rounding"))
		fprintf(f, ": only rounding differs, from %s on, by at most %.2g",
			out_str(a, "rounding_from"), json_real_value(out_get(a, "rounding_most")));
	else if (!strcmp(verdict, "nothing"))
		fputs(": there was nothing to compare", f);
	else
		fprintf(f, ": %lld finding%s", (long long)n, plural(n));
	if (skipped)
		fprintf(f, "; %lld could not be compared", (long long)skipped);
	if (json_is_false(out_get(a, "complete")))
		fputs("; the run had not ended", f);
	fputc('\n', f);
}

void out_text_recorded(FILE *f, const json_t *a)
{
	fputs("recorded ", f);
	put_counts(f, a);
	fprintf(f, " in %s, %lld bytes", out_str(a, "reference"), (long long)out_int(a, "bytes"));
	if (json_is_false(out_get(a, "complete")))
		fputs("; the run had not ended", f);
	fputc('\n', f);
}

/* "compared 3120 accesses in 410 iterations, 14 values, 3 reductions: equal" */
void out_text_compared_traces(FILE *f, const json_t *a)
{
	const char *verdict = out_str(a, "verdict");
	json_int_t n = out_int(a, "findings"), all = out_int(a, "occurrences"),
		   unknown = out_int(a, "unknown");

	fprintf(f,
		"compared traces at level %s: %lld accesses, %lld iterations, %lld values, %lld "
		"reductions",
		out_str(a, "level"), (long long)out_int(a, "accesses"),
		(long long)out_int(a, "iterations"), (long long)out_int(a, "values"),
		(long long)out_int(a, "reductions"));
	if (!strcmp(verdict, "equal"))
		fputs(": equal", f);
	else if (!strcmp(verdict, "rounding"))
		fprintf(f, ": equal, %lld of them only within the tolerance",
			(long long)out_int(a, "close"));
	else if (!strcmp(verdict, "nothing"))
		fputs(": there was nothing to compare", f);
	else
		fprintf(f, ": %lld finding%s, %lld occurrence%s", (long long)n, plural(n),
			(long long)all, plural(all));
	if (json_is_true(out_get(a, "more")))
		fputs("; more than MaxErrors were not kept", f);
	if (unknown)
		fprintf(f, "; %lld could not be compared", (long long)unknown);
	if (json_is_false(out_get(a, "complete")))
		fputs("; the run had not ended", f);
	fputc('\n', f);
}

void out_text_recorded_traces(FILE *f, const json_t *a)
{
	json_int_t n = out_int(a, "records"), bytes = out_int(a, "bytes");

	fprintf(f, "recorded traces at level %s: %lld records in %s, %lld bytes",
		out_str(a, "level"), (long long)n, out_str(a, "reference"), (long long)bytes);
	if (n)
		fprintf(f, ", %.1f a record", (double)bytes / (double)n);
	if (*out_str(a, "on"))
		fprintf(f, "; of %s, which did not end, what was written so far", out_str(a, "on"));
	if (json_is_false(out_get(a, "complete")))
		fputs("; the run had not ended", f);
	fputc('\n', f);
}
