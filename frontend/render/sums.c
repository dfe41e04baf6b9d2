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

	out_form(f, a, "Checksums at {point}  {construct}  {where}<  against {reference}>\n");
	find_widths(list, width);
	put_row(f, width, NULL);
	for (size_t i = 0; i < shown; i++)
		put_row(f, width, json_array_get(list, i));
	out_more(f, n - shown, "array", "sums -all");
}

/* "812 checksums of 5 arrays at 120 points" */
static void put_counts(FILE *f, const json_t *a)
{
	out_form(f, a, "{sums|checksum}<@arrays: of {arrays|array}> at {points|point}");
}

void out_text_small(FILE *f, const json_t *a)
{
	out_form(
		f, a,
		"<; small differences in {small|checksum}, by more than the tolerance of their own "
		"value, "
		"first in {small_array} at {small_from}>");
}

void out_text_compared(FILE *f, const json_t *a)
{
	const char *verdict = out_str(a, "verdict");

	fputs("compared ", f);
	put_counts(f, a);
	if (!strcmp(verdict, "equal"))
		fputs(": equal", f);
	else if (!strcmp(verdict, "rounding"))
		fprintf(f,
			": only rounding differs, from %s on, by at most %.2g (absolute), within "
			"%s",
			out_str(a, "rounding_from"), json_real_value(out_get(a, "rounding_most")),
			out_str(a, "tolerance"));
	else if (!strcmp(verdict, "nothing"))
		fputs(": there was nothing to compare", f);
	else
		out_form(f, a, ": {findings|finding}");
	out_text_small(f, a);
	out_form(f, a, "<; {skipped} could not be compared><!complete:; the run had not ended>\n");
}

void out_text_recorded(FILE *f, const json_t *a)
{
	fputs("recorded ", f);
	put_counts(f, a);
	out_form(f, a, " in {reference}, {bytes} bytes<!complete:; the run had not ended>\n");
}

/* "compared 3120 accesses in 410 iterations, 14 values, 3 reductions: equal" */
void out_text_compared_traces(FILE *f, const json_t *a)
{
	const char *verdict = out_str(a, "verdict");

	out_form(f, a,
		 "compared traces at level {level}: {accesses} accesses, {iterations} iterations, "
		 "{values} values, {reductions} reductions");
	if (!strcmp(verdict, "equal"))
		fputs(": equal", f);
	else if (!strcmp(verdict, "rounding"))
		out_form(f, a, ": equal, {close} of them only within the tolerance");
	else if (!strcmp(verdict, "nothing"))
		fputs(": there was nothing to compare", f);
	else
		out_form(f, a, ": {findings|finding}, {occurrences|occurrence}");
	out_form(f, a,
		 "<?more:; more than MaxErrors were not kept><; {unknown} not compared>"
		 "<; {close} were compared without scales, which {reference} does not have: below "
		 "{least} by the absolute difference>"
		 "<!complete:; the run had not ended>\n");
}

void out_text_recorded_traces(FILE *f, const json_t *a)
{
	json_int_t n = out_int(a, "records"), bytes = out_int(a, "bytes");

	out_form(f, a,
		 *out_str(a, "reference") ?
			 "recorded traces at level {level}: {records} records in {reference}, "
			 "{bytes} bytes" :
			 "recorded traces at level {level}: {records} records, {bytes} bytes");
	if (n)
		fprintf(f, ", %.1f a record", (double)bytes / (double)n);
	out_form(f, a,
		 "<; of {on}, which did not end, what was written so far>");
	if (!*out_str(a, "reference"))
		fputs("; dropped, nothing was written", f);
	out_form(f, a,
		 "<!complete:; the run had not ended>\n");
}

/* "control: 3120 accesses in 410 iterations: nothing found" */
void out_text_controlled(FILE *f, const json_t *a)
{
	json_int_t n = out_int(a, "findings");

	if (*out_str(a, "why")) {
		out_form(f, a, "control: accesses are not controlled: {why}\n");
		return;
	}
	out_form(f, a, "control: {accesses} accesses in {iterations} iterations and tasks");
	if (out_int(a, "regions"))
		out_form(f, a, ", {threaded} in {regions|parallel region} of OpenMP, {tasks|task}");
	fputs(": ", f);
	if (n)
		fprintf(f, "%lld finding%s", (long long)n, n == 1 ? "" : "s");
	else
		fputs("nothing found", f);
	if (out_int(a, "suppressed"))
		out_form(f, a, "; {suppressed} suppressed");
	fputc('\n', f);
}

/* "reductions: 20 results calculated, 1 is not the program's; 2 not calculated (…)" */
void out_text_reductions(FILE *f, const json_t *a)
{
	json_int_t n = out_int(a, "calculated"), wrong = out_int(a, "wrong");
	json_int_t parts = out_int(a, "parts"), not = out_int(a, "not_calculated");

	if (!n && !not && *out_str(a, "why")) {
		out_form(f, a, "reductions: not calculated: {why}\n");
		return;
	}
	if (!n && !not) {
		fprintf(f, "reductions: the program has marked no results\n");
		return;
	}
	fprintf(f, "reductions: %lld result%s calculated", (long long)n, n == 1 ? "" : "s");
	if (n && wrong)
		fprintf(f, ", %lld differ%s from the program's", (long long)wrong,
			wrong == 1 ? "s" : "");
	else if (n)
		fputs(n == 1 ? ", as the program's" : ", all as the program's", f);
	if (parts)
		fprintf(f,
			"; %lld from what ranks give alone, as no iterations are seen to compute "
			"it",
			(long long)parts);
	if (not)
		out_form(f, a, "; {not_calculated} not calculated: {first}: {why}");
	fputc('\n', f);
}
