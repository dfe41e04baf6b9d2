/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of arrays seen from afar. */
#include <string.h>

#include "frontend/render/render.h"
#include "frontend/export/picture.h"

#define BARS 16 /* rows of a histogram */
#define BAR 50	/* columns of the longest */

static void put_real(FILE *f, const json_t *v)
{
	if (json_is_string(v))
		fputs(json_string_value(v), f);
	else
		fprintf(f, "%.6g", json_number_value(v));
}

static void put_extreme(FILE *f, const json_t *a, const char *key, const char *words)
{
	const json_t *x = out_get(a, key);

	if (!x)
		return;
	fprintf(f, "  %-8s ", words);
	put_real(f, out_get(x, "value"));
	fprintf(f, " at %s\n", out_str(x, "element"));
}

static void put_odd(FILE *f, const json_t *a)
{
	const json_t *nan = out_get(a, "first_nan"), *next = out_get(a, "next_nan");

	if (out_int(a, "nan"))
		fprintf(f, "  nan      %lld", (long long)out_int(a, "nan"));
	if (nan)
		fprintf(f, ", the first at %s", out_str(nan, "element"));
	if (out_int(a, "nan"))
		fputc('\n', f);
	if (out_int(a, "inf"))
		fprintf(f, "  inf      %lld\n", (long long)out_int(a, "inf"));
	if (next)
		fprintf(f, "  next nan %s\n",
			json_is_null(next) ? "none after it" : out_str(next, "element"));
}

static void put_totals(FILE *f, const json_t *a)
{
	const json_t *notes = out_get(a, "notes");
	long long total = out_int(a, "total"), count = out_int(a, "count");

	fprintf(f, "%s: %lld element%s of %s", out_str(a, "expr"), total, total == 1 ? "" : "s",
		out_str(a, "kind"));
	if (count < total)
		fprintf(f, ", %lld of them missing", total - count);
	if (out_get(a, "rank"))
		fprintf(f, ", as rank %lld has them", (long long)out_int(a, "rank"));
	fputc('\n', f);
	if (out_get(a, "mean")) {
		fputs("  mean     ", f);
		put_real(f, out_get(a, "mean"));
		fputc('\n', f);
	}
	put_extreme(f, a, "least", "min");
	put_extreme(f, a, "most", "max");
	put_odd(f, a);
	for (size_t i = 0; i < json_array_size(notes); i++)
		fprintf(f, "  %s\n", json_string_value(json_array_get(notes, i)));
}

/* The histogram, in so many rows that it can be read at a glance. */
void out_text_bins(FILE *f, const json_t *bins)
{
	const json_t *list = out_get(bins, "count");
	size_t n = json_array_size(list), each = n / BARS ? n / BARS : 1;
	double from = json_number_value(out_get(bins, "from"));
	double parts = n ? (double)n : 1;
	double step = json_number_value(out_get(bins, "to")) / parts - from / parts;
	json_int_t sum[BARS] = { 0 }, most = 1;

	for (size_t i = 0; i < n && i / each < BARS; i++) {
		sum[i / each] += json_integer_value(json_array_get(list, i));
		most = sum[i / each] > most ? sum[i / each] : most;
	}
	for (size_t i = 0; i < BARS; i++) {
		int bar = (int)((double)sum[i] * BAR / (double)most + 0.5);

		fprintf(f, "  %12.5g  %-*.*s  %lld\n", from + step * (double)(i * each), BAR, bar,
			"##################################################", (long long)sum[i]);
	}
	fprintf(f, "  %12.5g\n", from + step * (double)n);
	if (out_int(bins, "below") || out_int(bins, "above"))
		fprintf(f, "  below: %lld, above: %lld\n", (long long)out_int(bins, "below"),
			(long long)out_int(bins, "above"));
}

void out_text_stat(FILE *f, const json_t *a)
{
	put_totals(f, a);
	if (out_get(a, "bins"))
		out_text_bins(f, out_get(a, "bins"));
}

/* The number of a cell that is shown; NULL: there is none. */
static const json_t *shown(const json_t *a, size_t i)
{
	const json_t *cells = out_get(a, "cells");
	const char *show = out_str(a, "show");
	const json_t *least = json_array_get(out_get(cells, "min"), i);
	const json_t *most = json_array_get(out_get(cells, "max"), i);
	double low = json_number_value(least), high = json_number_value(most);

	if (strcmp(show, "abs"))
		return json_array_get(out_get(cells, show), i);
	return (low < 0 ? -low : low) > (high < 0 ? -high : high) ? least : most;
}

void out_text_heatmap(FILE *f, const json_t *a)
{
	const json_t *cells = out_get(a, "cells");
	size_t n = (size_t)out_int(a, "cells_count"), columns = (size_t)out_int(a, "columns");
	bool owners = !strcmp(out_str(a, "show"), "owner");
	struct shade shade = { .scale = shade_find(out_str(a, "scale")),
			       .least = json_number_value(out_get(a, "from")),
			       .most = json_number_value(out_get(a, "to")) };

	put_totals(f, a);
	for (size_t i = 0; i < n; i++) {
		const json_t *x = shown(a, i);
		double v = json_number_value(x);

		if (i % columns == 0)
			fputs("  |", f);
		if (owners)
			fputc(picture_rank_letter(json_is_integer(x)
							  ? (uint32_t)json_integer_value(x)
						  : json_is_string(x) ? BINS_MIXED
								      : UINT32_MAX),
			      f);
		else if (json_is_string(json_array_get(out_get(cells, "odd"), i)) ||
			 json_is_string(x))
			fputc('!', f);
		else if (!json_is_number(x))
			fputc('?', f);
		else
			fputc(shade_letter(&shade,
					   strcmp(out_str(a, "show"), "abs") || v >= 0 ? v : -v),
			      f);
		if ((i + 1) % columns == 0 || i + 1 == n)
			fputs("|\n", f);
	}
	if (owners)
		fputs("  a cell has the number of the rank that owns it; * several ranks own it\n",
		      f);
	if (out_get(a, "from"))
		fprintf(f, "  ' ' %.6g … '@' %.6g, %s of a cell, %s\n", shade.least, shade.most,
			out_str(a, "show"), out_str(a, "scale"));
	out_form(f, a, "<  picture  {image}\n><  saved    {saved}\n>");
}
