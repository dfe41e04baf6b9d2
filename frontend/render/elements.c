/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of what print shows of values when not all of them: elements that were chosen or
 * sorted, bars. */
#include <math.h>
#include <string.h>

#include "common/array/value.h"
#include "frontend/render/render.h"

#define BAR 50 /* columns of the longest */

/* Where the groups differ each has its ranks above it. */
static void put_ranks(FILE *f, const json_t *groups, size_t i)
{
	if (json_array_size(groups) > 1)
		fprintf(f, "  %s:\n", out_ranks(json_array_get(groups, i), "ranks"));
}

void out_text_elements(FILE *f, const json_t *a)
{
	const json_t *groups = out_get(a, "groups");
	char text[VALUE_TEXT];

	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *g = json_array_get(groups, i), *list = out_get(g, "list");
		size_t n = json_array_size(list), shown = out_entries(n);
		long long chosen = out_int(g, "chosen");

		if (!i && json_array_size(groups) > 1)
			fprintf(f, "%s: <differing>\n", out_str(a, "expr"));
		fprintf(f, "%s%s: %lld of %lld element%s\n",
			json_array_size(groups) > 1 ? "  " : "",
			json_array_size(groups) > 1 ? out_ranks(g, "ranks") : out_str(a, "expr"),
			chosen, (long long)out_int(g, "of"), out_int(g, "of") == 1 ? "" : "s");
		for (size_t k = 0; k < shown; k++) {
			const json_t *x = json_array_get(list, k);

			fprintf(f, "  %s = %s\n", out_str(x, "element"),
				out_text_value_as(out_str(g, "kind"), out_str(a, "format"),
						  out_get(x, "value"), text));
		}
		if (shown < n || (long long)n < chosen)
			fprintf(f, "  … %lld more\n", chosen - (long long)shown);
	}
}

/* The least and the most of all bars, 0 among them, so that lengths can be compared. */
static void range_of(const json_t *groups, double *from, double *to)
{
	*from = *to = 0;
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *list = out_get(json_array_get(groups, i), "list");

		for (size_t k = 0; k < json_array_size(list); k++) {
			double x = json_number_value(out_get(json_array_get(list, k), "value"));

			*from = fmin(*from, x);
			*to = fmax(*to, x);
		}
	}
}

/* From 0 to x, in so many columns between the two ends. */
static void put_bar(FILE *f, double x, double from, double to)
{
	int zero = to > from ? (int)(-from / (to - from) * BAR + 0.5) : 0;
	int end = to > from ? (int)((x - from) / (to - from) * BAR + 0.5) : 0;

	for (int i = 0; i < BAR; i++)
		fputc((i >= zero && i < end) || (i < zero && i >= end) ? '#' : ' ', f);
}

static void put_bars(FILE *f, const json_t *list, double from, double to)
{
	int width = out_widest(list, "label", SIZE_MAX, 40);

	for (size_t k = 0; k < json_array_size(list); k++) {
		const json_t *x = json_array_get(list, k);
		const json_t *value = out_get(x, "value");

		fprintf(f, "  %-*s  ", width, out_str(x, "label"));
		if (!value) {
			fputs("nan or infinite\n", f);
			continue;
		}
		put_bar(f, json_number_value(value), from, to);
		fprintf(f, "  %.6g", json_number_value(value));
		if (json_number_value(out_get(x, "least")) < json_number_value(out_get(x, "most")))
			fprintf(f, " (%.6g … %.6g)", json_number_value(out_get(x, "least")),
				json_number_value(out_get(x, "most")));
		if (out_int(x, "odd"))
			fprintf(f, ", %lld nan or infinite", (long long)out_int(x, "odd"));
		fputc('\n', f);
	}
}

void out_text_plot(FILE *f, const json_t *a)
{
	const json_t *groups = out_get(a, "groups");
	double from, to;

	range_of(groups, &from, &to);
	fprintf(f, "%s:\n", out_str(a, "expr"));
	for (size_t i = 0; i < json_array_size(groups); i++) {
		put_ranks(f, groups, i);
		put_bars(f, out_get(json_array_get(groups, i), "list"), from, to);
	}
}

void out_text_histogram(FILE *f, const json_t *a)
{
	const json_t *groups = out_get(a, "groups");

	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *g = json_array_get(groups, i);

		if (!i)
			fprintf(f, "%s: %lld %s%s\n", out_str(a, "expr"),
				(long long)out_int(g, "of"), out_str(a, "of"),
				out_int(g, "of") == 1 ? "" : "s");
		put_ranks(f, groups, i);
		if (out_int(g, "odd"))
			fprintf(f, "  nan or infinite: %lld\n", (long long)out_int(g, "odd"));
		if (out_get(g, "bins"))
			out_text_bins(f, out_get(g, "bins"));
	}
}
